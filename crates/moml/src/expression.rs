//! Expressions of Ptolemy II in, expressions of ours out.
//!
//! Names are resolved by the caller. Integers stay integers: `1 / 2` is 0 in Ptolemy II.

mod parse;
mod print;

pub use parse::{Node, parse};
pub use print::{Name, Printed, code, print};
