//! Impulses against closed forms, and operations on them that have no meaning.

use crate::common;
use crate::common::{assert_at, assert_near, at, exact, simulate};
use superdense::{RunError, Tag};

/// Holds: closed form, jump and impulse of Integrator; closed form of ImpulseSource.
#[test]
fn decay_hit_by_an_impulse() {
    let trace = simulate(
        "
blocks:
  hit: {type: ImpulseSource, times: [1]}
  x: {type: Integrator, input: -x + hit, initial: 1}
record: [x, hit]
simulate: {stop: 3, tolerance: 1e-10}
",
    )
    .trace;
    let early = (-1.0f64).exp();
    assert_near(at(&trace, "x", exact("1", 0)).unwrap(), early, 1e-8);
    assert_near(at(&trace, "x", exact("1", 1)).unwrap(), early + 1.0, 1e-8);
    assert_near(trace.last("x").unwrap(), (-3.0f64).exp() + (-2.0f64).exp(), 1e-8);
    let impulses = trace.impulses();
    assert_eq!(impulses.len(), 1);
    assert_eq!((impulses[0].tag, impulses[0].order), (exact("1", 1), 0));
    assert_eq!(impulses[0].weight, [1.0]);
}

#[test]
fn mass_spring_damper_hit_by_an_impulse() {
    let (m, c, k, j) = (2.0f64, 0.8f64, 5.0f64, 3.0f64);
    let trace = simulate(
        "
parameters: {m: 2, c: 0.8, k: 5, J: 3}
blocks:
  hit: {type: ImpulseSource, times: [0.5], weight: J}
  a: {type: Expression, expression: (-c * v - k * x + hit) / m}
  v: {type: Integrator, input: a}
  x: {type: Integrator, input: v}
record: [x, v]
simulate: {stop: 4, tolerance: 1e-11}
",
    )
    .trace;
    let (decay, w) = (c / (2.0 * m), (k / m - (c / (2.0 * m)).powi(2)).sqrt());
    for (tag, x) in trace.series("x") {
        let t = tag.time.seconds() - 0.5;
        let truth = if t > 0.0 { j / (m * w) * (-decay * t).exp() * (w * t).sin() } else { 0.0 };
        assert_near(x, truth, 1e-8);
    }
    assert_at(&trace, "v", &[("0.5", 0, 0.0), ("0.5", 1, 1.5)]);
    assert_eq!(trace.tags().last(), Some(&Tag::new(exact("4", 0).time, 0)));
}

/// Holds: impulse of Gain, Negate, Sum; closed form of ImpulseSource.
#[test]
fn weights_of_several_impulses() {
    let trace = simulate(
        "
blocks:
  hit: {type: ImpulseSource, times: [0.1, 0.2, 0.7], weight: [1, -3, 4]}
  g: {type: Gain, input: hit, gain: -2}
  n: {type: Negate, input: g}
  s: {type: Sum, inputs: [n, hit, 1]}
  x: {type: Integrator, input: s / 3}
record: [x]
simulate: {stop: 1}
",
    )
    .trace;
    for (time, before, weight) in [("0.1", 0.1 / 3.0, 1.0), ("0.2", 0.2 / 3.0 + 1.0, -3.0)] {
        assert_near(at(&trace, "x", exact(time, 0)).unwrap(), before, 1e-12);
        assert_near(at(&trace, "x", exact(time, 1)).unwrap(), before + weight, 1e-12);
    }
    assert_near(trace.last("x").unwrap(), 1.0 / 3.0 + 2.0, 1e-12);
}

/// Holds: impulse of Product, Expression.
#[test]
fn a_factor_scales_an_impulse() {
    let trace = simulate(
        "
blocks:
  hit: {type: ImpulseSource, times: [1]}
  c: {type: Expression, expression: cos(time)}
  x: {type: Integrator, input: hit * c}
  p: {type: Product, inputs: [c, hit, 2]}
  y: {type: Integrator, input: p}
  z: {type: Integrator, input: hit / c}
record: [x, y, z]
simulate: {stop: 2}
",
    )
    .trace;
    let c = 1.0f64.cos();
    assert_near(trace.last("x").unwrap(), c, 1e-12);
    assert_near(trace.last("y").unwrap(), 2.0 * c, 1e-12);
    assert_near(trace.last("z").unwrap(), 1.0 / c, 1e-12);
}

/// Holds: jump and impulse of Integrator.
#[test]
fn reset_wins_over_impulses() {
    let trace = simulate(
        "
blocks:
  hit: {type: ImpulseSource, times: [1]}
  c: {type: Clock, period: 1, offset: 1, value: 5}
  p: {type: Clock, period: 1, offset: 1, value: 7}
  x: {type: Integrator, input: hit, impulse: p, reset: c}
  y: {type: Integrator, input: hit, impulse: p}
record: [x, y]
simulate: {stop: 1.5}
",
    )
    .trace;
    assert_eq!(trace.last("x"), Some(5.0));
    assert_eq!(trace.last("y"), Some(8.0));
}

/// Holds: jump of LevelCrossing.
#[test]
fn an_impulse_that_jumps_a_state_across_a_level() {
    let trace = simulate(
        "
blocks:
  hit: {type: ImpulseSource, times: [1], weight: 2}
  x: {type: Integrator, input: hit, initial: -1}
  e: {type: LevelCrossing, input: x}
record: [x, e]
simulate: {stop: 1.5}
",
    )
    .trace;
    assert_eq!(common::tags(&trace, "e"), [exact("1", 2)]);
}

/// Either the compiler refuses it or the run does, at the microstep of the impulse.
fn undefined(blocks: &str) {
    let text = format!(
        "
blocks:
  hit: {{type: ImpulseSource, times: [1]}}
{blocks}
simulate: {{stop: 2}}
"
    );
    match common::try_compile(&text) {
        Err(refused) => {
            assert_eq!(common::codes(&refused), ["impulse-undefined"], "{blocks}: {refused}");
        }
        Ok(system) => match system.simulate() {
            Ok(_) => panic!("{blocks}: a number came out"),
            Err(failure) => match &failure.error {
                RunError::Undefined { tag, block, reason, .. } => {
                    assert_eq!(*tag, exact("1", 1), "{blocks}");
                    assert!(common::belongs(block, "y"), "{blocks}: {block}");
                    assert!(!reason.is_empty());
                }
                other => panic!("{blocks}: {other}"),
            },
        },
    }
}

/// Holds: impulse of Expression, Product, Sample.
#[test]
fn undefined_operations_are_errors() {
    for expression in [
        "sin(hit)",
        "hit * hit",
        "hit^2",
        "1 / (2 + hit)",
        "abs(hit)",
        "floor(hit)",
        "if hit > 0 then 1 else 2",
    ] {
        undefined(&format!("  y:\n    type: Expression\n    expression: {expression}"));
    }
    undefined(
        "  y: {type: Product, inputs: [hit, s]}\n  s: {type: Step, time: 1, before: 1, after: 2}",
    );
    undefined("  y: {type: Sample, input: hit, trigger: c}\n  c: {type: Clock}");
}
