//! Reads rows from JSON.

use std::fmt;
use std::fs::File;
use std::io::BufReader;

use base::Tag;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use super::VERSION_KEY;
use crate::file_tables::FileTables;
use crate::header::FORMAT_VERSION;
use crate::labels::number_of;
use crate::layout::{Kind, Table};
use crate::number::parse_time;
use crate::schema::Described;
use crate::{Header, Impulse, ReadProblem, Schema};

/// Reads a whole file.
pub(crate) fn read(file: File) -> Result<FileTables, ReadProblem> {
    if file.metadata()?.len() == 0 {
        return Err(ReadProblem::Cut("it is empty".to_owned()));
    }
    let mut text = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, file));
    let mut version = Version::Unknown;
    let read = FileSeed(&mut version).deserialize(&mut text);
    match read.and_then(|parts| text.end().map(|()| parts)) {
        Ok(parts) => Ok(parts),
        Err(error) => Err(match (error.classify(), version) {
            (Category::Io, _) => ReadProblem::Unreadable(error.into()),
            (_, Version::Other(found)) => ReadProblem::OtherVersion(found),
            (Category::Eof, _) => ReadProblem::Cut(error.to_string()),
            (_, Version::Unknown) => ReadProblem::NotATrace(error.to_string()),
            (_, Version::Ours) => ReadProblem::Damaged(error.to_string()),
        }),
    }
}

/// What is known about the layout so far.
enum Version {
    Unknown,
    Ours,
    Other(String),
}

struct FileSeed<'a>(&'a mut Version);

impl<'de> DeserializeSeed<'de> for FileSeed<'_> {
    type Value = FileTables;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<FileTables, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FileSeed<'_> {
    type Value = FileTables;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object that begins with `{VERSION_KEY}`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FileTables, A::Error> {
        if map.next_key::<String>()?.as_deref() != Some(VERSION_KEY) {
            return Err(A::Error::custom(format!("it does not begin with `{VERSION_KEY}`")));
        }
        let version: serde_json::Value = map.next_value()?;
        if version != FORMAT_VERSION {
            *self.0 = Version::Other(version.to_string());
            return Err(A::Error::custom("another version"));
        }
        *self.0 = Version::Ours;
        let (mut header, mut count) = (Header::default(), None);
        let mut parts = FileTables::new(Schema::default(), Header::default());
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "header" => header = map.next_value()?,
                "columns" => {
                    let columns: Vec<Described> = map.next_value()?;
                    let schema = Schema::of(columns).map_err(A::Error::custom)?;
                    parts = FileTables::new(schema, std::mem::take(&mut header));
                }
                "rows" => map.next_value_seed(RowsSeed(&mut parts))?,
                "count" => count = Some(map.next_value::<usize>()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        match count {
            Some(count) if count == parts.rows() => Ok(parts),
            _ => Err(A::Error::custom("`count` is not the number of rows")),
        }
    }
}

/// The list of rows, which are added to the table one by one.
struct RowsSeed<'a>(&'a mut FileTables);

impl<'de> DeserializeSeed<'de> for RowsSeed<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowsSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while let Some(row) = rows.next_element::<Row>()? {
            row.append_to(self.0).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

#[derive(serde::Deserialize)]
struct Row {
    table: Option<String>,
    t: String,
    n: u32,
    v: Vec<Entry>,
    #[serde(default)]
    d: Vec<(usize, usize, Entry)>,
}

impl Row {
    fn append_to(self, parts: &mut FileTables) -> Result<(), String> {
        let time = parse_time(&self.t).ok_or_else(|| format!("`{}` is no time", self.t))?;
        let tag = Tag::new(time, self.n);
        let place = match &self.table {
            Some(name) => parts.layout().table(name).ok_or(format!("no table `{name}`"))?,
            None if parts.layout().is_divided() => return Err("a row of no table".to_owned()),
            None => 0,
        };
        let (schema, table, trace) = parts.table_mut(place);
        if trace.tags().last().is_some_and(|last| *last > tag) {
            return Err(format!("the tag {tag} goes back"));
        }
        let values = if table.kind == Kind::Impulses { 0 } else { table.columns.len() };
        if self.v.len() != values {
            return Err(format!("{} values for {values} columns", self.v.len()));
        }
        let columns = schema.columns();
        let mut values = Vec::with_capacity(self.v.len());
        for (entry, index) in self.v.into_iter().zip(&table.columns) {
            let column = &columns[*index];
            values.push(entry.elements(column.ty.len(), &column.name, schema.labels(*index))?);
        }
        let impulses = self.d.into_iter().map(|impulse| weight(schema, table, impulse));
        let impulses: Vec<(usize, usize, Vec<f64>)> = impulses.collect::<Result<_, _>>()?;
        trace.push(tag, |column| values.get(column)?.as_deref());
        for (column, order, weight) in impulses {
            trace.push_impulse(Impulse { tag, column, order, weight });
        }
        Ok(())
    }
}

/// The impulse of a row: the index of its column in the table, its order and its coefficient.
fn weight(
    schema: &Schema,
    table: &Table,
    (column, order, entry): (usize, usize, Entry),
) -> Result<(usize, usize, Vec<f64>), String> {
    let place = table.columns.iter().position(|own| *own == column);
    let carries = matches!(table.kind, Kind::Joined | Kind::Impulses);
    match place {
        Some(place) if carries && order < schema.orders()[column] => {
            let weight = entry.elements(schema.columns()[column].ty.len(), "the impulse", &[])?;
            Ok((place, order, weight.ok_or("an impulse without a coefficient")?))
        }
        _ => Err(format!("column {column} has no impulses of order {order}")),
    }
}

/// An entry for a value.
enum Entry {
    Absent,
    Elements(Vec<Element>),
}

/// An element of a value.
enum Element {
    Number(f64),
    /// A label, or a number that is not finite.
    Word(String),
}

impl Entry {
    /// The elements of a value, or `None` if it is absent.
    fn elements(
        self,
        length: usize,
        name: &str,
        labels: &[String],
    ) -> Result<Option<Vec<f64>>, String> {
        let Entry::Elements(elements) = self else { return Ok(None) };
        if elements.len() != length {
            return Err(format!("{} elements instead of {length} in `{name}`", elements.len()));
        }
        elements
            .into_iter()
            .map(|element| element.number(labels))
            .collect::<Result<_, _>>()
            .map(Some)
    }
}

impl Element {
    fn number(self, labels: &[String]) -> Result<f64, String> {
        match self {
            Element::Number(number) => Ok(number),
            Element::Word(word) => number_of(labels, &word)
                .or_else(|| not_finite(&word))
                .ok_or_else(|| format!("`{word}` is no number")),
        }
    }
}

fn not_finite(word: &str) -> Option<f64> {
    match word {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

impl<'de> serde::Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Entry, D::Error> {
        from.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, a number, a truth value or a list of them")
    }

    fn visit_unit<E: Error>(self) -> Result<Entry, E> {
        Ok(Entry::Absent)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Entry, E> {
        self.visit_f64(f64::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Entry, E> {
        Ok(Entry::Elements(vec![Element::Number(value)]))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Entry, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Entry, E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Entry, E> {
        Ok(Entry::Elements(vec![Element::Word(text.to_owned())]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entry, A::Error> {
        let mut elements = Vec::new();
        while let Some(entry) = list.next_element()? {
            match entry {
                Entry::Absent => return Err(A::Error::custom("an element is missing")),
                Entry::Elements(more) => elements.extend(more),
            }
        }
        Ok(Entry::Elements(elements))
    }
}
