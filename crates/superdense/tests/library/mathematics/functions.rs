//! Functions of signals.

use std::f64::consts::PI;

use super::{assert_fails, assert_follows, assert_located, assert_refused, events, sampled};
use crate::common::{assert_at, assert_near, codes, last_elements, refusal, simulate};

/// Holds: closed form and impulse of Polynomial.
#[test]
fn a_polynomial_is_evaluated_from_its_highest_power() {
    let trace = simulate(
        "blocks:
  y: {type: Polynomial, input: time, coefficients: [2, -3, 0, 1]}
  v: {type: Polynomial, input: [time, 2], coefficients: [1, 1, 1]}
  x: {type: Integrator, input: line}
  line: {type: Polynomial, input: delta(time - 1), coefficients: [5, 2]}
record: [y, v, x]
simulate: {stop: 3, every: 0.25}
",
    )
    .trace;
    assert_follows(&trace, "y", |t| 2.0 * t.powi(3) - 3.0 * t.powi(2) + 1.0, 1e-14);
    assert_eq!(last_elements(&trace, "v"), [13.0, 7.0]);
    assert_near(last_elements(&trace, "x")[0], 5.0 + 2.0 * 3.0, 1e-12);
    let text = sampled(
        &["1", "2", "3"],
        "  y: {type: Polynomial, input: u, coefficients: [1, 0, 1]}",
        "y",
    );
    assert_eq!(events(&simulate(&text).trace, "y"), [2.0, 5.0, 10.0]);
}

/// Holds: bad input of Polynomial.
#[test]
fn a_polynomial_of_degree_zero_is_refused() {
    let refused = refusal("blocks:\n  y: {type: Polynomial, input: time, coefficients: [1]}\n");
    assert_eq!(codes(&refused)[0], "bad-parameter");
    assert!(refused.to_string().contains("at least two coefficients"), "{refused}");
}

/// Holds: closed form of PolarToCartesian, CartesianToPolar; impulse of PolarToCartesian.
#[test]
fn polar_coordinates_there_and_back() {
    let trace = simulate(
        "blocks:
  p: {type: PolarToCartesian, radius: 1 + time, angle: time}
  q: {type: CartesianToPolar, x: p.x, y: p.y}
  kick: {type: PolarToCartesian, radius: delta(time - 1), angle: pi / 3}
  x: {type: Integrator, input: kick.x}
record: {r: q.radius, a: q.angle, px: p.x, x: x}
simulate: {stop: 3, every: 0.25}
",
    )
    .trace;
    assert_follows(&trace, "px", |t| (1.0 + t) * t.cos(), 1e-14);
    assert_follows(&trace, "r", |t| 1.0 + t, 1e-14);
    assert_follows(&trace, "a", |t| t, 1e-14);
    assert_near(last_elements(&trace, "x")[0], 0.5, 1e-15);
}

/// Holds: closed form of Normalise.
#[test]
fn a_normalised_vector_has_length_one_or_zero() {
    let trace = simulate(
        "blocks:
  y: {type: Normalise, input: [3 * time - 3, 4 * time - 4]}
record: [y]
simulate: {stop: 2, times: [0, 1, 2]}
",
    )
    .trace;
    let column = trace.column("y").unwrap();
    let row = |t: f64| trace.tags().iter().rposition(|tag| tag.time.seconds() == t).unwrap();
    for (time, expected) in [(0.0, [-0.6, -0.8]), (1.0, [0.0, 0.0]), (2.0, [0.6, 0.8])] {
        let y = trace.get(row(time), column).unwrap();
        assert_near(y[0], expected[0], 1e-15);
        assert_near(y[1], expected[1], 1e-15);
    }
}

/// Holds: closed form of WrapAngle.
#[test]
fn a_wrapped_angle_jumps_by_a_turn() {
    let trace = simulate(
        "blocks:
  y: {type: WrapAngle, input: 2 * time}
record: [y]
simulate: {stop: 5}
",
    )
    .trace;
    assert_located(&trace, &[PI / 2.0, 1.5 * PI]);
    for (tag, y) in trace.series("y") {
        let turns = ((tag.time.seconds() * 2.0 - y) / (2.0 * PI)).round();
        assert_near(y + turns * 2.0 * PI, tag.time.seconds() * 2.0, 1e-14);
        assert!((-PI - 1e-15..=PI + 1e-15).contains(&y));
    }
    let text = sampled(&["pi", "-pi", "7", "-7"], "  y: {type: WrapAngle, input: u}", "y");
    let y = events(&simulate(&text).trace, "y");
    for (y, expected) in y.into_iter().zip([-PI, -PI, 7.0 - 2.0 * PI, 2.0 * PI - 7.0]) {
        assert_near(y, expected, 1e-15);
    }
}

/// Holds: closed form of Wrap.
#[test]
fn wrapping_keeps_the_lower_end_and_not_the_upper_one() {
    let block = "  y: {type: Wrap, input: u, lower: -1, upper: 2}";
    let text = sampled(&["-1", "2", "1.5", "5.25", "-1.5"], block, "y");
    assert_eq!(events(&simulate(&text).trace, "y"), [-1.0, -1.0, 1.5, -0.75, 1.5]);
    let trace = simulate(
        "blocks:
  y: {type: Wrap, input: -time, lower: -0.5, upper: 0.5}
record: [y]
simulate: {stop: 2}
",
    )
    .trace;
    assert_located(&trace, &[0.5, 1.5]);
    assert_near(last_elements(&trace, "y")[0], 0.0, 1e-15);
}

/// Holds: closed form, jump and bad input of MultiwaySwitch.
#[test]
fn a_multiway_switch_takes_the_nearest_position() {
    let trace = simulate(
        "blocks:
  y: {type: MultiwaySwitch, selector: time, inputs: [10, time, -1], outside: clamp}
record: [y]
simulate: {stop: 5}
",
    )
    .trace;
    assert_at(&trace, "y", &[("0.5", 0, 10.0), ("0.5", 1, 0.5), ("1.5", 0, 1.5), ("1.5", 1, -1.0)]);
    assert_eq!(last_elements(&trace, "y"), [-1.0]);
    let block = "  y: {type: MultiwaySwitch, selector: u, inputs: [5, 6, 7]}";
    let text = sampled(&["2", "0", "1"], block, "y");
    assert_eq!(events(&simulate(&text).trace, "y"), [7.0, 5.0, 6.0]);
    assert_fails(&sampled(&["2", "3"], block, "y"), "not finite");
    let text = "blocks:\n  y: {type: MultiwaySwitch, selector: 0, inputs: time}\n";
    assert_refused(text, "size-mismatch", "scalar cannot be indexed");
}
