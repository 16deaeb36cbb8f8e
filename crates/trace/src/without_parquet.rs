//! No Parquet: this program was built without the feature `parquet`, and refuses such files.

use std::fs::File;

use crate::file_tables::FileTables;
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
