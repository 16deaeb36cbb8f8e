//! State machines: which transition is taken when a microstep is committed, and what that switches
//! on and off.

mod decide;
mod fragments;
mod silence;
mod speech;
mod take;

use base::{ExactTime, Time};
use program::{FragmentId, FragmentProgram, Program, RegionId, StateProgram, TrackedId};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::snapshot::clone_reusing;
use crate::{Options, RunError};
use silence::Before;

/// The clock of a fragment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Clock {
    /// When it showed 0.
    pub origin: ExactTime,
    /// When it last stopped.
    pub stopped: ExactTime,
    /// Whether the fragment has run since the one around it started anew.
    pub ran: bool,
    /// What was due when it stopped and comes when it goes on: cells that are something for one
    /// microstep, and what they are.
    pub due: Vec<(TrackedId, f64)>,
    /// Crossings that were located when it stopped: the region, the watch, and what counts as zero.
    pub located: Vec<(RegionId, u32, f64)>,
}

/// The clocks of fragments, and what state machines count.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MachineClocks {
    /// The clock of each fragment.
    pub clocks: Vec<Clock>,
    /// How often each machine has drawn a transition at random.
    pub draws: Vec<u64>,
    /// When a state machine last left a state that failed, and how often it did so then.
    pub recoveries: (Time, u32),
}

clone_reusing!(MachineClocks { clocks, draws, recoveries });

impl MachineClocks {
    /// The clocks before the start.
    pub fn new(program: &Program, options: &Options) -> MachineClocks {
        let clock = |fragment: &FragmentProgram| {
            let origin = if fragment.dwell { options.start } else { ExactTime::default() };
            let (due, located) = (Vec::new(), Vec::new());
            Clock { origin, stopped: options.start, ran: false, due, located }
        };
        MachineClocks {
            clocks: program.fragments.iter().map(clock).collect(),
            draws: vec![0; program.machines.len()],
            recoveries: (options.start.time(), 0),
        }
    }
}

/// What state machines decide during a microstep.
#[derive(Debug, Default)]
pub(crate) struct MachineScratch {
    /// Fragments that a preemptive transition silences at this microstep.
    pub silenced: Vec<FragmentId>,
    /// Wires of fragments that may be silenced at this microstep, as they were before it.
    pub before: Before,
    /// Fragments that have stopped and whose machines are still heard at this microstep.
    pub speaking: Vec<FragmentId>,
    /// A transition that is taken because the diagram of its state has failed.
    pub forced: Option<Chosen>,
    /// Failures of fragments that may still be silenced at this microstep.
    pub failures: Vec<(FragmentId, RunError)>,
}

/// A transition of the state in which a machine is: the machine and the number of the transition.
pub(crate) type Chosen = (usize, usize);

impl Engine<'_> {
    /// Whether a fragment runs.
    pub(crate) fn runs(&self, fragment: FragmentId) -> bool {
        fragment == FragmentId::ROOT
            || self.state.slots[self.program.fragments[fragment.index()].active as usize] != 0.0
    }

    /// The number of the state that a machine is in.
    fn mode(&self, machine: usize) -> usize {
        let state = &self.program.states[self.program.machines[machine].mode];
        self.state.slots[self.program.tracked(state.tracked).slot as usize] as usize
    }

    /// The state that a machine is in.
    pub(crate) fn state_of(&self, machine: usize) -> &StateProgram {
        &self.program.machines[machine].states[self.mode(machine)]
    }
}
