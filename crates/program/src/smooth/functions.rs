//! What is known about the watched functions of a region.

use diagram::RegionId;
use ir::{NodeId, Slot, SlotRange, tangents};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Maker, Root};
use crate::watched::{CommonTerms, Function, Moving, Shapes};

impl Maker<'_> {
    /// Finds what is known about the watched functions, given their values and time derivatives.
    pub(super) fn know_functions(
        &mut self,
        id: RegionId,
        (values, slopes): &(Vec<Root>, Vec<Root>),
        rates: &[Root],
    ) {
        let program = &self.slots.regions[id];
        let (g, g_rate, count) = (program.g, program.g_rate, program.watches.len());
        let within = |slot: Slot, from: Slot| from.slots(count).contains(slot);
        let zero = self.composer.graph.real(0.0);
        let mut nodes = vec![[zero; 3]; count];
        for (node, slot, _) in values.iter().filter(|root| within(root.1, g)) {
            nodes[(*slot - g) as usize][0] = *node;
        }
        for (node, slot, _) in slopes.iter().filter(|root| within(root.1, g_rate)) {
            nodes[(*slot - g_rate) as usize][1] = *node;
        }
        let outputs: Vec<NodeId> = nodes.iter().map(|node| node[0]).collect();
        for (node, full) in nodes.iter_mut().zip(self.along_the_rates(id, rates, &outputs)) {
            node[2] = full;
        }
        let tracks = self.slots.regions[id].lines.iter();
        let tracks = tracks.filter_map(|line| self.slots.lines[*line].track);
        let delayed: FxHashSet<Slot> = tracks
            .flat_map(|track| [track.place, track.slope].map(|from| from.slots(track.width)))
            .flat_map(SlotRange::iter)
            .collect();
        let program = &self.slots.regions[id];
        let (states, rates) = (program.state, program.rate);
        let dimension = program.dimension;
        let moving = Moving {
            is_state: &|slot| {
                [states, rates].iter().any(|from| from.slots(dimension).contains(slot))
            },
            is_delayed: &|slot| delayed.contains(&slot),
            time: self.slots.time,
        };
        let mut shapes = Shapes::default();
        let graph = &self.composer.graph;
        let functions: Vec<Function> = nodes
            .iter()
            .map(|[value, rate, full]| shapes.function(graph, &moving, *value, [*rate, *full]))
            .collect();
        let program = &mut self.slots.regions[id];
        program.gains = functions.iter().map(|function| function.gain).collect();
        let sides = program.watches.iter().all(|watch| watch.side);
        program.common_terms = CommonTerms::of(&functions).filter(|_| sides);
        program.functions = functions;
    }

    /// Time derivatives of nodes, with the rates of the states as functions of the states.
    fn along_the_rates(&mut self, id: RegionId, rates: &[Root], outputs: &[NodeId]) -> Vec<NodeId> {
        let from = self.slots.regions[id].rate;
        let mut seeds = self.state_seeds(id, from);
        let by_place: FxHashMap<usize, NodeId> =
            rates.iter().map(|(node, slot, _)| ((*slot - from) as usize, *node)).collect();
        for (leaf, offset, ty) in &self.state_leaves[id.index()] {
            if let Some(rate) = by_place.get(offset)
                && self.composer.graph.ty(*rate).shape == ty.shape
            {
                seeds.insert(*leaf, *rate);
            }
        }
        let zero = self.composer.graph.real(0.0);
        let slopes = tangents(&mut self.composer.graph, &seeds, outputs);
        slopes.into_iter().map(|slope| slope.unwrap_or(zero)).collect()
    }
}
