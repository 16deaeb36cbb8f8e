//! Tables: functions that are given by their values at breakpoints.

mod cells;
mod lookup_table;
mod slopes;

pub use lookup_table::LookupTable;
