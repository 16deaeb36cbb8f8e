//! Flat tables: rows of numbers, truth values and texts without a tag, such as the table of a sweep.

mod decode;
mod encode;

use serde::{Deserialize, Serialize};

pub use decode::{FlatTable, read_flat};
pub use encode::FlatWriter;

/// A cell of a flat table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Cell {
    /// Nothing.
    Missing,
    /// A number.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// A truth value.
    Truth(bool),
    /// A text.
    Text(String),
}

/// What the cells of a column of a flat table are, apart from those that are missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FlatKind {
    /// Numbers.
    Number,
    /// Whole numbers.
    Integer,
    /// Truth values.
    Truth,
    /// Texts.
    Text,
}

/// A column of a flat table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FlatColumn {
    /// Its name.
    pub name: String,
    /// What its cells are.
    pub kind: FlatKind,
}

impl FlatColumn {
    /// A column.
    pub fn new(name: impl Into<String>, kind: FlatKind) -> FlatColumn {
        FlatColumn { name: name.into(), kind }
    }
}
