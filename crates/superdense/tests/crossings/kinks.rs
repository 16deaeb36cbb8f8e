//! Kinks, floors and jumps of functions, by their integrals.

use super::*;

/// Integrals over smooth crossings: x goes through every kink and cell of the function.
#[test]
fn kinks_and_cells_of_smooth_motion() {
    // x = 4 sin(t) over one period, so that all is symmetric where the function is odd.
    let cases: [(&str, f64); 7] = [
        ("abs(x)", 16.0),
        ("sign(x)", 0.0),
        ("max(x, 0)", 8.0),
        ("min(x, 0)", -8.0),
        ("if x > 0 then x else 3 * x", 8.0 - 24.0),
        ("abs(abs(x) - 2)", kink_integral()),
        ("floor(x)", floor_integral()),
    ];
    for (function, truth) in cases {
        let trace = trace(&format!(
            "
blocks:
  x: {{type: Expression, expression: 4 * sin(time)}}
  y:
    type: Integrator
    input: {function}
record: [y]
simulate: {{stop: {}, tolerance: 1e-10}}
",
            2.0 * std::f64::consts::PI
        ));
        assert_near(trace.last("y").unwrap(), truth, 1e-8);
    }
}

/// The integral of | |4 sin t| - 2 | over a period.
fn kink_integral() -> f64 {
    // Quarter period: 2 - 4 sin t up to pi/6, then 4 sin t - 2.
    let (a, b) = (std::f64::consts::PI / 6.0, std::f64::consts::PI / 2.0);
    4.0 * ((2.0 * a - 4.0 * (1.0 - a.cos())) + (4.0 * (a.cos() - b.cos()) - 2.0 * (b - a)))
}

/// The integral of floor(4 sin t) over a period: the floors of x and -x add to -1.
fn floor_integral() -> f64 {
    -std::f64::consts::PI
}

#[test]
fn floor_ceil_mod_and_round_of_a_ramp() {
    // x = 3 t - 2.2 from -2.2 to 3.8 in 2 s.
    let sawtooth = |from: f64, to: f64| {
        let part = |x: f64| x.floor() * 0.5 + (x - x.floor()).powi(2) / 2.0;
        (part(to) - part(from)) / 3.0
    };
    let staircase = |from: f64, to: f64| {
        let part = |x: f64| x.floor() * (x.floor() - 1.0) / 2.0 + (x - x.floor()) * x.floor();
        (part(to) - part(from)) / 3.0
    };
    let cases = [
        ("floor(x)", staircase(-2.2, 3.8)),
        ("ceil(x)", staircase(-2.2, 3.8) + 2.0),
        ("round(x)", staircase(-1.7, 4.3)),
        ("mod(x, 1)", sawtooth(-2.2, 3.8)),
        ("mod(x, 0.5)", 0.25 * 2.0 + sawtooth_rest()),
        ("mod(-x, 1)", sawtooth(-3.8, 2.2)),
    ];
    for (function, truth) in cases {
        let trace = trace(&format!(
            "
blocks:
  x: {{type: Integrator, input: 3, initial: -2.2}}
  y:
    type: Integrator
    input: {function}
record: [y]
simulate: {{stop: 2}}
"
        ));
        let y = trace.last("y").unwrap();
        assert!((y - truth).abs() < 1e-8, "{function}: {y}, not {truth}");
    }
}

/// The integral of mod(x, 0.5) - 0.25 over the ramp: 12 whole teeth have none.
fn sawtooth_rest() -> f64 {
    0.0
}

#[test]
fn functions_across_a_jump() {
    // The signal jumps from 2.75 to -1.25 at 0.4 and back at 1.
    let cases: [(&str, f64, f64); 9] = [
        ("abs(p)", 2.75, 1.25),
        ("floor(p)", 2.0, -2.0),
        ("ceil(p)", 3.0, -1.0),
        ("mod(p, 1)", 0.75, 0.75),
        ("mod(p, 2)", 0.75, 0.75),
        ("sign(p)", 1.0, -1.0),
        ("min(p, 0.5)", 0.5, -1.25),
        ("max(p, 0.5)", 2.75, 0.5),
        ("if p > 0 then 7 else 9", 7.0, 9.0),
    ];
    for (function, high, low) in cases {
        let trace = trace(&format!(
            "
blocks:
  s: {{type: Pulse, period: 2, width: 0.6, offset: 0.4, low: 2.75, high: -1.25}}
  z: {{type: Integrator, input: 0}}
  p: {{type: Expression, expression: s + z}}
  f:
    type: Expression
    expression: {function}
  y: {{type: Integrator, input: f}}
record: [f, y]
simulate: {{stop: 2}}
"
        ));
        assert_eq!(at(&trace, "f", exact("0.4", 0)), Some(high), "{function}");
        assert_eq!(at(&trace, "f", exact("0.4", 1)), Some(low), "{function}");
        assert_eq!(at(&trace, "f", exact("1", 0)), Some(low), "{function}");
        assert_eq!(at(&trace, "f", exact("1", 1)), Some(high), "{function}");
        assert!(!has_row(&trace, exact("0.4", 3)), "{function} asks for too many microsteps");
        let y = trace.last("y").unwrap();
        let truth = high * 1.4 + low * 0.6;
        assert!((y - truth).abs() < 1e-8, "{function}: {y}, not {truth}");
    }
}
