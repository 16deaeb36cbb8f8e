//! A part of a step, with bounds of what the states do in it.

use base::Interval;

use crate::segment::Segment;

/// The part of a step between two offsets.
///
/// A polynomial lies between the least and the greatest of its Bernstein coefficients (G. Farin,
/// Curves and Surfaces for CAGD, chapter 5); those over a part come from the Taylor coefficients
/// at its start.
#[derive(Clone, Copy, Debug)]
pub struct StepSpan<'a> {
    segment: &'a Segment,
    /// The offsets.
    from: f64,
    to: f64,
    /// The start and the width as parts of the step.
    start: f64,
    width: f64,
}

impl<'a> StepSpan<'a> {
    pub(crate) fn new(segment: &'a Segment, from: f64, to: f64) -> StepSpan<'a> {
        let h = segment.end - segment.start;
        StepSpan { segment, from, to, start: (from - segment.start) / h, width: (to - from) / h }
    }

    /// Every offset in it.
    pub fn time(&self) -> Interval {
        Interval { low: self.from, high: self.to }
    }

    /// Bounds of a state.
    pub fn state(&self, i: usize) -> Interval {
        let [a, b, c, d, e] = self.segment.polynomial(i);
        let (t, w) = (self.start, self.width);
        // Taylor coefficients at the start, times the powers of the width.
        let taylor = [
            a + t * (b + t * (c + t * (d + t * e))),
            w * (b + t * (2.0 * c + t * (3.0 * d + t * 4.0 * e))),
            w * w * (c + t * (3.0 * d + t * 6.0 * e)),
            w * w * w * (d + t * 4.0 * e),
            w * w * w * w * e,
        ];
        let size = a.abs() + b.abs() + c.abs() + d.abs() + e.abs();
        bounds(&taylor, &FOURTH, size)
    }

    /// Bounds of the time derivative of a state.
    pub fn slope(&self, i: usize) -> Interval {
        let [_, b, c, d, e] = self.segment.polynomial(i);
        let (t, w) = (self.start, self.width);
        let taylor = [
            b + t * (2.0 * c + t * (3.0 * d + t * 4.0 * e)),
            w * (2.0 * c + t * (6.0 * d + t * 12.0 * e)),
            w * w * (3.0 * d + t * 12.0 * e),
            w * w * w * 4.0 * e,
        ];
        let size = b.abs() + 2.0 * c.abs() + 3.0 * d.abs() + 4.0 * e.abs();
        let by_part = bounds(&taylor, &THIRD, size);
        let h = self.segment.end - self.segment.start;
        by_part / Interval::point(h)
    }
}

/// The share of each Taylor coefficient in a Bernstein coefficient:
/// binomial(i, j) / binomial(n, j).
const THIRD: [[f64; 4]; 4] = [
    [1.0, 0.0, 0.0, 0.0],
    [1.0, 1.0 / 3.0, 0.0, 0.0],
    [1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0],
    [1.0, 1.0, 1.0, 1.0],
];
const FOURTH: [[f64; 5]; 5] = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 0.25, 0.0, 0.0, 0.0],
    [1.0, 0.5, 1.0 / 6.0, 0.0, 0.0],
    [1.0, 0.75, 0.5, 0.25, 0.0],
    [1.0, 1.0, 1.0, 1.0, 1.0],
];

/// The least interval with all Bernstein coefficients in it, and the rounding of numbers of a size.
fn bounds<const N: usize>(taylor: &[f64; N], weights: &[[f64; N]; N], size: f64) -> Interval {
    let coefficient = |row: &[f64; N]| (0..N).map(|j| row[j] * taylor[j]).sum::<f64>();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for row in weights {
        let value = coefficient(row);
        if value.is_nan() {
            return Interval::ALL;
        }
        (low, high) = (low.min(value), high.max(value));
    }
    let room = 32.0 * f64::EPSILON * size;
    Interval::outward(low - room, high + room)
}
