//! Functions that are called by name.

use base::{Diagnostic, Shape, Span, Spanned, Type, Value};
use expr::{BinaryOp, Expr, ExprKind, Function};
use ir::{Binary, NodeId, Unary};

use super::{Formula, Operand, constant, decide, join_all, matrices};
use crate::operators::{common_shape, number, read_side, truth};
use crate::{Context, Signal};

impl Formula {
    // One arm for each function: a table, and so longer than a function should otherwise be.
    pub(super) fn call(
        &self,
        cx: &mut Context,
        function: Function,
        args: &[Expr],
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        match function {
            Function::Delta => return self.delta(cx, args, span),
            Function::Last => return self.last(cx, &args[0], &args[1]),
            Function::When => return self.when(cx, &args[0], &args[1]),
            _ => {}
        }
        let a: Vec<Signal> =
            args.iter().map(|arg| self.lower(cx, arg)).collect::<Result<_, _>>()?;
        join_all(cx, function.name(), a.iter().zip(args));
        let ty = |cx: &Context, i: usize| cx.graph.ty(a[i].value);
        match function {
            Function::Present => return Ok(cx.always(a[0].present)),
            Function::Left => return Ok(cx.left(&a[0])),
            Function::Previous => return Ok(cx.previous(&a[0])),
            _ => {}
        }
        let what = format!("`{}`", function.name());
        for (i, arg) in args.iter().enumerate() {
            number(ty(cx, i), arg.span, &what)?;
        }
        if let Some(op) = elementary(function) {
            return Ok(cx.map(op, &a[0]));
        }
        match function {
            Function::Min | Function::Max if a.len() == 1 => {
                extreme_element(cx, function, &a[0], span)
            }
            Function::Prod => Ok(product(cx, &a[0])),
            Function::Cross => matrices::cross(cx, &a, args),
            Function::Inverse | Function::Det | Function::Solve
                if a.iter().all(|a| is_constant(cx, a)) =>
            {
                self.constant_matrix(cx, function, args, span)
            }
            Function::Inverse => matrices::inverse(cx, &a[0], span),
            Function::Det => matrices::determinant(cx, &a[0], span),
            Function::Solve => matrices::solve(cx, &a, span),
            Function::Sum => Ok(linear(cx, &a[0], |g, node| g.sum(node))),
            Function::Transpose => Ok(linear(cx, &a[0], |g, node| g.transpose(node))),
            Function::Identity | Function::Zeros | Function::Ones => {
                self.constant_matrix(cx, function, args, span)
            }
            Function::Dot => self.dot(cx, &a, args, span),
            Function::Length | Function::Rows | Function::Columns => {
                let count = expr::count(function, ty(cx, 0).shape);
                Ok(constant(cx, &Value::int(count)))
            }
            Function::Norm => Ok(cx.strict(&a, |g, v| {
                let squares = g.mul(v[0], v[0]);
                let sum = g.sum(squares);
                g.unary(Unary::Sqrt, sum)
            })),
            _ => {
                for i in 1..a.len() {
                    common_shape(ty(cx, 0), ty(cx, i), span)?;
                }
                Ok(cx.strict(&a, |g, v| piecewise(g, function, v)))
            }
        }
    }

    /// The latest value of an event signal strictly before this tag: a state that takes the value of
    /// each event when its tag is committed.
    fn last(&self, cx: &mut Context, of: &Expr, initial: &Expr) -> Result<Signal, Diagnostic> {
        let signal = self.lower(cx, of)?;
        cx.need_events("last", &signal, of.span);
        cx.refuse_impulses(&signal, "`last` takes the values of events, and this is an impulse");
        let first = self.constant_operand(initial, "the initial value of `last`")?;
        let first = cx.filling(&first, "the initial value", cx.graph.ty(signal.value));
        let state = cx.state("last", first.map_err(|error| error.at(initial.span, ""))?);
        let next = cx.graph.select(signal.present, signal.value, state);
        cx.next(state, next);
        Ok(cx.always(state))
    }

    /// A signal that is present only if a condition holds.
    fn when(&self, cx: &mut Context, condition: &Expr, of: &Expr) -> Result<Signal, Diagnostic> {
        let test = self.lower(cx, condition)?;
        truth(cx.graph.ty(test.value), condition.span, "a condition")?;
        decide(cx, test.value, "whether a signal is ever present");
        cx.scalar(&test, "condition").map_err(|error| error.at(condition.span, ""))?;
        let signal = cx.under(test.value, true, |cx| self.lower(cx, of))?;
        let never = cx.graph.bool(false);
        let absent = cx.event(signal.value, never);
        Ok(cx.choose(&test, &signal, &absent))
    }

    /// The inner product of two vectors; otherwise the product.
    fn dot(
        &self,
        cx: &mut Context,
        a: &[Signal],
        args: &[Expr],
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        let vector = |signal: &Signal| matches!(cx.graph.ty(signal.value).shape, Shape::Vector(_));
        match vector(&a[0]) && vector(&a[1]) {
            true => inner_product(cx, a, span),
            false => self.binary(cx, BinaryOp::Multiply, &args[0], &args[1], span),
        }
    }

    /// A function of constants, such as a matrix that is fully determined by its size.
    fn constant_matrix(
        &self,
        cx: &mut Context,
        function: Function,
        args: &[Expr],
        span: Span,
    ) -> Result<Signal, Diagnostic> {
        let kind = ExprKind::Call(Spanned::new(function, span), args.to_vec());
        let value =
            expr::evaluate(&Expr { kind, span }, &mut |name, at| match self.operands.get(name) {
                Some(Operand::Constant(value)) => {
                    value.open().iter().for_each(|id| cx.decides(*id, "it decides a size".into()));
                    Ok(value.clone().closed())
                }
                _ => Err(Diagnostic::error("not-constant", "a size must be constant")
                    .at(at, "this is a signal")),
            })?;
        Ok(constant(cx, &value))
    }
}

/// Whether a signal is a constant: always present with one value, and no impulses.
fn is_constant(cx: &Context, a: &Signal) -> bool {
    let present = cx.graph.truth(a.present) == Some(true);
    present && a.impulses.is_empty() && cx.graph.constant_of(a.value).is_some()
}

/// The least or the greatest of all elements.
fn extreme_element(
    cx: &mut Context,
    function: Function,
    a: &Signal,
    span: Span,
) -> Result<Signal, Diagnostic> {
    let elements = cx.graph.ty(a.value).len();
    if elements == 0 {
        let message = format!("`{}` of no elements", function.name());
        return Err(Diagnostic::error("size-mismatch", message).at(span, "this is empty"));
    }
    if cx.graph.ty(a.value).is_scalar() {
        return Ok(a.clone());
    }
    Ok(cx.strict(std::slice::from_ref(a), |g, v| {
        let element = |i: usize| g.extract(v[0], i, Shape::Scalar);
        let all: Vec<NodeId> = (0..elements).map(element).collect();
        if all.len() == 1 { all[0] } else { piecewise(g, function, &all) }
    }))
}

/// The product of all elements, from first to last.
fn product(cx: &mut Context, a: &Signal) -> Signal {
    if cx.graph.ty(a.value).is_scalar() {
        return a.clone();
    }
    cx.strict(std::slice::from_ref(a), |g, v| {
        let one = g.constant(Type::INT, &[1.0]);
        (0..g.ty(v[0]).len()).fold(one, |product, i| {
            let element = g.extract(v[0], i, Shape::Scalar);
            g.mul(product, element)
        })
    })
}

fn inner_product(cx: &mut Context, a: &[Signal], span: Span) -> Result<Signal, Diagnostic> {
    let (ta, tb) = (cx.graph.ty(a[0].value), cx.graph.ty(a[1].value));
    if ta.shape != tb.shape {
        let message =
            format!("the inner product of {} and {}", ta.with_article(), tb.with_article());
        return Err(Diagnostic::error("size-mismatch", message).at(span, "sizes differ"));
    }
    Ok(cx.strict(a, |g, v| {
        let products = g.mul(v[0], v[1]);
        g.sum(products)
    }))
}

/// Functions that are a single operation of the graph.
fn elementary(function: Function) -> Option<Unary> {
    Some(match function {
        Function::Sin => Unary::Sin,
        Function::Cos => Unary::Cos,
        Function::Tan => Unary::Tan,
        Function::Asin => Unary::Asin,
        Function::Acos => Unary::Acos,
        Function::Atan => Unary::Atan,
        Function::Sinh => Unary::Sinh,
        Function::Cosh => Unary::Cosh,
        Function::Tanh => Unary::Tanh,
        Function::Asinh => Unary::Asinh,
        Function::Acosh => Unary::Acosh,
        Function::Atanh => Unary::Atanh,
        Function::Exp => Unary::Exp,
        Function::Log => Unary::Log,
        Function::Log10 => Unary::Log10,
        Function::Log2 => Unary::Log2,
        Function::Sqrt => Unary::Sqrt,
        _ => return None,
    })
}

/// Functions with kinks and jumps, whose sides and floors are frozen between events, and functions
/// of two operands.
fn piecewise(g: &mut ir::Graph, function: Function, v: &[NodeId]) -> NodeId {
    let zero = g.constant(Type::INT, &[0.0]);
    match function {
        Function::Abs => {
            let side = g.frozen_sign(v[0], zero);
            let negative = read_side(g, side, [true, false, false]);
            let opposite = g.neg(v[0]);
            let by_side = g.select(negative, opposite, v[0]);
            let below = g.binary(Binary::Less, v[0], opposite);
            let by_value = g.select(below, opposite, v[0]);
            g.observed(by_side, by_value, 1)
        }
        Function::Sign => g.frozen_sign(v[0], zero),
        Function::Floor => g.frozen_floor(v[0]),
        Function::Ceil => {
            let opposite = g.neg(v[0]);
            let cell = g.frozen_floor(opposite);
            g.neg(cell)
        }
        Function::Round => {
            let half = g.real(0.5);
            let moved = g.add(v[0], half);
            g.frozen_floor(moved)
        }
        Function::Mod => {
            let quotient = g.div(v[0], v[1]);
            let cell = g.frozen_floor(quotient);
            let whole = g.mul(v[1], cell);
            g.sub(v[0], whole)
        }
        Function::Min | Function::Max => {
            let least = function == Function::Min;
            let holds = if least { [true, true, false] } else { [false, true, true] };
            let by_side = v[1..].iter().fold(v[0], |best, next| {
                let side = g.frozen_sign(best, *next);
                let keep = read_side(g, side, holds);
                g.select(keep, best, *next)
            });
            let by_value = v[1..].iter().fold(v[0], |best, next| {
                let (low, high) = if least { (best, *next) } else { (*next, best) };
                let keep = g.binary(Binary::LessEqual, low, high);
                g.select(keep, best, *next)
            });
            g.observed(by_side, by_value, v.len() as u32 - 1)
        }
        Function::Atan2 => g.binary(Binary::Atan2, v[0], v[1]),
        Function::Hypot => g.binary(Binary::Hypot, v[0], v[1]),
        other => unreachable!("{} is handled elsewhere", other.name()),
    }
}

fn linear(cx: &mut Context, a: &Signal, f: impl Fn(&mut ir::Graph, NodeId) -> NodeId) -> Signal {
    let impulses = a.impulses.iter().map(|i| f(&mut cx.graph, *i)).collect();
    Signal { value: f(&mut cx.graph, a.value), present: a.present, impulses }
}
