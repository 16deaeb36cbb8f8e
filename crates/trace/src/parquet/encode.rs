//! Writes rows to Parquet: a chunk is a row group.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use ::parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, Int32Type,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::{ColumnPath, PrimitiveTypeBuilder, Type};
use base::{Elem, Tag};
use bytes::Bytes;

use super::{COLUMNS_KEY, HEADER_KEY, TABLE_COLUMN, TAG_COLUMNS, VERSION_KEY, first_columns};
use crate::chunk::{Chunk, Lane};
use crate::header::FORMAT_VERSION;
use crate::labels::Form;
use crate::layout::Layout;
use crate::number::seconds;
use crate::writer::{self, Output};
use crate::{Header, Schema};

/// A Parquet file that is being written.
pub(crate) struct Encoder {
    file: SerializedFileWriter<Output>,
    /// How the values of each lane are written.
    forms: Vec<Form>,
    layout: Layout,
}

impl Encoder {
    pub fn new(out: Output, schema: &Schema, header: &Header) -> io::Result<Encoder> {
        let layout = Layout::of(schema);
        let properties = Arc::new(properties(schema, &layout, header)?);
        let fields = fields(schema, &layout).map_err(broken)?;
        let file = SerializedFileWriter::new(out, fields, properties).map_err(broken)?;
        let plain = |name: &str| name.as_bytes().to_vec();
        let forms = schema.lanes().map(|lane| Form::of(schema, lane, plain)).collect();
        Ok(Encoder { file, forms, layout })
    }

    fn row_group(&mut self, chunk: &Chunk) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        let in_seconds: Vec<f64> = chunk.tags().iter().map(|tag| seconds(tag.time)).collect();
        column::<DoubleType, _>(&mut group, &in_seconds, None)?;
        times(&mut group, chunk.tags())?;
        // The bits of a u32 as an i32, which is the widest of the narrow types.
        let microsteps: Vec<i32> =
            chunk.tags().iter().map(|tag| tag.microstep.cast_signed()).collect();
        column::<Int32Type, _>(&mut group, &microsteps, None)?;
        if self.layout.is_divided() {
            tables(&mut group, &self.layout, chunk.tables())?;
        }
        let kinds = self.forms.iter().zip(&self.layout.table_of);
        let everywhere = vec![1; chunk.len()];
        for (lane, (form, table)) in chunk.lanes().iter().zip(kinds) {
            let own = lane.levels().unwrap_or(&everywhere);
            match self.layout.is_divided() {
                true => {
                    let levels = spread(own, chunk.tables(), *table);
                    self::lane(&mut group, lane, &levels, form)?;
                }
                false => self::lane(&mut group, lane, own, form)?,
            }
        }
        group.close().map(|_| ())
    }
}

impl writer::Encoder for Encoder {
    fn write(&mut self, chunk: &Chunk) -> io::Result<()> {
        self.row_group(chunk).map_err(broken)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.file.finish().map(|_| ()).map_err(broken)
    }
}

/// The error of the underlying stream, if there is one.
pub(super) fn broken(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(below) => match below.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

fn properties(schema: &Schema, layout: &Layout, header: &Header) -> io::Result<WriterProperties> {
    let pair = |key: &str, value| KeyValue::new(key.to_owned(), Some(value));
    let metadata = vec![
        pair(VERSION_KEY, FORMAT_VERSION.to_string()),
        pair(HEADER_KEY, serde_json::to_string(header)?),
        pair(COLUMNS_KEY, serde_json::to_string(&schema.describe())?),
    ];
    let [seconds, time, microstep] = TAG_COLUMNS.map(ColumnPath::from);
    let mut properties = WriterProperties::builder()
        .set_key_value_metadata(Some(metadata))
        .set_compression(Compression::LZ4_RAW)
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::BYTE_STREAM_SPLIT)
        .set_column_encoding(microstep, Encoding::DELTA_BINARY_PACKED)
        // A reader that needs a time range finds its row groups by these statistics, or by those of
        // the exact time if it does not yet know how the library orders floats. Others would cost
        // time.
        .set_statistics_enabled(EnabledStatistics::None)
        .set_column_statistics_enabled(time, EnabledStatistics::Chunk)
        .set_column_statistics_enabled(seconds, EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    if layout.is_divided() {
        let table = ColumnPath::from(TABLE_COLUMN);
        properties = properties
            .set_column_encoding(table.clone(), Encoding::PLAIN)
            .set_column_dictionary_enabled(table, true);
    }
    let names = names(schema, layout);
    let elements = schema.lanes().flat_map(|lane| {
        let (ty, named) = (schema.lane_type(lane), !schema.lane_labels(lane).is_empty());
        std::iter::repeat_n((ty.elem, named), ty.len())
    });
    for (name, (elem, named)) in names.into_iter().skip(first_columns(layout).len()).zip(elements) {
        let path = ColumnPath::new(vec![name]);
        if named {
            properties = properties
                .set_column_encoding(path.clone(), Encoding::PLAIN)
                .set_column_dictionary_enabled(path, true);
        } else if elem == Elem::Bool {
            properties = properties.set_column_encoding(path, Encoding::RLE);
        }
    }
    Ok(properties.build())
}

/// The names of all columns, made unique.
fn names(schema: &Schema, layout: &Layout) -> Vec<String> {
    let mut taken = HashSet::new();
    let first = first_columns(layout).into_iter().map(str::to_owned);
    let wanted = first.chain(schema.names());
    wanted
        .map(|name| {
            let others = (2..).map(|k| format!("{name} ({k})"));
            let mut candidates = std::iter::once(name.clone()).chain(others);
            candidates.find(|name| taken.insert(name.clone())).expect("there are enough numbers")
        })
        .collect()
}

fn required(name: &str, physical: Physical) -> PrimitiveTypeBuilder<'_> {
    Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED)
}

fn fields(schema: &Schema, layout: &Layout) -> Result<Arc<Type>, ParquetError> {
    let names = names(schema, layout);
    let exact = required(&names[1], Physical::FIXED_LEN_BYTE_ARRAY)
        .with_length(16)
        .with_logical_type(Some(LogicalType::decimal(18, 38)))
        .with_precision(38)
        .with_scale(18)
        .build()?;
    let mut fields = vec![required(&names[0], Physical::DOUBLE).build()?, exact];
    fields.push(required(&names[2], Physical::INT32).build()?);
    if layout.is_divided() {
        let text = required(&names[3], Physical::BYTE_ARRAY);
        fields.push(text.with_logical_type(Some(LogicalType::String)).build()?);
    }
    let mut rest = names.iter().skip(fields.len());
    for lane in schema.lanes() {
        let ty = schema.lane_type(lane);
        let (physical, logical) = if !schema.lane_labels(lane).is_empty() {
            (Physical::BYTE_ARRAY, Some(LogicalType::String))
        } else if ty.elem == Elem::Bool {
            (Physical::BOOLEAN, None)
        } else {
            (Physical::DOUBLE, None)
        };
        for name in rest.by_ref().take(ty.len()) {
            let field = Type::primitive_type_builder(name, physical);
            let field = field.with_logical_type(logical.clone());
            fields.push(field.with_repetition(Repetition::OPTIONAL).build()?);
        }
    }
    let fields = fields.into_iter().map(Arc::new).collect();
    Type::group_type_builder("trace").with_fields(fields).build().map(Arc::new)
}

type Group<'a> = SerializedRowGroupWriter<'a, Output>;

/// Writes the exact times in pieces: each value is a handle that is many times larger than its
/// bytes.
fn times(group: &mut Group<'_>, tags: &[Tag]) -> Result<(), ParquetError> {
    const PIECE: usize = 1 << 12;
    let mut column = group.next_column()?.expect("the column of times");
    let mut handles: Vec<FixedLenByteArray> = Vec::with_capacity(PIECE.min(tags.len()));
    for tags in tags.chunks(PIECE) {
        let mut all = Vec::with_capacity(16 * tags.len());
        all.extend(tags.iter().flat_map(|tag| tag.time.attoseconds().to_be_bytes()));
        let all = Bytes::from(all);
        // The first and the last may be kept in the statistics, and a slice would keep all bytes
        // alive.
        let handle = |row: usize| {
            let own = all.slice(16 * row..16 * row + 16);
            let is_end = row == 0 || row + 1 == tags.len();
            ByteArray::from(if is_end { Bytes::copy_from_slice(&own) } else { own }).into()
        };
        handles.clear();
        handles.extend((0..tags.len()).map(handle));
        column.typed::<FixedLenByteArrayType>().write_batch(&handles, None, None)?;
    }
    column.close()
}

/// Writes the table names of rows, in pieces like the times.
fn tables(group: &mut Group<'_>, layout: &Layout, rows: &[u32]) -> Result<(), ParquetError> {
    const PIECE: usize = 1 << 12;
    let names: Vec<ByteArray> =
        layout.tables.iter().map(|table| ByteArray::from(table.name.as_str())).collect();
    let mut column = group.next_column()?.expect("the column of tables");
    for rows in rows.chunks(PIECE) {
        let handles: Vec<ByteArray> = rows.iter().map(|row| names[*row as usize].clone()).collect();
        column.typed::<ByteArrayType>().write_batch(&handles, None, None)?;
    }
    column.close()
}

/// For each row whether a lane is present; it is not in rows of other tables.
fn spread(levels: &[i16], tables: &[u32], table: usize) -> Vec<i16> {
    let mut own = levels.iter();
    let level = |row: &u32| match *row as usize == table {
        true => *own.next().expect("a level for each row of the table"),
        false => 0,
    };
    tables.iter().map(level).collect()
}

fn lane(
    group: &mut Group<'_>,
    lane: &Lane,
    levels: &[i16],
    form: &Form,
) -> Result<(), ParquetError> {
    for values in &lane.elements {
        if form.has_names() {
            let values: Vec<ByteArray> =
                values.iter().map(|value| form.text(*value).into()).collect();
            column::<ByteArrayType, _>(group, &values, Some(levels))?;
        } else if form.elem == Elem::Bool {
            let values: Vec<bool> = values.iter().map(|value| *value != 0.0).collect();
            column::<BoolType, _>(group, &values, Some(levels))?;
        } else {
            column::<DoubleType, _>(group, values, Some(levels))?;
        }
    }
    Ok(())
}

fn column<D: DataType<T = T>, T>(
    group: &mut Group<'_>,
    values: &[T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.expect("a column for each element");
    column.typed::<D>().write_batch(values, levels, None)?;
    column.close()
}
