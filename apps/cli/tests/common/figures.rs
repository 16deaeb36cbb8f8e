//! Figures: what a result must have, one to a line, such as
//! `- {signal: x, time: 1, microstep: 0, value: exp(-1), within: 1e-9}`.
//!
//! | Figure | What is compared |
//! | --- | --- |
//! | `signal`, `time` (or `end`), `microstep`, `value` | the value of a signal at a tag |
//! | `event`, `number`, `microstep`, and `time` or `value` | an event, counted from 1 |
//! | `interval`, `number`, `value` | the time from the event before to this one |
//! | `count`, `value` | in how many rows a signal is present |
//! | `state`, `number`, `name`, `microstep`, and `time` or `lasted` | a state that a machine enters, counted from 1, or how long the one before lasted |
//! | `most`, `least`, `value` | the greatest and the least value of a signal |
//!
//! Values and times are expressions, so that a closed form can stand there as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use superdense::parse_value;

use super::{accepted, model, scratch};

/// The figures of a text, without its comments.
pub fn figures(text: &str) -> Vec<Figure<'_>> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(Figure::parse).collect()
}

/// The rows of a CSV file; an empty field is an absent signal.
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Runs a model of the repository with further arguments.
pub fn run(name: &str, further: &[&str]) -> Table {
    let (folder, path) = (scratch(&format!("run-{name}")), model(name));
    let mut arguments = vec!["run", path.as_str(), "-o", "result.csv", "--quiet"];
    arguments.extend(further);
    accepted(&folder, &arguments);
    Table::read(&folder.join("result.csv"))
}

/// Every row in which a signal is present.
pub fn series(table: &Table, name: &str) -> Vec<Point> {
    table.series(name).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The values in these rows.
pub fn values(table: &Table, name: &str) -> Vec<f64> {
    series(table, name).into_iter().map(|(_, _, value)| value).collect()
}

impl Table {
    /// Reads a result.
    pub fn read(path: &Path) -> Table {
        let text = fs::read_to_string(path).expect("the result was written");
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect());
        let columns = lines.next().expect("a header");
        Table { columns, rows: lines.collect() }
    }

    /// Time as text, microstep and name of every change of a signal that stands for names.
    pub fn changes(&self, name: &str) -> Result<Vec<(String, u32, String)>, String> {
        let found = self.columns.iter().position(|column| column == name);
        let column = found.ok_or_else(|| format!("no column `{name}` in {:?}", self.columns))?;
        let mut changes: Vec<(String, u32, String)> = Vec::new();
        for row in self.rows.iter().filter(|row| !row[column].is_empty()) {
            if changes.last().is_none_or(|last| last.2 != row[column]) {
                let microstep = row[1].parse().expect("a microstep");
                changes.push((row[0].clone(), microstep, row[column].clone()));
            }
        }
        Ok(changes)
    }

    /// Every row in which a signal is present.
    pub fn series(&self, name: &str) -> Result<Vec<Point>, String> {
        let found = self.columns.iter().position(|column| column == name);
        let column = found.ok_or_else(|| format!("no column `{name}` in {:?}", self.columns))?;
        let present = self.rows.iter().filter(|row| !row[column].is_empty());
        let point = |row: &Vec<String>| {
            let value = match row[column].as_str() {
                "true" => 1.0,
                "false" => 0.0,
                number => number.parse().expect("a number"),
            };
            (row[0].clone(), row[1].parse().expect("a microstep"), value)
        };
        Ok(present.map(point).collect())
    }
}

/// Time as text, microstep and value; true is 1 and false is 0.
pub type Point = (String, u32, f64);

/// The value of a constant expression.
pub fn number(text: &str) -> f64 {
    let value = parse_value(text).unwrap_or_else(|refused| panic!("`{text}`: {refused}"));
    value.as_f64().unwrap_or_else(|| panic!("`{text}` is no number"))
}

/// One line of `expected.yaml`, such as `- {signal: x, time: 1, value: exp(-1), within: 1e-9}`.
pub struct Figure<'t> {
    line: &'t str,
    fields: BTreeMap<&'t str, &'t str>,
}

impl<'t> Figure<'t> {
    fn parse(line: &'t str) -> Figure<'t> {
        let inside = line.strip_prefix("- {").and_then(|rest| rest.strip_suffix('}'));
        let inside = inside.unwrap_or_else(|| panic!("not a figure: {line}"));
        let field = |field: &'t str| {
            field.split_once(": ").unwrap_or_else(|| panic!("`{field}` has no value in {line}"))
        };
        Figure { line, fields: inside.split(", ").map(field).collect() }
    }

    fn text(&self, name: &str) -> &'t str {
        self.fields.get(name).unwrap_or_else(|| panic!("no `{name}` in {}", self.line))
    }

    fn within(&self) -> f64 {
        number(self.text("within"))
    }

    fn near(&self, actual: f64, expected: f64) -> Result<(), String> {
        let off = (actual - expected).abs();
        let holds = off <= self.within();
        holds.then_some(()).ok_or_else(|| format!("{}: {actual} is off by {off:e}", self.line))
    }

    /// Says where a result does not have this figure.
    pub fn check(&self, table: &Table) -> Result<(), String> {
        if let Some(column) = self.fields.get("state") {
            return self.check_state(&table.changes(column)?);
        }
        let kinds = ["signal", "event", "interval", "count", "most", "least"];
        let kind = kinds.into_iter().find(|kind| self.fields.contains_key(kind));
        let kind = kind.ok_or_else(|| format!("a figure of no kind: {}", self.line))?;
        let series = table.series(self.text(kind))?;
        let values = series.iter().map(|row| row.2);
        let none = || format!("{} is never present", self.text(kind));
        match kind {
            "signal" => self.check_signal(&series),
            "event" => self.check_event(&series),
            "interval" => self.check_interval(&series),
            "most" => self.near(values.reduce(f64::max).ok_or_else(none)?, self.value()),
            "least" => self.near(values.reduce(f64::min).ok_or_else(none)?, self.value()),
            _ if series.len() as f64 == self.value() => Ok(()),
            _ => Err(format!("{}: there are {}", self.line, series.len())),
        }
    }

    /// Name and time of a state by its number, counted from 1, or how long the one before lasted.
    fn check_state(&self, changes: &[(String, u32, String)]) -> Result<(), String> {
        let place = number(self.text("number")) as usize - 1;
        let found = changes.get(place).ok_or_else(|| format!("no state: {}", self.line))?;
        let (time, microstep, name) = found;
        if name != self.text("name") || f64::from(*microstep) != number(self.text("microstep")) {
            return Err(format!("{}: it is {name} at microstep {microstep}", self.line));
        }
        match self.fields.get("time") {
            Some(expected) => self.near(number(time), number(expected)),
            None => {
                let lasted = number(time) - number(&changes[place - 1].0);
                self.near(lasted, number(self.text("lasted")))
            }
        }
    }

    fn value(&self) -> f64 {
        number(self.text("value"))
    }

    /// The value at a tag, or in the last row.
    fn check_signal(&self, series: &[Point]) -> Result<(), String> {
        let found = match self.text("time") {
            "end" => series.last(),
            time => {
                let microstep = number(self.text("microstep")) as u32;
                series.iter().find(|row| row.0 == time && row.1 == microstep)
            }
        };
        let (_, _, actual) = found.ok_or_else(|| format!("not in the result: {}", self.line))?;
        self.near(*actual, self.value())
    }

    /// Time or value of an event by its number, counted from 1.
    fn check_event(&self, series: &[Point]) -> Result<(), String> {
        let event = number(self.text("number")) as usize;
        let found = series.get(event - 1);
        let (time, microstep, value) = found.ok_or_else(|| format!("no event: {}", self.line))?;
        if f64::from(*microstep) != number(self.text("microstep")) {
            return Err(format!("{}: it is at microstep {microstep}", self.line));
        }
        match self.fields.get("time") {
            Some(expected) => self.near(number(time), number(expected)),
            None => self.near(*value, self.value()),
        }
    }

    /// The time between an event and the one before.
    fn check_interval(&self, series: &[Point]) -> Result<(), String> {
        let event = number(self.text("number")) as usize;
        let time = |index: usize| series.get(index).map(|row| number(&row.0));
        match (time(event - 1), time(event - 2)) {
            (Some(here), Some(before)) => self.near(here - before, self.value()),
            _ => Err(format!("no event: {}", self.line)),
        }
    }
}
