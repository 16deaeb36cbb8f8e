//! Functions of constants.

use base::{Diagnostic, Elem, Rational, Shape, Span, Type, Value};

use super::operators::{division_by_zero, elem_of, elementwise, sizes_differ};
use super::{Operand, arrays, check_defined, check_number, exact, matrices};
use crate::Function;

/// The value of a call.
pub(super) fn call(
    function: Function,
    arguments: &[Operand],
    span: Span,
) -> Result<Value, Diagnostic> {
    use Function::*;
    let name = format!("`{}`", function.name());
    if !matches!(function, Transpose | Length | Rows | Columns) {
        arguments.iter().try_for_each(|argument| check_number(argument, &name))?;
    }
    let value = match (function, arguments) {
        (Abs | Sign | Floor | Ceil | Round, [x]) => whole_or_exact(function, x),
        (Mod, [x, y]) => modulo(&name, x, y)?,
        (Min | Max, [all]) => extreme_element(function, all, span)?,
        (Min | Max, [first, rest @ ..]) => extreme(function, &name, first, rest)?,
        (Atan2, [y, x]) => real(elementwise(&name, y, x, f64::atan2)?),
        (Hypot, [x, y]) => real(elementwise(&name, x, y, f64::hypot)?),
        (Sum, [x]) => sum(x),
        (Prod, [x]) => product(x),
        (Cross, [x, y]) => matrices::cross(x, y)?,
        (Inverse, [x]) => matrices::inverse(x)?,
        (Det, [x]) => matrices::determinant(x)?,
        (Solve, [matrix, right]) => matrices::solve(matrix, right)?,
        (Dot, [x, y]) => dot(x, y, span)?,
        (Length | Rows | Columns, [x]) => Value::int(count(function, x.value.ty().shape)),
        (Norm, [x]) => Value::real(x.value.data().iter().fold(0.0, |norm, x| f64::hypot(norm, *x))),
        (Transpose, [x]) => arrays::transpose(x),
        (Identity, [n]) => arrays::identity(n, span)?,
        (Zeros, sizes) => arrays::filled(sizes, 0.0, span)?,
        (Ones, sizes) => arrays::filled(sizes, 1.0, span)?,
        (_, [x]) => map(x, smooth(function).ok_or_else(|| unusable(&name, span))?),
        _ => return Err(unusable(&name, span)),
    };
    check_defined(value, span)
}

/// The parser refuses a wrong number of arguments; this error is for trees that were built
/// otherwise.
fn unusable(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("wrong-arguments", format!("{name} cannot be called like this")).at(span, "")
}

/// The functions of one real number that give a real number.
fn smooth(function: Function) -> Option<fn(f64) -> f64> {
    use Function::*;
    Some(match function {
        Sin => f64::sin,
        Cos => f64::cos,
        Tan => f64::tan,
        Asin => f64::asin,
        Acos => f64::acos,
        Atan => f64::atan,
        Sinh => f64::sinh,
        Cosh => f64::cosh,
        Tanh => f64::tanh,
        Asinh => f64::asinh,
        Acosh => f64::acosh,
        Atanh => f64::atanh,
        Exp => f64::exp,
        Log => f64::ln,
        Log10 => f64::log10,
        Log2 => f64::log2,
        Sqrt => f64::sqrt,
        _ => return None,
    })
}

fn map(operand: &Operand, function: fn(f64) -> f64) -> Value {
    let data = operand.value.data().iter().map(|x| function(*x)).collect();
    Value::new(operand.value.ty().with_elem(Elem::Real), data)
}

fn real(value: Value) -> Value {
    value.to_real()
}

/// Functions that give an integer, or the exact magnitude.
fn whole_or_exact(function: Function, operand: &Operand) -> Value {
    if let Some(known) = exact::of(&operand.value).and_then(|x| exactly(function, x)) {
        return Value::rational(known);
    }
    let rounded: fn(f64) -> f64 = match function {
        Function::Abs => f64::abs,
        Function::Floor => f64::floor,
        Function::Ceil => f64::ceil,
        Function::Round => round,
        _ => |x| if x == 0.0 { 0.0 } else { x.signum() },
    };
    let value = map(operand, rounded);
    let keeps = function == Function::Abs && operand.value.ty().elem == Elem::Real;
    let elem = if keeps { Elem::Real } else { elem_of(value.data()) };
    Value::new(value.ty().with_elem(elem), value.data().to_vec())
}

/// The nearest integer, halves up; `floor(x + 0.5)` would be wrong just below one half.
fn round(x: f64) -> f64 {
    let below = x.floor();
    if x - below >= 0.5 { below + 1.0 } else { below }
}

fn exactly(function: Function, x: Rational) -> Option<Rational> {
    match function {
        Function::Abs => Some(exact::abs(x)),
        Function::Sign => Some(exact::sign(x)),
        Function::Floor => Some(exact::floor(x)),
        Function::Ceil => Some(exact::ceil(x)),
        Function::Round => exact::round(x),
        _ => None,
    }
}

fn modulo(name: &str, x: &Operand, y: &Operand) -> Result<Value, Diagnostic> {
    if y.value.data().contains(&0.0) {
        return Err(division_by_zero(y.span));
    }
    let known = exact::of(&x.value).zip(exact::of(&y.value));
    match known.and_then(|(x, y)| exact::modulo(x, y)) {
        Some(known) => Ok(Value::rational(known)),
        None => elementwise(name, x, y, |x, y| x - y * (x / y).floor()),
    }
}

/// The minimum or the maximum, element by element.
fn extreme(
    function: Function,
    name: &str,
    first: &Operand,
    rest: &[Operand],
) -> Result<Value, Diagnostic> {
    let least = function == Function::Min;
    let mut found = Operand { value: first.value.clone(), span: first.span };
    for next in rest {
        let known = exact::of(&found.value).zip(exact::of(&next.value));
        found.value = match known {
            Some((a, b)) => Value::rational(if (b < a) == least { b } else { a }),
            None => elementwise(name, &found, next, if least { f64::min } else { f64::max })?,
        };
    }
    Ok(found.value)
}

/// The least or the greatest element.
fn extreme_element(function: Function, operand: &Operand, span: Span) -> Result<Value, Diagnostic> {
    if operand.value.ty().is_scalar() {
        return Ok(operand.value.clone());
    }
    let better = if function == Function::Min { f64::min } else { f64::max };
    let Some(found) = operand.value.data().iter().copied().reduce(better) else {
        let message = format!("`{}` of no elements", function.name());
        return Err(Diagnostic::error("size-mismatch", message).at(span, "this is empty"));
    };
    Ok(whole_if(operand.value.ty().elem == Elem::Int, found))
}

fn sum(operand: &Operand) -> Value {
    if operand.value.ty().is_scalar() {
        return operand.value.clone();
    }
    total(operand.value.ty().elem == Elem::Int, operand.value.data().iter().copied())
}

fn product(operand: &Operand) -> Value {
    if operand.value.ty().is_scalar() {
        return operand.value.clone();
    }
    let product = operand.value.data().iter().product();
    whole_if(operand.value.ty().elem == Elem::Int, product)
}

fn dot(x: &Operand, y: &Operand, span: Span) -> Result<Value, Diagnostic> {
    let vectors = |operand: &Operand| matches!(operand.value.ty().shape, Shape::Vector(_));
    if !vectors(x) || !vectors(y) {
        return super::operators::binary(crate::BinaryOp::Multiply, x, y, span);
    }
    if x.value.ty().shape != y.value.ty().shape {
        return Err(sizes_differ("`dot`", x, y));
    }
    let integers = x.value.ty().elem == Elem::Int && y.value.ty().elem == Elem::Int;
    Ok(total(integers, x.value.data().iter().zip(y.value.data()).map(|(a, b)| a * b)))
}

/// How many elements, rows or columns a shape has; a vector is a column.
pub fn count(function: Function, shape: Shape) -> i64 {
    let (rows, columns) = match shape {
        Shape::Scalar => (1, 1),
        Shape::Vector(rows) => (rows, 1),
        Shape::Matrix(rows, columns) => (rows, columns),
    };
    i64::from(match function {
        Function::Rows => rows,
        Function::Columns => columns,
        _ => rows * columns,
    })
}

/// A sum, which is exact if its terms are integers.
fn total(integers: bool, terms: impl Iterator<Item = f64>) -> Value {
    whole_if(integers, terms.sum())
}

/// A number, which is an exact integer if it was computed from integers alone.
fn whole_if(integers: bool, number: f64) -> Value {
    match exact::whole(number) {
        Some(exact) if integers => Value::rational(exact),
        _ => Value::new(Type::REAL, vec![number]),
    }
}
