//! How much work a solver has done.

use serde::{Deserialize, Serialize};

/// The work since the solver was made, for run summaries and for tests that pin it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Steps taken, including those cut by a crossing.
    pub accepted: u64,
    /// Trial steps thrown away for their error or for a value that is not finite.
    pub rejected: u64,
    /// Evaluations of the derivative.
    pub evaluations: u64,
    /// Evaluations of the Jacobian, each followed by a factorisation.
    pub jacobians: u64,
    /// Evaluations of the crossing functions.
    pub crossing_evaluations: u64,
    /// Bounds of a crossing function over a part of a step.
    pub enclosures: u64,
    /// Points at which at least one crossing was located.
    pub located: u64,
}
