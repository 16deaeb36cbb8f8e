//! All tests of this crate in one program, which is linked once.

mod arrays;
mod common;
mod pictures;
mod text;
