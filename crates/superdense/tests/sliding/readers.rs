//! Who reads a comparison while it slides: guards, discrete parts, and what cannot slide at all.

use super::*;

/// A machine whose guard compares the same function sees zero from the entry on.
#[test]
fn guards_on_a_surface_see_zero() {
    for (guard, state) in [("x <= 0", 1.0), ("not (x > 0)", 1.0), ("x > 0 and time > 3", 0.0)] {
        let text = format!(
            "
blocks:
  x: {{type: Integrator, input: 0.5 - sign(x), initial: 1}}
  m:
    type: Modal
    initial: up
    states:
      up: {{outputs: {{y: 0}}, transitions: [{{to: down, when: '{guard}'}}]}}
      down: {{outputs: {{y: 1}}}}
record: [x, m.y]
simulate: {{stop: 4, sliding: filippov}}
"
        );
        assert_eq!(simulate(&text).trace.last("m.y"), Some(state), "{guard}");
    }
}

/// A model that has one way on goes it, with the setting as without.
#[test]
fn what_does_not_slide_is_left_alone() {
    let models = [
        "blocks: {flow: {type: Sine, frequency: 0.25}, x: {type: LimitedIntegrator, input: flow, lower: 0, upper: 1}}",
        "blocks: {x: {type: Integrator, input: sign(x)}}",
        "blocks: {x: {type: Integrator, input: if x > 0 then 1 else -1}}",
    ];
    for model in models {
        let run = |setting: &str| {
            simulate(&format!("{model}\nrecord: [x]\nsimulate: {{stop: 3{setting}}}"))
                .trace
                .last("x")
        };
        let (with, without) = (run(", sliding: filippov").unwrap(), run("").unwrap());
        near(with, without, 1e-6, model);
    }
}

/// Comparisons that make events, decide transitions or memories, or move what another comparison
/// sees keep their error, which says why.
#[test]
fn comparisons_that_do_more_cannot_slide() {
    let cases = [
        (
            "edge: {type: Edge, input: on}",
            "on: {type: Expression, expression: x > 0}",
            "events or impulses",
        ),
        (
            "m: {type: Modal, initial: a, states: {a: {transitions: [{to: b, when: on}]}, b: {}}}",
            "on: {type: Expression, expression: x > 0}",
            "transition",
        ),
        (
            "d: {type: Derivative, input: if on then 1 else 0}",
            "on: {type: Expression, expression: x > 0}",
            "events or impulses",
        ),
        (
            "late: {type: TransportDelay, input: if on then 1 else 0, delay: 1}",
            "on: {type: Expression, expression: x > 0}",
            "delays",
        ),
        (
            "other: {type: Expression, expression: (if on then 1 else 0) + x > 0.5}",
            "on: {type: Expression, expression: x > 0}",
            "compares",
        ),
    ];
    for (reader, on, why) in cases {
        let text = format!(
            "
blocks:
  {on}
  x: {{type: Integrator, input: if on then -1 else 1, initial: 1}}
  {reader}
record: [x]
simulate: {{stop: 5, sliding: filippov, microsteps: 100}}
"
        );
        match failure(&text).error {
            error @ RunError::Chattering { switching: Switching::CannotSlide(..), .. } => {
                assert!(error.to_string().contains(why), "{reader}: {error}");
            }
            other => panic!("{reader}: {other}"),
        }
    }
}

/// Samples, holds and truth values of what slides: the mean is sampled, a truth value is that on the
/// surface itself.
#[test]
fn discrete_parts_read_the_mean() {
    let text = "
blocks:
  x: {type: Integrator, input: 0.25 - sign(x), initial: 0.75}
  u: {type: Expression, expression: sign(x)}
  c: {type: Clock, period: 1, offset: 0.5}
  s: {type: Sample, input: u, trigger: c}
  above: {type: Expression, expression: x > 0}
  below: {type: Expression, expression: x < 0}
record: [x, u, s, above, below]
simulate: {stop: 4, sliding: filippov}
";
    let trace = simulate(text).trace;
    let series: Vec<f64> = trace.series("s").into_iter().map(|(_, value)| value).collect();
    assert_eq!(series, [1.0, 0.25, 0.25, 0.25]);
    assert_eq!(trace.last("above"), Some(0.0));
    assert_eq!(trace.last("below"), Some(0.0));
    assert!(has_row(&trace, crate::common::exact("1.5", 1)));
}
