//! The table of a run.

use std::sync::Arc;

use base::{Shape, Tag};
use serde::{Deserialize, Serialize};

use crate::labels::name_of;
use crate::{Column, Header, Schema};

/// An impulse of a recorded signal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Impulse {
    /// Its tag.
    pub tag: Tag,
    /// Which signal.
    pub column: usize,
    /// The order of the derivative of the impulse.
    pub order: usize,
    /// Its coefficient, element by element.
    pub weight: Vec<f64>,
}

/// How many values there is room for when the first row is added.
const FIRST_ROOM: usize = 512;

/// Rows of recorded signals, in the order of their tags.
#[derive(Clone, Default, Debug)]
pub struct Trace {
    /// Shared by all tables of a model, which may be short and numerous.
    header: Arc<Header>,
    schema: Arc<Schema>,
    /// Where the elements of each column begin in a row.
    offsets: Vec<usize>,
    width: usize,
    tags: Vec<Tag>,
    values: Vec<f64>,
    present: Vec<bool>,
    /// Which cells are filled in between the signal's own rows; only as long as needed.
    filled: Vec<bool>,
    impulses: Vec<Impulse>,
}

impl Trace {
    /// An empty table with these columns.
    pub fn new(columns: Vec<Column>) -> Trace {
        Trace::with_schema(Schema::new(columns))
    }

    /// An empty table with these columns and orders of impulses.
    pub fn with_schema(schema: Schema) -> Trace {
        let mut width = 0;
        let offsets = schema
            .columns()
            .iter()
            .map(|column| {
                width += column.ty.len();
                width - column.ty.len()
            })
            .collect();
        Trace { schema: Arc::new(schema), offsets, width, ..Trace::default() }
    }

    /// Adds a row; `value` returns each column's elements, or `None` if it is absent.
    pub fn push<'v>(&mut self, tag: Tag, value: impl Fn(usize) -> Option<&'v [f64]>) {
        if self.tags.len() == self.tags.capacity() {
            self.make_room();
        }
        self.tags.push(tag);
        for (index, column) in self.schema.columns().iter().enumerate() {
            let value = value(index);
            self.present.push(value.is_some());
            match value {
                Some([number]) => self.values.push(*number),
                Some(value) => self.values.extend_from_slice(value),
                None => self.values.extend(std::iter::repeat_n(f64::NAN, column.ty.len())),
            }
        }
    }

    /// Doubles the capacity; the first time it reserves a fixed amount, so that a short run
    /// allocates once.
    #[cold]
    fn make_room(&mut self) {
        let first = (FIRST_ROOM / self.width.max(1)).clamp(4, 64);
        let rows = self.tags.len().max(first);
        self.tags.reserve(rows);
        self.values.reserve(rows * self.width);
        self.present.reserve(rows * self.schema.columns().len());
    }

    /// Removes all rows and impulses, and keeps the columns.
    pub fn clear(&mut self) {
        self.tags.clear();
        self.values.clear();
        self.present.clear();
        self.filled.clear();
        self.impulses.clear();
    }

    /// Adds an impulse. It belongs to the row with its tag.
    pub fn push_impulse(&mut self, impulse: Impulse) {
        if self.schema.orders()[impulse.column] <= impulse.order {
            self.schema_mut().admit(impulse.column, impulse.order);
        }
        self.impulses.push(impulse);
    }

    /// Starts a row; its columns are pushed next, in order.
    pub(crate) fn push_tag(&mut self, tag: Tag) {
        self.tags.push(tag);
    }

    /// The next column of a row is present.
    pub(crate) fn push_present(&mut self, value: impl Iterator<Item = f64>) {
        self.present.push(true);
        self.values.extend(value);
    }

    /// The next column of a row is absent.
    pub(crate) fn push_absent(&mut self, column: usize) {
        let length = self.schema.columns()[column].ty.len();
        self.present.push(false);
        self.values.extend(std::iter::repeat_n(f64::NAN, length));
    }

    /// The next column has no row of its own here; the value lies between its rows.
    pub(crate) fn push_filled(&mut self, value: &[f64]) {
        self.filled.resize(self.present.len(), false);
        self.filled.push(true);
        self.push_present(value.iter().copied());
    }

    /// Whether a signal has no row of its own here, so that its value is only interpolated from its
    /// rows before and after. Signals of a region that steps separately have such cells in the
    /// joined view of a file.
    pub fn is_filled(&self, row: usize, column: usize) -> bool {
        self.filled.get(row * self.columns().len() + column).is_some_and(|filled| *filled)
    }

    /// Sets where the table comes from.
    pub fn set_header(&mut self, header: Header) {
        self.header = Arc::new(header);
    }

    /// The same for what several tables share.
    pub fn share_header(&mut self, header: Arc<Header>) {
        self.header = header;
    }

    /// Where the table comes from.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The columns and the orders of impulses that they may carry.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    pub(crate) fn schema_mut(&mut self) -> &mut Schema {
        Arc::make_mut(&mut self.schema)
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        self.schema.columns()
    }

    /// The index of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns().iter().position(|column| column.name == name)
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// The tags, in order.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// The elements of a column in a row, or `None` if the signal is absent.
    pub fn get(&self, row: usize, column: usize) -> Option<&[f64]> {
        if !self.present[row * self.columns().len() + column] {
            return None;
        }
        let from = row * self.width + self.offsets[column];
        Some(&self.values[from..from + self.columns()[column].ty.len()])
    }

    /// The elements of all columns, row after row: [`Trace::width`] numbers for each row. An absent
    /// signal has NaN. Readers that want whole columns, such as arrays, take them from here.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many numbers of [`Trace::values`] belong to a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Where the elements of a column begin in a row.
    pub fn offset(&self, column: usize) -> usize {
        self.offsets[column]
    }

    /// Whether each column is present, row after row: one value for each column.
    pub fn presence(&self) -> &[bool] {
        &self.present
    }

    /// Whether a column is present in any row.
    pub(crate) fn has(&self, column: usize) -> bool {
        (0..self.len()).any(|row| self.get(row, column).is_some())
    }

    /// The label of the value of a scalar column in a row, if it has one.
    pub fn label(&self, row: usize, column: usize) -> Option<&str> {
        match self.get(row, column)? {
            [value] => self.label_of(column, *value),
            _ => None,
        }
    }

    /// The label of a value of a column, or of one of its elements, if it has one.
    pub fn label_of(&self, column: usize, value: f64) -> Option<&str> {
        name_of(self.schema.labels(column), value)
    }

    /// The rows in which a scalar column is present: its tags and values.
    ///
    /// # Panics
    /// If there is no such column, or it is not a scalar.
    pub fn series(&self, name: &str) -> Vec<(Tag, f64)> {
        let column = self.column(name).unwrap_or_else(|| panic!("no column `{name}`"));
        assert_eq!(self.columns()[column].ty.shape, Shape::Scalar, "`{name}` is no scalar");
        (0..self.len())
            .filter_map(|row| Some((self.tags[row], self.get(row, column)?[0])))
            .collect()
    }

    /// The value of a scalar column in the last row in which it is present.
    pub fn last(&self, name: &str) -> Option<f64> {
        self.series(name).last().map(|(_, value)| *value)
    }

    /// The impulses, in the order of their tags.
    pub fn impulses(&self) -> &[Impulse] {
        &self.impulses
    }
}

/// Traces are equal if they have the same content, bit by bit; all NaNs are equal, and the stored
/// value of an absent signal does not count.
impl PartialEq for Trace {
    fn eq(&self, other: &Trace) -> bool {
        let same_value =
            |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        let same = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(same_value);
        let key = |impulse: &Impulse| (impulse.tag, impulse.column, impulse.order);
        self.header == other.header
            && self.schema == other.schema
            && self.tags == other.tags
            && self.present == other.present
            && same(&self.values, &other.values)
            && self.impulses.len() == other.impulses.len()
            && self
                .impulses
                .iter()
                .zip(&other.impulses)
                .all(|(a, b)| key(a) == key(b) && same(&a.weight, &b.weight))
    }
}

/// The content of a table as plain data.
#[derive(Serialize, Deserialize)]
struct Content<H, S, T, V, P, I> {
    header: H,
    schema: S,
    tags: T,
    values: V,
    present: P,
    filled: P,
    impulses: I,
}

impl Serialize for Trace {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let content = Content {
            header: &*self.header,
            schema: &*self.schema,
            tags: &self.tags,
            values: &self.values,
            present: &self.present,
            filled: &self.filled,
            impulses: &self.impulses,
        };
        content.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Trace {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Trace, D::Error> {
        let content: Content<Header, Schema, Vec<Tag>, Vec<f64>, Vec<bool>, Vec<Impulse>> =
            Content::deserialize(deserializer)?;
        let wrong = || serde::de::Error::custom("the parts of the table do not fit together");
        if !content.schema.is_consistent() {
            return Err(wrong());
        }
        let mut trace = Trace::with_schema(content.schema);
        let (rows, columns) = (content.tags.len(), trace.columns().len());
        let impulse = |own: &Impulse| {
            let column = trace.columns().get(own.column);
            column.is_some_and(|column| column.ty.len() == own.weight.len())
                && own.order < trace.schema.orders()[own.column]
        };
        let fits = content.values.len() == rows * trace.width
            && content.present.len() == rows * columns
            && content.filled.len() <= rows * columns
            && content.impulses.iter().all(impulse);
        if !fits {
            return Err(wrong());
        }
        trace.set_header(content.header);
        trace.tags = content.tags;
        trace.values = content.values;
        (trace.present, trace.filled) = (content.present, content.filled);
        trace.impulses = content.impulses;
        Ok(trace)
    }
}
