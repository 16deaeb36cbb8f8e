//! All tests of this crate in one program, which is linked once.

mod least_squares;
mod systems;
