//! Describes a comparison in words.

use std::fmt;

use super::{
    ColumnDifference, Comparison, Difference, FirstDifference, Reason, RowDifference, Side,
};

/// How many non-corresponding rows are shown.
const SHOWN: usize = 5;

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = self.lengths;
        match &self.first {
            Some(first) => writeln!(f, "the traces differ {first}")?,
            None if self.agrees() => writeln!(f, "the traces agree")?,
            None => writeln!(f, "the traces agree in the columns that both have")?,
        }
        writeln!(f, "  {first} rows in the first, {second} in the second")?;
        let width = self.columns.iter().map(|column| column.name.chars().count()).max();
        for column in &self.columns {
            // Events without a counterpart are not equal events.
            let partly = !self.rows.is_empty() && column.largest.is_none();
            let rest = if partly { " in the rows that correspond" } else { "" };
            writeln!(f, "  {:<1$}  {column}{rest}", column.name, width.unwrap_or(0))?;
        }
        for (name, side) in &self.missing {
            writeln!(f, "  only {side} has `{name}`")?;
        }
        for name in &self.reshaped {
            writeln!(f, "  `{name}` has another shape")?;
        }
        for difference in self.rows.iter().take(SHOWN) {
            writeln!(f, "  {difference}")?;
        }
        if self.rows.len() > SHOWN {
            writeln!(f, "  and {} more rows that do not correspond", self.rows.len() - SHOWN)?;
        }
        Ok(())
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::First => "the first",
            Side::Second => "the second",
        })
    }
}

impl ColumnDifference {
    fn has_names(&self, difference: &Difference) -> bool {
        !self.labels.is_empty() && difference.order.is_none()
    }
}

impl fmt::Display for ColumnDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.largest {
            None => f.write_str("equal")?,
            Some(_) if !self.labels.is_empty() => f.write_str("other names")?,
            Some(largest) => {
                write!(f, "at most {:.3e} apart, at {}", largest.size(), largest.tag)?;
            }
        }
        if let Some(beyond) = self.beyond.filter(|beyond| self.has_names(beyond)) {
            let (first, second) = beyond.names(&self.labels);
            write!(f, "; first at {}: {first} and {second}", beyond.tag)?;
        } else if let Some(beyond) = &self.beyond {
            write!(f, "; beyond the tolerance from {} on: {beyond}", beyond.tag)?;
        }
        if let Some((tag, side)) = &self.lone {
            write!(f, "; only {side} has it at {tag}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(order) = self.order {
            write!(f, "impulse of order {order} ")?;
        }
        write!(f, "{} and {}", self.first, self.second)?;
        if self.element > 0 {
            write!(f, " (element {})", self.element)?;
        }
        Ok(())
    }
}

impl fmt::Display for FirstDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: ", self.tag)?;
        match &self.reason {
            Reason::Value { column, difference } => write!(f, "`{column}`, {difference}"),
            Reason::Name { column, first, second } => {
                write!(f, "`{column}`, {first} and {second}")
            }
            Reason::Presence { column, side } => write!(f, "only {side} has a value of `{column}`"),
            Reason::Rows(difference) => difference.fmt(f),
        }
    }
}

impl fmt::Display for RowDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowDifference::Lone { tag, side } => write!(f, "only {side} has a row at {tag}"),
            RowDifference::Moved { first, second } => {
                let by = second.since(*first);
                write!(
                    f,
                    "the event at {first} in the first is at {second} in the second ({by:+.3e} s)"
                )
            }
            RowDifference::Begin { first, second } => {
                write!(f, "the first begins at {first}, the second at {second}")
            }
            RowDifference::End { first, second } => {
                write!(f, "the first ends at {first}, the second at {second}")
            }
        }
    }
}
