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
    /// The columns that only one of them has.
    pub missing: Vec<(String, Side)>,
    /// The columns that have other shapes.
    pub reshaped: Vec<String>,
    /// Events and ends that only one of them has, or has elsewhere.
    pub rows: Vec<RowDifference>,
    /// The first place where they part.
    pub parting: Option<Parting>,
}

/// How a column differs.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnDifference {
    /// Its name.
    pub name: String,
    /// The names that its numbers stand for in the differences below, which are those of both
    /// traces; empty where they are just numbers.
    pub labels: Vec<String>,
    /// The largest difference, also where it is allowed; nothing where all is equal.
    pub largest: Option<Difference>,
    /// The first difference that is not allowed.
    pub beyond: Option<Difference>,
    /// The first tag at which only one has the signal, and which one has it.
    pub lone: Option<(Tag, Side)>,
}

/// Two values that should be one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// Where, in the first trace's time.
    pub tag: Tag,
    /// Which element of the value.
    pub element: usize,
    /// The order of the impulse whose coefficient differs; nothing where it is the value.
    pub order: Option<usize>,
    /// The value in the first trace.
    pub first: f64,
    /// The value in the second trace.
    pub second: f64,
}

impl Difference {
    /// The two as names, or as numbers where they stand for none.
    pub fn names(&self, labels: &[String]) -> (String, String) {
        let name = |value| name_of(labels, value).map_or_else(|| value.to_string(), str::to_owned);
        (name(self.first), name(self.second))
    }

    /// How far they are apart; infinite where that is no number.
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
    /// An event that both have, further apart than the tolerance of time.
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

/// The first place where two traces part.
#[derive(Clone, PartialEq, Debug)]
pub struct Parting {
    /// Where.
    pub tag: Tag,
    /// What is different there.
    pub reason: Reason,
}

/// What is different at a tag.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// The value of a signal.
    Value {
        /// The signal.
        column: String,
        /// Its values.
        difference: Difference,
    },
    /// The name that the value of a signal stands for.
    Name {
        /// The signal.
        column: String,
        /// The name in the first trace.
        first: String,
        /// The name in the second trace.
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
        self.parting.is_none() && self.missing.is_empty() && self.reshaped.is_empty()
    }
}
