//! What a solver integrates.
//!
//! The engine implements this trait on the compiled smooth phase; the solver calls it and
//! nothing else. Values arrive in slices that the solver owns, so a call never allocates.

use crate::pattern::Pattern;

/// The smooth phase of a model: between events it is a pure function of time and state.
///
/// The receiver is mutable only so that an implementation can keep working space; the same
/// arguments must give the same bits, because trial steps are repeated and thrown away.
pub trait System {
    /// Writes dx/dt at (t, x).
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]);

    /// Where df/dx of `n` states may be other than zero. Implicit methods ask once, and again
    /// after [`crate::Solver::resize`]; by default everywhere.
    fn pattern(&mut self, n: usize) -> Pattern {
        Pattern::dense(n, true)
    }

    /// Writes df/dx at (t, x) in the order of the pattern, column after column, and df/dt with
    /// the states held still. The latter is empty where the pattern says that the rates do not
    /// move with time. Only implicit methods ask for them.
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64], rate: &mut [f64]);

    /// Writes every crossing function and its time derivative along the flow.
    ///
    /// `dx` is the derivative at (t, x). Inside a step it is the derivative of the dense
    /// output instead, so that `rate` is the slope of the very function that is searched and
    /// a look inside a step costs no evaluation of the model.
    fn crossings(&mut self, t: f64, x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]);
}
