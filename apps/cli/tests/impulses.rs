//! `dirac` and `pair`, and runs with numeric impulses, as a user calls them.

use std::fs;

use crate::common::{
    accepted, messages, model, refused, repository, same_picture, scratch, superdense,
};
use serde_json::Value;

/// Figure 4 of Gomes et al. for the page on impulses: drawn again it is the same.
#[test]
fn the_picture_of_both_approaches_is_current() {
    let folder = scratch("dirac-picture");
    let ball = model("ball-by-impulses");
    let options = ["-p", "e=1", "--stop", "6", "--steps", "0.1,0.01", "--plot", "ball.svg"];
    accepted(&folder, &[&["dirac", &ball][..], &options].concat());
    let kept = repository().join("docs/pictures/impulses/ball-symbolic-numeric.svg");
    let drawn = fs::read_to_string(folder.join("ball.svg")).expect("a picture was drawn");
    let again = "superdense dirac models/ball-by-impulses/model.yaml -p e=1 --stop 6 --steps \
                 0.1,0.01 --plot docs/pictures/impulses/ball-symbolic-numeric.svg";
    same_picture::check(&kept, &drawn, same_picture::bless())
        .unwrap_or_else(|old| panic!("{old}\ndraw it again with\n  {again}"));
}

#[test]
fn dirac_tells_both_approaches() {
    let folder = scratch("dirac");
    let ball = model("ball-by-impulses");
    let options = ["-p", "e=1", "--stop", "6", "--steps", "0.1,0.01"];
    let text = accepted(&folder, &[&["dirac", &ball][..], &options].concat());
    for words in ["h = 0.1 s", "h = 0.01 s", "largest difference", "overflow in f32", "either:"] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    let json = [&["dirac", &ball][..], &options, &["--format", "json"]].concat();
    let found: Value = serde_json::from_str(&accepted(&folder, &json)).expect("JSON");
    assert_eq!(found["verdict"], "either");
    let steps = found["steps"].as_array().expect("a list of steps");
    assert_eq!(steps.len(), 2);
    for step in steps {
        assert!(step["relative_difference"].as_f64().expect("a number") < 1e-12);
        assert_eq!((&step["order"], &step["delay_steps"]), (&0.into(), &0.into()));
        let ratio = step["magnitude"].as_f64().zip(step["predicted_magnitude"].as_f64());
        let (met, predicted) = ratio.expect("numbers");
        assert!((met / predicted - 1.0).abs() < 1e-9);
    }
}

/// After the pulse the numerical signal has an error of the size of the step, for ever; that is no
/// delay.
#[test]
fn a_moving_factor_delays_nothing() {
    let folder = scratch("dirac-moving");
    let model = "superdense: 1
name: moving
blocks:
  s: {type: Step, time: 1}
  d: {type: Derivative, input: s}
  f: {type: Integrator, input: -f, initial: 1}
  p: {type: Product, inputs: [d, f]}
  q: {type: Derivative, input: p}
  w: {type: Product, inputs: [q, f]}
  x: {type: Integrator, input: w}
record: [x]
simulate: {stop: 3}
";
    fs::write(folder.join("model.yaml"), model).expect("a model");
    let run = ["dirac", "model.yaml", "--steps", "0.1,0.01", "--format", "json"];
    let found: Value = serde_json::from_str(&accepted(&folder, &run)).expect("JSON");
    for step in found["steps"].as_array().expect("a list of steps") {
        assert_eq!((&step["order"], &step["delay_steps"]), (&1.into(), &1.into()));
    }
}

#[test]
fn dirac_refuses_bad_steps() {
    let folder = scratch("dirac-bad");
    let ball = model("ball-by-impulses");
    for (options, words) in [
        (vec!["--steps", "0"], "not a positive time"),
        (vec!["--steps", "-1"], "not a positive time"),
        (vec!["--steps", "a"], "unknown-name"),
        (vec!["--steps", "1e-30"], "at least one attosecond"),
        (vec!["--steps", "1", "--impulses", "numeric"], "unexpected argument"),
        (vec!["--steps", "1", "--plot", "a.gif"], ".svg or .png"),
        (vec![], "--steps"),
    ] {
        let output = superdense(&folder, &[&["dirac", &ball][..], &options].concat());
        assert!(!output.status.success());
        assert!(messages(&output).contains(words), "{words}: {}", messages(&output));
    }
}

#[test]
fn a_signal_of_a_file_is_paired() {
    let folder = scratch("pair");
    let step = model("step-derivative");
    let run = ["run", &step, "-q", "--every", "0.01", "--rows", "microsteps", "-o", "step.csv"];
    accepted(&folder, &run);
    let pair = |signal: &str, more: &[&str]| {
        let call = [&["pair", "step.csv", signal, "--bump", "1, 1/2"][..], more].concat();
        accepted(&folder, &call).trim().to_owned()
    };
    // An impulse at the top of a bump of height 1, and the step with minus its derivative.
    assert_eq!(pair("d", &[]), "1");
    let step: f64 = pair("u", &["--derivative", "1"]).parse().expect("a number");
    assert!((step + 1.0).abs() < 1e-12, "{step}");
    let json: Value = serde_json::from_str(&pair("d", &["--format", "json"])).expect("JSON");
    assert_eq!((&json["signal"], &json["pairing"]), (&"d".into(), &1.0.into()));
    for (arguments, words) in [
        (["y", "--bump", "1,0.5"], "no signal `y`; there is: u, d, x"),
        (["d", "--bump", "1,0"], "positive radius"),
        (["d", "--bump", "1"], "CENTER,RADIUS"),
        (["d", "--bump", "2,1"], "is not known from 2 to 3"),
    ] {
        refused(&folder, &[&["pair", "step.csv"][..], &arguments].concat(), &[words]);
    }
}

#[test]
fn impulses_are_numbers_where_that_is_asked_for() {
    let folder = scratch("numeric");
    let step = model("step-derivative");
    let numeric = ["--impulses", "numeric", "--step", "1/4", "-o", "-", "-q"];
    let text = accepted(&folder, &[&["run", &step][..], &numeric].concat());
    assert!(text.contains("\n1,0,0,0,0\n1,1,1,4,1\n1.25,0,1,0,1\n"), "{text}");
    let output = superdense(&folder, &["run", &step, "--impulses", "numerical"]);
    assert!(messages(&output).contains("did you mean `numeric`?"), "{}", messages(&output));
    for call in [
        ["explain", &step, "1", "--impulses", "numeric"],
        ["run", &step, "--log=l", "--impulses", "stepped"],
    ] {
        refused(&folder, &call, &["fixed-step run"]);
    }
}
