//! Steps of implicit methods that are taken again because a crossing was located where the dense
//! output cannot be trusted.
//!
//! A step of a method for stiff systems is accepted by its error at the end. A fast mode that has
//! died out by then is not followed inside the step, and a function that the fast mode moves over
//! zero does that at another time than the dense output says. So the point that was located is
//! reached once more, by a step that ends there. If both agree, about the states and about the
//! crossing, it stays, bit for bit; if not, a shorter step is taken and searched. The way to the
//! crossing at least halves with each step, until no mode is passed over.

use crate::crossing::Sides;
use crate::error::StepError;
use crate::method::Scheme;
use crate::solver::Solver;
use crate::stepping::shortest_step;
use crate::system::System;

/// The product of a step and the largest eigenvalue from which on the step may pass over a mode.
const STIFF: f64 = 4.0;
/// By how many tolerances the dense output and a step up to the same point may differ.
const AGREE: f64 = 16.0;
/// By how much of the way to a crossing its time may differ.
const NEAR: f64 = 0.25;
/// The part of the way to the located point that is tried next.
const SHORTER: f64 = 0.5;
/// Steps of so many times the shortest are not taken again.
const SHORTEST: f64 = 64.0;

impl Solver {
    /// Searches the step just taken for the first crossing, and takes it again, shorter, as long as
    /// its dense output cannot be trusted there.
    pub(crate) fn find_surely<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
        sides: &mut Sides,
    ) -> Result<Option<f64>, StepError> {
        if !matches!(self.method.scheme(), Scheme::Rodas5p | Scheme::TrBdf2) {
            return self.find(system, horizon, sides);
        }
        self.space.0.residuals.clear();
        self.space.0.residuals.extend_from_slice(sides.residual);
        loop {
            let found = self.find(system, horizon, sides)?;
            match found {
                Some(t) if self.inside.active && !self.is_resolved(system, t, sides) => {
                    sides.residual.copy_from_slice(&self.space.0.residuals);
                    self.take_again(system, horizon, t)?;
                }
                _ => return Ok(found),
            }
        }
    }

    /// Whether a step that ends at `t`, inside the step just taken, comes to where the dense output
    /// is, and to the same crossing.
    fn is_resolved<S: System>(&mut self, system: &mut S, t: f64, sides: &Sides) -> bool {
        let (start, n) = (self.segment.start, self.segment.x0.len());
        let bound = self.space.0.linear.bound(&mut self.space.0.argument);
        let stiff = (self.segment.end - start) * bound > STIFF;
        if n == 0 || !stiff || t - start <= SHORTEST * shortest_step(start) {
            return true;
        }
        match &mut self.space.0.kept {
            Some(kept) => kept.clone_from(&self.segment),
            kept => *kept = Some(self.segment.clone()),
        }
        self.segment.end = t;
        let error = match self.method.scheme() {
            Scheme::TrBdf2 => self.pair_trial(system),
            _ => self.rosenbrock_trial(system),
        };
        let tolerance = self.tolerance();
        let near = |(own, inside): (&f64, &f64)| {
            (own - inside).abs() <= AGREE * tolerance.of(own.abs().max(inside.abs()))
        };
        let agrees = self.segment.x1.iter().zip(&self.inside.x).all(near);
        let resolved = agrees && self.accepts(error) && self.crosses_at_end(system, sides);
        if let Some(kept) = &mut self.space.0.kept {
            std::mem::swap(&mut self.segment, kept);
        }
        resolved
    }

    /// Whether the located functions are about to change their sides at the end of the segment, or
    /// have just done so.
    fn crosses_at_end<S: System>(&mut self, system: &mut S, sides: &Sides) -> bool {
        let (segment, look) = (&self.segment, &mut self.space.0.look);
        look.resize(self.search.here.len());
        let (g, rate) = look.parts_mut();
        system.crossings(segment.end, &segment.x1, segment.end_slope(), g, rate);
        self.counters.crossing_evaluations += 1;
        let way = segment.end - segment.start;
        self.search.crossed.iter().all(|located| {
            let (side, k) = (sides.side[located.function], located.function);
            let falls = side * rate[k] < 0.0 && g[k].abs() <= NEAR * way * rate[k].abs();
            located.leap != 0.0 || side == 0.0 || g[k] == 0.0 || falls
        })
    }

    /// Takes the last step again, up to a part of the way to `t`.
    fn take_again<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
        t: f64,
    ) -> Result<(), StepError> {
        self.counters.accepted -= 1;
        self.counters.rejected += 1;
        self.learnt = Some(SHORTER * (t - self.segment.start));
        self.next = self.method;
        self.search.crossed.clear();
        self.inside.active = false;
        self.segment.withdraw();
        self.look_here(system);
        self.begin(system)?;
        self.take(system, horizon)
    }
}
