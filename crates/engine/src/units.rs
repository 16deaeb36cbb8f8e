//! The units of a microstep: those that are asked for run in the order of the schedule, by compiled
//! code where there is some, and ask for what reads a change.

use base::Tag;
use ir::{Partial, Scalar, run};
use program::{Program, Tracked, TrackedId, Unit, UnitEffects};

use crate::RunError;
use crate::log::{Change, Event};
use crate::rows::Sink;
use crate::simulation::Simulation;
use crate::snapshot::{Snapshot, Tick};

impl Simulation {
    /// Runs what is asked for, in the order of the schedule; what reads a change is asked for too.
    #[inline]
    pub(crate) fn run_units(
        &mut self,
        program: &Program,
        tag: Tag,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        self.ran.clear();
        self.effects = UnitEffects::default();
        self.run_asked(program, tag, sink)?;
        match self.effects.have(UnitEffects::CROSSINGS) && self.read_by_side(program) {
            true => self.run_again(program, tag, sink),
            false => Ok(()),
        }
    }

    /// Runs those that are asked for a second time.
    #[cold]
    fn run_again(
        &mut self,
        program: &Program,
        tag: Tag,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        self.run_asked(program, tag, sink)?;
        self.ran.sort_unstable();
        self.ran.dedup();
        Ok(())
    }

    #[inline(always)]
    fn run_asked(
        &mut self,
        program: &Program,
        tag: Tag,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let compiled = !sink.listens() && self.has_compiled_units();
        for word in 0..self.asked.len() {
            while self.asked[word] != 0 {
                if compiled && self.run_compiled(program, word) {
                    break;
                }
                if let Err(error) = self.run_lowest(program, word, tag, sink) {
                    self.asked.fill(0);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Runs the first unit of a word that is asked for.
    #[inline(never)]
    fn run_lowest(
        &mut self,
        program: &Program,
        word: usize,
        tag: Tag,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let bit = self.asked[word].trailing_zeros() as usize;
        self.asked[word] &= self.asked[word] - 1;
        let index = word * 64 + bit;
        let unit = &program.units[index];
        let speaks = unit.speaks && self.speaking.contains(&unit.fragment);
        if !speaks && !self.runs(unit.fragment) {
            return Ok(());
        }
        self.touch(unit.region.index())?;
        self.state.counters.firings += 1;
        self.count(program, index);
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
            put_outputs(program, unit, &mut self.state, &mut self.asked, |cell| cells.push(cell));
            let changes = cells.iter().filter_map(|cell| self.change(*cell)).collect();
            sink.event(Event::Fired { tag, block: unit.block, changes });
        } else {
            put_outputs(program, unit, &mut self.state, &mut self.asked, |_| {});
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
    fn run_compiled(&mut self, program: &Program, word: usize) -> bool {
        let native = self.native.as_ref().and_then(|native| native.units.as_deref());
        let (Some(code), Some(tick)) = (native, &mut self.state.tick) else { return false };
        let (pass, asked) = (&mut self.pass, &mut self.asked);
        (pass.held, pass.present) = (tick.held[word], tick.present.into());
        let lowest = asked[word] & asked[word].wrapping_neg();
        if lowest & code.known()[word] & !pass.held == 0 {
            return false;
        }
        code.run(&mut self.state.slots, asked, word, pass);
        tick.present = pass.present as u32;
        self.state.counters.firings += pass.count as u64;
        for at in 0..self.pass.count {
            self.count(program, word * 64 + self.pass.ran[at] as usize);
        }
        self.asked[word] == 0
    }

    /// Counts that a unit has run, and notes it where it has more than outputs.
    #[inline]
    fn count(&mut self, program: &Program, unit: usize) {
        self.state.firings[unit] += 1;
        let effects = program.effects[unit];
        if effects != UnitEffects::default() {
            self.effects.add(effects);
            self.ran.push(unit as u32);
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
        let program = self.program.clone();
        let unit = &program.units[unit];
        self.partial.clear();
        self.partial.extend(self.state.slots.iter().map(|x| Partial::constant(*x)));
        run(&unit.tape, &mut self.partial);
        if self.partial[unit.made()].iter().all(|x| x.known) {
            return Ok(());
        }
        let mut blocks: Vec<String> = Vec::new();
        for output in &unit.outputs {
            let wire =
                program.tracked(output.cell).part.map(|(wire, _)| self.diagram.wire(wire).block);
            let path = wire.map(|block| self.diagram.block(block).written().to_owned());
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
        let cell = program.tracked(output.cell);
        for (word, bits) in &cell.asked {
            dirty[*word as usize] |= bits;
        }
        if (cell.event || !cell.machines.is_empty())
            && let Some(tick) = &mut state.tick
        {
            follow_change(cell, slots[cell.slot as usize] != 0.0, tick);
        }
        name(output.cell);
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
