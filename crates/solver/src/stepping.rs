//! One accepted step: its target, its trials, and the step to go on with.

use crate::control::{Control, PiControl, StepControl};
use crate::crossing::Probe;
use crate::error::StepError;
use crate::explicit::{mean_square, not_finite, stages};
use crate::method::{Method, Scheme};
use crate::rosenbrock;
use crate::segment::Segment;
use crate::solver::{Solver, Space, StepLimit};
use crate::stiffness::{Watch, fastest};
use crate::system::{StepBatch, System, Trial};
use crate::tableau::{self, Tableau};
use crate::trapezoidal::Work;

/// The first step of a model without states \[s\]. It is short, because only crossing functions
/// show the time scale and a step that is too long would alias them.
pub(crate) const FIRST_STEP_WITHOUT_STATE: f64 = 1e-6;

/// The part of a fixed step below which the rest before a grid point or a horizon is rounding.
const SLIVER: f64 = 1e-9;

/// An error above which it is the error that limits a step, and the last places by which a step
/// moves a state at least unless it creeps.
const LIMITED: f64 = 1e-3;
const CREEPS: f64 = 1024.0;

/// Evaluates an expression with a function that gives the tableau. It is compiled for each tableau
/// of a list, because a step of a small system takes a quarter longer if it has to look its
/// coefficients up, and once more for any other.
macro_rules! for_each_tableau {
    ($given:expr, |$tableau:ident| $step:expr) => {
        for_each_tableau!(
            DORMAND_PRINCE BOGACKI_SHAMPINE EULER_ADAPTIVE CLASSICAL_RK4 HEUN EULER;
            $given, |$tableau| $step
        )
    };
    ($($known:ident)*; $given:expr, |$tableau:ident| $step:expr) => {
        match $given {
            $(given if std::ptr::eq(given, &tableau::$known) => {
                let $tableau = || &tableau::$known;
                $step
            })*
            given => {
                let $tableau = || given;
                $step
            }
        }
    };
}

impl Solver {
    /// Fills the segment from its start with one accepted step.
    pub(crate) fn advance<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
    ) -> Result<(), StepError> {
        match self.method.scheme() {
            Scheme::Explicit(tableau) => {
                for_each_tableau!(tableau, |tableau| self.explicit(system, horizon, tableau))?;
            }
            Scheme::Trapezoidal => self.implicit(system, horizon)?,
            Scheme::TrBdf2 => {
                self.linearise(system);
                self.variable(system, horizon, Solver::pair_trial::<S>)?;
            }
            Scheme::Rodas5p => {
                self.linearise(system);
                self.variable(system, horizon, Solver::rosenbrock_trial::<S>)?;
            }
        }
        if self.options.method == Method::Auto {
            self.choose_method();
        }
        self.counters.accepted += 1;
        Ok(())
    }

    /// Looks at the step just taken for the method of the next one.
    fn choose_method(&mut self) {
        self.next = match self.method {
            Watch::IMPLICIT => {
                let h = self.segment.end - self.segment.start;
                let bound = h * self.space.0.linear.bound(&mut self.space.0.argument);
                self.watch.after_implicit(bound)
            }
            _ => self.watch.after_explicit(fastest(&self.segment)),
        };
    }

    /// A step of the method that `tableau` gives.
    fn explicit<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
        tableau: impl Fn() -> &'static Tableau,
    ) -> Result<(), StepError> {
        match tableau().embedded {
            None => self.fixed(system, horizon, tableau),
            Some(_) => {
                let trial = |solver: &mut Solver, system: &mut S| solver.trial(system, &tableau);
                self.variable(system, horizon, trial)
            }
        }
    }

    fn fixed<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
        tableau: impl Fn() -> &'static Tableau,
    ) -> Result<(), StepError> {
        self.segment.end = self.grid_point(horizon);
        if self.whole(system).is_none() {
            let argument = &mut self.space.0.argument;
            self.counters.evaluations += stages(tableau(), system, &mut self.segment, argument);
        }
        match not_finite(&self.segment.x1, self.segment.end_slope()) {
            None => Ok(()),
            component => Err(StepError::NotFinite { t: self.segment.end, component }),
        }
    }

    fn implicit<S: System>(&mut self, system: &mut S, horizon: f64) -> Result<(), StepError> {
        self.segment.end = self.grid_point(horizon);
        let tolerance = self.tolerance();
        let (counters, Space { newton, linear, .. }) = (&mut self.counters, &mut self.space.0);
        newton.step(&mut Work { system, linear, tolerance, counters }, &mut self.segment)
    }

    /// The next multiple of the step after the phase's start, multiplied rather than summed so
    /// that rounding does not pile up, or the horizon.
    fn grid_point(&self, horizon: f64) -> f64 {
        let step = self.options.step;
        let passed = ((self.segment.start - self.phase_start) / step + SLIVER).floor();
        let next = self.phase_start + (passed + 1.0) * step;
        if next >= horizon - SLIVER * step { horizon } else { next }
    }

    /// Tries steps until one is accepted; `trial` fills the segment up to its end and returns the
    /// error.
    fn variable<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
        trial: impl Fn(&mut Solver, &mut S) -> f64,
    ) -> Result<(), StepError> {
        let (start, longest) = (self.segment.start, self.longest());
        let mut attempt = Attempt::new(start, self.wanted(), longest, horizon);
        self.segment.end = attempt.end();
        let taken = self.counters.accepted;
        let mut error = trial(self, system);
        if self.counters.accepted != taken {
            // The system has gone on by itself; this is another trial.
            attempt = Attempt::new(self.segment.start, self.wanted(), longest, horizon);
        }
        let start = attempt.start;
        loop {
            let taken = self.segment.end - start;
            if self.is_beyond_floats()
                && let Some(component) = self.unreachable(taken, error)
            {
                return Err(StepError::ToleranceTooSmall { t: start, component });
            }
            match attempt.judge(&mut self.control, taken, error) {
                Verdict::Taken { learnt } => {
                    self.learnt = Some(learnt);
                    return Ok(());
                }
                Verdict::Refused => self.counters.rejected += 1,
                Verdict::TooSmall => {
                    self.counters.rejected += 1;
                    return Err(StepError::StepTooSmall { t: start });
                }
            }
            self.segment.end = attempt.end();
            error = trial(self, system);
        }
    }

    /// Whether a trial with an error is accepted.
    pub(crate) fn accepts(&self, error: f64) -> bool {
        self.control.accept(error)
    }

    /// Whether the tolerance is less than the rounding of large states.
    pub(crate) fn is_beyond_floats(&self) -> bool {
        self.options.relative_tolerance < 0.5 * f64::EPSILON
    }

    /// The state that makes the tolerance one that cannot be met: less is allowed than half its
    /// last place, and a step of this length either has its error from rounding alone and was
    /// refused for it, or hardly moves the state and must not be longer. Steps only creep then. If
    /// they do not, rounding is all that is wrong with the result.
    fn unreachable(&self, h: f64, error: f64) -> Option<usize> {
        let tolerance = self.tolerance();
        let (x, slope) = (&self.segment.x0, &self.segment.slopes[0]);
        let (refused, limited) = (!self.control.accept(error), error > LIMITED);
        (0..x.len()).find(|i| {
            let (size, moved) = (x[*i].abs(), (h * slope[*i]).abs());
            let (allowed, place) = (tolerance.of(size), f64::EPSILON * size);
            let rounding = refused && allowed < 8.0 * f64::EPSILON * moved;
            let creeps = limited && moved > 0.0 && moved < CREEPS * place;
            allowed < 0.5 * place && (rounding || creeps)
        })
    }

    /// The longest step that may be taken.
    pub(crate) fn longest(&self) -> f64 {
        self.options.maximum_step.min(self.limit)
    }

    /// The step to try first.
    pub(crate) fn wanted(&self) -> f64 {
        let shortest = shortest_step(self.segment.start);
        self.learnt.unwrap_or(FIRST_STEP_WITHOUT_STATE).max(shortest)
    }

    /// One trial up to the segment's end; returns its error.
    fn trial<S: System>(&mut self, system: &mut S, tableau: impl Fn() -> &'static Tableau) -> f64 {
        if self.segment.x0.is_empty() {
            return self.trial_without_state(system);
        }
        if let Some(error) = self.whole(system) {
            return error;
        }
        let argument = &mut self.space.0.argument;
        self.counters.evaluations += stages(tableau(), system, &mut self.segment, argument);
        mean_square(tableau(), &self.segment, self.tolerance())
    }

    /// One trial by a system that computes it whole; its error. The system may take as many steps
    /// before it as its batch has room for.
    #[inline]
    fn whole<S: System>(&mut self, system: &mut S) -> Option<f64> {
        let tolerance = self.tolerance();
        // A step up to the horizon is the last one.
        let last = self.segment.end >= self.space.0.reach.horizon;
        let mut batch = if last { None } else { self.batch() };
        let point = 1 + self.segment.x0.len();
        let room = if self.space.0.reach.keep { batch.map_or(0, |own| own.most) } else { 0 };
        let passed = &mut self.space.0.passed;
        if passed.len() < room as usize * point {
            passed.resize(room as usize * point, 0.0);
        }
        let Segment { start, end, x0, x1, slopes, .. } = &mut self.segment;
        let last = slopes.len() as u64 - 1;
        let mut trial = Trial {
            method: self.options.method,
            start: *start,
            end: *end,
            relative: tolerance.relative,
            absolute: tolerance.absolute,
            x0,
            x1,
            slopes,
            batch: batch.as_mut(),
            passed: &mut passed[..room as usize * point],
        };
        let error = system.trial(&mut trial);
        (*start, *end) = (trial.start, trial.end);
        if error.is_some() {
            self.counters.evaluations += last;
        }
        if let Some(StepBatch { taken, wanted, previous, .. }) = batch
            && taken > 0
        {
            self.counters.evaluations += taken * last;
            self.counters.accepted += taken;
            if room > 0 {
                self.space.0.passed_length = taken as usize * point;
            }
            self.learnt = Some(wanted);
            let Control::Pi(pi) = &mut self.control;
            pi.resume(previous);
        }
        error
    }

    /// How far a system may go on by itself; none if there are functions to be searched, if steps
    /// are fixed, or if another method may take over.
    fn batch(&self) -> Option<StepBatch> {
        let StepLimit { horizon, before, most, .. } = self.space.0.reach;
        let alone = most > 1 && self.search.here.is_empty() && !self.method.is_fixed();
        if !alone || self.is_beyond_floats() || self.options.method == Method::Auto {
            return None;
        }
        let Control::Pi(pi) = &self.control;
        Some(StepBatch {
            horizon,
            before,
            longest: self.longest(),
            most: most - 1,
            wanted: self.wanted(),
            previous: pi.remembered()?,
            taken: 0,
        })
    }

    /// Takes the derivatives at the start of the segment, which all trials share.
    fn linearise<S: System>(&mut self, system: &mut S) {
        let (segment, linear) = (&self.segment, &mut self.space.0.linear);
        if !segment.x0.is_empty() {
            linear.linearise(system, segment.start, &segment.x0, &mut self.counters);
            linear.at_start = true;
        }
    }

    /// One trial of Rodas5P.
    pub(crate) fn rosenbrock_trial<S: System>(&mut self, system: &mut S) -> f64 {
        if self.segment.x0.is_empty() {
            return self.trial_without_state(system);
        }
        let Space { argument, linear, .. } = &mut self.space.0;
        if !rosenbrock::stages(system, &mut self.segment, argument, linear) {
            return f64::NAN;
        }
        self.counters.evaluations += rosenbrock::EVALUATIONS;
        rosenbrock::mean_square(&self.segment, self.tolerance())
    }

    /// One trial of the trapezoidal rule and the backward difference.
    pub(crate) fn pair_trial<S: System>(&mut self, system: &mut S) -> f64 {
        if self.segment.x0.is_empty() {
            return self.trial_without_state(system);
        }
        let tolerance = self.tolerance();
        let Space { argument, newton, linear, .. } = &mut self.space.0;
        let counters = &mut self.counters;
        let mut work = Work { system, linear, tolerance, counters };
        let error = newton.pair(&mut work, &mut self.segment, argument);
        error * error
    }

    /// Without states only the crossing functions limit a step: it is accepted while their
    /// cubics hold, so that the search does not step over a zero.
    fn trial_without_state<S: System>(&mut self, system: &mut S) -> f64 {
        let Space { argument, slope, .. } = &mut self.space.0;
        let (segment, counters, drift) = (&self.segment, &mut self.counters, &self.drift);
        let taken = segment.end - segment.start;
        let (x, dx, at) = (argument, slope, None);
        let mut probe = Probe { system, segment, x, dx, at, counters, drift };
        let error = self.search.cubic_error(&mut probe);
        if taken <= 2.0 * shortest_step(segment.start) { 0.0 } else { error * error }
    }
}

/// The trials of one step: how long the next one is, and what the control of steps says about each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attempt {
    /// The start of the step.
    pub start: f64,
    /// The step that was wanted, and the one to be tried.
    wanted: f64,
    h: f64,
    longest: f64,
    horizon: f64,
}

/// What becomes of a trial.
pub(crate) enum Verdict {
    /// It is a step, and the next one should be this long.
    Taken { learnt: f64 },
    /// A shorter one is tried.
    Refused,
    /// No shorter one can be tried.
    TooSmall,
}

impl Attempt {
    /// The trials of a step from here, of which the first is as long as wanted.
    #[inline(always)]
    pub fn new(start: f64, wanted: f64, longest: f64, horizon: f64) -> Attempt {
        Attempt { start, wanted, h: wanted, longest, horizon }
    }

    /// The end of the next trial.
    #[inline(always)]
    pub fn end(&self) -> f64 {
        target(self.start, self.h.min(self.longest), self.longest, self.horizon)
    }

    /// Decides about a trial of this length with this error.
    #[inline(always)]
    pub fn judge(&mut self, control: &mut Control, taken: f64, error: f64) -> Verdict {
        if control.accept(error) {
            return Verdict::Taken { learnt: self.learn(control, taken, error) };
        }
        let shortest = shortest_step(self.start);
        // The end of the step rounds, so that the step taken may be a little longer than tried.
        if self.h <= shortest || taken <= shortest {
            return Verdict::TooSmall;
        }
        self.h = control.refine(taken, error).max(shortest);
        Verdict::Refused
    }

    /// The step to go on with. A step that a horizon cut short says little about the step that was
    /// wanted: that one is kept unless the short step was already hard.
    #[inline(always)]
    fn learn(&self, control: &mut Control, taken: f64, error: f64) -> f64 {
        let before = *control;
        let next = control.suggest(taken, error);
        let refused = self.h < self.wanted;
        if !refused && taken < self.wanted && next >= PiControl::GROWTH * taken {
            *control = before;
            return self.wanted.max(next);
        }
        next
    }
}

/// The shortest step as a part of the time at which it starts, and the shortest of all.
pub(crate) const FINEST: f64 = 16.0 * f64::EPSILON;
pub(crate) const LEAST: f64 = 1e-300;

/// The shortest step that is tried: time has to resolve the stages in it.
pub(crate) fn shortest_step(t: f64) -> f64 {
    (FINEST * t.abs()).max(LEAST)
}

/// The multiples of a step within which the horizon is its end, and within which the way to the
/// horizon is halved.
pub(crate) const NEAR: f64 = 1.1;
pub(crate) const TWICE: f64 = 2.0;

/// The end of a step of about `h`: the horizon if it is near enough for one step, half way to it if
/// two equal steps are better than a long and a short one.
fn target(start: f64, h: f64, longest: f64, horizon: f64) -> f64 {
    let rest = horizon - start;
    if rest <= (NEAR * h).min(longest) || rest <= shortest_step(start) {
        horizon
    } else if rest < TWICE * h {
        start + 0.5 * rest
    } else {
        start + h
    }
}
