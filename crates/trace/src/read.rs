//! Reading files back.

use std::fs::File;
use std::path::Path;

use crate::{Format, ReadError, ReadProblem, Trace, csv, json, parquet};

/// Reads a file in the format that its extension names.
pub fn read(path: &Path) -> Result<Trace, ReadError> {
    match Format::of(path) {
        Some(format) => read_as(path, format),
        None => Err(ReadError { path: path.to_owned(), problem: ReadProblem::UnknownFormat }),
    }
}

/// Reads a file, whatever its extension.
pub fn read_as(path: &Path, format: Format) -> Result<Trace, ReadError> {
    let parts = File::open(path).map_err(ReadProblem::from).and_then(|file| match format {
        Format::Csv => csv::read(file),
        Format::Json => json::read(file),
        Format::Parquet => parquet::read(file),
    });
    parts.map_err(|problem| ReadError { path: path.to_owned(), problem })
}
