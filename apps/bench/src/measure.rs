//! Taking times.

use std::hint::black_box;
use std::time::Instant;

/// How long is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Samples of each thing; the best one counts.
    pub samples: u32,
    /// The shortest sample \[s\].
    pub seconds: f64,
}

/// One line of the report.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// What was run.
    pub name: String,
    /// The best time of one run of the model \[s\].
    pub ours: f64,
    /// The same of the version written by hand, where there is one.
    pub hand: Option<f64>,
    /// The ratio that must not be exceeded.
    pub limit: Option<f64>,
    /// What else is worth saying: steps, events a second.
    pub note: String,
}

impl Figure {
    /// How many times longer the model takes than the version written by hand.
    pub fn ratio(&self) -> Option<f64> {
        self.hand.map(|hand| self.ours / hand)
    }
}

/// The best time of one run \[s\].
pub(crate) fn best<R>(effort: &Effort, mut run: impl FnMut() -> R) -> f64 {
    let times = repeats(effort, &mut run);
    (0..effort.samples).map(|_| sample(times, &mut run)).fold(f64::INFINITY, f64::min)
}

/// The best times of one run of each of two things \[s\], taken in turn, so that a machine that
/// gets slower or faster meanwhile changes both.
pub(crate) fn best_in_turn<R, S>(
    effort: &Effort,
    mut one: impl FnMut() -> R,
    mut other: impl FnMut() -> S,
) -> (f64, f64) {
    let (first, second) = (repeats(effort, &mut one), repeats(effort, &mut other));
    let mut least = (f64::INFINITY, f64::INFINITY);
    for _ in 0..effort.samples {
        least.0 = least.0.min(sample(first, &mut one));
        least.1 = least.1.min(sample(second, &mut other));
    }
    least
}

/// How many runs fill a sample.
fn repeats<R>(effort: &Effort, run: &mut impl FnMut() -> R) -> u32 {
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
