//! The row of a run.

use serde::{Deserialize, Serialize};
use trace::Cell;

/// The cells of the row of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The index of the run.
    pub run: u64,
    /// A cell for each column of the table.
    pub cells: Vec<Cell>,
}
