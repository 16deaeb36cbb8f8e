//! Reads columns of a flat table that something else has written, such as pandas or Polars.
//!
//! A file and the names of columns come in; out come the numbers of each, row after row. A value
//! that is missing and a column that does not hold numbers are refused.

use std::fs::File;

use ::parquet::basic::{Compression, ConvertedType, LogicalType, Type as Physical};
use ::parquet::data_type::{BoolType, DoubleType, FloatType, Int32Type, Int64Type};
use ::parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;

use super::VERSION_KEY;
use super::decode::{broken, check_ends, column, guarded};
use crate::ReadProblem;
use crate::flat::FlatTable;
use crate::samples::{SamplesError, place, wrong};

/// The numbers of one column.
pub(crate) struct PlainColumn {
    pub numbers: Vec<f64>,
    /// Whether they have the precision of 32 bits.
    pub single: bool,
}

/// Columns of a table by their names; none if the file is the result of a run, or no Parquet file:
/// reading it as a result then says what is wrong.
pub(crate) fn read_plain(
    mut file: File,
    wanted: &[&str],
) -> Result<Option<Vec<PlainColumn>>, SamplesError> {
    if check_ends(&mut file).is_err() {
        return Ok(None);
    }
    let read = guarded(|| Ok(read_columns(file, wanted)));
    read.unwrap_or_else(|problem| Err(unread(problem)))
}

/// Why the pages of a table cannot be read.
fn unread(problem: ReadProblem) -> SamplesError {
    wrong(match problem {
        ReadProblem::Cut(reason) => format!("the file is cut: {reason}"),
        ReadProblem::Damaged(reason) => format!("the file is damaged: {reason}"),
        other => format!("the file cannot be read: {other:?}"),
    })
}

/// All columns of a table whose columns are all numbers.
pub(crate) fn read_numbers(mut file: File) -> Result<FlatTable, SamplesError> {
    check_ends(&mut file).map_err(unread)?;
    let again = file.try_clone().map_err(|error| wrong(error.to_string()))?;
    let names = guarded(|| Ok(names(file)));
    let names = names.unwrap_or_else(|problem| Err(unread(problem)))?;
    let wanted: Vec<&str> = names.iter().map(String::as_str).collect();
    let columns = read_plain(again, &wanted)?
        .ok_or_else(|| wrong("it is the result of a run, not a table of parameters".to_owned()))?;
    let count = columns.first().map_or(0, |column| column.numbers.len());
    let row = |row: usize| columns.iter().map(|column| column.numbers[row]).collect();
    Ok(FlatTable { rows: (0..count).map(row).collect(), names })
}

/// The names of all columns.
fn names(file: File) -> Result<Vec<String>, SamplesError> {
    let reader = SerializedFileReader::new(file).map_err(|error| unread(broken(error)))?;
    let columns = reader.metadata().file_metadata().schema_descr().columns();
    Ok(columns.iter().map(|column| column.path().string()).collect())
}

fn read_columns(file: File, wanted: &[&str]) -> Result<Option<Vec<PlainColumn>>, SamplesError> {
    let reader = SerializedFileReader::new(file).map_err(|error| unread(broken(error)))?;
    let metadata = reader.metadata().file_metadata();
    let pairs = metadata.key_value_metadata();
    if pairs.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == VERSION_KEY)) {
        return Ok(None);
    }
    let all = metadata.schema_descr().columns();
    // Lists and structures have longer paths.
    let flat = |own: &ColumnDescriptor| own.path().parts().len() == 1 && own.max_rep_level() == 0;
    let flat = (0..all.len()).filter(|index| flat(&all[*index])).collect::<Vec<_>>();
    let known: Vec<&str> = flat.iter().map(|index| all[*index].name()).collect();
    let mut columns = Vec::new();
    for name in wanted {
        let index = flat[place(&known, name)?];
        let kind = Kind::of(&all[index])
            .ok_or_else(|| wrong(format!("the column `{name}` does not hold numbers")))?;
        let mut numbers = Vec::new();
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group).map_err(|error| unread(broken(error)))?;
            check_codec(&*group, index)?;
            let (mut own, levels) = kind.numbers(&*group, index).map_err(unread)?;
            if let Some(row) = levels.iter().position(|level| *level == 0) {
                let row = numbers.len() + row + 1;
                return Err(wrong(format!("row {row}: `{name}` has no value")));
            }
            if own.len() as i64 != group.metadata().num_rows() {
                return Err(wrong(format!("the file is damaged: rows of `{name}` are missing")));
            }
            numbers.append(&mut own);
        }
        columns.push(PlainColumn { numbers, single: kind == Kind::Single });
    }
    Ok(Some(columns))
}

/// How a column holds numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Single,
    Double,
    Int32 { signed: bool },
    Int64 { signed: bool },
}

impl Kind {
    /// The kind of a column; none if it holds something else, such as texts or dates.
    fn of(column: &ColumnDescriptor) -> Option<Kind> {
        let signed = match (column.logical_type_ref(), column.converted_type()) {
            (Some(LogicalType::Integer(integer)), _) => integer.is_signed,
            (Some(_), _) => return None,
            (None, ConvertedType::NONE) => true,
            (None, ConvertedType::INT_8 | ConvertedType::INT_16) => true,
            (None, ConvertedType::INT_32 | ConvertedType::INT_64) => true,
            (None, ConvertedType::UINT_8 | ConvertedType::UINT_16) => false,
            (None, ConvertedType::UINT_32 | ConvertedType::UINT_64) => false,
            (None, _) => return None,
        };
        match column.physical_type() {
            Physical::BOOLEAN => Some(Kind::Bool),
            Physical::FLOAT => Some(Kind::Single),
            Physical::DOUBLE => Some(Kind::Double),
            Physical::INT32 => Some(Kind::Int32 { signed }),
            Physical::INT64 => Some(Kind::Int64 { signed }),
            Physical::INT96 | Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => None,
        }
    }

    /// The numbers of a column in a row group and, if some may be missing, which are there.
    fn numbers(
        self,
        group: &dyn RowGroupReader,
        index: usize,
    ) -> Result<(Vec<f64>, Vec<i16>), ReadProblem> {
        fn all<T>((values, levels): (Vec<T>, Vec<i16>), to: fn(T) -> f64) -> (Vec<f64>, Vec<i16>) {
            (values.into_iter().map(to).collect(), levels)
        }
        Ok(match self {
            Kind::Bool => all(column::<BoolType>(group, index)?, f64::from),
            Kind::Single => all(column::<FloatType>(group, index)?, f64::from),
            Kind::Double => column::<DoubleType>(group, index)?,
            Kind::Int32 { signed } => all(
                column::<Int32Type>(group, index)?,
                if signed { |value| f64::from(value) } else { |value| f64::from(value as u32) },
            ),
            Kind::Int64 { signed } => all(
                column::<Int64Type>(group, index)?,
                if signed { |value| value as f64 } else { |value| value as u64 as f64 },
            ),
        })
    }
}

/// Refuses pages that this program cannot decompress.
fn check_codec(group: &dyn RowGroupReader, index: usize) -> Result<(), SamplesError> {
    let name = match group.metadata().column(index).compression() {
        Compression::UNCOMPRESSED
        | Compression::SNAPPY
        | Compression::LZ4
        | Compression::LZ4_RAW => return Ok(()),
        Compression::GZIP(_) => "gzip",
        Compression::LZO => "LZO",
        Compression::BROTLI(_) => "Brotli",
        Compression::ZSTD(_) => "zstd",
    };
    let help = "write it with the compression snappy or lz4, or with none";
    let reason = format!("the file is compressed with {name}, which is not supported");
    Err(SamplesError { help: Some(help.to_owned()), ..wrong(reason) })
}
