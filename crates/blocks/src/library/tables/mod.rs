//! Tables: functions that are given by their values at breakpoints.

mod cells;
mod lookup_table;
mod lookup_table_2d;
mod slopes;

pub use lookup_table::LookupTable;
pub use lookup_table_2d::LookupTable2D;
