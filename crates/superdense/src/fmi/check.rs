//! A trial of an FMU: it runs as the only block of a model, and what it computes is compared with the
//! reference result in its archive.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use ::fmi::{Archive, ArchiveError, Limits};
use model::Refused;
use trace::Trace;

use super::block::outputs;
use crate::{Failure, Library, System, parse};

/// How many communication steps a run has by default.
const STEPS: f64 = 500.0;

/// What a trial has found.
#[derive(Debug)]
pub struct Checked {
    /// The time that the run has reached \[s\].
    pub reached: f64,
    /// The communication step \[s\].
    pub step: f64,
    /// The values of the outputs.
    pub trace: Trace,
    /// What is wrong with the description and does not prevent its use.
    pub mistakes: Vec<String>,
    /// The reference result, if there is one, and how many of its values were compared.
    pub reference: Option<(String, usize)>,
    /// Where the outputs differ from the reference most, for each that does.
    pub differences: Vec<Difference>,
}

/// A value that differs from the reference.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// The name of the output in the description.
    pub name: String,
    /// The time \[s\].
    pub time: f64,
    /// The value in the reference.
    pub expected: f64,
    /// The value of the run that is nearest to it, within a step of that time.
    pub found: f64,
}

/// Why there was no trial.
#[derive(Debug)]
pub enum CheckError {
    /// The archive cannot be used.
    Archive(ArchiveError),
    /// The FMU cannot be used as a block.
    Refused(Refused),
    /// The run failed.
    Failed(Box<Failure>),
    /// The reference cannot be read.
    Reference(PathBuf, String),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Archive(error) => error.fmt(f),
            CheckError::Refused(refused) => f.write_str(&refused.render(false)),
            CheckError::Failed(failure) => failure.fmt(f),
            CheckError::Reference(path, why) => {
                write!(f, "its reference `{}` cannot be read: {why}", path.display())
            }
        }
    }
}

impl std::error::Error for CheckError {}

/// Runs an FMU, for Co-Simulation if it can do that, up to a time or the end of its default experiment,
/// and compares its outputs with the reference in the archive. A value may differ by a part of the range that the
/// reference has, the tolerance, from all values within a step around its time.
pub fn check(path: &Path, stop: Option<f64>, tolerance: f64) -> Result<Checked, CheckError> {
    let archive = Archive::unpack(path, &Limits::default()).map_err(CheckError::Archive)?;
    let own = &archive.contents.description;
    let reference = reference(archive.folder())?;
    let last = reference.as_ref().and_then(|(_, table)| table.times.last().copied());
    let experiment = own.experiment;
    let start = experiment.start.unwrap_or(0.0);
    let stop = stop.or(experiment.stop).or(last).unwrap_or(start + 1.0);
    let step = experiment.step.unwrap_or((stop - start) / STEPS);
    let outputs = outputs(own);
    let names: Vec<String> = outputs.iter().map(|(name, _)| format!("p.{name}")).collect();
    let fields = match own.co_simulation {
        Some(_) => format!(", period: {step:?}, offset: {start:?}"),
        None => String::new(),
    };
    let allowed = experiment.tolerance.filter(|own| *own > 0.0);
    let allowed = allowed.map_or(String::new(), |own| format!(", tolerance: {own:?}"));
    let text = format!(
        "superdense: 1\nname: check\nblocks:\n  p: {{type: FMU, file: {}{fields}}}\nrecord: [{}]\n\
         simulate: {{start: {start:?}, stop: {stop:?}{allowed}}}\n",
        serde_json::Value::from(path.to_string_lossy()),
        names.join(", ")
    );
    let alone = &mut |path: &str| Err(format!("`{path}` is not needed"));
    let model = parse("check", &text, alone).map_err(CheckError::Refused)?;
    let system = System::compile(&model, &Library::standard()).map_err(CheckError::Refused)?;
    let outcome = system.simulate().map_err(|error| CheckError::Failed(Box::new(error)))?;
    let trace = outcome.trace;
    let mut checked = Checked {
        reached: trace.tags().last().map_or(start, |tag| tag.time.seconds()),
        step,
        trace,
        mistakes: archive.contents.mistakes.clone(),
        reference: None,
        differences: Vec::new(),
    };
    if let Some((name, table)) = reference {
        let pairs = outputs.iter().map(|(plain, variable)| (plain.as_str(), &*variable.name));
        let compared = checked.compare(&table, pairs, tolerance);
        checked.reference = Some((name, compared));
    }
    Ok(checked)
}

impl Checked {
    /// Compares with a table; returns how many values were compared.
    fn compare<'a>(
        &mut self,
        table: &Table,
        pairs: impl Iterator<Item = (&'a str, &'a str)>,
        tolerance: f64,
    ) -> usize {
        let mut compared = 0;
        for (plain, name) in pairs {
            let Some(expected) = table.columns.get(name) else { continue };
            let own = self.trace.series(&format!("p.{plain}"));
            let (low, high) = range(expected.iter().copied());
            let allowed = tolerance * (high - low).max(low.abs().max(high.abs()) * 1e-3).max(1e-9);
            let mut worst: Option<(f64, Difference)> = None;
            for (time, expected) in table.times.iter().zip(expected) {
                if *time > self.reached {
                    break;
                }
                let near = own.iter().map(|(tag, value)| (tag.time.seconds(), *value));
                let near = near.filter(|(at, _)| (at - time).abs() <= self.step * (1.0 + 1e-9));
                let (low, high) = range(near.map(|(_, value)| value));
                if low > high {
                    continue;
                }
                compared += 1;
                let found = expected.clamp(low, high);
                let distance = (found - expected).abs();
                // A value that is no number is as wrong as can be.
                let wrong = distance > allowed || distance.is_nan();
                if wrong && worst.as_ref().is_none_or(|(known, _)| distance > *known) {
                    let name = name.to_owned();
                    let found = Difference { name, time: *time, expected: *expected, found };
                    worst = Some((distance, found));
                }
            }
            self.differences.extend(worst.map(|(_, found)| found));
        }
        compared
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

/// A reference result.
struct Table {
    times: Vec<f64>,
    columns: BTreeMap<String, Vec<f64>>,
}

/// The reference result of an archive and its name: the first file that ends in `_ref.csv`.
fn reference(folder: &Path) -> Result<Option<(String, Table)>, CheckError> {
    for inner in ["documentation", "resources", "."] {
        let Ok(files) = fs::read_dir(folder.join(inner)) else { continue };
        let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        paths.retain(|path| path.to_string_lossy().ends_with("_ref.csv"));
        paths.sort();
        let Some(path) = paths.into_iter().next() else { continue };
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        let bad = |why: String| CheckError::Reference(name.clone().into(), why);
        let text = fs::read_to_string(&path).map_err(|error| bad(error.to_string()))?;
        let table = table(&text).map_err(bad)?;
        return Ok(Some((name, table)));
    }
    Ok(None)
}

fn table(text: &str) -> Result<Table, String> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let plain = |word: &str| word.trim().trim_matches('"').to_owned();
    let names: Vec<String> = lines.next().unwrap_or("").split(',').map(plain).collect();
    if !names[0].eq_ignore_ascii_case("time") {
        return Err(format!("its first column is `{}`, not `time`", names[0]));
    }
    let mut columns = vec![Vec::new(); names.len()];
    for (index, line) in lines.enumerate() {
        let words: Vec<&str> = line.split(',').collect();
        if words.len() != names.len() {
            return Err(format!("line {} has {} values", index + 2, words.len()));
        }
        for (word, column) in words.iter().zip(&mut columns) {
            let value = match plain(word).as_str() {
                "true" | "True" => 1.0,
                "false" | "False" => 0.0,
                word => word.parse().map_err(|_| format!("`{word}` in line {}", index + 2))?,
            };
            column.push(value);
        }
    }
    let mut columns = columns.into_iter();
    let times = columns.next().unwrap_or_default();
    Ok(Table { times, columns: names.into_iter().skip(1).zip(columns).collect() })
}
