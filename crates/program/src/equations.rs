//! The smooth phase of a whole diagram as one function, for questions about a model at a point: its
//! steady states, and how it moves near one.
//!
//! A scheduled diagram, its program and some wires come in; out goes one tape over the buffer of the
//! program. It computes the rates of all continuous states, the wires that are asked for, the inputs
//! of delays and the operands of all comparisons that these depend on. Unlike the tapes of a run it
//! goes through everything that is held between events, so that a held signal can be moved, too.

use blocks::Part;
use diagram::{BlockId, Diagram, FragmentId, Phase, Presence, RegionId, WireId};
use ir::{NodeId, Op, Slot, Tape};
use rustc_hash::{FxHashMap, FxHashSet};
use schedule::{PartId, Schedule, Step};

use crate::compose::{Composer, GivenPart, compose_into};
use crate::delay_line::LineId;
use crate::program::Program;
use crate::rates::roots_of;
use crate::region::{CrossingId, CrossingKind};
use crate::slots::Slots;
use crate::smooth::Root;
use crate::tracked::StateId;

/// Contiguous slots of the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The first slot.
    pub slot: Slot,
    /// The number of slots.
    pub length: usize,
}

impl Place {
    /// Its slots in the buffer.
    pub fn range(self) -> std::ops::Range<usize> {
        self.slot.range(self.length)
    }
}

/// A continuous state.
#[derive(Clone, Copy, Debug)]
pub struct EquationState {
    /// The state.
    pub state: StateId,
    /// The values.
    pub value: Place,
    /// Their rates.
    pub rate: Place,
    /// The fragment of its block: the state moves only while that runs.
    pub fragment: FragmentId,
}

/// A wire that is moved from outside.
#[derive(Clone, Copy, Debug)]
pub struct EquationInput {
    /// The wire.
    pub wire: WireId,
    /// What is moved: the value of the wire, or what is added to it.
    pub moved: Place,
    /// What its block computes for it.
    pub computed: Place,
    /// Whether it is added to what the block computes.
    pub added: bool,
    /// Whether something reads its time derivative, which no value at an instant determines.
    pub derived: bool,
}

/// A delay line that something depends on.
#[derive(Clone, Copy, Debug)]
pub struct EquationDelay {
    /// The line.
    pub line: LineId,
    /// What goes in.
    pub input: Place,
    /// What comes out.
    pub output: Place,
    /// Whether something reads the time derivative of what comes out.
    pub derived: bool,
}

/// A comparison, an `abs` or a floor that something depends on.
#[derive(Clone, Copy, Debug)]
pub struct EquationComparison {
    /// Its crossing.
    pub crossing: CrossingId,
    /// What it is.
    pub kind: CrossingKind,
    /// Its block.
    pub block: BlockId,
    /// The frozen side or floor.
    pub frozen: Slot,
    /// The operand whose sign or floor that is.
    pub value: Slot,
    /// The fragment of its block.
    pub fragment: FragmentId,
}

/// The smooth phase of a diagram as one function.
#[derive(Clone, Debug)]
pub struct Equations {
    /// Computes everything below.
    pub tape: Tape,
    /// The initial buffer: that of the program, with room for the tape.
    pub image: Vec<f64>,
    /// The continuous states, in the order of blocks.
    pub states: Vec<EquationState>,
    /// The wires that are moved.
    pub inputs: Vec<EquationInput>,
    /// The wires that were asked for.
    pub outputs: Vec<Place>,
    /// The delays.
    pub delays: Vec<EquationDelay>,
    /// The comparisons.
    pub comparisons: Vec<EquationComparison>,
    /// The states that keep their values between events and that something depends on; those of
    /// signals from outside are not among them.
    pub held: Vec<StateId>,
}

/// Why a wire cannot be moved from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unmovable {
    /// It is in an algebraic loop.
    InLoop,
    /// It is there at events only.
    OnlyEvents,
}

/// Makes the equations of a diagram with these wires moved from outside and these asked for.
pub fn equations(
    diagram: &Diagram,
    schedule: &Schedule,
    program: &Program,
    inputs: &[WireId],
    outputs: &[WireId],
) -> Result<Equations, (WireId, Unmovable)> {
    movable(diagram, schedule, inputs)?;
    // The first slots that are allocated are the same as in the program.
    let mut slots = Slots::new(diagram);
    let mut layout = program.layout.clone();
    let mut composer = Composer::new(diagram, &schedule.parts, Phase::Smooth);
    let moved = inputs.iter().map(|wire| give(&mut composer, *wire, &mut layout));
    let moved: Vec<EquationInput> = moved.collect();
    let composer = compose_into(composer, schedule, &mut slots);
    slots.layout = layout;
    let maker = Maker { diagram, schedule, program, slots, composer, roots: Vec::new() };
    Ok(maker.finish(moved, outputs))
}

/// Refuses wires that cannot be moved.
fn movable(
    diagram: &Diagram,
    schedule: &Schedule,
    inputs: &[WireId],
) -> Result<(), (WireId, Unmovable)> {
    let mut looped: FxHashSet<PartId> = FxHashSet::default();
    for step in &schedule.smooth {
        match step {
            Step::Single(_) => {}
            Step::Iterate(members) => looped.extend(members),
            Step::Presences { members, open, .. } => looped.extend(members.iter().chain(open)),
            Step::Solve { unknowns, rest } => {
                looped.extend(unknowns.iter().map(|(id, _)| id).chain(rest));
            }
        }
    }
    for wire in inputs {
        if diagram.wire(*wire).between == Presence::Never {
            return Err((*wire, Unmovable::OnlyEvents));
        }
        if looped.contains(&schedule.parts.id(*wire, Part::Value)) {
            return Err((*wire, Unmovable::InLoop));
        }
    }
    Ok(())
}

/// Gives a wire from outside. What is held, or comes from outside anyway, is replaced; to what moves
/// by itself something is added.
fn give(composer: &mut Composer, id: WireId, layout: &mut ir::Layout) -> EquationInput {
    let wire = composer.diagram.wire(id);
    let length = wire.ty.len();
    let mut place = || Place { slot: layout.reserve(length), length };
    let (moved, computed) = (place(), place());
    let outside = composer.diagram.inputs.iter().any(|own| own.block == wire.block);
    let added = wire.moving && !outside;
    let given = if added { GivenPart::Added(moved.slot) } else { GivenPart::Replaced(moved.slot) };
    composer.given.insert(composer.parts.id(id, Part::Value), given);
    if !added && !outside {
        for order in 1..=wire.derivatives {
            let part = composer.parts.id(id, Part::Derivative(order));
            composer.given.insert(part, GivenPart::Zero);
        }
    }
    EquationInput { wire: id, moved, computed, added, derived: false }
}

/// Gathers what has to be computed.
struct Maker<'a> {
    diagram: &'a Diagram,
    schedule: &'a Schedule,
    program: &'a Program,
    slots: Slots,
    composer: Composer<'a>,
    roots: Vec<Root>,
}

impl Maker<'_> {
    fn finish(mut self, mut inputs: Vec<EquationInput>, outputs: &[WireId]) -> Equations {
        let states = self.states();
        // The guesses of solved loops follow their solutions here, too.
        for (part, node, slot) in self.composer.solutions.clone() {
            let wire = self.composer.parts.get(part).wire;
            self.roots.push((node, slot, self.fragment(wire).0));
        }
        let outputs = outputs.iter().map(|wire| self.output(*wire)).collect();
        let (delays, comparisons) = self.close();
        let read = self.read();
        for input in &mut inputs {
            input.derived = self.reads_derivative(input.wire);
            self.compute_again(input);
        }
        let held = self.held(&read);
        let Maker { slots, composer, roots, program, .. } = self;
        let (mut layout, none) = (slots.layout, FxHashMap::default());
        let tape = Tape::compile_guarded(
            &composer.graph,
            &roots,
            &none,
            &slots.guards,
            &mut layout,
            &Slot,
        );
        let mut image = layout.image().to_vec();
        image[..program.image.len()].copy_from_slice(&program.image);
        Equations { tape, image, states, inputs, outputs, delays, comparisons, held }
    }

    fn fragment(&self, wire: WireId) -> FragmentId {
        self.diagram.block(self.diagram.wire(wire).block).fragment
    }

    fn states(&mut self) -> Vec<EquationState> {
        for (index, region) in self.diagram.regions.iter().enumerate() {
            let id = RegionId::new(index);
            let own = roots_of(&mut self.composer, &self.slots, id, &region.blocks);
            self.roots.extend(own);
        }
        let regions = &self.program.regions;
        let states = self.program.states.entries().filter(|(_, state)| state.continuous);
        let state = |(id, own): (StateId, &crate::TrackedState)| {
            let tracked = &self.program.tracked[own.tracked];
            let (slot, length) = (tracked.slot, tracked.length);
            let home = |region: &&crate::RegionProgram| {
                region.state.slots(region.dimension).contains(slot)
            };
            let region = regions.iter().find(home)?;
            let rate = region.rate + (slot - region.state);
            let fragment = self.diagram.block(own.block).fragment;
            let place = |slot| Place { slot, length };
            Some(EquationState { state: id, value: place(slot), rate: place(rate), fragment })
        };
        states.filter_map(state).collect()
    }

    /// A wire at a place of its own.
    fn output(&mut self, wire: WireId) -> Place {
        let node = self.composer.nodes[&self.schedule.parts.id(wire, Part::Value)];
        let guard = self.fragment(wire).0;
        self.place(node, guard)
    }

    fn place(&mut self, node: NodeId, guard: u32) -> Place {
        let length = self.composer.graph.ty(node).len();
        let slot = self.slots.layout.reserve(length);
        self.roots.push((node, slot, guard));
        Place { slot, length }
    }

    /// The slots that everything so far reads.
    fn read(&self) -> FxHashSet<Slot> {
        let nodes: Vec<NodeId> = self.roots.iter().map(|root| root.0).collect();
        let graph = &self.composer.graph;
        let leaves = graph.reachable(&nodes).into_iter().filter_map(|id| match graph.node(id).op {
            Op::Leaf(slot) => Some(Slot(slot).slots(graph.ty(id).len()).iter()),
            _ => None,
        });
        leaves.flatten().collect()
    }

    /// Adds delays and comparisons until everything that is computed depends on known ones only.
    fn close(&mut self) -> (Vec<EquationDelay>, Vec<EquationComparison>) {
        let (mut delays, mut comparisons) = (Vec::new(), Vec::new());
        let mut seen: FxHashSet<(BlockId, NodeId)> = FxHashSet::default();
        loop {
            let (read, before) = (self.read(), self.roots.len());
            self.add_delays(&read, &mut delays);
            self.add_comparisons(&read, &mut seen, &mut comparisons);
            if self.roots.len() == before {
                break (delays, comparisons);
            }
        }
    }

    fn add_delays(&mut self, read: &FxHashSet<Slot>, found: &mut Vec<EquationDelay>) {
        for (id, line) in self.program.lines.entries() {
            let tracked = |index: usize| &self.program.tracked[line.to[index]];
            let output = Place { slot: tracked(1).slot, length: tracked(1).length };
            let reads =
                |place: Place| place.slot.slots(place.length).iter().any(|s| read.contains(&s));
            let (wire, _) = match self.program.tracked[line.from[1]].part {
                Some((wire, Part::Value)) => (wire, ()),
                _ => continue,
            };
            let orders = 1..=self.diagram.wire(wire).derivatives as usize;
            let derived = orders.clone().any(|order| {
                let own = line.to.get(1 + order).map(|id| &self.program.tracked[*id]);
                own.is_some_and(|own| reads(Place { slot: own.slot, length: own.length }))
            });
            let known = found.iter().any(|own| own.line == id);
            if known || !(reads(output) || derived) {
                continue;
            }
            if self.diagram.wire(wire).between == Presence::Never {
                continue;
            }
            let node = self.composer.nodes[&self.schedule.parts.id(wire, Part::Value)];
            let guard = self.diagram.block(line.block).fragment.0;
            let input = self.place(node, guard);
            found.push(EquationDelay { line: id, input, output, derived });
        }
    }

    fn add_comparisons(
        &mut self,
        read: &FxHashSet<Slot>,
        seen: &mut FxHashSet<(BlockId, NodeId)>,
        found: &mut Vec<EquationComparison>,
    ) {
        for (index, flat) in self.diagram.blocks.iter().enumerate() {
            let block = BlockId::new(index);
            for original in &flat.located {
                let site = self.slots.sites[&(block, *original)];
                let mut places = site.frozen.slots(site.ty.len()).iter();
                if !places.any(|slot| read.contains(&slot)) || !seen.insert((block, *original)) {
                    continue;
                }
                let operand = flat.smooth.graph.node(flat.smooth.placed[original]).args[0];
                let node = self.composer.inline(&self.slots, block, operand);
                let value = self.place(node, flat.fragment.0);
                let comparison = |i: usize| {
                    let crossing = site.first.plus(i);
                    let kind = self.program.crossings[crossing].kind;
                    let (frozen, value) = (site.frozen.plus(i), value.slot.plus(i));
                    let fragment = flat.fragment;
                    EquationComparison { crossing, kind, block, frozen, value, fragment }
                };
                found.extend((0..site.ty.len()).map(comparison));
            }
        }
    }

    /// Whether what is computed reads a time derivative of a wire.
    fn reads_derivative(&self, wire: WireId) -> bool {
        let nodes: Vec<NodeId> = self.roots.iter().map(|root| root.0).collect();
        let reached: FxHashSet<NodeId> =
            self.composer.graph.reachable(&nodes).into_iter().collect();
        (1..=self.diagram.wire(wire).derivatives).any(|order| {
            let part = self.schedule.parts.id(wire, Part::Derivative(order));
            let node = self.composer.nodes.get(&part);
            let constant =
                |node: &NodeId| matches!(self.composer.graph.node(*node).op, Op::Const(_));
            node.is_some_and(|node| !constant(node) && reached.contains(node))
        })
    }

    /// What the block of a moved wire computes for it, next to what readers see.
    fn compute_again(&mut self, input: &EquationInput) {
        let id = self.schedule.parts.id(input.wire, Part::Value);
        let node = self.composer.part(&self.slots, id);
        let guard = self.fragment(input.wire).0;
        self.roots.push((node, input.computed.slot, guard));
    }

    /// The discrete states among what is read.
    fn held(&self, read: &FxHashSet<Slot>) -> Vec<StateId> {
        let outside = |block: BlockId| self.diagram.inputs.iter().any(|own| own.block == block);
        let states = self.program.states.entries();
        let held = states.filter(|(_, state)| {
            let tracked = &self.program.tracked[state.tracked];
            let mut places = tracked.slot.slots(tracked.length).iter();
            !state.continuous && !outside(state.block) && places.any(|slot| read.contains(&slot))
        });
        held.map(|(id, _)| id).collect()
    }
}
