//! The steps of the Continuous domain of Ptolemy II.
//!
//! ```text
//! accept:   every state's error is below the tolerance, no event has been missed, and no guard
//!           decides something far behind the point at which it does
//! refine:   half the step for an error; for a function g from a to b the part of the step at which
//!           a straight line is half a tolerance past zero; the shortest of these. An event is
//!           missed if g is past zero by more than its tolerance at any stage of the step
//! due:      an event for which g has come less than its tolerance past zero at any stage, also of a
//!           step that is then refused, comes at the end of the step that is accepted
//! suggest:  5 times the step, or 10 times if no state is in the outermost diagram
//! locate:   the end of an accepted step
//! ```
//!
//! The clock counts units of a resolution; the length of a step is not rounded.

use crate::crossing::{Level, Located, Probe, Sides};
use crate::error::StepError;
use crate::explicit::not_finite;
use crate::method::Scheme;
use crate::scratch::Forget;
use crate::segment::Segment;
use crate::solver::{Advance, Solver, Space};
use crate::system::{CrossingRole, GuardTrial, System, Trial};
use crate::tableau::Tableau;

/// The first step if a model sets none \[s\].
const FIRST_STEP: f64 = 0.1;
/// How much longer the next step is at most.
const AT_MOST: f64 = 10.0;

/// What the stages of a step have shown.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    /// The states whose errors are too large.
    refused: Vec<bool>,
    /// The tolerance of each state.
    tolerances: Vec<f64>,
    /// The weighted sum of the slopes of each state that estimates its error.
    errors: Vec<f64>,
    /// The functions whose events the step has missed.
    missed: Vec<bool>,
    /// The directions of events that are due at the end of the step; 0 for none.
    due: Vec<f64>,
    /// The functions that are events: number, direction and tolerance.
    events: Vec<(usize, f64, f64)>,
    /// A look at a stage.
    look: Level,
}

impl Forget for Rounds {
    fn forget(&mut self) {}
}

impl Rounds {
    /// Gets ready for the first trial of a step.
    fn begin<S: System>(&mut self, system: &S, states: usize, functions: usize, usual: f64) {
        self.refused.resize(states, false);
        self.tolerances.clear();
        self.errors.resize(states, 0.0);
        let own = |state: usize| system.tolerance(state).unwrap_or(usual);
        self.tolerances.extend((0..states).map(own));
        self.missed.resize(functions, false);
        self.due.clear();
        self.due.resize(functions, 0.0);
        self.look.resize(functions);
        self.events.clear();
        for function in 0..functions {
            if let CrossingRole::Event { direction, tolerance } = system.role(function) {
                let tolerance = if tolerance > 0.0 { tolerance } else { usual };
                self.events.push((function, direction, tolerance));
            }
        }
    }

    /// Looks for events between the values of the functions at the last commit and at a stage.
    fn take(&mut self, last: &[f64], now: &[f64]) {
        for (function, direction, tolerance) in self.events.iter().copied() {
            let (last, now) = (last[function], now[function]);
            if !passes(last, now) || direction * (now - last) < 0.0 {
                continue;
            }
            match now.abs() >= tolerance {
                true => self.missed[function] = true,
                false => self.due[function] = (now - last).signum(),
            }
        }
    }
}

impl Solver {
    /// Takes one accepted step from the start of the segment.
    pub(crate) fn step_like_ptolemy<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
        (resolution, growth, longest_next): (f64, f64, f64),
        sides: &mut Sides,
    ) -> Result<Advance, StepError> {
        let start = self.segment.start;
        // The distance of two times of the clock is a whole number of units, too.
        let left = ((horizon - start) / resolution).round() * resolution;
        let left = if left > 0.0 { left } else { horizon - start };
        let longest = self.options.maximum_step.min(self.limit).min(left);
        let mut h = self.learnt.unwrap_or(FIRST_STEP).min(longest);
        let mut least = false;
        let (states, functions) = (self.segment.x0.len(), self.search.here.len());
        let usual = self.options.absolute_tolerance;
        self.space.0.rounds.begin(system, states, functions, usual);
        loop {
            let wanted = self.try_like_ptolemy(system, h, resolution)?;
            let wanted = wanted.min(self.missed(system, h));
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
        self.learnt = Some((growth * h).min(longest_next));
        let end = ((start + h) / resolution).round() * resolution;
        self.segment.end = if h >= left || end >= horizon { horizon } else { end };
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
        self.space.0.rounds.missed.fill(false);
        let Scheme::Explicit(tableau) = self.method.scheme() else { return Ok(f64::INFINITY) };
        let still = self.segment.x0.is_empty() && self.space.0.rounds.events.is_empty();
        if still && !system.follows_rounds() {
            return Ok(f64::INFINITY);
        }
        if !self.whole_like_ptolemy(system, h) {
            self.stages_like_ptolemy(system, tableau, h, resolution);
        }
        if let component @ Some(_) = not_finite(&self.segment.x1, self.segment.end_slope()) {
            let t = self.segment.end;
            system.stand_at(t, &self.segment.x1);
            self.segment.withdraw();
            return Err(StepError::NotFinite { t, component });
        }
        let Rounds { refused, tolerances, errors, .. } = &mut self.space.0.rounds;
        combine(errors, &self.segment.slopes, tableau.error(), |_, sum| sum);
        let mut fits = true;
        for ((refused, tolerance), sum) in refused.iter_mut().zip(tolerances).zip(errors) {
            *refused = h * sum.abs() >= *tolerance;
            fits &= !*refused;
        }
        Ok(if fits { f64::INFINITY } else { 0.5 * h })
    }

    /// All stages of a step at once, if the system can compute them so and nobody has to see them.
    /// Their times count from 0, so that the length of the step is exact. Returns whether it has.
    fn whole_like_ptolemy<S: System>(&mut self, system: &mut S, h: f64) -> bool {
        let seen = system.follows_rounds() || !self.space.0.rounds.events.is_empty();
        if seen || !system.is_timeless() {
            return false;
        }
        let Segment { x0, x1, slopes, .. } = &mut self.segment;
        let evaluations = slopes.len() as u64 - 1;
        let mut trial = Trial {
            method: self.options.method,
            start: 0.0,
            end: h,
            relative: 0.0,
            absolute: 1.0,
            x0,
            x1,
            slopes,
            batch: None,
            passed: &mut [],
        };
        let taken = system.trial(&mut trial).is_some();
        self.counters.evaluations += if taken { evaluations } else { 0 };
        taken
    }

    /// The stages of a step whose length is not what the rounded times say.
    fn stages_like_ptolemy<S: System>(
        &mut self,
        system: &mut S,
        tableau: &'static Tableau,
        h: f64,
        resolution: f64,
    ) {
        let Space { argument, rounds, .. } = &mut self.space.0;
        let (segment, here) = (&mut self.segment, &self.search.here);
        let last = tableau.nodes.len() - 1;
        let at = |node: f64| nearest((segment.start + node * h) / resolution) * resolution;
        let follows = system.follows_rounds();
        if follows {
            system.round(segment.start, &segment.x0);
        }
        for stage in 1..=last {
            let (known, rest) = segment.slopes.split_at_mut(stage);
            let point = if stage == last { &mut segment.x1 } else { &mut *argument };
            let x0 = &segment.x0;
            combine(point, known, tableau.rows[stage], |state, sum| x0[state] + h * sum);
            let t = at(tableau.nodes[stage]);
            system.derivative(t, point, &mut rest[0]);
            if follows {
                system.round(t, point);
            }
            if stage < last && !rounds.events.is_empty() {
                let (g, rate) = rounds.look.parts_mut();
                system.crossings(t, point, &rest[0], g, rate);
                let look = std::mem::take(&mut rounds.look);
                rounds.take(here.g(), look.g());
                rounds.look = look;
            }
        }
        self.counters.evaluations += last as u64;
    }

    /// The step to try instead because an event was missed or a guard decides something too late;
    /// infinity if neither is so.
    fn missed<S: System>(&mut self, system: &mut S, h: f64) -> f64 {
        if self.search.here.is_empty() {
            return f64::INFINITY;
        }
        let Space { argument, slope, rounds, .. } = &mut self.space.0;
        let (segment, counters, drift) = (&self.segment, &mut self.counters, &self.drift);
        let (x, dx, at) = (&mut *argument, &mut *slope, None);
        let mut probe = Probe { system, segment, x, dx, at, counters, drift };
        let there = self.search.end_level();
        probe.look(segment.end, there);
        let (last, now) = self.search.ends();
        rounds.take(last, now);
        let mut wanted = f64::INFINITY;
        for (function, _, tolerance) in &rounds.events {
            if rounds.missed[*function] {
                let (last, now) = (last[*function], now[*function]);
                wanted = wanted.min((last.abs() + 0.5 * tolerance) * h / (now - last).abs());
            }
        }
        let tolerance = self.options.absolute_tolerance;
        let (t, x) = (self.segment.end, self.segment.x1.as_slice());
        let Rounds { refused, missed, .. } = rounds;
        let trial = GuardTrial { t, x, h, last, now, refused, missed, tolerance };
        wanted.min(system.refine_for_guards(&trial))
    }

    /// What an accepted step ends with: a crossing if a function has passed zero.
    fn cross_like_ptolemy(&mut self, sides: &mut Sides) -> Advance {
        for function in 0..sides.side.len() {
            let (last, now) = self.search.at_ends(function);
            let Rounds { due, events, .. } = &self.space.0.rounds;
            let due = due[function];
            // A comparison changes also where its function leaves zero; an event does not come.
            let is_event = events.iter().any(|(event, ..)| *event == function);
            if passes(last, now) || !is_event && leaves(last, now) || due != 0.0 {
                // What is past zero is taken as it is, like a leap.
                let leap = if now == 0.0 { 0.0 } else { now.signum() };
                self.search.crossed.push(Located { function, uncertainty: 0.0, leap, due });
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

/// Whether a function was zero at the last commit and is not any more.
fn leaves(last: f64, now: f64) -> bool {
    last == 0.0 && now != 0.0
}

/// What is made of the weighted sum of the slopes of each state, in the order of the weights. Few
/// slopes are combined state by state.
#[inline]
fn combine(
    made: &mut [f64],
    slopes: &[Vec<f64>],
    weights: &[(usize, f64)],
    of: impl Fn(usize, f64) -> f64,
) {
    let n = made.len();
    let slope = |stage: usize| &slopes[stage][..n];
    match *weights {
        [(a, u)] => {
            let a = slope(a);
            made.iter_mut().enumerate().for_each(|(i, own)| *own = of(i, a[i] * u));
        }
        [(a, u), (b, v)] => {
            let (a, b) = (slope(a), slope(b));
            made.iter_mut().enumerate().for_each(|(i, own)| *own = of(i, a[i] * u + b[i] * v));
        }
        [(a, u), (b, v), (c, w)] => {
            let (a, b, c) = (slope(a), slope(b), slope(c));
            let sum = |i: usize| a[i] * u + b[i] * v + c[i] * w;
            made.iter_mut().enumerate().for_each(|(i, own)| *own = of(i, sum(i)));
        }
        [(a, u), (b, v), (c, w), (d, x)] => {
            let (a, b, c, d) = (slope(a), slope(b), slope(c), slope(d));
            let sum = |i: usize| a[i] * u + b[i] * v + c[i] * w + d[i] * x;
            made.iter_mut().enumerate().for_each(|(i, own)| *own = of(i, sum(i)));
        }
        _ => {
            for (i, own) in made.iter_mut().enumerate() {
                let terms = weights.iter().map(|(stage, weight)| slopes[*stage][i] * weight);
                *own = of(i, terms.reduce(|sum, term| sum + term).unwrap_or(0.0));
            }
        }
    }
}

/// The nearest integer, a half away from zero, as `f64::round`, but without a call of a function.
fn nearest(x: f64) -> f64 {
    // From here on all numbers are integers.
    if x.abs() >= 4_503_599_627_370_496.0 || x.is_nan() {
        return x;
    }
    let whole = x as i64 as f64;
    match x - whole {
        rest if rest >= 0.5 => whole + 1.0,
        rest if rest <= -0.5 => whole - 1.0,
        _ => whole,
    }
}

/// Whether a function has passed zero, or come to it, since the last commit.
fn passes(last: f64, now: f64) -> bool {
    last * now < 0.0 || (now == 0.0 && last != 0.0)
}
