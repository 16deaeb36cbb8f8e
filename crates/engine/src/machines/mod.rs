//! State machines: which transitions are taken when a microstep is committed, and what they switch
//! on and off.

pub(crate) mod choices;
mod decide;
mod fragments;
mod silence;
mod speech;
mod take;

use base::{ExactTime, Table, Time, clone_reusing};
use program::{
    FragmentId, FragmentProgram, MachineId, Program, StateId, StateProgram, TrackedId, WatchId,
};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::{Options, RunError};
use choices::Choices;
use silence::Before;

/// The clock of a fragment.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Clock {
    /// When it showed 0.
    pub origin: ExactTime,
    /// When it last stopped.
    pub stopped: ExactTime,
    /// Whether the fragment has run since the surrounding one restarted.
    pub ran: bool,
    /// What was due when it stopped and comes when it resumes: tracked signals that are nonzero for
    /// one microstep, and their values.
    pub due: Vec<(TrackedId, f64)>,
    /// Watched functions that were located when it stopped, and their residuals.
    pub located: Vec<(WatchId, f64)>,
}

clone_reusing!(Clock { origin, stopped, ran, due, located });

/// The clocks of fragments, and the counters of state machines.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MachineClocks {
    /// The clock of each fragment.
    pub clocks: Table<FragmentId, Clock>,
    /// How often each machine has drawn a transition at random.
    pub draws: Table<MachineId, u64>,
    /// When a state machine last left a failed state, and how often one did so at that time.
    pub recoveries: (Time, u32),
    /// What is chosen instead of drawn, if a script decides.
    pub choices: Option<Box<Choices>>,
}

clone_reusing!(MachineClocks { clocks, draws, recoveries, choices });

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
            draws: Table::filled(0, program.machines.len()),
            recoveries: (options.start.time(), 0),
            choices: None,
        }
    }
}

/// Decisions of state machines during a microstep.
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
    /// Lists of a decision, whose memory is kept: the machines that are examined, the transitions
    /// that are enabled and chosen, the states that a chain visits, what transitions set, the
    /// fragments that they enter, and the states of these that stay as they are.
    pending: Vec<MachineId>,
    enabled: Vec<usize>,
    chosen: Vec<Chosen>,
    visited: Vec<usize>,
    written: take::Written,
    entered: Vec<fragments::Entered>,
    kept: Vec<StateId>,
    /// Fragments that are switched on at the start.
    open: Vec<FragmentId>,
}

/// A transition of a machine's current state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Chosen {
    pub machine: MachineId,
    /// The index of the transition among those of the state.
    pub transition: usize,
}

impl Engine<'_> {
    /// Whether a fragment runs.
    pub(crate) fn runs(&self, fragment: FragmentId) -> bool {
        fragment == FragmentId::ROOT
            || self.state.slots[self.program.fragments[fragment].active.index()] != 0.0
    }

    /// The index of a machine's current state.
    fn current(&self, machine: MachineId) -> usize {
        let state = &self.program.states[self.program.machines[machine].current];
        self.state.slots[self.program.tracked(state.tracked).slot.index()] as usize
    }

    /// The current state of a machine.
    pub(crate) fn state_of(&self, machine: MachineId) -> &StateProgram {
        &self.program.machines[machine].states[self.current(machine)]
    }
}
