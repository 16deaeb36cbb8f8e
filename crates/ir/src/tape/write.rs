//! Writes a graph out as a tape.
//!
//! A graph and its roots come in, with the slots of roots and leaves; instructions in an order of
//! evaluation go out. Repeated expressions become loops, pairs of scalar operations become one
//! instruction, and what only some conditions need is put together and skipped if none of them
//! holds. Nothing is reassociated, so that the results are bit-identical to those of the graph.

use base::Shape;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::fuse::{Pair, join_copies, pairs};
use super::guards::together;
use super::runs::{self, Known, Run, Runs};
use super::{Code, Extra, Guards, Instr, Layout, Repeat, SolveCode, Tape};
use crate::Slot;
use crate::{Binary, Graph, NodeId, Op, Unary};

/// The tape that computes the roots: each has its slot and the condition under which it is needed.
/// `given` nodes are in the buffer already.
pub(super) fn write(
    graph: &Graph,
    roots: &[(NodeId, Slot, u32)],
    given: &FxHashMap<NodeId, Slot>,
    guards: &Guards,
    layout: &mut Layout,
    leaf: &dyn Fn(u32) -> Slot,
) -> Tape {
    let mut writer = Writer::new(graph, layout, leaf);
    writer.slots.extend(given.iter().map(|(node, slot)| (*node, *slot)));
    let nodes: Vec<NodeId> = roots.iter().map(|root| root.0).collect();
    let mut order = graph.reachable_above(&nodes, &|id| given.contains_key(&id));
    order.retain(|id| !given.contains_key(id));
    let wanted: Vec<(NodeId, u32)> = roots.iter().map(|root| (root.0, root.2)).collect();
    let guard = match guards.is_empty() {
        true => FxHashMap::default(),
        false => guards.of_nodes(graph, &order, &wanted),
    };
    let guard = |id: NodeId| guard.get(&id).copied().unwrap_or(0);
    for (node, slot, _) in roots {
        writer.targets.entry(*node).or_insert(*slot);
    }
    let runs = runs::find(&Known {
        graph,
        order: &order,
        fixed: &|id| writer.fixed(id),
        root: &|id| writer.targets.contains_key(&id),
        guard: &guard,
    });
    order = writer.arrange(order, runs, &nodes);
    if !guards.is_empty() || !writer.runs.is_empty() {
        order = together(&order, &guard, &|id| writer.waits_for(id));
    }
    let mut last_use: FxHashMap<NodeId, NodeId> = FxHashMap::default();
    for id in &order {
        for arg in writer.reads(*id) {
            last_use.insert(arg, *id);
        }
    }
    for id in &order {
        writer.section(guard(*id));
        writer.emit(*id);
        let mut args = writer.reads(*id);
        args.sort_unstable();
        args.dedup();
        for arg in args.iter().filter(|arg| last_use[*arg] == *id) {
            writer.release(*arg);
        }
    }
    for (node, slot, guard) in roots {
        let from = writer.slots[node];
        if from != *slot {
            writer.section(*guard);
            writer.copy(from, *slot, graph.ty(*node).len());
        }
    }
    writer.finish(guards)
}

/// A tape under construction.
struct Writer<'a> {
    graph: &'a Graph,
    layout: &'a mut Layout,
    leaf: &'a dyn Fn(u32) -> Slot,
    slots: FxHashMap<NodeId, Slot>,
    /// The slots of the roots.
    targets: FxHashMap<NodeId, Slot>,
    /// The lengths of the values that are given back after their last use.
    temporary: FxHashMap<NodeId, usize>,
    /// Room that is given back when the tape is finished.
    held: Vec<(Slot, usize)>,
    /// Runs, by their first results.
    runs: FxHashMap<NodeId, Run>,
    /// For each result of a run, the first result of that run.
    first: FxHashMap<NodeId, NodeId>,
    /// By the first result, the slot of the results of a run, and how many are still needed.
    blocks: FxHashMap<NodeId, (Slot, usize)>,
    /// Nodes that compute one of their arguments themselves, and the position of that argument.
    pairs: FxHashMap<NodeId, usize>,
    /// Indices of instructions from which on another condition applies.
    sections: Vec<(usize, u32)>,
    tape: Tape,
}

impl<'a> Writer<'a> {
    fn new(graph: &'a Graph, layout: &'a mut Layout, leaf: &'a dyn Fn(u32) -> Slot) -> Self {
        Writer {
            graph,
            layout,
            leaf,
            slots: FxHashMap::default(),
            targets: FxHashMap::default(),
            temporary: FxHashMap::default(),
            held: Vec::new(),
            runs: FxHashMap::default(),
            first: FxHashMap::default(),
            blocks: FxHashMap::default(),
            pairs: FxHashMap::default(),
            sections: Vec::new(),
            tape: Tape::default(),
        }
    }

    /// Puts the instructions that follow under a condition.
    fn section(&mut self, guard: u32) {
        if self.sections.last().map_or(0, |last| last.1) != guard {
            self.sections.push((self.tape.code.len(), guard));
        }
    }

    /// The slot of a node that has one before anything is written out.
    fn fixed(&self, id: NodeId) -> Option<Slot> {
        if let Some(slot) = self.slots.get(&id) {
            return Some(*slot);
        }
        let node = self.graph.node(id);
        let part = match &node.op {
            Op::Leaf(key) => Some((self.leaf)(*key)),
            Op::Extract(offset) => self.fixed(node.args[0]).map(|slot| slot + *offset),
            _ => None,
        };
        part.or_else(|| self.targets.get(&id).copied())
    }

    /// Takes the runs and chooses pairs among the rest. The order that is given back has the nodes
    /// that are written out one by one, and for each run its first result.
    fn arrange(&mut self, order: Vec<NodeId>, runs: Runs, roots: &[NodeId]) -> Vec<NodeId> {
        for run in runs.all {
            self.first.extend(run.results.iter().map(|id| (*id, run.results[0])));
            self.runs.insert(run.results[0], run);
        }
        let single: Vec<NodeId> =
            order.iter().copied().filter(|id| !runs.done.contains(id)).collect();
        let read = self.runs.values().flat_map(|run| &run.reads);
        self.pairs = pairs(self.graph, &single, roots.iter().chain(read));
        let folded: FxHashSet<NodeId> =
            self.pairs.iter().map(|(id, at)| self.graph.node(*id).args[*at]).collect();
        let stays = |id: &NodeId| match runs.done.contains(id) {
            true => self.runs.contains_key(id),
            false => !folded.contains(id),
        };
        order.into_iter().filter(stays).collect()
    }

    /// The nodes of the arranged order that must come before one.
    fn waits_for(&self, id: NodeId) -> Vec<NodeId> {
        let reads = self.reads(id);
        reads.iter().map(|read| self.first.get(read).copied().unwrap_or(*read)).collect()
    }

    /// The nodes whose values an instruction reads.
    fn reads(&self, id: NodeId) -> SmallVec<[NodeId; 3]> {
        if let Some(run) = self.runs.get(&id) {
            return SmallVec::from_slice(&run.reads);
        }
        let args = &self.graph.node(id).args;
        match self.pairs.get(&id) {
            None => args.clone(),
            Some(at) => {
                let first = &self.graph.node(args[*at]).args;
                smallvec![first[0], first[1], args[1 - at]]
            }
        }
    }

    /// Writes out a node or a run; constants, leaves and parts of others only get a slot.
    fn emit(&mut self, id: NodeId) {
        if let Some(run) = self.runs.remove(&id) {
            self.repeat(&run);
            self.runs.insert(id, run);
            return;
        }
        let node = self.graph.node(id);
        let length = node.ty.len();
        match &node.op {
            Op::Const(bits) | Op::Parameter(_, bits) => {
                let data: Vec<f64> = bits.iter().map(|b| f64::from_bits(*b)).collect();
                let slot = self.layout.constant(&data);
                self.slots.insert(id, slot);
                return;
            }
            Op::Leaf(key) => {
                self.slots.insert(id, (self.leaf)(*key));
                return;
            }
            // A part of a value needs no copy, unless the slot of the value is given back.
            Op::Extract(offset) if !self.temporary.contains_key(&node.args[0]) => {
                let from = self.slots[&node.args[0]];
                self.slots.insert(id, from + *offset);
                return;
            }
            _ => {}
        }
        let dst = match self.targets.get(&id) {
            Some(slot) => *slot,
            None => {
                self.temporary.insert(id, length);
                let slot = self.layout.take(length);
                self.tape.temporaries.push((slot, length as u32));
                slot
            }
        };
        self.slots.insert(id, dst);
        self.instruction(id, dst, length as u32);
    }

    /// Gives back the room of a value after its last use.
    fn release(&mut self, id: NodeId) {
        if let Some(length) = self.temporary.remove(&id) {
            self.layout.give(self.slots[&id], length);
        }
        if let Some(first) = self.first.get(&id)
            && let Some((slot, needed)) = self.blocks.get_mut(first)
        {
            *needed -= 1;
            if *needed == 0 {
                self.layout.give(*slot, self.runs[first].results.len());
                self.blocks.remove(first);
            }
        }
    }

    /// Writes out a run. Results that are not roots lie one after the other.
    fn repeat(&mut self, run: &Run) {
        let (count, first) = (run.results.len(), run.results[0]);
        let width = run.reads.len() / count;
        let (to, apart) = match self.targets.get(&first) {
            Some(slot) => (*slot, distance(*slot, self.targets[&run.results[1]])),
            None => {
                let block = self.layout.take(count);
                self.blocks.insert(first, (block, count));
                (block, 1)
            }
        };
        for (i, id) in run.results.iter().enumerate() {
            self.slots.insert(*id, to.moved(i as i64 * i64::from(apart)));
        }
        let loads = (0..width).map(|i| {
            let all: Vec<NodeId> = run.reads.iter().skip(i).step_by(width).copied().collect();
            self.load(&all)
        });
        let loads = loads.collect();
        let stores = vec![((width + run.ops.len()) as u32 - 1, to, apart)];
        let mut reserve = |length| self.hold(length);
        let repeat = Repeat::new(count as u32, loads, run.ops.clone(), stores, &mut reserve);
        self.tape.extra.push(Extra::Repeat(Box::new(repeat)));
        let (none, c) = (Slot::default(), self.last_extra());
        let n = count as u32;
        self.tape.code.push(Instr { code: Code::Repeat, dst: to, a: none, b: none, c, n });
    }

    /// The slot of the first of the values that a run reads one after the other, and the distance
    /// between them. Constants that differ get slots side by side.
    fn load(&mut self, all: &[NodeId]) -> (Slot, i32) {
        if all.iter().all(|id| id == &all[0]) {
            return (self.slots[&all[0]], 0);
        }
        let constants: Option<Vec<f64>> =
            all.iter().map(|id| self.graph.constant_of(*id).map(|data| data[0])).collect();
        if let Some(constants) = constants {
            return (self.layout.constant(&constants), 1);
        }
        let places = |i: usize| distance(self.slots[&all[i]], self.slots[&all[i + 1]]);
        debug_assert!((1..all.len() - 1).all(|i| places(i) == places(0)));
        (self.slots[&all[0]], places(0))
    }

    fn copy(&mut self, from: Slot, to: Slot, length: usize) {
        let code = if length == 1 { Code::Copy } else { Code::CopyEach };
        let (none, n) = (Slot::default(), length as u32);
        self.tape.code.push(Instr { code, dst: to, a: from, b: none, c: none, n });
    }

    /// Room that is in use until the tape is finished.
    fn hold(&mut self, length: usize) -> Slot {
        let slot = self.layout.take(length);
        self.held.push((slot, length));
        slot
    }

    /// The instruction of a node that is not part of a run.
    fn instruction(&mut self, id: NodeId, dst: Slot, n: u32) {
        let graph = self.graph;
        let node = graph.node(id);
        if let Some(pair) = self.pair(id) {
            let reads = self.reads(id);
            let [a, b, c] = [0, 1, 2].map(|i| self.slots[&reads[i]]);
            self.tape.code.push(Instr { code: Code::Pair(pair), dst, a, b, c, n });
            return;
        }
        let slot = |i: usize| node.args.get(i).map_or(Slot::default(), |arg| self.slots[arg]);
        let (a, b, c) = (slot(0), slot(1), slot(2));
        let args: Vec<Slot> = (0..node.args.len()).map(slot).collect();
        let length = |i: usize| graph.ty(node.args[i]).len() as u32;
        let mut push = |code: Code, n: u32| self.tape.code.push(Instr { code, dst, a, b, c, n });
        match &node.op {
            Op::Unary(Unary::Neg) if n == 1 => push(Code::Neg, 1),
            Op::Unary(op) => push(Code::Unary(*op), n),
            Op::Binary(Binary::Add) if n == 1 => push(Code::Add, 1),
            Op::Binary(Binary::Sub) if n == 1 => push(Code::Sub, 1),
            Op::Binary(Binary::Mul) if n == 1 => push(Code::Mul, 1),
            Op::Binary(Binary::Div) if n == 1 => push(Code::Div, 1),
            Op::Binary(op) => push(Code::Binary(*op), n),
            Op::Select if n == 1 => push(Code::Select, 1),
            Op::Select if length(0) == 1 => push(Code::SelectAll, n),
            Op::Select => push(Code::SelectEach, n),
            Op::SignOutside => push(Code::SignOutside, n),
            Op::FloorOutside => push(Code::FloorOutside, n),
            Op::Splat => push(Code::Splat, n),
            Op::Index => push(Code::Index, length(0)),
            Op::Sum => push(Code::Sum, length(0)),
            Op::Unknown => push(Code::Unknown, n),
            Op::Extract(offset) => self.copy(a + *offset, dst, n as usize),
            Op::Observed(_) => self.copy(a, dst, n as usize),
            Op::Choose(_) => {
                self.tape.extra.push(Extra::Choose(args[1..].to_vec()));
                let c = self.last_extra();
                self.tape.code.push(Instr { code: Code::Choose, dst, a, b, c, n });
            }
            Op::Stack => {
                let mut to = dst;
                for (i, from) in args.iter().enumerate() {
                    self.copy(*from, to, length(i) as usize);
                    to = to + length(i);
                }
            }
            _ => {
                let extra = self.extra(id, &args);
                self.tape.extra.push(extra);
                let c = self.last_extra();
                let code = if node.op == Op::MatMul { Code::Product } else { Code::Extra };
                self.tape.code.push(Instr { code, dst, a, b, c, n });
            }
        }
    }

    /// The index of the extra that was added last, in place of a slot: see [`Instr::extra`].
    fn last_extra(&self) -> Slot {
        Slot(self.tape.extra.len() as u32 - 1)
    }

    /// The pair that a node makes with the argument that it computes itself.
    fn pair(&self, id: NodeId) -> Option<Pair> {
        let at = *self.pairs.get(&id)?;
        let node = self.graph.node(id);
        match (&self.graph.node(node.args[at]).op, &node.op) {
            (Op::Binary(first), Op::Binary(second)) => Pair::of(*first, *second, at),
            _ => None,
        }
    }

    /// What does not fit in the instruction of a node.
    fn extra(&mut self, id: NodeId, args: &[Slot]) -> Extra {
        let graph = self.graph;
        let node = graph.node(id);
        let shape = |i: usize| graph.ty(node.args[i]).shape;
        match &node.op {
            Op::MatMul => match (shape(0), shape(1)) {
                (Shape::Matrix(rows, inner), Shape::Matrix(_, columns)) => {
                    Extra::MatMul { rows, inner, columns }
                }
                (Shape::Matrix(rows, inner), _) => Extra::MatMul { rows, inner, columns: 1 },
                (a, _) => Extra::MatMul { rows: 1, inner: a.len() as u32, columns: 1 },
            },
            Op::Transpose => match shape(0) {
                Shape::Matrix(rows, columns) => Extra::Transpose { rows, columns },
                other => Extra::Transpose { rows: other.len() as u32, columns: 1 },
            },
            Op::LinearSolve => {
                let n = node.ty.len();
                Extra::LinearSolve { n: n as u32, work: self.hold(n * n) }
            }
            Op::Solve(body) => {
                let body = graph.body(*body).clone();
                Extra::Solve(Box::new(self.solve(&body, args)))
            }
            Op::Call(call) => {
                let lengths = node.args.iter().map(|arg| graph.ty(*arg).len() as u32);
                let function = graph.opaque(*call).clone();
                Extra::Call { function, args: args.iter().copied().zip(lengths).collect() }
            }
            op => unreachable!("{op:?} is not composed"),
        }
    }

    /// A solved loop. Its body is a tape of its own; the room that it shares with Newton's method is
    /// held until the outer tape is finished.
    fn solve(&mut self, body: &crate::Body, args: &[Slot]) -> SolveCode {
        let n = body.graph.ty(body.residual).len();
        let unknowns = self.hold(n);
        let (residual, jacobian) = (self.hold(n), self.hold(n * n));
        let (work, step, trial) = (self.hold(n * n), self.hold(n), self.hold(n));
        let roots = [(body.residual, residual), (body.jacobian, jacobian)];
        let leaf = |key: u32| if key == 0 { unknowns } else { args[key as usize + 1] };
        // The temporaries of the body take room that is free at this point of the outer tape. What
        // follows may take it again, since the body has run by then.
        let tape = Tape::compile(&body.graph, &roots, self.layout, &leaf);
        let guesses = [args[0], args[1]];
        SolveCode {
            n: n as u32,
            linear: body.linear,
            guesses,
            unknowns,
            body: tape,
            residual,
            jacobian,
            work,
            step,
            trial,
        }
    }

    /// Gives back all room, and puts a skip before each section that has a condition.
    fn finish(mut self, guards: &Guards) -> Tape {
        let left: Vec<NodeId> = self.temporary.keys().copied().collect();
        left.into_iter().for_each(|id| self.release(id));
        for (first, (slot, _)) in std::mem::take(&mut self.blocks) {
            self.layout.give(slot, self.runs[&first].results.len());
        }
        for (slot, length) in std::mem::take(&mut self.held) {
            self.layout.give(slot, length);
        }
        debug_assert!(self.tape.code.iter().all(Instr::reads_elsewhere), "{:?}", self.tape);
        self.tape.temporaries.sort_unstable();
        self.tape.temporaries.dedup();
        let code = std::mem::take(&mut self.tape.code);
        let ends = self.sections.iter().skip(1).map(|section| section.0).chain([code.len()]);
        let sections: Vec<(usize, usize, u32)> =
            self.sections.iter().zip(ends).map(|((from, guard), to)| (*from, to, *guard)).collect();
        let before = sections.first().map_or(code.len(), |first| first.0);
        for (from, to, guard) in std::iter::once((0, before, 0)).chain(sections) {
            let section = join_copies(&code[from..to]);
            if guard != 0 && !section.is_empty() {
                let (none, a, n) = (Slot::default(), guards.truth(guard), section.len() as u32);
                self.tape.code.push(Instr { code: Code::Skip, dst: none, a, b: none, c: none, n });
                self.tape.guarded = true;
            }
            self.tape.code.extend(section);
        }
        self.tape
    }
}

/// How far the second slot is after the first.
fn distance(from: Slot, to: Slot) -> i32 {
    (i64::from(to.0) - i64::from(from.0)) as i32
}
