//! The units of a microstep: those with changed inputs run in the order of the schedule, by
//! compiled code if there is any, and mark the readers of what they change.

use base::Tag;
use program::tape::{Partial, Scalar, Slot, run};
use program::{Program, RegionId, Tracked, TrackedId, Unit, UnitEffects, UnitId};

use crate::RunError;
use crate::engine::Engine;
use crate::log::{Change, Event};
use crate::native::Pass;
use crate::rows::Sink;
use crate::snapshot::Snapshot;
use crate::tick::Tick;
use crate::tick::marks::{Marks, reaches, wide_units};

/// The units of a microstep.
#[derive(Debug, Default)]
pub(crate) struct UnitScratch {
    /// Units that must run at this microstep; no mark is left after it.
    pub marked: Marks,
    /// For each word of units, the words in which their readers are, as bits.
    pub reaches: Vec<u64>,
    /// For each word of units, the bits of each wide region.
    pub wide: Vec<Vec<(RegionId, u64)>>,
    /// Units that have run in this microstep and have effects besides outputs.
    pub ran: Vec<UnitId>,
    /// The union of these effects.
    pub effects: UnitEffects,
    /// Inputs and results of compiled code.
    pub pass: Pass,
}

impl UnitScratch {
    pub fn new(program: &Program) -> UnitScratch {
        let (reaches, wide) = (reaches(program), wide_units(program));
        UnitScratch { reaches, wide, ..UnitScratch::default() }
    }
}

impl Engine<'_> {
    /// Runs the marked units in the order of the schedule; readers of what changes are marked too.
    #[inline]
    pub(crate) fn run_units(&mut self, tag: Tag, sink: &mut dyn Sink) -> Result<(), RunError> {
        let _program = self.program;
        self.scratch.units.ran.clear();
        self.scratch.units.effects = UnitEffects::default();
        self.run_and_check(tag, sink)
    }

    /// Runs the marked units, and once more those that have misread a crossing.
    pub(crate) fn run_and_check(&mut self, tag: Tag, sink: &mut dyn Sink) -> Result<(), RunError> {
        self.run_marked(tag, sink)?;
        // What one unit has misread may have led others away from their levels.
        while self.scratch.units.effects.have(UnitEffects::CROSSINGS) && self.read_by_side() {
            self.run_again(tag, sink)?;
        }
        Ok(())
    }

    /// Runs the units that are marked once more.
    #[cold]
    fn run_again(&mut self, tag: Tag, sink: &mut dyn Sink) -> Result<(), RunError> {
        let _program = self.program;
        self.run_marked(tag, sink)?;
        self.scratch.units.ran.sort_unstable();
        self.scratch.units.ran.dedup();
        Ok(())
    }

    #[inline]
    fn run_marked(&mut self, tag: Tag, sink: &mut dyn Sink) -> Result<(), RunError> {
        let _program = self.program;
        let compiled = !sink.listens() && self.has_compiled_units();
        let mut next = 0;
        while let Some(word) = self.scratch.units.marked.next(next) {
            next = word + 1;
            while self.scratch.units.marked.word(word) != 0 {
                if compiled && self.run_compiled(word) {
                    break;
                }
                if let Err(error) = self.run_lowest(word, tag, sink) {
                    self.scratch.units.marked.clear();
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Runs the first marked unit of a word.
    #[inline(never)]
    fn run_lowest(&mut self, word: usize, tag: Tag, sink: &mut dyn Sink) -> Result<(), RunError> {
        let program = self.program;
        let id = self.scratch.units.marked.take(word);
        let unit = &program.units[id];
        let speaks = unit.speaks && self.scratch.machines.speaking.contains(&unit.fragment);
        if !speaks && !self.runs(unit.fragment) {
            return Ok(());
        }
        self.touch(unit.region)?;
        self.state.counters.firings += 1;
        self.count(id);
        let slots = &mut self.state.slots[..];
        run(&unit.tape, slots);
        let finite = is_finite(unit, slots) || self.stay_in_the_domain(unit);
        if unit.may_be_unknown
            && let Err(error) = self.check_unit_known(id, tag)
        {
            self.keep_failure(unit.fragment, error)?;
        }
        if sink.listens() {
            let mut changed = Vec::new();
            put_outputs(program, unit, self.state, &mut self.scratch.units.marked, |tracked| {
                changed.push(tracked)
            });
            let changes = changed.iter().filter_map(|tracked| self.change(*tracked)).collect();
            sink.event(Event::Fired { tag, block: self.name(unit.block), changes });
        } else {
            put_outputs(program, unit, self.state, &mut self.scratch.units.marked, |_| {});
        }
        if !finite && let Err(error) = self.check_outputs(unit, tag) {
            self.keep_failure(unit.fragment, error)?;
        }
        Ok(())
    }

    fn has_compiled_units(&self) -> bool {
        self.native.as_ref().is_some_and(|native| native.units.is_some())
    }

    /// Runs units of a word by compiled code, if there is any, as far as it goes. Units of regions
    /// that are not part of the tick yet are held back. Returns whether all have run.
    #[inline]
    fn run_compiled(&mut self, word: usize) -> bool {
        let _program = self.program;
        let native = self.native.as_ref().and_then(|native| native.units.as_deref());
        let (Some(code), Some(tick)) = (native, &mut self.state.tick) else { return false };
        let (pass, marked) = (&mut self.scratch.units.pass, &mut self.scratch.units.marked);
        let wide = self.scratch.units.wide[word].iter();
        let out = wide.filter(|(region, _)| !tick.region(*region).touched);
        pass.held = out.fold(tick.held[word], |held, (_, bits)| held | bits);
        pass.present = tick.present.into();
        let lowest = marked.word(word) & marked.word(word).wrapping_neg();
        let known = code.known(word);
        if lowest & known & !pass.held == 0 {
            if lowest & known == 0 {
                code.missed(word);
            }
            return false;
        }
        let runs = self.state.firings.iter_mut().into_slice();
        code.run(&mut self.state.slots, marked.words_mut(), runs, word, pass);
        marked.widen(self.scratch.units.reaches[word]);
        tick.present = pass.present as u32;
        self.state.counters.firings += pass.count;
        self.count_compiled(word);
        self.scratch.units.marked.word(word) == 0
    }

    /// Records the units of a word that compiled code has run.
    #[inline]
    fn count_compiled(&mut self, word: usize) {
        let effects = &self.program.effects;
        let units = &mut self.scratch.units;
        for unit in units_of(word, units.pass.ran) {
            if effects[unit] != UnitEffects::default() {
                units.effects.add(effects[unit]);
                units.ran.push(unit);
            }
            if let Some(tick) = self.state.tick.as_mut().filter(|tick| tick.follows) {
                tick.fired.push(unit);
            }
        }
    }

    /// Counts a run of a unit, and records the unit if it has effects besides outputs.
    #[inline]
    fn count(&mut self, unit: UnitId) {
        let program = self.program;
        self.state.firings[unit] += 1;
        if let Some(tick) = self.state.tick.as_mut().filter(|tick| tick.follows) {
            tick.fired.push(unit);
        }
        let effects = program.effects[unit];
        if effects != UnitEffects::default() {
            self.scratch.units.effects.add(effects);
            self.scratch.units.ran.push(unit);
        }
    }

    /// A located crossing is read by its side, which may lead out of the domain of a function by a
    /// rounding; then its value decides instead. Returns whether that gives finite values.
    #[cold]
    fn stay_in_the_domain(&mut self, unit: &Unit) -> bool {
        if unit.residuals.is_empty() {
            return false;
        }
        let slots = unit.residuals.iter().map(|slot| slot.index());
        let residuals: Vec<(usize, f64)> =
            slots.map(|slot| (slot, self.state.slots[slot])).collect();
        residuals.iter().for_each(|(slot, _)| self.state.slots[*slot] = -1.0);
        run(&unit.tape, &mut self.state.slots);
        residuals.iter().for_each(|(slot, residual)| self.state.slots[*slot] = *residual);
        is_finite(unit, &self.state.slots)
    }

    /// The current value of a tracked signal of a wire.
    fn change(&self, tracked: TrackedId) -> Option<Change> {
        let place = self.program.tracked(tracked);
        let (wire, part) = place.part?;
        let from = place.slot.index();
        let wire = self.program.origins.wire_name(wire);
        Some(Change { wire, part, value: self.state.slots[from..from + place.length].to_vec() })
    }

    #[cold]
    fn check_outputs(&self, unit: &Unit, tag: Tag) -> Result<(), RunError> {
        let program = &self.program;
        for wire in &unit.wires {
            let parts = &program.wires[*wire];
            let value = program.tracked(parts.value);
            let from = value.slot.index();
            let finite = self.state.slots[from..from + value.length].iter().all(|x| x.is_finite());
            if !finite && self.state.slots[program.tracked(parts.present).slot.index()] != 0.0 {
                return Err(self.not_finite(tag, *wire));
            }
        }
        Ok(())
    }

    /// Runs a unit on partial values: a loop that conditionals could break must be known.
    fn check_unit_known(&mut self, unit: UnitId, tag: Tag) -> Result<(), RunError> {
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
        Err(RunError::NotConstructive { tag, blocks, block: self.name(unit.block) })
    }
}

/// The units of some bits of a word, in order.
#[inline]
pub(crate) fn units_of(word: usize, mut bits: u64) -> impl Iterator<Item = UnitId> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(UnitId::new(word * 64 + bit))
    })
}

/// Whether all results of a unit are finite.
#[inline]
fn is_finite(unit: &Unit, slots: &[f64]) -> bool {
    slots[unit.made()].iter().all(|x| x.is_finite())
}

/// Writes the results of a unit to its tracked signals, marks the readers of those that have
/// changed, and names these.
#[inline]
fn put_outputs(
    program: &Program,
    unit: &Unit,
    state: &mut Snapshot,
    marked: &mut Marks,
    mut name: impl FnMut(TrackedId),
) {
    let slots = &mut state.slots[..];
    for output in &unit.outputs {
        let absent = output.guard.is_some_and(|present| slots[present.index()] == 0.0);
        if absent || !copy(slots, output.from, output.to, output.length as usize) {
            continue;
        }
        let tracked = program.tracked(output.tracked);
        for word in &tracked.reader_words {
            marked.add(*word);
        }
        if (tracked.event || !tracked.machines.is_empty())
            && let Some(tick) = &mut state.tick
        {
            follow_change(tracked, slots[tracked.slot.index()] != 0.0, tick);
        }
        name(output.tracked);
    }
}

/// A tracked signal of a wire has changed: machines that read it are examined, and present events
/// are counted, since the tick continues while there are any.
#[inline]
fn follow_change(tracked: &Tracked, present: bool, tick: &mut Tick) {
    if !tracked.machines.is_empty() {
        tick.pending.extend(&tracked.machines);
    }
    if tracked.event {
        match present {
            true => tick.present += 1,
            false => tick.present = tick.present.saturating_sub(1),
        }
    }
}

/// Copies values to other slots; returns whether they differ from the previous ones.
#[inline]
pub(crate) fn copy(slots: &mut [f64], from: Slot, to: Slot, length: usize) -> bool {
    let (from, to) = (from.index(), to.index());
    if length == 1 {
        let (old, new) = (slots[to], slots[from]);
        slots[to] = new;
        return old.to_bits() != new.to_bits();
    }
    let changed = (0..length).any(|i| slots[to + i].to_bits() != slots[from + i].to_bits());
    slots.copy_within(from..from + length, to);
    changed
}
