//! Integrators with limits: piecewise solutions, exact at the limits.

use super::{follows, refused};
use crate::common::{at, exact, failure, simulate, times};

/// A triangle that is cut at both limits.
///
/// Holds: closed form of LimitedIntegrator.
#[test]
fn a_constant_rate_ends_at_a_limit() {
    let text = "blocks:
  u: {type: Pulse, period: 4, width: 2, low: -1, high: 1}
  x: {type: LimitedIntegrator, input: u, lower: -0.5, upper: 1}
record: [x]
simulate: {stop: 8, every: 0.25, rows: microsteps}
";
    follows(text, "x", 1e-14, |time| match time % 4.0 {
        t if time < 4.0 && t <= 2.0 => t.min(1.0),
        t if t <= 2.0 => (t - 0.5).min(1.0),
        t => (3.0 - t).max(-0.5),
    });
    let trace = simulate(text).trace;
    // Exactly the limit, from the instant at which it is reached until the input turns.
    for (time, value) in [("1.25", 1.0), ("2", 1.0), ("3.75", -0.5), ("4", -0.5)] {
        assert_eq!(at(&trace, "x", exact(time, 0)), Some(value), "at {time}");
    }
    let series = trace.series("x");
    assert!(series.iter().all(|(_, x)| (-0.5..=1.0).contains(x)));
}

/// x' = 2 cos(t): at the limit from t = pi / 6 on, until the rate changes its sign at pi / 2.
///
/// Holds: closed form of LimitedIntegrator.
#[test]
fn it_leaves_the_limit_when_the_input_crosses_zero() {
    let text = "blocks:
  x: {type: LimitedIntegrator, input: 2 * cos(time), lower: -1, upper: 1}
  up: {type: LevelCrossing, input: x, level: 0.5, direction: falling}
record: [x, up]
simulate: {stop: 8, every: 0.1, tolerance: 1e-11}
";
    let pi = std::f64::consts::PI;
    let fall = |time: f64| (1.0 + 2.0 * (time.sin() - 1.0)).max(-1.0);
    let rise = |time: f64| (-1.0 + 2.0 * (time.sin() + 1.0)).min(1.0);
    follows(text, "x", 1e-9, |time| match time {
        t if t <= pi / 2.0 => (2.0 * t.sin()).min(1.0),
        t if t <= 1.5 * pi => fall(t),
        t if t <= 2.5 * pi => rise(t),
        t => fall(t),
    });
    let outcome = simulate(text);
    let left = times(&outcome.trace, "up");
    assert!((left[0] - (pi - 0.75f64.asin())).abs() < 1e-9, "{left:?}");
    // Four at limits or zeros of the rate until 3/2 pi, two more until 5/2 pi, and the crossing.
    assert!(outcome.counters.ticks <= 10, "{} ticks", outcome.counters.ticks);
}

/// A rate that only touches zero leaves x at its limit.
#[test]
fn it_stays_at_the_limit_when_the_input_touches_zero() {
    let text = "blocks:
  x: {type: LimitedIntegrator, input: \"(time - 2)^2 * (5 - time)\", lower: 0, upper: 1}
record: [x]
simulate: {stop: 5.25, every: 0.25}
";
    let trace = simulate(text).trace;
    for (tag, x) in trace.series("x") {
        let time = tag.time.seconds();
        assert!(!(0.25..=5.0).contains(&time) || x == 1.0, "{x} at {time}");
    }
    // From 5 on, the integral of u^2 (3 - u) with u = t - 2, from 3 to 3.25.
    let area = |u: f64| u.powi(3) - u.powi(4) / 4.0;
    let end = trace.series("x").last().unwrap().1;
    assert!((end - (1.0 + area(3.25) - area(3.0))).abs() < 1e-6, "{end}");
}

#[test]
fn it_takes_vectors_and_infinite_limits() {
    let text = "blocks:
  x: {type: LimitedIntegrator, input: \"[1, -1]\", lower: [-inf, -0.25], upper: [0.5, inf], initial: [0, 0]}
  a: {type: Expression, expression: \"x[0]\"}
  b: {type: Expression, expression: \"x[1]\"}
record: [a, b]
simulate: {stop: 1, every: 0.1}
";
    follows(text, "a", 1e-15, |time| time.min(0.5));
    follows(text, "b", 1e-15, |time| (-time).max(-0.25));
}

/// Holds: jump of LimitedIntegrator.
#[test]
fn a_reset_is_limited() {
    let text = "blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  n: {type: Counter, increment: c}
  x: {type: LimitedIntegrator, input: -1, lower: 0, upper: 2, initial: 1, reset: 1.5 * n}
record: [x]
simulate: {stop: 2, every: 0.1, rows: microsteps}
";
    follows(text, "x", 1e-14, |time| match time {
        t if t < 0.5 => 1.0 - t,
        t if t < 1.5 => 1.5 - (t - 0.5),
        t => 2.0 - (t - 1.5),
    });
}

/// Holds: impulse and bad input of LimitedIntegrator.
#[test]
fn bad_limits_and_impulses_are_refused() {
    let block = "{type: LimitedIntegrator, input: 1, lower: 1, upper: 1}";
    refused(block, "bad-parameter", "the lower limit must be below the upper one");
    let block = "{type: LimitedIntegrator, input: 1, lower: 0, upper: 1, initial: 2}";
    refused(block, "bad-parameter", "the initial value must be within the limits");
    let text = "blocks:
  x: {type: LimitedIntegrator, input: delta(time - 0.5), lower: 0, upper: 1}
record: [x]
";
    assert_eq!(failure(text).error.code(), "undefined");
}
