//! Which values stay in registers.
//!
//! A temporary of the tape need not be in the buffer if everything that reads it is an operation
//! on single numbers, not far behind, in the same straight piece of code. All else is stored when
//! it is made; readers far behind load it again, so that no more values are alive at once than a
//! processor has registers for.

use ir::{Code, Instr, Slot, Tape};
use rustc_hash::FxHashMap;

use crate::slots::{Slots, reads, writes};

/// How many instructions after its last use a value is forgotten.
pub(crate) const REACH: usize = 32;

/// Operations on each element of no more than this many are written out one by one.
pub(crate) const SMALL: u32 = 8;

/// How an instruction is compiled.
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

/// How an instruction is compiled.
pub(crate) fn way(instr: &Instr) -> Way {
    match instr.code {
        Code::Skip => Way::Condition,
        Code::Extra => Way::Interpreter,
        Code::Index | Code::Choose | Code::Repeat | Code::Product => Way::Memory,
        _ if instr.n <= SMALL => Way::Single,
        _ => Way::Memory,
    }
}

/// For each instruction, the elements that it leaves in registers only, as bits.
pub(crate) struct Kept(Vec<u8>);

impl Kept {
    /// Finds what can stay in registers; `starts` marks the instructions that begin a straight
    /// piece.
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
        for slot in reads(tape.extra(), instr).into_iter().flat_map(Slots::iter) {
            if let Some(made) = self.alive.get_mut(&slot) {
                let far = at - made.touched > REACH || made.piece != self.piece;
                made.needed |= way != Way::Single || far;
                made.touched = at;
            }
        }
        let written = writes(tape.extra(), instr).into_iter().flat_map(Slots::iter);
        for (element, slot) in written.enumerate() {
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

    /// The value of a slot is not read any more.
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
