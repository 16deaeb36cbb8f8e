//! Nonlinear least squares within bounds, by the method of Levenberg and Marquardt.
//!
//! A function with exact derivatives comes in, and a point at which the sum of its squares is
//! smallest goes out, near the start: where the function leaves directions open, steps have no
//! component along them. Steps come from singular values, so that neither more unknowns than
//! conditions nor dependent conditions need cases of their own. Unknowns at a bound that would
//! leave it are held there (D. P. Bertsekas, Projected Newton methods, 1982).

use faer::Mat;

use crate::Matrix;

/// A function of unknowns whose zero is wanted.
pub trait Problem {
    /// Its values.
    fn values(&mut self, z: &[f64]) -> Vec<f64>;
    /// Its values and their derivatives by the unknowns.
    fn derivatives(&mut self, z: &[f64]) -> (Vec<f64>, Matrix);
    /// The bounds of each unknown.
    fn bounds(&self) -> &[(f64, f64)];
    /// The magnitude at which a change of each unknown is of interest.
    fn magnitudes(&self) -> &[f64];
}

/// How the search has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// At a zero of all values, up to rounding.
    Zero,
    /// At a point from which no direction leads closer to a zero.
    Nearest,
    /// At a bound of the number of steps.
    Steps,
    /// At a point where a value or a derivative is not finite.
    NotFinite,
}

/// Where the search has ended.
#[derive(Clone, Debug)]
pub struct Solution {
    /// How.
    pub ended: Ended,
    /// The unknowns.
    pub z: Vec<f64>,
    /// The values there.
    pub values: Vec<f64>,
    /// The number of steps.
    pub steps: usize,
    /// How many directions the values leave open there.
    pub open: usize,
    /// How much each unknown takes part in these directions, from 0 to 1.
    pub openness: Vec<f64>,
    /// The unknowns that are held at a bound.
    pub bound: Vec<usize>,
}

const MOST_STEPS: usize = 200;

/// After so many steps in a row that make the values smaller by less than this part of them, no
/// direction leads much closer.
const MOST_IDLE: usize = 10;
const PROGRESS: f64 = 1e-9;

/// A singular value below this part of the largest leaves its direction open.
const RANK: f64 = 1e-11;

/// The largest step of an unknown, relative to its magnitude or its value: a step that is longer is
/// shortened, since a nearly singular matrix says nothing about points so far away.
const LONGEST: f64 = 1.0;

/// A value counts as zero below this part of what a change of the unknowns by their magnitudes makes
/// of it.
const ZERO: f64 = 1e-10;

/// Values below this, relative to the same, are zero beyond doubt: a search that goes on only makes
/// small numbers smaller.
const VANISHED: f64 = 1e-25;

/// Searches from a start, which is moved into the bounds.
pub fn solve(problem: &mut impl Problem, start: &[f64]) -> Solution {
    let bounds = problem.bounds().to_vec();
    let mut z: Vec<f64> =
        start.iter().zip(&bounds).map(|(z, (low, high))| z.max(*low).min(*high)).collect();
    let mut damping = 0.0;
    let (mut steps, mut idle) = (0, 0);
    let (mut values, mut derivatives) = problem.derivatives(&z);
    if !are_finite(&values, &derivatives) {
        return Solution::without_directions(Ended::NotFinite, z, values, steps);
    }
    loop {
        let at = Local::new(problem, &z, values, derivatives);
        let ended = match at.size() {
            size if size < VANISHED => Some(Ended::Zero),
            _ if steps == MOST_STEPS && at.is_zero() => Some(Ended::Zero),
            _ if steps == MOST_STEPS => Some(Ended::Steps),
            _ if idle == MOST_IDLE && !at.is_zero() => Some(Ended::Nearest),
            _ => None,
        };
        let next = match ended {
            Some(_) => None,
            None => at.step(problem, &mut damping),
        };
        match next {
            Some(next) => {
                idle = if next.progress < PROGRESS { idle + 1 } else { 0 };
                (z, values, derivatives) = (next.z, next.values, next.derivatives);
            }
            None => {
                let ended = ended.unwrap_or(match at.is_zero() {
                    true => Ended::Zero,
                    false => Ended::Nearest,
                });
                return at.solution(ended, steps);
            }
        }
        steps += 1;
    }
}

/// The point after a step, with its values and derivatives.
struct Next {
    z: Vec<f64>,
    values: Vec<f64>,
    derivatives: Matrix,
    /// By which part of them the values have become smaller.
    progress: f64,
}

fn are_finite(values: &[f64], derivatives: &Matrix) -> bool {
    values.iter().all(|x| x.is_finite()) && derivatives.is_finite()
}

/// The problem around a point, in unknowns and values of comparable magnitude.
struct Local {
    z: Vec<f64>,
    values: Vec<f64>,
    /// What each unknown is divided by.
    units: Vec<f64>,
    /// What each value is divided by.
    sizes: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    /// The unknowns that may move.
    free: Vec<usize>,
    /// Singular values of the scaled derivatives by the free unknowns, with their vectors.
    singular: Vec<f64>,
    left: Mat<f64>,
    right: Mat<f64>,
}

impl Local {
    fn new(problem: &impl Problem, z: &[f64], values: Vec<f64>, derivatives: Matrix) -> Local {
        let bounds = problem.bounds().to_vec();
        let magnitudes = problem.magnitudes().iter();
        let units: Vec<f64> = z.iter().zip(magnitudes).map(|(z, m)| z.abs().max(*m)).collect();
        let size = |row: usize| {
            let terms = derivatives.row(row).iter().zip(&units);
            let size = terms.map(|(slope, unit)| (slope * unit).abs()).sum::<f64>();
            if size > 0.0 { size } else { 1.0 }
        };
        let sizes: Vec<f64> = (0..values.len()).map(size).collect();
        // An unknown at a bound is held there if it would leave.
        let slope = |j: usize| -> f64 {
            let rows = 0..values.len();
            rows.map(|i| derivatives.get(i, j) * values[i] / (sizes[i] * sizes[i])).sum()
        };
        let held = |j: &usize| {
            let (low, high) = bounds[*j];
            low == high || z[*j] <= low && slope(*j) > 0.0 || z[*j] >= high && slope(*j) < 0.0
        };
        let free: Vec<usize> = (0..z.len()).filter(|j| !held(j)).collect();
        let scaled = Mat::from_fn(values.len(), free.len(), |i, j| {
            derivatives.get(i, free[j]) * units[free[j]] / sizes[i]
        });
        let empty = values.is_empty() || free.is_empty();
        let (singular, left, right) = match if empty { None } else { scaled.thin_svd().ok() } {
            Some(svd) => {
                let values = svd.S().column_vector().iter().copied().collect();
                (values, svd.U().to_owned(), svd.V().to_owned())
            }
            None => (Vec::new(), Mat::zeros(values.len(), 0), Mat::zeros(free.len(), 0)),
        };
        Local { z: z.to_vec(), values, units, sizes, bounds, free, singular, left, right }
    }

    fn scaled_size(&self, values: &[f64]) -> f64 {
        values.iter().zip(&self.sizes).map(|(x, size)| (x / size) * (x / size)).sum::<f64>().sqrt()
    }

    fn size(&self) -> f64 {
        self.scaled_size(&self.values)
    }

    fn is_zero(&self) -> bool {
        self.values.iter().zip(&self.sizes).all(|(x, size)| x.abs() <= ZERO * size)
    }

    fn rank(&self) -> usize {
        let most = self.singular.first().copied().unwrap_or(0.0);
        self.singular.iter().filter(|s| **s > RANK * most && **s > 0.0).count()
    }

    /// The next point, with the values and derivatives there, or none if no step makes the values
    /// smaller. A point without derivatives, such as the end of a root, is no place to go on from.
    fn step(&self, problem: &mut impl Problem, damping: &mut f64) -> Option<Next> {
        let before = self.size();
        let most = self.singular.first().copied().unwrap_or(0.0);
        for _ in 0..40 {
            let next = self.moved(*damping);
            if next == self.z {
                return None;
            }
            let after = self.scaled_size(&problem.values(&next));
            let found = (after < before).then(|| problem.derivatives(&next));
            if let Some((values, derivatives)) = found
                && are_finite(&values, &derivatives)
            {
                *damping *= 0.1;
                if *damping < 1e-6 * most {
                    *damping = 0.0;
                }
                let progress = 1.0 - after / before;
                return Some(Next { z: next, values, derivatives, progress });
            }
            *damping = if *damping == 0.0 { 1e-3 * most } else { 4.0 * *damping };
        }
        *damping = 0.0;
        None
    }

    /// The point after a step: with damping 0, of Gauss and Newton.
    fn moved(&self, damping: f64) -> Vec<f64> {
        let mut step = vec![0.0; self.free.len()];
        for k in 0..self.rank() {
            let rows = self.values.iter().zip(&self.sizes).enumerate();
            let along: f64 = rows.map(|(i, (x, size))| self.left[(i, k)] * x / size).sum();
            let s = self.singular[k];
            let factor = along * s / (s * s + damping * damping);
            step.iter_mut().enumerate().for_each(|(j, d)| *d -= factor * self.right[(j, k)]);
        }
        let longest = step.iter().fold(0.0f64, |most, d| most.max(d.abs()));
        if longest > LONGEST {
            step.iter_mut().for_each(|d| *d *= LONGEST / longest);
        }
        let mut next = self.z.clone();
        for (d, j) in step.iter().zip(&self.free) {
            let (low, high) = self.bounds[*j];
            next[*j] = (self.z[*j] + d * self.units[*j]).max(low).min(high);
        }
        next
    }

    fn solution(self, ended: Ended, steps: usize) -> Solution {
        let rank = self.rank();
        let mut openness = vec![0.0; self.z.len()];
        for (j, own) in self.free.iter().enumerate() {
            let taken: f64 = (0..rank).map(|k| self.right[(j, k)] * self.right[(j, k)]).sum();
            openness[*own] = (1.0 - taken).clamp(0.0, 1.0).sqrt();
        }
        let bound = (0..self.z.len()).filter(|j| !self.free.contains(j)).collect();
        let open = self.free.len() - rank;
        let Local { z, values, .. } = self;
        Solution { ended, z, values, steps, open, openness, bound }
    }
}

impl Solution {
    fn without_directions(ended: Ended, z: Vec<f64>, values: Vec<f64>, steps: usize) -> Solution {
        let openness = vec![0.0; z.len()];
        Solution { ended, z, values, steps, open: 0, openness, bound: Vec::new() }
    }
}
