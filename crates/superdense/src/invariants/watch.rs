//! Follows invariants from row to row.
//!
//! ```text
//! (t, 0)           the left limit: what it is off by, without the changes of ticks, is drift
//! (t, n), n >= 1   a change since (t, n-1) is that of a microstep, and since (t, 0) that of the tick
//! the next time    the tick is over: its change is compared with the limit
//! ```

use base::{Tag, Time};
use engine::Row;
use program::UnitId;
use serde::{Deserialize, Serialize};

use super::{Broken, Extreme, Invariant, Limit, limits};
use crate::System;
use crate::pipeline::Code;

/// The invariants of a run.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    own: Vec<Watched>,
    state: WatchState,
}

/// What changes of them, which a saved run takes along.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WatchState(Vec<Course>);

/// What a run knows about an invariant.
#[derive(Debug)]
struct Watched {
    name: String,
    limit: Limit,
    /// The index of its record; those of its terms follow.
    record: usize,
    terms: usize,
}

/// What has become of an invariant so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Course {
    first: Option<Vec<f64>>,
    last: Vec<f64>,
    /// The time of the last row.
    time: Time,
    /// The value before the tick at this time.
    left: Vec<f64>,
    /// The last tag at this time at which it changed.
    changed: Option<Tag>,
    /// The sum of the changes by ticks that are over.
    jumped: Vec<f64>,
    magnitude: f64,
    smooth: Extreme,
    drift: f64,
    tick: Extreme,
    microstep: Extreme,
    breaks: u64,
    broken: Option<Broken>,
    /// The blocks that fired up to the last change in this tick, until a tick has been reported.
    blocks: Vec<String>,
}

impl Watch {
    pub fn new(system: &System, state: Option<WatchState>) -> Watch {
        let limits = limits(system).expect("invariants are checked with the settings of a system");
        let shown = system.diagram.records.iter().filter(|record| !record.hidden);
        let mut record = shown.count();
        let mut own = Vec::with_capacity(limits.len());
        for (invariant, limit) in system.diagram.invariants.iter().zip(limits) {
            let (name, terms) = (invariant.name.value.clone(), invariant.terms);
            own.push(Watched { name, limit, record, terms });
            record += 1 + terms;
        }
        let fresh = || WatchState(vec![Course::default(); own.len()]);
        Watch { state: state.unwrap_or_else(fresh), own }
    }

    /// Whether there are no invariants.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    pub fn state(&self) -> &WatchState {
        &self.state
    }

    pub fn reset(&mut self) {
        self.state.0.fill(Course::default());
    }

    /// Looks at a row.
    #[inline]
    pub fn look(&mut self, row: &Row<'_>, system: &System) {
        for (own, course) in self.own.iter().zip(&mut self.state.0) {
            if !row.covers(own.record) {
                continue;
            }
            if let Some(value) = row.value(own.record) {
                course.grow(own.magnitude(row, value));
                course.follow(row.tag, value, own.limit);
                if course.changed == Some(row.tag) && course.broken.is_none() {
                    course.blocks = names(system, row.fired());
                }
            }
        }
    }

    /// What has become of the invariants so far.
    pub fn invariants(&self) -> Vec<Invariant> {
        let invariant = |(own, course): (&Watched, &Course)| {
            let mut course = course.clone();
            course.end_tick(own.limit);
            Invariant {
                name: own.name.clone(),
                last: course.first.as_ref().map(|_| course.last),
                first: course.first,
                magnitude: course.magnitude,
                smooth: course.smooth,
                drift: course.drift,
                tick: course.tick,
                microstep: course.microstep,
                within: own.limit.within,
                relative: own.limit.relative,
                breaks: course.breaks,
                broken: course.broken,
            }
        };
        self.own.iter().zip(&self.state.0).map(invariant).collect()
    }
}

impl Watched {
    /// The magnitude of its value, or that of the terms of its sum.
    fn magnitude(&self, row: &Row<'_>, value: &[f64]) -> f64 {
        let terms = (1..=self.terms).filter_map(|term| row.value(self.record + term));
        terms.map(largest).sum::<f64>().max(largest(value))
    }
}

impl Course {
    fn grow(&mut self, magnitude: f64) {
        self.magnitude = self.magnitude.max(magnitude);
    }

    fn follow(&mut self, tag: Tag, value: &[f64], limit: Limit) {
        let Some(first) = &self.first else {
            (self.first, self.time) = (Some(value.to_vec()), tag.time);
            (self.last, self.left) = (value.to_vec(), value.to_vec());
            self.jumped = vec![0.0; value.len()];
            return;
        };
        if tag.microstep == 0 {
            let jumped = self.jumped.iter().zip(&self.last).zip(&self.left);
            let jumped = jumped.map(|((jumped, last), left)| jumped + (last - left));
            let drift = value.iter().zip(first).zip(jumped);
            let drift = drift.map(|((now, first), jumped)| (now - first - jumped).abs());
            self.drift = drift.fold(0.0, f64::max);
            self.smooth.take(self.drift, tag);
        }
        if tag.time != self.time {
            self.end_tick(limit);
            let left = if tag.microstep == 0 { value } else { &self.last[..] };
            self.left.clear();
            self.left.extend_from_slice(left);
            self.time = tag.time;
        }
        if tag.microstep > 0 {
            let change = distance(value, &self.last);
            if change > 0.0 {
                self.microstep.take(change, tag);
                self.changed = Some(tag);
            }
        }
        self.last.copy_from_slice(value);
    }

    /// The tick at the time of the last row is over, if there was one.
    fn end_tick(&mut self, limit: Limit) {
        let Some(tag) = self.changed.take() else { return };
        let change = distance(&self.last, &self.left);
        self.tick.take(change, tag);
        let sums = self.jumped.iter_mut().zip(self.last.iter().zip(&self.left));
        sums.for_each(|(sum, (last, left))| *sum += last - left);
        let most = limit.within * if limit.relative { self.magnitude } else { 1.0 };
        let blocks = std::mem::take(&mut self.blocks);
        if change > most {
            self.breaks += 1;
            let (from, to) = (self.left.clone(), self.last.clone());
            self.broken.get_or_insert(Broken { tag, from, to, blocks });
        }
    }
}

/// The blocks of units as they are written, each once, without the invariants themselves.
fn names(system: &System, fired: &[UnitId]) -> Vec<String> {
    let Code::Exact(program) = &system.code else { return Vec::new() };
    let mut found: Vec<String> = Vec::new();
    for unit in fired {
        let name = system.diagram.block(program.units[*unit].block).written();
        let invariant = system.diagram.invariants.iter().any(|own| own.name.value == name);
        if !invariant && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}

fn largest(value: &[f64]) -> f64 {
    value.iter().fold(0.0, |most, x| most.max(x.abs()))
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}
