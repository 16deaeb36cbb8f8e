//! Parquet: binary, columnar, compressed, with exact time.
//!
//! The columns are `time` (a double, in seconds), `exact_time` (a decimal with 18 digits after the
//! point), `microstep` (int32), and one for each element of each signal and of each order of its
//! impulses, named as in CSV; absent is null. Files of earlier versions have the exact time as
//! `time`, followed by the double as `seconds`. Truth values are booleans and all other elements
//! are doubles, including integers, so that values are bit-identical when read back. Values that
//! index labels are strings, each stored once (a dictionary). A name that is already taken gets the
//! suffix ` (2)`. The metadata of the file hold the version of the layout, the header and the
//! columns as JSON, under the keys `superdense.trace`, `superdense.header` and
//! `superdense.columns`.
//!
//! If the file has several tables, the rows of all of them follow one another in the order of tags,
//! and the column `table`, after `microstep`, names the table of each row; the columns of other
//! tables are null there. `SELECT ... WHERE "table" = 'region 1'` selects one table.
//!
//! Doubles are split into their bytes (BYTE_STREAM_SPLIT), which makes those of smooth signals
//! similar, and compressed with LZ4: for rows of ten signals this is about as fast as writing them
//! uncompressed.

mod decode;
mod encode;
mod flat;
mod plain;

use crate::layout::Layout;
use crate::writer::{Encoder, Output, boxed};
use crate::{Header, Schema, WriteProblem};

pub(crate) use decode::read;
pub(crate) use flat::FlatEncoder;
pub(crate) use plain::{read_numbers, read_plain};

const VERSION_KEY: &str = "superdense.trace";
const HEADER_KEY: &str = "superdense.header";
const COLUMNS_KEY: &str = "superdense.columns";

/// The columns of the tag, before all others.
const TAG_COLUMNS: [&str; 3] = ["time", "exact_time", "microstep"];
/// The column after these that names the table of a row, if there are several.
const TABLE_COLUMN: &str = "table";

/// Starts a file.
pub(crate) fn encoder(
    out: Output,
    schema: &Schema,
    header: &Header,
) -> Result<Box<dyn Encoder>, WriteProblem> {
    Ok(boxed(encode::Encoder::new(out, schema, header)?))
}

/// The columns before those of signals.
fn first_columns(layout: &Layout) -> Vec<&'static str> {
    let table = layout.is_divided().then_some(TABLE_COLUMN);
    TAG_COLUMNS.into_iter().chain(table).collect()
}
