//! Signals from outside: what is set at the present time or fed ahead, and its way into a tick.
//!
//! A change waits until its time, which is on the agenda. There it is committed at microstep 0, so
//! that the tag (t, 1) is the first that sees it; a further value of an event input at the same
//! time comes one microstep later.

use std::collections::VecDeque;

use base::{ExactTime, Table, Time, clone_reusing};
use program::{InputId, InputKind, Program};
use serde::{Deserialize, Serialize};

use crate::RunError;
use crate::engine::Engine;

/// Coming changes of signals from outside.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Inputs {
    /// For each of them, its changes, earliest first.
    coming: Table<InputId, VecDeque<Change>>,
    /// The time of the first change of all.
    earliest: Option<Time>,
    /// Those that have been set.
    pub given: Table<InputId, bool>,
}

clone_reusing!(Inputs { coming, earliest, given });

/// A change of a signal from outside.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Change {
    time: ExactTime,
    /// Its value; of a polynomial, all coefficients, that of the constant first.
    values: Vec<f64>,
}

impl Inputs {
    /// No changes.
    pub fn new(program: &Program) -> Inputs {
        let count = program.inputs.len();
        Inputs {
            earliest: None,
            coming: Table::filled(VecDeque::new(), count),
            given: Table::filled(false, count),
        }
    }

    /// Adds a change after all earlier ones and those of the same time.
    pub fn add(&mut self, input: InputId, time: ExactTime, values: Vec<f64>) {
        let coming = &mut self.coming[input];
        let place = coming.partition_point(|change| change.time.time() <= time.time());
        coming.insert(place, Change { time, values });
        self.earliest = Some(self.next().min(time.time()));
        self.given[input] = true;
    }

    /// Takes back the changes of an input that are still to come.
    pub fn forget(&mut self, input: InputId) {
        self.coming[input].clear();
        self.earliest = self.coming.ids().filter_map(|input| self.first(input)).min();
    }

    /// The time of the first change of an input.
    fn first(&self, input: InputId) -> Option<Time> {
        self.coming[input].front().map(|change| change.time.time())
    }

    /// The time of the first change.
    pub fn next(&self) -> Time {
        self.earliest.unwrap_or(Time::MAX)
    }
}

impl Engine<'_> {
    /// The time of the first change that can reach a region.
    pub(crate) fn next_input(&self, region: program::RegionId) -> Time {
        if self.state.inputs.earliest.is_none() {
            return Time::MAX;
        }
        let reaches =
            |input: &InputId| self.program.influence.inputs[*input].binary_search(&region).is_ok();
        let inputs = self.program.inputs.ids().filter(reaches);
        inputs.filter_map(|input| self.state.inputs.first(input)).min().unwrap_or(Time::MAX)
    }

    /// Makes the regions that changes at a time may reach part of the tick.
    pub(crate) fn touch_inputs(&mut self, time: Time) -> Result<(), RunError> {
        let program = self.program;
        if self.state.inputs.next() > time {
            return Ok(());
        }
        for input in program.inputs.ids() {
            if self.state.inputs.first(input).is_some_and(|first| first <= time) {
                if let Some(change) = self.state.inputs.coming[input].front() {
                    self.state.now = self.state.now.meet(change.time);
                }
                for region in &program.influence.inputs[input] {
                    self.touch(*region)?;
                }
            }
        }
        Ok(())
    }

    /// Commits the changes that are due at the time of the tick, of each input one: the last one
    /// of a signal that has a value all the time, the next one of an event.
    pub(crate) fn bring_inputs(&mut self) {
        let program = self.program;
        let Some(time) = self.state.tick.as_ref().map(|tick| tick.time) else { return };
        if self.state.inputs.next() > time {
            return;
        }
        for (input, own) in program.inputs.entries() {
            let mut due = None;
            while self.state.inputs.first(input).is_some_and(|first| first <= time)
                && (due.is_none() || own.kind != InputKind::Event)
            {
                due = self.state.inputs.coming[input].pop_front();
            }
            let Some(change) = due else { continue };
            if let Some(origin) = own.origin() {
                self.set_state(origin, &[change.time.time().seconds()]);
            }
            for (order, values) in change.values.chunks(own.length.max(1)).enumerate() {
                self.set_state(own.value(order), values);
            }
            if let Some(present) = own.present() {
                self.set_state(present, &[1.0]);
                self.pulse(program.states[present].tracked);
            }
        }
        let inputs = &mut self.state.inputs;
        inputs.earliest = program.inputs.ids().filter_map(|input| inputs.first(input)).min();
    }

    /// Whether an event input has another value at the time of the tick.
    #[inline]
    pub(crate) fn more_inputs(&self) -> bool {
        let due = |time: Time| self.state.inputs.next() <= time;
        !self.program.inputs.is_empty()
            && self.state.tick.as_ref().is_some_and(|tick| due(tick.time))
    }
}
