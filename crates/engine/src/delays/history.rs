//! The past of a region between events, as a sequence of polynomials.
//!
//! Signals that are delayed in the diagram of a state are delayed by its clock, which stops while
//! the diagram does not run. So a region has one past per clock, indexed by the time that the clock
//! shows, and only the pasts of running diagrams grow and are read.
//!
//! The inputs of a region's delay lines are sampled over every accepted step and kept as pieces of
//! degree 5, divided if that does not meet the tolerance of the run. A read evaluates one
//! polynomial and never allocates. Pieces that no delay can reach any more are dropped.

mod outside;

use std::collections::VecDeque;

use base::{Table, Time, clone_reusing};
use program::tape::{Binary, Jet, Scalar, run};
use program::{DelayLine, DelayTrack, FragmentId, LineId, RegionProgram};
use serde::{Deserialize, Serialize};

use crate::delays::polynomial::NODES;

/// How many times its length a piece is extended beyond its start.
const FURTHEST: f64 = 2.6;
/// By how much a step may exceed the one before it if it reads beyond the end.
const MOST_GROWTH: f64 = 1.5;

/// By how much a rounded clock time minus a rounded delay may miss the correctly rounded result:
/// the time, the clock's origin and the delay are each rounded, then and now.
const ROUNDING: Time = Time::from_attoseconds(2);

/// The pasts of a region, one per clock.
#[derive(Default, Debug, Serialize, Deserialize)]
pub(crate) struct RegionHistory {
    pasts: Vec<Past>,
}

clone_reusing!(RegionHistory { pasts });

/// The past values of the signals that one clock delays, and the positions from which they are
/// read. Times in it are those of the clock.
#[derive(Default, Debug, Serialize, Deserialize)]
struct Past {
    /// Model time at which the clock shows 0, rounded.
    zero: Time,
    /// Whether the clock runs.
    runs: bool,
    /// The number of values in a sample.
    width: usize,
    /// The number of pieces that have been dropped.
    dropped: u64,
    pieces: VecDeque<Piece>,
    /// The coefficients in Newton's form, one sample per order, piece after piece.
    data: VecDeque<f64>,
    /// The read position of each delay line.
    readers: Vec<Reader>,
    /// The signals at the start of the phase, which are read until the phase has a piece.
    fresh: Vec<f64>,
    /// How far steps may read beyond the end \[s\], if a delay that is a signal is shorter.
    reach: f64,
    /// Whether the last step did.
    overran: bool,
}

clone_reusing!(Past { zero, runs, width, dropped, pieces, data, readers, fresh, reach, overran });

/// A polynomial over an interval of time.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Piece {
    start: Time,
    end: Time,
    /// The length \[s\].
    length: f64,
}

/// The read position of a delay line.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
struct Reader {
    /// The first piece of this smooth phase: at the start of a phase the right limit is read.
    first: u64,
    /// The last piece of this smooth phase: a delay that is a signal reads no further than to the
    /// next change, which is located.
    until: u64,
    /// The piece that was read last, counted from the first one ever recorded.
    at: u64,
    /// The start of the phase minus the delay, relative to the start of the piece \[s\].
    offset: f64,
    /// The length of the piece \[s\].
    length: f64,
}

impl RegionHistory {
    /// The history before the start: every delayed signal has its initial value.
    pub fn new(
        program: &RegionProgram,
        lines: &Table<LineId, DelayLine>,
        start: Time,
    ) -> RegionHistory {
        let past = |past: &program::Past| Past {
            runs: past.fragment == FragmentId::ROOT,
            ..Past::new(past, lines, start)
        };
        RegionHistory { pasts: program.pasts.iter().map(past).collect() }
    }

    /// Restarts a past with nothing but initial values.
    pub fn start(
        &mut self,
        number: usize,
        program: &program::Past,
        lines: &Table<LineId, DelayLine>,
        start: Time,
    ) {
        self.pasts[number] = Past::new(program, lines, start);
    }

    /// A diagram is switched on with its clock, of which the past knows only rounded times. Its
    /// last piece ends now, and the next one follows without a gap.
    pub fn go_on(&mut self, number: usize, zero: Time, now: Time) {
        let past = &mut self.pasts[number];
        (past.zero, past.runs) = (zero, true);
        if let Some(last) = past.pieces.back_mut() {
            last.end = (now - zero).max(last.start);
        }
    }

    /// A diagram is switched off.
    pub fn stop(&mut self, number: usize) {
        self.pasts[number].runs = false;
    }

    /// The pasts that grow.
    fn running(&self) -> impl Iterator<Item = &Past> {
        self.pasts.iter().filter(|past| past.runs)
    }

    /// How far it reaches; infinitely far if nothing is kept.
    pub fn end(&self) -> Time {
        self.running().map(|past| past.end() + past.zero).max().unwrap_or(Time::MAX)
    }

    /// Appends a piece, from samples of the whole region: the coefficients in Newton's form, order
    /// after order.
    pub fn push(&mut self, program: &RegionProgram, start: Time, end: Time, coefficients: &[f64]) {
        for (past, own) in self.pasts.iter_mut().zip(&program.pasts).filter(|(past, _)| past.runs) {
            past.pieces.push_back(Piece {
                start: start - past.zero,
                end: end - past.zero,
                length: (end - start).seconds(),
            });
            // A delayed signal may be an empty vector.
            for sample in coefficients.chunks_exact(program.sample_width.max(1)) {
                past.data.extend(&sample[own.offset..own.offset + own.width]);
            }
        }
    }

    /// Whether a piece ends at a time.
    pub fn is_cut(&self, time: Time) -> bool {
        self.running().all(|past| past.is_cut(time - past.zero))
    }

    /// Removes every piece that extends past a time; a piece that is to end there must have been
    /// cut there.
    pub fn truncate(&mut self, time: Time) {
        self.pasts.iter_mut().for_each(|past| past.truncate(time - past.zero));
    }

    /// Drops the pieces that end before a time.
    pub fn forget(&mut self, before: Time) {
        let running = self.pasts.iter_mut().filter(|past| past.runs);
        running.for_each(|past| past.forget(before - past.zero));
    }

    /// A smooth phase starts at a time: each reader starts at the piece that follows that time
    /// minus the delay.
    pub fn begin_phase(
        &mut self,
        program: &RegionProgram,
        lines: &Table<LineId, DelayLine>,
        origin: Time,
        bounds: &dyn Fn(LineId) -> Bounds,
    ) {
        for (past, own) in self.pasts.iter_mut().zip(&program.pasts).filter(|(past, _)| past.runs) {
            past.begin_phase((own, lines), origin - past.zero, bounds);
        }
    }

    /// Whether a phase reads what it has not begun to record.
    pub fn needs_fresh(&self) -> bool {
        self.running().any(Past::needs_fresh)
    }

    /// Takes a sample of the whole region at the start of a phase.
    pub fn refresh(&mut self, program: &RegionProgram, sample: &[f64]) {
        for (past, own) in self.pasts.iter_mut().zip(&program.pasts).filter(|(past, _)| past.runs) {
            past.fresh.clear();
            past.fresh.extend_from_slice(&sample[own.offset..own.offset + own.width]);
        }
    }

    /// How far a step may read beyond the end of a past \[s\].
    pub fn reach(&self, past: usize) -> f64 {
        self.pasts[past].reach
    }

    /// The step since a time has been appended: decides how far the next may read beyond the end.
    /// `allowed` is the error that a value may have.
    pub fn measure_reach(&mut self, begin: Time, allowed: &dyn Fn(f64) -> f64) {
        let running = self.pasts.iter_mut().filter(|past| past.runs && past.reach > 0.0);
        running.for_each(|past| past.measure_reach(begin - past.zero, allowed));
    }

    /// Writes the delayed signals of a region, at offset `t` from the start of its phase, to their
    /// slots, with their slopes if requested.
    #[inline]
    pub fn place(
        &mut self,
        program: &RegionProgram,
        lines: &Table<LineId, DelayLine>,
        origin: Time,
        t: f64,
        slots: &mut [f64],
        slopes: bool,
    ) {
        for (past, own) in self.pasts.iter_mut().zip(&program.pasts).filter(|(past, _)| past.runs) {
            past.place((own, lines), origin - past.zero, t, slots, slopes);
        }
        for stage in &program.readings {
            run(&stage.tape, slots);
            for (line, reader) in &stage.lines {
                let (Some(track), Some(reading)) = (&lines[*line].track, lines[*line].reading)
                else {
                    continue;
                };
                let past = &mut self.pasts[track.past];
                if past.runs {
                    let t = t - slots[reading.read.index()];
                    past.place_at(*reader, origin - past.zero, t, track, slots, slopes);
                }
            }
        }
    }

    /// Writes the slopes of a delayed signal just after a time of its clock to their slots.
    pub fn slopes_after(&self, time: Time, track: &DelayTrack, slots: &mut [f64]) {
        for i in 0..track.width {
            slots[track.slope.index() + i] = self.jet_after(time, track, i).0[1];
        }
    }

    /// The Taylor coefficients of one element of a delayed signal just after a time of its clock.
    pub fn jet_after(&self, time: Time, track: &DelayTrack, number: usize) -> Jet {
        self.pasts[track.past].jet_after(time, track.offset + number)
    }

    /// The Taylor coefficients of one element of a delayed signal that is read between two changes
    /// with a delay that is a signal; `delay` has the Taylor coefficients of that.
    pub fn jet_at(
        &self,
        now: Time,
        bounds: Bounds,
        delay: Jet,
        track: &DelayTrack,
        number: usize,
    ) -> Jet {
        self.pasts[track.past].jet_at(now, bounds, delay, track.offset + number)
    }
}

/// The times of the last change before the position that is read and of the next one, by the clock
/// of the diagram.
pub(crate) type Bounds = [Option<Time>; 2];

/// The shortest time that steps read beyond the end of a past, as a fraction of the longest delay.
const SHORTEST_REACH: f64 = 1e-6;
/// How far a step may read beyond the end after one that did not, as a fraction of its length: the
/// polynomial of the last step is still accurate there.
const CAUTIOUS: f64 = 0.25;

impl Past {
    fn new(program: &program::Past, lines: &Table<LineId, DelayLine>, start: Time) -> Past {
        let width = program.width;
        let mut past = Past { width, ..Past::default() };
        let Some(longest) = program.lines.iter().map(|line| lines[*line].delay.time()).max() else {
            return past;
        };
        let mut samples = vec![0.0; width * NODES.len()];
        for line in &program.lines {
            if let Some(track) = lines[*line].track {
                samples[track.offset..track.offset + track.width]
                    .copy_from_slice(&lines[*line].initial);
            }
        }
        past.readers = vec![Reader::default(); program.lines.len()];
        if program.lines.iter().any(|line| lines[*line].reading.is_some()) {
            past.reach = SHORTEST_REACH * longest.seconds();
        }
        past.push(start - longest, start, &samples);
        past
    }

    fn end(&self) -> Time {
        self.pieces.back().map_or(Time::MAX, |piece| piece.end)
    }

    fn push(&mut self, start: Time, end: Time, coefficients: &[f64]) {
        self.pieces.push_back(Piece { start, end, length: (end - start).seconds() });
        self.data.extend(coefficients);
    }

    fn is_cut(&self, time: Time) -> bool {
        let later = self.pieces.iter().rev().take_while(|piece| piece.end >= time);
        later.last().is_some_and(|piece| piece.end == time)
    }

    fn truncate(&mut self, time: Time) {
        while self.pieces.len() > 1 && self.end() > time {
            self.pieces.pop_back();
            self.data.truncate(self.data.len() - self.width * NODES.len());
        }
    }

    fn forget(&mut self, before: Time) {
        while self.pieces.len() > 1 && self.pieces[0].end < before {
            self.pieces.pop_front();
            self.data.drain(..self.width * NODES.len());
            self.dropped += 1;
        }
    }

    fn begin_phase(
        &mut self,
        (program, lines): (&program::Past, &Table<LineId, DelayLine>),
        origin: Time,
        bounds: &dyn Fn(LineId) -> Bounds,
    ) {
        let mut longest = 0.0f64;
        for (index, line) in program.lines.iter().enumerate() {
            let delay = lines[*line].delay.time();
            if lines[*line].reading.is_some() {
                let (first, until) = self.between(bounds(*line));
                let at = self.readers[index].at.clamp(first, until.max(first));
                (self.readers[index].first, self.readers[index].until) = (first, until);
                self.readers[index].at = at;
                match self.is_fresh(index) {
                    false => self.move_to(index, Time::ZERO, origin, at.min(self.last())),
                    // The first piece of the phase will begin now.
                    true => (self.readers[index].offset, self.readers[index].length) = (0.0, 0.0),
                }
                longest = longest.max(delay.seconds());
                continue;
            }
            let at = self.dropped + self.after(origin - delay) as u64;
            (self.readers[index].first, self.readers[index].until) = (at, u64::MAX);
            self.move_to(index, delay, origin, at);
        }
        (self.reach, self.overran) = (SHORTEST_REACH * longest, false);
    }

    /// The first and the last piece between two changes. The first one may not have begun.
    fn between(&self, [lower, upper]: Bounds) -> (u64, u64) {
        let ended = |time: Time| {
            self.dropped + self.pieces.partition_point(|piece| piece.end <= time + ROUNDING) as u64
        };
        let first = lower.map_or(self.dropped, ended);
        (first, upper.map_or(u64::MAX, |upper| ended(upper).saturating_sub(1).max(first)))
    }

    /// The last piece.
    fn last(&self) -> u64 {
        self.dropped + self.pieces.len() as u64 - 1
    }

    /// Whether a reader is in a phase that has no piece yet.
    fn is_fresh(&self, reader: usize) -> bool {
        self.readers[reader].first > self.last()
    }

    fn needs_fresh(&self) -> bool {
        (0..self.readers.len()).any(|reader| self.is_fresh(reader))
    }

    /// Compares what the step since a time has read beyond the end with what is there.
    fn measure_reach(&mut self, begin: Time, allowed: &dyn Fn(f64) -> f64) {
        let length = (self.end() - begin).seconds();
        if !std::mem::replace(&mut self.overran, false) {
            self.reach = self.reach.max(CAUTIOUS * length);
            return;
        }
        let known = self.pieces.partition_point(|piece| piece.end <= begin);
        let fresh = self.readers.iter().any(|own| own.first >= self.dropped + known as u64);
        let last = self.pieces.len() - 1;
        let mut worst = 0.0f64;
        for number in 0..self.width {
            let now = self.extended(last, self.pieces[last].length, number).0;
            let expected = match known.checked_sub(1).filter(|_| !fresh) {
                Some(before) => {
                    let end = (self.end() - self.pieces[before].start).seconds();
                    self.extended(before, end, number).0
                }
                None => self.fresh.get(number).copied().unwrap_or(now),
            };
            worst = worst.max((now - expected).abs() / allowed(now));
        }
        let factor = (0.1 / worst.max(1e-12)).powf(1.0 / 6.0).clamp(0.2, MOST_GROWTH);
        self.reach = factor * length;
    }

    /// A signal and its slope at a distance from the start of a piece \[s\]. Far beyond a piece its
    /// polynomial means nothing; its tangent is at least bounded.
    #[inline]
    fn extended(&self, piece: usize, x: f64, number: usize) -> (f64, f64) {
        let length = self.pieces[piece].length;
        let inside = x.clamp((1.0 - FURTHEST) * length, FURTHEST * length);
        let (value, slope) = self.value(piece, inside / length, number);
        (value + slope / length * (x - inside), slope / length)
    }

    /// The piece that continues after a time; the time may be early by a rounding.
    fn after(&self, time: Time) -> usize {
        let ended = self.pieces.partition_point(|piece| piece.end <= time + ROUNDING);
        ended.min(self.pieces.len() - 1)
    }

    fn move_to(&mut self, reader: usize, delay: Time, origin: Time, at: u64) {
        let piece = self.pieces[(at - self.dropped) as usize];
        let reader = &mut self.readers[reader];
        reader.at = at;
        reader.offset = (origin - delay - piece.start).seconds();
        reader.length = piece.length;
    }

    #[inline]
    fn place(
        &mut self,
        (program, lines): (&program::Past, &Table<LineId, DelayLine>),
        origin: Time,
        t: f64,
        slots: &mut [f64],
        slopes: bool,
    ) {
        for (index, line) in program.lines.iter().enumerate() {
            let line = &lines[*line];
            let Some(track) = &line.track else { continue };
            if line.reading.is_some() {
                continue;
            }
            let x = self.seek(index, line.delay.time(), origin, t);
            let piece = (self.readers[index].at - self.dropped) as usize;
            self.read(piece, x, track, slots, slopes);
        }
    }

    /// Moves a reader to the piece that covers `t`; returns the distance from the start of that
    /// piece.
    fn seek(&mut self, index: usize, delay: Time, origin: Time, t: f64) -> f64 {
        loop {
            let Reader { first, until, at, offset, length } = self.readers[index];
            // The end of a piece and its time in the phase may differ by rounding, of floats and of
            // exact times to attoseconds.
            let rounding = 8.0 * f64::EPSILON * (offset.abs() + t.abs() + length) + 3e-18;
            let x = offset + t;
            let last = self.dropped + self.pieces.len() as u64 - 1;
            if at < self.dropped || at > last {
                self.move_to(index, delay, origin, at.clamp(self.dropped, last));
            } else if x > length + rounding && at < last.min(until) {
                self.move_to(index, delay, origin, at + 1);
            } else if x < -rounding && at > first.max(self.dropped) {
                self.move_to(index, delay, origin, at - 1);
            } else {
                return x;
            }
        }
    }

    /// Writes a delayed signal that is read at offset `t` from the start of the phase, between two
    /// changes.
    fn place_at(
        &mut self,
        reader: usize,
        origin: Time,
        t: f64,
        track: &DelayTrack,
        slots: &mut [f64],
        slopes: bool,
    ) {
        if self.is_fresh(reader) {
            self.overran = true;
            let own = track.offset..track.offset + track.width;
            let values = self.fresh.get(own).unwrap_or_default();
            slots[track.place.index()..track.place.index() + values.len()].copy_from_slice(values);
            slots[track.slope.index()..track.slope.index() + track.width].fill(0.0);
            return;
        }
        let first = self.readers[reader].first;
        self.readers[reader].at = self.readers[reader].at.max(first);
        let x = self.seek(reader, Time::ZERO, origin, t);
        let (at, until) = (self.readers[reader].at, self.readers[reader].until);
        let piece = (at - self.dropped) as usize;
        self.overran |= x > self.pieces[piece].length && until > self.last();
        for i in 0..track.width {
            let (value, slope) = self.extended(piece, x, track.offset + i);
            slots[track.place.index() + i] = value;
            if slopes {
                slots[track.slope.index() + i] = slope;
            }
        }
    }

    fn read(&self, piece: usize, x: f64, track: &DelayTrack, slots: &mut [f64], slopes: bool) {
        let length = self.pieces[piece].length;
        let x = x / length;
        for i in 0..track.width {
            let (value, slope) = self.value(piece, x, track.offset + i);
            slots[track.place.index() + i] = value;
            if slopes {
                slots[track.slope.index() + i] = slope / length;
            }
        }
    }

    /// An element of a sample and its slope, at `x` between 0 and 1 for a point of the piece.
    #[inline]
    fn value(&self, piece: usize, x: f64, number: usize) -> (f64, f64) {
        let last = NODES.len() - 1;
        let (mut value, mut slope) = (self.coefficient(piece, last, number), 0.0);
        for order in (0..last).rev() {
            slope = value + (x - NODES[order]) * slope;
            value = self.coefficient(piece, order, number) + (x - NODES[order]) * value;
        }
        (value, slope)
    }

    #[inline]
    fn coefficient(&self, piece: usize, order: usize, number: usize) -> f64 {
        self.data[(piece * NODES.len() + order) * self.width + number]
    }

    /// The Taylor coefficients of one element of a sample just after a time.
    fn jet_after(&self, time: Time, number: usize) -> Jet {
        let piece = self.after(time);
        self.jet_of(piece, Jet::time((time - self.pieces[piece].start).seconds()), number)
    }

    /// The same at a position between two changes, which moves as time minus a delay does.
    fn jet_at(&self, now: Time, bounds: Bounds, delay: Jet, number: usize) -> Jet {
        let (first, until) = self.between(bounds);
        if first > self.last() {
            return Jet::constant(self.fresh.get(number).copied().unwrap_or(0.0));
        }
        let until = until.min(self.last()).max(first);
        let position = |piece: u64| {
            let start = self.pieces[(piece - self.dropped) as usize].start;
            (now - start).seconds() - delay.0[0]
        };
        let mut at = first;
        while at < until && position(at + 1) >= 0.0 {
            at += 1;
        }
        let piece = (at - self.dropped) as usize;
        let since = Jet::time((now - self.pieces[piece].start).seconds());
        self.jet_of(piece, Jet::binary(Binary::Sub, since, delay), number)
    }

    /// A piece at a distance from its start, which moves.
    fn jet_of(&self, piece: usize, distance: Jet, number: usize) -> Jet {
        let length = self.pieces[piece].length;
        let last = NODES.len() - 1;
        let x = Jet::binary(Binary::Div, distance, Jet::constant(length));
        let mut value = Jet::constant(self.coefficient(piece, last, number));
        for order in (0..last).rev() {
            let distance = Jet::binary(Binary::Sub, x, Jet::constant(NODES[order]));
            let product = Jet::binary(Binary::Mul, distance, value);
            let constant = Jet::constant(self.coefficient(piece, order, number));
            value = Jet::binary(Binary::Add, constant, product);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_and_dropped() {
        let at = |n: i128| Time::from_attoseconds(n * 1_000_000_000_000_000_000);
        let mut history = Past { width: 1, ..Past::default() };
        for n in 0..5 {
            history.push(at(n), at(n + 1), &[n as f64, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        history.truncate(at(4));
        assert_eq!((history.end(), history.pieces.len(), history.data.len()), (at(4), 4, 24));
        history.forget(at(2));
        assert_eq!((history.dropped, history.pieces.len(), history.data.len()), (1, 3, 18));
        // Just after 2 s, the piece that begins there applies.
        assert_eq!(history.jet_after(at(2), 0).0[0], 2.0);
    }
}
