//! Native code from tapes.
//!
//! A [`Plan`] comes in: a tape, and which of its slots are arrays of their own instead of parts
//! of the buffer. Out comes a [`Routine`], which does what the interpreter does with the tape and
//! gives the same bits: the same operations in the same order, each rounded on its own, and
//! elementary functions by calling those that the interpreter calls. What is rare is left to the
//! interpreter itself, called for that one instruction. A [`StepPlan`] makes all stages of an
//! explicit step of `crates/solver` one function, and many steps one loop; a [`UnitsPlan`] does the
//! same for the tapes of a tick and for the choice of the next one.
//!
//! This crate alone has `unsafe` code: to call what was compiled, and to be called back. Plans are
//! verified before they are compiled and lengths are checked before each call, so that the code
//! uses nothing beyond them.
#![allow(unsafe_code)]

mod arithmetic;
mod code;
mod error;
mod frame;
mod functions;

mod kept;
mod slots;
mod windows;

mod emit;
mod loops;
mod pair;
mod pool;
mod products;
mod repeat;
mod vectors;

mod lanes;
mod pieces;
mod routine;
mod step;
mod step_batch;
mod units;

mod compile;
mod verify;

pub use compile::{Compiled, compile};
pub use error::{NativeError, PlanError};
pub use frame::UnitsFrame;
pub use lanes::{LaneRoutine, compile_lanes};
pub use routine::{Plan, Routine};
pub use step::{StepPlan, StepRoutine};
pub use units::{OutputPlan, UnitPlan, UnitsPlan, WORD, WordPlan, WordRoutine};
