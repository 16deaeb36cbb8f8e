//! Delay lines: what happens to a wire is recorded, and happens again a delay later.
//!
//! ```text
//! after each step      the history of the region grows by the inputs of its delay lines
//! (s, n), n >= 1       a wire that has changed is recorded with its parts
//! (s + delay, 0)       left limits, from the history
//! (s + delay, n)       the parts that were recorded at (s, n)
//! ```
//!
//! Times of delayed changes are those of the clock of the diagram that the delay is in. In the
//! diagram of a state that stops, pending changes wait until it resumes.
//!
//! If the delay is a signal, recorded changes come when time minus the delay passes their times, and
//! in reverse when it passes them backward; see `passing.rs`.
//!
//! If nothing is recorded but a phase has started at s, the delayed signal has a kink at s + delay,
//! and a step should end there. Each integration smooths a kink by one order, so that after a few
//! delays a solver does not see it any more.

pub(crate) mod history;
pub(crate) mod line;
mod passing;
mod polynomial;
mod reach;
pub(crate) mod record;
mod variable;

use base::{ExactTime, Table, Time, clone_reusing};
use program::{
    DelayLine, FragmentId, Kinks, LineId, PastId, Program, RegionId, TrackedId, UnitEffects,
};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::log::Event;
use crate::rows::Sink;
use crate::smooth::race::Race;
use crate::snapshot::Snapshot;
pub(crate) use line::SpareChanges;
use line::{DelayLineState, Entry, scatter_parts};

/// Kinks of this order and above are left to step control.
const SMOOTH: u8 = 6;

/// The pending changes of all delay lines.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Delays {
    /// The state of each delay line.
    pub lines: Table<LineId, DelayLineState>,
    /// Delay lines with a change that comes at this tick, or that waits for a clock to resume.
    pub coming: Vec<LineId>,
}

clone_reusing!(Delays { lines, coming });

impl Delays {
    /// The delay lines before the start, with their initial values in the buffer.
    pub fn new(program: &Program, slots: &mut [f64]) -> Delays {
        let new = |line: &DelayLine| DelayLineState::new(program, line, slots);
        Delays { lines: program.lines.iter().map(new).collect(), coming: Vec::new() }
    }
}

impl Engine<'_> {
    /// Model time at which the clock of a delay line shows 0; none while the clock is stopped.
    pub(crate) fn line_zero(&self, line: LineId) -> Option<ExactTime> {
        let fragment = self.program.lines[line].fragment;
        self.runs(fragment).then(|| self.state.machines.clocks[fragment].origin)
    }

    /// Resets the delay lines of a fragment to their state before the start.
    pub(crate) fn forget_lines(&mut self, fragment: FragmentId) {
        let program = self.program;
        let code = &program.fragments[fragment];
        for line in &code.lines {
            let own = &program.lines[*line];
            self.state.delays.lines[*line] =
                DelayLineState::new(program, own, &mut self.state.slots);
            self.state.delays.coming.retain(|coming| coming != line);
            self.follow_due(*line);
            if let Some(track) = own.track {
                let slope = track.slope.index();
                self.state.slots[slope..slope + track.width].fill(0.0);
            }
        }
        let start = self.options.start.time();
        for PastId { region, index } in &code.pasts {
            let own = &program.regions[*region].pasts[*index];
            self.state.regions[*region].history.start(*index, own, &program.lines, start);
        }
    }

    /// The clock of a fragment resumes: pending changes come from the next microstep on.
    pub(crate) fn run_lines(&mut self, fragment: FragmentId) {
        let program = self.program;
        let zero = self.state.machines.clocks[fragment].origin.time();
        let code = &program.fragments[fragment];
        for PastId { region, index } in &code.pasts {
            self.state.regions[*region].history.go_on(*index, zero, self.state.now.time());
        }
        let Some(next) = self.state.tick.as_ref().map(|tick| tick.microstep) else { return };
        for line in &code.lines {
            self.state.delays.lines[*line].go_on(next);
            self.bring_line(*line, next);
            self.follow_due(*line);
        }
    }

    /// The clock of a fragment stops: changes that nothing has seen stay pending.
    pub(crate) fn stop_lines(&mut self, fragment: FragmentId) {
        let program = self.program;
        let code = &program.fragments[fragment];
        for line in &code.lines {
            let state = &mut self.state.delays.lines[*line];
            if let Some((_, done)) = &mut state.coming {
                *done = state.seen;
            }
            state.end_instant(&program.lines[*line]);
            self.follow_due(*line);
        }
        for PastId { region, index } in &code.pasts {
            self.state.regions[*region].history.stop(*index);
            let region = &program.regions[*region];
            let own = &region.pasts[*index];
            let from = region.samples.index() + own.offset;
            self.state.slots[from..from + own.width].fill(0.0);
        }
    }

    /// The wires of a fragment that restarts leave their initial values.
    pub(crate) fn start_lines_of(&mut self, fragment: FragmentId) {
        let program = self.program;
        for line in &program.fragments[fragment].lines {
            self.start_line(*line);
        }
    }

    /// When the next delayed change comes.
    pub(crate) fn next_delayed(&mut self) -> Time {
        if self.state.delays.lines.is_empty() {
            return Time::MAX;
        }
        let first = self.run_dues().slowest();
        first.map_or(Time::MAX, |line| self.due(line))
    }

    /// The race between pending changes: the winner is due first.
    fn run_dues(&mut self) -> &Race<LineId> {
        if self.scratch.dues.is_over() {
            let mut dues = std::mem::take(&mut self.scratch.dues);
            let due = |line| Some((self.due(line), true)).filter(|due| due.0 < Time::MAX);
            dues.start(self.state.delays.lines.ids().map(due));
            self.scratch.dues = dues;
        } else {
            let due = |line| Some((self.due(line), true)).filter(|due| due.0 < Time::MAX);
            debug_assert!(self.scratch.dues.is_at(due), "every change is recorded");
        }
        &self.scratch.dues
    }

    /// Updates the race after the pending changes of a delay line, or its clock, have changed.
    fn follow_due(&mut self, line: LineId) {
        let due = self.due(line);
        self.scratch.dues.place(line, Some((due, true)).filter(|due| due.0 < Time::MAX));
    }

    /// The delay lines with a change that is due up to a time, in order. The list is to be given
    /// back to `scratch.due_lines`.
    fn due_up_to(&mut self, time: Time) -> Vec<LineId> {
        let mut found = std::mem::take(&mut self.scratch.due_lines);
        found.clear();
        self.run_dues().up_to((time, true), &mut found);
        found.sort_unstable();
        found
    }

    /// Keeps the memory of all changes that are still to come, because the run begins anew.
    pub(crate) fn keep_changes(&mut self) {
        let lines = self.state.delays.lines.iter_mut();
        lines.zip(self.scratch.spare_changes.iter_mut()).for_each(|(line, own)| own.keep_all(line));
    }

    /// When the next change of a delay line comes.
    pub(crate) fn due(&self, line: LineId) -> Time {
        if self.program.lines[line].reading.is_some() {
            return Time::MAX;
        }
        let first = self.state.delays.lines[line].pending.front();
        let Some((change, zero)) = first.zip(self.line_zero(line)) else { return Time::MAX };
        (change.due + zero).time()
    }

    /// The time of a delayed change that is indistinguishable from a located time.
    pub(crate) fn nearest_delayed(&mut self, located: Time, resolution: Time) -> Option<Time> {
        if self.state.delays.lines.is_empty() {
            return None;
        }
        let near = |time: &Time| *time >= located - resolution && *time <= located + resolution;
        let lines = self.due_up_to(located + resolution);
        let found = lines
            .iter()
            .filter_map(|line| Some((*line, self.line_zero(*line)?)))
            .flat_map(|(line, zero)| {
                self.state.delays.lines[line]
                    .pending
                    .iter()
                    .map(move |change| (change.due + zero).time())
            })
            .find(near);
        self.scratch.due_lines = lines;
        found
    }

    /// The shortest delay that a region's own steps must not exceed \[s\].
    pub(crate) fn shortest_delay(&self, region: RegionId) -> Option<Time> {
        let lines = self.program.regions[region].lines.iter();
        let running = lines.filter(|line| {
            self.line_zero(**line).is_some() && self.program.lines[**line].reading.is_none()
        });
        running.map(|line| self.program.lines[*line].delay.time()).min()
    }

    /// At the start every wire leaves its initial value.
    pub(crate) fn start_lines(&mut self) {
        for line in self.state.delays.lines.ids() {
            self.start_line(line);
        }
    }

    fn start_line(&mut self, line: LineId) {
        let Some(zero) = self.line_zero(line) else { return };
        let program = &self.program.lines[line];
        if program.track.is_some() && program.kinks != Kinks::Unread {
            self.state.delays.lines[line].change_at(self.state.now, zero, program.delay, 1);
        }
        self.record_changes(line, 1);
        if let Some(change) = self.state.delays.lines[line].pending.back_mut()
            && !change.entries.is_empty()
        {
            change.order = 0;
        }
        self.follow_due(line);
        self.set_bounds(line);
    }

    /// Records changes of the delayed wires, at a microstep from 1 on.
    pub(crate) fn record_lines(&mut self, microstep: u32) {
        let program = self.program;
        let looks = |run: &Engine<'_>, line: LineId| {
            run.line_zero(line).is_some() && !run.is_silenced(program.lines[line].fragment)
        };
        for place in 0..self.state.delays.coming.len() {
            let line = self.state.delays.coming[place];
            if looks(self, line) {
                let state = &mut self.state.delays.lines[line];
                state.seen = state.coming.as_ref().map_or(0, |(_, done)| *done);
            }
        }
        for line in program.watched_lines.iter().copied() {
            if looks(self, line) {
                self.record_changes(line, microstep);
            }
        }
        if self.scratch.units.effects.have(UnitEffects::LINES) {
            for place in 0..self.scratch.units.ran.len() {
                for line in &program.units[self.scratch.units.ran[place]].lines {
                    self.record_changes(*line, microstep);
                }
            }
        }
        for place in 0..self.state.tick.as_mut().map_or(0, |tick| tick.order_involved()) {
            let Some(tick) = &self.state.tick else { return };
            let region = tick.involved(place);
            // A region that is only evaluated for a row has not changed, and its wires have not been
            // looked at when the tick began.
            if !tick.region(region).touched {
                continue;
            }
            for line in program.regions[region].lines.iter().copied() {
                if looks(self, line) {
                    self.record_changes(line, microstep);
                }
            }
        }
    }

    /// The left limits of a region are in the buffer: later values of its delayed wires are
    /// compared with them.
    pub(crate) fn look_at_lines(&mut self, region: RegionId) {
        let program = self.program;
        for line in &program.regions[region].lines {
            if self.line_zero(*line).is_none() {
                continue;
            }
            let mut last = std::mem::take(&mut self.state.delays.lines[*line].last);
            last.clear();
            self.gather(&program.lines[*line].from, &mut last);
            self.state.delays.lines[*line].last = last;
        }
    }

    fn gather(&self, from: &[TrackedId], parts: &mut Vec<f64>) {
        for tracked in from {
            let tracked = self.program.tracked(*tracked);
            let from = tracked.slot.index();
            parts.extend_from_slice(&self.state.slots[from..from + tracked.length]);
        }
    }

    fn record_changes(&mut self, line: LineId, microstep: u32) {
        let program = self.program;
        if let Some(variable) = program.lines[line].variable {
            return self.record_event(line, microstep, variable);
        }
        let Some(zero) = self.line_zero(line) else { return };
        let mut parts = std::mem::take(&mut self.scratch.numbers);
        parts.clear();
        self.gather(&program.lines[line].from, &mut parts);
        let state = &mut self.state.delays.lines[line];
        // The value of an absent signal has no meaning.
        let absent = parts[0] == 0.0 && state.last[0] == 0.0 && !program.lines[line].early;
        let same = parts.iter().zip(&state.last).all(|(a, b)| a.to_bits() == b.to_bits());
        if !absent && !same {
            let before = match program.lines[line].reading {
                Some(_) => state.last.clone(),
                None => Vec::new(),
            };
            state.last.copy_from_slice(&parts);
            let (delay, spare) = (program.lines[line].delay, &mut self.scratch.spare_changes[line]);
            let change = state.change_at(self.state.now, zero, delay, 0);
            change.order = 0;
            if change.entries.is_empty() {
                change.before = before;
            }
            if change.entries.capacity() == 0 {
                change.entries = spare.entries();
            }
            if change.entries.last().is_some_and(|entry| entry.microstep == microstep) {
                change.entries.pop().into_iter().for_each(|entry| spare.keep_entry(entry));
            }
            change.entries.push(Entry { microstep, parts: spare.parts(&parts) });
            self.follow_due(line);
            self.set_bounds(line);
        }
        self.scratch.numbers = parts;
    }

    /// A region has started a new phase: its delayed signals have a kink unless they jump.
    pub(crate) fn record_kink(&mut self, region: RegionId) {
        let order = self.state.tick.as_ref().map_or(0, |tick| tick.order) + 1;
        if order >= SMOOTH {
            return;
        }
        let program = self.program;
        if order == 1 {
            return self.record_kinks(&program.regions[region].lines, order);
        }
        for place in 0..self.state.delays.coming.len() {
            let Some(line) = self.coming_line(place) else { continue };
            let own = &program.lines[line];
            if own.track.is_some_and(|track| track.region == region) {
                match &own.kinks {
                    Kinks::Unread => {}
                    Kinks::To(lines) => self.record_kinks(lines, order),
                    Kinks::Everywhere => {
                        self.record_kinks(&program.regions[region].lines, order);
                    }
                }
            }
        }
    }

    fn record_kinks(&mut self, lines: &[LineId], order: u8) {
        let program = self.program;
        for line in lines.iter().copied() {
            let own = &program.lines[line];
            if let Some(zero) = self.line_zero(line).filter(|_| own.kinks != Kinks::Unread) {
                self.state.delays.lines[line].change_at(self.state.now, zero, own.delay, order);
                self.follow_due(line);
                self.pass_kink_of_now(line);
            }
        }
    }

    /// Takes the changes that are due at the time of a tick. Returns the lowest order among them.
    pub(crate) fn take_delayed(&mut self, time: Time, sink: &mut dyn Sink) -> Option<u8> {
        for place in 0..self.state.delays.coming.len() {
            let Some(line) = self.coming_line(place) else { continue };
            let state = &mut self.state.delays.lines[line];
            state.seen = 0;
            if let Some((change, _)) = state.coming.take() {
                self.scratch.spare_changes[line].keep(change);
            }
        }
        let Delays { coming, lines } = &mut self.state.delays;
        coming.retain(|line| lines[*line].coming.is_some());
        let due = self.due_up_to(time);
        for line in due.iter().copied() {
            let Some(zero) = self.line_zero(line) else { continue };
            let Some(change) = self.state.delays.lines[line].pending.pop_front() else { continue };
            self.follow_due(line);
            self.state.now = self.state.now.meet(change.due + zero);
            self.state.delays.lines[line].coming = Some((change, 0));
            self.state.delays.coming.push(line);
            if sink.listens() {
                sink.event(Event::Woken { time, block: self.name(self.program.lines[line].block) });
            }
        }
        self.scratch.due_lines = due;
        self.state.delays.coming.sort_unstable();
        let coming = (0..self.state.delays.coming.len()).filter_map(|at| self.coming_line(at));
        coming.filter_map(|line| self.state.delays.lines[line].order()).min()
    }

    /// The delay line at a place in the list of those with a change that comes at this tick, if its
    /// clock runs.
    #[inline]
    pub(crate) fn coming_line(&self, place: usize) -> Option<LineId> {
        let line = self.state.delays.coming[place];
        self.line_zero(line).map(|_| line)
    }

    /// A kink changes no value: from microstep 0 on the slopes are those after it, and the regions
    /// that it reaches start a new phase.
    pub(crate) fn bring_kinks(&mut self) {
        for place in 0..self.state.delays.coming.len() {
            let Some(line) = self.coming_line(place) else { continue };
            let Some(track) = self.program.lines[line].track else { continue };
            let Some((change, _)) = &self.state.delays.lines[line].coming else { continue };
            if change.entries.is_empty() {
                let history = &self.state.regions[track.region].history;
                history.slopes_after(change.time, &track, &mut self.state.slots);
            }
            if let Some(tick) = &mut self.state.tick {
                tick.disturb(track.region);
            }
        }
    }

    /// Applies the changes that were recorded a delay ago at the microstep that comes next.
    pub(crate) fn bring(&mut self, microstep: u32) {
        for place in 0..self.state.delays.coming.len() {
            let line = self.state.delays.coming[place];
            if self.line_zero(line).is_some() {
                self.bring_line(line, microstep);
            }
        }
    }

    /// Brings a change that has been held back, from a microstep on.
    pub(crate) fn release_line(&mut self, line: LineId, microstep: u32) {
        self.state.delays.lines[line].go_on(microstep);
        self.state.delays.coming.push(line);
        self.bring_line(line, microstep);
    }

    fn bring_line(&mut self, line: LineId, microstep: u32) {
        let (program, Snapshot { delays, slots, .. }) = (self.program, &mut *self.state);
        let Some((change, done)) = &mut delays.lines[line].coming else { return };
        let Some(entry) = change.entries.get(*done).filter(|e| e.microstep <= microstep) else {
            return;
        };
        *done += 1;
        let (time, own) = (change.time, &program.lines[line]);
        scatter_parts(program, &own.to, &entry.parts, slots);
        if let Some(track) = &own.track {
            let history = &self.state.regions[track.region].history;
            history.slopes_after(time, track, &mut self.state.slots);
        }
        own.to.iter().for_each(|tracked| self.mark_next(*tracked));
    }

    /// Whether a recorded change has yet to come at this tick.
    #[inline]
    pub(crate) fn more_comes(&self) -> bool {
        let more = |line: LineId| {
            let coming = self.state.delays.lines[line].coming.as_ref();
            coming.is_some_and(|(change, done)| *done < change.entries.len())
                && self.line_zero(line).is_some()
        };
        self.state.delays.coming.iter().any(|line| more(*line))
    }
}
