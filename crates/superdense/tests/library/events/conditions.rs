//! Conditions and levels: when they are passed, and how long they must last.

use superdense::{Backend, Tag};

use super::events;
use crate::common::{
    assert_near, at, by, codes, compile, exact, refusal, simulate, tag, tags, times,
};

/// Holds: closed form, jump and bad input of Edge.
#[test]
fn edges_of_conditions_are_events() {
    let text = "blocks:
  x: {type: Sine, frequency: 0.5}
  up: {type: Edge, input: x > 0.5, direction: rising}
  both: {type: Edge, input: x > 0.5}
  c: {type: Clock, period: 1, offset: 0.25}
  n: {type: Counter, increment: c}
  h: {type: ZeroOrderHold, input: n}
  jump: {type: Edge, input: h >= 2}
record: [up, both, jump]
simulate: {stop: 4}
";
    let trace = simulate(text).trace;
    let close = |found: Vec<(Tag, f64)>, wanted: &[(f64, f64)]| {
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for ((tag, value), (time, expected)) in found.iter().zip(wanted) {
            assert!((tag.time.seconds() - time).abs() < 1e-9 && value == expected, "{found:?}");
        }
    };
    let (a, b) = (1.0 / 6.0, 5.0 / 6.0);
    close(events(&trace, "up"), &[(a, 1.0), (2.0 + a, 1.0)]);
    close(events(&trace, "both"), &[(a, 1.0), (b, -1.0), (2.0 + a, 1.0), (2.0 + b, -1.0)]);
    assert_eq!(events(&trace, "jump"), [(exact("1.25", 1), 1.0)]);
    let refused = refusal("blocks:\n  x: {type: Sine}\n  e: {type: Edge, input: x}\nrecord: [e]\n");
    assert_eq!(codes(&refused), ["type-mismatch"]);
}

/// A condition must last before it counts.
///
/// Holds: closed form and bad input of OnDelay.
#[test]
fn a_condition_counts_when_it_has_lasted() {
    let text = "blocks:
  source: {type: EventSource, offsets: [1, 1.3, 2, 4, 4.5, 4.9], values: [1, 0, 1, 0, 1, 0], repeat: once}
  asked: {type: ZeroOrderHold, input: source}
  on: {type: OnDelay, input: asked > 0.5, delay: 0.5}
  rise: {type: Edge, input: on, direction: rising}
  fall: {type: Edge, input: on, direction: falling}
record: [on, rise, fall]
simulate: {stop: 6}
";
    let trace = simulate(text).trace;
    assert_eq!(times(&trace, "rise"), [2.5]);
    assert_eq!(times(&trace, "fall"), [4.0]);
    let refused = refusal(&text.replace("delay: 0.5", "delay: 0"));
    assert!(refused.to_string().contains("the delay must be positive"), "{refused}");
}

/// A condition that ends when it would have lasted long enough does not count.
#[test]
fn a_condition_that_ends_in_time_does_not_count() {
    let text = "blocks:
  p: {type: Pulse, period: 1, width: 0.4}
  o: {type: OnDelay, input: p > 0.5, delay: 0.4}
  e: {type: Edge, input: o}
record: [o, e]
simulate: {stop: 2.6}
";
    assert_eq!(times(&simulate(text).trace, "e"), [0.0; 0]);
}

/// A level that moves, and one that jumps across a signal that stands still.
///
/// Holds: closed form and jump of LevelCrossing.
#[test]
fn a_level_may_be_a_signal() {
    let text = "blocks:
  x: {type: Integrator, input: 1}
  level: {type: Expression, expression: 1 + x / 2}
  meets: {type: LevelCrossing, input: x, level: level}
  step: {type: Step, time: 0.5, before: -1, after: 1}
  passed: {type: LevelCrossing, input: 0, level: step, direction: falling}
record: [meets, passed]
simulate: {stop: 3, tolerance: 1e-9}
";
    let trace = simulate(text).trace;
    let met = times(&trace, "meets");
    assert_eq!(met.len(), 1);
    assert_near(met[0], 2.0, 1e-9);
    assert_eq!(times(&trace, "passed"), [0.5]);
}

/// Crossings of a wave that repeats are those of its first cycle, again and again.
#[test]
fn a_wave_crosses_a_level_in_each_cycle() {
    let text = "blocks:
  w: {type: Waveform, times: [0, 0.5], values: [0, 1], period: 1}
  e: {type: LevelCrossing, input: w, level: 0.3}
  x: {type: Integrator, input: if w > 0.3 then 1 else 0}
record: [w, e, x]
simulate: {stop: 6}
";
    let trace = simulate(text).trace;
    let found = times(&trace, "e");
    let expected = (0..6).flat_map(|k| [0.15, 0.85].map(|at| f64::from(k) + at));
    assert_eq!(found.len(), 12, "{found:?}");
    found.iter().zip(expected).for_each(|(found, expected)| assert_near(*found, expected, 1e-9));
    assert_near(at(&trace, "x", tag(6.0, 0)).unwrap(), 6.0 * 0.7, 1e-9);
}

/// Nothing passes infinity: a comparison with it stays as it is at every tick.
#[test]
fn infinite_limits_limit_nothing() {
    let text = "blocks:
  c: {type: Step, time: 0.5}
  x: {type: LimitedIntegrator, input: -1 - c, lower: -inf, upper: 1}
  y: {type: LimitedIntegrator, input: 1 + c, lower: -1, upper: inf}
  z: {type: Integrator, input: -1 - c}
  s: {type: Saturation, input: z, lower: -inf, upper: 10}
  e: {type: Edge, input: s > -100}
  f: {type: Edge, input: z > -inf}
  g: {type: Edge, input: abs(z) < inf}
record: [x, y, e, f, g]
simulate: {stop: 1.5}
";
    let trace = simulate(text).trace;
    assert_near(at(&trace, "x", tag(1.5, 0)).unwrap(), -2.5, 1e-9);
    assert_near(at(&trace, "y", tag(1.5, 0)).unwrap(), 2.5, 1e-9);
    for edge in ["e", "f", "g"] {
        assert_eq!(times(&trace, edge), [0.0; 0], "{edge}");
    }
}

/// The microstep of an event is where it is in its instant.
///
/// Holds: closed form and jump of CurrentMicrostep.
#[test]
fn a_microstep_is_known_at_an_event() {
    let text = "blocks:
  c: {type: Clock, period: 1}
  one: {type: MicrostepDelay, input: c}
  two: {type: MicrostepDelay, input: one}
  all: {type: Merge, inputs: [c, one, two]}
  n: {type: CurrentMicrostep, trigger: all}
record: [n]
simulate: {stop: 2}
";
    let system = compile(text);
    let trace = system.simulate().unwrap().trace;
    for tag in tags(&trace, "n") {
        assert_eq!(at(&trace, "n", tag), Some(f64::from(tag.microstep)));
    }
    assert_eq!(tags(&trace, "n").len(), 9);
    assert_eq!(by(&system, Backend::Interpreter), by(&system, Backend::Native));
}
