//! One step of the implicit trapezoidal rule.
//!
//! x1 = x0 + h/2 (f(t0, x0) + f(t1, x1)), solved by Newton's method on the exact Jacobian.
//! The matrix is kept while the iteration contracts well and is made anew where it does not.
//! Nothing is kept from one step to the next.

use crate::counters::Counters;
use crate::error::StepError;
use crate::explicit::{Tolerance, not_finite};
use crate::lu;
use crate::segment::Segment;
use crate::system::System;

/// Working space of the iteration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    matrix: Vec<f64>,
    pivots: Vec<usize>,
    correction: Vec<f64>,
}

/// Iterations before the step fails; the exact Jacobian needs far fewer.
const ITERATIONS: usize = 25;
/// The last correction in units of the tolerance; small, so that the error of the iteration
/// is lost beside the method's own.
const CONVERGED: f64 = 1e-4;
/// Contraction that is too slow to go on with an old matrix.
const SLOW: f64 = 0.1;

impl Newton {
    /// Makes the space where it is missing.
    pub fn prepare(&mut self, n: usize) {
        if self.pivots.len() != n {
            self.matrix = vec![0.0; n * n];
            self.pivots = vec![0; n];
            self.correction = vec![0.0; n];
        }
    }

    /// Fills the segment's end and the slope there.
    pub fn step<S: System>(
        &mut self,
        system: &mut S,
        segment: &mut Segment,
        tolerance: Tolerance,
        counters: &mut Counters,
    ) -> Result<(), StepError> {
        segment.x1.copy_from_slice(&segment.x0);
        self.evaluate(system, segment, counters)?;
        let mut before = f64::INFINITY;
        let mut stale = true;
        for _ in 0..ITERATIONS {
            if stale && !self.linearise(system, segment, counters) {
                break;
            }
            let size = self.correct(segment, tolerance);
            self.evaluate(system, segment, counters)?;
            if size <= CONVERGED {
                return Ok(());
            }
            stale = size > SLOW * before;
            before = size;
        }
        Err(StepError::NewtonFailed { t: segment.start })
    }

    fn evaluate<S: System>(
        &mut self,
        system: &mut S,
        segment: &mut Segment,
        counters: &mut Counters,
    ) -> Result<(), StepError> {
        let last = segment.slopes.len() - 1;
        system.derivative(segment.end, &segment.x1, &mut segment.slopes[last]);
        counters.evaluations += 1;
        match not_finite(&segment.x1, segment.end_slope()) {
            None => Ok(()),
            component => Err(StepError::NotFinite { t: segment.end, component }),
        }
    }

    /// Factors I - h/2 df/dx at the present end.
    fn linearise<S: System>(
        &mut self,
        system: &mut S,
        segment: &Segment,
        counters: &mut Counters,
    ) -> bool {
        let n = self.pivots.len();
        let half = 0.5 * (segment.end - segment.start);
        system.jacobian(segment.end, &segment.x1, &mut self.matrix);
        counters.jacobians += 1;
        self.matrix.iter_mut().for_each(|a| *a *= -half);
        (0..n).for_each(|i| self.matrix[i * n + i] += 1.0);
        lu::factor(&mut self.matrix, &mut self.pivots)
    }

    /// Moves the end by one correction; returns its size in units of the tolerance.
    fn correct(&mut self, segment: &mut Segment, tolerance: Tolerance) -> f64 {
        let half = 0.5 * (segment.end - segment.start);
        let (first, rest) = (&segment.slopes[0], &segment.slopes[segment.slopes.len() - 1]);
        for (i, correction) in self.correction.iter_mut().enumerate() {
            *correction = segment.x0[i] + half * (first[i] + rest[i]) - segment.x1[i];
        }
        lu::solve(&self.matrix, &self.pivots, &mut self.correction);
        let mut sum = 0.0;
        for (x, correction) in segment.x1.iter_mut().zip(&self.correction) {
            *x += correction;
            let ratio = correction / (tolerance.absolute + tolerance.relative * x.abs());
            sum += ratio * ratio;
        }
        (sum / self.correction.len().max(1) as f64).sqrt()
    }
}
