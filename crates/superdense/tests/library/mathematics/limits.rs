//! Limits, zones, levels and friction.

use std::f64::consts::PI;

use super::{assert_follows, assert_located, assert_refused, events, sampled};
use crate::common::{assert_at, assert_near, last_elements, simulate};

/// Holds: closed form of Saturation.
#[test]
fn a_saturated_sine_is_at_its_limits_for_the_time_of_the_closed_form() {
    let trace = simulate(
        "blocks:
  u: {type: Expression, expression: 2 * sin(time)}
  y: {type: Saturation, input: u, upper: 1.5}
  area: {type: Integrator, input: y}
  time_at_limit: {type: Integrator, input: if y >= 1.5 then 1 else 0}
record: [y, area, time_at_limit]
simulate: {stop: 2 * pi, tolerance: 1e-10}
",
    )
    .trace;
    let (a, b) = (0.75f64.asin(), 0.5f64.asin());
    assert_located(&trace, &[a, PI - a, PI + b, 2.0 * PI - b]);
    assert_follows(&trace, "y", |t| (2.0 * t.sin()).clamp(-1.0, 1.5), 1e-15);
    assert!(trace.series("y").iter().all(|(_, y)| (-1.0..=1.5).contains(y)));
    let half = |limit: f64, a: f64| 4.0 * (1.0 - a.cos()) + limit * (PI - 2.0 * a);
    assert_near(last_elements(&trace, "area")[0], half(1.5, a) - half(1.0, b), 1e-9);
    assert_near(last_elements(&trace, "time_at_limit")[0], PI - 2.0 * a, 1e-9);
}

/// Holds: jump of Saturation.
#[test]
fn saturation_takes_jumps_vectors_and_events() {
    let trace = simulate(
        "blocks:
  u: {type: Step, time: 1, before: -3, after: 3}
  y: {type: Saturation, input: u}
  v: {type: Saturation, input: [time, 2 * time], lower: [1, 0], upper: [1.5, 3]}
record: [y, v]
simulate: {stop: 2}
",
    )
    .trace;
    assert_at(&trace, "y", &[("1", 0, -1.0), ("1", 1, 1.0), ("2", 0, 1.0)]);
    assert_eq!(last_elements(&trace, "v"), [1.5, 3.0]);
    let text = sampled(&["-2", "0.5", "7"], "  y: {type: Saturation, input: u}", "y");
    assert_eq!(events(&simulate(&text).trace, "y"), [-1.0, 0.5, 1.0]);
}

/// Holds: closed form of DeadZone.
#[test]
fn a_dead_zone_takes_out_its_part_of_a_sine() {
    let trace = simulate(
        "blocks:
  y: {type: DeadZone, input: sin(time), start: -0.25, end: 0.5}
  area: {type: Integrator, input: y}
record: [y, area]
simulate: {stop: 2 * pi, tolerance: 1e-10}
",
    )
    .trace;
    let (a, b) = (PI / 6.0, 0.25f64.asin());
    assert_located(&trace, &[a, PI - a, PI + b, 2.0 * PI - b]);
    let truth = |t: f64| (t.sin() - 0.5).max(0.0) + (t.sin() + 0.25).min(0.0);
    assert_follows(&trace, "y", truth, 1e-15);
    let half = |level: f64, a: f64| 2.0 * a.cos() - level * (PI - 2.0 * a);
    assert_near(last_elements(&trace, "area")[0], half(0.5, a) - half(0.25, b), 1e-9);
    let block = "  y: {type: DeadZone, input: u}";
    let text = sampled(&["-2", "-0.5", "0", "0.75"], block, "y");
    assert_eq!(events(&simulate(&text).trace, "y"), [-1.5, 0.0, 0.0, 0.25]);
}

/// Holds: closed form of Quantizer.
#[test]
fn a_quantized_sine_jumps_halfway_between_levels() {
    let trace = simulate(
        "blocks:
  y: {type: Quantizer, input: sin(time), interval: 0.25}
record: [y]
simulate: {stop: 2}
",
    )
    .trace;
    let jumps: Vec<(f64, f64)> = trace
        .series("y")
        .windows(2)
        .filter(|pair| pair[0].1 != pair[1].1)
        .map(|pair| (pair[1].0.time.seconds(), pair[1].1))
        .collect();
    assert_eq!(jumps.len(), 4);
    for (k, (time, level)) in jumps.into_iter().enumerate() {
        assert_near(time, ((k as f64 + 0.5) / 4.0).asin(), 1e-9);
        assert_eq!(level, (k as f64 + 1.0) / 4.0);
    }
}

/// Holds: jump of Quantizer.
#[test]
fn a_quantizer_rounds_halves_up_and_jumps_over_levels() {
    let block = "  y: {type: Quantizer, input: u, interval: 0.5, offset: 0.125}";
    let text = sampled(&["0", "0.375", "0.25", "-0.125", "10"], block, "y");
    assert_eq!(events(&simulate(&text).trace, "y"), [0.125, 0.625, 0.125, 0.125, 10.125]);
    let trace = simulate(
        "blocks:
  u: {type: Step, time: 1, before: 0.1, after: 7.2}
  y: {type: Quantizer, input: u}
record: [y]
simulate: {stop: 2}
",
    )
    .trace;
    assert_at(&trace, "y", &[("1", 0, 0.0), ("1", 1, 7.0)]);
}

/// Holds: closed form and jump of CoulombFriction.
#[test]
fn friction_changes_sign_with_the_velocity() {
    let trace = simulate(
        "blocks:
  y: {type: CoulombFriction, velocity: cos(time), coulomb: 0.5, viscous: 0.25}
record: [y]
simulate: {stop: 3}
",
    )
    .trace;
    let jump = trace.series("y").windows(2).find(|pair| pair[0].1 * pair[1].1 < 0.0).map(|p| p[1]);
    let (tag, force) = jump.unwrap();
    assert_eq!(tag.microstep, 1);
    assert_near(tag.time.seconds(), PI / 2.0, 1e-12);
    assert_near(force, -0.5, 1e-12);
    let block = "  y: {type: CoulombFriction, velocity: u, viscous: 2}";
    let text = sampled(&["-1", "0", "3"], block, "y");
    assert_eq!(events(&simulate(&text).trace, "y"), [-3.0, 0.0, 7.0]);
}

/// Holds: bad input of Saturation, DeadZone, Quantizer, Wrap, Normalise, Relay, Backlash,
/// RateLimiter.
#[test]
fn limits_in_the_wrong_order_are_refused() {
    for (block, message) in [
        ("Saturation, input: time, lower: 2", "lower limit must not be above"),
        ("DeadZone, input: time, start: 2", "start of the zone must not be above"),
        ("Quantizer, input: time, interval: 0", "interval must be positive"),
        ("Wrap, input: time, lower: 1", "lower end of the interval must be below"),
        ("Normalise, input: [time, 1], threshold: 0", "threshold must be positive"),
        ("Relay, input: time, on_level: 0, off_level: 1", "must not be above"),
        ("Backlash, input: time, width: -1", "must not be negative"),
        ("RateLimiter, input: time, falling: -1", "must not be negative"),
    ] {
        let text = format!("blocks:\n  y: {{type: {block}}}\n");
        assert_refused(&text, "bad-parameter", message);
    }
}
