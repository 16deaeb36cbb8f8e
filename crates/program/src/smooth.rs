//! Makes the smooth phase of every region.

mod combined;
mod functions;
mod moving;
mod readings;

use base::Table;
use blocks::{Leaf, Part};
use diagram::{BlockId, Diagram, Presence, RegionId, WireId};
use ir::{Graph, NodeId, Op, Slot, Tape};
use rustc_hash::{FxHashMap, FxHashSet};
use schedule::Schedule;

use crate::compose::Composer;
use crate::delay_line::{DelayLine, LineId, ReadingStage};
use crate::jacobian::Partials;
use crate::kinks;
use crate::live::{Copier, Operands};
use crate::program::Extras;
use crate::rates::roots_of;
use crate::region::{Crossing, CrossingKind, MaySlide, Memory};
use crate::slots::Slots;
use crate::tracked::RecordSlots;

/// A node, its slot, and the condition under which it is needed.
pub(crate) type Root = (NodeId, Slot, u32);

/// What the regions of a diagram run between events.
pub(crate) struct Smooth {
    /// The layout, with the tapes of every region.
    pub slots: Slots,
    /// All functions between events.
    pub graph: Graph,
    /// Computes the signals that do not move; runs once at the start.
    pub still: Tape,
    pub records: Vec<RecordSlots>,
    /// For each wire that moves, the node of its value.
    pub values: Table<WireId, Option<NodeId>>,
}

/// Makes the tapes of all regions.
pub(crate) fn regions(
    diagram: &Diagram,
    schedule: &Schedule,
    slots: Slots,
    composer: Composer,
    transition_wires: FxHashSet<WireId>,
    extras: Extras,
) -> Smooth {
    let mut maker = Maker::new(diagram, slots, composer, transition_wires);
    maker.extras = extras;
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
    Smooth { slots, graph: composer.graph, still, records, values }
}

/// Marks the wires of blocks that distinguish ticks from smooth phases, and everything that reads
/// them.
fn switching(diagram: &Diagram) -> Vec<bool> {
    let mut found = vec![false; diagram.wires.len()];
    let mut readers: FxHashMap<WireId, Vec<usize>> = FxHashMap::default();
    let mut spreading: Vec<usize> = Vec::new();
    for (index, block) in diagram.blocks.iter().enumerate() {
        if block.definition.leaves.contains(&Leaf::Ticking) {
            spreading.push(index);
        }
        for wire in block.inputs.iter().flatten() {
            readers.entry(*wire).or_default().push(index);
        }
    }
    while let Some(index) = spreading.pop() {
        for wire in &diagram.blocks[index].outputs {
            let lasts = diagram.wire(*wire).between != Presence::Never;
            if lasts && !std::mem::replace(&mut found[wire.index()], true) {
                spreading.extend(readers.get(wire).into_iter().flatten());
            }
        }
    }
    found
}

struct Maker<'a> {
    diagram: &'a Diagram,
    slots: Slots,
    composer: Composer<'a>,
    /// Nodes that move between events, among those examined so far.
    moving: FxHashSet<NodeId>,
    marked: usize,
    /// Slots of sides along which the motion may slide.
    sliding: FxHashSet<Slot>,
    /// Slots of time, of states, of their rates and of these sides.
    moving_places: FxHashSet<Slot>,
    /// For the slot of each state, the region and the index among the region's states.
    state_places: FxHashMap<Slot, (RegionId, usize)>,
    /// For each region, the leaves that are its states, among those found so far.
    state_leaves: Vec<Vec<(NodeId, usize, base::Type)>>,
    looked: usize,
    /// For each delayed value that moves, the region and the slot of its slope, and for each region
    /// the leaves that are delayed.
    slope_places: FxHashMap<Slot, (RegionId, Slot)>,
    delayed_leaves: Vec<Vec<(NodeId, Slot, base::Type)>>,
    /// The indices of the solved loops of each region.
    solutions: Vec<Vec<usize>>,
    recorded: FxHashSet<WireId>,
    watched: FxHashSet<WireId>,
    /// Wires that a delay line reads.
    delayed: FxHashSet<WireId>,
    /// Wires whose value may change when a tick ends although nothing else does, since a left limit
    /// becomes the signal again.
    switching: Vec<bool>,
    /// Wires that transitions read.
    transition_wires: FxHashSet<WireId>,
    extras: Extras,
}

/// The slots of what moves between events, as in [`Maker`].
struct MovingPlaces {
    moving_places: FxHashSet<Slot>,
    state_places: FxHashMap<Slot, (RegionId, usize)>,
    slope_places: FxHashMap<Slot, (RegionId, Slot)>,
    sliding: FxHashSet<Slot>,
}

impl MovingPlaces {
    fn of(slots: &Slots) -> MovingPlaces {
        let mut moving_places = FxHashSet::from_iter([slots.time]);
        moving_places.extend(slots.clocks.values().map(|clock| clock.rest));
        let mut state_places = FxHashMap::default();
        for (id, region) in slots.regions.entries() {
            for offset in 0..region.dimension {
                moving_places.extend([region.state, region.rate].map(|s| s.plus(offset)));
                state_places.insert(region.state.plus(offset), (id, offset));
            }
        }
        let may_slide = |crossing: &&Crossing| crossing.sliding == MaySlide::Yes;
        let crossings = slots.crossings.iter().filter(may_slide);
        let sliding: FxHashSet<Slot> =
            crossings.map(|crossing| slots.slot(crossing.frozen)).collect();
        // What a side selects moves while the motion slides along it.
        moving_places.extend(&sliding);
        let mut slope_places = FxHashMap::default();
        for track in slots.lines.iter().filter_map(|line| line.track) {
            for offset in 0..track.width {
                let (place, slope) = (track.place.plus(offset), track.slope.plus(offset));
                moving_places.extend([place, slope]);
                slope_places.insert(place, (track.region, slope));
            }
        }
        moving_places.extend(slots.lines.iter().filter_map(|line| line.reading).map(|r| r.read));
        MovingPlaces { moving_places, state_places, slope_places, sliding }
    }
}

impl<'a> Maker<'a> {
    fn new(
        diagram: &'a Diagram,
        slots: Slots,
        composer: Composer<'a>,
        transition_wires: FxHashSet<WireId>,
    ) -> Self {
        let MovingPlaces { moving_places, state_places, slope_places, sliding } =
            MovingPlaces::of(&slots);
        let pasts = diagram.blocks.iter().flat_map(|block| {
            (0..block.definition.histories.len()).map(|history| block.past(history))
        });
        let mut solutions: Vec<Vec<usize>> = vec![Vec::new(); slots.regions.len()];
        for (index, (part, ..)) in composer.solutions.iter().enumerate() {
            let wire = diagram.wire(composer.parts.get(*part).wire);
            solutions[diagram.block(wire.block).region.index()].push(index);
        }
        let hidden = diagram.records.iter().filter(|record| record.hidden);
        Maker {
            solutions,
            delayed: pasts.collect(),
            slope_places,
            delayed_leaves: vec![Vec::new(); slots.regions.len()],
            diagram,
            composer,
            moving: FxHashSet::default(),
            marked: 0,
            sliding,
            moving_places,
            state_places,
            state_leaves: vec![Vec::new(); slots.regions.len()],
            looked: 0,
            recorded: diagram.records.iter().map(|record| record.wire).collect(),
            watched: hidden.map(|record| record.wire).collect(),
            switching: switching(diagram),
            transition_wires,
            slots,
            extras: Extras::default(),
        }
    }

    // All tapes of a region, which share what is found out first: a list, and so longer than a
    // function should otherwise be.
    fn region(&mut self, id: RegionId) {
        let blocks = self.diagram.regions[id.index()].blocks.clone();
        let rates = roots_of(&mut self.composer, &self.slots, id, &blocks);
        let watched = self.watched(id, &blocks);
        self.know_functions(id, &watched, &rates);
        let left = self.left(id, &blocks);
        let sample = self.sample(id);
        let complete = self.complete(id, &blocks);
        let plain =
            [rates.clone(), watched.0.clone(), watched.1.clone(), left.clone(), sample.clone()];
        let readings = self.readings(id);
        self.follow_kinks(id, &rates, &plain.concat());
        let [left, sample] = self.observe([left, sample]);
        self.slots.regions[id].combined = self.combined(&left);
        let partials = self.partials(id, &rates);
        self.slots.regions[id].timed = self.reads_time(&rates);
        self.mark_moving();
        // Inputs of the rates and crossing functions that do not move are computed once per phase.
        let crossings = [watched.0.clone(), watched.1.clone()].concat();
        let derivatives = partials.as_ref().map_or(Vec::new(), Partials::wanted);
        let given = self.frontier(&[rates.clone(), crossings.clone(), derivatives].concat());
        let prelude: Vec<Root> = given.iter().map(|(node, (slot, g))| (*node, *slot, *g)).collect();
        let given: FxHashMap<NodeId, Slot> =
            given.iter().map(|(node, (slot, _))| (*node, *slot)).collect();
        let jacobian = partials.map(|partials| {
            let Maker { composer, slots, .. } = self;
            partials.place(&composer.graph, &mut slots.layout, &given)
        });
        let live = self.live(&blocks, [&rates, &crossings, &left, &sample]);
        let composer = &self.composer;
        let (layout, guards) = (&mut self.slots.layout, &self.slots.guards);
        let mut tape = |roots: &[Root], given: &FxHashMap<NodeId, Slot>| {
            Tape::compile_guarded(&composer.graph, roots, given, guards, layout, &Slot)
        };
        let none = FxHashMap::default();
        let program = &mut self.slots.regions[id];
        program.prelude = tape(&prelude, &none);
        program.derivative = tape(&rates, &given);
        program.crossings = tape(&crossings, &given);
        program.slopes = tape(&watched.1, &given);
        program.left = tape(&left, &none);
        program.sample = tape(&sample, &none);
        program.complete = tape(&complete, &none);
        program.readings = readings
            .into_iter()
            .map(|(roots, lines)| ReadingStage { tape: tape(&roots, &none), lines })
            .collect();
        program.jacobian = jacobian.map(|(mut jacobian, roots)| {
            jacobian.tape = tape(&roots, &given);
            jacobian
        });
        if let Some([rates, crossings, left, sample]) = live {
            program.live.derivative = tape(&rates, &none);
            program.live.crossings = tape(&crossings, &none);
            program.live.left = tape(&left, &none);
            program.live.sample = tape(&sample, &none);
        }
        let all = rates.iter().chain(&crossings).chain(&left).chain(&sample).chain(&complete);
        self.read_by(id, &all.map(|root| root.0).collect::<Vec<_>>());
    }

    /// Whether any of these depends on time itself.
    fn reads_time(&self, roots: &[Root]) -> bool {
        let (graph, time) = (&self.composer.graph, self.slots.time);
        let nodes: Vec<NodeId> = roots.iter().map(|root| root.0).collect();
        let is_time =
            |id: &NodeId| matches!(graph.node(*id).op, Op::Leaf(own) if Slot(own) == time);
        graph.reachable(&nodes).iter().any(is_time)
    }

    /// The condition under which the results of a block are needed.
    fn guard(&self, block: BlockId) -> u32 {
        self.diagram.block(block).fragment.0
    }

    /// What blocks ask at the end of steps, to slots of their own.
    fn complete(&mut self, id: RegionId, blocks: &[BlockId]) -> Vec<Root> {
        let mut roots = Vec::new();
        for block in blocks {
            let flat = self.diagram.block(*block);
            let asked = flat.definition.completions.iter().zip(&flat.smooth.completions);
            for (own, node) in asked {
                let node = self.composer.inline(&self.slots, *block, *node);
                let slot = self.slots.layout.reserve(1);
                let timer = self.slots.first_timer[block.index()].plus(own.timer);
                self.slots.regions[id].completions.push((slot, timer));
                roots.push((node, slot, self.guard(*block)));
            }
        }
        roots
    }

    /// The inputs of the region's delay lines, to the slots of samples.
    fn sample(&mut self, id: RegionId) -> Vec<Root> {
        let width = self.slots.regions[id].sample_width;
        let samples = self.slots.layout.reserve(width);
        self.slots.regions[id].samples = samples;
        let mut roots = Vec::new();
        let mut end = samples;
        for line in &self.slots.regions[id].lines {
            let line = &self.slots.lines[*line];
            let Some(track) = line.track else { continue };
            let past = &self.slots.regions[id].pasts[track.past];
            let mut at = samples.plus(past.offset + track.offset);
            // Another delay line already samples the same input.
            if at < end {
                continue;
            }
            for (node, length) in self.sampled(line) {
                roots.push((node, at, self.guard(line.block)));
                at = at.plus(length);
            }
            end = at;
        }
        roots
    }

    /// The inputs of a delay line, and the number of values of each part.
    fn sampled(&self, line: &DelayLine) -> impl Iterator<Item = (NodeId, usize)> {
        line.from.iter().filter_map(|tracked| {
            let tracked = &self.slots.tracked[*tracked];
            let (wire, part @ (Part::Value | Part::Derivative(_))) = tracked.part? else {
                return None;
            };
            let node = self.composer.nodes[&self.composer.parts.id(wire, part)];
            Some((node, tracked.length))
        })
    }

    /// Finds where the kinks of a region's delayed signals propagate to; what depends on a solved
    /// loop is not followed.
    fn follow_kinks(&mut self, id: RegionId, rates: &[Root], read: &[Root]) {
        let region = &self.slots.regions[id];
        if region.lines.is_empty() || !self.solutions[id.index()].is_empty() {
            return;
        }
        let of = |line: LineId| {
            let nodes = self.sampled(&self.slots.lines[line]);
            nodes.map(move |(node, _)| (node, line))
        };
        let samples: Vec<(NodeId, LineId)> = region.lines.iter().copied().flat_map(of).collect();
        let read: Vec<NodeId> = read.iter().map(|root| root.0).collect();
        let lines = &self.slots.lines;
        let found = kinks::find(&self.composer.graph, (region, lines), rates, &samples, &read);
        for (line, kinks) in region.lines.clone().into_iter().zip(found) {
            self.slots.lines[line].kinks = kinks;
        }
    }

    /// Rates, crossing functions, left limits and samples with comparisons read from values, if
    /// there are any comparisons.
    fn live(&mut self, blocks: &[BlockId], roots: [&Vec<Root>; 4]) -> Option<[Vec<Root>; 4]> {
        let mut operands = Operands::default();
        for block in blocks {
            let flat = self.diagram.block(*block);
            for original in &flat.located {
                let site = self.slots.sites[&(*block, *original)];
                let operand = flat.smooth.graph.node(flat.smooth.placed[original]).args[0];
                let node = self.composer.inline(&self.slots, *block, operand);
                if !site.ty.shape.is_empty() {
                    let floor = self.slots.crossings[site.first].kind == CrossingKind::Floor;
                    operands.insert(site.frozen, (node, floor));
                }
            }
        }
        let mut copier = Copier::new(&mut self.composer.graph, &operands);
        (!operands.is_empty()).then(|| roots.map(|roots| copier.roots(roots)))
    }

    /// Roots as they are observed at accepted points.
    fn observe(&mut self, roots: [Vec<Root>; 2]) -> [Vec<Root>; 2] {
        let graph = &self.composer.graph;
        let nodes: Vec<NodeId> = roots.iter().flatten().map(|root| root.0).collect();
        let is_observed = |id: &NodeId| matches!(graph.node(*id).op, Op::Observed(_));
        if !graph.reachable(&nodes).iter().any(is_observed) {
            return roots;
        }
        let none = Operands::default();
        let mut copier = Copier::observer(&mut self.composer.graph, &none);
        roots.map(|roots| copier.roots(&roots))
    }

    /// Crossing functions with their slots, and their time derivatives along the rates.
    fn watched(&mut self, id: RegionId, blocks: &[BlockId]) -> (Vec<Root>, Vec<Root>) {
        let (g, g_rate) = {
            let program = &self.slots.regions[id];
            (program.g, program.g_rate)
        };
        let mut values: Vec<Root> = Vec::new();
        let mut functions: Vec<(NodeId, usize, u32)> = Vec::new();
        for block in blocks {
            let guard = self.guard(*block);
            let flat = self.diagram.block(*block);
            for original in &flat.located {
                let site = self.slots.sites[&(*block, *original)];
                let operand = flat.smooth.graph.node(flat.smooth.placed[original]).args[0];
                let node = self.composer.inline(&self.slots, *block, operand);
                // An empty vector has nothing to watch.
                let Some(first) = self.slots.crossings.get(site.first) else { continue };
                let kind = first.kind;
                for i in 0..site.ty.len() {
                    let graph = &mut self.composer.graph;
                    let element = graph.extract(node, i, base::Shape::Scalar);
                    let crossing = &self.slots.crossings[site.first.plus(i)];
                    let watch = crossing.watch.expect("a located crossing is watched").index;
                    match kind {
                        CrossingKind::Sign => functions.push((element, watch, guard)),
                        CrossingKind::Floor => {
                            values.push((element, crossing.value, guard));
                            let floor = graph.leaf(site.frozen.plus(i).0, base::Type::INT);
                            let low = graph.sub(element, floor);
                            let one = graph.real(1.0);
                            let high = graph.sub(low, one);
                            functions.extend([(low, watch, guard), (high, watch + 1, guard)]);
                        }
                    }
                }
            }
        }
        let outputs: Vec<NodeId> = functions.iter().map(|(node, ..)| *node).collect();
        let slopes = self.along_the_flow(id, &outputs);
        for (node, watch, guard) in &functions {
            values.push((*node, g.plus(*watch), *guard));
        }
        let rates = functions
            .iter()
            .zip(slopes)
            .map(|((_, watch, guard), slope)| (slope, g_rate.plus(*watch), *guard))
            .collect();
        (values, rates)
    }

    /// Wires that move and are read at ticks or recorded, and memories of left limits.
    fn left(&mut self, id: RegionId, blocks: &[BlockId]) -> Vec<Root> {
        let mut roots = Vec::new();
        for block in blocks.iter().filter(|block| !self.diagram.block(**block).passive) {
            let guard = self.guard(*block);
            let flat = self.diagram.block(*block);
            for wire in &flat.outputs {
                let recorded = self.recorded.contains(wire);
                self.slots.regions[id].recorded |= recorded;
                self.slots.regions[id].watched |= self.watched.contains(wire);
                let tracked = self.slots.part(*wire, Part::Value);
                let delayed = self.delayed.contains(wire);
                let readers = &self.slots.tracked[tracked].readers;
                let read = delayed || !readers.is_empty() || self.transition_wires.contains(wire);
                let switches = self.switching[wire.index()];
                let moves = self.diagram.wire(*wire).moving || self.diagram.wire(*wire).slides;
                if (moves || switches) && (recorded || read) {
                    let part = self.composer.parts.id(*wire, Part::Value);
                    roots.push((self.composer.nodes[&part], self.slots.slot(tracked), guard));
                    self.slots.regions[id].wires.push(*wire);
                }
                for order in 1..=self.diagram.wire(*wire).derivatives {
                    let tracked = self.slots.part(*wire, Part::Derivative(order));
                    if delayed || !self.slots.tracked[tracked].readers.is_empty() {
                        let part = self.composer.parts.id(*wire, Part::Derivative(order));
                        roots.push((self.composer.nodes[&part], self.slots.slot(tracked), guard));
                    }
                }
                if switches {
                    let part = self.composer.parts.id(*wire, Part::Present);
                    let tracked = self.slots.part(*wire, Part::Present);
                    roots.push((self.composer.nodes[&part], self.slots.slot(tracked), guard));
                }
            }
            for (index, next) in flat.smooth.nexts.iter().enumerate() {
                let node = self.composer.inline(&self.slots, *block, *next);
                let state = self.slots.first_state[block.index()].plus(index);
                let own = self.slots.slot(self.slots.states[state].tracked);
                if matches!(self.composer.graph.node(node).op, Op::Leaf(key) if Slot(key) == own) {
                    continue;
                }
                let slot = self.slots.layout.reserve(self.composer.graph.ty(node).len());
                roots.push((node, slot, guard));
                let memory = Memory { from: slot, state, fragment: flat.fragment };
                self.slots.regions[id].memories.push(memory);
            }
        }
        roots.extend(self.solutions[id.index()].iter().map(|at| {
            let (part, node, slot) = self.composer.solutions[*at];
            let wire = self.diagram.wire(self.composer.parts.get(part).wire);
            (node, slot, self.guard(wire.block))
        }));
        roots
    }

    /// Computes everything that does not move, at the start; ticks keep it up to date.
    fn still(&mut self, schedule: &Schedule) -> Tape {
        let mut roots = Vec::new();
        for (index, wire) in self.diagram.wires.iter().enumerate() {
            let id = WireId::new(index);
            if self.diagram.block(wire.block).passive {
                continue;
            }
            let mut parts = vec![Part::Present];
            if !wire.moving && wire.between != Presence::Never {
                parts.push(Part::Value);
            }
            for part in parts {
                let node = self.composer.nodes[&schedule.parts.id(id, part)];
                let slot = self.slots.slot(self.slots.part(id, part));
                roots.push((node, slot, self.guard(wire.block)));
            }
        }
        let (layout, guards) = (&mut self.slots.layout, &self.slots.guards);
        let none = FxHashMap::default();
        Tape::compile_guarded(&self.composer.graph, &roots, &none, guards, layout, &Slot)
    }

    fn records(&self) -> Vec<RecordSlots> {
        let record = |record: &diagram::Record| {
            let wire = self.diagram.wire(record.wire);
            let parts = &self.slots.wires[record.wire];
            // The mean of integers is a real number.
            let mean = wire.slides && wire.ty.elem == base::Elem::Int;
            RecordSlots {
                name: record.name.clone(),
                ty: if mean { wire.ty.with_elem(base::Elem::Real) } else { wire.ty },
                value: self.slots.slot(parts.value),
                present: self.slots.slot(parts.present),
                impulses: parts.impulses.iter().map(|impulse| self.slots.slot(*impulse)).collect(),
                region: self.diagram.block(wire.block).region,
                hidden: record.hidden,
            }
        };
        self.diagram.records.iter().map(record).collect()
    }
}
