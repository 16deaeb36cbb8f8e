//! Runs a program: smooth phases and ticks in superdense time.
//!
//! ```text
//! begin:    x at (start, 0); sides and floors set without an event
//! repeat:   smooth phase   x' = f(t, x, z) with z frozen, to the next agenda time or the first
//!                          crossing, whichever comes first: x- at (t, 0)
//!           tick           (t, 0): left limits; memories and sides are committed
//!                          (t, n), n = 1, 2, ...: units whose inputs changed, in order; commit;
//!                          until nothing requires (t, n + 1): x+ at the last one
//! ```
//!
//! The structure never changes here. Everything that changes is in the [`Snapshot`], which can be
//! saved between any two calls of [`Simulation::advance`]; a resumed run is bit-identical.

mod simulation;

mod future;
mod lanes;

mod engine;
mod exchange;
mod scratch;
mod snapshot;

mod agenda;
mod delays;
mod inputs;
mod machines;
mod recover;
mod rest;
mod rows;
mod sides;
mod sliding;
mod smooth;
mod start;
mod tick;
mod turns;
mod watch;

mod native;
mod options;

mod error;
mod failure;
mod log;
mod warning;

mod fixed_step;

pub use error::{RunError, SlidingFailure, Switching};
pub use exchange::{Direction, Outside, OutsidePoint};
pub use failure::InputValue;
pub use fixed_step::{Extremes, FixedStepSimulation, FixedStepSnapshot};
pub use lanes::{LaneRefusal, LaneRuns, Lanes, region_in_lanes};
pub use log::{Change, Event, Switch};
pub use machines::choices::Choice;
pub use native::{LaneCode, Pass, RegionCode, Routines, UnitCode};
pub use options::Options;
pub use rows::{Row, Sink};
pub use simulation::{Progress, Simulation, StopReason};
pub use smooth::rounds::Round;
pub use snapshot::{Counters, Snapshot};
pub use turns::Cause;
pub use warning::Warning;

#[cfg(test)]
mod listings;
