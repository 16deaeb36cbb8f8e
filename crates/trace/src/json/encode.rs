//! Writes rows to JSON.

use std::io::{self, Write};

use base::Elem;

use super::VERSION_KEY;
use crate::chunk::Chunk;
use crate::header::FORMAT_VERSION;
use crate::labels::Form;
use crate::layout::{Layout, Table};
use crate::number::write_time;
use crate::schema::LaneId;
use crate::writer::{self, Output};
use crate::{Header, Schema};

/// A JSON file that is being written.
pub(crate) struct Encoder {
    out: Output,
    lanes: Vec<(LaneId, Kind)>,
    layout: Layout,
    /// The beginning of the rows of each table.
    begins: Vec<Vec<u8>>,
    /// The lines of a chunk.
    text: Vec<u8>,
    rows: u64,
}

/// How the entries of a lane are written.
struct Kind {
    form: Form,
    is_scalar: bool,
}

impl Encoder {
    pub fn new(mut out: Output, schema: &Schema, header: &Header) -> io::Result<Encoder> {
        let header = serde_json::to_string(header)?;
        let columns = serde_json::to_string(&schema.describe())?;
        write!(out, "{{\"{VERSION_KEY}\": {FORMAT_VERSION},\n\"header\": {header},\n")?;
        write!(out, "\"columns\": {columns},\n\"rows\": [")?;
        let kind = |lane: LaneId| {
            let is_scalar = schema.lane_type(lane).is_scalar();
            (lane, Kind { form: Form::of(schema, lane, quoted), is_scalar })
        };
        let lanes = schema.lanes().map(kind).collect();
        let layout = Layout::of(schema);
        let divided = layout.is_divided();
        let begin = |table: &Table| -> io::Result<Vec<u8>> {
            let name = serde_json::to_string(&table.name)?;
            let table = if divided { format!("\"table\":{name},") } else { String::new() };
            Ok(format!("\n{{{table}\"t\":\"").into_bytes())
        };
        let begins = layout.tables.iter().map(begin).collect::<io::Result<_>>()?;
        Ok(Encoder { out, lanes, layout, begins, text: Vec::new(), rows: 0 })
    }
}

impl writer::Encoder for Encoder {
    fn write(&mut self, chunk: &Chunk) -> io::Result<()> {
        let mut cursors = chunk.cursors();
        let mut impulses = Vec::new();
        for (tag, table) in chunk.rows() {
            let text = &mut self.text;
            text.extend_from_slice(if self.rows == 0 { b"" } else { b"," });
            text.extend_from_slice(&self.begins[table]);
            write_time(text, tag.time);
            text.extend_from_slice(b"\",\"n\":");
            text.extend_from_slice(itoa::Buffer::new().format(tag.microstep).as_bytes());
            text.extend_from_slice(b",\"v\":[");
            for place in &self.layout.tables[table].lanes {
                let (lane, kind) = &self.lanes[*place];
                let value = cursors[*place].next();
                match (lane.order, value) {
                    (None, Some(value)) => entry(text, kind, value),
                    (None, None) => text.extend_from_slice(b"null"),
                    (Some(order), Some(weight)) => {
                        write!(impulses, "[{},{order},", lane.column)?;
                        entry(&mut impulses, kind, weight);
                        impulses.extend_from_slice(b"],");
                    }
                    (Some(_), None) => {}
                }
                if lane.order.is_none() {
                    text.push(b',');
                }
            }
            drop_comma(text);
            text.push(b']');
            if !impulses.is_empty() {
                drop_comma(&mut impulses);
                text.extend_from_slice(b",\"d\":[");
                text.append(&mut impulses);
                text.push(b']');
            }
            text.push(b'}');
            self.rows += 1;
        }
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        write!(self.out, "\n],\n\"count\": {}}}\n", self.rows)?;
        self.out.flush()
    }
}

fn drop_comma(text: &mut Vec<u8>) {
    if text.last() == Some(&b',') {
        text.pop();
    }
}

/// A name as JSON.
fn quoted(name: &str) -> Vec<u8> {
    serde_json::Value::from(name).to_string().into_bytes()
}

fn entry(text: &mut Vec<u8>, kind: &Kind, values: impl Iterator<Item = f64>) {
    if !kind.is_scalar {
        text.push(b'[');
    }
    for value in values {
        match kind.form.elem {
            Elem::Int | Elem::Real if !value.is_finite() => text.extend_from_slice(name(value)),
            _ => kind.form.write(text, value),
        }
        text.push(b',');
    }
    drop_comma(text);
    if !kind.is_scalar {
        text.push(b']');
    }
}

fn name(value: f64) -> &'static [u8] {
    if value.is_nan() {
        b"\"NaN\""
    } else if value > 0.0 {
        b"\"Infinity\""
    } else {
        b"\"-Infinity\""
    }
}
