//! Parquet to rows.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::catch_unwind;

use ::parquet::column::reader::get_typed_column_reader;
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, Int32Type,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use base::{Elem, Tag, Time};

use super::{COLUMNS_KEY, HEADER_KEY, TAG_COLUMNS, VERSION_KEY};
use crate::chunk::Chunk;
use crate::header::FORMAT_VERSION;
use crate::labels::number_of;
use crate::{Header, ReadProblem, Schema, Trace};

/// Reads a whole file.
pub(crate) fn read(mut file: File) -> Result<Trace, ReadProblem> {
    check_ends(&mut file)?;
    // The decoders of the library check less than they assume: some bytes make them panic.
    let read = catch_unwind(|| decode(file));
    read.unwrap_or_else(|_| Err(ReadProblem::Damaged("its pages cannot be decoded".to_owned())))
}

fn decode(file: File) -> Result<Trace, ReadProblem> {
    let reader = SerializedFileReader::new(file).map_err(broken)?;
    let (header, schema) = metadata(&reader)?;
    let physical = reader.metadata().file_metadata().schema_descr();
    if physical.num_columns() != TAG_COLUMNS.len() + schema.width() {
        let reason = "its columns are not those that its metadata describe";
        return Err(ReadProblem::Damaged(reason.to_owned()));
    }
    let mut trace = Trace::with_schema(schema.clone());
    trace.set_header(header);
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(broken)?;
        trace.append(&chunk(&*group, &schema)?);
    }
    if trace.tags().is_sorted() {
        Ok(trace)
    } else {
        Err(ReadProblem::Damaged("its tags are out of order".to_owned()))
    }
}

/// A Parquet file begins and ends with the same four letters.
fn check_ends(file: &mut File) -> Result<(), ReadProblem> {
    const LETTERS: [u8; 4] = *b"PAR1";
    let length = file.metadata()?.len();
    let mut letters = [0; 4];
    let read = usize::try_from(length.min(4)).expect("at most four");
    file.read_exact(&mut letters[..read])?;
    if letters[..read] != LETTERS[..read] {
        return Err(ReadProblem::NotATrace("it is no Parquet file".to_owned()));
    }
    if length < 12 {
        return Err(ReadProblem::Cut(format!("it has {length} bytes")));
    }
    file.seek(SeekFrom::End(-4))?;
    file.read_exact(&mut letters)?;
    file.seek(SeekFrom::Start(0))?;
    if letters == LETTERS { Ok(()) } else { Err(ReadProblem::Cut("its end is missing".to_owned())) }
}

fn broken(error: ParquetError) -> ReadProblem {
    match error {
        ParquetError::EOF(reason) => ReadProblem::Cut(reason),
        other => ReadProblem::Damaged(other.to_string()),
    }
}

fn metadata(reader: &SerializedFileReader<File>) -> Result<(Header, Schema), ReadProblem> {
    let pairs = reader.metadata().file_metadata().key_value_metadata();
    let value = |key: &str| {
        let pair = pairs?.iter().find(|pair| pair.key == key)?;
        pair.value.as_deref()
    };
    let version = value(VERSION_KEY).ok_or_else(|| {
        ReadProblem::NotATrace(format!("a Parquet file without `{VERSION_KEY}` in its metadata"))
    })?;
    if version != FORMAT_VERSION.to_string() {
        return Err(ReadProblem::OtherVersion(version.to_owned()));
    }
    let damaged = |error: serde_json::Error| ReadProblem::Damaged(format!("its metadata: {error}"));
    let header = value(HEADER_KEY).unwrap_or("{}");
    let columns = value(COLUMNS_KEY).unwrap_or("");
    let schema = Schema::of(serde_json::from_str(columns).map_err(damaged)?);
    Ok((serde_json::from_str(header).map_err(damaged)?, schema.map_err(ReadProblem::Damaged)?))
}

fn chunk(group: &dyn RowGroupReader, schema: &Schema) -> Result<Chunk, ReadProblem> {
    let mut chunk = Chunk::new(schema, 0);
    let (times, _) = column::<FixedLenByteArrayType>(group, 0)?;
    let (microsteps, _) = column::<Int32Type>(group, 2)?;
    for (time, microstep) in times.iter().zip(&microsteps) {
        let bytes: [u8; 16] = time
            .data()
            .try_into()
            .map_err(|_| ReadProblem::Damaged("a time has not 16 bytes".to_owned()))?;
        let time = Time::from_attoseconds(i128::from_be_bytes(bytes));
        chunk.tags_mut().push(Tag::new(time, microstep.cast_unsigned()));
    }
    let rows = chunk.len();
    let mut index = TAG_COLUMNS.len();
    for (lane, id) in chunk.lanes_mut().iter_mut().zip(schema.lanes()) {
        let (elem, labels) = (schema.lane_type(id).elem, schema.lane_labels(id));
        lane.levels = vec![0; rows];
        for (place, element) in lane.elements.iter_mut().enumerate() {
            let (values, levels) = if !labels.is_empty() {
                let (names, levels) = column::<ByteArrayType>(group, index)?;
                (names.iter().map(|name| number(labels, name)).collect::<Result<_, _>>()?, levels)
            } else if elem == Elem::Bool {
                let (values, levels) = column::<BoolType>(group, index)?;
                (values.into_iter().map(f64::from).collect(), levels)
            } else {
                column::<DoubleType>(group, index)?
            };
            let present = levels.iter().filter(|level| **level != 0).count();
            if levels.len() != rows || present != values.len() || place > 0 && levels != lane.levels
            {
                let reason = format!("column {index} has not the rows of the others");
                return Err(ReadProblem::Damaged(reason));
            }
            (*element, lane.levels) = (values, levels);
            index += 1;
        }
    }
    Ok(chunk)
}

/// The number that a name or the text of a number stands for.
fn number(labels: &[String], name: &ByteArray) -> Result<f64, ReadProblem> {
    let name = String::from_utf8_lossy(name.data());
    number_of(labels, &name)
        .or_else(|| name.parse().ok())
        .ok_or_else(|| ReadProblem::Damaged(format!("`{name}` is none of a column's names")))
}

/// All values of a column in a row group and, for those that may be absent, whether they are.
fn column<D: DataType>(
    group: &dyn RowGroupReader,
    index: usize,
) -> Result<(Vec<D::T>, Vec<i16>), ReadProblem> {
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let reader = group.get_column_reader(index).map_err(broken)?;
    if group.metadata().column(index).column_type() != D::get_physical_type() {
        return Err(ReadProblem::Damaged(format!("column {index} has another type")));
    }
    let mut reader = get_typed_column_reader::<D>(reader);
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let (records, _, _) = reader
            .read_records(rows - read, Some(&mut levels), None, &mut values)
            .map_err(broken)?;
        if records == 0 {
            return Err(ReadProblem::Cut(format!("column {index} ends after {read} rows")));
        }
        read += records;
    }
    Ok((values, levels))
}
