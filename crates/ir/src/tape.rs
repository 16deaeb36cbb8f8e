//! Tapes: a graph written out as instructions over one flat buffer.
//!
//! All tapes of a program share one [`Layout`] of the buffer: constants, the numbers that outlive a
//! run, and temporaries, which tapes reuse. A graph comes in with its roots, a [`Tape`] goes out,
//! which the interpreter and native code run. A tape knows nothing of blocks, wires or time.

mod layout;
mod write;

mod fuse;
mod guards;
mod repeat;
mod runs;

mod access;
mod listing;
mod verify;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{Binary, Graph, NodeId, Opaque, Slot, Unary};
pub use fuse::Pair;
pub use guards::Guards;
pub use layout::Layout;
pub use listing::SlotNames;
pub(crate) use listing::{binary_text, unary_text};
pub(crate) use repeat::CHUNK;
pub use repeat::{Repeat, RepeatOp};
pub use verify::TapeError;

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
    /// The next `n` instructions run only if the number at `a` is not zero.
    Skip,
    Choose,
    Repeat,
    /// A matrix product, whose sizes are an extra.
    Product,
    Extra,
}

/// One step: `n` elements at `dst` from those at `a`, `b` and `c`. Two kinds of instructions have
/// another number in place of a slot, so that all have the same size: see [`Instr::extra`] and
/// [`Instr::strides`].
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)] // Slots and a number of elements, as described above.
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
        read.iter().all(|from| *from + self.n <= self.dst || self.dst + self.n <= *from)
    }

    /// The index of what does not fit in the instruction, which has it instead of the slot `c`.
    #[inline(always)]
    pub fn extra(&self) -> usize {
        self.c.index()
    }

    /// For [`Code::CopyApart`], the distances between elements at `dst` and at `a`.
    #[inline(always)]
    pub fn strides(&self) -> [u32; 2] {
        [self.b.0, self.c.0]
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
#[allow(missing_docs)] // The slots that Newton's method works in.
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
    /// Slots that nothing reads once the tape has run, and their lengths.
    pub(crate) temporaries: Vec<(Slot, u32)>,
}

impl Tape {
    /// Writes out what `roots` need; the value of each root ends at the slot beside it. `leaf`
    /// gives the slots of the leaves. The slots of roots must not be read by the tape itself.
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

    /// Like [`Tape::compile_above`], with a condition for each root under which it is needed: what
    /// no condition that holds needs is skipped.
    pub fn compile_guarded(
        graph: &Graph,
        roots: &[(NodeId, Slot, u32)],
        given: &FxHashMap<NodeId, Slot>,
        guards: &Guards,
        layout: &mut Layout,
        leaf: &dyn Fn(u32) -> Slot,
    ) -> Tape {
        write::write(graph, roots, given, guards, layout, leaf)
    }

    /// How many instructions there are.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// The work of running it, in instructions on single numbers: a matrix product or a loop is many
    /// of them.
    pub fn work(&self) -> u64 {
        // In products and loops the interpreter computes about four times as fast as it takes
        // instructions.
        let terms = |extra: &Extra| match extra {
            Extra::MatMul { rows, inner, columns } => {
                [rows, inner, columns].iter().fold(1, |all: u64, n| all.saturating_mul(**n as u64))
            }
            Extra::Repeat(repeat) => u64::from(repeat.count) * repeat.ops.len() as u64,
            _ => 0,
        };
        self.code.len() as u64 + self.extra.iter().map(terms).sum::<u64>() / 4
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// Whether some of it runs only under conditions.
    pub fn is_guarded(&self) -> bool {
        self.guarded
    }

    /// The instructions, for other ways to run them than the interpreter.
    pub fn code(&self) -> &[Instr] {
        &self.code
    }

    /// What does not fit in the instructions; they refer to it by its index.
    pub fn extra(&self) -> &[Extra] {
        &self.extra
    }

    /// Slots that nothing reads once the tape has run, and their lengths, in rising order. Every
    /// run writes them before it reads them, so that their values need not be in the buffer.
    pub fn temporaries(&self) -> &[(Slot, u32)] {
        &self.temporaries
    }
}
