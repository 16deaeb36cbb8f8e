//! Algebraic loops: refused with their names, solved if the model asks for it, known through
//! conditionals, or an error.

mod random;
mod unsolved;

use crate::common::{assert_near, at, codes, exact, last_elements, refusal, simulate, tag, tags};

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
    let z = last_elements(&trace, "z");
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
    let z = last_elements(&trace, "z");
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

/// A cycle of blocks whose direction depends on the mode of a machine: in each state the signals
/// follow from `u`, one way round or the other.
#[test]
fn a_cycle_may_have_a_direction_in_each_mode() {
    let trace = simulate(
        "
superdense: 1
blocks:
  u: {type: Expression, expression: 3 + time}
  m:
    type: Modal
    initial: forward
    states:
      forward:
        outputs: {p: u, q: a}
        transitions: [{to: backward, after: 1}]
      backward:
        outputs: {p: b, q: u}
        transitions: [{to: forward, after: 1}]
  a: {type: Expression, expression: m.p + 1}
  b: {type: Expression, expression: 2 * m.q}
record: [m.p, m.q, a, b]
simulate: {stop: 3}
",
    )
    .trace;
    let all = |tag| ["m.p", "m.q", "a", "b"].map(|name| at(&trace, name, tag).unwrap());
    assert_eq!(all(exact("1", 0)), [4.0, 5.0, 5.0, 10.0]);
    assert_eq!(all(exact("1", 1)), [8.0, 4.0, 9.0, 8.0]);
    assert_eq!(all(exact("2", 0)), [10.0, 5.0, 11.0, 10.0]);
    assert_eq!(all(exact("2", 1)), [5.0, 6.0, 6.0, 12.0]);
}

/// Example 9.8 of the book on Ptolemy II: a composite with a clock inside is fed back its own events.
/// Nothing has to be known about its input before the clock fires.
#[test]
fn a_composite_is_fed_back_its_own_events() {
    let trace = simulate(
        "
superdense: 1
diagrams:
  Composite:
    inputs: {in: {}}
    outputs: {out: clock, count: count}
    blocks:
      clock: {type: Clock, period: 1, offset: 0.5}
      count: {type: Counter, increment: in}
blocks:
  composite: {type: Composite, in: twice}
  twice: {type: Gain, input: composite.out, gain: 2}
record: {count: composite.count, twice: twice}
simulate: {stop: 3}
",
    )
    .trace;
    for (k, time) in ["0.5", "1.5", "2.5"].into_iter().enumerate() {
        assert_eq!(at(&trace, "twice", exact(time, 1)), Some(2.0));
        assert_eq!(at(&trace, "count", exact(time, 1)), Some(k as f64 + 1.0));
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

#[test]
fn a_root_of_higher_order_is_a_solution() {
    for (expression, guess, root, near) in [
        ("z + z^2", "0", 0.0, 0.0),
        ("z + z^2", "1", 0.0, 1e-8),
        ("z + z^8", "0", 0.0, 0.0),
        ("z - (z - 1)^3", "0", 1.0, 1e-5),
        ("(1 - 1e-12) * z + 1e-12", "0", 1.0, 1e-3),
    ] {
        let trace = simulate(&format!(
            "superdense: 1\nblocks:\n  z: {{type: Expression, expression: {expression}}}
solve: {{z: {guess}}}\nrecord: [z]\nsimulate: {{stop: 1}}\n"
        ))
        .trace;
        assert_near(trace.last("z").unwrap(), root, near);
    }
}

#[test]
fn a_vector_loop_needs_no_guess() {
    // The size comes from a matrix, from a state, from a reader, or from the expression; also if
    // the guess is one number.
    for (blocks, solve) in [
        ("  z: {type: Expression, expression: A * z + b * x}\n", "true"),
        ("  z: {type: Expression, expression: A * z + b * x}\n", "{z: 0}"),
        (
            "  w: {type: Expression, expression: A * z}
  z: {type: Sum, inputs: [w, b * x]}\n",
            "[w]",
        ),
        ("  z: {type: Expression, expression: '[z[1] / 2 + x, z[0] / 4 + 2 * x]'}\n", "true"),
        (
            "  v: {type: Integrator, input: b}
  w: {type: Gain, gain: A, input: z}
  z: {type: Expression, expression: v + w}\n",
            "true",
        ),
        (
            "  s: {type: Expression, expression: 'z[1] / 2 + x'}
  z: {type: Expression, expression: '[s, z[0] / 4 + 2 * x]'}\n",
            "true",
        ),
    ] {
        let trace = simulate(&format!(
            "
superdense: 1
parameters: {{A: [[0, 0.5], [0.25, 0]], b: [1, 2]}}
blocks:
  x: {{type: Integrator, input: 1}}
{blocks}solve: {solve}
record: [z]
simulate: {{stop: 1}}
"
        ))
        .trace;
        let z = last_elements(&trace, "z");
        assert_eq!(z.len(), 2, "{blocks}");
        assert_near(z[0], 2.0 / 0.875, 1e-9);
        assert_near(z[1], 2.25 / 0.875, 1e-9);
    }
}

#[test]
fn a_sampled_controller_with_a_loop_of_events_is_solved() {
    // u = k (r - y - u): u = k / (1 + k) (r - y) at the samples, and nothing between them.
    for feedback in ["k * (e - u)", "k * e - k * u", "-(u - e) * k", "k * e * (1 - u / e)"] {
        let trace = simulate(&format!(
            "
superdense: 1
parameters: {{k: 4}}
blocks:
  c: {{type: Clock, period: 0.1}}
  r: {{type: Step, time: 0.35, after: 2, before: 1}}
  e: {{type: Sample, input: r - y, trigger: c}}
  u: {{type: Expression, expression: {feedback}}}
  h: {{type: ZeroOrderHold, input: u}}
  y: {{type: Integrator, input: h - y}}
solve: true
record: [e, u, y]
simulate: {{stop: 1, tolerance: 1e-10}}
"
        ))
        .trace;
        let ticks = tags(&trace, "e");
        assert_eq!(ticks.len(), 11);
        assert_eq!(tags(&trace, "u"), ticks, "{feedback}");
        let mut y = 0.0;
        for (k, tick) in ticks.iter().enumerate() {
            let r = if k < 4 { 1.0 } else { 2.0 };
            let u = at(&trace, "u", *tick).unwrap();
            assert_near(u, 0.8 * (r - y), 1e-9);
            y = u + (y - u) * (-0.1f64).exp();
        }
    }
}

#[test]
fn a_choice_in_a_loop_of_events_is_solved() {
    // Which side is taken hangs on what is solved for; both are present with e.
    let choices = [
        ("if e - u > 0.6 then 0.6 else e - u", [0.5, 0.6, 0.6]),
        ("if u > 0.6 then e / 2 else e - u", [0.5, 0.75, 1.0]),
        ("if u < 0.6 then e - u else e / 2", [0.5, 0.75, 1.0]),
        ("if e - u < 0 then 0 else if e - u > 0.6 then 0.6 else e - u", [0.5, 0.6, 0.6]),
    ];
    for (expression, expected) in choices {
        let trace = simulate(&format!(
            "
superdense: 1
blocks:
  c: {{type: Clock, period: 0.5, offset: 0.5}}
  e: {{type: Sample, input: 0.5 + x, trigger: c}}
  x: {{type: Integrator, input: 1}}
  u: {{type: Expression, expression: {expression}}}
  h: {{type: ZeroOrderHold, input: u}}
solve: true
record: [u, h]
simulate: {{stop: 1.7}}
"
        ))
        .trace;
        let found = trace.series("u");
        assert_eq!(found.len(), 3, "{expression}");
        for (k, (tick, u)) in found.into_iter().enumerate() {
            assert_eq!(tick, tag(0.5 + 0.5 * k as f64, 1));
            assert_near(u, expected[k], 1e-12);
        }
        assert_near(trace.last("h").unwrap(), expected[2], 1e-12);
    }
}

/// While its conditional takes the branch that reads the loop, nothing outside makes a loop present;
/// its signals last, and are there.
#[test]
fn a_loop_with_a_conditional_is_present_in_both_branches() {
    for guess in ["true", "[a]"] {
        let trace = simulate(&format!(
            "
blocks:
  a: {{type: Expression, expression: if time < 1 then b / 2 + 1 else 3}}
  b: {{type: Expression, expression: if time > 2 then 5 else a / 2}}
solve: {guess}
record: [a, b]
simulate: {{stop: 3, every: 0.5}}
"
        ))
        .trace;
        let expected = [
            (0.0, 4.0 / 3.0, 2.0 / 3.0),
            (0.5, 4.0 / 3.0, 2.0 / 3.0),
            (1.5, 3.0, 1.5),
            (2.5, 3.0, 5.0),
        ];
        for (time, a, b) in expected {
            assert_near(at(&trace, "a", tag(time, 0)).expect("present"), a, 1e-12);
            assert_near(at(&trace, "b", tag(time, 0)).expect("present"), b, 1e-12);
        }
    }
}
