//! One step of a region, and the time of a crossing that it locates.
use std::cmp::Reverse;

use base::{ExactTime, Table, Time};
use program::tape::run;
use program::{Profile, Program, RegionId, TimerId, events_before_near};
use solver::{Advance, Policy, Sides, StepLimit};

use crate::RunError;
use crate::engine::Engine;
use crate::log::Switch;
use crate::native::code;
use crate::sliding::exit_gains;
use crate::smooth::flow::{Flow, numbered, watches};

/// The time of a timer that is indistinguishable from a located time, or the located time itself: a
/// crossing within the resolution of an agenda time takes that time.
fn nearest_event(
    program: &Program,
    origin: &dyn Fn(TimerId) -> Option<ExactTime>,
    alarm: &dyn Fn(TimerId) -> Option<Time>,
    wakings: &Table<TimerId, u64>,
    (located, resolution): (Time, Time),
) -> Time {
    program
        .timers
        .entries()
        .filter_map(|(id, timer)| {
            let origin = origin(id)?;
            let from = located - resolution - origin.time();
            let first = || events_before_near(&*timer.timer, from, wakings[id]);
            let time = match timer.alarm {
                Some(_) => alarm(id).filter(|time| *time >= located - resolution)?,
                None => (timer.timer.exact(first())? + origin).time(),
            };
            (time <= located + resolution).then_some(time)
        })
        .min_by(|a, b| a.since(located).abs().total_cmp(&b.since(located).abs()))
        .unwrap_or(located)
}

/// The short decimal number of seconds that rounding does not distinguish from a time, if there is
/// one: within so many units in the last place of the float, and so short that it is no chance.
fn short_decimal(time: Time, length: f64, places: f64) -> Option<Time> {
    let size = time.seconds().abs().max(length);
    let slack = Time::from_f64(places * f64::EPSILON * size)?.attoseconds();
    let nearest = |unit: i128| {
        let (count, half) = (time.attoseconds(), unit / 2);
        match (i64::try_from(count + half), i64::try_from(unit)) {
            // A division of short numbers takes a tenth of the time.
            (Ok(count), Ok(unit)) => i128::from(count.div_euclid(unit) * unit),
            _ => (count + half).div_euclid(unit) * unit,
        }
    };
    let near = |unit: &i128| (nearest(*unit) - time.attoseconds()).abs() <= slack;
    // What is near a multiple of a unit is near a multiple of each shorter one, so that the shortest
    // says whether there is any.
    let units = std::iter::successors(Some(1i128), |unit| Some(10 * unit)).take(UNITS);
    let unit = units.skip_while(|unit| *unit < NO_CHANCE * slack).take_while(near).last()?;
    Some(Time::from_attoseconds(nearest(unit)))
}

/// The multiple of the resolution of a clock that is nearest to a time; half a unit counts as one.
pub(crate) fn on_clock(time: Time, resolution: f64) -> Time {
    let unit = Time::from_f64(resolution).map_or(1, Time::attoseconds).max(1);
    Time::from_attoseconds((time.attoseconds() + unit / 2).div_euclid(unit) * unit)
}

/// How many units there are in which times are rounded: the powers of ten of attoseconds from 1 on.
const UNITS: usize = 25;
/// By how much the unit of a short decimal exceeds the rounding of times.
const NO_CHANCE: i128 = 1000;

impl Engine<'_> {
    /// How far a region may step: to the next timer that can reach it, or to the end.
    pub(crate) fn own_horizon(&self, region: RegionId) -> Time {
        let influence = &self.program.influence;
        let wakes = |timer: &TimerId| self.wakes(*timer).unwrap_or(Time::MAX);
        // The first timer of all is most often the right one, and the agenda has it at hand.
        let next = match self.state.agenda.first() {
            None => Time::MAX,
            Some((time, first)) if influence.timers[first].binary_search(&region).is_ok() => time,
            _ => influence.timers_of[region].iter().map(wakes).min().unwrap_or(Time::MAX),
        };
        let delayed = influence.lines_of[region].iter().map(|line| self.due(*line));
        let next = next.min(delayed.min().unwrap_or(Time::MAX)).min(self.options.stop);
        let next = match self.program.inputs.is_empty() {
            true => next,
            false => next.min(self.next_input(region)),
        };
        // A delayed value must be known when it is read; variable steps are bounded anyway.
        let fixed = self.options.solver.method.is_fixed();
        let known = self.shortest_delay(region).filter(|_| fixed);
        known.map_or(next, |delay| next.min(self.state.regions[region].reached + delay))
    }

    /// Asks whoever wants to know it whether the step that a region has taken last, and that is not
    /// taken back, ends at an event; returns whether there is one.
    pub(crate) fn completes_step(&mut self, region: RegionId) -> bool {
        let code = &self.program.regions[region];
        let time = self.state.regions[region].reached;
        if code.completions.is_empty() || time == self.state.regions[region].origin {
            return false;
        }
        self.place(region, time, time.seconds());
        for (slot, _) in &code.completions {
            self.state.slots[slot.index()] = 0.0;
        }
        run(&code.complete, &mut self.state.slots);
        let mut asked = false;
        for (slot, timer) in &code.completions {
            if self.state.slots[slot.index()] != 0.0 {
                self.wake_at(*timer, time);
                asked = true;
            }
        }
        asked
    }

    /// Whether nothing observes the ends of a region's steps: no row, no history, and no other
    /// moving region. Rows that are due at given times are read from the step that covers them.
    pub(crate) fn is_quiet(&self, region: RegionId) -> bool {
        let program = &self.program.regions[region];
        program.lines.is_empty()
            && !(program.recorded && (self.has_step_rows() || program.watched))
            && self.scratch.mover.is_some()
    }

    /// The time from which on no step starts, of those that are taken at once: they end where
    /// something else happens, or a row is due.
    pub(crate) fn last_start(&self, horizon: Time) -> Time {
        match self.next_due() {
            None => horizon,
            Some(due) => {
                // Offsets round; a step that may or may not cover the row is taken by itself.
                let due = due.attoseconds();
                horizon.min(Time::from_attoseconds(due - (due.abs() >> 51) - 2))
            }
        }
    }

    /// One step of a region up to its horizon, or up to `most` steps before a time. If the points
    /// between them are to be kept, they are in `passed`.
    // The equations borrow most of the region's state from the first line to the end of the loop over
    // steps, which therefore is in one function, and so longer than a function should otherwise be.
    pub(crate) fn step_region(
        &mut self,
        region: RegionId,
        horizon: Time,
        (before, most, keep): (Time, u32, bool),
    ) -> Result<(), RunError> {
        self.scratch.passed.clear();
        if let Some(error) = self.scratch.failed_lane.take() {
            return Err(self.step_error(region, error));
        }
        let reach = self.limit_to_reads(region);
        let state = &mut self.state.regions[region];
        let (ranges, slots) = (&state.ranges, &mut self.state.slots);
        let active = &mut self.scratch.active[region];
        let code = code(self.native, region);
        if !active.known {
            active.find(&self.program.regions[region], ranges, slots, code.is_some());
        }
        let gain = std::mem::take(&mut active.gains);
        let exits =
            state.is_held().then(|| exit_gains(&self.program.regions[region], state, &gain));
        let past = (&mut state.history, &mut self.scratch.functions[region]);
        let origin = (state.origin, state.origin_seconds);
        let slides = &mut self.scratch.slides[region];
        let mut flow = Flow::new(self.program, region, ranges, active, slots, origin, past)
            .with(code)
            .living(self.options.profile == Profile::Ptolemy)
            .on(&state.surfaces, slides);
        flow.rests = &state.rests;
        flow.rounds = self.scratch.rounds.as_mut();
        if !state.surfaces.is_empty() {
            flow.stay_on_surfaces(&mut state.solver, &mut self.scratch.numbers);
        }
        if !state.rests.is_empty() {
            flow.stay_at_rest(&mut state.solver, &mut self.scratch.numbers);
        }
        let whole = horizon.since(state.origin);
        // Fixed steps are not limited; they end early instead.
        let fixed = self.options.solver.method.is_fixed();
        let to = if fixed { whole.min(state.solver.time() + reach) } else { whole };
        let before = if before == horizon { to } else { before.since(state.origin) };
        let (from, begun) = (state.solver.time(), state.solver.counters().accepted);
        let result = loop {
            let gain = exits.as_ref().unwrap_or(&gain);
            let sides = Sides { side: &state.sides, residual: &mut state.residuals, gain };
            let method = state.solver.method();
            let left = begun + u64::from(most) - state.solver.counters().accepted;
            let reach = StepLimit { horizon: to, before, most: left, keep };
            let result = state.solver.steps(&mut flow, reach, sides);
            if keep {
                self.scratch.passed.extend_from_slice(state.solver.passed());
            }
            if state.solver.method() != method {
                let time = state.origin.offset(state.solver.step_start()).unwrap_or(state.reached);
                let method = state.solver.method();
                self.state.switches.push(Switch { time, region, method });
            }
            let done = state.solver.counters().accepted >= begun + u64::from(most);
            if result != Ok(Advance::Reached) || done || state.solver.time() >= before {
                break result;
            }
            if keep {
                self.scratch.passed.push(state.solver.time());
                self.scratch.passed.extend_from_slice(state.solver.state());
            }
        };
        self.scratch.active[region].gains = gain;
        let t = state.solver.time();
        if result.is_ok() || t > from {
            state.reached = state.time_at(t, whole, horizon);
            let reached = self.on_resolution(region, horizon);
            self.state.regions[region].reached = reached;
        }
        match result {
            Ok(advance) => self.take_step(region, advance, horizon),
            Err(error) => Err(self.step_error(region, error)),
        }
    }

    /// Limits the next step of a region to what it can read of the past, and returns how far that
    /// is.
    fn limit_to_reads(&mut self, region: RegionId) -> f64 {
        if self.program.regions[region].readings.is_empty() {
            return f64::INFINITY;
        }
        let reach = self.longest_read(region);
        let longest = reach.min(self.longest_step(region));
        self.state.regions[region].solver.limit_step(longest);
        reach
    }

    /// The time that a region has reached, on the clock of the profile if that has one.
    #[inline]
    fn on_resolution(&self, region: RegionId, horizon: Time) -> Time {
        let state = &self.state.regions[region];
        match self.options.solver.policy {
            Policy::Ptolemy { resolution, .. } if state.reached < horizon => {
                on_clock(state.reached, resolution).clamp(state.origin, horizon)
            }
            _ => state.reached,
        }
    }

    /// Processes the result of the solver: a crossing, a new piece of history, a row.
    #[inline]
    pub(crate) fn take_step(
        &mut self,
        region: RegionId,
        advance: Advance,
        horizon: Time,
    ) -> Result<(), RunError> {
        let state = &mut self.state.regions[region];
        state.crossing = advance == Advance::Crossing;
        if self.program.follows_steps {
            // Blocks that follow the steps commit what they have seen, without a crossing.
            let whole = advance == Advance::Reached && state.reached < horizon;
            state.crossing |= whole;
            if whole {
                return Ok(());
            }
        }
        if state.crossing {
            let length = state.solver.time() - state.solver.step_start();
            self.take_event_time(region, length, horizon);
            self.pass_leaps(region, horizon);
        }
        if !self.program.regions[region].lines.is_empty() {
            self.record_step(region)?;
        }
        let (program, reached) =
            (&self.program.regions[region], self.state.regions[region].reached);
        if advance == Advance::Reached
            && reached < horizon
            && program.recorded
            && (self.has_step_rows() || program.watched)
        {
            self.state.rows.waiting.push(Reverse((reached, region)));
        }
        Ok(())
    }

    /// A crossing at this length into a step, within the resolution of another event's time, takes
    /// that time. Otherwise, if time alone moves the function, it takes the short decimal that it
    /// may be: `time > 0.3` changes at three tenths.
    fn take_event_time(&mut self, region: RegionId, length: f64, horizon: Time) {
        let located = self.state.regions[region].reached;
        let other = self.other_event(region, located, length);
        let short = || {
            if !self.time_alone_crosses(region) {
                return None;
            }
            // Functions that pass zero together are located where the last of them has.
            let together = self.state.regions[region].solver.crossed().len() > 1;
            let places = if together { 64.0 } else { 4.0 };
            short_decimal(located, length, places)
        };
        let Some(time) = other.or_else(short) else { return };
        // Events at that time are over: if a step ended there just before the crossing, the
        // crossing comes at a later time.
        if time > self.state.tag.time && time <= horizon.max(located) {
            self.state.regions[region].reached = time;
        }
    }

    /// Whether nothing but time moves the functions that were located last.
    fn time_alone_crosses(&self, region: RegionId) -> bool {
        let (program, state) = (&self.program.regions[region], &self.state.regions[region]);
        state.solver.crossed().iter().all(|located| {
            program.functions[numbered(watches(&state.ranges), located.function)].of_time
        })
    }

    /// The time of another event that is indistinguishable from a crossing at this length into a
    /// step.
    fn other_event(&mut self, region: RegionId, located: Time, length: f64) -> Option<Time> {
        if self.program.timers.is_empty() && self.program.lines.is_empty() {
            return None;
        }
        let size = located.seconds().abs();
        let least = 16.0 * f64::EPSILON * size.max(length);
        let uncertainty = self.state.regions[region].uncertainty().min(64.0 * f64::EPSILON * size);
        let resolution = Time::from_f64(least.max(uncertainty))?;
        let nearest = match self.is_far_from_timers(located, resolution) {
            true => located,
            false => {
                let origin = |timer: TimerId| {
                    let fragment = self.program.timers[timer].fragment;
                    self.runs(fragment).then(|| self.state.machines.clocks[fragment].origin)
                };
                let (alarm, wakings) = (|id| self.wakes(id), &self.state.agenda.wakings);
                nearest_event(self.program, &origin, &alarm, wakings, (located, resolution))
            }
        };
        match nearest == located {
            true => self.nearest_delayed(located, resolution),
            false => Some(nearest),
        }
    }

    /// Whether no timer wakes within the resolution of a time: the wakings so far were no later than
    /// the current tag, and the agenda has the first of those to come.
    fn is_far_from_timers(&self, time: Time, resolution: Time) -> bool {
        let first = self.state.agenda.first().map_or(Time::MAX, |(first, _)| first);
        self.state.tag.time < time - resolution && first > time + resolution
    }
}
