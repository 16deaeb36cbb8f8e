//! The table of a run.

use base::{Shape, Tag, Type};

/// One recorded signal.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// The name that the model gives it.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// An impulse that a recorded signal carried.
#[derive(Clone, PartialEq, Debug)]
pub struct Impulse {
    /// When.
    pub tag: Tag,
    /// Which signal.
    pub column: usize,
    /// The order of the derivative of the impulse.
    pub order: usize,
    /// Its coefficient, element by element.
    pub weight: Vec<f64>,
}

/// Rows of recorded signals, in the order of their tags.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Trace {
    columns: Vec<Column>,
    /// Where the elements of each column begin in a row.
    offsets: Vec<usize>,
    width: usize,
    tags: Vec<Tag>,
    values: Vec<f64>,
    present: Vec<bool>,
    impulses: Vec<Impulse>,
}

impl Trace {
    /// An empty table with these columns.
    pub fn new(columns: Vec<Column>) -> Trace {
        let mut width = 0;
        let offsets = columns
            .iter()
            .map(|column| {
                width += column.ty.len();
                width - column.ty.len()
            })
            .collect();
        Trace { columns, offsets, width, ..Trace::default() }
    }

    /// Adds a row; `value` gives each column's elements, or nothing where it is absent.
    pub fn push<'v>(&mut self, tag: Tag, value: impl Fn(usize) -> Option<&'v [f64]>) {
        self.tags.push(tag);
        for (index, column) in self.columns.iter().enumerate() {
            let value = value(index);
            self.present.push(value.is_some());
            match value {
                Some(value) => self.values.extend_from_slice(value),
                None => self.values.extend(std::iter::repeat_n(f64::NAN, column.ty.len())),
            }
        }
    }

    /// Adds an impulse.
    pub fn push_impulse(&mut self, impulse: Impulse) {
        self.impulses.push(impulse);
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The position of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
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

    /// The elements of a column in a row, or nothing where the signal was absent.
    pub fn get(&self, row: usize, column: usize) -> Option<&[f64]> {
        if !self.present[row * self.columns.len() + column] {
            return None;
        }
        let from = row * self.width + self.offsets[column];
        Some(&self.values[from..from + self.columns[column].ty.len()])
    }

    /// The rows in which a scalar column is present: its tags and values.
    ///
    /// # Panics
    /// Where there is no such column or it is no scalar.
    pub fn series(&self, name: &str) -> Vec<(Tag, f64)> {
        let column = self.column(name).unwrap_or_else(|| panic!("no column `{name}`"));
        assert_eq!(self.columns[column].ty.shape, Shape::Scalar, "`{name}` is no scalar");
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
