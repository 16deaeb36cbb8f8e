//! What a solver integrates.
//!
//! The engine implements this trait on the compiled smooth phase; the solver calls it and
//! nothing else. Values arrive in slices that the solver owns, so a call never allocates.

use crate::Method;
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

    /// Computes a whole trial step of an explicit method, where the system can: every slope but
    /// the first, the state at the end, and the size of the error, which is returned. The
    /// arithmetic must be that of the stages in `explicit.rs`, operation by operation, so that it
    /// does not matter who does it.
    fn trial(&mut self, _trial: Trial) -> Option<f64> {
        None
    }

    /// Stands at a point that is not finite, so that whoever looks for the reason finds it there.
    fn stand_at(&mut self, _t: f64, _x: &[f64]) {}
}

/// A trial step, for a system that computes it whole.
#[derive(Debug)]
pub struct Trial<'a> {
    /// The method.
    pub method: Method,
    /// Where it starts.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// Error allowed relative to each state.
    pub relative: f64,
    /// Error allowed beside that.
    pub absolute: f64,
    /// The state at the start.
    pub x0: &'a [f64],
    /// The state at the end.
    pub x1: &'a mut [f64],
    /// The slopes of the stages, of which the first is known.
    pub slopes: &'a mut [Vec<f64>],
}
