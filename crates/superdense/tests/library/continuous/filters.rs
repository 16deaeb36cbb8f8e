//! Filters: their gains by the formulas of their families.

use super::{follows, gain_is, refused, weighs};
use crate::common::{assert_at, assert_near, exact, simulate};

/// Holds: closed form of LowPass, HighPass.
#[test]
fn butterworth_filters_have_their_gain() {
    for order in 1..=8 {
        for (ratio, settled) in [(0.5f64, 130.0), (1.0, 130.0), (1.5, 130.0)] {
            let gain = |ratio: f64| 1.0 / (1.0 + ratio.powi(2 * order)).sqrt();
            let low = format!("{{type: LowPass, input: u, order: {order}, cutoff: 4}}");
            gain_is(&low, 4.0 * ratio, settled / 4.0, gain(ratio));
            let high = format!("{{type: HighPass, input: u, order: {order}, cutoff: 4}}");
            gain_is(&high, 4.0 * ratio, settled / 4.0, gain(1.0 / ratio));
        }
    }
}

/// The Chebyshev polynomial of the first kind.
fn chebyshev(order: i32, x: f64) -> f64 {
    match x < 1.0 {
        true => (f64::from(order) * x.acos()).cos(),
        false => (f64::from(order) * x.acosh()).cosh(),
    }
}

/// Holds: closed form of LowPass, HighPass.
#[test]
fn chebyshev_filters_have_their_gain() {
    for order in 1..=6 {
        for ratio in [0.4f64, 1.0, 1.3] {
            let square = 10f64.powf(0.05) - 1.0;
            let gain = |x: f64| 1.0 / (1.0 + square * chebyshev(order, x).powi(2)).sqrt();
            let rest =
                format!("input: u, order: {order}, cutoff: 1, family: chebyshev, ripple: 0.5");
            gain_is(&format!("{{type: LowPass, {rest}}}"), ratio, 500.0, gain(ratio));
            gain_is(&format!("{{type: HighPass, {rest}}}"), ratio, 500.0, gain(1.0 / ratio));
        }
    }
}

/// |B(0) / B(i r x)| with the reverse Bessel polynomial B by its recurrence,
/// B[n] = (2 n - 1) B[n - 1] + s^2 B[n - 2].
///
/// Holds: closed form of LowPass.
#[test]
fn bessel_filters_have_their_gain() {
    let magnitude = |order: usize, w: f64| {
        let (mut before, mut now) = ((1.0, 0.0), (1.0, w));
        for n in 2..=order {
            let factor = (2 * n - 1) as f64;
            let next = (factor * now.0 - w * w * before.0, factor * now.1 - w * w * before.1);
            (before, now) = (now, next);
        }
        f64::hypot(now.0, now.1)
    };
    for order in 1..=8 {
        let block =
            format!("{{type: LowPass, input: u, order: {order}, cutoff: 4, family: bessel}}");
        gain_is(&block, 4.0, 15.0, std::f64::consts::FRAC_1_SQRT_2);
        // The frequency of the recurrence at which the gain is 1 / sqrt(2), by bisection.
        let (mut low, mut high) = (0.0, 10.0);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            let passes = magnitude(order, middle) < 2f64.sqrt() * magnitude(order, 0.0);
            *(if passes { &mut low } else { &mut high }) = middle;
        }
        let gain = |ratio: f64| magnitude(order, 0.0) / magnitude(order, ratio * low);
        gain_is(&block, 2.0, 15.0, gain(0.5));
        gain_is(&block, 6.0, 15.0, gain(1.5));
    }
}

#[test]
fn a_constant_passes_a_low_pass_and_not_a_high_pass() {
    for order in 1..=8 {
        let text = format!(
            "blocks:
  b: {{type: LowPass, input: 1, order: {order}, cutoff: 10}}
  c: {{type: LowPass, input: 1, order: {order}, cutoff: 10, family: chebyshev, ripple: 3}}
  t: {{type: LowPass, input: 1, order: {order}, cutoff: 10, family: bessel}}
  h: {{type: HighPass, input: 1, order: {order}, cutoff: 10}}
record: [b, c, t, h]
simulate: {{stop: 120, every: 60, tolerance: 1e-10}}
"
        );
        let trace = simulate(&text).trace;
        let end = |name: &str| trace.series(name).last().unwrap().1;
        let ripple = if order % 2 == 0 { 10f64.powf(-0.15) } else { 1.0 };
        for (name, expected) in [("b", 1.0), ("c", ripple), ("t", 1.0), ("h", 0.0)] {
            assert_near(end(name), expected, 1e-8);
        }
    }
}

/// Order 2: poles at w (-1 + i) / sqrt(2), so h = sqrt(2) w exp(-a t) sin(a t), a = w / sqrt(2).
///
/// Holds: closed form and impulse of LowPass, HighPass.
#[test]
fn impulse_responses_of_filters() {
    let text = "blocks:
  u: {type: ImpulseSource, times: [0.5]}
  low: {type: LowPass, input: u, cutoff: 3}
  high: {type: HighPass, input: u, order: 1, cutoff: 3}
record: [low, high]
simulate: {stop: 3, every: 0.1, rows: microsteps, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    assert_at(&trace, "high", &[("0.5", 1, -3.0)]);
    weighs(&trace, "high", exact("0.5", 1), 1.0);
    let rate = 3.0 * std::f64::consts::FRAC_1_SQRT_2;
    follows(text, "low", 1e-8, |time| match time - 0.5 {
        s if s < 0.0 => 0.0,
        s => 2.0 * rate * (-rate * s).exp() * (rate * s).sin(),
    });
    follows(text, "high", 1e-8, |time| match time - 0.5 {
        s if s < 0.0 => 0.0,
        s => -3.0 * (-3.0 * s).exp(),
    });
}

/// Holds: bad input of LowPass, HighPass.
#[test]
fn filters_take_vectors_and_refuse_bad_parameters() {
    let text = "blocks:
  f: {type: LowPass, input: \"[1, -2]\", order: 1, cutoff: 2}
  y: {type: Expression, expression: \"f[1]\"}
record: [y]
simulate: {stop: 1, every: 0.1, tolerance: 1e-10}
";
    follows(text, "y", 1e-8, |time| -2.0 * (1.0 - (-2.0 * time).exp()));
    for kind in ["LowPass", "HighPass"] {
        for (parameters, reason) in [
            ("cutoff: 1, order: 0", "the order must be a whole number from 1 to 8"),
            ("cutoff: 1, order: 9", "the order must be a whole number from 1 to 8"),
            ("cutoff: 1, order: 2.5", "the order must be a whole number from 1 to 8"),
            ("cutoff: 0", "the cut-off frequency must be positive"),
            ("cutoff: 1, ripple: 0", "the ripple must be positive"),
        ] {
            let block = format!("{{type: {kind}, input: 1, {parameters}}}");
            refused(&block, "bad-parameter", reason);
        }
    }
    let block = "{type: HighPass, input: 1, cutoff: 1, family: bessel}";
    refused(block, "bad-parameter", "`family` must be one of butterworth, chebyshev");
}
