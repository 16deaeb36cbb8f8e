//! Vectors, matrices and nested diagrams.

use crate::common::{assert_near, bits, last_elements, simulate};

/// Holds: closed form of Gain, Integrator.
#[test]
fn matrix_times_state_against_the_closed_form() {
    // The eigenvalues are -1 and -3, with (1, 1) and (1, -1).
    let trace = simulate(
        "
parameters:
  A: [[-2, 1], [1, -2]]
blocks:
  x: {type: Integrator, input: A * x, initial: [3, 1]}
  y: {type: Gain, input: x, gain: A}
record: [x, y]
simulate: {stop: 1.5, tolerance: 1e-11}
",
    )
    .trace;
    let (slow, fast) = (2.0 * (-1.5f64).exp(), (-4.5f64).exp());
    let x = last_elements(&trace, "x");
    assert_near(x[0], slow + fast, 1e-9);
    assert_near(x[1], slow - fast, 1e-9);
    let y = last_elements(&trace, "y");
    assert_near(y[0], -slow - 3.0 * fast, 1e-8);
    assert_near(y[1], -slow + 3.0 * fast, 1e-8);
}

#[test]
fn a_matrix_is_a_state() {
    // X' = W X turns: X = [[cos, -sin], [sin, cos]].
    let trace = simulate(
        "
blocks:
  X:
    type: Integrator
    input: W * X
    initial: [[1, 0], [0, 1]]
  W: {type: Constant, value: [[0, -2], [2, 0]]}
record: {X: X, n: norm(X), s: sum(transpose(X) * X)}
simulate: {stop: 1, tolerance: 1e-11}
",
    )
    .trace;
    let (s, c) = 2.0f64.sin_cos();
    for (value, truth) in last_elements(&trace, "X").iter().zip([c, -s, s, c]) {
        assert_near(*value, truth, 1e-8);
    }
    assert_near(trace.last("n").unwrap(), 2.0f64.sqrt(), 1e-8);
    assert_near(trace.last("s").unwrap(), 2.0, 1e-8);
}

#[test]
fn vectors_are_reset_kicked_and_sampled_whole() {
    let trace = simulate(
        "
blocks:
  c: {type: Clock, period: 1, offset: 1, value: [1, -0.5]}
  x: {type: Integrator, input: [1, 2], initial: [0, 0], impulse: c}
  e: {type: LevelCrossing, input: 'x[1]', level: 1}
  s: {type: Sample, input: 2 * x, trigger: e}
  h: {type: ZeroOrderHold, input: s, initial: [0, 0]}
record: [x, h]
simulate: {stop: 1.75}
",
    )
    .trace;
    let x = last_elements(&trace, "x");
    assert_near(x[0], 2.75, 1e-12);
    assert_near(x[1], 3.0, 1e-12);
    // x[1] = 1 at 0.5; the kick at 1 takes it from 2 to 1.5, which is no change of side.
    let h = last_elements(&trace, "h");
    assert_near(h[0], 1.0, 1e-12);
    assert_near(h[1], 2.0, 1e-12);
}

#[test]
fn functions_work_element_by_element() {
    let trace = simulate(
        "
blocks:
  x: {type: Integrator, input: [1, -1], initial: [-0.5, 0.25]}
  y: {type: Integrator, input: abs(x)}
  z:
    type: Integrator
    input: max(x, 0)
record: [y, z]
simulate: {stop: 1}
",
    )
    .trace;
    for (value, truth) in last_elements(&trace, "y").iter().zip([0.25, 0.3125]) {
        assert_near(*value, truth, 1e-10);
    }
    for (value, truth) in last_elements(&trace, "z").iter().zip([0.125, 0.03125]) {
        assert_near(*value, truth, 1e-10);
    }
}

#[test]
fn nested_diagrams_give_the_bits_of_the_flat_model() {
    let nested = simulate(
        "
parameters: {w: 3, d: 0.2}
diagrams:
  State:
    parameters: {from:}
    inputs: [rate]
    outputs: {value: s}
    blocks:
      s: {type: Integrator, input: rate, initial: from}
  Spring:
    parameters: {k:, c:, start: 1}
    inputs: [force]
    outputs: {x: pos.value, v: vel.value}
    blocks:
      pos: {type: State, rate: vel.value, from: start}
      vel: {type: State, rate: force - k * pos.value - c * vel.value, from: 0}
  Pair:
    parameters: {w:, c: 0.1}
    inputs: [drive]
    outputs: {x: front.x, y: back.x}
    blocks:
      front: {type: Spring, force: drive + back.x, k: w^2, c: c}
      back: {type: Spring, force: front.x, k: w^2 + 1, c: 2 * c, start: 0.5}
blocks:
  u: {type: Pulse, period: 0.7, width: 0.3}
  pair: {type: Pair, drive: u, w: w, c: d}
record: {x: pair.x, y: pair.y}
simulate: {stop: 3, tolerance: 1e-7}
",
    )
    .trace;
    let flat = simulate(
        "
blocks:
  u: {type: Pulse, period: 0.7, width: 0.3}
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: u + y - 9 * x - 0.2 * v}
  y: {type: Integrator, input: z, initial: 0.5}
  z: {type: Integrator, input: x - 10 * y - 0.4 * z}
record: [x, y]
simulate: {stop: 3, tolerance: 1e-7}
",
    )
    .trace;
    assert!(nested.len() > 20);
    assert!(bits(&nested, 0) == bits(&flat, 0));
}

#[test]
fn an_instance_takes_its_own_parameters() {
    let trace = simulate(
        "
diagrams:
  Decay:
    parameters: {rate: 1, half: rate / 2}
    outputs: [x]
    blocks:
      x: {type: Integrator, input: -half * x, initial: 1}
blocks:
  a: {type: Decay}
  b: {type: Decay, rate: 4}
  c: {type: Decay, rate: 4, half: 3}
record: {a: a.x, b: b.x, c: c.x}
simulate: {stop: 1, tolerance: 1e-11}
",
    )
    .trace;
    for (name, rate) in [("a", 0.5f64), ("b", 2.0), ("c", 3.0)] {
        assert_near(trace.last(name).unwrap(), (-rate).exp(), 1e-9);
    }
}

/// One number as the initial value of a state fills a vector, also if something indexes the state.
#[test]
fn the_rate_gives_a_state_its_size() {
    let trace = simulate(
        "
blocks:
  y: {type: Expression, expression: 'x[1]'}
  x: {type: Integrator, input: '[1, -2] - x', initial: 1}
record: [x, y]
simulate: {stop: 1, tolerance: 1e-10}
",
    )
    .trace;
    assert_near(trace.last("y").unwrap(), -2.0 + 3.0 * (-1f64).exp(), 1e-9);
    assert_eq!(last_elements(&trace, "x").len(), 2);
}

/// Of a conditional on sizes only the branch that is taken must fit.
#[test]
fn the_other_branch_of_a_known_condition_need_not_fit() {
    let run = |factor: &str, input: &str| {
        let text = format!(
            "
diagrams:
  Apply:
    parameters: {{B: }}
    inputs: [u]
    outputs: [y]
    blocks:
      y: {{type: Expression, expression: 'if columns(B) > 1 then B * u else B * sum(identity(1) * u)'}}
blocks:
  a: {{type: Apply, B: {factor}, u: '{input}'}}
simulate: {{stop: 1}}
record: [a]
"
        );
        last_elements(&simulate(&text).trace, "a")
    };
    assert_eq!(run("[[1, 2], [3, 4]]", "[1, 1]"), [3.0, 7.0]);
    assert_eq!(run("[1, 2]", "5"), [5.0, 10.0]);
}
