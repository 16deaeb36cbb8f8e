//! Delayed signals against closed forms: values, jumps, events and impulses.

use crate::common;
use crate::common::{assert_at, assert_near, at, exact, has_row, refusal, simulate, tags};
use superdense::Trace;

/// x' = -x(t - 1) with x = 1 up to 0: by the method of steps the solution is the sum over k of
/// (-1)^k (t - k + 1)^k / k!, for k up to the first whole number above t.
fn method_of_steps(t: f64) -> f64 {
    let mut sum = 0.0;
    let mut factorial = 1.0;
    for k in 0..=(t.floor() as i32 + 1) {
        if k > 0 {
            factorial *= f64::from(k);
        }
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * (t - f64::from(k) + 1.0).powi(k) / factorial;
    }
    sum
}

const FEEDBACK: &str = "
blocks:
  x: {type: Integrator, input: -y, initial: 1}
  y: {type: TransportDelay, input: x, delay: 1, initial: 1}
record: [x, y]
simulate: {stop: 8, SETTINGS}
";

#[test]
fn a_delayed_feedback_by_the_method_of_steps() {
    for (settings, tolerance) in [
        ("tolerance: 1e-10", 1e-9),
        ("tolerance: 1e-6", 1e-5),
        ("solver: rk23, tolerance: 1e-8", 1e-7),
        ("solver: cash-karp, tolerance: 1e-10", 1e-9),
        ("solver: rk4, step: 0.01, tolerance: 1e-10", 1e-9),
        ("solver: rk4, step: 0.7, tolerance: 1e-10", 2e-3),
        ("solver: trapezoidal, step: 0.001, tolerance: 1e-10", 1e-6),
    ] {
        let trace = simulate(&FEEDBACK.replace("SETTINGS", settings)).trace;
        assert!(trace.len() > 10, "{settings}");
        for (tag, x) in trace.series("x") {
            assert_near(x, method_of_steps(tag.time.seconds()), tolerance);
        }
        for (tag, y) in trace.series("y") {
            let t = tag.time.seconds() - 1.0;
            assert_near(y, if t > 0.0 { method_of_steps(t) } else { 1.0 }, tolerance);
        }
    }
}

/// The error falls with the fourth power of the step of rk4, the delay not being a whole number of
/// steps.
#[test]
fn a_delay_keeps_the_order_of_the_solver() {
    let error = |step: &str| {
        let settings = format!("solver: rk4, step: {step}, tolerance: 1e-13");
        let trace = simulate(&FEEDBACK.replace("SETTINGS", &settings)).trace;
        (trace.last("x").unwrap() - method_of_steps(8.0)).abs()
    };
    let (coarse, fine) = (error("0.3"), error("0.15"));
    let ratio = coarse / fine;
    assert!((8.0..64.0).contains(&ratio), "{coarse:e} / {fine:e} = {ratio}");
}

/// Holds: closed form of TransportDelay.
#[test]
fn a_delayed_sine() {
    let trace = simulate(
        "
blocks:
  s: {type: Sine, frequency: 0.7, phase: 0.4}
  f: {type: Expression, expression: sin(3 * time) * exp(-time / 5)}
  a: {type: TransportDelay, input: s, delay: 1/3}
  b: {type: TransportDelay, input: f, delay: 2.5, initial: 7}
  c: {type: TransportDelay, input: a, delay: 1/3, initial: -1}
record: [s, a, b, c]
simulate: {stop: 9, every: 0.05, rows: microsteps, tolerance: 1e-10}
",
    )
    .trace;
    let sine = |t: f64| (std::f64::consts::TAU * 0.7 * t + 0.4).sin();
    let third = 1.0 / 3.0;
    for (tag, a) in trace.series("a") {
        let t = tag.time.seconds();
        if (t - third).abs() > 1e-9 {
            assert_near(a, if t < third { 0.0 } else { sine(t - third) }, 1e-9);
        }
    }
    for (tag, b) in trace.series("b") {
        let t = tag.time.seconds() - 2.5;
        if t != 0.0 {
            let truth = if t < 0.0 { 7.0 } else { (3.0 * t).sin() * (-t / 5.0).exp() };
            assert_near(b, truth, 1e-9);
        }
    }
    for (tag, c) in trace.series("c") {
        let t = tag.time.seconds();
        let truth = if t < third {
            -1.0
        } else if t < 2.0 * third {
            0.0
        } else {
            sine(t - 2.0 * third)
        };
        if (t - third).abs() > 1e-9 && (t - 2.0 * third).abs() > 1e-9 {
            assert_near(c, truth, 1e-9);
        }
    }
    assert_at(&trace, "b", &[("2.5", 0, 7.0), ("2.5", 1, 0.0)]);
}

/// A jump comes at exactly its time and the delay, with both limits, also where the signal moves
/// before and after it.
///
/// Holds: jump of TransportDelay.
#[test]
fn a_delayed_step() {
    let trace = simulate(
        "
blocks:
  s: {type: Step, time: 1, before: -2, after: 3}
  a: {type: TransportDelay, input: s, delay: 0.3, initial: 9}
  m: {type: Expression, expression: s + time^2}
  b: {type: TransportDelay, input: m, delay: 0.3, initial: -2}
  x: {type: Integrator, input: b}
record: [a, b, x]
simulate: {stop: 2, tolerance: 1e-11}
",
    )
    .trace;
    assert_at(&trace, "a", &[("0.3", 0, 9.0), ("0.3", 1, -2.0), ("1.3", 0, -2.0), ("1.3", 1, 3.0)]);
    assert_near(at(&trace, "b", exact("1.3", 0)).unwrap(), -1.0, 1e-12);
    assert_eq!(at(&trace, "b", exact("1.3", 1)), Some(4.0));
    assert!(!has_row(&trace, exact("1.3", 3)));
    let before = -2.0 * 1.3 + 1.0 / 3.0;
    assert_near(at(&trace, "x", exact("1.3", 1)).unwrap(), before, 1e-10);
    let after = 3.0 * 0.7 + (1.7f64.powi(3) - 1.0) / 3.0;
    assert_near(trace.last("x").unwrap(), before + after, 1e-10);
}

/// Impulses of every order keep their coefficients and their microstep.
///
/// Holds: impulse of TransportDelay.
#[test]
fn a_delayed_impulse() {
    let trace = simulate(
        "
blocks:
  hit: {type: ImpulseSource, times: [1], weight: 5}
  twist: {type: ImpulseSource, times: [1], weight: -2, order: 3}
  late: {type: MicrostepDelay, input: twist}
  u: {type: Expression, expression: time + hit + late}
  d: {type: TransportDelay, input: u, delay: 1/3}
  x: {type: Integrator, input: d - time + 1 / 3}
record: [u, d, x]
simulate: {stop: 2, tolerance: 1e-11}
",
    )
    .trace;
    let third = superdense::Time::from_rational(superdense::Rational::new(4, 3)).unwrap();
    let column = trace.column("d").unwrap();
    let found: Vec<_> = trace
        .impulses()
        .iter()
        .filter(|impulse| impulse.column == column)
        .map(|impulse| (impulse.tag, impulse.order, impulse.weight[0]))
        .collect();
    let tag = |n| superdense::Tag::new(third, n);
    assert_eq!(found, [(tag(1), 0, 5.0), (tag(2), 3, -2.0)]);
    let before = at(&trace, "x", tag(0)).unwrap();
    assert_near(at(&trace, "x", tag(1)).unwrap(), before + 5.0, 1e-14);
    assert_eq!(at(&trace, "d", tag(1)), at(&trace, "u", exact("1", 1)));
}

/// Holds: absence of TransportDelay.
#[test]
fn delayed_events_keep_their_microstep() {
    let trace = simulate(
        "
blocks:
  c: {type: Clock, period: 1, offset: 0.5, value: 4}
  late: {type: MicrostepDelay, input: c}
  m: {type: Merge, inputs: [c, 2 * late]}
  d: {type: TransportDelay, input: m, delay: 0.25}
  n: {type: Counter, increment: d}
record: [m, d, n]
simulate: {stop: 3}
",
    )
    .trace;
    assert_eq!(
        trace.series("d"),
        [("0.75", 1, 4.0), ("0.75", 2, 8.0), ("1.75", 1, 4.0), ("1.75", 2, 8.0)]
            .into_iter()
            .chain([("2.75", 1, 4.0), ("2.75", 2, 8.0)])
            .map(|(time, n, value)| (exact(time, n), value))
            .collect::<Vec<_>>()
    );
    assert_eq!(trace.last("n"), Some(6.0));
}

/// An event that comes back after a delay, for ever: each waking of the clock starts a train.
#[test]
fn a_loop_of_delayed_events() {
    let trace = simulate(
        "
blocks:
  start: {type: Clock, period: 100, offset: 0.1}
  e: {type: Merge, inputs: [start, back]}
  back: {type: TransportDelay, input: 2 * e, delay: 0.3}
record: [e]
simulate: {stop: 3}
",
    )
    .trace;
    let series = trace.series("e");
    assert_eq!(series.len(), 10);
    for (k, (tag, value)) in series.into_iter().enumerate() {
        let time = exact("0.1", 0).time.attoseconds() + k as i128 * 300_000_000_000_000_000;
        assert_eq!(tag, superdense::Tag::new(superdense::Time::from_attoseconds(time), 1));
        assert_eq!(value, 2f64.powi(k as i32));
    }
}

/// A relay in a loop with a delay oscillates: x' = -sign(x(t - 1)) from x = 0.5 has triangles of
/// slope 1 between -1 and 1, with the period 4.
#[test]
fn a_relay_with_a_delay() {
    let trace = simulate(
        "
blocks:
  y: {type: TransportDelay, input: x, delay: 1, initial: 0.5}
  x: {type: Integrator, input: if y > 0 then -1 else 1, initial: 0.5}
  up: {type: LevelCrossing, input: x, direction: rising}
record: [x, y, up]
simulate: {stop: 30, tolerance: 1e-9}
",
    )
    .trace;
    for (k, tag) in tags(&trace, "up").into_iter().enumerate() {
        assert_near(tag.time.seconds(), 2.5 + 4.0 * k as f64, 1e-10);
    }
    assert_eq!(tags(&trace, "up").len(), 7);
    let triangle = |t: f64| {
        let phase = (t + 1.5).rem_euclid(4.0);
        if phase < 2.0 { 1.0 - phase } else { phase - 3.0 }
    };
    for (tag, x) in trace.series("x") {
        let t = tag.time.seconds();
        assert_near(x, if t < 1.5 { 0.5 - t } else { triangle(t - 1.0) }, 1e-9);
    }
}

/// The derivative of a delayed signal is the delayed derivative, with an impulse where it jumps.
#[test]
fn the_derivative_of_a_delayed_signal() {
    let trace = simulate(
        "
blocks:
  s: {type: Step, time: 1}
  u: {type: Expression, expression: exp(-time) * sin(2 * time) + s}
  y: {type: TransportDelay, input: u, delay: 0.75}
  d: {type: Derivative, input: y}
  e: {type: Derivative, input: d}
record: [y, d, e]
simulate: {stop: 3, every: 0.1, rows: microsteps, tolerance: 1e-11}
",
    )
    .trace;
    for (tag, d) in trace.series("d") {
        let t = tag.time.seconds() - 0.75;
        let (s, c, exp) = ((2.0 * t).sin(), (2.0 * t).cos(), (-t).exp());
        if t.abs() > 1e-9 {
            assert_near(d, if t < 0.0 { 0.0 } else { exp * (2.0 * c - s) }, 1e-10);
        }
    }
    for (tag, e) in trace.series("e") {
        let t = tag.time.seconds() - 0.75;
        let (s, c, exp) = ((2.0 * t).sin(), (2.0 * t).cos(), (-t).exp());
        if t.abs() > 1e-9 {
            assert_near(e, if t < 0.0 { 0.0 } else { exp * (-4.0 * c - 3.0 * s) }, 1e-10);
        }
    }
    let d = trace.column("d").unwrap();
    let found: Vec<_> = trace.impulses().iter().filter(|i| i.column == d).collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].tag, found[0].order), (exact("1.75", 1), 0));
    assert_near(found[0].weight[0], 1.0, 1e-15);
}

/// A crossing of a delayed signal is located a delay after that of the signal.
#[test]
fn a_crossing_of_a_delayed_signal() {
    let trace = simulate(
        "
blocks:
  u: {type: Expression, expression: time^3 - 2 * time}
  y: {type: TransportDelay, input: u, delay: 0.7, initial: -1}
  a: {type: LevelCrossing, input: u, level: 0.25}
  b: {type: LevelCrossing, input: y, level: 0.25}
record: [a, b]
simulate: {stop: 3, tolerance: 1e-12}
",
    )
    .trace;
    let (a, b) = (tags(&trace, "a"), tags(&trace, "b"));
    assert_eq!((a.len(), b.len()), (1, 1));
    assert_near(b[0].time.seconds(), a[0].time.seconds() + 0.7, 1e-11);
}

/// A vector is delayed element by element, and so is a held one that does not move.
#[test]
fn vectors_and_held_values() {
    let trace = simulate(
        "
blocks:
  x: {type: Integrator, input: '[1, -2]', initial: '[0, 5]'}
  y: {type: TransportDelay, input: x, delay: 0.5, initial: '[7, 8]'}
  c: {type: Clock, period: 1}
  n: {type: Counter, increment: c}
  h: {type: ZeroOrderHold, input: n}
  z: {type: TransportDelay, input: h, delay: 0.25}
  t: {type: TransportDelay, input: h > 1.5, delay: 0.25, initial: true}
  early: {type: Expression, expression: if t then 1 else 0}
record: {a: 'y[0]', b: 'y[1]', z: z, early: early}
simulate: {stop: 2, tolerance: 1e-10}
",
    )
    .trace;
    assert_eq!(at(&trace, "a", exact("0.5", 0)), Some(7.0));
    assert_eq!(at(&trace, "b", exact("0.5", 1)), Some(5.0));
    assert_near(trace.last("a").unwrap(), 1.5, 1e-12);
    assert_near(trace.last("b").unwrap(), 2.0, 1e-12);
    assert_at(&trace, "z", &[("1.25", 0, 1.0), ("1.25", 1, 2.0)]);
    assert_at(&trace, "early", &[("0.25", 0, 1.0), ("0.25", 1, 0.0), ("1.25", 1, 1.0)]);
}

/// A run in one part of a model is not disturbed by events in another that comes to it delayed.
#[test]
fn an_event_of_another_region_comes_delayed() {
    let model = |stop: &str| {
        format!(
            "
blocks:
  fast: {{type: Integrator, input: 20 * cos(20 * time)}}
  up: {{type: LevelCrossing, input: fast, level: 0.5, direction: rising}}
  d: {{type: TransportDelay, input: up, delay: 0.01}}
  slow: {{type: Integrator, input: -slow, initial: 1, impulse: d}}
record: [slow, d]
simulate: {{stop: {stop}, tolerance: 1e-10}}
"
        )
    };
    let trace = simulate(&model("2")).trace;
    let tau = std::f64::consts::TAU / 20.0;
    let first = (0.5f64).asin() / 20.0 + 0.01;
    let kicks = tags(&trace, "d");
    for (k, tag) in kicks.iter().enumerate() {
        assert_near(tag.time.seconds(), first + tau * k as f64, 1e-9);
    }
    let truth: f64 =
        (-2.0f64).exp() + kicks.iter().map(|tag| (tag.time.seconds() - 2.0).exp()).sum::<f64>();
    assert_near(trace.last("slow").unwrap(), truth, 1e-8);
}

/// A delay breaks an algebraic loop, and a run goes on for many delays with a short memory.
#[test]
fn a_loop_without_an_integrator() {
    let trace: Trace = simulate(
        "
blocks:
  u: {type: Expression, expression: 0.5 * y + sin(time)}
  y: {type: TransportDelay, input: u, delay: 0.5}
record: [u, y]
simulate: {stop: 20, every: 0.17, tolerance: 1e-9}
",
    )
    .trace;
    for (tag, u) in trace.series("u") {
        let t = tag.time.seconds();
        let terms = (0..=(2.0 * t + 1e-9).floor() as i32)
            .map(|k| 0.5f64.powi(k) * (t - 0.5 * f64::from(k)).sin());
        assert_near(u, terms.sum(), 1e-7);
    }
}

/// Holds: bad input of TransportDelay.
#[test]
fn delays_that_are_none_are_refused() {
    for (delay, code) in
        [("0", "bad-parameter"), ("-1", "bad-parameter"), ("1e30", "bad-parameter")]
    {
        let refused = refusal(&format!(
            "
blocks:
  y: {{type: TransportDelay, input: time, delay: {delay}}}
simulate: {{stop: 1}}
"
        ));
        assert_eq!(common::codes(&refused), [code], "{refused}");
    }
    let refused = refusal(
        "
blocks:
  y: {type: TransportDelay, input: time, initial: '[1, 2]'}
simulate: {stop: 1}
",
    );
    assert_eq!(common::codes(&refused), ["size-mismatch"], "{refused}");
}

/// The past that is kept does not grow with the run, only with the delay.
#[test]
fn the_memory_of_a_long_run_is_bounded() {
    let system = common::compile(
        "
blocks:
  x: {type: Integrator, input: -1.2 * y, initial: 1}
  y: {type: TransportDelay, input: x, delay: 1, initial: 1}
  c: {type: Clock, period: 0.4}
  d: {type: TransportDelay, input: c, delay: 2}
record: [x]
simulate: {stop: 2000}
",
    );
    let mut run = system.begin();
    let mut largest = [0; 2];
    while run.advance().unwrap().is_none() {
        let half = usize::from(run.tag().time.seconds() > 1000.0);
        if run.trace().len().is_multiple_of(50) {
            largest[half] = largest[half].max(run.save().len());
        }
    }
    assert!(largest[1] <= largest[0] + 2000, "{largest:?}");
}

/// A crossing that was located counts as zero at its tick, although the time there has coarser last
/// places than the offset from the start of the phase; it is not found again at the same time.
#[test]
fn a_crossing_is_located_once() {
    let trace = simulate(
        "
blocks:
  m0: {type: Sine, frequency: 0.7}
  e0: {type: Clock, period: 0.3, value: 0.5}
  b0: {type: Expression, expression: abs(m0)}
  b1: {type: Sum, inputs: [b0, m0]}
  b2: {type: Expression, expression: if b1 > m0 then b0 else 0.3}
  b3: {type: Clock, period: 0.7, value: 0.7}
  b5: {type: Expression, expression: floor(3 * b2) / 3}
  b9: {type: Integrator, input: b2, reset: b3}
  b10: {type: TransportDelay, input: b1, delay: 0.3}
  b12: {type: LevelCrossing, input: b10, level: 3 / 10}
record: [m0, b0, b1, b2, b5, b9, b10, e0, b3, b12]
simulate: {stop: 1.5, solver: rk4, step: 0.05, microsteps: 40}
",
    )
    .trace;
    let w = std::f64::consts::TAU * 0.7;
    let (up, down) = (0.15f64.asin() / w, (std::f64::consts::PI - 0.15f64.asin()) / w);
    let found = tags(&trace, "b12");
    assert_eq!(found.len(), 2);
    assert_near(found[0].time.seconds(), up + 0.3, 1e-7);
    assert_near(found[1].time.seconds(), down + 0.3, 1e-7);
}

/// Delays of one signal that does not hang on them: each has its kink where its delay is over, not
/// at all sums of delays, and what nothing reads has none. All are the signal of a delay ago.
#[test]
fn kinks_go_on_only_where_they_are_read() {
    let delays: Vec<f64> = (0..40).map(|i| 0.1 + 0.0217 * f64::from(i)).collect();
    let block = |(i, delay): (usize, &f64)| {
        format!("  d{i}: {{type: TransportDelay, input: x, delay: {delay}, initial: 1}}\n")
    };
    let blocks: String = delays.iter().enumerate().map(block).collect();
    let all: Vec<String> = (0..delays.len()).map(|i| format!("d{i}")).collect();
    let run = |record: &str| {
        simulate(&format!(
            "blocks:\n  x: {{type: Integrator, input: -x, initial: 1}}\n{blocks}\
             record: [{record}]\nsimulate: {{stop: 2}}\n"
        ))
    };
    let outcome = run(&all.join(", "));
    assert!(outcome.counters.ticks <= 41, "{}", outcome.counters.ticks);
    for (row, tag) in outcome.trace.tags().iter().enumerate() {
        for (column, delay) in delays.iter().enumerate() {
            let truth = (delay - tag.time.seconds()).min(0.0).exp();
            let value = outcome.trace.get(row, column).expect("always there")[0];
            assert!((value - truth).abs() < 1e-6, "d{column} at {tag}: {value} for {truth}");
        }
    }
    assert!(run("x, d3").counters.ticks <= 2);
}

/// x' = -pi/2 x(t - 1) with the past cos(pi t / 2) goes on as it was.
///
/// Holds: closed form of DelayWithHistory.
#[test]
fn a_past_may_be_a_function() {
    let text = "blocks:
  x: {type: Integrator, input: -pi / 2 * past, initial: 1}
  past: {type: DelayWithHistory, input: x, delay: 1, history: cos(pi / 2 * (time - 1))}
record: [x, past]
simulate: {stop: 8, every: 0.1, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    let column = trace.columns().iter().position(|column| column.name == "x").unwrap();
    for (row, tag) in trace.tags().iter().enumerate() {
        let truth = (std::f64::consts::FRAC_PI_2 * tag.time.seconds()).cos();
        assert_near(trace.get(row, column).unwrap()[0], truth, 1e-7);
    }
}
