//! What a comparison finds.

use base::{Tag, Time};

use crate::labels::name_of;

/// One of the two traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The first.
    First,
    /// The second.
    Second,
}

/// What two traces have in common and where they differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The numbers of rows.
    pub lengths: (usize, usize),
    /// The columns that both have.
    pub columns: Vec<ColumnDifference>,
    /// The columns that only one trace has.
    pub missing: Vec<(String, Side)>,
    /// The columns whose shapes differ.
    pub reshaped: Vec<String>,
    /// Events and ends that only one of them has, or that are at different times.
    pub rows: Vec<RowDifference>,
    /// The first tag at which they differ.
    pub first: Option<FirstDifference>,
}

/// How a column differs.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnDifference {
    /// Its name.
    pub name: String,
    /// The labels that the values in the differences below index, merged from both traces; empty if
    /// they are plain values.
    pub labels: Vec<String>,
    /// The largest difference, even if it is allowed; `None` if everything is equal.
    pub largest: Option<Difference>,
    /// The first difference that is not allowed.
    pub beyond: Option<Difference>,
    /// The first tag at which only one trace has the signal, and which one has it.
    pub lone: Option<(Tag, Side)>,
}

/// Two values that should be equal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// The tag, in the time of the first trace.
    pub tag: Tag,
    /// Which element of the value.
    pub element: usize,
    /// The order of the impulse whose coefficient differs; `None` if it is the value.
    pub order: Option<usize>,
    /// The value in the first trace.
    pub first: f64,
    /// The value in the second trace.
    pub second: f64,
}

impl Difference {
    /// Both as labels, or as numbers if there are no labels for them.
    pub fn names(&self, labels: &[String]) -> (String, String) {
        let name = |value| name_of(labels, value).map_or_else(|| value.to_string(), str::to_owned);
        (name(self.first), name(self.second))
    }

    /// The distance between them; infinite if that is NaN.
    pub fn size(&self) -> f64 {
        let size = (self.first - self.second).abs();
        if size.is_nan() { f64::INFINITY } else { size }
    }
}

/// Rows that do not correspond.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowDifference {
    /// An event or one of its microsteps that only one trace has.
    Lone {
        /// The tag.
        tag: Tag,
        /// Which one has it.
        side: Side,
    },
    /// An event that both have, at times further apart than the time tolerance.
    Moved {
        /// Its time in the first.
        first: Time,
        /// Its time in the second.
        second: Time,
    },
    /// The traces begin at different times.
    Begin {
        /// The start of the first.
        first: Time,
        /// The start of the second.
        second: Time,
    },
    /// The traces end at different times.
    End {
        /// The end of the first.
        first: Time,
        /// The end of the second.
        second: Time,
    },
}

/// The first tag at which two traces differ.
#[derive(Clone, PartialEq, Debug)]
pub struct FirstDifference {
    /// The tag.
    pub tag: Tag,
    /// What differs there.
    pub reason: Reason,
}

/// What differs at a tag.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// The value of a signal.
    Value {
        /// The signal.
        column: String,
        /// Its values.
        difference: Difference,
    },
    /// The label of the value of a signal.
    Name {
        /// The signal.
        column: String,
        /// The label in the first trace.
        first: String,
        /// The label in the second trace.
        second: String,
    },
    /// Only one trace has the signal.
    Presence {
        /// The signal.
        column: String,
        /// Which one has it.
        side: Side,
    },
    /// Rows that do not correspond.
    Rows(RowDifference),
}

impl Comparison {
    /// Whether all differences are allowed.
    pub fn agrees(&self) -> bool {
        self.first.is_none() && self.missing.is_empty() && self.reshaped.is_empty()
    }
}
