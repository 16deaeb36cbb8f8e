//! Relay, play, peaks and limited rates: which way, which value at which time.

use std::f64::consts::PI;

use superdense::Trace;

use super::{assert_follows, assert_located, events, sampled};
use crate::common::{assert_at, assert_near, at, exact, last_elements, simulate};

/// The tags' times and the values at which a signal changes by more than rounding.
fn changes(trace: &Trace, name: &str) -> Vec<(f64, u32, f64)> {
    let series = trace.series(name);
    let pairs = series.windows(2).filter(|pair| (pair[0].1 - pair[1].1).abs() > 1e-9);
    pairs.map(|pair| (pair[1].0.time.seconds(), pair[1].0.microstep, pair[1].1)).collect()
}

/// The root of a function that changes sign between two times.
fn root(f: impl Fn(f64) -> f64, mut from: f64, mut to: f64) -> f64 {
    for _ in 0..200 {
        let middle = (from + to) / 2.0;
        if f(from) * f(middle) <= 0.0 { to = middle } else { from = middle }
    }
    from
}

/// Holds: closed form of Relay.
#[test]
fn a_relay_switches_where_a_sine_reaches_its_levels() {
    let trace = simulate(
        "blocks:
  y: {type: Relay, input: sin(time), on_level: 0.5, off_level: -0.25, on_value: 3, off_value: -2}
record: [y]
simulate: {stop: 10}
",
    )
    .trace;
    let (on, off) = (PI / 6.0, PI + 0.25f64.asin());
    let switches = changes(&trace, "y");
    let expected = [(on, 3.0), (off, -2.0), (on + 2.0 * PI, 3.0), (off + 2.0 * PI, -2.0)];
    assert_eq!(switches.len(), 4, "{switches:?}");
    for ((time, microstep, value), (truth, output)) in switches.into_iter().zip(expected) {
        assert_near(time, truth, 1e-12);
        assert_eq!((microstep, value), (1, output));
    }
}

/// Holds: jump of Relay.
#[test]
fn a_relay_switches_at_the_microstep_of_a_jump() {
    let trace = simulate(
        "blocks:
  u: {type: Pulse, period: 10, width: 1, offset: 1, low: 0.5, high: 2}
  v: {type: Pulse, period: 10, width: 1, offset: 3, low: 0, high: -1.5}
  y: {type: Relay, input: u + v}
  z: {type: Relay, input: 0.5, initial: true}
  w: {type: Relay, input: [0.5, 2, -1], on_value: [1, 2, 3], initial: [true, false, true]}
record: [y, z, w]
simulate: {stop: 5}
",
    )
    .trace;
    assert_at(&trace, "y", &[("0", 0, 0.0), ("1", 0, 0.0), ("1", 1, 1.0), ("2", 1, 1.0)]);
    assert_at(&trace, "y", &[("3", 0, 1.0), ("3", 1, 0.0), ("4", 1, 0.0), ("5", 0, 0.0)]);
    assert_eq!(at(&trace, "z", exact("0", 0)), Some(1.0));
    assert_eq!(last_elements(&trace, "w"), [1.0, 2.0, 0.0]);
}

#[test]
fn a_relay_of_samples_responds_to_each() {
    let block = "  y: {type: Relay, input: u, on_level: 1, off_level: -1}";
    let text = sampled(&["0", "1", "0.5", "-1", "0.5", "3", "-0.5", "-7"], block, "y");
    let expected = [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0];
    assert_eq!(events(&simulate(&text).trace, "y"), expected);
}

/// A relay in a loop, where its own output turns its input around.
#[test]
fn a_relay_oscillates_in_a_loop() {
    let trace = simulate(
        "blocks:
  x: {type: Integrator, input: 1 - 3 * y}
  y: {type: Relay, input: x, on_level: 1, off_level: -1}
record: [x, y]
simulate: {stop: 8}
",
    )
    .trace;
    let times: Vec<f64> = changes(&trace, "y").iter().map(|change| change.0).collect();
    assert_eq!(times.len(), 5);
    for (time, truth) in times.into_iter().zip([1.0, 2.0, 4.0, 5.0, 7.0]) {
        assert_near(time, truth, 1e-9);
    }
}

/// The play operator on a sine: it follows upwards until the sine turns, waits for the width of the
/// play, follows downwards, and so on.
///
/// Holds: closed form of Backlash.
#[test]
fn backlash_follows_a_sine_around_its_loop() {
    let trace = simulate(
        "blocks:
  y: {type: Backlash, input: sin(time), width: 0.5}
record: [y]
simulate: {stop: 12, maximum_step: 0.3}
",
    )
    .trace;
    let (touch, turn) = (0.25f64.asin(), PI / 2.0);
    let truth = |t: f64| match t {
        t if t < touch => 0.0,
        t if t < turn => t.sin() - 0.25,
        _ => match (t - turn) % (2.0 * PI) {
            late if late < PI / 3.0 => 0.75,
            late if late < PI => t.sin() + 0.25,
            late if late < 4.0 * PI / 3.0 => -0.75,
            _ => t.sin() - 0.25,
        },
    };
    assert_follows(&trace, "y", truth, 1e-14);
    let later = [turn + PI / 3.0, turn + PI, turn + 4.0 * PI / 3.0, turn + 2.0 * PI];
    assert_located(&trace, &[touch, turn]);
    assert_located(&trace, &later);
}

/// Holds: jump of Backlash.
#[test]
fn backlash_is_pushed_by_jumps_and_by_its_start() {
    let trace = simulate(
        "blocks:
  a: {type: Step, time: 1, before: 5, after: 7}
  b: {type: Step, time: 2, before: 0, after: -0.75}
  c: {type: Step, time: 3, before: 0, after: -10}
  y: {type: Backlash, input: a + b + c, width: 1}
  v: {type: Backlash, input: [time, -time], width: [1, 2], initial: [0, 0]}
  none: {type: Backlash, input: sin(3 * time), width: 0}
  error: {type: Expression, expression: none - sin(3 * time)}
record: [y, v, error]
simulate: {stop: 4}
",
    )
    .trace;
    assert_at(&trace, "y", &[("0", 0, 4.5), ("1", 0, 4.5), ("1", 1, 6.5), ("2", 1, 6.5)]);
    assert_at(&trace, "y", &[("3", 0, 6.5), ("3", 1, -3.25), ("4", 0, -3.25)]);
    assert_eq!(last_elements(&trace, "v"), [3.5, -3.0]);
    assert!(trace.series("error").iter().all(|(_, error)| error.abs() < 1e-14));
}

/// A contact that a jump has made ends at the top of a sine, where the slope is zero. It is no hop that
/// rounding has lost, however often a contact has ended before.
#[test]
fn backlash_turns_around_after_a_jump() {
    for (wave, after, height, width) in [
        ("2 * time + 3", 2.9, -2.0, 0.8),
        ("1.7 * time + 9", 3.8, -1.2, 1.3),
        ("3 * time + 44", 2.7, -1.8, 0.4),
        ("2.9 * time + 39", 4.9, -0.1, 0.9),
    ] {
        let trace = simulate(&format!(
            "blocks:
  u: {{type: Expression, expression: sin({wave}) + (if time > {after} then {height} else 0)}}
  y: {{type: Backlash, input: u, width: {width}}}
record: [u, y]
simulate: {{stop: 9, every: 0.0005}}
"
        ))
        .trace;
        let mut truth = 0.0f64;
        for ((_, u), (_, y)) in trace.series("u").into_iter().zip(trace.series("y")) {
            truth = truth.clamp(u - width / 2.0, u + width / 2.0);
            assert_near(y, truth, 2e-6);
        }
    }
}

/// What is driven through a play has a rate, which an integrator of its derivative gives back.
#[test]
fn backlash_has_the_derivative_of_what_pushes_it() {
    let trace = simulate(
        "blocks:
  y: {type: Backlash, input: sin(time), width: 0.5}
  rate: {type: Derivative, input: y}
  x: {type: Integrator, input: rate}
record: [y, x]
simulate: {stop: 8, tolerance: 1e-10}
",
    )
    .trace;
    for ((_, y), (_, x)) in trace.series("y").into_iter().zip(trace.series("x")) {
        assert_near(x, y, 1e-9);
    }
}

/// Holds: closed form of PeakHold.
#[test]
fn a_peak_is_held_from_where_it_is_until_it_is_passed() {
    let trace = simulate(
        "blocks:
  u: {type: Expression, expression: sin(time) + time / 4}
  y: {type: PeakHold, input: u}
  z: {type: PeakHold, input: -u, of: minimum}
record: [y, z]
simulate: {stop: 12}
",
    )
    .trace;
    let u = |t: f64| t.sin() + t / 4.0;
    let top = (-0.25f64).acos();
    let (again, second) = (root(|t| u(t) - u(top), 4.5, 8.0), top + 2.0 * PI);
    let truth = |t: f64| match t {
        t if t <= top || (again..=second).contains(&t) => u(t),
        t if t < again => u(top),
        _ => u(second),
    };
    assert_follows(&trace, "y", truth, 1e-13);
    assert_follows(&trace, "z", |t| -truth(t), 1e-13);
    assert_located(&trace, &[top, again, second]);
}

/// Holds: jump of PeakHold.
#[test]
fn a_peak_may_be_a_jump_and_is_forgotten_at_a_reset() {
    let trace = simulate(
        "blocks:
  u: {type: Pulse, period: 10, width: 1, offset: 1, low: -2, high: 3}
  again: {type: Clock, period: 10, offset: 4}
  y: {type: PeakHold, input: u, reset: again}
record: [y]
simulate: {stop: 5}
",
    )
    .trace;
    assert_at(&trace, "y", &[("0", 0, -2.0), ("1", 1, 3.0), ("2", 1, 3.0), ("4", 0, 3.0)]);
    assert_at(&trace, "y", &[("4", 1, -2.0), ("5", 0, -2.0)]);
}

/// Holds: closed form of RateLimiter.
#[test]
fn a_rate_limiter_leaves_a_sine_and_meets_it_again() {
    let trace = simulate(
        "blocks:
  y: {type: RateLimiter, input: sin(time), rising: 0.5, falling: 0.5}
record: [y]
simulate: {stop: 6, tolerance: 1e-10, maximum_step: 0.3}
",
    )
    .trace;
    // From 0 the sine is too steep; it is met on its way down, and left again at 2 pi / 3.
    let meets = root(|t| t.sin() - t / 2.0, 1.0, 3.0);
    let leaves = 2.0 * PI / 3.0;
    let falls = |t: f64| leaves.sin() - (t - leaves) / 2.0;
    let again = root(|t| t.sin() - falls(t), 3.5, 6.0);
    let rises = |t: f64| again.sin() + (t - again) / 2.0;
    assert!(again.cos() > 0.5, "the sine rises too fast where it is met");
    let truth = |t: f64| match t {
        t if t < meets => t / 2.0,
        t if t < leaves => t.sin(),
        t if t < again => falls(t),
        _ => rises(t),
    };
    assert_follows(&trace, "y", truth, 1e-12);
    assert_located(&trace, &[meets, leaves, again]);
    assert!(trace.len() < 100, "{} rows: it chatters", trace.len());
}

#[test]
fn a_slow_signal_passes_a_rate_limiter_bit_by_bit() {
    let trace = simulate(
        "blocks:
  u: {type: Expression, expression: 0.4 * sin(2 * time) + time / 10}
  y: {type: RateLimiter, input: u}
record: [u, y]
simulate: {stop: 20}
",
    )
    .trace;
    for ((_, u), (_, y)) in trace.series("u").into_iter().zip(trace.series("y")) {
        assert_eq!(u.to_bits(), y.to_bits());
    }
}

/// Holds: jump of RateLimiter.
#[test]
fn a_rate_limiter_never_jumps() {
    let trace = simulate(
        "blocks:
  a: {type: Step, time: 1, after: 2}
  b: {type: Step, time: 3, after: -1.5}
  c: {type: Step, time: 6, after: 1}
  d: {type: Step, time: 6.5, after: -1}
  y: {type: RateLimiter, input: a + b + c + d, rising: 0.5, falling: 0.25}
  v: {type: RateLimiter, input: [a, b], rising: [1, 1], falling: [1, 3]}
record: [y, v]
simulate: {stop: 9}
",
    )
    .trace;
    // Up from 1 s to 1 at 3 s, where the input falls to 0.5, which is reached at 5 s. From 6 s up to
    // 0.75, and down again until 7.5 s.
    assert_at(&trace, "y", &[("0", 0, 0.0), ("1", 1, 0.0), ("9", 0, 0.5)]);
    let truth = |t: f64| match t {
        t if t < 1.0 => 0.0,
        t if t < 3.0 => (t - 1.0) / 2.0,
        t if t < 5.0 => 1.0 - (t - 3.0) / 4.0,
        t if t < 6.0 => 0.5,
        t if t < 6.5 => 0.5 + (t - 6.0) / 2.0,
        t if t < 7.5 => 0.75 - (t - 6.5) / 4.0,
        _ => 0.5,
    };
    assert_follows(&trace, "y", truth, 1e-12);
    assert_located(&trace, &[5.0, 7.5]);
    assert_eq!(last_elements(&trace, "v"), [2.0, -1.5]);
    for pair in trace.series("y").windows(2) {
        if pair[0].0.time == pair[1].0.time {
            assert_near(pair[0].1, pair[1].1, 1e-14);
        }
    }
}

/// The slope of each input depends on the output of its own block; all
/// have closed forms.
#[test]
fn blocks_that_differentiate_their_input_work_in_loops() {
    let trace = simulate(
        "blocks:
  x: {type: Integrator, input: y, initial: 1}
  y: {type: RateLimiter, input: -x, rising: 0.25, falling: 0.25}
  p: {type: Integrator, input: -q, initial: 1}
  q: {type: Backlash, input: p, width: 0.5}
  r: {type: Integrator, input: s - 2 * r, initial: 1}
  s: {type: PeakHold, input: r}
record: [x, y, q, r, s]
simulate: {stop: 4, tolerance: 1e-10}
",
    )
    .trace;
    // y starts at -1, from where the input rises with the rate 1 > 0.25: x = 1 - t + t^2 / 8, until
    // -x is met again at the root of 1 - t + t^2 / 8 = 1 - t / 4, at 6 s.
    assert_follows(&trace, "y", |t| -1.0 + t / 4.0, 1e-12);
    assert_follows(&trace, "x", |t| 1.0 - t + t * t / 8.0, 1e-9);
    // q starts at 0.75 and waits until p = 1 - 0.75 t has fallen to 0.5; then it is p + 0.25, with
    // q' = -q.
    let touch = 2.0 / 3.0;
    let play = |t: f64| if t < touch { 0.75 } else { 0.75 * (touch - t).exp() };
    assert_follows(&trace, "q", play, 1e-8);
    assert_located(&trace, &[touch]);
    assert_follows(&trace, "s", |_| 1.0, 1e-12);
    assert_follows(&trace, "r", |t| 0.5 + 0.5 * (-2.0 * t).exp(), 1e-8);
}

/// In a fixed-step run, each step moves the output by no more than its limit.
#[test]
fn a_fixed_step_run_limits_each_step() {
    for impulses in ["stepped", "numeric"] {
        let trace = simulate(&format!(
            "blocks:
  u: {{type: Step, time: 0.25, after: 1}}
  y: {{type: RateLimiter, input: u, rising: 2}}
  z: {{type: Relay, input: u, on_level: 0.5}}
  b: {{type: Backlash, input: u, width: 0.5}}
  p: {{type: PeakHold, input: u}}
  t: {{type: LookupTable, input: u, x: [0, 1], y: [1, 3]}}
record: [y, z, b, p, t]
simulate: {{stop: 1, step: 0.125, impulses: {impulses}}}
"
        ))
        .trace;
        let after_events = |name: &str, truth: &dyn Fn(f64) -> f64| {
            let series = trace.series(name);
            for (i, (tag, value)) in series.iter().enumerate() {
                if series.get(i + 1).is_none_or(|next| next.0.time > tag.time) {
                    let time = tag.time.seconds();
                    assert_eq!(*value, truth(time), "{name} at {time}, {impulses}");
                }
            }
        };
        let jump = |t: f64| f64::from(u8::from(t >= 0.25));
        after_events("y", &|t| (2.0 * (t - 0.125)).clamp(0.0, 1.0));
        after_events("z", &jump);
        after_events("b", &|t| 0.75 * jump(t));
        after_events("p", &jump);
        after_events("t", &|t| 1.0 + 2.0 * jump(t));
    }
}
