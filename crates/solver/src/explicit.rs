//! One trial step of an explicit method, from its tableau.
//!
//! The loops over states are fused over the slopes and carry no branches, so that they
//! vectorise; [`crate::sums`] makes the number of slopes in a row a constant of each loop. The
//! functions that take a tableau become part of their callers, which are compiled for each tableau
//! in use: for small systems the coefficients then cost nothing to look up.

use crate::segment::Segment;
use crate::sums::{Sums, with_sums};
use crate::system::System;
use crate::tableau::{Tableau, Weight};
use crate::wide::wide;

/// How many sums the terms of an error are added to in turn, before these are added; the rest of
/// the terms is a sum of its own. One chain of additions would set the pace for large systems. Code
/// that computes a step whole has to add in the same order.
pub const ERROR_LANES: usize = 4;

/// The error allowed for each state.
#[derive(Clone, Copy)]
pub(crate) struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
}

impl Tolerance {
    /// The error allowed for a state of this size.
    #[inline]
    pub fn of(self, size: f64) -> f64 {
        self.absolute + self.relative * size
    }
}

/// Fills the segment's slopes and its end from its start; returns the evaluations.
#[inline(always)]
pub(crate) fn stages<S: System>(
    tableau: &'static Tableau,
    system: &mut S,
    segment: &mut Segment,
    argument: &mut [f64],
) -> u64 {
    let (t, h) = (segment.start, segment.end - segment.start);
    let last = tableau.nodes.len() - 1;
    for i in 1..last {
        let (known, rest) = segment.slopes.split_at_mut(i);
        combine(argument, &segment.x0, h, known, tableau.rows[i]);
        system.derivative(t + tableau.nodes[i] * h, argument, &mut rest[0]);
    }
    let (known, rest) = segment.slopes.split_at_mut(last);
    combine(&mut segment.x1, &segment.x0, h, known, tableau.rows[last]);
    system.derivative(segment.end, &segment.x1, &mut rest[0]);
    last as u64
}

/// out = x + h Σ w_j k_j.
fn combine(out: &mut [f64], x: &[f64], h: f64, k: &[Vec<f64>], row: &[Weight]) {
    wide(
        out.len(),
        #[inline(always)]
        || {
            let n = out.len();
            let x = &x[..n];
            with_sums!(k, row, n, |sums| for i in 0..n {
                out[i] = x[i] + h * sums.at(i);
            });
        },
    );
}

/// The mean square of the error over its tolerance; NaN if the step's end or the slope there is
/// not finite.
#[inline(always)]
pub(crate) fn mean_square(
    tableau: &'static Tableau,
    segment: &Segment,
    tolerance: Tolerance,
) -> f64 {
    let (n, row) = (segment.x0.len(), tableau.error());
    wide(
        n,
        #[inline(always)]
        || with_sums!(&segment.slopes, row, n, |sums| mean_square_of(sums, segment, tolerance)),
    )
}

/// Terms are computed some at a time before they are added, because loops that do both are only
/// half vectorised.
#[inline(always)]
fn mean_square_of(sums: impl Sums, segment: &Segment, tolerance: Tolerance) -> f64 {
    const TERMS: usize = 16 * ERROR_LANES;
    let n = segment.x0.len();
    if n == 0 {
        return 0.0;
    }
    let h = segment.end - segment.start;
    let values = [&segment.x0[..n], &segment.x1[..n], &segment.end_slope()[..n]];
    let mut lanes = [0.0; ERROR_LANES];
    let whole = n - n % ERROR_LANES;
    for base in (0..whole).step_by(TERMS) {
        let mut terms = [0.0; TERMS];
        let terms = &mut terms[..TERMS.min(whole - base)];
        let (values, sums) = (values.map(|x| &x[base..]), sums.skip(base));
        for (i, own) in terms.iter_mut().enumerate() {
            *own = term(values, sums, (h, tolerance), i);
        }
        for four in terms.chunks_exact(ERROR_LANES) {
            lanes.iter_mut().zip(four).for_each(|(sum, own)| *sum += own);
        }
    }
    let mut rest = 0.0;
    for i in whole..n {
        rest += term(values, sums, (h, tolerance), i);
    }
    (lanes.iter().sum::<f64>() + rest) * (1.0 / n as f64)
}

/// The square of the error of a state in units of what is allowed, from its values at both ends and
/// its slope at the last; NaN if one of these is not finite: `v * 0.0` is zero for a finite v and
/// NaN for any other.
#[inline(always)]
fn term(
    [x0, x1, end]: [&[f64]; 3],
    sums: impl Sums,
    (h, tolerance): (f64, Tolerance),
    i: usize,
) -> f64 {
    let scale = tolerance.absolute + tolerance.relative * x0[i].abs().max(x1[i].abs());
    let ratio = h * sums.at(i) / (scale + (x1[i] * 0.0 + end[i] * 0.0));
    ratio * ratio
}

/// The first state whose value or slope is not finite.
pub(crate) fn not_finite(x: &[f64], dx: &[f64]) -> Option<usize> {
    // All of them side by side first, because there is hardly ever one: a finite number times zero
    // has no bits but its sign. A sum that is too large is looked at again below.
    let odd = |all: u64, (x, dx): (&f64, &f64)| all | ((x + dx) * 0.0).to_bits();
    if wide(
        x.len(),
        #[inline(always)]
        || x.iter().zip(dx).fold(0, odd),
    ) << 1
        == 0
    {
        return None;
    }
    x.iter().zip(dx).position(|(x, dx)| !(x.is_finite() && dx.is_finite()))
}
