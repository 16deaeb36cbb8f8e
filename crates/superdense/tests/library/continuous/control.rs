//! Controllers in loops with a plant, at their limits, and taken over from a person.

use super::{agree, follows, refused, weighs};
use crate::common::{assert_at, at, exact, failure, simulate, times};

/// With P = I = 2 and the plant 1 / (s + 1), the closed loop is 2 / (s + 2).
///
/// Holds: closed form and jump of PI; closed form of PID.
#[test]
fn a_pi_controller_cancels_the_pole_of_a_plant() {
    let text = "blocks:
  r: {type: Step, time: 0.5}
  u: {type: PI, reference: r, measurement: y, P: 2, I: 2}
  y: {type: FirstOrder, input: u}
  same: {type: PID, reference: r, measurement: z, P: 2, I: 2}
  z: {type: FirstOrder, input: same}
record: [u, y, z]
simulate: {stop: 4, every: 0.1, rows: microsteps, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    assert_at(&trace, "u", &[("0.5", 0, 0.0), ("0.5", 1, 2.0)]);
    let closed = |time: f64| match time - 0.5 {
        s if s < 0.0 => 0.0,
        s => 1.0 - (-2.0 * s).exp(),
    };
    follows(text, "y", 1e-8, closed);
    follows(text, "z", 1e-8, closed);
}

/// C(s) = P + I / s + D N s / (s + N) with P = 3, I = 2, D = 0.5, N = 10, and the plant 4 / (s + 1):
/// C = ((P + D N) s^2 + (P N + I) s + I N) / (s^2 + N s) = (8 s^2 + 32 s + 20) / (s^2 + 10 s).
///
/// Holds: closed form of PID.
#[test]
fn a_pid_loop_equals_its_closed_loop_transfer_function() {
    let text = "blocks:
  r: {type: Expression, expression: 1 + sin(2 * time)}
  u: {type: PID, reference: r, measurement: y, P: 3, I: 2, D: 0.5, N: 10}
  y: {type: FirstOrder, input: u, gain: 4}
  closed: {type: TransferFunction, input: r, numerator: [32, 128, 80], denominator: [1, 43, 138, 80]}
record: [y, closed]
simulate: {stop: 5, every: 0.1, tolerance: 1e-11}
";
    agree(text, "y", "closed", 1e-8);
}

/// With the derivative of the measurement and no reference in the proportional term, the numerator
/// of the closed loop is k I (s + N): a step of the reference gives no jump of the output.
///
/// Holds: closed form and jump of PID.
#[test]
fn the_derivative_of_the_measurement_and_a_weight() {
    let text = "blocks:
  r: {type: Step, time: 0.5}
  u: {type: PID, reference: r, measurement: y, P: 3, I: 2, D: 0.5, N: 10, weight: 0, derivative: on_measurement}
  y: {type: FirstOrder, input: u, gain: 4}
  closed: {type: TransferFunction, input: r, numerator: [8, 80], denominator: [1, 43, 138, 80]}
record: [u, y, closed]
simulate: {stop: 5, every: 0.1, rows: microsteps, tolerance: 1e-11}
";
    agree(text, "y", "closed", 1e-8);
    assert_at(&simulate(text).trace, "u", &[("0.5", 1, 0.0)]);
}

/// The error alone, without a measurement: P jumps, I t grows, and D N exp(-N t) dies away.
///
/// Holds: closed form of PID.
#[test]
fn the_terms_of_an_error() {
    let text = "blocks:
  u: {type: PID, reference: 2, P: 3, I: 0.5, D: 0.25, N: 8, initial: 7, initial_derivative: 1}
record: [u]
simulate: {stop: 2, every: 0.1, tolerance: 1e-10}
";
    // d' = 8 (2 - d) from 1: 2 - d = exp(-8 t).
    follows(text, "u", 1e-8, |time| 6.0 + 7.0 + time + 0.25 * 8.0 * (-8.0 * time).exp());
}

/// Holds: impulse of PI, PID.
#[test]
fn impulses_pass_a_controller_without_limits() {
    let text = "blocks:
  u: {type: PID, reference: delta(time - 0.5), P: 3, I: 0.5, D: 0.25, N: 8}
  v: {type: PI, reference: delta(time - 0.5), P: 3, I: 0.5}
record: [u, v]
simulate: {stop: 2, every: 0.1, rows: microsteps, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    // i jumps by 0.5 and d by 8, which gives -D N d = -16.
    assert_at(&trace, "u", &[("0.5", 0, 0.0), ("0.5", 1, -15.5)]);
    weighs(&trace, "u", exact("0.5", 1), 5.0);
    assert_at(&trace, "v", &[("0.5", 1, 0.5)]);
    weighs(&trace, "v", exact("0.5", 1), 3.0);
    let limited = text.replace("I: 0.5,", "I: 0.5, upper: 100,");
    assert_eq!(failure(&limited).error.code(), "undefined");
}

/// An error of 1 for 3 s and then of -1, with P = I = 1 and limits of -2 and 2. The output reaches
/// its limit after 1 s.
///
/// Holds: closed form of PI, PID.
#[test]
fn the_integral_does_not_wind_up() {
    let run = |kind: &str, anti_windup: &str| {
        format!(
            "blocks:
  e: {{type: Step, time: 3, before: 1, after: -1}}
  u: {{type: {kind}, reference: e, P: 1, I: 1, lower: -2, upper: 2, anti_windup: {anti_windup}, tracking_time: 0.5}}
record: [u]
simulate: {{stop: 10, every: 0.1, tolerance: 1e-10}}
"
        )
    };
    // The integral at 3 s; from then on it falls.
    let wound = [("none", 3.0), ("clamping", 2.0), ("back_calculation", 1.5 - 0.5 * (-4f64).exp())];
    for kind in ["PI", "PID"] {
        for (anti_windup, peak) in wound {
            follows(&run(kind, anti_windup), "u", 1e-8, |time| match time - 3.0 {
                s if s < 0.0 => (1.0 + time).min(2.0),
                s => (-1.0 + peak - s).clamp(-2.0, 2.0),
            });
        }
    }
    // At the lower limit the integral stops at -2 or, by back-calculation, unwinds.
    let turned = |anti_windup: &str| {
        run("PI", anti_windup).replace("before: 1, after: -1", "before: -1, after: 1")
    };
    for (anti_windup, peak) in wound {
        follows(&turned(anti_windup), "u", 1e-8, |time| match time - 3.0 {
            s if s < 0.0 => (-1.0 - time).max(-2.0),
            s => (1.0 - peak + s).clamp(-2.0, 2.0),
        });
    }
}

/// A plant that only integrates, driven by a limited controller: until the output leaves its limit
/// the plant moves at a constant rate.
#[test]
fn a_limited_loop_has_two_phases() {
    let text = "blocks:
  u: {type: PI, reference: 3, measurement: y, P: 2, I: 0, upper: 1, lower: -1}
  y: {type: Integrator, input: u}
record: [y]
simulate: {stop: 5, every: 0.1, tolerance: 1e-10}
";
    // u = 2 (3 - y) is 1 at y = 2.5, after 2.5 s.
    follows(text, "y", 1e-8, |time| match time - 2.5 {
        s if s < 0.0 => time,
        s => 3.0 - 0.5 * (-2.0 * s).exp(),
    });
}

/// The output continues from the value of an event, and from there on as the error demands.
///
/// Holds: jump of PI, PID.
#[test]
fn a_controller_takes_over_without_a_bump() {
    let text = "blocks:
  c: {type: Clock, period: 10, offset: 1.5}
  u: {type: PID, reference: time, P: 2, I: 1, D: 0.5, N: 10, track: 7 * c}
  v: {type: PI, reference: time, P: 2, I: 1, track: 7 * c, upper: 20}
record: [u, v]
simulate: {stop: 3, every: 0.1, rows: microsteps, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    for name in ["u", "v"] {
        assert_eq!(at(&trace, name, exact("1.5", 1)), Some(7.0));
        assert_eq!(at(&trace, name, exact("1.5", 2)), Some(7.0));
    }
    follows(text, "v", 1e-8, |time| match time - 1.5 {
        s if s < 0.0 => 2.0 * time + time * time / 2.0,
        s => 7.0 + 2.0 * s + 1.5 * s + s * s / 2.0,
    });
    // The derivative term is D (1 - exp(-N t)).
    follows(text, "u", 1e-8, |time| match time - 1.5 {
        s if s < 0.0 => 2.0 * time + time * time / 2.0 + 0.5 * (1.0 - (-10.0 * time).exp()),
        s => 7.0 + 3.5 * s + s * s / 2.0 + 0.5 * ((-15f64).exp() - (-15.0 - 10.0 * s).exp()),
    });
}

/// Holds: bad input of PI, PID.
#[test]
fn bad_controllers_are_refused() {
    for (parameters, reason) in [
        ("N: 0", "N must be positive"),
        ("lower: 0, upper: 0", "the lower limit must be below the upper one"),
        ("tracking_time: 0", "the tracking time must be positive"),
        ("upper: 1, initial: 2", "the initial integral must be within the limits"),
    ] {
        let block = format!("{{type: PID, reference: 1, {parameters}}}");
        refused(&block, "bad-parameter", reason);
        if parameters != "N: 0" {
            let block = format!("{{type: PI, reference: 1, {parameters}}}");
            refused(&block, "bad-parameter", reason);
        }
    }
    refused("{type: PID, reference: 1, derivative: off}", "bad-parameter", "must be one of");
}

/// The error is absent from 1 s to 2 s.
///
/// Holds: absence of PID.
#[test]
fn a_controller_waits_while_its_input_is_absent() {
    for limits in ["", ", upper: 50", ", upper: 50, anti_windup: back_calculation"] {
        let text = format!(
            "blocks:
  e:
    type: Modal
    initial: on
    states:
      on: {{outputs: {{y: 1}}, transitions: [{{to: off, after: 1}}]}}
      off: {{transitions: [{{to: on, after: 1}}]}}
  u: {{type: PID, reference: e.y, P: 2, I: 3, D: 0.5, N: 4{limits}}}
record: [u]
simulate: {{stop: 2.9, every: 0.1, tolerance: 1e-10}}
"
        );
        let stays = |time: f64| if time < 1.0 { time } else { (time - 1.0).max(1.0) };
        follows(&text, "u", 1e-8, |time| {
            2.0 + 3.0 * stays(time) + 2.0 * (-4.0 * stays(time)).exp()
        });
        let present = times(&simulate(&text).trace, "u");
        assert!(!present.iter().any(|time| (1.05..1.95).contains(time)), "{present:?}");
    }
}
