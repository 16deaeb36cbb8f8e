//! Vectors and matrices from their elements, and elements from them.

use base::{Diagnostic, Shape, Span, Type};
use expr::Expr;
use ir::{Binary, NodeId};

use super::{Formula, decide, join_all};
use crate::{Context, Signal};

impl Formula {
    pub(super) fn vector(
        &self,
        cx: &mut Context,
        parts: &[Expr],
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        let signals: Vec<Signal> =
            parts.iter().map(|part| self.lower(cx, part)).collect::<Result<_, _>>()?;
        join_all(cx, "[...]", signals.iter().zip(parts));
        let types: Vec<Type> = signals.iter().map(|s| cx.graph.ty(s.value)).collect();
        let first = types.first().map_or(Shape::Scalar, |ty| ty.shape);
        if let Some(odd) = types.iter().position(|ty| ty.shape != first) {
            let message =
                format!("a row of {first} and one of {} make no matrix", types[odd].shape);
            return Err(Diagnostic::error("size-mismatch", message).at(parts[odd].span, "this one"));
        }
        let rows = signals.len() as u32;
        let shape = match first {
            Shape::Scalar => Shape::Vector(rows),
            Shape::Vector(columns) => Shape::Matrix(rows, columns),
            Shape::Matrix(..) => {
                return Err(Diagnostic::error("size-mismatch", "a list of matrices")
                    .at(span, "a vector holds scalars, a matrix holds rows"));
            }
        };
        let orders = signals.iter().map(|s| s.impulses.len()).max().unwrap_or(0);
        let impulses = (0..orders)
            .map(|order| {
                let part = |cx: &mut Context, s: &Signal| match s.impulses.get(order) {
                    Some(impulse) => *impulse,
                    None => cx.graph.filled(cx.graph.ty(s.value), 0.0),
                };
                let parts: Vec<NodeId> = signals.iter().map(|s| part(cx, s)).collect();
                cx.graph.stack(&parts, shape)
            })
            .collect();
        let bare: Vec<Signal> =
            signals.iter().map(|s| Signal { impulses: Vec::new(), ..s.clone() }).collect();
        let stacked = cx.strict(&bare, |g, values| g.stack(values, shape));
        Ok(Signal { impulses, ..stacked })
    }

    pub(super) fn index(
        &self,
        cx: &mut Context,
        base: &Expr,
        positions: &[Expr],
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        let signal = self.lower(cx, base)?;
        let at: Vec<Signal> =
            positions.iter().map(|p| self.lower(cx, p)).collect::<Result<_, _>>()?;
        at.iter().for_each(|at| decide(cx, at.value, "which element is chosen"));
        let named = std::iter::once((&signal, base)).chain(at.iter().zip(positions));
        join_all(cx, "[]", named);
        let shape = cx.graph.ty(signal.value).shape;
        let sizes: Vec<u32> = match (shape, at.len()) {
            (Shape::Vector(n), 1) => vec![n],
            (Shape::Matrix(rows, columns), 2) => vec![rows, columns],
            (Shape::Matrix(rows, columns), 1) => {
                return self.row(cx, &signal, &at[0], rows, columns, span);
            }
            _ => {
                let positions = if at.len() == 1 { "position" } else { "positions" };
                let message = format!("a {shape} cannot be indexed with {} {positions}", at.len());
                return Err(Diagnostic::error("size-mismatch", message).at(span, ""));
            }
        };
        for ((position, size), written) in at.iter().zip(&sizes).zip(positions) {
            within(cx, position, *size, written.span)?;
            refuse_outside(cx, position, signal.present, *size);
        }
        let columns = f64::from(*sizes.last().unwrap_or(&1));
        let impulses = match (cx.graph.constant_of(at[0].value), at.len()) {
            (Some(k), 1) => {
                let pick = |i: &NodeId| cx.graph.extract(*i, k[0] as usize, Shape::Scalar);
                signal.impulses.iter().map(pick).collect()
            }
            _ => {
                cx.refuse_impulses(&signal, "an impulse reaches an element chosen by a signal");
                Vec::new()
            }
        };
        let operands: Vec<Signal> =
            std::iter::once(Signal { impulses: vec![], ..signal }).chain(at).collect();
        let element = cx.strict(&operands, |g, v| {
            let position = match v.len() {
                2 => v[1],
                _ => {
                    let width = g.constant(Type::INT, &[columns]);
                    let row = g.mul(v[1], width);
                    g.add(row, v[2])
                }
            };
            g.index(v[0], position)
        });
        Ok(Signal { impulses, ..element })
    }

    fn row(
        &self,
        cx: &mut Context,
        matrix: &Signal,
        at: &Signal,
        rows: u32,
        columns: u32,
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        within(cx, at, rows, span)?;
        let Some(row) = cx.graph.constant_of(at.value) else {
            return Err(Diagnostic::error("size-mismatch", "the row of a matrix must be constant")
                .at(span, "index both row and column with signals instead"));
        };
        let offset = row[0] as usize * columns as usize;
        let shape = Shape::Vector(columns);
        let value = cx.graph.extract(matrix.value, offset, shape);
        let impulses =
            matrix.impulses.iter().map(|i| cx.graph.extract(*i, offset, shape)).collect();
        Ok(Signal { value, present: matrix.present, impulses })
    }
}

/// Makes it an error if a position that a signal gives is outside. A comparison of the element would
/// hide it.
fn refuse_outside(cx: &mut Context, position: &Signal, present: NodeId, size: u32) {
    if cx.graph.constant_of(position.value).is_some() {
        return;
    }
    let [zero, size] = [0.0, f64::from(size)].map(|number| cx.graph.real(number));
    let below = cx.graph.binary(Binary::Less, position.value, zero);
    let inside = cx.graph.binary(Binary::Less, position.value, size);
    let above = cx.graph.not(inside);
    let outside = cx.graph.or(below, above);
    let present = cx.graph.and(present, position.present);
    let outside = cx.graph.and(outside, present);
    cx.refuse_where_used(outside, "a position is outside its range");
}

fn within(cx: &Context, position: &Signal, size: u32, span: Span) -> Result<(), Diagnostic> {
    if !cx.graph.ty(position.value).is_scalar() {
        return Err(Diagnostic::error("size-mismatch", "a position must be a scalar").at(span, ""));
    }
    if size == 0 {
        let message = "what is empty has no positions";
        return Err(Diagnostic::error("index-outside", message).at(span, ""));
    }
    if let Some(at) = cx.graph.constant_of(position.value)
        && !(at[0] >= 0.0 && at[0] < f64::from(size) && at[0].fract() == 0.0)
    {
        let message = format!("position {} is outside 0 to {}", at[0], size - 1);
        return Err(Diagnostic::error("index-outside", message).at(span, "positions count from 0"));
    }
    Ok(())
}
