//! The compiled program.

use diagram::{Diagram, Phase, WireId};
use ir::{Graph, Layout, NodeId, Slot, Tape};
use schedule::Schedule;

use crate::compose::compose;
use crate::delay_line::DelayLine;
use crate::influence::Influence;
use crate::machines::{FragmentProgram, MachineProgram};
use crate::origins::Origins;
use crate::region::{Crossing, RegionProgram};
use crate::slots::Slots;
use crate::tracked::{RecordSlots, Tracked, TrackedId, TrackedState, TrackedTimer, TrackedWire};
use crate::unit::{Unit, UnitEffects, UnitId};
use crate::{assemble, machines, smooth, solved, tick};

/// Everything that the engine runs.
#[derive(Debug)]
pub struct Program {
    /// The buffer before anything has run, constants and initial states in place.
    pub image: Vec<f64>,
    /// Where model time is \[s\].
    pub time: Slot,
    /// The parts that step apart; region 0 never steps.
    pub regions: Vec<RegionProgram>,
    /// The tapes of a tick: first those of outputs, in order, then those of commits.
    pub units: Vec<Unit>,
    /// What each of them has beside outputs.
    pub effects: Vec<UnitEffects>,
    /// Those with a crossing that does not move between events.
    pub unlocated: Vec<UnitId>,
    /// Places whose changes are followed.
    pub tracked: Vec<Tracked>,
    /// The states of all blocks.
    pub states: Vec<TrackedState>,
    /// All crossings.
    pub crossings: Vec<Crossing>,
    /// All timers.
    pub timers: Vec<TrackedTimer>,
    /// All delayed signals.
    pub lines: Vec<DelayLine>,
    /// Those that are looked at in every microstep: they do not move between events, and something
    /// else than a unit may change what they are made from.
    pub watched_lines: Vec<usize>,
    /// Where the wires are.
    pub wires: Vec<TrackedWire>,
    /// What is recorded.
    pub records: Vec<RecordSlots>,
    /// What it means that the conditions of each meeting hold at one instant.
    pub hazards: Vec<String>,
    /// Wires that do not move between events, evaluated once at the start.
    pub still: Tape,
    /// Guesses of solved loops and the places of their solutions, updated where a point is
    /// accepted: `(solution, guess, length)`.
    pub guesses: Vec<(Slot, Slot, usize)>,
    /// Wires that are in a loop that is solved.
    pub solved: Vec<WireId>,
    /// What state machines switch on and off; the first always runs.
    pub fragments: Vec<FragmentProgram>,
    /// The state machines.
    pub machines: Vec<MachineProgram>,
    /// Which regions each source of ticks may reach.
    pub influence: Influence,
    /// The machines with a preemptive transition.
    pub preempted: Vec<usize>,
    /// The machines with a guard over what a signal that does not move was before: that changes when
    /// a tick begins.
    pub remembering: Vec<usize>,
    /// The machines with a way out of a failure.
    pub recovering: Vec<usize>,
    /// Where all of it comes from in the model.
    pub origins: Origins,
    /// The functions between events, for messages.
    pub(crate) graph: Graph,
    pub(crate) values: Vec<Option<NodeId>>,
    pub(crate) layout: Layout,
}

/// What is made beside what every run needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras {
    /// The derivatives of the rates of each region, for implicit methods.
    pub jacobians: bool,
}

/// Makes the program of a scheduled diagram.
pub fn compile(diagram: &Diagram, schedule: &Schedule, extras: Extras) -> Program {
    // Every state, wire, side and timer gets its slots in the buffer.
    let mut slots = Slots::new(diagram);
    // Between events the whole diagram is one graph of functions.
    let composer = compose(diagram, schedule, Phase::Smooth, &mut slots);
    // At a tick every block has a tape of its own.
    let mut units = tick::units(diagram, schedule, &mut slots);
    // State machines have tapes for guards and actions, and know what they switch on and off.
    let machines = machines::compile(diagram, schedule, &mut slots, &mut units);
    // Each region gets the tapes of its rates, its crossings and its left limits.
    let asked = machines.asked.clone();
    let smooth = smooth::regions(diagram, schedule, slots, composer, asked, extras);
    // Tables say what belongs to what, and what reaches what.
    assemble::program(diagram, schedule, smooth, units, machines)
}

impl Program {
    /// How many instructions all tapes have; a loop is one.
    pub fn instruction_count(&self) -> usize {
        let smooth = |region: &RegionProgram| {
            let live = &region.live;
            let live = [&live.derivative, &live.crossings, &live.left, &live.sample];
            let own = [&region.prelude, &region.derivative, &region.crossings, &region.left];
            own.into_iter().chain([&region.sample]).chain(live).map(Tape::len).sum::<usize>()
        };
        let units = self.units.iter().map(|unit| unit.tape.len());
        let regions = self.regions.iter().map(smooth);
        regions.chain(units).chain([self.still.len()]).sum()
    }

    /// The cell of an id.
    pub fn tracked(&self, id: TrackedId) -> &Tracked {
        &self.tracked[id.index()]
    }

    /// Whether a loop has left a signal open that is present.
    pub fn is_left_open(&self, slots: &[f64]) -> bool {
        let wires = self.solved.iter().map(|wire| &self.wires[wire.index()]);
        solved::are_open(wires, &self.tracked, slots)
    }
}
