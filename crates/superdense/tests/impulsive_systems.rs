//! Systems that are driven by impulses, against closed forms and against each other.

use crate::common;
use crate::common::{assert_at, assert_near, at, exact, refusal, simulate, tags};
use superdense::{RunError, Tag, Trace};

/// The coefficients of a signal's impulses at a tag, order by order up to the last that is not 0.
fn impulses(trace: &Trace, name: &str, tag: Tag) -> Vec<f64> {
    let column = trace.column(name).unwrap();
    let mut found = Vec::new();
    for impulse in trace.impulses() {
        if impulse.column == column && impulse.tag == tag {
            found.resize(found.len().max(impulse.order + 1), 0.0);
            found[impulse.order] = impulse.weight[0];
        }
    }
    found
}

/// A ball that is dropped from 10 m, with what acts on its velocity at a hit.
fn ball(e: &str, velocity: &str) -> Trace {
    simulate(&format!(
        "
parameters: {{g: 9.81, e: {e}}}
blocks:
  y: {{type: Integrator, input: v, initial: 10}}
  hit: {{type: LevelCrossing, input: y, direction: falling}}
{velocity}
record: [y, v, hit]
simulate: {{stop: 9, tolerance: 1e-9}}
"
    ))
    .trace
}

/// The force of the floor as an impulse: N counts the hits and is held, and its derivative has an
/// impulse where it jumps.
const BY_FORCE: &str = "  n: {type: Counter, increment: hit}
  N: {type: ZeroOrderHold, input: n}
  dN: {type: Derivative, input: N}
  F: {type: Expression, expression: -(1 + e) * m * previous(v) * dN}
  a: {type: Expression, expression: -g + F / m}
  v: {type: Integrator, input: a}";

const BY_RESET: &str = "  after: {type: Sample, input: -e * previous(v), trigger: hit}
  v: {type: Integrator, input: -g, reset: after}";

/// Separation of dynamics and impulsive forces are two ways to one solution. With e = 1 the sum
/// v + (-2 v) does not round, so that the traces have the same bits.
#[test]
fn a_ball_by_reset_and_by_impulse_are_the_same() {
    let force = BY_FORCE.replace("* m *", "*").replace("F / m", "F");
    let (reset, impulse) = (ball("1", BY_RESET), ball("1", &force));
    assert!(tags(&reset, "hit").len() > 2);
    assert_eq!(reset.series("y"), impulse.series("y"));
    assert_eq!(reset.series("v"), impulse.series("v"));
    assert_eq!(reset.series("hit"), impulse.series("hit"));
    let (reset, impulse) = (ball("0.8", BY_RESET), ball("0.8", &force));
    assert_eq!(tags(&reset, "hit").len(), tags(&impulse, "hit").len());
    for name in ["y", "v"] {
        for ((t, a), (u, b)) in reset.series(name).into_iter().zip(impulse.series(name)) {
            assert_near(t.time.seconds(), u.time.seconds(), 1e-12);
            assert_near(a, b, 1e-11);
        }
    }
}

/// The ball as a causal diagram: position, velocity and every arrow of the force.
#[test]
fn a_ball_as_a_causal_diagram() {
    let (g, e, m) = (9.81f64, 0.8f64, 2.5f64);
    let text = format!(
        "
parameters: {{g: 9.81, e: 0.8, m: 2.5}}
blocks:
  y: {{type: Integrator, input: v, initial: 10}}
  hit: {{type: LevelCrossing, input: y, direction: falling}}
{BY_FORCE}
record: [y, v, F, a, N]
simulate: {{stop: 6, tolerance: 1e-10}}
"
    );
    let trace = simulate(&text).trace;
    let fall = (20.0 / g).sqrt();
    // The k-th bounce is at fall (1 + 2 sum of e^j), with the speed g fall e^k before it.
    let bounce = |k: i32| fall * (1.0 + 2.0 * (1..=k).map(|j| e.powi(j)).sum::<f64>());
    let count = (0..20).take_while(|k| bounce(*k) < 6.0).count();
    let forces: Vec<_> = trace.impulses().iter().filter(|i| i.column == 2).collect();
    assert_eq!((count, forces.len()), (3, 3));
    for (k, force) in forces.iter().enumerate() {
        let speed = g * fall * e.powi(k as i32);
        assert_near(force.tag.time.seconds(), bounce(k as i32), 1e-11);
        assert_eq!((force.tag.microstep, force.order), (1, 0));
        assert_near(force.weight[0], (1.0 + e) * m * speed, 1e-9);
        assert_near(impulses(&trace, "a", force.tag)[0], (1.0 + e) * speed, 1e-9);
        assert_near(at(&trace, "v", Tag::new(force.tag.time, 0)).unwrap(), -speed, 1e-9);
        assert_near(at(&trace, "v", force.tag).unwrap(), e * speed, 1e-9);
        assert_near(at(&trace, "a", force.tag).unwrap(), -g, 1e-12);
    }
    for (tag, y) in trace.series("y") {
        let t = tag.time.seconds();
        let k = (0..20).take_while(|k| bounce(*k) <= t).count() as i32;
        let truth = match k {
            0 => 10.0 - 0.5 * g * t * t,
            _ => {
                let since = t - bounce(k - 1);
                g * fall * e.powi(k) * since - 0.5 * g * since * since
            }
        };
        assert_near(y, truth, 1e-8);
    }
}

/// u = (v0 - g t)(1 - H) + (-(v0 - g td) - g (t - td)) H has the derivative
/// -g - 2 (v0 - g td) delta(t - td).
#[test]
fn the_derivative_of_a_velocity_that_reverses() {
    let trace = simulate(
        "
parameters: {v0: 3, g: 9.81, td: 0.75}
blocks:
  s: {type: Step, time: td, before: -1, after: 1}
  u:
    type: Decision
    input: s
    above: -(v0 - g * td) - g * (time - td)
    below: v0 - g * time
  d: {type: Derivative, input: u}
record: [u, d]
simulate: {stop: 2, every: 0.25, rows: microsteps}
",
    )
    .trace;
    for (_, d) in trace.series("d") {
        assert_near(d, -9.81, 1e-12);
    }
    assert_eq!(trace.impulses().len(), 1);
    let found = impulses(&trace, "d", exact("0.75", 1));
    assert_eq!(found.len(), 1);
    assert_near(found[0], -2.0 * (3.0 - 9.81 * 0.75), 1e-12);
}

/// The response of y'' + 2 z w y' + w^2 y = w^2 u, with a direct path 0.5 u to the output.
#[test]
fn the_impulse_response_is_the_derivative_of_the_step_response() {
    let trace = simulate(
        "
parameters: {w: 3, z: 0.2}
diagrams:
  System:
    parameters: {w:, z:}
    inputs: [u]
    outputs: {y: x + 0.5 * u}
    blocks:
      v: {type: Integrator, input: w^2 * (u - x) - 2 * z * w * v}
      x: {type: Integrator, input: v}
blocks:
  step: {type: Step, time: 0.5}
  of_step: {type: System, u: step, w: w, z: z}
  of_impulse: {type: System, u: delta(time - 0.5), w: w, z: z}
  d: {type: Derivative, input: of_step.y}
record: {d: d, h: of_impulse.y}
simulate: {stop: 4, tolerance: 1e-11}
",
    )
    .trace;
    let (w, z) = (3.0f64, 0.2f64);
    let wd = w * (1.0 - z * z).sqrt();
    for ((tag, d), (_, h)) in trace.series("d").into_iter().zip(trace.series("h")) {
        let t = tag.time.seconds() - 0.5;
        let truth = if t > 0.0 { w * w / wd * (-z * w * t).exp() * (wd * t).sin() } else { 0.0 };
        assert_near(d, h, 1e-9);
        assert_near(h, truth, 1e-9);
    }
    assert_eq!(impulses(&trace, "d", exact("0.5", 1)), [0.5]);
    assert_eq!(impulses(&trace, "h", exact("0.5", 1)), [0.5]);
}

/// m x'' + c x' + k x = J delta'(t - t0): x is J / m times the derivative of
/// h = e^(-s t) sin(w t) / w, and its velocity carries an impulse.
#[test]
fn the_derivative_of_an_impulse_into_a_mass_with_spring_and_damper() {
    let (m, c, k, j) = (2.0f64, 0.8f64, 5.0f64, 3.0f64);
    let trace = simulate(
        "
parameters: {m: 2, c: 0.8, k: 5, J: 3}
blocks:
  twist: {type: ImpulseSource, times: [0.5], weight: J, order: 1}
  v: {type: Integrator, input: (-c * v - k * x + twist) / m}
  x: {type: Integrator, input: v}
record: [x, v]
simulate: {stop: 4, tolerance: 1e-11}
",
    )
    .trace;
    let (s, w0) = (c / (2.0 * m), k / m);
    let w = (w0 - s * s).sqrt();
    let h = |t: f64| (-s * t).exp() * (w * t).sin() / w;
    let slope = |t: f64| (-s * t).exp() * ((w * t).cos() - s / w * (w * t).sin());
    let states = trace.series("x").into_iter().zip(trace.series("v"));
    for ((tag, x), (_, v)) in states.filter(|((tag, _), _)| *tag >= exact("0.5", 1)) {
        let t = tag.time.seconds() - 0.5;
        assert_near(x, j / m * slope(t), 1e-8);
        assert_near(v, j / m * (-2.0 * s * slope(t) - w0 * h(t)), 1e-8);
    }
    assert_eq!(impulses(&trace, "v", exact("0.5", 1)), [1.5]);
    assert_at(&trace, "x", &[("0.5", 0, 0.0), ("0.5", 1, 1.5)]);
    assert_near(at(&trace, "v", exact("0.5", 1)).unwrap(), -c / m * 1.5, 1e-15);
}

/// An ideal switch joins two capacitors: the charge is kept, the voltages meet, and the current is
/// an impulse.
#[test]
fn two_capacitors_joined_by_a_switch() {
    let trace = simulate(
        "
parameters: {C1: 2, C2: 3, u1: 10, u2: 1}
blocks:
  closed: {type: Step, time: 1}
  closing: {type: Derivative, input: closed}
  i:
    type: Expression
    expression: C1 * C2 / (C1 + C2) * (left(q1) / C1 - left(q2) / C2) * closing
  q1: {type: Integrator, input: -i, initial: C1 * u1}
  q2: {type: Integrator, input: i, initial: C2 * u2}
record: {i: i, q1: q1, q2: q2, u1: q1 / C1, u2: q2 / C2}
simulate: {stop: 2}
",
    )
    .trace;
    let (c1, c2, q) = (2.0, 3.0, 23.0);
    for ((_, a), (_, b)) in trace.series("q1").into_iter().zip(trace.series("q2")) {
        assert_near(a + b, q, 1e-13);
    }
    assert_eq!(at(&trace, "u1", exact("1", 0)), Some(10.0));
    assert_eq!(at(&trace, "u2", exact("1", 0)), Some(1.0));
    for name in ["u1", "u2"] {
        assert_near(at(&trace, name, exact("1", 1)).unwrap(), q / (c1 + c2), 1e-14);
    }
    assert_near(impulses(&trace, "i", exact("1", 1))[0], 20.0 - c1 * q / (c1 + c2), 1e-13);
}

/// A blow on the first of three masses that are joined by stiff rods: the forces in the rods are
/// impulses that need each other, found as a loop of impulse coefficients.
#[test]
fn a_blow_on_three_masses_joined_by_rods() {
    let trace = simulate(
        "
parameters: {m1: 1, m2: 2, m3: 5}
solve: true
blocks:
  blow: {type: ImpulseSource, times: [1], weight: 4}
  a: {type: Expression, expression: (blow - f12) / m1}
  f12: {type: Expression, expression: m2 * a + f23}
  f23: {type: Expression, expression: m3 * a}
  v1: {type: Integrator, input: (blow - f12) / m1}
  v2: {type: Integrator, input: (f12 - f23) / m2}
  v3: {type: Integrator, input: f23 / m3}
record: [v1, v2, v3, f12, f23]
simulate: {stop: 2}
",
    )
    .trace;
    for name in ["v1", "v2", "v3"] {
        assert_eq!(at(&trace, name, exact("1", 0)), Some(0.0));
        assert_near(at(&trace, name, exact("1", 1)).unwrap(), 0.5, 1e-14);
    }
    assert_near(impulses(&trace, "f12", exact("1", 1))[0], 3.5, 1e-14);
    assert_near(impulses(&trace, "f23", exact("1", 1))[0], 2.5, 1e-14);
}

/// A blow that three equal masses pass on, one microstep after the other, at one time.
#[test]
fn a_blow_is_passed_on_through_three_masses() {
    let trace = simulate(
        "
blocks:
  p1: {type: ImpulseSource, times: [1], weight: 4}
  p2: {type: MicrostepDelay, input: p1}
  p3: {type: MicrostepDelay, input: p2}
  v1: {type: Integrator, input: p1 - p2}
  v2: {type: Integrator, input: p2 - p3}
  v3: {type: Integrator, input: p3}
record: [v1, v2, v3, p2, p3]
simulate: {stop: 2}
",
    )
    .trace;
    let velocities = |n| ["v1", "v2", "v3"].map(|name| at(&trace, name, exact("1", n)).unwrap());
    assert_eq!(velocities(0), [0.0, 0.0, 0.0]);
    assert_eq!(velocities(1), [4.0, 0.0, 0.0]);
    assert_eq!(velocities(2), [0.0, 4.0, 0.0]);
    assert_eq!(velocities(3), [0.0, 0.0, 4.0]);
    assert_eq!(impulses(&trace, "p3", exact("1", 3)), [4.0]);
    assert_eq!(trace.last("v3"), Some(4.0));
}

/// The weight of an impulse that is made from the state that it moves has no first cause; the value
/// before the blow has one, and so has a blow that comes one microstep later.
#[test]
fn a_loop_from_a_state_to_its_own_impulse() {
    let model = |input: &str, more: &str| {
        format!(
            "
blocks:
  x: {{type: Integrator, initial: 1, input: {input}}}
{more}
record: [x]
simulate: {{stop: 2}}
"
        )
    };
    let refused = refusal(&model("-3 * x * delta(time - 1)", ""));
    assert_eq!(common::codes(&refused), ["causality-loop"], "{refused}");
    assert!(refused.to_string().contains("impulse 0 of"), "{refused}");
    let trace = simulate(&model("-3 * left(x) * delta(time - 1)", "")).trace;
    assert_eq!(at(&trace, "x", exact("1", 1)), Some(-2.0));
    assert_eq!(trace.last("x"), Some(-2.0));
    let delayed = "  b: {type: MicrostepDelay, input: -3 * x * delta(time - 1)}";
    let trace = simulate(&model("b", delayed)).trace;
    assert_at(&trace, "x", &[("1", 1, 1.0), ("1", 2, -2.0)]);
    assert_eq!(trace.last("x"), Some(-2.0));
}

/// The same with events into the `impulse` input: the loop is there only where one is present.
#[test]
fn a_loop_from_a_state_to_its_own_impulse_input() {
    let model = |kick: &str, more: &str| {
        format!(
            "
blocks:
  c: {{type: Clock, period: 1, offset: 1}}
  x: {{type: Integrator, initial: 1, input: 0, impulse: {kick}}}
  s: {{type: Sample, trigger: c, input: -3 * x}}
{more}
record: [x]
simulate: {{stop: 1.5}}
"
        )
    };
    match common::failure(&model("s", "")).error {
        RunError::NotConstructive { tag, blocks, .. } => {
            assert_eq!(tag, exact("1", 1));
            assert!(blocks.contains(&"x".to_owned()), "{blocks:?}");
        }
        other => panic!("{other}"),
    }
    let late = simulate(&model("d", "  d: {type: MicrostepDelay, input: s}")).trace;
    assert_eq!(at(&late, "x", exact("1", 2)), Some(-2.0));
    let left = simulate(&model("s", "").replace("-3 * x", "-3 * left(x)")).trace;
    assert_eq!(at(&left, "x", exact("1", 1)), Some(-2.0));
}

/// A signal that rises through zero has the left limit 0 of a Switch, since it is not above zero
/// before, and the right limit 1, since it is not below zero there, also where it stays at zero.
///
/// Holds: jump of Switch, Decision.
#[test]
fn a_switch_and_a_decision_have_both_limits() {
    let trace = simulate(
        "
blocks:
  rising: {type: Ramp, start: 0, slope: 1, offset: -1}
  falling: {type: Ramp, start: 0, slope: -1, offset: 1}
  stop: {type: Step, time: 1, before: 1, after: 0}
  x: {type: Integrator, input: stop, initial: -1}
  jump: {type: Step, time: 1, before: -1, after: 0}
  drop: {type: Step, time: 1, before: 1, after: 0}
  up: {type: Switch, input: rising}
  down: {type: Switch, input: falling}
  rests: {type: Switch, input: x}
  lands: {type: Switch, input: jump}
  stays: {type: Switch, input: drop}
  one: {type: Decision, input: rising, above: 7, below: -7}
  other: {type: Decision, input: jump, above: 7, below: -7}
record: [up, down, rests, lands, stays, one, other]
simulate: {stop: 2}
",
    )
    .trace;
    let last = trace.tags().iter().rev().find(|tag| tag.time == exact("1", 0).time).unwrap();
    let limits =
        |name: &str| [at(&trace, name, exact("1", 0)).unwrap(), at(&trace, name, *last).unwrap()];
    assert_eq!(limits("up"), [0.0, 1.0]);
    assert_eq!(limits("down"), [1.0, 0.0]);
    assert_eq!(limits("rests"), [0.0, 1.0]);
    assert_eq!(limits("lands"), [0.0, 1.0]);
    assert_eq!(limits("stays"), [1.0, 1.0]);
    assert_eq!(limits("one"), [-7.0, 7.0]);
    assert_eq!(limits("other"), [-7.0, 7.0]);
}

/// n derivatives after n integrators give back every impulse: exactly from states of zero, and to
/// the rounding of the states otherwise.
#[test]
fn derivatives_undo_integrators_on_impulses_of_every_order() {
    for n in 1..=8 {
        for order in 0..=8 {
            for (initial, tolerance) in [("0", 0.0), ("0.3", 1e-12)] {
                let mut text = format!(
                    "blocks:\n  s0: {{type: ImpulseSource, times: [1], \
                     weight: 1.7, order: {order}}}\n"
                );
                for k in 1..=n {
                    let before = k - 1;
                    text += &format!(
                        "  s{k}: {{type: Integrator, input: s{before}, initial: {initial}}}\n"
                    );
                }
                for k in n + 1..=2 * n {
                    text += &format!("  s{k}: {{type: Derivative, input: s{}}}\n", k - 1);
                }
                text += &format!("record: [s0, s{}]\nsimulate: {{stop: 1.25}}\n", 2 * n);
                let trace = simulate(&text).trace;
                let name = format!("s{}", 2 * n);
                let (given, found) =
                    (impulses(&trace, "s0", exact("1", 1)), impulses(&trace, &name, exact("1", 1)));
                assert_eq!(given.len(), order + 1);
                for i in 0..given.len().max(found.len()) {
                    let of = |list: &[f64]| list.get(i).copied().unwrap_or(0.0);
                    assert_near(of(&found), of(&given), tolerance);
                }
            }
        }
    }
}

/// On a signal that is there between events a MicrostepDelay is the signal itself between events
/// and at microstep 0, and from microstep 1 on the signal one microstep ago; its impulses come one
/// microstep late.
///
/// Holds: closed form and impulse of MicrostepDelay.
#[test]
fn a_microstep_delay_of_a_continuous_signal() {
    let trace = simulate(
        "
blocks:
  hit: {type: ImpulseSource, times: [1], weight: 2}
  x: {type: Integrator, input: 1 + hit}
  d: {type: MicrostepDelay, input: x + 3 * hit}
  y: {type: Integrator, input: d}
record: [x, d, y]
simulate: {stop: 2, every: 0.5, rows: microsteps, tolerance: 1e-10}
",
    )
    .trace;
    let values = |name| (0..=2).map(|n| at(&trace, name, exact("1", n)).unwrap()).collect();
    let (x, d, y): (Vec<f64>, Vec<f64>, Vec<f64>) = (values("x"), values("d"), values("y"));
    for (found, truth) in x.iter().zip([1.0, 3.0, 3.0]) {
        assert_near(*found, truth, 1e-12);
    }
    assert_eq!(d, [x[0], x[0], x[1]]);
    assert_near(y[1], 0.5, 1e-9);
    assert_near(y[2], 0.5 + 6.0, 1e-9);
    assert_eq!(impulses(&trace, "d", exact("1", 2)), [6.0]);
    assert_near(at(&trace, "d", exact("1.5", 0)).unwrap(), 3.5, 1e-12);
    assert_near(trace.last("y").unwrap(), 0.5 + 6.0 + 3.5, 1e-9);
}
