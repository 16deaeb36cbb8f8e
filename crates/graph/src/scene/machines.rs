//! Which blocks the charts of state machines replace, and what machines read.
//!
//! The index of the state, guards, delays, and what transitions set and emit are blocks of the flat
//! diagram that a chart shows instead. The machine itself remains a node if its transitions read
//! signals of the diagram, so that a loop through a guard is visibly closed.

use std::collections::BTreeSet;

use base::Span;
use blocks::Role;
use diagram::{BlockId, Diagram, StateMachine, WireId};

/// Whether a block joins the values that the states of a machine give to one of its outputs.
pub(super) fn joins_states(diagram: &Diagram, block: usize) -> bool {
    diagram.blocks[block].kind.role() == Role::MachineOutput
}

/// Blocks of state machines that the charts show and that nothing else that is drawn reads: the
/// state, guards, and what transitions set and emit.
pub(super) fn drawn_in_charts(diagram: &Diagram) -> Vec<bool> {
    let mut charted: Vec<bool> = diagram
        .blocks
        .iter()
        .map(|block| block.passive || diagram.modes.fragments[block.fragment.index()].dwell)
        .collect();
    for machine in &diagram.modes.machines {
        charted[machine.current.index()] = true;
    }
    // What is read was made before its readers, or is itself one of these blocks.
    for _ in 0..charted.len() {
        let mut changed = false;
        for index in 0..charted.len() {
            if charted[index] || joins_states(diagram, index) {
                continue;
            }
            for wire in diagram.blocks[index].inputs.iter().flatten() {
                let driver = diagram.wire(*wire).block.index();
                changed |= std::mem::replace(&mut charted[driver], false);
            }
        }
        if !changed {
            break;
        }
    }
    charted
}

/// The signals that the guards and actions of a machine read from drawn blocks, and where each is
/// written.
pub(super) fn reads(
    diagram: &Diagram,
    charted: &[bool],
    machine: &StateMachine,
) -> Vec<(WireId, Span)> {
    let transitions = machine.states.iter().flat_map(|state| &state.transitions);
    let mut waiting: Vec<BlockId> = transitions
        .flat_map(|transition| {
            let sets = transition.sets.iter().map(|set| set.value);
            let says = transition.says.iter().map(|(_, value)| *value);
            transition.guards.iter().copied().chain(sets).chain(says)
        })
        .collect();
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(block) = waiting.pop() {
        // A block that is also drawn for others is itself what the machine reads.
        if !charted[block.index()] {
            let block = diagram.block(block);
            found.extend(block.outputs.first().map(|wire| (*wire, block.span)));
            continue;
        }
        if !seen.insert(block) {
            continue;
        }
        let block = diagram.block(block);
        let inputs = block.inputs.iter().flatten().zip(block.input_spans.iter().flatten());
        for (wire, span) in inputs {
            let driver = diagram.wire(*wire).block;
            match charted[driver.index()] {
                true => waiting.push(driver),
                false => found.push((*wire, *span)),
            }
        }
    }
    found.retain(|(wire, _)| diagram.wire(*wire).block != machine.current);
    found.sort_by_key(|(wire, _)| *wire);
    found.dedup_by_key(|(wire, _)| *wire);
    found
}
