//! Reads rows from Parquet.

use std::cell::Cell;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{UnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use ::parquet::basic::Type as Physical;
use ::parquet::column::reader::get_typed_column_reader;
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, Int32Type,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use base::{Elem, Tag, Time};

use super::{COLUMNS_KEY, HEADER_KEY, TAG_COLUMNS, VERSION_KEY, first_columns};
use crate::chunk::Chunk;
use crate::file_tables::FileTables;
use crate::header::FORMAT_VERSION;
use crate::labels::number_of;
use crate::layout::Layout;
use crate::{Header, ReadProblem, Schema};

/// Reads a whole file.
pub(crate) fn read(mut file: File) -> Result<FileTables, ReadProblem> {
    check_ends(&mut file)?;
    guarded(|| decode(file))
}

/// Decodes pages. The decoders of the library assume more than they check: some bytes make them
/// panic.
pub(super) fn guarded<T>(
    work: impl FnOnce() -> Result<T, ReadProblem> + UnwindSafe,
) -> Result<T, ReadProblem> {
    let read = without_words(|| catch_unwind(work));
    read.unwrap_or_else(|_| Err(ReadProblem::Damaged("its pages cannot be decoded".to_owned())))
}

thread_local! {
    /// Whether a panic of this thread is expected and must not be reported.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Suppresses the messages of panics of this thread; those of other threads are reported as before.
fn without_words<R>(work: impl FnOnce() -> R) -> R {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !EXPECTED.get() {
                before(panic);
            }
        }));
    });
    EXPECTED.set(true);
    let result = work();
    EXPECTED.set(false);
    result
}

fn decode(file: File) -> Result<FileTables, ReadProblem> {
    let reader = SerializedFileReader::new(file).map_err(broken)?;
    let (header, schema) = metadata(&reader)?;
    let mut parts = FileTables::new(schema.clone(), header);
    let physical = reader.metadata().file_metadata().schema_descr();
    if physical.num_columns() != first_columns(parts.layout()).len() + schema.width() {
        let reason = "its columns are not those that its metadata describe";
        return Err(ReadProblem::Damaged(reason.to_owned()));
    }
    let mut last = None;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(broken)?;
        let chunk = chunk(&*group, &schema, parts.layout())?;
        if !chunk.tags().is_sorted() || last > chunk.tags().first().copied() {
            return Err(ReadProblem::Damaged("its tags are out of order".to_owned()));
        }
        last = chunk.tags().last().copied();
        parts.append(&chunk);
    }
    Ok(parts)
}

/// A Parquet file starts and ends with the same four letters.
pub(super) fn check_ends(file: &mut File) -> Result<(), ReadProblem> {
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

pub(super) fn broken(error: ParquetError) -> ReadProblem {
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

fn chunk(
    group: &dyn RowGroupReader,
    schema: &Schema,
    layout: &Layout,
) -> Result<Chunk, ReadProblem> {
    let mut chunk = Chunk::new(schema, 0);
    // Files of earlier versions have the exact time first, followed by the seconds.
    let first = group.metadata().column(0).column_type();
    let exact = usize::from(first != Physical::FIXED_LEN_BYTE_ARRAY);
    let (times, _) = column::<FixedLenByteArrayType>(group, exact)?;
    let (microsteps, _) = column::<Int32Type>(group, 2)?;
    let tables = tables(group, layout, times.len())?;
    for ((time, microstep), table) in times.iter().zip(&microsteps).zip(&tables) {
        let bytes: [u8; 16] = time
            .data()
            .try_into()
            .map_err(|_| ReadProblem::Damaged("a time has not 16 bytes".to_owned()))?;
        let time = Time::from_attoseconds(i128::from_be_bytes(bytes));
        chunk.push_tag(Tag::new(time, microstep.cast_unsigned()), *table);
    }
    let mut index = first_columns(layout).len();
    let lanes = chunk.lanes_mut().iter_mut().zip(schema.lanes());
    for ((lane, id), table) in lanes.zip(&layout.table_of) {
        let (elem, labels) = (schema.lane_type(id).elem, schema.lane_labels(id));
        let mut first = None;
        for element in &mut lane.elements {
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
            let is_first = first.as_ref().is_none_or(|first| *first == levels);
            if levels.len() != tables.len() || present != values.len() || !is_first {
                let reason = format!("column {index} has not the rows of the others");
                return Err(ReadProblem::Damaged(reason));
            }
            (*element, first) = (values, Some(levels));
            index += 1;
        }
        let levels = first.unwrap_or_else(|| vec![0; tables.len()]);
        let own = own_levels(&levels, &tables, *table).ok_or_else(|| {
            ReadProblem::Damaged(format!("column {} has values in other tables", index - 1))
        })?;
        lane.set_levels(own);
    }
    Ok(chunk)
}

/// The table of each row.
fn tables(
    group: &dyn RowGroupReader,
    layout: &Layout,
    rows: usize,
) -> Result<Vec<u32>, ReadProblem> {
    if !layout.is_divided() {
        return Ok(vec![0; rows]);
    }
    let (names, _) = column::<ByteArrayType>(group, TAG_COLUMNS.len())?;
    let place = |name: &ByteArray| {
        let name = name.as_utf8().ok()?;
        layout.table(name).map(|place| place as u32)
    };
    let places: Option<Vec<u32>> = names.iter().map(place).collect();
    places.ok_or_else(|| ReadProblem::Damaged("a row of no table".to_owned()))
}

/// The levels of a lane in the rows of its table; `None` if it has a value in a row of another
/// table.
fn own_levels(levels: &[i16], tables: &[u32], table: usize) -> Option<Vec<i16>> {
    let rows = levels.iter().zip(tables);
    let foreign = rows.clone().any(|(level, own)| *own as usize != table && *level != 0);
    let own = rows.filter(|(_, own)| **own as usize == table).map(|(level, _)| *level);
    (!foreign).then(|| own.collect())
}

/// The number for a label, or for the text of a number.
fn number(labels: &[String], name: &ByteArray) -> Result<f64, ReadProblem> {
    let name = String::from_utf8_lossy(name.data());
    number_of(labels, &name)
        .or_else(|| name.parse().ok())
        .ok_or_else(|| ReadProblem::Damaged(format!("`{name}` is none of a column's names")))
}

/// All values of a column in a row group and, if they may be absent, whether they are.
pub(super) fn column<D: DataType>(
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
