//! Taking times.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use superdense::{Backend, Outcome, System};

/// How long is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Samples of each thing.
    pub samples: u32,
    /// The shortest sample \[s\].
    pub seconds: f64,
    /// What evaluates models between events.
    pub backend: Backend,
}

impl Effort {
    /// The same with at most so many samples, for runs that are long.
    pub fn at_most(self, samples: u32) -> Effort {
        Effort { samples: self.samples.min(samples), ..self }
    }

    /// Runs a model. Its native code is compiled once, at the first run that asks for it.
    pub fn run(&self, system: &System) -> Result<Outcome> {
        let mut run = system.start();
        run.set_backend(self.backend)?;
        Ok(run.finish()?)
    }
}

/// The times of one run \[s\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    /// What a run usually takes.
    pub median: f64,
    /// What it takes when nothing disturbs it.
    pub best: f64,
}

impl Time {
    /// The median and the least of samples, of which there is at least one.
    pub fn of(mut samples: Vec<f64>) -> Time {
        samples.sort_by(f64::total_cmp);
        Time { median: samples[samples.len() / 2], best: samples[0] }
    }
}

/// What may not be exceeded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bar {
    /// The time as a ratio to the version written by hand.
    Ratio(f64),
    /// The time itself \[s\].
    Seconds(f64),
}

/// How far the results of both are from the truth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errors {
    pub ours: f64,
    pub hand: f64,
}

/// One line of the report.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// What was run.
    pub name: String,
    /// What else is worth saying: steps, events a second.
    pub note: String,
    /// One run of the model.
    pub ours: Time,
    /// The same of the version written by hand, where there is one.
    pub hand: Option<Time>,
    /// What must not be exceeded.
    pub bar: Option<Bar>,
    /// How exact both are, where there is a truth to compare with.
    pub errors: Option<Errors>,
}

impl Figure {
    /// The times of a model, with nothing to compare them with.
    pub fn new(name: impl Into<String>, ours: Time) -> Figure {
        let (name, note) = (name.into(), String::new());
        Figure { name, note, ours, hand: None, bar: None, errors: None }
    }

    /// The same beside the version written by hand.
    pub fn against(self, hand: Time) -> Figure {
        Figure { hand: Some(hand), ..self }
    }

    /// The same with what may not be exceeded, if anything.
    pub fn bar(self, bar: impl Into<Option<Bar>>) -> Figure {
        Figure { bar: bar.into(), ..self }
    }

    /// The same with how exact both are.
    pub fn errors(self, errors: Errors) -> Figure {
        Figure { errors: Some(errors), ..self }
    }

    /// The same with something else that is worth saying.
    pub fn note(self, note: impl Into<String>) -> Figure {
        Figure { note: note.into(), ..self }
    }

    /// How many times longer the model takes than the version written by hand, by medians.
    pub fn ratio(&self) -> Option<f64> {
        self.hand.map(|hand| self.ours.median / hand.median)
    }

    /// The same by the best times, which other work on the machine disturbs less.
    pub fn best_ratio(&self) -> Option<f64> {
        self.hand.map(|hand| self.ours.best / hand.best)
    }
}

/// The times of one run.
pub(crate) fn time<R>(effort: &Effort, mut run: impl FnMut() -> R) -> Time {
    let times = repeats(effort, &mut run);
    Time::of((0..effort.samples).map(|_| sample(times, &mut run)).collect())
}

/// The times of one run of each of two things, taken in turn, so that a machine that gets slower
/// or faster meanwhile changes both.
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

/// How many runs fill a sample. What the first one does once for all, such as to compile native code,
/// is not counted.
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

/// The time of one run \[s\], as the mean of several right after each other.
fn sample<R>(times: u32, run: &mut impl FnMut() -> R) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        black_box(run());
    }
    start.elapsed().as_secs_f64() / f64::from(times)
}
