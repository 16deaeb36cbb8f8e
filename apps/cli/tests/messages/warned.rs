//! Models that are accepted with a warning.

use std::fs;

use crate::common;
use crate::common::{messages, scratch, superdense};

/// The messages of `check` about a model that is accepted, and what it records when it is run.
fn warned(name: &str, model: &str) -> (String, String) {
    let folder = scratch(name);
    fs::write(folder.join("model.yaml"), model).expect("a model can be written");
    let output = superdense(&folder, &["check", "model.yaml"]);
    assert!(output.status.success(), "{}", messages(&output));
    let run = superdense(&folder, &["run", "model.yaml", "-q", "-o", "-"]);
    (messages(&output), String::from_utf8(run.stdout).expect("text"))
}

/// Whether a recorded column is present somewhere.
fn is_ever_present(result: &str, column: &str) -> bool {
    let index = result.lines().next().and_then(|head| head.split(',').position(|c| c == column));
    let index = index.unwrap_or_else(|| panic!("no {column} in\n{result}"));
    result.lines().skip(1).any(|line| !line.split(',').nth(index).unwrap_or("").is_empty())
}

#[test]
fn a_sample_that_needs_its_own_past_is_warned_of() {
    let model = "superdense: 1\nblocks:
  c: {type: Clock, period: 1}
  dead: {type: Sample, input: previous(dead) + 1, trigger: c}
  far: {type: Sample, input: 2 * before, trigger: c}
  before: {type: Previous, input: far}
  held: {type: ZeroOrderHold, input: next}
  next: {type: Sample, input: previous(held) + 1, trigger: c}
  late: {type: Sample, input: previous(late) + time, trigger: c}
  alive: {type: Sample, input: either, trigger: c}
  either: {type: Sum, inputs: [previous(alive), time]}
  chosen: {type: Sample, input: if present(previous(chosen)) then 1 else 2, trigger: c}
simulate: {stop: 3}
";
    let (text, result) = warned("warning-past", model);
    let dead = ["dead", "far", "late"].map(|name| (name, true));
    let present = ["next", "alive", "chosen"].map(|name| (name, false));
    for (name, is_dead) in dead.into_iter().chain(present) {
        let message = format!("warning[never-present]: `{name}` is absent for ever");
        assert_eq!(text.contains(&message), is_dead, "{name} in\n{text}");
        assert_eq!(is_ever_present(&result, name), !is_dead, "{name} in\n{result}");
    }
}

#[test]
fn a_crossing_that_begins_on_its_level_is_warned_of() {
    let model = "superdense: 1\nblocks:
  y: {type: Integrator, input: v, initial: 2}
  v: {type: Integrator, input: -1, initial: 1}
  up: {type: LevelCrossing, input: y, level: 2, direction: rising}
  down: {type: LevelCrossing, input: y, level: 2, direction: falling}
  other: {type: LevelCrossing, input: y, level: 1, direction: rising}
simulate: {stop: 1}
";
    let (text, result) = warned("warning-level", model);
    assert!(text.contains("warning[starts-on-level]: `up` gives no event at the start"), "{text}");
    assert!(!text.contains("`down`") && !text.contains("`other`"), "{text}");
    assert!(!is_ever_present(&result, "up"), "{result}");
}

#[test]
fn the_models_have_no_warnings() {
    let models = common::repository().join("models");
    for name in common::folders(&models) {
        let output = superdense(&models.join(&name), &["check", "model.yaml"]);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", messages(&output));
    }
}
