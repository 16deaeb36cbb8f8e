//! Invariants in the summary, in JSON and as warnings of `run`.

use std::fs;

use crate::common::{messages, scratch, superdense};

const BALL: &str = "superdense: 1
parameters: {g: 10, m: 2, e: 0.5}
blocks:
  v: {type: Integrator, input: -g, impulse: kick}
  y: {type: Integrator, input: v, initial: 5}
  hit: {type: LevelCrossing, input: y, direction: falling}
  kick: {type: Sample, input: -(1 + e) * previous(v), trigger: hit}
invariants: {energy: 0.5 * m * v^2 + m * g * y}
record: [y, energy]
simulate: {stop: 1.9}
plots:
  energy: [[energy]]
";

#[test]
fn a_run_says_how_well_an_invariant_was_kept() {
    let folder = scratch("invariants");
    fs::write(folder.join("ball.yaml"), BALL).expect("a model");
    let output = superdense(&folder, &["run", "ball.yaml", "--plot", "energy=energy.svg"]);
    let said = messages(&output);
    assert!(output.status.success(), "{said}");
    let line = said.lines().find(|line| line.starts_with("invariants")).expect("a line");
    assert!(line.contains("energy = 100 at first"), "{line}");
    assert!(line.contains("by ticks 7.50e1 (7.5e-1 relative) at (1.0"), "{line}");
    assert!(said.contains("warning[invariant-broken]"), "{said}");
    assert!(said.contains("there fired"), "{said}");
    assert!(folder.join("energy.svg").exists());
    let output = superdense(&folder, &["run", "ball.yaml", "-p", "e=1"]);
    assert!(!messages(&output).contains("invariant-broken"), "{}", messages(&output));
}

#[test]
fn tools_read_the_same() {
    let folder = scratch("invariants-json");
    fs::write(folder.join("ball.yaml"), BALL).expect("a model");
    let output = superdense(&folder, &["run", "ball.yaml", "--format", "json"]);
    let said = messages(&output);
    let lines = said.lines().map(|line| serde_json::from_str(line).expect("an object"));
    let lines: Vec<serde_json::Value> = lines.collect();
    let note = lines.iter().find(|line| line["invariants"].is_array()).expect("a note");
    let energy = &note["invariants"][0];
    assert_eq!(energy["name"], "energy");
    assert_eq!((&energy["breaks"], &energy["tick"]["microstep"]), (&1.into(), &1.into()));
    assert!((energy["tick"]["size"].as_f64().expect("a number") - 75.0).abs() < 1e-9);
    assert!(lines.iter().any(|line| line["code"] == "invariant-broken"), "{said}");
}
