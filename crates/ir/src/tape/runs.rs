//! Finds what a tape does over and over: the same small expression over evenly spaced slots.
//!
//! Scalar operations are gathered into expressions, each the largest with one result that something
//! else needs. An expression reads slots and the results of others; its level is one more than the
//! greatest of those, so that expressions of one level do not need each other. Those of one level,
//! one condition and one form are sorted by what they read, and if every slot moves by a
//! constant distance from one to the next they are a run, which becomes a [`super::Repeat`]. Its
//! results lie one after the other, so that the next level finds evenly spaced slots again. Nothing is
//! computed twice and nothing is reassociated. The cost is that of sorting.

use rustc_hash::{FxHashMap, FxHashSet};

use super::repeat::RepeatOp;
use crate::Slot;
use crate::{Graph, NodeId, Op};

/// Shorter runs stay instructions of their own.
const LEAST: usize = 8;

/// The same expression over evenly spaced slots.
#[derive(Default, Debug)]
pub(super) struct Run {
    /// The result of each iteration.
    pub results: Vec<NodeId>,
    /// What each reads, iteration after iteration.
    pub reads: Vec<NodeId>,
    /// What each computes.
    pub ops: Vec<RepeatOp>,
}

/// What is known about the nodes of a tape.
pub(super) struct Known<'a> {
    pub graph: &'a Graph,
    /// The nodes that are computed, arguments first.
    pub order: &'a [NodeId],
    /// The slot of the value of a node, if it is fixed: a leaf, a part of one, what is given, or a
    /// root.
    pub fixed: &'a dyn Fn(NodeId) -> Option<Slot>,
    /// Whether a node's value must end in a slot of its own.
    pub root: &'a dyn Fn(NodeId) -> bool,
    /// The condition under which a node is needed.
    pub guard: &'a dyn Fn(NodeId) -> u32,
}

/// What of a tape is done in runs.
#[derive(Default, Debug)]
pub(super) struct Runs {
    /// The runs.
    pub all: Vec<Run>,
    /// The nodes that they compute.
    pub done: FxHashSet<NodeId>,
}

/// Finds the runs of a tape.
pub(super) fn find(known: &Known) -> Runs {
    if known.order.len() < LEAST {
        return Runs::default();
    }
    let mut finder = Finder::new(known);
    finder.own();
    finder.rank();
    let mut groups: Vec<Group> = finder.groups();
    groups.retain(|group| group.results.len() >= LEAST);
    // Results of a lower level must have their places before the next is examined.
    groups.sort_by_key(|group| group.level);
    groups.iter().for_each(|group| finder.runs_of(group));
    finder.finish()
}

/// The place of a value before it has a slot: two are a distance apart if they are of one class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Place {
    class: u64,
    offset: i64,
}

const FIXED: u64 = 0;
/// Constants go anywhere: those that differ are laid out one after the other.
const CONSTANT: u64 = 1;
const FIRST_RUN: u64 = 2;
/// Something alone: at a distance from nothing else.
const ALONE: u64 = 1 << 32;

/// Expressions of one form and level.
#[derive(Default)]
struct Group {
    level: u32,
    ops: Vec<RepeatOp>,
    results: Vec<u32>,
    /// What they read, one after the other.
    reads: Vec<u32>,
}

struct Finder<'a> {
    known: &'a Known<'a>,
    /// The nodes of the tape, and after them those that are given.
    ids: Vec<NodeId>,
    index: FxHashMap<NodeId, u32>,
    /// The expression that each node belongs to, by its result.
    owner: Vec<u32>,
    level: Vec<u32>,
    places: Vec<Place>,
    runs: Vec<Run>,
    /// For each node the expression in which it had a number last, and the number.
    value: Vec<(u32, u32)>,
}

/// Marks the number of an operation while the number of reads is not known yet.
const OPERATION: u32 = 1 << 31;

impl<'a> Finder<'a> {
    fn new(known: &'a Known<'a>) -> Self {
        let mut ids = known.order.to_vec();
        let mut index: FxHashMap<NodeId, u32> =
            known.order.iter().enumerate().map(|(i, id)| (*id, i as u32)).collect();
        for arg in known.order.iter().flat_map(|id| &known.graph.node(*id).args) {
            index.entry(*arg).or_insert_with(|| {
                ids.push(*arg);
                ids.len() as u32 - 1
            });
        }
        let n = ids.len();
        Finder {
            known,
            ids,
            index,
            owner: (0..n as u32).collect(),
            level: vec![0; n],
            places: Vec::new(),
            runs: Vec::new(),
            value: vec![(u32::MAX, 0); n],
        }
    }

    /// The nodes of the tape itself.
    fn ours(&self) -> std::ops::Range<u32> {
        0..self.known.order.len() as u32
    }

    fn args(&self, at: u32) -> &'a [NodeId] {
        match self.ours().contains(&at) {
            true => &self.known.graph.node(self.ids[at as usize]).args,
            false => &[],
        }
    }

    fn arg(&self, at: u32, i: usize) -> Option<u32> {
        self.args(at).get(i).map(|arg| self.index[arg])
    }

    /// Whether a node is an operation on single numbers that the tape does.
    fn plain(&self, at: u32) -> bool {
        let node = self.known.graph.node(self.ids[at as usize]);
        let op = matches!(
            node.op,
            Op::Unary(_) | Op::Binary(_) | Op::Select | Op::SignOutside | Op::FloorOutside
        );
        op && node.ty.len() == 1 && self.ours().contains(&at)
    }

    /// A node belongs to the expression of its users if all are in one; else it is the result of
    /// its own.
    fn own(&mut self) {
        const NONE: u32 = u32::MAX;
        let mut users = vec![NONE; self.owner.len()];
        for at in self.ours().rev() {
            let id = self.ids[at as usize];
            let user = users[at as usize];
            let joins = user != NONE
                && user != at
                && self.plain(at)
                && !(self.known.root)(id)
                && (self.known.guard)(id) == (self.known.guard)(self.ids[user as usize]);
            let owner = if joins { user } else { at };
            self.owner[at as usize] = owner;
            let takes = self.plain(at);
            for arg in self.args(at) {
                let arg = self.index[arg];
                let seen = &mut users[arg as usize];
                // A node that is its own user is one that different expressions need.
                *seen = if takes && (*seen == NONE || *seen == owner) { owner } else { arg };
            }
        }
    }

    /// Levels of results.
    fn rank(&mut self) {
        for at in self.ours() {
            let owner = self.owner[at as usize] as usize;
            for arg in self.args(at) {
                let arg = self.index[arg];
                if self.owner[arg as usize] == arg {
                    self.level[owner] = self.level[owner].max(self.level[arg as usize] + 1);
                }
            }
        }
    }

    /// Writes out every expression and puts equal ones together.
    fn groups(&mut self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut known: FxHashMap<(u32, u32, bool, Vec<RepeatOp>), usize> = FxHashMap::default();
        self.places = (0..self.ids.len() as u32).map(|at| self.place(at)).collect();
        for at in self.ours() {
            if self.owner[at as usize] != at || !self.plain(at) {
                continue;
            }
            let id = self.ids[at as usize];
            let (reads, ops) = self.expression(at);
            let (level, guard) = (self.level[at as usize], (self.known.guard)(id));
            let key = (level, guard, (self.known.root)(id), ops);
            let group = *known.entry(key).or_insert_with_key(|key| {
                groups.push(Group { level, ops: key.3.clone(), ..Group::default() });
                groups.len() - 1
            });
            groups[group].results.push(at);
            groups[group].reads.extend(reads);
        }
        groups
    }

    fn place(&self, at: u32) -> Place {
        let id = self.ids[at as usize];
        if matches!(&self.known.graph.node(id).op, Op::Const(bits) if bits.len() == 1) {
            return Place { class: CONSTANT, offset: 0 };
        }
        match (self.known.fixed)(id) {
            Some(slot) => Place { class: FIXED, offset: i64::from(slot.0) },
            None => Place { class: ALONE + u64::from(at), offset: 0 },
        }
    }

    /// What an expression reads, and its operations in an order that only its form decides.
    fn expression(&mut self, result: u32) -> (Vec<u32>, Vec<RepeatOp>) {
        let (mut reads, mut ops): (Vec<u32>, Vec<RepeatOp>) = (Vec::new(), Vec::new());
        let mut stack = vec![(result, 0)];
        while let Some((at, next)) = stack.pop() {
            if self.value[at as usize].0 == result {
                continue;
            }
            if self.owner[at as usize] != result {
                self.value[at as usize] = (result, reads.len() as u32);
                reads.push(at);
            } else if let Some(arg) = self.arg(at, next) {
                stack.extend([(at, next + 1), (arg, 0)]);
            } else {
                ops.push(self.operation(at));
                self.value[at as usize] = (result, OPERATION | (ops.len() as u32 - 1));
            }
        }
        let first = reads.len() as u32;
        let number = |v: u32| if v & OPERATION != 0 { first + (v & !OPERATION) } else { v };
        ops.iter_mut().for_each(|op| *op = op.map(number));
        (reads, ops)
    }

    /// The operation of a node whose arguments have their numbers.
    fn operation(&self, at: u32) -> RepeatOp {
        let value = |i: usize| self.arg(at, i).map_or(0, |arg| self.value[arg as usize].1);
        match &self.known.graph.node(self.ids[at as usize]).op {
            Op::Unary(op) => RepeatOp::Unary(*op, value(0)),
            Op::Binary(op) => RepeatOp::Binary(*op, value(0), value(1)),
            Op::Select => RepeatOp::Select(value(0), value(1), value(2)),
            Op::SignOutside => RepeatOp::SignOutside(value(0), value(1), value(2)),
            Op::FloorOutside => RepeatOp::FloorOutside(value(0), value(1), value(2)),
            op => unreachable!("{op:?} is no operation on single numbers"),
        }
    }

    /// Cuts a group, in the order of the places that are read, into runs.
    fn runs_of(&mut self, group: &Group) {
        let width = group.reads.len() / group.results.len();
        // What an iteration reads, and at last the place of its result.
        let mut keys: Vec<Place> = Vec::with_capacity((width + 1) * group.results.len());
        for (i, result) in group.results.iter().enumerate() {
            let reads = &group.reads[i * width..(i + 1) * width];
            keys.extend(reads.iter().map(|at| self.places[*at as usize]));
            let own = self.places[*result as usize];
            let free = Place { class: CONSTANT, offset: 0 };
            keys.push(if own.class == FIXED { own } else { free });
        }
        let key = |i: u32| &keys[i as usize * (width + 1)..(i as usize + 1) * (width + 1)];
        let mut members: Vec<u32> = (0..group.results.len() as u32).collect();
        members.sort_by(|a, b| key(*a).cmp(key(*b)).then(a.cmp(b)));
        let mut from = 0;
        while from + LEAST <= members.len() {
            let length = evenly(&members[from..], &key);
            if length >= LEAST {
                self.run(group, &members[from..from + length]);
                from += length;
            } else {
                from += 1;
            }
        }
    }

    fn finish(self) -> Runs {
        let results: FxHashSet<u32> =
            self.runs.iter().flat_map(|run| &run.results).map(|id| self.index[id]).collect();
        let inside = self.ours().filter(|at| results.contains(&self.owner[*at as usize]));
        let done = inside.map(|at| self.ids[at as usize]).collect();
        Runs { all: self.runs, done }
    }

    fn run(&mut self, group: &Group, members: &[u32]) {
        let width = group.reads.len() / group.results.len();
        let number = self.runs.len() as u64;
        let mut run = Run { ops: group.ops.clone(), ..Run::default() };
        for (i, member) in members.iter().enumerate() {
            let result = group.results[*member as usize];
            let reads = &group.reads[*member as usize * width..][..width];
            let place = &mut self.places[result as usize];
            if place.class != FIXED {
                *place = Place { class: FIRST_RUN + number, offset: i as i64 };
            }
            run.results.push(self.ids[result as usize]);
            run.reads.extend(reads.iter().map(|at| self.ids[*at as usize]));
        }
        self.runs.push(run);
    }
}

/// How many of the first members follow each other evenly.
fn evenly<'k>(members: &[u32], key: &impl Fn(u32) -> &'k [Place]) -> usize {
    let apart = |a: &Place, b: &Place| (a.class == b.class).then(|| b.offset - a.offset);
    let [first, second, ..] = members else { return members.len() };
    let strides: Option<Vec<i64>> =
        key(*first).iter().zip(key(*second)).map(|(a, b)| apart(a, b)).collect();
    let Some(strides) = strides else { return 1 };
    let fits = |pair: &&[u32]| {
        let places = key(pair[0]).iter().zip(key(pair[1]));
        places.zip(&strides).all(|((a, b), stride)| apart(a, b) == Some(*stride))
    };
    1 + members.windows(2).take_while(fits).count()
}
