//! Reads flat tables of numbers, such as parameter sets: CSV with a line of names, Parquet, or JSON
//! with an array of objects.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde_json::Value;

use crate::samples::{SamplesError, wrong};
use crate::{Format, parquet};

/// A flat table of numbers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FlatTable {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The numbers of each row.
    pub rows: Vec<Vec<f64>>,
}

/// Reads a table of numbers. Every cell must be one.
pub fn read_flat(path: &Path) -> Result<FlatTable, SamplesError> {
    let named = |error: SamplesError| SamplesError { path: Some(path.to_owned()), ..error };
    let help = "name it with .csv, .parquet or .json at the end";
    let unknown = || SamplesError {
        help: Some(help.to_owned()),
        ..wrong("the extension names no format".to_owned())
    };
    let format = Format::of(path).ok_or_else(unknown).map_err(named)?;
    let file = File::open(path).map_err(|error| named(wrong(error.to_string())))?;
    let table = match format {
        Format::Csv => csv(file),
        Format::Json => json(file),
        Format::Parquet => parquet::read_numbers(file),
    };
    let table = table.map_err(named)?;
    let twice = table.names.iter().enumerate().find(|(at, name)| table.names[..*at].contains(name));
    match twice {
        Some((_, name)) => Err(named(wrong(format!("two columns are called `{name}`")))),
        None => Ok(table),
    }
}

fn csv(file: File) -> Result<FlatTable, SamplesError> {
    let broken = |error: ::csv::Error| wrong(error.to_string());
    let mut lines = ::csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(::csv::Trim::All)
        .from_reader(BufReader::new(file));
    let names: Vec<String> = lines.headers().map_err(broken)?.iter().map(str::to_owned).collect();
    let mut rows = Vec::new();
    for record in lines.records() {
        let record = record.map_err(broken)?;
        let line = record.position().map_or(0, |position| position.line());
        let number = |(text, name): (&str, &String)| {
            let truth = match text {
                "true" | "True" => Some(1.0),
                "false" | "False" => Some(0.0),
                _ => None,
            };
            truth.or_else(|| text.parse().ok()).ok_or_else(|| {
                wrong(format!("line {line}: `{text}`, in the column `{name}`, is no number"))
            })
        };
        rows.push(record.iter().zip(&names).map(number).collect::<Result<_, _>>()?);
    }
    Ok(FlatTable { names, rows })
}

fn json(file: File) -> Result<FlatTable, SamplesError> {
    let form = || wrong("it is no array of objects with the same names".to_owned());
    let value: Value =
        serde_json::from_reader(BufReader::new(file)).map_err(|error| wrong(error.to_string()))?;
    let Value::Array(objects) = value else { return Err(form()) };
    let mut table = FlatTable::default();
    for (index, object) in objects.iter().enumerate() {
        let object = object.as_object().ok_or_else(form)?;
        if index == 0 {
            table.names = object.keys().cloned().collect();
        }
        if object.len() != table.names.len() {
            return Err(form());
        }
        let number = |name: &String| match object.get(name) {
            Some(Value::Bool(truth)) => Ok(f64::from(*truth)),
            Some(Value::Number(number)) => number.as_f64().ok_or_else(form),
            Some(other) => {
                Err(wrong(format!("row {index}: `{name}` is {other}, which is no number")))
            }
            None => Err(form()),
        };
        table.rows.push(table.names.iter().map(number).collect::<Result<_, _>>()?);
    }
    Ok(table)
}
