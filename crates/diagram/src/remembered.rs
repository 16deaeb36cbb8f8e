//! When signals that a block remembers are present.
//!
//! A delayed signal is present as its input was. Where a delay is in a loop that says nothing to
//! start from, so it is first taken to be never present, which is true before the delay is over;
//! where its input then turns out to be present, it is taken to be as that is, and facts are found
//! anew. What holds at the end holds by induction over time, one delay after the other. The same
//! goes for a delay of one microstep: between events nothing makes an event present.

use crate::facts::{sharpen, silence_loops};
use crate::flat::{BlockId, Diagram, Presence};

/// Sharpens the facts of all wires, those of delayed signals included.
pub(crate) fn settle(diagram: &mut Diagram, consumers: &[Vec<BlockId>]) {
    for block in &mut diagram.blocks {
        let ports = block.definition.remembered_ports().into_iter();
        block.remembered = ports.map(|port| (port, [Presence::Never; 2])).collect();
    }
    loop {
        sharpen(diagram, consumers);
        silence_loops(diagram, consumers);
        if !weaken(diagram) {
            return;
        }
        for wire in &mut diagram.wires {
            (wire.between, wire.ticking) = (Presence::Varies, Presence::Varies);
            wire.constant = None;
        }
    }
}

/// Takes back what was taken to be and is not: never, then always, then anything. Says whether
/// something was.
fn weaken(diagram: &mut Diagram) -> bool {
    let mut changed = false;
    for block in 0..diagram.blocks.len() {
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
    }
    changed
}
