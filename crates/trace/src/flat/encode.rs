//! Writes flat tables as rows come. A file is complete or absent, like those of traces.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{Cell, FlatColumn};
use crate::number::write_number;
use crate::parquet::FlatEncoder;
use crate::target::Target;
use crate::{Format, WriteError, WriteProblem};

/// A file that takes the rows of a flat table.
pub struct FlatWriter {
    path: PathBuf,
    target: Target,
    encoder: Encoder,
    columns: Vec<FlatColumn>,
    line: Vec<u8>,
    rows: u64,
}

enum Encoder {
    Csv(BufWriter<File>),
    Json(BufWriter<File>),
    Parquet(Box<FlatEncoder>),
}

impl FlatWriter {
    /// Writes to a file in the format given by its extension.
    pub fn create(path: &Path, columns: &[FlatColumn]) -> Result<FlatWriter, WriteError> {
        let error = |problem| WriteError { path: path.to_owned(), problem };
        let format = Format::of(path).ok_or_else(|| error(WriteProblem::UnknownFormat))?;
        let target = Target::create(path).map_err(|own| error(own.into()))?;
        let file = target.file().map_err(|own| error(own.into()))?;
        let encoder = match format {
            Format::Csv => Encoder::Csv(BufWriter::new(file)),
            Format::Json => Encoder::Json(BufWriter::new(file)),
            Format::Parquet => Encoder::Parquet(Box::new(
                FlatEncoder::new(Box::new(file), columns).map_err(error)?,
            )),
        };
        let (path, columns) = (path.to_owned(), columns.to_vec());
        let mut writer = FlatWriter { path, target, encoder, columns, line: Vec::new(), rows: 0 };
        writer.head().map_err(|own| error(own.into()))?;
        Ok(writer)
    }

    fn head(&mut self) -> io::Result<()> {
        match &mut self.encoder {
            Encoder::Csv(out) => {
                self.line.clear();
                for (index, column) in self.columns.iter().enumerate() {
                    comma(&mut self.line, index);
                    csv_text(&mut self.line, &column.name);
                }
                self.line.push(b'\n');
                out.write_all(&self.line)
            }
            Encoder::Json(out) => out.write_all(b"["),
            Encoder::Parquet(_) => Ok(()),
        }
    }

    /// Adds a row with a cell for each column.
    ///
    /// # Panics
    /// If there are more or fewer cells than columns.
    pub fn push(&mut self, cells: &[Cell]) -> Result<(), WriteError> {
        assert_eq!(cells.len(), self.columns.len(), "a cell for each column");
        self.line.clear();
        let written = match &mut self.encoder {
            Encoder::Csv(out) => {
                for (index, cell) in cells.iter().enumerate() {
                    comma(&mut self.line, index);
                    csv_cell(&mut self.line, cell);
                }
                self.line.push(b'\n');
                out.write_all(&self.line)
            }
            Encoder::Json(out) => {
                self.line.extend_from_slice(if self.rows == 0 { b"\n{" } else { b",\n{" });
                for (index, (cell, column)) in cells.iter().zip(&self.columns).enumerate() {
                    comma(&mut self.line, index);
                    json_text(&mut self.line, &column.name);
                    self.line.push(b':');
                    json_cell(&mut self.line, cell);
                }
                self.line.push(b'}');
                out.write_all(&self.line)
            }
            Encoder::Parquet(encoder) => encoder.push(cells),
        };
        self.rows += 1;
        written.map_err(|error| WriteError::new(&self.path, error))
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> Result<(), WriteError> {
        let FlatWriter { path, target, encoder, .. } = self;
        let finished = match encoder {
            Encoder::Csv(mut out) => out.flush(),
            Encoder::Json(mut out) => out.write_all(b"\n]\n").and_then(|()| out.flush()),
            Encoder::Parquet(encoder) => encoder.finish(),
        };
        let finished = finished.and_then(|()| target.finish());
        finished.map_err(|error| WriteError::new(&path, error))
    }
}

impl std::fmt::Debug for FlatWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FlatWriter of {} with {} rows", self.path.display(), self.rows)
    }
}

fn comma(line: &mut Vec<u8>, index: usize) {
    if index > 0 {
        line.push(b',');
    }
}

fn csv_cell(line: &mut Vec<u8>, cell: &Cell) {
    match cell {
        Cell::Missing => {}
        Cell::Number(number) => write_number(line, *number),
        Cell::Integer(number) => line.extend_from_slice(number.to_string().as_bytes()),
        Cell::Truth(truth) => line.extend_from_slice(truth.to_string().as_bytes()),
        Cell::Text(text) => csv_text(line, text),
    }
}

/// A field with quotes if it needs them.
fn csv_text(line: &mut Vec<u8>, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        line.push(b'"');
        line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        line.push(b'"');
    } else {
        line.extend_from_slice(text.as_bytes());
    }
}

fn json_cell(line: &mut Vec<u8>, cell: &Cell) {
    match cell {
        // JSON has no other numbers.
        Cell::Number(number) if number.is_finite() => write_number(line, *number),
        Cell::Missing | Cell::Number(_) => line.extend_from_slice(b"null"),
        Cell::Text(text) => json_text(line, text),
        other => csv_cell(line, other),
    }
}

fn json_text(line: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(line, text).expect("a string takes all text");
}
