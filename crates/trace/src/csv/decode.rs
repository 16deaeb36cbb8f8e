//! Reads rows from CSV.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use base::{Elem, Shape, Tag, Type};

use super::{COLUMNS_KEY, ROWS_KEY, VERSION_KEY};
use crate::header::FORMAT_VERSION;
use crate::labels::number_of;
use crate::number::parse_time;
use crate::{Column, Header, Impulse, ReadProblem, Schema, Trace};

/// Reads a whole file.
pub(crate) fn read(mut file: File) -> Result<Trace, ReadProblem> {
    let ends = ends_with_newline(&mut file)?;
    let mut text = BufReader::with_capacity(1 << 16, file);
    let comments = comments(&mut text, ends)?;
    let mut lines = ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
    let mut record = ::csv::StringRecord::new();
    let found = lines.read_record(&mut record).map_err(|error| broken(&error))?;
    let cut = || ReadProblem::Cut("its last line does not end".to_owned());
    if !ends && "time,microstep".starts_with(&record.iter().collect::<Vec<_>>().join(",")) {
        return Err(cut());
    }
    if !found && comments.is_some() {
        return Err(ReadProblem::Cut("it has comments and nothing else".to_owned()));
    }
    if !found || record.get(0) != Some("time") || record.get(1) != Some("microstep") {
        let reason = "its first line does not begin with `time,microstep`";
        return Err(ReadProblem::NotATrace(reason.to_owned()));
    }
    if !ends {
        return Err(cut());
    }
    let names: Vec<String> = record.iter().skip(2).map(str::to_owned).collect();
    // If comments list the columns, a signal may have the name of another one's impulses.
    let mut seen = BTreeSet::new();
    let twice = names.iter().find(|name| !seen.insert(name.as_str()));
    if let Some(name) = twice.filter(|_| comments.is_none()) {
        return Err(ReadProblem::Damaged(format!("two of its columns are called `{name}`")));
    }
    let schema = match &comments {
        Some(comments) => comments.schema.clone(),
        None => guess(&names),
    };
    if schema.names() != names {
        let reason = "its comments and its line of names name different columns";
        return Err(ReadProblem::Damaged(reason.to_owned()));
    }
    let mut rows = Rows::new(schema, comments.is_none());
    let mut count: Option<usize> = None;
    while lines.read_record(&mut record).map_err(|error| broken(&error))? {
        let line = record.position().map_or(0, |position| position.line());
        if let Some(comment) = record.get(0).and_then(|field| field.strip_prefix("# ")) {
            count = comment.strip_prefix(ROWS_KEY).and_then(|n| n.strip_prefix(": ")?.parse().ok());
        } else {
            let wrong = |reason| ReadProblem::Damaged(format!("line {line}: {reason}"));
            rows.take(&record).map_err(wrong)?;
        }
    }
    match (&comments, count) {
        (Some(_), None) => Err(ReadProblem::Cut("its last comment is missing".to_owned())),
        (Some(_), Some(count)) if count != rows.trace.len() => {
            let rows = rows.trace.len();
            Err(ReadProblem::Damaged(format!("it has {rows} rows and should have {count}")))
        }
        _ => Ok(rows.finish(comments)),
    }
}

fn ends_with_newline(file: &mut File) -> Result<bool, ReadProblem> {
    if file.metadata()?.len() == 0 {
        return Err(ReadProblem::Cut("it is empty".to_owned()));
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(last == [b'\n'])
}

fn broken(error: &::csv::Error) -> ReadProblem {
    let is_text = !matches!(error.kind(), ::csv::ErrorKind::Utf8 { .. });
    if is_text {
        ReadProblem::Damaged(error.to_string())
    } else {
        ReadProblem::NotATrace("it is no text".to_owned())
    }
}

/// The content of the comments at the start of a file.
struct Comments {
    header: Header,
    schema: Schema,
}

fn comments(text: &mut impl BufRead, ends: bool) -> Result<Option<Comments>, ReadProblem> {
    let mut fields = BTreeMap::new();
    let mut line = Vec::new();
    while text.fill_buf()?.first() == Some(&b'#') {
        line.clear();
        text.read_until(b'\n', &mut line)?;
        if !ends && text.fill_buf()?.is_empty() {
            return Err(ReadProblem::Cut("its last line does not end".to_owned()));
        }
        let words = std::str::from_utf8(&line).ok().and_then(|line| line.strip_prefix("# "));
        if let Some((key, value)) = words.and_then(|words| words.trim_end().split_once(": ")) {
            fields.insert(key.to_owned(), value.to_owned());
        }
    }
    let Some(version) = fields.remove(VERSION_KEY) else { return Ok(None) };
    if version != FORMAT_VERSION.to_string() {
        return Err(ReadProblem::OtherVersion(version));
    }
    let damaged = |error: serde_json::Error| ReadProblem::Damaged(format!("its comments: {error}"));
    let columns = fields.remove(COLUMNS_KEY);
    let columns = columns.ok_or_else(|| ReadProblem::Cut("no comment `columns`".to_owned()))?;
    let columns = serde_json::from_str(&columns).map_err(damaged)?;
    let schema = Schema::of(columns).map_err(ReadProblem::Damaged)?;
    let fields: Vec<_> = fields.iter().map(|(key, value)| format!("{key:?}: {value}")).collect();
    let header = serde_json::from_str(&format!("{{{}}}", fields.join(","))).map_err(damaged)?;
    Ok(Some(Comments { header, schema }))
}

/// Rows as they are read.
struct Rows {
    trace: Trace,
    lanes: Vec<(usize, Option<usize>, usize)>,
    values: Vec<Option<Vec<f64>>>,
    /// The columns in which something other than a truth value has been found.
    numeric: BTreeSet<usize>,
    /// The labels found in each column, if no comment lists them.
    seen: Option<Vec<Vec<String>>>,
}

impl Rows {
    fn new(schema: Schema, guessed: bool) -> Rows {
        let lane =
            |lane: crate::schema::LaneId| (lane.column, lane.order, schema.lane_type(lane).len());
        let lanes = schema.lanes().map(lane).collect();
        let values = vec![None; schema.columns().len()];
        let seen = guessed.then(|| vec![Vec::new(); values.len()]);
        Rows { trace: Trace::with_schema(schema), lanes, values, numeric: BTreeSet::new(), seen }
    }

    fn take(&mut self, record: &::csv::StringRecord) -> Result<(), String> {
        let width: usize = self.lanes.iter().map(|(_, _, length)| length).sum();
        if record.len() != 2 + width {
            return Err(format!("{} fields instead of {}", record.len(), 2 + width));
        }
        let time = parse_time(&record[0]).ok_or_else(|| format!("`{}` is no time", &record[0]))?;
        let microstep =
            record[1].parse().map_err(|_| format!("`{}` is no microstep", &record[1]))?;
        let tag = Tag::new(time, microstep);
        if self.trace.tags().last().is_some_and(|last| *last > tag) {
            return Err(format!("the tag {tag} goes back"));
        }
        let mut fields = record.iter().skip(2);
        let mut impulses = Vec::new();
        for (column, order, length) in &self.lanes {
            let fields: Vec<&str> = fields.by_ref().take(*length).collect();
            let value = match (&mut self.seen, order) {
                (Some(seen), None) => {
                    learn(&fields, &mut seen[*column], || self.trace.has(*column))?
                }
                (None, None) => elements(&fields, self.trace.schema().labels(*column))?,
                (_, Some(_)) => elements(&fields, &[])?,
            };
            if order.is_none() && fields.iter().any(|f| !matches!(*f, "" | "true" | "false")) {
                self.numeric.insert(*column);
            }
            match (order, value) {
                (None, value) => self.values[*column] = value,
                (Some(order), Some(weight)) => {
                    impulses.push(Impulse { tag, column: *column, order: *order, weight });
                }
                (Some(_), None) => {}
            }
        }
        self.trace.push(tag, |column| self.values[column].as_deref());
        impulses.into_iter().for_each(|impulse| self.trace.push_impulse(impulse));
        Ok(())
    }

    fn finish(mut self, comments: Option<Comments>) -> Trace {
        match comments {
            Some(comments) => self.trace.set_header(comments.header),
            None => {
                for column in 0..self.trace.columns().len() {
                    let seen = self.trace.has(column);
                    let names = self.seen.as_mut().map(|seen| std::mem::take(&mut seen[column]));
                    if let Some(names) = names.filter(|names| !names.is_empty()) {
                        self.trace.schema_mut().retype(column, Elem::Int);
                        self.trace.schema_mut().relabel(column, names);
                    } else if seen && !self.numeric.contains(&column) {
                        self.trace.schema_mut().retype(column, Elem::Bool);
                    }
                }
            }
        }
        self.trace
    }
}

/// The elements of a column whose labels are not known beforehand: a word is a label, and in a
/// column of labels everything else is wrong.
fn learn(
    fields: &[&str],
    names: &mut Vec<String>,
    has_numbers: impl Fn() -> bool,
) -> Result<Option<Vec<f64>>, String> {
    let plain = elements(fields, names);
    let is_name = |names: &[String], field: &str| number_of(names, field).is_some();
    let among = |field: &str| Err(format!("`{field}` stands among names"));
    match plain {
        Ok(Some(_)) if !names.is_empty() => {
            match fields.iter().find(|field| !is_name(names, field)) {
                Some(field) => among(field),
                None => plain,
            }
        }
        Err(_) if !names.is_empty() || !has_numbers() => {
            for field in fields.iter().filter(|field| !field.is_empty()) {
                match (is_name(names, field), elements(&[field], &[]).is_ok()) {
                    (true, _) => {}
                    (false, true) => return among(field),
                    (false, false) => names.push((*field).to_owned()),
                }
            }
            elements(fields, names)
        }
        plain => plain,
    }
}

fn elements(fields: &[&str], labels: &[String]) -> Result<Option<Vec<f64>>, String> {
    if fields.iter().all(|field| field.is_empty()) {
        return Ok(None);
    }
    let element = |field: &&str| match *field {
        field if number_of(labels, field).is_some() => {
            Ok(number_of(labels, field).expect("it is some"))
        }
        "true" => Ok(1.0),
        "false" => Ok(0.0),
        field => field.parse().map_err(|_| format!("`{field}` is no number")),
    };
    fields.iter().map(element).collect::<Result<_, _>>().map(Some)
}

/// The columns that a line of names describes, if no comment lists them.
fn guess(names: &[String]) -> Schema {
    let (mut columns, mut orders) = (Vec::new(), Vec::new());
    let mut rest = names;
    while let Some(first) = rest.first() {
        let column = [matrix(rest), vector(rest)].into_iter().flatten().next();
        let column = column.unwrap_or_else(|| Column { name: first.clone(), ty: Type::REAL });
        let elements = column.element_names();
        rest = &rest[elements.len()..];
        let mut order = 0;
        let delta = |order| elements.iter().map(move |name| format!("{name}.delta{order}"));
        while rest.len() >= elements.len()
            && delta(order).eq(rest[..elements.len()].iter().cloned())
        {
            rest = &rest[elements.len()..];
            order += 1;
        }
        columns.push(column);
        orders.push(order);
    }
    Schema::new(columns).with_orders(orders)
}

fn vector(names: &[String]) -> Option<Column> {
    let name = names[0].strip_suffix("[0]")?;
    let follows = |(i, other): &(usize, &String)| **other == format!("{name}[{i}]");
    let length = names.iter().enumerate().take_while(follows).count();
    Some(Column { name: name.to_owned(), ty: Type::vector(u32::try_from(length).ok()?) })
}

fn matrix(names: &[String]) -> Option<Column> {
    let name = names[0].strip_suffix("[0,0]")?;
    let first_row = |(j, other): &(usize, &String)| **other == format!("{name}[0,{j}]");
    let columns = names.iter().enumerate().take_while(first_row).count();
    let is_row = |(i, row): &(usize, &[String])| {
        row.iter().enumerate().all(|(j, other)| *other == format!("{name}[{i},{j}]"))
    };
    let rows = names.chunks_exact(columns).enumerate().take_while(is_row).count();
    let shape = Shape::Matrix(u32::try_from(rows).ok()?, u32::try_from(columns).ok()?);
    Some(Column { name: name.to_owned(), ty: Type { elem: Elem::Real, shape } })
}
