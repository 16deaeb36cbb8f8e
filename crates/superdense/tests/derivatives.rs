//! Derivatives and impulses of higher orders against closed forms.

use crate::common::{assert_near, at, exact, failure, refusal, simulate, tag, times};
use superdense::{RunError, Trace};

/// The coefficients of a signal's impulses at a tag, order by order up to the last that is not 0.
fn impulses(trace: &Trace, name: &str, time: &str, microstep: u32) -> Vec<f64> {
    let column = trace.column(name).unwrap();
    let mut found = Vec::new();
    for impulse in trace.impulses() {
        if impulse.column == column && impulse.tag == exact(time, microstep) {
            found.resize(found.len().max(impulse.order + 1), 0.0);
            found[impulse.order] = impulse.weight[0];
        }
    }
    found
}

/// Holds: jump of Derivative.
#[test]
fn a_step_differentiated_and_integrated_is_the_step() {
    let trace = simulate(
        "
blocks:
  u: {type: Step, time: 1, before: -2, after: 1}
  d: {type: Derivative, input: u}
  x: {type: Integrator, input: d, initial: -2}
record: [u, d, x]
simulate: {stop: 2}
",
    )
    .trace;
    let pairs = trace.series("u").into_iter().zip(trace.series("x"));
    assert!(pairs.clone().count() > 3);
    pairs.for_each(|(u, x)| assert_eq!(u, x));
    assert_eq!(impulses(&trace, "d", "1", 1), [3.0]);
}

#[test]
fn the_nth_derivative_of_a_step_is_one_impulse() {
    let mut text = "blocks:\n  d0: {type: Step, time: 1}\n".to_owned();
    for n in 1..=10 {
        text += &format!("  d{n}: {{type: Derivative, input: d{}}}\n", n - 1);
    }
    let names: Vec<String> = (1..=10).map(|n| format!("d{n}")).collect();
    text += &format!("record: [{}]\nsimulate: {{stop: 2}}\n", names.join(", "));
    let trace = simulate(&text).trace;
    for n in 1..=10 {
        let mut expected = vec![0.0; n];
        expected[n - 1] = 1.0;
        assert_eq!(impulses(&trace, &format!("d{n}"), "1", 1), expected);
        assert_eq!(at(&trace, &format!("d{n}"), exact("1", 1)), Some(0.0));
    }
    assert!(trace.impulses().iter().all(|impulse| impulse.tag == exact("1", 1)));
}

/// Holds: impulse of Derivative, Integrator.
#[test]
fn derivatives_after_integrators_are_the_identity_on_impulses() {
    let mut text = "blocks:\n".to_owned();
    text += "  i0: {type: ImpulseSource, times: [1], weight: 3, order: 8}\n";
    for n in 1..=8 {
        text += &format!("  i{n}: {{type: Integrator, input: i{}}}\n", n - 1);
    }
    text += "  d8: {type: Derivative, input: i8}\n";
    for n in (1..8).rev() {
        text += &format!("  d{n}: {{type: Derivative, input: d{}}}\n", n + 1);
    }
    text += "record: [i0, d1, i8]\nsimulate: {stop: 2}\n";
    let trace = simulate(&text).trace;
    assert_eq!(impulses(&trace, "d1", "1", 1), impulses(&trace, "i0", "1", 1));
    assert_eq!(impulses(&trace, "i8", "1", 1), [3.0]);
}

/// -g t (1 + 20 delta''(t - 1.44)) = -g t - 28.8 g delta'' + 40 g delta'.
#[test]
fn a_product_follows_the_rule_of_leibniz() {
    let trace = simulate(
        "
parameters: {g: 9.81}
blocks:
  y: {type: Expression, expression: '(-g * time) * (1 + 20 * delta(time - 1.44, 2))'}
record: [y]
simulate: {stop: 2}
",
    )
    .trace;
    let found = impulses(&trace, "y", "1.44", 1);
    assert_eq!(found[0], 0.0);
    assert_near(found[1], 40.0 * 9.81, 1e-12);
    assert_near(found[2], -28.8 * 9.81, 1e-12);
}

/// f times the third derivative of delta, with f = sin(2 x) e^x of a state x' = 1: all four
/// coefficients by hand.
#[test]
fn the_rule_of_leibniz_takes_derivatives_along_the_flow() {
    let trace = simulate(
        "
blocks:
  x: {type: Integrator, input: 1}
  f: {type: Expression, expression: sin(2 * x) * exp(x)}
  y: {type: Expression, expression: 'f * delta(time - 0.5, 3)'}
record: [y]
simulate: {stop: 1, tolerance: 1e-12}
",
    )
    .trace;
    let found = impulses(&trace, "y", "0.5", 1);
    // f^(k) = Im((1 + 2i)^k e^((1 + 2i) x))
    let derivative = |k: i32| {
        let (size, angle) = (5f64.sqrt().powi(k), f64::from(k) * 2f64.atan() + 1.0);
        size * 0.5f64.exp() * angle.sin()
    };
    let expected = [-derivative(3), 3.0 * derivative(2), -3.0 * derivative(1), derivative(0)];
    for (found, expected) in found.iter().zip(expected) {
        assert_near(*found, expected, 1e-9);
    }
}

/// Holds: closed form of Derivative.
#[test]
fn a_derivative_is_exact_between_events() {
    let trace = simulate(
        "
blocks:
  s: {type: Sine, frequency: 0.5}
  y: {type: Expression, expression: exp(s) * time^3}
  d: {type: Derivative, input: y}
  e: {type: Derivative, input: d}
  x: {type: Integrator, input: -2 * x, initial: 1}
  v: {type: Derivative, input: x^2}
record: [d, e, x, v]
simulate: {stop: 2, every: 0.1}
",
    )
    .trace;
    let w = std::f64::consts::PI;
    for row in 0..trace.len() {
        let t = trace.tags()[row].time.seconds();
        let value = |name: &str| trace.get(row, trace.column(name).unwrap()).unwrap()[0];
        let (s, c) = (w * t).sin_cos();
        let first = s.exp() * (w * c * t.powi(3) + 3.0 * t * t);
        let second =
            s.exp() * ((w * w * c * c - w * w * s) * t.powi(3) + 6.0 * w * c * t * t + 6.0 * t);
        assert_near(value("d"), first, 1e-11);
        assert_near(value("e"), second, 1e-10);
        assert_near(value("v"), -4.0 * value("x").powi(2), 1e-12);
    }
}

/// x' = -x + delta' has the solution delta - e^-(t - 1) from zero: an impulse and a jump of -1.
#[test]
fn the_derivative_of_an_impulse_into_a_first_order_system() {
    let trace = simulate(
        "
blocks:
  x: {type: Integrator, input: '-x + delta(time - 1, 1)'}
  k: {type: Integrator, input: x}
record: [x, k]
simulate: {stop: 3, tolerance: 1e-10}
",
    )
    .trace;
    assert_eq!(impulses(&trace, "x", "1", 1), [1.0]);
    assert_eq!(at(&trace, "x", exact("1", 1)), Some(-1.0));
    assert_eq!(at(&trace, "k", exact("1", 1)), Some(1.0));
    assert_near(trace.last("x").unwrap(), -(-2f64).exp(), 1e-9);
    assert_near(trace.last("k").unwrap(), (-2f64).exp(), 1e-9);
}

/// Holds: impulse of Decision.
#[test]
fn a_choice_passes_impulses_unless_it_changes_with_them() {
    let model = |at: &str| {
        format!(
            "
blocks:
  u: {{type: Step, time: 1}}
  d: {{type: Decision, input: u, threshold: 0.5, above: 2 * delta(time - {at}), below: 0}}
  x: {{type: Integrator, input: d}}
record: [d, x]
simulate: {{stop: 3}}
"
        )
    };
    let trace = simulate(&model("2")).trace;
    assert_eq!(impulses(&trace, "d", "2", 1), [2.0]);
    assert_eq!(trace.last("x"), Some(2.0));
    assert_eq!(simulate(&model("0.5")).trace.last("x"), Some(0.0));
    match failure(&model("1")).error {
        RunError::Undefined { tag, block, .. } => {
            assert_eq!((tag, block.path()), (exact("1", 1), "d"));
        }
        other => panic!("{other}"),
    }
}

/// The derivative of a state is the state's own rate: asking for it in that rate is a loop.
#[test]
fn a_derivative_in_its_own_loop_is_found() {
    let refused = refusal(
        "
blocks:
  x: {type: Integrator, input: 1 - d}
  d: {type: Derivative, input: 2 * x}
simulate: {stop: 1}
",
    );
    assert!(refused.to_string().contains("causality loop"), "{refused}");
    let trace = simulate(
        "
solve: true
blocks:
  x: {type: Integrator, input: 1 - d}
  d: {type: Derivative, input: 2 * x}
record: [x]
simulate: {stop: 1}
",
    )
    .trace;
    assert_near(trace.last("x").unwrap(), 1.0 / 3.0, 1e-9);
}

/// An instance that feeds an expression of its output back to its input is a loop of blocks.
#[test]
fn a_loop_through_an_instance_is_shown_or_solved() {
    let model = |solve: &str| {
        format!(
            "
{solve}
diagrams:
  Half: {{inputs: [u], outputs: {{z: 3 - 0.5 * u}}, blocks: {{}}}}
blocks:
  h: {{type: Half, u: h.z}}
record: {{z: h.z}}
simulate: {{stop: 1}}
"
        )
    };
    let refused = refusal(&model(""));
    assert!(refused.to_string().contains("causality loop"), "{refused}");
    assert_near(simulate(&model("solve: true")).trace.last("z").unwrap(), 2.0, 1e-12);
}

/// Jumps are events too, also those of vectors; where nothing jumps there is none.
#[test]
fn jumps_are_events() {
    let text = "blocks:
  u: {type: Step, time: 1, after: 3}
  v: {type: Expression, expression: \"[u, sin(time)]\"}
  d: {type: Derivative, input: v}
  n: {type: Counter, increment: \"d.jump[0]\"}
  smooth: {type: Derivative, input: sin(time)}
  none: {type: Counter, increment: smooth.jump}
record: {jump: \"d.jump[0]\", n: n, none: none}
simulate: {stop: 2}
";
    let trace = simulate(text).trace;
    assert_eq!(times(&trace, "jump"), [1.0]);
    assert_eq!(at(&trace, "jump", tag(1.0, 1)), Some(3.0));
    assert_eq!(times(&trace, "n"), [1.0]);
    assert_eq!(times(&trace, "none"), [0.0; 0]);
}
