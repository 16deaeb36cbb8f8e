//! `trim` and `linearize` as a user runs them, bad input included.

use std::fs;

use serde_json::Value;

use crate::common::{messages, scratch, superdense};

const TANKS: &str = "superdense: 1
name: tanks
parameters: {area: {value: 0.01, tunable: true}, leak: 0.02}
inputs: {pump: {unit: m^3/s, initial: 0.01}}
outputs: {flow: {value: out, unit: m^3/s}}
blocks:
  upper: {type: Integrator, input: (pump - between) / 2, initial: 1}
  lower: {type: Integrator, input: between - out, initial: 1}
  between: {type: Expression, expression: area * sqrt(2 * 9.81 * upper)}
  out: {type: Expression, expression: leak * sqrt(2 * 9.81 * lower)}
record: [upper, lower]
simulate: {stop: 50}
";

/// The folder with the model, and what a command prints there as JSON.
fn object(name: &str, arguments: &[&str]) -> Value {
    let folder = scratch(&format!("analysis-{name}"));
    fs::write(folder.join("tanks.yaml"), TANKS).unwrap();
    let arguments = [arguments, &["--format", "json"]].concat();
    let output = superdense(&folder, &arguments);
    assert!(output.status.success(), "{}", messages(&output));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn refusal(name: &str, arguments: &[&str]) -> String {
    let folder = scratch(&format!("analysis-{name}"));
    fs::write(folder.join("tanks.yaml"), TANKS).unwrap();
    let output = superdense(&folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert!(output.stdout.is_empty());
    messages(&output)
}

fn level(flow: f64, area: f64) -> f64 {
    (flow / area).powi(2) / (2.0 * 9.81)
}

#[track_caller]
fn near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or(f64::NAN);
    assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1e-3), "{found}, {expected}");
}

#[test]
fn a_steady_state_as_json() {
    let found = object("json", &["trim", "tanks.yaml", "--where", "flow=0.03", "-p", "leak=0.03"]);
    near(&found["inputs"]["pump"], 0.03);
    near(&found["states"]["lower"], level(0.03, 0.03));
    assert_eq!(found["units"]["pump"], "m^3/s");
    assert_eq!(found["free"], serde_json::json!(["upper", "lower", "pump"]));
    // A parameter is the unknown if that is asked for, and an expression a condition.
    let options = ["trim", "tanks.yaml", "--free", "area", "--where", "lower / upper=0.5"];
    let found = object("free", &options);
    near(&found["states"]["lower"], level(0.01, 0.02));
    near(&found["states"]["upper"], 2.0 * level(0.01, 0.02));
    near(&found["inputs"]["area"], 0.02 / 2f64.sqrt());
    // Inputs are given as for a run.
    let found = object("input", &["trim", "tanks.yaml", "--input", "pump=0.02"]);
    near(&found["states"]["upper"], level(0.02, 0.01));
}

#[test]
fn a_linear_model_as_json() {
    let options = ["linearize", "tanks.yaml", "--trim", "--where", "upper=0.5"];
    let found = object("linear", &options);
    assert_eq!(found["states"], serde_json::json!(["upper", "lower"]));
    assert_eq!((&found["inputs"][0], &found["outputs"][0]), (&"pump".into(), &"flow".into()));
    let root = (2.0 * 9.81 * 0.5f64).sqrt();
    near(&found["a"][0][0], -0.01 * 9.81 / root / 2.0);
    near(&found["b"][0][0], 0.5);
    near(&found["steady"]["inputs"]["pump"], 0.01 * root);
    assert_eq!(found["poles"].as_array().unwrap().len(), 2);
    let options = ["linearize", "tanks.yaml", "--at", "20", "--from", "area", "--to", "2 * upper"];
    let found = object("at", &options);
    assert_eq!((&found["time"], &found["c"]), (&"20".into(), &serde_json::json!([[2.0, 0.0]])));
    let upper = found["values"]["upper"].as_f64().unwrap();
    near(&found["b"][1][0], (2.0 * 9.81 * upper).sqrt());
}

#[test]
fn mistakes_are_said_with_what_to_do() {
    for (name, arguments, expected) in [
        ("typo", &["trim", "tanks.yaml", "--where", "uper=1"][..], "did you mean `upper`?"),
        ("equals", &["trim", "tanks.yaml", "--where", "upper"], "write `--where NAME=VALUE`"),
        ("bound", &["trim", "tanks.yaml", "--bound", "pump=3"], "NAME=LOW:HIGH"),
        ("empty", &["trim", "tanks.yaml", "--bound", "pump=3:1"], "bad-bound"),
        ("fixed", &["trim", "tanks.yaml", "--free", "leak"], "declare it `tunable: true`"),
        (
            "both",
            &["trim", "tanks.yaml", "--where", "upper=0.5", "--where", "lower=0.5"],
            "rate of `lower`: off by",
        ),
        ("untrimmed", &["linearize", "tanks.yaml", "--where", "upper=1"], "need `--trim`"),
        ("order", &["linearize", "tanks.yaml", "--from", "nothing"], "no input `nothing`"),
        ("table", &["trim", "tanks.yaml", "--input", "pump=a.csv:x"], "takes no tables"),
        ("late", &["trim", "tanks.yaml", "--at", "soon"], "soon"),
    ] {
        let said = refusal(name, arguments);
        assert!(said.contains(expected), "{name}: {said}");
    }
}
