//! CSV: a line per row, with exact time and microstep.
//!
//! The columns are `time` \[s\], `microstep`, and one for each element of each signal; a signal
//! with impulses has further columns `NAME.delta0`, `NAME.delta1`, ... with the coefficients of
//! each order. Absent is an empty field. Truth values are `true` and `false`; values that are not
//! finite are `NaN`, `inf` or `-inf`. Values that index labels, such as the state of a machine, are
//! written as labels.
//!
//! On request the file starts with lines `# key: JSON` (the version of the layout, the fields of
//! the header, and the columns with their types) and ends with `# rows: N`. Without them a reader
//! treats integers as reals, numbers labels in the order in which they occur, and cannot notice
//! that lines are missing at the end.

mod decode;
mod encode;

pub(crate) use decode::read;
pub(crate) use encode::Encoder;
pub use encode::{write_csv, write_indexed_csv};

/// The first comment, with the version of the layout.
const VERSION_KEY: &str = "superdense-trace";
/// The comment with the columns.
const COLUMNS_KEY: &str = "columns";
/// The last comment.
const ROWS_KEY: &str = "rows";
