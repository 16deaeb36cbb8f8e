//! All tests of this crate in one program, which is linked once.

mod bits;
mod common;
mod methods;
