//! A delay line: the changes of its wire that are still to come.
use std::collections::VecDeque;

use base::{ExactTime, Tag, Time, clone_reusing};
use program::{DelayLine, Program, TrackedId};
use serde::{Deserialize, Serialize};

/// The state of a delay line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DelayLineState {
    /// The parts of the wire when it was last examined.
    pub last: Vec<f64>,
    /// The pending changes, in the order of time.
    pub pending: VecDeque<DelayedChange>,
    /// The changes that have come and may come again in reverse, in the order of time, if the delay
    /// is a signal.
    pub passed: VecDeque<DelayedChange>,
    /// The change that comes at the time of this tick, and how many of its entries have come.
    pub coming: Option<(DelayedChange, usize)>,
    /// How many of these were present at a committed microstep.
    pub seen: usize,
    /// The tag of the last event that was recorded with a delay of its own.
    pub recorded: Option<Tag>,
}

clone_reusing!(DelayLineState { last, pending, passed, coming, seen, recorded });

/// What happened to a wire at one time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DelayedChange {
    /// When it happened, rounded as the times of the history are.
    pub time: Time,
    /// When it happens to the delayed signal, by the clock of the diagram.
    pub due: ExactTime,
    /// The order of the derivative that jumps; 0 for the signal itself.
    pub order: u8,
    /// The parts that the wire had before, if it has changed.
    pub before: Vec<f64>,
    pub entries: Vec<Entry>,
}

/// The parts that a wire had from a microstep on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub microstep: u32,
    pub parts: Vec<f64>,
}

/// The times of the last and of the next change if there is none \[s\]: no time is like them.
pub(crate) const NEVER: [f64; 2] = [-1e30, 1e30];

impl DelayLineState {
    /// The state of a delay line before anything has happened to it, with its initial value in the
    /// buffer.
    pub fn new(program: &Program, line: &DelayLine, slots: &mut [f64]) -> DelayLineState {
        let mut last = vec![f64::from(line.early)];
        last.extend(&line.initial);
        let length: usize = line.to.iter().map(|tracked| program.tracked(*tracked).length).sum();
        last.resize(length, 0.0);
        scatter_parts(program, &line.to, &last, slots);
        if let Some(reading) = line.reading {
            for (bound, time) in reading.bounds.into_iter().zip(NEVER) {
                slots[program.tracked(bound).slot.index()] = time;
            }
        }
        let (pending, passed) = (VecDeque::new(), VecDeque::new());
        DelayLineState { last, pending, passed, coming: None, seen: 0, recorded: None }
    }

    /// The clock stops: an event or impulse of this microstep is over at the next one, which is not
    /// examined any more.
    pub fn end_instant(&mut self, line: &DelayLine) {
        let mut parts = self.last.clone();
        if !line.early {
            parts[0] = 0.0;
        }
        parts[1 + line.initial.len()..].fill(0.0);
        let recorded = self.pending.back_mut().filter(|_| line.variable.is_none());
        let entries = recorded.map(|change| &mut change.entries);
        if let Some((entries, microstep)) =
            entries.and_then(|all| all.last().map(|last| last.microstep + 1).map(|n| (all, n)))
            && parts != self.last
        {
            entries.push(Entry { microstep, parts: parts.clone() });
            self.last = parts;
        }
    }

    /// Renumbers the pending entries so that they begin at a microstep.
    pub fn go_on(&mut self, microstep: u32) {
        let Some((change, done)) = &mut self.coming else { return };
        let rest = &mut change.entries[*done..];
        let Some(first) = rest.first().map(|entry| entry.microstep) else { return };
        for entry in rest {
            entry.microstep = microstep + entry.microstep.saturating_sub(first);
        }
    }

    /// The order of a kink or jump that comes now, if there is one.
    pub fn order(&self) -> Option<u8> {
        self.coming.as_ref().map(|(change, _)| change.order)
    }

    /// The delayed change of the present time, created if there is none yet. A clock that was
    /// stopped shows exactly the time at which it stopped, although its rounded time may differ.
    pub fn change_at(
        &mut self,
        now: ExactTime,
        zero: ExactTime,
        delay: ExactTime,
        order: u8,
    ) -> &mut DelayedChange {
        let (time, due) = (now.time() - zero.time(), now - zero + delay);
        if self.pending.back().is_none_or(|last| last.time < time && last.due < due) {
            let (before, entries) = (Vec::new(), Vec::new());
            self.pending.push_back(DelayedChange { time, due, order, before, entries });
        }
        self.pending.back_mut().expect("a change was just added")
    }
}

/// The memory of changes that are over, for those to come.
#[derive(Debug, Default)]
pub(crate) struct SpareChanges {
    entries: Vec<Vec<Entry>>,
    parts: Vec<Vec<f64>>,
}

impl SpareChanges {
    /// A list of entries without any.
    pub fn entries(&mut self) -> Vec<Entry> {
        self.entries.pop().unwrap_or_default()
    }

    /// A copy of the parts of a wire.
    pub fn parts(&mut self, of: &[f64]) -> Vec<f64> {
        let mut parts = self.parts.pop().unwrap_or_default();
        parts.clear();
        parts.extend_from_slice(of);
        parts
    }

    /// Keeps the memory of an entry.
    pub fn keep_entry(&mut self, entry: Entry) {
        self.parts.push(entry.parts);
    }

    /// Keeps the memory of a change.
    pub fn keep(&mut self, change: DelayedChange) {
        let mut entries = change.entries;
        self.parts.extend(entries.drain(..).map(|entry| entry.parts));
        if entries.capacity() > 0 {
            self.entries.push(entries);
        }
    }

    /// Keeps the memory of all changes of a delay line that are still to come.
    pub fn keep_all(&mut self, line: &mut DelayLineState) {
        line.pending.drain(..).for_each(|change| self.keep(change));
        if let Some((change, _)) = line.coming.take() {
            self.keep(change);
        }
    }
}

/// Writes parts to their tracked signals.
pub(crate) fn scatter_parts(program: &Program, to: &[TrackedId], parts: &[f64], slots: &mut [f64]) {
    let mut rest = parts;
    for tracked in to {
        let tracked = program.tracked(*tracked);
        let (own, others) = rest.split_at(tracked.length);
        slots[tracked.slot.range(tracked.length)].copy_from_slice(own);
        rest = others;
    }
}
