//! Delays that are signals against closed forms: what is read moves with the delay, forward and
//! backward, and jumps, events and impulses come when it passes them.

use crate::common::{
    assert_near, belongs, bits, by, codes, compile, failure, refusal, simulate, tags,
};
use superdense::{Backend, Trace};

/// A position that goes back and forth: its rate is between -1 and 3.
const THERE_AND_BACK: &str = "1 + 0.5 * sin(4 * time)";

fn position(t: f64) -> f64 {
    t - 1.0 - 0.5 * (4.0 * t).sin()
}

/// The times at which the position passes a value, up to 4 s, and whether forward.
fn passings(of: f64) -> Vec<(f64, bool)> {
    let f = |t: f64| position(t) - of;
    let mut found = Vec::new();
    for k in 0..4000 {
        let (mut a, mut b) = (0.001 * f64::from(k), 0.001 * f64::from(k + 1));
        if (f(a) < 0.0) == (f(b) < 0.0) {
            continue;
        }
        let forward = f(a) < 0.0;
        for _ in 0..60 {
            let middle = 0.5 * (a + b);
            if (f(middle) < 0.0) == forward { a = middle } else { b = middle }
        }
        found.push((b, forward));
    }
    found
}

/// The largest value of an error that a model records.
fn worst(trace: &Trace, name: &str) -> f64 {
    trace.series(name).into_iter().fold(0.0, |most, (_, error)| most.max(error.abs()))
}

/// A delay that grows with time stretches a sine, and one that goes up and down reads a polynomial
/// forward and backward.
///
/// Holds: closed form of TransportDelay.
#[test]
fn a_delay_that_is_a_signal_reads_the_past_at_its_position() {
    for (tolerance, most) in [("1e-9", 2e-8), ("1e-5", 2e-4)] {
        let trace = simulate(&format!(
            "
blocks:
  s: {{type: Expression, expression: sin(3 * time)}}
  y: {{type: TransportDelay, input: s, delay: 0.5 + 0.25 * time, maximum_delay: 2, initial: 7}}
  p: {{type: Expression, expression: '[time^3 - time, 2 * time^4]'}}
  r: {{type: Expression, expression: time - ({THERE_AND_BACK})}}
  q: {{type: TransportDelay, input: p, delay: {THERE_AND_BACK}, maximum_delay: 1.5, initial: 7}}
  known: {{type: TransportDelay, input: true, delay: {THERE_AND_BACK}, maximum_delay: 1.5, initial: false}}
  e: {{type: Expression, expression: y - (if time < 2 / 3 then 7 else sin(2.25 * time - 1.5))}}
  f: {{type: Expression, expression: 'q - (if known then [r^3 - r, 2 * r^4] else [7, 7])'}}
  norm: {{type: Expression, expression: norm(f)}}
record: [e, norm, q]
simulate: {{stop: 4, tolerance: {tolerance}, rows: microsteps}}
"
        ))
        .trace;
        assert!(trace.len() > 20);
        for name in ["e", "norm"] {
            let own = worst(&trace, name);
            assert!(own < most, "{name} with {tolerance}: {own:e}");
        }
    }
}

/// A step passes whenever what is read passes it: down again when that goes backward.
///
/// Holds: jump and absence of TransportDelay.
#[test]
fn jumps_and_events_come_when_they_are_passed() {
    let trace = simulate(&format!(
        "
blocks:
  u: {{type: Step, time: 0.6, before: 1, after: 3}}
  c: {{type: EventSource, offsets: [0.6], values: [5], period: 100}}
  moving: {{type: TransportDelay, input: u + time, delay: {THERE_AND_BACK}, maximum_delay: 1.5}}
  still: {{type: TransportDelay, input: u, delay: {THERE_AND_BACK}, maximum_delay: 1.5, initial: 1}}
  event: {{type: TransportDelay, input: c, delay: {THERE_AND_BACK}, maximum_delay: 1.5}}
record: [moving, still, event]
simulate: {{stop: 4, rows: microsteps}}
"
    ))
    .trace;
    let expected = passings(0.6);
    assert_eq!(expected.len(), 3, "forward, backward and forward");
    let events = tags(&trace, "event");
    assert_eq!(events.len(), 3, "{events:?}");
    for ((time, forward), tag) in expected.into_iter().zip(events) {
        assert_near(tag.time.seconds(), time, 1e-12);
        assert_eq!(tag.microstep, 1);
        let row = trace.tags().iter().position(|own| *own == tag).unwrap();
        assert_eq!(trace.tags()[row - 1].time, tag.time, "a left limit");
        let value = |row: usize, column: usize| trace.get(row, column).unwrap()[0];
        let (low, high) = if forward { (row - 1, row) } else { (row, row - 1) };
        assert_eq!((value(low, 1), value(high, 1)), (1.0, 3.0));
        assert_near(value(low, 0), 1.6, 1e-6);
        assert_near(value(high, 0), 3.6, 1e-6);
        assert_eq!(value(row, 2), 5.0);
    }
}

/// delta(t - d(t) - s) has the weight 1 / |1 - d'| at each time at which its argument is zero.
///
/// Holds: impulse of TransportDelay.
#[test]
fn impulses_are_divided_by_the_rate_at_which_they_are_passed() {
    let trace = simulate(&format!(
        "
blocks:
  u: {{type: ImpulseSource, times: [0.6], weight: [2]}}
  y: {{type: TransportDelay, input: u, delay: {THERE_AND_BACK}, maximum_delay: 1.5}}
  x: {{type: Integrator, input: y}}
record: [x]
simulate: {{stop: 4}}
"
    ))
    .trace;
    let weight = |(t, _): (f64, bool)| 2.0 / (1.0 - 2.0 * (4.0 * t).cos()).abs();
    let total: f64 = passings(0.6).into_iter().map(weight).sum();
    assert_near(trace.last("x").unwrap(), total, 1e-9);
    for (text, reason) in [
        (
            "u: {type: ImpulseSource, times: [1], order: 1}
  y: {type: TransportDelay, input: u, delay: 0.5 + 0 * time, maximum_delay: 1}",
            "the derivative of an impulse",
        ),
        (
            "u: {type: ImpulseSource, times: [1]}
  y: {type: TransportDelay, input: u, delay: u, maximum_delay: 1}",
            "an impulse reaches `delay`",
        ),
    ] {
        let text = format!("blocks:\n  {text}\nrecord: [y]\nsimulate: {{stop: 4}}\n");
        let failed = failure(&text);
        assert!(failed.error.to_string().contains(reason), "{}", failed.error);
    }
}

/// x' = -x(t - d) with d = 1 + t / 4 and x = 1 up to 0: by steps from one zero of what is read to
/// the next, x is a polynomial. A step of rk4 is exact for it if it does not go over a kink.
fn by_steps(t: f64) -> f64 {
    let (first, second) = (4.0 / 3.0, 28.0 / 9.0);
    let linear = |t: f64| 1.0 - t;
    let at_first = linear(first);
    let quadratic = |t: f64| at_first - (2.0 * (t - first) - 0.375 * (t * t - first * first));
    // x' = -quadratic(0.75 t - 1), by Simpson's rule, which is exact.
    let read = |t: f64| quadratic(0.75 * t - 1.0);
    let cubic = |t: f64| {
        let middle = 0.5 * (t + second);
        quadratic(second) - (t - second) / 6.0 * (read(second) + 4.0 * read(middle) + read(t))
    };
    match t {
        _ if t <= first => linear(t),
        _ if t <= second => quadratic(t),
        _ => cubic(t),
    }
}

/// Kinks are located, so that no step goes over one.
#[test]
fn a_varying_delay_keeps_the_order_of_the_solver() {
    for settings in ["solver: rk4, step: 0.3", "solver: rk4, step: 0.1", "tolerance: 1e-9"] {
        let trace = simulate(&format!(
            "
blocks:
  x: {{type: Integrator, input: -y, initial: 1}}
  y: {{type: TransportDelay, input: x, delay: 1 + time / 4, maximum_delay: 3, initial: 1}}
record: [x]
simulate: {{stop: 5, {settings}}}
"
        ))
        .trace;
        for (tag, x) in trace.series("x") {
            assert_near(x, by_steps(tag.time.seconds()), 1e-8);
        }
    }
}

/// A delay that depends on a state: y1' = y2, y2' = -y2(exp(1 - y2)) y2^2 exp(1 - y2) is solved by
/// log t and 1 / t (Neves; the example of Shampine's ddesd). At t = 1 the delay is zero.
#[test]
fn a_delay_may_depend_on_the_state() {
    for (settings, tolerance) in
        [("tolerance: 1e-9", 1e-6), ("solver: rodas5p, tolerance: 1e-7", 1e-4)]
    {
        let trace = simulate(&format!(
            "
blocks:
  a: {{type: Integrator, input: b}}
  b: {{type: Integrator, input: -past * b^2 * exp(1 - b), initial: 1}}
  past: {{type: TransportDelay, input: b, delay: 'max(0, time - exp(1 - b))', maximum_delay: 3, initial: 1}}
record: [a, b]
simulate: {{start: 1, stop: 5, {settings}}}
"
        ))
        .trace;
        for (tag, a) in trace.series("a") {
            assert_near(a, tag.time.seconds().ln(), tolerance);
        }
    }
}

/// x' = -x(t / 2), whose delay is zero at the start, and x' = -x with a delay that is always zero.
#[test]
fn a_delay_may_be_zero() {
    let trace = simulate(
        "
blocks:
  x: {type: Integrator, input: -y, initial: 1}
  y: {type: TransportDelay, input: x, delay: time / 2, maximum_delay: 2.5, initial: 1}
  z: {type: Integrator, input: -w, initial: 1}
  w: {type: TransportDelay, input: z, delay: 0 * time, maximum_delay: 1, initial: 1}
record: [x, z]
simulate: {stop: 4, tolerance: 1e-8}
",
    )
    .trace;
    let pantograph = |t: f64| {
        let mut term = 1.0;
        let mut sum = 1.0;
        for k in 1..40 {
            term *= -t / f64::from(k) * 0.5f64.powi(k - 1);
            sum += term;
        }
        sum
    };
    for (tag, x) in trace.series("x") {
        assert_near(x, pantograph(tag.time.seconds()), 1e-6);
    }
    for (tag, z) in trace.series("z") {
        assert_near(z, (-tag.time.seconds()).exp(), 1e-6);
    }
}

/// Holds: bad input of TransportDelay.
#[test]
fn delays_outside_their_range_end_the_run() {
    for (delay, reason, time) in [
        ("1 - 0.5 * time", "the delay is negative", 2.0),
        ("1 + 0.5 * time", "the delay is above `maximum_delay`", 4.0),
        ("if time > 2.5 then 1 else 2", "the delay jumps", 2.5),
        ("-1 + 0 * time", "the delay is negative", 0.0),
    ] {
        let failed = failure(&format!(
            "
blocks:
  y: {{type: TransportDelay, input: time, delay: {delay}, maximum_delay: 3}}
record: [y]
simulate: {{stop: 6}}
"
        ));
        let message = failed.error.to_string();
        assert!(message.contains(reason), "{delay}: {message}");
        assert!(message.contains('y'), "{delay}: {message}");
        let last = failed.trace.tags().last().map_or(0.0, |tag| tag.time.seconds());
        assert_near(last, time, 1e-9);
    }
    for (text, code) in [
        ("delay: 1 + time", "bad-parameter"),
        ("delay: 1 + time, maximum_delay: -1", "bad-parameter"),
        ("delay: '[1, time]', maximum_delay: 2", "size-mismatch"),
        ("delay: 1 + 0.1 * y, maximum_delay: 2", "causality-loop"),
    ] {
        let refused = refusal(&format!(
            "blocks:\n  y: {{type: TransportDelay, input: time, {text}}}\nrecord: [y]\n\
             simulate: {{stop: 1}}\n"
        ));
        assert_eq!(codes(&refused), [code], "{refused}");
    }
}

/// A model with everything: jumps, events, impulses, a loop, a delay that goes up and down.
const ALL: &str = "
blocks:
  u: {type: Pulse, period: 0.7, width: 0.3}
  c: {type: Clock, period: 0.45}
  i: {type: ImpulseSource, times: [0.6, 1.1], weight: [1, -2]}
  d: {type: Expression, expression: 0.4 + 0.3 * sin(5 * time)}
  x: {type: Integrator, input: -y + a, initial: 1}
  v: {type: Integrator, input: z - v}
  y: {type: TransportDelay, input: x, delay: d, maximum_delay: 1, initial: 1}
  a: {type: TransportDelay, input: u, delay: d, maximum_delay: 1}
  e: {type: TransportDelay, input: c, delay: d, maximum_delay: 1}
  z: {type: TransportDelay, input: i, delay: d, maximum_delay: 1}
  n: {type: Counter, increment: e}
  w: {type: TransportDelay, input: y, delay: 0.2 + 0.1 * abs(x), maximum_delay: 1, initial: 1}
record: [x, y, a, n, v, w]
simulate: {stop: 2}
";

#[test]
fn varying_delays_have_the_same_bits_everywhere() {
    let system = compile(ALL);
    let plain = by(&system, Backend::Interpreter);
    assert!(plain.0.len() > 50);
    assert!(by(&system, Backend::Native) == plain, "native code differs");
    let mut run = system.begin();
    let mut saves = vec![(run.save(), 0)];
    while run.advance().unwrap().is_none() {
        saves.push((run.save(), run.trace().len()));
    }
    let whole = run.trace();
    for (bytes, from) in saves.into_iter().step_by(7) {
        let rest = system.resume(&bytes).unwrap().finish().unwrap().trace;
        assert!(bits(&rest, 0) == bits(whole, from), "resumed at row {from}");
    }
}

/// In the diagram of a state the past is that of its local time, with jumps and kinks.
#[test]
fn varying_delays_in_states_follow_the_local_clock() {
    let inside = "u: {type: Step, time: 0.5, after: 2}
          y: {type: TransportDelay, input: u + sin(3 * time), delay: 0.25 + 0.25 * time, maximum_delay: 3}
          t: {type: Expression, expression: time}";
    let alone = simulate(&format!(
        "blocks:\n          {inside}\nrecord: [t, y]\nsimulate: {{stop: 2, tolerance: 1e-9, every: 0.1}}\n"
    ))
    .trace;
    let trace = simulate(&format!(
        "
blocks:
  m:
    type: Modal
    initial: runs
    states:
      runs:
        blocks:
          {inside}
        outputs: {{y: y, t: t}}
        transitions: [{{to: stands, after: 0.3, history: true}}]
      stands:
        transitions: [{{to: runs, after: 0.2, history: true}}]
record: [m.t, m.y]
simulate: {{stop: 3, tolerance: 1e-9, every: 0.1}}
"
    ))
    .trace;
    let truth = |t: f64| {
        let r = 0.75 * t - 0.25;
        let step = if r > 0.5 { 2.0 } else { 0.0 };
        if r < 0.0 { 0.0 } else { step + (3.0 * r).sin() }
    };
    let mut compared = 0;
    for trace in [&alone, &trace] {
        for row in 0..trace.len() {
            let (Some(t), Some(y)) = (trace.get(row, 0), trace.get(row, 1)) else { continue };
            // Not at the instants at which it leaves its initial value and jumps.
            if (t[0] - 1.0 / 3.0).abs() > 1e-6 && (t[0] - 1.0).abs() > 1e-6 {
                assert_near(y[0], truth(t[0]), 1e-7);
                compared += 1;
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

/// The message about a failure names the block.
#[test]
fn a_failed_delay_names_its_block() {
    let failed = failure(
        "
blocks:
  pipe: {type: TransportDelay, input: time, delay: 1 - time, maximum_delay: 3}
record: [pipe]
simulate: {stop: 6}
",
    );
    assert!(belongs(failed.error.block(), "pipe"), "{}", failed.error);
}
