//! No Parquet: this program was built without the feature `parquet`, and refuses such files.

use std::fs::File;

use std::io;

use crate::file_tables::FileTables;
use crate::flat::{Cell, FlatColumn, FlatTable};
use crate::writer::{Encoder, Output};
use crate::{Header, ReadProblem, SamplesError, Schema, WriteProblem};

pub(crate) fn read(_: File) -> Result<FileTables, ReadProblem> {
    Err(ReadProblem::NotBuilt)
}

/// The numbers of one column, of which there are none.
pub(crate) struct PlainColumn {
    pub numbers: Vec<f64>,
    pub single: bool,
}

/// Leaves the refusal to `read`.
pub(crate) fn read_plain(_: File, _: &[&str]) -> Result<Option<Vec<PlainColumn>>, SamplesError> {
    Ok(None)
}

pub(crate) fn encoder(_: Output, _: &Schema, _: &Header) -> Result<Box<dyn Encoder>, WriteProblem> {
    Err(WriteProblem::NotBuilt)
}

/// A flat table that is never written.
pub(crate) enum FlatEncoder {}

impl FlatEncoder {
    pub fn new(_: Output, _: &[FlatColumn]) -> Result<FlatEncoder, WriteProblem> {
        Err(WriteProblem::NotBuilt)
    }

    pub fn push(&mut self, _: &[Cell]) -> io::Result<()> {
        match *self {}
    }

    pub fn finish(self) -> io::Result<()> {
        match self {}
    }
}

pub(crate) fn read_numbers(_: File) -> Result<FlatTable, SamplesError> {
    Err(crate::samples::wrong("this program was built without Parquet files".to_owned()))
}
