//! One step of the implicit trapezoidal rule.
//!
//! x1 = x0 + h/2 (f(t0, x0) + f(t1, x1)), solved by Newton's method on the exact Jacobian.
//! The matrix is kept while the iteration contracts well and is made anew where it does not.
//! Nothing is kept from one step to the next.

use crate::counters::Counters;
use crate::error::StepError;
use crate::explicit::{Tolerance, not_finite};
use crate::linear::Linear;
use crate::segment::Segment;
use crate::system::System;

/// Working space of the iteration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
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
        if self.correction.len() != n {
            self.correction = vec![0.0; n];
        }
    }

    /// Fills the segment's end and the slope there.
    pub fn step<S: System>(
        &mut self,
        system: &mut S,
        segment: &mut Segment,
        linear: &mut Linear,
        tolerance: Tolerance,
        counters: &mut Counters,
    ) -> Result<(), StepError> {
        segment.x1.copy_from_slice(&segment.x0);
        self.evaluate(system, segment, counters)?;
        let mut before = f64::INFINITY;
        let mut stale = true;
        for _ in 0..ITERATIONS {
            if stale && !linearise(system, segment, linear, counters) {
                break;
            }
            let size = self.correct(segment, linear, tolerance);
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

    /// Moves the end by one correction; returns its size in units of the tolerance.
    fn correct(&mut self, segment: &mut Segment, linear: &mut Linear, tolerance: Tolerance) -> f64 {
        let half = 0.5 * (segment.end - segment.start);
        let (first, rest) = (&segment.slopes[0], &segment.slopes[segment.slopes.len() - 1]);
        for (i, correction) in self.correction.iter_mut().enumerate() {
            *correction = segment.x0[i] + half * (first[i] + rest[i]) - segment.x1[i];
        }
        linear.solve(&mut self.correction);
        let mut sum = 0.0;
        for (x, correction) in segment.x1.iter_mut().zip(&self.correction) {
            *x += correction;
            let ratio = correction / (tolerance.absolute + tolerance.relative * x.abs());
            sum += ratio * ratio;
        }
        (sum / self.correction.len().max(1) as f64).sqrt()
    }
}

/// Factors I - h/2 df/dx at the present end.
fn linearise<S: System>(
    system: &mut S,
    segment: &Segment,
    linear: &mut Linear,
    counters: &mut Counters,
) -> bool {
    linear.linearise(system, segment.end, &segment.x1, counters);
    linear.factor(1.0, 0.5 * (segment.end - segment.start))
}
