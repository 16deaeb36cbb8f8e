//! What must hold of a tableau before anything runs it. The invariants:
//! 1. there are two stages at least, and a row for each;
//! 2. nodes go from 0 at the first stage to 1 at the last;
//! 3. the first row is empty, and any other has only slopes of stages before its own;
//! 4. the weights of a row sum to its node;
//! 5. an error estimate has weights, all of slopes that there are, and they sum to 0;
//! 6. an extension begins with the first slope and ends with the last;
//! 7. every coefficient is finite.

use std::fmt;

use super::{Tableau, Weight};

/// The invariant that a tableau breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableauError {
    /// Fewer than two stages, or not one row for each node.
    Stages,
    /// The nodes do not go from 0 to 1.
    Nodes,
    /// A row has no weights, one of a slope that is not known at its stage, or a sum other than its
    /// node.
    Row(usize),
    /// The weights of the error are of slopes that there are not, or do not sum to 0.
    Error,
    /// The extension does not begin with the first slope and end with the last.
    Extension,
}

impl fmt::Display for TableauError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableauError::Stages => {
                f.write_str("a tableau has two stages at least, a row for each")
            }
            TableauError::Nodes => f.write_str("the nodes of a tableau go from 0 to 1"),
            TableauError::Row(stage) => write!(f, "row {stage} of a tableau is wrong"),
            TableauError::Error => f.write_str("the error weights of a tableau are wrong"),
            TableauError::Extension => f.write_str("the extension of a tableau is wrong"),
        }
    }
}

impl std::error::Error for TableauError {}

/// How far sums of weights may be off by the rounding of coefficients.
const ROUNDING: f64 = 1e-12;

impl Tableau {
    /// Whether the invariants of a tableau hold. The solver checks them when it is made and native
    /// code before it is compiled, so that neither reads a slope that there is not.
    pub fn check(&self) -> Result<(), TableauError> {
        let stages = self.nodes.len();
        if stages < 2 || self.rows.len() != stages {
            return Err(TableauError::Stages);
        }
        let finite = self.nodes.iter().all(|node| node.is_finite());
        if !finite || self.nodes[0] != 0.0 || self.nodes[stages - 1] != 1.0 {
            return Err(TableauError::Nodes);
        }
        for (stage, row) in self.rows.iter().enumerate() {
            if row.is_empty() != (stage == 0) || !sums_to(row, stage, self.nodes[stage]) {
                return Err(TableauError::Row(stage));
            }
        }
        let estimates = |error: &[Weight]| !error.is_empty() && sums_to(error, stages, 0.0);
        if self.embedded.is_some_and(|embedded| !estimates(embedded.error)) {
            return Err(TableauError::Error);
        }
        match self.extension {
            [] => Ok(()),
            [(0, _), .., (last, _)] if *last == stages - 1 && are_known(self.extension, stages) => {
                Ok(())
            }
            _ => Err(TableauError::Extension),
        }
    }
}

/// Whether weights are finite and belong to the first `known` slopes.
fn are_known(row: &[Weight], known: usize) -> bool {
    row.iter().all(|(slope, weight)| *slope < known && weight.is_finite())
}

/// Whether weights belong to the first `known` slopes and have this sum.
fn sums_to(row: &[Weight], known: usize, sum: f64) -> bool {
    let size: f64 = row.iter().map(|(_, weight)| weight.abs()).sum();
    let total: f64 = row.iter().map(|(_, weight)| weight).sum();
    are_known(row, known) && (total - sum).abs() <= ROUNDING * (1.0 + size)
}
