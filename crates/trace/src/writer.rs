//! Writes rows as they arrive, in bounded memory.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base::Tag;

use crate::chunk::Chunk;
use crate::encoder_thread::EncoderPlace;
use crate::layout::{LastValue, Layout};
use crate::target::Target;
use crate::{Format, Header, Schema, Trace, WriteError, WriteProblem, csv, json, parquet};

/// How to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The file format.
    pub format: Format,
    /// Whether CSV starts with lines `# key: value` that hold the header and the types of the
    /// columns, and ends with the number of rows. The other formats always include these.
    pub comments: bool,
}

impl Options {
    /// A file format, without comments.
    pub fn new(format: Format) -> Options {
        Options { format, comments: false }
    }
}

/// A file or stream that accepts rows as they arrive.
///
/// It holds at most two chunks of rows of about 2 MB each (for rows larger than 16 kB, 128 rows;
/// for more than a few thousand tables, 16 rows of each): one being filled and one being encoded by
/// a thread. The file gets its name only in [`Writer::finish`]; a writer that is dropped earlier
/// leaves nothing behind. After an error it accepts no more rows.
pub struct Writer {
    path: PathBuf,
    schema: Schema,
    layout: Layout,
    chunk: Chunk,
    /// The last value of each column, and the last tag, that have already left the chunk.
    written: Vec<Option<LastValue>>,
    last_tag: Option<Tag>,
    /// The number of rows in a chunk.
    limit: usize,
    rows: u64,
    failed: bool,
    desk: EncoderPlace,
    target: Option<Target>,
}

/// A file format that is being written.
pub(crate) trait Encoder: Send {
    /// Writes rows.
    fn write(&mut self, chunk: &Chunk) -> io::Result<()>;
    /// Writes whatever follows the last row.
    fn finish(&mut self) -> io::Result<()>;
}

/// Where the bytes go.
pub(crate) type Output = Box<dyn Write + Send>;

impl Writer {
    /// Writes to a file in the format given by its extension.
    pub fn create(path: &Path, schema: &Schema, header: &Header) -> Result<Writer, WriteError> {
        let unknown = || WriteError { path: path.to_owned(), problem: WriteProblem::UnknownFormat };
        let format = Format::of(path).ok_or_else(unknown)?;
        Writer::create_as(path, schema, header, Options::new(format))
    }

    /// Writes to a file, whatever its extension.
    pub fn create_as(
        path: &Path,
        schema: &Schema,
        header: &Header,
        options: Options,
    ) -> Result<Writer, WriteError> {
        let error = |error| WriteError::new(path, error);
        let target = Target::create(path).map_err(error)?;
        let file = Box::new(target.file().map_err(error)?);
        let writer = Writer::to(file, path.to_owned(), schema, header, options)?;
        Ok(Writer { target: Some(target), ..writer })
    }

    /// Writes to a stream, such as standard output.
    pub fn stream(
        out: impl Write + Send + 'static,
        schema: &Schema,
        header: &Header,
        options: Options,
    ) -> Result<Writer, WriteError> {
        Writer::to(Box::new(out), PathBuf::from("the output"), schema, header, options)
    }

    fn to(
        out: Output,
        path: PathBuf,
        schema: &Schema,
        header: &Header,
        options: Options,
    ) -> Result<Writer, WriteError> {
        let layout = match options.format {
            Format::Csv => Layout::joined(schema),
            Format::Json | Format::Parquet => Layout::of(schema),
        };
        let limit = chunk_rows(schema, &layout, options.format);
        let encoder = match options.format {
            Format::Csv => {
                let header = options.comments.then_some(header);
                csv::Encoder::new(out, schema, header).map(boxed).map_err(WriteProblem::from)
            }
            Format::Json => {
                json::Encoder::new(out, schema, header).map(boxed).map_err(WriteProblem::from)
            }
            Format::Parquet => parquet::encoder(out, schema, header),
        };
        Ok(Writer {
            desk: EncoderPlace::Here(
                encoder.map_err(|problem| WriteError { path: path.clone(), problem })?,
            ),
            path,
            schema: schema.clone(),
            written: vec![None; schema.columns().len()],
            last_tag: None,
            chunk: Chunk::new(schema, limit / layout.tables.len()),
            layout,
            limit,
            rows: 0,
            failed: false,
            target: None,
        })
    }

    /// Adds a row, whose tag must come after all earlier ones. `value` returns each column's
    /// elements, or `None` if it is absent; `impulse` returns the coefficient of a column's impulse
    /// of an order, or `None` if there is none, and is called only for orders of the schema.
    ///
    /// # Panics
    /// If the number of elements of a value does not match the type of its column, or after an
    /// error.
    #[inline]
    pub fn push<'v>(
        &mut self,
        tag: Tag,
        value: impl Fn(usize) -> Option<&'v [f64]>,
        impulse: impl Fn(usize, usize) -> Option<&'v [f64]>,
    ) -> Result<(), WriteError> {
        self.push_some(tag, (|_| true, None), value, impulse)
    }

    /// The same for a row that leaves out some columns: those of tables that have no row here. If
    /// [`Writer::is_joined`], no such row can be written. If there are many tables and a row
    /// concerns only a few, `among` names one column of each table of signals that may be
    /// concerned, in the order of the schema.
    #[inline]
    pub fn push_some<'v>(
        &mut self,
        tag: Tag,
        (covers, among): (impl Fn(usize) -> bool, Option<&[usize]>),
        value: impl Fn(usize) -> Option<&'v [f64]>,
        impulse: impl Fn(usize, usize) -> Option<&'v [f64]>,
    ) -> Result<(), WriteError> {
        self.layout.push(&mut self.chunk, tag, (covers, among), value, impulse);
        self.rows += 1;
        if self.chunk.len() >= self.limit { self.hand_over() } else { Ok(()) }
    }

    /// Whether all columns share one table, so that every row must cover each of them.
    pub fn is_joined(&self) -> bool {
        self.layout.is_joined()
    }

    /// The number of tables.
    pub fn tables(&self) -> usize {
        self.layout.tables.len()
    }

    /// The number of rows added.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The last value of each signal at its tag, and the last tag, to report the progress of a run.
    pub fn last_rows(&self) -> Trace {
        let mut last: Vec<(usize, LastValue)> = self
            .layout
            .last_values(&self.chunk)
            .into_iter()
            .zip(&self.written)
            .map(|(last, written)| last.or_else(|| written.clone()))
            .enumerate()
            .filter_map(|(column, value)| Some((column, value?)))
            .collect();
        last.sort_by_key(|(_, value)| value.tag);
        let mut trace = Trace::with_schema(self.schema.clone());
        for values in last.chunk_by(|a, b| a.1.tag == b.1.tag) {
            trace.push(values[0].1.tag, |column| {
                let own = values.iter().find(|(own, _)| *own == column)?;
                Some(own.1.elements.as_slice())
            });
        }
        let end = self.chunk.tags().last().copied().or(self.last_tag);
        if let Some(tag) = end.filter(|tag| trace.tags().last() != Some(tag)) {
            trace.push(tag, |_| None);
        }
        trace
    }

    /// Writes the remaining rows and gives the file its name.
    pub fn finish(mut self) -> Result<(), WriteError> {
        assert!(!self.failed, "a writer takes no more after an error");
        let target = self.target.take();
        let finished = self.desk.come_back().and_then(|encoder| {
            if self.chunk.len() > 0 {
                encoder.write(&self.chunk)?;
            }
            encoder.finish()?;
            target.map_or(Ok(()), Target::finish)
        });
        finished.map_err(|error| WriteError::new(&self.path, error))
    }

    /// Encodes a full chunk. A file with more than one chunk is encoded on a separate thread; a
    /// stream is written immediately, because someone may be waiting for it.
    fn hand_over(&mut self) -> Result<(), WriteError> {
        assert!(!self.failed, "a writer takes no more after an error");
        for (kept, last) in self.written.iter_mut().zip(self.layout.last_values(&self.chunk)) {
            *kept = last.or_else(|| kept.take());
        }
        self.last_tag = self.chunk.tags().last().copied();
        let first = matches!(self.desk, EncoderPlace::Here(_)) && self.target.is_some();
        let spare = first.then(|| Chunk::new(&self.schema, self.limit / self.layout.tables.len()));
        let taken = self.desk.take(&mut self.chunk, spare);
        self.failed = taken.is_err();
        taken.map_err(|error| WriteError::new(&self.path, error))
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Writer of {} with {} rows", self.path.display(), self.rows())
    }
}

pub(crate) fn boxed<'a>(encoder: impl Encoder + 'a) -> Box<dyn Encoder + 'a> {
    Box::new(encoder)
}

/// A chunk is a row group in Parquet: large enough to be read fast, and small enough for the
/// encoder thread to start early. For text, a small chunk stays in the cache. The work per table of
/// a chunk must not exceed the work for its rows.
fn chunk_rows(schema: &Schema, layout: &Layout, format: Format) -> usize {
    let tables = layout.tables.len();
    let bytes = 32 + (8 * schema.width() + 2 * schema.lanes().count()) / tables;
    match format {
        Format::Parquet => ((2 << 20) / bytes).clamp(128, 1 << 17).max(16 * tables),
        Format::Csv | Format::Json => ((256 << 10) / bytes).clamp(1, 1 << 10).max(tables),
    }
}

/// Writes a table with its header to a file in the format given by its extension.
pub fn write(trace: &Trace, path: &Path) -> Result<(), WriteError> {
    write_all(trace, Writer::create(path, trace.schema(), trace.header())?)
}

/// Writes a table to a stream.
pub fn write_to(
    trace: &Trace,
    out: impl Write + Send + 'static,
    options: Options,
) -> Result<(), WriteError> {
    write_all(trace, Writer::stream(out, trace.schema(), trace.header(), options)?)
}

fn write_all(trace: &Trace, mut writer: Writer) -> Result<(), WriteError> {
    for row in trace.joined() {
        writer.push(
            row.tag,
            |column| row.value(column),
            |column, order| row.impulse(column, order),
        )?;
    }
    writer.finish()
}
