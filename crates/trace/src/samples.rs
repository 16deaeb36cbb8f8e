//! Samples of a signal from a table: measured data, or the result of a run.

use std::cmp::Ordering;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use base::{ExactTime, Time, did_you_mean, parse_decimal};

use crate::{Format, Trace, parquet, read, read_tables};

/// Values of a signal at increasing times.
#[derive(Clone, PartialEq, Debug)]
pub struct Samples {
    times: Vec<ExactTime>,
    /// The elements of all values, value after value.
    values: Vec<f64>,
    /// The same just before each time; they differ where the signal jumps.
    lefts: Vec<f64>,
    width: usize,
}

/// How a signal goes on between its samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interpolation {
    /// As the last sample.
    Hold,
    /// Along a line to the next sample.
    Linear,
    /// Along a cubic to the next sample, with a continuous slope: at each sample that of the
    /// parabola through it and its neighbours.
    Cubic,
}

impl Interpolation {
    /// All of them.
    pub const ALL: [Interpolation; 3] =
        [Interpolation::Hold, Interpolation::Linear, Interpolation::Cubic];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Interpolation::Hold => "hold",
            Interpolation::Linear => "linear",
            Interpolation::Cubic => "cubic",
        }
    }

    /// The one of a word.
    pub fn named(word: &str) -> Option<Interpolation> {
        Interpolation::ALL.into_iter().find(|own| own.name() == word)
    }
}

/// Why a table gives no samples.
#[derive(Debug)]
pub struct SamplesError {
    /// The file; none if the samples were given in the program.
    pub path: Option<PathBuf>,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for SamplesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for SamplesError {}

impl Samples {
    /// Values of `width` elements at times that must increase.
    pub fn new(
        times: Vec<ExactTime>,
        values: Vec<f64>,
        width: usize,
    ) -> Result<Samples, SamplesError> {
        let wrong = |reason: String| SamplesError { path: None, reason, help: None };
        if times.is_empty() {
            return Err(wrong("there is no row".to_owned()));
        }
        times.windows(2).try_for_each(|pair| check_order(pair[0], pair[1], false))?;
        Samples::events(times, values, width)
    }

    /// Values of `width` elements at times that must not decrease: events, of which several may be
    /// at one time.
    pub fn events(
        times: Vec<ExactTime>,
        values: Vec<f64>,
        width: usize,
    ) -> Result<Samples, SamplesError> {
        let wrong = |reason: String| SamplesError { path: None, reason, help: None };
        if width == 0 || times.len() * width != values.len() {
            return Err(wrong(format!("{} numbers for {} times", values.len(), times.len())));
        }
        times.windows(2).try_for_each(|pair| check_order(pair[0], pair[1], true))?;
        if let Some(at) = values.iter().position(|x| !x.is_finite()) {
            let time = times[at / width].time();
            return Err(wrong(format!("the value at {time} is not finite")));
        }
        Ok(Samples { times, lefts: values.clone(), values, width })
    }

    /// Reads columns of a file: the result of a run in any format, or a table with a column `time`
    /// \[s\], as a CSV file whose first line names its columns, or as a Parquet file with columns of
    /// numbers or truth values. A signal of several elements has a column for each.
    ///
    /// Of a result, the rows in which the signal is absent are left out. If `events`, each of the
    /// others is a sample; otherwise the first and the last row of a time are the values before and
    /// after it.
    pub fn read(path: &Path, columns: &[String], events: bool) -> Result<Samples, SamplesError> {
        let found = match Format::of(path) {
            Some(Format::Csv) if !is_trace(path) => read_csv(path, columns, events),
            Some(Format::Parquet) => match read_plain(path, columns, events) {
                Ok(None) => read_trace(path, columns, events),
                Ok(Some(samples)) => Ok(samples),
                Err(error) => Err(error),
            },
            _ => read_trace(path, columns, events),
        };
        found.map_err(|error| {
            let named = error.reason.contains(&path.display().to_string());
            SamplesError { path: (!named).then(|| path.to_owned()), ..error }
        })
    }

    /// A signal of a result, as [`Samples::read`] takes it from a file.
    pub fn of_column(trace: &Trace, column: usize, events: bool) -> Result<Samples, SamplesError> {
        let elements = 0..trace.columns()[column].ty.len();
        let places: Vec<_> = elements.map(|at| (column, at)).collect();
        Samples::of_places(trace, &places, events)
    }

    /// Elements of signals of a result, each with its column and its place there.
    fn of_places(
        trace: &Trace,
        places: &[(usize, usize)],
        events: bool,
    ) -> Result<Samples, SamplesError> {
        let (mut times, mut values): (Vec<ExactTime>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut lefts: Vec<f64> = Vec::new();
        for row in 0..trace.len() {
            let value = |(column, at): &(usize, usize)| Some(trace.get(row, *column)?[*at]);
            let Some(row_values) = places.iter().map(value).collect::<Option<Vec<f64>>>() else {
                continue;
            };
            let time: ExactTime = trace.tags()[row].time.into();
            if !events && times.last().is_some_and(|last| last.time() == time.time()) {
                values.truncate(values.len() - places.len());
            } else {
                times.push(time);
                lefts.extend(&row_values);
            }
            values.extend(row_values);
        }
        let width = places.len().max(1);
        match events {
            true => Samples::events(times, values, width),
            false => Ok(Samples { lefts, ..Samples::new(times, values, width)? }),
        }
    }

    /// The times.
    pub fn times(&self) -> &[ExactTime] {
        &self.times
    }

    /// The value of a sample.
    pub fn value(&self, index: usize) -> &[f64] {
        &self.values[index * self.width..(index + 1) * self.width]
    }

    /// The value just before a sample.
    fn left(&self, index: usize) -> &[f64] {
        &self.lefts[index * self.width..(index + 1) * self.width]
    }

    /// Whether the signal is continuous at a sample.
    pub fn is_continuous(&self, index: usize) -> bool {
        self.left(index) == self.value(index)
    }

    /// The coefficients from a sample on, that of the constant first: of a polynomial in the time
    /// since then \[s\]. After the last sample the signal is constant.
    pub fn piece(&self, index: usize, by: Interpolation) -> Vec<Vec<f64>> {
        let here = self.value(index).to_vec();
        if index + 1 == self.times.len() || by == Interpolation::Hold {
            return vec![here];
        }
        let length = self.distance(index);
        let chord: Vec<f64> = self.chord(index);
        if by == Interpolation::Linear {
            return vec![here, chord];
        }
        let slope = |at: usize| match self.is_smooth(at) {
            true => self.slope(at),
            false => chord.clone(),
        };
        let (from, to) = (slope(index), slope(index + 1));
        let second = (0..self.width).map(|i| (3.0 * chord[i] - 2.0 * from[i] - to[i]) / length);
        let third = (0..self.width).map(|i| (from[i] + to[i] - 2.0 * chord[i]) / (length * length));
        let (second, third) = (second.collect(), third.collect());
        vec![here, from, second, third]
    }

    /// Whether the parabola at a sample goes through continuous samples only.
    fn is_smooth(&self, index: usize) -> bool {
        let last = self.times.len() - 1;
        (index.saturating_sub(2)..=(index + 2).min(last)).all(|at| self.is_continuous(at))
    }

    fn distance(&self, index: usize) -> f64 {
        self.times[index + 1].time().since(self.times[index].time())
    }

    /// The slope of the line from a sample to the next.
    fn chord(&self, index: usize) -> Vec<f64> {
        let (a, b, length) = (self.value(index), self.left(index + 1), self.distance(index));
        a.iter().zip(b).map(|(a, b)| (b - a) / length).collect()
    }

    /// The slope at a sample: that of the parabola through three samples.
    fn slope(&self, index: usize) -> Vec<f64> {
        let last = self.times.len() - 1;
        if last == 1 {
            return self.chord(0);
        }
        let middle = index.clamp(1, last - 1);
        let (h, k) = (self.distance(middle - 1), self.distance(middle));
        let (before, after) = (self.chord(middle - 1), self.chord(middle));
        let slope = |(a, b): (f64, f64)| {
            let inside = (k * a + h * b) / (h + k);
            match index {
                0 => 2.0 * a - inside,
                _ if index == last => 2.0 * b - inside,
                _ => inside,
            }
        };
        before.into_iter().zip(after).map(slope).collect()
    }
}

/// Whether a CSV file is the result of a run.
fn is_trace(path: &Path) -> bool {
    use std::io::{BufRead, BufReader};
    let mut first = String::new();
    let file = File::open(path);
    let read = file.and_then(|file| BufReader::new(file).read_line(&mut first));
    read.is_ok() && first.starts_with("time,microstep")
}

fn missing(column: &str, known: &[&str]) -> SamplesError {
    let reason = format!("there is no column `{column}`");
    let help = did_you_mean(column, known.iter().copied())
        .unwrap_or_else(|| format!("the columns are: {}", known.join(", ")));
    SamplesError { path: None, reason, help: Some(help) }
}

pub(crate) fn wrong(reason: impl Into<String>) -> SamplesError {
    SamplesError { path: None, reason: reason.into(), help: None }
}

fn read_csv(path: &Path, columns: &[String], events: bool) -> Result<Samples, SamplesError> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_path(path)
        .map_err(|error| failed(path, &error))?;
    let names: Vec<String> =
        reader.headers().map_err(|error| failed(path, &error))?.iter().map(str::to_owned).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let time = place(&known, "time")?;
    let places =
        columns.iter().map(|column| place(&known, column)).collect::<Result<Vec<_>, _>>()?;
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for (row, record) in reader.records().enumerate() {
        let record = record.map_err(|error| failed(path, &error))?;
        let at = |error: SamplesError| {
            let line = record.position().map_or(row as u64 + 2, |start| line_at(path, start));
            wrong(format!("line {line}: {}", error.reason))
        };
        let time = time_of(record.get(time).unwrap_or("")).map_err(at)?;
        if let Some(before) = times.last() {
            check_order(*before, time, events).map_err(at)?;
        }
        times.push(time);
        for (place, column) in places.iter().zip(columns) {
            let text = record.get(*place).unwrap_or("");
            values.push(number_of(text, column).map_err(at)?);
        }
    }
    made(times, values, columns, events)
}

/// What is wrong with a CSV file, in the words of this program.
fn failed(path: &Path, error: &csv::Error) -> SamplesError {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos: Some(start), expected_len, len } => {
            let line = line_at(path, start);
            wrong(format!("line {line}: {len} fields instead of {expected_len}"))
        }
        _ => wrong(error.to_string()),
    }
}

/// The line of a record of a CSV file. Its position is that of the empty lines before it, which the
/// reader skips.
fn line_at(path: &Path, start: &csv::Position) -> u64 {
    let bytes = File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::Start(start.byte()))?;
        Ok(BufReader::new(file).bytes())
    });
    let bytes = bytes.into_iter().flatten().map_while(Result::ok);
    let empty = bytes.take_while(|byte| matches!(byte, b'\r' | b'\n'));
    start.line() + empty.filter(|byte| *byte == b'\n').count() as u64
}

/// The number of a cell.
fn number_of(text: &str, column: &str) -> Result<f64, SamplesError> {
    let value = match text {
        "" => return Err(wrong(format!("there is no value in column `{column}`"))),
        "true" => Some(1.0),
        "false" => Some(0.0),
        _ => text.parse::<f64>().ok(),
    };
    let value = value.ok_or_else(|| wrong(format!("`{text}` is not a number")))?;
    match value.is_finite() {
        true => Ok(value),
        false => Err(wrong(format!("`{text}` is not a finite number"))),
    }
}

/// Refuses a time that comes after a later one, and the same one unless it is that of an event.
fn check_order(before: ExactTime, after: ExactTime, events: bool) -> Result<(), SamplesError> {
    let (before, after) = (before.time(), after.time());
    match (before.cmp(&after), events) {
        (Ordering::Greater, true) => {
            Err(wrong(format!("times decrease: {after} comes after {before}")))
        }
        (Ordering::Greater | Ordering::Equal, false) => {
            Err(wrong(format!("times do not increase: {after} comes after {before}")))
        }
        _ => Ok(()),
    }
}

/// The samples of a Parquet file that is no result; none if it is one. The times are those of the
/// same table as CSV: the shortest decimals of its numbers.
fn read_plain(
    path: &Path,
    columns: &[String],
    events: bool,
) -> Result<Option<Samples>, SamplesError> {
    // Reading a result says why there is no file.
    let Ok(file) = File::open(path) else { return Ok(None) };
    let wanted: Vec<&str> =
        std::iter::once("time").chain(columns.iter().map(String::as_str)).collect();
    let Some(read) = parquet::read_plain(file, &wanted)? else { return Ok(None) };
    let [time, columns_read @ ..] = &read[..] else { return Ok(None) };
    let exact = |(row, seconds): (usize, &f64)| {
        let decimal = match time.single {
            true => (*seconds as f32).to_string(),
            false => seconds.to_string(),
        };
        let rounded = || Time::from_f64(*seconds).map(ExactTime::from);
        // A decimal with very many digits is rounded.
        let found = parse_decimal(&decimal).and_then(ExactTime::from_rational).or_else(rounded);
        let at = |error: SamplesError| wrong(format!("row {}: {}", row + 1, error.reason));
        found.map_or_else(|| time_of(&decimal).map_err(at), Ok)
    };
    let times = time.numbers.iter().enumerate().map(exact).collect::<Result<Vec<_>, _>>()?;
    let rows = 0..times.len();
    let row = |row: usize| columns_read.iter().map(move |column| column.numbers[row]);
    made(times, rows.flat_map(row).collect(), columns, events).map(Some)
}

/// The index of a column among all.
pub(crate) fn place(known: &[&str], column: &str) -> Result<usize, SamplesError> {
    let mut places = known.iter().enumerate().filter(|(_, name)| **name == column);
    let first = places.next().ok_or_else(|| missing(column, known))?.0;
    match places.next() {
        Some(_) => Err(wrong(format!("there are two columns `{column}`"))),
        None => Ok(first),
    }
}

/// The time of a row.
fn time_of(text: &str) -> Result<ExactTime, SamplesError> {
    let exact =
        parse_decimal(text).ok_or_else(|| wrong(format!("`{text}` is not a time in seconds")))?;
    ExactTime::from_rational(exact)
        .ok_or_else(|| wrong(format!("{text} s is outside the range of model time")))
}

/// The samples of a table.
fn made(
    times: Vec<ExactTime>,
    values: Vec<f64>,
    columns: &[String],
    events: bool,
) -> Result<Samples, SamplesError> {
    let width = columns.len().max(1);
    match events {
        true => Samples::events(times, values, width),
        false => Samples::new(times, values, width),
    }
}

/// The samples of a result, from the table that has all columns: rows of others are interpolated.
fn read_trace(path: &Path, columns: &[String], events: bool) -> Result<Samples, SamplesError> {
    let failed = |error: crate::ReadError| SamplesError {
        path: None,
        reason: error.to_string(),
        help: Some(error.help().to_owned()),
    };
    let has = |trace: &Trace| {
        let names: Vec<String> =
            trace.columns().iter().flat_map(|column| column.element_names()).collect();
        columns.iter().all(|column| names.contains(column))
    };
    let tables = read_tables(path).map_err(failed)?;
    let own = tables.into_iter().map(|(_, table)| table).find(has);
    let trace = match own {
        Some(table) => table,
        None => read(path).map_err(failed)?,
    };
    let all = trace.columns();
    let names: Vec<String> = all.iter().flat_map(|column| column.element_names()).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let place = |wanted: &String| {
        let elements = all.iter().enumerate().flat_map(|(column, own)| {
            own.element_names().into_iter().enumerate().map(move |(at, name)| (column, at, name))
        });
        let mut elements = elements.filter(|(_, _, name)| name == wanted);
        elements.next().map(|(column, at, _)| (column, at)).ok_or_else(|| missing(wanted, &known))
    };
    let places = columns.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    Samples::of_places(&trace, &places, events)
}
