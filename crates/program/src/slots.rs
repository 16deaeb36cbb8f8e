//! The layout of the buffer.

use std::collections::BTreeMap;

use base::{ParameterId, Table, Type};
use blocks::{Begins, Leaf, Part, Role, Setting};
use diagram::{BlockId, Diagram, FlatBlock, FragmentId, RegionId, WireId};
use ir::{Guards, Layout, NodeId, Op, Slot};
use rustc_hash::FxHashMap;

use crate::alike::{Flowing, in_families};
use crate::clocks::LocalClock;
use crate::delay_line::{DelayLine, LineId};
use crate::region::{
    Crossing, CrossingId, CrossingKind, EventCrossing, FragmentSlice, MaySlide, RegionProgram,
    Watch, WatchId,
};
use crate::solved::Guess;
use crate::tracked::{
    ParameterSlots, StateId, TimerId, Tracked, TrackedId, TrackedState, TrackedTimer, TrackedWire,
};
use crate::unit::HazardId;
use crate::values::seed_halves;

/// The slots of a side or floor of a block, one for each element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// The first slot of the frozen sides or floors.
    pub frozen: Slot,
    pub residual: Slot,
    pub crossed: Option<Slot>,
    /// The first of its crossings; there is one for each element.
    pub first: CrossingId,
    pub ty: Type,
}

/// Blocks by their fragments, each in the given order.
fn by_fragment(diagram: &Diagram, blocks: &[BlockId]) -> BTreeMap<FragmentId, Vec<BlockId>> {
    let mut groups: BTreeMap<FragmentId, Vec<BlockId>> = BTreeMap::new();
    for block in blocks {
        groups.entry(diagram.block(*block).fragment).or_default().push(*block);
    }
    groups
}

/// The layout under construction.
#[derive(Debug)]
pub(crate) struct Slots {
    pub layout: Layout,
    pub time: Slot,
    pub step: Slot,
    pub microstep: TrackedId,
    pub tracked: Table<TrackedId, Tracked>,
    pub of_slot: FxHashMap<Slot, TrackedId>,
    pub wires: Table<WireId, TrackedWire>,
    pub states: Table<StateId, TrackedState>,
    /// The first state of each block.
    pub first_state: Vec<StateId>,
    pub timers: Table<TimerId, TrackedTimer>,
    pub first_timer: Vec<TimerId>,
    pub lines: Table<LineId, DelayLine>,
    pub first_line: Vec<LineId>,
    pub crossings: Table<CrossingId, Crossing>,
    pub sites: BTreeMap<(BlockId, NodeId), Site>,
    pub regions: Table<RegionId, RegionProgram>,
    /// Guesses of solved loops.
    pub guesses: Vec<Guess>,
    /// Parts of wires that have one value at every tick.
    pub presets: Vec<(Slot, Vec<f64>)>,
    /// The reasons of order hazards.
    pub hazards: Table<HazardId, String>,
    /// For each fragment, whether it runs and when its clock started.
    pub fragments: Table<FragmentId, FragmentSlots>,
    /// The clocks of fragments that blocks read.
    pub clocks: BTreeMap<FragmentId, LocalClock>,
    /// The conditions under which tapes run: those of fragments, by their indices.
    pub guards: Guards,
    /// The slots of the values that each run computes from parameters.
    pub parameters: BTreeMap<ParameterId, ParameterSlots>,
}

/// The slots of a fragment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FragmentSlots {
    pub active: Slot,
    /// The slot of the model time \[s\] at which its clock shows 0.
    pub origin: Slot,
}

impl Slots {
    pub fn new(diagram: &Diagram) -> Slots {
        let mut layout = Layout::default();
        let time = layout.reserve(1);
        let mut slots = Slots {
            layout,
            time,
            step: Slot::default(),
            microstep: TrackedId::new(0),
            tracked: Table::new(),
            of_slot: FxHashMap::default(),
            wires: Table::new(),
            states: Table::new(),
            first_state: Vec::new(),
            timers: Table::new(),
            first_timer: Vec::new(),
            lines: Table::new(),
            first_line: Vec::new(),
            crossings: Table::new(),
            sites: BTreeMap::new(),
            regions: diagram.regions.iter().map(|_| RegionProgram::default()).collect(),
            guesses: Vec::new(),
            presets: Vec::new(),
            fragments: Table::new(),
            clocks: BTreeMap::new(),
            guards: Guards::default(),
            hazards: Table::new(),
            parameters: BTreeMap::new(),
        };
        slots.place_fragments(diagram);
        slots.place_clocks(diagram);
        slots.place_parameters(diagram);
        slots.place_wires(diagram);
        slots.place_states(diagram);
        slots.place_timers(diagram);
        slots.place_lines(diagram);
        slots.place_crossings(diagram);
        slots.describe_events(diagram);
        slots.place_passings(diagram);
        slots.step = slots.layout.reserve(1);
        slots.microstep = slots.tracked(1);
        slots
    }

    /// Says which crossings are those of level crossings.
    fn describe_events(&mut self, diagram: &Diagram) {
        for crossing in self.crossings.iter_mut() {
            let block = diagram.block(crossing.block);
            if block.kind.role() != Role::LevelCrossing {
                continue;
            }
            let direction = match block.settings.get("direction") {
                Some(Setting::Word(word)) if &**word == "rising" => 1.0,
                Some(Setting::Word(word)) if &**word == "falling" => -1.0,
                _ => 0.0,
            };
            let tolerance = match block.settings.get("tolerance") {
                Some(Setting::Value(value)) => value.as_f64().unwrap_or(0.0),
                _ => 0.0,
            };
            crossing.event = Some(EventCrossing { direction, tolerance });
        }
    }

    fn place_fragments(&mut self, diagram: &Diagram) {
        for (index, fragment) in diagram.modes.fragments.iter().enumerate() {
            let active = self.layout.reserve(1);
            let origin = self.layout.reserve(1);
            self.fragments.push(FragmentSlots { active, origin });
            if index > 0 {
                self.guards.add(active, fragment.parent.0);
            }
        }
    }

    /// Places what rounding leaves out of the clocks of fragments that blocks read.
    fn place_clocks(&mut self, diagram: &Diagram) {
        for flat in &diagram.blocks {
            let clock = |leaf: &Leaf| match leaf {
                Leaf::Time => Some(diagram.modes.clock(flat.fragment)),
                Leaf::Elapsed => Some(flat.fragment),
                _ => None,
            };
            let clocks = flat.definition.leaves.iter().filter_map(clock);
            for fragment in clocks.filter(|fragment| *fragment != FragmentId::ROOT) {
                let FragmentSlots { active, origin } = self.fragments[fragment];
                let layout = &mut self.layout;
                let clock = *self.clocks.entry(fragment).or_insert_with(|| LocalClock {
                    fragment,
                    active,
                    origin: [origin, layout.reserve(1)],
                    rest: layout.reserve(1),
                });
                let own = &mut self.regions[flat.region].clocks;
                if own.last().is_none_or(|last| last.fragment != fragment) {
                    own.push(clock);
                }
            }
        }
    }

    fn place_parameters(&mut self, diagram: &Diagram) {
        let nodes = diagram.blocks.iter().flat_map(|block| block.definition.graph.nodes());
        let mut used: BTreeMap<ParameterId, &Vec<u64>> = BTreeMap::new();
        for node in nodes {
            if let Op::Parameter(id, bits) = &node.op {
                used.insert(*id, bits);
            }
        }
        for (id, bits) in used {
            let data: Vec<f64> = bits.iter().map(|bits| f64::from_bits(*bits)).collect();
            let slot = self.layout.reserve_with(&data);
            self.parameters.insert(id, ParameterSlots { id, slot, length: data.len() });
        }
    }

    pub fn tracked(&mut self, length: usize) -> TrackedId {
        let slot = self.layout.reserve(length);
        self.tracked_at(slot, length)
    }

    pub(crate) fn tracked_at(&mut self, slot: Slot, length: usize) -> TrackedId {
        let id = self.tracked.push(Tracked { slot, length, ..Tracked::default() });
        self.of_slot.insert(slot, id);
        id
    }

    /// The tracked signals that a leaf of some length reads: one, or one for each element of its
    /// sides.
    pub fn tracked_within(&self, slot: Slot, length: usize) -> Vec<TrackedId> {
        let mut found = Vec::new();
        let mut at = slot;
        while at < slot.plus(length) {
            match self.of_slot.get(&at) {
                Some(tracked) => {
                    found.push(*tracked);
                    at = at.plus(self.tracked[*tracked].length.max(1));
                }
                None => at = at.plus(1),
            }
        }
        found
    }

    pub fn slot(&self, tracked: TrackedId) -> Slot {
        self.tracked[tracked].slot
    }

    /// The tracked signal of a part of a wire.
    pub fn part(&self, wire: WireId, part: Part) -> TrackedId {
        let wire = &self.wires[wire];
        match part {
            Part::Value => wire.value,
            Part::Present => wire.present,
            Part::Impulse(order) => wire.impulses[order as usize],
            Part::Derivative(order) => wire.derivatives[order as usize - 1],
        }
    }

    fn place_wires(&mut self, diagram: &Diagram) {
        for wire in &diagram.wires {
            let (present, value) = (self.tracked(1), self.tracked(wire.ty.len()));
            let impulses: Vec<TrackedId> =
                (0..wire.orders).map(|_| self.tracked(wire.ty.len())).collect();
            let id = self.wires.next_id();
            self.tracked[present].part = Some((id, Part::Present));
            self.tracked[present].event = wire.between == diagram::Presence::Never;
            self.tracked[value].part = Some((id, Part::Value));
            for (order, tracked) in impulses.iter().enumerate() {
                self.tracked[*tracked].part = Some((id, Part::Impulse(order as u32)));
            }
            let derivatives: Vec<TrackedId> =
                (0..wire.derivatives).map(|_| self.tracked(wire.ty.len())).collect();
            for (order, tracked) in derivatives.iter().enumerate() {
                self.tracked[*tracked].part = Some((id, Part::Derivative(order as u32 + 1)));
            }
            self.wires.push(TrackedWire { value, present, impulses, derivatives });
        }
    }

    /// The continuous states of a region are contiguous, fragment by fragment, so that the solver
    /// copies those of a fragment in one piece, and within a fragment family by family.
    fn place_states(&mut self, diagram: &Diagram) {
        let mut places: FxHashMap<Flowing, Slot> = FxHashMap::default();
        for region in self.regions.ids() {
            self.place_flowing(diagram, region, &mut places);
        }
        for (index, block) in diagram.blocks.iter().enumerate() {
            self.first_state.push(self.states.next_id());
            let owner = BlockId::new(index);
            for (number, state) in block.definition.states.iter().enumerate() {
                let place = places.get(&(owner, number));
                let tracked = match place {
                    Some(slot) => self.tracked_at(*slot, state.ty.len()),
                    None => self.tracked(state.ty.len()),
                };
                self.states.push(TrackedState {
                    block: owner,
                    name: state.name.clone(),
                    tracked,
                    initial: match state.begins {
                        Begins::Seed => seed_halves(diagram.run.seed).to_vec(),
                        _ => state.initial.data().to_vec(),
                    },
                    open: state.initial.open(),
                    continuous: place.is_some(),
                    alarm: None,
                    wire: None,
                    begins: state.begins,
                });
            }
        }
    }

    /// Allocates the continuous states of a region.
    fn place_flowing(
        &mut self,
        diagram: &Diagram,
        region: RegionId,
        places: &mut FxHashMap<Flowing, Slot>,
    ) {
        let tolerance = |block: BlockId| diagram.block(block).tolerance;
        let program = &mut self.regions[region];
        let mut offsets: Vec<(Flowing, usize)> = Vec::new();
        for (fragment, blocks) in by_fragment(diagram, &diagram.regions[region.index()].blocks) {
            let (first, order) = (program.owners.len(), in_families(diagram, &blocks));
            for (block, number) in &order {
                offsets.push(((*block, *number), program.owners.len()));
                let length = diagram.block(*block).definition.states[*number].ty.len();
                program.owners.extend(std::iter::repeat_n(*block, length));
                program.tolerances.extend(std::iter::repeat_n(tolerance(*block), length));
            }
            let tolerances = order.iter().map(|(block, _)| tolerance(*block));
            program.slices.push(FragmentSlice {
                fragment,
                state: first,
                states: program.owners.len() - first,
                watch: 0,
                watches: 0,
                blocks: blocks.clone(),
                tolerance: tolerances.clone().flatten().min_by(f64::total_cmp),
                common: tolerances.clone().any(|own| own.is_none()),
            });
        }
        program.dimension = program.owners.len();
        program.moves = region != RegionId::STILL;
        program.state = self.layout.reserve(program.dimension);
        program.rate = self.layout.reserve(program.dimension);
        let place = |(state, offset)| (state, program.state.plus(offset));
        places.extend(offsets.into_iter().map(place));
    }

    fn place_timers(&mut self, diagram: &Diagram) {
        for (index, block) in diagram.blocks.iter().enumerate() {
            self.first_timer.push(self.timers.next_id());
            for timer in &block.definition.timers {
                let (woken, wakings) = (self.tracked(1), self.tracked(1));
                let fragment = block.fragment;
                let (block, timer) = (BlockId::new(index), timer.clone());
                let alarm = timer.alarm().map(|state| self.first_state[index].plus(state));
                if let Some(state) = alarm {
                    self.states[state].alarm = Some(self.timers.next_id());
                }
                self.timers.push(TrackedTimer { block, fragment, timer, alarm, woken, wakings });
            }
        }
    }

    /// Located sides and floors get their slots region by region, with the watched functions of a
    /// region contiguous; sides of which only the changes are read get slots of their own.
    fn place_crossings(&mut self, diagram: &Diagram) {
        for region in self.regions.ids() {
            let mut count = 0;
            for block in &diagram.regions[region.index()].blocks {
                let definition = &diagram.block(*block).definition;
                for site in &diagram.block(*block).located {
                    let node = definition.graph.node(*site);
                    count += node.ty.len() * if node.op == Op::FrozenFloor { 2 } else { 1 };
                }
            }
            let program = &mut self.regions[region];
            program.g = self.layout.reserve(count);
            program.g_rate = self.layout.reserve(count);
            program.side = self.layout.reserve(count);
            program.residual = self.layout.reserve(count);
            let groups = by_fragment(diagram, &diagram.regions[region.index()].blocks);
            for (index, (_, blocks)) in groups.into_iter().enumerate() {
                let first = self.regions[region].watches.len();
                for block in blocks {
                    self.place_sites(diagram, block, region);
                }
                let last = self.regions[region].watches.len();
                let span = &mut self.regions[region].slices[index];
                (span.watch, span.watches) = (first, last - first);
            }
        }
    }

    fn place_sites(&mut self, diagram: &Diagram, block: BlockId, region: RegionId) {
        let flat = diagram.block(block);
        let graph = &flat.definition.graph;
        let kinks = if flat.located.is_empty() { Vec::new() } else { graph.kinks() };
        let compared = if kinks.is_empty() { Vec::new() } else { graph.compared() };
        let read: Vec<NodeId> = flat.definition.crossed_sides().collect();
        for site in flat.located.iter().chain(read.iter().filter(|s| !flat.located.contains(s))) {
            if self.sites.contains_key(&(block, *site)) {
                continue;
            }
            let node = graph.node(*site);
            let located = flat.located.contains(site);
            let crossed = read.contains(site);
            let place = match node.op {
                Op::FrozenFloor => self.place_floors(block, region, node.ty),
                _ => self.place_sides(block, region, node.ty, located, crossed),
            };
            for crossing in place.first.run(node.ty.len()) {
                self.crossings[crossing].kink = kinks.contains(site);
                self.crossings[crossing].compared =
                    !kinks.contains(site) || compared.contains(site);
                self.crossings[crossing].sliding = may_slide(flat, site);
                if self.crossings[crossing].sliding == MaySlide::Yes
                    && let Some(watch) = self.crossings[crossing].watch
                {
                    self.regions[region].sliding.push(watch.index);
                }
            }
            self.sites.insert((block, *site), place);
        }
    }

    fn place_sides(
        &mut self,
        block: BlockId,
        region: RegionId,
        ty: Type,
        located: bool,
        crossed: bool,
    ) -> Site {
        let n = ty.len();
        let first = self.crossings.next_id();
        let (frozen, residual, value, watch) = if located {
            let program = &mut self.regions[region];
            let at = program.watches.len();
            program.watches.extend((0..n).map(|i| Watch { crossing: first.plus(i), side: true }));
            let offset = at;
            (
                program.side.plus(offset),
                program.residual.plus(offset),
                program.g.plus(offset),
                Some(at),
            )
        } else {
            (self.layout.reserve(n), self.layout.reserve(n), self.layout.reserve(n), None)
        };
        let crossed = crossed.then(|| self.layout.reserve(n));
        for i in 0..n {
            let offset = i;
            let side = self.tracked_at(frozen.plus(offset), 1);
            let change = crossed.map(|slot| self.tracked_at(slot.plus(offset), 1));
            self.crossings.push(Crossing {
                block,
                kind: CrossingKind::Sign,
                kink: false,
                compared: true,
                event: None,
                sliding: MaySlide::No,
                value: value.plus(offset),
                frozen: side,
                crossed: change,
                residual: residual.plus(offset),
                watch: watch.map(|at| WatchId { region, index: at + i }),
            });
        }
        Site { frozen, residual, crossed, first, ty }
    }

    fn place_floors(&mut self, block: BlockId, region: RegionId, ty: Type) -> Site {
        let n = ty.len();
        let first = self.crossings.next_id();
        let frozen = self.layout.reserve(n);
        let residual = self.layout.reserve(n);
        let value = self.layout.reserve(n);
        let at = self.regions[region].watches.len();
        let watches = (0..n).flat_map(|i| [Watch { crossing: first.plus(i), side: false }; 2]);
        self.regions[region].watches.extend(watches);
        for i in 0..n {
            let offset = i;
            let floor = self.tracked_at(frozen.plus(offset), 1);
            self.crossings.push(Crossing {
                block,
                kind: CrossingKind::Floor,
                compared: true,
                kink: false,
                event: None,
                sliding: MaySlide::No,
                value: value.plus(offset),
                frozen: floor,
                crossed: None,
                residual: residual.plus(offset),
                watch: Some(WatchId { region, index: at + 2 * i }),
            });
        }
        Site { frozen, residual, crossed: None, first, ty }
    }
}

fn may_slide(flat: &FlatBlock, site: &NodeId) -> MaySlide {
    match flat.sliding.get(site) {
        None => MaySlide::No,
        Some(Ok(())) => MaySlide::Yes,
        Some(Err(why)) => MaySlide::Refused(why.clone()),
    }
}
