//! Delay lines whose events have delays of their own.
//!
//! An event at (s, n) with the delay d comes at (s + d, 1), or at the next microstep there that is
//! free of other events of the line; with d = 0, from (s, n + 1) on. Pending events are in the
//! order of their times, those of one time in the order in which they happened. An event does not
//! keep its microstep: events that cause each other by way of such a delay would come at later and
//! later ones.

use base::{ExactTime, Tag, Time};
use program::{LineId, Pending, TrackedId, VariableTiming};

use super::line::{DelayLineState, DelayedChange, Entry, SpareChanges};
use crate::engine::Engine;

/// The microstep of an event that comes later than its cause.
const FIRST: u32 = 1;

impl Engine<'_> {
    /// Records the event of a line at this microstep, if there is one.
    pub(super) fn record_event(
        &mut self,
        line: LineId,
        microstep: u32,
        VariableTiming { delay, cancel, pending }: VariableTiming,
    ) {
        let program = self.program;
        let Some(zero) = self.line_zero(line) else { return };
        let own = &program.lines[line];
        let tag = Tag::new(self.state.now.time(), microstep);
        let holds =
            |tracked: TrackedId| self.state.slots[program.tracked(tracked).slot.index()] != 0.0;
        let (present, cancelled) = (holds(own.from[0]), cancel.is_some_and(holds));
        if !(present || cancelled) || self.state.delays.lines[line].recorded == Some(tag) {
            return;
        }
        let mut parts = self.scratch.spare_changes[line].parts(&[]);
        self.gather(&own.from, &mut parts);
        let delay = self.state.slots[program.tracked(delay).slot.index()];
        let local = self.state.now - zero;
        let state = &mut self.state.delays.lines[line];
        let spare = &mut self.scratch.spare_changes[line];
        state.recorded = Some(tag);
        if cancelled {
            state.cancel(spare);
        }
        if !present {
            spare.keep_entry(Entry { microstep, parts });
            return self.follow_due(line);
        }
        match pending {
            Pending::Keep => {}
            Pending::Ignore if state.is_waiting() => {
                return spare.keep_entry(Entry { microstep, parts });
            }
            Pending::Ignore => {}
            Pending::Replace => state.cancel(spare),
        }
        // A delay that is negative or NaN has been refused by the block.
        if let Some(due) = due(local, delay) {
            let entry = Entry { microstep, parts };
            if state.add_event(local, due, entry, spare) {
                let coming = &mut self.state.delays.coming;
                if let Err(place) = coming.binary_search(&line) {
                    coming.insert(place, line);
                }
            }
        }
        self.follow_due(line);
    }
}

impl DelayLineState {
    /// Adds an event that comes at `due`; returns whether that is still at this instant.
    fn add_event(
        &mut self,
        now: ExactTime,
        due: ExactTime,
        Entry { microstep, parts }: Entry,
        spare: &mut SpareChanges,
    ) -> bool {
        if due.time() <= now.time() {
            let (change, _) = self.coming.get_or_insert_with(|| {
                (DelayedChange::of_events(due.time(), due, spare.entries()), 0)
            });
            add(&mut change.entries, microstep + 1, parts, spare);
            return true;
        }
        let place = self.pending.partition_point(|change| change.due < due);
        if self.pending.get(place).is_none_or(|change| change.due != due) {
            let change = DelayedChange::of_events(now.time(), due, spare.entries());
            self.pending.insert(place, change);
        }
        add(&mut self.pending[place].entries, FIRST, parts, spare);
        false
    }
}

/// When an event comes, by the clock of its diagram; `None` if that is after the end of time.
fn due(now: ExactTime, delay: f64) -> Option<ExactTime> {
    let delay = ExactTime::from_decimal(delay)?;
    (delay.time() <= Time::MAX - now.time().max(Time::ZERO)).then(|| now + delay)
}

/// Adds an event to those of one time, at a microstep or at the next one that is free: for the
/// length of a microstep, then it is over.
fn add(entries: &mut Vec<Entry>, microstep: u32, parts: Vec<f64>, spare: &mut SpareChanges) {
    let microstep = match entries.pop() {
        // The end of the event before, which gives way if this one follows at once.
        Some(end) if end.microstep < microstep => {
            entries.push(end);
            microstep
        }
        Some(end) => {
            let own = end.microstep;
            spare.keep_entry(end);
            own
        }
        None => microstep,
    };
    let event = Entry { microstep, parts };
    let end = event.end(spare);
    entries.push(event);
    entries.extend(end);
}

impl DelayedChange {
    /// Events that happened at a time and are due at another.
    fn of_events(time: Time, due: ExactTime, entries: Vec<Entry>) -> DelayedChange {
        DelayedChange { time, due, order: 0, before: Vec::new(), entries }
    }
}

impl Entry {
    /// What follows an event: at the next microstep it is over.
    fn end(&self, spare: &mut SpareChanges) -> Option<Entry> {
        let present = self.parts[0] != 0.0;
        present.then(|| {
            let mut parts = spare.parts(&self.parts);
            parts[0] = 0.0;
            Entry { microstep: self.microstep + 1, parts }
        })
    }
}

impl DelayLineState {
    /// Whether an event is still to come.
    fn is_waiting(&self) -> bool {
        let rest = self.coming.as_ref().map_or(&[][..], |(change, done)| &change.entries[*done..]);
        !self.pending.is_empty() || rest.iter().any(|entry| entry.parts[0] != 0.0)
    }

    /// Takes back the events that are still to come.
    fn cancel(&mut self, spare: &mut SpareChanges) {
        self.pending.drain(..).for_each(|change| spare.keep(change));
        if let Some((change, done)) = &mut self.coming {
            change.entries.drain(*done..).for_each(|entry| spare.keep_entry(entry));
            // An event that has come still ends.
            if let Some(end) = change.entries.last().and_then(|last| last.end(spare)) {
                change.entries.push(end);
            }
        }
    }
}
