//! Builders of nodes: each operation checks for constants and identities before it adds a node.
//!
//! Arguments are nodes of the same graph; the result is a node with their folded operation. A
//! constant is folded only if the result is bit-identical to what the interpreter would compute, so
//! that folding never changes a run.

use std::sync::Arc;

use base::{Elem, Shape, Type, Value};
use smallvec::SmallVec;

use super::{Body, BodyId, CallId, Graph, NodeId};
use crate::scalar::{binary, unary};
use crate::{Binary, Op, Opaque, Unary};

/// Constants and leaves.
impl Graph {
    /// A constant of any type.
    pub fn constant(&mut self, ty: Type, data: &[f64]) -> NodeId {
        debug_assert_eq!(ty.len(), data.len());
        self.insert(Op::Const(data.iter().map(|x| x.to_bits()).collect()), &[], ty)
    }

    /// A value: a constant, or one that each run computes from parameters.
    pub fn value(&mut self, value: &Value) -> NodeId {
        match value.open() {
            None => self.constant(value.ty(), value.data()),
            Some(id) => {
                let bits = value.data().iter().map(|x| x.to_bits()).collect();
                self.insert(Op::Parameter(id, bits), &[], value.ty())
            }
        }
    }

    /// A value as a node of this type, which has the shape of the value.
    pub fn typed(&mut self, ty: Type, value: &Value) -> NodeId {
        self.value(&value.filling(ty))
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
}

/// Operations on each element.
impl Graph {
    /// A scalar repeated to fill a shape; what already has the shape is given back.
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

    /// `a` in elements for which the condition holds, else `b`.
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

    /// The arm at an index; `guards` has for each arm the condition under which it can be chosen.
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
}

/// Sides and floors: what is frozen between events.
impl Graph {
    /// The sign of `a - b`, frozen between events; its change is a crossing.
    pub fn frozen_sign(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let d = self.sub(a, b);
        if self.constant_of(d).is_some() {
            return self.unary(Unary::Sign, d);
        }
        let ty = self.ty(d).with_elem(Elem::Int);
        self.insert(Op::FrozenSign, &[d], ty)
    }

    /// A value that solver stages compute by frozen sides, in this number of selections, and
    /// observers by comparison.
    pub fn observed(&mut self, by_side: NodeId, by_value: NodeId, selections: u32) -> NodeId {
        if by_side == by_value || self.constant_of(by_value).is_some() {
            return by_value;
        }
        let ty = self.ty(by_side);
        self.insert(Op::Observed(selections), &[by_side, by_value], ty)
    }

    /// A side that is kept even if the operand is constant, for events of changes.
    pub fn crossed(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let d = self.sub(a, b);
        let ty = self.ty(d).with_elem(Elem::Int);
        let side = self.insert(Op::FrozenSign, &[d], ty);
        self.insert(Op::Crossed, &[side], ty)
    }

    /// The greatest whole number not above `a`, frozen between events.
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

    /// How a floor is read at a microstep.
    pub fn floor_outside(&mut self, x: NodeId, cell: NodeId, residual: NodeId) -> NodeId {
        let ty = self.ty(x).with_elem(Elem::Int);
        self.insert(Op::FloorOutside, &[x, cell, residual], ty)
    }
}

/// Operations on whole vectors and matrices, solved loops and calls.
impl Graph {
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
}
