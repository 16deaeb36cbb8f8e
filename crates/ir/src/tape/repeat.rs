//! A loop in a tape: one small program run over slots that move by fixed distances.

use super::access::Access;
use crate::Slot;
use crate::{Binary, Unary};

/// How many iterations the interpreter takes together. Each operation then runs over a row of this
/// many numbers, so that it is chosen once for all of them, and rows stay in the nearest cache.
pub(crate) const CHUNK: usize = 64;

/// A straight-line program that is run `count` times. Values are numbered: first the loads, then
/// the operations in order. No iteration reads what another writes, so that they may run in any
/// order or side by side; each is bit-identical to the same operations written one by one.
#[derive(Clone, PartialEq, Debug)]
pub struct Repeat {
    /// How many iterations there are.
    pub count: u32,
    /// The slot of each value that is read in the first iteration, and how far it moves with each.
    pub loads: Vec<(Slot, i32)>,
    /// What is computed, each from values before it.
    pub ops: Vec<RepeatOp>,
    /// The value that is stored, its slot in the first iteration, and how far it moves.
    pub stores: Vec<(u32, Slot, i32)>,
    /// How the interpreter runs it.
    pub(crate) rows: Rows,
}

/// One operation of a [`Repeat`], on the numbers of values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RepeatOp {
    /// One operand.
    Unary(Unary, u32),
    /// Two operands.
    Binary(Binary, u32, u32),
    /// The second if the first is true, else the third.
    Select(u32, u32, u32),
    /// The sign of the first, but the second while the first is within the third.
    SignOutside(u32, u32, u32),
    /// The floor of the first, but the second while the first is within the third of its edges.
    FloorOutside(u32, u32, u32),
}

impl RepeatOp {
    /// The same operation on other values.
    pub(crate) fn map(self, of: impl Fn(u32) -> u32) -> RepeatOp {
        match self {
            RepeatOp::Unary(op, a) => RepeatOp::Unary(op, of(a)),
            RepeatOp::Binary(op, a, b) => RepeatOp::Binary(op, of(a), of(b)),
            RepeatOp::Select(a, b, c) => RepeatOp::Select(of(a), of(b), of(c)),
            RepeatOp::SignOutside(a, b, c) => RepeatOp::SignOutside(of(a), of(b), of(c)),
            RepeatOp::FloorOutside(a, b, c) => RepeatOp::FloorOutside(of(a), of(b), of(c)),
        }
    }

    /// The values that it reads; the last is repeated if there are fewer than three.
    pub fn reads(self) -> [u32; 3] {
        match self {
            RepeatOp::Unary(_, a) => [a; 3],
            RepeatOp::Binary(_, a, b) => [a, b, b],
            RepeatOp::Select(a, b, c)
            | RepeatOp::SignOutside(a, b, c)
            | RepeatOp::FloorOutside(a, b, c) => [a, b, c],
        }
    }
}

/// The first slot of a row, and whether it moves with the iterations or is always the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Row {
    pub slot: Slot,
    pub moves: bool,
}

impl Row {
    /// The index of its first slot for the iterations from `start` on.
    #[inline]
    pub fn at(self, start: usize) -> usize {
        self.slot.index() + if self.moves { start } else { 0 }
    }
}

/// The same program on rows of [`CHUNK`] numbers. A value whose slots are consecutive is
/// read and written in place; the others have rows of their own.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Rows {
    /// Rows that are filled with one number before anything runs.
    pub fills: Vec<(Slot, Slot)>,
    /// Rows that are gathered for each chunk: from which slot and how far apart.
    pub gathers: Vec<(Slot, Slot, i32)>,
    /// The operation, the row of its result, and what it reads.
    pub steps: Vec<(RepeatOp, Row, [Row; 3])>,
    /// Rows that go to slots further apart.
    pub scatters: Vec<(Row, Slot, i32)>,
}

impl Repeat {
    /// What all iterations read and write, and the rows that the interpreter works in.
    pub(super) fn access(&self) -> Result<Access, &'static str> {
        let rows = (self.count as usize).min(CHUNK) as u32;
        let over = |slot: Slot, step: i32| {
            let first = i64::from(slot.0);
            let last = first + i64::from(step) * (i64::from(self.count) - 1).max(0);
            let (from, to) = (first.min(last), first.max(last));
            let from = u32::try_from(from).map_err(|_| "a place outside the buffer")?;
            let to = u32::try_from(to).map_err(|_| "a place outside the buffer")?;
            Ok((Slot(from), to - from + 1))
        };
        let mut access = Access::default();
        for (slot, step) in &self.loads {
            access.reads.push(over(*slot, *step)?);
        }
        for (_, slot, step) in &self.stores {
            access.writes.push(over(*slot, *step)?);
        }
        let fixed = self.rows.fills.iter().map(|(row, _)| *row);
        let gathered = self.rows.gathers.iter().map(|(row, ..)| *row);
        let made = self.rows.steps.iter().map(|(_, row, _)| row).filter(|row| !row.moves);
        let own = fixed.chain(gathered).chain(made.map(|row| row.slot));
        access.writes.extend(own.map(|row| (row, rows)));
        Ok(access)
    }

    /// Plans the rows; `reserve` gives room in the buffer that nothing else uses while it runs.
    pub(super) fn new(
        count: u32,
        loads: Vec<(Slot, i32)>,
        ops: Vec<RepeatOp>,
        stores: Vec<(u32, Slot, i32)>,
        reserve: &mut dyn FnMut(usize) -> Slot,
    ) -> Repeat {
        let mut repeat = Repeat { count, loads, ops, stores, rows: Rows::default() };
        let mut wanted = RowPlan::new(&repeat);
        let length = (count as usize).min(CHUNK);
        let base = reserve(wanted.number * length);
        wanted.place(base, length as u32);
        repeat.rows = wanted.rows;
        repeat
    }
}

/// Gives rows to values, each for as long as something still reads it. Until they have their place
/// in the buffer, rows that do not move are numbered.
struct RowPlan {
    rows: Rows,
    number: usize,
    free: Vec<Slot>,
}

impl RowPlan {
    fn new(repeat: &Repeat) -> RowPlan {
        let mut plan = RowPlan { rows: Rows::default(), number: 0, free: Vec::new() };
        let mut values: Vec<Row> = Vec::with_capacity(repeat.loads.len() + repeat.ops.len());
        for (slot, stride) in &repeat.loads {
            values.push(match stride {
                1 => Row { slot: *slot, moves: true },
                0 => {
                    let row = plan.take();
                    plan.rows.fills.push((row.slot, *slot));
                    row
                }
                _ => {
                    let row = plan.take();
                    plan.rows.gathers.push((row.slot, *slot, *stride));
                    row
                }
            });
        }
        let last_use = last_uses(repeat);
        for (i, op) in repeat.ops.iter().enumerate() {
            let value = repeat.loads.len() + i;
            let stored = repeat.stores.iter().find(|s| s.0 as usize == value && s.2 == 1);
            let row = match stored {
                Some((_, slot, _)) => Row { slot: *slot, moves: true },
                None => plan.take(),
            };
            let reads = op.reads();
            plan.rows.steps.push((*op, row, reads.map(|value| values[value as usize])));
            values.push(row);
            // Rows of loads are filled or gathered before anything runs and are kept.
            let mut done: Vec<u32> =
                reads.iter().copied().filter(|v| last_use[*v as usize] == i).collect();
            done.sort_unstable();
            done.dedup();
            for value in done.into_iter().filter(|v| *v as usize >= repeat.loads.len()) {
                plan.give(values[value as usize]);
            }
        }
        for (value, slot, stride) in &repeat.stores {
            let row = values[*value as usize];
            if row != (Row { slot: *slot, moves: true }) {
                plan.rows.scatters.push((row, *slot, *stride));
            }
        }
        plan
    }

    fn take(&mut self) -> Row {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.number += 1;
            Slot(self.number as u32 - 1)
        });
        Row { slot, moves: false }
    }

    fn give(&mut self, row: Row) {
        if !row.moves {
            self.free.push(row.slot);
        }
    }

    fn place(&mut self, base: Slot, length: u32) {
        let place = |slot: &mut Slot| *slot = base + slot.0 * length;
        let settle = |row: &mut Row| {
            if !row.moves {
                place(&mut row.slot);
            }
        };
        self.rows.fills.iter_mut().for_each(|(row, _)| place(row));
        self.rows.gathers.iter_mut().for_each(|(row, ..)| place(row));
        for (_, to, from) in &mut self.rows.steps {
            settle(to);
            from.iter_mut().for_each(settle);
        }
        self.rows.scatters.iter_mut().for_each(|(row, ..)| settle(row));
    }
}

/// For each value the last operation that reads it; what is stored is read after all of them.
fn last_uses(repeat: &Repeat) -> Vec<usize> {
    let mut last = vec![0; repeat.loads.len() + repeat.ops.len()];
    for (i, op) in repeat.ops.iter().enumerate() {
        op.reads().into_iter().for_each(|value| last[value as usize] = i);
    }
    for (value, ..) in &repeat.stores {
        last[*value as usize] = usize::MAX;
    }
    last
}
