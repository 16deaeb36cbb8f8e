//! Values of constant expressions.
//!
//! Numbers stay exact fractions as long as operators, comparisons and rounding allow it, so that
//! `0.1 * 3` is three tenths. Evaluation continues with floats after a transcendental function, or
//! if a fraction needs more than 128 bits. A mistake is a diagnostic at the wrong operand. A value
//! never has more than [`MAX_ELEMENTS`] elements, and a result that is NaN is an error.

mod arrays;
mod exact;
mod functions;
mod matrices;
mod operators;

pub use functions::count;

use base::{Diagnostic, Elem, Span, Value};

use crate::{BinaryOp, Expr, ExprKind, Function, UnaryOp};

/// The maximum number of elements of a constant.
pub const MAX_ELEMENTS: usize = 10_000_000;

/// Returns the value of a name, or why there is none.
pub type Lookup<'l> = dyn FnMut(&str, Span) -> Result<Value, Diagnostic> + 'l;

/// The value of a constant expression. `lookup` returns the values of names other than `pi` and
/// `inf`, or why there is none. Only the branch of a conditional that is taken is evaluated, and
/// the right side of `and` and `or` only if the left side does not decide.
// Each kind has its own function, so that the stack frames of a deep recursion stay small.
pub fn evaluate(expr: &Expr, lookup: &mut Lookup<'_>) -> Result<Value, Diagnostic> {
    match &expr.kind {
        ExprKind::Literal(value) => Ok(value.clone()),
        ExprKind::Name(name) => named(name, expr.span, lookup),
        ExprKind::Unary(op, operand) => unary(*op, operand, lookup),
        ExprKind::Binary(op, left, right) => binary(*op, [left, right], expr.span, lookup),
        ExprKind::Conditional(parts) => conditional(parts, lookup),
        ExprKind::Call(function, arguments) => {
            refuse_signal_function(function.value, function.span)?;
            let arguments = operands(arguments, lookup)?;
            functions::call(function.value, &arguments, expr.span)
        }
        ExprKind::Vector(items) => arrays::vector(operands(items, lookup)?, expr.span),
        ExprKind::Index(x, indices) => {
            let x = operand(x, lookup)?;
            arrays::index(&x, &operands(indices, lookup)?)
        }
    }
}

fn unary(op: UnaryOp, x: &Expr, lookup: &mut Lookup<'_>) -> Result<Value, Diagnostic> {
    let x = operand(x, lookup)?;
    match op {
        UnaryOp::Negate => operators::negate(&x),
        UnaryOp::Not => operators::not(&x),
    }
}

fn binary(
    op: BinaryOp,
    [left, right]: [&Expr; 2],
    span: Span,
    lookup: &mut Lookup<'_>,
) -> Result<Value, Diagnostic> {
    let left = operand(left, lookup)?;
    let decided = match op {
        BinaryOp::And => left.value.as_bool() == Some(false),
        BinaryOp::Or => left.value.as_bool() == Some(true),
        _ => false,
    };
    if decided {
        return Ok(left.value);
    }
    operators::binary(op, &left, &operand(right, lookup)?, span)
}

fn conditional(parts: &[Expr; 3], lookup: &mut Lookup<'_>) -> Result<Value, Diagnostic> {
    let [condition, yes, no] = parts;
    let value = evaluate(condition, lookup)?;
    let taken = value.as_bool().ok_or_else(|| not_a_condition(&value, condition.span))?;
    evaluate(if taken { yes } else { no }, lookup)
}

/// A value and where its expression was written.
struct Operand {
    value: Value,
    span: Span,
}

fn operand(expr: &Expr, lookup: &mut Lookup<'_>) -> Result<Operand, Diagnostic> {
    Ok(Operand { value: evaluate(expr, lookup)?, span: expr.span })
}

/// The values of a list, whose total size is limited to that of one value.
fn operands(exprs: &[Expr], lookup: &mut Lookup<'_>) -> Result<Vec<Operand>, Diagnostic> {
    let mut values = Vec::with_capacity(exprs.len());
    let mut elements = 0usize;
    for expr in exprs {
        let next = operand(expr, lookup)?;
        elements = elements.saturating_add(next.value.data().len());
        check_size(elements, expr.span)?;
        values.push(next);
    }
    Ok(values)
}

fn named(name: &str, span: Span, lookup: &mut Lookup<'_>) -> Result<Value, Diagnostic> {
    match name {
        "pi" => Ok(Value::real(std::f64::consts::PI)),
        "inf" => Ok(Value::real(f64::INFINITY)),
        "absent" => Err(Diagnostic::error("not-constant", "a constant is always present")
            .at(span, "")
            .note("`absent` is an event signal without events")),
        // A name is a function only if it is called, so that a parameter may be called `length`.
        _ => lookup(name, span).map_err(|error| match Function::named(name) {
            Some(_) if error.code == "unknown-name" => {
                let message = format!("`{name}` is a function, not a value");
                let error = Diagnostic::error("type-mismatch", message).at(span, "");
                error.help(format!("call it: `{name}(...)`"))
            }
            _ => error,
        }),
    }
}

fn refuse_signal_function(function: Function, span: Span) -> Result<(), Diagnostic> {
    if !function.asks_about_signals() {
        return Ok(());
    }
    let name = function.name();
    Err(Diagnostic::error("not-constant", format!("`{name}` cannot be used in a constant"))
        .at(span, "")
        .note(format!("`{name}` asks about a signal, which has a value only while a model runs")))
}

fn not_a_condition(value: &Value, span: Span) -> Diagnostic {
    mismatch("a condition is true or false", value, span).help("compare it, as in `x > 0`")
}

/// The error for a value of the wrong type.
fn mismatch(message: impl Into<String>, found: &Value, span: Span) -> Diagnostic {
    Diagnostic::error("type-mismatch", message)
        .at(span, format!("this is {}", found.ty().with_article()))
}

/// Refuses truth values if numbers are needed.
fn check_number(operand: &Operand, needed_by: &str) -> Result<(), Diagnostic> {
    match operand.value.ty().elem {
        Elem::Bool => {
            let message = format!("{needed_by} needs numbers, not truth values");
            Err(mismatch(message, &operand.value, operand.span)
                .help("`if c then 1 else 0` makes a number of a truth value"))
        }
        _ => Ok(()),
    }
}

fn check_size(elements: usize, span: Span) -> Result<(), Diagnostic> {
    if elements <= MAX_ELEMENTS {
        return Ok(());
    }
    Err(Diagnostic::error("value-too-large", "a constant has too many elements")
        .at(span, "")
        .note(format!("a value has at most {MAX_ELEMENTS} elements")))
}

/// Refuses NaN, the result of `sqrt(-1)` or `inf - inf`.
fn check_defined(value: Value, span: Span) -> Result<Value, Diagnostic> {
    if value.data().iter().any(|x| x.is_nan()) {
        return Err(Diagnostic::error("not-a-number", "this constant is not a number")
            .at(span, "undefined for these operands"));
    }
    Ok(value)
}
