//! Rows of the result: which regions have one at a tag, and what it says.
//!
//! A region has a row at its own steps and at the microsteps of the ticks that reach it, and all of
//! them at the start, at the end, and at the times that the model asks for. Where the sink wants
//! rows joined, every row covers every region; those that have none of their own there are read
//! from their dense output.

use base::{Tag, Time};
use ir::Slot;
use program::RecordCells;

use crate::simulation::Simulation;
use crate::{Event, RunError};

/// One row of the result: recorded signals at a tag.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The tag.
    pub tag: Tag,
    slots: &'a [f64],
    records: &'a [RecordCells],
    covered: &'a [bool],
}

impl<'a> Row<'a> {
    pub(crate) fn new(
        tag: Tag,
        slots: &'a [f64],
        records: &'a [RecordCells],
        covered: &'a [bool],
    ) -> Row<'a> {
        Row { tag, slots, records, covered }
    }

    /// Whether the row tells about a recorded signal. One of a region that did not step here, and
    /// that nothing happened to, has no row, which is not the same as being absent.
    #[inline]
    pub fn covers(&self, record: usize) -> bool {
        self.covered[self.records[record].region.index()]
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

impl Simulation {
    /// The coming row covers every region.
    pub(crate) fn cover_all(&mut self) {
        self.covered.fill(true);
    }

    /// The coming row covers the regions that are part of the tick, and those that have none yet.
    pub(crate) fn cover_touched(&mut self, sink: &dyn Sink) {
        let Some(tick) = &self.s.tick else { return };
        if sink.is_joined() {
            return self.covered.iter_mut().for_each(|covered| *covered = true);
        }
        let regions = self.s.regions.iter().zip(&tick.regions);
        for (covered, (state, tick)) in self.covered.iter_mut().zip(regions) {
            *covered = state.last_row.is_none() || tick.touched;
        }
    }

    /// Whether the left limits of a region must be in the buffer for the coming row. Where loops
    /// are solved, all of them: a solution is the guess of the next, and what is recorded in which
    /// way must not change it.
    pub(crate) fn is_evaluated_for_rows(&self, region: usize) -> bool {
        let wanted = self.covered[region] || !self.program.guesses.is_empty();
        wanted && self.program.regions[region].recorded
    }

    /// Writes the rows of steps up to a time that all regions have reached.
    pub(crate) fn release_rows(
        &mut self,
        reached: Time,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        loop {
            let before = (self.s.on_grid, self.s.on_list);
            let Some(time) = self.next_row(reached, sink) else { return Ok(()) };
            for region in 0..self.s.regions.len() {
                if self.is_evaluated_for_rows(region)
                    && let Err(error) = self.evaluate(region, time)
                {
                    // Where a state has a way out of this, the row is made after all.
                    (self.s.on_grid, self.s.on_list) = before;
                    return Err(error);
                }
            }
            self.write_row(Tag::new(time, 0), sink);
            self.follow_solutions();
        }
    }

    /// Takes the first time up to `reached` at which a row is wanted: after a step, on the grid, or
    /// on the list; and says which regions it covers.
    fn next_row(&mut self, reached: Time, sink: &dyn Sink) -> Option<Time> {
        let rows = &self.options.rows;
        let listed = self.s.on_list < rows.times.len();
        if rows.every.is_none() && !listed && self.s.waiting.is_empty() {
            return None;
        }
        let start = self.options.start;
        let tick = |every| Time::tick(start.to_rational(), every, self.s.on_grid.into());
        let grid = rows.every.and_then(tick);
        let list = rows.times.get(self.s.on_list).copied();
        let step = self.s.waiting.first().map(|(time, _)| *time);
        let time =
            [grid, list, step].into_iter().flatten().min().filter(|time| *time <= reached)?;
        let asked_for = grid == Some(time) || list == Some(time);
        self.s.on_grid += u64::from(grid == Some(time));
        self.s.on_list += usize::from(list == Some(time));
        self.covered.fill(asked_for || sink.is_joined());
        while let Some((_, region)) = self.s.waiting.first().filter(|step| step.0 == time) {
            self.covered[*region as usize] = true;
            self.s.waiting.remove(0);
        }
        Some(time).filter(|time| *time >= self.options.start.time())
    }

    /// Hands the row to the sink, less the regions whose row of this tag has been written.
    pub(crate) fn write_row(&mut self, tag: Tag, sink: &mut dyn Sink) {
        self.s.tag = tag;
        let records = &self.program.records;
        let regions = self.s.regions.iter_mut().zip(&self.program.regions);
        let mut tells = false;
        for ((region, program), covered) in regions.zip(&mut self.covered) {
            *covered &= region.last_row.is_none_or(|last| last < tag);
            if *covered {
                region.last_row = Some(tag);
                tells |= program.recorded || records.is_empty();
            }
        }
        if tells {
            sink.row(Row { tag, slots: &self.s.slots, records, covered: &self.covered });
        } else {
            sink.no_row(tag);
        }
    }
}
