//! Instances that run only while a condition holds, or only at events.

use proptest::prelude::*;
use superdense::Backend;

use crate::common::{assert_near, at, by, codes, compile, exact, refusal, simulate, tag, times};

const HEATER: &str = "diagrams:
  Heater:
    inputs: [power]
    outputs: {heat: heat, tick: c}
    blocks:
      heat: {type: Integrator, input: \"power - heat\", initial: 1}
      c: {type: Clock, period: 0.25, offset: 0.1}
";

fn bits_agree(text: &str) {
    let system = compile(text);
    let interpreted = by(&system, Backend::Interpreter);
    assert_eq!(interpreted, by(&system, Backend::Native));
    let mut first = system.begin();
    for _ in 0..interpreted.0.len() / 2 {
        first.advance().unwrap();
    }
    let begun = first.trace().len();
    let rest = system.resume(&first.save()).unwrap().finish().unwrap();
    assert_eq!(crate::common::bits(&rest.trace, 0), interpreted.0[begun..]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    /// While it is disabled, an instance and its clocks stand still: its state is that of the time
    /// for which it has been enabled, and an event is due when that time has come.
    #[test]
    fn what_is_disabled_stands_still(spans in prop::collection::vec(1u32..60, 2..12), first: bool) {
        let mut offsets = vec![0u32];
        offsets.extend(spans.iter().scan(0, |sum, span| { *sum += span; Some(*sum) }));
        let end = offsets[offsets.len() - 1];
        let list: Vec<String> = offsets.iter().map(|at| format!("{at} / 100")).collect();
        let values: Vec<String> =
            (0..offsets.len()).map(|i| u8::from((i % 2 == 0) == first).to_string()).collect();
        let text = format!(
            "{HEATER}blocks:
  source: {{type: EventSource, offsets: [{}], values: [{}], repeat: once}}
  switch: {{type: ZeroOrderHold, input: source}}
  heater: {{type: Heater, power: 3, enabled: switch > 0.5, hold: [heat]}}
record: [heater.heat, heater.tick]
simulate: {{stop: {end} / 100, tolerance: 1e-11}}
",
            list.join(", "),
            values.join(", "),
        );
        let trace = simulate(&text).trace;
        // The time enabled up to each change, in hundredths.
        let mut enabled = 0;
        let mut due = vec![];
        for (i, pair) in offsets.windows(2).enumerate() {
            let before = exact(&(f64::from(pair[0]) / 100.0).to_string(), 0);
            let age = f64::from(enabled) / 100.0;
            // Before it is first enabled it is held at 0.
            let never = enabled == 0;
            if i > 0 && !never {
                assert_near(at(&trace, "heater.heat", before).unwrap(), 3.0 - 2.0 * (-age).exp(), 1e-8);
            }
            if (i % 2 == 0) == first {
                let span = pair[1] - pair[0];
                // Events are due at 10, 35, 60, ... of the time enabled.
                due.extend((0..1000).map(|k| 10 + 25 * k).filter(|at| *at > enabled && *at < enabled + span)
                    .map(|at| f64::from(pair[0] + at - enabled) / 100.0));
                enabled += span;
            }
        }
        let ticks = times(&trace, "heater.tick");
        let on_an_edge = |time: &f64| offsets.iter().any(|at| (f64::from(*at) / 100.0 - time).abs() < 1e-9);
        let inner: Vec<f64> = ticks.into_iter().filter(|time| !on_an_edge(time)).collect();
        prop_assert_eq!(inner, due);
        bits_agree(&text);
    }
}

/// With `restart`, an instance begins with its initial values, and so do its clocks.
#[test]
fn an_instance_restarts() {
    let text = format!(
        "{HEATER}blocks:
  switch: {{type: Pulse, period: 2, width: 1}}
  heater: {{type: Heater, power: 3, enabled: switch > 0.5, restart: true, hold: {{heat: 7}}}}
record: [heater.heat, heater.tick, heater.enabled]
simulate: {{start: 0, stop: 4, tolerance: 1e-11}}
"
    );
    let trace = simulate(&text).trace;
    let end = 3.0 - 2.0 * (-1.0f64).exp();
    for second in [1.0, 2.0, 3.0] {
        assert_near(at(&trace, "heater.heat", tag(second, 0)).unwrap(), end, 1e-9);
    }
    assert_eq!(at(&trace, "heater.heat", tag(0.0, 0)), Some(7.0));
    assert_eq!(at(&trace, "heater.heat", tag(2.0, 3)), Some(1.0));
    let ticks = [0.1, 0.35, 0.6, 0.85, 2.1, 2.35, 2.6, 2.85];
    assert_eq!(times(&trace, "heater.tick"), ticks);
    bits_agree(&text);
}

/// What is not held is absent, and a held output of a machine is that of its last state.
#[test]
fn outputs_are_absent_or_held() {
    let text = format!(
        "{HEATER}blocks:
  switch: {{type: Pulse, period: 2, width: 1}}
  heater: {{type: Heater, power: 3, enabled: switch > 0.5}}
  m:
    type: Modal
    initial: a
    hold: {{v: [1, 2], w: 5}}
    states:
      a: {{outputs: {{u: time}}, transitions: [{{to: b, after: 1}}]}}
      b:
        outputs: {{v: \"[time, 2 * time]\"}}
        transitions: [{{to: a, after: 0.5, output: {{w: 8}}}}]
record: [heater.heat, m.u, m.v, m.w]
simulate: {{stop: 3.5}}
"
    );
    let trace = simulate(&text).trace;
    let value = |name: &str, time: &str, microstep| at(&trace, name, exact(time, microstep));
    assert_eq!(value("heater.heat", "1", 2), None);
    assert!(value("heater.heat", "1", 0).is_some());
    assert_eq!(value("m.u", "1", 2), None);
    assert_eq!(value("m.w", "1", 2), Some(5.0));
    assert_eq!(value("m.w", "1.5", 2), Some(8.0));
    assert_eq!(value("m.w", "3.5", 0), Some(8.0));
    let column = trace.columns().iter().position(|column| column.name == "m.v").unwrap();
    let rows = trace.tags().iter().enumerate();
    for (row, tag) in rows {
        let time = tag.time.seconds();
        // Inside the state, time is its own.
        let in_b = |t: f64| (t - t.div_euclid(1.5) * 1.5 - 1.0).max(0.0);
        let expected = match time {
            t if t < 1.0 => [1.0, 2.0],
            t if t.rem_euclid(1.5) > 1.0 => [in_b(t), 2.0 * in_b(t)],
            _ => continue,
        };
        let found = trace.get(row, column).expect("it is always there");
        for (found, expected) in found.iter().zip(expected) {
            assert_near(*found, expected, 1e-12);
        }
    }
    bits_agree(&text);
}

/// A triggered instance sees its inputs at the events alone.
#[test]
fn a_trigger_samples_all_inputs() {
    let text = "diagrams:
  Sum:
    inputs: {a: {}, b: {}, gain: {default: 10}}
    outputs: {total: total}
    blocks: {total: {type: Expression, expression: \"last(total, 0) + gain * (a + b)\"}}
blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  sum: {type: Sum, a: time, b: 2 * time, trigger: c}
  held: {type: Sum, a: time, b: 0, gain: 1, trigger: c, hold: true}
record: [sum, held]
simulate: {stop: 3}
";
    let trace = simulate(text).trace;
    assert_eq!(times(&trace, "sum"), [0.5, 1.5, 2.5]);
    let total = |time: f64| at(&trace, "sum", tag(time, 1)).unwrap();
    assert_eq!([total(0.5), total(1.5), total(2.5)], [15.0, 60.0, 135.0]);
    assert_eq!(at(&trace, "held", tag(3.0, 0)), Some(4.5));
    bits_agree(text);
}

/// A diagram that has an input of such a name keeps it.
#[test]
fn fields_of_the_diagram_come_first() {
    let text = "diagrams:
  Part: {inputs: [enabled], outputs: {y: 2 * enabled}}
blocks: {p: {type: Part, enabled: 3}}
record: [p]
simulate: {stop: 1}
";
    assert_eq!(at(&simulate(text).trace, "p", tag(1.0, 0)), Some(6.0));
}

#[test]
fn what_cannot_be_enabled_is_refused() {
    let more = "  Mean: {inputs: [u], outputs: {m: 2 * u}}
  Ticks: {outputs: [k], blocks: {k: {type: Clock, period: 0.1}}}
";
    let with = |block: &str| {
        format!(
            "{HEATER}{more}blocks:\n  c: {{type: Clock, period: 1}}\n  h: {block}\nrecord: [c]\n"
        )
    };
    for (block, code) in [
        ("{type: Integrator, input: 1, enabled: time > 1}", "unknown-field"),
        ("{type: Heater, for: {i: 2}, power: 1, enabled: time > 1}", "bad-state"),
        ("{type: Heater, power: 1, enabled: time > 1, hold: [cold]}", "unknown-output"),
        ("{type: Heater, power: 1, enabled: time > 1, hold: maybe}", "wrong-kind"),
        ("{type: Heater, power: 1, enabled: time > 1, restart: 3}", "wrong-kind"),
        ("{type: Heater, power: 1, enabled: time > 1, hold: {heat: true}}", "type-mismatch"),
        ("{type: Heater, power: 1, enabled: time}", "type-mismatch"),
        ("{type: Heater, power: 1, trigger: c}", "continuous-in-discrete"),
        ("{type: Heater, enabled: time > 1}", "missing-input"),
        ("{type: Mean, u: time, trigger: time}", "not-events"),
        ("{type: Ticks, trigger: c}", "bad-state"),
    ] {
        let refused = refusal(&with(block));
        assert!(codes(&refused).contains(&code), "{block}: {refused}");
    }
}
