//! Why a step could not be taken.

use std::fmt;

/// A failure of one step. The current point is still the last accepted one.
///
/// Each variant says whether one can go on. Times are offsets from the phase's start, as
/// everywhere in this crate; the engine turns them into tags and adds the block's path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepError {
    /// The error stays too large at the smallest step that time can resolve: a singularity,
    /// or a discontinuity that is no crossing. A looser tolerance may pass it.
    StepTooSmall {
        /// The offset of the current point.
        t: f64,
    },
    /// A state may be off by less than its own rounding, and steps fail for that. Only a looser
    /// tolerance helps.
    ToleranceTooSmall {
        /// The offset of the current point.
        t: f64,
        /// The state.
        component: usize,
    },
    /// A value that is not finite at an accepted point or at a start. Only a changed state helps.
    NotFinite {
        /// The offset of the point.
        t: f64,
        /// The first state whose value or derivative is not finite, if there is one.
        component: Option<usize>,
    },
    /// A crossing function is not a number at an accepted point. Only a changed state helps.
    CrossingNotANumber {
        /// The offset of the point.
        t: f64,
        /// The index of the crossing function.
        crossing: usize,
    },
    /// The bounds of a crossing function did not decide whether it changes in a step, however
    /// finely the step was divided. A function written in another way may help, or a shorter step.
    Undecided {
        /// The offset up to which it is decided.
        t: f64,
        /// The index of the crossing function.
        crossing: usize,
    },
    /// Newton's method did not converge in an implicit step. A smaller fixed step may.
    NewtonFailed {
        /// The offset of the current point.
        t: f64,
    },
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepError::StepTooSmall { t } => {
                write!(f, "the step became too small at offset {t} without meeting the tolerance")
            }
            StepError::ToleranceTooSmall { t, component } => {
                write!(f, "state {component} may be off by less than its rounding at offset {t}")
            }
            StepError::NotFinite { t, component: Some(i) } => {
                write!(f, "state {i} or its derivative is not finite at offset {t}")
            }
            StepError::NotFinite { t, component: None } => {
                write!(f, "a value is not finite at offset {t}")
            }
            StepError::CrossingNotANumber { t, crossing } => {
                write!(f, "crossing function {crossing} is not a number at offset {t}")
            }
            StepError::Undecided { t, crossing } => {
                write!(f, "bounds of crossing function {crossing} do not decide from offset {t} on")
            }
            StepError::NewtonFailed { t } => {
                write!(f, "Newton's method did not converge in the implicit step from offset {t}")
            }
        }
    }
}

impl std::error::Error for StepError {}
