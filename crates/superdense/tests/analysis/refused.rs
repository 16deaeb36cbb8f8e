//! What cannot be analysed is said by name, and nothing panics.

use crate::common::{compile, gallery};
use superdense::{AnalysisError, Delays, Linearize, Settings, System, Time, Trim};
use superdense::{Library, read};

use super::{start, values};

const MODEL: &str = "
parameters: {k: 2}
inputs:
  u: {initial: 0}
  hit: {kind: event}
  on: {kind: held, initial: false}
blocks:
  x: {type: Integrator, input: u - k * x, initial: 1}
  count: {type: Counter, increment: hit}
  slope: {type: Derivative, input: u}
record: [x, count]
";

fn linear_error(system: &System, inputs: &[&str], outputs: &[&str]) -> AnalysisError {
    let names = |of: &[&str]| Some(of.iter().map(|name| (*name).to_owned()).collect());
    let about =
        Linearize { inputs: names(inputs), outputs: names(outputs), ..Linearize::default() };
    system.linearize(&start(system), &about).unwrap_err()
}

#[test]
fn names_and_kinds_are_checked() {
    let system = compile(MODEL);
    let said = |inputs: &[&str], outputs: &[&str]| {
        let error = linear_error(&system, inputs, outputs);
        format!("{error}; {}", error.help().unwrap_or_default())
    };
    assert!(said(&["uu"], &[]).contains("did you mean `u`?"));
    assert!(said(&["k"], &[]).contains("declare it `tunable: true`"));
    assert!(said(&["hit"], &[]).contains("present at events only"));
    assert!(said(&["on"], &[]).contains("truth value"));
    assert!(said(&["u"], &["count"]).contains("present at events only"));
    assert!(said(&["u", "u"], &[]).contains("twice"));
    assert!(said(&["u"], &["slope"]).contains("time derivative of `u`"));
}

#[test]
fn conditions_are_checked() {
    let system = compile(MODEL);
    let error = |about: Trim| {
        let error = system.trim(&start(&system), &about).unwrap_err();
        assert!(!error.to_string().is_empty());
        error.code()
    };
    let none = Trim::default;
    assert_eq!(error(Trim { states: values(&[("y", 1.0)]), ..none() }), "unknown-signal");
    assert_eq!(error(Trim { states: values(&[("x", f64::NAN)]), ..none() }), "bad-value");
    assert_eq!(error(Trim { states: vec![("x".into(), vec![1.0, 2.0])], ..none() }), "bad-value");
    assert_eq!(error(Trim { outputs: values(&[("nothing", 1.0)]), ..none() }), "unknown-signal");
    assert_eq!(error(Trim { free: vec!["k".into()], ..none() }), "not-movable");
    assert_eq!(error(Trim { rates: values(&[("u", 1.0)]), ..none() }), "unknown-signal");
    assert_eq!(error(Trim { bounds: vec![("x".into(), 2.0, 1.0)], ..none() }), "bad-bound");
    assert_eq!(error(Trim { bounds: vec![("x".into(), f64::NAN, 1.0)], ..none() }), "bad-bound");
    let both = Trim { inputs: values(&[("u", 1.0)]), free: vec!["u".into()], ..none() };
    assert_eq!(error(both), "given-twice");
}

#[test]
fn derivatives_that_do_not_exist_are_named() {
    let system =
        compile("blocks: {x: {type: Integrator, input: -sqrt(x), initial: 0}}\nrecord: [x]\n");
    let error = linear_error(&system, &[], &["x"]);
    assert_eq!(error.to_string(), "the derivative of `x` by `x` is not finite");
}

#[test]
fn points_belong_to_their_system_and_run() {
    let (one, other) = (compile(MODEL), compile(MODEL));
    let error = other.linearize(&start(&one), &Linearize::default()).unwrap_err();
    assert_eq!(error.code(), "other-system");
    let short = compile(
        "
blocks:
  x: {type: Integrator, input: 1}
  hit: {type: LevelCrossing, input: x, level: 2}
  end: {type: Stop, input: hit}
record: [x]
simulate: {stop: 9}
",
    );
    let error = short.operating_point(Time::from_f64(3.0), &[]).unwrap_err();
    assert_eq!(error.code(), "ended-before", "{error}");
    // A time past the stop time is reached all the same.
    let long = compile(MODEL);
    assert_eq!(long.operating_point(Time::from_f64(1e3), &[]).unwrap().time().seconds(), 1e3);
    let steps = Settings::default().impulses("numeric").step(0.1);
    let steps = compile(
        MODEL
            .replace("  hit: {kind: event}\n", "")
            .replace("count: {type: Counter, increment: hit}", "")
            .replace("[x, count]", "[x]")
            .as_str(),
    )
    .with(&steps);
    if let Ok(system) = steps {
        assert_eq!(system.operating_point(None, &[]).unwrap_err().code(), "no-rates");
    }
}

/// Every model of the gallery has a linear model or a reason for having none, at its start and
/// later, and so has every search for a steady state.
#[test]
fn every_model_has_an_answer() {
    let mut linear = 0;
    for path in gallery() {
        let name = path.display();
        let model = read(&path).unwrap_or_else(|refused| panic!("{refused}"));
        let Ok(system) = System::compile(&model, &Library::standard()) else { continue };
        let stop = system.settings().stop.seconds();
        for at in [None, Time::from_f64(0.37 * stop.min(3.0))] {
            let Ok(point) = system.operating_point(at, &[]) else { continue };
            let about = Linearize { delays: Delays::Pade(2), ..Linearize::default() };
            match system.linearize(&point, &about) {
                Ok(found) => {
                    let n = found.states.len();
                    assert_eq!((found.system.a.rows(), found.system.c.columns()), (n, n), "{name}");
                    linear += 1;
                }
                Err(error) => assert!(!error.to_string().is_empty(), "{name}"),
            }
            match system.trim(&point, &Trim::default()) {
                Ok(found) => assert!(
                    found.rates.iter().all(|rate| rate.value.abs() < 1e-3),
                    "{name}: {:?}",
                    found.rates
                ),
                Err(error) => assert!(!error.to_string().is_empty(), "{name}"),
            }
        }
    }
    assert!(linear > 60, "{linear}");
}
