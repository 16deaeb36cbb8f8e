//! Delays that are signals, in the order in which they are read.

use diagram::RegionId;
use ir::{NodeId, Op, Slot};

use super::{Maker, Root};
use crate::delay_line::LineId;

/// Delays that are computed together, and for each its delay line and the place of that among the
/// lines of its past.
pub(super) type ReadingStage = (Vec<Root>, Vec<(LineId, usize)>);

impl Maker<'_> {
    /// The delays of a region that are signals, in stages: a delay that is computed from a signal
    /// whose own delay is one comes after that.
    pub(super) fn readings(&self, id: RegionId) -> Vec<ReadingStage> {
        let own = |line: &LineId| {
            let own = &self.slots.lines[*line];
            let (reading, track) = own.reading.zip(own.track)?;
            let (wire, part) = self.slots.tracked[reading.delay].part?;
            let node = self.composer.nodes[&self.composer.parts.id(wire, part)];
            let past = &self.slots.regions[id].pasts[track.past];
            let place = past.lines.iter().position(|other| other == line)?;
            Some((*line, place, node, reading.read, self.guard(own.block)))
        };
        let mut open: Vec<_> = self.slots.regions[id].lines.iter().filter_map(own).collect();
        let reads = |node: NodeId, read: Slot| {
            let nodes = self.composer.graph.reachable(&[node]);
            nodes.iter().any(|id| self.composer.graph.node(*id).op == Op::Leaf(read.0))
        };
        let mut stages = Vec::new();
        while !open.is_empty() {
            let waits = |node: NodeId| open.iter().any(|(.., read, _)| reads(node, *read));
            let ready: Vec<bool> = open.iter().map(|(_, _, node, ..)| !waits(*node)).collect();
            // In a solved loop each may wait for another; then all are read together.
            let all = !ready.contains(&true);
            let mut stage = (Vec::new(), Vec::new());
            let mut rest = Vec::new();
            for (own, ready) in open.iter().zip(ready) {
                let (line, place, node, read, guard) = *own;
                if ready || all {
                    stage.0.push((node, read, guard));
                    stage.1.push((line, place));
                } else {
                    rest.push(*own);
                }
            }
            stages.push(stage);
            open = rest;
        }
        stages
    }
}
