//! Poles that a step has passed.
//!
//! A rate that goes to infinity at one point, such as 1/x when x passes zero, may be finite
//! at every stage of a step, and if the state moves little the error of such a step is within
//! the tolerance. The solution has ended there all the same. Such a rate changes its sign without
//! passing zero: between two points ever closer to the pole it grows.

use crate::segment::Segment;
use crate::solver::Solver;
use crate::system::System;
use crate::wide::wide;

/// How much larger than at both ends of the step a rate must be inside, at a stage of the method to
/// be looked at, and after the search to be called a pole.
pub(crate) const SUSPECT: f64 = 2.0;
const POLE: f64 = 1e3;

/// By how much a rate must have grown from the middle of the step on: next to a pole it grows with
/// every halving, until the states have no more digits.
const GROWTH: f64 = 8.0;

/// How many rates are looked at together.
const ROW: usize = 16;

/// A point in a step at which a rate has no value.
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

/// Whether a rate, by its values at the stages, changes its sign and is larger at a stage than at
/// both ends.
#[inline(always)]
pub(crate) fn may_pass(stages: usize, slope: impl Fn(usize) -> f64) -> bool {
    let (a, b) = (slope(0), slope(stages - 1));
    let turns = (a < 0.0) & (b > 0.0) | (a > 0.0) & (b < 0.0);
    let most = SUSPECT * a.abs().max(b.abs());
    turns && (stages == 2 || (1..stages - 1).any(|stage| slope(stage).abs() > most))
}

/// The larger of the rates at both ends.
fn size(segment: &Segment, component: usize) -> f64 {
    segment.slopes[0][component].abs().max(segment.end_slope()[component].abs())
}

/// The first state whose rate changes its sign and is larger at a stage than at both ends.
fn suspect(segment: &Segment) -> Option<usize> {
    let (first, last) = (&segment.slopes[0], segment.end_slope());
    let at = |i: usize| may_pass(segment.slopes.len(), |stage| segment.slopes[stage][i]);
    if first.len() <= ROW {
        return (0..first.len()).find(|i| at(*i));
    }
    // Few rates turn in a step; rows without one are passed over by the bits of their signs.
    let mut from = 0;
    while let Some(row) = first_unlike(&first[from..], &last[from..]) {
        let start = from + row * ROW;
        from = (start + ROW).min(first.len());
        let mut own = start..from;
        let found = own.find(|i| at(*i));
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The first row in which two arrays differ in a sign.
fn first_unlike(a: &[f64], b: &[f64]) -> Option<usize> {
    wide(
        a.len(),
        #[inline(always)]
        || {
            let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<ROW>(), b.as_chunks::<ROW>());
            let row = a.iter().zip(b).position(|(a, b)| unlike(a, b));
            row.or_else(|| unlike(rest_a, rest_b).then_some(a.len()))
        },
    )
}

/// Whether two rows differ in a sign.
#[inline(always)]
fn unlike(a: &[f64], b: &[f64]) -> bool {
    let signs = a.iter().zip(b).fold(0, |all, (a, b)| all | (a.to_bits() ^ b.to_bits()));
    signs >> 63 != 0
}

/// Halves the step around a change of sign of a rate that is `from` at its start, down to the
/// resolution of time; the point that this leads to if the rate grows on the way there. A rate that
/// is rounding, or the error of the states, may be many times what it is at the ends, but is bounded.
fn closest(
    segment: &Segment,
    from: f64,
    size: f64,
    rate: &mut impl FnMut(f64) -> f64,
) -> Option<f64> {
    let (mut low, mut high) = (segment.start, segment.end);
    let (mut first, mut least) = (None, 0.0);
    loop {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            let grown = least > GROWTH * first.unwrap_or(0.0);
            return (grown && least > POLE * size).then_some(high);
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
        first.get_or_insert(least);
    }
}
