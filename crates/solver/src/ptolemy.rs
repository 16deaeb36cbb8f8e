//! The steps of the Continuous domain of Ptolemy II.
//!
//! ```text
//! accept:   every state's error is below the tolerance, and every function that has passed zero
//!           is within the tolerance of it
//! refine:   half the step for an error; for a function g from a to b the part of the step at which
//!           a straight line is half a tolerance past zero; the shortest of these. A function that
//!           is part of a guard counts if a transition is enabled at the end of the step
//! suggest:  5 times the step, or 10 times if no state is in the outermost diagram
//! locate:   the end of an accepted step
//! ```
//!
//! The clock counts units of a resolution; the length of a step is not rounded.

use crate::crossing::{Located, Probe, Sides};
use crate::error::StepError;
use crate::explicit::not_finite;
use crate::method::Scheme;
use crate::solver::{Advance, Solver, Space};
use crate::system::{CrossingRole, System};
use crate::tableau::Tableau;

/// The first step if a model sets none \[s\].
const FIRST_STEP: f64 = 0.1;
/// How much longer the next step is at most.
const AT_MOST: f64 = 10.0;

impl Solver {
    /// Takes one accepted step from the start of the segment.
    pub(crate) fn step_like_ptolemy<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
        (resolution, growth): (f64, f64),
        sides: &mut Sides,
    ) -> Result<Advance, StepError> {
        let start = self.segment.start;
        let longest = self.options.maximum_step.min(self.limit).min(horizon - start);
        let mut h = self.learnt.unwrap_or(FIRST_STEP).min(longest);
        let mut least = false;
        loop {
            let wanted = self.try_like_ptolemy(system, h, resolution)?;
            let wanted = wanted.min(self.missed(system, h, sides));
            if wanted == f64::INFINITY {
                break;
            }
            self.counters.rejected += 1;
            let mut next = if wanted < h { wanted } else { h / 2.0 };
            if next < resolution {
                if std::mem::replace(&mut least, true) {
                    self.segment.withdraw();
                    return Err(StepError::StepTooSmall { t: start });
                }
                next = resolution;
            } else {
                least = false;
            }
            h = next;
        }
        self.counters.accepted += 1;
        let growth = if self.segment.x0.is_empty() { AT_MOST } else { growth };
        self.learnt = Some(growth * h);
        let end = ((start + h) / resolution).round() * resolution;
        self.segment.end = if h >= horizon - start || end >= horizon { horizon } else { end };
        Ok(self.cross_like_ptolemy(sides))
    }

    /// Fills the segment by a step of this length. Returns the step to try instead, infinity if the
    /// errors allow this one.
    fn try_like_ptolemy<S: System>(
        &mut self,
        system: &mut S,
        h: f64,
        resolution: f64,
    ) -> Result<f64, StepError> {
        self.segment.end = self.segment.start + h;
        let Scheme::Explicit(tableau) = self.method.scheme() else { return Ok(f64::INFINITY) };
        if self.segment.x0.is_empty() {
            return Ok(f64::INFINITY);
        }
        self.stages_like_ptolemy(system, tableau, h, resolution);
        if let component @ Some(_) = not_finite(&self.segment.x1, self.segment.end_slope()) {
            let t = self.segment.end;
            system.stand_at(t, &self.segment.x1);
            self.segment.withdraw();
            return Err(StepError::NotFinite { t, component });
        }
        let error = |state: usize| {
            let sum: f64 = tableau
                .error()
                .iter()
                .map(|(stage, weight)| self.segment.slopes[*stage][state] * weight)
                .sum();
            h * sum.abs()
        };
        let fits =
            (0..self.segment.x0.len()).all(|state| error(state) < self.options.absolute_tolerance);
        Ok(if fits { f64::INFINITY } else { 0.5 * h })
    }

    /// The stages of a step whose length is not what the rounded times say.
    fn stages_like_ptolemy<S: System>(
        &mut self,
        system: &mut S,
        tableau: &'static Tableau,
        h: f64,
        resolution: f64,
    ) {
        let (argument, segment) = (&mut self.space.0.argument, &mut self.segment);
        let last = tableau.nodes.len() - 1;
        let at = |node: f64| ((segment.start + node * h) / resolution).round() * resolution;
        for stage in 1..=last {
            let (known, rest) = segment.slopes.split_at_mut(stage);
            let point = if stage == last { &mut segment.x1 } else { &mut *argument };
            for (state, own) in point.iter_mut().enumerate() {
                let terms = tableau.rows[stage].iter();
                let sum: f64 = terms.map(|(slope, weight)| known[*slope][state] * weight).sum();
                *own = segment.x0[state] + h * sum;
            }
            system.derivative(at(tableau.nodes[stage]), point, &mut rest[0]);
        }
        self.counters.evaluations += last as u64;
    }

    /// The step to try instead because a function has gone too far past zero; infinity if none has.
    fn missed<S: System>(&mut self, system: &mut S, h: f64, sides: &Sides) -> f64 {
        if self.search.here.is_empty() {
            return f64::INFINITY;
        }
        let Space { argument, slope, .. } = &mut self.space.0;
        let (segment, counters, drift) = (&self.segment, &mut self.counters, &self.drift);
        let (x, dx, at) = (&mut *argument, &mut *slope, None);
        let mut probe = Probe { system, segment, x, dx, at, counters, drift };
        let there = self.search.end_level();
        probe.look(segment.end, there);
        let usual = self.options.absolute_tolerance;
        let to = |last: f64, now: f64, tolerance: f64| {
            h * (last.abs() + 0.5 * tolerance) / (last.abs() + now.abs())
        };
        let mut wanted = f64::INFINITY;
        // Of the conditions that have changed, the one that is furthest from where it does.
        let mut furthest = (0.0, 0.0);
        for (function, side) in sides.side.iter().enumerate() {
            let (last, now) = self.search.at_ends(function);
            if !passes(last, now, *side) {
                continue;
            }
            match system.role(function) {
                CrossingRole::Event { direction, tolerance } => {
                    let tolerance = if tolerance > 0.0 { tolerance } else { usual };
                    if direction * now >= 0.0 && now.abs() >= tolerance {
                        wanted = wanted.min(to(last, now, tolerance));
                    }
                }
                CrossingRole::Guard if now.abs() >= usual && now.abs() > furthest.1 => {
                    furthest = (last, now.abs());
                }
                CrossingRole::Guard | CrossingRole::Branch => {}
            }
        }
        if furthest.1 > 0.0 {
            let g = self.search.end_level().g();
            if system.decides(self.segment.end, &self.segment.x1, g) {
                wanted = wanted.min(to(furthest.0, furthest.1, usual));
            }
        }
        wanted
    }

    /// What an accepted step ends with: a crossing if a function has passed zero.
    fn cross_like_ptolemy(&mut self, sides: &mut Sides) -> Advance {
        for (function, side) in sides.side.iter().enumerate() {
            let (last, now) = self.search.at_ends(function);
            if passes(last, now, *side) {
                // What is past zero is taken as it is, like a leap.
                let leap = if now == 0.0 { 0.0 } else { now.signum() };
                self.search.crossed.push(Located { function, uncertainty: 0.0, leap });
            }
        }
        sides.residual.fill(0.0);
        self.search.take_end();
        match self.search.crossed.is_empty() {
            true => Advance::Reached,
            false => {
                self.counters.located += 1;
                Advance::Crossing
            }
        }
    }
}

/// Whether a function has passed zero, or come to it, from the side that it was on.
fn passes(last: f64, now: f64, side: f64) -> bool {
    side * now < 0.0 || last * now < 0.0 || (now == 0.0 && last != 0.0)
}
