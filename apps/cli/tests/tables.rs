//! A result in Parquet or JSON has a table for each region that steps apart, one of events and one
//! of impulses; CSV has the joined view of the same run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{messages, scratch, superdense};
use superdense::traces::{self, Tolerance, Trace};

/// A slow and a fast oscillator that share nothing, a ball that bounces, a clock with a held count,
/// and an impulse.
const MODEL: &str = "superdense: 1
name: apart
blocks:
  slow: {type: Integrator, input: slow_v, initial: 1}
  slow_v: {type: Integrator, input: -slow}
  fast: {type: Integrator, input: fast_v, initial: 1}
  fast_v: {type: Integrator, input: -900 * fast + blow}
  blow: {type: ImpulseSource, times: [1.5], weight: 3}
  y: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: -9.81, impulse: kick}
  hit: {type: LevelCrossing, input: y, direction: falling}
  kick: {type: Sample, input: -1.7 * previous(v), trigger: hit}
  clock: {type: Clock, period: 0.25}
  count: {type: Counter, increment: clock}
  held: {type: ZeroOrderHold, input: count}
record: [slow, fast, y, v, kick, held, clock, blow]
simulate: {stop: 2, tolerance: 1e-7}
";

fn run(folder: &Path, name: &str, options: &[&str]) -> PathBuf {
    fs::write(folder.join("apart.yaml"), MODEL).expect("a model can be written");
    let arguments = [&["run", "apart.yaml", "-o", name, "--quiet"], options].concat();
    let output = superdense(folder, &arguments);
    assert!(output.status.success(), "{}", messages(&output));
    folder.join(name)
}

fn tables(path: &Path) -> Vec<(String, Trace)> {
    traces::read_tables(path).expect("a result can be read")
}

/// The table that has a column.
fn with_column<'t>(tables: &'t [(String, Trace)], column: &str) -> &'t Trace {
    let found = tables.iter().find(|(_, table)| table.column(column).is_some());
    &found.unwrap_or_else(|| panic!("no table has {column}")).1
}

#[test]
fn regions_have_rows_of_their_own() {
    let folder = scratch("tables");
    for name in ["a.parquet", "a.json"] {
        let tables = tables(&run(&folder, name, &[]));
        let names: Vec<&str> = tables.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["region 1", "region 2", "region 3", "held", "events", "impulses"]);
        let rows = |column: &str| with_column(&tables, column).len();
        assert!(rows("fast") > 5 * rows("slow"), "{} and {}", rows("fast"), rows("slow"));
        // Neither the clock nor the ball nor the blow stops the slow one.
        let (_, before_the_end) = with_column(&tables, "slow").tags().split_last().unwrap();
        let has_stopped = before_the_end.iter().any(|tag| tag.microstep > 0);
        assert!(!has_stopped && before_the_end.len() < 20, "{before_the_end:?}");
        let last = |column: &str| with_column(&tables, column).tags().last().unwrap().time;
        for column in ["slow", "fast", "y", "held"] {
            assert_eq!(last(column).seconds(), 2.0, "{column}");
        }
    }
}

#[test]
fn events_and_impulses_have_exact_times() {
    let folder = scratch("tables-events");
    for name in ["a.parquet", "a.json"] {
        let tables = tables(&run(&folder, name, &[]));
        let events = &tables[4].1;
        let names: Vec<&str> = events.columns().iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["kick", "clock"]);
        let ticks = events.series("clock");
        let times: Vec<String> = ticks.iter().map(|(tag, _)| tag.time.to_string()).collect();
        assert_eq!(times, ["0", "0.25", "0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"]);
        assert!(ticks.iter().all(|(tag, _)| tag.microstep == 1));
        let (hit, _) = events.series("kick")[0];
        assert!((hit.time.seconds() - (2.0f64 / 9.81).sqrt()).abs() < 1e-9);
        let impulses = tables[5].1.impulses();
        assert_eq!(impulses.len(), 1);
        assert_eq!(impulses[0].tag.to_string(), "(1.5, 1)");
        assert_eq!(impulses[0].weight, [3.0]);
    }
}

/// The row of a region says what the joined row of its tag says, bit by bit.
#[test]
fn tables_have_the_bits_of_the_joined_view() {
    let folder = scratch("tables-bits");
    let joined = traces::read(&run(&folder, "a.csv", &[])).expect("a result can be read");
    let tables = tables(&run(&folder, "a.parquet", &[]));
    let mut compared = 0;
    for (_, table) in &tables[..5] {
        for (row, tag) in table.tags().iter().enumerate() {
            let other = joined.tags().binary_search(tag).unwrap_or_else(|_| panic!("no {tag}"));
            for (column, described) in table.columns().iter().enumerate() {
                let place = joined.column(&described.name).expect("the column");
                assert_eq!(table.get(row, column), joined.get(other, place), "{described:?} {tag}");
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn readers_take_both() {
    let folder = scratch("tables-readers");
    let merged = ["--rows", "instants"];
    for options in
        [&[][..], &["--every", "0.1"], &["--every", "0.1", "--rows", "microsteps"], &merged]
    {
        let csv = run(&folder, "a.csv", options);
        for other in ["a.parquet", "a.json"] {
            let other = run(&folder, other, options);
            let (a, b) = (traces::read(&csv).unwrap(), traces::read(&other).unwrap());
            let comparison = traces::compare(&a, &b, Tolerance::EXACT);
            assert!(comparison.agrees(), "{options:?} {comparison}");
            let other = other.to_str().expect("paths are UTF-8");
            let output = superdense(&folder, &["plot", other, "-o", "a.svg"]);
            assert!(output.status.success(), "{}", messages(&output));
        }
    }
}
