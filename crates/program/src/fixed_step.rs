//! The program of a run by fixed steps: two tapes that compute everything at a point, one without
//! events and one with them.
//!
//! Nothing is skipped for being unchanged: at every point of such a run everything has changed.

use base::Table;
use blocks::{Memory, Part};
use diagram::{BlockId, Diagram, Phase, WireId};
use ir::{Layout, NodeId, Op, Slot, Tape};
use schedule::{PartId, Schedule};

use crate::compose::Composer;
use crate::origins::Origins;
use crate::region::{Crossing, CrossingId};
use crate::slots::Slots;
use crate::solved::{self, Guess};
use crate::tracked::{
    RecordSlots, StateId, TimerId, Tracked, TrackedId, TrackedState, TrackedTimer, TrackedWire,
};
use crate::unit::{Check, CrossingValue, Next};

/// Everything that a run by fixed steps needs.
#[derive(Debug)]
pub struct FixedStepProgram {
    /// The initial buffer, with constants.
    pub image: Vec<f64>,
    /// The slot of model time \[s\].
    pub time: Slot,
    /// The slot of the length of the step \[s\].
    pub step: Slot,
    /// A point without events.
    pub quiet: Pass,
    /// A point with its events.
    pub events: Pass,
    /// The states of all blocks.
    pub states: Table<StateId, TrackedState>,
    /// The kind of memory of each state.
    pub memories: Table<StateId, Memory>,
    /// All crossings.
    pub crossings: Table<CrossingId, Crossing>,
    /// All timers.
    pub timers: Table<TimerId, TrackedTimer>,
    /// The parts of the wires.
    pub wires: Table<WireId, TrackedWire>,
    /// The recorded signals.
    pub records: Vec<RecordSlots>,
    /// Guesses of solved loops.
    pub guesses: Vec<Guess>,
    /// Wires in solved loops.
    pub solved: Vec<WireId>,
    /// The origin of everything in the model, for messages.
    pub origins: Origins,
    pub(crate) tracked: Table<TrackedId, Tracked>,
    /// The slots of constants.
    pub(crate) layout: Layout,
}

/// One pass through the whole diagram.
#[derive(Debug)]
pub struct Pass {
    /// What it runs.
    pub tape: Tape,
    /// Parts of wires that the tape does not write to their tracked signals itself.
    pub outputs: Vec<PassOutput>,
    /// New values of states.
    pub nexts: Vec<Next>,
    /// Values of crossing functions.
    pub crossings: Vec<CrossingValue>,
    /// Conditions that must not hold.
    pub checks: Vec<Check>,
}

/// A part of a wire that the tape of a pass leaves elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct PassOutput {
    /// The first slot in which the tape leaves it.
    pub from: Slot,
    /// Its tracked signal.
    pub tracked: TrackedId,
}

impl FixedStepProgram {
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

/// Makes the program of a scheduled diagram that is run by fixed steps.
pub fn fixed_step(diagram: &Diagram, schedule: &Schedule) -> FixedStepProgram {
    let mut slots = Slots::new(diagram);
    let quiet = pass(diagram, schedule, Phase::Smooth, &mut slots);
    let events = pass(diagram, schedule, Phase::Tick, &mut slots);
    let states = diagram.blocks.iter().flat_map(|block| &block.definition.states);
    FixedStepProgram {
        memories: states.map(|state| state.memory).collect(),
        records: records(diagram, &slots),
        image: slots.layout.image().to_vec(),
        time: slots.time,
        step: slots.step,
        quiet,
        events,
        states: slots.states,
        crossings: slots.crossings,
        timers: slots.timers,
        wires: slots.wires,
        guesses: slots.guesses,
        solved: crate::assemble::solved_wires(schedule),
        origins: Origins::of(diagram),
        tracked: slots.tracked,
        layout: slots.layout,
    }
}

fn records(diagram: &Diagram, slots: &Slots) -> Vec<RecordSlots> {
    let slot = |tracked: &TrackedId| slots.slot(*tracked);
    let record = |record: &diagram::Record| {
        let (wire, places) = (diagram.wire(record.wire), &slots.wires[record.wire]);
        RecordSlots {
            name: record.name.clone(),
            ty: wire.ty,
            value: slot(&places.value),
            present: slot(&places.present),
            impulses: places.impulses.iter().map(slot).collect(),
            region: diagram.block(wire.block).region,
            hidden: record.hidden,
        }
    };
    diagram.records.iter().map(record).collect()
}

fn pass(diagram: &Diagram, schedule: &Schedule, phase: Phase, slots: &mut Slots) -> Pass {
    let mut composer = crate::compose::compose(diagram, schedule, phase, slots);
    let mut pass = Pass {
        tape: Tape::default(),
        outputs: Vec::new(),
        nexts: Vec::new(),
        crossings: Vec::new(),
        checks: Vec::new(),
    };
    let mut places: Vec<(NodeId, Slot)> =
        composer.solutions.iter().map(|(_, node, slot)| (*node, *slot)).collect();
    wire_places(schedule, phase, &composer, slots, &mut pass, &mut places);
    for block in (0..diagram.blocks.len()).map(BlockId::new) {
        state_places(block, &mut composer, slots, &mut pass, &mut places);
        crossing_places(block, &mut composer, slots, &mut pass, &mut places);
        check_places(block, &mut composer, slots, &mut pass, &mut places);
    }
    debug_assert_eq!(ir::verify(&composer.graph, false), Ok(()));
    pass.tape = Tape::compile(&composer.graph, &places, &mut slots.layout, &Slot);
    debug_assert_eq!(pass.tape.verify(slots.layout.image().len()), Ok(()));
    pass
}

/// The tape writes parts of wires directly to their tracked signals, except for those that are
/// guesses of loops in the same tape.
fn wire_places(
    schedule: &Schedule,
    phase: Phase,
    composer: &Composer,
    slots: &mut Slots,
    pass: &mut Pass,
    places: &mut Vec<(NodeId, Slot)>,
) {
    let guesses = crate::assemble::solved_wires(schedule);
    for id in (0..schedule.parts.len()).map(PartId::new) {
        let part = schedule.parts.get(id);
        let tracked = slots.part(part.wire, part.part);
        // Impulses, and everything that depends on them alone, are absent from a point without
        // events.
        let Some(node) = composer.nodes.get(&id).copied() else { continue };
        let read = phase == Phase::Tick && guesses.contains(&part.wire);
        if read && part.part != Part::Present {
            let slot = slots.layout.reserve(composer.graph.ty(node).len());
            places.push((node, slot));
            pass.outputs.push(PassOutput { from: slot, tracked });
        } else {
            places.push((node, slots.slot(tracked)));
        }
    }
}

fn state_places(
    block: BlockId,
    composer: &mut Composer,
    slots: &mut Slots,
    pass: &mut Pass,
    places: &mut Vec<(NodeId, Slot)>,
) {
    for (index, next) in composer.functions(block).nexts.iter().enumerate() {
        let node = composer.inline(slots, block, *next);
        let state = slots.first_state[block.index()].plus(index);
        let own = slots.slot(slots.states[state].tracked);
        if matches!(composer.graph.node(node).op, Op::Leaf(key) if Slot(key) == own) {
            continue;
        }
        let slot = slots.layout.reserve(composer.graph.ty(node).len());
        places.push((node, slot));
        pass.nexts.push(Next { from: slot, state });
    }
}

fn crossing_places(
    block: BlockId,
    composer: &mut Composer,
    slots: &mut Slots,
    pass: &mut Pass,
    places: &mut Vec<(NodeId, Slot)>,
) {
    let functions = composer.functions(block);
    for (original, placed) in &functions.placed {
        let Some(site) = slots.sites.get(&(block, *original)).copied() else { continue };
        let operand = functions.graph.node(*placed).args[0];
        let node = composer.inline(slots, block, operand);
        let slot = slots.layout.reserve(site.ty.len());
        places.push((node, slot));
        pass.crossings.extend(
            (0..site.ty.len())
                .map(|i| CrossingValue { from: slot.plus(i), crossing: site.first.plus(i) }),
        );
    }
}

fn check_places(
    block: BlockId,
    composer: &mut Composer,
    slots: &mut Slots,
    pass: &mut Pass,
    places: &mut Vec<(NodeId, Slot)>,
) {
    let (functions, flat) = (composer.functions(block), composer.diagram.block(block));
    for (check, node) in flat.definition.checks.iter().zip(&functions.checks) {
        let node = composer.inline(slots, block, *node);
        if composer.graph.truth(node) != Some(false) {
            let slot = slots.layout.reserve(1);
            places.push((node, slot));
            let (reason, ends) = (check.reason.clone(), check.ends);
            pass.checks.push(Check { from: slot, block, reason, ends });
        }
    }
}
