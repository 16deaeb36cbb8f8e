//! The smooth functions once more, with comparisons read from their values instead of their frozen
//! sides.
//!
//! A frozen side extends a branch past the point where its condition turns, so that a step sees a
//! smooth function and the turn can be located. Where the branch is not defined beyond that point,
//! as in `sqrt(max(h, 0))`, there is no such extension; these functions take over there.

use ir::{Graph, NodeId, Op, Slot, Unary};
use rustc_hash::FxHashMap;

use crate::smooth::Root;

/// The operand of the sides or cells at a place, and whether they are cells.
pub(crate) type Operands = FxHashMap<Slot, (NodeId, bool)>;

/// The same roots over comparisons that read values.
pub(crate) fn live(graph: &mut Graph, operands: &Operands, roots: &[Root]) -> Vec<Root> {
    let from = graph.clone();
    let mut copier = Copier { from: &from, operands, known: FxHashMap::default() };
    let copy =
        |(node, slot, guard): &Root| (copier.copy(graph, *node, &mut Vec::new()), *slot, *guard);
    roots.iter().map(copy).collect()
}

struct Copier<'a> {
    from: &'a Graph,
    operands: &'a Operands,
    /// Sides that have been read from their values.
    known: FxHashMap<NodeId, NodeId>,
}

impl Copier<'_> {
    /// A side that depends on itself, through another, stays frozen: `open` has those that are
    /// being read.
    fn copy(&mut self, graph: &mut Graph, root: NodeId, open: &mut Vec<Slot>) -> NodeId {
        let mut sides: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        for id in self.from.reachable(&[root]) {
            let Op::Leaf(slot) = self.from.node(id).op else { continue };
            let Some((operand, cell)) = self.operands.get(&slot).copied() else { continue };
            if open.contains(&slot) {
                continue;
            }
            let read = match self.known.get(&id) {
                Some(read) => *read,
                None => {
                    open.push(slot);
                    let value = self.copy(graph, operand, open);
                    open.pop();
                    let read = graph.unary(if cell { Unary::Floor } else { Unary::Sign }, value);
                    if open.is_empty() {
                        self.known.insert(id, read);
                    }
                    read
                }
            };
            sides.insert(id, read);
        }
        if sides.is_empty() {
            return root;
        }
        let inlined = graph.inline(self.from, &[root], &mut |_, id, _, _| sides.get(&id).copied());
        inlined.get(root)
    }
}
