//! Delay lines whose delay is a signal: what is read passes changes of the wire.
//!
//! The position that is read, time minus the delay, lies between two changes of the wire. Their
//! times are in the buffer, and the position is watched like any function that is compared: when it
//! passes the next change, that change comes from the next microstep on, and when it goes back past
//! the last one, that one comes again in reverse. A change that is a kink only ends the step.

use base::Time;
use program::tape::Jet;
use program::{LineId, RegionId, TrackedId};

use super::history::Bounds;
use super::line::{DelayLineState, DelayedChange, Entry, NEVER};
use crate::engine::Engine;
use crate::smooth::flow::{numbered, watches};

/// By how much of the longest delay the position may be from a change that it passes: a side that is
/// out of date is further away.
const NEAR: f64 = 1e-6;

/// Which way what is read passes a change.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Forward,
    Backward,
}

impl DelayLineState {
    /// The times of the last change before what is read and of the next one.
    pub fn bounds(&self) -> Bounds {
        let time = |change: Option<&DelayedChange>| change.map(|change| change.time);
        [time(self.passed.back()), time(self.pending.front())]
    }

    /// Passes a change, and returns what comes of it from a microstep on.
    fn pass(&mut self, way: Way, microstep: u32) -> Option<DelayedChange> {
        let change = match way {
            Way::Forward => self.pending.pop_front()?,
            Way::Backward => self.passed.pop_back()?,
        };
        let coming = match way {
            Way::Forward => change.clone(),
            Way::Backward => change.reversed(),
        };
        match way {
            Way::Forward => self.passed.push_back(change),
            Way::Backward => self.pending.push_front(change),
        }
        Some(coming.starting_at(microstep))
    }
}

impl DelayedChange {
    /// The same change as it is seen backward in time: each entry leads to the parts before it.
    fn reversed(&self) -> DelayedChange {
        let Some(last) = self.entries.last().map(|entry| entry.microstep) else {
            return self.clone();
        };
        let before = self.entries.iter().rev().skip(1).map(|entry| &entry.parts);
        let parts = before.chain([&self.before]);
        let entry = |(entry, parts): (&Entry, &Vec<f64>)| Entry {
            microstep: last - entry.microstep,
            parts: parts.clone(),
        };
        let entries = self.entries.iter().rev().zip(parts).map(entry).collect();
        DelayedChange { entries, ..self.clone() }
    }

    /// The same change with its first entry at a microstep.
    fn starting_at(mut self, microstep: u32) -> DelayedChange {
        let first = self.entries.first().map_or(0, |entry| entry.microstep);
        for entry in &mut self.entries {
            entry.microstep = microstep + (entry.microstep - first);
        }
        self
    }
}

impl Engine<'_> {
    /// Writes the times between which a delay line is read to the buffer, if its delay is a signal;
    /// a change asks for the next microstep.
    pub(super) fn set_bounds(&mut self, line: LineId) {
        for bound in self.write_bounds(line).into_iter().flatten() {
            self.mark_next(bound);
        }
    }

    /// The same when a tick is over. Returns the bounds that have changed.
    fn write_bounds(&mut self, line: LineId) -> [Option<TrackedId>; 2] {
        let program = self.program;
        let Some(reading) = program.lines[line].reading else { return [None; 2] };
        let bounds = self.state.delays.lines[line].bounds();
        let mut changed = [None; 2];
        for (k, (time, never)) in bounds.into_iter().zip(NEVER).enumerate() {
            let slot = program.tracked(reading.bounds[k]).slot.index();
            let new = time.map_or(never, Time::seconds);
            if std::mem::replace(&mut self.state.slots[slot], new) != new {
                changed[k] = Some(reading.bounds[k]);
            }
        }
        changed
    }

    /// A tick has ended with a kink of a delayed wire. If its delay is a signal and zero, what is
    /// read is beyond the kink already.
    pub(super) fn pass_kink_of_now(&mut self, line: LineId) {
        if self.delay_of(line).is_some_and(|delay| delay <= 0.0) {
            let state = &mut self.state.delays.lines[line];
            let passed = state.pending.drain(..);
            state.passed.extend(passed);
        }
        self.write_bounds(line);
    }

    /// Whether something other than passed changes was located in a region.
    pub(crate) fn locates_more(&self, region: RegionId) -> bool {
        let state = &self.state.regions[region];
        state.solver.crossed().iter().any(|located| {
            let watch = numbered(watches(&state.ranges), located.function);
            let crossing = self.program.regions[region].watches[watch].crossing;
            !self.program.passings.contains(&crossing)
        })
    }

    /// Whether a delay that is a signal is zero at the start, so that what is read is the start.
    pub(crate) fn passes_at_start(&self) -> bool {
        let mut readers = self.program.readers.iter();
        readers.any(|line| self.line_zero(*line).is_some() && self.delay_of(*line) <= Some(0.0))
    }

    /// The regions of delays that are zero when a tick begins may pass a change of this instant.
    pub(crate) fn readers_at_now(&self) -> Vec<RegionId> {
        let at_now =
            |line: &LineId| self.line_zero(*line).is_some() && self.delay_of(*line) <= Some(0.0);
        let readers = self.program.readers.iter().copied().filter(at_now);
        readers
            .map(|line| self.program.origins.block(self.program.lines[line].block).region)
            .collect()
    }

    /// The delay of a line whose delay is a signal.
    fn delay_of(&self, line: LineId) -> Option<f64> {
        let reading = self.program.lines[line].reading?;
        Some(self.state.slots[self.program.tracked(reading.delay).slot.index()])
    }

    /// After a commit: what is read has passed changes according to the sides of its position, and
    /// they come from a microstep on. Returns the lowest order among them.
    pub(crate) fn pass_changes(&mut self, microstep: u32) -> Option<u8> {
        let program = self.program;
        let mut order: Option<u8> = None;
        for line in program.readers.iter().copied() {
            let Some(way) = self.way(line) else { continue };
            let state = &mut self.state.delays.lines[line];
            let Some(coming) = state.pass(way, microstep) else { continue };
            order = Some(order.map_or(coming.order, |order| order.min(coming.order)));
            state.coming = Some((coming, 0));
            state.seen = 0;
            let coming = &mut self.state.delays.coming;
            if let Err(place) = coming.binary_search(&line) {
                coming.insert(place, line);
            }
            self.take_over_residual(line, way);
            self.set_bounds(line);
            self.forget_passed(line);
            self.bring_slopes(line);
        }
        order
    }

    /// Which way a delay line passes a change, if it does: as the sides say, if they are up to date.
    fn way(&self, line: LineId) -> Option<Way> {
        let program = self.program;
        let (own, state) = (&program.lines[line], &self.state.delays.lines[line]);
        let (zero, reading) = self.line_zero(line).zip(own.reading)?;
        let busy = state.coming.as_ref().is_some_and(|(change, done)| *done < change.entries.len());
        if busy || self.is_silenced(own.fragment) {
            return None;
        }
        let side = |k: usize| {
            let crossing = &program.crossings[reading.passing[k]];
            self.state.slots[program.tracked(crossing.frozen).slot.index()]
        };
        let now = (self.state.now - zero).time();
        let near = |change: Time| {
            let ahead = (now - change).seconds() - self.delay_of(line).unwrap_or(f64::NAN);
            let most = NEAR * own.delay.seconds();
            (ahead <= most, ahead >= -most)
        };
        match state.bounds() {
            [_, Some(next)] if side(1) >= 0.0 && near(next).1 => Some(Way::Forward),
            [Some(last), _] if side(0) < 0.0 && near(last).0 => Some(Way::Backward),
            _ => None,
        }
    }

    /// The position that counted as on a change still does, now that the change is on its other
    /// side.
    fn take_over_residual(&mut self, line: LineId, way: Way) {
        let program = self.program;
        let Some(reading) = program.lines[line].reading else { return };
        let [lower, upper] = reading.passing.map(|id| program.crossings[id].residual.index());
        let (from, to) = match way {
            Way::Forward => (upper, lower),
            Way::Backward => (lower, upper),
        };
        self.state.slots[to] = std::mem::replace(&mut self.state.slots[from], 0.0);
    }

    /// Drops changes that no delay can reach any more.
    fn forget_passed(&mut self, line: LineId) {
        let Some(zero) = self.line_zero(line) else { return };
        let earliest = (self.state.now - zero).time() - self.program.lines[line].delay.time();
        let passed = &mut self.state.delays.lines[line].passed;
        while passed.len() > 1 && passed[1].time < earliest {
            passed.pop_front();
        }
    }

    /// The slopes of a delayed signal are those beyond the change that has been passed.
    fn bring_slopes(&mut self, line: LineId) {
        let program = self.program;
        let own = &program.lines[line];
        let (Some(track), Some(zero)) = (own.track, self.line_zero(line)) else { return };
        let (now, bounds) =
            ((self.state.now - zero).time(), self.state.delays.lines[line].bounds());
        let delay = Jet::still(self.delay_of(line).unwrap_or(0.0));
        let history = &self.state.regions[track.region].history;
        for i in 0..track.width {
            let slope = history.jet_at(now, bounds, delay, &track, i).0[1];
            self.state.slots[track.slope.index() + i] = slope;
        }
        if let Some(tick) = &mut self.state.tick {
            tick.disturb(track.region);
        }
    }
}
