//! Finds equal nodes while a graph is built, so that equal nodes are one node.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::{Node, NodeId};

/// Finds equal nodes. Models are made of many small graphs, which are searched in order; a large one
/// has a hash table of ids, so that no node is stored twice.
#[derive(Clone, Default, Debug)]
pub(super) struct Known {
    /// For each place the index of a node plus 1, or 0 if it is free. The length is a power of two.
    table: Vec<u32>,
}

impl Known {
    /// Below this number of nodes a graph is searched in order.
    const FEW: usize = 8;

    /// The id of a node, or nothing if it is a new one, which is entered as the next.
    pub(super) fn find_or_enter(&mut self, nodes: &[Node], node: &Node) -> Option<NodeId> {
        if nodes.len() < Known::FEW {
            return nodes.iter().position(|known| known == node).map(NodeId::new);
        }
        if self.table.len() < 2 * (nodes.len() + 1) {
            self.table = vec![0; (4 * nodes.len()).next_power_of_two()];
            for (index, node) in nodes.iter().enumerate() {
                let free = self.search(node, |_| false);
                self.table[free] = index as u32 + 1;
            }
        }
        let at = self.search(node, |number| nodes[number as usize - 1] == *node);
        match self.table[at] {
            0 => {
                self.table[at] = nodes.len() as u32 + 1;
                None
            }
            number => Some(NodeId::new(number as usize - 1)),
        }
    }

    /// The place of a node in the table, or a free one if it is not there.
    fn search(&self, node: &Node, is_it: impl Fn(u32) -> bool) -> usize {
        let mask = self.table.len() - 1;
        // The high bits of the product depend on all bits of the hash.
        let hash = FxBuildHasher.hash_one(node).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (hash >> 32) as usize & mask;
        while self.table[at] != 0 && !is_it(self.table[at]) {
            at = (at + 1) & mask;
        }
        at
    }
}
