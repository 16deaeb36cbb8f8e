//! Graphs of pure operations: built once, equal nodes merged, constants folded.
//!
//! Nodes are only ever added, and arguments come before the node that uses them, so that the order
//! of the nodes is an order of evaluation. Nothing is removed: what no root needs is left out when a
//! graph is inlined or written out as a tape.

mod build;
mod inline;
mod known;
mod product;

use std::sync::Arc;

use base::{ParameterId, Type, Value};
use smallvec::SmallVec;

use crate::{Op, Opaque};
pub use inline::{Inlined, Replace};
use known::Known;

base::typed_id! {
    /// A node of a graph. Arguments always have smaller ids than the node that uses them.
    NodeId
}
base::typed_id! {
    /// The body of a loop that is solved by Newton's method.
    BodyId
}
base::typed_id! {
    /// A function that the graph cannot see into.
    CallId
}

/// One operation with its arguments and the type of its result.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// Its arguments.
    pub args: SmallVec<[NodeId; 3]>,
    /// The type of its result.
    pub ty: Type,
}

/// The residuals of an algebraic loop as functions of its unknowns. Leaf 0 is the vector of all
/// unknowns; leaf 1 + i is the i-th outer value.
#[derive(Clone, Debug)]
pub struct Body {
    /// The operations.
    pub graph: Graph,
    /// One vector, of the length of the unknowns, that vanishes at a solution.
    pub residual: NodeId,
    /// Its derivative with respect to the unknowns, a square matrix.
    pub jacobian: NodeId,
    /// Whether the residual is linear in the unknowns: its derivative does not depend on them.
    pub linear: bool,
}

impl Body {
    /// A body whose residual is a vector over leaf 0; the Jacobian is made here.
    pub fn new(mut graph: Graph, unknowns: NodeId, residual: NodeId) -> Body {
        let jacobian = crate::jacobian(&mut graph, unknowns, residual);
        let linear = !graph.reachable(&[jacobian]).contains(&unknowns);
        Body { graph, residual, jacobian, linear }
    }
}

/// A graph of pure operations.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    known: Known,
    bodies: Vec<Arc<Body>>,
    calls: Vec<Arc<dyn Opaque>>,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        Graph::default()
    }

    /// The same graph without spare capacity, for one that is kept.
    pub fn finished(mut self) -> Graph {
        self.nodes.shrink_to_fit();
        self
    }

    /// The node of an id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// All nodes, arguments before their users.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The type of a node's result.
    pub fn ty(&self, id: NodeId) -> Type {
        self.node(id).ty
    }

    /// The body of a solved loop.
    pub fn body(&self, id: BodyId) -> &Arc<Body> {
        &self.bodies[id.index()]
    }

    /// An opaque function.
    pub fn opaque(&self, id: CallId) -> &Arc<dyn Opaque> {
        &self.calls[id.index()]
    }

    /// The elements of a constant node.
    pub fn constant_of(&self, id: NodeId) -> Option<Vec<f64>> {
        match &self.node(id).op {
            Op::Const(bits) => Some(bits.iter().map(|b| f64::from_bits(*b)).collect()),
            _ => None,
        }
    }

    /// The value of a node that is a constant, or one that each run computes from parameters.
    pub fn fixed_of(&self, id: NodeId) -> Option<Value> {
        let value = |bits: &[u64]| {
            Value::new(self.ty(id), bits.iter().map(|bits| f64::from_bits(*bits)).collect())
        };
        match &self.node(id).op {
            Op::Const(bits) => Some(value(bits)),
            Op::Parameter(parameter, bits) => Some(value(bits).opened(*parameter)),
            _ => None,
        }
    }

    /// Whether a node has one value throughout each run: it depends on constants and parameters
    /// alone.
    pub fn is_fixed(&self, id: NodeId) -> bool {
        let fixed = |op: &Op| matches!(op, Op::Const(_) | Op::Parameter(..));
        let known = |id: NodeId| fixed(&self.node(id).op) || !self.node(id).args.is_empty();
        self.reachable(&[id]).into_iter().all(known)
    }

    /// Whether another graph differs in nothing but the values of parameters.
    pub fn is_alike(&self, other: &Graph) -> bool {
        let alike = |(a, b): (&Node, &Node)| match (&a.op, &b.op) {
            (Op::Parameter(a, _), Op::Parameter(b, _)) => a == b,
            _ => a == b,
        };
        self.nodes.len() == other.nodes.len() && self.nodes.iter().zip(&other.nodes).all(alike)
    }

    /// The parameters that a node depends on.
    pub fn parameters_of(&self, id: NodeId) -> Vec<ParameterId> {
        let parameter = |id: NodeId| match self.node(id).op {
            Op::Parameter(id, _) => Some(id),
            _ => None,
        };
        self.reachable(&[id]).into_iter().filter_map(parameter).collect()
    }

    /// The truth value of a constant scalar node.
    pub fn truth(&self, id: NodeId) -> Option<bool> {
        match &self.node(id).op {
            Op::Const(bits) if bits.len() == 1 => Some(f64::from_bits(bits[0]) != 0.0),
            _ => None,
        }
    }

    /// Adds a node, or finds the equal one that is there.
    fn insert(&mut self, op: Op, args: &[NodeId], ty: Type) -> NodeId {
        let node = Node { op, args: SmallVec::from_slice(args), ty };
        if let Some(id) = self.known.find_or_enter(&self.nodes, &node) {
            return id;
        }
        self.nodes.push(node);
        NodeId::new(self.nodes.len() - 1)
    }

    /// The sides at which an observed value has a kink.
    pub fn kinks(&self) -> Vec<NodeId> {
        let mut found = Vec::new();
        for node in &self.nodes {
            let Op::Observed(selections) = node.op else { continue };
            let mut at = node.args[0];
            for _ in 0..selections {
                let selection = self.node(at);
                if selection.op != Op::Select {
                    break;
                }
                let read = self.reachable_above(&[selection.args[0]], &|id| {
                    self.node(id).op == Op::FrozenSign
                });
                found.extend(read.into_iter().filter(|id| self.node(*id).op == Op::FrozenSign));
                at = selection.args[1];
            }
        }
        found
    }

    /// The sides that something reads besides the selections of kinks: comparisons.
    pub fn compared(&self) -> Vec<NodeId> {
        let (mut selections, mut conditions) = (Vec::new(), Vec::new());
        for node in &self.nodes {
            let Op::Observed(count) = node.op else { continue };
            let mut at = node.args[0];
            for _ in 0..count {
                if self.node(at).op != Op::Select {
                    break;
                }
                selections.push(at);
                conditions.push(self.node(at).args[0]);
                at = self.node(at).args[1];
            }
        }
        let is_side = |id: NodeId| self.node(id).op == Op::FrozenSign;
        let above = |roots: &[NodeId]| self.reachable_above(roots, &is_side);
        let of_kinks = above(&conditions);
        let mut read = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let id = NodeId::new(index);
            if of_kinks.contains(&id) {
                continue;
            }
            let selects = selections.contains(&id);
            let args = node.args.iter().enumerate();
            read.extend(args.filter(|(at, _)| !selects || *at > 0).map(|(_, arg)| *arg));
        }
        read.retain(|id| is_side(*id) || of_kinks.contains(id));
        above(&read).into_iter().filter(|id| is_side(*id)).collect()
    }

    /// The nodes that the roots need, arguments before their users.
    pub fn reachable(&self, roots: &[NodeId]) -> Vec<NodeId> {
        self.reachable_above(roots, &|_| false)
    }

    /// The nodes that the roots need, without what only closed nodes need.
    pub fn reachable_above(
        &self,
        roots: &[NodeId],
        closed: &dyn Fn(NodeId) -> bool,
    ) -> Vec<NodeId> {
        let mut stack: SmallVec<[NodeId; 32]> = SmallVec::from_slice(roots);
        if self.nodes.len() <= Inlined::FEW {
            // One bit for each node of a small graph.
            let mut seen = 0u64;
            while let Some(id) = stack.pop() {
                let bit = 1 << id.index();
                if seen & bit == 0 && !closed(id) {
                    stack.extend(self.node(id).args.iter().copied());
                }
                seen |= bit;
            }
            let is_seen = |index: &usize| seen >> index & 1 != 0;
            return (0..self.nodes.len()).filter(is_seen).map(NodeId::new).collect();
        }
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = stack.pop() {
            if seen.insert(id) && !closed(id) {
                stack.extend(self.node(id).args.iter().copied());
            }
        }
        let mut order: Vec<NodeId> = seen.into_iter().collect();
        order.sort_unstable();
        order
    }
}
