//! State machines: the tapes of their guards and actions, and the contents of each fragment.

mod make;

use diagram::{BlockId, FragmentId, MachineId, RegionId};
use ir::{Slot, Tape};
use rustc_hash::FxHashMap;

use crate::delay_line::{LineId, PastId};
use crate::region::CrossingId;
use crate::tracked::{StateId, TimerId, TrackedId};
use crate::unit::{Next, UnitId};

pub(crate) use make::{Compiled, compile};

/// Blocks that run together or not at all.
#[derive(Clone, Debug, Default)]
pub struct FragmentProgram {
    /// Whether its clock shows how long ago it was entered.
    pub dwell: bool,
    /// The slot that says whether it runs.
    pub active: Slot,
    /// The slot with the time at which its clock showed 0 \[s\].
    pub origin: Slot,
    /// Its units.
    pub units: Vec<UnitId>,
    /// Units elsewhere that read its wires.
    pub readers: Vec<UnitId>,
    /// The states of its blocks.
    pub states: Vec<StateId>,
    /// The timers of its blocks.
    pub timers: Vec<TimerId>,
    /// Its delay lines.
    pub lines: Vec<LineId>,
    /// The pasts that its clock times.
    pub pasts: Vec<PastId>,
    /// Its crossings, with the regions of those that are located.
    pub crossings: Vec<CrossingId>,
    /// Presences of its signals that consist of events only.
    pub events: Vec<TrackedId>,
    /// Tracked signals that are nonzero for one microstep: wakings of its timers, changes of its
    /// crossings, and presences of values that its machines emit.
    pub pulses: Vec<TrackedId>,
    /// The tracked signals by which its machines emit values, and by which they pass on values
    /// emitted in a diagram that they have left.
    pub speech: Vec<TrackedId>,
    /// The regions of its blocks.
    pub regions: Vec<RegionId>,
    /// The machines directly inside it.
    pub machines: Vec<MachineId>,
    /// Computes its wires at the start, and the initial values of memories.
    pub entry: Tape,
    /// The slots in which the entry tape leaves wires.
    pub wires: Vec<EntryWire>,
    /// The initial values of memories, as the entry tape leaves them.
    pub memories: Vec<Next>,
    /// States whose initial values are expressions, in order.
    pub starts: Vec<EntryState>,
}

/// A part of a wire that an entry tape computes.
#[derive(Clone, Copy, Debug)]
pub struct EntryWire {
    /// Its first slot.
    pub from: Slot,
    /// The number of slots.
    pub length: usize,
    /// The region of its block.
    pub region: RegionId,
}

/// A state whose initial value is an expression.
#[derive(Clone, Debug)]
pub struct EntryState {
    /// The state.
    pub state: StateId,
    /// Computes the initial value.
    pub value: TransitionValue,
}

/// A value that is computed when a transition is decided.
#[derive(Clone, Debug)]
pub struct TransitionValue {
    /// The block, for messages.
    pub block: BlockId,
    /// Computes the value.
    pub tape: Tape,
    /// The first slot of the result.
    pub value: Slot,
    /// The number of slots.
    pub length: usize,
    /// The slot that says whether the result is present.
    pub present: Slot,
    /// Presence and value of its wire, as they are at a microstep before the commit.
    pub wire: [Slot; 2],
}

/// A state machine.
#[derive(Clone, Debug)]
pub struct MachineProgram {
    /// The fragment that it is in.
    pub fragment: FragmentId,
    /// The block state that holds the index of the machine's current state.
    pub current: StateId,
    /// The index of the initial state.
    pub initial: usize,
    /// The outputs.
    pub outputs: Vec<MachineOutput>,
    /// The states.
    pub states: Vec<StateProgram>,
    /// The regions of its fragments, which a transition may reach.
    pub regions: Vec<RegionId>,
    /// The tracked signals that a transition may change.
    pub tracked: Vec<TrackedId>,
    /// The states by their diagrams: each diagram with the indices of the states that have it.
    pub sharing: FxHashMap<FragmentId, Vec<usize>>,
}

/// An output of a machine: those states of its block that the engine writes.
#[derive(Clone, Debug)]
pub struct MachineOutput {
    /// The state that says whether a transition emits a value.
    pub says: StateId,
    /// The state with the emitted value.
    pub word: StateId,
    /// The state that says which diagram's last emitted values are heard, if there can be any.
    pub left: Option<StateId>,
    /// For each state, whether a value that a machine in its diagram emits becomes an event at this
    /// output.
    pub passes: Vec<bool>,
}

impl MachineOutput {
    fn states(&self) -> impl Iterator<Item = StateId> {
        [Some(self.says), Some(self.word), self.left].into_iter().flatten()
    }
}

/// A state of a machine.
#[derive(Clone, Debug)]
pub struct StateProgram {
    /// The fragment of its guards.
    pub dwell: FragmentId,
    /// The fragment of its diagram.
    pub content: Option<FragmentId>,
    /// The transitions that leave it.
    pub transitions: Vec<Transition>,
}

/// A transition that leaves a state.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The index of the target state.
    pub to: usize,
    /// Conditions that must all hold.
    pub guards: Vec<TransitionValue>,
    /// New values of states.
    pub sets: Vec<Assignment>,
    /// The values that outputs emit, by the indices of the outputs.
    pub says: Vec<(usize, TransitionValue)>,
    /// Whether the target diagram resumes where it stopped.
    pub history: bool,
    /// Whether it is tried as soon as the state is entered.
    pub immediate: bool,
    /// Whether it takes precedence over the state's diagram.
    pub preemptive: bool,
    /// Whether it is taken if no other transition is enabled.
    pub default: bool,
    /// Of several enabled transitions, those with the smallest priority are taken.
    pub priority: i64,
    /// Whether it may be one of several enabled transitions.
    pub nondeterministic: bool,
    /// Whether it is taken if the diagram fails, and only then.
    pub error: bool,
}

/// Which transitions of a state are considered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Those that take precedence over the diagram.
    Preemptive,
    /// The others.
    Ordinary,
    /// Those that are tried immediately after the state has been entered.
    Immediate,
}

impl StateProgram {
    /// Finds the enabled transitions, one of which is taken, in place of those in `found`. Preemptive transitions take precedence over
    /// others. Within each kind, a default transition counts only if no other holds. Of several,
    /// those with the smallest priority remain.
    pub fn enabled(
        &self,
        asked: Asked,
        found: &mut Vec<usize>,
        mut met: impl FnMut(usize, &Transition) -> bool,
    ) {
        let kinds: &[bool] = match asked {
            Asked::Preemptive => &[true],
            Asked::Ordinary => &[false],
            Asked::Immediate => &[true, false],
        };
        for (preemptive, default) in kinds.iter().flat_map(|kind| [(*kind, false), (*kind, true)]) {
            found.clear();
            for (index, transition) in self.transitions.iter().enumerate() {
                let tried = asked != Asked::Immediate || transition.immediate;
                let kind = transition.preemptive == preemptive && transition.default == default;
                if !transition.error && tried && kind && met(index, transition) {
                    found.push(index);
                }
            }
            let priority = |index: &usize| self.transitions[*index].priority;
            if let Some(first) = found.iter().map(priority).min() {
                return found.retain(|index| priority(index) == first);
            }
        }
        found.clear();
    }

    /// Whether one of several transitions may be drawn at random.
    pub fn may_be_drawn(&self, found: &[usize]) -> bool {
        found.iter().all(|index| self.transitions[*index].nondeterministic)
    }
}

impl Transition {
    /// Whether all guards are present and true, given the current values of the wires.
    pub fn is_met(&self, slots: &[f64]) -> bool {
        let at = |slot: &Slot| slots[slot.index()] != 0.0;
        self.guards.iter().all(|guard| guard.wire.iter().all(at))
    }
}

/// A value for a state.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The state.
    pub state: StateId,
    /// Computes the value.
    pub value: TransitionValue,
}

impl MachineProgram {
    /// Whether some transition of it satisfies a predicate.
    pub(crate) fn has(&self, property: impl Fn(&Transition) -> bool) -> bool {
        self.states.iter().flat_map(|state| &state.transitions).any(property)
    }
}
