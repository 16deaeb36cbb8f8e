//! State machines: the tapes of their guards and actions, and what belongs to each fragment.

mod make;

use diagram::{BlockId, FragmentId, RegionId};
use ir::{Slot, Tape};

use crate::tracked::TrackedId;
use crate::unit::UnitId;

pub(crate) use make::{Compiled, compile};

/// Blocks that run together or not at all.
#[derive(Clone, Debug, Default)]
pub struct FragmentProgram {
    /// Whether its clock shows how long ago it was entered.
    pub dwell: bool,
    /// Where it stands whether it runs.
    pub active: Slot,
    /// Where it stands when its clock showed 0 \[s\].
    pub origin: Slot,
    /// Its units.
    pub units: Vec<UnitId>,
    /// Units elsewhere that read its wires.
    pub readers: Vec<UnitId>,
    /// The states of its blocks.
    pub states: Vec<usize>,
    /// The timers of its blocks.
    pub timers: Vec<usize>,
    /// Its delayed signals.
    pub lines: Vec<usize>,
    /// The pasts that are kept by its clock: the region, and which of its pasts.
    pub pasts: Vec<(RegionId, usize)>,
    /// Its crossings, with their regions where they are located.
    pub crossings: Vec<usize>,
    /// Presences of its signals that are events only.
    pub events: Vec<TrackedId>,
    /// Cells that are something for one microstep: what wakes its timers, what its crossings have
    /// changed by, and whether its machines say something.
    pub pulses: Vec<TrackedId>,
    /// Those by which its machines speak, and by which they pass on what was said in a diagram that
    /// they have left.
    pub speech: Vec<TrackedId>,
    /// The regions of its blocks.
    pub regions: Vec<RegionId>,
    /// The machines right inside it.
    pub machines: Vec<usize>,
    /// Its wires as they are when it starts, and what memories begin with.
    pub entry: Tape,
    /// Where the entry tape puts wires.
    pub wires: Vec<EntryWire>,
    /// Where the entry tape puts what memories begin with, and the state.
    pub memories: Vec<(Slot, usize)>,
    /// States that start from what an expression says, in order.
    pub starts: Vec<EntryState>,
}

/// A part of a wire that an entry tape computes.
#[derive(Clone, Copy, Debug)]
pub struct EntryWire {
    /// Where it is.
    pub from: Slot,
    /// How many numbers it has.
    pub length: usize,
    /// The region of its block.
    pub region: RegionId,
}

/// A state that starts from what an expression says.
#[derive(Clone, Debug)]
pub struct EntryState {
    /// The state.
    pub state: usize,
    /// What computes it.
    pub value: TransitionValue,
}

/// A value that is computed when a transition is decided.
#[derive(Clone, Debug)]
pub struct TransitionValue {
    /// The block, for messages.
    pub block: BlockId,
    /// What computes it.
    pub tape: Tape,
    /// Where it is then.
    pub value: Slot,
    /// How many numbers it has.
    pub length: usize,
    /// Where it is then whether it is there.
    pub present: Slot,
    /// Presence and value of its wire, as they are at a microstep before the commit.
    pub wire: [Slot; 2],
}

/// A state machine.
#[derive(Clone, Debug)]
pub struct MachineProgram {
    /// The fragment that it is in.
    pub fragment: FragmentId,
    /// The state that is the number of its state.
    pub mode: usize,
    /// The number of the state in which it starts.
    pub initial: usize,
    /// The outputs.
    pub outputs: Vec<MachineOutput>,
    /// The states.
    pub states: Vec<StateProgram>,
    /// The regions of its fragments, which a transition may reach.
    pub regions: Vec<RegionId>,
    /// What a transition may change.
    pub cells: Vec<TrackedId>,
}

/// An output of a machine, by the states of its block that the engine writes.
#[derive(Clone, Debug)]
pub struct MachineOutput {
    /// Whether a transition says something.
    pub says: usize,
    /// What it says.
    pub word: usize,
    /// Whose last words are heard, where there can be any.
    pub left: Option<usize>,
    /// For each state, whether what a machine in its diagram says comes out here as an event.
    pub passes: Vec<bool>,
}

impl MachineOutput {
    fn states(&self) -> impl Iterator<Item = usize> {
        [Some(self.says), Some(self.word), self.left].into_iter().flatten()
    }
}

/// A state of a machine.
#[derive(Clone, Debug)]
pub struct StateProgram {
    /// Its guards.
    pub dwell: FragmentId,
    /// Its diagram.
    pub content: Option<FragmentId>,
    /// The ways out.
    pub transitions: Vec<Transition>,
}

/// A way out of a state.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The number of the state that it leads to.
    pub to: usize,
    /// Truth values that must all hold.
    pub guards: Vec<TransitionValue>,
    /// What states become.
    pub sets: Vec<Assignment>,
    /// What outputs say, by their numbers.
    pub says: Vec<(usize, TransitionValue)>,
    /// Whether the other diagram goes on where it was.
    pub history: bool,
    /// Whether it is tried as soon as the state is entered.
    pub immediate: bool,
    /// Whether it comes before what the state's diagram does.
    pub preemptive: bool,
    /// Whether it is taken where no other one is.
    pub default: bool,
    /// Of several that are met at once those with the smallest number are taken first.
    pub priority: i64,
    /// Whether it may be one of several that are enabled.
    pub nondeterministic: bool,
    /// Whether it is taken where the diagram fails, and only there.
    pub error: bool,
}

/// Which transitions of a state are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Those that come before what the diagram does.
    Preemptive,
    /// The others.
    Ordinary,
    /// Those that are tried when the state has just been entered.
    Immediate,
}

impl StateProgram {
    /// The transitions of which one is taken: preemptive ones come before others, of each kind a
    /// default one is taken if no other is met, and of several those with the smallest priority
    /// are left.
    pub fn enabled(
        &self,
        asked: Asked,
        mut met: impl FnMut(usize, &Transition) -> bool,
    ) -> Vec<usize> {
        let kinds: &[bool] = match asked {
            Asked::Preemptive => &[true],
            Asked::Ordinary => &[false],
            Asked::Immediate => &[true, false],
        };
        for (preemptive, default) in kinds.iter().flat_map(|kind| [(*kind, false), (*kind, true)]) {
            let mut found: Vec<usize> = Vec::new();
            for (index, transition) in self.transitions.iter().enumerate() {
                let tried = asked != Asked::Immediate || transition.immediate;
                let kind = transition.preemptive == preemptive && transition.default == default;
                if !transition.error && tried && kind && met(index, transition) {
                    found.push(index);
                }
            }
            let priority = |index: &usize| self.transitions[*index].priority;
            if let Some(first) = found.iter().map(priority).min() {
                found.retain(|index| priority(index) == first);
                return found;
            }
        }
        Vec::new()
    }

    /// Whether one of several transitions may be drawn.
    pub fn may_be_drawn(&self, found: &[usize]) -> bool {
        found.iter().all(|index| self.transitions[*index].nondeterministic)
    }
}

impl Transition {
    /// Whether all guards are there and true among the wires as they are.
    pub fn is_met(&self, slots: &[f64]) -> bool {
        let at = |slot: &Slot| slots[*slot as usize] != 0.0;
        self.guards.iter().all(|guard| guard.wire.iter().all(at))
    }
}

/// A value for a state.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The state.
    pub state: usize,
    /// What computes it.
    pub value: TransitionValue,
}

impl MachineProgram {
    /// Whether some transition of it is as asked for.
    pub(crate) fn has(&self, asked: impl Fn(&Transition) -> bool) -> bool {
        self.states.iter().flat_map(|state| &state.transitions).any(asked)
    }
}
