//! Linear systems x' = A x + B u, y = C x + D u, and the least-squares problems that lead to the
//! points at which they hold.
//!
//! Matrices and functions of vectors come in; poles, approximations of delays, and solutions within
//! bounds go out. Singular values and eigenvalues are those of the crate `faer`, on one thread: the
//! same numbers give the same bits. Nothing here knows models.

mod least_squares;
mod matrix;
mod pade;
mod system;

pub use least_squares::{Ended, Problem, Solution, solve};
pub use matrix::Matrix;
pub use pade::{MAXIMUM_ORDER, pade};
pub use system::{Complex, Connection, LinearSystem, NotWellPosed};
