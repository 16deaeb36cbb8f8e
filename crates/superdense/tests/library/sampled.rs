//! Truths about sampled data: recurrences computed by hand.

use crate::common::simulate;

/// The values of an event signal, in order.
fn events(text: &str, name: &str) -> Vec<f64> {
    let trace = simulate(text).trace;
    trace.series(name).into_iter().map(|(_, value)| value).collect()
}

#[test]
fn a_unit_delay_gives_the_sample_before() {
    let text = "blocks:
  c: {type: Clock, period: 0.25}
  n: {type: Counter, increment: c}
  d: {type: UnitDelay, input: n * n, initial: -7}
record: [d]
simulate: {stop: 1}
";
    assert_eq!(events(text, "d"), [-7.0, 1.0, 4.0, 9.0, 16.0]);
}
