//! Functions that are at rest on their levels when a run starts: a ball that lies on the floor.
//!
//! Rest needs the direction in which events throw a function back, and no event has happened yet. So
//! one is tried: on a copy of the state, the function falls onto its level with some speed, and what
//! its event does to the states is that direction.

use base::Tag;
use program::{CrossingId, CrossingKind, MaySlide, WatchId, Zeno};

use super::Jump;
use crate::engine::Engine;
use crate::rows::NoSink;
use crate::{RunError, Warning};

/// The speed of the trial.
const SPEED: f64 = 1.0;
/// The most microsteps after which its event may act.
const MOST_MICROSTEPS: u32 = 16;
/// Accelerations below this fraction of the rates are rounding.
const ROUNDING: f64 = 1e-12;

impl Engine<'_> {
    /// Brings functions with events to rest that start at rest on their levels and are pressed
    /// against them. Warns of those about which a trial says nothing; they leave their level without
    /// an event.
    pub(crate) fn rest_at_start(&mut self) -> Result<(), RunError> {
        if self.options.zeno != Zeno::Rest {
            return Ok(());
        }
        let mut held = 0;
        // A body may lie on another one, which presses it once the other one is held.
        loop {
            let before = held;
            for (watch, id) in self.open_levels() {
                let side = self.pressed_to(watch);
                if side != 0.0 && self.lies(watch, id, side) {
                    held += 1;
                }
            }
            if held == before {
                break;
            }
        }
        for (watch, id) in self.open_levels() {
            if self.pressed_to(watch) != 0.0 {
                let tag = Tag::new(self.options.start.time(), 0);
                let block = self.path(self.program.crossings[id].block);
                self.warn(Warning::RestAtStart { tag, block });
            }
        }
        if held > 0 { self.settle_values() } else { Ok(()) }
    }

    /// Functions with events whose values and slopes are zero but for rounding, and that do not rest.
    fn open_levels(&mut self) -> Vec<(WatchId, CrossingId)> {
        let (program, mut found) = (self.program, Vec::new());
        for (region, code) in program.regions.entries() {
            for (index, own) in code.watches.iter().enumerate() {
                let crossing = &program.crossings[own.crossing];
                let watch = WatchId { region, index };
                let watched = crossing.crossed.is_some()
                    && crossing.kind == CrossingKind::Sign
                    && crossing.sliding != MaySlide::Yes
                    && crossing.watch.is_some_and(|first| first.index == index);
                if watched && !self.is_resting(region, own.crossing) {
                    let [value, slope] = self.rounded(watch);
                    if value.is_zero() && slope.is_zero() {
                        found.push((watch, own.crossing));
                    }
                }
            }
        }
        found
    }

    /// The side to which a function moves that is at rest on its level; 0 if it stays there.
    fn pressed_to(&mut self, watch: WatchId) -> f64 {
        if self.state.regions[watch.region].rests.is_empty() {
            return self.higher_direction(watch);
        }
        let rates = self.pressed_rates(watch.region);
        let size = rates.iter().fold(0.0f64, |size, x| size.max(x.abs()));
        let moved = self.acceleration(watch, &rates);
        if moved.abs() > ROUNDING * size { moved.signum() } else { 0.0 }
    }

    /// Lets a function rest that moves to a side, if its event there would throw it back.
    fn lies(&mut self, watch: WatchId, id: CrossingId, side: f64) -> bool {
        if !self.program.regions[watch.region].lines.is_empty() || self.scratch.turns.is_some() {
            return false;
        }
        let Some(moved) = self.tried(watch, id, side) else { return false };
        let size = moved.iter().fold(0.0f64, |size, x| size.max(x.abs()));
        let jump = self.turning(watch, moved.iter().map(|x| x / size).collect());
        let direction = self.direction_of(watch, &jump);
        let back = self.along(watch, &direction)[1] * side < 0.0;
        back && self.hold(watch, id, (jump, -side))
    }

    /// Begins a rest, and keeps the side to which the function is thrown.
    fn hold(&mut self, watch: WatchId, id: CrossingId, (jump, side): (Jump, f64)) -> bool {
        let code = &self.program.regions[watch.region];
        let jumps = &mut self.state.regions[watch.region].jumps;
        jumps.resize(code.watches.len(), Jump::default());
        jumps[watch.index] = jump;
        if !self.begin_rest(watch.region, id) {
            return false;
        }
        let region = watch.region;
        let stands =
            self.stop_at_rests(region) || self.divide_jumps(region) && self.stop_at_rests(region);
        if !stands {
            self.state.regions[region].rests.pop();
            return false;
        }
        let frozen = self.program.crossings[id].frozen;
        self.state.slots[self.program.tracked(frozen).slot.index()] = side;
        true
    }

    /// How the event of a function first moves the states of its region if the function falls to a
    /// side; none if it does not.
    fn tried(&mut self, watch: WatchId, id: CrossingId, side: f64) -> Option<Vec<f64>> {
        let kept = self.state.clone();
        let moved = self.fall(watch, id, side);
        self.state.clone_from(&kept);
        self.scratch.zeno = None;
        moved
    }

    fn fall(&mut self, watch: WatchId, id: CrossingId, side: f64) -> Option<Vec<f64>> {
        let (program, region) = (self.program, watch.region);
        let code = &program.regions[region];
        let velocities = self.velocities(watch);
        let steepness: f64 = velocities.iter().map(|(_, slope)| slope * slope).sum();
        if steepness == 0.0 || !steepness.is_finite() {
            return None;
        }
        for (state, slope) in velocities {
            self.state.slots[code.state.index() + state] += SPEED * side * slope / steepness;
        }
        let before = self.state.slots[code.state.range(code.dimension)].to_vec();
        let start = self.options.start.time();
        self.restart(region, start, start.seconds());
        self.open_tick(start);
        for other in program.influence.crossings[region].iter().copied().chain([region]) {
            self.touch(other).ok()?;
        }
        let frozen = program.tracked(program.crossings[id].frozen).slot.index();
        self.state.slots[frozen] = -side;
        // The first microstep is that of the event; accumulations are none of its business.
        self.freeze(id, side, 1, &mut NoSink);
        for _ in 0..MOST_MICROSTEPS {
            self.state.tick.as_ref()?;
            self.microstep(&mut NoSink).ok()?;
            let after = &self.state.slots[code.state.range(code.dimension)];
            if after != before {
                return Some(after.iter().zip(&before).map(|(own, old)| own - old).collect());
            }
        }
        None
    }
}
