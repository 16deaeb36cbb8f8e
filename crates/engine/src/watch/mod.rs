//! Watches for runs that never end: events that accumulate, crossings that time cannot resolve,
//! steps that become ever shorter, and microsteps that repeat.

pub(crate) mod chattering;
mod crowd;
pub(crate) mod pace;
pub(crate) mod zeno;

use base::{Table, Time, clone_reusing};
use program::{CrossingId, Program};
use serde::{Deserialize, Serialize};

use pace::Pace;
use zeno::Accumulation;

/// What the watches have recorded so far.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Watch {
    /// For each crossing, whether its events accumulate.
    pub accumulations: Table<CrossingId, Accumulation>,
    /// When a crossing was last located, and how many before it were closer together than floats of
    /// time are.
    pub crowd: (Time, u32),
    /// How far time advances for the work that is done.
    pub pace: Pace,
    /// Crossings whose events accumulate and that are to rest when this tick ends, and the times at
    /// which they accumulate \[s\].
    pub resting: Vec<(CrossingId, f64)>,
}

clone_reusing!(Watch { accumulations, crowd, pace, resting });

impl Watch {
    pub fn new(program: &Program, start: Time) -> Watch {
        let accumulations = Table::filled(Accumulation::default(), program.crossings.len());
        let resting = Vec::new();
        Watch { accumulations, crowd: (start, 0), pace: Pace::new(start), resting }
    }
}
