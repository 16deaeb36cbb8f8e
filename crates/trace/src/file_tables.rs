//! The tables of a file as they are read, and how they are joined.
//!
//! In the joined view every signal has a value at every tag. If its own table has no row there, the
//! value is interpolated linearly between its own rows, since nothing more is known, and marked as
//! filled in.

use base::{Elem, Tag, Time};

use crate::chunk::Chunk;
use crate::layout::{Kind, Layout, Table};
use crate::number::seconds;
use crate::schema::LaneId;
use crate::{Column, Header, Impulse, Schema, Trace};

/// The tables of a file.
pub(crate) struct FileTables {
    header: Header,
    schema: Schema,
    layout: Layout,
    tables: Vec<Trace>,
}

impl FileTables {
    pub fn new(schema: Schema, header: Header) -> FileTables {
        let layout = Layout::of(&schema);
        let table = |table: &Table| {
            if !layout.is_divided() {
                return Trace::with_schema(schema.clone());
            }
            let columns: Vec<Column> =
                table.columns.iter().map(|c| schema.columns()[*c].clone()).collect();
            let orders = |column: &usize| match table.kind {
                Kind::Impulses => schema.orders()[*column],
                _ => 0,
            };
            let orders = table.columns.iter().map(orders).collect();
            Trace::with_schema(Schema::new(columns).with_orders(orders))
        };
        let tables = layout.tables.iter().map(table).collect();
        FileTables { header, schema, layout, tables }
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The schema and layout of a table, and the table to add a row to.
    pub fn table_mut(&mut self, table: usize) -> (&Schema, &Table, &mut Trace) {
        (&self.schema, &self.layout.tables[table], &mut self.tables[table])
    }

    /// The number of rows of all tables.
    pub fn rows(&self) -> usize {
        self.tables.iter().map(Trace::len).sum()
    }

    /// Adds all rows of a chunk.
    pub fn append(&mut self, chunk: &Chunk) {
        let ids: Vec<LaneId> = self.schema.lanes().collect();
        let mut cursors = chunk.cursors();
        for (tag, table) in chunk.rows() {
            let (layout, trace) = (&self.layout.tables[table], &mut self.tables[table]);
            trace.push_tag(tag);
            if layout.kind == Kind::Impulses {
                (0..layout.columns.len()).for_each(|column| trace.push_absent(column));
            }
            let mut column = 0;
            for lane in &layout.lanes {
                while layout.columns[column] != ids[*lane].column {
                    column += 1;
                }
                match (ids[*lane].order, cursors[*lane].next()) {
                    (None, Some(value)) => trace.push_present(value),
                    (None, None) => trace.push_absent(column),
                    (Some(order), Some(weight)) => {
                        let weight = weight.collect();
                        trace.push_impulse(Impulse { tag, column, order, weight });
                    }
                    (Some(_), None) => {}
                }
            }
        }
    }

    /// The tables with their names.
    pub fn separate(self) -> Vec<(String, Trace)> {
        let names = self.layout.tables.into_iter().map(|table| table.name);
        names
            .zip(self.tables)
            .map(|(name, mut table)| {
                table.set_header(self.header.clone());
                (name, table)
            })
            .collect()
    }

    /// One table with every signal at every tag.
    pub fn join(mut self) -> Trace {
        if !self.layout.is_divided() {
            let mut only = self.tables.remove(0);
            only.set_header(self.header);
            return only;
        }
        let mut joined = Trace::with_schema(self.schema.clone());
        joined.set_header(self.header.clone());
        let (places, mut between) = (self.places(), Vec::new());
        let mut next = vec![0; self.tables.len()];
        while let Some(tag) = self.first_tag(&next) {
            joined.push_tag(tag);
            for (column, (table, place)) in places.iter().enumerate() {
                match self.cell(*table, *place, next[*table], tag, &mut between) {
                    Cell::Absent => joined.push_absent(column),
                    Cell::Own(value) => joined.push_present(value.iter().copied()),
                    Cell::Filled => joined.push_filled(&between),
                }
            }
            for (table, next) in self.tables.iter().zip(&mut next) {
                *next += usize::from(table.tags().get(*next) == Some(&tag));
            }
        }
        for (table, layout) in self.tables.iter().zip(&self.layout.tables) {
            for impulse in table.impulses() {
                let column = layout.columns[impulse.column];
                joined.push_impulse(Impulse { column, ..impulse.clone() });
            }
        }
        joined
    }

    /// For each column, its table and its index there.
    fn places(&self) -> Vec<(usize, usize)> {
        let mut places = vec![(0, 0); self.schema.columns().len()];
        for (index, table) in self.layout.tables.iter().enumerate() {
            if table.kind != Kind::Impulses {
                table.columns.iter().enumerate().for_each(|(at, c)| places[*c] = (index, at));
            }
        }
        places
    }

    /// The first remaining tag; that of an impulse alone is not a row.
    fn first_tag(&self, next: &[usize]) -> Option<Tag> {
        let kinds = self.layout.tables.iter().map(|table| table.kind);
        let tables = self.tables.iter().zip(next).zip(kinds);
        tables
            .filter(|(_, kind)| *kind != Kind::Impulses)
            .filter_map(|((table, next), _)| table.tags().get(*next).copied())
            .min()
    }

    /// The content of one of a table's columns at a tag, if its next row is `next`; a value between
    /// two rows is stored in `between`.
    fn cell(
        &self,
        table: usize,
        column: usize,
        next: usize,
        tag: Tag,
        between: &mut Vec<f64>,
    ) -> Cell<'_> {
        let rows = &self.tables[table];
        let after = rows.tags().get(next).copied();
        if after == Some(tag) {
            return rows.get(next, column).map_or(Cell::Absent, Cell::Own);
        }
        if self.layout.tables[table].kind == Kind::Events || rows.is_empty() {
            return Cell::Absent;
        }
        let left = next.saturating_sub(1);
        let Some(value) = rows.get(left, column) else { return Cell::Absent };
        between.clear();
        between.extend_from_slice(value);
        let is_smooth = rows.columns()[column].ty.elem == Elem::Real;
        let right = after.and_then(|after| Some((after, rows.get(next, column)?)));
        if let Some((after, right)) = right.filter(|_| is_smooth && left < next) {
            let part = part_of(rows.tags()[left].time, tag.time, after.time);
            let ends = between.iter_mut().zip(right);
            ends.for_each(|(value, right)| *value += part * (*right - *value));
        }
        Cell::Filled
    }
}

/// The position of a time between two others, as a fraction.
fn part_of(from: Time, at: Time, to: Time) -> f64 {
    if from == to { 0.0 } else { seconds(at - from) / seconds(to - from) }
}

/// The content of a column of the joined view at a tag.
enum Cell<'a> {
    Absent,
    /// The table of the column has a row here.
    Own(&'a [f64]),
    /// It has none here, but rows on both sides.
    Filled,
}
