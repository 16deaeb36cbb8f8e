//! The tapes of a tick: runs of parts of one block that are next to each other in the order, then
//! for each block what its commit needs.

use blocks::Part;
use diagram::{BlockId, Diagram, Mode};
use ir::{NodeId, Op, Slot, Tape};
use schedule::{PartId, Schedule, Step};

use crate::compose::Composer;
use crate::program::{Unit, UnitId};
use crate::slots::Slots;
use crate::solved;

/// Makes all tapes and enters them as readers of the cells that they read.
pub(crate) fn units(diagram: &Diagram, schedule: &Schedule, slots: &mut Slots) -> Vec<Unit> {
    let mut maker = Maker { diagram, schedule, slots, units: Vec::new() };
    let mut run: Vec<PartId> = Vec::new();
    let block_of = |id: PartId| diagram.wire(schedule.parts.get(id).wire).block;
    for step in &schedule.tick {
        match step {
            Step::Single(id) => {
                if run.last().is_some_and(|last| block_of(*last) != block_of(*id)) {
                    maker.outputs(&std::mem::take(&mut run));
                }
                run.push(*id);
            }
            Step::Iterate(members) | Step::Presences(members) => {
                maker.outputs(&std::mem::take(&mut run));
                maker.looped(step, members);
            }
            Step::Solve { unknowns, rest } => {
                maker.outputs(&std::mem::take(&mut run));
                let members: Vec<PartId> =
                    unknowns.iter().map(|(id, _)| *id).chain(rest.iter().copied()).collect();
                maker.looped(step, &members);
            }
        }
    }
    maker.outputs(&run);
    for index in 0..diagram.blocks.len() {
        maker.commit(BlockId::new(index));
    }
    maker.units
}

struct Maker<'a> {
    diagram: &'a Diagram,
    schedule: &'a Schedule,
    slots: &'a mut Slots,
    units: Vec<Unit>,
}

impl<'a> Maker<'a> {
    fn composer(&self) -> Composer<'a> {
        Composer::new(self.diagram, &self.schedule.parts, Mode::Tick)
    }

    /// A tape for parts of one block, which read everything else from its place.
    fn outputs(&mut self, parts: &[PartId]) {
        if parts.is_empty() {
            return;
        }
        let mut composer = self.composer();
        let roots: Vec<(PartId, NodeId)> =
            parts.iter().map(|id| (*id, composer.part(self.slots, *id))).collect();
        // What never changes at ticks has the value of the left limit: no tape is needed.
        if roots.iter().all(|(_, node)| composer.graph.constant_of(*node).is_some()) {
            self.constants(&composer, &roots);
            return;
        }
        self.finish_outputs(composer, roots);
    }

    /// Parts that are constant at ticks but may be something else between events must be written
    /// when something happens: a presence that is always true at ticks, say. They are few, and are
    /// part of the image where the smooth value is the same constant.
    fn constants(&mut self, composer: &Composer, roots: &[(PartId, NodeId)]) {
        for (id, node) in roots {
            let part = self.schedule.parts.get(*id);
            let data = composer.graph.constant_of(*node).unwrap_or_default();
            let cell = self.slots.part(part.wire, part.part);
            self.slots.presets.push((self.slots.slot(cell), data));
        }
    }

    fn looped(&mut self, step: &Step, members: &[PartId]) {
        let mut composer = self.composer();
        match step {
            Step::Iterate(members) => solved::iterate(&mut composer, self.slots, members),
            Step::Presences(members) => solved::presences(&mut composer, self.slots, members),
            Step::Solve { unknowns, rest } => {
                solved::solve(&mut composer, self.slots, unknowns, rest);
            }
            Step::Single(_) => {}
        }
        let roots = members.iter().map(|id| (*id, composer.nodes[id])).collect();
        self.finish_outputs(composer, roots);
    }

    fn finish_outputs(&mut self, composer: Composer, roots: Vec<(PartId, NodeId)>) {
        let mut unit =
            self.empty(self.diagram.wire(self.schedule.parts.get(roots[0].0).wire).block);
        let mut places: Vec<(NodeId, Slot)> = Vec::new();
        for (id, node) in &roots {
            let part = self.schedule.parts.get(*id);
            let slot = self.slots.layout.reserve(composer.graph.ty(*node).len());
            places.push((*node, slot));
            unit.outputs.push((slot, self.slots.part(part.wire, part.part)));
            if part.part == Part::Value {
                unit.wires.push(part.wire);
            }
            if self.schedule.parts.appears(self.diagram, *id) {
                let present = self.slots.part(part.wire, Part::Present);
                self.slots.cells[present.index()].readers.push(UnitId::new(self.units.len()));
            }
        }
        self.finish(composer, unit, places);
    }

    /// What a block's commit needs: next states, crossing functions, and checks.
    fn commit(&mut self, block: BlockId) {
        let flat = self.diagram.block(block);
        let mut composer = self.composer();
        let mut unit = self.empty(block);
        let mut places: Vec<(NodeId, Slot)> = Vec::new();
        for (index, next) in flat.tick.nexts.iter().enumerate() {
            let node = composer.inline(self.slots, block, *next);
            let state = self.slots.first_state[block.index()] + index;
            let own = self.slots.slot(self.slots.states[state].cell);
            if matches!(composer.graph.node(node).op, Op::Leaf(key) if key == own) {
                continue;
            }
            let slot = self.slots.layout.reserve(composer.graph.ty(node).len());
            places.push((node, slot));
            unit.nexts.push((slot, state));
        }
        for (original, placed) in &flat.tick.placed {
            let Some(site) = self.slots.sites.get(&(block, *original)).copied() else { continue };
            let operand = flat.tick.graph.node(*placed).args[0];
            let node = composer.inline(self.slots, block, operand);
            let slot = self.slots.layout.reserve(site.ty.len());
            places.push((node, slot));
            unit.crossings.extend((0..site.ty.len()).map(|i| (slot + i as Slot, site.first + i)));
        }
        for (check, node) in flat.definition.checks.iter().zip(&flat.tick.checks) {
            let node = composer.inline(self.slots, block, *node);
            if composer.graph.truth(node) != Some(false) {
                let slot = self.slots.layout.reserve(1);
                places.push((node, slot));
                unit.checks.push((slot, check.reason.clone()));
            }
        }
        if !places.is_empty() {
            self.finish(composer, unit, places);
        }
    }

    fn empty(&self, block: BlockId) -> Unit {
        Unit {
            block,
            tape: Tape::default(),
            outputs: Vec::new(),
            nexts: Vec::new(),
            crossings: Vec::new(),
            checks: Vec::new(),
            may_be_unknown: false,
            wires: Vec::new(),
        }
    }

    fn finish(&mut self, composer: Composer, mut unit: Unit, places: Vec<(NodeId, Slot)>) {
        let graph = &composer.graph;
        debug_assert_eq!(ir::verify(graph, false), Ok(()));
        let roots: Vec<NodeId> = places.iter().map(|(node, _)| *node).collect();
        let id = UnitId::new(self.units.len());
        for node in graph.reachable(&roots) {
            match graph.node(node).op {
                Op::Leaf(slot) => {
                    for cell in self.slots.cells_at(slot, graph.ty(node).len()) {
                        let readers = &mut self.slots.cells[cell.index()].readers;
                        if readers.last() != Some(&id) {
                            readers.push(id);
                        }
                    }
                }
                Op::Unknown => unit.may_be_unknown = true,
                _ => {}
            }
        }
        unit.tape = Tape::compile(graph, &places, &mut self.slots.layout, &|slot| slot);
        self.units.push(unit);
    }
}
