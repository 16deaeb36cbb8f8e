//! The smooth functions once more, with comparisons read from their values instead of their frozen
//! sides.
//!
//! A frozen side extends a branch past the point where its condition changes, so that a step sees a
//! smooth function and the change can be located. If the branch is not defined beyond that point,
//! as in `sqrt(max(h, 0))`, there is no such extension, and these functions take over.

use ir::{Graph, NodeId, Op, Slot, Unary};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::smooth::Root;

/// The operand of the sides or floors at a slot, and whether they are floors.
pub(crate) type Operands = FxHashMap<Slot, (NodeId, bool)>;

/// Copies roots with comparisons that read values. Nodes that several roots need are copied once.
pub(crate) struct Copier<'a> {
    graph: &'a mut Graph,
    operands: &'a Operands,
    observes: bool,
    /// The copies of the nodes that have been visited.
    known: FxHashMap<NodeId, NodeId>,
    /// Nodes that are being visited.
    open: FxHashSet<NodeId>,
}

/// The visit of a node: first its operands, then the node itself.
enum Visit {
    Enter(NodeId),
    Leave(NodeId),
}

impl<'a> Copier<'a> {
    pub fn new(graph: &'a mut Graph, operands: &'a Operands) -> Self {
        let (known, open) = (FxHashMap::default(), FxHashSet::default());
        Copier { graph, operands, observes: false, known, open }
    }

    /// Copies roots as they are observed at accepted points: sides stay frozen, and results that
    /// never leave their range are computed by comparison.
    pub fn observer(graph: &'a mut Graph, none: &'a Operands) -> Self {
        Copier { observes: true, ..Copier::new(graph, none) }
    }

    /// The same roots over comparisons that read values.
    pub fn roots(&mut self, roots: &[Root]) -> Vec<Root> {
        roots.iter().map(|(node, slot, guard)| (self.copy(*node), *slot, *guard)).collect()
    }

    fn copy(&mut self, root: NodeId) -> NodeId {
        let mut stack = vec![Visit::Enter(root)];
        while let Some(visit) = stack.pop() {
            match visit {
                Visit::Enter(id) if self.known.contains_key(&id) || !self.open.insert(id) => {}
                Visit::Enter(id) => {
                    stack.push(Visit::Leave(id));
                    let args = self.graph.node(id).args.iter().copied();
                    stack.extend(args.chain(self.operand(id).map(|o| o.0)).map(Visit::Enter));
                }
                Visit::Leave(id) => {
                    self.open.remove(&id);
                    let copied = self.finish(id);
                    self.known.insert(id, copied);
                }
            }
        }
        self.known[&root]
    }

    fn operand(&self, id: NodeId) -> Option<(NodeId, bool)> {
        let Op::Leaf(slot) = self.graph.node(id).op else { return None };
        // An element of a vector that is watched by itself stays frozen.
        let whole = |own: &&(NodeId, bool)| self.graph.ty(own.0).shape == self.graph.ty(id).shape;
        self.operands.get(&Slot(slot)).filter(whole).copied()
    }

    /// The copy of a node, from the copies of its operands. A side that depends on itself, through
    /// another, stays frozen where the cycle closes.
    fn finish(&mut self, id: NodeId) -> NodeId {
        let copied = |id: &NodeId| self.known.get(id).copied().unwrap_or(*id);
        if let Some((operand, floor)) = self.operand(id) {
            let value = copied(&operand);
            return self.graph.unary(if floor { Unary::Floor } else { Unary::Sign }, value);
        }
        let args: Vec<NodeId> = self.graph.node(id).args.iter().map(copied).collect();
        if self.observes && matches!(self.graph.node(id).op, Op::Observed(_)) {
            return args[1];
        }
        match args[..] == self.graph.node(id).args[..] {
            true => id,
            false => self.graph.with_args(id, &args),
        }
    }
}
