//! When signals that a block remembers are present.
//!
//! A delayed signal is present as its input was. A delay in a loop has nothing to start from, so it
//! is first taken to be never present, which is true before the delay is over; if its input then
//! turns out to be present, it is taken to be as that is, and facts are found anew. What holds at the end holds by induction over time, one delay after the other. The same
//! holds for a delay of one microstep: between events nothing makes an event present.

use std::collections::BTreeSet;

use blocks::Leaf;
use ir::Op;

use crate::facts::{sharpen, sharpen_from, silence_loops};
use crate::flat::{BlockId, Diagram, FlatBlock, Presence, WireId};

/// Sharpens the facts of all wires, those of delayed signals included.
pub(crate) fn settle(diagram: &mut Diagram, consumers: &[Vec<BlockId>]) {
    for block in &mut diagram.blocks {
        let ports = block.definition.remembered_ports().into_iter();
        block.remembered = ports.map(|port| (port, [Presence::Never; 2])).collect();
    }
    sharpen(diagram, consumers);
    // Where loops are solved, a wire is silenced by what is far from it.
    let everywhere = !diagram.solve.everywhere.is_empty() || !diagram.solve.wires.is_empty();
    silence_loops(diagram, consumers);
    let mut open: Vec<BlockId> = (0..diagram.blocks.len()).map(BlockId::new).collect();
    let mut queued = vec![false; diagram.blocks.len()];
    loop {
        let weakened: Vec<BlockId> =
            open.into_iter().filter(|block| weaken(diagram, *block)).collect();
        if weakened.is_empty() {
            return;
        }
        if everywhere {
            (0..diagram.wires.len()).for_each(|wire| forget(diagram, WireId::new(wire)));
            sharpen(diagram, consumers);
            silence_loops(diagram, consumers);
            open = (0..diagram.blocks.len()).map(BlockId::new).collect();
        } else {
            let (wires, readers) = affected(diagram, consumers, &weakened);
            wires.iter().for_each(|wire| forget(diagram, *wire));
            sharpen_from(diagram, consumers, &mut queued, readers.iter().chain(&weakened));
            open = readers;
        }
    }
}

/// Nothing is known of a wire any more.
fn forget(diagram: &mut Diagram, wire: WireId) {
    let wire = &mut diagram.wires[wire.index()];
    (wire.between, wire.ticking) = (Presence::Varies, Presence::Varies);
    wire.constant = None;
}

/// The wires whose facts hang on what some blocks remember, and the blocks that read these.
fn affected(
    diagram: &Diagram,
    consumers: &[Vec<BlockId>],
    blocks: &[BlockId],
) -> (BTreeSet<WireId>, Vec<BlockId>) {
    let outputs = blocks.iter().flat_map(|block| diagram.block(*block).outputs.iter().copied());
    let mut open: Vec<WireId> = outputs.collect();
    let mut wires: BTreeSet<WireId> = open.iter().copied().collect();
    let mut readers = BTreeSet::new();
    while let Some(wire) = open.pop() {
        for reader in &consumers[wire.index()] {
            readers.insert(*reader);
            let block = diagram.block(*reader);
            if passes_on(block, wire) {
                open.extend(block.outputs.iter().filter(|output| wires.insert(**output)));
            }
        }
    }
    (wires, readers.into_iter().collect())
}

/// Whether what a block puts out at an instant hangs on a wire that it reads at that instant.
fn passes_on(block: &FlatBlock, wire: WireId) -> bool {
    let definition = &block.definition;
    let roots: Vec<_> =
        definition.outputs.iter().flat_map(|output| [output.present, output.value]).collect();
    let graph = &definition.graph;
    graph.reachable(&roots).into_iter().any(|node| match graph.node(node).op {
        Op::Leaf(key) => match definition.leaves[key as usize] {
            Leaf::Input { port, .. } => block.port(port) == wire,
            _ => false,
        },
        _ => false,
    })
}

/// Takes back what a block was taken to remember and does not: never, then always, then anything.
/// Says whether something was.
fn weaken(diagram: &mut Diagram, block: BlockId) -> bool {
    let mut changed = false;
    let block = block.index();
    for port in diagram.blocks[block].remembered.keys().copied().collect::<Vec<_>>() {
        let wire = diagram.wire(diagram.blocks[block].port(port));
        let found = [wire.between, wire.ticking];
        let taken = diagram.blocks[block].remembered.entry(port).or_insert(found);
        for (taken, found) in taken.iter_mut().zip(found) {
            if *taken != found && *taken != Presence::Varies {
                let always = *taken == Presence::Never && found == Presence::Always;
                *taken = if always { Presence::Always } else { Presence::Varies };
                changed = true;
            }
        }
    }
    changed
}
