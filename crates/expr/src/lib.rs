//! The expression language: text in, a tree with spans out, and exact values of constant ones.
//!
//! Nothing here knows what a signal is; names are resolved by whoever evaluates or lowers the tree.

mod ast;
mod function;

pub use ast::{BinaryOp, Expr, ExprKind, UnaryOp};
pub use function::{Arity, Function};
