//! Checks that a tape can be run on a buffer. The invariants, on which native code relies:
//!
//! 1. everything that an instruction reads or writes is in the buffer;
//! 2. an operation on each of several elements writes none of the elements that it reads, and one
//!    on single numbers has one element;
//! 3. a condition covers instructions of the tape, and no other condition;
//! 4. what does not fit in an instruction is there, and is of its kind; a choice has an arm;
//! 5. the values of a loop are computed from values before them, and its slots stay in the buffer
//!    over all iterations;
//! 6. temporaries are in the buffer, in rising order and apart, and no instruction reads one that
//!    none before it has written;
//! 7. the body of a solved loop satisfies all of this, too.

use std::fmt;

use super::access::{Access, Region};
use super::{Code, Extra, Instr, Repeat, Tape};
use crate::Slot;

/// An instruction that breaks an invariant, and which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TapeError {
    /// The number of the instruction.
    pub instruction: usize,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl fmt::Display for TapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "instruction {}: {}", self.instruction, self.reason)
    }
}

impl std::error::Error for TapeError {}

impl Tape {
    /// Checks every instruction against a buffer of some length.
    pub fn verify(&self, length: usize) -> Result<(), TapeError> {
        let mut temporaries = Temporaries::new(&self.temporaries, length)
            .map_err(|reason| TapeError { instruction: 0, reason })?;
        // The first instruction after those under the last condition.
        let mut covered = 0;
        for (instruction, instr) in self.code.iter().enumerate() {
            let error = |reason| TapeError { instruction, reason };
            self.check(instr, length, &mut temporaries).map_err(error)?;
            if instr.code == Code::Skip {
                let end = instruction + 1 + instr.n as usize;
                if instruction < covered || end > self.code.len() {
                    return Err(error("a condition that covers too much"));
                }
                covered = end;
            }
        }
        Ok(())
    }

    fn check(
        &self,
        instr: &Instr,
        length: usize,
        temporaries: &mut Temporaries,
    ) -> Result<(), &'static str> {
        let access = self.access(instr)?;
        let inside = |(from, n): &Region| from.index() + *n as usize <= length;
        if !access.reads.iter().chain(&access.writes).all(inside) {
            return Err("a place outside the buffer");
        }
        if instr.n > 1 && !instr.reads_elsewhere() {
            return Err("an operation on elements that writes what it reads");
        }
        if instr.n != 1 && is_single(instr.code) {
            return Err("an operation on single numbers with several elements");
        }
        let body = self.extra.get(instr.extra());
        match (instr.code, body) {
            (Code::Repeat, Some(Extra::Repeat(body))) => body.check()?,
            (Code::Choose, Some(Extra::Choose(arms))) if arms.is_empty() => {
                return Err("a choice without an arm");
            }
            _ => {}
        }
        if !temporaries.pass(instr, &access) {
            return Err("a temporary that nothing has written");
        }
        if let (Code::Extra, Some(Extra::Solve(solve))) = (instr.code, body) {
            solve.body.verify(length).map_err(|_| "the body of a solved loop")?;
            // What the body computes of the outside is there for whatever follows.
            for inner in &solve.body.code {
                solve.body.access(inner)?.writes.iter().for_each(|own| temporaries.set(*own));
            }
        }
        Ok(())
    }
}

/// Whether an instruction is one of the scalar cases, which have a single element.
fn is_single(code: Code) -> bool {
    use Code::{Add, Copy, Div, Mul, Neg, Pair, Select, Sub};
    matches!(code, Add | Sub | Mul | Div | Neg | Copy | Select | Pair(_))
}

impl Repeat {
    fn check(&self) -> Result<(), &'static str> {
        let loads = self.loads.len();
        let known = |(index, op): (usize, &super::RepeatOp)| {
            op.reads().iter().all(|value| (*value as usize) < loads + index)
        };
        if !self.ops.iter().enumerate().all(known) {
            return Err("a loop that uses a value before it is computed");
        }
        match self.stores.iter().all(|(value, ..)| (*value as usize) < loads + self.ops.len()) {
            true => Ok(()),
            false => Err("a loop that stores a value which is not there"),
        }
    }
}

/// The temporaries of a tape, and which numbers of them have been written.
struct Temporaries<'a> {
    regions: &'a [Region],
    written: Vec<bool>,
    /// Where the numbers of each region begin in `written`.
    starts: Vec<usize>,
}

impl<'a> Temporaries<'a> {
    fn new(regions: &'a [Region], length: usize) -> Result<Temporaries<'a>, &'static str> {
        let (mut end, mut starts, mut total) = (0, Vec::with_capacity(regions.len()), 0);
        for (from, n) in regions {
            if from.index() < end {
                return Err("temporaries that overlap");
            }
            end = from.index() + *n as usize;
            starts.push(total);
            total += *n as usize;
        }
        match end <= length {
            true => Ok(Temporaries { regions, written: vec![false; total], starts }),
            false => Err("a temporary outside the buffer"),
        }
    }

    /// Follows an instruction; whether it reads only what has been written.
    fn pass(&mut self, instr: &Instr, access: &Access) -> bool {
        if instr.code == Code::CopyApart {
            // Numbers that are copied one after the other; one may be the copy of another.
            let [to, from] = instr.strides();
            return (0..instr.n).all(|i| {
                let set = self.is_set((instr.a + i * from, 1));
                self.set((instr.dst + i * to, 1));
                set
            });
        }
        // A loop has rows of its own, which it fills before it reads them.
        let known = instr.code == Code::Repeat || access.reads.iter().all(|own| self.is_set(*own));
        access.writes.iter().for_each(|written| self.set(*written));
        known
    }

    /// The number of a slot among those of temporaries.
    fn number(&self, slot: Slot) -> Option<usize> {
        let index = self.regions.partition_point(|(from, _)| *from <= slot).checked_sub(1)?;
        let (from, n) = self.regions[index];
        (slot < from + n).then(|| self.starts[index] + (slot - from) as usize)
    }

    fn is_set(&self, (from, n): Region) -> bool {
        let mut slots = from.slots(n as usize).iter();
        slots.all(|slot| self.number(slot).is_none_or(|number| self.written[number]))
    }

    fn set(&mut self, (from, n): Region) {
        for slot in from.slots(n as usize).iter() {
            if let Some(number) = self.number(slot) {
                self.written[number] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::RepeatOp;
    use super::*;
    use crate::{Binary, Unary};

    fn instr(code: Code, dst: u32, a: u32, n: u32) -> Instr {
        Instr { code, dst: Slot(dst), a: Slot(a), b: Slot(0), c: Slot(0), n }
    }

    fn reason(tape: Tape, length: usize) -> Option<&'static str> {
        tape.verify(length).err().map(|error| error.reason)
    }

    #[test]
    fn what_is_broken_is_refused() {
        let tape = |code: Vec<Instr>| Tape { code, ..Tape::default() };
        let whole = tape(vec![instr(Code::Unary(Unary::Sin), 2, 0, 2)]);
        assert_eq!(reason(whole.clone(), 4), None);
        assert_eq!(reason(whole, 3), Some("a place outside the buffer"));
        let overlapping = tape(vec![instr(Code::Unary(Unary::Sin), 1, 0, 2)]);
        assert!(reason(overlapping, 4).is_some_and(|reason| reason.contains("writes what it")));
        let (skip, copy) = (|n| instr(Code::Skip, 0, 0, n), instr(Code::Copy, 1, 0, 1));
        assert_eq!(reason(tape(vec![skip(1), copy, skip(1), copy]), 2), None);
        for broken in [vec![skip(1)], vec![skip(2), skip(1), copy]] {
            assert_eq!(reason(tape(broken), 2), Some("a condition that covers too much"));
        }
        assert!(reason(tape(vec![instr(Code::Add, 0, 1, 2)]), 9).is_some());
        let most = Slot(u32::MAX);
        let huge = Instr { b: most, c: most, ..instr(Code::CopyApart, 0, 0, u32::MAX) };
        assert_eq!(reason(tape(vec![huge]), 9), Some("a place outside the buffer"));
        let nothing = tape(vec![instr(Code::Extra, 0, 0, 1)]);
        assert_eq!(reason(nothing, 1), Some("an extra that is not there"));
        let arms = Extra::Choose(vec![Slot(0), Slot(3)]);
        let choice = Tape { extra: vec![arms], ..tape(vec![instr(Code::Choose, 1, 0, 1)]) };
        assert_eq!(reason(choice.clone(), 4), None);
        let nothing = Tape { extra: vec![Extra::Choose(Vec::new())], ..choice.clone() };
        assert_eq!(reason(nothing, 4), Some("a choice without an arm"));
        assert_eq!(reason(choice, 3), Some("a place outside the buffer"));
    }

    #[test]
    fn a_temporary_is_written_before_it_is_read() {
        let read = instr(Code::Copy, 1, 0, 1);
        let write = instr(Code::Copy, 0, 2, 1);
        let tape =
            |code: Vec<Instr>| Tape { code, temporaries: vec![(Slot(0), 1)], ..Tape::default() };
        assert_eq!(reason(tape(vec![write, read]), 3), None);
        let early = reason(tape(vec![read, write]), 3);
        assert_eq!(early, Some("a temporary that nothing has written"));
    }

    #[test]
    fn a_loop_stays_in_the_buffer() {
        let ops = vec![RepeatOp::Binary(Binary::Add, 0, 0)];
        let made = |count, step| {
            let body = Repeat::new(
                count,
                vec![(Slot(0), step)],
                ops.clone(),
                vec![(1, Slot(4), 1)],
                &mut |_| Slot(8),
            );
            let extra = vec![Extra::Repeat(Box::new(body))];
            Tape { code: vec![instr(Code::Repeat, 0, 0, 1)], extra, ..Tape::default() }
        };
        assert_eq!(reason(made(4, 1), 16), None);
        assert_eq!(reason(made(4, 8), 16), Some("a place outside the buffer"));
        assert_eq!(reason(made(14, 1), 16), Some("a place outside the buffer"));
        assert_eq!(reason(made(2, -1), 16), Some("a place outside the buffer"));
        let broken = |change: &dyn Fn(&mut Repeat)| {
            let mut tape = made(4, 1);
            let Extra::Repeat(body) = &mut tape.extra[0] else { panic!("a loop") };
            change(body);
            reason(tape, 16)
        };
        let early = Some("a loop that uses a value before it is computed");
        assert_eq!(broken(&|body| body.ops[0] = RepeatOp::Unary(Unary::Neg, 1)), early);
        let missing = Some("a loop that stores a value which is not there");
        assert_eq!(broken(&|body| body.stores[0].0 = 100), missing);
        let outside = Some("a place outside the buffer");
        assert_eq!(broken(&|body| body.stores[0].2 = i32::MAX), outside);
    }
}
