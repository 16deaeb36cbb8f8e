//! The expression language: parses text into a tree with spans, and evaluates constant expressions
//! exactly.
//!
//! Nothing here knows what a signal is; the code that evaluates or lowers the tree resolves names.

mod ast;
mod function;

mod defined;
mod lexer;
mod parser;
mod place;

mod names;
mod print;

mod eval;

pub use ast::{BinaryOp, Expr, ExprKind, UnaryOp};
pub use defined::{Definition, Functions};
pub use eval::{Lookup, MAX_ELEMENTS, count, evaluate};
pub use function::{Arity, Function};
pub use names::is_named_value;
pub use parser::{MAX_HEIGHT, MAX_NESTING, parse, parse_with};
pub use place::Place;
