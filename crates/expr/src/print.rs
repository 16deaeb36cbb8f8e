//! The canonical text of an expression: it has the fewest parentheses and parses to the same tree.

use std::fmt;

use base::{Elem, Rational, Shape, Value};

use crate::{BinaryOp, Expr, ExprKind, UnaryOp};

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Literal(value) => literal(f, value),
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::Unary(op, operand) => {
                f.write_str(op.symbol())?;
                guarded(f, operand, strength_of_unary(*op))
            }
            ExprKind::Binary(op, left, right) => {
                let (left_least, right_least) = sides(*op);
                guarded(f, left, left_least)?;
                if *op == BinaryOp::Power {
                    f.write_str("^")?;
                } else {
                    write!(f, " {} ", op.symbol())?;
                }
                guarded(f, right, right_least)
            }
            ExprKind::Conditional(parts) => {
                write!(f, "if {} then {} else {}", parts[0], parts[1], parts[2])
            }
            ExprKind::Call(function, arguments) => {
                write!(f, "{}(", function.value.name())?;
                list(f, arguments)?;
                f.write_str(")")
            }
            ExprKind::Vector(items) => {
                f.write_str("[")?;
                list(f, items)?;
                f.write_str("]")
            }
            ExprKind::Index(operand, indices) => {
                guarded(f, operand, ALONE)?;
                f.write_str("[")?;
                list(f, indices)?;
                f.write_str("]")
            }
        }
    }
}

impl UnaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Negate => "-",
            UnaryOp::Not => "not ",
        }
    }
}

impl BinaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        self.quoted().trim_matches('`')
    }

    /// The operator as messages quote it.
    pub(crate) fn quoted(self) -> &'static str {
        match self {
            BinaryOp::Or => "`or`",
            BinaryOp::And => "`and`",
            BinaryOp::Equal => "`==`",
            BinaryOp::NotEqual => "`!=`",
            BinaryOp::Less => "`<`",
            BinaryOp::LessEqual => "`<=`",
            BinaryOp::Greater => "`>`",
            BinaryOp::GreaterEqual => "`>=`",
            BinaryOp::Add => "`+`",
            BinaryOp::Subtract => "`-`",
            BinaryOp::Multiply => "`*`",
            BinaryOp::Divide => "`/`",
            BinaryOp::Power => "`^`",
        }
    }
}

const ALONE: u8 = 9;

/// How tightly the outermost operator binds; [`ALONE`] if there is none.
fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Conditional(_) => 0,
        ExprKind::Unary(op, _) => strength_of_unary(*op),
        ExprKind::Binary(op, ..) => strength_of_binary(*op),
        ExprKind::Literal(value) if printed_with_sign(value) => strength_of_unary(UnaryOp::Negate),
        _ => ALONE,
    }
}

fn strength_of_unary(op: UnaryOp) -> u8 {
    match op {
        UnaryOp::Not => 3,
        UnaryOp::Negate => 7,
    }
}

fn strength_of_binary(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Add | BinaryOp::Subtract => 5,
        BinaryOp::Multiply | BinaryOp::Divide => 6,
        BinaryOp::Power => 8,
        _ => 4,
    }
}

/// The smallest strength that needs no parentheses to the left and to the right.
fn sides(op: BinaryOp) -> (u8, u8) {
    let own = strength_of_binary(op);
    match op {
        BinaryOp::Power => (ALONE, strength_of_unary(UnaryOp::Negate)),
        _ if own == 4 => (5, 5),
        _ => (own, own + 1),
    }
}

fn guarded(f: &mut fmt::Formatter<'_>, expr: &Expr, least: u8) -> fmt::Result {
    if strength(expr) < least { write!(f, "({expr})") } else { write!(f, "{expr}") }
}

fn list(f: &mut fmt::Formatter<'_>, items: &[Expr]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
    }
    Ok(())
}

fn printed_with_sign(value: &Value) -> bool {
    value.ty().is_scalar() && value.ty().elem != Elem::Bool && value.data()[0] < 0.0
}

fn literal(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    if let Some(exact) = value.exact() {
        return f.write_str(&fraction(exact));
    }
    let row = |row: &[f64]| {
        let items: Vec<_> = row.iter().map(|x| element(value.ty().elem, *x)).collect();
        format!("[{}]", items.join(", "))
    };
    match value.ty().shape {
        Shape::Scalar => f.write_str(&element(value.ty().elem, value.data()[0])),
        Shape::Vector(_) => f.write_str(&row(value.data())),
        Shape::Matrix(_, columns) => {
            let rows: Vec<_> = value.data().chunks(columns.max(1) as usize).map(row).collect();
            write!(f, "[{}]", rows.join(", "))
        }
    }
}

fn element(elem: Elem, value: f64) -> String {
    match elem {
        Elem::Bool => (value != 0.0).to_string(),
        _ if value.is_nan() => "(inf - inf)".to_owned(),
        // The exponent form is the shortest text that parses to the same float.
        _ if value.is_finite() && (value.abs() >= 1e16 || value != 0.0 && value.abs() < 1e-5) => {
            format!("{value:e}")
        }
        _ => value.to_string(),
    }
}

/// A decimal number if a finite one exists, otherwise a quotient.
fn fraction(exact: Rational) -> String {
    let (numerator, denominator) = (*exact.numer(), *exact.denom());
    decimal(numerator, denominator).unwrap_or_else(|| format!("({numerator} / {denominator})"))
}

fn decimal(numerator: i128, denominator: i128) -> Option<String> {
    let places = (0..=38).find(|places| 10i128.pow(*places) % denominator == 0)?;
    let digits = numerator.checked_mul(10i128.pow(places) / denominator)?;
    let width = places as usize + 1;
    let magnitude = format!("{:0width$}", digits.unsigned_abs());
    let (whole, rest) = magnitude.split_at(magnitude.len() - places as usize);
    let sign = if digits < 0 { "-" } else { "" };
    let point = if places == 0 { "" } else { "." };
    Some(format!("{sign}{whole}{point}{rest}"))
}
