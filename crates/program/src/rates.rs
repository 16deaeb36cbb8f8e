//! Rates of continuous states, as functions of the wires at their blocks' inputs.

use blocks::Part;
use diagram::{BlockId, Diagram, Phase, RegionId};
use ir::{Slot, Tape};
use schedule::Schedule;

use crate::Program;
use crate::compose::Composer;
use crate::slots::Slots;
use crate::smooth::Root;

/// The rates of all states from wires whose values are in the buffer, for evaluating a diagram with
/// the tapes of a tick instead of those of the smooth phase.
#[derive(Clone, Debug)]
pub struct Rates {
    /// Writes each rate to its slot among the rates of its region.
    pub tape: Tape,
    /// The initial buffer: that of the program, with room for the tape.
    pub image: Vec<f64>,
}

/// Makes the tape of the rates. The guesses of solved loops are the values of their wires.
pub fn rates(diagram: &Diagram, schedule: &Schedule, program: &Program) -> Rates {
    // The first slots that are allocated are the same as in the program.
    let slots = Slots::new(diagram);
    // Nothing has been composed, so every input is read from its slot.
    let mut composer = Composer::new(diagram, &schedule.parts, Phase::Smooth);
    let mut roots = Vec::new();
    for (index, region) in diagram.regions.iter().enumerate() {
        let own = roots_of(&mut composer, &slots, RegionId::new(index), &region.blocks);
        roots.extend(own.into_iter().map(|(node, slot, _)| (node, slot)));
    }
    let mut layout = program.layout.clone();
    let tape = Tape::compile(&composer.graph, &roots, &mut layout, &Slot);
    let mut image = layout.image().to_vec();
    image[..program.image.len()].copy_from_slice(&program.image);
    for (wire, guess) in &diagram.solve.wires {
        let from = slots.slot(slots.part(*wire, Part::Value)).index();
        image[from..from + diagram.wire(*wire).ty.len()].fill(guess[0]);
    }
    Rates { tape, image }
}

/// The rates of the states of a region, each with its slot.
pub(crate) fn roots_of(
    composer: &mut Composer,
    slots: &Slots,
    region: RegionId,
    blocks: &[BlockId],
) -> Vec<Root> {
    let (state, rate) = {
        let program = &slots.regions[region];
        (program.state, program.rate)
    };
    let mut roots = Vec::new();
    for block in blocks {
        let flat = composer.diagram.block(*block);
        for (index, derivative) in flat.smooth.derivatives.iter().enumerate() {
            let Some(derivative) = derivative else { continue };
            let node = composer.inline(slots, *block, *derivative);
            let tracked = slots.states[slots.first_state[block.index()].plus(index)].tracked;
            let offset = slots.slot(tracked) - state;
            // A scalar rate fills a vector of states.
            let shape = flat.definition.states[index].ty.shape;
            let node = composer.graph.splat(node, shape);
            roots.push((node, rate + offset, flat.fragment.0));
        }
    }
    roots
}
