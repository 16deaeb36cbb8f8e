//! A bounded number of rows, held by columns.
//!
//! Writers gather rows here until a file takes them; readers do the way back. A lane keeps the
//! elements of the rows in which it is present, and for each row whether it is: the layout that
//! Parquet wants, so that a chunk goes there without being copied.

use base::Tag;

use crate::Schema;

/// Rows by columns.
pub(crate) struct Chunk {
    tags: Vec<Tag>,
    lanes: Vec<Lane>,
}

/// The values of a column or its impulses of one order.
#[derive(Default)]
pub(crate) struct Lane {
    /// For each row 1 where it is present, else 0.
    pub levels: Vec<i16>,
    /// For each element its values in the rows where it is present.
    pub elements: Vec<Vec<f64>>,
}

impl Chunk {
    /// An empty chunk with room for `rows` rows.
    pub fn new(schema: &Schema, rows: usize) -> Chunk {
        let lane = |lane| {
            let length = schema.lane_type(lane).len();
            // Impulses are rare: their lanes grow when they come.
            let room = if lane.order.is_none() { rows } else { 0 };
            let elements = (0..length).map(|_| Vec::with_capacity(room)).collect();
            Lane { levels: Vec::with_capacity(rows), elements }
        };
        Chunk { tags: Vec::with_capacity(rows), lanes: schema.lanes().map(lane).collect() }
    }

    /// Adds a row, whose lanes the function gives in the order of the schema's.
    pub fn push<'v>(
        &mut self,
        tag: Tag,
        orders: &[usize],
        value: impl Fn(usize) -> Option<&'v [f64]>,
        impulse: impl Fn(usize, usize) -> Option<&'v [f64]>,
    ) {
        self.tags.push(tag);
        let mut lanes = self.lanes.iter_mut();
        let mut push = |value| lanes.next().expect("a lane for each part").push(value);
        for (column, orders) in orders.iter().enumerate() {
            push(value(column));
            for order in 0..*orders {
                push(impulse(column, order));
            }
        }
    }

    /// Forgets the rows and keeps the room.
    pub fn clear(&mut self) {
        self.tags.clear();
        for lane in &mut self.lanes {
            lane.levels.clear();
            lane.elements.iter_mut().for_each(Vec::clear);
        }
    }

    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    pub fn len(&self) -> usize {
        self.tags.len()
    }

    pub fn tags_mut(&mut self) -> &mut Vec<Tag> {
        &mut self.tags
    }

    pub fn lanes_mut(&mut self) -> &mut [Lane] {
        &mut self.lanes
    }

    /// A place at the first row of each lane.
    pub fn cursors(&self) -> Vec<Cursor<'_>> {
        self.lanes.iter().map(|lane| Cursor { lane, row: 0, stored: 0 }).collect()
    }
}

impl Lane {
    #[inline]
    pub fn push(&mut self, value: Option<&[f64]>) {
        self.levels.push(value.is_some().into());
        if let Some(value) = value {
            assert_eq!(value.len(), self.elements.len(), "the type of a column says its length");
            for (element, value) in self.elements.iter_mut().zip(value) {
                element.push(*value);
            }
        }
    }
}

/// A walk along the rows of a lane.
pub(crate) struct Cursor<'a> {
    lane: &'a Lane,
    row: usize,
    stored: usize,
}

impl<'a> Cursor<'a> {
    /// The elements of the next row, or nothing where the lane is absent.
    pub fn next(&mut self) -> Option<impl Iterator<Item = f64> + use<'a>> {
        self.row += 1;
        if !self.was_present() {
            return None;
        }
        self.stored += 1;
        let (lane, at) = (self.lane, self.stored - 1);
        Some(lane.elements.iter().map(move |element| element[at]))
    }

    /// Whether the row that was last asked for was present.
    pub fn was_present(&self) -> bool {
        self.lane.levels[self.row - 1] != 0
    }

    /// The number of elements.
    pub fn width(&self) -> usize {
        self.lane.elements.len()
    }
}
