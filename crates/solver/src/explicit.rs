//! One trial step of an explicit method.
//!
//! The loops over states are fused over the slopes and carry no branches, so that they
//! vectorise; the number of slopes in a row is a constant of each loop.

use std::array::from_fn;

use crate::segment::Segment;
use crate::system::System;
use crate::tableau::Tableau;
use crate::wide::wide;

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
pub(crate) fn stages<T: Tableau, S: System>(
    system: &mut S,
    segment: &mut Segment,
    argument: &mut [f64],
) -> u64 {
    let (t, h) = (segment.start, segment.end - segment.start);
    let last = T::NODES.len() - 1;
    for i in 1..last {
        let (known, rest) = segment.slopes.split_at_mut(i);
        combine(argument, &segment.x0, h, known, T::ROWS[i]);
        system.derivative(t + T::NODES[i] * h, argument, &mut rest[0]);
    }
    let (known, rest) = segment.slopes.split_at_mut(last);
    combine(&mut segment.x1, &segment.x0, h, known, T::ROWS[last]);
    system.derivative(segment.end, &segment.x1, &mut rest[0]);
    last as u64
}

/// out = x + h Σ w_j k_j.
fn combine(out: &mut [f64], x: &[f64], h: f64, k: &[Vec<f64>], row: &[(usize, f64)]) {
    wide(
        out.len(),
        #[inline(always)]
        || match row.len() {
            1 => combine_exactly::<1>(out, x, h, k, row),
            2 => combine_exactly::<2>(out, x, h, k, row),
            3 => combine_exactly::<3>(out, x, h, k, row),
            4 => combine_exactly::<4>(out, x, h, k, row),
            5 => combine_exactly::<5>(out, x, h, k, row),
            length => unreachable!("no tableau has a row of {length}"),
        },
    );
}

#[inline(always)]
fn combine_exactly<const N: usize>(
    out: &mut [f64],
    x: &[f64],
    h: f64,
    k: &[Vec<f64>],
    row: &[(usize, f64)],
) {
    let n = out.len();
    let x = &x[..n];
    let k: [&[f64]; N] = from_fn(|j| &k[row[j].0][..n]);
    let w: [f64; N] = from_fn(|j| row[j].1);
    for i in 0..n {
        out[i] = x[i] + h * weighed(&k, &w, i);
    }
}

/// The mean square of the error over its tolerance; NaN where the step's end or the slope there is
/// not finite.
pub(crate) fn mean_square<T: Tableau>(segment: &Segment, tolerance: Tolerance) -> f64 {
    wide(
        segment.x0.len(),
        #[inline(always)]
        || match T::ERROR.len() {
            2 => mean_square_exactly::<2>(segment, tolerance, T::ERROR),
            4 => mean_square_exactly::<4>(segment, tolerance, T::ERROR),
            6 => mean_square_exactly::<6>(segment, tolerance, T::ERROR),
            length => unreachable!("no tableau has an error row of {length}"),
        },
    )
}

/// Sums are kept apart in lanes, because one chain of additions would set the pace for
/// large systems; terms are computed some at a time before they are added, because loops that do
/// both are vectorised by halves. `v * 0.0` is zero for a finite v and NaN for any other.
#[inline(always)]
fn mean_square_exactly<const N: usize>(
    segment: &Segment,
    tolerance: Tolerance,
    row: &[(usize, f64)],
) -> f64 {
    const LANES: usize = 4;
    const TERMS: usize = 16 * LANES;
    let n = segment.x0.len();
    if n == 0 {
        return 0.0;
    }
    let h = segment.end - segment.start;
    let (x0, x1, end) = (&segment.x0[..n], &segment.x1[..n], &segment.end_slope()[..n]);
    let k: [&[f64]; N] = from_fn(|j| &segment.slopes[row[j].0][..n]);
    let w: [f64; N] = from_fn(|j| row[j].1);
    let values = [x0, x1, end];
    let mut lanes = [0.0; LANES];
    let whole = n - n % LANES;
    for base in (0..whole).step_by(TERMS) {
        let mut terms = [0.0; TERMS];
        let terms = &mut terms[..TERMS.min(whole - base)];
        let (values, k) = (values.map(|x| &x[base..]), k.map(|k| &k[base..]));
        for (i, own) in terms.iter_mut().enumerate() {
            *own = term(values, (&k, &w), (h, tolerance), i);
        }
        for four in terms.chunks_exact(LANES) {
            lanes.iter_mut().zip(four).for_each(|(sum, own)| *sum += own);
        }
    }
    let mut rest = 0.0;
    for i in whole..n {
        rest += term(values, (&k, &w), (h, tolerance), i);
    }
    (lanes.iter().sum::<f64>() + rest) * (1.0 / n as f64)
}

/// The slopes of a state by their weights. It is inlined wherever it is used, so that loops over
/// states become vector instructions.
#[inline(always)]
pub(crate) fn weighed<const N: usize>(k: &[&[f64]; N], w: &[f64; N], i: usize) -> f64 {
    let mut sum = w[0] * k[0][i];
    for j in 1..N {
        sum += w[j] * k[j][i];
    }
    sum
}

/// The square of the error of a state in units of what is allowed, from its values at both ends and
/// its slope at the last; not a number where one of these is not finite.
#[inline(always)]
fn term<const N: usize>(
    [x0, x1, end]: [&[f64]; 3],
    (k, w): (&[&[f64]; N], &[f64; N]),
    (h, tolerance): (f64, Tolerance),
    i: usize,
) -> f64 {
    let scale = tolerance.absolute + tolerance.relative * x0[i].abs().max(x1[i].abs());
    let ratio = h * weighed(k, w, i) / (scale + (x1[i] * 0.0 + end[i] * 0.0));
    ratio * ratio
}

/// The first state whose value or slope is not finite.
pub(crate) fn not_finite(x: &[f64], dx: &[f64]) -> Option<usize> {
    // All of them side by side first, for there is hardly ever one: a finite number times zero has
    // no bits but its sign. A sum that is too large is looked at again below.
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
