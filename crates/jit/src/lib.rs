//! Native code from tapes.
//!
//! A [`Plan`] comes in: a tape, and which of its places are arrays of their own instead of parts
//! of the buffer. Out comes a [`Routine`], which does what the interpreter does with the tape and
//! gives the same bits: the same operations in the same order, each rounded on its own, and
//! elementary functions by calling those that the interpreter calls. What is rare is done by the
//! interpreter itself, called for that one instruction. A [`StepPlan`] makes all stages of an
//! explicit step one function, and many steps one loop; a [`UnitsPlan`] does the same for the tapes
//! of a tick and what runs them.
//!
//! This crate alone has `unsafe` code: to call what was compiled, and to be called back. Lengths
//! are checked before each call, and the code touches nothing beyond them.
#![allow(unsafe_code)]

mod code;
mod error;
mod functions;

mod kept;
mod windows;

mod emit;
mod lanes;
mod loops;
mod repeat;
mod vectors;

mod routine;
mod step;
mod step_batch;
mod units;

pub use error::NativeError;
pub use routine::{Compiled, Plan, Routine, compile};
pub use step::{StepArguments, StepPlan, StepRoutine, Tableau};
pub use step_batch::{StepBatch, StepRules};
pub use units::{OutputPlan, Told, UnitPlan, UnitsPlan, UnitsRoutine, WORD};
