//! Every model of the repository runs through the binary and gives its figures.
//!
//! The figures of a model are in its `expected.yaml`, one to a line. Values and times are
//! expressions, so that a closed form can stand there as it is.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::{folders, messages, repository, scratch, superdense};
use superdense::parse_value;

/// The rows of a CSV file; an empty field is an absent signal.
struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(path: &Path) -> Table {
        let text = fs::read_to_string(path).expect("the result was written");
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect());
        let columns = lines.next().expect("a header");
        Table { columns, rows: lines.collect() }
    }

    /// Time as text, microstep and value of every row in which a signal is present.
    fn series(&self, name: &str) -> Vec<(String, u32, f64)> {
        let found = self.columns.iter().position(|column| column == name);
        let column = found.unwrap_or_else(|| panic!("no column `{name}` in {:?}", self.columns));
        let present = self.rows.iter().filter(|row| !row[column].is_empty());
        present
            .map(|row| {
                let microstep = row[1].parse().expect("a microstep");
                (row[0].clone(), microstep, row[column].parse().expect("a number"))
            })
            .collect()
    }

    /// Time as text, microstep and name of every change of a signal that stands for names.
    fn changes(&self, name: &str) -> Vec<(String, u32, String)> {
        let found = self.columns.iter().position(|column| column == name);
        let column = found.unwrap_or_else(|| panic!("no column `{name}` in {:?}", self.columns));
        let mut changes: Vec<(String, u32, String)> = Vec::new();
        for row in self.rows.iter().filter(|row| !row[column].is_empty()) {
            if changes.last().is_none_or(|last| last.2 != row[column]) {
                let microstep = row[1].parse().expect("a microstep");
                changes.push((row[0].clone(), microstep, row[column].clone()));
            }
        }
        changes
    }

    fn values(&self, name: &str) -> Vec<f64> {
        self.series(name).into_iter().map(|(_, _, value)| value).collect()
    }
}

/// Runs a model of the repository, and gives its result and what it said.
fn run(model: &str) -> (Table, String) {
    let folder = scratch(&format!("model-{model}"));
    let path = repository().join("models").join(model).join("model.yaml");
    let path = path.to_str().expect("paths are UTF-8");
    let output = superdense(&folder, &["run", path, "-o", "result.csv"]);
    assert!(output.status.success(), "{model}: {}", messages(&output));
    (Table::read(&folder.join("result.csv")), messages(&output))
}

fn number(text: &str) -> f64 {
    let value = parse_value(text).unwrap_or_else(|refused| panic!("`{text}`: {refused}"));
    value.as_f64().unwrap_or_else(|| panic!("`{text}` is no number"))
}

/// One line of `expected.yaml`, such as `- {signal: x, time: 1, value: exp(-1), within: 1e-9}`.
struct Figure<'t> {
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

    fn near(&self, actual: f64, expected: f64) {
        let off = (actual - expected).abs();
        assert!(off <= self.within(), "{}: {actual} is off by {off:e}", self.line);
    }

    fn check(&self, table: &Table) {
        let first = ["signal", "event", "count", "interval", "state"]
            .into_iter()
            .find(|kind| self.fields.contains_key(kind));
        match first {
            Some("signal") => self.check_signal(&table.series(self.text("signal"))),
            Some("event") => self.check_event(&table.series(self.text("event"))),
            Some("interval") => self.check_interval(&table.series(self.text("interval"))),
            Some("state") => self.check_state(&table.changes(self.text("state"))),
            Some("count") => {
                let count = table.series(self.text("count")).len();
                assert_eq!(count as f64, number(self.text("value")), "{}", self.line);
            }
            _ => panic!("a figure of no kind: {}", self.line),
        }
    }

    /// The value at a tag, or in the last row.
    fn check_signal(&self, series: &[(String, u32, f64)]) {
        let found = match self.text("time") {
            "end" => series.last(),
            time => {
                let microstep = number(self.text("microstep")) as u32;
                series.iter().find(|row| row.0 == time && row.1 == microstep)
            }
        };
        let (_, _, actual) = found.unwrap_or_else(|| panic!("not in the result: {}", self.line));
        self.near(*actual, number(self.text("value")));
    }

    /// Time or value of an event by its number, counted from 1.
    fn check_event(&self, series: &[(String, u32, f64)]) {
        let event = number(self.text("number")) as usize;
        let found = series.get(event - 1);
        let (time, microstep, value) = found.unwrap_or_else(|| panic!("no event: {}", self.line));
        assert_eq!(f64::from(*microstep), number(self.text("microstep")), "{}", self.line);
        match self.fields.get("time") {
            Some(expected) => self.near(number(time), number(expected)),
            None => self.near(*value, number(self.text("value"))),
        }
    }

    /// Name and time of a state by its number, counted from 1, or how long the one before lasted.
    fn check_state(&self, changes: &[(String, u32, String)]) {
        let place = number(self.text("number")) as usize - 1;
        let found = changes.get(place).unwrap_or_else(|| panic!("no state: {}", self.line));
        let (time, microstep, name) = found;
        assert_eq!(name, self.text("name"), "{}", self.line);
        assert_eq!(f64::from(*microstep), number(self.text("microstep")), "{}", self.line);
        match self.fields.get("time") {
            Some(expected) => self.near(number(time), number(expected)),
            None => {
                let lasted = number(time) - number(&changes[place - 1].0);
                self.near(lasted, number(self.text("lasted")));
            }
        }
    }

    /// The time between an event and the one before.
    fn check_interval(&self, series: &[(String, u32, f64)]) {
        let event = number(self.text("number")) as usize;
        let time = |index: usize| number(&series[index].0);
        self.near(time(event - 1) - time(event - 2), number(self.text("value")));
    }
}

#[test]
fn every_model_gives_its_figures() {
    let models = folders(&repository().join("models"));
    assert!(models.len() >= 14, "only {models:?}");
    for model in models {
        let folder = repository().join("models").join(&model);
        assert!(folder.join("README.md").exists(), "{model} has no README.md");
        let text = fs::read_to_string(folder.join("expected.yaml"))
            .unwrap_or_else(|error| panic!("{model}/expected.yaml: {error}"));
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let figures: Vec<Figure> = lines.map(Figure::parse).collect();
        assert!(!figures.is_empty(), "{model} has no figures");
        let (table, _) = run(&model);
        figures.iter().for_each(|figure| figure.check(&table));
    }
}

/// The names that folders, model files and their `name` fields give must be the same.
#[test]
fn models_are_called_like_their_folders() {
    for model in folders(&repository().join("models")) {
        let text = fs::read_to_string(repository().join("models").join(&model).join("model.yaml"));
        let text = text.unwrap_or_else(|error| panic!("{model}: {error}"));
        assert!(text.lines().any(|line| line == format!("name: {model}")), "{model}");
    }
}

#[test]
fn the_cradle_passes_the_hit_on_microstep_by_microstep() {
    let (table, _) = run("newtons-cradle");
    let (at, _, _) = table.series("hit12")[0].clone();
    let velocities = |microstep: u32| {
        ["v1", "v2", "v3"].map(|name| {
            let series = table.series(name);
            series.iter().find(|row| row.0 == at && row.1 == microstep).expect("a row").2
        })
    };
    assert_eq!(velocities(0), [1.0, 0.0, 0.0]);
    assert_eq!(velocities(1), [0.0, 1.0, 0.0]);
    assert_eq!(velocities(2), [0.0, 0.0, 1.0]);
    let pushes = |name: &str| table.values(name).iter().filter(|push| **push != 0.0).count();
    assert_eq!((pushes("hit12"), pushes("hit23")), (1, 1), "each pair swaps its velocities once");
}

#[test]
fn the_zeno_ball_says_where_it_stops() {
    let (_, messages) = run("zeno-ball");
    let said = messages
        .lines()
        .find_map(|line| line.strip_prefix("stopped where events accumulate, at t = "));
    let time: f64 = said.expect("a line about it").parse().expect("a time");
    assert!((time - 3.0 * (20.0f64 / 9.81).sqrt()).abs() < 1e-6, "{time}");
}

#[test]
fn the_ball_that_runs_past_its_zeno_time_is_an_error_by_default() {
    let folder = scratch("zeno-error");
    let model = repository().join("models/bouncing-ball/model.yaml");
    let model = model.to_str().expect("paths are UTF-8");
    let output = superdense(&folder, &["run", model, "-p", "e=0.5", "--stop", "30", "-o", "b.csv"]);
    assert_eq!(output.status.code(), Some(1));
    let messages = messages(&output);
    assert!(messages.contains("error[zeno]"), "{messages}");
    assert!(messages.contains("the events of hit accumulate at t = 4.28352"), "{messages}");
    assert!(messages.contains("zeno: stop"), "{messages}");
    let table = Table::read(&folder.join("b.csv"));
    assert!(table.values("y").iter().all(|y| *y > -1e-9), "the ball fell through");
}

#[test]
fn the_ball_never_falls_through() {
    let (table, _) = run("bouncing-ball");
    assert!(table.values("y").iter().all(|y| *y > -1e-9));
}

#[test]
fn the_room_stays_between_the_levels() {
    let (table, _) = run("thermostat");
    let room = table.values("room");
    let warm = room.iter().position(|room| *room >= 20.0).expect("it gets warm");
    assert!(room[warm..].iter().all(|room| (19.0 - 1e-9..=21.0 + 1e-9).contains(room)));
}

#[test]
fn the_pendulum_keeps_its_energy() {
    let (table, _) = run("pendulum");
    assert!(table.values("energy").iter().all(|energy| energy.abs() < 1e-6));
}

/// The string takes the energy of the motion along it, and nothing else takes any.
#[test]
fn the_slack_pendulum_loses_what_the_string_takes() {
    let (table, _) = run("slack-pendulum");
    let pulls = table.series("p.pull");
    let mut expected = 6.5f64.powi(2) / 2.0 - 9.81;
    let mut caught = pulls.iter().peekable();
    for (time, microstep, energy) in table.series("p.energy") {
        while let Some((.., pull)) = caught.next_if(|pull| (&pull.0, pull.1) == (&time, microstep))
        {
            expected -= pull * pull / 2.0;
        }
        assert!((energy - expected).abs() < 1e-7, "({time}, {microstep}): {energy}, {expected}");
    }
    assert_eq!((pulls.len(), caught.next()), (3, None));
}

#[test]
fn the_loop_is_solved_at_every_row() {
    let (table, _) = run("algebraic-loop");
    let (sources, voltages) = (table.values("source"), table.values("voltage"));
    assert!(sources.len() > 10);
    for (source, voltage) in sources.into_iter().zip(voltages) {
        let truth = 2.0f64.sqrt() * ((source / 2.0f64.sqrt()).asinh() / 3.0).sinh();
        assert!((voltage - truth).abs() < 1e-9, "{source}: {voltage}, not {truth}");
    }
}

#[test]
fn the_triangle_follows_the_wave() {
    let (table, _) = run("square-wave-integrator");
    for (time, _, triangle) in table.series("triangle") {
        let phase = number(&time) % 2.0;
        let truth = if phase < 1.0 { phase } else { 2.0 - phase };
        assert!((triangle - truth).abs() < 1e-13, "{time}: {triangle}, not {truth}");
    }
}

/// A result does not depend on the steps by which it was reached.
#[test]
fn other_solvers_give_the_same_figures() {
    let folder = scratch("solvers");
    let model = repository().join("models/impulse-response/model.yaml");
    let model = model.to_str().expect("paths are UTF-8");
    for (solver, within) in [("euler", 1e-2), ("heun", 1e-4), ("trapezoidal", 1e-4), ("rk4", 1e-8)]
    {
        let output =
            superdense(&folder, &["run", model, "--solver", solver, "-o", "x.csv", "--quiet"]);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", messages(&output));
        let end = *Table::read(&folder.join("x.csv")).values("x").last().expect("a value");
        assert!((end - (-2.0f64).exp()).abs() < within, "{solver}: {end}");
    }
}
