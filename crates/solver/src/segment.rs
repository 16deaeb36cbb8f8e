//! The last step as a function of time.
//!
//! A segment holds both ends of a step and the slopes of its stages; nothing is prepared, so
//! a step without looks inside pays nothing for its dense output. With θ in [0, 1] over the
//! step, every kind of output is x0 + a(θ) (x1 - x0) + Σ w_j(θ) k_j.

use base::clone_reusing;
use serde::{Deserialize, Serialize};
use std::array::from_fn;

use crate::tableau::Weight;
use crate::tableau::rodas5p::{DENSE, STAGES};
use crate::wide::{largest, wide};

/// How values inside a step are made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Dense {
    /// The chord, of order 1.
    Linear,
    /// The cubic through values and slopes at both ends, of order at most 3.
    Hermite,
    /// Hermite's cubic with the quartic term of a tableau's extension, of order 4. The weights are
    /// those of the method and are not saved.
    Quartic(#[serde(skip)] &'static [Weight]),
    /// The quartic of Rodas5P, made of its stages, of order 4. Its slopes at the ends are not the
    /// derivatives there: those of a stiff system blow an error of the state up.
    Rodas5p,
}

/// One step: its ends, the states there and the slopes of its stages.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Segment {
    pub dense: Dense,
    /// Offset of the start.
    pub start: f64,
    /// Offset of the end.
    pub end: f64,
    /// State at the start.
    pub x0: Vec<f64>,
    /// State at the end.
    pub x1: Vec<f64>,
    /// Slopes; the first is the derivative at the start, the last the one at the end.
    pub slopes: Vec<Vec<f64>>,
}

clone_reusing!(Segment { dense, start, end, x0, x1, slopes });

impl Segment {
    pub fn new(dense: Dense, dimension: usize, slopes: usize) -> Segment {
        let zeros = vec![0.0; dimension];
        let slopes = vec![zeros.clone(); slopes];
        Segment { dense, start: 0.0, end: 0.0, x0: zeros.clone(), x1: zeros, slopes }
    }

    /// Makes room for another number of states.
    pub fn resize(&mut self, dimension: usize) {
        let states = [&mut self.x0, &mut self.x1];
        states.into_iter().chain(&mut self.slopes).for_each(|x| x.resize(dimension, 0.0));
    }

    /// The derivative at the end.
    pub fn end_slope(&self) -> &[f64] {
        &self.slopes[self.slopes.len() - 1]
    }

    /// The derivative at the end, to be written.
    pub fn end_slope_mut(&mut self) -> &mut [f64] {
        let last = self.slopes.len() - 1;
        &mut self.slopes[last]
    }

    /// Whether the slope of the dense output at the end is the derivative there.
    pub fn ends_smoothly(&self) -> bool {
        self.dense != Dense::Rodas5p || self.end == self.start
    }

    /// Makes the end of this step the start of the next one, without copying.
    pub fn pass(&mut self) {
        let last = self.slopes.len() - 1;
        self.start = self.end;
        std::mem::swap(&mut self.x0, &mut self.x1);
        self.slopes.swap(0, last);
    }

    /// Makes the start the end again after a step that failed.
    pub fn withdraw(&mut self) {
        let last = self.slopes.len() - 1;
        self.end = self.start;
        self.x1.copy_from_slice(&self.x0);
        let (first, rest) = self.slopes.split_at_mut(1);
        rest[last - 1].copy_from_slice(&first[0]);
    }

    /// Writes the state at `t`; at the ends exactly the states of the step.
    pub fn value(&self, t: f64, x: &mut [f64]) {
        self.values(t, 0, x);
    }

    /// The same for states from a number on.
    pub fn values(&self, t: f64, from: usize, x: &mut [f64]) {
        if t == self.end {
            return x.copy_from_slice(&self.x1[from..from + x.len()]);
        }
        if t == self.start {
            return x.copy_from_slice(&self.x0[from..from + x.len()]);
        }
        let h = self.end - self.start;
        let theta = (t - self.start) / h;
        let rest = 1.0 - theta;
        if self.dense == Dense::Rodas5p {
            let [p, q, r] = DENSE;
            let w = from_fn(|j| (j + 1, theta * rest * (p[j] + theta * (q[j] + theta * r[j]))));
            return self.sum::<STAGES>((x, from), 1.0, theta, w);
        }
        let chord = match self.dense {
            Dense::Linear => theta,
            _ => theta * theta * (3.0 - 2.0 * theta),
        };
        let ends = [h * theta * rest * rest, -h * theta * theta * rest];
        self.blend((x, from), 1.0, chord, ends, h * theta * theta * rest * rest);
    }

    /// Writes the time derivative of the dense output at `t`; at the ends the slopes there, except
    /// for Rodas5P.
    pub fn slope(&self, t: f64, dx: &mut [f64]) {
        self.rates(t, 0, dx);
    }

    /// The same for states from a number on.
    pub fn rates(&self, t: f64, from: usize, dx: &mut [f64]) {
        if !self.ends_smoothly() {
            return self.slope_of_stages(t, (dx, from));
        }
        if t == self.end {
            return dx.copy_from_slice(&self.end_slope()[from..from + dx.len()]);
        }
        if t == self.start {
            return dx.copy_from_slice(&self.slopes[0][from..from + dx.len()]);
        }
        let h = self.end - self.start;
        let theta = (t - self.start) / h;
        let rest = 1.0 - theta;
        let chord = match self.dense {
            Dense::Linear => 1.0 / h,
            _ => 6.0 * theta * rest / h,
        };
        let ends = [rest * (1.0 - 3.0 * theta), theta * (3.0 * theta - 2.0)];
        self.blend((dx, from), 0.0, chord, ends, 2.0 * theta * rest * (1.0 - 2.0 * theta));
    }

    /// Writes both at once, with the same bits; in one loop for Dormand and Prince's extension.
    pub fn value_and_slope(&self, t: f64, x: &mut [f64], dx: &mut [f64]) {
        if x.is_empty() {
            return;
        }
        let six = match self.dense {
            Dense::Quartic(weights) if t != self.end && t != self.start => weights.try_into().ok(),
            _ => None,
        };
        let Some(six) = six else {
            self.value(t, x);
            return self.slope(t, dx);
        };
        let h = self.end - self.start;
        let theta = (t - self.start) / h;
        let rest = 1.0 - theta;
        let chords = [theta * theta * (3.0 - 2.0 * theta), 6.0 * theta * rest / h];
        let values = [h * theta * rest * rest, -h * theta * theta * rest];
        let slopes = [rest * (1.0 - 3.0 * theta), theta * (3.0 * theta - 2.0)];
        let value = extension(six, values, h * theta * theta * rest * rest);
        let slope = extension(six, slopes, 2.0 * theta * rest * (1.0 - 2.0 * theta));
        let few = match x.len() {
            1 => self.few::<1>(chords, [value, slope], x, dx),
            2 => self.few::<2>(chords, [value, slope], x, dx),
            3 => self.few::<3>(chords, [value, slope], x, dx),
            _ => None,
        };
        if few.is_some() {
            return;
        }
        let n = x.len();
        let (x0, x1, dx) = (&self.x0[..n], &self.x1[..n], &mut dx[..n]);
        let k: [&[f64]; SIX] = from_fn(|j| &self.slopes[value[j].0][..n]);
        for i in 0..n {
            let rise = x1[i] - x0[i];
            let mut sums = [chords[0] * rise, chords[1] * rise];
            for j in 0..SIX {
                sums[0] += value[j].1 * k[j][i];
                sums[1] += slope[j].1 * k[j][i];
            }
            x[i] = x0[i] + sums[0];
            dx[i] = sums[1];
        }
    }

    /// The same sums for so few states that a loop over them would take longer than they do; none
    /// for another number of them.
    #[inline(always)]
    fn few<const N: usize>(
        &self,
        chords: [f64; 2],
        [value, slope]: [[Weight; SIX]; 2],
        x: &mut [f64],
        dx: &mut [f64],
    ) -> Option<()> {
        let (x0, x1) = (self.x0.first_chunk::<N>()?, self.x1.first_chunk::<N>()?);
        let (x, dx) = (x.first_chunk_mut::<N>()?, dx.first_chunk_mut::<N>()?);
        let rise: [f64; N] = from_fn(|i| x1[i] - x0[i]);
        let mut sums = chords.map(|chord| rise.map(|rise| chord * rise));
        for (value, slope) in value.into_iter().zip(slope) {
            let k = self.slopes[value.0].first_chunk::<N>()?;
            for i in 0..N {
                sums[0][i] += value.1 * k[i];
                sums[1][i] += slope.1 * k[i];
            }
        }
        *x = from_fn(|i| x0[i] + sums[0][i]);
        *dx = sums[1];
        Some(())
    }

    /// One state over the step as a polynomial in θ: the coefficients of θ⁰ to θ⁴.
    pub fn polynomial(&self, i: usize) -> [f64; 5] {
        let (x0, h) = (self.x0[i], self.end - self.start);
        let rise = self.x1[i] - x0;
        let slope = |j: usize| self.slopes[j][i];
        if self.dense == Dense::Linear {
            return [x0, rise, 0.0, 0.0, 0.0];
        }
        if self.dense == Dense::Rodas5p {
            let [p, q, r] =
                DENSE.map(|row| (0..STAGES).map(|j| row[j] * slope(j + 1)).sum::<f64>());
            return [x0, rise + p, q - p, r - q, -r];
        }
        let (first, last) = (h * slope(0), h * self.end_slope()[i]);
        let quartic = self.quartic(i);
        let square = 3.0 * rise - 2.0 * first - last + quartic;
        let cube = first + last - 2.0 * rise - 2.0 * quartic;
        [x0, first, square, cube, quartic]
    }

    /// The coefficient of θ⁴ of one state.
    fn quartic(&self, i: usize) -> f64 {
        let slope = |j: usize| self.slopes[j][i];
        match self.dense {
            Dense::Linear | Dense::Hermite => 0.0,
            Dense::Quartic(weights) => {
                let h = self.end - self.start;
                weights.iter().map(|(j, d)| h * d * slope(*j)).sum()
            }
            Dense::Rodas5p => -(0..STAGES).map(|j| DENSE[2][j] * slope(j + 1)).sum::<f64>(),
        }
    }

    /// The largest coefficient of θ⁴ of any state, with a little to spare for its rounding. Beside
    /// values and slopes at both ends it is all that the dense output is made of.
    pub fn largest_quartic(&self) -> f64 {
        let most = match self.dense {
            Dense::Linear | Dense::Hermite => return 0.0,
            Dense::Quartic(weights) if let Ok(six) = Six::try_from(weights) => {
                let h = self.end - self.start;
                let n = self.x0.len();
                let weights = six.map(|(_, d)| h * d);
                let k: [&[f64]; SIX] = from_fn(|j| &self.slopes[six[j].0][..n]);
                wide(
                    n,
                    #[inline(always)]
                    || largest(k, weights),
                )
            }
            Dense::Quartic(_) | Dense::Rodas5p => {
                (0..self.x0.len()).fold(0.0, |most: f64, i| most.max(self.quartic(i).abs()))
            }
        };
        most * (1.0 + 64.0 * f64::EPSILON)
    }

    /// The derivative of θ (1 - θ) (p + θ (q + θ r)) is p + 2 θ (q - p) + 3 θ² (r - q) - 4 θ³ r.
    fn slope_of_stages(&self, t: f64, dx: Part) {
        let h = self.end - self.start;
        let theta = (t - self.start) / h;
        let [p, q, r] = DENSE;
        let weight = |j: usize| {
            let cubic = 3.0 * (r[j] - q[j]) - 4.0 * theta * r[j];
            (p[j] + theta * (2.0 * (q[j] - p[j]) + theta * cubic)) / h
        };
        self.sum::<STAGES>(dx, 0.0, 1.0 / h, from_fn(|j| (j + 1, weight(j))));
    }

    /// `lead` x0 + `chord` (x1 - x0) + the slopes by their weights, for the kind of output.
    fn blend(&self, out: Part, lead: f64, chord: f64, ends: [f64; 2], quartic: f64) {
        let last = self.slopes.len() - 1;
        match self.dense {
            Dense::Linear => self.sum(out, lead, chord, []),
            Dense::Hermite => self.sum(out, lead, chord, [(0, ends[0]), (last, ends[1])]),
            Dense::Quartic(weights) => match Six::try_from(weights) {
                Ok(six) => self.sum(out, lead, chord, extension(six, ends, quartic)),
                Err(_) => self.sum_of_any(out, lead, chord, |j| {
                    let cubic = match j {
                        0 => ends[0],
                        _ if j + 1 == weights.len() => ends[1],
                        _ => 0.0,
                    };
                    let (slope, d) = weights.get(j)?;
                    Some((*slope, quartic * d + cubic))
                }),
            },
            Dense::Rodas5p => unreachable!("it is made of the stages"),
        }
    }

    /// The same for any number of slopes; `weight` gives them one by one.
    fn sum_of_any(
        &self,
        (out, from): Part,
        lead: f64,
        chord: f64,
        weight: impl Fn(usize) -> Option<Weight>,
    ) {
        for (i, out) in (from..).zip(out) {
            let mut sum = chord * (self.x1[i] - self.x0[i]);
            for (slope, weight) in (0..).map_while(&weight) {
                sum += weight * self.slopes[slope][i];
            }
            *out = lead * self.x0[i] + sum;
        }
    }

    fn sum<const N: usize>(&self, out: Part, lead: f64, chord: f64, w: [Weight; N]) {
        let (out, from) = out;
        let n = out.len();
        let (x0, x1) = (&self.x0[from..from + n], &self.x1[from..from + n]);
        let k: [&[f64]; N] = from_fn(|j| &self.slopes[w[j].0][from..from + n]);
        for i in 0..n {
            let mut sum = chord * (x1[i] - x0[i]);
            for j in 0..N {
                sum += w[j].1 * k[j][i];
            }
            out[i] = lead * x0[i] + sum;
        }
    }
}

/// Room for some states, and the number of the first of them.
type Part<'a> = (&'a mut [f64], usize);

/// The weights of Dormand and Prince's extension. Their number is a constant of the loops over
/// states, which are most of the work of a search for crossings.
const SIX: usize = 6;
type Six = &'static [Weight; SIX];

/// The weights of the slopes in a dense output whose extension has six of them.
fn extension(six: Six, ends: [f64; 2], quartic: f64) -> [Weight; SIX] {
    let mut terms = six.map(|(j, d)| (j, quartic * d));
    terms[0].1 += ends[0];
    terms[SIX - 1].1 += ends[1];
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Method;

    /// Few states have loops of their own; they give the same bits as the loops over any number.
    #[test]
    fn values_and_slopes_together_are_those_one_by_one() {
        for n in 0..6 {
            let mut segment = Segment::new(Method::Rk45.dense(), n, Method::Rk45.slopes());
            let mut seed = n as f64 + 0.5;
            let mut next = || {
                seed = (seed * 1e3 + 0.1).sin();
                seed
            };
            (segment.start, segment.end) = (0.3, 0.7);
            let numbers = [&mut segment.x0, &mut segment.x1].into_iter().chain(&mut segment.slopes);
            numbers.flatten().for_each(|number| *number = next());
            for t in [0.3, 0.31, 0.5, 0.69999, 0.7] {
                let [mut x, mut dx, mut y, mut dy] = [(); 4].map(|()| vec![0.0; n]);
                segment.value_and_slope(t, &mut x, &mut dx);
                segment.value(t, &mut y);
                segment.slope(t, &mut dy);
                let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!([bits(&x), bits(&dx)], [bits(&y), bits(&dy)], "{n} states at {t}");
            }
        }
    }
}
