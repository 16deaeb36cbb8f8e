//! Cross products, determinants, inverses and linear systems of signals.

use base::{Diagnostic, Elem, Shape, Span};
use expr::Expr;
use ir::{Binary, Graph, NodeId};

use crate::{Context, Signal};

const NONLINEAR: &str = "an impulse reaches a matrix that is inverted, which has no meaning";
const MOVING: &str =
    "an impulse reaches a linear system whose matrix is not constant, which has no meaning";

/// The greatest determinant of a signal that is expanded: it has 4 rows, and 40 multiplications.
const MAX_EXPANDED: u32 = 4;

/// The cross product of two vectors of three elements. Like every product, it scales impulses.
pub(super) fn cross(cx: &mut Context, a: &[Signal], args: &[Expr]) -> Result<Signal, Diagnostic> {
    for (signal, arg) in a.iter().zip(args) {
        let ty = cx.graph.ty(signal.value);
        if ty.shape != Shape::Vector(3) {
            let message = "`cross` needs two vectors of three elements";
            return Err(Diagnostic::error("size-mismatch", message)
                .at(arg.span, format!("this is {}", ty.with_article())));
        }
    }
    let halves = [([1, 2, 0], [2, 0, 1]), ([2, 0, 1], [1, 2, 0])].map(|(first, second)| {
        let (a, b) = (turned(cx, &a[0], first), turned(cx, &a[1], second));
        cx.multiply(&a, &b)
    });
    let [first, second] = halves;
    let wrong = |message: String| Diagnostic::error("impulse-undefined", message);
    Ok(cx.add(&first.map_err(wrong)?, &second.map_err(wrong)?, Binary::Sub))
}

/// A vector with its elements in another order.
fn turned(cx: &mut Context, a: &Signal, order: [usize; 3]) -> Signal {
    let mut turn = |node: NodeId| {
        let parts = order.map(|i| cx.graph.extract(node, i, Shape::Scalar));
        cx.graph.stack(&parts, Shape::Vector(3))
    };
    let impulses = a.impulses.iter().map(|impulse| turn(*impulse)).collect();
    Signal { value: turn(a.value), present: a.present, impulses }
}

/// The determinant of a small square matrix, expanded into products: no pivot is needed, so it is
/// exact up to rounding wherever it is zero.
pub(super) fn determinant(cx: &mut Context, a: &Signal, span: Span) -> Result<Signal, Diagnostic> {
    if cx.graph.ty(a.value).is_scalar() {
        return Ok(a.clone());
    }
    let n = square(cx, "det", a, span)?;
    if n > MAX_EXPANDED {
        let message = format!("the determinant of a signal with more than {MAX_EXPANDED} rows");
        return Err(Diagnostic::error("size-mismatch", message)
            .at(span, format!("this matrix has {n} rows"))
            .help("compute the determinant of constants, or use `solve`, which has no limit"));
    }
    let columns: Vec<usize> = (0..n as usize).collect();
    Ok(cx.strict(std::slice::from_ref(a), |g, v| minor(g, v[0], 0, &columns)))
}

/// The determinant of the rows from one on and some of the columns, along the first of these rows.
fn minor(g: &mut Graph, matrix: NodeId, row: usize, columns: &[usize]) -> NodeId {
    let n = row + columns.len();
    let Some((last, others)) = columns.split_last() else { return g.real(1.0) };
    if others.is_empty() {
        return g.extract(matrix, row * n + last, Shape::Scalar);
    }
    let mut sum = None;
    for (position, column) in columns.iter().enumerate() {
        let rest: Vec<usize> = columns.iter().copied().filter(|other| other != column).collect();
        let below = minor(g, matrix, row + 1, &rest);
        let element = g.extract(matrix, row * n + column, Shape::Scalar);
        let term = g.mul(element, below);
        sum = Some(match sum {
            None => term,
            Some(sum) if position % 2 == 0 => g.add(sum, term),
            Some(sum) => g.sub(sum, term),
        });
    }
    sum.expect("there is a column")
}

/// The inverse of a square matrix: the solution for each column of the identity.
pub(super) fn inverse(cx: &mut Context, a: &Signal, span: Span) -> Result<Signal, Diagnostic> {
    cx.refuse_impulses(a, NONLINEAR);
    let bare = Signal { impulses: Vec::new(), ..a.clone() };
    if cx.graph.ty(a.value).is_scalar() {
        return Ok(cx.strict(&[bare], |g, v| {
            let one = g.real(1.0);
            g.div(one, v[0])
        }));
    }
    let n = square(cx, "inverse", a, span)? as usize;
    let mut identity = vec![0.0; n * n];
    (0..n).for_each(|i| identity[i * (n + 1)] = 1.0);
    let ty = cx.graph.ty(a.value).with_elem(Elem::Real);
    Ok(cx.strict(&[bare], |g, v| {
        let identity = g.constant(ty, &identity);
        solved(g, v[0], identity)
    }))
}

/// The x of A x = b. It is linear in b: if A is constant, impulses of b pass through.
pub(super) fn solve(cx: &mut Context, a: &[Signal], span: Span) -> Result<Signal, Diagnostic> {
    let n = square(cx, "solve", &a[0], span)?;
    let right = cx.graph.ty(a[1].value);
    let rows = match right.shape {
        Shape::Vector(rows) | Shape::Matrix(rows, _) => Some(rows),
        Shape::Scalar => None,
    };
    if rows != Some(n) {
        let message = format!("`solve` with {n} equations and {}", right.with_article());
        return Err(Diagnostic::error("size-mismatch", message)
            .at(span, format!("the right-hand side must have {n} rows")));
    }
    cx.refuse_impulses(&a[0], NONLINEAR);
    let impulses = match cx.graph.is_fixed(a[0].value) {
        true => {
            let through = |impulse: &NodeId| solved(&mut cx.graph, a[0].value, *impulse);
            a[1].impulses.iter().map(through).collect()
        }
        false => {
            cx.refuse_impulses(&a[1], MOVING);
            Vec::new()
        }
    };
    let bare = [0, 1].map(|i| Signal { impulses: Vec::new(), ..a[i].clone() });
    let x = cx.strict(&bare, |g, v| solved(g, v[0], v[1]));
    Ok(Signal { impulses, ..x })
}

/// The solution for a vector, or for each column of a matrix.
fn solved(g: &mut Graph, matrix: NodeId, right: NodeId) -> NodeId {
    let one = g.real(1.0);
    // The numbers of both must be real.
    let (matrix, right) = (g.mul(matrix, one), g.mul(right, one));
    let shape = g.ty(right).shape;
    let Shape::Matrix(rows, columns) = shape else { return g.linear_solve(matrix, right) };
    let transposed = g.transpose(right);
    let solutions: Vec<NodeId> = (0..columns as usize)
        .map(|column| {
            let b = g.extract(transposed, column * rows as usize, Shape::Vector(rows));
            g.linear_solve(matrix, b)
        })
        .collect();
    let stacked = g.stack(&solutions, Shape::Matrix(columns, rows));
    g.transpose(stacked)
}

/// The number of rows of a square matrix.
fn square(cx: &Context, what: &str, a: &Signal, span: Span) -> Result<u32, Diagnostic> {
    let ty = cx.graph.ty(a.value);
    match ty.shape {
        Shape::Matrix(rows, columns) if rows == columns && rows > 0 => Ok(rows),
        _ => Err(Diagnostic::error("size-mismatch", format!("`{what}` needs a square matrix"))
            .at(span, format!("this is {}", ty.with_article()))),
    }
}
