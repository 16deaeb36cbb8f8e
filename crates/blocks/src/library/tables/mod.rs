//! Tables: functions that are given by their values at breakpoints.

mod cells;
mod grid;
mod lookup_table;
mod lookup_table_2d;
mod lookup_table_nd;
mod slopes;

pub use lookup_table::LookupTable;
pub use lookup_table_2d::LookupTable2D;
pub use lookup_table_nd::LookupTableND;

use crate::Parameter;

/// The output of a function on a grid.
const GRID_OUTPUT: &str = "The function of the signals. The times at which a signal reaches a \
    breakpoint are located, so that no step of the solver extends across a kink of the table; with \
    `nearest` these are the times at which it is halfway between two breakpoints.";

/// How a table is read between its breakpoints, by one of these rules.
fn interpolation<const N: usize>(rules: [&'static str; N]) -> Parameter {
    let about = "How values between breakpoints are found.";
    Parameter::word("interpolation", about, rules).default("linear")
}
