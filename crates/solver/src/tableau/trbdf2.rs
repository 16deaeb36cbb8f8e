//! The coefficients of the trapezoidal rule paired with a backward difference of second order.
//!
//! R. E. Bank, W. M. Coughran, W. Fichtner, E. H. Grosse, D. J. Rose, R. K. Smith, "Transient
//! simulation of silicon devices and circuits", IEEE Trans. Electron Devices 32 (1985). As a
//! Runge-Kutta method with an embedded one of order 3 and with both implicit stages of one matrix:
//! M. E. Hosea, L. F. Shampine, "Analysis and implementation of TR-BDF2", Appl. Numer. Math. 20
//! (1996). L-stable.

use std::f64::consts::SQRT_2;

/// The part of the step that the trapezoidal rule takes.
pub(crate) const GAMMA: f64 = 2.0 - SQRT_2;

/// The weight of the slope of each implicit stage in its own equation.
pub(crate) const DIAGONAL: f64 = GAMMA / 2.0;

/// The weight of the first two slopes in the solution; that of the third is [`DIAGONAL`].
pub(crate) const BETA: f64 = SQRT_2 / 4.0;

/// The weights of the solution less those of the embedded one.
pub(crate) const ERROR: [f64; 3] = [(4.0 * BETA - 1.0) / 3.0, -1.0 / 3.0, 2.0 * DIAGONAL / 3.0];
