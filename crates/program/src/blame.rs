//! Values between events that no tape computes, for messages about a failure.

use diagram::{BlockId, RegionId, WireId};
use ir::{Op, Slot, Tape};

use crate::program::Program;
use crate::region::WatchId;

impl Program {
    /// The first block whose value is not finite at the point that a region has reached, for a
    /// message: everything that moves in the region is evaluated on a copy of the buffer.
    pub fn blame(&self, region: RegionId, buffer: &[f64]) -> Option<BlockId> {
        let mut layout = self.layout.clone();
        let mut roots = Vec::new();
        let mut places = Vec::new();
        for (id, wire) in self.wires.entries() {
            let Some(node) = self.values[id] else { continue };
            let block = self.origins.source(id);
            if self.origins.block(block).region == region {
                let length = self.tracked(wire.value).length;
                let slot = layout.reserve(length);
                roots.push((node, slot));
                places.push((node, slot, length, block));
            }
        }
        let tape = Tape::compile(&self.graph, &roots, &mut layout, &Slot);
        let mut copy = layout.image().to_vec();
        copy[..buffer.len()].copy_from_slice(buffer);
        ir::run(&tape, &mut copy);
        places.sort_by_key(|(node, ..)| *node);
        places
            .iter()
            .find(|(_, slot, length, _)| {
                let from = slot.index();
                copy[from..from + length].iter().any(|x| !x.is_finite())
            })
            .map(|(.., block)| *block)
    }

    /// The blocks with states on which a watched function depends, for a message.
    pub fn moved_by(&self, watch: WatchId) -> Vec<BlockId> {
        let region = &self.regions[watch.region];
        let states = region.state.slots(region.dimension);
        let mut blocks = Vec::new();
        for node in self.graph.reachable(&[region.functions[watch.index].value]) {
            if let Op::Leaf(slot) = self.graph.node(node).op
                && states.contains(Slot(slot))
            {
                blocks.push(region.owners[(Slot(slot) - region.state) as usize]);
            }
        }
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// The value of a wire between events, given the values in the buffer, for a message; none if
    /// no smooth function computes it.
    pub fn value_of(&self, wire: WireId, buffer: &[f64]) -> Option<Vec<f64>> {
        let node = (*self.values.get(wire)?)?;
        let length = self.tracked(self.wires[wire].value).length;
        let mut layout = self.layout.clone();
        let slot = layout.reserve(length);
        let tape = Tape::compile(&self.graph, &[(node, slot)], &mut layout, &Slot);
        let mut copy = layout.image().to_vec();
        copy[..buffer.len()].copy_from_slice(buffer);
        ir::run(&tape, &mut copy);
        Some(copy[slot.range(length)].to_vec())
    }
}
