//! Samples of a signal from a table: measured data, or the result of a run.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};

use base::{ExactTime, did_you_mean, parse_decimal};

use crate::{Format, Trace, read};

/// Values of a signal at increasing times.
#[derive(Clone, PartialEq, Debug)]
pub struct Samples {
    times: Vec<ExactTime>,
    /// The elements of all values, value after value.
    values: Vec<f64>,
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
        if width == 0 || times.len() * width != values.len() {
            return Err(wrong(format!("{} numbers for {} times", values.len(), times.len())));
        }
        if let Some(at) = times.windows(2).position(|pair| pair[0].time() >= pair[1].time()) {
            let (before, after) = (times[at].time(), times[at + 1].time());
            let reason = format!("times do not increase: {after} comes after {before}");
            return Err(wrong(reason));
        }
        if let Some(at) = values.iter().position(|x| !x.is_finite()) {
            let time = times[at / width].time();
            return Err(wrong(format!("the value at {time} is not finite")));
        }
        Ok(Samples { times, values, width })
    }

    /// Reads columns of a file: the result of a run in any format, or a CSV file whose first line
    /// names its columns, one of them `time` \[s\]. A signal of several elements has a column for
    /// each.
    pub fn read(path: &Path, columns: &[String]) -> Result<Samples, SamplesError> {
        let found = match Format::of(path) {
            Some(Format::Csv) if !is_trace(path) => read_csv(path, columns),
            _ => read_trace(path, columns),
        };
        found.map_err(|error| {
            let named = error.reason.contains(&path.display().to_string());
            SamplesError { path: (!named).then(|| path.to_owned()), ..error }
        })
    }

    /// The times.
    pub fn times(&self) -> &[ExactTime] {
        &self.times
    }

    /// The value of a sample.
    pub fn value(&self, index: usize) -> &[f64] {
        &self.values[index * self.width..(index + 1) * self.width]
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
        let (from, to) = (self.slope(index), self.slope(index + 1));
        let second = (0..self.width).map(|i| (3.0 * chord[i] - 2.0 * from[i] - to[i]) / length);
        let third = (0..self.width).map(|i| (from[i] + to[i] - 2.0 * chord[i]) / (length * length));
        let (second, third) = (second.collect(), third.collect());
        vec![here, from, second, third]
    }

    fn distance(&self, index: usize) -> f64 {
        self.times[index + 1].time().since(self.times[index].time())
    }

    /// The slope of the line from a sample to the next.
    fn chord(&self, index: usize) -> Vec<f64> {
        let (a, b, length) = (self.value(index), self.value(index + 1), self.distance(index));
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

fn wrong(reason: impl Into<String>) -> SamplesError {
    SamplesError { path: None, reason: reason.into(), help: None }
}

fn read_csv(path: &Path, columns: &[String]) -> Result<Samples, SamplesError> {
    let failed = |error: csv::Error| wrong(error.to_string());
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).map_err(failed)?;
    let names: Vec<String> = reader.headers().map_err(failed)?.iter().map(str::to_owned).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let place = |column: &str| {
        known.iter().position(|name| *name == column).ok_or_else(|| missing(column, &known))
    };
    let time = place("time")?;
    let places = columns.iter().map(|column| place(column)).collect::<Result<Vec<_>, _>>()?;
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for (row, record) in reader.records().enumerate() {
        let record = record.map_err(failed)?;
        let number = |place: usize| {
            let text = record.get(place).unwrap_or("");
            let message = format!("line {}: `{text}` is not a number", row + 2);
            parse_decimal(text).ok_or_else(|| wrong(message)).map(|exact| (exact, text.to_owned()))
        };
        let (exact, text) = number(time)?;
        let time = ExactTime::from_rational(exact).ok_or_else(|| {
            wrong(format!("line {}: {text} s is outside the range of model time", row + 2))
        })?;
        times.push(time);
        for place in &places {
            let (_, text) = number(*place)?;
            values.push(text.parse::<f64>().unwrap_or(f64::NAN));
        }
    }
    Samples::new(times, values, columns.len().max(1))
}

/// The samples of a result: of several rows at one time the last one counts, and rows in which the
/// signal is absent are left out.
fn read_trace(path: &Path, columns: &[String]) -> Result<Samples, SamplesError> {
    let trace: Trace = read(path).map_err(|error| SamplesError {
        path: None,
        reason: error.to_string(),
        help: Some(error.help().to_owned()),
    })?;
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
    let (mut times, mut values): (Vec<ExactTime>, Vec<f64>) = (Vec::new(), Vec::new());
    for row in 0..trace.len() {
        let value = |(column, at): &(usize, usize)| Some(trace.get(row, *column)?[*at]);
        let Some(row_values) = places.iter().map(value).collect::<Option<Vec<f64>>>() else {
            continue;
        };
        let time: ExactTime = trace.tags()[row].time.into();
        if times.last().is_some_and(|last| last.time() == time.time()) {
            times.pop();
            values.truncate(values.len() - places.len());
        }
        times.push(time);
        values.extend(row_values);
    }
    Samples::new(times, values, columns.len().max(1))
}
