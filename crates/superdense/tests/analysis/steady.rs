//! Steady states against closed forms.

use crate::common::compile;
use superdense::{AnalysisError, Trim};

use super::{close, linear_at, number, start, trimmed, values};

/// Water flows in and leaves by Torricelli's law.
const TANKS: &str = "
inputs: {pump: {unit: m^3/s, initial: 0.01}}
outputs: {flow: {value: out, unit: m^3/s}}
blocks:
  upper: {type: Integrator, input: (pump - between) / 2, initial: 1}
  lower: {type: Integrator, input: between - out, initial: 1}
  between: {type: Expression, expression: 0.01 * sqrt(2 * 9.81 * upper)}
  out: {type: Expression, expression: 0.02 * sqrt(2 * 9.81 * lower)}
record: [upper, lower]
";

fn level(flow: f64, area: f64) -> f64 {
    (flow / area) * (flow / area) / (2.0 * 9.81)
}

#[test]
fn levels_for_a_flow_and_a_flow_for_a_level() {
    let system = compile(TANKS);
    // Nothing is given: the inputs stay, the levels follow.
    let found = trimmed(&system, &Trim::default());
    close(
        &[number(&found.states, "upper"), number(&found.states, "lower")],
        &[level(0.01, 0.01), level(0.01, 0.02)],
    );
    assert_eq!(
        (found.free.as_slice(), found.open_directions),
        (&["upper".to_owned(), "lower".to_owned()][..], 0)
    );
    // A level is given: the pump follows.
    let about = Trim { states: values(&[("upper", 0.5)]), ..Trim::default() };
    let found = trimmed(&system, &about);
    let flow = 0.01 * (2.0 * 9.81 * 0.5f64).sqrt();
    close(&[number(&found.inputs, "pump"), number(&found.outputs, "flow")], &[flow, flow]);
    assert_eq!(number(&found.states, "upper"), 0.5);
    assert_eq!(found.inputs[0].unit.as_deref(), Some("m^3/s"));
    // An output is given.
    let about = Trim { outputs: values(&[("flow", 0.03)]), ..Trim::default() };
    let found = trimmed(&system, &about);
    close(
        &[number(&found.inputs, "pump"), number(&found.states, "lower")],
        &[0.03, level(0.03, 0.02)],
    );
    // An input is given.
    let about = Trim { inputs: values(&[("pump", 0.02)]), ..Trim::default() };
    let found = trimmed(&system, &about);
    close(
        &[number(&found.states, "upper"), number(&found.inputs, "pump")],
        &[level(0.02, 0.01), 0.02],
    );
}

#[test]
fn the_linear_model_of_a_steady_state_has_no_rates() {
    let system = compile(TANKS);
    let about = Trim { states: values(&[("upper", 0.5)]), ..Trim::default() };
    let found = trimmed(&system, &about);
    let model = linear_at(&system, &found.point, &["pump"], &["flow"]);
    let flow = number(&found.inputs, "pump");
    let slope = |area: f64, level: f64| area * (2.0 * 9.81f64).sqrt() / (2.0 * level.sqrt());
    let (upper, lower) = (slope(0.01, 0.5), slope(0.02, level(flow, 0.02)));
    close(model.system.a.data(), &[-upper / 2.0, 0.0, upper, -lower]);
    close(model.system.b.data(), &[0.5, 0.0]);
    close(model.system.c.data(), &[0.0, lower]);
    assert!(model.rates.iter().all(|rate| rate.value.abs() < 1e-16), "{:?}", model.rates);
    close(&[number(&model.inputs, "pump")], &[flow]);
}

/// Both equilibria of a pendulum, by the guess; a bound excludes one.
#[test]
fn guesses_and_bounds_choose_a_steady_state() {
    let system = compile(
        "
blocks:
  phi: {type: Integrator, input: w, initial: 0.4}
  w: {type: Integrator, input: -9.81 * sin(phi) - 0.1 * w}
record: [phi, w]
",
    );
    let hanging = trimmed(&system, &Trim::default());
    close(&[number(&hanging.states, "phi"), number(&hanging.states, "w")], &[0.0, 0.0]);
    let about = Trim { guess: values(&[("phi", 3.0)]), ..Trim::default() };
    close(&[number(&trimmed(&system, &about).states, "phi")], &[std::f64::consts::PI]);
    let about = Trim { bounds: vec![("phi".to_owned(), 2.0, 4.0)], ..Trim::default() };
    close(&[number(&trimmed(&system, &about).states, "phi")], &[std::f64::consts::PI]);
}

/// A car at constant speed: its position moves, its speed and the force are steady.
#[test]
fn rates_may_be_given_or_left_open() {
    let text = "
inputs: {force: {initial: 0}}
blocks:
  position: {type: Integrator, input: speed}
  speed: {type: Integrator, input: (force - 0.5 * speed^2 - 10) / 1000, initial: 1}
record: [position, speed]
";
    let system = compile(text);
    let about = Trim {
        states: values(&[("speed", 20.0)]),
        moving: vec!["position".to_owned()],
        ..Trim::default()
    };
    let found = trimmed(&system, &about);
    close(&[number(&found.inputs, "force"), number(&found.rates, "position")], &[210.0, 20.0]);
    // Nothing determines the position, which stays where it was.
    assert_eq!((found.open.as_slice(), found.open_directions), (&["position".to_owned()][..], 1));
    assert_eq!(number(&found.states, "position"), 0.0);
    let about = Trim {
        rates: values(&[("position", 30.0), ("speed", 0.1)]),
        free: vec!["force".to_owned()],
        ..Trim::default()
    };
    let found = trimmed(&system, &about);
    close(&[number(&found.states, "speed"), number(&found.inputs, "force")], &[30.0, 560.0]);
    let fixed = Trim {
        moving: vec!["position".to_owned()],
        fixed: vec!["speed".to_owned()],
        free: vec!["force".to_owned()],
        ..Trim::default()
    };
    close(&[number(&trimmed(&system, &fixed).inputs, "force")], &[10.5]);
}

/// Two inputs for one condition: the step is the shortest, and both are named as open.
#[test]
fn more_unknowns_than_conditions_stay_near_the_start() {
    let system = compile(
        "
inputs: {a: {initial: 0}, b: {initial: 0}}
blocks: {x: {type: Integrator, input: a + b - x}}
record: [x]
",
    );
    let about = Trim { states: values(&[("x", 3.0)]), ..Trim::default() };
    let found = trimmed(&system, &about);
    close(&[number(&found.inputs, "a"), number(&found.inputs, "b")], &[1.5, 1.5]);
    assert_eq!((found.open.len(), found.open_directions), (2, 1));
    let about = Trim { bounds: vec![("a".to_owned(), f64::NEG_INFINITY, 1.0)], ..about };
    let found = trimmed(&system, &about);
    close(&[number(&found.inputs, "a") + number(&found.inputs, "b")], &[3.0]);
    assert!(number(&found.inputs, "a") <= 1.0);
}

#[test]
fn elements_of_vectors_are_given_by_name() {
    let system = compile(
        "
inputs: {u: {type: 'real[2]', initial: [0, 0]}}
blocks: {x: {type: Integrator, input: '[[-1, 1], [0, -2]] * x + u', initial: [5, 5]}}
record: [x]
",
    );
    let about = Trim {
        states: values(&[("x[0]", 3.0)]),
        inputs: vec![("u".to_owned(), vec![1.0, 4.0])],
        ..Trim::default()
    };
    // x[0] = x[1] + 1 and x[1] = 2 contradict nothing.
    let found = trimmed(&system, &about);
    close(&[number(&found.states, "x[0]"), number(&found.states, "x[1]")], &[3.0, 2.0]);
    let about = Trim { outputs: values(&[("x[1]", 7.0)]), ..Trim::default() };
    let found = trimmed(&system, &about);
    close(&[number(&found.states, "x[1]"), number(&found.inputs, "u[1]")], &[7.0, 14.0]);
}

/// What comes out of a delay is what goes in, whatever the delay.
#[test]
fn delays_do_not_matter_at_rest() {
    let system = compile(
        "
inputs: {u: {initial: 2}}
blocks:
  x: {type: Integrator, input: u - late - x, initial: 7}
  late: {type: TransportDelay, input: 3 * x, delay: 0.5, initial: 4}
record: [x, late]
",
    );
    let found = trimmed(&system, &Trim::default());
    close(&[number(&found.states, "x")], &[0.5]);
}

/// A held signal of a sampled controller is an unknown if that is asked for.
#[test]
fn held_signals_are_free_on_request() {
    let system = compile(
        "
blocks:
  clock: {type: Clock, period: 0.1}
  u: {type: ZeroOrderHold, input: sample, initial: 1}
  sample: {type: Sample, input: 4 - x, trigger: clock}
  x: {type: Integrator, input: u - 2 * x, initial: 3}
record: [x, u]
simulate: {stop: 1}
",
    );
    // The start has sampled 4 - 3.
    let found = trimmed(&system, &Trim::default());
    close(&[number(&found.states, "x")], &[0.5]);
    assert_eq!(found.held, [("u".to_owned(), "1".to_owned())]);
    let about =
        Trim { states: values(&[("x", 2.0)]), free: vec!["u".to_owned()], ..Trim::default() };
    let found = trimmed(&system, &about);
    close(&[number(&found.inputs, "u")], &[4.0]);
    let model = linear_at(&system, &found.point, &["u"], &["x"]);
    close(&[number(&model.inputs, "u"), number(&model.rates, "x")], &[4.0, 0.0]);
}

/// A model whose steady state needs no search is steady after none.
#[test]
fn models_without_states_are_steady() {
    let system = compile(
        "inputs: {u: {initial: 2}}\nblocks: {y: {type: Gain, input: u, gain: 3}}\nrecord: [y]\n",
    );
    let about = Trim { outputs: values(&[("y", 12.0)]), ..Trim::default() };
    close(&[number(&trimmed(&system, &about).inputs, "u")], &[4.0]);
    assert!(trimmed(&system, &Trim::default()).states.is_empty());
}

#[test]
fn what_is_left_is_named() {
    let system = compile(TANKS);
    // Two levels that no pump can hold at once.
    let about = Trim { states: values(&[("upper", 0.5), ("lower", 0.5)]), ..Trim::default() };
    let error = system.trim(&start(&system), &about).unwrap_err();
    let AnalysisError::NotSteady { residuals, free, .. } = &error else { panic!("{error}") };
    assert_eq!(free, &["pump"]);
    assert!(residuals.iter().any(|own| own.name == "rate of `lower`"), "{error}");
    assert!(error.help().unwrap().contains("more conditions than unknowns"), "{error}");
    let runaway = compile("blocks: {x: {type: Integrator, input: exp(-x)}}\nrecord: [x]\n");
    let error = runaway.trim(&start(&runaway), &Trim::default()).unwrap_err();
    assert_eq!(error.code(), "not-steady", "{error}");
}
