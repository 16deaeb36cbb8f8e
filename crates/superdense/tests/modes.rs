//! State machines: modes, their clocks, guards, actions and hierarchy.

mod mechanics;
mod transitions;

use crate::common;
use crate::common::{assert_near, at, bits, by, codes, compile, refusal, simulate, times};
use superdense::{Backend, Library, Time, Trace, pages};

/// The tags at which a column takes another value, and these values.
fn changes(trace: &Trace, name: &str) -> Vec<(f64, u32, f64)> {
    let mut last = None;
    let mut found = Vec::new();
    for (tag, value) in trace.series(name) {
        if last != Some(value) {
            last = Some(value);
            found.push((tag.time.seconds(), tag.microstep, value));
        }
    }
    found
}

/// Example 9.10: `in > 1 ? in + 1 : 0` as a machine is piecewise continuous.
///
/// Holds: jump of Modal.
#[test]
fn a_jump_by_modes_has_both_limits() {
    let text = "
name: jump
blocks:
  x: {type: Integrator, input: 1}
  second:
    type: Modal
    initial: zero
    states:
      zero: {outputs: {y: 0}, transitions: [{to: increment, when: x > 1}]}
      increment: {outputs: {y: x + 1}}
  third: {type: Integrator, input: second.y}
record: [x, second.y, third]
simulate: {stop: 3, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    let jump = trace.series("second.y");
    let last_zero = jump.iter().rev().find(|(_, y)| *y == 0.0).unwrap();
    let first = jump.iter().find(|(_, y)| *y != 0.0).unwrap();
    assert_eq!(last_zero.0.time, first.0.time);
    assert_eq!((last_zero.0.microstep, first.0.microstep), (0, 1));
    assert_near(first.0.time.seconds(), 1.0, 1e-12);
    assert_near(first.1, 2.0, 1e-12);
    // The integral of x + 1 from 1 to 3.
    assert_near(trace.last("third").unwrap(), 6.0, 1e-9);
}

/// Holds: closed form of Modal.
#[test]
fn a_thermostat_switches_at_exact_times() {
    // The example of the page of Modal, with one more record and a tighter tolerance.
    let pages = pages(&Library::standard());
    let page = pages.iter().find(|page| page.name == "Modal").expect("a page");
    let text = page
        .example
        .replace("heater.state]", "heater.state, heater.warm]")
        .replace("stop: 30}", "stop: 30, tolerance: 1e-10}");
    let trace = simulate(&text).trace;
    let found = changes(&trace, "heater.state");
    // From a to b with the limit c and the rate 0.1.
    let way = |a: f64, b: f64, c: f64| 10.0 * ((a - c) / (b - c)).ln();
    let mut time = way(18.0, 21.0, 30.0);
    assert!(found.len() > 10);
    for (k, (at, microstep, state)) in found[1..].iter().enumerate() {
        assert_near(*at, time, 1e-8);
        assert_eq!((*microstep, *state), (1, if k % 2 == 0 { 1.0 } else { 0.0 }));
        time += if k % 2 == 0 { way(21.0, 19.0, 10.0) } else { way(19.0, 21.0, 30.0) };
    }
    let warm = changes(&trace, "heater.warm");
    assert_eq!(warm.len(), found.len(), "the name of a state says whether it is there");
}

#[test]
fn a_state_that_shares_the_diagram_of_another() {
    let text = "
name: shared
blocks:
  m:
    type: Modal
    initial: slow
    parameters: {rate: 1}
    states:
      slow:
        blocks: {x: {type: Integrator, input: rate}}
        outputs: [x]
        transitions: [{to: fast, when: x > 1, set: {rate: 10}, history: true}]
      fast:
        like: slow
        transitions: [{to: slow, when: elapsed > 0.5, set: {rate: 1, x: 0}, history: true}]
record: [m.x, m.state]
simulate: {stop: 4, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    let found = changes(&trace, "m.state");
    for (k, (time, ..)) in found.iter().enumerate() {
        assert_near(*time, (k / 2) as f64 * 1.5 + (k % 2) as f64, 1e-9);
    }
    assert!(found.len() >= 5);
    let series = trace.series("m.x");
    let top = series.iter().map(|(_, x)| *x).fold(0.0, f64::max);
    assert_near(top, 6.0, 1e-8);
}

/// A machine that comes late into a state, and several times, at times that no float holds.
const LATE: &str = "
name: late
blocks:
  m:
    type: Modal
    initial: idle
    states:
      idle: {transitions: [{to: busy, after: 1e6 + 1 / 7}]}
      busy:
        blocks:
          x: {type: Integrator, input: cos(time)}
          c: {type: Clock, period: 0.1}
          seen: {type: Sample, input: time, trigger: c}
        outputs: {t: time, x: x, seen: seen}
        transitions: [{to: pause, when: elapsed > 1.3}]
      pause: {transitions: [{to: busy, after: 1 / 3, history: true}]}
record: [m.t, m.x, m.seen, m.state]
simulate: {stop: 1_000_006, tolerance: 1e-11}
";

/// What the clock of a state shows is the difference of exact times, rounded once.
#[test]
fn a_clock_in_a_state_is_exact_after_a_long_time() {
    let system = compile(LATE);
    let trace = system.simulate().expect("it runs").trace;
    let states = changes(&trace, "m.state");
    assert_eq!(states.len(), 8, "{states:?}");
    let state: Vec<_> = trace.series("m.state");
    let (mut spent, mut entered) = (Time::ZERO, None);
    let mut compared = 0;
    for (tag, state) in &state {
        match (entered, *state == 1.0) {
            (None, true) => entered = Some(tag.time),
            (Some(from), false) => {
                // A guard sees the time in the state just as exactly.
                let stay = tag.time.since(from);
                assert!((stay - 1.3).abs() < 1e-15, "{stay}");
                spent = Time::from_attoseconds(
                    spent.attoseconds() + tag.time.attoseconds() - from.attoseconds(),
                );
                entered = None;
            }
            _ => (),
        }
        let Some(from) = entered else { continue };
        let origin = from.attoseconds() - spent.attoseconds();
        let local = Time::from_attoseconds(tag.time.attoseconds() - origin).seconds();
        assert_eq!(at(&trace, "m.t", *tag), Some(local), "{tag:?}");
        let x = at(&trace, "m.x", *tag).expect("a state");
        assert_near(x, local.sin(), 1e-9);
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
    let seen: Vec<f64> = trace.series("m.seen").into_iter().map(|(_, seen)| seen).collect();
    let tenths: Vec<f64> = (0..seen.len()).map(|k| k as f64 / 10.0).collect();
    assert_eq!(seen, tenths);
    let [interpreted, native] =
        [Backend::Interpreter, Backend::Native].map(|own| by(&system, own).0);
    assert_eq!(interpreted, native);
}

#[test]
fn a_machine_that_never_moves_is_its_diagram() {
    let body = "
          x: {type: Integrator, input: 10 * (y - x), initial: 1}
          y: {type: Integrator, input: x * (28 - z) - y, initial: 1}
          z: {type: Integrator, input: x * y - 8 / 3 * z, initial: 1}
          c: {type: Clock, period: 0.37}
          n: {type: Counter, increment: c}
          h: {type: Sample, input: x + previous(z), trigger: c}";
    let modal = format!(
        "
name: modal
blocks:
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks:{body}
        outputs: [x, y, z, n, h]
        transitions: [{{to: b, when: x > 1000}}]
      b: {{}}
record: {{x: m.x, y: m.y, z: m.z, n: m.n, h: m.h}}
simulate: {{stop: 8, tolerance: 1e-6}}
"
    );
    let plain = format!(
        "
name: plain
blocks:{}
record: [x, y, z, n, h]
simulate: {{stop: 8, tolerance: 1e-6}}
",
        body.replace("\n          ", "\n  ")
    );
    let (modal, plain) = (simulate(&modal).trace, simulate(&plain).trace);
    assert_eq!(bits(&modal, 0), bits(&plain, 0));
}

/// Fields of a machine with a mistake, and the code of the error.
const MISTAKES: &[(&str, &str)] = &[
    ("    initial: a\n    states: {a: {}, b: {}}", "unreachable-state"),
    ("    initial: a\n    states: {a: {transitions: [{to: q, when: x > 1}]}}", "unknown-state"),
    ("    initial: q\n    states: {a: {}}", "unknown-state"),
    ("    states: {a: {transitions: [{to: b}]}, b: {}}", "missing-initial-state"),
    ("    initial: a", "missing-states"),
    ("    initial: a\n    states: {a: {transitions: [{to: a, when: x}]}}", "bad-guard"),
    ("    initial: a\n    states: {a: {transitions: [{to: a, when: c}]}}", "bad-guard"),
    (
        "    initial: a\n    states: {a: {transitions: [{to: a, when: x > 1, set: {v: 1}}]}}",
        "set-into-nothing",
    ),
    (
        "    initial: a\n    outputs: [y]\n    states: {a: {outputs: {y: 1}, transitions: [{to: a, when: x > 1, output: {z: 1}}]}}",
        "unknown-output",
    ),
    (
        "    initial: a\n    outputs: [y]\n    states: {a: {outputs: {y: 1, z: 2}}}",
        "unknown-output",
    ),
    (
        "    initial: a\n    states: {a: {final: true, transitions: [{to: a, when: x > 1}]}}",
        "bad-transition",
    ),
    ("    initial: a\n    states: {a: {transitions: [{when: x > 1}]}}", "missing-field"),
    (
        "    initial: a\n    states: {a: {like: b, transitions: [{to: b, when: x > 1}]}, b: {}}",
        "bad-state",
    ),
    (
        "    initial: a\n    states: {a: {outputs: {y: 1}, transitions: [{to: b, when: x > 1}]}, b: {outputs: {y: [1, 2]}}}",
        "size-mismatch",
    ),
    (
        "    initial: a\n    states: {a: {blocks: {g: {type: Gain, input: x, gain: 2}}, transitions: [{to: a, when: x > 1, set: {g: 1}}]}}",
        "set-into-nothing",
    ),
    ("    initial: a\n    stats: {a: {}}", "unknown-field"),
];

/// Holds: bad input of Modal.
#[test]
fn mistakes_are_refused_with_their_reasons() {
    let machine = |states: &str| {
        format!(
            "
name: bad
blocks:
  x: {{type: Integrator, input: 1}}
  c: {{type: Clock, period: 1}}
  m:
    type: Modal
{states}
simulate: {{stop: 1}}
"
        )
    };
    for (states, code) in MISTAKES {
        let text = machine(states);
        assert!(common::try_compile(&text).is_err(), "{states}");
        let refused = refusal(&text);
        assert!(codes(&refused).contains(code), "{states}\n{refused}");
    }
}

#[test]
fn machines_side_by_side_do_not_touch_each_other() {
    let one = |name: &str, period: &str| {
        format!(
            "
  {name}:
    type: Modal
    initial: up
    states:
      up:
        blocks: {{x: {{type: Integrator, input: 1}}}}
        outputs: [x]
        transitions: [{{to: down, after: {period}}}]
      down:
        outputs: {{x: 0}}
        transitions: [{{to: up, after: {period}}}]"
        )
    };
    let text = format!(
        "
name: two
blocks:{}{}
record: [a.x, b.x, a.state, b.state]
simulate: {{stop: 3, tolerance: 1e-9}}
",
        one("a", "0.3"),
        one("b", "0.5")
    );
    let outcome = simulate(&text);
    let of = |name: &str| changes(&outcome.trace, name).iter().map(|c| c.0).collect::<Vec<_>>();
    let expected =
        |period: f64| (0..).map(move |k| k as f64 * period).take_while(|t| *t < 3.0 + 1e-9);
    for (name, period) in [("a.state", 0.3), ("b.state", 0.5)] {
        for (found, time) in of(name).iter().zip(expected(period)) {
            assert_near(*found, time, 1e-12);
        }
    }
    assert!(times(&outcome.trace, "a.x").len() > 10);
}

/// A diagram that runs into a division by zero, or an operation without meaning, and the way out.
#[test]
fn a_failing_diagram_leads_to_the_error_state() {
    let text = |inner: &str, stop: &str| {
        format!(
            "
name: recover
blocks:
  c: {{type: Clock, period: 1, offset: 1}}
  m:
    type: Modal
    initial: try
    parameters: {{tries: 0}}
    states:
      try:
        blocks:
          {inner}
        outputs: {{y: y}}
        transitions: [{{to: safe, error: true, set: {{tries: tries + 1}}, output: {{alarm: 7}}}}]
      safe:
        outputs: {{y: -1}}
        transitions: [{{to: try, after: 10}}]
record: [m.y, m.state, m.alarm]
simulate: {{stop: {stop}, tolerance: 1e-9}}
"
        )
    };
    // y' = y^2 from 1 blows up at t = 1.
    let trace = simulate(&text("y: {type: Integrator, input: y ^ 2, initial: 1}", "3")).trace;
    let found = changes(&trace, "m.state");
    assert_eq!(found.len(), 2);
    assert_near(found[1].0, 1.0, 1e-6);
    assert_eq!(trace.last("m.y"), Some(-1.0));
    assert_eq!(trace.series("m.alarm").len(), 1);
    // At a tick: 1 / (1 - 1) at the clock's first event.
    let inner = "n: {type: Counter, increment: c}\n          y: {type: Sample, input: 1 / (1 - n), trigger: c}";
    let trace = simulate(&text(inner, "3")).trace;
    assert_eq!(changes(&trace, "m.state"), [(0.0, 0, 0.0), (1.0, 1, 1.0)]);
    // Without the way out the run fails.
    let plain = text("y: {type: Integrator, input: y ^ 2, initial: 1}", "3")
        .replace("error: true", "when: y > 1e300");
    assert!(compile(&plain).simulate().is_err());
}

#[test]
fn a_diagram_with_its_own_tolerance() {
    let text = |tolerance: &str, coupled: &str| {
        format!(
            "
name: tolerances
diagrams:
  Oscillator:
    {tolerance}
    inputs: [u]
    outputs: [x]
    blocks:
      x: {{type: Integrator, input: v + u, initial: 1}}
      v: {{type: Integrator, input: -x}}
blocks:
  a: {{type: Oscillator, u: {coupled}}}
  x: {{type: Integrator, input: v, initial: 1}}
  v: {{type: Integrator, input: -x}}
record: [a.x, x]
simulate: {{stop: 20, tolerance: 1e-6}}
"
        )
    };
    let error =
        |text: &str, name: &str| (simulate(text).trace.last(name).unwrap() - 20f64.cos()).abs();
    // Apart, each has its own tolerance.
    let (plain, fine) = (text("", "0"), text("tolerance: 1e-11", "0"));
    assert!(error(&fine, "a.x") < 1e-3 * error(&plain, "a.x"));
    assert_eq!(error(&fine, "x"), error(&plain, "x"));
    let coarse = text("tolerance: 1e-3", "0");
    assert!(error(&coarse, "a.x") > 10.0 * error(&plain, "a.x"));
    assert_eq!(error(&coarse, "x"), error(&plain, "x"));
    // Together, the tighter one holds for both.
    let tied = |tolerance: &str| text(tolerance, "0 * x");
    assert!(error(&tied("tolerance: 1e-11"), "x") < 1e-3 * error(&tied(""), "x"));
    assert_eq!(error(&tied("tolerance: 1e-3"), "x"), error(&tied(""), "x"));
    let refused = refusal(&text("tolerance: 2", "0"));
    assert!(codes(&refused).contains(&"bad-setting"));
}

#[test]
fn a_discrete_diagram_has_nothing_continuous() {
    let text = |block: &str| {
        format!(
            "
name: discrete
diagrams:
  Controller:
    domain: discrete
    inputs: [e]
    outputs: [u]
    blocks:
      n: {{type: Counter, increment: e}}
      {block}
      u: {{type: Sample, input: 2 * e, trigger: e}}
blocks:
  x: {{type: Integrator, input: 1}}
  c: {{type: Clock, period: 1}}
  s: {{type: Sample, input: x, trigger: c}}
  k: {{type: Controller, e: s}}
record: [k.u]
simulate: {{stop: 2}}
"
        )
    };
    assert_near(simulate(&text("")).trace.last("k.u").unwrap(), 4.0, 1e-12);
    for block in ["y: {type: Integrator, input: 1}", "y: {type: Expression, expression: time}"] {
        let refused = refusal(&text(block));
        assert!(codes(&refused).contains(&"continuous-in-discrete"), "{refused}");
    }
}
