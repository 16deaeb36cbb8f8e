//! Rows of the result: which regions have one at a tag, and what it says.
//!
//! A region has a row at its own steps and at the microsteps of the ticks that reach it, and all of
//! them at the start, at the end, and at the times that the model asks for. Where the sink wants
//! rows joined, every row covers every region; those that have none of their own there are read
//! from their dense output.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::{Tag, Time};
use program::tape::Slot;
use program::{Program, RecordSlots};

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::snapshot::clone_reusing;
use crate::{Event, RunError};

/// How many rows between events an advance writes at most.
const ROWS_AT_ONCE: u32 = 1024;

/// One row of the result: recorded signals at a tag.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The tag.
    pub tag: Tag,
    slots: &'a [f64],
    records: &'a [RecordSlots],
    covered: &'a [bool],
    /// The regions among which those are that it covers, where these are not just all.
    among: Option<&'a [u32]>,
}

impl<'a> Row<'a> {
    pub(crate) fn new(
        tag: Tag,
        slots: &'a [f64],
        records: &'a [RecordSlots],
        covered: &'a [bool],
    ) -> Row<'a> {
        Row { tag, slots, records, covered, among: None }
    }

    /// Whether the row tells about a recorded signal. One of a region that did not step here, and
    /// that nothing happened to, has no row, which is not the same as being absent.
    #[inline]
    pub fn covers(&self, record: usize) -> bool {
        self.covered[self.records[record].region.index()]
    }

    /// The regions that the row covers, where it may be a few of many; nothing where all have to be
    /// asked for. A region that is not covered after all may be among them.
    pub fn regions(&self) -> Option<&'a [u32]> {
        self.among
    }

    /// The region of a recorded signal.
    pub fn region_of(&self, record: usize) -> usize {
        self.records[record].region.index()
    }

    /// Value of a recorded signal that the row covers, or nothing where it is absent.
    #[inline]
    pub fn value(&self, record: usize) -> Option<&'a [f64]> {
        let cells = &self.records[record];
        let from = cells.value as usize;
        (self.slots[cells.present as usize] != 0.0)
            .then(|| &self.slots[from..from + cells.ty.len()])
    }

    /// Whether a recorded signal has coefficients of impulses, which may be zero.
    #[inline]
    pub fn may_carry_impulses(&self, record: usize) -> bool {
        !self.records[record].impulses.is_empty()
    }

    /// The coefficients of the impulses of a recorded signal, order by order.
    #[inline]
    pub fn impulses(&self, record: usize) -> impl Iterator<Item = &'a [f64]> {
        let cells = &self.records[record];
        let (slots, length) = (self.slots, cells.ty.len());
        let at = move |slot: &Slot| &slots[*slot as usize..*slot as usize + length];
        cells.impulses.iter().map(at)
    }

    /// The whole buffer, and for each region whether the row covers it.
    pub(crate) fn all(&self) -> (&'a [f64], &'a [bool]) {
        (self.slots, self.covered)
    }

    /// How many signals are recorded.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

/// Takes the rows of a run.
pub trait Sink {
    /// A row, in the order of tags.
    fn row(&mut self, row: Row<'_>);

    /// A tag without a row, because nothing that is recorded was part of it or has no row yet.
    fn no_row(&mut self, _tag: Tag) {}

    /// Whether every row is to cover all signals; otherwise a row covers the regions that stepped
    /// or that something happened to.
    fn is_joined(&self) -> bool {
        true
    }

    /// Whether it wants to know what happens at ticks.
    fn listens(&self) -> bool {
        false
    }

    /// Something that happened; only where it listens.
    fn event(&mut self, _event: Event) {}
}

/// Which rows are to be written next.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct RowQueue {
    /// Steps whose rows wait for slower regions: their times and the regions, the first on top.
    pub waiting: BinaryHeap<Reverse<(Time, u32)>>,
    /// How many rows of the grid and of the list have been written or passed.
    pub on_grid: u64,
    pub on_list: usize,
}

clone_reusing!(RowQueue { waiting, on_grid, on_list });

/// The regions that a row covers. Only those with something that is recorded are ever asked for.
#[derive(Debug)]
pub(crate) struct Cover {
    /// For each region, whether the row covers it.
    regions: Vec<bool>,
    /// Those that it covers, or did.
    listed: Vec<u32>,
    /// The regions with something that is recorded, or all of them where nothing is.
    recorded: Vec<u32>,
    records: Vec<bool>,
}

impl Cover {
    pub fn new(program: &Program) -> Cover {
        let nothing = program.records.is_empty();
        let mut records: Vec<bool> =
            program.regions.iter().map(|region| region.recorded || nothing).collect();
        program.records.iter().for_each(|record| records[record.region.index()] = true);
        let count = records.len() as u32;
        let recorded = (0..count).filter(|region| records[*region as usize]).collect();
        Cover { regions: vec![false; records.len()], listed: Vec::new(), recorded, records }
    }

    /// Whether something of a region is recorded.
    pub fn records(&self, region: usize) -> bool {
        self.records[region]
    }

    fn clear(&mut self) {
        for region in self.listed.drain(..) {
            self.regions[region as usize] = false;
        }
    }

    fn add(&mut self, region: u32) {
        let covered = &mut self.regions[region as usize];
        if self.records[region as usize] && !std::mem::replace(covered, true) {
            self.listed.push(region);
        }
    }

    fn add_all(&mut self) {
        for place in 0..self.recorded.len() {
            self.add(self.recorded[place]);
        }
    }

    pub fn remove(&mut self, region: usize) {
        self.regions[region] = false;
    }
}

impl Engine<'_> {
    /// The coming row covers every region.
    pub(crate) fn cover_all(&mut self) {
        self.scratch.covered.clear();
        self.scratch.covered.add_all();
    }

    /// The coming row covers the regions that are part of the tick, and those that have none yet.
    pub(crate) fn cover_touched(&mut self, sink: &dyn Sink) {
        let Some(tick) = &mut self.state.tick else { return };
        // All regions have their first row together.
        let first = self.scratch.covered.recorded.first();
        let begins = first.is_some_and(|own| self.state.regions[*own as usize].last_row.is_none());
        self.scratch.covered.clear();
        if sink.is_joined() || begins {
            return self.scratch.covered.add_all();
        }
        for place in 0..tick.order_involved() {
            let region = tick.involved(place);
            if tick.region(region).touched {
                self.scratch.covered.add(region as u32);
            }
        }
    }

    /// Does something for each region whose left limits must be in the buffer for the coming row, in
    /// their order. Where loops are solved these are all regions: a solution is the guess of the
    /// next, and what is recorded in which way must not change it.
    pub(crate) fn for_rows(
        &mut self,
        mut evaluate: impl FnMut(&mut Engine<'_>, usize) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        if self.scratch.covered.listed.len() > 1 {
            self.scratch.covered.listed.sort_unstable();
        }
        let all = !self.program.guesses.is_empty();
        let listed = |cover: &Cover, place: usize| {
            let list = if all { &cover.recorded } else { &cover.listed };
            list.get(place).map(|region| *region as usize)
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

    /// Writes the rows of steps up to a time that all regions have reached. Says whether these are
    /// all; those who drive a run are asked from time to time whether they want more.
    pub(crate) fn release_rows(
        &mut self,
        reached: Time,
        sink: &mut dyn Sink,
    ) -> Result<bool, RunError> {
        for _ in 0..ROWS_AT_ONCE {
            let before = (self.state.rows.on_grid, self.state.rows.on_list);
            let Some(time) = self.next_row(reached, sink) else { return Ok(true) };
            if let Err(error) = self.for_rows(|run, region| run.evaluate(region, time)) {
                // Where a state has a way out of this, the row is made after all.
                (self.state.rows.on_grid, self.state.rows.on_list) = before;
                return Err(error);
            }
            self.write_row(Tag::new(time, 0), sink);
            self.follow_solutions();
        }
        Ok(false)
    }

    /// Takes the first time up to `reached` at which a row is wanted: after a step, on the grid, or
    /// on the list; and says which regions it covers.
    fn next_row(&mut self, reached: Time, sink: &dyn Sink) -> Option<Time> {
        let rows = &self.options.rows;
        let listed = self.state.rows.on_list < rows.times.len();
        if rows.every.is_none() && !listed && self.state.rows.waiting.is_empty() {
            return None;
        }
        let start = self.options.start;
        let tick = |every| Time::tick(start.to_rational(), every, self.state.rows.on_grid.into());
        let grid = rows.every.and_then(tick);
        let list = rows.times.get(self.state.rows.on_list).copied();
        let step = self.state.rows.waiting.peek().map(|Reverse((time, _))| *time);
        let time =
            [grid, list, step].into_iter().flatten().min().filter(|time| *time <= reached)?;
        let asked_for = grid == Some(time) || list == Some(time);
        self.state.rows.on_grid += u64::from(grid == Some(time));
        self.state.rows.on_list += usize::from(list == Some(time));
        self.scratch.covered.clear();
        if asked_for || sink.is_joined() {
            self.scratch.covered.add_all();
        }
        while let Some(Reverse((_, region))) =
            self.state.rows.waiting.peek().copied().filter(|Reverse(step)| step.0 == time)
        {
            self.scratch.covered.add(region);
            self.state.rows.waiting.pop();
        }
        Some(time).filter(|time| *time >= self.options.start.time())
    }

    /// Hands the row to the sink, less the regions whose row of this tag has been written.
    pub(crate) fn write_row(&mut self, tag: Tag, sink: &mut dyn Sink) {
        self.state.tag = tag;
        let records = &self.program.records;
        let mut tells = false;
        for region in self.scratch.covered.listed.iter().map(|region| *region as usize) {
            let last = &mut self.state.regions[region].last_row;
            let covered = &mut self.scratch.covered.regions[region];
            *covered &= last.is_none_or(|last| last < tag);
            if *covered {
                (*last, tells) = (Some(tag), true);
            }
        }
        if tells {
            let covered = &self.scratch.covered.regions;
            let among = Some(self.scratch.covered.listed.as_slice());
            sink.row(Row { tag, slots: &self.state.slots, records, covered, among });
        } else {
            sink.no_row(tag);
        }
    }
}
