//! The solver: the current point of the solution, and what moves it.

use base::clone_reusing;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::control::{Control, PiControl, StepControl};
use crate::counters::Counters;
use crate::crossing::{Level, Located, Probe, Search, Sides};
use crate::drift::Drift;
use crate::error::StepError;
use crate::explicit::{Tolerance, not_finite};
use crate::initial;
use crate::linear::Linear;
use crate::method::{Method, Options, Policy};
use crate::pole::Pole;
use crate::ptolemy::Rounds;
use crate::scratch::{Forget, Scratch};
use crate::segment::Segment;
use crate::stepping::FIRST_STEP_WITHOUT_STATE;
use crate::stiffness::Watch;
use crate::system::System;
use crate::trapezoidal::Newton;

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// The end of the step, which may be the horizon; no function changed its side.
    Reached,
    /// The first crossing inside the step; [`Solver::crossed`] names the functions.
    Crossing,
}

/// How far [`Solver::steps`] may go.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepLimit {
    /// The time that no step goes past. A step that ends here ends here exactly.
    pub horizon: f64,
    /// The time from which on no step starts.
    pub before: f64,
    /// The most steps.
    pub most: u64,
    /// Whether the points between these steps are kept: [`Solver::passed`].
    pub keep: bool,
}

/// A one-step method with its memory: plain data, the same bits after saving and loading.
///
/// Times are offsets from any origin that the engine chooses, usually the start of the smooth
/// phase, so that they stay fine however long the run is.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Solver {
    pub(crate) options: Options,
    /// The method of the present step; that of the options, unless that chooses.
    pub(crate) method: Method,
    /// The method of the next one.
    pub(crate) next: Method,
    pub(crate) watch: Watch,
    /// The bound asked for by blocks \[s\].
    pub(crate) limit: f64,
    /// The time of the last restart, at which the grid of fixed steps begins.
    pub(crate) phase_start: f64,
    pub(crate) control: Control,
    /// The step to try next \[s\]; none before the first restart.
    pub(crate) learnt: Option<f64>,
    pub(crate) segment: Segment,
    /// The current point, if that is inside the last step rather than at its end.
    pub(crate) inside: Inside,
    /// Whether the derivative at the current point is known to be finite.
    pub(crate) checked: bool,
    pub(crate) search: Search,
    pub(crate) counters: Counters,
    /// The rounding gathered in the states, kept if there are crossing functions to ask for it.
    pub(crate) drift: Drift,
    #[serde(skip)]
    pub(crate) space: Scratch<Space>,
}

clone_reusing!(Solver {
    options,
    method,
    next,
    watch,
    limit,
    phase_start,
    control,
    learnt,
    segment,
    inside,
    checked,
    search,
    counters,
    drift,
    space,
});

impl Serialize for Solver {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Solver::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Solver {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Solver, D::Error> {
        let mut solver = Solver::deserialize(deserializer)?;
        // The weights of a dense output are not saved: the method has them.
        solver.segment.dense = solver.method.dense();
        Ok(solver)
    }
}

/// A point of the dense output that the solution was moved back to.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Inside {
    pub active: bool,
    t: f64,
    pub x: Vec<f64>,
    dx: Vec<f64>,
}

clone_reusing!(Inside { active, t, x, dx });

/// Working space of a step.
#[derive(Debug, Default)]
pub(crate) struct Space {
    pub argument: Vec<f64>,
    pub slope: Vec<f64>,
    pub newton: Newton,
    pub linear: Linear,
    /// How far the present steps may go.
    pub reach: StepLimit,
    /// The points between them, and how many numbers of these there are.
    pub passed: Vec<f64>,
    pub passed_length: usize,
    /// Residuals before a search, and a step while another is tried, if it may be taken again.
    pub residuals: Vec<f64>,
    pub kept: Option<Segment>,
    pub look: Level,
    /// What the stages of a step have shown, by the rules of Ptolemy II.
    pub rounds: Rounds,
}

impl Forget for Space {
    fn forget(&mut self) {
        self.linear.forget();
    }
}

/// Copies states; of a few it does so one by one, which takes less time than to call a function.
#[inline(always)]
fn copy(to: &mut [f64], from: &[f64]) {
    const FEW: usize = 4;
    if from.len() > FEW {
        return to.copy_from_slice(from);
    }
    assert_eq!(to.len(), from.len(), "as many states");
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

impl Solver {
    /// A solver for this many states and crossing functions. It has no current point until
    /// [`Solver::restart`] gives it one.
    pub fn new(options: Options, dimension: usize, crossings: usize) -> Solver {
        let method = options.method.first();
        if let Some(tableau) = method.tableau() {
            tableau.check().unwrap_or_else(|error| panic!("{}: {error}", tableau.name));
        }
        let zeros = vec![0.0; dimension];
        Solver {
            options,
            method,
            next: method,
            watch: Watch::default(),
            limit: f64::INFINITY,
            phase_start: 0.0,
            control: Control::Pi(PiControl::new(method.error_order())),
            learnt: None,
            segment: Segment::new(method.dense(), dimension, method.slopes()),
            inside: Inside { active: false, t: 0.0, x: zeros.clone(), dx: zeros },
            checked: false,
            search: Search::new(crossings),
            counters: Counters::default(),
            drift: Drift::default(),
            space: Scratch::default(),
        }
    }

    /// Makes room for another number of states and crossing functions, before a restart. The step
    /// learnt and the work counted so far are kept.
    pub fn resize(&mut self, dimension: usize, crossings: usize) {
        self.segment.resize(dimension);
        self.inside.active = false;
        self.inside.x.resize(dimension, 0.0);
        self.inside.dx.resize(dimension, 0.0);
        self.search.resize(crossings);
        self.space.0.linear.forget();
    }

    /// Asks for the pattern of the derivatives again when they are next needed.
    pub fn forget_pattern(&mut self) {
        self.space.0.linear.forget();
    }

    /// Starts a smooth phase at offset `t` from state `x`.
    ///
    /// The step learnt before an event is kept, because a one-step method has nothing else to
    /// lose there; an initial step is selected only if none is known. A derivative that is
    /// not finite here is an error of the next [`Solver::step`].
    pub fn restart<S: System>(&mut self, system: &mut S, t: f64, x: &[f64]) {
        self.restart_from(t, x);
        self.restart_here(system);
    }

    /// The first half of a restart: takes the state, which may be where the system writes to.
    pub fn restart_from(&mut self, t: f64, x: &[f64]) {
        if !self.search.here.is_empty() {
            let old = if self.inside.active { &self.inside.x } else { &self.segment.x1 };
            self.drift.restart(old, x);
        }
        self.inside.active = false;
        self.checked = false;
        self.phase_start = t;
        self.control.restart();
        let segment = &mut self.segment;
        segment.start = t;
        segment.end = t;
        copy(&mut segment.x0, x);
        copy(&mut segment.x1, x);
    }

    /// The second half: looks at the system there.
    pub fn restart_here<S: System>(&mut self, system: &mut S) {
        self.prepare(system);
        let Segment { end, x1, slopes, .. } = &mut self.segment;
        let last = slopes.len() - 1;
        system.derivative(*end, x1, &mut slopes[last]);
        self.counters.evaluations += 1;
        self.look_here(system);
        if self.options.policy != Policy::Native {
            // After every event Ptolemy II begins with its first step again.
            self.learnt = self.options.initial_step;
        }
        if self.learnt.is_none() && !self.method.is_fixed() {
            self.learnt = self.first_step(system);
        }
    }

    /// Takes one accepted step, not past `horizon`, and searches it for the first crossing.
    ///
    /// A step that ends at the horizon ends there exactly. After [`Advance::Crossing`] the
    /// current point is the located one, on the dense output; the engine then restarts
    /// from a changed state, or just steps on. If the solution is at the horizon already
    /// nothing happens.
    pub fn step<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
        sides: Sides,
    ) -> Result<Advance, StepError> {
        self.steps(system, StepLimit { horizon, before: horizon, most: 1, keep: false }, sides)
    }

    /// The same, except that it may take more steps than one, as far as it may reach: as many as a
    /// system takes by itself. [`Solver::counters`] says how many that were.
    pub fn steps<S: System>(
        &mut self,
        system: &mut S,
        reach: StepLimit,
        mut sides: Sides,
    ) -> Result<Advance, StepError> {
        let StepLimit { horizon, .. } = reach;
        debug_assert_eq!(sides.side.len(), self.search.here.len(), "one side for each function");
        debug_assert_eq!(sides.residual.len(), sides.side.len());
        self.search.crossed.clear();
        self.space.0.passed_length = 0;
        if self.time() >= horizon {
            return Ok(Advance::Reached);
        }
        self.prepare(system);
        self.space.0.reach = reach;
        self.begin(system)?;
        if let Policy::Ptolemy { resolution, growth, longest } = self.options.policy {
            let rules = (resolution, growth, longest);
            return self.step_like_ptolemy(system, horizon, rules, &mut sides);
        }
        let taken = self.take(system, horizon);
        let found = taken.and_then(|()| self.find_surely(system, horizon, &mut sides));
        self.finish_step(system, found)
    }

    /// Ends a step that was searched.
    #[inline(always)]
    pub(crate) fn finish_step<S: System>(
        &mut self,
        system: &mut S,
        found: Result<Option<f64>, StepError>,
    ) -> Result<Advance, StepError> {
        if !self.search.here.is_empty() && found.is_ok() {
            // What lies beyond the point at which the step is cut has never been a state.
            let reached = if self.inside.active { &self.inside.x } else { &self.segment.x1 };
            self.drift.step(reached);
        }
        match found {
            Err(error) => {
                if matches!(error, StepError::NotFinite { .. }) {
                    system.stand_at(self.segment.end, &self.segment.x1);
                }
                self.segment.withdraw();
                self.look_here(system);
                Err(error)
            }
            Ok(None) => Ok(Advance::Reached),
            Ok(Some(_)) => {
                self.counters.located += 1;
                Ok(Advance::Crossing)
            }
        }
    }

    /// Fills the segment from its start with one accepted step that has no pole in it.
    #[inline(always)]
    pub(crate) fn take<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
    ) -> Result<(), StepError> {
        let taken = self.advance(system, horizon).and_then(|()| match self.pole(system) {
            None => Ok(()),
            Some(Pole { t, component }) => {
                Err(StepError::NotFinite { t, component: Some(component) })
            }
        });
        if !self.search.here.is_empty() {
            self.drift.see(&self.segment.x1);
        }
        taken
    }

    /// The points between the steps of the last call of [`Solver::steps`], if it was asked to keep
    /// them: for each the offset and the states, one after the other. The last step's end, which is
    /// the current point, is not among them.
    pub fn passed(&self) -> &[f64] {
        &self.space.0.passed[..self.space.0.passed_length]
    }

    /// The time of the current point: the end of the last step or a point inside it.
    pub fn time(&self) -> f64 {
        if self.inside.active { self.inside.t } else { self.segment.end }
    }

    /// The start of the last step.
    pub fn step_start(&self) -> f64 {
        self.segment.start
    }

    /// The end of the last step before anything moved the solution back.
    pub fn step_end(&self) -> f64 {
        self.segment.end
    }

    /// The state at the current point.
    pub fn state(&self) -> &[f64] {
        if self.inside.active { &self.inside.x } else { &self.segment.x1 }
    }

    /// The derivative at the current point; inside a step that of the dense output.
    pub fn derivative(&self) -> &[f64] {
        if self.inside.active { &self.inside.dx } else { self.segment.end_slope() }
    }

    /// Writes the state at `t` in the last step, from its start to its untruncated end.
    pub fn interpolate(&self, t: f64, x: &mut [f64]) {
        debug_assert!(self.segment.start <= t && t <= self.segment.end, "{t} is not in the step");
        self.segment.value(t, x);
    }

    /// Moves the solution back to `t` in the last step, for an event that the engine found.
    pub fn truncate(&mut self, t: f64) {
        self.search.crossed.clear();
        self.move_inside(t);
    }

    /// The crossing functions that changed at the point at which the last step stopped, by rising
    /// number.
    pub fn crossed(&self) -> &[Located] {
        &self.search.crossed
    }

    /// The largest rounding that steps have gathered in a state.
    pub fn largest_drift(&self) -> f64 {
        self.drift.largest()
    }

    /// How far rounding may have moved a state, by the steps since it was set.
    pub fn drift(&self, state: usize) -> f64 {
        self.drift.of(state)
    }

    /// The method of the last step: that of the options, unless those leave the choice to the
    /// solver.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The accepted steps so far.
    #[inline]
    pub fn accepted(&self) -> u64 {
        self.counters.accepted
    }

    /// The work so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Sets the bound on steps that blocks ask for \[s\], infinity for none. It may change
    /// between steps. Fixed steps are the model's own and are not bounded.
    pub fn limit_step(&mut self, maximum: f64) {
        self.limit = maximum;
    }

    /// The step to try next, if one is known \[s\].
    pub fn next_step(&self) -> Option<f64> {
        self.learnt
    }

    /// Sets the step to try next \[s\].
    pub fn set_next_step(&mut self, step: Option<f64>) {
        self.learnt = step;
    }

    /// The error allowed for a state of this value.
    pub fn allowed(&self, value: f64) -> f64 {
        self.tolerance().of(value.abs())
    }

    pub(crate) fn tolerance(&self) -> Tolerance {
        let Options { relative_tolerance: relative, absolute_tolerance: absolute, .. } =
            self.options;
        Tolerance { relative, absolute }
    }

    /// Makes working space if it is missing: at first and after loading.
    pub(crate) fn prepare<S: System>(&mut self, system: &mut S) {
        let n = self.segment.x0.len();
        let space = &mut self.space.0;
        space.argument.resize(n, 0.0);
        space.slope.resize(n, 0.0);
        if self.method.is_implicit() {
            space.newton.prepare(n);
            space.linear.prepare(system, n);
        }
        self.search.prepare();
    }

    fn first_step<S: System>(&mut self, system: &mut S) -> Option<f64> {
        if self.options.initial_step.is_some() {
            return self.options.initial_step;
        }
        if self.segment.x1.is_empty() {
            let watched = !self.search.here.is_empty();
            let longest = self.options.maximum_step.min(self.limit);
            let unknown = watched && longest.is_infinite();
            return Some(if unknown { FIRST_STEP_WITHOUT_STATE } else { longest.min(f64::MAX) });
        }
        if not_finite(&self.segment.x1, self.segment.end_slope()).is_some() {
            return None;
        }
        let tolerance = self.tolerance();
        let argument = &mut self.space.0.argument;
        let order = self.method.error_order();
        let longest = self.options.maximum_step.min(self.limit);
        self.counters.evaluations += 1;
        Some(initial::step(system, &mut self.segment, argument, tolerance, order, longest))
    }

    /// Makes the current point the start of a step.
    pub(crate) fn begin<S: System>(&mut self, system: &mut S) -> Result<(), StepError> {
        if self.inside.active {
            self.inside.active = false;
            self.checked = false;
            self.segment.end = self.inside.t;
            self.segment.x1.copy_from_slice(&self.inside.x);
            system.derivative(self.inside.t, &self.inside.x, self.segment.end_slope_mut());
            self.counters.evaluations += 1;
            self.look_here(system);
        }
        if !self.checked {
            let component = not_finite(&self.segment.x1, self.segment.end_slope());
            if component.is_some() {
                system.stand_at(self.segment.end, &self.segment.x1);
                return Err(StepError::NotFinite { t: self.segment.end, component });
            }
            self.checked = true;
        }
        if self.next != self.method {
            self.change_method(system);
        }
        self.segment.pass();
        Ok(())
    }

    /// Goes on with another method from the current point. The step learnt is kept: both
    /// methods have errors of one order.
    fn change_method<S: System>(&mut self, system: &mut S) {
        let method = self.next;
        let n = self.segment.x1.len();
        let mut segment = Segment::new(method.dense(), n, method.slopes());
        (segment.start, segment.end) = (self.segment.end, self.segment.end);
        segment.end_slope_mut().copy_from_slice(self.segment.end_slope());
        std::mem::swap(&mut segment.x1, &mut self.segment.x1);
        self.segment = segment;
        self.method = method;
        self.watch = Watch::default();
        self.control = Control::Pi(PiControl::new(method.error_order()));
        self.prepare(system);
    }

    /// Searches the step just taken; returns the time at which it has to stop, and moves there.
    pub(crate) fn find<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
        sides: &mut Sides,
    ) -> Result<Option<f64>, StepError> {
        if self.search.here.is_empty() {
            return Ok(None);
        }
        let at_horizon = self.segment.end == horizon;
        let Space { argument, slope, .. } = &mut self.space.0;
        let (segment, counters, drift) = (&self.segment, &mut self.counters, &self.drift);
        let (x, dx, at) = (&mut *argument, &mut *slope, None);
        let mut probe = Probe { system, segment, x, dx, at, counters, drift };
        let change = self.search.first_change(&mut probe, sides, at_horizon)?;
        let seen = probe.at;
        match change {
            // The last look was there.
            Some(t) if seen == change && t != self.segment.end => {
                self.inside.active = true;
                self.inside.t = t;
                std::mem::swap(&mut self.inside.x, argument);
                std::mem::swap(&mut self.inside.dx, slope);
            }
            Some(t) => self.move_inside(t),
            None => {}
        }
        Ok(change)
    }

    /// Looks at the crossing functions at the end of the segment.
    pub(crate) fn look_here<S: System>(&mut self, system: &mut S) {
        if self.search.here.is_empty() {
            return;
        }
        let Space { argument, slope, .. } = &mut self.space.0;
        let (segment, counters, drift) = (&self.segment, &mut self.counters, &self.drift);
        let (x, dx, at) = (&mut *argument, &mut *slope, None);
        let mut probe = Probe { system, segment, x, dx, at, counters, drift };
        probe.look(segment.end, &mut self.search.here);
    }

    fn move_inside(&mut self, t: f64) {
        let inside = &mut self.inside;
        inside.active = t != self.segment.end;
        if inside.active {
            inside.t = t;
            self.segment.value(t, &mut inside.x);
            self.segment.slope(t, &mut inside.dx);
        }
    }
}
