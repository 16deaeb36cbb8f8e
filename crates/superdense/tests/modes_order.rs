//! State machines that act on each other: what sees which value, whatever the order.

use crate::common::{assert_at, assert_near, at, exact, failure, refusal, simulate};
use superdense::RunError;

fn model(blocks: &str, record: &str, stop: &str) -> String {
    format!(
        "
name: order
blocks:
  c: {{type: Clock, period: 1, offset: 1}}
{blocks}
record: [{record}]
simulate: {{stop: {stop}}}
"
    )
}

/// A preemptive transition with two conditions silences its diagram where both hold, no earlier.
#[test]
fn a_preemptive_transition_waits_for_all_its_conditions() {
    let blocks = "
  m:
    type: Modal
    initial: on
    states:
      on:
        blocks: {n: {type: Counter, increment: c}}
        outputs: {n: n}
        transitions:
          - {to: off, when: present(c), after: 2.5, preemptive: true}
          - {to: off, when: present(c), after: 9, preemptive: true}
      off: {outputs: {n: 100}}";
    let trace = simulate(&model(blocks, "m.n, m.state", "4")).trace;
    assert_at(&trace, "m.n", &[("1", 1, 1.0), ("2", 1, 2.0)]);
    assert_eq!(at(&trace, "m.n", exact("3", 1)), None);
    assert_at(&trace, "m.state", &[("3", 1, 0.0), ("3", 2, 1.0)]);
}

/// A guard over a truth value that another machine sets is looked at one microstep later.
#[test]
fn a_guard_sees_what_another_machine_has_set() {
    let blocks = "
  m:
    type: Modal
    initial: a
    parameters: {go: false}
    states:
      a:
        blocks:
          i:
            type: Modal
            initial: p
            states:
              p: {transitions: [{to: q, after: 1, set: {go: true}}]}
              q: {}
        outputs: {y: 1}
        transitions: [{to: b, when: go}]
      b: {outputs: {y: 2}}";
    let trace = simulate(&model(blocks, "m.y, m.state", "2")).trace;
    assert_at(&trace, "m.state", &[("1", 1, 0.0), ("1", 2, 1.0)]);
}

/// `left` of a held signal changes when the next tick begins, and the guard is decided there.
#[test]
fn a_guard_over_the_left_limit_of_a_held_signal() {
    let blocks = "
  h: {type: ZeroOrderHold, input: 5 * c}
  x: {type: Integrator, input: 1}
  m:
    type: Modal
    initial: a
    states:
      a: {outputs: {y: 0}, transitions: [{to: b, when: left(h) > 1}]}
      b: {outputs: {y: 1}}";
    for record in ["m.y, m.state", "m.y, m.state, x, h"] {
        let trace = simulate(&model(blocks, record, "4")).trace;
        assert_at(&trace, "m.state", &[("2", 0, 0.0), ("2", 1, 1.0)]);
    }
}

/// Entered anew, a diagram and the machines in it start from their own values, not from those with
/// which they were left.
#[test]
fn nested_machines_start_from_their_own_values() {
    let blocks = "
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks:
          e: {type: MicrostepDelay, input: j.z}
          j:
            type: Modal
            initial: p
            states:
              p:
                blocks: {w: {type: MicrostepDelay, input: i.y}}
                outputs: {z: i.y + 1, w: w}
          i:
            type: Modal
            initial: p
            states: {p: {outputs: {y: 2 * x}}}
          x: {type: Integrator, input: 1, initial: 5}
        outputs: {e: e, w: j.w, y: i.y}
        transitions: [{to: b, after: 1}]
      b: {transitions: [{to: a, after: 0.5}]}";
    let trace = simulate(&model(blocks, "m.e, m.w, m.y", "4")).trace;
    for time in ["1.5", "3"] {
        assert_eq!(at(&trace, "m.y", exact(time, 1)), Some(10.0));
        assert_eq!(at(&trace, "m.w", exact(time, 1)), Some(10.0), "at {time}");
        assert_eq!(at(&trace, "m.e", exact(time, 1)), Some(11.0), "at {time}");
    }
}

/// An immediate transition of an inner machine is decided by the values with which it starts.
#[test]
fn guards_of_nested_machines_see_the_values_of_the_entry() {
    let blocks = "
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks:
          x: {type: Integrator, input: 1}
          i:
            type: Modal
            initial: p
            states:
              p: {outputs: {y: 1}, transitions: [{to: q, when: x > 0.75}]}
              q: {outputs: {y: 2}}
        outputs: {y: i.y}
        transitions: [{to: b, after: 1}]
      b: {transitions: [{to: a, after: 0.5}]}";
    let trace = simulate(&model(blocks, "m.y", "2")).trace;
    assert_at(&trace, "m.y", &[("1", 0, 2.0), ("1.5", 1, 1.0)]);
    assert_eq!(at(&trace, "m.y", exact("2", 0)), Some(1.0), "x is at 0.5");
}

/// A parameter that starts again is what blocks start from.
#[test]
fn a_state_that_starts_from_a_parameter_sees_it_start_again() {
    let blocks = "
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks:
          i:
            type: Modal
            initial: p
            parameters: {k: 1}
            states:
              p:
                blocks: {x: {type: Integrator, input: 0, initial: 2 * k}}
                outputs: {x: x}
                transitions: [{to: p, after: 0.5, set: {k: 7}}]
        outputs: {x: i.x}
        transitions: [{to: b, after: 0.75}]
      b: {transitions: [{to: a, after: 0.25}]}";
    let trace = simulate(&model(blocks, "m.x", "2")).trace;
    assert_at(&trace, "m.x", &[("0.5", 1, 14.0), ("1", 1, 2.0), ("1.5", 1, 14.0)]);
}

/// The same through the parameter of an instance.
#[test]
fn an_instance_starts_from_what_was_just_set() {
    let text = "
name: instance
diagrams:
  D: {parameters: {p: 0}, outputs: {y: x}, blocks: {x: {type: Integrator, input: 0, initial: p}}}
blocks:
  m:
    type: Modal
    initial: a
    parameters: {k: 1}
    states:
      a:
        blocks: {d: {type: D, p: 3 * k}}
        outputs: {y: d.y}
        transitions: [{to: a, after: 0.5, set: {k: k + 1}}]
record: [m.y]
simulate: {stop: 1.2}
";
    let trace = simulate(text).trace;
    assert_at(&trace, "m.y", &[("0", 0, 3.0), ("0.5", 1, 6.0), ("1", 1, 9.0)]);
}

/// Two machines that move at once both see the values from before.
fn together(outer: &str) -> String {
    let blocks = format!(
        "
  m:
    type: Modal
    initial: a
    parameters: {{k: 1}}
    states:
      a:
        blocks:
          i:
            type: Modal
            initial: p
            states:
              p: {{transitions: [{{to: q, after: 1, set: {{k: k + 10}}}}]}}
              q: {{}}
        outputs: {{y: k}}
        transitions: [{{to: b, after: 1, set: {{{outer}}}}}]
      b: {{parameters: {{w: 0}}, outputs: {{y: 100 * w + k}}}}"
    );
    model(&blocks, "m.y", "2")
}

#[test]
fn actions_are_computed_before_any_is_done() {
    let trace = simulate(&together("w: k")).trace;
    assert_eq!(at(&trace, "m.y", exact("1", 1)), Some(111.0));
}

#[test]
fn two_machines_do_not_set_the_same_at_once() {
    let failed = failure(&together("k: 3"));
    let RunError::SetTwice { tag, target, machines } = &failed.error else {
        panic!("{}", failed.error)
    };
    assert_eq!((*tag, target.as_str()), (exact("1", 0), "m.k"));
    assert_eq!(machines, &["m".to_owned(), "m.a.i".to_owned()]);
    assert_eq!(failed.error.code(), "set-twice");
}

/// A default transition may be immediate: it is the way on where no other immediate one is.
#[test]
fn an_immediate_default_is_taken_at_once() {
    let text = |level: &str| {
        let blocks = format!(
            "
  x: {{type: Integrator, input: 1}}
  m:
    type: Modal
    initial: a
    states:
      a: {{outputs: {{y: 0}}, transitions: [{{to: b, after: 1}}]}}
      b:
        outputs: {{y: 1}}
        transitions:
          - {{to: far, when: x > {level}, immediate: true}}
          - {{to: near, default: true, immediate: true}}
      far: {{outputs: {{y: 2}}}}
      near: {{outputs: {{y: 3}}}}"
        );
        model(&blocks, "m.y", "2")
    };
    assert_eq!(at(&simulate(&text("0.5")).trace, "m.y", exact("1", 1)), Some(2.0));
    assert_eq!(at(&simulate(&text("5")).trace, "m.y", exact("1", 1)), Some(3.0));
}

#[test]
fn flags_that_exclude_each_other_are_refused() {
    let flags = ["error: true, immediate: true", "after: 1, immediate: true"];
    for flags in flags {
        let blocks = format!(
            "  m: {{type: Modal, initial: a, states: {{a: {{outputs: {{y: 1}}, transitions: [{{to: a, {flags}}}]}}}}}}"
        );
        let refused = refusal(&model(&blocks, "m.y", "2")).to_string();
        assert!(refused.contains("immediate") && refused.contains("bad-transition"), "{refused}");
    }
}

/// The values of a run do not depend on what was integrated between: only the event counts.
#[test]
fn a_set_of_a_flowing_state_holds() {
    let blocks = "
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks: {x: {type: Integrator, input: 1}}
        outputs: [x]
        transitions: [{to: a, after: 0.5, set: {x: 10 * x}, history: true}]";
    let trace = simulate(&model(blocks, "m.x", "1.2")).trace;
    assert_near(at(&trace, "m.x", exact("0.5", 1)).unwrap(), 5.0, 1e-12);
    assert_near(at(&trace, "m.x", exact("1", 1)).unwrap(), 55.0, 1e-9);
}
