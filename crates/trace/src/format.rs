//! The file formats.

use std::path::Path;

/// A file format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Text: one line per row.
    Csv,
    /// Binary, columnar, with exact time; the fastest to read with pandas, Polars and DuckDB.
    Parquet,
    /// Text: one line per row inside one JSON object.
    Json,
}

impl Format {
    /// The format given by the extension of a file, or `None` if the extension is unknown.
    pub fn of(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "parquet" => Some(Format::Parquet),
            "json" => Some(Format::Json),
            _ => None,
        }
    }
}
