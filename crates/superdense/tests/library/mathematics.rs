//! Truths about mathematics, nonlinear blocks and tables: closed forms, and loops by hand.

mod functions;
mod grids;
mod hysteresis;
mod limits;
mod matrices;
mod statistics;
mod tables;

use superdense::Trace;

use crate::common::{codes, failure, refusal};

/// Events at 0, 1, 2 s and so on, named `u`, with these values; `blocks` are added to the model.
fn sampled(values: &[&str], blocks: &str, record: &str) -> String {
    format!(
        "parameters: {{all: [{}]}}
blocks:
  c: {{type: Clock, period: 1}}
  n: {{type: Counter, increment: c}}
  u: {{type: Expression, expression: 'all[n - 1]'}}
{blocks}
record: [{record}]
simulate: {{stop: {}}}
",
        values.join(", "),
        values.len() - 1
    )
}

/// The values of an event signal, in order, of which each is at microstep 1.
fn events(trace: &Trace, name: &str) -> Vec<f64> {
    let series = trace.series(name);
    assert!(series.iter().all(|(tag, _)| tag.microstep == 1), "{series:?}");
    series.into_iter().map(|(_, value)| value).collect()
}

/// Checks that steps end at these times [s], to nearly the last bit.
#[track_caller]
fn assert_located(trace: &Trace, times: &[f64]) {
    for time in times {
        let near = |tag: &superdense::Tag| (tag.time.seconds() - time).abs() <= 1e-9;
        assert!(trace.tags().iter().any(near), "no step ends at {time}");
    }
}

/// Checks a scalar signal against a function of time at every row at microstep 0.
#[track_caller]
fn assert_follows(trace: &Trace, name: &str, truth: impl Fn(f64) -> f64, tolerance: f64) {
    let rows = trace.series(name);
    assert!(rows.len() > 5);
    for (tag, value) in rows.into_iter().filter(|(tag, _)| tag.microstep == 0) {
        let (time, expected) = (tag.time.seconds(), truth(tag.time.seconds()));
        assert!(
            (value - expected).abs() <= tolerance,
            "{name} is {value} and not {expected} at {time}"
        );
    }
}

/// Checks that a model is refused with one message, which has a code and contains a text.
#[track_caller]
fn assert_refused(text: &str, code: &str, contains: &str) {
    let refused = refusal(text);
    assert_eq!(codes(&refused), [code], "{refused}");
    assert!(refused.to_string().contains(contains), "{refused}");
}

/// Checks that a run ends with an error that contains a text.
#[track_caller]
fn assert_fails(text: &str, contains: &str) {
    let message = failure(text).error.to_string();
    assert!(message.contains(contains), "{message}");
}

/// What has no meaning for impulses refuses them.
///
/// Holds: impulse of Saturation, DeadZone, Quantizer, CoulombFriction, MultiwaySwitch, Polynomial,
/// PolarToCartesian, CartesianToPolar, Normalise, WrapAngle, Wrap, Relay, Backlash, PeakHold,
/// RateLimiter, LookupTable, LookupTable2D, LookupTableND.
#[test]
fn an_impulse_reaches_no_nonlinear_function() {
    let impulse = "delta(time - 1)";
    for block in [
        "Saturation, input: IMPULSE",
        "DeadZone, input: IMPULSE",
        "Quantizer, input: IMPULSE",
        "CoulombFriction, velocity: IMPULSE",
        "MultiwaySwitch, selector: time, inputs: '[IMPULSE, 0, 0, 0]'",
        "MultiwaySwitch, selector: IMPULSE, inputs: '[0, 0]'",
        "Polynomial, input: IMPULSE, coefficients: [1, 0, 0]",
        "PolarToCartesian, radius: 1, angle: IMPULSE",
        "CartesianToPolar, x: 1, y: IMPULSE",
        "Normalise, input: '[1, IMPULSE]'",
        "WrapAngle, input: IMPULSE",
        "Wrap, input: IMPULSE",
        "Relay, input: IMPULSE",
        "Backlash, input: IMPULSE",
        "PeakHold, input: IMPULSE",
        "RateLimiter, input: IMPULSE",
        "LookupTable, input: IMPULSE, x: [0, 1], y: [0, 1]",
        "LookupTable2D, first: 0, second: IMPULSE, x: [0, 1], y: [0, 1], z: '[[0, 1], [2, 3]]'",
        "LookupTableND, input: '[0, IMPULSE]', breakpoints: [0, 1, 0, 1], sizes: [2, 2], values: [0, 1, 2, 3]",
    ] {
        let block = block.replace("IMPULSE", impulse);
        let text = format!("blocks:\n  y: {{type: {block}}}\nsimulate: {{stop: 2}}\n");
        assert_fails(&text, "impulse");
    }
}
