//! The units of a microstep: those that are asked for run in the order of the schedule, by compiled
//! code where there is some, and ask for what reads a change.

use base::Tag;
use program::tape::{Partial, Scalar, run};
use program::{Program, Tracked, TrackedId, Unit, UnitEffects};

use crate::RunError;
use crate::engine::Engine;
use crate::log::{Change, Event};
use crate::native::Pass;
use crate::rows::Sink;
use crate::snapshot::Snapshot;
use crate::tick::Tick;

/// The units of a microstep.
#[derive(Debug, Default)]
pub(crate) struct UnitScratch {
    /// Units that must run at this microstep, one bit for each; no bit is left after it.
    pub asked: Vec<u64>,
    /// Units that have run in this microstep and have effects beside outputs.
    pub ran: Vec<u32>,
    /// The effects of all of these.
    pub effects: UnitEffects,
    /// What compiled code is given, and gives back.
    pub pass: Pass,
}

impl Engine<'_> {
    /// Runs what is asked for, in the order of the schedule; what reads a change is asked for too.
    #[inline]
    pub(crate) fn run_units(&mut self, tag: Tag, sink: &mut dyn Sink) -> Result<(), RunError> {
        let _program = self.program;
        self.scratch.units.ran.clear();
        self.scratch.units.effects = UnitEffects::default();
        self.run_asked(tag, sink)?;
        match self.scratch.units.effects.have(UnitEffects::CROSSINGS) && self.read_by_side() {
            true => self.run_again(tag, sink),
            false => Ok(()),
        }
    }

    /// Runs those that are asked for a second time.
    #[cold]
    fn run_again(&mut self, tag: Tag, sink: &mut dyn Sink) -> Result<(), RunError> {
        let _program = self.program;
        self.run_asked(tag, sink)?;
        self.scratch.units.ran.sort_unstable();
        self.scratch.units.ran.dedup();
        Ok(())
    }

    #[inline(always)]
    fn run_asked(&mut self, tag: Tag, sink: &mut dyn Sink) -> Result<(), RunError> {
        let _program = self.program;
        let compiled = !sink.listens() && self.has_compiled_units();
        for word in 0..self.scratch.units.asked.len() {
            while self.scratch.units.asked[word] != 0 {
                if compiled && self.run_compiled(word) {
                    break;
                }
                if let Err(error) = self.run_lowest(word, tag, sink) {
                    self.scratch.units.asked.fill(0);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Runs the first unit of a word that is asked for.
    #[inline(never)]
    fn run_lowest(&mut self, word: usize, tag: Tag, sink: &mut dyn Sink) -> Result<(), RunError> {
        let program = self.program;
        let bit = self.scratch.units.asked[word].trailing_zeros() as usize;
        self.scratch.units.asked[word] &= self.scratch.units.asked[word] - 1;
        let index = word * 64 + bit;
        let unit = &program.units[index];
        let speaks = unit.speaks && self.scratch.machines.speaking.contains(&unit.fragment);
        if !speaks && !self.runs(unit.fragment) {
            return Ok(());
        }
        self.touch(unit.region.index())?;
        self.state.counters.firings += 1;
        self.count(index);
        let slots = &mut self.state.slots[..];
        run(&unit.tape, slots);
        let finite = is_finite(unit, slots) || self.stay_in_the_domain(unit);
        if unit.may_be_unknown
            && let Err(error) = self.check_unit_known(index, tag)
        {
            self.keep_failure(unit.fragment, error)?;
        }
        if sink.listens() {
            let mut cells = Vec::new();
            put_outputs(program, unit, self.state, &mut self.scratch.units.asked, |cell| {
                cells.push(cell)
            });
            let changes = cells.iter().filter_map(|cell| self.change(*cell)).collect();
            sink.event(Event::Fired { tag, block: unit.block, changes });
        } else {
            put_outputs(program, unit, self.state, &mut self.scratch.units.asked, |_| {});
        }
        if !finite && let Err(error) = self.check_outputs(unit, tag) {
            self.keep_failure(unit.fragment, error)?;
        }
        Ok(())
    }

    fn has_compiled_units(&self) -> bool {
        self.native.as_ref().is_some_and(|native| native.units.is_some())
    }

    /// Runs units of a word by compiled code, where there is some, as far as that goes. Those of
    /// regions that are not part of the tick yet are held back. Says whether all have run.
    #[inline]
    fn run_compiled(&mut self, word: usize) -> bool {
        let _program = self.program;
        let native = self.native.as_ref().and_then(|native| native.units.as_deref());
        let (Some(code), Some(tick)) = (native, &mut self.state.tick) else { return false };
        let (pass, asked) = (&mut self.scratch.units.pass, &mut self.scratch.units.asked);
        (pass.held, pass.present) = (tick.held[word], tick.present.into());
        let lowest = asked[word] & asked[word].wrapping_neg();
        if lowest & code.known()[word] & !pass.held == 0 {
            return false;
        }
        code.run(&mut self.state.slots, asked, word, pass);
        tick.present = pass.present as u32;
        self.state.counters.firings += pass.count as u64;
        for at in 0..self.scratch.units.pass.count {
            self.count(word * 64 + self.scratch.units.pass.ran[at] as usize);
        }
        self.scratch.units.asked[word] == 0
    }

    /// Counts that a unit has run, and notes it where it has more than outputs.
    #[inline]
    fn count(&mut self, unit: usize) {
        let program = self.program;
        self.state.firings[unit] += 1;
        let effects = program.effects[unit];
        if effects != UnitEffects::default() {
            self.scratch.units.effects.add(effects);
            self.scratch.units.ran.push(unit as u32);
        }
    }

    /// A located crossing is read by its side, which may lead a rounding out of the domain of a
    /// function; its value then decides instead. Says whether that gives numbers.
    #[cold]
    fn stay_in_the_domain(&mut self, unit: &Unit) -> bool {
        if unit.residuals.is_empty() {
            return false;
        }
        let slots = unit.residuals.iter().map(|slot| *slot as usize);
        let residuals: Vec<(usize, f64)> =
            slots.map(|slot| (slot, self.state.slots[slot])).collect();
        residuals.iter().for_each(|(slot, _)| self.state.slots[*slot] = -1.0);
        run(&unit.tape, &mut self.state.slots);
        residuals.iter().for_each(|(slot, residual)| self.state.slots[*slot] = *residual);
        is_finite(unit, &self.state.slots)
    }

    /// What a cell of a wire is now.
    fn change(&self, cell: TrackedId) -> Option<Change> {
        let place = self.program.tracked(cell);
        let (wire, part) = place.part?;
        let from = place.slot as usize;
        Some(Change { wire, part, value: self.state.slots[from..from + place.length].to_vec() })
    }

    #[cold]
    fn check_outputs(&self, unit: &Unit, tag: Tag) -> Result<(), RunError> {
        let program = &self.program;
        for wire in &unit.wires {
            let cells = &program.wires[wire.index()];
            let value = program.tracked(cells.value);
            let from = value.slot as usize;
            let finite = self.state.slots[from..from + value.length].iter().all(|x| x.is_finite());
            if !finite && self.state.slots[program.tracked(cells.present).slot as usize] != 0.0 {
                return Err(self.not_finite(tag, *wire));
            }
        }
        Ok(())
    }

    /// Runs a unit on partial values: a loop that conditionals could break must be known.
    fn check_unit_known(&mut self, unit: usize, tag: Tag) -> Result<(), RunError> {
        let program = self.program;
        let unit = &program.units[unit];
        self.scratch.partial.clear();
        self.scratch.partial.extend(self.state.slots.iter().map(|x| Partial::constant(*x)));
        run(&unit.tape, &mut self.scratch.partial);
        if self.scratch.partial[unit.made()].iter().all(|x| x.known) {
            return Ok(());
        }
        let mut blocks: Vec<String> = Vec::new();
        for output in &unit.outputs {
            let wire = program
                .tracked(output.tracked)
                .part
                .map(|(wire, _)| self.program.origins.source(wire));
            let path = wire.map(|block| self.program.origins.block(block).written().to_owned());
            let path = path.unwrap_or_default();
            if !blocks.contains(&path) {
                blocks.push(path);
            }
        }
        Err(RunError::NotConstructive { tag, blocks, id: Some(unit.block) })
    }
}

/// Whether everything that a unit has made is a number.
#[inline]
fn is_finite(unit: &Unit, slots: &[f64]) -> bool {
    slots[unit.made()].iter().all(|x| x.is_finite())
}

/// Puts what a unit has made in its cells, asks for what reads those that have changed, and names
/// them.
#[inline]
fn put_outputs(
    program: &Program,
    unit: &Unit,
    state: &mut Snapshot,
    dirty: &mut [u64],
    mut name: impl FnMut(TrackedId),
) {
    let slots = &mut state.slots[..];
    for output in &unit.outputs {
        let absent = output.guard.is_some_and(|present| slots[present as usize] == 0.0);
        let (from, to) = (output.from as usize, output.to as usize);
        if absent || !copy(slots, from, to, output.length as usize) {
            continue;
        }
        let cell = program.tracked(output.tracked);
        for (word, bits) in &cell.asked {
            dirty[*word as usize] |= bits;
        }
        if (cell.event || !cell.machines.is_empty())
            && let Some(tick) = &mut state.tick
        {
            follow_change(cell, slots[cell.slot as usize] != 0.0, tick);
        }
        name(output.tracked);
    }
}

/// A cell of a wire has changed: machines look at it, and events that are present are counted, for
/// while there are any the tick goes on.
#[inline]
fn follow_change(cell: &Tracked, present: bool, tick: &mut Tick) {
    if !cell.machines.is_empty() {
        tick.pending.extend(&cell.machines);
    }
    if cell.event {
        match present {
            true => tick.present += 1,
            false => tick.present = tick.present.saturating_sub(1),
        }
    }
}

/// Copies numbers to another place; says whether they are others than before.
#[inline]
pub(crate) fn copy(slots: &mut [f64], from: usize, to: usize, length: usize) -> bool {
    if length == 1 {
        let (old, new) = (slots[to], slots[from]);
        slots[to] = new;
        return old.to_bits() != new.to_bits();
    }
    let changed = (0..length).any(|i| slots[to + i].to_bits() != slots[from + i].to_bits());
    slots.copy_within(from..from + length, to);
    changed
}
