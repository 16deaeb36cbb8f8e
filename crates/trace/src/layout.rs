//! Determines which table of a file each part of a row goes to.
//!
//! A schema without tables has one table with everything: the joined view. Otherwise the signals of
//! each region that steps separately have a table, whose rows are those of that region. Signals
//! that consist only of events share the table `events`, with a row whenever one of them is
//! present, and the coefficients of impulses are in the table `impulses`.

use std::collections::HashMap;

use base::Tag;

use crate::Schema;
use crate::chunk::Chunk;
use crate::schema::LaneId;

/// The name of the only table of a schema without tables.
pub(crate) const SIGNALS: &str = "signals";
/// The table of signals that consist only of events.
pub(crate) const EVENTS: &str = "events";
/// The table of the coefficients of impulses.
pub(crate) const IMPULSES: &str = "impulses";

/// The tables of a file.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub tables: Vec<Table>,
    /// The table of each lane.
    pub table_of: Vec<usize>,
    ids: Vec<LaneId>,
    /// The number of tables of signals, which come first, and the table of the value of each
    /// column.
    signals: usize,
    value_tables: Vec<usize>,
    /// The index of each table, by its name.
    places: HashMap<String, usize>,
}

/// One table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub name: String,
    pub kind: Kind,
    /// The indices of its lanes.
    pub lanes: Vec<usize>,
    /// The columns that these lanes belong to, each once.
    pub columns: Vec<usize>,
}

/// The last value of a column.
#[derive(Clone, Debug)]
pub(crate) struct LastValue {
    pub tag: Tag,
    pub elements: Vec<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Joined,
    Signals,
    Events,
    Impulses,
}

impl Layout {
    /// The tables that a schema requires.
    pub fn of(schema: &Schema) -> Layout {
        if schema.tables().is_empty() {
            return Layout::joined(schema);
        }
        let (events, impulses) = (schema.tables().len(), schema.tables().len() + 1);
        let table = |lane: &LaneId| match lane.order {
            Some(_) => impulses,
            None => schema.table_of(lane.column).unwrap_or(events),
        };
        let names = schema.tables().iter().map(|name| (name.clone(), Kind::Signals));
        let others = [(EVENTS.to_owned(), Kind::Events), (IMPULSES.to_owned(), Kind::Impulses)];
        Layout::new(schema, names.chain(others), table)
    }

    /// One table with everything.
    pub fn joined(schema: &Schema) -> Layout {
        Layout::new(schema, std::iter::once((SIGNALS.to_owned(), Kind::Joined)), |_| 0)
    }

    /// Tables without a lane are left out, but at least one remains.
    fn new(
        schema: &Schema,
        names: impl Iterator<Item = (String, Kind)>,
        table: impl Fn(&LaneId) -> usize,
    ) -> Layout {
        let ids: Vec<LaneId> = schema.lanes().collect();
        let mut tables = Vec::new();
        let mut table_of = vec![0; ids.len()];
        let mut lanes_of: Vec<Vec<usize>> = Vec::new();
        for (lane, id) in ids.iter().enumerate() {
            let table = table(id);
            lanes_of.resize_with(lanes_of.len().max(table + 1), Vec::new);
            lanes_of[table].push(lane);
        }
        for (index, (name, kind)) in names.enumerate() {
            let lanes = lanes_of.get_mut(index).map(std::mem::take).unwrap_or_default();
            if lanes.is_empty() && kind != Kind::Joined {
                continue;
            }
            lanes.iter().for_each(|lane| table_of[*lane] = tables.len());
            let mut columns: Vec<usize> = lanes.iter().map(|lane| ids[*lane].column).collect();
            columns.dedup();
            tables.push(Table { name, kind, lanes, columns });
        }
        if tables.is_empty() {
            return Layout::joined(schema);
        }
        let named = tables.iter().enumerate().rev();
        let places = named.map(|(place, table)| (table.name.clone(), place)).collect();
        let signals = tables.iter().filter(|table| table.kind == Kind::Signals).count();
        let values = ids.iter().enumerate().filter(|(_, id)| id.order.is_none());
        let value_tables = values.map(|(lane, _)| table_of[lane]).collect();
        Layout { tables, table_of, ids, signals, value_tables, places }
    }

    /// Whether it is the joined view.
    pub fn is_joined(&self) -> bool {
        self.tables[0].kind == Kind::Joined
    }

    /// Whether rows name the table they belong to.
    pub fn is_divided(&self) -> bool {
        self.tables.len() > 1
    }

    /// The index of the table with this name.
    pub fn table(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The last value of each column in a chunk, if it has one.
    pub fn last_values(&self, chunk: &Chunk) -> Vec<Option<LastValue>> {
        let mut rows: Vec<Vec<Tag>> = vec![Vec::new(); self.tables.len()];
        chunk.rows().rev().for_each(|(tag, table)| rows[table].push(tag));
        let values = self.ids.iter().enumerate().filter(|(_, id)| id.order.is_none());
        let last = |(lane, _): (usize, &LaneId)| {
            let (later, elements) = chunk.lanes()[lane].last()?;
            let tag = *rows[self.table_of[lane]].get(later)?;
            Some(LastValue { tag, elements })
        };
        values.map(last).collect()
    }

    /// Adds a row to the tables that it concerns. A row without content that covers all columns
    /// leaves its tag in the last table, so that no tag is lost. If `among` lists the columns that
    /// the row covers, one of each table and in order, other tables of signals are skipped.
    #[inline]
    pub fn push<'v>(
        &self,
        chunk: &mut Chunk,
        tag: Tag,
        (covers, among): (impl Fn(usize) -> bool, Option<&[usize]>),
        value: impl Fn(usize) -> Option<&'v [f64]>,
        impulse: impl Fn(usize, usize) -> Option<&'v [f64]>,
    ) {
        let part = |lane: usize| match self.ids[lane] {
            LaneId { column, order: None } => value(column),
            LaneId { column, order: Some(order) } => impulse(column, order),
        };
        let said = |lane: &usize| covers(self.ids[*lane].column) && part(*lane).is_some();
        let mut taken = false;
        let mut add = |index: usize| {
            let table = &self.tables[index];
            let lanes = table.lanes.iter();
            match table.kind {
                Kind::Joined => chunk.push(tag, index, lanes.map(|lane| (*lane, part(*lane)))),
                Kind::Signals if table.columns.iter().any(|column| covers(*column)) => {
                    // Each column has one lane. This is the case for most rows.
                    let values = table.columns.iter().map(|column| value(*column));
                    chunk.push(tag, index, lanes.copied().zip(values));
                }
                Kind::Events | Kind::Impulses if lanes.clone().any(said) => {
                    let values = lanes.map(|l| (*l, part(*l).filter(|_| said(l))));
                    chunk.push(tag, index, values);
                }
                _ => return,
            }
            taken = true;
        };
        let first = match among {
            None => 0,
            Some(columns) => {
                // The joined view is not a table of signals.
                let tables = columns.iter().map(|column| self.value_tables[*column]);
                tables.filter(|table| *table < self.signals).for_each(&mut add);
                self.signals
            }
        };
        (first..self.tables.len()).for_each(add);
        if !taken && self.tables.iter().all(|table| table.columns.iter().all(|c| covers(*c))) {
            let last = self.tables.len() - 1;
            let nothing = self.tables[last].lanes.iter().map(|lane| (*lane, None));
            chunk.push(tag, last, nothing);
        }
    }
}
