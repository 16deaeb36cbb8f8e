//! Flat tables in Parquet: a row group for every some ten thousand rows.

use std::io;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;

use super::encode::broken;
use crate::WriteProblem;
use crate::flat::{Cell, FlatColumn, FlatKind};
use crate::writer::Output;

/// How many rows a row group has.
const GROUP: usize = 1 << 16;

/// A flat table that is being written.
pub(crate) struct FlatEncoder {
    file: SerializedFileWriter<Output>,
    kinds: Vec<FlatKind>,
    /// The cells of the present row group, column by column.
    cells: Vec<Vec<Cell>>,
}

impl FlatEncoder {
    pub fn new(out: Output, columns: &[FlatColumn]) -> Result<FlatEncoder, WriteProblem> {
        let properties = WriterProperties::builder().set_compression(Compression::LZ4_RAW).build();
        let file = fields(columns)
            .and_then(|fields| SerializedFileWriter::new(out, fields, Arc::new(properties)))
            .map_err(broken)?;
        let kinds: Vec<FlatKind> = columns.iter().map(|column| column.kind).collect();
        Ok(FlatEncoder { file, cells: vec![Vec::new(); kinds.len()], kinds })
    }

    pub fn push(&mut self, cells: &[Cell]) -> io::Result<()> {
        for (column, cell) in self.cells.iter_mut().zip(cells) {
            column.push(cell.clone());
        }
        match self.cells.first().is_some_and(|column| column.len() >= GROUP) {
            true => self.group().map_err(broken),
            false => Ok(()),
        }
    }

    pub fn finish(mut self) -> io::Result<()> {
        if self.cells.first().is_some_and(|column| !column.is_empty()) {
            self.group().map_err(broken)?;
        }
        self.file.finish().map(drop).map_err(broken)
    }

    fn group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for (kind, cells) in self.kinds.iter().zip(&mut self.cells) {
            match kind {
                FlatKind::Number => column::<DoubleType, _>(&mut group, cells, number)?,
                FlatKind::Integer => column::<Int64Type, _>(&mut group, cells, integer)?,
                FlatKind::Truth => column::<BoolType, _>(&mut group, cells, truth)?,
                FlatKind::Text => column::<ByteArrayType, _>(&mut group, cells, text)?,
            }
            cells.clear();
        }
        group.close().map(drop)
    }
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Number(number) => Some(*number),
        Cell::Integer(number) => Some(*number as f64),
        _ => None,
    }
}

fn integer(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Integer(number) => Some(*number),
        _ => None,
    }
}

fn truth(cell: &Cell) -> Option<bool> {
    match cell {
        Cell::Truth(truth) => Some(*truth),
        _ => None,
    }
}

fn text(cell: &Cell) -> Option<ByteArray> {
    match cell {
        Cell::Text(text) => Some(text.as_str().into()),
        _ => None,
    }
}

fn fields(columns: &[FlatColumn]) -> Result<Arc<Type>, ParquetError> {
    let field = |column: &FlatColumn| {
        let (physical, logical) = match column.kind {
            FlatKind::Number => (Physical::DOUBLE, None),
            FlatKind::Integer => (Physical::INT64, None),
            FlatKind::Truth => (Physical::BOOLEAN, None),
            FlatKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(&column.name, physical);
        let field = field.with_logical_type(logical).with_repetition(Repetition::OPTIONAL);
        field.build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("table").with_fields(fields).build().map(Arc::new)
}

fn column<D: DataType<T = T>, T>(
    group: &mut SerializedRowGroupWriter<'_, Output>,
    cells: &[Cell],
    of: fn(&Cell) -> Option<T>,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(of(cell).is_some())).collect();
    let values: Vec<T> = cells.iter().filter_map(of).collect();
    let mut column = group.next_column()?.expect("a column for each name");
    column.typed::<D>().write_batch(&values, Some(&levels), None)?;
    column.close()
}
