//! Steps of several solutions of one explicit method side by side.
//!
//! Each solution has a lane: a column of the rows in which the numbers of all lanes are next to each
//! other, so that whoever computes a trial does so for all of them at once. Each lane has its own
//! time, step and control. What follows a plain step is computed for all lanes at once, with the
//! trial ([`crate::StepRules::follow`]); about any other decides the code that does so for a single
//! solver ([`crate::stepping::Attempt`]). A trial that is refused is followed by a shorter one, while
//! other lanes go on. Whatever is rare is left to the solver: the lane stops before the step, and
//! the solver takes it by itself.

use crate::control::{Control, PiControl};
use crate::crossing::Sides;
use crate::error::StepError;
use crate::explicit::not_finite;
use crate::method::{Method, Policy};
use crate::pole::may_pass;
use crate::solver::{Advance, Solver, StepLimit};
use crate::stepping::{Attempt, Verdict, shortest_step};
use crate::system::System;

/// How many lanes there are.
pub const LANES: usize = 8;

/// How far floats count by ones; no run takes so many steps.
const COUNTED: u64 = 1 << 53;

/// The numbers of one kind of all lanes: a line of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct LaneRow(pub [f64; LANES]);

/// How many numbers a lane has, and the rows in which they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneLayout {
    /// How many states.
    pub states: usize,
    /// How many slopes the method has.
    pub slopes: usize,
    /// How many numbers the rates depend on beside time and states.
    pub inputs: usize,
}

impl LaneLayout {
    /// The start of each trial.
    pub const START: usize = 0;
    /// Its end.
    pub const END: usize = 1;
    /// The length that was wanted for its step.
    pub const WANTED: usize = 2;
    /// What is remembered of the error of the step before.
    pub const PREVIOUS: usize = 3;
    /// How many steps may be taken, this one included.
    pub const LEFT: usize = 4;
    /// How many times as long the next step may be at most.
    pub const GROWTH: usize = 5;
    /// The same of the trial after this one, if this one is a plain step.
    pub const NEXT: usize = 6;
    /// What its times count from.
    pub const ORIGIN: usize = 12;
    /// The relative tolerance.
    pub const RELATIVE: usize = 13;
    /// The absolute tolerance.
    pub const ABSOLUTE: usize = 14;
    /// No step goes beyond this.
    pub const HORIZON: usize = 15;
    /// No step starts from here on.
    pub const BEFORE: usize = 16;
    /// The longest step.
    pub const LONGEST: usize = 17;
    /// The error of a trial: the mean square in units of the tolerance.
    pub const ERROR: usize = 18;
    /// Whether a trial is a plain step: all bits, or none.
    pub const PLAIN: usize = 19;
    /// The length of a trial, while it is computed.
    pub const LENGTH: usize = 20;
    const FIRST: usize = 21;
    /// How many numbers of a trial those of the next replace.
    const REPLACED: usize = LaneLayout::NEXT - LaneLayout::START;

    /// The first of the states at the start.
    pub fn x0(&self) -> usize {
        LaneLayout::FIRST
    }

    /// The first of the states at the end.
    pub fn x1(&self) -> usize {
        self.x0() + self.states
    }

    /// The first of the slopes of a stage.
    pub fn slope(&self, stage: usize) -> usize {
        self.x1() + self.states * (1 + stage)
    }

    /// The first of the inputs.
    pub fn input(&self) -> usize {
        self.slope(self.slopes)
    }

    fn rows(&self) -> usize {
        self.input() + self.inputs
    }
}

/// The present trials of all lanes.
#[derive(Clone, Debug)]
pub struct LaneTrials {
    layout: LaneLayout,
    rows: Vec<LaneRow>,
}

impl LaneTrials {
    /// Which rows there are.
    pub fn layout(&self) -> LaneLayout {
        self.layout
    }

    /// The rows.
    pub fn rows_mut(&mut self) -> &mut [LaneRow] {
        &mut self.rows
    }

    fn get(&self, row: usize, lane: usize) -> f64 {
        self.rows[row].0[lane]
    }

    fn set(&mut self, row: usize, lane: usize, value: f64) {
        self.rows[row].0[lane] = value;
    }

    fn fill(&mut self, first: usize, lane: usize, values: &[f64]) {
        for (row, value) in self.rows[first..].iter_mut().zip(values) {
            row.0[lane] = *value;
        }
    }

    fn copy(&self, first: usize, lane: usize, values: &mut [f64]) {
        for (row, value) in self.rows[first..].iter().zip(values) {
            *value = row.0[lane];
        }
    }
}

/// Lanes as bits.
pub type LaneSet = u32;

/// All lanes.
const ALL: LaneSet = (1 << LANES) - 1;

/// What has become of the lanes that do not simply go on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LaneEvents {
    /// Those that have taken a step which has to be looked at: the last that its limit allows, or
    /// one in which there may be a crossing.
    pub taken: LaneSet,
    /// Those whose present step the solver has to take by itself.
    pub odd: LaneSet,
}

impl LaneEvents {
    /// Whether all lanes go on.
    pub fn is_empty(self) -> bool {
        self.taken | self.odd == 0
    }
}

/// The solution of one lane.
#[derive(Clone, Copy, Debug)]
struct Lane {
    attempt: Attempt,
    control: Control,
    /// The control at the start of the present step.
    at_start: Control,
    /// The step to try next; none before the first step in this lane.
    learnt: Option<f64>,
    longest: f64,
    limit: StepLimit,
    /// How many steps it has taken since its limit was set.
    steps: u64,
    /// Whether each step has to be looked at.
    searched: bool,
    /// Trials of the present step that were refused.
    refused: u64,
    /// What the solver has not counted yet.
    accepted: u64,
    rejected: u64,
    trials: u64,
}

/// Steps of several solutions.
#[derive(Clone, Debug)]
pub struct LaneSteps {
    trials: LaneTrials,
    lanes: [Option<Lane>; LANES],
    /// The lanes whose present trial may be a plain step.
    ready: LaneSet,
}

impl LaneSteps {
    /// Lanes without solutions.
    pub fn new(layout: LaneLayout) -> LaneSteps {
        let rows = vec![LaneRow::default(); layout.rows()];
        LaneSteps { trials: LaneTrials { layout, rows }, lanes: [None; LANES], ready: 0 }
    }

    /// The end of the present trial of a lane, which is that of a step that is to be looked at.
    pub fn end(&self, lane: usize) -> f64 {
        self.trials.get(LaneLayout::END, lane)
    }

    /// How many steps a lane has taken since its limit was set.
    pub fn taken(&self, lane: usize) -> u64 {
        self.lanes[lane].as_ref().map_or(0, |own| own.steps)
    }

    /// Takes a solution into a lane, from its current point up to a limit, unless its next step is
    /// one that a lane does not take. Times count from `origin`; `inputs` are what the rates depend
    /// on.
    pub fn enter(
        &mut self,
        lane: usize,
        solver: &mut Solver,
        limit: StepLimit,
        origin: f64,
        inputs: impl Iterator<Item = f64>,
    ) -> bool {
        let layout = self.trials.layout;
        if !solver.may_enter(layout) || limit.most == 0 || solver.time() >= limit.before {
            return false;
        }
        let trials = &mut self.trials;
        trials.fill(layout.x0(), lane, &solver.segment.x1);
        trials.fill(layout.slope(0), lane, solver.segment.end_slope());
        for (row, value) in (layout.input()..).zip(inputs) {
            trials.set(row, lane, value);
        }
        let tolerance = solver.tolerance();
        trials.set(LaneLayout::ORIGIN, lane, origin);
        trials.set(LaneLayout::RELATIVE, lane, tolerance.relative);
        trials.set(LaneLayout::ABSOLUTE, lane, tolerance.absolute);
        let mut own = Lane {
            attempt: Attempt::default(),
            control: solver.control,
            at_start: solver.control,
            learnt: solver.learnt,
            longest: solver.longest(),
            limit,
            steps: 0,
            searched: !solver.search.here.is_empty(),
            refused: 0,
            accepted: 0,
            rejected: 0,
            trials: 0,
        };
        own.limit(trials, lane, limit);
        own.begin(trials, lane, solver.time(), solver.wanted());
        self.note_ready(lane, own.is_ready());
        self.lanes[lane] = Some(own);
        true
    }

    /// Goes on with all lanes until something has become of one, for so many trials at most.
    pub fn advance(&mut self, most: u32, compute: &mut dyn FnMut(&mut LaneTrials)) -> LaneEvents {
        let mut events = LaneEvents::default();
        for _ in 0..most {
            compute(&mut self.trials);
            let plain = self.plain();
            self.replace(plain);
            let (mut passing, mut others) = (plain, ALL & !plain);
            while others != 0 {
                let lane = others.trailing_zeros() as usize;
                others &= others - 1;
                let Some(own) = &mut self.lanes[lane] else { continue };
                let ready = self.ready >> lane & 1 != 0;
                let looked = own.look(&mut self.trials, lane, ready);
                let ready = own.is_ready();
                self.note_ready(lane, ready);
                match looked {
                    Look::On => passing |= 1 << lane,
                    Look::Again => {}
                    Look::Taken => events.taken |= 1 << lane,
                    Look::Odd => events.odd |= 1 << lane,
                }
            }
            self.pass(passing);
            if !events.is_empty() {
                break;
            }
        }
        events
    }

    /// Goes on with a lane from a step that was looked at, up to another limit.
    pub fn go_on(&mut self, lane: usize, limit: StepLimit) {
        let Some(own) = &mut self.lanes[lane] else { return };
        own.limit(&mut self.trials, lane, limit);
        let end = self.trials.get(LaneLayout::END, lane);
        own.follow(&mut self.trials, lane, end);
        let ready = own.is_ready();
        self.note_ready(lane, ready);
        self.pass(1 << lane);
    }

    /// Makes the last step of a lane that of its solver, which is to look at it.
    pub fn show(&mut self, lane: usize, solver: &mut Solver) {
        let ready = self.ready >> lane & 1 != 0;
        let Some(own) = &mut self.lanes[lane] else { return };
        own.catch_up(&self.trials, lane, ready);
        own.hand_over(solver, self.trials.layout);
        let (trials, layout) = (&self.trials, self.trials.layout);
        let segment = &mut solver.segment;
        segment.start = trials.get(LaneLayout::START, lane);
        segment.end = trials.get(LaneLayout::END, lane);
        trials.copy(layout.x0(), lane, &mut segment.x0);
        trials.copy(layout.x1(), lane, &mut segment.x1);
        for (stage, slope) in segment.slopes.iter_mut().enumerate() {
            trials.copy(layout.slope(stage), lane, slope);
        }
    }

    /// Makes the start of the present step of a lane the current point of its solver.
    pub fn put_back(&mut self, lane: usize, solver: &mut Solver) {
        let ready = self.ready >> lane & 1 != 0;
        let Some(own) = &mut self.lanes[lane] else { return };
        own.catch_up(&self.trials, lane, ready);
        own.control = own.at_start;
        own.hand_over(solver, self.trials.layout);
        let (trials, layout) = (&self.trials, self.trials.layout);
        let segment = &mut solver.segment;
        segment.start = trials.get(LaneLayout::START, lane);
        trials.copy(layout.x0(), lane, &mut segment.x0);
        trials.copy(layout.slope(0), lane, &mut segment.slopes[0]);
        segment.withdraw();
    }

    /// Frees a lane.
    pub fn leave(&mut self, lane: usize) {
        self.lanes[lane] = None;
        self.note_ready(lane, false);
    }

    fn note_ready(&mut self, lane: usize, ready: bool) {
        self.ready = self.ready & !(1 << lane) | LaneSet::from(ready) << lane;
    }

    /// The lanes whose trials are plain steps and in which no rate may have passed a pole.
    #[inline]
    fn plain(&self) -> LaneSet {
        let plain = &self.trials.rows[LaneLayout::PLAIN].0;
        let set = |set, lane: usize| set | ((plain[lane].to_bits() >> 63) as LaneSet) << lane;
        (0..LANES).fold(0, set) & self.ready & !self.suspects()
    }

    /// The lanes in which a rate may have passed a pole in the trial. Few rates turn in a step, so that
    /// the signs of all lanes are compared first.
    #[inline]
    fn suspects(&self) -> LaneSet {
        let LaneLayout { states, slopes, .. } = self.trials.layout;
        let row = |stage: usize, i: usize| &self.trials.rows[self.trials.layout.slope(stage) + i].0;
        let mut found = 0;
        for i in 0..states {
            let (a, b) = (row(0, i), row(slopes - 1, i));
            let unlike = |lane: usize| a[lane].to_bits() ^ b[lane].to_bits();
            if (0..LANES).fold(0, |all, lane| all | unlike(lane)) >> 63 == 0 {
                continue;
            }
            for lane in (0..LANES).filter(|lane| unlike(*lane) >> 63 != 0) {
                let passed = may_pass(slopes, |stage| row(stage, i)[lane]);
                found |= LaneSet::from(passed) << lane;
            }
        }
        found
    }

    /// Makes the next trials of some lanes the present ones.
    #[inline]
    fn replace(&mut self, lanes: LaneSet) {
        self.blend(LaneLayout::NEXT, LaneLayout::START, LaneLayout::REPLACED, lanes);
    }

    /// Makes the ends of the steps of some lanes their starts.
    #[inline]
    fn pass(&mut self, lanes: LaneSet) {
        let layout = self.trials.layout;
        let last = layout.slope(layout.slopes - 1);
        self.blend(layout.x1(), layout.x0(), layout.states, lanes);
        self.blend(last, layout.slope(0), layout.states, lanes);
    }

    /// Copies the numbers of some lanes from rows to others.
    #[inline]
    fn blend(&mut self, from: usize, to: usize, count: usize, lanes: LaneSet) {
        if lanes == ALL {
            return self.trials.rows.copy_within(from..from + count, to);
        }
        let mask: [u64; LANES] =
            std::array::from_fn(|lane| 0u64.wrapping_sub(u64::from(lanes >> lane & 1)));
        for i in 0..count {
            let new = self.trials.rows[from + i].0;
            let old = &mut self.trials.rows[to + i].0;
            for lane in 0..LANES {
                let bits = new[lane].to_bits() & mask[lane] | old[lane].to_bits() & !mask[lane];
                old[lane] = f64::from_bits(bits);
            }
        }
    }
}

/// What becomes of a lane after a trial.
enum Look {
    /// The trial is a step, and the next one is prepared.
    On,
    /// A shorter one is tried.
    Again,
    /// The trial is a step that has to be looked at.
    Taken,
    /// The solver has to take the step.
    Odd,
}

impl Lane {
    /// Sets how far the lane may go from here on.
    fn limit(&mut self, trials: &mut LaneTrials, lane: usize, limit: StepLimit) {
        let most = limit.most.min(COUNTED);
        (self.limit, self.steps) = (StepLimit { most, ..limit }, 0);
        trials.set(LaneLayout::HORIZON, lane, limit.horizon);
        trials.set(LaneLayout::BEFORE, lane, limit.before);
        trials.set(LaneLayout::LONGEST, lane, self.longest);
    }

    /// How many steps may be taken.
    fn left(&self) -> f64 {
        (self.limit.most - self.steps) as f64
    }

    /// Whether the present trial may be a plain step.
    fn is_ready(&self) -> bool {
        let Control::Pi(pi) = &self.control;
        !self.searched && (self.refused > 0 || pi.remembered().is_some())
    }

    /// Counts the plain steps that the lane has taken, and goes on from them.
    #[inline(always)]
    fn catch_up(&mut self, trials: &LaneTrials, lane: usize, ready: bool) {
        let passed = self.left() - trials.get(LaneLayout::LEFT, lane);
        if !ready || passed <= 0.0 {
            return;
        }
        let passed = passed as u64;
        let refused = std::mem::take(&mut self.refused);
        self.steps += passed;
        self.accepted += passed;
        self.rejected += refused;
        self.trials += passed + refused;
        let Control::Pi(pi) = &mut self.control;
        pi.resume(trials.get(LaneLayout::PREVIOUS, lane));
        self.at_start = self.control;
        let wanted = trials.get(LaneLayout::WANTED, lane);
        self.learnt = Some(wanted);
        let start = trials.get(LaneLayout::START, lane);
        self.attempt = Attempt::new(start, wanted, self.longest, self.limit.horizon);
    }

    /// Prepares the first trial of a step.
    #[inline(always)]
    fn begin(&mut self, trials: &mut LaneTrials, lane: usize, start: f64, wanted: f64) {
        self.attempt = Attempt::new(start, wanted, self.longest, self.limit.horizon);
        let Control::Pi(pi) = &self.control;
        trials.set(LaneLayout::START, lane, start);
        trials.set(LaneLayout::END, lane, self.attempt.end());
        trials.set(LaneLayout::WANTED, lane, wanted);
        trials.set(LaneLayout::PREVIOUS, lane, pi.remembered().unwrap_or(0.0));
        trials.set(LaneLayout::LEFT, lane, self.left());
        trials.set(LaneLayout::GROWTH, lane, PiControl::GROWTH);
    }

    /// Prepares the step after the present one.
    #[inline(always)]
    fn follow(&mut self, trials: &mut LaneTrials, lane: usize, end: f64) {
        let wanted = self.learnt.unwrap_or(0.0).max(shortest_step(end));
        (self.at_start, self.refused) = (self.control, 0);
        self.begin(trials, lane, end, wanted);
    }

    /// Decides about a trial that has been computed.
    fn look(&mut self, trials: &mut LaneTrials, lane: usize, ready: bool) -> Look {
        self.catch_up(trials, lane, ready);
        let error = trials.get(LaneLayout::ERROR, lane);
        let end = trials.get(LaneLayout::END, lane);
        // The solver may have other functions for rates that are not finite.
        if error.is_nan() {
            return Look::Odd;
        }
        match self.attempt.judge(&mut self.control, end - self.attempt.start, error) {
            Verdict::TooSmall => Look::Odd,
            Verdict::Refused => {
                self.refused += 1;
                trials.set(LaneLayout::END, lane, self.attempt.end());
                // However long it was wanted, what follows is no longer than this one.
                trials.set(LaneLayout::WANTED, lane, 0.0);
                trials.set(LaneLayout::GROWTH, lane, 1.0);
                Look::Again
            }
            Verdict::Taken { .. } if may_pass_pole(trials, lane) => Look::Odd,
            Verdict::Taken { learnt } => {
                self.learnt = Some(learnt);
                self.accepted += 1;
                self.rejected += self.refused;
                self.trials += 1 + self.refused;
                self.steps += 1;
                let last = self.steps >= self.limit.most || end >= self.limit.before;
                if last || self.searched {
                    return Look::Taken;
                }
                self.follow(trials, lane, end);
                Look::On
            }
        }
    }

    /// Gives a solver everything but the point.
    fn hand_over(&mut self, solver: &mut Solver, layout: LaneLayout) {
        (solver.control, solver.learnt) = (self.control, self.learnt);
        solver.counters.accepted += std::mem::take(&mut self.accepted);
        solver.counters.rejected += std::mem::take(&mut self.rejected);
        solver.counters.evaluations +=
            std::mem::take(&mut self.trials) * (layout.slopes as u64 - 1);
        solver.space.0.passed_length = 0;
        solver.search.crossed.clear();
    }
}

/// Whether a rate of a lane may have passed a pole in its trial.
#[cold]
fn may_pass_pole(trials: &LaneTrials, lane: usize) -> bool {
    let layout = trials.layout;
    let rate =
        |i: usize| may_pass(layout.slopes, |stage| trials.get(layout.slope(stage) + i, lane));
    (0..layout.states).any(rate)
}

impl Solver {
    /// Whether the next step from the current point can be taken in a lane.
    fn may_enter(&mut self, layout: LaneLayout) -> bool {
        let same = self.segment.x1.len() == layout.states
            && self.segment.slopes.len() == layout.slopes
            && layout.states > 0;
        let plain = self.method.tableau().is_some_and(|tableau| tableau.embedded.is_some())
            && self.options.method != Method::Auto
            && self.options.policy == Policy::Native
            && !self.is_beyond_floats()
            && self.learnt.is_some()
            && !self.inside.active;
        if !same || !plain {
            return false;
        }
        self.checked =
            self.checked || not_finite(&self.segment.x1, self.segment.end_slope()).is_none();
        self.checked
    }

    /// Searches a step that was taken in a lane, as [`Solver::step`] does.
    pub fn search_lane<S: System>(
        &mut self,
        system: &mut S,
        horizon: f64,
        mut sides: Sides,
    ) -> Result<Advance, StepError> {
        self.prepare(system);
        self.drift.see(&self.segment.x1);
        let found = self.find_surely(system, horizon, &mut sides);
        self.finish_step(system, found)
    }
}
