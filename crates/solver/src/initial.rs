//! The first step, before anything is known.

use crate::explicit::Tolerance;
use crate::segment::Segment;
use crate::system::System;

/// Selects a step at the segment's end after Hairer, Nørsett and Wanner I, II.4: from the
/// sizes of the state, of its slope and, by one Euler step, of its curvature.
///
/// The start slope of the segment is overwritten: it belongs to a step that is over.
pub(crate) fn step<S: System>(
    system: &mut S,
    segment: &mut Segment,
    argument: &mut [f64],
    tolerance: Tolerance,
    order: u32,
    longest: f64,
) -> f64 {
    let (x, slope) = (&segment.x1, segment.end_slope());
    let (d0, d1) = (rms(x, tolerance, |i| x[i]), rms(x, tolerance, |i| slope[i]));
    let trial = if d0 < 1e-5 || d1 < 1e-5 { 1e-6 } else { 0.01 * d0 / d1 }.min(longest);
    for (i, argument) in argument.iter_mut().enumerate() {
        *argument = segment.x1[i] + trial * slope[i];
    }
    system.derivative(segment.end + trial, argument, &mut segment.slopes[0]);
    let (before, after) = (segment.end_slope(), &segment.slopes[0]);
    let d2 = rms(&segment.x1, tolerance, |i| after[i] - before[i]) / trial;
    if !d2.is_finite() {
        return 1e-3 * trial;
    }
    let steepest = d1.max(d2);
    let curved = if steepest <= 1e-15 {
        (1e-3 * trial).max(1e-6)
    } else {
        (0.01 / steepest).powf(1.0 / f64::from(order + 1))
    };
    (100.0 * trial).min(curved).min(longest)
}

fn rms(x: &[f64], tolerance: Tolerance, of: impl Fn(usize) -> f64) -> f64 {
    let square = |i: usize| {
        let ratio = of(i) / (tolerance.absolute + tolerance.relative * x[i].abs());
        ratio * ratio
    };
    ((0..x.len()).map(square).sum::<f64>() / x.len().max(1) as f64).sqrt()
}
