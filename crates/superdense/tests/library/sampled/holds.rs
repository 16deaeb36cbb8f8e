//! Holds, and passages from one rate to another.

use super::{assert_refused, response};
use crate::common::{assert_at, assert_near, at, exact, simulate, times};

/// Holds: closed form, jump and absence of SampleAndHold.
#[test]
fn sample_and_hold_keeps_the_last_sample() {
    let text = "blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  wave: {type: Step, time: 1.5, after: 3}
  h: {type: SampleAndHold, input: \"[time^2, wave]\", trigger: c, initial: -1}
  e: {type: Clock, period: 0.75}
  n: {type: Counter, increment: e}
  events: {type: SampleAndHold, input: n, trigger: c, initial: 7}
record: {square: \"h[0]\", step: \"h[1]\", events: events}
simulate: {stop: 2, every: 0.25, rows: microsteps}
";
    let trace = simulate(text).trace;
    assert_at(
        &trace,
        "square",
        &[("0.25", 0, -1.0), ("0.5", 0, -1.0), ("0.5", 1, 0.25), ("1", 0, 0.25), ("1.5", 1, 2.25)],
    );
    // The step and the clock at 1.5 s are at one microstep: the jump has happened.
    assert_at(&trace, "step", &[("0.5", 1, 0.0), ("1.5", 0, 0.0), ("1.5", 1, 3.0)]);
    // The events of the input before 1.5 s are not at a trigger.
    assert_at(&trace, "events", &[("1", 0, 7.0), ("1.5", 1, 3.0), ("2", 0, 3.0)]);
}

/// Holds: closed form of FirstOrderHold.
#[test]
fn a_first_order_hold_continues_a_line() {
    let text = "blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  h: {type: FirstOrderHold, input: \"[3 - 2 * time, time^2]\", trigger: c, initial: [8, 9]}
record: {line: \"h[0]\", curve: \"h[1]\"}
simulate: {stop: 3.25, every: 0.25, rows: microsteps}
";
    let trace = simulate(text).trace;
    assert_at(&trace, "line", &[("0.25", 0, 8.0), ("0.5", 0, 8.0), ("0.5", 1, 2.0)]);
    assert_at(&trace, "line", &[("1.25", 0, 2.0), ("1.5", 0, 2.0), ("1.5", 1, 0.0)]);
    let exactly = [("2", 0, -1.0), ("2.5", 0, -2.0), ("2.5", 1, -2.0), ("3.25", 0, -3.5)];
    assert_at(&trace, "line", &exactly);
    // From 2.25 at 1.5 s with slope 2, from 6.25 at 2.5 s with slope 4.
    let curve = [("1.5", 1, 2.25), ("2.5", 0, 4.25), ("2.5", 1, 6.25), ("3.25", 0, 9.25)];
    assert_at(&trace, "curve", &curve);
}

/// Samples at 0.5 and 2 s, the latter replaced at the next microstep; then one at 2.5 s.
///
/// Holds: jump of FirstOrderHold.
#[test]
fn a_first_order_hold_takes_uneven_samples() {
    let text = "blocks:
  h: {type: FirstOrderHold, input: e}
  a: {type: Clock, period: 100, offset: 0.5, value: 1}
  b: {type: Clock, period: 100, offset: 2, value: 9}
  b2: {type: MicrostepDelay, input: b - 5}
  d: {type: Clock, period: 100, offset: 2.5, value: 6}
  e: {type: Merge, inputs: [a, b, b2, d]}
record: [h]
simulate: {stop: 3, every: 0.5, rows: microsteps}
";
    let trace = simulate(text).trace;
    let near = |time: &str, microstep: u32, value: f64| {
        assert_near(at(&trace, "h", exact(time, microstep)).unwrap(), value, 1e-14);
    };
    near("1.5", 0, 1.0);
    near("2", 1, 9.0);
    near("2", 2, 4.0);
    // (4 - 1) / (2 - 0.5) = 2, although 9 was there in between; then (6 - 4) / 0.5 = 4.
    near("2.5", 0, 5.0);
    near("2.5", 1, 6.0);
    near("3", 0, 8.0);
}

/// Holds: closed form and absence of RateTransition.
#[test]
fn a_rate_transition_takes_the_latest_value() {
    let with = |more: &str| {
        let text = format!(
            "blocks:
  fast: {{type: Clock, period: 0.1, offset: 0.1}}
  n: {{type: Counter, increment: fast}}
  slow: {{type: Clock, period: 0.25}}
  d: {{type: RateTransition, input: n, trigger: slow, initial: -1{more}}}
record: [d]
simulate: {{stop: 1}}
"
        );
        let trace = simulate(&text).trace;
        assert_eq!(times(&trace, "d"), [0.0, 0.25, 0.5, 0.75, 1.0]);
        trace.series("d").into_iter().map(|(_, value)| value).collect::<Vec<f64>>()
    };
    assert_eq!(with(""), [-1., 2., 5., 7., 10.]);
    assert_eq!(with(", simultaneous: old"), [-1., 2., 4., 7., 9.]);
    // From slow to fast, and in a loop without feedthrough: a toggle.
    let block = "  s: {type: RateTransition, input: 1 - s, trigger: c, simultaneous: old}\n";
    assert_eq!(response(block, "s")[..4], [0., 1., 0., 1.]);
}

/// Holds: closed form and bad input of Decimator.
#[test]
fn a_decimator_passes_every_nth_sample() {
    let block = "  d: {type: Decimator, input: \"[n, -n]\", factor: 5}\n";
    assert_eq!(response(block, "d[1]"), [-1., -6., -11.]);
    let block = "  d: {type: Decimator, input: n, factor: 4, offset: 2}\n";
    assert_eq!(response(block, "d"), [3., 7., 11.]);
    assert_eq!(response("  d: {type: Decimator, input: n, factor: 1}\n", "d")[..3], [1., 2., 3.]);
    let bad = |more: &str| format!("  y: {{type: Decimator, input: n, {more}}}\n");
    assert_refused(&bad("factor: 0"), "bad-parameter", "the factor must be an integer from 1 on");
    let offset = bad("factor: 2, offset: -1");
    assert_refused(&offset, "bad-parameter", "the offset must be an integer from 0 on");
}
