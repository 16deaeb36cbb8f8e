//! Parts of events and continuous parts in one model: a job shop, events across the bounds of
//! composites and state machines, parts with time scales far apart, and nesting in turn.

use crate::common::{assert_near, at, exact, simulate, tags};
use superdense::{RegionWork, Tag};

/// Example 9.7 of the book, with service times that are known: jobs come, wait in a queue, and are
/// worked on by a ramp that goes up to the size of the job.
fn job_shop(period: &str, sizes: &str, stop: &str) -> String {
    format!(
        "
name: job-shop
parameters: {{rate: 2}}
blocks:
  arrival: {{type: Clock, period: {period}, offset: 0.5}}
  number: {{type: Counter, increment: arrival}}
  job: {{type: Expression, expression: '{sizes}'}}
  line: {{type: Queue, input: job, trigger: server.ready, empty: wait}}
  server:
    type: Modal
    initial: idle
    states:
      idle:
        blocks:
          ready: {{type: Clock, period: 1e9}}
        outputs: {{ready: ready}}
        transitions:
          - {{to: busy, when: present(line), set: {{size: line}}}}
      busy:
        parameters: {{size: 0}}
        blocks:
          work: {{type: Integrator, input: rate}}
        outputs: {{work: work}}
        transitions:
          - {{to: idle, when: work >= size, output: {{finished: size}}}}
record: [line, line.size, server.work, server.finished]
simulate: {{stop: {stop}, tolerance: 1e-9}}
"
    )
}

/// A job departs when it has come, the one before has left, and it has been worked on.
fn departures(period: f64, size: impl Fn(i32) -> f64, stop: f64) -> Vec<(f64, f64)> {
    let mut last: f64 = 0.0;
    let mut found = Vec::new();
    for number in 1.. {
        let arrival = 0.5 + period * f64::from(number - 1);
        last = last.max(arrival) + size(number) / 2.0;
        if last > stop {
            break;
        }
        found.push((last, size(number)));
    }
    found
}

#[test]
fn jobs_depart_at_the_times_of_the_recursion() {
    type Size = fn(i32) -> f64;
    let cases: [(&str, f64, &str, Size); 3] = [
        ("2", 2.0, "1 + mod(number, 3)", |n| f64::from(1 + n % 3)),
        ("1", 1.0, "0.5 + mod(3 * number, 7) / 2", |n| 0.5 + f64::from(3 * n % 7) / 2.0),
        ("3", 3.0, "if number < 4 then 11 else 1", |n| if n < 4 { 11.0 } else { 1.0 }),
    ];
    for (period, seconds, text, size) in cases {
        let trace = simulate(&job_shop(period, text, "30")).trace;
        let expected = departures(seconds, size, 30.0);
        let done = trace.series("server.finished");
        assert_eq!(done.len(), expected.len(), "{text}");
        assert!(done.len() > 6, "{text}");
        for ((tag, value), (time, size)) in done.iter().zip(&expected) {
            assert_near(tag.time.seconds(), *time, 1e-9);
            assert_eq!((tag.microstep, *value), (1, *size), "{text}");
        }
        // Nobody waits while the server is idle.
        for (tag, waiting) in trace.series("line.size") {
            if waiting > 0.0 && tag.microstep == 0 {
                assert!(at(&trace, "server.work", tag).is_some(), "{waiting} wait at {tag}");
            }
        }
    }
}

/// A clock that reaches a part cuts its step; a crossing that comes a few roundings later is not
/// told from the clock's time, and still happens after it, once.
#[test]
fn a_crossing_just_after_the_end_of_a_step_is_not_in_the_past() {
    let text = job_shop("3", "if number < 4 then 11 else 1", "20");
    let trace = simulate(&text).trace;
    // Job 6 is done as job 7 comes, at 18.5; the ramps are a few roundings late.
    let near = |tag: &&Tag| (tag.time.seconds() - 18.5).abs() < 1e-9;
    let done = tags(&trace, "server.finished");
    assert_eq!(done.iter().filter(near).count(), 1);
    let taken = tags(&trace, "line");
    let taken = taken.iter().find(near).expect("job 7 is taken");
    assert!(done.iter().find(near).unwrap() < taken);
}

/// An event at each of three microsteps, through two levels of diagrams, a state machine inside
/// them, and a delay.
#[test]
fn events_keep_their_microsteps_across_composites() {
    let text = "
name: microsteps
diagrams:
  Machine:
    inputs: [e]
    outputs: {out: m.out}
    blocks:
      m:
        type: Modal
        initial: only
        states:
          only:
            blocks:
              x: {type: Integrator, input: 1, impulse: e}
            outputs: {out: 2 * e}
  Outer:
    inputs: [e]
    outputs: {out: inner.out}
    blocks:
      inner: {type: Machine, e: e + 1}
blocks:
  c: {type: Clock, period: 1, offset: 0.25}
  second: {type: MicrostepDelay, input: 10 * c}
  third: {type: MicrostepDelay, input: 10 * second}
  all: {type: Merge, inputs: [c, second, third]}
  outer: {type: Outer, e: all}
  later: {type: EventDelay, input: outer.out, delay: 0.5}
record: [outer.out, later]
simulate: {stop: 1}
";
    let trace = simulate(text).trace;
    let expected = |time: &str| -> Vec<(Tag, f64)> {
        vec![(exact(time, 1), 4.0), (exact(time, 2), 22.0), (exact(time, 3), 202.0)]
    };
    assert_eq!(trace.series("outer.out"), expected("0.25"));
    assert_eq!(trace.series("later"), expected("0.75"));
}

/// The parts of a model and how many steps each has taken.
fn parts(blocks: &str, record: &str) -> Vec<RegionWork> {
    let text =
        format!("blocks:\n{blocks}record: [{record}]\nsimulate: {{stop: 10, tolerance: 1e-6}}\n");
    let outcome = simulate(&text);
    let sum: u64 = outcome.work().parts.iter().map(|part| part.steps).sum();
    assert_eq!(sum, outcome.counters.steps, "every step is of some part");
    let firings: u64 = outcome.work().blocks.iter().map(|block| block.firings).sum();
    assert_eq!(firings, outcome.counters.firings);
    let t: f64 = 10.0;
    for (name, value) in [("slow", t.cos()), ("fast", (1000.0 * t).cos())] {
        if let Some(column) = outcome.trace.column(name) {
            let last = outcome.trace.get(outcome.trace.len() - 1, column).unwrap()[0];
            assert_near(last, value, 0.05);
        }
    }
    outcome.work().parts
}

#[test]
fn time_scales_far_apart_cost_the_sum() {
    let slow =
        "  slow: {type: Integrator, input: v, initial: 1}\n  v: {type: Integrator, input: -slow}\n";
    let fast = "  fast: {type: Integrator, input: 1000 * w, initial: 1}\n  w: {type: Integrator, input: -1000 * fast}\n";
    let (one, two) = (parts(slow, "slow"), parts(fast, "fast"));
    let both = parts(&[slow, fast].concat(), "slow, fast");
    assert_eq!(both, [one.clone(), two.clone()].concat(), "each steps as it does alone");
    let names: Vec<&str> = both.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["slow", "fast"]);
    assert_eq!((one[0].steps, two[0].steps), (41, 38506));
    // In one solver the slow one would take the steps of the fast one.
    let together = parts(&[slow, fast].concat(), "slow, fast, slow + fast");
    assert_eq!(together.len(), 1);
    assert!(together[0].steps > 800 * one[0].steps, "{} steps", together[0].steps);
}

/// A plant with a controller of events, in which a ramp measures time: y is sampled every second,
/// falls until the ramp has reached the sample, and rises then. So the samples s obey
/// s' = s - 0.3 s + 0.3 (1 - s) = 0.3 + 0.4 s.
#[test]
fn continuous_in_events_in_continuous() {
    let text = "
name: three-levels
diagrams:
  Timer:
    description: 'Continuous: an event as long after the input as its value says.'
    inputs: [start]
    outputs: {over: over}
    blocks:
      zero: {type: Gain, input: start, gain: 0}
      ramp: {type: Integrator, input: 1, reset: zero, initial: 10}
      goal: {type: ZeroOrderHold, input: start}
      over: {type: LevelCrossing, input: ramp - goal, direction: rising}
  Controller:
    description: 'Events: a sample turns the command down, the timer turns it up.'
    inputs: [y]
    outputs: {u: u, sample: sample, over: timer.over}
    blocks:
      sample: {type: PeriodicSampler, input: y}
      timer: {type: Timer, start: sample}
      down: {type: Expression, expression: -0.3 + 0 * sample}
      up: {type: Expression, expression: 0.3 + 0 * timer.over}
      both: {type: Merge, inputs: [down, up]}
      u: {type: ZeroOrderHold, input: both}
blocks:
  plant: {type: Integrator, input: controller.u, initial: 0.9}
  controller: {type: Controller, y: plant}
record: [plant, controller.sample, controller.over]
simulate: {stop: 6.99, tolerance: 1e-10}
";
    let outcome = simulate(text);
    let samples = outcome.trace.series("controller.sample");
    let over = tags(&outcome.trace, "controller.over");
    assert_eq!((samples.len(), over.len()), (7, 7));
    let mut sample = 0.9;
    for (k, (tag, value)) in samples.iter().enumerate() {
        assert_eq!(*tag, exact(&k.to_string(), 1));
        assert_near(*value, sample, 1e-9);
        assert_near(over[k].time.seconds(), k as f64 + sample, 1e-9);
        assert_eq!(over[k].microstep, 1);
        sample = 0.3 + 0.4 * sample;
    }
    // The plant and the timer share events alone, and step apart.
    let work = outcome.work();
    let names: Vec<&str> = work.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

/// A sampler in a state that is entered reads what is there when it is entered.
#[test]
fn a_sampler_and_a_queue_in_a_state() {
    let text = "
name: sampled-state
blocks:
  x: {type: Integrator, input: 1}
  m:
    type: Modal
    initial: a
    states:
      a: {transitions: [{to: b, after: 0.6}]}
      b:
        blocks:
          y: {type: Integrator, input: 2, initial: 3}
          s: {type: PeriodicSampler, input: x, period: 0.25, offset: 0.25}
          r: {type: PeriodicSampler, input: y, period: 0.25, offset: 0}
          c: {type: Clock, period: 0.5}
          q: {type: Queue, input: r, trigger: c}
        outputs: {s: s, r: r, q: q}
        transitions: [{to: a, after: 0.8}]
record: [m.s, m.r, m.q]
simulate: {stop: 3, tolerance: 1e-9}
";
    let trace = simulate(text).trace;
    // b from 0.6 to 1.4, and anew from 2 to 2.8.
    let sampled = trace.series("m.s");
    assert_eq!(sampled.len(), 6);
    for (tag, value) in sampled {
        assert_near(value, tag.time.seconds(), 1e-9);
    }
    let own: Vec<f64> = trace.series("m.r").iter().map(|(_, value)| *value).collect();
    let expected = [3.0, 3.5, 4.0, 4.5, 3.0, 3.5, 4.0, 4.5];
    assert_eq!(own.len(), expected.len());
    for (own, expected) in own.iter().zip(expected) {
        assert_near(*own, expected, 1e-9);
    }
    // A queue that is entered anew is empty.
    let taken: Vec<f64> = trace.series("m.q").iter().map(|(_, value)| *value).collect();
    assert_eq!(taken.len(), 4);
    for (taken, expected) in taken.iter().zip([3.0, 3.5, 3.0, 3.5]) {
        assert_near(*taken, expected, 1e-9);
    }
}
