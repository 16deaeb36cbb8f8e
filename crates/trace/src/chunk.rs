//! A bounded number of rows, stored by column.
//!
//! Writers collect rows here until a file takes them; readers do the reverse. A lane keeps the
//! elements of the rows in which it is present, and for each row whether it is present. This is the
//! layout that Parquet needs, so a chunk is written without being copied.

use base::Tag;

use crate::Schema;

/// Rows, stored by column.
pub(crate) struct Chunk {
    tags: Vec<Tag>,
    /// The table of each row.
    tables: Vec<u32>,
    lanes: Vec<Lane>,
}

/// The values of a column or its impulses of one order.
#[derive(Default)]
pub(crate) struct Lane {
    /// The number of rows of its table.
    rows: usize,
    /// For each row 1 if it is present, else 0; empty if it is present in all rows, as most lanes
    /// are.
    levels: Vec<i16>,
    /// For each element, its values in the rows in which the lane is present.
    pub elements: Vec<Vec<f64>>,
}

impl Chunk {
    /// An empty chunk with room for `rows` rows.
    pub fn new(schema: &Schema, rows: usize) -> Chunk {
        let lane = |lane| {
            let length = schema.lane_type(lane).len();
            // Impulses are rare: their lanes grow on demand.
            let room = if lane.order.is_none() { rows } else { 0 };
            let elements = (0..length).map(|_| Vec::with_capacity(room)).collect();
            Lane { elements, ..Lane::default() }
        };
        let (tags, tables) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        Chunk { tags, tables, lanes: schema.lanes().map(lane).collect() }
    }

    /// Adds a row of a table: its lanes, each with its elements or absent.
    #[inline]
    pub fn push<'v>(
        &mut self,
        tag: Tag,
        table: usize,
        lanes: impl Iterator<Item = (usize, Option<&'v [f64]>)>,
    ) {
        self.tags.push(tag);
        self.tables.push(table as u32);
        for (lane, value) in lanes {
            self.lanes[lane].push(value);
        }
    }

    /// Removes the rows and keeps the capacity.
    pub fn clear(&mut self) {
        self.tags.clear();
        self.tables.clear();
        for lane in &mut self.lanes {
            lane.rows = 0;
            lane.levels.clear();
            lane.elements.iter_mut().for_each(Vec::clear);
        }
    }

    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// The table of each row.
    pub fn tables(&self) -> &[u32] {
        &self.tables
    }

    /// The tag and the table of each row.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = (Tag, usize)> + '_ {
        self.tags.iter().copied().zip(self.tables.iter().map(|table| *table as usize))
    }

    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Adds the tag of a row of a table, whose lanes are set separately.
    pub fn push_tag(&mut self, tag: Tag, table: u32) {
        self.tags.push(tag);
        self.tables.push(table);
    }

    pub fn lanes_mut(&mut self) -> &mut [Lane] {
        &mut self.lanes
    }

    /// A cursor at the first row of each lane.
    pub fn cursors(&self) -> Vec<Cursor<'_>> {
        self.lanes.iter().map(|lane| Cursor { lane, row: 0, stored: 0 }).collect()
    }
}

impl Lane {
    #[inline]
    pub fn push(&mut self, value: Option<&[f64]>) {
        match value {
            None => self.push_absent(),
            Some(value) => {
                let length = self.elements.len();
                assert_eq!(value.len(), length, "the type of a column says its length");
                for (element, value) in self.elements.iter_mut().zip(value) {
                    element.push(*value);
                }
                self.rows += 1;
                if !self.levels.is_empty() {
                    self.levels.push(1);
                }
            }
        }
    }

    fn push_absent(&mut self) {
        if self.levels.is_empty() {
            self.levels.resize(self.rows, 1);
        }
        self.levels.push(0);
        self.rows += 1;
    }

    /// Sets in which rows of its table the lane is present.
    pub fn set_levels(&mut self, levels: Vec<i16>) {
        (self.rows, self.levels) = (levels.len(), levels);
    }

    /// For each row of its table 1 if the lane is present, else 0; `None` if it is present in all.
    pub fn levels(&self) -> Option<&[i16]> {
        (!self.levels.is_empty()).then_some(&self.levels)
    }

    fn is_present(&self, row: usize) -> bool {
        self.levels.is_empty() || self.levels[row] != 0
    }

    /// The elements of the last row in which the lane is present, and how many rows of its table
    /// follow.
    pub fn last(&self) -> Option<(usize, Vec<f64>)> {
        let row = (0..self.rows).rev().find(|row| self.is_present(*row))?;
        let elements = self.elements.iter().filter_map(|element| element.last().copied());
        Some((self.rows - 1 - row, elements.collect()))
    }
}

/// Walks along the rows of a lane, which are those of its table.
pub(crate) struct Cursor<'a> {
    lane: &'a Lane,
    row: usize,
    stored: usize,
}

impl<'a> Cursor<'a> {
    /// The elements of the next row, or `None` if the lane is absent.
    pub fn next(&mut self) -> Option<impl Iterator<Item = f64> + use<'a>> {
        self.row += 1;
        if !self.was_present() {
            return None;
        }
        self.stored += 1;
        let (lane, at) = (self.lane, self.stored - 1);
        Some(lane.elements.iter().map(move |element| element[at]))
    }

    /// Whether the lane was present in the row last returned.
    pub fn was_present(&self) -> bool {
        self.lane.is_present(self.row - 1)
    }

    /// The number of elements.
    pub fn width(&self) -> usize {
        self.lane.elements.len()
    }
}
