//! Parquet: binary, by columns, compressed, with exact time.
//!
//! The columns are `time` (a double, in seconds), `exact_time` (a decimal with 18 digits behind the
//! point), `microstep` (int32), and one for each element of each signal and of each order of its
//! impulses, named as in CSV; absent is null. Files of earlier versions have the exact time as
//! `time`, and then the double as `seconds`. Truth values are booleans and all other
//! elements are doubles, integers included, so that every bit comes back. Numbers that stand for
//! names are strings, stored once each (a dictionary). A name that is taken
//! gets ` (2)` behind it. The metadata of the file hold the version of the layout, the header and
//! the columns as JSON, under the keys `superdense.trace`, `superdense.header` and
//! `superdense.columns`.
//!
//! Where the file has several tables, rows of all of them follow one another in the order of tags,
//! and the column `table`, behind `microstep`, names the one that a row belongs to; the columns of
//! other tables are null there. `SELECT ... WHERE "table" = 'region 1'` is one of them.
//!
//! Doubles are split into their bytes (BYTE_STREAM_SPLIT), which makes those of smooth signals
//! alike, and compressed with LZ4: per row of ten signals about as fast as writing them plain.

mod decode;
mod encode;

use crate::layout::Layout;

pub(crate) use decode::read;
pub(crate) use encode::Encoder;

const VERSION_KEY: &str = "superdense.trace";
const HEADER_KEY: &str = "superdense.header";
const COLUMNS_KEY: &str = "superdense.columns";

/// The columns of the tag, before all others.
const TAG_COLUMNS: [&str; 3] = ["time", "exact_time", "microstep"];
/// The column behind them that names the table of a row, where there are several.
const TABLE_COLUMN: &str = "table";

/// The columns before those of signals.
fn first_columns(layout: &Layout) -> Vec<&'static str> {
    let table = layout.is_divided().then_some(TABLE_COLUMN);
    TAG_COLUMNS.into_iter().chain(table).collect()
}
