//! The units of a tick: runs of adjacent parts of one block in the schedule, then for each block
//! its commit.

use base::Table;
use blocks::Part;
use diagram::{BlockId, Diagram, FlatBlock, Phase};
use ir::{NodeId, Op, Slot, Tape};
use schedule::{PartId, Schedule, Step};

use crate::compose::Composer;
use crate::slots::Slots;
use crate::solved;
use crate::unit::{Check, CrossingValue, HazardConditions, Next, Output, Unit, UnitId};

/// Makes all units and registers them as readers of the tracked signals that they read.
pub(crate) fn units(
    diagram: &Diagram,
    schedule: &Schedule,
    slots: &mut Slots,
) -> Table<UnitId, Unit> {
    let runs = runs(diagram, schedule);
    let hosts = hosts(diagram, schedule, &runs);
    let mut maker = Maker { diagram, schedule, slots, units: Table::new() };
    let mut done = vec![false; diagram.blocks.len()];
    for (index, run) in runs.iter().enumerate() {
        match run {
            Run::Block(block, _) if diagram.block(*block).passive => {}
            Run::Block(block, parts) => {
                let host = hosts[block.index()] == Some(index);
                done[block.index()] |= maker.outputs(*block, parts, host);
            }
            Run::Loop(step, members) => maker.looped(step, members),
        }
    }
    for (index, done) in done.iter().enumerate() {
        if !done && !diagram.blocks[index].passive {
            maker.commit(BlockId::new(index));
        }
    }
    maker.units
}

/// What one tape computes.
enum Run<'s> {
    /// Parts of one block that are adjacent in the schedule.
    Block(BlockId, Vec<PartId>),
    /// A loop.
    Loop(&'s Step, Vec<PartId>),
}

fn runs<'s>(diagram: &Diagram, schedule: &'s Schedule) -> Vec<Run<'s>> {
    let block_of = |id: PartId| diagram.wire(schedule.parts.get(id).wire).block;
    let mut runs = Vec::new();
    for step in &schedule.tick {
        match step {
            Step::Single(id) => match runs.last_mut() {
                Some(Run::Block(block, parts)) if *block == block_of(*id) => parts.push(*id),
                _ => runs.push(Run::Block(block_of(*id), vec![*id])),
            },
            Step::Iterate(members) | Step::Presences { members, .. } => {
                runs.push(Run::Loop(step, members.clone()));
            }
            Step::Solve { unknowns, rest } => {
                let unknowns = unknowns.iter().map(|(id, _)| *id);
                runs.push(Run::Loop(step, unknowns.chain(rest.iter().copied()).collect()));
            }
        }
    }
    runs
}

/// For each block, the run that can also do its commit: its last one, if everything that the commit
/// reads comes before it.
fn hosts(diagram: &Diagram, schedule: &Schedule, runs: &[Run]) -> Vec<Option<usize>> {
    let mut made = vec![0; schedule.parts.len()];
    let mut last = vec![None; diagram.blocks.len()];
    for (index, run) in runs.iter().enumerate() {
        match run {
            Run::Block(block, parts) => {
                last[block.index()] = Some(index);
                parts.iter().for_each(|id| made[id.index()] = index);
            }
            Run::Loop(_, parts) => parts.iter().for_each(|id| made[id.index()] = index),
        }
    }
    let ready = |(index, last): (usize, &Option<usize>)| {
        let block = &diagram.blocks[index];
        let roots = commit_roots(block);
        let inputs = schedule.parts.inputs_of(block, Phase::Tick, &roots);
        last.filter(|last| inputs.iter().all(|id| made[id.index()] < *last))
    };
    last.iter().enumerate().map(ready).collect()
}

/// The results of a block's commit: next states, operands of sides and floors, checks and order
/// hazards.
fn commit_roots(block: &FlatBlock) -> Vec<NodeId> {
    let operands = block.tick.placed.values().map(|site| block.tick.graph.node(*site).args[0]);
    let nexts = block.tick.nexts.iter().copied();
    let hazards = block.tick.hazards.iter().flat_map(|(first, second)| [*first, *second]);
    nexts.chain(operands).chain(block.tick.checks.iter().copied()).chain(hazards).collect()
}

struct Maker<'a> {
    diagram: &'a Diagram,
    schedule: &'a Schedule,
    slots: &'a mut Slots,
    units: Table<UnitId, Unit>,
}

impl<'a> Maker<'a> {
    fn composer(&self) -> Composer<'a> {
        Composer::new(self.diagram, &self.schedule.parts, Phase::Tick)
    }

    /// Makes a tape for parts of one block, which read everything else from its slots; with `host`,
    /// the tape does the commit too. Returns whether it does.
    fn outputs(&mut self, block: BlockId, parts: &[PartId], host: bool) -> bool {
        let mut composer = self.composer();
        let roots: Vec<(PartId, NodeId)> =
            parts.iter().map(|id| (*id, composer.part(self.slots, *id))).collect();
        // A value that never changes at ticks is that of the left limit: no tape is needed.
        if roots.iter().all(|(_, node)| composer.graph.constant_of(*node).is_some()) {
            self.constants(&composer, &roots);
            return false;
        }
        let (mut unit, mut places) = self.output_places(&composer, &roots);
        if host {
            self.commit_places(block, &mut composer, &mut unit, &mut places);
        }
        self.finish(composer, unit, places);
        host
    }

    /// Parts that are constant at ticks are in the initial buffer and have no tape. A signal that
    /// is present between events has the same constant then; one that is not has no reader that
    /// could see another value.
    fn constants(&mut self, composer: &Composer, roots: &[(PartId, NodeId)]) {
        for (id, node) in roots {
            let part = self.schedule.parts.get(*id);
            let data = composer.graph.constant_of(*node).unwrap_or_default();
            let tracked = self.slots.part(part.wire, part.part);
            self.slots.presets.push((self.slots.slot(tracked), data));
        }
    }

    fn looped(&mut self, step: &Step, members: &[PartId]) {
        let mut composer = self.composer();
        match step {
            Step::Iterate(members) => solved::iterate(&mut composer, self.slots, members),
            Step::Presences { members, present, open } => {
                solved::presences(&mut composer, self.slots, (members, *present), open);
            }
            Step::Solve { unknowns, rest } => {
                solved::solve(&mut composer, self.slots, unknowns, rest);
            }
            Step::Single(_) => {}
        }
        let roots: Vec<(PartId, NodeId)> =
            members.iter().map(|id| (*id, composer.nodes[id])).collect();
        let (unit, places) = self.output_places(&composer, &roots);
        self.finish(composer, unit, places);
    }

    fn output_places(
        &mut self,
        composer: &Composer,
        roots: &[(PartId, NodeId)],
    ) -> (Unit, Vec<(NodeId, Slot)>) {
        let mut unit =
            self.empty(self.diagram.wire(self.schedule.parts.get(roots[0].0).wire).block);
        let mut places: Vec<(NodeId, Slot)> = Vec::new();
        for (id, node) in roots {
            let part = self.schedule.parts.get(*id);
            let slot = self.slots.layout.reserve(composer.graph.ty(*node).len());
            places.push((*node, slot));
            let mut guard = None;
            if part.part == Part::Value {
                unit.wires.push(part.wire);
            }
            if self.schedule.parts.appears(self.diagram, *id) {
                let present = self.slots.part(part.wire, Part::Present);
                let presence = self.schedule.parts.id(part.wire, Part::Present);
                if !roots.iter().any(|(id, _)| *id == presence) {
                    let readers = &mut self.slots.tracked[present].readers;
                    readers.push(self.units.next_id());
                }
                guard = Some(self.slots.slot(present));
            }
            let tracked = self.slots.part(part.wire, part.part);
            debug_assert!(unit.outputs.is_empty() || unit.made().end == slot.index());
            let length = self.slots.tracked[tracked].length as u32;
            let to = self.slots.slot(tracked);
            unit.outputs.push(Output { from: slot, to, length, tracked, guard });
        }
        (unit, places)
    }

    /// Makes the tape of a block's commit: next states, crossing functions, checks and order
    /// hazards.
    fn commit(&mut self, block: BlockId) {
        let (mut composer, mut unit) = (self.composer(), self.empty(block));
        let mut places = Vec::new();
        self.commit_places(block, &mut composer, &mut unit, &mut places);
        if !places.is_empty() {
            self.finish(composer, unit, places);
        }
    }

    fn commit_places(
        &mut self,
        block: BlockId,
        composer: &mut Composer,
        unit: &mut Unit,
        places: &mut Vec<(NodeId, Slot)>,
    ) {
        let flat = self.diagram.block(block);
        for (index, next) in flat.tick.nexts.iter().enumerate() {
            let node = composer.inline(self.slots, block, *next);
            let state = self.slots.first_state[block.index()].plus(index);
            let own = self.slots.slot(self.slots.states[state].tracked);
            if matches!(composer.graph.node(node).op, Op::Leaf(key) if Slot(key) == own) {
                continue;
            }
            let slot = self.slots.layout.reserve(composer.graph.ty(node).len());
            places.push((node, slot));
            unit.nexts.push(Next { from: slot, state });
        }
        for (original, placed) in &flat.tick.placed {
            let Some(site) = self.slots.sites.get(&(block, *original)).copied() else { continue };
            let operand = flat.tick.graph.node(*placed).args[0];
            let node = composer.inline(self.slots, block, operand);
            let slot = self.slots.layout.reserve(site.ty.len());
            places.push((node, slot));
            unit.crossings.extend(
                (0..site.ty.len())
                    .map(|i| CrossingValue { from: slot.plus(i), crossing: site.first.plus(i) }),
            );
        }
        for (check, node) in flat.definition.checks.iter().zip(&flat.tick.checks) {
            let node = composer.inline(self.slots, block, *node);
            if composer.graph.truth(node) != Some(false) {
                let slot = self.slots.layout.reserve(1);
                places.push((node, slot));
                let reason = check.reason.clone();
                unit.checks.push(Check { from: slot, block, reason, ends: check.ends });
            }
        }
        for (hazard, nodes) in flat.definition.hazards.iter().zip(&flat.tick.hazards) {
            let nodes = [nodes.0, nodes.1].map(|node| composer.inline(self.slots, block, node));
            if nodes.iter().all(|node| composer.graph.truth(*node) != Some(false)) {
                let [first, second] = nodes.map(|node| {
                    let slot = self.slots.layout.reserve(1);
                    places.push((node, slot));
                    slot
                });
                let hazard = self.slots.hazards.push(hazard.reason.clone());
                unit.hazards.push(HazardConditions { first, second, hazard });
            }
        }
    }

    fn empty(&self, block: BlockId) -> Unit {
        let flat = self.diagram.block(block);
        Unit {
            block,
            fragment: flat.fragment,
            region: flat.region,
            residuals: Vec::new(),
            speaks: false,
            tape: Tape::default(),
            outputs: Vec::new(),
            nexts: Vec::new(),
            crossings: Vec::new(),
            checks: Vec::new(),
            hazards: Vec::new(),
            may_be_unknown: false,
            wires: Vec::new(),
            lines: Vec::new(),
        }
    }

    fn finish(&mut self, composer: Composer, mut unit: Unit, places: Vec<(NodeId, Slot)>) {
        let graph = &composer.graph;
        debug_assert_eq!(ir::verify(graph, false), Ok(()));
        let roots: Vec<NodeId> = places.iter().map(|(node, _)| *node).collect();
        let id = self.units.next_id();
        for node in graph.reachable(&roots) {
            match graph.node(node).op {
                Op::Leaf(slot) => {
                    for tracked in self.slots.tracked_within(Slot(slot), graph.ty(node).len()) {
                        let readers = &mut self.slots.tracked[tracked].readers;
                        if readers.last() != Some(&id) {
                            readers.push(id);
                        }
                    }
                }
                Op::Unknown => unit.may_be_unknown = true,
                _ => {}
            }
        }
        unit.tape = Tape::compile(graph, &places, &mut self.slots.layout, &Slot);
        self.units.push(unit);
    }
}
