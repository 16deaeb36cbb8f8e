//! All tests of this crate in one program, which is linked once.

mod common;
mod evaluate;
mod parse;
mod round_trip;
