//! Models of Ptolemy II: MoML files in, the text of a model file of ours out, with the values that
//! the test actors of the model expect.
//!
//! Nothing is evaluated here but constants that decide structure, and no block's behaviour is here:
//! an actor becomes a block of the library or an expression. What cannot be translated is a
//! [`Problem`] with the element, its line and the reason; nothing is approximated silently.

mod problem;
mod xml;

mod instantiate;
mod tree;

mod wiring;

mod causality;
mod expression;

mod translate;
mod yaml;

pub use problem::Problem;
pub use translate::{Expectation, Imported, Reference, import};
pub use tree::Classes;
