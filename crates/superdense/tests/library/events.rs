//! Truths about events: delays of their own against a list sorted by hand, patterns, timers and
//! servers, and the end of a run.

mod conditions;
mod routing;

use proptest::prelude::*;
use superdense::{Backend, StopReason, Tag, Time, Trace};

use crate::common::{at, bits, by, codes, compile, exact, failure, refusal, simulate, tag, tags};

/// The events of a signal with their tags.
pub(super) fn events(trace: &Trace, name: &str) -> Vec<(Tag, f64)> {
    trace.series(name).into_iter().collect()
}

fn hundredths(count: i64) -> String {
    format!("{}.{:02}", count / 100, count % 100)
}

/// What a line of events with delays of their own emits, computed event by event. Times are in
/// hundredths of a second; all events come at microstep 1 of different times.
fn reference(arrivals: &[(i64, i64)], pending: &str, cancels: &[i64]) -> Vec<(i64, usize)> {
    let mut waiting: Vec<(i64, usize)> = Vec::new();
    let mut emitted = Vec::new();
    let mut times: Vec<(i64, Option<usize>)> = cancels.iter().map(|time| (*time, None)).collect();
    times.extend(arrivals.iter().enumerate().map(|(index, (time, _))| (*time, Some(index))));
    times.sort();
    for (now, arrival) in times {
        // What is due before now has come; what is due now comes at the same microstep as this
        // event, and is not taken back by it.
        let due = |event: &(i64, usize)| event.0 <= now;
        emitted.extend(waiting.iter().copied().filter(due));
        waiting.retain(|event| !due(event));
        match (arrival, pending) {
            (None, _) => waiting.clear(),
            (Some(_), "ignore") if !waiting.is_empty() => {}
            (Some(index), mode) => {
                if mode == "replace" {
                    waiting.clear();
                }
                waiting.push((now + arrivals[index].1, index));
            }
        }
    }
    emitted.extend(waiting);
    emitted.sort_by_key(|event| event.0);
    emitted
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

    /// Events come when their delays are over, whatever order that is, and save and resume, the
    /// interpreter and native code agree.
    ///
    /// Holds: closed form of VariableEventDelay.
    #[test]
    fn events_come_when_their_delays_are_over(
        gaps in prop::collection::vec((1i64..60, 1i64..250), 1..25),
        mode in 0usize..3,
        cancels in prop::collection::vec(1i64..1500, 0..4),
    ) {
        let pending = ["keep", "replace", "ignore"][mode];
        let mut now = 0;
        let mut arrivals = Vec::new();
        for (gap, delay) in gaps {
            now += gap;
            arrivals.push((now, delay));
        }
        let mut cancels: Vec<i64> = cancels;
        cancels.sort_unstable();
        cancels.dedup();
        cancels.retain(|time| arrivals.iter().all(|(own, _)| own != time));
        let list = |all: Vec<String>| format!("[{}]", all.join(", "));
        let times = list(arrivals.iter().map(|(time, _)| hundredths(*time)).collect());
        let delays = list(arrivals.iter().map(|(_, delay)| hundredths(*delay)).collect());
        let cancel = match cancels.is_empty() {
            true => String::new(),
            false => {
                let times = list(cancels.iter().map(|time| hundredths(*time)).collect());
                format!("\n  k: {{type: EventSource, offsets: {times}, repeat: once}}")
            }
        };
        let field = if cancels.is_empty() { "" } else { ", cancel: k" };
        let text = format!("blocks:
  e: {{type: EventSource, offsets: {times}, values: {delays}, repeat: once}}
  n: {{type: Counter, increment: e, initial: -1}}{cancel}
  d: {{type: VariableEventDelay, input: n, delay: e, pending: {pending}{field}}}
record: [d]
simulate: {{stop: 40}}
");
        let system = compile(&text);
        let trace = system.simulate().unwrap().trace;
        let found: Vec<(Time, usize)> =
            events(&trace, "d").iter().map(|(tag, value)| (tag.time, *value as usize)).collect();
        let due = reference(&arrivals, pending, &cancels);
        let wanted: Vec<(Time, usize)> =
            due.iter().map(|(time, index)| (exact(&hundredths(*time), 0).time, *index)).collect();
        prop_assert_eq!(found, wanted, "{}", text);
        let (interpreted, native) = (by(&system, Backend::Interpreter), by(&system, Backend::Native));
        prop_assert_eq!(interpreted.0, native.0);
        let mut first = system.begin();
        for _ in 0..trace.len() / 2 {
            first.advance().unwrap();
        }
        let rest = system.resume(&first.save()).unwrap().finish().unwrap().trace;
        prop_assert_eq!(bits(&rest, 0), bits(&trace, first.trace().len()));
    }
}

/// Events that are due at one tag follow each other; one without a delay comes at the next
/// microstep, and a chain of them at one instant does, too.
///
/// Holds: jump of VariableEventDelay.
#[test]
fn simultaneous_events_come_one_after_the_other() {
    let text = "blocks:
  e: {type: EventSource, offsets: [0, 1, 2], values: [2, 1, 0], repeat: once}
  n: {type: Counter, increment: e}
  d: {type: VariableEventDelay, input: n, delay: e}
  z: {type: VariableEventDelay, input: d, delay: 0}
record: [d, z]
simulate: {stop: 3}
";
    let trace = simulate(text).trace;
    let two = |n: u32| exact("2", n);
    assert_eq!(events(&trace, "d"), [(two(1), 1.0), (two(2), 2.0), (two(3), 3.0)]);
    assert_eq!(events(&trace, "z"), [(two(2), 1.0), (two(3), 2.0), (two(4), 3.0)]);
}

/// Holds: absence and bad input of VariableEventDelay.
#[test]
fn a_delay_that_is_negative_or_missing_is_an_error() {
    let text = |delay: &str| {
        format!(
            "blocks:
  c: {{type: Clock, period: 1}}
  o: {{type: Clock, period: 1, offset: 0.5}}
  d: {{type: VariableEventDelay, input: c, delay: {delay}}}
record: [d]
simulate: {{stop: 3}}
"
        )
    };
    let negative = failure(&text("1.5 - time"));
    assert!(negative.to_string().contains("negative"), "{negative}");
    assert_eq!(negative.error.tag(), Some(tag(2.0, 1)));
    assert!(failure(&text("o")).to_string().contains("absent"));
    assert_eq!(codes(&refusal(&text("[1, 2]"))), ["size-mismatch"]);
    assert_eq!(codes(&refusal(&text("true"))), ["type-mismatch"]);
}

/// Holds: closed form of EventSource.
#[test]
fn a_pattern_is_exact() {
    let text = "blocks:
  a: {type: EventSource, offsets: [0, 1/3], values: [5, 7], period: 2/3, start: -2}
  b: {type: Clock, period: 1/3}
  once: {type: EventSource, offsets: [0.1, 0.7], values: [[1, 2], [3, 4]], repeat: once}
  few: {type: EventSource, offsets: [0.5], period: 1, count: 3}
  until: {type: EventSource, offsets: [0, 0.25], period: 1, stop: 1.25}
record: [a, b, once, few, until]
simulate: {start: -1, stop: 4}
";
    let trace = simulate(text).trace;
    let a: Vec<(Tag, f64)> = events(&trace, "a");
    let b: Vec<Tag> = events(&trace, "b").iter().map(|(tag, _)| *tag).collect();
    let late: Vec<Tag> = a.iter().map(|(tag, _)| *tag).filter(|t| t.time >= Time::ZERO).collect();
    assert_eq!(late, b, "they meet for ever");
    // -2 + k 2/3: at -1 comes the second event of the second cycle.
    let values: Vec<f64> = a.iter().map(|(_, value)| *value).collect();
    assert_eq!(&values[..4], [7.0, 5.0, 7.0, 5.0]);
    assert_eq!(a[0].0, tag(-1.0, 1));
    let row = trace.tags().iter().position(|own| *own == exact("0.7", 1)).unwrap();
    assert_eq!(trace.get(row, 2), Some(&[3.0, 4.0][..]));
    let times = |name: &str| -> Vec<f64> {
        events(&trace, name).iter().map(|(tag, _)| tag.time.seconds()).collect()
    };
    assert_eq!(times("few"), [0.5, 1.5, 2.5]);
    assert_eq!(times("until"), [0.0, 0.25, 1.0, 1.25]);
}

/// Holds: bad input of EventSource.
#[test]
fn a_bad_pattern_is_refused() {
    for (fields, code) in [
        ("offsets: [0, 0.5, 0.5]", "bad-parameter"),
        ("offsets: [0, 1], period: 1", "bad-parameter"),
        ("offsets: [-0.1, 0]", "bad-parameter"),
        ("offsets: []", "bad-parameter"),
        ("offsets: [0, 0.5], values: [1, 2, 3]", "size-mismatch"),
        ("period: 0", "bad-parameter"),
        ("period: -1", "bad-parameter"),
        ("count: 1.5", "bad-parameter"),
        ("stop: [1, 2]", "bad-parameter"),
        ("repeat: twice", "bad-parameter"),
    ] {
        let text = format!("blocks:\n  e: {{type: EventSource, {fields}}}\nrecord: [e]\n");
        assert_eq!(codes(&refusal(&text)), [code], "{fields}");
    }
}

/// Holds: closed form of Timer.
#[test]
fn a_timer_is_started_again_or_runs_on() {
    let text = |restart: &str| {
        format!(
            "blocks:
  e: {{type: EventSource, offsets: [0, 1, 2, 5], values: [1.5, 1.5, 1.5, 0.25], repeat: once}}
  stop: {{type: EventSource, offsets: [5.1], repeat: once}}
  t: {{type: Timer, start: e, cancel: stop, restart: {restart}, value: 9}}
record: [t]
simulate: {{stop: 8}}
"
        )
    };
    for (restart, times) in
        [("replace", vec![3.5]), ("ignore", vec![1.5, 3.5]), ("keep", vec![1.5, 2.5, 3.5])]
    {
        let trace = simulate(&text(restart)).trace;
        let found: Vec<(f64, f64)> =
            events(&trace, "t").iter().map(|(tag, value)| (tag.time.seconds(), *value)).collect();
        let wanted: Vec<(f64, f64)> = times.into_iter().map(|time| (time, 9.0)).collect();
        assert_eq!(found, wanted, "{restart}");
    }
}

/// Holds: closed form of Server.
#[test]
fn a_server_takes_jobs_one_after_the_other() {
    let text = "blocks:
  e: {type: EventSource, offsets: [0, 1, 1.5, 9], values: [2, 3, 0.5, 1], repeat: once}
  s: {type: Server, input: e, service: s.begun}
record: [s.output, s.begun, s.waiting]
simulate: {stop: 12}
";
    let trace = simulate(text).trace;
    let times = |name: &str| -> Vec<(f64, f64)> {
        events(&trace, name).iter().map(|(tag, value)| (tag.time.seconds(), *value)).collect()
    };
    assert_eq!(times("s.begun"), [(0.0, 2.0), (2.0, 3.0), (5.0, 0.5), (9.0, 1.0)]);
    assert_eq!(times("s.output"), [(2.0, 2.0), (5.0, 3.0), (5.5, 0.5), (10.0, 1.0)]);
    assert_eq!(at(&trace, "s.waiting", tag(1.5, 1)), Some(2.0));
}

/// While it rests, no service goes on and none begins; a job that came meanwhile begins afterwards.
///
/// Holds: closed form of Server.
#[test]
fn a_server_that_rests_goes_on_where_it_was() {
    let text = "blocks:
  e: {type: EventSource, offsets: [0, 0.7, 4, 4.1, 9], values: [1, 2, 3, 4, 5], repeat: once}
  rest: {type: ContinuousClock, period: 20, offsets: [0.3, 0.5, 3.2, 5, 9, 9.1], values: [1, 0, 1, 0, 1, 0]}
  s: {type: Server, input: '[e, -e]', service: 1.1, paused: rest > 0.5}
record: [s.output, s.begun, s.waiting]
simulate: {stop: 12}
";
    let trace = simulate(text).trace;
    let times = |name: &str| -> Vec<(String, f64)> {
        let own = trace.column(name).unwrap();
        let rows = (0..trace.len()).filter_map(|row| {
            let value = trace.get(row, own)?;
            assert_eq!(value[1], -value[0]);
            Some((trace.tags()[row].time.to_string(), value[0]))
        });
        rows.collect()
    };
    let own = |all: [(&str, f64); 5]| all.map(|(time, job)| (time.to_owned(), job));
    // Job 1 rests from 0.3 to 0.5; jobs 3 and 4 come while nothing is served, from 3.2 to 5.
    assert_eq!(
        times("s.begun"),
        own([("0", 1.0), ("1.3", 2.0), ("5", 3.0), ("6.1", 4.0), ("9", 5.0)])
    );
    assert_eq!(
        times("s.output"),
        own([("1.3", 1.0), ("2.4", 2.0), ("6.1", 3.0), ("7.2", 4.0), ("10.2", 5.0)])
    );
    assert_eq!(at(&trace, "s.waiting", exact("4.1", 1)), Some(1.0));
}

/// M/M/1 with arrivals at rate 1 and services at rate 2: a job spends 1 / (2 - 1) = 1 s in the
/// system on average (Kleinrock 1975). The error is estimated from the means of batches.
///
/// Holds: closed form of PoissonClock, Server.
#[test]
fn a_queue_has_the_mean_wait_of_theory() {
    let text = "blocks:
  arrival: {type: PoissonClock, mean: 1}
  came: {type: Sample, input: time, trigger: arrival}
  need: {type: ExponentialRandom, trigger: server.begun, mean: 0.5}
  server: {type: Server, input: came, service: need}
  stay: {type: Expression, expression: time - server.output}
record: [stay]
simulate: {stop: 40000, seed: 3}
";
    let trace = simulate(text).trace;
    let stays: Vec<f64> = events(&trace, "stay").iter().map(|(_, value)| *value).collect();
    assert!((39_000..41_000).contains(&stays.len()), "{} jobs", stays.len());
    let batches: Vec<f64> =
        stays.chunks_exact(1000).map(|batch| batch.iter().sum::<f64>() / 1000.0).collect();
    let n = batches.len() as f64;
    let mean = batches.iter().sum::<f64>() / n;
    let variance = batches.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    assert!(error < 0.05 && (mean - 1.0).abs() < 4.0 * error, "{mean} +- {error}");
}

/// Holds: jump and absence of Stop.
#[test]
fn a_run_ends_at_an_event_after_its_instant_is_over() {
    let text = "blocks:
  x: {type: Integrator, input: 1}
  c: {type: Clock, period: 0.3, offset: 0.3}
  n: {type: Counter, increment: c}
  third: {type: Expression, expression: \"when(n == 3, n)\"}
  end: {type: Stop, input: third}
  after: {type: MicrostepDelay, input: third}
record: [x, n, end, after]
simulate: {stop: 10}
";
    let outcome = simulate(text);
    let StopReason::Ended(block) = &outcome.stop else { panic!("{:?}", outcome.stop) };
    assert_eq!(block.path(), "end");
    let trace = &outcome.trace;
    assert_eq!(trace.tags().last(), Some(&exact("0.9", 3)));
    assert_eq!(at(trace, "end", exact("0.9", 1)), Some(3.0));
    assert_eq!(at(trace, "after", exact("0.9", 2)), Some(3.0));
    assert_eq!(events(trace, "n").len(), 3);
    let system = compile(&text.replace("n, end, after", "n, after"));
    assert!(system.warnings().0.is_empty(), "it has a use if nothing reads it");
    let system = compile(text);
    let mut run = system.begin();
    while run.advance().unwrap().is_none() {}
    assert!(matches!(run.advance().unwrap(), Some(StopReason::Ended(_))), "it stays ended");
    run.reset();
    let again = run.finish().unwrap();
    assert_eq!(bits(&again.trace, 0), bits(trace, 0));
}

/// Holds: jump and absence of Merge.
#[test]
fn a_merge_can_keep_all_events_of_a_tag() {
    let text = "blocks:
  a: {type: Clock, period: 1}
  b: {type: Clock, period: 2, value: 20}
  c: {type: Clock, period: 3, value: 300}
  again: {type: MicrostepDelay, input: 5 * a}
  m: {type: Merge, inputs: [a, b, c, again], simultaneous: all}
record: [m]
simulate: {stop: 2}
";
    let trace = simulate(text).trace;
    let at_time = |t: f64| -> Vec<(u32, f64)> {
        let own = events(&trace, "m").into_iter().filter(|(tag, _)| tag.time.seconds() == t);
        own.map(|(tag, value)| (tag.microstep, value)).collect()
    };
    assert_eq!(at_time(0.0), [(1, 1.0), (2, 20.0), (3, 300.0), (4, 5.0)]);
    assert_eq!(at_time(1.0), [(1, 1.0), (2, 5.0)]);
    assert_eq!(at_time(2.0), [(1, 1.0), (2, 20.0), (3, 5.0)]);
    let small = text.replace("simultaneous: all", "simultaneous: all, capacity: 2");
    assert!(failure(&small).to_string().contains("more than 2 events"));
}

/// Holds: closed form of Inhibit, Gate; closed form and absence of MostRecent.
#[test]
fn events_pass_gates_and_are_remembered() {
    let text = "blocks:
  a: {type: Clock, period: 1}
  n: {type: Counter, increment: a}
  b: {type: Clock, period: 2}
  rest: {type: Inhibit, input: n, inhibit: b}
  open: {type: Gate, input: n, condition: time > 1.5}
  ask: {type: Clock, period: 1, offset: 0.5}
  recent: {type: MostRecent, input: rest, trigger: ask, initial: -1}
record: [rest, open, recent]
simulate: {stop: 4}
";
    let trace = simulate(text).trace;
    let values =
        |name: &str| -> Vec<f64> { events(&trace, name).iter().map(|(_, value)| *value).collect() };
    assert_eq!(values("rest"), [2.0, 4.0]);
    assert_eq!(values("open"), [3.0, 4.0, 5.0]);
    assert_eq!(values("recent"), [-1.0, 2.0, 2.0, 4.0]);
}

/// Patterns between events, against their formulas.
///
/// Holds: closed form of Sawtooth, Triangle, Chirp, ContinuousClock.
#[test]
fn sources_follow_their_formulas() {
    let text = "blocks:
  saw: {type: Sawtooth, period: 0.7, low: -1, high: 3, start: 0.1}
  tri: {type: Triangle, period: 0.8, low: 2, high: 5, start: -0.3}
  chirp: {type: Chirp, from: 2, to: 6, duration: 3, amplitude: 1.5, phase: 0.2, start: 0.5}
  square: {type: ContinuousClock, period: 1, offsets: [0.25, 0.5], values: [3, -1], initial: 7}
record: [saw, tri, chirp, square]
simulate: {stop: 2, every: 0.013, rows: microsteps}
";
    let trace = simulate(text).trace;
    let mut looked = 0;
    for (row, own) in trace.tags().iter().enumerate() {
        let t = own.time.seconds();
        let value = |column: usize| trace.get(row, column).unwrap()[0];
        let wrap = |x: f64, period: f64| x - period * (x / period).floor();
        let saw = -1.0 + 4.0 * wrap(t - 0.1, 0.7) / 0.7;
        let tri = 2.0 + 3.0 * (1.0 - (1.0 - 2.0 * wrap(t + 0.3, 0.8) / 0.8).abs());
        let s = t - 0.5;
        let angle = std::f64::consts::TAU * (2.0 * s + 4.0 * s * s / 6.0) + 0.2;
        // At a fall the last bit of time decides on which side it is.
        let falls = wrap(t - 0.1 + 1e-9, 0.7) < 2e-9;
        assert!(falls || (value(0) - saw).abs() < 1e-12, "saw at {own}: {} {saw}", value(0));
        assert!((value(1) - tri).abs() < 1e-9, "triangle at {own}: {} {tri}", value(1));
        assert!((value(2) - 1.5 * angle.sin()).abs() < 1e-11, "chirp at {own}");
        let phase = wrap(t, 1.0);
        let square = match phase {
            _ if t < 0.25 => 7.0,
            phase if (0.25..0.5).contains(&phase) => 3.0,
            _ => -1.0,
        };
        let changes = own.microstep == 0 && (phase == 0.25 || phase == 0.5);
        assert!(changes || value(3) == square, "square at {own}: {}", value(3));
        looked += 1;
    }
    assert!(looked > 150);
}

/// Timers that start each other for ever come at the same microstep each time.
#[test]
fn microsteps_do_not_pile_up() {
    let text = "blocks:
  m:
    type: Modal
    initial: up
    states:
      up:
        blocks: {b: {type: OneShot}, e: {type: Timer, start: 1 * b}}
        transitions: [{to: down, when: present(e)}]
      down:
        blocks: {b: {type: OneShot}, e: {type: Timer, start: 1 * b}}
        transitions: [{to: up, when: present(e)}]
record: [m.state]
simulate: {stop: 2000}
";
    let outcome = simulate(text);
    let highest = outcome.trace.tags().iter().map(|tag| tag.microstep).max();
    assert!(highest <= Some(4), "{highest:?}");
    assert!(outcome.trace.len() > 2000);
}

/// A cancel at the tag of the first of two events takes the second back, and the first still ends.
#[test]
fn an_event_ends_when_those_after_it_are_cancelled() {
    let text = "blocks:
  a: {type: Clock, period: 100, offset: 0, value: 3}
  b: {type: Clock, period: 100, offset: 1, value: 2}
  e: {type: Merge, inputs: [a, b]}
  k: {type: Clock, period: 100, offset: 3}
  d: {type: VariableEventDelay, input: e, delay: e, cancel: k}
record: [d]
simulate: {stop: 4}
";
    assert_eq!(tags(&simulate(text).trace, "d"), [tag(3.0, 1)]);
}
