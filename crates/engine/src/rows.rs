//! Rows of the result: which regions have one at a tag, and what it contains.
//!
//! A region has a row at its own steps and at the microsteps of ticks that reach it. All regions
//! have one at the start, at the end, and at the times that the model specifies. If the sink wants
//! joined rows, every row covers every region; regions without a row of their own at that time are
//! read from their dense output.

mod cover;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use base::{ExactTime, Table, Tag, Time, clone_reusing};
use program::tape::Slot;
use program::{Profile, RecordSlots, RegionId, Rows, UnitId};

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::{Event, RunError};
pub(crate) use cover::Cover;

/// The most rows between events that one advance writes.
const ROWS_AT_ONCE: u32 = 1024;

/// One row of the result: recorded signals at a tag.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The tag.
    pub tag: Tag,
    slots: &'a [f64],
    records: &'a [RecordSlots],
    covered: &'a Table<RegionId, bool>,
    /// The candidates for the regions that it covers; none if those are all regions.
    among: Option<&'a [RegionId]>,
    /// Whether it is part of the result, and not there for signals that are only looked at.
    kept: bool,
    /// The units that have run so far in this tick, if there are signals that are only looked at.
    fired: &'a [UnitId],
}

impl<'a> Row<'a> {
    pub(crate) fn new(
        tag: Tag,
        slots: &'a [f64],
        records: &'a [RecordSlots],
        covered: &'a Table<RegionId, bool>,
    ) -> Row<'a> {
        Row { tag, slots, records, covered, among: None, kept: true, fired: &[] }
    }

    pub(crate) fn with_fired(self, fired: &'a [UnitId]) -> Row<'a> {
        Row { fired, ..self }
    }

    /// Whether the row is part of the result. Signals that are only looked at (hidden records) have
    /// a row at every step, whichever rows the model asks for.
    #[inline]
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// The units that have run in this tick up to now; known only if there are hidden records.
    pub fn fired(&self) -> &'a [UnitId] {
        self.fired
    }

    /// Whether the row covers a recorded signal. A signal of a region that did not step here, and
    /// that no event reached, has no row, which is not the same as being absent.
    #[inline]
    pub fn covers(&self, record: usize) -> bool {
        self.covered[self.records[record].region]
    }

    /// The regions that the row covers, if they may be a few of many; none if all have to be
    /// checked. It may include regions that turn out not to be covered.
    pub fn regions(&self) -> Option<&'a [RegionId]> {
        self.among
    }

    /// The region of a recorded signal.
    pub fn region_of(&self, record: usize) -> RegionId {
        self.records[record].region
    }

    /// The value of a recorded signal that the row covers; none if the signal is absent.
    #[inline]
    pub fn value(&self, record: usize) -> Option<&'a [f64]> {
        let own = &self.records[record];
        let from = own.value.index();
        (self.slots[own.present.index()] != 0.0).then(|| &self.slots[from..from + own.ty.len()])
    }

    /// Whether a recorded signal has impulse coefficients, which may be zero.
    #[inline]
    pub fn may_carry_impulses(&self, record: usize) -> bool {
        !self.records[record].impulses.is_empty()
    }

    /// The impulse coefficients of a recorded signal, order by order.
    #[inline]
    pub fn impulses(&self, record: usize) -> impl Iterator<Item = &'a [f64]> {
        let own = &self.records[record];
        let (slots, length) = (self.slots, own.ty.len());
        let at = move |slot: &Slot| &slots[slot.range(length)];
        own.impulses.iter().map(at)
    }

    /// The whole buffer, and for each region whether the row covers it.
    pub(crate) fn all(&self) -> (&'a [f64], &'a Table<RegionId, bool>) {
        (self.slots, self.covered)
    }

    /// The number of recorded signals.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

/// Receives the rows of a run.
pub trait Sink {
    /// Receives a row, in the order of tags.
    fn row(&mut self, row: Row<'_>);

    /// Reports a tag without a row, because no recorded signal took part in it or has a row yet.
    fn no_row(&mut self, _tag: Tag) {}

    /// Receives a row that covers all signals, for those that have asked for rows beside the result,
    /// as bits. It may come again with the same tag.
    fn beside(&mut self, _row: Row<'_>, _wanted: u64) {}

    /// Whether every row must cover all signals; otherwise a row covers the regions that stepped or
    /// that an event reached.
    fn is_joined(&self) -> bool {
        true
    }

    /// Whether it wants to receive the events of ticks.
    fn listens(&self) -> bool {
        false
    }

    /// Receives an event; called only if it listens.
    fn event(&mut self, _event: Event) {}
}

/// Receives nothing.
pub(crate) struct NoSink;

impl Sink for NoSink {
    fn row(&mut self, _row: Row<'_>) {}
}

/// The rows to be written next.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct RowQueue {
    /// Steps whose rows wait for slower regions: their times and regions, earliest on top.
    pub waiting: BinaryHeap<Reverse<(Time, RegionId)>>,
    /// The number of rows of the grid and of the list that have been written or passed.
    pub on_grid: u64,
    pub on_list: usize,
}

clone_reusing!(RowQueue { waiting, on_grid, on_list });

/// Rows that someone wants beside those of the result, by rules of their own. They change nothing of
/// the run and are no part of a snapshot.
#[derive(Debug)]
pub(crate) struct Beside {
    rows: Rows,
    on_grid: u64,
    on_list: usize,
}

impl Beside {
    pub fn new(rows: Rows) -> Beside {
        Beside { rows, on_grid: 0, on_list: 0 }
    }

    /// Begins anew.
    pub fn reset(&mut self) {
        (self.on_grid, self.on_list) = (0, 0);
    }

    /// Whether each step has a row.
    pub fn has_steps(&self) -> bool {
        self.rows.steps
    }

    /// The next times on the grid and on the list.
    fn next(&self, start: ExactTime) -> [Option<Time>; 2] {
        let grid = |every| Time::tick(start.to_rational(), every, self.on_grid.into());
        [self.rows.every.and_then(grid), self.rows.times.get(self.on_list).copied()]
    }

    /// Passes a time; returns whether a row is due there.
    fn pass(&mut self, start: ExactTime, time: Time) -> bool {
        let [grid, list] = self.next(start).map(|next| next == Some(time));
        self.on_grid += u64::from(grid);
        self.on_list += usize::from(list);
        grid || list
    }
}

/// A row that is due between events.
struct DueRow {
    time: Time,
    /// Whether it belongs to the result, or signals are looked at there.
    result: bool,
    /// Those beside the result that want it, as bits.
    beside: u64,
}

/// Everyone beside the result.
const ALL_BESIDE: u64 = u64::MAX;

impl Engine<'_> {
    /// Makes the coming row cover every region.
    pub(crate) fn cover_all(&mut self) {
        self.scratch.covered.set_all();
    }

    /// Makes the coming row that of a step of a region.
    pub(crate) fn cover_step(&mut self, region: RegionId, sink: &dyn Sink) {
        if sink.is_joined() {
            return self.scratch.covered.set_all();
        }
        self.scratch.covered.clear();
        self.scratch.covered.add(region);
    }

    /// Makes the coming row cover the regions that are part of the tick, and those that have no row
    /// yet.
    pub(crate) fn cover_touched(&mut self, sink: &dyn Sink) {
        let Some(tick) = &mut self.state.tick else { return };
        // All regions have their first row together.
        let first = self.scratch.covered.recorded.first();
        let begins = first.is_some_and(|own| self.state.regions[*own].last_row.is_none());
        if sink.is_joined() || begins || self.options.profile == Profile::Ptolemy {
            return self.scratch.covered.set_all();
        }
        self.scratch.covered.clear();
        for place in 0..tick.order_involved() {
            let region = tick.involved(place);
            if tick.region(region).touched {
                self.scratch.covered.add(region);
            }
        }
    }

    /// Calls a function for each region whose left limits must be in the buffer for the coming row,
    /// in order. If loops are solved these are all regions: a solution is the guess of the next
    /// one, and it must not depend on what is recorded or how.
    pub(crate) fn for_rows(
        &mut self,
        mut evaluate: impl FnMut(&mut Engine<'_>, RegionId) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        if self.scratch.covered.listed.len() > 1 {
            self.scratch.covered.listed.sort_unstable();
        }
        let all = !self.program.guesses.is_empty() || !self.scratch.besides.is_empty();
        let listed = |cover: &Cover, place: usize| {
            let list = if all { &cover.recorded } else { &cover.listed };
            list.get(place).copied()
        };
        let mut place = 0;
        while let Some(region) = listed(&self.scratch.covered, place) {
            place += 1;
            if self.program.regions[region].recorded {
                evaluate(self, region)?;
            }
        }
        Ok(())
    }

    /// Computes the recorded signals at a time between events; at the time of the last tick, what
    /// it has left behind.
    pub(crate) fn look(&mut self, time: Time) -> Result<(), RunError> {
        self.cover_all();
        self.for_rows(|run, region| run.evaluate(region, time))
    }

    /// The same for everything that moves, whether it is recorded or not.
    pub(crate) fn look_everywhere(&mut self, time: Time) -> Result<(), RunError> {
        let mut regions = self.program.regions.ids();
        regions.try_for_each(|region| self.evaluate(region, time))
    }

    /// Writes the rows of steps up to a time that all regions have reached. Returns whether these
    /// are all of them; an advance ends from time to time, so that its caller can stop the run.
    pub(crate) fn release_rows(
        &mut self,
        reached: Time,
        sink: &mut dyn Sink,
    ) -> Result<bool, RunError> {
        for _ in 0..ROWS_AT_ONCE {
            let before = (self.state.rows.on_grid, self.state.rows.on_list);
            let Some(due) = self.next_row(reached, sink) else { return Ok(true) };
            let DueRow { time, result, beside } = due;
            if !result {
                self.look_beside(time, beside, sink);
                continue;
            }
            if let Err(error) = self.for_rows(|run, region| run.evaluate(region, time)) {
                // If a state has an error transition for this, the row is made after all.
                (self.state.rows.on_grid, self.state.rows.on_list) = before;
                return Err(error);
            }
            self.write_row_for(Tag::new(time, 0), beside, sink);
            self.follow_solutions();
        }
        Ok(false)
    }

    /// Makes a row beside the result. Nothing of the run may depend on it: where solutions of loops
    /// are the guesses of others the buffer is put back, and a point without values has no row.
    #[inline(never)]
    fn look_beside(&mut self, time: Time, wanted: u64, sink: &mut dyn Sink) {
        let keeps = !self.program.guesses.is_empty();
        if keeps {
            self.scratch.unlooked.clone_from(&self.state.slots);
        }
        if self.for_rows(|run, region| run.evaluate(region, time)).is_ok() {
            self.write_beside(Tag::new(time, 0), wanted, sink);
        }
        if keeps {
            std::mem::swap(&mut self.scratch.unlooked, &mut self.state.slots);
        }
    }

    /// Takes the first time up to `reached` at which a row is due (after a step, on the grid, or on
    /// the list), and determines which regions it covers.
    fn next_row(&mut self, reached: Time, sink: &dyn Sink) -> Option<DueRow> {
        let rows = &self.options.rows;
        let listed = self.state.rows.on_list < rows.times.len();
        let alone = self.scratch.besides.is_empty();
        if rows.every.is_none() && !listed && self.state.rows.waiting.is_empty() && alone {
            return None;
        }
        if rows.every.is_none() && !listed && alone {
            return self.next_step_row(reached, sink);
        }
        let start = self.options.start;
        let place = self.state.rows.on_grid;
        let grid = rows.every.and_then(|every| match self.scratch.grid {
            Some((own, at, time)) if at == place && own == every => time,
            _ => {
                let time = Time::tick(start.to_rational(), every, place.into());
                self.scratch.grid = Some((every, place, time));
                time
            }
        });
        let list = rows.times.get(self.state.rows.on_list).copied();
        let step = self.state.rows.waiting.peek().map(|Reverse((time, _))| *time);
        let beside = self.scratch.besides.iter().flat_map(|own| own.next(start)).flatten().min();
        let times = [grid, list, step, beside].into_iter().flatten();
        let time = times.min().filter(|time| *time <= reached)?;
        let asked_for = grid == Some(time) || list == Some(time);
        self.state.rows.on_grid += u64::from(grid == Some(time));
        self.state.rows.on_list += usize::from(list == Some(time));
        let stepped = step == Some(time);
        let result = self.cover_steps(time, asked_for, sink);
        let mut beside = 0;
        for (bit, own) in self.scratch.besides.iter_mut().enumerate() {
            let due = own.pass(start, time) || stepped && own.has_steps();
            beside |= u64::from(due) << bit;
        }
        Some(DueRow { time, result, beside }).filter(|due| due.time >= start.time())
    }

    /// The next time at which a row is due whatever happens, of the result or beside it.
    pub(crate) fn next_due(&self) -> Option<Time> {
        let (rows, start) = (&self.options.rows, self.options.start);
        let tick = |every| Time::tick(start.to_rational(), every, self.state.rows.on_grid.into());
        let list = rows.times.get(self.state.rows.on_list).copied();
        let beside = self.scratch.besides.iter().flat_map(|own| own.next(start)).flatten();
        [rows.every.and_then(tick), list].into_iter().flatten().chain(beside).min()
    }

    /// The same if rows are due after steps only.
    #[inline]
    fn next_step_row(&mut self, reached: Time, sink: &dyn Sink) -> Option<DueRow> {
        let Reverse((time, _)) = *self.state.rows.waiting.peek()?;
        if time > reached {
            return None;
        }
        let result = self.cover_steps(time, false, sink);
        Some(DueRow { time, result, beside: 0 }).filter(|_| time >= self.options.start.time())
    }

    /// Takes the steps that end at a time, and makes the coming row cover their regions, or all
    /// regions if the model or the sink asks for that. Returns whether there is a row.
    #[inline]
    fn cover_steps(&mut self, time: Time, asked_for: bool, sink: &dyn Sink) -> bool {
        let covered = &mut self.scratch.covered;
        covered.clear();
        let (mut kept, mut watched) = (asked_for, false);
        while let Some(first) = self.state.rows.waiting.peek_mut()
            && first.0.0 == time
        {
            let Reverse((_, region)) = PeekMut::pop(first);
            kept |= self.options.rows.steps && covered.shown[region];
            watched |= self.program.regions[region].watched;
            covered.add(region);
        }
        let whole = sink.is_joined() || self.options.profile == Profile::Ptolemy;
        if asked_for || kept && whole {
            covered.set_all();
        }
        covered.kept = kept;
        if !kept && !watched {
            covered.clear();
        }
        kept || watched
    }

    /// Whether a row is due after each step of a region with recorded signals.
    pub(crate) fn has_step_rows(&self) -> bool {
        self.options.rows.steps || self.scratch.besides.iter().any(Beside::has_steps)
    }

    /// Passes a row to those beside the result that want it.
    fn write_beside(&mut self, tag: Tag, wanted: u64, sink: &mut dyn Sink) {
        let (slots, records) = (&self.state.slots, &self.program.records);
        sink.beside(Row::new(tag, slots, records, &self.scratch.covered.records), wanted);
    }

    /// Passes the row to the sink, without the regions whose row of this tag has been written.
    pub(crate) fn write_row(&mut self, tag: Tag, sink: &mut dyn Sink) {
        self.write_row_for(tag, ALL_BESIDE, sink);
    }

    /// The regions that the coming row covers.
    pub(crate) fn covered(&self) -> &[RegionId] {
        &self.scratch.covered.listed
    }

    /// Lets the covered regions know of their last row.
    pub(crate) fn note_covered(&mut self, tag: Tag) {
        for region in &self.scratch.covered.listed {
            self.state.regions[*region].last_row = Some(tag);
        }
    }

    /// Passes a row of all covered regions to the sink; each of them has had none at this tag, and is
    /// yet to be let know of it.
    #[inline]
    pub(crate) fn pass_row(&mut self, tag: Tag, sink: &mut dyn Sink) {
        self.state.tag = tag;
        let (slots, records) = (&self.state.slots[..], &self.program.records[..]);
        let covered = &self.scratch.covered.regions;
        let among = Some(self.scratch.covered.listed.as_slice());
        sink.row(Row { tag, slots, records, covered, among, kept: true, fired: &[] });
    }

    /// The same, and to those beside the result that want it.
    fn write_row_for(&mut self, tag: Tag, beside: u64, sink: &mut dyn Sink) {
        self.state.tag = tag;
        let records = &self.program.records;
        let mut any = false;
        let kept = self.scratch.covered.kept;
        for region in self.scratch.covered.listed.iter().copied() {
            let last = &mut self.state.regions[region].last_row;
            let covered = &mut self.scratch.covered.regions[region];
            *covered &= last.is_none_or(|last| last < tag);
            if *covered {
                any = true;
                // A row that is not part of the result does not take the place of one that is.
                *last = if kept { Some(tag) } else { *last };
            }
        }
        if any && self.scratch.rounds.is_some() {
            self.keep_tick(tag);
        }
        if any {
            let covered = &self.scratch.covered.regions;
            let among = Some(self.scratch.covered.listed.as_slice());
            let fired = self.state.tick.as_ref().map_or(&[][..], |tick| &tick.fired);
            sink.row(Row { tag, slots: &self.state.slots, records, covered, among, kept, fired });
        } else {
            sink.no_row(tag);
        }
        if !self.scratch.besides.is_empty() {
            self.write_beside(tag, beside, sink);
        }
    }
}
