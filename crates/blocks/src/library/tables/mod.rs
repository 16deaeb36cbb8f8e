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
