//! What moves between events: leaves with their rates, and the nodes that depend on them.

use diagram::RegionId;
use ir::{NodeId, Op, Slot, tangents};
use rustc_hash::FxHashMap;

use super::{Maker, Root};
use crate::jacobian::Partials;

impl Maker<'_> {
    /// Time derivatives of nodes, given the rates of the states in their slots.
    pub(super) fn along_the_flow(&mut self, id: RegionId, outputs: &[NodeId]) -> Vec<NodeId> {
        let seeds = self.state_seeds(id, self.slots.regions[id].rate);
        let zero = self.composer.graph.real(0.0);
        let slopes = tangents(&mut self.composer.graph, &seeds, outputs);
        slopes.into_iter().map(|slope| slope.unwrap_or(zero)).collect()
    }

    /// The rate of every state leaf of a region is in the slots from `from` on; time moves too.
    pub(super) fn state_seeds(&mut self, id: RegionId, from: Slot) -> FxHashMap<NodeId, NodeId> {
        self.look_for_states();
        let mut seeds = FxHashMap::default();
        for (node, offset, ty) in self.state_leaves[id.index()].clone() {
            seeds.insert(node, self.composer.graph.leaf(from.plus(offset).0, ty));
        }
        seeds.extend(self.time_seeds(id));
        seeds
    }

    /// Time moves, and delayed signals move with it.
    pub(super) fn time_seeds(&mut self, id: RegionId) -> FxHashMap<NodeId, NodeId> {
        self.look_for_states();
        let graph = &mut self.composer.graph;
        let delayed = self.delayed_leaves[id.index()].iter();
        let mut seeds: FxHashMap<NodeId, NodeId> =
            delayed.map(|(node, slope, ty)| (*node, graph.leaf(slope.0, *ty))).collect();
        seeds.insert(graph.leaf(self.slots.time.0, base::Type::REAL), graph.real(1.0));
        seeds
    }

    /// Registers new leaves that are states of a region.
    pub(super) fn look_for_states(&mut self) {
        let nodes = self.composer.graph.nodes();
        for (index, node) in nodes.iter().enumerate().skip(self.looked) {
            let Op::Leaf(slot) = node.op else { continue };
            let slot = Slot(slot);
            if let Some((region, offset)) = self.state_places.get(&slot) {
                self.state_leaves[region.index()].push((NodeId::new(index), *offset, node.ty));
            }
            if let Some((region, slope)) = self.slope_places.get(&slot) {
                self.delayed_leaves[region.index()].push((NodeId::new(index), *slope, node.ty));
            }
        }
        self.looked = nodes.len();
    }

    /// The derivatives of the rates by the states and by time, if they are needed.
    pub(super) fn partials(&mut self, id: RegionId, rates: &[Root]) -> Option<Partials> {
        if !self.extras.jacobians {
            return None;
        }
        let time = self.time_seeds(id);
        self.look_for_states();
        let leaves = &self.state_leaves[id.index()];
        let program = &self.slots.regions[id];
        let (rate, dimension) = (program.rate, program.dimension);
        Partials::new(&mut self.composer.graph, leaves, &time, rates, (rate, dimension))
    }

    /// Marks the nodes that depend on time or on a continuous state.
    pub(super) fn mark_moving(&mut self) {
        let graph = &self.composer.graph;
        for index in self.marked..graph.nodes().len() {
            let node = &graph.nodes()[index];
            let moves = match node.op {
                Op::Leaf(slot) => self.moving_places.contains(&Slot(slot)),
                _ => node.args.iter().any(|arg| self.moving.contains(arg)),
            };
            if moves {
                self.moving.insert(NodeId::new(index));
            }
        }
        self.marked = graph.nodes().len();
    }

    /// Nodes that do not move and that moving ones use, each with a slot and the condition under
    /// which it is needed.
    pub(super) fn frontier(&mut self, roots: &[Root]) -> FxHashMap<NodeId, (Slot, u32)> {
        let graph = &self.composer.graph;
        let still = |id: NodeId| {
            let plain = matches!(graph.node(id).op, Op::Leaf(_) | Op::Const(_));
            !plain && !self.moving.contains(&id)
        };
        let wanted: Vec<(NodeId, u32)> = roots.iter().map(|root| (root.0, root.2)).collect();
        let nodes: Vec<NodeId> = roots.iter().map(|root| root.0).collect();
        let guards = match self.slots.guards.is_empty() {
            true => FxHashMap::default(),
            false => self.slots.guards.needs(graph, &wanted),
        };
        let order = graph.reachable_above(&nodes, &still).into_iter().filter(|id| still(*id));
        let layout = &mut self.slots.layout;
        let place = |id: NodeId| {
            let slot = layout.reserve(graph.ty(id).len());
            (id, (slot, guards.get(&id).copied().unwrap_or(0)))
        };
        order.map(place).collect()
    }

    /// Registers a region as a reader of everything that its smooth functions read.
    pub(super) fn read_by(&mut self, id: RegionId, roots: &[NodeId]) {
        let graph = &self.composer.graph;
        for node in graph.reachable(roots) {
            match graph.node(node).op {
                Op::Leaf(slot) => {
                    for tracked in self.slots.tracked_within(Slot(slot), graph.ty(node).len()) {
                        let regions = &mut self.slots.tracked[tracked].regions;
                        // Regions are registered in order.
                        if regions.last() != Some(&id) {
                            regions.push(id);
                        }
                    }
                }
                Op::Unknown => self.slots.regions[id].may_be_unknown = true,
                _ => {}
            }
        }
    }
}
