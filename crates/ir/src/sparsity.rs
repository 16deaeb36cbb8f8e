//! Which numbers of the leaves each element of a node moves with, or is computed from.
//!
//! A graph and names of the numbers in its leaves come in, sets of names go out. A set may name too
//! many and never too few: it is exact through operations on elements, parts of vectors, sums and
//! products with constant matrices, and everything at once for what the graph cannot see into.

use std::rc::Rc;

use base::Shape;
use rustc_hash::FxHashMap;

use crate::{Binary, Graph, Node, NodeId, Op, Unary};

/// Names in rising order.
pub type Names = Rc<[u32]>;

/// What the elements of a node move with.
#[derive(Clone, Debug)]
pub enum Moves {
    /// All elements move with the same.
    Alike(Names),
    /// Each element with its own.
    Each(Vec<Names>),
}

impl Moves {
    /// What one element moves with.
    pub fn of(&self, element: usize) -> &Names {
        match self {
            Moves::Alike(names) => names,
            Moves::Each(names) => &names[element],
        }
    }
}

/// For each node that `outputs` need and that moves with something: what its elements move with.
/// `leaves` gives the names of the numbers of leaf nodes. None if the sets would have more
/// than `most` names together.
pub fn movements(
    graph: &Graph,
    leaves: &FxHashMap<NodeId, Vec<u32>>,
    outputs: &[NodeId],
    most: usize,
) -> Option<FxHashMap<NodeId, Moves>> {
    let each = |names: &Vec<u32>| names.iter().map(|name| Names::from([*name])).collect();
    let leaves = leaves.iter().map(|(leaf, names)| (*leaf, Moves::Each(each(names))));
    Finder { graph, known: leaves.collect(), names: 0, values: false }.find(outputs, most)
}

/// For each node that `outputs` need: what the values of its elements are computed from, also where
/// a comparison or a rounding down hides it from their derivatives. `leaves` gives the names behind
/// each number of leaf nodes. None if the sets would have more than `most` names together.
pub fn readings(
    graph: &Graph,
    leaves: FxHashMap<NodeId, Vec<Names>>,
    outputs: &[NodeId],
    most: usize,
) -> Option<FxHashMap<NodeId, Moves>> {
    let leaves = leaves.into_iter().map(|(leaf, names)| (leaf, Moves::Each(names)));
    Finder { graph, known: leaves.collect(), names: 0, values: true }.find(outputs, most)
}

struct Finder<'a> {
    graph: &'a Graph,
    known: FxHashMap<NodeId, Moves>,
    /// How many names there are in all sets made so far.
    names: usize,
    /// Whether names are those that a value is computed from, and not only those that move it.
    values: bool,
}

impl Finder<'_> {
    fn find(mut self, outputs: &[NodeId], most: usize) -> Option<FxHashMap<NodeId, Moves>> {
        for id in self.graph.reachable(outputs) {
            if self.known.contains_key(&id) {
                continue;
            }
            if let Some(moves) = self.moves(self.graph.node(id)) {
                self.known.insert(id, moves);
            }
            if self.names > most {
                return None;
            }
        }
        Some(self.known)
    }

    fn moves(&mut self, node: &Node) -> Option<Moves> {
        let args = &node.args;
        match &node.op {
            Op::Unary(_)
            | Op::Binary(_)
            | Op::Select
            | Op::Choose(_)
            | Op::Observed(_)
            | Op::FrozenSign
            | Op::Crossed
            | Op::FrozenFloor
            | Op::SignOutside
            | Op::FloorOutside
                if self.values =>
            {
                self.each_of(node)
            }
            Op::Index | Op::Solve(_) if self.values => self.everything(args),
            Op::Const(_) | Op::Parameter(..) | Op::Leaf(_) | Op::Unknown => None,
            Op::FrozenSign | Op::Crossed | Op::FrozenFloor | Op::SignOutside | Op::FloorOutside => {
                None
            }
            Op::Unary(Unary::Not | Unary::Sign | Unary::Floor) => None,
            Op::Binary(Binary::And | Binary::Or | Binary::Equal) => None,
            Op::Binary(Binary::Less | Binary::LessEqual) => None,
            Op::Unary(_) | Op::Observed(_) => self.known.get(&args[0]).cloned(),
            Op::Binary(_) => self.elementwise(args),
            Op::Select | Op::Choose(_) => self.elementwise(&args[1..]),
            Op::Splat => Some(Moves::Alike(self.known.get(&args[0])?.of(0).clone())),
            Op::Stack => self.stack(args),
            Op::Extract(offset) => Some(match self.known.get(&args[0])? {
                Moves::Alike(names) => Moves::Alike(names.clone()),
                Moves::Each(each) => {
                    let from = *offset as usize;
                    Moves::Each(each[from..from + node.ty.len()].to_vec())
                }
            }),
            Op::Transpose => self.transpose(args[0]),
            Op::MatMul => self.product(node),
            Op::Index => self.everything(&args[..1]),
            Op::Solve(_) => self.everything(&args[2..]),
            Op::Sum | Op::LinearSolve | Op::Call(_) => self.everything(args),
        }
    }

    /// Each element is computed from that of each argument; a scalar is one for all of them.
    fn each_of(&mut self, node: &Node) -> Option<Moves> {
        let known: Vec<(Moves, bool)> = node
            .args
            .iter()
            .filter_map(|arg| Some((self.known.get(arg)?.clone(), self.graph.ty(*arg).len() == 1)))
            .collect();
        let element = |i: usize| {
            let own = known.iter().map(|(moves, one)| moves.of(if *one { 0 } else { i }).clone());
            own.collect::<Vec<Names>>()
        };
        let uniform = known.iter().all(|(moves, one)| *one || matches!(moves, Moves::Alike(_)));
        match (known.is_empty(), uniform) {
            (true, _) => None,
            (_, true) => Some(Moves::Alike(self.union(element(0)))),
            _ => Some(Moves::Each((0..node.ty.len()).map(|i| self.union(element(i))).collect())),
        }
    }

    fn elementwise(&mut self, args: &[NodeId]) -> Option<Moves> {
        let moving: Vec<NodeId> =
            args.iter().copied().filter(|arg| self.known.contains_key(arg)).collect();
        match &moving[..] {
            [] => None,
            [one] => self.known.get(one).cloned(),
            many if many.iter().all(|arg| matches!(self.known[arg], Moves::Alike(_))) => {
                let sets = many.iter().map(|arg| self.known[arg].of(0).clone()).collect();
                Some(Moves::Alike(self.union(sets)))
            }
            many => {
                let length = self.graph.ty(many[0]).len();
                let mut each = Vec::with_capacity(length);
                for i in 0..length {
                    let sets = many.iter().map(|arg| self.known[arg].of(i).clone()).collect();
                    each.push(self.union(sets));
                }
                Some(Moves::Each(each))
            }
        }
    }

    fn stack(&mut self, args: &[NodeId]) -> Option<Moves> {
        if args.iter().all(|arg| !self.known.contains_key(arg)) {
            return None;
        }
        let nothing = Names::from([]);
        let part = |arg: &NodeId| {
            let moves = self.known.get(arg);
            let length = self.graph.ty(*arg).len();
            let element = |i| moves.map_or_else(|| nothing.clone(), |moves| moves.of(i).clone());
            (0..length).map(element).collect::<Vec<_>>()
        };
        Some(Moves::Each(args.iter().flat_map(part).collect()))
    }

    fn transpose(&mut self, arg: NodeId) -> Option<Moves> {
        let (rows, columns) = rows_and_columns(self.graph.ty(arg).shape);
        Some(match self.known.get(&arg)? {
            Moves::Alike(names) => Moves::Alike(names.clone()),
            Moves::Each(each) => {
                let from = |i: usize| i % rows * columns + i / rows;
                Moves::Each((0..rows * columns).map(|i| each[from(i)].clone()).collect())
            }
        })
    }

    /// Elements with a factor that is a constant zero add nothing.
    fn product(&mut self, node: &Node) -> Option<Moves> {
        let [a, b] = [node.args[0], node.args[1]];
        if !self.known.contains_key(&a) && !self.known.contains_key(&b) {
            return None;
        }
        let (mut rows, mut inner) = rows_and_columns(self.graph.ty(a).shape);
        if !matches!(self.graph.ty(a).shape, Shape::Matrix(..)) {
            (rows, inner) = (1, rows);
        }
        let columns = node.ty.len() / rows.max(1);
        let constants = [a, b].map(|arg| self.graph.constant_of(arg));
        let zero = |which: usize, at: usize| {
            constants[which].as_ref().is_some_and(|values| values[at] == 0.0)
        };
        let mut each = Vec::with_capacity(rows * columns);
        for place in 0..rows * columns {
            let (row, column) = (place / columns, place % columns);
            let mut sets = Vec::new();
            for k in 0..inner {
                let at = [row * inner + k, k * columns + column];
                if zero(0, at[0]) || zero(1, at[1]) {
                    continue;
                }
                for (arg, at) in [a, b].iter().zip(at) {
                    sets.extend(self.known.get(arg).map(|moves| moves.of(at).clone()));
                }
            }
            each.push(self.union(sets));
        }
        Some(Moves::Each(each))
    }

    /// Every element of the result may move with every element of every argument.
    fn everything(&mut self, args: &[NodeId]) -> Option<Moves> {
        let mut sets = Vec::new();
        for arg in args {
            match self.known.get(arg) {
                None => {}
                Some(Moves::Alike(names)) => sets.push(names.clone()),
                Some(Moves::Each(each)) => sets.extend(each.iter().cloned()),
            }
        }
        (!sets.is_empty()).then(|| Moves::Alike(self.union(sets)))
    }

    fn union(&mut self, mut sets: Vec<Names>) -> Names {
        sets.retain(|set| !set.is_empty());
        sets.dedup();
        if let [one] = &sets[..] {
            return one.clone();
        }
        let mut names: Vec<u32> = sets.iter().flat_map(|set| set.iter().copied()).collect();
        names.sort_unstable();
        names.dedup();
        self.names += names.len();
        names.into()
    }
}

fn rows_and_columns(shape: Shape) -> (usize, usize) {
    match shape {
        Shape::Matrix(rows, columns) => (rows as usize, columns as usize),
        other => (other.len(), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Elem, Type};

    fn vector(n: u32) -> Type {
        Type { elem: Elem::Real, shape: Shape::Vector(n) }
    }

    fn names(moves: &Moves, n: usize) -> Vec<Vec<u32>> {
        (0..n).map(|i| moves.of(i).to_vec()).collect()
    }

    #[test]
    fn elements_keep_apart_through_parts_and_constant_matrices() {
        let mut g = Graph::new();
        let x = g.leaf(0, vector(3));
        let leaves = FxHashMap::from_iter([(x, vec![5, 6, 7])]);
        let head = g.extract(x, 0, Shape::Vector(2));
        let tail = g.extract(x, 1, Shape::Vector(2));
        let neighbours = g.mul(head, tail);
        let matrix = Type { elem: Elem::Real, shape: Shape::Matrix(2, 3) };
        let banded = g.constant(matrix, &[1.0, 0.0, 2.0, 0.0, 0.0, 3.0]);
        let product = g.matmul(banded, x);
        let total = g.sum(x);
        let side = g.unary(Unary::Sign, x);
        let all = [neighbours, product, total, side];
        let found = movements(&g, &leaves, &all, 1000).unwrap();
        assert_eq!(names(&found[&neighbours], 2), [[5, 6], [6, 7]]);
        assert_eq!(names(&found[&product], 2), [vec![5, 7], vec![7]]);
        assert_eq!(names(&found[&total], 1), [[5, 6, 7]]);
        assert!(!found.contains_key(&side));
        assert!(movements(&g, &leaves, &all, 3).is_none());
    }

    /// A comparison hides what it is computed from only from derivatives.
    #[test]
    fn values_are_computed_from_what_is_compared() {
        let mut g = Graph::new();
        let (x, y) = (g.leaf(0, vector(2)), g.leaf(2, Type::REAL));
        let one = |name: u32| Names::from([name]);
        let leaves = FxHashMap::from_iter([(x, vec![one(5), one(6)]), (y, vec![one(7)])]);
        let side = g.unary(Unary::Sign, x);
        let zero = g.filled(Type::REAL, 0.0);
        let condition = g.binary(Binary::Less, y, zero);
        let other = g.filled(vector(2), 1.0);
        let chosen = g.select(condition, x, other);
        let found = readings(&g, leaves, &[side, chosen], 1000).unwrap();
        assert_eq!(names(&found[&side], 2), [[5], [6]]);
        assert_eq!(names(&found[&chosen], 2), [[5, 7], [6, 7]]);
    }
}
