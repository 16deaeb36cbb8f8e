//! The rules that the page of each block gives, in tables: what comes of absent inputs, of a jump,
//! of an impulse, and which inputs are refused.

use std::f64::consts::PI;

use superdense::{RunError, Trace};

use crate::common::{assert_near, at, codes, exact, failure, simulate, try_compile};

/// A clock at 0, 1 and 2 s, events of 2 at 0.5 s and of -3 at 1.5 s, and a block `y`.
fn with_events(block: &str, record: &str) -> Trace {
    let text = format!(
        "blocks:
  c: {{type: Clock, period: 1}}
  e: {{type: EventSource, offsets: [0.5, 1.5], values: [2, -3], repeat: once}}
  both: {{type: Merge, inputs: [c, e]}}
  y: {{type: {block}}}
record: {{c: c, y: {record}}}
simulate: {{stop: 2}}
"
    );
    let trace = simulate(&text).trace;
    assert_eq!(trace.series("c").len(), 3, "{block}");
    trace
}

/// Without an event at its input, a function of events is absent.
///
/// Holds: absence of Gain, Negate, Inverter, Saturation, DeadZone, Quantizer, CoulombFriction,
/// Polynomial, Wrap, WrapAngle, Normalise, CartesianToPolar, PolarToCartesian, MultiwaySwitch,
/// LookupTable, LookupTable2D, LookupTableND, Relay, Switch, Decision, Sample,
/// Counter, TappedDelay, RunningMax, RunningMin, RunningMean, RunningVariance, CurrentTime,
/// CurrentMicrostep, Router, BooleanSwitch, BooleanSelect, Gate, Inhibit, FIR, Decimator,
/// DiscretePID, DiscreteIntegrator; closed form of Negate, Inverter, Switch, Decision, Sample,
/// Counter.
#[test]
// A table of cases, and so longer than a function should otherwise be.
fn functions_of_events_are_absent_without_one() {
    for (block, record, values) in [
        ("Gain, input: e, gain: 3", "y", [6.0, -9.0]),
        ("Negate, input: e", "y", [-2.0, 3.0]),
        ("Inverter, input: e", "y", [0.5, -1.0 / 3.0]),
        ("Saturation, input: e", "y", [1.0, -1.0]),
        ("DeadZone, input: e", "y", [1.5, -2.5]),
        ("Quantizer, input: e, interval: 4", "y", [4.0, -4.0]),
        ("CoulombFriction, velocity: e, viscous: 2", "y", [5.0, -7.0]),
        ("Polynomial, input: e, coefficients: [1, 0, 1]", "y", [5.0, 10.0]),
        ("Wrap, input: e, lower: -1, upper: 2", "y", [-1.0, 0.0]),
        ("WrapAngle, input: e", "y", [2.0, -3.0]),
        ("Normalise, input: '[e, 0]'", "'y[0]'", [1.0, -1.0]),
        ("CartesianToPolar, x: e, y: 0", "y.radius", [2.0, 3.0]),
        ("PolarToCartesian, radius: e, angle: 0", "y.x", [2.0, -3.0]),
        ("MultiwaySwitch, selector: 'if e > 0 then 0 else 1', inputs: [5, 6]", "y", [5.0, 6.0]),
        ("LookupTable, input: e, x: [-3, 2], y: [1, 7]", "y", [7.0, 1.0]),
        (
            "LookupTable2D, first: e, second: 0, x: [-3, 2], y: [0, 1], z: [[1, 2], [7, 8]]",
            "y",
            [7.0, 1.0],
        ),
        (
            "LookupTableND, input: '[e, 0]', breakpoints: [-3, 2, 0, 1], sizes: [2, 2], values: [1, 2, 7, 8]",
            "y",
            [7.0, 1.0],
        ),
        ("Relay, input: e, on_level: 1, off_level: -1", "y", [1.0, 0.0]),
        ("Switch, input: e", "y", [1.0, 0.0]),
        ("Decision, input: e, above: 10, below: 20", "y", [10.0, 20.0]),
        ("Sample, input: e, trigger: both", "y", [2.0, -3.0]),
        ("Counter, increment: e", "y", [1.0, 2.0]),
        ("TappedDelay, input: e, samples: 2", "'y[0]'", [2.0, -3.0]),
        ("RunningMax, input: e", "y", [2.0, 2.0]),
        ("RunningMin, input: e", "y", [2.0, -3.0]),
        ("RunningMean, input: e", "y.output", [2.0, -0.5]),
        ("RunningVariance, input: e", "y.variance", [0.0, 12.5]),
        ("CurrentTime, trigger: e", "y", [0.5, 1.5]),
        ("CurrentMicrostep, trigger: e", "y", [1.0, 1.0]),
        ("Router, input: e, branches: 1", "y", [2.0, -3.0]),
        ("BooleanSwitch, input: e, control: 'c > 2'", "y.no", [2.0, -3.0]),
        ("BooleanSelect, yes: c, no: e, control: 'c > 2'", "y", [2.0, -3.0]),
        ("Gate, input: e, condition: time < 10", "y", [2.0, -3.0]),
        ("Inhibit, input: both, inhibit: c", "y", [2.0, -3.0]),
        ("FIR, input: e, trigger: both, coefficients: [1, 0.5]", "y", [2.0, -2.0]),
        ("Decimator, input: e, trigger: both, factor: 1", "y", [2.0, -3.0]),
        ("DiscretePID, input: e, trigger: both, period: 1", "y", [2.0, -3.0]),
        (
            "DiscreteIntegrator, input: e, trigger: both, period: 1, rule: backward, start: filter",
            "y",
            [2.0, -1.0],
        ),
    ] {
        let found = with_events(block, record).series("y");
        let tags: Vec<_> = found.iter().map(|(tag, _)| *tag).collect();
        assert_eq!(tags, [exact("0.5", 1), exact("1.5", 1)], "{block}");
        for ((_, value), expected) in found.iter().zip(values) {
            assert!((value - expected).abs() < 1e-14, "{block}: {value}, not {expected}");
        }
    }
}

/// Random numbers are drawn at the trigger alone.
///
/// Holds: absence and jump of Random, UniformRandom, GaussianRandom, ExponentialRandom,
/// BernoulliRandom, DiscreteRandom, JavaRandom.
#[test]
fn no_random_number_comes_without_a_trigger() {
    for block in [
        "Random",
        "UniformRandom",
        "GaussianRandom",
        "ExponentialRandom",
        "BernoulliRandom",
        "DiscreteRandom, values: [1, 2], probabilities: [0.5, 0.5]",
        "JavaRandom, state: 42",
    ] {
        let found = with_events(&format!("{block}, trigger: e"), "y").series("y");
        let tags: Vec<_> = found.into_iter().map(|(tag, _)| tag).collect();
        assert_eq!(tags, [exact("0.5", 1), exact("1.5", 1)], "{block}");
    }
}

/// Each event comes a quarter of a second later, and nothing else does.
///
/// Holds: absence of EventDelay, Server, Timer; jump of Server, Timer.
#[test]
fn nothing_is_delayed_without_an_event() {
    for (block, record, values) in [
        ("EventDelay, input: e, delay: 0.25", "y", [2.0, -3.0]),
        ("Server, input: e, service: 0.25", "y.output", [2.0, -3.0]),
        ("Timer, start: 0 * e + 0.25, value: 7", "y", [7.0, 7.0]),
    ] {
        let found = with_events(block, record).series("y");
        let expected = [(exact("0.75", 1), values[0]), (exact("1.75", 1), values[1])];
        assert_eq!(found, expected, "{block}");
    }
}

/// A hold is always present, and keeps what came last.
///
/// Holds: closed form and absence of ZeroOrderHold; absence of FirstOrderHold.
#[test]
fn a_hold_needs_no_event() {
    for (block, values) in [
        ("ZeroOrderHold, input: e, initial: 9", [9.0, 2.0, -3.0]),
        // From -3 at 1.5 s with the slope -5 / 1.
        ("FirstOrderHold, input: e, trigger: both, initial: 9", [9.0, 2.0, -5.5]),
    ] {
        let trace = with_events(block, "y");
        for (time, expected) in ["0", "1", "2"].into_iter().zip(values) {
            assert_near(at(&trace, "y", exact(time, 1)).unwrap(), expected, 1e-14);
        }
    }
}

/// What was absent at microstep 0 has no left limit.
///
/// Holds: absence of LeftLimit.
#[test]
fn an_event_has_no_left_limit() {
    assert_eq!(with_events("LeftLimit, input: e", "y").series("y"), []);
}

/// An input that is absent from 1 s to 2 s and 1 otherwise: the states stay as they are meanwhile,
/// so that the output at 2.5 s is that of an input that is always there at 1.5 s.
///
/// Holds: absence of LowPass, HighPass, BandPass, BandStop, PI, ZeroPole, LimitedIntegrator.
#[test]
fn states_wait_for_an_input_that_is_absent() {
    for (block, is_absent) in [
        ("LowPass, order: 1, cutoff: 2, input", false),
        ("HighPass, order: 1, cutoff: 2, input", true),
        ("BandPass, order: 1, lower: 1, upper: 2, input", false),
        ("BandStop, order: 1, lower: 1, upper: 2, input", true),
        ("PI, P: 2, I: 3, reference", true),
        ("ZeroPole, real_poles: [-1], input", false),
        ("LimitedIntegrator, lower: -5, upper: 5, input", false),
    ] {
        let run = |input: &str| {
            let text = format!(
                "blocks:
  u:
    type: Modal
    initial: on
    states:
      on: {{outputs: {{y: 1}}, transitions: [{{to: off, after: 1}}]}}
      off: {{transitions: [{{to: on, after: 1}}]}}
  y: {{type: {block}: {input}}}
record: {{y: y, u: u.y}}
simulate: {{stop: 2.75, times: [1.5, 2.5], tolerance: 1e-10}}
"
            );
            simulate(&text).trace
        };
        let (waits, goes_on) = (run("u.y"), run("1"));
        assert_eq!(at(&waits, "y", exact("1.5", 0)).is_none(), is_absent, "{block}");
        let late = at(&waits, "y", exact("2.5", 0)).expect("present");
        let early = at(&goes_on, "y", exact("1.5", 0)).expect("present");
        assert!((late - early).abs() < 1e-8, "{block}: {late} and {early}");
    }
}

/// Blocks that follow a signal between events are absent with it, and go on with it.
///
/// Holds: absence of Backlash, PeakHold, RateLimiter, Derivative, Modal, DelayWithHistory.
#[test]
fn what_follows_a_signal_is_absent_with_it() {
    for (block, record, late) in [
        ("Backlash, width: 1, input", "y", 0.0),
        ("PeakHold, input", "y", 0.0),
        ("RateLimiter, input", "y", 0.0),
        ("Derivative, input", "y", 0.0),
        ("DelayWithHistory, delay: 0.25, history: 0, input", "y", 0.25),
        ("Expression, expression", "u.y", 0.0),
    ] {
        let text = format!(
            "blocks:
  u:
    type: Modal
    initial: on
    states:
      on: {{outputs: {{y: time}}, transitions: [{{to: off, after: 1}}]}}
      off: {{transitions: [{{to: on, after: 1}}]}}
  y: {{type: {block}: u.y}}
record: {{u: u.y, y: {record}}}
simulate: {{stop: 2.75, every: 0.125}}
"
        );
        let trace = simulate(&text).trace;
        for (tag, _) in trace.series("y") {
            let time = tag.time.seconds() - late;
            assert!(time <= 1.0 || time >= 2.0, "{block} is present at {tag}");
        }
        for time in ["0.5", "2.5"] {
            assert!(at(&trace, "y", exact(time, 0)).is_some(), "{block} is absent at {time}");
        }
    }
}

/// A step from 1 to 3 at 1 s, and a block `y`, which is recorded.
fn with_step(block: &str, record: &str) -> Trace {
    simulate(&format!(
        "blocks:
  u: {{type: Step, time: 1, before: 1, after: 3}}
  k: {{type: Clock, period: 10, offset: 1}}
  y: {{type: {block}}}
record: {{u: u, y: {record}}}
simulate: {{stop: 2, tolerance: 1e-10}}
"
    ))
    .trace
}

/// Both limits at a jump.
///
/// Holds: closed form and jump of Sum, Product, Divide, Expression, Step; jump of Gain, Negate,
/// Inverter, Polynomial, DeadZone, Wrap, WrapAngle, Normalise, CartesianToPolar, PolarToCartesian,
/// LookupTableND, LeftLimit, Previous, Sawtooth, ContinuousClock, ZeroOrderHold; closed form of
/// LeftLimit, Previous.
#[test]
fn a_jump_has_both_limits() {
    for (block, record, before, after) in [
        ("Gain, input: u, gain: 2", "y", 2.0, 6.0),
        ("Negate, input: u", "y", -1.0, -3.0),
        ("Inverter, input: u", "y", 1.0, 1.0 / 3.0),
        ("Sum, inputs: [u, 1, u]", "y", 3.0, 7.0),
        ("Product, inputs: [u, 2, u]", "y", 2.0, 18.0),
        ("Divide, numerator: 6, denominator: u", "y", 6.0, 2.0),
        ("Expression, expression: u^2 - 1", "y", 0.0, 8.0),
        ("Polynomial, input: u, coefficients: [1, 0, 1]", "y", 2.0, 10.0),
        ("DeadZone, input: u, start: 0, end: 2", "y", 0.0, 1.0),
        ("Wrap, input: u, lower: 0, upper: 2.5", "y", 1.0, 0.5),
        ("WrapAngle, input: 2 * u", "y", 2.0, 6.0 - 2.0 * PI),
        ("Normalise, input: '[u - 2, 0]'", "'y[0]'", -1.0, 1.0),
        ("CartesianToPolar, x: u - 2, y: 0", "y.angle", PI, 0.0),
        ("PolarToCartesian, radius: u, angle: 0", "y.x", 1.0, 3.0),
        (
            "LookupTableND, input: '[u, 0]', breakpoints: [0, 4, 0, 1], sizes: [2, 2], values: [0, 0, 8, 8]",
            "y",
            2.0,
            6.0,
        ),
        ("LeftLimit, input: u", "y", 1.0, 1.0),
        ("Previous, input: u", "y", 1.0, 1.0),
        ("Step, time: 1, before: -4, after: 5", "y", -4.0, 5.0),
        ("Sawtooth, period: 1, low: -1, high: 1", "y", 1.0, -1.0),
        ("ContinuousClock, period: 2, offsets: [0, 1], values: [2, -2]", "y", 2.0, -2.0),
        ("ZeroOrderHold, input: u * k, initial: 9", "y", 9.0, 3.0),
    ] {
        let trace = with_step(block, record);
        let limits = [0, 1].map(|microstep| at(&trace, "y", exact("1", microstep)).unwrap());
        let near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
        assert!(near(limits[0], before) && near(limits[1], after), "{block}: {limits:?}");
    }
}

/// A jump of 2 at the input, and by how much the output jumps: its direct share.
///
/// Holds: jump of FirstOrder, SecondOrder, LowPass, HighPass, BandPass, BandStop, ZeroPole,
/// StateSpace.
#[test]
fn a_linear_system_passes_its_direct_share_of_a_jump() {
    for (block, height) in [
        ("FirstOrder, input: u", 0.0),
        ("SecondOrder, input: u", 0.0),
        ("LowPass, input: u, cutoff: 3", 0.0),
        ("HighPass, input: u, cutoff: 3, order: 1", 2.0),
        ("BandPass, input: u, lower: 1, upper: 2", 0.0),
        ("BandStop, input: u, lower: 1, upper: 2", 2.0),
        ("ZeroPole, input: u, real_zeros: [-1], real_poles: [-2], gain: 4", 8.0),
        ("StateSpace, input: u, A: [[-1]], B: [1], C: [1], D: 5", 10.0),
    ] {
        let trace = with_step(block, "y");
        let [before, after] = [0, 1].map(|n| at(&trace, "y", exact("1", n)).unwrap());
        assert!((after - before - height).abs() < 1e-12, "{block}: {before} to {after}");
    }
}

/// An event at the microstep of a jump has the right limit, and is absent before.
///
/// Holds: jump of Sample, Difference, DiscreteTransferFunction, DiscreteStateSpace, DiscretePID,
/// TappedDelay, RateTransition, MostRecent, Router, BooleanSelect, Gate, CurrentTime, Counter,
/// OneShot, EventSource, DiscreteIntegrator; closed form of OneShot.
#[test]
fn an_event_at_a_jump_has_the_right_limit() {
    for (block, record, value) in [
        ("Sample, input: u, trigger: k", "y", 3.0),
        ("Difference, input: u, trigger: k", "y", 3.0),
        ("DiscreteTransferFunction, input: u, trigger: k, numerator: 2, denominator: 1", "y", 6.0),
        ("DiscreteStateSpace, input: u, trigger: k, A: 0, B: 1, C: 1, D: 2", "y", 6.0),
        ("DiscretePID, input: u, trigger: k, period: 1", "y", 3.0),
        ("TappedDelay, input: u * k, samples: 2", "'y[0]'", 3.0),
        ("RateTransition, input: u * k, trigger: k", "y", 3.0),
        ("MostRecent, input: u * k, trigger: k", "y", 3.0),
        ("Router, input: u * k, branches: 1", "y", 3.0),
        ("BooleanSelect, yes: u * k, no: k, control: k > 0", "y", 3.0),
        ("Gate, input: k, condition: u > 2", "y", 1.0),
        ("CurrentTime, trigger: k", "y", 1.0),
        ("Counter, increment: k", "y", 1.0),
        ("OneShot, at: 1, value: 5", "y", 5.0),
        ("EventSource, offsets: [1], values: [7], repeat: once", "y", 7.0),
        (
            "DiscreteIntegrator, input: u, trigger: k, period: 1, rule: backward, start: filter",
            "y",
            3.0,
        ),
    ] {
        assert_eq!(with_step(block, record).series("y"), [(exact("1", 1), value)], "{block}");
    }
}

/// What takes values of events or compares refuses an impulse, at its microstep.
///
/// Holds: impulse of Counter, CurrentMicrostep, CurrentTime, Random, UniformRandom,
/// GaussianRandom, ExponentialRandom, BernoulliRandom, DiscreteRandom, JavaRandom, EventDelay, Inverter, Merge,
/// MostRecent, Queue, RateTransition, Router, RunningMax, RunningMin, RunningMean,
/// RunningVariance, Server, Stop, Switch, TappedDelay, Timer, VariableEventDelay, ZeroOrderHold,
/// Edge, OnDelay.
#[test]
fn an_impulse_is_no_value() {
    for (block, record) in [
        ("Counter, increment: i", "y"),
        ("CurrentMicrostep, trigger: i", "y"),
        ("CurrentTime, trigger: i", "y"),
        ("Random, trigger: i", "y"),
        ("UniformRandom, trigger: i", "y"),
        ("GaussianRandom, trigger: i", "y"),
        ("ExponentialRandom, trigger: i", "y"),
        ("BernoulliRandom, trigger: i", "y"),
        ("DiscreteRandom, trigger: i, values: [1, 2], probabilities: [0.5, 0.5]", "y"),
        ("JavaRandom, trigger: i, state: 42", "y"),
        ("EventDelay, input: i, delay: 1", "y"),
        ("Inverter, input: 1 + delta(time - 1)", "y"),
        ("Merge, inputs: [i, k]", "y"),
        ("MostRecent, input: i, trigger: k", "y"),
        ("Queue, input: i, trigger: k", "y"),
        ("RateTransition, input: i, trigger: k", "y"),
        ("Router, input: i, branches: 1", "y"),
        ("RunningMax, input: i", "y"),
        ("RunningMin, input: i", "y"),
        ("RunningMean, input: i", "y.output"),
        ("RunningVariance, input: i", "y.mean"),
        ("Server, input: i, service: 1", "y.output"),
        ("Stop, input: i", "y"),
        ("Switch, input: delta(time - 1)", "y"),
        ("TappedDelay, input: i, samples: 1", "y"),
        ("Timer, start: i", "y"),
        ("VariableEventDelay, input: i, delay: 1", "y"),
        ("ZeroOrderHold, input: i", "y"),
        ("Edge, input: delta(time - 1) > 0", "y"),
        ("OnDelay, input: delta(time - 1) > 0, delay: 1", "y"),
    ] {
        let text = format!(
            "blocks:
  k: {{type: Clock, period: 10, offset: 1}}
  i: {{type: Expression, expression: k + delta(time - 1)}}
  y: {{type: {block}}}
record: [i, {record}]
simulate: {{stop: 2}}
"
        );
        match failure(&text).error {
            RunError::Undefined { tag, block: found, reason, .. } => {
                assert_eq!(tag, exact("1", 1), "{block}");
                assert!(crate::common::belongs(found.path(), "y"), "{block}: {found:?}");
                assert!(reason.contains("impulse"), "{block}: {reason}");
            }
            other => panic!("{block}: {other}"),
        }
    }
}

/// What comes of an impulse of weight 3 at 1 s: the weight of the impulse that the output carries,
/// and when. A limit from before carries none, and a crossing ignores it.
///
/// Holds: impulse of Gate, Inhibit, LeadLag, DelayWithHistory, LeftLimit, Previous, LevelCrossing,
/// Modal; jump of DelayWithHistory.
#[test]
fn an_impulse_passes_or_is_dropped() {
    for (block, record, passed) in [
        ("type: Gate, input: i, condition: time < 10", "y", Some(("1", 3.0))),
        ("type: Inhibit, input: i, inhibit: c", "y", Some(("1", 3.0))),
        ("type: LeadLag, input: i, lead: 0.5, lag: 0.25, gain: 2", "y", Some(("1", 12.0))),
        ("type: DelayWithHistory, input: i, delay: 0.5, history: 0", "y", Some(("1.5", 3.0))),
        ("type: LeftLimit, input: i", "y", None),
        ("type: Previous, input: i", "y", None),
        ("type: LevelCrossing, input: i + time - 5", "y", None),
        ("type: Modal, states: {a: {outputs: {y: i}}}", "y.y", Some(("1", 3.0))),
    ] {
        let text = format!(
            "blocks:
  c: {{type: Clock, period: 10, offset: 1.75}}
  i: {{type: ImpulseSource, times: [1], weight: 3}}
  y: {{{block}}}
record: {{i: i, c: c, y: {record}}}
simulate: {{stop: 2}}
"
        );
        let trace = simulate(&text).trace;
        let column = trace.column("y").unwrap();
        let own = trace.impulses().iter().filter(|impulse| impulse.column == column);
        let own: Vec<_> = own.map(|own| (own.tag, own.order, own.weight.clone())).collect();
        let expected = passed.map(|(time, weight)| (exact(time, 1), 0, vec![weight]));
        assert_eq!(own, Vec::from_iter(expected), "{block}");
        if block.contains("LevelCrossing") {
            assert_eq!(trace.series("y"), [], "{block}");
        }
    }
    let late = with_step("DelayWithHistory, input: u, delay: 0.5, history: 7", "y");
    for (time, before, after) in [("0.5", 7.0, 1.0), ("1.5", 1.0, 3.0)] {
        assert_eq!(at(&late, "y", exact(time, 0)), Some(before));
        assert_eq!(at(&late, "y", exact(time, 1)), Some(after));
    }
}

/// Sources against their formulas.
///
/// Holds: closed form of Constant, Sine, Ramp.
#[test]
fn plain_sources_follow_their_formulas() {
    let trace = simulate(
        "blocks:
  c: {type: Constant, value: 2.5}
  s: {type: Sine, frequency: 0.3, amplitude: 2, phase: 0.4, offset: 1}
  r: {type: Ramp, slope: -3, start: 0.7, offset: 4}
record: [c, s, r]
simulate: {stop: 2, every: 0.1}
",
    )
    .trace;
    assert!(trace.len() > 20);
    for (row, tag) in trace.tags().iter().enumerate() {
        let (t, value) = (tag.time.seconds(), |column: usize| trace.get(row, column).unwrap()[0]);
        assert_eq!(value(0), 2.5);
        assert_near(value(1), 1.0 + 2.0 * (2.0 * PI * 0.3 * t + 0.4).sin(), 1e-14);
        assert_near(value(2), 4.0 - 3.0 * (t - 0.7).max(0.0), 1e-14);
    }
}

/// Wrong parameters, types and signals have a message each.
///
/// Holds: bad input of Accumulator, BandlimitedNoise, BernoulliRandom, CartesianToPolar, Chirp,
/// Clock, Constant, ContinuousClock, CoulombFriction, Counter, CurrentMicrostep, Decision,
/// DelayWithHistory, Derivative, Difference, ExponentialRandom, Expression, FirstOrderHold, Gain,
/// Gate, GaussianRandom, ImpulseSource, Inhibit, Integrator, Inverter, LeftLimit, LevelCrossing,
/// MicrostepDelay, MostRecent, Negate, OneShot, PeakHold, PoissonClock, PolarToCartesian, Previous,
/// Product, Pulse, Ramp, Random, RateTransition, Sample, SampleAndHold, Sawtooth, Server, Sine,
/// Step, Stop, Sum, Switch, Timer, Triangle, UniformRandom, WrapAngle, ZeroOrderHold.
#[test]
// A table of cases, and so longer than a function should otherwise be.
fn bad_inputs_are_refused() {
    for (block, code, reason) in [
        ("Accumulator, input: time", "not-events", "takes events"),
        ("BandlimitedNoise, period: 0", "bad-parameter", "the period must be positive"),
        ("BernoulliRandom, trigger: k, probability: 2", "bad-parameter", "is from 0 to 1"),
        ("CartesianToPolar, x: true, y: 1", "type-mismatch", "needs numbers"),
        ("Chirp, to: 2, duration: 0", "bad-parameter", "the duration must be positive"),
        ("Clock, period: 0", "bad-parameter", "`period` must be positive"),
        ("Constant, value: '1 + true'", "type-mismatch", "needs numbers"),
        ("ContinuousClock, period: 0", "bad-parameter", "`period` must be positive"),
        ("CoulombFriction, velocity: true", "type-mismatch", "needs numbers"),
        ("Counter, increment: time", "not-events", "`increment` takes events"),
        ("CurrentMicrostep, trigger: time", "not-events", "`trigger` takes events"),
        ("Decision, input: true, above: 1, below: 2", "type-mismatch", "`input` needs numbers"),
        (
            "DelayWithHistory, input: time, delay: -1, history: 0",
            "bad-parameter",
            "the delay must be positive",
        ),
        ("Derivative, input: true", "type-mismatch", "`input` needs numbers"),
        ("Difference, input: time", "not-events", "takes events"),
        ("ExponentialRandom, trigger: k, mean: -1", "bad-parameter", "the mean must be positive"),
        ("Expression, expression: '1 + true'", "type-mismatch", "`+` needs numbers"),
        ("FirstOrderHold, input: time", "not-events", "takes events"),
        ("Gain, input: '[time, 2]', gain: [[1, 2, 3]]", "size-mismatch", "do not fit together"),
        ("Gate, input: k, condition: 1", "type-mismatch", "a condition needs booleans"),
        ("GaussianRandom, trigger: k, deviation: -1", "bad-parameter", "is negative"),
        ("ImpulseSource, times: [1], order: -1", "bad-parameter", "from 0 to 8"),
        ("Inhibit, input: k", "missing-input", "`inhibit` of `Inhibit` is missing"),
        ("Integrator, input: true", "type-mismatch", "`input` needs numbers"),
        ("Inverter, input: true", "type-mismatch", "`input` needs numbers"),
        ("LeftLimit", "missing-input", "`input` of LeftLimit is missing"),
        ("LevelCrossing, input: true", "type-mismatch", "`input` needs numbers"),
        ("MicrostepDelay", "missing-input", "`input` of MicrostepDelay is missing"),
        ("MostRecent, input: k, trigger: time", "not-events", "`trigger` takes events"),
        ("Negate, input: true", "type-mismatch", "`input` needs numbers"),
        ("OneShot, at: '[1, 2]'", "bad-parameter", "must be a time"),
        ("PeakHold, input: true", "type-mismatch", "`input` needs numbers"),
        ("PoissonClock, mean: 0", "bad-parameter", "must be positive"),
        ("PolarToCartesian, radius: true, angle: 0", "type-mismatch", "needs numbers"),
        ("Previous", "missing-input", "`input` of Previous is missing"),
        ("Product, inputs: [true, 1]", "type-mismatch", "`inputs` needs numbers"),
        ("Pulse, period: 1, width: 2", "bad-parameter", "`width` must be less than `period`"),
        ("Ramp, slope: true", "bad-parameter", "`slope` must be a finite real number"),
        ("Random, trigger: time", "not-events", "`trigger` takes events"),
        ("RateTransition, input: k, trigger: time", "not-events", "`trigger` takes events"),
        ("Sample, input: 1, trigger: time", "not-events", "`trigger` takes events"),
        ("SampleAndHold, input: 1, trigger: time", "not-events", "`trigger` takes events"),
        ("Sawtooth, period: 0", "bad-parameter", "the period must be positive"),
        ("Server, input: time, service: 1", "not-events", "`input` takes events"),
        ("Sine, frequency: true", "bad-parameter", "`frequency` must be a finite real number"),
        ("Step, time: true", "bad-parameter", "`time` must be a time in seconds"),
        ("Stop, input: time", "not-events", "`input` takes events"),
        ("Sum, inputs: [true, 1]", "type-mismatch", "`inputs` needs numbers"),
        ("Switch, input: true", "type-mismatch", "`input` needs numbers"),
        ("Timer, start: time", "not-events", "takes events"),
        ("Triangle, period: 0", "bad-parameter", "the period must be positive"),
        ("UniformRandom, trigger: k, lower: 2, upper: 1", "bad-parameter", "is above the upper"),
        ("WrapAngle, input: true", "type-mismatch", "needs numbers"),
        ("ZeroOrderHold, input: time", "not-events", "`input` takes events"),
    ] {
        let output = match block.split(',').next() {
            Some("CartesianToPolar") => "y.radius",
            Some("PolarToCartesian") => "y.x",
            Some("Server") => "y.output",
            _ => "y",
        };
        let text = format!(
            "blocks:
  k: {{type: Clock, period: 10, offset: 1}}
  y: {{type: {block}}}
record: [{output}]
"
        );
        let Err(refused) = try_compile(&text) else { panic!("{block} is not refused") };
        assert_eq!(codes(&refused)[0], code, "{block}: {refused}");
        assert!(refused.to_string().contains(reason), "{block}: {refused}");
    }
}
