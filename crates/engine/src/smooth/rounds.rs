//! What recorded signals are at every evaluation of a run in the profile of Ptolemy II, also at the
//! stages of steps that are then refused: tests there see each of them.

use base::{Tag, Time};
use program::RecordSlots;

use crate::engine::Engine;
use crate::smooth::flow::Flow;

/// The recorded signals at one evaluation.
#[derive(Clone, PartialEq, Debug)]
pub struct Round {
    /// Its tag; a stage has microstep 0.
    pub tag: Tag,
    /// The value of each signal, none if it is absent.
    pub values: Vec<Option<Vec<f64>>>,
}

/// The evaluations of a run so far, up to a number of them.
#[derive(Debug)]
pub(crate) struct Rounds {
    pub most: usize,
    /// Whether a step is taken beyond the stop time.
    pub speculates: bool,
    pub all: Vec<Round>,
}

impl Rounds {
    fn take(&mut self, tag: Tag, records: &[RecordSlots], slots: &[f64]) {
        if self.all.len() >= self.most {
            return;
        }
        let value = |own: &RecordSlots| {
            let present = slots[own.present.index()] != 0.0;
            present.then(|| slots[own.value.range(own.ty.len())].to_vec())
        };
        self.all.push(Round { tag, values: records.iter().map(value).collect() });
    }
}

impl Flow<'_> {
    /// Keeps what is recorded at a stage of a step, if that is asked for.
    pub(super) fn keep_round(&mut self, t: f64, x: &[f64]) {
        if self.rounds.is_none() {
            return;
        }
        self.place(t, x);
        self.compute_left();
        let time = self.start.offset(t).unwrap_or(Time::MAX);
        let (records, slots) = (&self.whole_program.records, &*self.slots);
        if let Some(rounds) = &mut self.rounds {
            rounds.take(Tag::new(time, 0), records, slots);
        }
    }
}

impl Engine<'_> {
    /// Keeps what is recorded at a microstep, if that is asked for. The end of a step is the last
    /// stage of it.
    pub(crate) fn keep_tick(&mut self, tag: Tag) {
        let begins = tag.time == self.options.start.time();
        if let Some(rounds) = &mut self.scratch.rounds
            && (tag.microstep > 0 || begins)
        {
            rounds.take(tag, &self.program.records, &self.state.slots);
        }
    }
}
