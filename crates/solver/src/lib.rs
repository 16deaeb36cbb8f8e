//! One-step methods with step control, dense output and location of crossings.
//!
//! A [`System`] comes in: a pure function of time and state between events. Out comes a
//! solution that moves forward one accepted step at a time and stops at the first crossing.
//! Everything a [`Solver`] remembers is plain data, so a run can be saved in mid-phase and
//! goes on with the same bits. Nothing here knows blocks, tags or signals, nothing allocates
//! once the first step has been taken, and no method keeps values from before a restart.

pub mod bits;
mod counters;
mod error;
mod method;
mod pattern;
mod system;

mod tableau;

mod control;
mod explicit;
mod initial;
mod linear;
mod lu;
mod plain_step;
mod pole;
mod power;
mod retake;
mod rosenbrock;
mod segment;
#[cfg(feature = "sparse")]
mod sparse;
#[cfg(not(feature = "sparse"))]
#[path = "without_sparse.rs"]
mod sparse;
mod stiffness;
mod sums;
mod trapezoidal;

mod crossing;
mod drift;
mod hermite;
mod scratch;
mod step_span;
mod wide;

mod lanes;
mod ptolemy;
mod solver;
mod stepping;

pub use control::{Control, PiControl, StepControl, StepRules};
pub use counters::Counters;
pub use crossing::{Located, Sides};
pub use error::StepError;
pub use explicit::ERROR_LANES;
pub use lanes::{LANES, LaneEvents, LaneLayout, LaneRow, LaneSet, LaneSteps, LaneTrials};
pub use method::{Method, Options, Policy};
pub use pattern::Pattern;
pub use plain_step::{StepNext, StepTaken};
pub use power::Arithmetic;
pub use solver::{Advance, Solver, StepLimit};
pub use step_span::StepSpan;
pub use system::{At, CrossingRole, Enclosure, GuardTrial, Noise, StepBatch, System, Trial};
pub use tableau::{Embedded, Tableau, TableauError, Weight};
pub use wide::wide;
