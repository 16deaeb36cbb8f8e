//! Tapes: a graph written out as instructions over one flat buffer.
//!
//! The buffer's layout is made first and shared by all tapes of a program: constants, the numbers
//! that live longer than a run, and temporaries, which tapes reuse.

mod access;
mod fuse;
mod guards;
mod listing;
mod repeat;
mod runs;
mod verify;

use std::sync::Arc;

use base::Shape;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use crate::{Binary, Graph, NodeId, Op, Opaque, Unary};
pub use fuse::Pair;
use fuse::{join_copies, pairs};
pub use guards::Guards;
use guards::together;
pub use listing::SlotNames;
pub(crate) use listing::{binary_text, unary_text};
pub(crate) use repeat::CHUNK;
pub use repeat::{Repeat, RepeatOp};
use runs::{Known, Run, Runs};
pub use verify::TapeError;

/// A position in the buffer.
pub type Slot = u32;

/// The arrangement of the buffer.
#[derive(Clone, Default, Debug)]
pub struct Layout {
    image: Vec<f64>,
    constants: FxHashMap<Vec<u64>, Slot>,
    free: FxHashMap<usize, Vec<Slot>>,
}

impl Layout {
    /// Room for `length` numbers that live on.
    pub fn reserve(&mut self, length: usize) -> Slot {
        let slot = self.image.len() as Slot;
        self.image.resize(self.image.len() + length, 0.0);
        slot
    }

    /// Room for numbers that live on and start with these values.
    pub fn reserve_with(&mut self, data: &[f64]) -> Slot {
        let slot = self.reserve(data.len());
        self.image[slot as usize..slot as usize + data.len()].copy_from_slice(data);
        slot
    }

    /// The place of a constant.
    pub fn constant(&mut self, data: &[f64]) -> Slot {
        let bits: Vec<u64> = data.iter().map(|x| x.to_bits()).collect();
        if let Some(slot) = self.constants.get(&bits) {
            return *slot;
        }
        let slot = self.reserve_with(data);
        self.constants.insert(bits, slot);
        slot
    }

    /// The buffer as it is before anything has run: constants in place, the rest zero.
    pub fn image(&self) -> &[f64] {
        &self.image
    }

    /// The constants: where they are, and their values.
    pub fn constants(&self) -> impl Iterator<Item = (Slot, &[f64])> {
        let value = |slot: Slot, length: usize| &self.image[slot as usize..slot as usize + length];
        self.constants.iter().map(move |(bits, slot)| (*slot, value(*slot, bits.len())))
    }

    fn take(&mut self, length: usize) -> Slot {
        match self.free.get_mut(&length).and_then(Vec::pop) {
            Some(slot) => slot,
            None => self.reserve(length),
        }
    }

    fn give(&mut self, slot: Slot, length: usize) {
        self.free.entry(length).or_default().push(slot);
    }
}

/// What an instruction does. The first ones are the scalar cases of the most frequent operations.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)] // Each is the operation of its name.
pub enum Code {
    Add,
    Sub,
    Mul,
    Div,
    Neg,
    Copy,
    Select,
    Pair(Pair),
    Unary(Unary),
    Binary(Binary),
    CopyEach,
    CopyApart,
    SelectEach,
    SelectAll,
    SignOutside,
    FloorOutside,
    Splat,
    Index,
    Sum,
    Unknown,
    /// The next `n` instructions run only where the number at `a` is not zero.
    Skip,
    Choose,
    Repeat,
    Extra,
}

/// One step: `n` elements at `dst` from those at `a`, `b` and `c`. For [`Code::CopyApart`], `b` and
/// `c` are the distances between elements at `dst` and at `a`.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)] // Places and a number of elements, as said above.
pub struct Instr {
    pub code: Code,
    pub dst: Slot,
    pub a: Slot,
    pub b: Slot,
    pub c: Slot,
    pub n: u32,
}

impl Instr {
    /// Whether an operation on each element writes none of the elements that it reads.
    fn reads_elsewhere(&self) -> bool {
        let read: &[Slot] = match self.code {
            Code::Unary(_) => &[self.a],
            Code::Binary(_) => &[self.a, self.b],
            Code::SelectEach | Code::SignOutside | Code::FloorOutside => &[self.a, self.b, self.c],
            _ => &[],
        };
        read.iter().all(|from| from + self.n <= self.dst || self.dst + self.n <= *from)
    }
}

/// What does not fit in an instruction.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // Each is the operation of its name.
pub enum Extra {
    MatMul { rows: u32, inner: u32, columns: u32 },
    Transpose { rows: u32, columns: u32 },
    LinearSolve { n: u32, work: Slot },
    Solve(Box<SolveCode>),
    Call { function: Arc<dyn Opaque>, args: Vec<(Slot, u32)> },
    Choose(Vec<Slot>),
    Repeat(Box<Repeat>),
}

/// A loop solved by Newton's method, all in the buffer.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // The places that Newton's method works in.
pub struct SolveCode {
    pub n: u32,
    pub linear: bool,
    pub guesses: [Slot; 2],
    pub unknowns: Slot,
    pub body: Tape,
    pub residual: Slot,
    pub jacobian: Slot,
    pub work: Slot,
    pub step: Slot,
    pub trial: Slot,
}

/// Instructions in order.
#[derive(Clone, Default, Debug)]
pub struct Tape {
    pub(crate) code: Vec<Instr>,
    pub(crate) extra: Vec<Extra>,
    /// Whether some of it runs only under conditions.
    pub(crate) guarded: bool,
    /// Places that nobody reads once the tape has run, and their lengths.
    pub(crate) temporaries: Vec<(Slot, u32)>,
}

impl Tape {
    /// Writes out what `roots` need; the value of each root ends at the slot beside it. `leaf`
    /// says where the leaves are. Roots' slots must not be read by the tape itself.
    pub fn compile(
        graph: &Graph,
        roots: &[(NodeId, Slot)],
        layout: &mut Layout,
        leaf: &dyn Fn(u32) -> Slot,
    ) -> Tape {
        Tape::compile_above(graph, roots, &FxHashMap::default(), layout, leaf)
    }

    /// Like [`Tape::compile`], with the values of some nodes `given` in the buffer already.
    pub fn compile_above(
        graph: &Graph,
        roots: &[(NodeId, Slot)],
        given: &FxHashMap<NodeId, Slot>,
        layout: &mut Layout,
        leaf: &dyn Fn(u32) -> Slot,
    ) -> Tape {
        let roots: Vec<(NodeId, Slot, u32)> = roots.iter().map(|(n, s)| (*n, *s, 0)).collect();
        Tape::compile_guarded(graph, &roots, given, &Guards::default(), layout, leaf)
    }

    /// Like [`Tape::compile_above`], where each root is wanted only under a condition: what is
    /// needed under no condition that holds is skipped.
    pub fn compile_guarded(
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

    /// How many instructions there are.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// Whether some of it runs only under conditions.
    pub fn is_guarded(&self) -> bool {
        self.guarded
    }

    /// The instructions, for whoever runs them in another way than the interpreter.
    pub fn code(&self) -> &[Instr] {
        &self.code
    }

    /// What does not fit in the instructions; they name it by its number.
    pub fn extra(&self) -> &[Extra] {
        &self.extra
    }

    /// Places that nobody reads once the tape has run, and their lengths, by rising place. Every
    /// run writes them before it reads them, so that their values need not be in the buffer.
    pub fn temporaries(&self) -> &[(Slot, u32)] {
        &self.temporaries
    }
}

struct Writer<'a> {
    graph: &'a Graph,
    layout: &'a mut Layout,
    leaf: &'a dyn Fn(u32) -> Slot,
    slots: FxHashMap<NodeId, Slot>,
    /// Where the values of roots go.
    targets: FxHashMap<NodeId, Slot>,
    temporary: FxHashMap<NodeId, usize>,
    held: Vec<(Slot, usize)>,
    /// Runs, by their first results, and the first result of the run of each other.
    runs: FxHashMap<NodeId, Run>,
    first: FxHashMap<NodeId, NodeId>,
    /// By the first result, where the results of a run are and how many are still needed.
    blocks: FxHashMap<NodeId, (Slot, usize)>,
    /// Nodes that compute one of their arguments themselves, and which one.
    pairs: FxHashMap<NodeId, usize>,
    /// Where in the code another condition begins to hold.
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

    /// What follows runs under a condition.
    fn section(&mut self, guard: u32) {
        if self.sections.last().map_or(0, |last| last.1) != guard {
            self.sections.push((self.tape.code.len(), guard));
        }
    }

    /// Where the value of a node is before anything is written out.
    fn fixed(&self, id: NodeId) -> Option<Slot> {
        if let Some(slot) = self.slots.get(&id) {
            return Some(*slot);
        }
        let node = self.graph.node(id);
        let part = match &node.op {
            Op::Leaf(key) => Some((self.leaf)(*key)),
            Op::Extract(offset) => self.fixed(node.args[0]).map(|slot| slot + offset),
            _ => None,
        };
        part.or_else(|| self.targets.get(&id).copied())
    }

    /// Takes the runs and chooses pairs among the rest. What is left of the order are the nodes that
    /// are written out one by one, and for each run its first result.
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

    fn emit(&mut self, id: NodeId) {
        if let Some(run) = self.runs.remove(&id) {
            self.repeat(&run);
            self.runs.insert(id, run);
            return;
        }
        let node = self.graph.node(id);
        let length = node.ty.len();
        match &node.op {
            Op::Const(bits) => {
                let data: Vec<f64> = bits.iter().map(|b| f64::from_bits(*b)).collect();
                let slot = self.layout.constant(&data);
                self.slots.insert(id, slot);
                return;
            }
            Op::Leaf(key) => {
                self.slots.insert(id, (self.leaf)(*key));
                return;
            }
            // A part of something in the buffer is where it is, unless that place is released.
            Op::Extract(offset) if !self.temporary.contains_key(&node.args[0]) => {
                let from = self.slots[&node.args[0]];
                self.slots.insert(id, from + offset);
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

    /// Writes out a run. Results that are no roots lie one after the other.
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
            self.slots.insert(*id, (i64::from(to) + i as i64 * i64::from(apart)) as Slot);
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
        let c = self.tape.extra.len() as u32 - 1;
        self.tape.code.push(Instr { code: Code::Repeat, dst: to, a: 0, b: 0, c, n: count as u32 });
    }

    /// Where the values are that a run reads one after the other, and how far apart. Constants that
    /// differ get places for this.
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
        self.tape.code.push(Instr { code, dst: to, a: from, b: 0, c: 0, n: length as u32 });
    }

    fn hold(&mut self, length: usize) -> Slot {
        let slot = self.layout.take(length);
        self.held.push((slot, length));
        slot
    }

    fn instruction(&mut self, id: NodeId, dst: Slot, n: u32) {
        let graph = self.graph;
        let node = graph.node(id);
        if let Some(pair) = self.pair(id) {
            let reads = self.reads(id);
            let [a, b, c] = [0, 1, 2].map(|i| self.slots[&reads[i]]);
            self.tape.code.push(Instr { code: Code::Pair(pair), dst, a, b, c, n });
            return;
        }
        let slot = |i: usize| node.args.get(i).map_or(0, |arg| self.slots[arg]);
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
            Op::Extract(offset) => self.copy(a + offset, dst, n as usize),
            Op::Observed(_) => self.copy(a, dst, n as usize),
            Op::Choose(_) => {
                self.tape.extra.push(Extra::Choose(args[1..].to_vec()));
                let c = self.tape.extra.len() as u32 - 1;
                self.tape.code.push(Instr { code: Code::Choose, dst, a, b, c, n });
            }
            Op::Stack => {
                let mut to = dst;
                for (i, from) in args.iter().enumerate() {
                    self.copy(*from, to, length(i) as usize);
                    to += length(i);
                }
            }
            _ => {
                let extra = self.extra(id, &args);
                self.tape.extra.push(extra);
                let c = self.tape.extra.len() as u32 - 1;
                self.tape.code.push(Instr { code: Code::Extra, dst, a, b, c, n });
            }
        }
    }

    fn pair(&self, id: NodeId) -> Option<Pair> {
        let at = *self.pairs.get(&id)?;
        let node = self.graph.node(id);
        match (&self.graph.node(node.args[at]).op, &node.op) {
            (Op::Binary(first), Op::Binary(second)) => Pair::of(*first, *second, at),
            _ => None,
        }
    }

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

    /// The body is a tape of its own whose temporaries are held until the outer tape is done.
    fn solve(&mut self, body: &crate::Body, args: &[Slot]) -> SolveCode {
        let n = body.graph.ty(body.residual).len();
        let unknowns = self.hold(n);
        let (residual, jacobian) = (self.hold(n), self.hold(n * n));
        let (work, step, trial) = (self.hold(n * n), self.hold(n), self.hold(n));
        let roots = [(body.residual, residual), (body.jacobian, jacobian)];
        let leaf = |key: u32| if key == 0 { unknowns } else { args[key as usize + 1] };
        // Temporaries released before this point may be taken; those of the body must not be taken
        // again by what comes after, for the body runs in the middle of the outer tape: it may use
        // them, since nothing outer is alive there.
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
                let (a, n) = (guards.truth(guard), section.len() as u32);
                self.tape.code.push(Instr { code: Code::Skip, dst: 0, a, b: 0, c: 0, n });
                self.tape.guarded = true;
            }
            self.tape.code.extend(section);
        }
        self.tape
    }
}

/// How far the second place is after the first.
fn distance(from: Slot, to: Slot) -> i32 {
    (i64::from(to) - i64::from(from)) as i32
}
