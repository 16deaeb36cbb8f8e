//! Algebraic loops: refused with their names, solved where the model asks, known through
//! conditionals, or an error.

mod common;

use common::{assert_near, at, codes, exact, failure, refusal, simulate, tag};
use superdense::RunError;

#[test]
fn a_loop_is_refused_with_its_names() {
    let refused = refusal(
        "
superdense: 1
blocks:
  apple: {type: Gain, input: pear, gain: 2}
  pear: {type: Sum, inputs: [plum, 1]}
  plum: {type: Negate, input: apple}
  x: {type: Integrator, input: -apple}
simulate: {stop: 1}
",
    );
    assert_eq!(codes(&refused), ["causality-loop"]);
    let text = refused.to_string();
    for name in ["apple", "pear", "plum"] {
        assert!(text.contains(name), "{name} is missing:\n{text}");
    }
}

#[test]
fn a_loop_of_one_block_is_refused() {
    let refused = refusal(
        "
superdense: 1
blocks:
  z: {type: Expression, expression: z + 1}
simulate: {stop: 1}
",
    );
    assert_eq!(codes(&refused), ["causality-loop"]);
    assert!(refused.to_string().contains("the loop is z"), "{refused}");
}

#[test]
fn a_loop_through_an_integrator_is_none() {
    simulate(
        "
superdense: 1
blocks:
  a: {type: Gain, input: x, gain: -1}
  x: {type: Integrator, input: a, initial: 1}
simulate: {stop: 1}
",
    );
}

#[test]
fn a_linear_loop_is_solved_while_smooth() {
    for solve in ["true", "[z]", "{z: 1}"] {
        let trace = simulate(&format!(
            "
superdense: 1
blocks:
  x: {{type: Integrator, input: z}}
  z: {{type: Expression, expression: -2 * z + 3 - x}}
solve: {solve}
record: [x, z]
simulate: {{stop: 2, tolerance: 1e-11}}
"
        ))
        .trace;
        // z = 1 - x / 3.
        for ((tag, x), (_, z)) in trace.series("x").into_iter().zip(trace.series("z")) {
            assert_near(x, 3.0 * (1.0 - (-tag.time.seconds() / 3.0).exp()), 1e-9);
            assert_near(z, 1.0 - x / 3.0, 1e-12);
        }
    }
}

#[test]
fn a_loop_of_several_blocks_is_solved() {
    let trace = simulate(
        "
superdense: 1
blocks:
  apple: {type: Gain, input: pear, gain: 2}
  pear: {type: Sum, inputs: [plum, 1, time]}
  plum: {type: Negate, input: apple}
solve: true
record: [apple, pear, plum]
simulate: {stop: 1}
",
    )
    .trace;
    // apple = 2 (1 + t - apple).
    assert_near(trace.last("apple").unwrap(), 4.0 / 3.0, 1e-12);
    assert_near(trace.last("plum").unwrap(), -4.0 / 3.0, 1e-12);
    assert_near(trace.last("pear").unwrap(), 2.0 / 3.0, 1e-12);
}

#[test]
fn a_nonlinear_loop_follows_its_closed_form() {
    // z + z^3 = -x and x' = z give ln(z0 / z) + 1.5 (z0^2 - z^2) = t.
    for solver in ["rk45", "rk23", "trapezoidal"] {
        let trace = simulate(&format!(
            "
superdense: 1
blocks:
  x: {{type: Integrator, input: z, initial: -2}}
  z: {{type: Expression, expression: -x - z^3}}
solve: {{z: 0.7}}
record: [x, z]
simulate: {{stop: 3, tolerance: 1e-10, solver: {solver}, step: 1/1024}}
"
        ))
        .trace;
        let tolerance = if solver == "trapezoidal" { 1e-5 } else { 1e-7 };
        for (tag, z) in trace.series("z") {
            assert_near(-z.ln() + 1.5 * (1.0 - z * z), tag.time.seconds(), tolerance);
        }
        assert!(trace.last("z").unwrap() < 0.3);
    }
}

#[test]
fn a_nonlinear_loop_jumps_at_a_tick() {
    let trace = simulate(
        "
superdense: 1
blocks:
  c: {type: Clock, period: 1}
  n: {type: Counter, increment: c}
  h: {type: ZeroOrderHold, input: n}
  z: {type: Expression, expression: 0.5 * cos(z) + h}
  e: {type: Sample, input: z, trigger: c}
solve: true
record: [z, h, e]
simulate: {stop: 3}
",
    )
    .trace;
    for k in 0..=3 {
        let (before, after) = (tag(f64::from(k), 0), tag(f64::from(k), 1));
        for (tag, h) in [(before, f64::from(k)), (after, f64::from(k + 1))] {
            let z = at(&trace, "z", tag).unwrap();
            assert_eq!(at(&trace, "h", tag), Some(h));
            assert_near(z, 0.5 * z.cos() + h, 1e-12);
        }
        assert_eq!(at(&trace, "e", after), at(&trace, "z", after));
    }
}

#[test]
fn a_loop_of_events_is_solved_where_they_are_present() {
    // Both are present with the clock: a = 1 + b / 2 and b = a / 2.
    let trace = simulate(
        "
superdense: 1
blocks:
  c: {type: Clock, period: 1}
  x: {type: Integrator, input: 1}
  a: {type: Sample, input: 1 + y / 2, trigger: c}
  y: {type: ZeroOrderHold, input: b}
  b: {type: Gain, input: a, gain: 0.5}
solve: true
record: [a, b]
simulate: {stop: 2}
",
    )
    .trace;
    for k in 0..3 {
        assert_near(at(&trace, "a", tag(f64::from(k), 1)).unwrap(), 4.0 / 3.0, 1e-12);
        assert_near(at(&trace, "b", tag(f64::from(k), 1)).unwrap(), 2.0 / 3.0, 1e-12);
    }
}

#[test]
fn a_vector_loop_is_solved() {
    let trace = simulate(
        "
superdense: 1
parameters:
  A: [[0, 0.5], [0.25, 0]]
blocks:
  x: {type: Integrator, input: 1}
  z:
    type: Expression
    expression: A * z + [1, 2] * x
solve: {z: [0, 0]}
record: [z]
simulate: {stop: 1}
",
    )
    .trace;
    // (I - A) z = (1, 2): the determinant is 7 / 8.
    let z = common::last_elements(&trace, "z");
    assert_near(z[0], 2.0 / 0.875, 1e-12);
    assert_near(z[1], 2.25 / 0.875, 1e-12);
}

#[test]
fn a_nonlinear_vector_loop_is_solved() {
    let trace = simulate(
        "
superdense: 1
blocks:
  z:
    type: Expression
    expression: 0.5 * [cos(z[1]), sin(z[0])] + [time, 0]
solve: {z: [0, 0]}
record: [z]
simulate: {stop: 1}
",
    )
    .trace;
    let z = common::last_elements(&trace, "z");
    assert_near(z[0], 0.5 * z[1].cos() + 1.0, 1e-12);
    assert_near(z[1], 0.5 * z[0].sin(), 1e-12);
}

#[test]
fn the_guess_chooses_the_solution() {
    // z = z^2 - 2 has the solutions 2 and -1.
    for (guess, root) in [("5", 2.0), ("-3", -1.0)] {
        let trace = simulate(&format!(
            "
superdense: 1
blocks:
  z: {{type: Expression, expression: z^2 - 2}}
solve: {{z: {guess}}}
record: [z]
simulate: {{stop: 1}}
"
        ))
        .trace;
        assert_near(trace.last("z").unwrap(), root, 1e-12);
    }
}

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
                assert_eq!((at, block.as_str()), (tag(0.0, 0), "z"), "{expression}");
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
            assert_eq!((tag, block.as_str()), (exact("0.5", 1), "z"));
        }
        other => panic!("{other}"),
    }
}

const CONDITIONAL: &str = "
superdense: 1
blocks:
  p: {type: Pulse, period: 1, width: 0.5, offset: 0.5}
  a: {type: Expression, expression: if p > 0.5 then b else 1}
  b: {type: Expression, expression: if p > 0.5 then 2 else 3 * a}
  x: {type: Integrator, input: a + b}
record: [a, b, x]
simulate: {stop: 2}
";

#[test]
fn a_loop_that_conditionals_break_is_known() {
    let trace = simulate(CONDITIONAL).trace;
    let both = |tag| (at(&trace, "a", tag).unwrap(), at(&trace, "b", tag).unwrap());
    assert_eq!(both(exact("0", 0)), (1.0, 3.0));
    assert_eq!(both(exact("0.5", 0)), (1.0, 3.0));
    assert_eq!(both(exact("0.5", 1)), (2.0, 2.0));
    assert_eq!(both(exact("1", 0)), (2.0, 2.0));
    assert_eq!(both(exact("1", 1)), (1.0, 3.0));
    assert_near(trace.last("x").unwrap(), 8.0, 1e-12);
}

#[test]
fn a_conditional_loop_over_moving_signals_is_known() {
    let trace = simulate(
        "
superdense: 1
blocks:
  s: {type: Expression, expression: sin(time)}
  a: {type: Expression, expression: if s > 0 then b else 1}
  b: {type: Expression, expression: if s > 0 then 2 else 3 * a}
  x: {type: Integrator, input: a + b}
record: [a, b, x]
simulate: {stop: 6.25, tolerance: 1e-10}
",
    )
    .trace;
    assert_near(trace.last("x").unwrap(), 4.0 * 6.25, 1e-8);
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

#[test]
fn previous_left_and_delay_break_a_loop_at_ticks() {
    let trace = simulate(
        "
superdense: 1
blocks:
  c: {type: Clock, period: 1}
  n: {type: Sample, input: 1 + previous(h), trigger: c}
  h: {type: ZeroOrderHold, input: n, initial: 10}
record: [h]
simulate: {stop: 3}
",
    )
    .trace;
    assert_eq!(trace.last("h"), Some(14.0));
}
