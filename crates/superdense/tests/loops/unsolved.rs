//! Loops that have no solution, more than one, or none that is known.

use crate::common::{assert_near, exact, failure, tag};
use superdense::RunError;

#[test]
fn a_loop_without_a_solution_is_an_error() {
    for expression in ["z + 1", "z^2 + 1", "exp(z) + 1"] {
        let failure = failure(&format!(
            "
superdense: 1
blocks:
  z: {{type: Expression, expression: {expression}}}
solve: true
record: [z]
simulate: {{stop: 1}}
"
        ));
        match failure.error {
            RunError::NoSolution { tag: at, block, .. } => {
                assert_eq!((at, block.path()), (tag(0.0, 0), "z"), "{expression}");
            }
            other => panic!("{expression}: {other}"),
        }
    }
}

#[test]
fn a_loop_that_loses_its_solution_is_an_error_there() {
    // z = z^2 + t has none from t = 1/4 on.
    let failure = failure(
        "
superdense: 1
blocks:
  x: {type: Integrator, input: 1}
  z: {type: Expression, expression: z^2 + x}
  y: {type: Integrator, input: z}
solve: true
record: [z, y]
simulate: {stop: 1}
",
    );
    assert!(
        matches!(failure.error, RunError::NoSolution { .. } | RunError::StepTooSmall { .. }),
        "{}",
        failure.error
    );
    let last = failure.trace.tags().last().unwrap().time.seconds();
    assert!(last <= 0.25 + 1e-6, "went on to {last}");
}

#[test]
fn a_loop_without_a_solution_at_a_tick_is_an_error_there() {
    let failure = failure(
        "
superdense: 1
blocks:
  s: {type: Step, time: 0.5, before: 0, after: 1}
  z: {type: Expression, expression: z^2 + s}
solve: true
record: [z]
simulate: {stop: 1}
",
    );
    match failure.error {
        RunError::NoSolution { tag, block, .. } => {
            assert_eq!((tag, block.path()), (exact("0.5", 1), "z"));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_loop_that_stays_unknown_is_an_error() {
    for moving in ["", "\n  x: {type: Integrator, input: a + b}"] {
        let text = format!(
            "
superdense: 1
blocks:
  p: {{type: Pulse, period: 1, width: 0.25, offset: 0.5}}
  a: {{type: Expression, expression: if p > 0.5 then b else 1}}
  b: {{type: Expression, expression: if p > 0.5 then a else 2}}{moving}
record: [a, b]
simulate: {{stop: 2}}
"
        );
        match failure(&text).error {
            RunError::NotConstructive { tag, mut blocks, .. } => {
                assert_eq!(tag, exact("0.5", 1));
                blocks.sort();
                assert_eq!(blocks, ["a", "b"]);
            }
            other => panic!("{other}"),
        }
    }
}

/// How a model with some blocks and `solve: true` fails, and at which tag.
fn fails(blocks: &str) -> (&'static str, superdense::Tag) {
    let error =
        failure(&format!("superdense: 1\nblocks:\n{blocks}solve: true\nsimulate: {{stop: 2}}\n"))
            .error;
    (error.code(), error.tag().unwrap())
}

#[test]
fn a_loop_that_leaves_its_signals_open_is_an_error() {
    let start = tag(0.0, 0);
    for blocks in [
        "  a: {type: Gain, input: b}\n  b: {type: Gain, input: a}\n",
        "  a: {type: Expression, expression: 2 * b}\n  b: {type: Expression, expression: a / 2}\n",
        "  a: {type: Gain, input: b, gain: 49}\n  b: {type: Expression, expression: a / 49}\n",
        "  a: {type: Expression, expression: b + 1}\n  b: {type: Expression, expression: a - 1}\n",
        "  a: {type: Expression, expression: b + 0.3}
  b: {type: Expression, expression: a - 0.1 - 0.2}\n",
        "  u: {type: Integrator, input: 1, initial: 1}
  a: {type: Expression, expression: b + u}
  b: {type: Expression, expression: a - u}
  x: {type: Integrator, input: a}\n",
        "  z: {type: Expression, expression: '[[0.1, 0.9], [0.3, 0.7]] * z'}
  y: {type: Expression, expression: 'z + [0, 0]'}\n",
        "  z: {type: Expression, expression: 'z + [0, 0]'}\n",
        "  z: {type: Expression, expression: '[z[1] + 1, z[0] - 1]'}\n",
        "  a: {type: Expression, expression: 1 - b - c}
  b: {type: Expression, expression: 1 - a - c}
  c: {type: Expression, expression: 1 - a - b}
  d: {type: Expression, expression: 2 - 2 * d}\n",
        "  z: {type: Expression, expression: 'min(z, 1)'}\n",
    ] {
        assert_eq!(fails(blocks), ("not-determined", start), "{blocks}");
    }
    // Equations that contradict each other have no solution.
    for blocks in [
        "  a: {type: Gain, input: b}\n  b: {type: Expression, expression: a + 1}\n",
        "  z: {type: Expression, expression: '[z[1] + 1, z[0] + 1]'}\n",
        "  a: {type: Gain, input: b, gain: 49}
  b: {type: Expression, expression: a / 49 + 1}\n",
    ] {
        assert_eq!(fails(blocks), ("no-solution", start), "{blocks}");
    }
}

#[test]
fn a_loop_may_be_left_open_at_one_time_only() {
    // At ticks, in a signal that lasts and in events, and between events.
    let held = "  s: {type: Step, time: 0.5, before: 0.5, after: 1}
  z: {type: Expression, expression: s * z + 1 - s}\n";
    assert_eq!(fails(held), ("not-determined", exact("0.5", 1)));
    let events = "  c: {type: Clock, period: 1/4, value: 4}
  n: {type: Counter, increment: c}
  z: {type: Expression, expression: n * z - 3 * z}\n";
    assert_eq!(fails(events), ("not-determined", exact("0.75", 1)));
    let moving = "  x: {type: Integrator, input: 1}
  s: {type: Expression, expression: if x < 1 then 2 else 1}
  z: {type: Expression, expression: s * z}
  y: {type: Integrator, input: z}\n";
    let (code, at) = fails(moving);
    assert_eq!((code, at.microstep), ("not-determined", 1));
    assert_near(at.time.seconds(), 1.0, 1e-12);
}

#[test]
fn presence_that_hangs_on_a_solution_is_an_error() {
    // Both events are there at 0 and at 1 s, and one of them at 0.5 s.
    let failure = failure(
        "
superdense: 1
blocks:
  e: {type: Clock, period: 1}
  f: {type: Clock, period: 0.5}
  g: {type: Merge, inputs: [e, f]}
  u: {type: Decision, input: w, above: e, below: f, threshold: 0.2}
  w: {type: Sum, inputs: [g / 2, -u / 4]}
solve: true
record: [u]
simulate: {stop: 2}
",
    );
    match failure.error {
        RunError::NotConstructive { tag, .. } => assert_eq!(tag, exact("0.5", 1)),
        other => panic!("{other}"),
    }
    assert_eq!(failure.trace.series("u").len(), 1);
}
