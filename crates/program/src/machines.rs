//! State machines: the tapes of their guards and actions, and what belongs to each fragment.

use blocks::{ModeOutput, Part};
use diagram::{BlockId, Diagram, FragmentId, Mode, RegionId, WireId};
use ir::{NodeId, Op, Slot, Tape};
use rustc_hash::{FxHashMap, FxHashSet};
use schedule::{Schedule, Step};

use crate::compose::Composer;
use crate::program::{CellId, Unit, UnitId};
use crate::slots::Slots;
use crate::solved;

/// Blocks that run together or not at all.
#[derive(Clone, Debug, Default)]
pub struct FragmentProgram {
    /// The fragment that it is in.
    pub parent: FragmentId,
    /// Whether its clock shows how long ago it was entered.
    pub dwell: bool,
    /// Where it stands whether it runs.
    pub active: Slot,
    /// Where it stands when its clock showed 0 \[s\].
    pub origin: Slot,
    /// Its units.
    pub units: Vec<UnitId>,
    /// Units elsewhere that read its wires.
    pub readers: Vec<UnitId>,
    /// The states of its blocks.
    pub states: Vec<usize>,
    /// The timers of its blocks.
    pub timers: Vec<usize>,
    /// Its crossings, with their regions where they are located.
    pub crossings: Vec<usize>,
    /// Presences of its signals that are events only.
    pub events: Vec<CellId>,
    /// The regions of its blocks.
    pub regions: Vec<RegionId>,
    /// The machines right inside it.
    pub machines: Vec<usize>,
    /// Its wires as they are when it starts, and what memories begin with.
    pub entry: Tape,
    /// Where the entry tape puts what memories begin with, and the state.
    pub memories: Vec<(Slot, usize)>,
    /// States that start from what an expression says, in order.
    pub starts: Vec<EntryState>,
}

/// A state that starts from what an expression says.
#[derive(Clone, Debug)]
pub struct EntryState {
    /// The state.
    pub state: usize,
    /// What computes it.
    pub value: Tested,
}

/// A value that is computed when a transition is decided.
#[derive(Clone, Debug)]
pub struct Tested {
    /// The block, for messages.
    pub block: BlockId,
    /// What computes it.
    pub tape: Tape,
    /// Where it is then.
    pub value: Slot,
    /// How many numbers it has.
    pub length: usize,
    /// Where it is then whether it is there.
    pub present: Slot,
}

/// A state machine.
#[derive(Clone, Debug)]
pub struct MachineProgram {
    /// The fragment that it is in.
    pub fragment: FragmentId,
    /// The state that is the number of its state.
    pub mode: usize,
    /// The number of the state in which it starts.
    pub initial: usize,
    /// For each output, where a transition says something: whether it does, and what.
    pub outputs: Vec<[usize; 2]>,
    /// The states.
    pub states: Vec<StateProgram>,
    /// Whether a state has a way out for where its diagram fails.
    pub recovers: bool,
    /// The regions of its fragments, which a transition may reach.
    pub regions: Vec<RegionId>,
    /// What a transition may change.
    pub cells: Vec<CellId>,
}

/// A state of a machine.
#[derive(Clone, Debug)]
pub struct StateProgram {
    /// Its guards.
    pub dwell: FragmentId,
    /// Its diagram.
    pub content: Option<FragmentId>,
    /// The ways out.
    pub transitions: Vec<Transition>,
}

/// A way out of a state.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The number of the state that it leads to.
    pub to: usize,
    /// Truth values that must all hold.
    pub guards: Vec<Tested>,
    /// For a preemptive one, the presence and the value of its guard at a microstep.
    pub early: Option<[Slot; 2]>,
    /// What states become.
    pub sets: Vec<Assignment>,
    /// What outputs say, by their numbers.
    pub says: Vec<(usize, Tested)>,
    /// Whether the other diagram goes on where it was.
    pub history: bool,
    /// Whether it is tried as soon as the state is entered.
    pub immediate: bool,
    /// Whether it is taken where no other one is.
    pub default: bool,
    /// Whether it may be one of several that are enabled.
    pub nondeterministic: bool,
    /// Whether it is taken where the diagram fails, and only there.
    pub error: bool,
}

/// A value for a state.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The state.
    pub state: usize,
    /// The wire that shows it, where it is a parameter that transitions set.
    pub wire: Option<CellId>,
    /// What computes it.
    pub value: Tested,
}

/// What comes out.
pub(crate) struct Compiled {
    pub fragments: Vec<FragmentProgram>,
    pub machines: Vec<MachineProgram>,
    /// Wires that transitions read.
    pub asked: FxHashSet<WireId>,
}

pub(crate) fn compile(
    diagram: &Diagram,
    schedule: &Schedule,
    slots: &mut Slots,
    units: &[Unit],
) -> Compiled {
    let mut maker = Maker { diagram, schedule, slots, asked: FxHashSet::default() };
    let fragments = (0..diagram.modes.fragments.len())
        .map(|index| maker.fragment(FragmentId::new(index), units))
        .collect::<Vec<_>>();
    let machines: Vec<MachineProgram> =
        diagram.modes.machines.iter().map(|machine| maker.machine(machine, &fragments)).collect();
    let asked = maker.asked;
    watch_guards(diagram, slots, units);
    Compiled { fragments, machines, asked }
}

/// Enters machines as readers of what their guards read.
fn watch_guards(diagram: &Diagram, slots: &mut Slots, units: &[Unit]) {
    let mut machine_of: FxHashMap<BlockId, u32> = FxHashMap::default();
    for (index, machine) in diagram.modes.machines.iter().enumerate() {
        let transitions = machine.states.iter().flat_map(|state| &state.transitions);
        machine_of.extend(transitions.flat_map(|t| &t.guards).map(|g| (*g, index as u32)));
    }
    if machine_of.is_empty() {
        return;
    }
    for cell in &mut slots.cells {
        for reader in &cell.readers {
            if let Some(machine) = machine_of.get(&units[reader.index()].block)
                && !cell.machines.contains(machine)
            {
                cell.machines.push(*machine);
            }
        }
    }
}

struct Maker<'a> {
    diagram: &'a Diagram,
    schedule: &'a Schedule,
    slots: &'a mut Slots,
    asked: FxHashSet<WireId>,
}

impl Maker<'_> {
    fn fragment(&mut self, id: FragmentId, units: &[Unit]) -> FragmentProgram {
        let places = self.slots.fragments[id.index()];
        let written = &self.diagram.modes.fragments[id.index()];
        let mut fragment = FragmentProgram {
            parent: written.parent,
            dwell: written.dwell,
            active: places.active,
            origin: places.origin,
            ..FragmentProgram::default()
        };
        let machines = self.diagram.modes.machines.iter().enumerate();
        let own = machines.filter(|(_, machine)| machine.fragment == id);
        fragment.machines.extend(own.map(|(index, _)| index));
        if id == FragmentId::ROOT {
            return fragment;
        }
        let inside = |block: BlockId| self.diagram.block(block).fragment == id;
        let numbered = |n: usize| (0..n).map(|i| (i, UnitId::new(i)));
        fragment.units.extend(
            numbered(units.len()).filter(|(i, _)| units[*i].fragment == id).map(|(_, unit)| unit),
        );
        let states = self.slots.states.iter().enumerate();
        fragment.states.extend(states.filter(|(_, s)| inside(s.block)).map(|(i, _)| i));
        let timers = self.slots.timers.iter().enumerate();
        fragment.timers.extend(timers.filter(|(_, t)| inside(t.block)).map(|(i, _)| i));
        let crossings = self.slots.crossings.iter().enumerate();
        fragment.crossings.extend(crossings.filter(|(_, c)| inside(c.block)).map(|(i, _)| i));
        for (index, wire) in self.diagram.wires.iter().enumerate() {
            if inside(wire.block) {
                let present = self.slots.part(WireId::new(index), Part::Present);
                if self.slots.cells[present.index()].event {
                    fragment.events.push(present);
                }
                let cells = self.slots.wires[index].all();
                let readers = cells.flat_map(|cell| &self.slots.cells[cell.index()].readers);
                let elsewhere = readers.filter(|unit| units[unit.index()].fragment != id);
                fragment.readers.extend(elsewhere);
                let region = self.diagram.block(wire.block).region;
                if !fragment.regions.contains(&region) {
                    fragment.regions.push(region);
                }
            }
        }
        for entry in &self.diagram.modes.entries {
            if inside(entry.block) {
                let state = self.slots.first_state[entry.block.index()];
                let value = self.tested(self.diagram.wire(entry.wire).block);
                fragment.starts.push(EntryState { state, value });
            }
        }
        fragment.readers.sort_unstable();
        fragment.readers.dedup();
        self.entry(id, &mut fragment);
        fragment
    }

    /// The wires of a fragment between events, from what is around it as it is.
    fn entry(&mut self, id: FragmentId, fragment: &mut FragmentProgram) {
        let guesses = self.slots.guesses.len();
        let block_of = |part| self.diagram.wire(self.schedule.parts.get(part).wire).block;
        let inside = |part| self.diagram.block(block_of(part)).fragment == id;
        let mut composer = Composer::new(self.diagram, &self.schedule.parts, Mode::Smooth);
        for step in &self.schedule.smooth {
            match step {
                Step::Single(part) if inside(*part) => {
                    let node = composer.part(self.slots, *part);
                    composer.nodes.insert(*part, node);
                }
                Step::Iterate(members) if members.iter().any(|part| inside(*part)) => {
                    solved::iterate(&mut composer, self.slots, members);
                }
                Step::Presences { members, present }
                    if members.iter().any(|part| inside(*part)) =>
                {
                    solved::presences(&mut composer, self.slots, members, *present);
                }
                Step::Solve { unknowns, rest }
                    if unknowns.iter().map(|(part, _)| part).chain(rest).any(|p| inside(*p)) =>
                {
                    solved::solve(&mut composer, self.slots, unknowns, rest);
                }
                _ => {}
            }
        }
        let mut roots: Vec<(NodeId, Slot)> = Vec::new();
        for (index, wire) in self.diagram.wires.iter().enumerate() {
            let block = self.diagram.block(wire.block);
            if block.fragment != id || block.passive {
                continue;
            }
            let wire = WireId::new(index);
            let derivatives = (1..=self.diagram.wire(wire).derivatives).map(Part::Derivative);
            for part in [Part::Present, Part::Value].into_iter().chain(derivatives) {
                let node = composer.nodes[&self.schedule.parts.id(wire, part)];
                roots.push((node, self.slots.slot(self.slots.part(wire, part))));
            }
        }
        for (index, block) in self.diagram.blocks.iter().enumerate() {
            if block.fragment != id || block.passive {
                continue;
            }
            for (number, next) in block.smooth.nexts.iter().enumerate() {
                let node = composer.inline(self.slots, BlockId::new(index), *next);
                let state = self.slots.first_state[index] + number;
                let own = self.slots.slot(self.slots.states[state].cell);
                if matches!(composer.graph.node(node).op, Op::Leaf(key) if key == own) {
                    continue;
                }
                let slot = self.slots.layout.reserve(composer.graph.ty(node).len());
                roots.push((node, slot));
                fragment.memories.push((slot, state));
            }
        }
        fragment.entry =
            Tape::compile(&composer.graph, &roots, &mut self.slots.layout, &|slot| slot);
        self.slots.guesses.truncate(guesses);
    }

    /// A block's first output, computed when a transition is decided.
    fn tested(&mut self, block: BlockId) -> Tested {
        let mut composer = Composer::new(self.diagram, &self.schedule.parts, Mode::Tick);
        composer.frozen = true;
        let flat = self.diagram.block(block);
        let output = &flat.tick.outputs[0];
        let value = composer.inline(self.slots, block, output.value);
        let present = composer.inline(self.slots, block, output.present);
        let length = composer.graph.ty(value).len();
        let places = (self.slots.layout.reserve(length), self.slots.layout.reserve(1));
        let roots = [(value, places.0), (present, places.1)];
        self.asked.extend(flat.inputs.iter().flatten());
        let tape = Tape::compile(&composer.graph, &roots, &mut self.slots.layout, &|slot| slot);
        Tested { block, tape, value: places.0, length, present: places.1 }
    }

    fn machine(
        &mut self,
        machine: &diagram::Machine,
        fragments: &[FragmentProgram],
    ) -> MachineProgram {
        let first = |slots: &Slots, block: BlockId| slots.first_state[block.index()];
        let outputs = machine.outputs.iter().map(|block| {
            let state = first(self.slots, *block);
            ModeOutput::SAID.map(|offset| state + offset)
        });
        let outputs = outputs.collect();
        let mode = first(self.slots, machine.mode);
        let mut states = Vec::new();
        let mut regions: Vec<RegionId> = Vec::new();
        let mut changed: Vec<usize> = vec![mode];
        for state in &machine.states {
            for (index, fragment) in fragments.iter().enumerate() {
                let id = FragmentId::new(index);
                let modes = &self.diagram.modes;
                let inner = modes.is_inside(id, state.dwell)
                    || state.content.is_some_and(|content| modes.is_inside(id, content));
                if inner {
                    regions.extend(&fragment.regions);
                    changed.extend(&fragment.states);
                }
            }
            let transitions =
                state.transitions.iter().map(|transition| self.transition(transition)).collect();
            states.push(StateProgram { dwell: state.dwell, content: state.content, transitions });
        }
        regions.sort_unstable();
        regions.dedup();
        let (fragment, initial) = (machine.fragment, machine.initial);
        let outputs: Vec<[usize; 2]> = outputs;
        changed.extend(outputs.iter().flatten());
        let sets = states.iter().flat_map(|state: &StateProgram| &state.transitions);
        changed.extend(sets.flat_map(|t| &t.sets).map(|set| set.state));
        let cells = changed.iter().map(|state| self.slots.states[*state].cell).collect();
        let recovers = states.iter().flat_map(|state| &state.transitions).any(|t| t.error);
        MachineProgram { fragment, mode, initial, outputs, states, recovers, regions, cells }
    }

    fn transition(&mut self, transition: &diagram::Transition) -> Transition {
        let early = transition.guards.first().filter(|_| transition.preemptive).map(|guard| {
            let wire = self.diagram.block(*guard).outputs[0];
            [Part::Present, Part::Value].map(|part| self.slots.slot(self.slots.part(wire, part)))
        });
        let guards = transition.guards.iter().map(|guard| self.tested(*guard)).collect();
        let mut sets = Vec::new();
        for set in &transition.sets {
            let value = self.tested(set.value);
            let wire = self.diagram.block(set.target).outputs[0];
            sets.push(Assignment {
                state: self.slots.first_state[set.target.index()],
                wire: set.variable.then(|| self.slots.part(wire, Part::Value)),
                value,
            });
        }
        let says =
            transition.says.iter().map(|(output, value)| (*output, self.tested(*value))).collect();
        Transition {
            to: transition.to,
            guards,
            early,
            sets,
            says,
            history: transition.history,
            immediate: transition.immediate,
            default: transition.default,
            nondeterministic: transition.nondeterministic,
            error: transition.error,
        }
    }
}
