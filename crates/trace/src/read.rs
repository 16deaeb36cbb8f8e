//! Reads files.

use std::fs::File;
use std::path::Path;

use crate::file_tables::FileTables;
use crate::layout::SIGNALS;
use crate::{Format, ReadError, ReadProblem, Trace, csv, json, parquet};

/// Reads a file in the format given by its extension.
pub fn read(path: &Path) -> Result<Trace, ReadError> {
    match Format::of(path) {
        Some(format) => read_as(path, format),
        None => Err(ReadError { path: path.to_owned(), problem: ReadProblem::UnknownFormat }),
    }
}

/// Reads a file, whatever its extension.
pub fn read_as(path: &Path, format: Format) -> Result<Trace, ReadError> {
    let joined = File::open(path).map_err(ReadProblem::from).and_then(|file| match format {
        Format::Csv => csv::read(file),
        Format::Json => json::read(file).map(FileTables::join),
        Format::Parquet => parquet::read(file).map(FileTables::join),
    });
    joined.map_err(|problem| ReadError { path: path.to_owned(), problem })
}

/// Reads the tables of a file separately, each with its name: one for the signals of each region
/// that steps separately, `events`, and `impulses`. A file with the joined view has one table,
/// `signals`.
pub fn read_tables(path: &Path) -> Result<Vec<(String, Trace)>, ReadError> {
    let error = |problem| ReadError { path: path.to_owned(), problem };
    let open = || File::open(path).map_err(|problem| error(problem.into()));
    match Format::of(path) {
        Some(Format::Json) => json::read(open()?).map(FileTables::separate).map_err(error),
        Some(Format::Parquet) => parquet::read(open()?).map(FileTables::separate).map_err(error),
        _ => Ok(vec![(SIGNALS.to_owned(), read(path)?)]),
    }
}
