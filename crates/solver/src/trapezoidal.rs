//! One step of the implicit trapezoidal rule and of its pair with a backward difference.
//!
//! Both are stages of the form x = base + h d f(t, x), solved by Newton's method on the exact
//! derivatives. The matrix is kept while the iteration contracts well and is made anew if it does
//! not. Nothing is kept from one step to the next.

use crate::counters::Counters;
use crate::error::StepError;
use crate::explicit::{Tolerance, not_finite};
use crate::linear::Linear;
use crate::segment::Segment;
use crate::system::System;
use crate::tableau::trbdf2::{BETA, DIAGONAL, ERROR, GAMMA};

/// Working space of the iteration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    base: Vec<f64>,
    correction: Vec<f64>,
}

/// Iterations before the step fails; the exact Jacobian needs far fewer.
const ITERATIONS: usize = 25;
/// The same if a shorter step can be tried instead.
const FEW_ITERATIONS: usize = 8;
/// The last correction in units of the tolerance; small, so that the error of the iteration
/// is lost beside the method's own.
const CONVERGED: f64 = 1e-4;
/// The same if the error of the step is estimated anyway.
const CONVERGED_ENOUGH: f64 = 1e-2;
/// Contraction that is too slow to go on with an old matrix.
const SLOW: f64 = 0.1;

/// Everything that an iteration needs.
pub(crate) struct Work<'a, S> {
    pub system: &'a mut S,
    pub linear: &'a mut Linear,
    pub tolerance: Tolerance,
    pub counters: &'a mut Counters,
}

/// A stage x = base + `weight` f(`t`, x).
struct Stage {
    t: f64,
    weight: f64,
    /// The last correction that is good enough, in units of the tolerance.
    converged: f64,
    iterations: usize,
    /// Whether the matrix belongs to this step and weight already.
    factored: bool,
}

impl Newton {
    /// Makes the working space if it is missing.
    pub fn prepare(&mut self, n: usize) {
        if self.correction.len() != n {
            self.base = vec![0.0; n];
            self.correction = vec![0.0; n];
        }
    }

    /// The trapezoidal rule: fills the segment's end and the slope there.
    pub fn step<S: System>(
        &mut self,
        work: &mut Work<S>,
        segment: &mut Segment,
    ) -> Result<(), StepError> {
        let half = 0.5 * (segment.end - segment.start);
        let Segment { x0, x1, slopes, end, start, .. } = segment;
        let (first, last) = slopes.split_at_mut(1);
        x1.copy_from_slice(x0);
        for (i, base) in self.base.iter_mut().enumerate() {
            *base = x0[i] + half * first[0][i];
        }
        let (t, converged, iterations) = (*end, CONVERGED, ITERATIONS);
        let stage = Stage { t, weight: half, converged, iterations, factored: false };
        work.evaluate(t, x1, &mut last[0])?;
        match self.solve(work, stage, x1, &mut last[0])? {
            true => Ok(()),
            false => Err(StepError::NewtonFailed { t: *start }),
        }
    }

    /// The trapezoidal rule up to a point inside and a backward difference to the end; returns the
    /// error, which is NaN if an iteration failed. The slopes of the segment are those of
    /// the start, of the point inside and of the end.
    pub fn pair<S: System>(
        &mut self,
        work: &mut Work<S>,
        segment: &mut Segment,
        argument: &mut [f64],
    ) -> f64 {
        let h = segment.end - segment.start;
        let weight = DIAGONAL * h;
        if !work.linear.at_start {
            // A trial before has taken the derivatives at another point.
            work.linear.linearise(work.system, segment.start, &segment.x0, work.counters);
            work.linear.at_start = true;
        }
        if !work.linear.factor(1.0, weight) {
            return f64::NAN;
        }
        let (converged, iterations) = (CONVERGED_ENOUGH, FEW_ITERATIONS);
        let Segment { x0, x1, slopes, start, end, .. } = segment;
        let [first, inside, last] = &mut slopes[..] else { unreachable!("three slopes") };
        for i in 0..x0.len() {
            self.base[i] = x0[i] + weight * first[i];
            // The end of the slope of the start.
            argument[i] = x0[i] + GAMMA * h * first[i];
        }
        let t = *start + GAMMA * h;
        let stage = Stage { t, weight, converged, iterations, factored: true };
        if !self.stage(work, stage, argument, inside) {
            return f64::NAN;
        }
        let share = BETA * h;
        for i in 0..x0.len() {
            self.base[i] = x0[i] + share * (first[i] + inside[i]);
            x1[i] = self.base[i] + weight * inside[i];
        }
        let stage = Stage { t: *end, weight, converged, iterations, factored: true };
        if !self.stage(work, stage, x1, last) {
            return f64::NAN;
        }
        self.error(work, segment, h)
    }

    /// A stage whose slope is taken from its equation, which a stiff system does not blow up; false
    /// if it has no solution.
    fn stage<S: System>(
        &mut self,
        work: &mut Work<S>,
        stage: Stage,
        x: &mut [f64],
        slope: &mut [f64],
    ) -> bool {
        let weight = stage.weight;
        let solved = work.evaluate(stage.t, x, slope).is_ok()
            && self.solve(work, stage, x, slope).unwrap_or(false);
        for (i, slope) in slope.iter_mut().enumerate() {
            *slope = (x[i] - self.base[i]) / weight;
        }
        solved
    }

    /// Iterates from x, with the slope there; false if that does not converge.
    fn solve<S: System>(
        &mut self,
        work: &mut Work<S>,
        stage: Stage,
        x: &mut [f64],
        slope: &mut [f64],
    ) -> Result<bool, StepError> {
        let mut before = f64::INFINITY;
        // Corrections that are rounding do not contract.
        let rounding = 4.0 * f64::EPSILON / work.tolerance.relative;
        let mut stale = !stage.factored;
        for _ in 0..stage.iterations {
            if stale {
                work.linear.linearise(work.system, stage.t, x, work.counters);
                work.linear.at_start = false;
                if !work.linear.factor(1.0, stage.weight) {
                    return Ok(false);
                }
            }
            let size = self.correct(work, &stage, x, slope);
            // A correction by the matrix of another point may be small because that is too steep:
            // the next one shows it.
            let known = before.is_finite() && size <= (SLOW * before).max(rounding);
            if stage.factored && (known || size == 0.0) && size <= stage.converged {
                return Ok(true);
            }
            work.evaluate(stage.t, x, slope)?;
            if !stage.factored && size <= stage.converged {
                return Ok(true);
            }
            stale = size > SLOW * before;
            before = size;
        }
        Ok(false)
    }

    /// Moves x by one correction; returns its size in units of the tolerance.
    fn correct<S: System>(
        &mut self,
        work: &mut Work<S>,
        stage: &Stage,
        x: &mut [f64],
        slope: &[f64],
    ) -> f64 {
        for (i, correction) in self.correction.iter_mut().enumerate() {
            *correction = self.base[i] + stage.weight * slope[i] - x[i];
        }
        work.linear.solve(&mut self.correction);
        let mut sum = 0.0;
        for (x, correction) in x.iter_mut().zip(&self.correction) {
            *x += correction;
            let ratio = correction / work.tolerance.of(x.abs());
            sum += ratio * ratio;
        }
        (sum / self.correction.len().max(1) as f64).sqrt()
    }

    /// The root mean square over the tolerance of the distance to the embedded solution, damped by
    /// the matrix if the system is stiff (Hosea and Shampine, section 4).
    fn error<S: System>(&mut self, work: &mut Work<S>, segment: &Segment, h: f64) -> f64 {
        let [first, inside, last] = &segment.slopes[..] else { unreachable!("three slopes") };
        for (i, error) in self.correction.iter_mut().enumerate() {
            *error = h * (ERROR[0] * first[i] + ERROR[1] * inside[i] + ERROR[2] * last[i]);
        }
        work.linear.solve(&mut self.correction);
        let mut sum = 0.0;
        for (i, error) in self.correction.iter().enumerate() {
            let size = segment.x0[i].abs().max(segment.x1[i].abs());
            let ratio = error / work.tolerance.of(size);
            sum += ratio * ratio + (segment.x1[i] * 0.0 + last[i] * 0.0);
        }
        (sum / self.correction.len().max(1) as f64).sqrt()
    }
}

impl<S: System> Work<'_, S> {
    fn evaluate(&mut self, t: f64, x: &[f64], slope: &mut [f64]) -> Result<(), StepError> {
        self.system.derivative(t, x, slope);
        self.counters.evaluations += 1;
        match not_finite(x, slope) {
            None => Ok(()),
            component => Err(StepError::NotFinite { t, component }),
        }
    }
}
