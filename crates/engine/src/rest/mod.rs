//! Rest on a level at which events accumulate: `zeno: rest`.
//!
//! ```text
//! a function g whose own events throw it back ever less:  g = 0, g' = 0 from the accumulation on
//!   rates   x' = f + sum of l_i J_i      J_i: how the last events of g_i have moved the states
//!   forces  g_i'' = a_i + sum of B_ij l_j = 0
//!   end     where l_i becomes negative, the motion leaves g_i to the side to which it was thrown
//! ```
//!
//! On a curved level the direction of J_i turns with it ([`Jump`]).
//!
//! A bouncing ball lies still under the force that its bounces would have exerted, and lifts off when
//! the table falls away faster than the ball.

mod flow;
mod jacobian;
mod jump;
mod start;

pub(crate) use jump::Jump;

use base::Time;
use program::tape::{Dual, Jet, Rounded};
use program::{CrossingId, CrossingKind, Number, RegionId, Source, WatchId};
use serde::{Deserialize, Serialize};

use crate::RunError;
use crate::engine::Engine;
use crate::rows::Sink;
use crate::sliding::weights::solve;
use crate::smooth::flow::{numbered, room, states};

/// A function at rest on its level.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Rest {
    /// The watched function, by its index in the region.
    pub watch: usize,
    /// Other watched functions that are zero with it and keep their sides.
    pub held: Vec<usize>,
    /// How its events move the states of the region: a direction.
    pub jump: Jump,
}

impl Rest {
    /// All watched functions that are zero.
    pub fn watches(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.watch).chain(self.held.iter().copied())
    }
}

/// The least size of a jump, relative to the states that it moves, for its direction to be exact
/// enough.
const CLEAR: f64 = 1e-6;
/// How many times its rounding the slope of a function may be from zero at rest.
const ROUNDINGS: f64 = 64.0;

impl Engine<'_> {
    /// Remembers how the events of a region at this time have moved its states, for each function
    /// whose events they are.
    pub(crate) fn remember_jumps(&mut self, region: RegionId, time: Time) {
        let code = &self.program.regions[region];
        let state = &mut self.state.regions[region];
        let after = &self.state.slots[code.state.range(code.dimension)];
        // States that do not run do not jump.
        let mut before = after.to_vec();
        for (number, own) in state.solver.state().iter().enumerate() {
            before[numbered(states(&state.ranges), number)] = *own;
        }
        let moved = after.iter().zip(&before).filter(|(after, before)| after != before);
        let (size, of) = moved.fold((0.0f64, 0.0f64), |(size, of), (after, before)| {
            (size.max((after - before).abs()), of.max(after.abs()).max(before.abs()))
        });
        if size == 0.0 {
            return;
        }
        let direction: Vec<f64> =
            after.iter().zip(&before).map(|(after, before)| (after - before) / size).collect();
        let clear = size >= CLEAR * of;
        state.jumps.resize(code.watches.len(), Jump::default());
        for (index, own) in code.watches.iter().enumerate() {
            let here = self.state.watch.accumulations[own.crossing].last() == Some(time);
            if here && (clear || self.state.regions[region].jumps[index].is_empty()) {
                let jump = self.turning(WatchId { region, index }, direction.clone());
                self.state.regions[region].jumps[index] = jump;
            }
        }
    }

    /// Brings the functions of a region to rest whose events accumulate at this time. They must be
    /// thrown back by jumps that move their slopes and not the functions themselves; otherwise the
    /// accumulation is reported as one.
    pub(crate) fn begin_rests(
        &mut self,
        region: RegionId,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let pending = std::mem::take(&mut self.state.watch.resting);
        let own = |(id, _): &(CrossingId, f64)| {
            self.program.crossings[*id].watch.is_some_and(|watch| watch.region == region)
        };
        let (here, others): (Vec<_>, Vec<_>) = pending.into_iter().partition(own);
        self.state.watch.resting = others;
        let before = self.state.regions[region].rests.len();
        for (id, end) in here {
            if !self.is_resting(region, id) && !self.begin_rest(region, id) {
                self.refuse_rest(id, end);
            }
        }
        if self.state.regions[region].rests.len() > before {
            let stands = self.stop_at_rests(region)
                || self.divide_jumps(region) && self.stop_at_rests(region);
            if !stands {
                // The same jump cannot hold two functions.
                let rest = self.state.regions[region].rests.pop();
                let watches = &self.program.regions[region].watches;
                let id = rest.map(|rest| watches[rest.watch].crossing);
                let now = self.state.tag.time.seconds();
                id.into_iter().for_each(|id| self.refuse_rest(id, now));
                return Ok(());
            }
            self.show_state(region, sink)?;
        }
        Ok(())
    }

    /// Whether a crossing is that of a function at rest, or of one that is zero with it.
    fn is_resting(&self, region: RegionId, id: CrossingId) -> bool {
        let watch = self.program.crossings[id].watch.map(|watch| watch.index);
        let mut all = self.state.regions[region].rests.iter().flat_map(Rest::watches);
        all.any(|own| Some(own) == watch)
    }

    /// Reports the accumulation of a crossing that cannot rest.
    fn refuse_rest(&mut self, id: CrossingId, end: f64) {
        let (time, block) = (self.state.tag.time, self.program.crossings[id].block);
        self.scratch.zeno = Some((time, end, vec![block]));
    }

    fn begin_rest(&mut self, region: RegionId, id: CrossingId) -> bool {
        let crossing = &self.program.crossings[id];
        let Some(watch) = crossing.watch.filter(|_| crossing.kind == CrossingKind::Sign) else {
            return false;
        };
        let known = self.state.regions[region].jumps.get(watch.index);
        let Some(jump) = known.filter(|jump| !jump.is_empty()).cloned() else { return false };
        let direction = self.direction_of(watch, &jump);
        let [value, slope] = self.along(watch, &direction);
        if slope == 0.0 || value.abs() > 1e-9 * slope.abs() {
            return false;
        }
        let code = &self.program.regions[region];
        let samples = |run: &mut Self, watch: usize| {
            let room = room(&mut run.scratch.functions[region], code, watch);
            let own = (WatchId { region, index: watch }, code);
            crate::sliding::same::sampled(run.program, own, room, &run.state.slots)
        };
        let first = samples(self, watch.index);
        let mut held = Vec::new();
        for other in (0..code.watches.len()).filter(|other| *other != watch.index) {
            let side = code.watches[other].side;
            if side && crate::sliding::same::factor(&first, &samples(self, other)).is_some() {
                held.push(other);
            }
        }
        let rest = Rest { watch: watch.index, held, jump };
        self.state.regions[region].rests.push(rest);
        true
    }

    /// Gives each function at rest the part of its jump that moves its own slope, if one event has
    /// moved several of them, as two balls that land together are. Returns whether that is possible:
    /// each state that jumps moves the slope of exactly one function.
    fn divide_jumps(&mut self, region: RegionId) -> bool {
        let rests = self.state.regions[region].rests.clone();
        let dimension = self.program.regions[region].dimension;
        let mut owners = vec![None; dimension];
        for (i, owner) in owners.iter_mut().enumerate() {
            if rests.iter().all(|rest| !rest.jump.moves(i)) {
                continue;
            }
            let mut unit = vec![0.0; dimension];
            unit[i] = 1.0;
            let mut moves =
                |rest: &Rest| self.along(WatchId { region, index: rest.watch }, &unit)[1] != 0.0;
            let mut own = (0..rests.len()).filter(|place| moves(&rests[*place]));
            let (Some(only), None) = (own.next(), own.next()) else { return false };
            *owner = Some(only);
        }
        for (place, rest) in self.state.regions[region].rests.iter_mut().enumerate() {
            rest.jump.keep(|i| owners[i] == Some(place));
        }
        true
    }

    /// How a function and its slope change along a direction of the states, at this tick.
    fn along(&mut self, watch: WatchId, direction: &[f64]) -> [f64; 2] {
        let still = |x: f64| Dual::still(x);
        let [value, slope] = self.evaluate_at(watch, still, |i, x| Jet([x, direction[i]]));
        [value.0[1], slope.0[1]]
    }

    /// A watched function and its slope at this tick, on some kind of number.
    fn evaluate_at<T: Number>(
        &mut self,
        watch: WatchId,
        still: impl Fn(f64) -> T,
        state: impl Fn(usize, f64) -> T,
    ) -> [T; 2] {
        let (slots, code) = (&self.state.slots, &self.program.regions[watch.region]);
        let room = room(&mut self.scratch.functions[watch.region], code, watch.index);
        self.program.follow(watch, room, |source| match source {
            Source::Time => still(slots[self.program.time.index()]),
            Source::State(i) => state(i, slots[code.state.index() + i]),
            Source::Rate(i) => still(slots[code.rate.index() + i]),
            Source::Frozen(slot) => still(slots[slot.index()]),
        })
    }

    /// Moves the states in the buffer along the jumps until the slopes at rest are zero. Returns
    /// whether that is possible.
    fn stop_at_rests(&mut self, region: RegionId) -> bool {
        let rests = self.state.regions[region].rests.clone();
        let from = self.program.regions[region].state.index();
        let watch = |rest: &Rest| WatchId { region, index: rest.watch };
        let mut factors: Vec<f64> = Vec::new();
        for rest in &rests {
            let [_, slope] = self.evaluate_at(watch(rest), |x| x, |_, x| x);
            factors.push(-slope);
        }
        let directions: Vec<Vec<f64>> =
            rests.iter().map(|rest| self.direction_of(watch(rest), &rest.jump)).collect();
        let mut matrix = Vec::new();
        for row in &rests {
            for column in &directions {
                matrix.push(self.along(watch(row), column)[1]);
            }
        }
        if !solve(&mut matrix, &mut factors) {
            return false;
        }
        for (factor, direction) in factors.iter().zip(&directions) {
            for (i, jump) in direction.iter().enumerate() {
                self.state.slots[from + i] += factor * jump;
            }
        }
        true
    }

    /// A further microstep at which the signals of a region follow from its states.
    fn show_state(&mut self, region: RegionId, sink: &mut dyn Sink) -> Result<(), RunError> {
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        let tag = base::Tag::new(tick.time, tick.microstep);
        tick.microstep += 1;
        self.state.counters.microsteps += 1;
        self.run_left(region);
        self.check_finite(region, tag)?;
        self.cover_touched(sink);
        self.write_row(tag, sink);
        Ok(())
    }

    /// Drops the rests of a region that a tick ends: a jump has given the function a slope, or it is
    /// no longer pressed. One that is no longer pressed leaves its level to the side to which it was
    /// thrown, which it has already. Those that stay are about functions whose sides nothing else
    /// decides.
    pub(crate) fn decide_rests(&mut self, region: RegionId) {
        if self.state.regions[region].rests.is_empty() {
            return;
        }
        let code = &self.program.regions[region];
        let rests = self.state.regions[region].rests.clone();
        let rates = self.state.slots[code.rate.range(code.dimension)].to_vec();
        let watch = |rest: &Rest| WatchId { region, index: rest.watch };
        let mut kept = Vec::new();
        let mut leaves = false;
        for rest in rests {
            let [value, slope] = self.rounded(watch(&rest));
            let direction = self.direction_of(watch(&rest), &rest.jump);
            let [_, push] = self.along(watch(&rest), &direction);
            let pressed = -self.acceleration(watch(&rest), &rates) / push;
            let located = self.is_located(region, rest.watch);
            // Steps have an error; a jump is larger than that.
            let allowed = self.state.regions[region].solver.allowed(0.0);
            let far = |own: Rounded| own.value.abs() > ROUNDINGS * own.error.max(allowed);
            let thrown = far(slope) || far(value);
            if thrown {
                continue;
            }
            self.scratch.decided.extend(rest.watches());
            match located || pressed < 0.0 {
                true => leaves = true,
                false => kept.push(rest),
            }
        }
        if leaves {
            self.stop_at_rests(region);
            if let Some(tick) = &mut self.state.tick {
                tick.disturb(region);
            }
        }
        self.state.regions[region].rests = kept;
    }

    /// The rates of a region with the forces at rest, at this tick.
    pub(super) fn pressed_rates(&mut self, region: RegionId) -> Vec<f64> {
        let code = &self.program.regions[region];
        let mut rates = self.state.slots[code.rate.range(code.dimension)].to_vec();
        let rests = self.state.regions[region].rests.clone();
        let watch = |rest: &Rest| WatchId { region, index: rest.watch };
        let directions: Vec<Vec<f64>> =
            rests.iter().map(|rest| self.direction_of(watch(rest), &rest.jump)).collect();
        let mut forces: Vec<f64> =
            rests.iter().map(|rest| -self.acceleration(watch(rest), &rates)).collect();
        let mut matrix = Vec::new();
        for row in &rests {
            for column in &directions {
                matrix.push(self.along(watch(row), column)[1]);
            }
        }
        if solve(&mut matrix, &mut forces) {
            for (force, direction) in forces.iter().zip(&directions) {
                rates.iter_mut().zip(direction).for_each(|(rate, own)| *rate += force * own);
            }
        }
        rates
    }

    /// The second time derivative of a function under given rates, at this tick.
    fn acceleration(&mut self, watch: WatchId, rates: &[f64]) -> f64 {
        let (slots, code) = (&self.state.slots, &self.program.regions[watch.region]);
        let room = room(&mut self.scratch.functions[watch.region], code, watch.index);
        let [_, slope]: [Dual; 2] = self.program.follow(watch, room, |source| match source {
            Source::Time => Dual::time(slots[self.program.time.index()]),
            Source::State(i) => Jet([slots[code.state.index() + i], rates[i]]),
            Source::Rate(i) => Dual::still(slots[code.rate.index() + i]),
            Source::Frozen(slot) => Dual::still(slots[slot.index()]),
        });
        slope.0[1]
    }
}
