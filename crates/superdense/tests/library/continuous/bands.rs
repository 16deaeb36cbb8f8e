//! Band-pass and band-stop filters: their gains by the formula of Butterworth, transformed.

use super::super::same_everywhere;
use super::{agree, follows, gain_is, refused, weighs};
use crate::common::{assert_at, assert_near, exact, simulate};

/// A filter of this kind with an input `u`.
fn filter(kind: &str, order: i32, lower: f64, upper: f64) -> String {
    format!("{{type: {kind}, input: u, order: {order}, lower: {lower}, upper: {upper}}}")
}

/// The gains of both filters at a frequency.
fn gains(order: i32, lower: f64, upper: f64, frequency: f64) -> (f64, f64) {
    let x = (frequency * frequency - lower * upper) / ((upper - lower) * frequency);
    let part = x.powi(2 * order);
    (1.0 / (1.0 + part).sqrt(), (part / (1.0 + part)).sqrt())
}

/// Holds: closed form of BandPass, BandStop.
#[test]
fn band_filters_have_their_gain() {
    for order in 1..=8 {
        for frequency in [1.0, 2.0, 3.1, 4.0, 8.0, 11.0] {
            let (pass, stop) = gains(order, 2.0, 8.0, frequency);
            gain_is(&filter("BandPass", order, 2.0, 8.0), frequency, 120.0, pass);
            gain_is(&filter("BandStop", order, 2.0, 8.0), frequency, 120.0, stop);
        }
    }
}

/// The gain is 1 / sqrt(2) at both edges, whatever the width of the band and the order, and 1 or 0
/// at their geometric mean. A band wider than twice its centre, and a narrow one.
///
/// Holds: closed form of BandPass, BandStop.
#[test]
fn the_edges_and_the_centre_of_a_band() {
    for (lower, upper, settled) in [(0.5, 18.0, 250.0), (9.0, 11.0, 120.0)] {
        for order in [1, 2, 3, 5] {
            let half = std::f64::consts::FRAC_1_SQRT_2;
            let centre = f64::sqrt(lower * upper);
            for (frequency, pass, stop) in
                [(lower, half, half), (centre, 1.0, 0.0), (upper, half, half)]
            {
                gain_is(&filter("BandPass", order, lower, upper), frequency, settled, pass);
                gain_is(&filter("BandStop", order, lower, upper), frequency, settled, stop);
            }
        }
    }
}

#[test]
fn a_constant_passes_a_band_stop_and_not_a_band_pass() {
    for order in 1..=8 {
        let text = format!(
            "blocks:
  p: {{type: BandPass, input: 1, order: {order}, lower: 5, upper: 20}}
  s: {{type: BandStop, input: 1, order: {order}, lower: 5, upper: 20}}
record: [p, s]
simulate: {{stop: 60, every: 30, tolerance: 1e-10}}
"
        );
        let trace = simulate(&text).trace;
        assert_near(trace.series("p").last().unwrap().1, 0.0, 1e-8);
        assert_near(trace.series("s").last().unwrap().1, 1.0, 1e-8);
    }
}

/// Order 1: B s / (s^2 + B s + w0^2) is what a band-stop takes away. With B = 6 and w0 = 5 the poles
/// are -3 + 4 i and -3 - 4 i.
///
/// Holds: closed form and impulse of BandPass, BandStop.
#[test]
fn impulse_responses_of_bands() {
    let edges = "lower: sqrt(34) - 3, upper: sqrt(34) + 3";
    let text = format!(
        "blocks:
  u: {{type: ImpulseSource, times: [0.5]}}
  pass: {{type: BandPass, input: u, order: 1, {edges}}}
  stop: {{type: BandStop, input: u, order: 1, {edges}}}
  rest: {{type: Expression, expression: u - pass}}
record: [pass, stop, rest]
simulate: {{stop: 3, every: 0.1, rows: microsteps, tolerance: 1e-10}}
"
    );
    let trace = same_everywhere(&text);
    weighs(&trace, "stop", exact("0.5", 1), 1.0);
    assert_at(&trace, "pass", &[("0.5", 0, 0.0)]);
    follows(&text, "pass", 1e-8, |time| match time - 0.5 {
        s if s < 0.0 => 0.0,
        s => 6.0 * (-3.0 * s).exp() * ((4.0 * s).cos() - 0.75 * (4.0 * s).sin()),
    });
    agree(&text, "stop", "rest", 1e-9);
}

/// Holds: bad input of BandPass, BandStop.
#[test]
fn bands_take_vectors_and_refuse_bad_parameters() {
    let text = "blocks:
  f: {type: BandPass, input: \"[sin(time), -2 * sin(time)]\", order: 3, lower: 0.5, upper: 3}
  y: {type: Expression, expression: \"f[1] + 2 * f[0]\"}
  x: {type: Expression, expression: \"f[0]\"}
  one: {type: BandPass, input: sin(time), order: 3, lower: 0.5, upper: 3}
record: [y, x, one]
simulate: {stop: 10, every: 0.1, tolerance: 1e-10}
";
    follows(text, "y", 1e-9, |_| 0.0);
    agree(text, "x", "one", 1e-8);
    for kind in ["BandPass", "BandStop"] {
        for (parameters, reason) in [
            ("order: 0, lower: 1, upper: 2", "the order must be a whole number from 1 to 8"),
            ("order: 9, lower: 1, upper: 2", "the order must be a whole number from 1 to 8"),
            ("order: 2.5, lower: 1, upper: 2", "the order must be a whole number from 1 to 8"),
            ("lower: 0, upper: 2", "the lower edge must be positive"),
            ("lower: 2, upper: 2", "the lower edge must be below the upper one"),
        ] {
            let block = format!("{{type: {kind}, input: 1, {parameters}}}");
            refused(&block, "bad-parameter", reason);
        }
    }
}
