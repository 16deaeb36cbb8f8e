//! Timing.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use superdense::{Backend, Outcome, System};

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Samples of each measurement.
    pub samples: u32,
    /// The minimum length of a sample \[s\].
    pub seconds: f64,
    /// What evaluates models between events.
    pub backend: Backend,
}

impl Effort {
    /// The same with at most this many samples, for long runs.
    pub fn at_most(self, samples: u32) -> Effort {
        Effort { samples: self.samples.min(samples), ..self }
    }

    /// Runs a model. Its native code is compiled once, at the first run that asks for it.
    pub fn run(&self, system: &System) -> Result<Outcome> {
        let mut run = system.begin();
        run.set_backend(self.backend)?;
        Ok(run.finish()?)
    }
}

/// The times of a run \[s\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    /// The typical time.
    pub median: f64,
    /// The time if nothing disturbs the run.
    pub best: f64,
}

impl Time {
    /// The median and the minimum of the samples, of which there must be at least one.
    pub fn of(mut samples: Vec<f64>) -> Time {
        samples.sort_by(f64::total_cmp);
        Time { median: samples[samples.len() / 2], best: samples[0] }
    }
}

/// A limit on a time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bar {
    /// As a ratio to the hand-written version.
    Ratio(f64),
    /// As a time \[s\].
    Seconds(f64),
}

/// How far both results are from the exact ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errors {
    pub ours: f64,
    pub hand: f64,
}

/// One row of the report.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// What was run.
    pub name: String,
    /// Further information, such as steps or events per second.
    pub note: String,
    /// The time of one run of the model.
    pub ours: Time,
    /// The time of the hand-written version, if there is one.
    pub hand: Option<Time>,
    /// The limit, if there is one.
    pub bar: Option<Bar>,
    /// The accuracy of both, if there is an exact result to compare with.
    pub errors: Option<Errors>,
}

impl Figure {
    /// The times of a model, without anything to compare them with.
    pub fn new(name: impl Into<String>, ours: Time) -> Figure {
        let (name, note) = (name.into(), String::new());
        Figure { name, note, ours, hand: None, bar: None, errors: None }
    }

    /// Adds the times of the hand-written version.
    pub fn against(self, hand: Time) -> Figure {
        Figure { hand: Some(hand), ..self }
    }

    /// Sets the limit, if any.
    pub fn bar(self, bar: impl Into<Option<Bar>>) -> Figure {
        Figure { bar: bar.into(), ..self }
    }

    /// Sets the accuracy of both.
    pub fn errors(self, errors: Errors) -> Figure {
        Figure { errors: Some(errors), ..self }
    }

    /// Adds further information.
    pub fn note(self, note: impl Into<String>) -> Figure {
        Figure { note: note.into(), ..self }
    }

    /// The ratio of the median times of the model and the hand-written version.
    pub fn ratio(&self) -> Option<f64> {
        self.hand.map(|hand| self.ours.median / hand.median)
    }

    /// The ratio of the best times, which other work on the machine disturbs less.
    pub fn best_ratio(&self) -> Option<f64> {
        self.hand.map(|hand| self.ours.best / hand.best)
    }
}

/// The times of one run.
pub(crate) fn time<R>(effort: &Effort, mut run: impl FnMut() -> R) -> Time {
    let times = repeats(effort, &mut run);
    Time::of((0..effort.samples).map(|_| sample(times, &mut run)).collect())
}

/// The times of one run of each of two things, measured alternately, so that a machine that gets
/// slower or faster affects both.
pub(crate) fn in_turn<R, S>(
    effort: &Effort,
    mut one: impl FnMut() -> R,
    mut other: impl FnMut() -> S,
) -> (Time, Time) {
    let (first, second) = (repeats(effort, &mut one), repeats(effort, &mut other));
    let both = |_| (sample(first, &mut one), sample(second, &mut other));
    let (ours, hand) = (0..effort.samples).map(both).unzip();
    (Time::of(ours), Time::of(hand))
}

/// How many runs fill a sample. One-time work of the first run, such as compiling native code, is
/// not counted.
fn repeats<R>(effort: &Effort, run: &mut impl FnMut() -> R) -> u32 {
    black_box(run());
    let mut times = 1;
    while times < 1 << 24 {
        let took = f64::from(times) * sample(times, run);
        if took >= effort.seconds {
            break;
        }
        times *= 2;
    }
    times
}

/// The time of one run \[s\], as the mean of several consecutive runs.
fn sample<R>(times: u32, run: &mut impl FnMut() -> R) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        black_box(run());
    }
    start.elapsed().as_secs_f64() / f64::from(times)
}
