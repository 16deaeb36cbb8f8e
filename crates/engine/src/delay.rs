//! Delayed signals: what happens to a wire is noted, and happens again a delay later.
//!
//! ```text
//! after each step      the history of the region grows by what its delayed signals were made from
//! (s, n), n >= 1       a wire that has changed is noted with its parts
//! (s + delay, 0)       left limits, from the history
//! (s + delay, n)       the parts that were noted at (s, n)
//! ```
//!
//! Times of notes are those of the clock of the diagram that the delay is in. In the diagram of a
//! state that stops, what is to come waits until it goes on.
//!
//! Where nothing is noted but a phase has started anew at s, the delayed signal has a kink at s +
//! delay, and a step should end there. Each integration smooths a kink by one order, so that after
//! a few delays a solver does not see it any more.

use std::collections::VecDeque;

use base::{ExactTime, Tag, Time};
use diagram::{FragmentId, RegionId};
use ir::run;
use program::{DelayLine, Kinks, Program, TrackedId, UnitEffects};
use serde::{Deserialize, Serialize};

use crate::flow::states;
use crate::history::{CHECKS, NODES, fit, value};
use crate::log::Event;
use crate::race::Race;
use crate::rows::Sink;
use crate::simulation::Simulation;
use crate::snapshot::Snapshot;
use crate::{Options, RunError};

/// The order from which on a kink is left to the control of steps.
const SMOOTH: u8 = 6;
/// The part of a step below which a piece is taken as it is: a signal that is not smooth between
/// events cannot ask for pieces without end.
const SHORTEST: f64 = 1.0 / 1024.0;

/// Where a delayed signal stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DelayLineState {
    /// The parts of the wire when it was last looked at.
    last: Vec<f64>,
    /// What will come, in the order of time.
    notes: VecDeque<DelayedChange>,
    /// What comes at the time of this tick, and how many of its entries have come.
    coming: Option<(DelayedChange, usize)>,
    /// How many of these were there at a microstep that has been committed.
    seen: usize,
}

/// What happened to a wire at a time.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct DelayedChange {
    /// When it was, rounded as the times of the history are.
    time: Time,
    /// When it happens to the delayed signal, by the clock of the diagram.
    due: ExactTime,
    /// The order of the derivative that jumps; 0 for the signal itself.
    order: u8,
    entries: Vec<Entry>,
}

/// The parts that a wire had from a microstep on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    microstep: u32,
    parts: Vec<f64>,
}

impl DelayLineState {
    /// The states of all delayed signals of a program, before the start.
    pub fn all(program: &Program, slots: &mut [f64]) -> Vec<DelayLineState> {
        program.lines.iter().map(|line| DelayLineState::new(program, line, slots)).collect()
    }

    /// The state of a delayed signal before anything has happened to it, with its initial value in
    /// the buffer.
    fn new(program: &Program, line: &DelayLine, slots: &mut [f64]) -> DelayLineState {
        let mut last = vec![f64::from(line.early)];
        last.extend(&line.initial);
        let length: usize = line.to.iter().map(|cell| program.tracked(*cell).length).sum();
        last.resize(length, 0.0);
        scatter(program, &line.to, &last, slots);
        DelayLineState { last, notes: VecDeque::new(), coming: None, seen: 0 }
    }

    /// The clock stops: an event or impulse of this microstep is over at the next one, which is not
    /// looked at any more.
    fn end_instant(&mut self, line: &DelayLine) {
        let mut parts = self.last.clone();
        if !line.early {
            parts[0] = 0.0;
        }
        parts[1 + line.initial.len()..].fill(0.0);
        let entries = self.notes.back_mut().map(|note| &mut note.entries);
        if let Some((entries, microstep)) =
            entries.and_then(|all| all.last().map(|last| last.microstep + 1).map(|n| (all, n)))
            && parts != self.last
        {
            entries.push(Entry { microstep, parts: parts.clone() });
            self.last = parts;
        }
    }

    /// Renumbers what is still to come, so that it begins at a microstep.
    fn go_on(&mut self, microstep: u32) {
        let Some((note, done)) = &mut self.coming else { return };
        let rest = &mut note.entries[*done..];
        let Some(first) = rest.first().map(|entry| entry.microstep) else { return };
        for entry in rest {
            entry.microstep = microstep + entry.microstep.saturating_sub(first);
        }
    }

    /// The order of a kink or jump that comes now; nothing where none does.
    fn order(&self) -> Option<u8> {
        self.coming.as_ref().map(|(note, _)| note.order)
    }

    /// The note of what happens now, made where there is none yet. A clock that has stood still
    /// shows exactly the time at which it stopped, although its rounded time may differ.
    fn note(
        &mut self,
        now: ExactTime,
        zero: ExactTime,
        delay: ExactTime,
        order: u8,
    ) -> &mut DelayedChange {
        let (time, due) = (now.time() - zero.time(), now - zero + delay);
        if self.notes.back().is_none_or(|last| last.time < time && last.due < due) {
            self.notes.push_back(DelayedChange { time, due, order, entries: Vec::new() });
        }
        self.notes.back_mut().expect("a note was just made")
    }
}

/// Writes parts to their cells.
fn scatter(program: &Program, cells: &[TrackedId], parts: &[f64], slots: &mut [f64]) {
    let mut rest = parts;
    for cell in cells {
        let cell = program.tracked(*cell);
        let (own, others) = rest.split_at(cell.length);
        slots[cell.slot as usize..cell.slot as usize + cell.length].copy_from_slice(own);
        rest = others;
    }
}

impl Simulation {
    /// Model time at which the clock of a delayed signal shows 0; nothing while it stands still.
    pub(crate) fn line_zero(&self, line: usize) -> Option<ExactTime> {
        let fragment = self.program.lines[line].fragment;
        self.runs(fragment).then(|| self.state.fragments[fragment.index()].origin)
    }

    /// Makes the delayed signals of a fragment as they are before anything has happened.
    pub(crate) fn forget_lines(&mut self, fragment: FragmentId) {
        let program = self.program.clone();
        let code = &program.fragments[fragment.index()];
        for line in &code.lines {
            let own = &program.lines[*line];
            self.state.lines[*line] = DelayLineState::new(&program, own, &mut self.state.slots);
            self.state.coming.retain(|coming| *coming as usize != *line);
            self.follow_due(*line);
            if let Some(track) = own.track {
                let slope = track.slope as usize;
                self.state.slots[slope..slope + track.width].fill(0.0);
            }
        }
        let start = self.options.start.time();
        for (region, past) in &code.pasts {
            let own = &program.regions[region.index()].pasts[*past];
            self.state.histories[region.index()].start(*past, own, &program.lines, start);
        }
    }

    /// The clock of a fragment runs on: what was to come comes from the next microstep on.
    pub(crate) fn run_lines(&mut self, fragment: FragmentId) {
        let program = self.program.clone();
        let zero = self.state.fragments[fragment.index()].origin.time();
        let code = &program.fragments[fragment.index()];
        for (region, past) in &code.pasts {
            self.state.histories[region.index()].go_on(*past, zero, self.state.now.time());
        }
        let Some(next) = self.state.tick.as_ref().map(|tick| tick.microstep) else { return };
        for line in &code.lines {
            self.state.lines[*line].go_on(next);
            self.bring_line(*line, next);
            self.follow_due(*line);
        }
    }

    /// The clock of a fragment stands still: what has not been seen is still to come.
    pub(crate) fn stop_lines(&mut self, fragment: FragmentId) {
        let program = self.program.clone();
        let code = &program.fragments[fragment.index()];
        for line in &code.lines {
            let state = &mut self.state.lines[*line];
            if let Some((_, done)) = &mut state.coming {
                *done = state.seen;
            }
            state.end_instant(&program.lines[*line]);
            self.follow_due(*line);
        }
        for (region, past) in &code.pasts {
            self.state.histories[region.index()].stop(*past);
            let region = &program.regions[region.index()];
            let own = &region.pasts[*past];
            let from = region.samples as usize + own.offset;
            self.state.slots[from..from + own.width].fill(0.0);
        }
    }

    /// The wires of a fragment that starts anew leave their initial values.
    pub(crate) fn start_lines_of(&mut self, fragment: FragmentId) {
        let program = self.program.clone();
        for line in &program.fragments[fragment.index()].lines {
            self.start_line(*line);
        }
    }

    /// When the next delayed happening comes.
    pub(crate) fn next_delayed(&mut self) -> Time {
        if self.state.lines.is_empty() {
            return Time::MAX;
        }
        let first = self.run_dues().slowest();
        first.map_or(Time::MAX, |line| self.due(line))
    }

    /// The race between what is noted for delayed signals: the first that is due.
    fn run_dues(&mut self) -> &Race {
        let due = |line| Some((self.due(line), true)).filter(|due| due.0 < Time::MAX);
        let standings = (0..self.state.lines.len()).map(due);
        if self.dues.is_over() {
            let all: Vec<_> = standings.collect();
            self.dues.start(all.into_iter());
        } else {
            debug_assert!(self.dues.is_at(standings), "every note is told");
        }
        &self.dues
    }

    /// What is noted for a delayed signal has changed, or its clock has.
    fn follow_due(&mut self, line: usize) {
        let due = self.due(line);
        self.dues.stands(line, Some((due, true)).filter(|due| due.0 < Time::MAX));
    }

    /// The delayed signals of which something is due up to a time, in their order.
    fn due_up_to(&mut self, time: Time) -> Vec<usize> {
        let mut found = Vec::new();
        self.run_dues().up_to((time, true), &mut found);
        found.sort_unstable();
        found
    }

    /// When the next happening of a delayed signal comes.
    pub(crate) fn due(&self, line: usize) -> Time {
        let first = self.state.lines[line].notes.front();
        let Some((note, zero)) = first.zip(self.line_zero(line)) else { return Time::MAX };
        (note.due + zero).time()
    }

    /// The time of a delayed happening that a located time cannot be told from.
    pub(crate) fn nearest_delayed(&mut self, located: Time, resolution: Time) -> Option<Time> {
        if self.state.lines.is_empty() {
            return None;
        }
        let near = |time: &Time| *time >= located - resolution && *time <= located + resolution;
        let lines = self.due_up_to(located + resolution).into_iter();
        lines
            .filter_map(|line| Some((line, self.line_zero(line)?)))
            .flat_map(|(line, zero)| {
                self.state.lines[line].notes.iter().map(move |note| (note.due + zero).time())
            })
            .find(near)
    }

    /// The shortest delay that a region's own steps must not pass \[s\].
    pub(crate) fn shortest_delay(&self, region: usize) -> Option<Time> {
        let lines = self.program.regions[region].lines.iter();
        let running = lines.filter(|line| self.line_zero(**line).is_some());
        running.map(|line| self.program.lines[*line].delay.time()).min()
    }

    /// At the start every wire leaves its initial value.
    pub(crate) fn start_lines(&mut self) {
        for line in 0..self.state.lines.len() {
            self.start_line(line);
        }
    }

    fn start_line(&mut self, line: usize) {
        let Some(zero) = self.line_zero(line) else { return };
        let program = &self.program.lines[line];
        if program.track.is_some() && program.kinks != Kinks::Unread {
            self.state.lines[line].note(self.state.now, zero, program.delay, 1);
        }
        self.note_changes(line, 1);
        if let Some(note) = self.state.lines[line].notes.back_mut()
            && !note.entries.is_empty()
        {
            note.order = 0;
        }
        self.follow_due(line);
    }

    /// Looks at the wires that are delayed, at a microstep from 1 on.
    pub(crate) fn note_lines(&mut self, microstep: u32) {
        let program = self.program.clone();
        let looks = |run: &Simulation, line: usize| {
            run.line_zero(line).is_some() && !run.is_silenced(program.lines[line].fragment)
        };
        for place in 0..self.state.coming.len() {
            let line = self.state.coming[place] as usize;
            if looks(self, line) {
                let state = &mut self.state.lines[line];
                state.seen = state.coming.as_ref().map_or(0, |(_, done)| *done);
            }
        }
        for line in program.watched_lines.iter().copied() {
            if looks(self, line) {
                self.note_changes(line, microstep);
            }
        }
        if self.effects.have(UnitEffects::LINES) {
            for place in 0..self.ran.len() {
                for line in &program.units[self.ran[place] as usize].lines {
                    self.note_changes(*line, microstep);
                }
            }
        }
        for place in 0..self.state.tick.as_mut().map_or(0, |tick| tick.order_involved()) {
            let Some(tick) = &self.state.tick else { return };
            let region = tick.involved(place);
            if !tick.region(region).evaluated {
                continue;
            }
            for line in program.regions[region].lines.iter().copied() {
                if looks(self, line) {
                    self.note_changes(line, microstep);
                }
            }
        }
    }

    /// The left limits of a region are in the buffer: what its delayed wires are from here on is
    /// compared with them.
    pub(crate) fn look_at_lines(&mut self, region: usize) {
        let program = self.program.clone();
        for line in &program.regions[region].lines {
            if self.line_zero(*line).is_none() {
                continue;
            }
            let mut last = std::mem::take(&mut self.state.lines[*line].last);
            last.clear();
            self.gather(&program.lines[*line].from, &mut last);
            self.state.lines[*line].last = last;
        }
    }

    fn gather(&self, cells: &[TrackedId], parts: &mut Vec<f64>) {
        for cell in cells {
            let cell = self.program.tracked(*cell);
            let from = cell.slot as usize;
            parts.extend_from_slice(&self.state.slots[from..from + cell.length]);
        }
    }

    fn note_changes(&mut self, line: usize, microstep: u32) {
        let program = self.program.clone();
        let Some(zero) = self.line_zero(line) else { return };
        let mut parts = std::mem::take(&mut self.scratch);
        parts.clear();
        self.gather(&program.lines[line].from, &mut parts);
        let state = &mut self.state.lines[line];
        // The value of an absent signal means nothing.
        let absent = parts[0] == 0.0 && state.last[0] == 0.0 && !program.lines[line].early;
        let same = parts.iter().zip(&state.last).all(|(a, b)| a.to_bits() == b.to_bits());
        if !absent && !same {
            state.last.copy_from_slice(&parts);
            let note = state.note(self.state.now, zero, program.lines[line].delay, 0);
            note.order = 0;
            if note.entries.last().is_some_and(|entry| entry.microstep == microstep) {
                note.entries.pop();
            }
            note.entries.push(Entry { microstep, parts: parts.clone() });
            self.follow_due(line);
        }
        self.scratch = parts;
    }

    /// A region has started a new phase: its delayed signals have a kink where they do not jump.
    pub(crate) fn note_kink(&mut self, region: usize) {
        let order = self.state.tick.as_ref().map_or(0, |tick| tick.order) + 1;
        if order >= SMOOTH {
            return;
        }
        let program = self.program.clone();
        if order == 1 {
            return self.note_kinks(&program, &program.regions[region].lines, order);
        }
        for line in self.coming_lines() {
            let own = &program.lines[line];
            if own.track.is_some_and(|track| track.region.index() == region) {
                match &own.kinks {
                    Kinks::Unread => {}
                    Kinks::To(lines) => self.note_kinks(&program, lines, order),
                    Kinks::Everywhere => {
                        self.note_kinks(&program, &program.regions[region].lines, order);
                    }
                }
            }
        }
    }

    fn note_kinks(&mut self, program: &Program, lines: &[usize], order: u8) {
        for line in lines.iter().copied() {
            let own = &program.lines[line];
            if let Some(zero) = self.line_zero(line).filter(|_| own.kinks != Kinks::Unread) {
                self.state.lines[line].note(self.state.now, zero, own.delay, order);
                self.follow_due(line);
            }
        }
    }

    /// Takes the notes that are due at the time of a tick. Says the lowest order of what comes.
    pub(crate) fn take_notes(&mut self, time: Time, sink: &mut dyn Sink) -> Option<u8> {
        for line in self.coming_lines() {
            (self.state.lines[line].coming, self.state.lines[line].seen) = (None, 0);
        }
        let Snapshot { coming, lines, .. } = &mut self.state;
        coming.retain(|line| lines[*line as usize].coming.is_some());
        for line in self.due_up_to(time) {
            let Some(zero) = self.line_zero(line) else { continue };
            let Some(note) = self.state.lines[line].notes.pop_front() else { continue };
            self.follow_due(line);
            self.state.now = self.state.now.meet(note.due + zero);
            self.state.lines[line].coming = Some((note, 0));
            self.state.coming.push(line as u32);
            if sink.listens() {
                sink.event(Event::Woken { time, block: self.program.lines[line].block });
            }
        }
        self.state.coming.sort_unstable();
        self.coming_lines().into_iter().filter_map(|line| self.state.lines[line].order()).min()
    }

    /// Lines of which something comes at this tick.
    pub(crate) fn coming_lines(&self) -> Vec<usize> {
        let coming = self.state.coming.iter().map(|line| *line as usize);
        coming.filter(|line| self.line_zero(*line).is_some()).collect()
    }

    /// A kink changes no value: from microstep 0 on the slopes are those after it, and the regions
    /// that it reaches start a new phase.
    pub(crate) fn bring_kinks(&mut self) {
        for line in self.coming_lines() {
            let Some(track) = self.program.lines[line].track else { continue };
            let Some((note, _)) = &self.state.lines[line].coming else { continue };
            if note.entries.is_empty() {
                let history = &self.state.histories[track.region.index()];
                history.slopes_after(note.time, &track, &mut self.state.slots);
            }
            if let Some(tick) = &mut self.state.tick {
                tick.disturb(track.region);
            }
        }
    }

    /// Brings what was noted a delay ago at the microstep that comes next.
    pub(crate) fn bring(&mut self, microstep: u32) {
        for place in 0..self.state.coming.len() {
            let line = self.state.coming[place] as usize;
            if self.line_zero(line).is_some() {
                self.bring_line(line, microstep);
            }
        }
    }

    fn bring_line(&mut self, line: usize, microstep: u32) {
        let Some((note, done)) = &mut self.state.lines[line].coming else { return };
        let Some(entry) = note.entries.get(*done).filter(|e| e.microstep <= microstep) else {
            return;
        };
        *done += 1;
        let (time, parts) = (note.time, entry.parts.clone());
        let program = self.program.clone();
        let own = &program.lines[line];
        scatter(&program, &own.to, &parts, &mut self.state.slots);
        if let Some(track) = &own.track {
            let history = &self.state.histories[track.region.index()];
            history.slopes_after(time, track, &mut self.state.slots);
        }
        own.to.iter().for_each(|cell| self.mark_next(&program, *cell));
    }

    /// Whether something that was noted has yet to come at this tick.
    pub(crate) fn more_comes(&self) -> bool {
        let more = |line: usize| {
            let coming = self.state.lines[line].coming.as_ref();
            coming.is_some_and(|(note, done)| *done < note.entries.len())
                && self.line_zero(line).is_some()
        };
        self.state.coming.iter().any(|line| more(*line as usize))
    }

    /// Adds the step that a region has just taken to its history.
    pub(crate) fn record_step(&mut self, region: usize) -> Result<(), RunError> {
        let program = self.program.clone();
        let code = &program.regions[region];
        let Some(longest) = code.lines.iter().map(|line| program.lines[*line].delay.time()).max()
        else {
            return Ok(());
        };
        let begin = self.state.histories[region].end();
        if begin == Time::MAX {
            return Ok(());
        }
        self.record_to(region, self.state.regions[region].reached)?;
        // This region was the last of all: no time before its old end is asked for any more.
        self.state.histories[region].forget(begin - longest);
        Ok(())
    }

    /// Cuts the history of a region at a time inside its last step, at which something happens, so
    /// that it can end there. The pieces on both sides are made anew, so that there is no gap
    /// between them; this must be done before anything that they are made from has changed.
    pub(crate) fn split_history(&mut self, region: usize, time: Time) {
        let program = self.program.clone();
        let code = &program.regions[region];
        let end = self.state.histories[region].end();
        if code.lines.is_empty() || end <= time || self.state.histories[region].is_cut(time) {
            return;
        }
        self.state.histories[region].truncate(time);
        // Sampling uses the places of the state.
        let tracks = code.lines.iter().filter_map(|line| program.lines[*line].track);
        let places = tracks.map(|track| (track.place as usize, track.width));
        let kept: Vec<(usize, Vec<f64>)> = places
            .chain([(code.state as usize, code.dimension), (program.time as usize, 1)])
            .map(|(from, length)| (from, self.state.slots[from..from + length].to_vec()))
            .collect();
        // What was sampled once over the same step is finite.
        let recorded = self.record_to(region, time).and_then(|()| self.record_to(region, end));
        debug_assert!(recorded.is_ok());
        for (from, data) in kept {
            self.state.slots[from..from + data.len()].copy_from_slice(&data);
        }
    }

    /// Adds what the last step of a region says up to a time to its history.
    fn record_to(&mut self, region: usize, end: Time) -> Result<(), RunError> {
        let program = self.program.clone();
        let code = &program.regions[region];
        let begin = self.state.histories[region].end();
        let mut samples = std::mem::take(&mut self.samples);
        let mut from = begin;
        let mut length = (end - from).seconds();
        let shortest = SHORTEST * length;
        let mut result = Ok(());
        while from < end {
            let rest = (end - from).seconds();
            let to = match from.offset(length) {
                Some(to) if length < rest && from < to => to.min(end),
                _ => end,
            };
            result = self.sample_piece(region, from, to, &mut samples);
            if result.is_err() {
                break;
            }
            if length > shortest && !fits(&samples, code.sample_width, &self.options) {
                length = 0.5 * length.min(rest);
                continue;
            }
            let coefficients = &samples[..NODES.len() * code.sample_width];
            self.state.histories[region].push(code, from, to, coefficients);
            from = to;
            length *= 2.0;
        }
        self.samples = samples;
        result
    }

    /// Samples at the nodes, turned into coefficients, and then at the checks.
    fn sample_piece(
        &mut self,
        region: usize,
        from: Time,
        to: Time,
        samples: &mut Vec<f64>,
    ) -> Result<(), RunError> {
        samples.clear();
        let width = self.program.regions[region].sample_width;
        let start = (from - self.state.regions[region].origin).seconds();
        let length = (to - from).seconds();
        for x in NODES.iter().chain(&CHECKS) {
            self.sample(region, start + x * length)?;
            let at = self.program.regions[region].samples as usize;
            samples.extend_from_slice(&self.state.slots[at..at + width]);
        }
        // The coefficients take the place of the samples; these stand behind the checks.
        samples.extend_from_within(..NODES.len() * width);
        fit(&mut samples[..NODES.len() * width], width);
        Ok(())
    }

    /// What the delayed signals are made from at an offset in the last step.
    fn sample(&mut self, region: usize, t: f64) -> Result<(), RunError> {
        let program = &self.program.regions[region];
        let state = &self.state.regions[region];
        let inside = t.max(state.solver.step_start()).min(state.solver.step_end());
        self.scratch.resize(state.solver.state().len(), 0.0);
        state.solver.interpolate(inside, &mut self.scratch);
        crate::flow::scatter(
            &mut self.state.slots,
            program.state,
            states(&state.ranges),
            &self.scratch,
        );
        self.state.slots[self.program.time as usize] = state.origin.seconds() + t;
        let history = &mut self.state.histories[region];
        history.place(program, &self.program.lines, state.origin, t, &mut self.state.slots, false);
        run(&program.sample, &mut self.state.slots);
        let at = program.samples as usize;
        let finite =
            |slots: &[f64]| slots[at..at + program.sample_width].iter().all(|x| x.is_finite());
        if !finite(&self.state.slots) {
            // A side that is about to change may lead out of the domain of a function.
            run(&program.live.sample, &mut self.state.slots);
        }
        if finite(&self.state.slots) {
            return Ok(());
        }
        let time = state.origin.offset(t).unwrap_or(state.reached);
        let blamed = self.program.blame(&self.diagram, RegionId::new(region), &self.state.slots);
        let block = blamed.unwrap_or(self.program.lines[program.lines[0]].block);
        Err(self.not_finite(Tag::new(time, 0), self.diagram.block(block).outputs[0]))
    }
}

/// Whether a piece is as near to the signal at the checks as the tolerance of the run asks for,
/// with a margin, or as rounding allows.
fn fits(samples: &[f64], width: usize, options: &Options) -> bool {
    let nodes = NODES.len() * width;
    let (coefficients, rest) = samples.split_at(nodes);
    let (checks, values) = rest.split_at(CHECKS.len() * width);
    (0..width).all(|i| {
        let size = (0..NODES.len()).fold(0.0f64, |size, k| size.max(values[k * width + i].abs()));
        let solver = &options.solver;
        let allowed = 0.01 * (solver.absolute_tolerance + solver.relative_tolerance * size);
        let room = allowed.max(64.0 * f64::EPSILON * size);
        CHECKS
            .iter()
            .enumerate()
            .all(|(k, x)| (value(coefficients, width, i, *x) - checks[k * width + i]).abs() <= room)
    })
}
