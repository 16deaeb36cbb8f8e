//! The compiled program.

use std::ops::Deref;
use std::sync::Arc;

use base::Table;
use diagram::{BlockId, Diagram, FragmentId, MachineId, Phase, RegionId, WireId};
use ir::{Graph, Layout, NodeId, Slot, Tape};
use schedule::Schedule;

use crate::clocks::LocalClock;
use crate::compose::compose;
use crate::delay_line::{DelayLine, LineId};
use crate::influence::Influence;
use crate::inputs::{InputId, InputProgram};
use crate::machines::{FragmentProgram, MachineProgram};
use crate::origins::Origins;
use crate::region::{Crossing, CrossingId, RegionProgram};
use crate::slots::Slots;
use crate::solved::Guess;
use crate::tracked::{
    ParameterSlots, RecordSlots, StateId, TimerId, Tracked, TrackedId, TrackedState, TrackedTimer,
    TrackedWire,
};
use crate::unit::{HazardId, Unit, UnitEffects, UnitId};
use crate::{assemble, machines, smooth, solved, tick};

/// Everything that the engine runs: the code, which all runs share, and what differs between runs
/// with different values of parameters.
#[derive(Clone, Debug)]
pub struct Program {
    /// The initial buffer, with constants and initial states.
    pub image: Vec<f64>,
    /// All timers.
    pub timers: Arc<Table<TimerId, TrackedTimer>>,
    /// All delay lines.
    pub lines: Arc<Table<LineId, DelayLine>>,
    /// The largest steps that blocks allow.
    pub limits: Arc<StepLimits>,
    pub(crate) code: Arc<Code>,
}

impl Deref for Program {
    type Target = Code;

    fn deref(&self) -> &Code {
        &self.code
    }
}

/// The largest steps that blocks allow \[s\].
#[derive(Clone, Debug)]
pub struct StepLimits {
    /// For each region, those of its fragments that have one, by the indices of their slices.
    pub slices: Table<RegionId, Vec<(usize, f64)>>,
    /// For each block, its own.
    pub blocks: Table<BlockId, f64>,
}

/// What all runs of a program share.
#[derive(Debug)]
pub struct Code {
    /// The slot of model time \[s\].
    pub time: Slot,
    /// The microstep, which changes at every one.
    pub microstep: TrackedId,
    /// The regions; region 0 never steps.
    pub regions: Table<RegionId, RegionProgram>,
    /// The units of a tick: first those of outputs, in order, then those of commits.
    pub units: Table<UnitId, Unit>,
    /// The effects of each unit besides its outputs.
    pub effects: Table<UnitId, UnitEffects>,
    /// The units with a crossing that does not move between events.
    pub unlocated: Vec<UnitId>,
    /// Slots whose changes are followed.
    pub tracked: Table<TrackedId, Tracked>,
    /// The states of all blocks.
    pub states: Table<StateId, TrackedState>,
    /// All crossings.
    pub crossings: Table<CrossingId, Crossing>,
    /// The delay lines that are checked at every microstep: they do not move between events, and
    /// something other than a unit may change their inputs.
    pub watched_lines: Vec<LineId>,
    /// The delay lines whose delay is a signal.
    pub readers: Vec<LineId>,
    /// The crossings of what they read with changes.
    pub passings: Vec<CrossingId>,
    /// The parts of the wires.
    pub wires: Table<WireId, TrackedWire>,
    /// The recorded signals.
    pub records: Vec<RecordSlots>,
    /// For each order hazard, what it means that its conditions hold at one instant.
    pub hazards: Table<HazardId, String>,
    /// Computes the wires that do not move between events; runs once at the start.
    pub still: Tape,
    /// Guesses of solved loops, updated when a point is accepted.
    pub guesses: Vec<Guess>,
    /// Wires in solved loops.
    pub solved: Vec<WireId>,
    /// The fragments that state machines switch on and off; the first always runs.
    pub fragments: Table<FragmentId, FragmentProgram>,
    /// The clocks of fragments that blocks read.
    pub clocks: Vec<LocalClock>,
    /// The state machines.
    pub machines: Table<MachineId, MachineProgram>,
    /// Which regions each source of ticks may reach.
    pub influence: Influence,
    /// The machines with a preemptive transition.
    pub preempted: Vec<MachineId>,
    /// The machines with a guard on the previous value of a signal that does not move: that value
    /// changes when a tick begins.
    pub remembering: Vec<MachineId>,
    /// Whether a block follows the steps of the solver, so that each of them ends with a tick.
    pub follows_steps: bool,
    /// The machines with an error transition.
    pub recovering: Vec<MachineId>,
    /// The signals from outside.
    pub inputs: Table<InputId, InputProgram>,
    /// The values that each run computes from parameters, in order.
    pub parameters: Vec<ParameterSlots>,
    /// The origin of everything in the model, for messages.
    pub origins: Origins,
    /// The functions between events, for messages.
    pub(crate) graph: Graph,
    pub(crate) values: Table<WireId, Option<NodeId>>,
    pub(crate) layout: Layout,
}

/// Optional parts of a program that not every run needs.
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
    // State machines have tapes for guards and actions, and tables of what they switch on and off.
    let machines = machines::compile(diagram, schedule, &mut slots, &mut units);
    // Each region gets the tapes of its rates, its crossings and its left limits.
    let transition_wires = machines.transition_wires.clone();
    let smooth = smooth::regions(diagram, schedule, slots, composer, transition_wires, extras);
    // Tables say what belongs to what, and what reaches what.
    assemble::program(diagram, schedule, smooth, units, machines)
}

impl Program {
    /// The number of instructions of all tapes; a loop counts as one.
    pub fn instruction_count(&self) -> usize {
        let smooth = |region: &RegionProgram| {
            let live = &region.live;
            let live = [&live.derivative, &live.crossings, &live.left, &live.sample];
            let own = [&region.prelude, &region.derivative, &region.crossings, &region.left];
            own.into_iter()
                .chain([&region.sample, &region.complete])
                .chain(live)
                .map(Tape::len)
                .sum::<usize>()
        };
        let units = self.units.iter().map(|unit| unit.tape.len());
        let regions = self.regions.iter().map(smooth);
        regions.chain(units).chain([self.still.len()]).sum()
    }

    /// The tracked signal of an id.
    pub fn tracked(&self, id: TrackedId) -> &Tracked {
        &self.tracked[id]
    }

    /// Whether a loop leaves a present signal undetermined.
    pub fn is_left_open(&self, slots: &[f64]) -> bool {
        let wires = self.solved.iter().map(|wire| &self.wires[*wire]);
        solved::are_open(wires, &self.tracked, slots)
    }
}
