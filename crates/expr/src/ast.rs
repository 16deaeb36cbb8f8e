//! Expressions as written, with the span of every subexpression.

use base::{Span, Spanned, Value};

use crate::Function;

/// An expression and where it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it was written.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A literal: a number (exact if its decimal digits allow it), `true` or `false`.
    Literal(Value),
    /// A parameter, a signal, or a word such as `falling`; components of a path are joined by dots.
    Name(String),
    /// `-a`, `not a`.
    Unary(UnaryOp, Box<Expr>),
    /// `a + b` and similar.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `if c then a else b`, or `c ? a : b`.
    Conditional(Box<[Expr; 3]>),
    /// `sin(x)` and similar.
    Call(Spanned<Function>, Vec<Expr>),
    /// `[a, b]`; rows of equal length make a matrix, `[[a, b], [c, d]]`.
    Vector(Vec<Expr>),
    /// `x[i]` or `x[i, j]`, counted from 0.
    Index(Box<Expr>, Vec<Expr>),
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-a`
    Negate,
    /// `not a`, `!a`
    Not,
}

/// Binary operators, from the loosest binding to the tightest. `^` binds tighter than a sign to its
/// left and is right-associative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `a or b`, `a || b`
    Or,
    /// `a and b`, `a && b`
    And,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterEqual,
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`: elementwise if the shapes agree or one is a scalar; matrix times matrix or vector.
    Multiply,
    /// `a / b`
    Divide,
    /// `a ^ b`
    Power,
}
