//! Forward differentiation: graph in, the same graph with tangents out.
//!
//! A tangent that is identically zero is no node at all, so derivatives of sparse functions stay
//! sparse. Sides, conditions and whole numbers are constant between events and have no tangent.

use std::sync::Arc;

use base::Shape;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::opaque::Tangent;
use crate::{Binary, Graph, NodeId, Op, Unary};

/// How leaf nodes move: for each, the node that is its derivative.
pub type Seeds = FxHashMap<NodeId, NodeId>;

/// The derivatives of `outputs` in the direction of `seeds`; nothing for an output that does not
/// move.
pub fn tangents(
    graph: &mut Graph,
    seeds: &FxHashMap<NodeId, NodeId>,
    outputs: &[NodeId],
) -> Vec<Option<NodeId>> {
    let mut known: FxHashMap<NodeId, NodeId> = seeds.clone();
    for id in graph.reachable(outputs) {
        if known.contains_key(&id) {
            continue;
        }
        if let Some(tangent) = tangent(graph, id, &known) {
            known.insert(id, tangent);
        }
    }
    outputs.iter().map(|id| known.get(id).copied()).collect()
}

/// The same outputs differentiated in many directions, each of which moves only a few leaves: what
/// does not move is skipped.
#[derive(Debug)]
pub struct Directions {
    /// Who uses each node, among those that the outputs need.
    users: FxHashMap<NodeId, Vec<NodeId>>,
}

impl Directions {
    /// Prepares for derivatives of these outputs.
    pub fn new(graph: &Graph, outputs: &[NodeId]) -> Directions {
        let mut users: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
        for id in graph.reachable(outputs) {
            for arg in &graph.node(id).args {
                users.entry(*arg).or_default().push(id);
            }
        }
        Directions { users }
    }

    /// The tangents of all nodes that move in the direction of `seeds`.
    pub fn tangents(&self, graph: &mut Graph, seeds: &Seeds) -> FxHashMap<NodeId, NodeId> {
        let mut moved: FxHashSet<NodeId> = FxHashSet::default();
        let mut open: Vec<NodeId> = seeds.keys().copied().collect();
        while let Some(id) = open.pop() {
            for user in self.users.get(&id).into_iter().flatten() {
                if !seeds.contains_key(user) && moved.insert(*user) {
                    open.push(*user);
                }
            }
        }
        let mut order: Vec<NodeId> = moved.into_iter().collect();
        order.sort_unstable();
        let mut known = seeds.clone();
        for id in order {
            if let Some(tangent) = tangent(graph, id, &known) {
                known.insert(id, tangent);
            }
        }
        known
    }
}

fn tangent(g: &mut Graph, id: NodeId, known: &FxHashMap<NodeId, NodeId>) -> Option<NodeId> {
    let node = g.node(id).clone();
    let args = node.args.as_slice();
    let moving: SmallVec<[Option<NodeId>; 3]> =
        args.iter().map(|a| known.get(a).copied()).collect();
    if moving.iter().all(Option::is_none) {
        return None;
    }
    let zeros = |g: &mut Graph, a: NodeId| g.filled(g.ty(a).with_elem(base::Elem::Real), 0.0);
    let filled = |g: &mut Graph, i: usize| moving[i].unwrap_or_else(|| zeros(g, args[i]));
    match &node.op {
        Op::Unary(op) => unary(g, *op, args[0], id, moving[0]?),
        Op::Binary(op) => binary(g, *op, (args[0], args[1]), id, (moving[0], moving[1])),
        Op::Select => {
            if moving[1].is_none() && moving[2].is_none() {
                return None;
            }
            let (a, b) = (filled(g, 1), filled(g, 2));
            Some(g.select(args[0], a, b))
        }
        Op::Choose(arms) => {
            let moved: Vec<NodeId> = (1..args.len()).map(|i| filled(g, i)).collect();
            Some(g.choose(args[0], &moved, arms))
        }
        Op::Splat => Some(g.splat(moving[0]?, node.ty.shape)),
        Op::Stack => {
            let parts: Vec<NodeId> = (0..args.len()).map(|i| filled(g, i)).collect();
            Some(g.stack(&parts, node.ty.shape))
        }
        Op::Extract(offset) => Some(g.extract(moving[0]?, *offset as usize, node.ty.shape)),
        Op::Index => Some(g.index(moving[0]?, args[1])),
        Op::Observed(_) => moving[0],
        Op::Sum => Some(g.sum(moving[0]?)),
        Op::Transpose => Some(g.transpose(moving[0]?)),
        Op::MatMul => {
            let first = moving[0].map(|da| g.matmul(da, args[1]));
            let second = moving[1].map(|db| g.matmul(args[0], db));
            add(g, first, second)
        }
        Op::LinearSolve => {
            // A x = b gives A dx = db - dA x.
            let pull = moving[0].map(|da| {
                let product = g.matmul(da, id);
                g.neg(product)
            });
            let right = add(g, moving[1], pull)?;
            Some(g.linear_solve(args[0], right))
        }
        Op::Solve(_) => solve(g, id, &moving),
        Op::Call(call) => {
            let function = Arc::new(Tangent(g.opaque(*call).clone()));
            let tangents: Vec<NodeId> = (0..args.len()).map(|i| filled(g, i)).collect();
            Some(g.call(function, &[args, &tangents].concat(), node.ty))
        }
        Op::Const(_) | Op::Parameter(..) | Op::Leaf(_) | Op::Unknown => None,
        Op::FrozenSign | Op::Crossed | Op::FrozenFloor | Op::SignOutside | Op::FloorOutside => None,
    }
}

fn add(g: &mut Graph, a: Option<NodeId>, b: Option<NodeId>) -> Option<NodeId> {
    match (a, b) {
        (Some(a), Some(b)) => Some(g.add(a, b)),
        (a, b) => a.or(b),
    }
}

/// The unknowns u(p) of r(u, p) = 0 move by du with r_u du = -r_p dp.
fn solve(g: &mut Graph, id: NodeId, moving: &[Option<NodeId>]) -> Option<NodeId> {
    let node = g.node(id).clone();
    let Op::Solve(body) = &node.op else { return None };
    let body = g.body(*body).clone();
    let roots = [body.residual, body.jacobian];
    let inlined = g.inline(&body.graph, &roots, &mut |_, _, inner, _| match inner.op {
        Op::Leaf(0) => Some(id),
        Op::Leaf(outer) => Some(node.args[outer as usize + 1]),
        _ => None,
    });
    let (residual, jacobian) = (inlined.get(body.residual), inlined.get(body.jacobian));
    let outer = node.args.iter().zip(moving).skip(2);
    let seeds = outer.filter_map(|(arg, tangent)| Some((*arg, (*tangent)?))).collect();
    let push = tangents_within(g, &seeds, residual, id)?;
    let push = g.neg(push);
    Some(g.linear_solve(jacobian, push))
}

/// Like [`tangents`] of one output, with one node held still.
fn tangents_within(
    g: &mut Graph,
    seeds: &FxHashMap<NodeId, NodeId>,
    output: NodeId,
    still: NodeId,
) -> Option<NodeId> {
    let mut known = seeds.clone();
    for id in g.reachable(&[output]) {
        if id == still || known.contains_key(&id) {
            continue;
        }
        if let Some(tangent) = tangent(g, id, &known) {
            known.insert(id, tangent);
        }
    }
    known.get(&output).copied()
}

fn unary(g: &mut Graph, op: Unary, a: NodeId, value: NodeId, da: NodeId) -> Option<NodeId> {
    let one = |g: &mut Graph| g.real(1.0);
    let factor = match op {
        Unary::Neg => return Some(g.neg(da)),
        Unary::Not | Unary::Sign | Unary::Floor => return None,
        Unary::Sin => g.unary(Unary::Cos, a),
        Unary::Cos => {
            let s = g.unary(Unary::Sin, a);
            g.neg(s)
        }
        Unary::Tan => {
            let (square, one) = (g.mul(value, value), one(g));
            g.add(one, square)
        }
        Unary::Sinh => g.unary(Unary::Cosh, a),
        Unary::Cosh => g.unary(Unary::Sinh, a),
        Unary::Tanh => {
            let (square, one) = (g.mul(value, value), one(g));
            g.sub(one, square)
        }
        Unary::Exp => value,
        Unary::Log => return Some(g.div(da, a)),
        Unary::Log10 => {
            let scale = g.real(std::f64::consts::LN_10);
            let down = g.mul(a, scale);
            return Some(g.div(da, down));
        }
        Unary::Log2 => {
            let scale = g.real(std::f64::consts::LN_2);
            let down = g.mul(a, scale);
            return Some(g.div(da, down));
        }
        Unary::Sqrt => {
            let two = g.real(2.0);
            let down = g.mul(two, value);
            return Some(g.div(da, down));
        }
        Unary::Asin | Unary::Acos | Unary::Atanh => {
            let (square, one) = (g.mul(a, a), one(g));
            let rest = g.sub(one, square);
            let down = if op == Unary::Atanh { rest } else { g.unary(Unary::Sqrt, rest) };
            let quotient = g.div(da, down);
            return Some(if op == Unary::Acos { g.neg(quotient) } else { quotient });
        }
        Unary::Atan | Unary::Asinh => {
            let (square, one) = (g.mul(a, a), one(g));
            let rest = g.add(one, square);
            let down = if op == Unary::Atan { rest } else { g.unary(Unary::Sqrt, rest) };
            return Some(g.div(da, down));
        }
        Unary::Acosh => {
            let (square, one) = (g.mul(a, a), one(g));
            let rest = g.sub(square, one);
            let down = g.unary(Unary::Sqrt, rest);
            return Some(g.div(da, down));
        }
    };
    Some(g.mul(factor, da))
}

fn binary(
    g: &mut Graph,
    op: Binary,
    (a, b): (NodeId, NodeId),
    value: NodeId,
    (da, db): (Option<NodeId>, Option<NodeId>),
) -> Option<NodeId> {
    match op {
        Binary::Add => add(g, da, db),
        Binary::Sub => match (da, db) {
            (Some(da), Some(db)) => Some(g.sub(da, db)),
            (None, Some(db)) => Some(g.neg(db)),
            (da, None) => da,
        },
        Binary::Mul => {
            let first = da.map(|da| g.mul(da, b));
            let second = db.map(|db| g.mul(a, db));
            add(g, first, second)
        }
        Binary::Div => {
            // d(a / b) = (da - (a / b) db) / b
            let pull = db.map(|db| {
                let product = g.mul(value, db);
                g.neg(product)
            });
            let up = add(g, da, pull)?;
            Some(g.div(up, b))
        }
        Binary::Pow => power(g, (a, b), value, (da, db)),
        Binary::Hypot => {
            let first = da.map(|da| g.mul(a, da));
            let second = db.map(|db| g.mul(b, db));
            let up = add(g, first, second)?;
            Some(g.div(up, value))
        }
        Binary::Atan2 => {
            let first = da.map(|da| g.mul(b, da));
            let second = db.map(|db| {
                let product = g.mul(a, db);
                g.neg(product)
            });
            let up = add(g, first, second)?;
            let (aa, bb) = (g.mul(a, a), g.mul(b, b));
            let down = g.add(aa, bb);
            Some(g.div(up, down))
        }
        Binary::And | Binary::Or | Binary::Equal | Binary::Less | Binary::LessEqual => None,
    }
}

/// d(a^b) = b a^(b - 1) da + a^b log(a) db
fn power(
    g: &mut Graph,
    (a, b): (NodeId, NodeId),
    value: NodeId,
    (da, db): (Option<NodeId>, Option<NodeId>),
) -> Option<NodeId> {
    let first = da.map(|da| {
        let one = g.real(1.0);
        let less = g.sub(b, one);
        let power = g.binary(Binary::Pow, a, less);
        let factor = g.mul(b, power);
        g.mul(factor, da)
    });
    let second = db.map(|db| {
        let log = g.unary(Unary::Log, a);
        let factor = g.mul(value, log);
        g.mul(factor, db)
    });
    add(g, first, second)
}

/// The derivatives of a vector with respect to a leaf vector, as a matrix: row i is the i-th
/// output.
pub fn jacobian(graph: &mut Graph, leaf: NodeId, output: NodeId) -> NodeId {
    let (n, m) = (graph.ty(leaf).len(), graph.ty(output).len());
    let columns: Vec<NodeId> = (0..n)
        .map(|j| {
            let unit: Vec<f64> = (0..n).map(|i| f64::from(i == j)).collect();
            let seed = graph.constant(graph.ty(leaf).with_elem(base::Elem::Real), &unit);
            let column = tangents(graph, &FxHashMap::from_iter([(leaf, seed)]), &[output])[0];
            column.unwrap_or_else(|| graph.filled(graph.ty(output), 0.0))
        })
        .collect();
    let stacked = graph.stack(&columns, Shape::Matrix(n as u32, m as u32));
    graph.transpose(stacked)
}
