//! Makes the tapes of guards and actions, and collects the contents of each fragment.

use base::Table;
use blocks::{ModeOutput, Part};
use diagram::{BlockId, Diagram, FragmentId, MachineId, Phase, RegionId, WireId};
use ir::{NodeId, Op, Slot, Tape};
use rustc_hash::{FxHashMap, FxHashSet};
use schedule::{PartId, Schedule, Step};

use crate::compose::Composer;
use crate::delay_line::PastId;
use crate::region::CrossingId;
use crate::slots::Slots;
use crate::solved;
use crate::tracked::{StateId, TrackedId};
use crate::unit::{Next, Unit, UnitId};

use super::{
    Assignment, EntryState, EntryWire, FragmentProgram, MachineOutput, MachineProgram,
    StateProgram, Transition, TransitionValue,
};

/// The result.
pub(crate) struct Compiled {
    pub fragments: Table<FragmentId, FragmentProgram>,
    pub machines: Table<MachineId, MachineProgram>,
    /// The machines with a preemptive transition, those whose guards remember something that does
    /// not move, and those with an error transition.
    pub preempted: Vec<MachineId>,
    pub remembering: Vec<MachineId>,
    pub recovering: Vec<MachineId>,
    /// Wires that transitions read.
    pub transition_wires: FxHashSet<WireId>,
}

pub(crate) fn compile(
    diagram: &Diagram,
    schedule: &Schedule,
    slots: &mut Slots,
    units: &mut Table<UnitId, Unit>,
) -> Compiled {
    show_variables(diagram, slots);
    let spoken = speak(diagram, slots, units);
    let groups = Groups::new(diagram, schedule, slots, units);
    let transition_wires = FxHashSet::default();
    let mut maker = Maker { diagram, schedule, slots, groups, spoken, transition_wires };
    let fragments = (0..diagram.modes.fragments.len())
        .map(|index| maker.fragment(FragmentId::new(index), units))
        .collect::<Table<FragmentId, _>>();
    let machines: Table<MachineId, MachineProgram> =
        diagram.modes.machines.iter().map(|machine| maker.machine(machine, &fragments)).collect();
    let transition_wires = maker.transition_wires;
    watch_guards(diagram, slots, units);
    let having = |property: fn(&Transition) -> bool| {
        machines.ids().filter(|id| machines[*id].has(property)).collect()
    };
    let (preempted, recovering) = (having(|t| t.preemptive), having(|t| t.error));
    let remembers = |id: &MachineId| remembers(diagram, &diagram.modes.machines[*id]);
    let remembering = machines.ids().filter(remembers).collect();
    Compiled { fragments, machines, preempted, remembering, recovering, transition_wires }
}

/// Records the wires of parameters that transitions set.
fn show_variables(diagram: &Diagram, slots: &mut Slots) {
    let states = diagram.modes.machines.iter().flat_map(|machine| &machine.states);
    let sets = states.flat_map(|state| &state.transitions).flat_map(|t| &t.sets);
    for set in sets.filter(|set| set.variable) {
        let wire = slots.part(diagram.block(set.target).outputs[0], Part::Value);
        let state = slots.first_state[set.target.index()];
        slots.states[state].wire = Some(wire);
    }
}

/// Marks the units inside states that pass on values that machines emit; returns the tracked
/// signals that these write.
fn speak(
    diagram: &Diagram,
    slots: &Slots,
    units: &mut Table<UnitId, Unit>,
) -> FxHashSet<TrackedId> {
    let inner = diagram.modes.machines.iter().filter(|m| m.fragment != FragmentId::ROOT);
    let mut open: Vec<TrackedId> = Vec::new();
    for block in inner.flat_map(|machine| &machine.outputs) {
        let first = slots.first_state[block.index()];
        let states = first.run(diagram.block(*block).definition.states.len());
        open.extend(states.map(|state| slots.states[state].tracked));
    }
    let mut spoken = FxHashSet::default();
    while let Some(tracked) = open.pop() {
        for reader in &slots.tracked[tracked].readers {
            let unit = &mut units[*reader];
            if unit.fragment != FragmentId::ROOT && !std::mem::replace(&mut unit.speaks, true) {
                open.extend(unit.outputs.iter().map(|output| output.tracked));
                spoken.extend(unit.outputs.iter().map(|output| output.tracked));
            }
        }
    }
    spoken
}

/// Whether a guard of a machine reads its own memory of something that does not move.
fn remembers(diagram: &Diagram, machine: &diagram::StateMachine) -> bool {
    let transitions = machine.states.iter().flat_map(|state| &state.transitions);
    let guards = transitions.flat_map(|transition| &transition.guards);
    let mut read = guards.flat_map(|guard| diagram.block(*guard).inputs.iter().flatten());
    read.any(|wire| {
        let wire = diagram.wire(*wire);
        let block = diagram.block(wire.block);
        let own = diagram.modes.fragments[block.fragment.index()].dwell;
        own && !wire.moving && !block.definition.states.is_empty()
    })
}

/// Registers machines as readers of everything that their guards read.
fn watch_guards(diagram: &Diagram, slots: &mut Slots, units: &Table<UnitId, Unit>) {
    let mut machine_of: FxHashMap<BlockId, MachineId> = FxHashMap::default();
    for (id, machine) in diagram.modes.machines.entries() {
        let transitions = machine.states.iter().flat_map(|state| &state.transitions);
        machine_of.extend(transitions.flat_map(|t| &t.guards).map(|g| (*g, id)));
    }
    if machine_of.is_empty() {
        return;
    }
    for tracked in &mut slots.tracked {
        let readers = tracked.readers.iter().map(|reader| units[*reader].block);
        tracked.machines.extend(readers.filter_map(|block| machine_of.get(&block)));
        tracked.machines.sort_unstable();
        tracked.machines.dedup();
    }
}

/// The contents of each fragment, found in one pass over everything.
struct Groups {
    units: Vec<Vec<UnitId>>,
    blocks: Vec<Vec<BlockId>>,
    crossings: Vec<Vec<CrossingId>>,
    /// Steps between events that compute something in the fragment.
    steps: Vec<Vec<usize>>,
    /// States whose initial values are expressions.
    entries: Vec<Vec<usize>>,
    machines: Vec<Vec<MachineId>>,
    /// The fragments directly inside it.
    children: Vec<Vec<FragmentId>>,
}

impl Groups {
    fn new(
        diagram: &Diagram,
        schedule: &Schedule,
        slots: &Slots,
        units: &Table<UnitId, Unit>,
    ) -> Groups {
        let modes = &diagram.modes;
        let count = modes.fragments.len();
        let of = |block: BlockId| diagram.block(block).fragment;
        let units = units.entries().map(|(id, unit)| (unit.fragment, id));
        let blocks = (0..diagram.blocks.len()).map(BlockId::new).map(|block| (of(block), block));
        let crossings = slots.crossings.entries().map(|(id, c)| (of(c.block), id));
        let entries = modes.entries.iter().enumerate().map(|(i, entry)| (of(entry.block), i));
        let machines = modes.machines.entries().map(|(id, m)| (m.fragment, id));
        let children = modes.fragments.iter().enumerate().skip(1);
        let children = children.map(|(i, fragment)| (fragment.parent, FragmentId::new(i)));
        let fragment = |part: PartId| of(diagram.wire(schedule.parts.get(part).wire).block);
        let steps = schedule.smooth.iter().enumerate().flat_map(|(i, step)| {
            let mut fragments: Vec<FragmentId> = step.parts().map(fragment).collect();
            fragments.sort_unstable();
            fragments.dedup();
            fragments.into_iter().map(move |fragment| (fragment, i))
        });
        Groups {
            units: grouped(count, units),
            blocks: grouped(count, blocks),
            crossings: grouped(count, crossings),
            steps: grouped(count, steps),
            entries: grouped(count, entries),
            machines: grouped(count, machines),
            children: grouped(count, children),
        }
    }
}

fn grouped<T>(count: usize, items: impl Iterator<Item = (FragmentId, T)>) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = (0..count).map(|_| Vec::new()).collect();
    for (fragment, item) in items {
        groups[fragment.index()].push(item);
    }
    groups
}

struct Maker<'a> {
    diagram: &'a Diagram,
    schedule: &'a Schedule,
    slots: &'a mut Slots,
    groups: Groups,
    /// Tracked signals written by units that pass on values that machines emit.
    spoken: FxHashSet<TrackedId>,
    transition_wires: FxHashSet<WireId>,
}

impl Maker<'_> {
    fn fragment(&mut self, id: FragmentId, units: &Table<UnitId, Unit>) -> FragmentProgram {
        let places = self.slots.fragments[id];
        let mut fragment = FragmentProgram {
            dwell: self.diagram.modes.fragments[id.index()].dwell,
            active: places.active,
            origin: places.origin,
            machines: std::mem::take(&mut self.groups.machines[id.index()]),
            ..FragmentProgram::default()
        };
        if id == FragmentId::ROOT {
            return fragment;
        }
        fragment.units = std::mem::take(&mut self.groups.units[id.index()]);
        fragment.crossings = std::mem::take(&mut self.groups.crossings[id.index()]);
        let crossings = fragment.crossings.iter().map(|id| &self.slots.crossings[*id]);
        fragment.pulses.extend(crossings.filter_map(|crossing| crossing.crossed));
        self.gather_machines(&mut fragment);
        self.gather_blocks(id, units, &mut fragment);
        fragment.regions.sort_unstable();
        fragment.regions.dedup();
        let lines = self.slots.lines.entries();
        fragment.lines =
            lines.filter(|(_, own)| own.fragment == id).map(|(line, _)| line).collect();
        for (region, own) in self.slots.regions.entries() {
            let past = own.pasts.iter().position(|past| past.fragment == id);
            fragment.pasts.extend(past.map(|index| PastId { region, index }));
        }
        for entry in std::mem::take(&mut self.groups.entries[id.index()]) {
            let entry = &self.diagram.modes.entries[entry];
            let state = self.slots.first_state[entry.block.index()];
            let value = self.tested(self.diagram.wire(entry.wire).block);
            fragment.starts.push(EntryState { state, value });
        }
        fragment.readers.sort_unstable();
        fragment.readers.dedup();
        self.entry(id, &mut fragment);
        fragment
    }

    /// Collects the signals by which the machines directly inside a fragment emit values.
    fn gather_machines(&self, fragment: &mut FragmentProgram) {
        for machine in &fragment.machines {
            for block in &self.diagram.modes.machines[*machine].outputs {
                let first = self.slots.first_state[block.index()];
                let tracked = |offset: usize| self.slots.states[first.plus(offset)].tracked;
                let says = tracked(ModeOutput::SAID[0]);
                let left = self.left_state(*block).map(|left| self.slots.states[left].tracked);
                fragment.pulses.push(says);
                fragment.speech.extend([Some(says), left].into_iter().flatten());
            }
        }
    }

    /// Collects the states, timers and event signals of the blocks of a fragment, and their readers
    /// elsewhere.
    fn gather_blocks(
        &self,
        id: FragmentId,
        units: &Table<UnitId, Unit>,
        fragment: &mut FragmentProgram,
    ) {
        for block in &self.groups.blocks[id.index()] {
            let flat = self.diagram.block(*block);
            let first = self.slots.first_state[block.index()];
            fragment.states.extend(first.run(flat.definition.states.len()));
            let first = self.slots.first_timer[block.index()];
            let timers = first.run(flat.definition.timers.len());
            fragment.timers.extend(timers.clone());
            fragment.pulses.extend(timers.map(|timer| self.slots.timers[timer].woken));
            for wire in &flat.outputs {
                let present = self.slots.part(*wire, Part::Present);
                if self.slots.tracked[present].event {
                    fragment.events.push(present);
                }
                let parts = self.slots.wires[*wire].all();
                let readers = parts.flat_map(|part| &self.slots.tracked[part].readers);
                let elsewhere = readers.filter(|unit| units[**unit].fragment != id);
                fragment.readers.extend(elsewhere);
                fragment.regions.push(flat.region);
            }
        }
    }

    /// Computes the wires of a fragment between events, from the current values around it.
    fn entry(&mut self, id: FragmentId, fragment: &mut FragmentProgram) {
        let guesses = self.slots.guesses.len();
        let mut composer = Composer::new(self.diagram, &self.schedule.parts, Phase::Smooth);
        for step in &self.groups.steps[id.index()] {
            match &self.schedule.smooth[*step] {
                Step::Single(part) => {
                    let node = composer.part(self.slots, *part);
                    composer.nodes.insert(*part, node);
                }
                Step::Iterate(members) => solved::iterate(&mut composer, self.slots, members),
                Step::Presences { members, present, open } => {
                    solved::presences(&mut composer, self.slots, (members, *present), open);
                }
                Step::Solve { unknowns, rest } => {
                    solved::solve(&mut composer, self.slots, unknowns, rest);
                }
            }
        }
        let mut roots: Vec<(NodeId, Slot)> = Vec::new();
        let blocks = &self.groups.blocks[id.index()];
        for block in blocks.iter().filter(|block| !self.diagram.block(**block).passive) {
            for wire in &self.diagram.block(*block).outputs {
                let derivatives = (1..=self.diagram.wire(*wire).derivatives).map(Part::Derivative);
                for part in [Part::Present, Part::Value].into_iter().chain(derivatives) {
                    let node = composer.nodes[&self.schedule.parts.id(*wire, part)];
                    let slot = self.slots.slot(self.slots.part(*wire, part));
                    let (length, region) =
                        (composer.graph.ty(node).len(), self.diagram.block(*block).region);
                    fragment.wires.push(EntryWire { from: slot, length, region });
                    roots.push((node, slot));
                }
            }
        }
        for block in blocks.iter().filter(|block| !self.diagram.block(**block).passive) {
            for (number, next) in self.diagram.block(*block).smooth.nexts.iter().enumerate() {
                let node = composer.inline(self.slots, *block, *next);
                let state = self.slots.first_state[block.index()].plus(number);
                let own = self.slots.slot(self.slots.states[state].tracked);
                if matches!(composer.graph.node(node).op, Op::Leaf(key) if Slot(key) == own) {
                    continue;
                }
                let slot = self.slots.layout.reserve(composer.graph.ty(node).len());
                roots.push((node, slot));
                fragment.memories.push(Next { from: slot, state });
            }
        }
        fragment.entry = Tape::compile(&composer.graph, &roots, &mut self.slots.layout, &Slot);
        self.slots.guesses.truncate(guesses);
    }

    /// A block's first output, computed when a transition is decided.
    fn tested(&mut self, block: BlockId) -> TransitionValue {
        let mut composer = Composer::new(self.diagram, &self.schedule.parts, Phase::Tick);
        composer.frozen = true;
        let flat = self.diagram.block(block);
        let output = &flat.tick.outputs[0];
        let value = composer.inline(self.slots, block, output.value);
        let present = composer.inline(self.slots, block, output.present);
        let length = composer.graph.ty(value).len();
        let places = (self.slots.layout.reserve(length), self.slots.layout.reserve(1));
        let roots = [(value, places.0), (present, places.1)];
        self.transition_wires.extend(flat.inputs.iter().flatten());
        let tape = Tape::compile(&composer.graph, &roots, &mut self.slots.layout, &Slot);
        let wire = [Part::Present, Part::Value]
            .map(|part| self.slots.slot(self.slots.part(flat.outputs[0], part)));
        TransitionValue { block, tape, value: places.0, length, present: places.1, wire }
    }

    /// The state of an output block that says which diagram's last emitted values are heard.
    fn left_state(&self, block: BlockId) -> Option<StateId> {
        let states = self.diagram.block(block).definition.states.len();
        (states > ModeOutput::LEFT)
            .then(|| self.slots.first_state[block.index()].plus(ModeOutput::LEFT))
    }

    /// An output of a machine.
    fn output(&self, machine: &diagram::StateMachine, number: usize) -> MachineOutput {
        let block = machine.outputs[number];
        let [says, word] =
            ModeOutput::SAID.map(|offset| self.slots.first_state[block.index()].plus(offset));
        let passes = |(state, arm): (&diagram::MachineState, &Option<WireId>)| {
            let event = |wire: &WireId| {
                let present = self.slots.part(*wire, Part::Present);
                self.slots.tracked[present].event && self.spoken.contains(&present)
            };
            state.speaks && arm.as_ref().is_some_and(event)
        };
        let passes = machine.states.iter().zip(&machine.arms[number]).map(passes).collect();
        MachineOutput { says, word, left: self.left_state(block), passes }
    }

    fn machine(
        &mut self,
        machine: &diagram::StateMachine,
        fragments: &Table<FragmentId, FragmentProgram>,
    ) -> MachineProgram {
        let outputs = 0..machine.outputs.len();
        let outputs: Vec<MachineOutput> = outputs.map(|n| self.output(machine, n)).collect();
        let current = self.slots.first_state[machine.current.index()];
        let mut states = Vec::new();
        let mut regions: Vec<RegionId> = Vec::new();
        let mut changed: Vec<StateId> = vec![current];
        for state in &machine.states {
            let mut open: Vec<FragmentId> = vec![state.dwell];
            open.extend(state.content);
            while let Some(inner) = open.pop() {
                regions.extend(&fragments[inner].regions);
                changed.extend(&fragments[inner].states);
                open.extend(&self.groups.children[inner.index()]);
            }
            let transitions =
                state.transitions.iter().map(|transition| self.transition(transition)).collect();
            states.push(StateProgram { dwell: state.dwell, content: state.content, transitions });
        }
        regions.sort_unstable();
        regions.dedup();
        let (fragment, initial) = (machine.fragment, machine.initial);
        changed.extend(outputs.iter().flat_map(MachineOutput::states));
        let sets = states.iter().flat_map(|state: &StateProgram| &state.transitions);
        changed.extend(sets.flat_map(|t| &t.sets).map(|set| set.state));
        let tracked = changed.iter().map(|state| self.slots.states[*state].tracked).collect();
        let mut sharing: FxHashMap<FragmentId, Vec<usize>> = FxHashMap::default();
        for (index, state) in states.iter().enumerate() {
            state.content.iter().for_each(|own| sharing.entry(*own).or_default().push(index));
        }
        MachineProgram { fragment, current, initial, outputs, states, regions, tracked, sharing }
    }

    fn transition(&mut self, transition: &diagram::Transition) -> Transition {
        let guards = transition.guards.iter().map(|guard| self.tested(*guard)).collect();
        let sets = transition.sets.iter().map(|set| Assignment {
            state: self.slots.first_state[set.target.index()],
            value: self.tested(set.value),
        });
        let sets = sets.collect();
        let says =
            transition.says.iter().map(|(output, value)| (*output, self.tested(*value))).collect();
        Transition {
            to: transition.to,
            guards,
            sets,
            says,
            history: transition.history,
            immediate: transition.immediate,
            preemptive: transition.preemptive,
            default: transition.default,
            priority: transition.priority,
            nondeterministic: transition.nondeterministic,
            error: transition.error,
        }
    }
}
