//! State machines on streams with their switches held back, against the native engine.

use superdense::{Evaluations, Streaming};

use super::common::draws::Draws;
use super::common::{assert_near, simulate};
use super::machines::MODAL_THERMOSTAT;
use super::{accepted, get, shared, stream, switches, with_step};

/// When a column of a native run changes, and to what.
fn native_switches(text: &str, column: &str) -> Vec<(f64, f64)> {
    let series = simulate(text).trace.series(column);
    let rows = series.into_iter().map(|(tag, value)| (tag.time.seconds(), value));
    let rows: Vec<(f64, f64)> = rows.collect();
    rows.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| pair[1]).collect()
}

/// The same where switches are held back: the evaluation before the new value is the located one.
fn held_switches(run: &Evaluations, column: &str) -> Vec<(f64, f64)> {
    let rows = (0..run.len()).filter_map(|e| Some((e, run.get(e, column)?)));
    let rows: Vec<(usize, f64)> = rows.collect();
    let changes = rows.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| pair[1]);
    changes.map(|(e, value)| (get(run, e - 1, "time"), value)).collect()
}

pub fn held(step: f64) -> Streaming {
    Streaming { hold: Some(1e-6), limit: 1_000_000, ..shared(step) }
}

/// Held back, machines go the way of the native engine.
pub fn assert_like_native(text: &str, columns: &[&str], least: usize) {
    let run = stream(text, &held(1.0 / 512.0));
    let stop = get(&run, run.len() - 1, "time") - 1e-4;
    let exact = text.replace("tolerance: 1e-3", "tolerance: 1e-9");
    let exact = exact.replace("tolerance: 1e-5", "tolerance: 1e-9");
    for column in columns {
        let native = native_switches(&exact, column);
        let native: Vec<(f64, f64)> = native.into_iter().filter(|(t, _)| *t < stop).collect();
        let own = held_switches(&run, column);
        let own: Vec<(f64, f64)> = own.into_iter().filter(|(t, _)| *t < stop).collect();
        let values = |all: &[(f64, f64)]| all.iter().map(|(_, value)| *value).collect::<Vec<_>>();
        assert_eq!(values(&own), values(&native), "{column}: {own:?} {native:?}");
        assert!(own.len() >= least, "{column}: {own:?}");
        for ((own, _), (native, _)) in own.iter().zip(&native) {
            assert_near(*own, *native, 1e-5);
        }
    }
}

/// Each as a machine `m` beside the oscillator x'' = -x from 1, which it may push.
pub fn beside_oscillator(machine: &str, more: &str, push: &str) -> String {
    format!(
        "
blocks:
  x: {{type: Integrator, input: v, initial: 1}}
  v: {{type: Integrator, input: {push} - x, initial: 0}}
{more}  m:
    type: Modal
{machine}
simulate: {{stop: 10, tolerance: 1e-5}}
"
    )
}

#[test]
fn held_back_a_thermostat_switches_as_in_the_native_engine() {
    let text = MODAL_THERMOSTAT.replace("1e-2", "1e-5").replace("stop: 29", "stop: 17");
    assert_like_native(&text, &["m.state", "m.on"], 5);
}

#[test]
fn guards_over_values_and_times_go_together() {
    let machine = "    initial: a
    states:
      a: {outputs: {y: 0.25}, transitions: [{to: b, when: x < 0.2, after: 0.75}]}
      b: {outputs: {y: -0.5}, transitions: [{to: c, after: 1/3}]}
      c: {outputs: {y: 0}, transitions: [{to: a, when: elapsed > 0.4 and v < 0.3}]}";
    let text = beside_oscillator(machine, "", "m.y");
    assert_like_native(&text, &["m.state", "m.y"], 6);
}

#[test]
fn machines_in_machines_have_their_history() {
    let machine = "    initial: work
    states:
      work:
        blocks:
          inner:
            type: Modal
            initial: one
            states:
              one: {transitions: [{to: two, after: 0.3}]}
              two: {transitions: [{to: three, when: v < 0.5, after: 0.2}]}
              three: {transitions: [{to: one, after: 0.35}]}
        outputs: {y: inner.state, z: 0}
        transitions:
          - {to: pause, when: x < -0.5}
          - {to: reset, when: x > 0.95 and time > 1}
      pause:
        outputs: {y: -1, z: 1}
        transitions: [{to: work, after: 0.45, history: true}]
      reset:
        outputs: {y: -2, z: 2}
        transitions: [{to: work, after: 0.5}]";
    // Each pause ends while x is still below, so that the next one begins at once.
    let text = beside_oscillator(machine, "", "0");
    assert_like_native(&text, &["m.state", "m.y"], 10);
}

#[test]
fn parameters_are_set_and_chains_are_immediate() {
    let machine = "    initial: a
    parameters: {k: 0, best: 0}
    states:
      a:
        blocks:
          seen: {type: Sample, input: x, trigger: tick}
          n: {type: Counter, increment: seen, initial: k}
          held: {type: ZeroOrderHold, input: n, initial: k}
        outputs: {y: held}
        transitions: [{to: b, when: v > 0.5, set: {best: best + x, k: k + 10}}]
      b:
        outputs: {y: -1}
        transitions:
          - {to: c, when: best > -2, immediate: true}
          - {to: d, when: best <= -2, immediate: true}
      c: {outputs: {y: best}, transitions: [{to: a, when: v < -0.5}]}
      d: {outputs: {y: -best}, transitions: [{to: a, when: v < -0.5}]}";
    let text = beside_oscillator(machine, "  tick: {type: Clock, period: 0.3, offset: 0.1}\n", "0");
    let run = stream(&text, &held(0.02));
    assert!((0..run.len()).all(|e| get(&run, e, "m.state") != 1.0), "b lasts no evaluation");
    assert_like_native(
        &text.replace("y: best}", "y: -5}").replace("y: -best}", "y: -6}"),
        &["m.y", "m.state"],
        3,
    );
}

#[test]
fn what_is_said_is_there_once() {
    let machine = "    initial: a
    states:
      a: {transitions: [{to: b, when: x < 0, after: 0.2, output: {said: v}}]}
      b: {transitions: [{to: a, after: 0.6, output: {said: 7}}]}";
    let more = "  n: {type: Counter, increment: m.said}\n  k: {type: ZeroOrderHold, input: n, initial: 0}\n";
    let text = beside_oscillator(machine, more, "0");
    let text = text.replace("simulate:", "record: [m.said, m.state, k]\nsimulate:");
    for streaming in [with_step(0.02), shared(0.02), held(1.0 / 512.0)] {
        let run = stream(&text, &streaming);
        for e in 1..run.len() {
            let moved = get(&run, e, "m.state") != get(&run, e - 1, "m.state");
            assert!(moved || run.get(e, "m.said").is_none(), "{e}");
        }
        // What is taken back is not counted.
        let end = accepted(&run).last().expect("a row");
        let moves = switches(&run, "m.state").len() as f64;
        assert!(moves > 3.0 && get(&run, end, "k") == moves, "{moves}: {}", get(&run, end, "k"));
    }
}

#[test]
fn a_preemptive_transition_comes_first() {
    let machine = "    initial: on
    states:
      on:
        blocks:
          n: {type: Counter, increment: tick}
          k: {type: ZeroOrderHold, input: n, initial: 0}
        outputs: {n: k, e: n}
        transitions: [{to: off, when: present(stop), preemptive: true}]
      off:
        outputs: {n: 100}
        transitions: [{to: on, after: 0.7, history: true}]";
    let more = "  tick: {type: Clock, period: 0.5, offset: 0.5}\n  stop: {type: Clock, period: 2, offset: 1}\n";
    let text = beside_oscillator(machine, more, "0");
    assert_like_native(&text, &["m.n", "m.state"], 8);
}

/// A random machine whose states have clocks and, in the outer one, machines. Each lasts some time,
/// so that nothing hangs on the order of microsteps.
fn nested_machine(draw: &mut Draws, inner: bool) -> String {
    let part = |draw: &mut Draws, from: f64, to: f64| {
        let drawn = from + (to - from) * draw.below(1000) as f64 / 1000.0;
        format!("{drawn:.3}")
    };
    let (name, count) = (if inner { "q" } else { "p" }, 2 + draw.below(2));
    let mut states = String::new();
    for state in 0..count {
        let period = part(draw, 0.3, 0.8);
        let mut blocks = format!("c: {{type: Clock, period: {period}, offset: 0.11}}, ");
        blocks +=
            "n: {type: Counter, increment: c}, k: {type: ZeroOrderHold, input: n, initial: 0}";
        let mut given = format!("k + {}", 1000 * (state + 1));
        if !inner && draw.below(2) == 0 {
            blocks += &format!(", w: {{{}}}", nested_machine(draw, true));
            given += " + 100 * w.y";
        }
        let mut ways = String::new();
        for number in 0..=draw.below(2) {
            let to = if number == 0 { (state + 1) % count } else { draw.below(count) };
            let (after, level) = (part(draw, 0.15, 0.9), part(draw, -0.8, 0.8));
            ways += &format!("{{to: {name}{to}, after: {after}, priority: {number}");
            ways += &match draw.below(5) {
                0 => format!(", when: x < {level}"),
                1 => format!(", when: v > {level}, preemptive: true"),
                2 => format!(", when: x > {level} and v < {level}"),
                3 => format!(", when: elapsed > 1 + {level}"),
                _ => String::new(),
            };
            ways += if draw.below(2) == 0 { ", history: true}, " } else { "}, " };
        }
        states += &format!(
            "{name}{state}: {{blocks: {{{blocks}}}, outputs: {{y: {given}}}, transitions: [{ways}]}}, "
        );
    }
    format!("type: Modal, initial: {name}0, states: {{{states}}}")
}

#[test]
fn random_machines_in_machines_go_the_native_way() {
    let mut moves = 0;
    for seed in 0..10 {
        let machine = nested_machine(&mut Draws::new(seed), false);
        let text = format!(
            "
blocks:
  x: {{type: Integrator, input: v, initial: 1}}
  v: {{type: Integrator, input: -x, initial: 0}}
  m: {{{machine}}}
record: [m.state, m.y]
simulate: {{stop: 6, tolerance: 1e-5}}
"
        );
        // Without holding anything back it runs too.
        stream(&text, &with_step(0.05));
        let run = stream(&text, &held(1.0 / 512.0));
        let exact = text.replace("tolerance: 1e-5", "tolerance: 1e-9");
        for column in ["m.state", "m.y"] {
            let own = lasting(held_switches(&run, column));
            let native = lasting(native_switches(&exact, column));
            assert_eq!(own.len(), native.len(), "seed {seed}: {own:?} {native:?}\n{text}");
            for (own, native) in own.iter().zip(&native) {
                assert!(own.1 == native.1, "seed {seed}: {own:?} {native:?}\n{text}");
                assert_near(own.0, native.0, 3e-5);
            }
            moves += own.len();
        }
    }
    assert!(moves > 150, "{moves}");
}

/// Changes to what lasts, up to a little before the end.
fn lasting(all: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let next = all.iter().skip(1).map(|(time, _)| *time).chain([f64::INFINITY]);
    let lasts = all.iter().zip(next).filter(|((time, _), next)| next - time > 3e-5);
    lasts.map(|(change, _)| *change).filter(|(time, _)| *time < 5.99).collect()
}

/// What an inner machine says when the outer one leaves at the same time is heard all the same.
#[test]
fn last_words_are_heard() {
    let machine = "    initial: a
    states:
      a:
        blocks:
          inner:
            type: Modal
            initial: one
            states:
              one: {transitions: [{to: two, when: x < 0, output: {word: 1}}]}
              two: {transitions: [{to: one, when: x > 0.5, output: {word: 2}}]}
          n: {type: Counter, increment: inner.word}
          k: {type: ZeroOrderHold, input: n, initial: 0}
        outputs: {word: inner.word, k: k}
        transitions: [{to: b, when: x < 0 and v < 0}]
      b:
        outputs: {k: -1}
        transitions: [{to: a, when: x > 0 and v > 0, history: true}]";
    let more = "  n: {type: Counter, increment: m.word}
  heard: {type: ZeroOrderHold, input: n, initial: 0}
";
    let text = beside_oscillator(machine, more, "0");
    assert_like_native(&text, &["m.state", "m.k", "heard"], 3);
}

/// The clocks of states stand still with them, and states may share a diagram.
#[test]
fn clocks_in_states_are_local() {
    let machine = "    initial: a
    parameters: {g: 1}
    states:
      a:
        blocks:
          c: {type: Clock, period: 0.7, offset: 0.3}
          s: {type: Sample, input: floor(10 * time + 0.01) + 100 * g, trigger: c}
          k: {type: ZeroOrderHold, input: s, initial: 0}
        outputs: {k: k}
        transitions:
          - {to: b, when: x < -0.3 and v < 0, history: true, set: {g: g + 1}}
          - {to: c, when: x > 0.9 and v > 0 and elapsed > 1}
      b:
        like: a
        transitions: [{to: c, when: v > 0.2, history: true}]
      c:
        outputs: {k: -1}
        transitions: [{to: a, after: 0.45, history: true}]";
    let text = beside_oscillator(machine, "", "0");
    assert_like_native(&text, &["m.state", "m.k"], 4);
}

/// Drawn by the seed of the run, in the same order as in the native engine.
#[test]
fn the_seed_draws_the_same_transitions() {
    let machine = "    initial: a
    states:
      a: {transitions: [{to: b, after: 0.3, nondeterministic: true}, {to: c, after: 0.3, nondeterministic: true}]}
      b: {transitions: [{to: a, after: 0.2, nondeterministic: true}, {to: c, after: 0.2, nondeterministic: true}]}
      c: {transitions: [{to: a, default: true, when: x < 2, after: 0.1}, {to: b, when: x > 0, after: 0.1}]}";
    for seed in [1, 2, 3] {
        let text = beside_oscillator(machine, "", "0");
        let text = text.replace("tolerance", &format!("seed: {seed}, tolerance"));
        assert_like_native(&text, &["m.state"], 15);
    }
}
