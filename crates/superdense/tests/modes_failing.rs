//! State machines whose diagrams fail: the way out, its limits, and what the rows show.

use crate::common::{assert_at, assert_near, at, exact, failure, simulate, tags};
use superdense::{RunError, Trace};

/// A counter of seconds `n`, the same held as `h`, and a machine.
fn counted(states: &str, stop: &str) -> String {
    format!(
        "
name: failing
blocks:
  c: {{type: Clock, period: 1, offset: 1}}
  n: {{type: Counter, increment: c}}
  h: {{type: ZeroOrderHold, input: n}}
  x: {{type: Integrator, input: -1, initial: 1}}
  m:
    type: Modal
    initial: a
    states:
{states}
record: [m.y, m.state]
simulate: {{stop: {stop}}}
"
    )
}

fn states(trace: &Trace) -> Vec<(String, u32, f64)> {
    let mut found: Vec<(String, u32, f64)> = Vec::new();
    for (tag, state) in trace.series("m.state") {
        if found.last().is_none_or(|last| last.2 != state) {
            found.push((tag.time.decimal(), tag.microstep, state));
        }
    }
    found
}

/// A way out that leads back to what fails ends with the failure, after as many attempts as there
/// may be microsteps.
#[test]
fn a_way_out_into_the_same_failure_ends() {
    let own = "      a: {outputs: {y: 1 / (2 - n)}, transitions: [{to: a, error: true}]}";
    let each_other = "
      a: {outputs: {y: 1 / (2 - n)}, transitions: [{to: b, error: true}]}
      b: {outputs: {y: 2 / (2 - n)}, transitions: [{to: a, error: true}]}";
    let at_the_start = "
      a: {outputs: {y: 1 / (n - n)}, transitions: [{to: b, error: true}]}
      b: {outputs: {y: 1 / (x - x)}, transitions: [{to: b, error: true}]}";
    for machine in [own, each_other, at_the_start] {
        let error = failure(&counted(machine, "3")).error;
        assert!(matches!(error, RunError::NotFinite { .. }), "{error}");
    }
    // Between events: x' = x^2 blows up, and goes on from where it was.
    let smooth = "
      a:
        blocks: {z: {type: Integrator, input: z ^ 2, initial: 1}}
        outputs: {y: z}
        transitions: [{to: a, error: true, history: true}]";
    let error = failure(&counted(smooth, "3")).error;
    assert!(matches!(error, RunError::StepTooSmall { .. } | RunError::NotFinite { .. }), "{error}");
}

/// Where a state fails at a tick, the microstep is done again in the other state.
#[test]
fn a_failure_at_a_tick_has_one_row() {
    let machine = "
      a: {outputs: {y: 1 / (2 - h)}, transitions: [{to: b, error: true}]}
      b: {outputs: {y: 7}}";
    let trace = simulate(&counted(machine, "3")).trace;
    assert_eq!(states(&trace), [("0".into(), 0, 0.0), ("2".into(), 1, 1.0)]);
    assert_at(&trace, "m.y", &[("2", 0, 1.0), ("2", 1, 7.0)]);
}

/// The function of a guard fails when its side is taken, after the row of the microstep.
#[test]
fn a_row_of_a_failed_attempt_is_never_seen() {
    let machine = "
      a:
        outputs: {y: h}
        transitions: [{to: b, when: log(1.5 - h) + x > 10}, {to: safe, error: true}]
      b: {}
      safe: {outputs: {y: 100 + h}}";
    let trace = simulate(&counted(machine, "3")).trace;
    assert_eq!(states(&trace), [("0".into(), 0, 0.0), ("2".into(), 1, 2.0)]);
    assert_at(&trace, "m.y", &[("2", 0, 1.0), ("2", 1, 102.0)]);
}

/// An output alone fails, between events, and the point at which that is found is made again.
#[test]
fn an_output_that_fails_between_events_leads_out() {
    let machine = "
      a: {outputs: {y: sqrt(x)}, transitions: [{to: b, error: true, set: {k: x}}]}
      b: {parameters: {k: 5}, outputs: {y: k}}";
    let trace = simulate(&counted(machine, "3, every: 0.75")).trace;
    let found = states(&trace);
    assert_eq!(found.len(), 2);
    // x is below 0 from 1 s on; the clock of 1 s is just at the edge, the row of 1.5 s beyond it.
    assert_eq!((found[1].0.as_str(), found[1].1), ("1.5", 0));
    assert_near(at(&trace, "m.y", exact("1.5", 0)).unwrap(), -0.5, 1e-9);
    assert_near(trace.last("m.y").unwrap(), -0.5, 1e-9);
    // At the end of the run there is a row too.
    let trace = simulate(&counted(machine, "0.99")).trace;
    assert_eq!(states(&trace).len(), 1);
}

#[test]
fn a_failure_at_the_start_leads_out() {
    let machine = "
      a:
        outputs: {y: 1 / time}
        transitions: [{to: b, error: true, set: {z: 3}, output: {alarm: 1}}]
      b:
        blocks: {z: {type: Integrator, input: 1}}
        outputs: {y: z}";
    let text = counted(machine, "2").replace("m.state]", "m.state, m.alarm]");
    let trace = simulate(&text).trace;
    assert_eq!(states(&trace), [("0".into(), 0, 1.0)]);
    assert_eq!(at(&trace, "m.y", exact("0", 0)), Some(3.0));
    assert_near(trace.last("m.y").unwrap(), 5.0, 1e-9);
    assert_eq!(tags(&trace, "m.alarm"), [exact("0", 1)], "it is said once");
}

/// A value to set that is not finite is a failure of the state that is left.
#[test]
fn a_set_that_is_not_finite_leads_out() {
    let machine = "
      a:
        outputs: {y: time}
        transitions: [{to: b, after: 1, set: {k: 1 / (time - 1)}}, {to: safe, error: true}]
      b: {parameters: {k: 0}, outputs: {y: k}}
      safe: {outputs: {y: 8}}";
    let trace = simulate(&counted(machine, "2")).trace;
    assert_eq!(states(&trace), [("0".into(), 0, 0.0), ("1".into(), 1, 2.0)]);
    assert_eq!(at(&trace, "m.y", exact("1", 0)), Some(1.0), "the left limit is that of the state");
    let without = machine.replace(", {to: safe, error: true}", ", {to: safe, after: 1.5}");
    let error = failure(&counted(&without, "2")).error;
    assert!(matches!(&error, RunError::NotFinite { block, .. } if block == "m.a.set.k"), "{error}");
}

/// The innermost machine that has a way out takes it, and where that fails too the next one.
#[test]
fn an_outer_state_catches_what_an_inner_one_does_not() {
    let machine = "
      a:
        blocks:
          i:
            type: Modal
            initial: p
            states:
              p: {outputs: {y: 1 / (2 - n)}, transitions: [{to: q, error: true}]}
              q: {outputs: {y: 3 / (2 - n)}}
        outputs: {y: i.y}
        transitions: [{to: b, error: true}]
      b: {outputs: {y: n * 10}}";
    let trace = simulate(&counted(machine, "3")).trace;
    assert_eq!(states(&trace), [("0".into(), 0, 0.0), ("2".into(), 1, 1.0)]);
    assert_eq!(at(&trace, "m.y", exact("2", 1)), Some(20.0));
}

/// What a preemptive transition silences cannot fail.
#[test]
fn a_silenced_diagram_does_not_fail() {
    let machine = "
      a:
        outputs: {y: 1 / (2 - n)}
        transitions: [{to: b, when: present(c) and n == 2, preemptive: true}]
      b: {outputs: {y: n}}";
    let trace = simulate(&counted(machine, "3")).trace;
    assert_eq!(at(&trace, "m.y", exact("2", 1)), None);
    assert_eq!(states(&trace), [("0".into(), 0, 0.0), ("2".into(), 2, 1.0)]);
    let loud = machine.replace("n == 2", "n == 3");
    assert!(matches!(failure(&counted(&loud, "3")).error, RunError::NotFinite { .. }));
}

/// The guards of one state have names of their own.
#[test]
fn a_failing_guard_is_named_by_its_number() {
    let machine = "
      a:
        outputs: {y: 0}
        transitions:
          - {to: b, when: x + h > 100}
          - {to: b, when: log(1.5 - h) + x > 10}
      b: {}";
    let error = failure(&counted(machine, "3")).error;
    assert_eq!(error.block(), "m.a.when#2");
}
