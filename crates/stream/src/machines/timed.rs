//! Which transitions depend on ticks, and what hears them.

use base::Table;
use blocks::Leaf;
use diagram::{BlockId, Diagram, Presence, Transition, WireId};
use program::MachineId;

/// For each machine, state and transition, whether only a tick can enable it: its guards are
/// events, or depend on nothing that moves from one evaluation to the next.
pub(crate) fn timed(diagram: &Diagram) -> Table<MachineId, Vec<Vec<bool>>> {
    let live = live(diagram);
    let of = |transition: &Transition| !is_live(diagram, &live, transition);
    let machines = diagram.modes.machines.iter();
    let states = machines.map(|machine| machine.states.iter());
    states
        .map(|states| states.map(|state| state.transitions.iter().map(of).collect()).collect())
        .collect()
}

/// For each block, whether an event that a transition emits reaches it; the outputs of machines
/// themselves are not included.
pub(crate) fn hearing(diagram: &Diagram) -> Vec<bool> {
    let machines = &diagram.modes.machines;
    let outputs = || machines.iter().flat_map(|machine| &machine.outputs);
    let mut hears = vec![false; diagram.blocks.len()];
    outputs().for_each(|block| hears[block.index()] = true);
    loop {
        let before = hears.clone();
        for (index, block) in diagram.blocks.iter().enumerate() {
            let carries = |wire: &WireId| {
                is_event(diagram, *wire) && before[diagram.wire(*wire).block.index()]
            };
            hears[index] = hears[index] || block.inputs.iter().flatten().any(carries);
        }
        if hears == before {
            outputs().for_each(|block| hears[block.index()] = false);
            return hears;
        }
    }
}

/// Whether a transition may be enabled between ticks.
fn is_live(diagram: &Diagram, live: &[bool], transition: &Transition) -> bool {
    let event = |guard: &BlockId| is_event(diagram, diagram.block(*guard).outputs[0]);
    let moves = |guard: &BlockId| live[guard.index()];
    !transition.guards.iter().any(event) && transition.guards.iter().any(moves)
}

fn is_event(diagram: &Diagram, wire: WireId) -> bool {
    diagram.wire(wire).between == Presence::Never
}

/// For each block, whether its outputs may change between ticks. A comparison may if its operands
/// may.
fn live(diagram: &Diagram) -> Vec<bool> {
    let moves = |leaf: &Leaf| matches!(leaf, Leaf::Time | Leaf::Elapsed | Leaf::Step);
    let mut live: Vec<bool> = Vec::new();
    for block in &diagram.blocks {
        let flows = block.definition.states.iter().any(|state| state.derivative.is_some());
        live.push(flows || block.definition.leaves.iter().any(moves));
    }
    loop {
        let before = live.clone();
        for (index, block) in diagram.blocks.iter().enumerate() {
            let reads = |wire: &WireId| {
                !is_event(diagram, *wire) && live[diagram.wire(*wire).block.index()]
            };
            live[index] = live[index] || block.inputs.iter().flatten().any(reads);
        }
        for machine in &diagram.modes.machines {
            let transitions = machine.states.iter().flat_map(|state| &state.transitions);
            for transition in transitions.filter(|t| is_live(diagram, &before, t)) {
                live[machine.current.index()] = true;
                transition.sets.iter().for_each(|set| live[set.target.index()] = true);
            }
        }
        if live == before {
            return live;
        }
    }
}
