//! Transitions: when they are taken, in which order, what they do, and the time in states that are
//! left and entered again.

use super::changes;
use crate::common::{assert_near, at, bits, compile, exact, failure, simulate, tags};
use superdense::RunError;

#[test]
fn time_stands_still_in_a_state_that_is_left() {
    let text = "
name: still
blocks:
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks:
          c: {type: Clock, period: 0.4, offset: 0.4}
          n: {type: Counter, increment: c}
        outputs: {t: time, c: c, n: n}
        transitions: [{to: b, after: 1}]
      b:
        outputs: {t: time}
        transitions: [{to: a, after: 0.5, history: true}]
record: [m.t, m.c, m.n, m.state]
simulate: {stop: 5, maximum_step: 0.05}
";
    let trace = simulate(text).trace;
    // a: [0, 1], [1.5, 2.5], [3, 4], [4.5, 5]; its own clock shows 0 to 1, 1 to 2, 2 to 3, 3 to 3.5.
    let states: Vec<f64> = changes(&trace, "m.state").iter().map(|c| c.0).collect();
    assert_eq!(states, [0.0, 1.0, 1.5, 2.5, 3.0, 4.0, 4.5]);
    let ticks: Vec<String> = tags(&trace, "m.c").iter().map(|tag| tag.time.decimal()).collect();
    // The tick of local time 2 is due when the state is left, and comes when it goes on.
    let expected = ["0.4", "0.8", "1.7", "2.1", "3", "3.4", "3.8", "4.7"];
    assert_eq!(ticks, expected, "local times 0.4, 0.8, ... 3.2");
    let shown = trace.series("m.t");
    let at = |t: f64| shown.iter().rfind(|(tag, _)| tag.time.seconds() <= t + 1e-12).unwrap().1;
    assert_near(at(2.0), 1.5, 1e-12);
    assert_near(at(2.75), 0.25, 1e-12);
    assert_near(at(5.0), 3.5, 1e-12);
}

#[test]
fn entry_anew_starts_everything_again() {
    let text = "
name: anew
blocks:
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks:
          x: {type: Integrator, input: 1, initial: 5}
          c: {type: Clock, period: 0.4}
          n: {type: Counter, increment: c}
        outputs: {x: x, c: c, n: n, t: time}
        transitions: [{to: b, after: 1}]
      b: {transitions: [{to: a, after: 0.25}]}
record: [m.x, m.c, m.n, m.t]
simulate: {start: 2, stop: 5, tolerance: 1e-9}
";
    let trace = simulate(text).trace;
    let ticks: Vec<(String, u32)> =
        tags(&trace, "m.c").iter().map(|tag| (tag.time.decimal(), tag.microstep)).collect();
    // A clock with offset 0 ticks when its diagram starts: one microstep after its first.
    let expected = [("2", 1), ("2.4", 1), ("2.8", 1), ("3.25", 2), ("3.65", 1), ("4.05", 1)];
    let expected: Vec<(String, u32)> =
        expected.iter().map(|(t, n)| ((*t).to_owned(), *n)).collect();
    assert_eq!(ticks[..6], expected);
    assert_eq!(at(&trace, "m.x", exact("3.25", 1)), Some(5.0));
    assert_eq!(at(&trace, "m.t", exact("3.25", 1)), Some(2.0), "as at the start of the run");
    assert_eq!(at(&trace, "m.x", exact("3", 0)), Some(6.0));
    assert_eq!(at(&trace, "m.x", exact("3", 1)), None);
}

#[test]
fn a_gear_shift_with_history() {
    // Each gear remembers its own integral of the throttle; only the one in use grows.
    let gear = |name: &str, next: &str, ratio: f64| {
        format!(
            "
      {name}:
        blocks:
          used: {{type: Integrator, input: {ratio}}}
        outputs: {{work: used, ratio: {ratio}}}
        transitions: [{{to: {next}, after: 1.5, history: true}}]"
        )
    };
    let text = format!(
        "
name: gears
blocks:
  box:
    type: Modal
    initial: first
    states:{}{}{}
  speed: {{type: Integrator, input: box.ratio}}
record: [box.work, speed, box.state]
simulate: {{stop: 10, tolerance: 1e-9}}
",
        gear("first", "second", 1.0),
        gear("second", "third", 2.0),
        gear("third", "first", 4.0)
    );
    let trace = simulate(&text).trace;
    // 1.5 s each: at t = 4.5 the first goes on from 1.5, at 9 again from 3.
    assert_near(at(&trace, "box.work", exact("4.5", 1)).unwrap(), 1.5, 1e-9);
    assert_near(at(&trace, "box.work", exact("9", 1)).unwrap(), 3.0, 1e-9);
    assert_near(at(&trace, "box.work", exact("6", 1)).unwrap(), 3.0, 1e-9);
    assert_near(trace.last("box.work").unwrap(), 4.0, 1e-9);
    assert_near(trace.last("speed").unwrap(), 2.0 * 1.5 * 7.0 + 1.0, 1e-9);
}

#[test]
fn output_actions_speak_once_at_the_next_microstep() {
    let text = "
name: actions
blocks:
  c: {type: Clock, period: 1, offset: 1}
  m:
    type: Modal
    initial: idle
    parameters: {count: 0}
    states:
      idle:
        transitions:
          - {to: busy, when: present(c), set: {count: count + 1}, output: {said: 10 * count}}
      busy:
        transitions:
          - {to: idle, after: 0.5, output: {said: -count}}
  total: {type: Counter, increment: m.said}
record: [m.said, total, m.state]
simulate: {stop: 3.75}
";
    let trace = simulate(text).trace;
    let said: Vec<(String, u32, f64)> = trace
        .series("m.said")
        .into_iter()
        .map(|(tag, value)| (tag.time.decimal(), tag.microstep, value))
        .collect();
    let expected = [
        // A clock's event is there at microstep 1, what it causes at 2; a delay ends at 0.
        ("1", 2, 0.0),
        ("1.5", 1, -1.0),
        ("2", 2, 10.0),
        ("2.5", 1, -2.0),
        ("3", 2, 20.0),
        ("3.5", 1, -3.0),
    ];
    let expected: Vec<(String, u32, f64)> =
        expected.iter().map(|(t, n, x)| ((*t).to_owned(), *n, *x)).collect();
    assert_eq!(said, expected);
    assert_eq!(trace.last("total"), Some(6.0));
}

#[test]
fn immediate_transitions_chain_in_one_microstep() {
    let text = |more: &str| {
        format!(
            "
name: chain
blocks:
  m:
    type: Modal
    initial: a
    states:
      a: {{transitions: [{{to: b, after: 1}}]}}
      b: {{transitions: [{{to: c, immediate: true}}]}}
      c: {{transitions: [{{to: d, immediate: true}}]}}
      d: {{outputs: {{y: 1}}{more}}}
record: [m.state, m.y]
simulate: {{stop: 2}}
"
        )
    };
    let trace = simulate(&text("")).trace;
    assert_eq!(changes(&trace, "m.state"), [(0.0, 0, 0.0), (1.0, 1, 3.0)]);
    let round = failure(&text(", transitions: [{to: b, immediate: true}]")).error;
    match round {
        RunError::ImmediateCycle { states, .. } => assert_eq!(states, ["b", "c", "d", "b"]),
        other => panic!("{other}"),
    }
}

#[test]
fn two_ways_out_are_an_error_unless_both_are_drawn() {
    let text = |mark: &str| {
        format!(
            "
name: ways
blocks:
  m:
    type: Modal
    initial: a
    states:
      a:
        transitions:
          - {{to: b, after: 1{mark}}}
          - {{to: c, when: time >= 1{mark}}}
          - {{to: d, default: true, when: time > 5}}
      b: {{transitions: [{{to: a, after: 0.1}}]}}
      c: {{transitions: [{{to: a, after: 0.1}}]}}
      d: {{}}
record: [m.state]
simulate: {{stop: 30, seed: 3}}
"
        )
    };
    match failure(&text("")).error {
        RunError::Ambiguous { tag, state, to, .. } => {
            assert_eq!((state.as_str(), to), ("a", vec!["b".to_owned(), "c".to_owned()]));
            assert_eq!(tag, exact("1", 0));
        }
        other => panic!("{other}"),
    }
    let trace = simulate(&text(", nondeterministic: true")).trace;
    let first = trace.series("m.state").iter().find(|(_, s)| *s != 0.0).unwrap().1;
    assert!(first == 1.0 || first == 2.0);
    let again = simulate(&text(", nondeterministic: true")).trace;
    assert_eq!(bits(&trace, 0), bits(&again, 0), "the same seed draws the same");
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let text = text(", nondeterministic: true").replace("seed: 3", &format!("seed: {seed}"));
        let trace = simulate(&text).trace;
        seen.insert(trace.series("m.state").iter().find(|(_, s)| *s != 0.0).unwrap().1 as i64);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [1, 2], "each is drawn by some seed");
}

#[test]
fn nested_machines_with_preemption_at_both_levels() {
    let text = |outer: &str, inner: &str| {
        format!(
            "
name: nested
blocks:
  c: {{type: Clock, period: 1, offset: 1}}
  outer:
    type: Modal
    initial: on
    states:
      on:
        blocks:
          inner:
            type: Modal
            initial: a
            states:
              a:
                blocks: {{n: {{type: Counter, increment: c}}}}
                outputs: {{n: n}}
                transitions: [{{to: b, when: present(c){inner}}}]
              b: {{outputs: {{n: -1}}}}
        outputs: {{n: inner.n, inner: inner.state}}
        transitions: [{{to: off, when: present(c){outer}}}]
      off:
        outputs: {{n: 100}}
        transitions: [{{to: on, after: 0.5, history: true}}]
record: [outer.n, outer.inner, outer.state]
simulate: {{stop: 1.75}}
"
        )
    };
    let early = ", preemptive: true";
    let seen = |outer: &str, inner: &str| {
        let trace = simulate(&text(outer, inner)).trace;
        let at_1 = at(&trace, "outer.n", exact("1", 1));
        (at_1, at(&trace, "outer.n", exact("1", 2)), at(&trace, "outer.inner", exact("1.5", 1)))
    };
    // Without preemption the counter counts, both machines move, and history finds the inner one
    // in its new state.
    assert_eq!(seen("", ""), (Some(1.0), Some(100.0), Some(1.0)));
    // The inner preemption silences the counter.
    assert_eq!(seen("", early), (None, Some(100.0), Some(1.0)));
    // The outer one silences the inner machine altogether, whatever that would do.
    assert_eq!(seen(early, ""), (None, Some(100.0), Some(0.0)));
    assert_eq!(seen(early, early), (None, Some(100.0), Some(0.0)));
}

/// Two comparisons in one guard, and a located guard in a state before: each has its own residual.
#[test]
fn a_located_guard_leaves_its_neighbour_alone() {
    let text = "
name: neighbours
blocks:
  m:
    type: Modal
    initial: wait
    states:
      wait:
        blocks: {a: {type: Integrator, input: 1}}
        outputs: {x: a}
        transitions: [{to: dip, when: a > 0.25}]
      dip:
        blocks: {s: {type: Integrator, input: 1}}
        outputs: {x: s}
        transitions: [{to: end, when: s * (s - 1) > 0 and 2 * s > 1}]
      end: {}
record: [m.x, m.state]
simulate: {stop: 2, tolerance: 1e-10}
";
    let states = changes(&simulate(text).trace, "m.state");
    assert_eq!(states.len(), 3, "{states:?}");
    // s (s - 1) is negative until s = 1; 2 s > 1 from s = 0.5 on, where the product rises.
    assert_near(states[2].0, 1.25, 1e-9);
}

/// A state that is entered anew puts its far timers on the agenda each time; those of the times
/// before are forgotten.
#[test]
fn switching_often_does_not_fill_the_agenda() {
    let system = compile(
        "
blocks:
  m:
    type: Modal
    initial: on
    states:
      on:
        blocks:
          far: {type: Clock, period: 1000, offset: 1000}
          x: {type: Counter, increment: far}
        transitions: [{to: off, after: 0.001}]
      off:
        transitions: [{to: on, after: 0.001}]
record: [m.state]
simulate: {stop: 20}
",
    );
    let mut run = system.begin();
    let mut sizes = Vec::new();
    for ticks in [1000, 2000, 8000] {
        while run.counters().ticks < ticks {
            run.advance().unwrap();
        }
        sizes.push(run.save().len());
    }
    assert!(sizes[2] < sizes[0] + 3000, "{sizes:?}");
}
