//! What is combined from both sides of a surface while the motion slides along it.

use ir::{NodeId, Op, Slot};
use rustc_hash::FxHashSet;

use super::{Maker, Root};

impl Maker<'_> {
    /// The slots of those roots that depend on a side along which the motion may slide and are
    /// numbers, and how many slots each has.
    pub(super) fn combined(&self, roots: &[Root]) -> Vec<(Slot, usize)> {
        if self.sliding.is_empty() {
            return Vec::new();
        }
        let graph = &self.composer.graph;
        let nodes: Vec<NodeId> = roots.iter().map(|root| root.0).collect();
        let mut slides = FxHashSet::default();
        // Arguments come first.
        for id in graph.reachable(&nodes) {
            let node = graph.node(id);
            let own = match node.op {
                Op::Leaf(slot) => {
                    Slot(slot).slots(node.ty.len()).iter().any(|slot| self.sliding.contains(&slot))
                }
                _ => node.args.iter().any(|arg| slides.contains(arg)),
            };
            if own {
                slides.insert(id);
            }
        }
        let combined =
            |root: &&Root| slides.contains(&root.0) && graph.ty(root.0).elem != base::Elem::Bool;
        let slots = |root: &Root| (root.1, graph.ty(root.0).len());
        roots.iter().filter(combined).map(slots).collect()
    }
}
