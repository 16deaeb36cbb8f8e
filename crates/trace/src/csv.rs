//! CSV: a line for each row, with exact time and microstep.
//!
//! The columns are `time` \[s\], `microstep`, and one for each element of each signal; a signal
//! with impulses has further columns `NAME.delta0`, `NAME.delta1`, ... with the coefficients of
//! each order. Absent is an empty field. Truth values are `true` and `false`; what is not finite is
//! `NaN`, `inf` or `-inf`. Numbers that stand for names, such as the state of a machine, are these
//! names.
//!
//! On request the file begins with lines `# key: JSON` (the version of the layout, the fields of
//! the header, and the columns with their types) and ends with `# rows: N`. Without them a reader
//! takes whole numbers for reals, counts names in the order in which they come, and cannot see that
//! lines are missing at the end.

mod decode;
mod encode;

pub(crate) use decode::read;
pub(crate) use encode::Encoder;
pub use encode::{write_csv, write_indexed_csv};

/// The first comment, which tells the version of the layout.
const VERSION_KEY: &str = "superdense-trace";
/// The comment with the columns.
const COLUMNS_KEY: &str = "columns";
/// The last comment.
const ROWS_KEY: &str = "rows";
