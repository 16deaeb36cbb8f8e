//! No Parquet: this program was built without the feature `parquet`, and refuses such files.

use std::fs::File;

use crate::file_tables::FileTables;
use crate::writer::{Encoder, Output};
use crate::{Header, ReadProblem, Schema, WriteProblem};

pub(crate) fn read(_: File) -> Result<FileTables, ReadProblem> {
    Err(ReadProblem::NotBuilt)
}

pub(crate) fn encoder(_: Output, _: &Schema, _: &Header) -> Result<Box<dyn Encoder>, WriteProblem> {
    Err(WriteProblem::NotBuilt)
}
