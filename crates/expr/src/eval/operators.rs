//! Operators on constants, element by element.

use std::cmp::Ordering;

use base::{Diagnostic, Elem, Rational, Shape, Span, Type, Value};

use super::{Operand, arrays, check_defined, check_number, exact, mismatch};
use crate::BinaryOp;

/// The value of `left op right`.
pub(super) fn binary(
    op: BinaryOp,
    left: &Operand,
    right: &Operand,
    span: Span,
) -> Result<Value, Diagnostic> {
    use BinaryOp::*;
    match op {
        And | Or => logical(op, left, right),
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => compare(op, left, right),
        Multiply if matches!(left.value.ty().shape, Shape::Matrix(..)) => {
            arithmetic_operands(op, left, right)?;
            match right.value.ty().shape {
                Shape::Scalar => arithmetic(op, left, right, span),
                _ => arrays::product(left, right, span),
            }
        }
        Add | Subtract | Multiply | Divide | Power => {
            arithmetic_operands(op, left, right)?;
            arithmetic(op, left, right, span)
        }
    }
}

/// The value of `-operand`.
pub(super) fn negate(operand: &Operand) -> Result<Value, Diagnostic> {
    check_number(operand, "a sign")?;
    if let Some(known) = exact::of(&operand.value) {
        return Ok(Value::rational(exact::negate(known)));
    }
    Ok(Value::from_elements(operand.value.ty(), operand.value.data().iter().map(|x| -x)))
}

/// The value of `not operand`.
pub(super) fn not(operand: &Operand) -> Result<Value, Diagnostic> {
    check_truth(operand, "not")?;
    Ok(Value::from_elements(operand.value.ty(), operand.value.data().iter().map(|x| 1.0 - x)))
}

fn check_truth(operand: &Operand, op: &str) -> Result<(), Diagnostic> {
    if operand.value.ty().elem == Elem::Bool {
        return Ok(());
    }
    let message = format!("`{op}` needs truth values");
    Err(mismatch(message, &operand.value, operand.span).help("compare it, as in `x != 0`"))
}

fn arithmetic_operands(op: BinaryOp, left: &Operand, right: &Operand) -> Result<(), Diagnostic> {
    check_number(left, op.quoted())?;
    check_number(right, op.quoted())
}

fn arithmetic(
    op: BinaryOp,
    left: &Operand,
    right: &Operand,
    span: Span,
) -> Result<Value, Diagnostic> {
    refuse_zero_divisor(op, left, right)?;
    let known = exact::of(&left.value).zip(exact::of(&right.value));
    if let Some(known) = known.and_then(|(a, b)| exactly(op, a, b)) {
        return Ok(Value::rational(known));
    }
    let function = match op {
        BinaryOp::Add => |a, b| a + b,
        BinaryOp::Subtract => |a, b| a - b,
        BinaryOp::Multiply => |a, b| a * b,
        BinaryOp::Divide => |a, b| a / b,
        _ => f64::powf,
    };
    let value = elementwise(op.quoted(), left, right, function)?;
    check_defined(value, span)
}

fn exactly(op: BinaryOp, a: Rational, b: Rational) -> Option<Rational> {
    match op {
        BinaryOp::Add => exact::add(a, b),
        BinaryOp::Subtract => exact::subtract(a, b),
        BinaryOp::Multiply => exact::multiply(a, b),
        BinaryOp::Divide => exact::divide(a, b),
        BinaryOp::Power => exact::power(a, b),
        _ => None,
    }
}

fn refuse_zero_divisor(op: BinaryOp, left: &Operand, right: &Operand) -> Result<(), Diagnostic> {
    let has_zero = |operand: &Operand| operand.value.data().contains(&0.0);
    let has_negative = |operand: &Operand| operand.value.data().iter().any(|x| *x < 0.0);
    match op {
        BinaryOp::Divide if has_zero(right) => Err(division_by_zero(right.span)),
        BinaryOp::Power if has_zero(left) && has_negative(right) => {
            Err(division_by_zero(left.span).note("a negative power of 0 divides by 0"))
        }
        _ => Ok(()),
    }
}

/// The error for a divisor of 0.
pub(super) fn division_by_zero(span: Span) -> Diagnostic {
    Diagnostic::error("division-by-zero", "a constant is divided by zero").at(span, "this is 0")
}

/// Applies a function to each pair of elements; a scalar is paired with every element of the other
/// operand. Integers give integers if every result is one.
pub(super) fn elementwise(
    what: &str,
    left: &Operand,
    right: &Operand,
    function: impl Fn(f64, f64) -> f64,
) -> Result<Value, Diagnostic> {
    let shape = common_shape(what, left, right)?;
    let (a, b) = (left.value.data(), right.value.data());
    let at = |data: &[f64], index: usize| if data.len() == 1 { data[0] } else { data[index] };
    let elements = (0..shape.len()).map(|i| function(at(a, i), at(b, i)));
    let value = Value::from_elements(Type { elem: Elem::Real, shape }, elements);
    let integers = left.value.ty().elem == Elem::Int && right.value.ty().elem == Elem::Int;
    match integers && elem_of(value.data()) == Elem::Int {
        true => Ok(Value::from_elements(value.ty().with_elem(Elem::Int), value.data().to_vec())),
        false => Ok(value),
    }
}

/// `Int` if every element is an integer that a float represents exactly.
pub(super) fn elem_of(data: &[f64]) -> Elem {
    if data.iter().all(|x| exact::whole(*x).is_some()) { Elem::Int } else { Elem::Real }
}

fn common_shape(what: &str, left: &Operand, right: &Operand) -> Result<Shape, Diagnostic> {
    match (left.value.ty().shape, right.value.ty().shape) {
        (a, b) if a == b => Ok(a),
        (Shape::Scalar, b) => Ok(b),
        (a, Shape::Scalar) => Ok(a),
        _ => Err(sizes_differ(what, left, right)),
    }
}

/// The error for operands of incompatible sizes.
pub(super) fn sizes_differ(what: &str, left: &Operand, right: &Operand) -> Diagnostic {
    Diagnostic::error("size-mismatch", format!("the operands of {what} have different sizes"))
        .at(right.span, format!("this is {}", right.value.ty().with_article()))
        .at(left.span, format!("this is {}", left.value.ty().with_article()))
}

fn logical(op: BinaryOp, left: &Operand, right: &Operand) -> Result<Value, Diagnostic> {
    check_truth(left, op.symbol())?;
    check_truth(right, op.symbol())?;
    let function = if op == BinaryOp::And { f64::min } else { f64::max };
    let value = elementwise(op.quoted(), left, right, function)?;
    Ok(Value::from_elements(value.ty().with_elem(Elem::Bool), value.data().iter().copied()))
}

fn compare(op: BinaryOp, left: &Operand, right: &Operand) -> Result<Value, Diagnostic> {
    check_comparable(op, left, right)?;
    if let Some((a, b)) = exact::of(&left.value).zip(exact::of(&right.value)) {
        return Ok(Value::bool(holds(op, Some(a.cmp(&b)))));
    }
    let function = |a: f64, b: f64| f64::from(holds(op, a.partial_cmp(&b)));
    let value = elementwise(op.quoted(), left, right, function)?;
    Ok(Value::from_elements(value.ty().with_elem(Elem::Bool), value.data().iter().copied()))
}

fn check_comparable(op: BinaryOp, left: &Operand, right: &Operand) -> Result<(), Diagnostic> {
    let truths = [left, right].map(|operand| operand.value.ty().elem == Elem::Bool);
    match (truths, op) {
        ([false, false], _) | ([true, true], BinaryOp::Equal | BinaryOp::NotEqual) => Ok(()),
        ([true, true], _) => {
            let message = "truth values have no order";
            Err(mismatch(message, &left.value, left.span).help("use `==`, `!=`, `and` or `or`"))
        }
        _ => Err(mismatch("a truth value is compared with a number", &right.value, right.span)
            .at(left.span, format!("this is {}", left.value.ty().with_article()))),
    }
}

fn holds(op: BinaryOp, order: Option<Ordering>) -> bool {
    match op {
        BinaryOp::Equal => order == Some(Ordering::Equal),
        BinaryOp::NotEqual => order != Some(Ordering::Equal),
        BinaryOp::Less => order == Some(Ordering::Less),
        BinaryOp::LessEqual => order.is_some_and(Ordering::is_le),
        BinaryOp::Greater => order == Some(Ordering::Greater),
        _ => order.is_some_and(Ordering::is_ge),
    }
}
