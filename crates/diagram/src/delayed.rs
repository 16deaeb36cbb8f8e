//! When delayed signals are present.
//!
//! A delayed signal is present as its input was. Where a delay is in a loop that says nothing to
//! start from, so it is first taken to be never present, which is true before the delay is over;
//! where its input then turns out to be present, it is taken to be as that is, and facts are found
//! anew. What holds at the end holds by induction over time, one delay after the other.

use crate::facts::sharpen;
use crate::flat::{BlockId, Diagram, Presence};

/// Sharpens the facts of all wires, those of delayed signals included.
pub(crate) fn settle(diagram: &mut Diagram, consumers: &[Vec<BlockId>]) {
    for block in &mut diagram.blocks {
        block.delayed = vec![[Presence::Never; 2]; block.definition.histories.len()];
    }
    loop {
        sharpen(diagram, consumers);
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
        for history in 0..diagram.blocks[block].delayed.len() {
            let wire = diagram.wire(diagram.blocks[block].past(history));
            let found = [wire.between, wire.ticking];
            for (taken, found) in diagram.blocks[block].delayed[history].iter_mut().zip(found) {
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
