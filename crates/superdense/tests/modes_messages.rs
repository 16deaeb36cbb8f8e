//! What is said about state machines that are refused.

use crate::common::{codes, refusal};

fn refused(machine: &str) -> (Vec<&'static str>, String) {
    let text = format!(
        "
name: bad
diagrams:
  D: {{inputs: [u], outputs: {{y: s}}, blocks: {{s: {{type: Integrator, input: u}}}}}}
  P: {{parameters: {{p: 1, q: 2 * p}}, outputs: {{y: s}}, blocks: {{s: {{type: Integrator, input: q}}}}}}
blocks:
  x: {{type: Integrator, input: 1}}
  m: {{type: Modal, initial: a, {machine}}}
simulate: {{stop: 1}}
"
    );
    let refused = refusal(&text);
    (codes(&refused), refused.to_string())
}

/// Checks that the only message has a code and says some things.
#[track_caller]
fn says(machine: &str, code: &str, parts: &[&str]) {
    let (codes, text) = refused(machine);
    assert_eq!(codes, [code], "{text}");
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

#[test]
fn a_parameter_made_of_one_that_is_set() {
    says(
        "parameters: {k: 1, j: 2 * k}, states: {a: {outputs: {y: j}, transitions: [{to: a, after: 1, set: {k: 2}}]}}",
        "not-constant",
        &[
            "parameter `j` depends on `k`, which may change during a run",
            "write the expression where `j` is used",
        ],
    );
    says(
        "parameters: {k: 1}, states: {a: {parameters: {w: 3 * k}, outputs: {y: w}, transitions: [{to: a, after: 1, set: {k: 2}}]}}",
        "not-constant",
        &["parameter `w` depends on `k`"],
    );
    says(
        "parameters: {k: 1}, states: {a: {blocks: {d: {type: P, p: k}}, outputs: {y: d.y}, transitions: [{to: a, after: 1, set: {k: 2}}]}}",
        "not-constant",
        &["parameter `q` depends on `p`"],
    );
}

#[test]
fn a_constant_that_a_transition_sets() {
    says(
        "parameters: {k: 1}, states: {a: {transitions: [{to: a, after: k, set: {k: 2}}]}}",
        "not-constant",
        &["`k` may change during a run, and this must be constant"],
    );
    says(
        "parameters: {k: 1}, states: {a: {blocks: {c: {type: Clock, period: k}}, outputs: {y: c}, transitions: [{to: a, after: 1, set: {k: 2}}]}}",
        "not-constant",
        &["`k` may change during a run"],
    );
}

#[test]
fn names_that_would_mean_two_things() {
    says("states: {a: {outputs: {state: 1}}}", "reserved-name", &["the name of an output"]);
    says("outputs: [done], states: {a: {outputs: {done: 1}}}", "reserved-name", &["`done`"]);
    says(
        "states: {a: {transitions: [{to: state, after: 1}]}, state: {}}",
        "reserved-name",
        &["the name of a state"],
    );
    says(
        "states: {a: {outputs: {b: 1}, transitions: [{to: b, after: 1}]}, b: {}}",
        "duplicate-name",
        &["`b` is both an output and a state"],
    );
    says("outputs: [y, y], states: {a: {outputs: {y: 1}}}", "duplicate-name", &["given twice"]);
}

#[test]
fn what_cannot_be_set() {
    says(
        "states: {a: {blocks: {d: {type: D, u: 1}}, outputs: {y: d.y}, transitions: [{to: a, after: 1, set: {d: 7}}]}}",
        "set-into-nothing",
        &["`d` is an instance of a diagram", "as in `d.s`"],
    );
    says(
        "states: {a: {blocks: {d: {type: Modal, states: {p: {outputs: {z: 1}}}}}, outputs: {y: d.z}, transitions: [{to: a, after: 1, set: {d: 7}}]}}",
        "set-into-nothing",
        &["`d` is a state machine"],
    );
}

#[test]
fn a_name_that_is_not_seen_in_a_state() {
    says(
        "parameters: {rate: 1}, states: {a: {blocks: {speed: {type: Integrator, input: 1}}, outputs: {y: zzz}}}",
        "unknown-name",
        &["there is: speed, rate, x, m"],
    );
    says(
        "states: {a: {outputs: {y: t}}}",
        "unknown-name",
        &["the time of the model is called `time`"],
    );
}

/// One mistake, one message: what follows from it is not told.
#[test]
fn a_broken_transition_hides_no_state() {
    says("states: {a: {transitions: [{to: b, when: zzz > 1}]}, b: {}}", "unknown-name", &["`zzz`"]);
    says("states: {a: {transitions: [{to: bb, after: 1}]}, b: {}}", "unknown-state", &["`b`"]);
}

#[test]
fn types_that_do_not_fit() {
    says(
        "states: {a: {outputs: {y: true}, transitions: [{to: b, after: 1}]}, b: {outputs: {y: 2.5}}}",
        "type-mismatch",
        &["boolean in one place and real in another"],
    );
    says(
        "states: {a: {transitions: [{to: a, when: \"[true, false]\"}]}}",
        "bad-guard",
        &["this is a boolean vector of 2", "ask for one of its elements"],
    );
    says(
        "parameters: {k: false}, states: {a: {transitions: [{to: a, after: 1, set: {k: 1}}]}}",
        "type-mismatch",
        &["is a boolean, and this is an integer"],
    );
}

#[test]
fn words_that_are_no_flags_and_no_names() {
    says(
        "states: {a: {transitions: [{to: a, after: 1, history: 1}]}}",
        "wrong-kind",
        &["`history` is `true` or `false`, not `1`", "write it like `history: true`"],
    );
    let (codes, text) = refused("states: {a: {transitions: [{to: 2, after: 1}]}, 2: {}}");
    assert_eq!(codes, ["invalid-name"], "{text}");
    assert!(text.contains("put a letter before it, as in `s2`"), "{text}");
}
