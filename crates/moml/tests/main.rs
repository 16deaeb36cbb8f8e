//! All tests of this crate in one program, which is linked once.

mod common;
mod expressions;
mod hostile;
mod mutated;
mod translated;
