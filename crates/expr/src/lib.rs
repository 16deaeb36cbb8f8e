//! The expression language: text in, a tree with spans out, and exact values of constant ones.
//!
//! Nothing here knows what a signal is; names are resolved by whoever evaluates or lowers the tree.

mod ast;
mod function;

mod lexer;
mod parser;
mod place;

mod names;
mod print;

mod eval;

pub use ast::{BinaryOp, Expr, ExprKind, UnaryOp};
pub use eval::{Lookup, MAX_ELEMENTS, evaluate};
pub use function::{Arity, Function};
pub use parser::{MAX_HEIGHT, MAX_NESTING, parse};
pub use place::Place;
