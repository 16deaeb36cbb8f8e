//! The smooth phase of every region.

use blocks::{Leaf, Part};
use diagram::{BlockId, Diagram, Mode, Presence, RegionId, WireId};
use ir::{NodeId, Op, Slot, Tape, tangents};
use rustc_hash::{FxHashMap, FxHashSet};
use schedule::{PartId, Schedule, Step};

use crate::compose::Composer;
use crate::live::{Operands, live};
use crate::program::{CrossingKind, Program, RecordCells, Unit};
use crate::slots::Slots;
use crate::solved;

/// Composes every part of every wire in a mode, without places on the way.
pub(crate) fn compose<'a>(
    diagram: &'a Diagram,
    schedule: &'a Schedule,
    mode: Mode,
    slots: &mut Slots,
) -> Composer<'a> {
    let mut composer = Composer::new(diagram, &schedule.parts, mode);
    let steps = match mode {
        Mode::Smooth => &schedule.smooth,
        Mode::Tick => &schedule.tick,
    };
    for step in steps {
        match step {
            Step::Single(id) => {
                let node = composer.part(slots, *id);
                composer.nodes.insert(*id, node);
            }
            Step::Iterate(members) => solved::iterate(&mut composer, slots, members),
            Step::Presences { members, present } => {
                solved::presences(&mut composer, slots, members, *present);
            }
            Step::Solve { unknowns, rest } => {
                solved::solve(&mut composer, slots, unknowns, rest);
            }
        }
    }
    composer
}

/// Makes the tapes of all regions and puts the program together.
pub(crate) fn program(
    diagram: &Diagram,
    schedule: &Schedule,
    slots: Slots,
    composer: Composer,
    units: Vec<Unit>,
) -> Program {
    let mut maker = Maker::new(diagram, slots, composer);
    for region in 0..diagram.regions.len() {
        maker.region(RegionId::new(region));
    }
    let still = maker.still(schedule);
    let records = maker.records();
    let values = (0..diagram.wires.len())
        .map(|i| {
            let id = schedule.parts.id(WireId::new(i), Part::Value);
            diagram.wires[i].moving.then(|| maker.composer.nodes[&id])
        })
        .collect();
    let Maker { slots, composer, .. } = maker;
    debug_assert_eq!(ir::verify(&composer.graph, false), Ok(()));
    let mut image = slots.layout.image().to_vec();
    for (slot, data) in &slots.presets {
        image[*slot as usize..*slot as usize + data.len()].copy_from_slice(data);
    }
    Program {
        image,
        time: slots.time,
        regions: slots.regions,
        units,
        cells: slots.cells,
        states: slots.states,
        crossings: slots.crossings,
        timers: slots.timers,
        wires: slots.wires,
        records,
        still,
        guesses: slots.guesses,
        solved: solved_wires(schedule),
        graph: composer.graph,
        values,
        layout: slots.layout,
    }
}

pub(crate) fn solved_wires(schedule: &Schedule) -> Vec<WireId> {
    let mut wires = Vec::new();
    for step in schedule.smooth.iter().chain(&schedule.tick) {
        if let Step::Solve { unknowns, rest } = step {
            let members = unknowns.iter().map(|(id, _)| id).chain(rest);
            wires.extend(members.map(|id| schedule.parts.get(*id).wire));
        }
    }
    wires
}

/// Spreads from blocks that tell ticks from smooth phases to what reads them.
fn switching(diagram: &Diagram) -> Vec<bool> {
    let mut found = vec![false; diagram.wires.len()];
    loop {
        let mut changed = false;
        for block in &diagram.blocks {
            let own = block.definition.leaves.contains(&Leaf::Ticking);
            let fed = block.inputs.iter().flatten().any(|wire| found[wire.index()]);
            for wire in block.outputs.iter().filter(|_| own || fed) {
                if diagram.wire(*wire).between != Presence::Never && !found[wire.index()] {
                    found[wire.index()] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            return found;
        }
    }
}

struct Maker<'a> {
    diagram: &'a Diagram,
    slots: Slots,
    composer: Composer<'a>,
    /// Nodes that move between events, as far as they have been looked at.
    moving: FxHashSet<NodeId>,
    marked: usize,
    /// Places of time, of states, of their rates and of directions.
    moving_places: FxHashSet<Slot>,
    /// The region of each state's place, and where it is among the region's states.
    state_places: FxHashMap<Slot, (RegionId, Slot)>,
    /// For each region, the leaves that are its states, as far as they have been looked for.
    state_leaves: Vec<Vec<(NodeId, Slot, base::Type)>>,
    looked: usize,
    recorded: FxHashSet<WireId>,
    /// Wires whose value may change when a tick ends although nothing else does, as a left limit
    /// becomes the signal again.
    switching: Vec<bool>,
}

impl<'a> Maker<'a> {
    fn new(diagram: &'a Diagram, slots: Slots, composer: Composer<'a>) -> Self {
        let mut moving_places = FxHashSet::from_iter([slots.time]);
        let mut state_places = FxHashMap::default();
        for (index, region) in slots.regions.iter().enumerate() {
            for offset in 0..region.dimension as Slot {
                moving_places.extend([region.state, region.rate, region.seed].map(|s| s + offset));
                state_places.insert(region.state + offset, (RegionId::new(index), offset));
            }
        }
        Maker {
            diagram,
            composer,
            moving: FxHashSet::default(),
            marked: 0,
            moving_places,
            state_places,
            state_leaves: vec![Vec::new(); slots.regions.len()],
            looked: 0,
            recorded: diagram.records.iter().map(|record| record.wire).collect(),
            switching: switching(diagram),
            slots,
        }
    }

    fn region(&mut self, id: RegionId) {
        let blocks = self.diagram.regions[id.index()].blocks.clone();
        let rates = self.rates(id, &blocks);
        let watched = self.watched(id, &blocks);
        let left = self.left(id, &blocks);
        self.mark_moving();
        // What the rates and crossing functions need and does not move is computed once a phase.
        let roots: Vec<NodeId> =
            rates.iter().chain(&watched.0).chain(&watched.1).map(|r| r.0).collect();
        let given = self.frontier(&roots);
        let prelude: Vec<(NodeId, Slot)> =
            given.iter().map(|(node, slot)| (*node, *slot)).collect();
        let direction = self.tangent(id, &rates);
        let crossings = [watched.0.clone(), watched.1.clone()].concat();
        let live = self.live(&blocks, [&rates, &crossings, &left]);
        let composer = &self.composer;
        let layout = &mut self.slots.layout;
        let mut tape = |roots: &[(NodeId, Slot)], given: &FxHashMap<NodeId, Slot>| {
            Tape::compile_above(&composer.graph, roots, given, layout, &|slot| slot)
        };
        let none = FxHashMap::default();
        let program = &mut self.slots.regions[id.index()];
        program.prelude = tape(&prelude, &none);
        program.derivative = tape(&rates, &given);
        program.crossings = tape(&crossings, &given);
        program.slopes = tape(&watched.1, &given);
        program.left = tape(&left, &none);
        program.tangent = tape(&direction, &none);
        if let Some([rates, crossings, left]) = live {
            program.live.derivative = tape(&rates, &none);
            program.live.crossings = tape(&crossings, &none);
            program.live.left = tape(&left, &none);
        }
        let everything: Vec<NodeId> = roots.into_iter().chain(left.iter().map(|r| r.0)).collect();
        self.read_by(id, &everything);
    }

    /// Rates, crossing functions and left limits with comparisons read from values, where there are
    /// any.
    fn live(
        &mut self,
        blocks: &[BlockId],
        roots: [&Vec<(NodeId, Slot)>; 3],
    ) -> Option<[Vec<(NodeId, Slot)>; 3]> {
        let mut operands = Operands::default();
        for block in blocks {
            let flat = self.diagram.block(*block);
            for original in &flat.located {
                let site = self.slots.sites[&(*block, *original)];
                let operand = flat.smooth.graph.node(flat.smooth.placed[original]).args[0];
                let node = self.composer.inline(&self.slots, *block, operand);
                let cell = self.slots.crossings[site.first].kind == CrossingKind::Cell;
                operands.insert(site.frozen, (node, cell));
            }
        }
        let graph = &mut self.composer.graph;
        (!operands.is_empty()).then(|| roots.map(|roots| live(graph, &operands, roots)))
    }

    /// Rates of the region's states, to the places of rates.
    fn rates(&mut self, id: RegionId, blocks: &[BlockId]) -> Vec<(NodeId, Slot)> {
        let mut roots = Vec::new();
        let (state, rate) = {
            let program = &self.slots.regions[id.index()];
            (program.state, program.rate)
        };
        for block in blocks {
            let flat = self.diagram.block(*block);
            for (index, derivative) in flat.smooth.derivatives.iter().enumerate() {
                let Some(derivative) = derivative else { continue };
                let node = self.composer.inline(&self.slots, *block, *derivative);
                let cell = self.slots.states[self.slots.first_state[block.index()] + index].cell;
                let offset = self.slots.slot(cell) - state;
                // A scalar rate fills a vector of states.
                let shape = flat.definition.states[index].ty.shape;
                let node = self.composer.graph.splat(node, shape);
                roots.push((node, rate + offset));
            }
        }
        roots
    }

    /// Crossing functions to their places, and their time derivatives along the rates.
    #[allow(clippy::type_complexity)]
    fn watched(
        &mut self,
        id: RegionId,
        blocks: &[BlockId],
    ) -> (Vec<(NodeId, Slot)>, Vec<(NodeId, Slot)>) {
        let (g, g_rate) = {
            let program = &self.slots.regions[id.index()];
            (program.g, program.g_rate)
        };
        let mut values: Vec<(NodeId, Slot)> = Vec::new();
        let mut functions: Vec<(NodeId, usize)> = Vec::new();
        for block in blocks {
            let flat = self.diagram.block(*block);
            for original in &flat.located {
                let site = self.slots.sites[&(*block, *original)];
                let operand = flat.smooth.graph.node(flat.smooth.placed[original]).args[0];
                let node = self.composer.inline(&self.slots, *block, operand);
                let kind = self.slots.crossings[site.first].kind;
                for i in 0..site.ty.len() {
                    let graph = &mut self.composer.graph;
                    let element = graph.extract(node, i, base::Shape::Scalar);
                    let crossing = &self.slots.crossings[site.first + i];
                    let (_, watch) = crossing.watch.expect("a located crossing is watched");
                    match kind {
                        CrossingKind::Side => functions.push((element, watch)),
                        CrossingKind::Cell => {
                            values.push((element, crossing.value));
                            let cell = graph.leaf(site.frozen + i as Slot, base::Type::INT);
                            let low = graph.sub(element, cell);
                            let one = graph.real(1.0);
                            let high = graph.sub(low, one);
                            functions.extend([(low, watch), (high, watch + 1)]);
                        }
                    }
                }
            }
        }
        let outputs: Vec<NodeId> = functions.iter().map(|(node, _)| *node).collect();
        let slopes = self.along_the_flow(id, &outputs);
        for (node, watch) in &functions {
            values.push((*node, g + *watch as Slot));
        }
        let rates = functions
            .iter()
            .zip(slopes)
            .map(|((_, watch), slope)| (slope, g_rate + *watch as Slot))
            .collect();
        (values, rates)
    }

    /// Time derivatives of nodes, given the rates of the states at their places.
    fn along_the_flow(&mut self, id: RegionId, outputs: &[NodeId]) -> Vec<NodeId> {
        let seeds = self.state_seeds(id, self.slots.regions[id.index()].rate, true);
        let zero = self.composer.graph.real(0.0);
        let slopes = tangents(&mut self.composer.graph, &seeds, outputs);
        slopes.into_iter().map(|slope| slope.unwrap_or(zero)).collect()
    }

    /// Every state leaf of a region moves as the numbers from `from` on say; time moves too.
    fn state_seeds(&mut self, id: RegionId, from: Slot, time: bool) -> FxHashMap<NodeId, NodeId> {
        self.look_for_states();
        let mut seeds = FxHashMap::default();
        for (node, offset, ty) in self.state_leaves[id.index()].clone() {
            seeds.insert(node, self.composer.graph.leaf(from + offset, ty));
        }
        if time {
            let now = self.composer.graph.leaf(self.slots.time, base::Type::REAL);
            let one = self.composer.graph.real(1.0);
            seeds.insert(now, one);
        }
        seeds
    }

    /// Enters the leaves that have been made since the last time and are states of a region.
    fn look_for_states(&mut self) {
        let nodes = self.composer.graph.nodes();
        for (index, node) in nodes.iter().enumerate().skip(self.looked) {
            if let Op::Leaf(slot) = node.op
                && let Some((region, offset)) = self.state_places.get(&slot)
            {
                self.state_leaves[region.index()].push((NodeId::new(index), *offset, node.ty));
            }
        }
        self.looked = nodes.len();
    }

    /// The derivative of the rates in a direction, for implicit methods.
    fn tangent(&mut self, id: RegionId, rates: &[(NodeId, Slot)]) -> Vec<(NodeId, Slot)> {
        let program = &self.slots.regions[id.index()];
        let (rate, column, seed) = (program.rate, program.column, program.seed);
        let seeds = self.state_seeds(id, seed, false);
        let outputs: Vec<NodeId> = rates.iter().map(|(node, _)| *node).collect();
        let moved = tangents(&mut self.composer.graph, &seeds, &outputs);
        rates
            .iter()
            .zip(moved)
            .map(|((node, slot), tangent)| {
                let graph = &mut self.composer.graph;
                let tangent = tangent.unwrap_or_else(|| graph.filled(graph.ty(*node), 0.0));
                (tangent, column + (slot - rate))
            })
            .collect()
    }

    /// Wires that move and are read at ticks or recorded, and memories of the left limit.
    fn left(&mut self, id: RegionId, blocks: &[BlockId]) -> Vec<(NodeId, Slot)> {
        let mut roots = Vec::new();
        for block in blocks {
            let flat = self.diagram.block(*block);
            for wire in &flat.outputs {
                let recorded = self.recorded.contains(wire);
                self.slots.regions[id.index()].recorded |= recorded;
                let cell = self.slots.part(*wire, Part::Value);
                let read = !self.slots.cells[cell.index()].readers.is_empty();
                let switches = self.switching[wire.index()];
                if (self.diagram.wire(*wire).moving || switches) && (recorded || read) {
                    let part = self.composer.parts.id(*wire, Part::Value);
                    roots.push((self.composer.nodes[&part], self.slots.slot(cell)));
                    self.slots.regions[id.index()].wires.push(*wire);
                }
                for order in 1..=self.diagram.wire(*wire).derivatives {
                    let cell = self.slots.part(*wire, Part::Derivative(order));
                    if !self.slots.cells[cell.index()].readers.is_empty() {
                        let part = self.composer.parts.id(*wire, Part::Derivative(order));
                        roots.push((self.composer.nodes[&part], self.slots.slot(cell)));
                    }
                }
                if switches {
                    let part = self.composer.parts.id(*wire, Part::Present);
                    let cell = self.slots.part(*wire, Part::Present);
                    roots.push((self.composer.nodes[&part], self.slots.slot(cell)));
                }
            }
            for (index, next) in flat.smooth.nexts.iter().enumerate() {
                let node = self.composer.inline(&self.slots, *block, *next);
                let state = self.slots.first_state[block.index()] + index;
                let own = self.slots.slot(self.slots.states[state].cell);
                if matches!(self.composer.graph.node(node).op, Op::Leaf(key) if key == own) {
                    continue;
                }
                let slot = self.slots.layout.reserve(self.composer.graph.ty(node).len());
                roots.push((node, slot));
                self.slots.regions[id.index()].memories.push((slot, state));
            }
        }
        let in_region = |part: PartId| {
            let wire = self.diagram.wire(self.composer.parts.get(part).wire);
            self.diagram.block(wire.block).region == id
        };
        let solutions = self.composer.solutions.iter().filter(|(part, ..)| in_region(*part));
        roots.extend(solutions.map(|(_, node, slot)| (*node, *slot)));
        roots
    }

    /// Marks the nodes that depend on time or on a continuous state.
    fn mark_moving(&mut self) {
        let graph = &self.composer.graph;
        for index in self.marked..graph.nodes().len() {
            let node = &graph.nodes()[index];
            let moves = match node.op {
                Op::Leaf(slot) => self.moving_places.contains(&slot),
                _ => node.args.iter().any(|arg| self.moving.contains(arg)),
            };
            if moves {
                self.moving.insert(NodeId::new(index));
            }
        }
        self.marked = graph.nodes().len();
    }

    /// Nodes that do not move and that moving ones use, each with a place.
    fn frontier(&mut self, roots: &[NodeId]) -> FxHashMap<NodeId, Slot> {
        let graph = &self.composer.graph;
        let still = |id: NodeId| {
            let plain = matches!(graph.node(id).op, Op::Leaf(_) | Op::Const(_));
            !plain && !self.moving.contains(&id)
        };
        let mut order = Vec::new();
        for id in graph.reachable_above(roots, &still) {
            if still(id) {
                order.push(id);
            }
        }
        let layout = &mut self.slots.layout;
        order.into_iter().map(|id| (id, layout.reserve(graph.ty(id).len()))).collect()
    }

    /// Enters a region as a reader of what its smooth functions read.
    fn read_by(&mut self, id: RegionId, roots: &[NodeId]) {
        let graph = &self.composer.graph;
        for node in graph.reachable(roots) {
            match graph.node(node).op {
                Op::Leaf(slot) => {
                    for cell in self.slots.cells_at(slot, graph.ty(node).len()) {
                        let regions = &mut self.slots.cells[cell.index()].regions;
                        if !regions.contains(&id) {
                            regions.push(id);
                        }
                    }
                }
                Op::Unknown => self.slots.regions[id.index()].may_be_unknown = true,
                _ => {}
            }
        }
    }

    /// Everything that does not move, evaluated at the start; ticks keep it up to date.
    fn still(&mut self, schedule: &Schedule) -> Tape {
        let mut roots = Vec::new();
        for (index, wire) in self.diagram.wires.iter().enumerate() {
            let id = WireId::new(index);
            let mut parts = vec![Part::Present];
            if !wire.moving && wire.between != Presence::Never {
                parts.push(Part::Value);
            }
            for part in parts {
                let node = self.composer.nodes[&schedule.parts.id(id, part)];
                roots.push((node, self.slots.slot(self.slots.part(id, part))));
            }
        }
        Tape::compile(&self.composer.graph, &roots, &mut self.slots.layout, &|slot| slot)
    }

    fn records(&self) -> Vec<RecordCells> {
        let record = |record: &diagram::Record| {
            let wire = self.diagram.wire(record.wire);
            let cells = &self.slots.wires[record.wire.index()];
            RecordCells {
                name: record.name.clone(),
                ty: wire.ty,
                value: self.slots.slot(cells.value),
                present: self.slots.slot(cells.present),
                impulses: cells.impulses.iter().map(|cell| self.slots.slot(*cell)).collect(),
                region: self.diagram.block(wire.block).region,
            }
        };
        self.diagram.records.iter().map(record).collect()
    }
}
