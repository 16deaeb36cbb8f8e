//! Graphs of pure operations: built once, equal nodes merged, constants folded.

use std::hash::BuildHasher;
use std::sync::Arc;

use base::{Elem, Shape, Type, Value};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::scalar::{binary, unary};
use crate::{Binary, Op, Opaque, Unary};

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

/// Gives the node that stands for one of another graph, from the graph that is built, the other
/// graph's node and its arguments in this one; nothing where it is built again as it is.
pub type Replace<'r> = dyn FnMut(&mut Graph, NodeId, &Node, &[NodeId]) -> Option<NodeId> + 'r;

/// Finds equal nodes. Models are made of many small graphs, which are looked through as they are;
/// a large one has a table of ids by the hashes of its nodes, which are not kept twice.
#[derive(Clone, Default, Debug)]
struct Known {
    /// Numbers of nodes, from 1; 0 is a free place. The length is a power of two.
    table: Vec<u32>,
}

impl Known {
    const FEW: usize = 8;

    /// The id of a node, or nothing where it is a new one, which is entered as the next.
    fn find_or_enter(&mut self, nodes: &[Node], node: &Node) -> Option<NodeId> {
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

    /// The place of a node, or a free one where it is not there.
    fn search(&self, node: &Node, is_it: impl Fn(u32) -> bool) -> usize {
        let mask = self.table.len() - 1;
        // The high bits of the hash are the good ones.
        let hash = FxBuildHasher.hash_one(node).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (hash >> 32) as usize & mask;
        while self.table[at] != 0 && !is_it(self.table[at]) {
            at = (at + 1) & mask;
        }
        at
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

    /// The same graph without the room in which it has grown, for one that is kept.
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

    /// The truth value of a constant scalar node.
    pub fn truth(&self, id: NodeId) -> Option<bool> {
        match &self.node(id).op {
            Op::Const(bits) if bits.len() == 1 => Some(f64::from_bits(bits[0]) != 0.0),
            _ => None,
        }
    }

    fn insert(&mut self, op: Op, args: &[NodeId], ty: Type) -> NodeId {
        let node = Node { op, args: SmallVec::from_slice(args), ty };
        if let Some(id) = self.known.find_or_enter(&self.nodes, &node) {
            return id;
        }
        self.nodes.push(node);
        NodeId::new(self.nodes.len() - 1)
    }

    /// A constant of any type.
    pub fn constant(&mut self, ty: Type, data: &[f64]) -> NodeId {
        debug_assert_eq!(ty.len(), data.len());
        self.insert(Op::Const(data.iter().map(|x| x.to_bits()).collect()), &[], ty)
    }

    /// A constant value.
    pub fn value(&mut self, value: &Value) -> NodeId {
        self.constant(value.ty(), value.data())
    }

    /// A real constant.
    pub fn real(&mut self, value: f64) -> NodeId {
        self.constant(Type::REAL, &[value])
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) -> NodeId {
        self.constant(Type::BOOL, &[f64::from(value)])
    }

    /// A constant with all elements equal.
    pub fn filled(&mut self, ty: Type, value: f64) -> NodeId {
        self.constant(ty, &vec![value; ty.len()])
    }

    /// A number from outside.
    pub fn leaf(&mut self, key: u32, ty: Type) -> NodeId {
        self.insert(Op::Leaf(key), &[], ty)
    }

    /// A value that a causality loop leaves undetermined.
    pub fn unknown(&mut self, ty: Type) -> NodeId {
        self.insert(Op::Unknown, &[], ty)
    }

    /// A scalar repeated to fill a shape; the scalar itself where the shape is a scalar's.
    pub fn splat(&mut self, a: NodeId, shape: Shape) -> NodeId {
        let ty = Type { elem: self.ty(a).elem, shape };
        if self.ty(a).shape == shape {
            return a;
        }
        match self.constant_of(a) {
            Some(data) => self.filled(ty, data[0]),
            None => self.insert(Op::Splat, &[a], ty),
        }
    }

    /// One operand, element by element.
    pub fn unary(&mut self, op: Unary, a: NodeId) -> NodeId {
        let ty = self.ty(a);
        let elem = match op {
            Unary::Not => Elem::Bool,
            Unary::Neg if ty.elem == Elem::Int => Elem::Int,
            Unary::Sign | Unary::Floor => Elem::Int,
            _ => Elem::Real,
        };
        let ty = ty.with_elem(elem);
        if let Some(data) = self.constant_of(a) {
            let data: Vec<f64> = data.iter().map(|x| unary(op, *x)).collect();
            return self.constant(ty, &data);
        }
        if let (Unary::Neg | Unary::Not, Op::Unary(inner)) = (op, &self.node(a).op)
            && *inner == op
        {
            return self.node(a).args[0];
        }
        self.insert(Op::Unary(op), &[a], ty)
    }

    /// Two operands, element by element; a scalar is repeated to the other's shape.
    pub fn binary(&mut self, op: Binary, a: NodeId, b: NodeId) -> NodeId {
        let (sa, sb) = (self.ty(a).shape, self.ty(b).shape);
        let a = if sa == Shape::Scalar { self.splat(a, sb) } else { a };
        let b = if sb == Shape::Scalar { self.splat(b, sa) } else { b };
        let (ta, tb) = (self.ty(a), self.ty(b));
        debug_assert_eq!(ta.shape, tb.shape, "operands of {op:?}");
        let ty = op.result(ta, tb);
        if let (Some(x), Some(y)) = (self.constant_of(a), self.constant_of(b)) {
            let data: Vec<f64> = x.iter().zip(&y).map(|(x, y)| binary(op, *x, *y)).collect();
            return self.constant(ty, &data);
        }
        self.identity(op, a, b, ty).unwrap_or_else(|| self.insert(Op::Binary(op), &[a, b], ty))
    }

    /// Rewrites that keep every bit of the result, signed zeros and NaN included.
    fn identity(&mut self, op: Binary, a: NodeId, b: NodeId, ty: Type) -> Option<NodeId> {
        let all = |g: &Graph, id: NodeId, x: f64| matches!(&g.node(id).op, Op::Const(bits) if bits.iter().all(|b| *b == x.to_bits()));
        let keeps = |g: &Graph, id: NodeId| g.ty(id).elem == ty.elem;
        match op {
            Binary::Mul if all(self, b, 1.0) && keeps(self, a) => Some(a),
            Binary::Mul if all(self, a, 1.0) && keeps(self, b) => Some(b),
            Binary::Div if all(self, b, 1.0) && keeps(self, a) => Some(a),
            Binary::Sub if all(self, b, 0.0) && keeps(self, a) => Some(a),
            Binary::Pow if all(self, b, 1.0) && keeps(self, a) => Some(a),
            Binary::Pow if all(self, b, 2.0) => Some(self.binary(Binary::Mul, a, a)),
            Binary::And if all(self, a, 1.0) => Some(b),
            Binary::And if all(self, b, 1.0) || a == b => Some(a),
            Binary::And if all(self, a, 0.0) => Some(a),
            Binary::And if all(self, b, 0.0) => Some(b),
            Binary::Or if all(self, a, 0.0) => Some(b),
            Binary::Or if all(self, b, 0.0) || a == b => Some(a),
            Binary::Or if all(self, a, 1.0) => Some(a),
            Binary::Or if all(self, b, 1.0) => Some(b),
            _ => None,
        }
    }

    /// `a` where the condition holds, else `b`.
    pub fn select(&mut self, condition: NodeId, a: NodeId, b: NodeId) -> NodeId {
        if a == b {
            return a;
        }
        let (sa, sb) = (self.ty(a).shape, self.ty(b).shape);
        let a = if sa == Shape::Scalar { self.splat(a, sb) } else { a };
        let b = if sb == Shape::Scalar { self.splat(b, sa) } else { b };
        if let Some(truth) = self.constant_of(condition) {
            if truth.iter().all(|x| *x != 0.0) {
                return a;
            }
            if truth.iter().all(|x| *x == 0.0) {
                return b;
            }
        }
        if self.truth(a) == Some(true)
            && self.truth(b) == Some(false)
            && self.ty(a) == Type::BOOL
            && self.ty(condition) == Type::BOOL
        {
            return condition;
        }
        let (ta, tb) = (self.ty(a), self.ty(b));
        let ty = if ta.elem == tb.elem { ta } else { ta.with_elem(Elem::Real) };
        self.insert(Op::Select, &[condition, a, b], ty)
    }

    /// The arm of a number; each arm has the condition under which it can be the one.
    pub fn choose(&mut self, index: NodeId, arms: &[NodeId], guards: &[u32]) -> NodeId {
        debug_assert_eq!(arms.len(), guards.len());
        if arms.iter().all(|arm| *arm == arms[0]) {
            return arms[0];
        }
        if let Some(index) = self.constant_of(index)
            && let Some(arm) = arms.get(index[0] as usize)
        {
            return *arm;
        }
        let shape = arms.iter().map(|arm| self.ty(*arm).shape).max_by_key(|shape| shape.len());
        let shape = shape.unwrap_or(Shape::Scalar);
        let mut args: SmallVec<[NodeId; 8]> = SmallVec::from_elem(index, 1);
        args.extend(arms.iter().map(|arm| self.splat(*arm, shape)));
        let elems = || args[1..].iter().map(|arm| self.ty(*arm).elem);
        let same = elems().all(|elem| Some(elem) == elems().next());
        let elem = if same { self.ty(args[1]).elem } else { Elem::Real };
        self.insert(Op::Choose(guards.to_vec()), &args, Type { elem, shape })
    }

    /// The sign of `a - b` as a crossing.
    pub fn frozen_sign(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let d = self.sub(a, b);
        if self.constant_of(d).is_some() {
            return self.unary(Unary::Sign, d);
        }
        let ty = self.ty(d).with_elem(Elem::Int);
        self.insert(Op::FrozenSign, &[d], ty)
    }

    /// What stages compute by frozen sides, in so many selections, and observers by comparison.
    pub fn observed(&mut self, by_side: NodeId, by_value: NodeId, selections: u32) -> NodeId {
        if by_side == by_value || self.constant_of(by_value).is_some() {
            return by_value;
        }
        let ty = self.ty(by_side);
        self.insert(Op::Observed(selections), &[by_side, by_value], ty)
    }

    /// The sides that are kinks of what is observed.
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

    /// A side that is kept even where the operand is constant, for events of changes.
    pub fn crossed(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let d = self.sub(a, b);
        let ty = self.ty(d).with_elem(Elem::Int);
        let side = self.insert(Op::FrozenSign, &[d], ty);
        self.insert(Op::Crossed, &[side], ty)
    }

    /// The greatest whole number not above, frozen while smooth.
    pub fn frozen_floor(&mut self, a: NodeId) -> NodeId {
        if self.constant_of(a).is_some() {
            return self.unary(Unary::Floor, a);
        }
        let ty = self.ty(a).with_elem(Elem::Int);
        self.insert(Op::FrozenFloor, &[a], ty)
    }

    /// How a crossing is read at a microstep.
    pub fn sign_outside(&mut self, d: NodeId, side: NodeId, residual: NodeId) -> NodeId {
        let ty = self.ty(d).with_elem(Elem::Int);
        self.insert(Op::SignOutside, &[d, side, residual], ty)
    }

    /// How a cell is read at a microstep.
    pub fn floor_outside(&mut self, x: NodeId, cell: NodeId, residual: NodeId) -> NodeId {
        let ty = self.ty(x).with_elem(Elem::Int);
        self.insert(Op::FloorOutside, &[x, cell, residual], ty)
    }

    /// The elements of all parts one after the other, arranged in a shape.
    pub fn stack(&mut self, parts: &[NodeId], shape: Shape) -> NodeId {
        let elem = parts.iter().map(|p| self.ty(*p).elem).max().unwrap_or(Elem::Real);
        let ty = Type { elem, shape };
        if let [only] = parts
            && self.ty(*only) == ty
        {
            return *only;
        }
        let constants: Option<Vec<Vec<f64>>> = parts.iter().map(|p| self.constant_of(*p)).collect();
        match constants {
            Some(data) => self.constant(ty, &data.concat()),
            None => self.insert(Op::Stack, parts, ty),
        }
    }

    /// The elements from `offset` on that fill a shape.
    pub fn extract(&mut self, a: NodeId, offset: usize, shape: Shape) -> NodeId {
        let ty = Type { elem: self.ty(a).elem, shape };
        if ty == self.ty(a) {
            return a;
        }
        if let Some(data) = self.constant_of(a) {
            return self.constant(ty, &data[offset..offset + shape.len()]);
        }
        // A part of a stack is the part itself.
        if self.node(a).op == Op::Stack {
            let mut start = 0;
            for part in self.node(a).args.clone() {
                if start == offset && self.ty(part) == ty {
                    return part;
                }
                start += self.ty(part).len();
            }
        }
        self.insert(Op::Extract(offset as u32), &[a], ty)
    }

    /// The element at a position that is computed.
    pub fn index(&mut self, a: NodeId, position: NodeId) -> NodeId {
        let ty = Type::scalar(self.ty(a).elem);
        if let Some(data) = self.constant_of(position) {
            let at = data[0];
            if at >= 0.0 && at.fract() == 0.0 && (at as usize) < self.ty(a).len() {
                return self.extract(a, at as usize, Shape::Scalar);
            }
        }
        self.insert(Op::Index, &[a, position], ty)
    }

    /// The sum of all elements.
    pub fn sum(&mut self, a: NodeId) -> NodeId {
        if self.ty(a).is_scalar() {
            return a;
        }
        let ty = Type::scalar(self.ty(a).elem);
        match self.constant_of(a) {
            Some(data) => self.constant(ty, &[data.iter().fold(0.0, |s, x| s + x)]),
            None => self.insert(Op::Sum, &[a], ty),
        }
    }

    /// The matrix product; shapes must fit.
    pub fn matmul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let shape = match (self.ty(a).shape, self.ty(b).shape) {
            (Shape::Matrix(rows, _), Shape::Vector(_)) => Shape::Vector(rows),
            (Shape::Matrix(rows, _), Shape::Matrix(_, columns)) => Shape::Matrix(rows, columns),
            (Shape::Vector(_), Shape::Vector(_)) => Shape::Scalar,
            (a, b) => unreachable!("product of {a} and {b}"),
        };
        self.insert(Op::MatMul, &[a, b], Type { elem: Elem::Real, shape })
    }

    /// Rows and columns exchanged; a vector becomes a row.
    pub fn transpose(&mut self, a: NodeId) -> NodeId {
        let Type { elem, shape } = self.ty(a);
        let shape = match shape {
            Shape::Scalar => return a,
            Shape::Vector(n) => Shape::Matrix(1, n),
            Shape::Matrix(rows, columns) => Shape::Matrix(columns, rows),
        };
        self.insert(Op::Transpose, &[a], Type { elem, shape })
    }

    /// The solution of a square linear system.
    pub fn linear_solve(&mut self, matrix: NodeId, b: NodeId) -> NodeId {
        let ty = self.ty(b);
        self.insert(Op::LinearSolve, &[matrix, b], ty)
    }

    /// The unknowns of a loop, from two guesses, tried in turn, and the body's outer values.
    pub fn solve(&mut self, body: Arc<Body>, guesses: [NodeId; 2], outer: &[NodeId]) -> NodeId {
        let ty = body.graph.ty(body.residual);
        self.bodies.push(body);
        let id = BodyId::new(self.bodies.len() - 1);
        let args: SmallVec<[NodeId; 8]> = guesses.iter().chain(outer).copied().collect();
        self.insert(Op::Solve(id), &args, ty)
    }

    /// A call of a function that the graph cannot see into.
    pub fn call(&mut self, function: Arc<dyn Opaque>, args: &[NodeId], ty: Type) -> NodeId {
        let same = |known: &Arc<dyn Opaque>| Arc::ptr_eq(known, &function);
        let id = match self.calls.iter().position(same) {
            Some(index) => CallId::new(index),
            None => {
                self.calls.push(function);
                CallId::new(self.calls.len() - 1)
            }
        };
        self.insert(Op::Call(id), args, ty)
    }

    /// `a + b`
    pub fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.binary(Binary::Add, a, b)
    }

    /// `a - b`
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.binary(Binary::Sub, a, b)
    }

    /// `a * b`, element by element
    pub fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.binary(Binary::Mul, a, b)
    }

    /// `a / b`, element by element
    pub fn div(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.binary(Binary::Div, a, b)
    }

    /// `-a`
    pub fn neg(&mut self, a: NodeId) -> NodeId {
        self.unary(Unary::Neg, a)
    }

    /// `a and b`
    pub fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.binary(Binary::And, a, b)
    }

    /// `a or b`
    pub fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.binary(Binary::Or, a, b)
    }

    /// `not a`
    pub fn not(&mut self, a: NodeId) -> NodeId {
        self.unary(Unary::Not, a)
    }

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
            Op::Const(_) | Op::Leaf(_) | Op::Unknown => self.insert(node.op.clone(), &[], node.ty),
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

    /// Copies what `roots` of another graph need into this one. `replace` gives the node that
    /// stands for one of theirs, where it is not simply built again from its arguments.
    pub fn inline(&mut self, from: &Graph, roots: &[NodeId], replace: &mut Replace<'_>) -> Inlined {
        self.inline_above(from, roots, &|_| false, replace)
    }

    /// Like [`Graph::inline`], but what lies below nodes that are `closed` is not copied: `replace`
    /// must stand in for them, and gets no arguments.
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

/// Where the nodes of an inlined graph went.
#[derive(Debug)]
pub enum Inlined {
    /// For each node of a small graph, itself where it went nowhere.
    Few(SmallVec<[NodeId; 32]>),
    /// For those of a large graph that went somewhere.
    Many(FxHashMap<NodeId, NodeId>),
}

impl Inlined {
    const FEW: usize = 64;

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

    /// The node that stands for one of the other graph.
    pub fn get(&self, id: NodeId) -> NodeId {
        match self {
            Inlined::Few(map) => map[id.index()],
            Inlined::Many(map) => map[&id],
        }
    }
}
