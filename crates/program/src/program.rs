//! The compiled program.

use std::sync::Arc;

use base::{ExactTime, Type};
use blocks::{Part, Text, Timer};
use diagram::{BlockId, Diagram, FragmentId, RegionId, WireId};
use ir::{Graph, Layout, NodeId, Slot, Tape};
use schedule::Schedule;

use crate::influence::Influence;
use crate::jacobian::Jacobian;
use crate::machines::{FragmentProgram, MachineProgram};
use crate::slots::Slots;
use crate::watched::Function;
use crate::{machines, smooth, solved, tick};

base::typed_id! {
    /// A place whose changes are followed.
    TrackedId
}
base::typed_id! {
    /// One small tape of a tick.
    UnitId
}

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
    /// The functions between events, for messages.
    pub(crate) graph: Graph,
    pub(crate) values: Vec<Option<NodeId>>,
    pub(crate) layout: Layout,
}

/// A place whose changes are followed.
#[derive(Clone, Debug, Default)]
pub struct Tracked {
    /// Where it is.
    pub slot: Slot,
    /// How many numbers it has.
    pub length: usize,
    /// The tapes of a tick that read it.
    pub readers: Vec<UnitId>,
    /// The same as bits of words of 64 tapes: which word, and its bits.
    pub asked: Vec<(u32, u64)>,
    /// The regions whose smooth functions read it.
    pub regions: Vec<RegionId>,
    /// The state machines whose guards read it.
    pub machines: Vec<u32>,
    /// The part of a wire that it is.
    pub part: Option<(WireId, Part)>,
    /// Whether it is the presence of a signal that is events only.
    pub event: bool,
}

impl Tracked {
    /// Gathers the readers as bits, once all are there.
    pub(crate) fn gather_readers(&mut self) {
        self.asked = in_words(self.readers.iter().map(|reader| reader.0));
    }
}

/// Numbers as bits of words of 64: which word, in order, and its bits.
pub(crate) fn in_words(numbers: impl Iterator<Item = u32>) -> Vec<(u32, u64)> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    let mut words: Vec<(u32, u64)> = Vec::new();
    for number in numbers {
        let (word, bit) = (number / 64, 1 << (number % 64));
        match words.last_mut() {
            Some(last) if last.0 == word => last.1 |= bit,
            _ => words.push((word, bit)),
        }
    }
    words
}

/// A part of the diagram that steps on its own.
#[derive(Clone, Debug, Default)]
pub struct RegionProgram {
    /// The number of its continuous states.
    pub dimension: usize,
    /// Where they are, one after the other.
    pub state: Slot,
    /// Where their rates are.
    pub rate: Slot,
    /// What does not change between events, run once when a phase starts.
    pub prelude: Tape,
    /// The rates of the states.
    pub derivative: Tape,
    /// The crossing functions and their time derivatives; needs the rates.
    pub crossings: Tape,
    /// The time derivatives of the crossing functions alone.
    pub slopes: Tape,
    /// Wires that move between events and are read at ticks or recorded, and the memories of the
    /// left limit.
    pub left: Tape,
    /// The rates, the crossing functions and the left limits with comparisons read from values, for
    /// where a frozen side leads out of the domain of a function; empty where nothing is compared.
    pub live: LiveTapes,
    /// What states become at microstep 0.
    pub memories: Vec<Memory>,
    /// The derivatives of the rates, where an implicit method asks for them.
    pub jacobian: Option<Jacobian>,
    /// The delayed signals that move between events.
    pub lines: Vec<usize>,
    /// The same by the clocks that they are delayed by.
    pub pasts: Vec<Past>,
    /// What these were made from, for the history of the region.
    pub sample: Tape,
    /// Where the sample tape puts it, signal after signal.
    pub samples: Slot,
    /// How many numbers that are.
    pub sample_width: usize,
    /// The functions that the solver watches.
    pub watches: Vec<Watch>,
    /// What is known of each of them.
    pub functions: Vec<Function>,
    /// What the search for crossings may rely on for each: [`Function::gain`].
    pub gains: Vec<f64>,
    /// Where the values of the watched functions are, one after the other.
    pub g: Slot,
    /// Where their time derivatives are.
    pub g_rate: Slot,
    /// Where their sides are.
    pub side: Slot,
    /// Where their residuals are.
    pub residual: Slot,
    /// Whether there is anything that moves.
    pub moves: bool,
    /// Whether something in it is recorded, so that its steps make rows.
    pub recorded: bool,
    /// Whether a loop in it may turn out not to be known.
    pub may_be_unknown: bool,
    /// Its states and watched functions, fragment by fragment.
    pub slices: Vec<FragmentSlice>,
    /// Wires whose values the left tape writes.
    pub wires: Vec<WireId>,
    /// Where these are.
    pub places: Vec<WireSlots>,
    /// The units of its blocks, as bits of words of 64: which word, and its bits.
    pub units: Vec<(u32, u64)>,
    /// For each continuous state, the block that has it.
    pub owners: Vec<BlockId>,
}

impl RegionProgram {
    /// Whether all of it always runs, so that the solver has its states and watched functions as
    /// they lie in the buffer.
    pub fn is_whole(&self) -> bool {
        self.slices.iter().all(|span| span.fragment == FragmentId::ROOT)
    }
}

/// The states and watched functions of one fragment in a region.
#[derive(Clone, Debug)]
pub struct FragmentSlice {
    /// The fragment.
    pub fragment: FragmentId,
    /// Where its states begin among those of the region.
    pub state: usize,
    /// How many states it has.
    pub states: usize,
    /// Where its watched functions begin among those of the region.
    pub watch: usize,
    /// How many watched functions it has.
    pub watches: usize,
    /// The greatest step \[s\] that its blocks allow.
    pub maximum_step: f64,
    /// The least tolerance that diagrams in it ask for; none where there is no state.
    pub tolerance: Option<f64>,
    /// Whether some of its states have the tolerance of the run.
    pub common: bool,
}

/// What a state becomes at microstep 0.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Where the left tape puts it.
    pub from: Slot,
    /// The state.
    pub state: usize,
    /// The fragment of its block; one that does not run keeps what it remembers.
    pub fragment: FragmentId,
}

/// Functions with comparisons read from values.
#[derive(Clone, Debug, Default)]
pub struct LiveTapes {
    /// The rates of the states.
    pub derivative: Tape,
    /// The crossing functions and their time derivatives.
    pub crossings: Tape,
    /// The left limits.
    pub left: Tape,
    /// The samples for the history.
    pub sample: Tape,
}

/// Where the value and the presence of a wire are in the buffer.
#[derive(Clone, Copy, Debug)]
pub struct WireSlots {
    /// Where the value begins.
    pub from: usize,
    /// How many numbers it has.
    pub length: usize,
    /// Where its presence is.
    pub present: usize,
}

/// One function that a solver watches: a crossing, or an edge of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watch {
    /// The crossing that it belongs to.
    pub crossing: usize,
    /// Whether that is a side.
    pub side: bool,
}

/// What a crossing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrossingKind {
    /// The sign of a function.
    Sign,
    /// The integer cell of a function, with the watches of its lower and upper edge.
    Floor,
}

/// A crossing function with its frozen side or cell.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// The block that it is in.
    pub block: BlockId,
    /// What it is.
    pub kind: CrossingKind,
    /// Whether it is a kink of `abs`, `min` or `max`, over which what it selects is continuous.
    pub kink: bool,
    /// Where the value of the function is: the operand itself for a cell.
    pub value: Slot,
    /// The frozen side or cell.
    pub frozen: TrackedId,
    /// The change at the last commit, where something asks for it.
    pub crossed: Option<TrackedId>,
    /// Where the residual that counts as zero is.
    pub residual: Slot,
    /// The region and the first watch, where it is located.
    pub watch: Option<(RegionId, usize)>,
}

/// A state of a block.
#[derive(Clone, Debug)]
pub struct TrackedState {
    /// The block.
    pub block: BlockId,
    /// What it is called in messages.
    pub name: Text,
    /// Where it is.
    pub cell: TrackedId,
    /// Its value at the start.
    pub initial: Vec<f64>,
    /// Whether it flows between events.
    pub continuous: bool,
    /// The wire that shows it, where it is a parameter that transitions set.
    pub wire: Option<TrackedId>,
}

/// A timer of a block.
#[derive(Clone, Debug)]
pub struct TrackedTimer {
    /// The block.
    pub block: BlockId,
    /// The fragment whose clock it follows.
    pub fragment: FragmentId,
    /// Its times.
    pub timer: Arc<dyn Timer>,
    /// Whether it wakes now.
    pub woken: TrackedId,
    /// How often it has.
    pub wakings: TrackedId,
}

/// Delayed signals of a region that move between events and are in one fragment, whose clock says
/// how long ago something was.
#[derive(Clone, Debug)]
pub struct Past {
    /// The fragment.
    pub fragment: FragmentId,
    /// The signals.
    pub lines: Vec<usize>,
    /// Where they begin in a sample of the region.
    pub offset: usize,
    /// How many numbers they have.
    pub width: usize,
}

/// A delayed signal: the parts of a wire, and where they come a delay later.
#[derive(Clone, Debug)]
pub struct DelayLine {
    /// The block that reads it.
    pub block: BlockId,
    /// The fragment by whose clock it is delayed.
    pub fragment: FragmentId,
    /// How much later.
    pub delay: ExactTime,
    /// Presence, value, derivatives and impulses of the wire, in this order.
    pub from: Vec<TrackedId>,
    /// The same of the delayed signal.
    pub to: Vec<TrackedId>,
    /// The value and the derivatives before the delay is over.
    pub initial: Vec<f64>,
    /// Whether it is present then.
    pub early: bool,
    /// Where the signal is between events, where it moves then.
    pub track: Option<DelayTrack>,
    /// Where its kinks go on to.
    pub kinks: Kinks,
}

/// What hangs on the kinks of a delayed signal between events.
#[derive(Clone, PartialEq, Debug)]
pub enum Kinks {
    /// Nothing reads the signal there.
    Unread,
    /// These delayed signals are made from it, at once or through states.
    To(Vec<usize>),
    /// All delayed signals of the region may be.
    Everywhere,
}

/// A delayed signal between events.
#[derive(Clone, Copy, Debug)]
pub struct DelayTrack {
    /// The region that keeps the history.
    pub region: RegionId,
    /// Which of the region's pasts it is in.
    pub past: usize,
    /// Where the signal begins in a sample of that.
    pub offset: usize,
    /// How many numbers it has, derivatives included.
    pub width: usize,
    /// Where the delayed numbers are.
    pub place: Slot,
    /// Where their time derivatives are.
    pub slope: Slot,
}

/// Where the parts of a wire are.
#[derive(Clone, Debug)]
pub struct TrackedWire {
    /// The value.
    pub value: TrackedId,
    /// Whether it is there.
    pub present: TrackedId,
    /// The coefficients of impulses.
    pub impulses: Vec<TrackedId>,
    /// The time derivatives that something asks for.
    pub derivatives: Vec<TrackedId>,
}

impl TrackedWire {
    /// The cells of all parts.
    pub fn all(&self) -> impl Iterator<Item = TrackedId> {
        let parts = self.impulses.iter().chain(&self.derivatives);
        [self.value, self.present].into_iter().chain(parts.copied())
    }
}

/// Where a recorded signal is.
#[derive(Clone, Debug)]
pub struct RecordSlots {
    /// The name of its column.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where its value is.
    pub value: Slot,
    /// Where its presence is.
    pub present: Slot,
    /// Where its impulse coefficients are.
    pub impulses: Vec<Slot>,
    /// The region whose left tape makes it.
    pub region: RegionId,
}

/// One small tape of a tick.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The block.
    pub block: BlockId,
    /// The fragment that it is in.
    pub fragment: FragmentId,
    /// The region of the block.
    pub region: RegionId,
    /// Where the residuals of the block's crossings are.
    pub residuals: Vec<Slot>,
    /// Whether it is inside a state and passes on what a machine there says.
    pub speaks: bool,
    /// What it runs.
    pub tape: Tape,
    /// Parts of wires. The tape puts them one after the other.
    pub outputs: Vec<Output>,
    /// What states become: where the tape puts it, and the state.
    pub nexts: Vec<(Slot, usize)>,
    /// Values of crossing functions: where the tape puts them, and the crossing.
    pub crossings: Vec<(Slot, usize)>,
    /// Conditions that must not hold: where the tape puts them, and the reason.
    pub checks: Vec<(Slot, String)>,
    /// Conditions whose order at one instant matters: where the tape puts both, and the meeting.
    pub hazards: Vec<(Slot, Slot, usize)>,
    /// Whether the tape may find that a loop is not known.
    pub may_be_unknown: bool,
    /// The wires whose values it makes, for messages.
    pub wires: Vec<WireId>,
    /// The delayed signals that do not move between events and are made from its outputs.
    pub lines: Vec<usize>,
}

/// What a unit has beside outputs, so that a microstep passes over what none of its units has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UnitEffects(u8);

impl UnitEffects {
    /// States that it changes.
    pub const NEXTS: UnitEffects = UnitEffects(1);
    /// Crossing functions that it computes.
    pub const CROSSINGS: UnitEffects = UnitEffects(2);
    /// Conditions that must not hold.
    pub const CHECKS: UnitEffects = UnitEffects(4);
    /// Conditions whose order matters.
    pub const HAZARDS: UnitEffects = UnitEffects(8);
    /// Outputs that are delayed.
    pub const LINES: UnitEffects = UnitEffects(16);

    pub(crate) fn of(unit: &Unit) -> UnitEffects {
        let mut effects = UnitEffects::default();
        let lists = [
            (UnitEffects::NEXTS, unit.nexts.is_empty()),
            (UnitEffects::CROSSINGS, unit.crossings.is_empty()),
            (UnitEffects::CHECKS, unit.checks.is_empty()),
            (UnitEffects::HAZARDS, unit.hazards.is_empty()),
            (UnitEffects::LINES, unit.lines.is_empty()),
        ];
        lists.iter().filter(|(_, none)| !none).for_each(|(duty, _)| effects.add(*duty));
        effects
    }

    /// Whether some of these are among them.
    #[inline]
    pub fn have(self, some: UnitEffects) -> bool {
        self.0 & some.0 != 0
    }

    /// Takes others in.
    #[inline]
    pub fn add(&mut self, others: UnitEffects) {
        self.0 |= others.0;
    }
}

/// What is made beside what every run needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras {
    /// The derivatives of the rates of each region, for implicit methods.
    pub jacobians: bool,
}

/// A part of a wire that a unit makes.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Where the tape puts it.
    pub from: Slot,
    /// Where its cell is.
    pub to: Slot,
    /// How many numbers it has.
    pub length: u32,
    /// Its cell.
    pub cell: TrackedId,
    /// Where the presence of a signal is that is events only: its value goes to the cell only where
    /// it is there.
    pub guard: Option<Slot>,
}

impl Output {
    /// Where the tape puts it, as a range.
    pub fn made(&self) -> std::ops::Range<usize> {
        self.from as usize..(self.from + self.length) as usize
    }
}

impl Unit {
    /// Where the tape puts all outputs.
    pub fn made(&self) -> std::ops::Range<usize> {
        match (self.outputs.first(), self.outputs.last()) {
            (Some(first), Some(last)) => first.made().start..last.made().end,
            _ => 0..0,
        }
    }
}

/// Makes the program of a scheduled diagram.
pub fn compile(diagram: &Diagram, schedule: &Schedule, extras: Extras) -> Program {
    let mut slots = Slots::new(diagram);
    let composed = smooth::compose(diagram, schedule, diagram::Phase::Smooth, &mut slots);
    let mut units = tick::units(diagram, schedule, &mut slots);
    let modes = machines::compile(diagram, schedule, &mut slots, &mut units);
    smooth::program(diagram, schedule, slots, composed, units, modes, extras)
}

impl Program {
    /// The first block whose value is not finite where a region stands, for a message: everything
    /// that moves in it is evaluated on a copy of the buffer.
    pub fn blame(&self, diagram: &Diagram, region: RegionId, buffer: &[f64]) -> Option<BlockId> {
        let mut layout = self.layout.clone();
        let mut roots = Vec::new();
        let mut places = Vec::new();
        for (index, wire) in diagram.wires.iter().enumerate() {
            let Some(node) = self.values[index] else { continue };
            if diagram.block(wire.block).region == region {
                let slot = layout.reserve(wire.ty.len());
                roots.push((node, slot));
                places.push((node, slot, wire));
            }
        }
        let tape = Tape::compile(&self.graph, &roots, &mut layout, &|slot| slot);
        let mut copy = layout.image().to_vec();
        copy[..buffer.len()].copy_from_slice(buffer);
        ir::run(&tape, &mut copy);
        places.sort_by_key(|(node, ..)| *node);
        places
            .iter()
            .find(|(_, slot, wire)| {
                let from = *slot as usize;
                copy[from..from + wire.ty.len()].iter().any(|x| !x.is_finite())
            })
            .map(|(_, _, wire)| wire.block)
    }

    /// The value of a wire between events where the buffer stands, for a message; nothing where no
    /// smooth function gives it.
    pub fn value_of(&self, wire: WireId, buffer: &[f64]) -> Option<Vec<f64>> {
        let node = (*self.values.get(wire.index())?)?;
        let length = self.tracked(self.wires[wire.index()].value).length;
        let mut layout = self.layout.clone();
        let slot = layout.reserve(length);
        let tape = Tape::compile(&self.graph, &[(node, slot)], &mut layout, &|slot| slot);
        let mut copy = layout.image().to_vec();
        copy[..buffer.len()].copy_from_slice(buffer);
        ir::run(&tape, &mut copy);
        Some(copy[slot as usize..slot as usize + length].to_vec())
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    /// There are never more words than numbers, however large the numbers are.
    #[test]
    fn numbers_are_gathered_by_words() {
        let words = in_words([130, 1, 64, 0, 100_000].into_iter());
        assert_eq!(words, [(0, 3), (1, 1), (2, 4), (1562, 1 << 32)]);
    }
}
