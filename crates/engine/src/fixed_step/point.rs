//! One point: passes, commits and rows.

use base::{Tag, Time};
use program::StateMemory as Memory;
use program::tape::{Slot, run};
use program::{Check, CrossingId, CrossingValue, Guess, Next, Pass, TrackedId, WireId};

use super::{FixedStepSimulation, Pile};
use crate::RunError;
use crate::rows::Sink;

/// A crossing whose events accumulate, and how.
pub(super) type Piled = Option<(CrossingId, Pile)>;

impl FixedStepSimulation {
    /// Takes the step to a point or, if a side changes on the way, to the last point before the
    /// change, or across it.
    pub(super) fn step_to(&mut self, to: Time, sink: &mut dyn Sink) -> Result<Piled, RunError> {
        self.quiet(to, to.since(self.state.time));
        if !self.crosses() {
            return self.finish(to, Vec::new(), sink);
        }
        let (before, across) = self.bracket(to);
        match before {
            Some(before) => {
                self.quiet(before, before.since(self.state.time));
                self.finish(before, Vec::new(), sink)
            }
            None => {
                self.quiet(across, across.since(self.state.time));
                let changes = self.changes();
                self.finish(across, changes, sink)
            }
        }
    }

    /// Computes everything at a point without events.
    pub(super) fn quiet(&mut self, to: Time, length: f64) {
        let program = self.program.clone();
        self.state.slots[program.time.index()] = to.seconds();
        self.state.slots[program.step.index()] = length;
        self.sweep(&program.quiet);
    }

    fn sweep(&mut self, pass: &Pass) {
        self.state.counters.evaluations += 1;
        run(&pass.tape, &mut self.state.slots);
        for output in &pass.outputs {
            self.copy(output.from, output.tracked);
        }
        for CrossingValue { from, crossing } in &pass.crossings {
            let to = self.program.crossings[*crossing].value.index();
            self.state.slots[to] = self.state.slots[from.index()];
        }
    }

    /// Copies values to a tracked signal; returns whether they differ from the previous ones.
    fn copy(&mut self, from: Slot, tracked: TrackedId) -> bool {
        let tracked = self.program.tracked(tracked);
        let (from, to) = (from.index(), tracked.slot.index());
        let mut changed = false;
        for i in 0..tracked.length {
            changed |= self.state.slots[to + i].to_bits() != self.state.slots[from + i].to_bits();
            self.state.slots[to + i] = self.state.slots[from + i];
        }
        changed
    }

    /// Gives the selected states their new values from a pass; returns whether one has changed.
    pub(super) fn commit(&mut self, pass: &Pass, wanted: impl Fn(Memory) -> bool) -> bool {
        let program = self.program.clone();
        let mut changed = false;
        for Next { from, state } in &pass.nexts {
            if wanted(program.memories[*state]) {
                changed |= self.copy(*from, program.states[*state].tracked);
            }
        }
        changed
    }

    /// Finishes a point after its quiet pass: events, commit, sides and rows.
    fn finish(
        &mut self,
        to: Time,
        changes: Vec<(CrossingId, f64)>,
        sink: &mut dyn Sink,
    ) -> Result<Piled, RunError> {
        self.check_finite(Tag::new(to, 0))?;
        let length = to.since(self.state.time);
        let shortest = &mut self.state.extremes.shortest_step;
        *shortest = shortest.min(length);
        self.state.counters.steps += 1;
        let woken = self.wake(to);
        let eventful =
            woken || self.state.stirred || !changes.is_empty() || !self.state.waiting.is_empty();
        let wanted = self.wants_row(to) || !changes.is_empty() || woken;
        let piled = self.watch(to, &changes);
        if wanted {
            self.write_row(Tag::new(to, 0), sink);
        }
        if eventful {
            self.events(to, changes, sink, wanted)?;
        } else {
            let program = self.program.clone();
            self.commit(&program.quiet, |_| true);
        }
        self.follow_solutions();
        self.state.time = to;
        self.state.tag = self.state.tag.max(Tag::new(to, 0));
        self.settle_sides();
        Ok(piled)
    }

    /// Wakes the timers that are due; returns whether there are any.
    fn wake(&mut self, to: Time) -> bool {
        let program = self.program.clone();
        let mut any = false;
        for (timer, count) in program.timers.iter().zip(&mut self.state.wakings) {
            let mut woken = false;
            while timer.timer.time(*count).is_some_and(|time| time <= to) {
                *count += 1;
                woken = true;
            }
            self.state.slots[program.tracked(timer.woken).slot.index()] =
                f64::from(u8::from(woken));
            any |= woken;
        }
        any
    }

    /// The event pass: the same step once more, with its events.
    fn events(
        &mut self,
        to: Time,
        changes: Vec<(CrossingId, f64)>,
        sink: &mut dyn Sink,
        row: bool,
    ) -> Result<(), RunError> {
        let (program, tag) = (self.program.clone(), Tag::new(to, 1));
        self.commit(&program.quiet, |memory| memory == Memory::Left);
        self.keep_records();
        let raised = self.raise(&changes);
        self.sweep(&program.events);
        self.check_defined(tag)?;
        self.check_finite(tag)?;
        self.state.counters.ticks += 1;
        self.state.counters.microsteps += 1;
        if self.differs() {
            if !row {
                self.restore_row(to, sink);
            }
            self.write_row(tag, sink);
        }
        self.commit(&program.events, |memory| memory != Memory::Events);
        self.state.stirred = self.commit(&program.events, |memory| memory == Memory::Events);
        for tracked in raised.into_iter().chain(program.timers.iter().map(|timer| timer.woken)) {
            self.state.slots[program.tracked(tracked).slot.index()] = 0.0;
        }
        Ok(())
    }

    /// Gives sides that have changed on the way their new values, and sets the events of the event
    /// pass: these changes, those that have waited, and how often timers have woken. The returned
    /// tracked signals must be cleared after the pass.
    fn raise(&mut self, changes: &[(CrossingId, f64)]) -> Vec<TrackedId> {
        let program = self.program.clone();
        for (crossing, change) in changes {
            let side = program.tracked(program.crossings[*crossing].frozen).slot.index();
            self.state.slots[side] += change;
        }
        let mut raised = Vec::new();
        for (crossing, change) in std::mem::take(&mut self.state.waiting).iter().chain(changes) {
            if let Some(tracked) = program.crossings[*crossing].crossed {
                self.state.slots[program.tracked(tracked).slot.index()] = *change;
                raised.push(tracked);
            }
        }
        for (timer, count) in program.timers.iter().zip(&self.state.wakings) {
            self.state.slots[program.tracked(timer.wakings).slot.index()] = *count as f64;
        }
        raised
    }

    /// The first slots of recorded values and their lengths.
    fn recorded(&self) -> Vec<(usize, usize)> {
        let one = |record: &program::RecordSlots| {
            let n = record.ty.len();
            let impulses = record.impulses.iter().map(move |slot| (slot.index(), n));
            let value = [(record.present.index(), 1), (record.value.index(), n)];
            value.into_iter().chain(impulses).collect::<Vec<_>>()
        };
        self.program.records.iter().flat_map(one).collect()
    }

    /// Saves the recorded values before the events of a point.
    fn keep_records(&mut self) {
        let ranges = self.recorded();
        self.before.clear();
        for (from, n) in ranges {
            self.before.extend_from_slice(&self.state.slots[from..from + n]);
        }
    }

    /// Whether the events have changed a recorded value; values of absent signals do not count.
    fn differs(&self) -> bool {
        let mut before = self.before.iter();
        self.program.records.iter().any(|record| {
            let present = self.state.slots[record.present.index()];
            let appears = before.next() != Some(&present);
            let places = std::iter::once(&record.value).chain(&record.impulses);
            let numbers = places.flat_map(|slot| {
                let from = slot.index();
                &self.state.slots[from..from + record.ty.len()]
            });
            // All of them are compared, so that the next record starts at its own values.
            let changed = numbers.filter(|now| before.next() != Some(now)).count() > 0;
            appears || changed && present != 0.0
        })
    }

    /// Writes the row before the events of a point that turned out to need one.
    fn restore_row(&mut self, to: Time, sink: &mut dyn Sink) {
        let ranges = self.recorded();
        let after = self.state.slots.clone();
        let mut before = self.before.iter();
        for (from, n) in ranges {
            self.state.slots[from..from + n]
                .iter_mut()
                .zip(&mut before)
                .for_each(|(to, x)| *to = *x);
        }
        self.write_row(Tag::new(to, 0), sink);
        self.state.slots = after;
    }

    /// Whether a row is due at a point where nothing happens: at every point, or at the first one
    /// from each requested time on.
    fn wants_row(&mut self, to: Time) -> bool {
        let rows = &self.options.rows;
        let start = self.options.start.to_rational();
        let mut wanted = rows.steps || to >= self.options.stop;
        let next = |k: u64| rows.every.and_then(|every| Time::tick(start, every, k.into()));
        while next(self.state.on_grid).is_some_and(|time| time <= to) {
            self.state.on_grid += 1;
            wanted = true;
        }
        while rows.times.get(self.state.on_list).is_some_and(|time| *time <= to) {
            self.state.on_list += 1;
            wanted = true;
        }
        wanted
    }

    fn check_defined(&mut self, tag: Tag) -> Result<(), RunError> {
        for Check { from, block, reason, ends } in &self.program.events.checks {
            if self.state.slots[from.index()] == 0.0 {
                continue;
            }
            if *ends {
                self.state.ended = self.state.ended.or(Some(*block));
            } else {
                let (block, reason) = (self.program.origins.name(*block), reason.clone());
                return Err(RunError::Undefined { tag, block, reason });
            }
        }
        Ok(())
    }

    /// Rejects values that are not finite, and tracks the greatest magnitude.
    pub(super) fn check_finite(&mut self, tag: Tag) -> Result<(), RunError> {
        let program = self.program.clone();
        for (id, parts) in program.wires.entries() {
            if self.number(parts.present) == 0.0 {
                continue;
            }
            let place = program.tracked(parts.value);
            let from = place.slot.index();
            for value in &self.state.slots[from..from + place.length] {
                if !value.is_finite() {
                    return Err(self.not_finite(tag, id));
                }
                let magnitude = &mut self.state.extremes.magnitude;
                *magnitude = magnitude.max(value.abs());
            }
        }
        Ok(())
    }

    fn not_finite(&self, tag: Tag, wire: WireId) -> RunError {
        let id = self.program.origins.source(wire);
        let block = self.program.origins.name(id);
        match self.program.solved.contains(&wire) {
            true => RunError::of_loop(tag, block, self.program.is_left_open(&self.state.slots)),
            false => RunError::NotFinite { tag, block },
        }
    }

    /// Uses the solutions of loops as the guesses of the next step.
    pub(super) fn follow_solutions(&mut self) {
        for Guess { solution, guess, length } in &self.program.guesses {
            let from = solution.index();
            self.state.slots.copy_within(from..from + length, guess.index());
        }
    }
}
