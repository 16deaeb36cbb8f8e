//! Poles that a step has passed.
//!
//! A rate that goes to infinity at one place, such as 1/x where x passes zero, may be finite
//! wherever a step looks at it, and where the state moves little the error of such a step is within
//! the tolerance. The solution has ended there all the same. Such a rate changes its sign without
//! passing zero: between two points ever closer to the pole it grows.

use crate::segment::Segment;
use crate::solver::Solver;
use crate::system::System;

/// How much larger than at both ends of the step a rate must be inside, at a stage of the method to
/// be looked at, and after the search to be called a pole.
const SUSPECT: f64 = 2.0;
const POLE: f64 = 1e3;

/// A place in a step where a rate has no value.
pub(crate) struct Pole {
    pub t: f64,
    pub component: usize,
}

impl Solver {
    /// The pole that a rate has passed in the step just taken, if there is one.
    pub(crate) fn pole<S: System>(&mut self, system: &mut S) -> Option<Pole> {
        if !self.segment.ends_smoothly() {
            return None;
        }
        let component = suspect(&self.segment)?;
        let crate::solver::Space { argument, slope, .. } = &mut self.space.0;
        let segment = &self.segment;
        let evaluations = &mut self.counters.evaluations;
        let mut rate = |t: f64| {
            *evaluations += 1;
            segment.value(t, argument);
            system.derivative(t, argument, slope);
            slope[component]
        };
        let t = closest(segment, segment.slopes[0][component], size(segment, component), &mut rate);
        t.map(|t| Pole { t, component })
    }
}

/// The larger of the rates at both ends.
fn size(segment: &Segment, component: usize) -> f64 {
    segment.slopes[0][component].abs().max(segment.end_slope()[component].abs())
}

/// How many states are looked at side by side.
const TOGETHER: usize = 32;

/// The first state whose rate changes its sign and is larger at a stage than at both ends. Loops go
/// over states and carry no branches; the stages are looked at only where some rate turns.
fn suspect(segment: &Segment) -> Option<usize> {
    let n = segment.x0.len();
    let (first, last) = (&segment.slopes[0][..n], &segment.end_slope()[..n]);
    let inner = &segment.slopes[1..segment.slopes.len() - 1];
    (0..n).step_by(TOGETHER).find_map(|from| {
        let to = n.min(from + TOGETHER);
        let ends = first[from..to].iter().zip(&last[from..to]);
        if !ends.clone().fold(false, |any, (a, b)| any | turns(*a, *b)) {
            return None;
        }
        let most = most(inner, from, to);
        let wrong = |((a, b), most): ((&f64, &f64), &f64)| {
            turns(*a, *b) & (*most > SUSPECT * larger(larger(0.0, *a), *b))
        };
        let all = ends.zip(&most);
        let any = all.clone().fold(false, |any, own| any | wrong(own));
        any.then(|| all.clone().position(wrong).map(|at| from + at)).flatten()
    })
}

/// Whether a rate changes its sign.
#[inline(always)]
fn turns(a: f64, b: f64) -> bool {
    (a < 0.0) & (b > 0.0) | (a > 0.0) & (b < 0.0)
}

/// The largest rates of some states at the stages; without bound where there are no stages. Three of
/// them are looked at together, so that there are fewer loops.
#[inline(always)]
fn most(stages: &[Vec<f64>], from: usize, to: usize) -> [f64; TOGETHER] {
    let mut most = [if stages.is_empty() { f64::INFINITY } else { 0.0 }; TOGETHER];
    for some in stages.chunks(3) {
        let stage = |j: usize| &some[j.min(some.len() - 1)][from..to];
        let rates = stage(0).iter().zip(stage(1)).zip(stage(2));
        for (most, ((a, b), c)) in most.iter_mut().zip(rates) {
            *most = larger(larger(larger(*most, *a), *b), *c);
        }
    }
    most
}

/// The larger of a size and that of a rate; one instruction, other than the maximum of numbers that
/// may be none.
#[inline(always)]
fn larger(size: f64, rate: f64) -> f64 {
    if rate.abs() > size { rate.abs() } else { size }
}

/// Halves the step around a change of sign of a rate that is `from` at its start; the place where it
/// ends up if the rate grows on the way there.
fn closest(
    segment: &Segment,
    from: f64,
    size: f64,
    rate: &mut impl FnMut(f64) -> f64,
) -> Option<f64> {
    let (mut low, mut high) = (segment.start, segment.end);
    let mut least = 0.0;
    loop {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            return (least > POLE * size).then_some(high);
        }
        let value = rate(middle);
        if !value.is_finite() {
            return Some(middle);
        }
        // A rate that gets small passes zero.
        if value.abs() < 0.5 * size {
            return None;
        }
        let same = (value > 0.0) == (from > 0.0);
        *(if same { &mut low } else { &mut high }) = middle;
        least = value.abs();
        if least > POLE * size {
            return Some(high);
        }
    }
}
