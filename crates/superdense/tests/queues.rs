//! Queues, samplers and delays of events against tables worked out by hand and closed forms.

use crate::common::{
    assert_near, at, bits, codes, compile, exact, failure, refusal, simulate, tags,
};
use superdense::Trace;

/// The events of a scalar signal: time in decimals, microstep and value.
fn events(trace: &Trace, name: &str) -> Vec<(String, u32, f64)> {
    let series = trace.series(name).into_iter();
    series.map(|(tag, value)| (tag.time.decimal(), tag.microstep, value)).collect()
}

/// Events as one writes them down: all at one microstep.
fn table(microstep: u32, rows: &[(&str, f64)]) -> Vec<(String, u32, f64)> {
    rows.iter().map(|(time, value)| ((*time).to_owned(), microstep, *value)).collect()
}

/// Holds: closed form of PeriodicSampler.
#[test]
fn a_sampler_in_a_loop_resets_the_integrator_that_it_reads() {
    let text = "
name: figure-9-17
blocks:
  x: {type: Integrator, input: 1 + x, reset: zero}
  s: {type: PeriodicSampler, input: x, period: 1, offset: 1}
  zero: {type: Gain, input: s, gain: 0}
record: [x, s]
simulate: {stop: 4.5, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    let samples = trace.series("s");
    let expected = [1, 2, 3, 4];
    assert_eq!(samples.len(), expected.len());
    for ((tag, value), second) in samples.iter().zip(expected) {
        assert_eq!(*tag, exact(&second.to_string(), 1));
        assert_near(*value, 1f64.exp_m1(), 1e-9);
        assert_near(at(&trace, "x", exact(&second.to_string(), 0)).unwrap(), 1f64.exp_m1(), 1e-9);
        assert_eq!(at(&trace, "x", *tag), Some(0.0));
    }
    assert_near(trace.last("x").unwrap(), 0.5f64.exp_m1(), 1e-9);
}

/// Holds: jump of PeriodicSampler.
#[test]
fn a_sampler_reads_before_or_after_what_happens_at_its_time() {
    let text = |microstep: &str| {
        format!(
            "
blocks:
  p: {{type: Step, time: 1, before: 2, after: 5}}
  c: {{type: Clock, period: 2, offset: 1}}
  late: {{type: MicrostepDelay, input: c}}
  n: {{type: Counter, increment: late}}
  h: {{type: ZeroOrderHold, input: n}}
  s: {{type: PeriodicSampler, input: p, offset: 1/3, period: 1/3{microstep}}}
  z: {{type: PeriodicSampler, input: h{microstep}}}
record: [s, z, h]
simulate: {{stop: 4/3}}
"
        )
    };
    let left = simulate(&text("")).trace;
    let values: Vec<f64> = left.series("s").iter().map(|(_, value)| *value).collect();
    assert_eq!(values, [2.0, 2.0, 2.0, 5.0]);
    assert!(tags(&left, "s").iter().all(|tag| tag.microstep == 1));
    let right = simulate(&text(", microstep: 1")).trace;
    let values: Vec<f64> = right.series("s").iter().map(|(_, value)| *value).collect();
    assert_eq!(values, [2.0, 2.0, 5.0, 5.0]);
    // The counter counts at microstep 2, after both readings.
    for trace in [&left, &right] {
        assert_eq!(events(trace, "z"), table(1, &[("0", 0.0), ("1", 0.0)]));
        assert_eq!(at(trace, "h", exact("1", 2)), Some(1.0));
    }
}

/// Holds: absence of PeriodicSampler.
#[test]
fn a_sampler_of_events_and_vectors() {
    let text = "
blocks:
  c: {type: Clock, period: 2, value: 7}
  before: {type: PeriodicSampler, input: c, period: 1}
  during: {type: PeriodicSampler, input: c, period: 1, microstep: 1}
  v: {type: PeriodicSampler, input: '[time, 2 * time]', period: 0.5}
  both: {type: Expression, expression: sum(v)}
record: [before, during, both]
simulate: {stop: 2}
";
    let trace = simulate(text).trace;
    assert_eq!(events(&trace, "before"), [], "an event is absent at microstep 0");
    assert_eq!(events(&trace, "during"), table(1, &[("0", 7.0), ("2", 7.0)]));
    let sums = [("0", 0.0), ("0.5", 1.5), ("1", 3.0), ("1.5", 4.5), ("2", 6.0)];
    assert_eq!(events(&trace, "both"), table(1, &sums));
}

/// A loop through the value of this microstep is not broken, and an impulse has no value to read.
///
/// Holds: impulse and bad input of PeriodicSampler.
#[test]
fn a_sampler_of_microstep_1_breaks_no_loop_and_reads_no_impulse() {
    let text = |input: &str, microstep: &str| {
        format!(
            "
blocks:
  hit: {{type: ImpulseSource, times: [1]}}
  x: {{type: Integrator, input: 1, reset: 0 * s}}
  s: {{type: PeriodicSampler, input: {input}, microstep: {microstep}}}
record: [s]
simulate: {{stop: 2}}
"
        )
    };
    let stuck = failure(&text("x", "1"));
    assert!(stuck.error.to_string().contains("loop"), "{stuck}");
    let struck = failure(&text("hit", "1"));
    assert!(struck.error.to_string().contains("an impulse cannot be sampled"), "{struck}");
    let values = simulate(&text("hit", "0")).trace;
    assert_eq!(events(&values, "s"), table(1, &[("0", 0.0), ("1", 0.0), ("2", 0.0)]));
    for wrong in ["2", "0.5", "-1"] {
        assert_eq!(codes(&refusal(&text("x", wrong))), ["bad-parameter"], "{wrong}");
    }
}

/// Holds: closed form and jump of EventDelay.
#[test]
fn delayed_events_keep_their_values_and_microsteps() {
    let text = "
blocks:
  c: {type: Clock, period: 1/3}
  n: {type: Counter, increment: c}
  late: {type: MicrostepDelay, input: n}
  d: {type: EventDelay, input: n, delay: 1/2}
  e: {type: EventDelay, input: late, delay: 1/3}
  again: {type: EventDelay, input: d, delay: 1/6}
  meets: {type: Sum, inputs: [again, -n]}
  next: {type: EventDelay, input: n, delay: 0}
record: [n, d, e, meets, next]
simulate: {stop: 2}
";
    let trace = simulate(text).trace;
    let third = superdense::Rational::new(1, 3);
    let half = superdense::Rational::new(1, 2);
    let time = |k: i128, shift| {
        let exact = third * superdense::Rational::from_integer(k) + shift;
        superdense::Time::from_rational(exact).unwrap()
    };
    let delayed = trace.series("d");
    assert_eq!(delayed.len(), 5);
    for (k, (tag, value)) in delayed.iter().enumerate() {
        // The tick is rounded to the attosecond before the delay is added.
        let due = time(k as i128, superdense::Rational::from_integer(0)).seconds() + 0.5;
        assert_near(tag.time.seconds(), due, 1e-15);
        assert!((tag.time - time(k as i128, half)).attoseconds().abs() <= 1);
        assert_eq!((tag.microstep, *value), (1, k as f64 + 1.0));
    }
    assert!(trace.series("e").iter().all(|(tag, _)| tag.microstep == 2));
    assert_eq!(trace.series("e").len(), 6);
    let next: Vec<u32> = tags(&trace, "next").iter().map(|tag| tag.microstep).collect();
    assert_eq!(next, [2; 7]);
}

/// A loop through a delay: each event comes again, one larger, a delay later.
#[test]
fn a_delay_of_events_in_a_loop() {
    let text = "
blocks:
  start: {type: Clock, period: 100}
  ring: {type: Merge, inputs: [start, more]}
  d: {type: EventDelay, input: ring, delay: 0.25}
  more: {type: Expression, expression: d + 1}
record: [ring]
simulate: {stop: 1}
";
    let trace = simulate(text).trace;
    let expected = [("0", 1.0), ("0.25", 2.0), ("0.5", 3.0), ("0.75", 4.0), ("1", 5.0)];
    assert_eq!(events(&trace, "ring"), table(1, &expected));
}

#[test]
fn a_delay_of_events_does_not_shorten_steps() {
    let text = |delay: &str| {
        format!(
            "
blocks:
  x: {{type: Integrator, input: -x, initial: 1, impulse: d}}
  e: {{type: LevelCrossing, input: x, level: 0.5, direction: falling}}
  d: {{type: EventDelay, input: 0.01 * e, delay: {delay}}}
record: [x, d]
simulate: {{stop: 10, tolerance: 1e-9}}
"
        )
    };
    let (short, long) = (simulate(&text("0.001")), simulate(&text("1")));
    assert!(short.counters.steps < long.counters.steps + 10, "{} steps", short.counters.steps);
    let kick = tags(&short.trace, "d")[0].time.seconds();
    assert_near(kick, 2f64.ln() + 0.001, 1e-8);
    // The value of a falling crossing is -1.
    let last = (-10f64).exp() - 0.01 * (kick - 10.0).exp();
    assert_near(short.trace.last("x").unwrap(), last, 1e-8);
}

/// Holds: bad input of EventDelay.
#[test]
fn what_cannot_be_delayed_is_refused() {
    let text = |input: &str, delay: &str| {
        format!(
            "blocks:\n  c: {{type: Clock}}\n  x: {{type: Integrator, input: 1}}\n  \
             d: {{type: EventDelay, input: {input}, delay: {delay}}}\n"
        )
    };
    assert_eq!(codes(&refusal(&text("c", "-1"))), ["bad-parameter"]);
    assert_eq!(codes(&refusal(&text("c", "1e21"))), ["bad-parameter"]);
    assert_eq!(codes(&refusal(&text("c", "1e-19"))), ["bad-parameter"], "it would round to 0");
    assert_eq!(codes(&refusal(&text("x", "1"))).len(), 1);
}

/// Values 1, 2, 3, ... come every second from 0 on; triggers come as given.
fn line(triggers: &str, settings: &str, stop: &str) -> String {
    format!(
        "
blocks:
  come: {{type: Clock}}
  n: {{type: Counter, increment: come}}
  go: {{type: Clock, {triggers}}}
  q: {{type: Queue, input: n, trigger: go, {settings}}}
record: [q, q.size]
simulate: {{stop: {stop}}}
"
    )
}

fn sizes(trace: &Trace) -> Vec<(String, u32, f64)> {
    let mut found: Vec<(String, u32, f64)> = Vec::new();
    for row in events(trace, "q.size") {
        if found.last().is_none_or(|last| last.2 != row.2) {
            found.push(row);
        }
    }
    found
}

/// Holds: closed form of Queue.
#[test]
fn a_queue_gives_what_came_first() {
    let trace = simulate(&line("period: 1.5, offset: 2.5", "capacity: 5", "8")).trace;
    let out = [("2.5", 1.0), ("4", 2.0), ("5.5", 3.0), ("7", 4.0)];
    assert_eq!(events(&trace, "q"), table(1, &out));
    // At 4 and at 7 one comes and one goes.
    let mut expected = table(1, &[("0", 1.0), ("1", 2.0), ("2", 3.0), ("2.5", 2.0), ("3", 3.0)]);
    expected.extend(table(1, &[("5", 4.0), ("5.5", 3.0), ("6", 4.0), ("8", 5.0)]));
    let found = sizes(&trace);
    assert_eq!(found[0], ("0".to_owned(), 0, 0.0));
    assert_eq!(found[1..], expected);
}

/// Holds: jump of Queue.
#[test]
fn a_put_and_a_take_at_once() {
    // The queue is empty: the value goes straight through.
    let trace = simulate(&line("period: 1", "capacity: 1", "3")).trace;
    let through = [("0", 1.0), ("1", 2.0), ("2", 3.0), ("3", 4.0)];
    assert_eq!(events(&trace, "q"), table(1, &through));
    assert!(trace.series("q.size").iter().all(|(_, size)| *size == 0.0));
    // The queue is full: the first leaves, and the new one finds its place.
    let trace = simulate(&line("period: 1, offset: 3", "capacity: 3", "7")).trace;
    let kept = [("3", 1.0), ("4", 2.0), ("5", 3.0), ("6", 4.0), ("7", 5.0)];
    assert_eq!(events(&trace, "q"), table(1, &kept));
    assert_eq!(trace.last("q.size"), Some(3.0));
}

#[test]
fn a_full_queue_stops_the_run_or_drops() {
    let stuck = failure(&line("period: 1, offset: 3.5", "capacity: 2", "9"));
    let message = stuck.error.to_string();
    assert!(message.contains("`q`") && message.contains("full"), "{message}");
    assert_eq!(stuck.trace.tags().last().unwrap().time, exact("2", 0).time);
    let text = line("period: 1, offset: 3.5", "capacity: 2, full: drop", "9");
    let trace = simulate(&text).trace;
    // 3 and 4 are lost; from 3.5 on there is room for each that comes.
    let mut out = vec![("3.5", 1.0), ("4.5", 2.0), ("5.5", 5.0), ("6.5", 6.0)];
    out.extend([("7.5", 7.0), ("8.5", 8.0)]);
    assert_eq!(events(&trace, "q"), table(1, &out));
}

/// Holds: absence of Queue.
#[test]
fn triggers_at_an_empty_queue_wait_or_are_forgotten() {
    let text = |empty: &str| {
        format!(
            "
blocks:
  come: {{type: Clock, period: 1, offset: 2}}
  n: {{type: Counter, increment: come}}
  few: {{type: Queue, input: n, trigger: gate, empty: {empty}}}
  gate: {{type: Sample, input: 1, trigger: two}}
  two: {{type: Merge, inputs: [a, b]}}
  a: {{type: Clock, period: 10, offset: 0.5}}
  b: {{type: Clock, period: 10, offset: 1}}
record: [few, few.size]
simulate: {{stop: 5}}
"
        )
    };
    let trace = simulate(&text("wait")).trace;
    assert_eq!(events(&trace, "few"), table(1, &[("2", 1.0), ("3", 2.0)]), "both have waited");
    assert_eq!(trace.last("few.size"), Some(2.0), "3 and 4 stay");
    let trace = simulate(&text("ignore")).trace;
    assert_eq!(events(&trace, "few"), []);
    assert_eq!(trace.last("few.size"), Some(4.0));
}

#[test]
fn a_queue_of_vectors_matrices_and_truth_values() {
    let text = "
blocks:
  come: {type: Clock}
  n: {type: Counter, increment: come}
  v: {type: Expression, expression: '[n, 10 * n, 100 * n]'}
  m: {type: Expression, expression: '[[n, 0], [0, -n]]'}
  odd: {type: Expression, expression: 'mod(n, 2) == 1'}
  go: {type: Clock, period: 1, offset: 2}
  qv: {type: Queue, input: v, trigger: go, capacity: 3}
  qm: {type: Queue, input: m, trigger: go, capacity: 4}
  qb: {type: Queue, input: odd, trigger: go, capacity: 3}
  b: {type: Expression, expression: if qb then 1 else 0}
record: [qv, qm, b]
simulate: {stop: 4}
";
    let trace = simulate(text).trace;
    for (row, tag) in trace.tags().iter().enumerate() {
        let get = |name: &str| trace.get(row, trace.column(name).unwrap()).map(<[f64]>::to_vec);
        let first = tag.time.seconds() - 1.0;
        if get("qv").is_some() {
            assert_eq!(tag.microstep, 1);
            assert_eq!(get("qv").unwrap(), [first, 10.0 * first, 100.0 * first]);
            assert_eq!(get("qm").unwrap(), [first, 0.0, 0.0, -first]);
            assert_eq!(get("b").unwrap(), [first.rem_euclid(2.0)]);
        }
    }
    assert_eq!(tags(&trace, "b").len(), 3);
}

/// Holds: bad input of Queue.
#[test]
fn a_queue_that_cannot_be_is_refused() {
    for (settings, code) in [
        ("capacity: 0", "bad-parameter"),
        ("capacity: 2.5", "bad-parameter"),
        ("capacity: -1", "bad-parameter"),
        ("capacity: 1e12", "bad-parameter"),
        ("full: lose", "bad-parameter"),
        ("empty: maybe", "bad-parameter"),
    ] {
        assert_eq!(codes(&refusal(&line("period: 1", settings, "1"))), [code], "{settings}");
    }
    let continuous = line("period: 1", "capacity: 1", "1").replace("input: n", "input: time");
    assert_eq!(codes(&refusal(&continuous)).len(), 1);
}

/// The oldest of many values is found wherever it is.
#[test]
fn a_long_queue_keeps_its_order() {
    let text = "
blocks:
  come: {type: Clock, period: 0.01}
  n: {type: Counter, increment: come}
  go: {type: Clock, period: 0.02, offset: 0.005}
  q: {type: Queue, input: n, trigger: go, capacity: 1000}
record: [q, q.size]
simulate: {stop: 9.996}
";
    let trace = simulate(text).trace;
    let values: Vec<f64> = trace.series("q").iter().map(|(_, value)| *value).collect();
    assert_eq!(values, (1..=500).map(f64::from).collect::<Vec<_>>());
    assert_eq!(trace.last("q.size"), Some(500.0));
}

#[test]
fn a_saved_queue_goes_on_with_the_same_bits() {
    let system = compile(&line("period: 1.5, offset: 2.5", "capacity: 5, empty: wait", "8"));
    let whole = system.simulate().unwrap().trace;
    let mut run = system.begin();
    while run.tag() < exact("4", 1) {
        run.advance().unwrap();
    }
    let (seen, saved) = (run.trace().len(), run.save());
    let rest = system.resume(&saved).unwrap().finish().unwrap().trace;
    assert_eq!(bits(&whole, seen), bits(&rest, 0));
}
