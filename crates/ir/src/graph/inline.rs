//! Copies of nodes: on other arguments, or from one graph into another.
//!
//! What the roots of a graph need comes in, with a function that may replace single nodes; the same
//! operations in another graph go out, with a map from the old nodes to the new ones. Nodes are
//! built again by the builders, so that what has become constant is folded.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Graph, Node, NodeId};
use crate::Op;

/// Replaces a node of another graph. It gets the graph that is built, the other graph's node and
/// that node's arguments in this graph, and gives nothing if the node is to be copied as it is.
pub type Replace<'r> = dyn FnMut(&mut Graph, NodeId, &Node, &[NodeId]) -> Option<NodeId> + 'r;

impl Graph {
    /// Builds the same operation on other arguments, folding what has become constant.
    pub fn rebuild(&mut self, from: &Graph, node: &Node, args: &[NodeId]) -> NodeId {
        match &node.op {
            Op::Solve(body) => {
                let body = from.body(*body).clone();
                self.solve(body, [args[0], args[1]], &args[2..])
            }
            Op::Call(call) => {
                let function = from.opaque(*call).clone();
                self.call(function, args, node.ty)
            }
            _ => self.again(node, args),
        }
    }

    /// An operation that needs nothing but its arguments.
    fn again(&mut self, node: &Node, args: &[NodeId]) -> NodeId {
        match &node.op {
            Op::Const(_) | Op::Parameter(..) | Op::Leaf(_) | Op::Unknown => {
                self.insert(node.op.clone(), &[], node.ty)
            }
            Op::Unary(op) => self.unary(*op, args[0]),
            Op::Binary(op) => self.binary(*op, args[0], args[1]),
            Op::Select => self.select(args[0], args[1], args[2]),
            Op::Choose(guards) => self.choose(args[0], &args[1..], guards),
            Op::Splat => self.splat(args[0], node.ty.shape),
            Op::Stack => self.stack(args, node.ty.shape),
            Op::Extract(offset) => self.extract(args[0], *offset as usize, node.ty.shape),
            Op::Index => self.index(args[0], args[1]),
            Op::Sum => self.sum(args[0]),
            Op::Transpose => self.transpose(args[0]),
            Op::MatMul => self.matmul(args[0], args[1]),
            Op::FrozenFloor => self.frozen_floor(args[0]),
            Op::Observed(selections) => self.observed(args[0], args[1], *selections),
            op => self.insert(op.clone(), args, node.ty),
        }
    }

    /// The operation of a node of this graph on other arguments, folding what has become constant.
    pub fn with_args(&mut self, id: NodeId, args: &[NodeId]) -> NodeId {
        let node = self.node(id).clone();
        match &node.op {
            Op::Solve(body) => {
                let body = self.body(*body).clone();
                self.solve(body, [args[0], args[1]], &args[2..])
            }
            Op::Call(call) => {
                let function = self.opaque(*call).clone();
                self.call(function, args, node.ty)
            }
            _ => self.again(&node, args),
        }
    }

    /// Copies what `roots` of another graph need into this one. `replace` may give another node
    /// instead of the copy of one of theirs.
    pub fn inline(&mut self, from: &Graph, roots: &[NodeId], replace: &mut Replace<'_>) -> Inlined {
        self.inline_above(from, roots, &|_| false, replace)
    }

    /// Like [`Graph::inline`], but what lies below nodes that are `closed` is not copied: for these
    /// `replace` must give a node, and it gets no arguments.
    pub fn inline_above(
        &mut self,
        from: &Graph,
        roots: &[NodeId],
        closed: &dyn Fn(NodeId) -> bool,
        replace: &mut Replace<'_>,
    ) -> Inlined {
        let mut map = Inlined::new(from.nodes.len());
        for id in from.reachable_above(roots, closed) {
            let node = from.node(id);
            let open = if closed(id) { &[][..] } else { node.args.as_slice() };
            let args: SmallVec<[NodeId; 8]> = open.iter().map(|a| map.get(*a)).collect();
            let new = match replace(self, id, node, &args) {
                Some(new) => new,
                None => self.rebuild(from, node, &args),
            };
            map.insert(id, new);
        }
        map
    }
}

/// For each node of an inlined graph, its node in the graph that it was copied into.
#[derive(Debug)]
pub enum Inlined {
    /// All nodes of a small graph; one that was not copied has its own id.
    Few(SmallVec<[NodeId; 32]>),
    /// The nodes of a large graph that were copied.
    Many(FxHashMap<NodeId, NodeId>),
}

impl Inlined {
    /// Up to this number of nodes a graph is small.
    pub(super) const FEW: usize = 64;

    fn new(length: usize) -> Inlined {
        match length <= Inlined::FEW {
            true => Inlined::Few((0..length).map(NodeId::new).collect()),
            false => Inlined::Many(FxHashMap::default()),
        }
    }

    fn insert(&mut self, id: NodeId, new: NodeId) {
        match self {
            Inlined::Few(map) => map[id.index()] = new,
            Inlined::Many(map) => {
                map.insert(id, new);
            }
        }
    }

    /// The copy of a node of the other graph, or what replaced it.
    pub fn get(&self, id: NodeId) -> NodeId {
        match self {
            Inlined::Few(map) => map[id.index()],
            Inlined::Many(map) => map[&id],
        }
    }
}
