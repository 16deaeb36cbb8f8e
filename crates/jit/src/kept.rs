//! Which values stay in registers.
//!
//! A temporary of the tape need not be in the buffer if everything that reads it is an operation
//! on single numbers, not far behind, in the same straight piece of code. All else is stored where
//! it is made; readers far behind load it again, so that no more values are alive at once than a
//! processor has registers for.

use std::ops::Range;

use ir::{Code, Instr, Slot, Tape};
use rustc_hash::FxHashMap;

use crate::repeat::places;

/// How many instructions after its last use a value is forgotten.
pub(crate) const REACH: usize = 32;

/// Operations on each element of no more than this many are written out one by one.
pub(crate) const SMALL: u32 = 8;

/// How an instruction is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// Number by number, each from a register or the buffer.
    Single,
    /// Over memory, by a loop or a function.
    Memory,
    /// By the interpreter.
    Interpreter,
    /// A condition on what follows.
    Condition,
}

/// How an instruction is done.
pub(crate) fn way(instr: &Instr) -> Way {
    match instr.code {
        Code::Skip => Way::Condition,
        Code::Extra => Way::Interpreter,
        Code::Index | Code::Choose | Code::Repeat => Way::Memory,
        _ if instr.n <= SMALL => Way::Single,
        _ => Way::Memory,
    }
}

/// The places that an instruction reads, as ranges of numbers that lie together.
pub(crate) fn reads(tape: &Tape, instr: &Instr) -> Vec<Range<Slot>> {
    let Instr { a, b, c, n, .. } = *instr;
    let each = |from: Slot| from..from + n;
    let one = |from: Slot| from..from + 1;
    match instr.code {
        Code::Add | Code::Sub | Code::Mul | Code::Div => vec![one(a), one(b)],
        Code::Neg | Code::Copy | Code::Splat => vec![one(a)],
        Code::Select | Code::Pair(_) => vec![one(a), one(b), one(c)],
        Code::Unary(_) | Code::CopyEach | Code::Sum => vec![each(a)],
        Code::Binary(_) => vec![each(a), each(b)],
        Code::CopyApart => (0..n).map(|i| one(a + i * c)).collect(),
        Code::SelectEach | Code::SignOutside | Code::FloorOutside => {
            vec![each(a), each(b), each(c)]
        }
        Code::SelectAll => vec![one(a), each(b), each(c)],
        Code::Index => vec![each(a), one(b)],
        Code::Choose => match &tape.extra()[c as usize] {
            ir::Extra::Choose(arms) => arms.iter().map(|arm| each(*arm)).chain([one(a)]).collect(),
            _ => Vec::new(),
        },
        Code::Repeat => match &tape.extra()[c as usize] {
            ir::Extra::Repeat(body) => {
                let all = body.loads.iter();
                let all = all.flat_map(|(from, stride)| places(*from, *stride, body.count));
                all.map(one).collect()
            }
            _ => Vec::new(),
        },
        Code::Unknown | Code::Skip | Code::Extra => Vec::new(),
    }
}

/// The places that an instruction writes.
pub(crate) fn writes(tape: &Tape, instr: &Instr) -> Vec<Range<Slot>> {
    let Instr { dst, b, n, .. } = *instr;
    match instr.code {
        Code::Skip => Vec::new(),
        Code::Sum | Code::Index => std::iter::once(dst..dst + 1).collect(),
        Code::Repeat => match &tape.extra()[instr.c as usize] {
            ir::Extra::Repeat(body) => {
                let all = body.stores.iter();
                let all = all.flat_map(|(_, to, stride)| places(*to, *stride, body.count));
                all.map(|slot| slot..slot + 1).collect()
            }
            _ => Vec::new(),
        },
        Code::CopyApart => (0..n).map(|i| dst + i * b..dst + i * b + 1).collect(),
        _ => std::iter::once(dst..dst + n).collect(),
    }
}

/// For each instruction, the elements that it leaves in registers only, as bits.
pub(crate) struct Kept(Vec<u8>);

impl Kept {
    /// Finds what can stay in registers; `starts` are where straight pieces begin.
    pub fn find(tape: &Tape, starts: &[bool]) -> Kept {
        let mut search = Search {
            kept: vec![0; tape.len()],
            temporaries: tape.temporaries(),
            alive: FxHashMap::default(),
            piece: 0,
        };
        for (at, instr) in tape.code().iter().enumerate() {
            search.piece += usize::from(starts[at]);
            search.look(tape, at, instr);
        }
        search.end_all();
        Kept(search.kept)
    }

    /// Whether an element that an instruction makes has to be stored.
    pub fn is_stored(&self, instruction: usize, element: usize) -> bool {
        self.0[instruction] & (1 << element) == 0
    }
}

/// A value that an instruction has made.
struct Made {
    instruction: usize,
    element: usize,
    touched: usize,
    /// The straight piece of code that it is made in.
    piece: usize,
    needed: bool,
}

struct Search<'a> {
    kept: Vec<u8>,
    temporaries: &'a [(Slot, u32)],
    alive: FxHashMap<Slot, Made>,
    piece: usize,
}

impl Search<'_> {
    fn look(&mut self, tape: &Tape, at: usize, instr: &Instr) {
        let way = way(instr);
        if way == Way::Interpreter {
            self.all_needed();
        }
        for slot in reads(tape, instr).into_iter().flatten() {
            if let Some(made) = self.alive.get_mut(&slot) {
                let far = at - made.touched > REACH || made.piece != self.piece;
                made.needed |= way != Way::Single || far;
                made.touched = at;
            }
        }
        for (element, slot) in writes(tape, instr).into_iter().flatten().enumerate() {
            self.end(slot);
            if way == Way::Single {
                let piece = self.piece;
                let made = Made { instruction: at, element, touched: at, piece, needed: false };
                self.alive.insert(slot, made);
            }
        }
    }

    fn all_needed(&mut self) {
        self.alive.values_mut().for_each(|made| made.needed = true);
    }

    fn end_all(&mut self) {
        let slots: Vec<Slot> = self.alive.keys().copied().collect();
        slots.into_iter().for_each(|slot| self.end(slot));
    }

    /// The value at a place is no more.
    fn end(&mut self, slot: Slot) {
        if let Some(made) = self.alive.remove(&slot)
            && !made.needed
            && self.is_temporary(slot)
        {
            self.kept[made.instruction] |= 1 << made.element;
        }
    }

    fn is_temporary(&self, slot: Slot) -> bool {
        let after = self.temporaries.partition_point(|(from, _)| *from <= slot);
        after > 0 && {
            let (from, length) = self.temporaries[after - 1];
            slot < from + length
        }
    }
}
