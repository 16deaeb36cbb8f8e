//! Compiled code for the functions between events and for the units of a tick, supplied from
//! outside.
//!
//! A run starts on the interpreter of tapes. Whoever compiles the tapes of the program hands the
//! code over between two advances. The code is bit-identical to the interpreter, so it does not
//! matter when. It is never part of a snapshot.

use base::Table;
use program::RegionId;
use program::tape::Slot;
use std::fmt::Debug;

use solver::{LaneLayout, LaneTrials, Trial};

/// The functions of a region as code over the buffer. If the whole region always runs
/// ([`program::RegionProgram::is_whole`]), states, rates and watched functions are in the arrays
/// that are passed, and their slots in the buffer are not read; otherwise these arrays are empty,
/// and everything is in the buffer.
pub trait RegionCode: Debug + Send + Sync {
    /// Computes the rates of the states.
    fn derivative(&self, slots: &mut [f64], x: &[f64], dx: &mut [f64]);

    /// Computes the watched functions and their time derivatives.
    fn crossings(&self, slots: &mut [f64], x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]);

    /// Computes the left limits; states are in the buffer.
    fn left(&self, slots: &mut [f64]);

    /// Computes the derivatives of the rates by the states and by time, if the program has them;
    /// states are in the buffer.
    fn jacobian(&self, slots: &mut [f64]);

    /// Takes a whole trial step, if there is code for it; times count from `origin` \[s\]. The
    /// result is NaN if a rate is not finite and the region has functions for that case.
    fn trial(&self, slots: &mut [f64], origin: f64, trial: &mut Trial) -> Option<f64>;
}

/// Whole trial steps of several runs of a program side by side, each with the bits of
/// [`RegionCode::trial`].
pub trait LaneCode: Debug + Send + Sync {
    /// How many states, slopes and inputs a run has.
    fn layout(&self) -> LaneLayout;

    /// The slots whose numbers are the inputs of a run, in this order.
    fn inputs(&self) -> &[Slot];

    /// Takes the trial steps of all runs.
    fn trial(&self, trials: &mut LaneTrials);
}

/// Inputs and results of the code of units.
#[derive(Clone, Copy, Default, Debug)]
pub struct Pass {
    /// The units that the engine runs itself, as bits.
    pub held: u64,
    /// The number of present events.
    pub present: u64,
    /// The units that have run, as bits.
    pub ran: u64,
    /// How many runs of units there were.
    pub count: u64,
}

/// The units of a tick as code over the buffer.
pub trait UnitCode: Debug + Send + Sync {
    /// The units of a word that have code by now, as bits. Code may come while a run goes on.
    fn known(&self, word: usize) -> u64;

    /// Takes note that a unit of a word was run without code, which may become worth compiling.
    fn missed(&self, word: usize);

    /// Runs the units whose bits are set in a word, lowest first, writes their results to their
    /// tracked signals, sets the bits of the readers of what has changed, and adds to the runs of each
    /// unit, of which there is a number for every unit of the program. If a bit is left, the
    /// lowest belongs to a unit that the engine has to run: one that is held, one with a result
    /// that is not finite, or any other.
    fn run(
        &self,
        slots: &mut [f64],
        dirty: &mut [u64],
        runs: &mut [u64],
        word: usize,
        pass: &mut Pass,
    );
}

/// Code for the regions of a program, none for those without functions, and for its units.
#[derive(Debug, Default)]
pub struct Routines {
    /// Region by region.
    pub regions: Table<RegionId, Option<Box<dyn RegionCode>>>,
    /// The units of a tick, if there is code for them.
    pub units: Option<Box<dyn UnitCode>>,
}

/// The code of a region, if there is any.
pub(crate) fn code(native: Option<&Routines>, region: RegionId) -> Option<&dyn RegionCode> {
    native?.regions.get(region)?.as_deref()
}
