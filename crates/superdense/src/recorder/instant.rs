//! One row for all microsteps of an instant.
//!
//! A signal has the value of the last microstep at which it is present, so that an event that is
//! gone by the last one still shows. Its impulses are summed order by order: as distributions they
//! act at one time, and their sum is what the instant contributes to an integral.

use base::{Tag, Time};
use serde::{Deserialize, Serialize};
use trace::Schema;

use super::Said;

/// The microsteps of an instant merged so far. Its memory is allocated once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct InstantRow {
    /// The last microstep; `None` if there has been none.
    tag: Option<Tag>,
    columns: Vec<Cells>,
    /// For each column its elements, then the coefficients of its impulses, order by order.
    numbers: Vec<f64>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Cells {
    from: usize,
    length: usize,
    orders: usize,
    covered: bool,
    present: bool,
}

impl InstantRow {
    pub fn new(schema: &Schema) -> InstantRow {
        let mut from = 0;
        let mut cells = |length: usize, orders: usize| {
            let cells = Cells { from, length, orders, covered: false, present: false };
            from += length * (1 + orders);
            cells
        };
        let columns = schema.columns().iter().zip(schema.orders());
        let columns = columns.map(|(column, orders)| cells(column.ty.len(), *orders)).collect();
        InstantRow { tag: None, columns, numbers: vec![0.0; from] }
    }

    /// Whether a microstep has been merged.
    pub fn is_open(&self) -> bool {
        self.tag.is_some()
    }

    pub fn is_at(&self, time: Time) -> bool {
        self.tag.is_some_and(|tag| tag.time == time)
    }

    /// Whether it covers every column.
    pub fn is_whole(&self) -> bool {
        self.columns.iter().all(|cells| cells.covered)
    }

    /// Merges the row of a microstep.
    pub(super) fn merge(&mut self, row: &impl Said) {
        self.tag = Some(row.tag());
        for (column, cells) in self.columns.iter_mut().enumerate() {
            if !row.covers(column) {
                continue;
            }
            cells.covered = true;
            if let Some(value) = row.value(column) {
                cells.present = true;
                self.numbers[cells.from..cells.from + cells.length].copy_from_slice(value);
            }
            if cells.orders > 0 {
                let weights = &mut self.numbers[cells.from + cells.length..];
                let sums = weights.chunks_exact_mut(cells.length.max(1));
                for (order, sum) in (0..row.orders(column)).zip(sums) {
                    let weight = row.impulse(column, order).unwrap_or_default();
                    sum.iter_mut().zip(weight).for_each(|(sum, weight)| *sum += weight);
                }
            }
        }
    }

    /// Advances to a microstep without a row.
    pub fn reach(&mut self, tag: Tag) {
        self.tag = Some(tag);
    }

    /// Clears everything for the next instant.
    pub fn close(&mut self) {
        self.tag = None;
        for cells in &mut self.columns {
            (cells.covered, cells.present) = (false, false);
            let weights = cells.from + cells.length..cells.from + cells.length * (1 + cells.orders);
            self.numbers[weights].fill(0.0);
        }
    }
}

impl Said for InstantRow {
    fn tag(&self) -> Tag {
        self.tag.expect("a row that is kept has been begun")
    }

    #[inline]
    fn covers(&self, column: usize) -> bool {
        self.columns[column].covered
    }

    #[inline]
    fn value(&self, column: usize) -> Option<&[f64]> {
        let cells = &self.columns[column];
        cells.present.then(|| &self.numbers[cells.from..cells.from + cells.length])
    }

    #[inline]
    fn orders(&self, column: usize) -> usize {
        self.columns[column].orders
    }

    fn impulse(&self, column: usize, order: usize) -> Option<&[f64]> {
        let cells = &self.columns[column];
        let from = cells.from + cells.length * (1 + order);
        (order < cells.orders).then(|| &self.numbers[from..from + cells.length])
    }
}
