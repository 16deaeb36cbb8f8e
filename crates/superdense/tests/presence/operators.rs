//! Operators on events: accepted if the events are provably present at the same tags.

use super::message;
use crate::common::{codes, refusal, try_compile};

/// Events of all kinds: those of one letter are present at the same tags.
const EVENTS: &str = "
diagrams:
  Answer:
    inputs: [trigger, x]
    outputs: {value: 3 * s}
    blocks:
      s: {type: Sample, input: x, trigger: trigger}
blocks:
  x: {type: Integrator, input: cos(time)}
  h: {type: ZeroOrderHold, input: a}
  a: {type: Clock, period: 0.3}
  a1: {type: Clock, period: 0.1 * 3, offset: 0, value: 7}
  a2: {type: Counter, increment: a}
  a3: {type: Sample, input: x, trigger: a2}
  a4: {type: Gain, input: a3, gain: 2}
  a5: {type: PeriodicSampler, input: x, period: 3/10}
  a6: {type: Answer, trigger: a1, x: x}
  a7: {type: Answer, trigger: a, x: h}
  a8: {type: Negate, input: -a4 / 2}
  a9: {type: Sample, input: g3, trigger: a}
  b: {type: Clock, period: 0.5}
  b1: {type: Counter, increment: b}
  c: {type: MicrostepDelay, input: a}
  c1: {type: MicrostepDelay, input: a2}
  c2: {type: EventDelay, input: a4, delay: 0}
  d: {type: EventDelay, input: a, delay: 0.1}
  d1: {type: TransportDelay, input: a3, delay: 1/10}
  d2: {type: EventDelay, input: a2, delay: 0.1}
  e: {type: EventDelay, input: a, delay: 0.2}
  f: {type: LevelCrossing, input: x, level: 0.5}
  f1: {type: LevelCrossing, input: x, level: 1/2}
  f2: {type: Counter, increment: f}
  g: {type: Merge, inputs: [a, b, f]}
  g1: {type: Sum, inputs: [b, f, a]}
  g2: {type: Counter, increment: f, decrement: b, reset: a}
  g3: {type: Sum, inputs: [f1, a4, b1]}
  i: {type: LevelCrossing, input: x, level: 0.5, direction: rising}
  j: {type: Queue, input: a, trigger: b}
  j1: {type: Queue, input: a2, trigger: b1}
  k: {type: Queue, input: a, trigger: b, capacity: 2, full: drop}
  l: {type: Sample, input: f, trigger: a}
  l1: {type: Sample, input: a, trigger: f2}
  n: {type: EventDelay, input: p, delay: 0.15}
  p: {type: Merge, inputs: [a, n]}
  p1: {type: Gain, input: p}
simulate: {stop: 2}
";

/// A model with all events and an expression that is recorded as `y`.
fn with_events(expression: &str) -> String {
    format!("{EVENTS}record: {{y: \"{expression}\"}}\n")
}

/// The names of the events, and the letters of those that are present at the same tags.
fn event_names() -> Vec<(char, &'static str)> {
    let blocks = EVENTS.split("\nblocks:\n").nth(1).expect("a section");
    let names = blocks.lines().filter_map(|line| line.strip_prefix("  ")?.split(':').next());
    let events = names.filter(|name| !["x", "h"].contains(name));
    events.map(|name| (name.chars().next().expect("a letter"), name)).collect()
}

#[test]
fn operators_take_events_that_are_provably_present_at_the_same_tags() {
    let names = event_names();
    let mut refused = 0;
    for (index, (letter, name)) in names.iter().enumerate() {
        // One of each letter is enough for the pairs that are refused.
        let others = names.iter().enumerate().filter(|(other, (class, _))| {
            class == letter || (name.len() == 1 && *other > index && names[*other].1.len() == 1)
        });
        for (_, (class, other)) in others {
            let found = try_compile(&with_events(&format!("{name} - {other}")));
            match (class == letter, found) {
                (true, Ok(_)) => {}
                (true, Err(why)) => panic!("{name} - {other} was refused:\n{why}"),
                (false, Ok(_)) => panic!("{name} - {other} was not refused"),
                (false, Err(why)) => {
                    assert_eq!(codes(&why), ["presence-mismatch"], "{name} {other}: {why}");
                    refused += 1;
                }
            }
        }
    }
    assert_eq!(refused, 13 * 12 / 2);
}

/// Operators on events that are present together.
const TOGETHER: &[&str] = &[
    "a * a3",
    "a / a2",
    "a ^ a2",
    "a < a3",
    "a == a2",
    "a != a2",
    "max(a, a2, a3)",
    "atan2(a, a3)",
    "[a, a2]",
    "[[a, a2], [a3, a4]]",
    "mod(a, a2)",
    "(a > 0) and (a2 > 0)",
    "(a > 0) or (a2 > 0)",
    "if a > 0 then a2 else a3",
    "if a > 0 then a2 else h",
    "dot([a, h], [a2, 1])",
    "hypot(a, a2)",
];

/// Operators on events that come apart.
const APART: &[&str] = &[
    "a + b",
    "a * b",
    "a / b",
    "a ^ b",
    "a < b",
    "a == b",
    "a != b",
    "max(a, 1, b)",
    "atan2(a, b)",
    "[a, b]",
    "[[a, h], [1, b]]",
    "mod(a, b)",
    "(a > 0) and (b > 0)",
    "(a > 0) or (b > 0)",
    "if a > 0 then b else h",
    "if a > 0 then h else b",
    "dot([a, a], [b, b])",
    "[1, 2][floor(a - b)]",
    "h * (a - b)",
    "-(a + b)",
    "abs(a + b)",
    "a + h - b",
    "present(a + b)",
    "previous(a) + a",
    "a - left(b)",
    "sum([a, b])",
    "if present(a) then a + b else h",
    // It joins two clocks, whatever the factor is.
    "a + 1 - b * 0 * 0 + b1 - a < 3",
];

/// Events beside signals that are always there, and operators that take events one by one.
const LEGAL: &[&str] = &[
    "2 * a + 1",
    "a + h",
    "h - a * x",
    "if x > 0 then a else b",
    "if present(a) then a else b",
    "if a2 > 1 then a else 0",
    "present(a) and present(b)",
    "previous(h) + a",
    "[h, a, 1]",
    "if false then a + b else a",
    "if 1 > 2 then a + b else h",
    "left(x) * a",
];

#[test]
fn all_operators_follow_the_rule() {
    for expression in TOGETHER.iter().chain(LEGAL) {
        if let Err(refused) = try_compile(&with_events(expression)) {
            panic!("{expression}: {refused}");
        }
    }
    for expression in APART {
        let refused = refusal(&with_events(expression));
        assert_eq!(codes(&refused), ["presence-mismatch"], "{expression}: {refused}");
    }
}

#[test]
fn the_message_shows_both_events_and_the_remedies() {
    let text = message(
        "
blocks:
  x: {type: Integrator, input: cos(time)}
  v: {type: Integrator, input: 0, impulse: up - down}
  up: {type: LevelCrossing, input: x, level: 0.5}
  down: {type: LevelCrossing, input: x, level: -0.5}
",
    );
    let expected = "\
error[presence-mismatch]: `-` of events that are not known to be present at the same tags
 --> test.yaml:5:44
  |
5 |   v: {type: Integrator, input: 0, impulse: up - down}
  |                                            ^^   ---- and these
  |                                            |
  |                                            these events
  |
  = note: in block `v`
  = note: it would be present only where all of its operands are
  = help: add what is present with a Sum block, take the first that is present with a Merge block, or hold the last value of one of them with a ZeroOrderHold block";
    assert_eq!(text.trim_end(), expected);
    for (operator, block) in [("*", "Product"), ("/", "Divide")] {
        let text = message(&with_events(&format!("a {operator} b")));
        assert!(text.contains(&format!("with a {block} block that has `absent: skip`")), "{text}");
    }
}

#[test]
fn a_long_chain_of_events_is_followed() {
    let mut text = String::from("superdense: 1\nblocks:\n  e0: {type: Clock, period: 1}\n");
    for i in 1..=20_000 {
        let kind = if i % 2 == 0 { "MicrostepDelay, input" } else { "Expression, expression" };
        text += &format!("  e{i}: {{type: {kind}: 1 * e{}}}\n", i - 1);
    }
    text += "  last: {type: Expression, expression: e20000 + 2 * e20000 - e0}\n";
    text += "record: [last]\nsimulate: {stop: 0.5, microsteps: 30000}\n";
    assert_eq!(codes(&refusal(&text)), ["presence-mismatch"]);
    assert!(try_compile(&text.replace("- e0", "- 1")).is_ok());
}
