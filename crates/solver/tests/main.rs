//! All tests of this crate in one program, which is linked once.

mod bouncing_ball;
mod common;
mod crossings;
mod orders;
mod random_crossings;
mod resume;
mod steps;
mod stiff;
mod tableaus;
