//! The kinds of files.

use std::path::Path;

/// A kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Text: a line for each row.
    Csv,
    /// Binary, by columns, with exact time; what pandas, Polars and DuckDB read fastest.
    Parquet,
    /// Text: a line for each row inside one JSON object.
    Json,
}

impl Format {
    /// The format that the extension of a file names, or nothing where it names none.
    pub fn of(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "parquet" => Some(Format::Parquet),
            "json" => Some(Format::Json),
            _ => None,
        }
    }
}
