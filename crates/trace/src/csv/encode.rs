//! Writes rows to CSV.

use std::io::{self, Write};

use super::{COLUMNS_KEY, ROWS_KEY, VERSION_KEY};
use crate::chunk::Chunk;
use crate::header::FORMAT_VERSION;
use crate::labels::Form;
use crate::layout::Layout;
use crate::number::write_time;
use crate::{Header, Schema, Trace, writer};

/// Writes the table. Vectors and matrices have a column for each element; absent signals have an
/// empty field; a signal with impulses has a further column for the coefficient of each order.
pub fn write_csv(trace: &Trace, out: impl Write) -> io::Result<()> {
    write_rows(trace, Encoder::new(out, trace.schema(), None)?)
}

/// Writes a table whose rows are numbered by something other than time, which is called `index` and
/// stored as the time of the tags. There are no microsteps.
pub fn write_indexed_csv(trace: &Trace, index: &str, out: impl Write) -> io::Result<()> {
    write_rows(trace, Encoder::with_index(out, trace.schema(), &[index])?)
}

fn write_rows(trace: &Trace, mut encoder: Encoder<impl Write>) -> io::Result<()> {
    const ROWS: usize = 1 << 10;
    let mut chunk = Chunk::new(trace.schema(), ROWS);
    let layout = Layout::joined(trace.schema());
    for row in trace.joined() {
        let impulse = |column, order| row.impulse(column, order);
        layout.push(&mut chunk, row.tag, (|_| true, None), |column| row.value(column), impulse);
        if chunk.len() == ROWS {
            encoder.chunk(&chunk)?;
            chunk.clear();
        }
    }
    encoder.chunk(&chunk)?;
    encoder.end()
}

/// A CSV file that is being written.
pub(crate) struct Encoder<W: Write> {
    out: W,
    forms: Vec<Form>,
    /// The lines of a chunk.
    text: Vec<u8>,
    rows: u64,
    comments: bool,
    microsteps: bool,
}

impl<W: Write> Encoder<W> {
    /// Writes the names of the columns, after comments if there is a header to write.
    pub fn new(mut out: W, schema: &Schema, header: Option<&Header>) -> io::Result<Self> {
        if let Some(header) = header {
            out.write_all(comments(header, schema)?.as_bytes())?;
        }
        let encoder = Encoder::with_index(out, schema, &["time", "microstep"])?;
        Ok(Encoder { comments: header.is_some(), ..encoder })
    }

    /// Writes the names of the columns, after the one or two columns for the tags.
    fn with_index(mut out: W, schema: &Schema, index: &[&str]) -> io::Result<Self> {
        let mut names = ::csv::Writer::from_writer(Vec::new());
        let own = schema.names();
        names.write_record(index.iter().copied().chain(own.iter().map(String::as_str)))?;
        out.write_all(&names.into_inner().map_err(|error| error.into_error())?)?;
        let forms = schema.lanes().map(|lane| Form::of(schema, lane, quoted)).collect();
        let (text, microsteps) = (Vec::new(), index.len() > 1);
        Ok(Encoder { out, forms, text, rows: 0, comments: false, microsteps })
    }

    fn chunk(&mut self, chunk: &Chunk) -> io::Result<()> {
        let mut cursors = chunk.cursors();
        for tag in chunk.tags() {
            write_time(&mut self.text, tag.time);
            if self.microsteps {
                self.text.push(b',');
                self.text.extend_from_slice(itoa::Buffer::new().format(tag.microstep).as_bytes());
            }
            for (cursor, form) in cursors.iter_mut().zip(&self.forms) {
                match cursor.next() {
                    None => self.text.extend(std::iter::repeat_n(b',', cursor.width())),
                    Some(values) => {
                        for value in values {
                            self.text.push(b',');
                            form.write(&mut self.text, value);
                        }
                    }
                }
            }
            self.text.push(b'\n');
        }
        self.rows += chunk.len() as u64;
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        if self.comments {
            writeln!(self.out, "# {ROWS_KEY}: {}", self.rows)?;
        }
        self.out.flush()
    }
}

impl<W: Write + Send> writer::Encoder for Encoder<W> {
    fn write(&mut self, chunk: &Chunk) -> io::Result<()> {
        self.chunk(chunk)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.end()
    }
}

/// A name as a field, in quotes if necessary.
fn quoted(name: &str) -> Vec<u8> {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\"")).into_bytes()
    } else {
        name.as_bytes().to_vec()
    }
}

fn comments(header: &Header, schema: &Schema) -> io::Result<String> {
    let mut text = format!("# {VERSION_KEY}: {FORMAT_VERSION}\n");
    let Header { model, hash, parameters, seed, solver, version } = header;
    let fields = [
        ("model", serde_json::to_string(model)?),
        ("hash", serde_json::to_string(hash)?),
        ("parameters", serde_json::to_string(parameters)?),
        ("seed", serde_json::to_string(seed)?),
        ("solver", serde_json::to_string(solver)?),
        ("version", serde_json::to_string(version)?),
    ];
    for (key, value) in fields {
        text.push_str(&format!("# {key}: {value}\n"));
    }
    let columns = serde_json::to_string(&schema.describe())?;
    text.push_str(&format!("# {COLUMNS_KEY}: {columns}\n"));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use base::{Tag, Time, Type};

    use super::*;
    use crate::{Column, Impulse};

    fn text(trace: &Trace) -> String {
        let mut out = Vec::new();
        write_csv(trace, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn column(name: &str, ty: Type) -> Column {
        Column { name: name.to_owned(), ty }
    }

    #[test]
    fn absent_fields_are_empty() {
        let mut trace = Trace::new(vec![column("x", Type::vector(2)), column("e", Type::BOOL)]);
        let tag = Tag::new(Time::from_f64(0.5).unwrap(), 1);
        trace.push(tag, |i| if i == 0 { Some(&[1.0, 0.1][..]) } else { None });
        trace.push(tag, |i| if i == 1 { Some(&[1.0][..]) } else { None });
        assert_eq!(text(&trace), "time,microstep,x[0],x[1],e\n0.5,1,1,0.1,\n0.5,1,,,true\n");
    }

    #[test]
    fn impulses_have_columns_of_their_own() {
        let mut trace = Trace::new(vec![column("f", Type::REAL), column("x", Type::REAL)]);
        let tag = Tag::new(Time::ZERO, 1);
        trace.push(Tag::new(Time::ZERO, 0), |_| Some(&[0.0]));
        trace.push(tag, |_| Some(&[2.0]));
        trace.push_impulse(Impulse { tag, column: 0, order: 1, weight: vec![-1.5] });
        let expected = "time,microstep,f,f.delta0,f.delta1,x\n0,0,0,,,0\n0,1,2,,-1.5,2\n";
        assert_eq!(text(&trace), expected);
    }

    #[test]
    fn rows_may_be_numbered_by_something_else() {
        let mut trace = Trace::new(vec![column("time", Type::REAL)]);
        trace.push(Tag::new(Time::ZERO, 0), |_| Some(&[0.5]));
        trace.push(Tag::new(Time::from_f64(1.0).unwrap(), 0), |_| None);
        let mut out = Vec::new();
        write_indexed_csv(&trace, "e", &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "e,time\n0,0.5\n1,\n");
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        let trace = Trace::new(vec![column("a,b", Type::REAL), column("say \"x\"", Type::REAL)]);
        assert_eq!(text(&trace), "time,microstep,\"a,b\",\"say \"\"x\"\"\"\n");
    }
}
