//! The time of what a region has located: crossings that only rounding separates share one tag, and
//! a leap over zero is passed.

use base::Time;
use program::tape::run;
use program::{RegionId, WatchId};

use crate::engine::Engine;
use crate::smooth::flow::{counted, numbered, scatter, states, watches};
use crate::smooth::region::RegionState;
use crate::smooth::standing;

/// Attempts to pass a leap, each one float of time further.
const ATTEMPTS: u32 = 8;

/// The distance to the next float of time, at least one attosecond.
fn place_of_time(time: Time) -> Time {
    let seconds = time.seconds().abs();
    let place = Time::from_f64(seconds * f64::EPSILON).unwrap_or(Time::ZERO);
    place.max(Time::from_attoseconds(1))
}

/// How far at most a zero may be from where it was located, for statements about its time.
fn most(located: Time) -> Time {
    Time::from_f64(64.0 * f64::EPSILON * located.seconds().abs()).unwrap_or(Time::ZERO)
}

impl RegionState {
    /// How far the zeros that were located last may be from their located times \[s\].
    pub(crate) fn uncertainty(&self) -> f64 {
        let located = self.solver.crossed().iter().map(|located| located.uncertainty);
        located.fold(0.0, f64::max)
    }

    /// Whether a located function leaps over zero.
    pub(crate) fn leaps(&self) -> bool {
        self.solver.crossed().iter().any(|located| located.leap != 0.0)
    }

    /// The range of times at which the located event may have happened.
    fn possible(&self) -> (Time, Time) {
        let d = Time::from_f64(self.uncertainty()).unwrap_or(Time::MAX).min(most(self.reached));
        (self.reached - d, self.reached + d)
    }
}

impl Engine<'_> {
    /// Gives all regions whose crossings are indistinguishable from that of `region`, which is the
    /// first, the same time, and returns it: the agenda time if that is one of theirs, otherwise
    /// the latest.
    pub(crate) fn gather_cluster(&mut self, region: RegionId, horizon: Time) -> Time {
        let first = self.state.regions[region].reached;
        if self.mover().is_some() || first == horizon {
            return first;
        }
        let (_, mut end) = self.state.regions[region].possible();
        let mut time = first;
        let mut near = std::mem::take(&mut self.scratch.at_crossing);
        // Each round may include regions that overlap only with those of the round before.
        loop {
            let before = time;
            near.clear();
            self.crossings_up_to((end + most(end) + most(end)).min(horizon), &mut near);
            for state in near.iter().map(|region| &self.state.regions[*region]) {
                let (from, to) = state.possible();
                if from <= end {
                    (time, end) = (time.max(state.reached), end.max(to));
                }
            }
            if time == before {
                break;
            }
        }
        for region in near.iter().copied() {
            let state = &mut self.state.regions[region];
            if state.reached < time {
                state.reached = time;
                self.scratch.race.moved(region, standing(state));
            }
        }
        self.scratch.at_crossing = near;
        time
    }

    /// Delays the time of a leap until the function has leapt at the time of the tick. The solver
    /// has seen the leap at an offset from the start of the phase, whose resolution is finer than
    /// that of the time itself.
    pub(crate) fn pass_leaps(&mut self, region: RegionId, horizon: Time) {
        if !self.state.regions[region].leaps() {
            return;
        }
        let code = self.program;
        let program = &code.regions[region];
        for _ in 0..ATTEMPTS {
            let state = &self.state.regions[region];
            let (x, ranges) = (state.solver.state(), &state.ranges);
            scatter(&mut self.state.slots, program.state, states(ranges), x);
            code.set_time(&mut self.state.slots, state.reached, state.reached.seconds());
            run(&program.prelude, &mut self.state.slots);
            run(&program.crossings, &mut self.state.slots);
            let leapt = |located: &solver::Located| {
                let watch = numbered(watches(ranges), located.function);
                located.leap * self.state.slots[program.g.index() + watch] >= 0.0
            };
            let state = &self.state.regions[region];
            if state.solver.crossed().iter().all(leapt) {
                return;
            }
            let next = state.reached + place_of_time(state.reached);
            if next > horizon {
                return;
            }
            self.state.regions[region].reached = next;
        }
    }

    /// The side that a function leaps to at this time, if it does.
    pub(crate) fn leap(&self, watch: WatchId) -> Option<f64> {
        let state = &self.state.regions[watch.region];
        let here = self.tick_time() == Some(state.reached);
        let function = counted(watches(&state.ranges), watch.index)?;
        let mut crossed = state.solver.crossed().iter().filter(|_| state.crossing && here);
        let own = crossed.find(|located| located.function == function)?;
        (own.leap != 0.0).then_some(own.leap)
    }
}
