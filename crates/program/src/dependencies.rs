//! What the results of a diagram are computed from, read off its functions.
//!
//! A scheduled diagram and its program come in; out go, for each recorded signal, rate and watched
//! function, the names of the numbers from outside that may change it: at an instant, where all that
//! was decided before is frozen, or at the start, with the events there. A list may name too many
//! and never too few. Nothing here looks at values.

use base::ParameterId;
use blocks::{InputKind, Part};
use diagram::{BlockId, Diagram, Phase, RegionId};
use ir::{Graph, Moves, Names, NodeId, Op, Slot, readings};
use rustc_hash::FxHashMap;
use schedule::Schedule;

use crate::compose::{Composer, GivenPart, compose_into};
use crate::inputs::{InputId, InputProgram};
use crate::program::Program;
use crate::rates::roots_of;
use crate::region::RegionProgram;
use crate::slots::Slots;
use crate::tracked::TrackedId;

/// More names than this in all lists together are not gathered.
const MOST: usize = 4_000_000;

/// Sides that depend on sides are followed through so many of them.
const ROUNDS: usize = 50;

/// A number from outside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Known {
    /// The time.
    Time,
    /// A continuous state, by its index among those of all regions.
    State(usize),
    /// An element of a signal from outside, tunable parameters among them.
    Input(InputId, usize),
    /// A value that each run computes from parameters.
    Parameter(ParameterId),
}

/// When dependencies are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instant {
    /// At an instant of a run, in or between events.
    Any,
    /// At the start: states are what they begin with, and what the events there make of them.
    Start,
}

/// For each result, what it is computed from, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Dependencies {
    /// For each recorded signal, those of its elements.
    pub records: Vec<Vec<Vec<Known>>>,
    /// For each continuous state, those of its initial value; at the start only.
    pub states: Vec<Vec<Known>>,
    /// For each continuous state, those of its rate.
    pub rates: Vec<Vec<Known>>,
    /// For each watched function of all regions.
    pub watches: Vec<Vec<Known>>,
}

/// Finds the dependencies of a diagram; none if they are too many, or decided by what cannot be
/// followed.
pub fn dependencies(
    diagram: &Diagram,
    schedule: &Schedule,
    program: &Program,
    when: Instant,
) -> Option<Dependencies> {
    // What transitions do at the start depends on their order.
    if when == Instant::Start && !program.machines.is_empty() {
        return None;
    }
    let phases = [Phase::Smooth, Phase::Tick];
    let phases = phases.map(|phase| composed(diagram, schedule, program, phase));
    let mut search =
        Search { diagram, program, when, phases, names: Vec::new(), of: FxHashMap::default() };
    search.name_everything();
    let edges = search.edges();
    for _ in 0..ROUNDS {
        let [smooth, tick] = search.found()?;
        if !search.follow(&edges, &[&smooth, &tick]) {
            return Some(search.listed(&smooth, &tick));
        }
    }
    None
}

/// The functions of a phase, with signals from outside as numbers of their own.
fn composed<'a>(
    diagram: &'a Diagram,
    schedule: &'a Schedule,
    program: &Program,
    phase: Phase,
) -> Functions<'a> {
    // The first slots that are allocated are the same as in the program.
    let mut slots = Slots::new(diagram);
    let mut composer = Composer::new(diagram, &schedule.parts, phase);
    // The polynomial of a continuous input is its value now, whatever the time is.
    let continuous = |own: &&InputProgram| own.kind == InputKind::Continuous;
    for input in program.inputs.iter().filter(continuous) {
        let wire = diagram.block(input.block).outputs[0];
        let value = slots.slot(program.states[input.value(0)].tracked);
        composer.given.insert(schedule.parts.id(wire, Part::Value), GivenPart::Replaced(value));
    }
    // What transitions write is there when a microstep begins.
    let passive = diagram.blocks.iter().filter(|block| block.passive);
    for wire in passive.flat_map(|block| block.outputs.iter().copied()) {
        let all = [Part::Value, Part::Present];
        for part in if phase == Phase::Tick { &all[..] } else { &[] } {
            let slot = slots.slot(slots.part(wire, *part));
            composer.given.insert(schedule.parts.id(wire, *part), GivenPart::Replaced(slot));
        }
    }
    let mut composer = compose_into(composer, schedule, &mut slots);
    let mut rates = Vec::new();
    let mut operands = Vec::new();
    for (index, region) in diagram.regions.iter().enumerate() {
        let id = RegionId::new(index);
        if phase == Phase::Smooth {
            rates.extend(roots_of(&mut composer, &slots, id, &region.blocks));
        }
    }
    let mut nexts = Vec::new();
    for (index, flat) in diagram.blocks.iter().enumerate() {
        let block = BlockId::new(index);
        let functions = composer.functions(block);
        for original in &flat.located {
            let Some(placed) = functions.placed.get(original) else { continue };
            let operand = functions.graph.node(*placed).args[0];
            let node = composer.inline(&slots, block, operand);
            let site = slots.sites[&(block, *original)];
            operands.push((node, site.frozen, site.first, site.ty.len()));
        }
        if phase == Phase::Tick && !flat.passive {
            for (number, next) in flat.tick.nexts.iter().enumerate() {
                let node = composer.inline(&slots, block, *next);
                let state = slots.first_state[index].plus(number);
                nexts.push((node, program.states[state].tracked));
            }
        }
    }
    let rates = rates.into_iter().map(|(node, slot, _)| (node, slot)).collect();
    Functions { slots, composer, rates, operands, nexts }
}

/// The functions of a diagram in one phase.
struct Functions<'a> {
    slots: Slots,
    composer: Composer<'a>,
    rates: Vec<(NodeId, Slot)>,
    /// The operands of sides and floors: the node, the first slot of what is frozen, the first
    /// crossing, and the number of elements.
    operands: Vec<(NodeId, Slot, crate::region::CrossingId, usize)>,
    /// New values of states at ticks.
    nexts: Vec<(NodeId, TrackedId)>,
}

impl Functions<'_> {
    fn roots(&self) -> Vec<NodeId> {
        let parts = self.composer.nodes.values().copied();
        let rates = self.rates.iter().map(|own| own.0);
        let operands = self.operands.iter().map(|own| own.0);
        parts.chain(rates).chain(operands).chain(self.nexts.iter().map(|own| own.0)).collect()
    }

    fn part(&self, wire: diagram::WireId, part: Part) -> Option<NodeId> {
        self.composer.nodes.get(&self.composer.parts.id(wire, part)).copied()
    }
}

type Found = FxHashMap<NodeId, Moves>;

/// Names that flow from a node or a place to places.
enum Edge {
    /// The elements of a node of a phase to places from a slot on; a scalar to all of them.
    Node { phase: usize, node: NodeId, to: Slot, length: usize },
    /// Places to places.
    Places { from: Slot, to: Slot, lengths: [usize; 2] },
}

struct Search<'a> {
    diagram: &'a Diagram,
    program: &'a Program,
    when: Instant,
    phases: [Functions<'a>; 2],
    /// The meaning of each name.
    names: Vec<Known>,
    /// For each slot that something is computed from, its names.
    of: FxHashMap<Slot, Names>,
}

impl Search<'_> {
    fn name(&mut self, known: Known) -> Names {
        self.names.push(known);
        Names::from([(self.names.len() - 1) as u32])
    }

    /// Names what comes from outside.
    fn name_everything(&mut self) {
        let program = self.program;
        let time = self.name(Known::Time);
        let slots = &self.phases[0].slots;
        let mut timed = vec![program.time, slots.step];
        timed.extend(program.timers.iter().flat_map(|timer| {
            [timer.woken, timer.wakings].map(|tracked| program.tracked(tracked).slot)
        }));
        let tracked = |id: &TrackedId| program.tracked(*id).range();
        let delayed = program.lines.iter().flat_map(|line| line.to.iter()).flat_map(tracked);
        if self.when == Instant::Any {
            timed.extend(delayed.map(|place| Slot(place as u32)));
        }
        self.of.extend(timed.into_iter().map(|slot| (slot, time.clone())));
        if self.when == Instant::Any {
            let mut index = 0;
            for region in &program.regions {
                for place in region.state.slots(region.dimension).iter() {
                    let name = self.name(Known::State(index));
                    self.of.insert(place, name);
                    index += 1;
                }
            }
        }
        for (id, input) in program.inputs.entries() {
            let of_element: Vec<Names> =
                (0..input.length).map(|element| self.name(Known::Input(id, element))).collect();
            for state in input.states().filter(|own| Some(*own) != input.origin()) {
                let range = program.tracked(program.states[state].tracked).range();
                let alone = input.present() == Some(state);
                for (element, place) in range.enumerate() {
                    let name = &of_element[if alone { 0 } else { element }];
                    self.of.insert(Slot(place as u32), name.clone());
                }
            }
        }
        if self.when == Instant::Start {
            self.name_parameters();
        }
    }

    /// Names values of parameters, where numbers and states begin with them.
    fn name_parameters(&mut self) {
        let program = self.program;
        let mut of: FxHashMap<ParameterId, Names> = FxHashMap::default();
        let mut add = |own: &mut Self, id: ParameterId, places: std::ops::Range<usize>| {
            let name = match of.get(&id) {
                Some(name) => name.clone(),
                None => own.name(Known::Parameter(id)),
            };
            of.insert(id, name.clone());
            for place in places {
                own.add(Slot(place as u32), &name);
            }
        };
        for own in &program.parameters {
            add(self, own.id, own.slot.range(own.length));
        }
        for state in &program.states {
            if let Some(id) = state.open {
                add(self, id, program.tracked(state.tracked).range());
            }
        }
        for line in program.lines.iter() {
            if let Some(id) = line.open {
                line.to.iter().for_each(|to| add(self, id, program.tracked(*to).range()));
            }
        }
        let diagram = self.diagram;
        for timer in program.timers.iter() {
            for id in &diagram.block(timer.block).definition.at_start {
                for tracked in [timer.woken, timer.wakings] {
                    add(self, *id, program.tracked(tracked).range());
                }
            }
        }
    }

    /// Adds names to a place; returns whether it did not have them all.
    fn add(&mut self, slot: Slot, names: &Names) -> bool {
        let own = self.of.entry(slot).or_insert_with(|| Names::from([]));
        if names.iter().all(|name| own.contains(name)) {
            return false;
        }
        let mut all: Vec<u32> = own.iter().chain(names.iter()).copied().collect();
        all.sort_unstable();
        all.dedup();
        *own = all.into();
        true
    }

    /// How names flow through what an instant leaves for the next one.
    fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (phase, functions) in self.phases.iter().enumerate() {
            let sides =
                functions.operands.iter().filter(|_| phase == 0 || self.when == Instant::Start);
            edges.extend(sides.map(|(node, frozen, _, length)| Edge::Node {
                phase,
                node: *node,
                to: *frozen,
                length: *length,
            }));
            // At a tick, parts that no function of it computes are those of the left limit.
            for (index, wire) in self.program.wires.iter().enumerate().filter(|_| phase == 0) {
                let id = diagram::WireId::new(index);
                for (part, tracked) in [(Part::Value, wire.value), (Part::Present, wire.present)] {
                    let tracked = self.program.tracked(tracked);
                    if let Some(node) = functions.part(id, part) {
                        let (to, length) = (tracked.slot, tracked.length);
                        edges.push(Edge::Node { phase, node, to, length });
                    }
                }
            }
        }
        if self.when == Instant::Start {
            edges.extend(self.later_edges());
        }
        for line in self.program.lines.iter() {
            let variable = line.variable.map(|own| own.delay);
            let read = line.reading.map(|own| own.delay);
            let ways = variable
                .iter()
                .chain(&read)
                .flat_map(|delay| line.to.iter().map(|to| (*delay, *to)).collect::<Vec<_>>());
            let own = line.from.iter().copied().zip(line.to.iter().copied());
            let own = own.filter(|_| variable.is_some() || read.is_some());
            edges.extend(ways.chain(own).map(|(from, to)| {
                let [from, to] = [from, to].map(|tracked| self.program.tracked(tracked));
                let lengths = [from.length, to.length];
                Edge::Places { from: from.slot, to: to.slot, lengths }
            }));
        }
        edges
    }

    /// What the events of the start make of states.
    fn later_edges(&self) -> Vec<Edge> {
        let next = |(node, tracked): &(NodeId, TrackedId)| {
            let tracked = self.program.tracked(*tracked);
            Edge::Node { phase: 1, node: *node, to: tracked.slot, length: tracked.length }
        };
        let mut edges: Vec<Edge> = self.phases[1].nexts.iter().map(next).collect();
        for crossing in &self.program.crossings {
            let Some(crossed) = crossing.crossed else { continue };
            let [from, to] =
                [crossing.frozen, crossed].map(|tracked| self.program.tracked(tracked).slot);
            edges.push(Edge::Places { from, to, lengths: [1, 1] });
        }
        edges
    }

    /// What every node of both phases is computed from, as far as is known now.
    fn found(&self) -> Option<[Found; 2]> {
        let [smooth, tick] = &self.phases;
        let found = |functions: &Functions| {
            let graph = &functions.composer.graph;
            let roots = functions.roots();
            readings(graph, self.leaves(graph, &roots), &roots, MOST)
        };
        Some([found(smooth)?, found(tick)?])
    }

    fn leaves(&self, graph: &Graph, roots: &[NodeId]) -> FxHashMap<NodeId, Vec<Names>> {
        let mut leaves = FxHashMap::default();
        let none = Names::from([]);
        for id in graph.reachable(roots) {
            let Op::Leaf(slot) = graph.node(id).op else { continue };
            let places = Slot(slot).slots(graph.ty(id).len());
            let names = |place: Slot| self.of.get(&place).unwrap_or(&none).clone();
            let each: Vec<Names> = places.iter().map(names).collect();
            if each.iter().any(|names| !names.is_empty()) {
                leaves.insert(id, each);
            }
        }
        leaves
    }

    /// Lets names flow once; returns whether something was new.
    fn follow(&mut self, edges: &[Edge], found: &[&Found; 2]) -> bool {
        let mut new = false;
        for edge in edges {
            match edge {
                Edge::Node { phase, node, to, length } => {
                    let Some(moves) = found[*phase].get(node) else { continue };
                    let one = self.phases[*phase].composer.graph.ty(*node).len() == 1;
                    for element in 0..*length {
                        let names = moves.of(if one { 0 } else { element }).clone();
                        new |= self.add(to.plus(element), &names);
                    }
                }
                Edge::Places { from, to, lengths: [given, taken] } => {
                    for element in 0..*taken {
                        let from = from.plus(if *given == *taken { element } else { 0 });
                        let Some(names) = self.of.get(&from).cloned() else { continue };
                        new |= self.add(to.plus(element), &names);
                    }
                }
            }
        }
        new
    }

    fn listed(&self, smooth: &Found, tick: &Found) -> Dependencies {
        let found = [smooth, tick];
        let of_record = |record: &diagram::Record| {
            let length = self.diagram.wire(record.wire).ty.len();
            let mut each: Vec<Vec<Known>> = vec![Vec::new(); length];
            for (functions, found) in self.phases.iter().zip(found) {
                for part in [Part::Value, Part::Present] {
                    let Some(node) = functions.part(record.wire, part) else { continue };
                    for (element, own) in each.iter_mut().enumerate() {
                        own.extend(self.named(functions, found, node, element));
                    }
                }
            }
            each.into_iter().map(in_order).collect()
        };
        let mut listed = Dependencies {
            records: self.diagram.records.iter().map(of_record).collect(),
            ..Dependencies::default()
        };
        for region in &self.program.regions {
            self.list_region(region, smooth, &mut listed);
        }
        listed
    }

    /// What an element of a node is computed from; a scalar is one for all elements.
    fn named(
        &self,
        functions: &Functions,
        found: &Found,
        node: NodeId,
        element: usize,
    ) -> Vec<Known> {
        let one = functions.composer.graph.ty(node).len() == 1;
        let moves = found.get(&node).map(|own| own.of(if one { 0 } else { element }));
        self.meant(moves.map_or(&[][..], |own| &own[..]))
    }

    fn meant(&self, names: &[u32]) -> Vec<Known> {
        in_order(names.iter().map(|name| self.names[*name as usize]).collect())
    }

    fn list_region(&self, region: &RegionProgram, smooth: &Found, listed: &mut Dependencies) {
        let functions = &self.phases[0];
        let mut rates: Vec<Vec<Known>> = vec![Vec::new(); region.dimension];
        for (node, slot) in &functions.rates {
            if region.rate.slots(region.dimension).contains(*slot) {
                let first = (*slot - region.rate) as usize;
                for element in 0..functions.composer.graph.ty(*node).len() {
                    rates[first + element] = self.named(functions, smooth, *node, element);
                }
            }
        }
        listed.rates.extend(rates);
        let places = region.state.slots(region.dimension).iter();
        listed.states.extend(
            places.map(|place| self.meant(self.of.get(&place).map_or(&[][..], |own| &own[..]))),
        );
        let mut watches: Vec<Vec<Known>> = vec![Vec::new(); region.watches.len()];
        for (node, _, first, length) in &functions.operands {
            for (own, watch) in watches.iter_mut().zip(&region.watches) {
                let element = (0..*length).find(|i| first.plus(*i) == watch.crossing);
                if let Some(element) = element {
                    *own = self.named(functions, smooth, *node, element);
                }
            }
        }
        listed.watches.extend(watches);
    }
}

fn in_order(mut all: Vec<Known>) -> Vec<Known> {
    all.sort_unstable();
    all.dedup();
    all
}
