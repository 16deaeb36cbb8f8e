//! When expressions are present: an operator is absent where an operand that it uses is, and
//! events that come apart are refused.

use crate::common;
use crate::common::{at, codes, exact, refusal, simulate, tag, tags, try_compile};
use proptest::prelude::*;
use superdense::Trace;

/// The only message of a model that must be refused, without colours.
fn message(text: &str) -> String {
    let refused = refusal(text);
    assert_eq!(refused.diagnostics.0.len(), 1, "{refused}");
    refused.to_string()
}

#[test]
fn a_filter_of_a_sampled_signal_is_present_where_the_signal_is() {
    let trace = simulate(
        "
superdense: 1
parameters: {alpha: 0.25}
blocks:
  c: {type: Clock, period: 1}
  raw: {type: Sample, input: 4 * time, trigger: c}
  y: {type: Expression, expression: alpha * raw + (1 - alpha) * previous(h)}
  h: {type: ZeroOrderHold, input: y}
  change: {type: Expression, expression: y - raw}
record: [raw, y, change]
simulate: {stop: 4}
",
    )
    .trace;
    assert_eq!(tags(&trace, "y"), tags(&trace, "raw"));
    assert_eq!(tags(&trace, "change"), tags(&trace, "raw"));
    let mut filtered = 0.0;
    for second in 0..=4 {
        let raw = 4.0 * f64::from(second);
        filtered = 0.25 * raw + 0.75 * filtered;
        let now = tag(f64::from(second), 1);
        assert_eq!(at(&trace, "y", now), Some(filtered));
        assert_eq!(at(&trace, "change", now), Some(filtered - raw));
    }
}

const LOOP: &str = "
superdense: 1
parameters: {kp: 2, r: 1}
blocks:
  clock: {type: Clock, period: 0.1}
  ys: {type: Sample, input: x, trigger: clock}
  held: {type: ZeroOrderHold, input: ys}
  u: {type: Expression, expression: kp * (r - SIGNAL)}
  x: {type: Integrator, input: RATE}
record: [u, x]
simulate: {stop: 1, tolerance: 1e-12}
";

#[test]
fn a_forgotten_hold_is_refused_with_the_signal_to_hold() {
    let text = message(&LOOP.replace("SIGNAL", "ys").replace("RATE", "u"));
    let expected = [
        "error[only-events]: `input` needs a signal between events",
        "present at events only",
        "note: in block `x`",
        "note: `u` is present only where `ys` is",
        "help: hold the last value of `u` with a ZeroOrderHold block, and use the held signal here",
    ];
    for part in expected {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let text = message(&LOOP.replace("SIGNAL", "ys").replace("RATE", "(u - x) / 3"));
    assert!(text.contains("help: hold the last value of `u` with"), "{text}");
    let text = message(&LOOP.replace("SIGNAL", "held").replace("RATE", "kp * (ys - r) / ys"));
    assert!(text.contains("help: hold the last value of `ys` with"), "{text}");
    assert!(text.contains("these are events"), "{text}");
    let text = message(&LOOP.replace("SIGNAL", "ys").replace("RATE", "u * ys"));
    let both = "help: hold the last value of `u` and `ys` with ZeroOrderHold blocks, and use the \
                held signals here";
    assert!(text.contains(both), "{text}");
}

#[test]
fn with_the_hold_the_loop_is_a_sampled_controller() {
    let trace = simulate(&LOOP.replace("SIGNAL", "held").replace("RATE", "u")).trace;
    let mut x: f64 = 0.0;
    for _ in 0..10 {
        x += 0.1 * 2.0 * (1.0 - x);
    }
    let last = trace.last("x").expect("present at the end");
    assert!((last - x).abs() < 1e-9, "{last} is not {x}");
}

/// Events of all kinds: those of one letter are present at the same tags.
const EVENTS: &str = "
superdense: 1
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

#[test]
fn all_operators_follow_the_rule() {
    let together = [
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
        "a + 1 - b * 0 * 0 + b1 - a < 3",
    ];
    // The last one joins two clocks, whatever the factor is.
    for expression in &together[..together.len() - 1] {
        if let Err(refused) = try_compile(&with_events(expression)) {
            panic!("{expression}: {refused}");
        }
    }
    let apart = [
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
        together[together.len() - 1],
    ];
    for expression in apart {
        let refused = refusal(&with_events(expression));
        assert_eq!(codes(&refused), ["presence-mismatch"], "{expression}: {refused}");
    }
    let legal = [
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
    for expression in legal {
        if let Err(refused) = try_compile(&with_events(expression)) {
            panic!("{expression}: {refused}");
        }
    }
}

#[test]
fn the_message_shows_both_events_and_the_remedies() {
    let text = message(
        "
superdense: 1
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

#[test]
fn sums_products_and_quotients_leave_out_what_is_absent_on_request() {
    let trace = simulate(
        "
superdense: 1
blocks:
  a: {type: Clock, period: 2, value: 3}
  b: {type: Clock, period: 3, value: 5}
  v: {type: Clock, period: 3, value: [2, 4]}
  m: {type: Clock, period: 2, value: [[1, 2], [3, 4]]}
  w: {type: Clock, period: 3, value: [[0, 1], [1, 0]]}
  total: {type: Sum, inputs: [a, b]}
  both: {type: Product, inputs: [a, b]}
  any: {type: Product, inputs: [a, b], absent: skip}
  thrice: {type: Product, inputs: [a, 2, b], absent: skip}
  scaled: {type: Product, inputs: [a, v], absent: skip}
  turned: {type: Product, inputs: [m, w], absent: skip}
  ratio: {type: Divide, numerator: a, denominator: b}
  rest: {type: Divide, numerator: a, denominator: b, absent: skip}
record: [total, both, any, thrice, scaled, turned, ratio, rest]
simulate: {stop: 3}
",
    )
    .trace;
    let all = |name: &str| {
        let column = trace.column(name).expect("a column");
        [0, 1, 2, 3].map(|second| {
            let row = trace.tags().iter().position(|t| *t == exact(&second.to_string(), 1))?;
            trace.get(row, column).map(<[f64]>::to_vec)
        })
    };
    let scalar = |values: [Option<f64>; 4]| values.map(|value| value.map(|value| vec![value]));
    assert_eq!(all("total"), scalar([Some(8.0), None, Some(3.0), Some(5.0)]));
    assert_eq!(all("both"), scalar([Some(15.0), None, None, None]));
    assert_eq!(all("any"), scalar([Some(15.0), None, Some(3.0), Some(5.0)]));
    assert_eq!(all("ratio"), scalar([Some(0.6), None, None, None]));
    assert_eq!(all("rest"), scalar([Some(0.6), None, Some(3.0), Some(0.2)]));
    // The constant is always there; at 1 s nothing happens, so that there is no row.
    assert_eq!(all("thrice"), scalar([Some(30.0), None, Some(6.0), Some(10.0)]));
    assert_eq!(at(&trace, "thrice", exact("2", 2)), Some(2.0));
    let vectors = [Some(vec![6.0, 12.0]), None, Some(vec![3.0, 3.0]), Some(vec![2.0, 4.0])];
    assert_eq!(all("scaled"), vectors);
    let matrices = [
        Some(vec![2.0, 1.0, 4.0, 3.0]),
        None,
        Some(vec![1.0, 2.0, 3.0, 4.0]),
        Some(vec![0.0, 1.0, 1.0, 0.0]),
    ];
    assert_eq!(all("turned"), matrices);
}

#[test]
fn a_product_that_would_change_its_size_cannot_skip() {
    for (factor, refused) in [("[1, 2]", true), ("[[1], [2]]", true), ("[[1, 0], [0, 1]]", false)] {
        let text = format!(
            "
superdense: 1
blocks:
  m: {{type: Clock, value: [[1, 2], [3, 4]]}}
  p: {{type: Product, inputs: [m, {factor}], absent: skip}}
"
        );
        match refused {
            true => assert_eq!(codes(&refusal(&text)), ["size-mismatch"], "{factor}"),
            false => assert!(try_compile(&text).is_ok(), "{factor}"),
        }
    }
}

/// Impulses keep their rules: the factor that is left out scales nothing, and one that comes at the
/// same microstep jumps.
#[test]
fn a_skipping_product_scales_impulses_by_what_is_present() {
    let model = |clock: &str| {
        format!(
            "
superdense: 1
blocks:
  e: {{type: Clock, period: 10, offset: {clock}, value: 3}}
  hit: {{type: ImpulseSource, times: [1], weight: 2}}
  p: {{type: Product, inputs: [hit, e], absent: skip}}
  x: {{type: Integrator, input: p}}
record: [x]
simulate: {{stop: 2}}
"
        )
    };
    assert_eq!(simulate(&model("0.5")).trace.last("x"), Some(2.0));
    assert!(common::failure(&model("1")).to_string().contains("jumps at the same microstep"));
}

#[test]
fn a_signal_that_is_absent_over_intervals_makes_its_expressions_absent() {
    let trace = simulate(
        "
superdense: 1
blocks:
  c: {type: Clock, period: 0.5}
  m:
    type: Modal
    initial: on
    states:
      on: {outputs: {y: 2}, transitions: [{to: off, after: 1.25}]}
      off: {transitions: [{to: on, after: 1}]}
  h: {type: Constant, value: 1}
  hit: {type: ImpulseSource, times: [1, 2], weight: 5}
  x: {type: Integrator, input: m.y + h}
  z: {type: Integrator, input: m.y + hit}
  events: {type: Expression, expression: m.y * c}
  difference: {type: Expression, expression: m.y - m.y}
record: [x, z, events, difference]
simulate: {stop: 3}
",
    )
    .trace;
    let there = ["0", "0.5", "1", "2.5", "3"].map(|time| exact(time, 1));
    assert_eq!(tags(&trace, "events"), there);
    assert_eq!(at(&trace, "difference", exact("1", 1)), Some(0.0));
    assert_eq!(at(&trace, "difference", exact("2", 1)), None);
    // 3 is the rate while there is one, over 2 of the 3 seconds; of the impulses one is absent.
    assert!((trace.last("x").expect("always there") - 6.0).abs() < 1e-9);
    assert!((trace.last("z").expect("always there") - 9.0).abs() < 1e-9);
}

#[test]
fn what_the_same_transitions_say_is_present_together() {
    let model = |expression: &str| {
        format!(
            "
superdense: 1
blocks:
  c: {{type: Clock, period: 0.75}}
  m:
    type: Modal
    initial: a
    states:
      a: {{transitions: [{{to: b, after: 1, output: {{p: 2, q: 5, r: c, s: 1}}}}]}}
      b: {{transitions: [{{to: a, after: 1, output: {{p: 3, q: 1, s: c}}}}]}}
record: {{y: {expression}}}
simulate: {{stop: 2.5}}
"
        )
    };
    let trace = simulate(&model("m.p * m.q")).trace;
    assert_eq!(trace.series("y"), [(exact("1", 1), 10.0), (exact("2", 1), 3.0)]);
    for apart in ["m.p + m.r", "m.p - m.s", "m.r * m.s", "m.p + c"] {
        let refused = refusal(&model(apart));
        assert_eq!(codes(&refused), ["presence-mismatch"], "{apart}: {refused}");
    }
}

/// Clocks inside a state go by its own time, and are present together with each other alone.
#[test]
fn events_in_a_state_are_compared_by_their_own_time() {
    let model = |expression: &str| {
        format!(
            "
superdense: 1
blocks:
  c: {{type: Clock, period: 0.25}}
  m:
    type: Modal
    initial: wait
    states:
      wait: {{transitions: [{{to: run, after: 0.1}}]}}
      run:
        blocks:
          a: {{type: Clock, period: 0.25}}
          b: {{type: PeriodicSampler, input: time, period: 1/4}}
          s: {{type: Sample, input: b0, trigger: c}}
          b0: {{type: ZeroOrderHold, input: b}}
        outputs: {{y: {expression}}}
record: [m.y]
simulate: {{stop: 1}}
"
        )
    };
    let trace = simulate(&model("a + b")).trace;
    let sums: Vec<f64> = trace.series("m.y").into_iter().map(|(_, value)| value).collect();
    assert_eq!(sums, [1.0, 1.25, 1.5, 1.75]);
    assert_eq!(tags(&simulate(&model("c + s")).trace, "m.y").len(), 4);
    assert_eq!(codes(&refusal(&model("a + c"))), ["presence-mismatch"]);
    assert_eq!(codes(&refusal(&model("a + s"))), ["presence-mismatch"]);
}

#[test]
fn an_array_of_events_has_no_whole_and_is_recorded_by_its_elements() {
    let model = |record: &str| {
        format!(
            "
superdense: 1
blocks:
  x: {{type: Integrator, input: 1}}
  hit: {{type: LevelCrossing, for: {{i: 3}}, input: x, level: 0.5 + i / 4}}
{record}
simulate: {{stop: 2}}
"
        )
    };
    let trace = simulate(&model("")).trace;
    assert_eq!(tags(&trace, "hit[1]").len(), 1);
    assert_eq!(tags(&trace, "hit[2]").len(), 1);
    for record in ["record: [hit]", "record: {y: sum(hit)}"] {
        assert_eq!(codes(&refusal(&model(record))), ["presence-mismatch"], "{record}");
    }
    let clocks = model("record: [hit]")
        .replace("LevelCrossing", "Clock")
        .replace("input: x, level: 0.5 + i / 4", "period: 1, value: i");
    let trace = simulate(&clocks).trace;
    let column = trace.column("hit").expect("a column");
    let whole: Vec<_> = (0..trace.len()).filter_map(|row| trace.get(row, column)).collect();
    assert_eq!(whole, [[0.0, 1.0, 2.0]; 3]);
}

/// Expressions over a few signals, with what the rule says of them.
#[derive(Clone, Debug)]
enum Tree {
    Signal(&'static str),
    Number(i32),
    Operator(&'static str, Box<[Tree; 2]>),
    /// `if a > number then b else c`.
    Conditional(Box<[Tree; 3]>, i32),
    /// `if present(signal) then a else b`.
    Present(&'static str, Box<[Tree; 2]>),
}

/// a, a1 and a2 are present together, and so are d and d1; m comes and goes, h is always there.
const SIGNALS: [&str; 8] = ["a", "a1", "a2", "b", "d", "d1", "h", "m.y"];

const BASE: &str = "
superdense: 1
blocks:
  ca: {type: Clock, period: 0.2}
  a: {type: Counter, increment: ca}
  a1: {type: Sample, input: 3 - previous(h), trigger: ca}
  a2: {type: Clock, period: 1/5, value: 2}
  b: {type: Counter, increment: cb, initial: -3}
  cb: {type: Clock, period: 0.3}
  d: {type: MicrostepDelay, input: a}
  d1: {type: EventDelay, input: a2, delay: 0}
  h: {type: ZeroOrderHold, input: 2 * b - 1, initial: 1}
  m:
    type: Modal
    initial: on
    states:
      on: {outputs: {y: h + 1}, transitions: [{to: off, after: 0.45}]}
      off: {transitions: [{to: on, after: 0.25}]}
";

/// When an expression is present, as the rule derives it: whether it is an event signal, and
/// conditions that are the same for what is provably present together.
#[derive(Clone, PartialEq, Debug)]
struct When {
    event: bool,
    all: Conditions,
}

/// Conditions that hold together.
type Conditions = std::collections::BTreeSet<Condition>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Condition {
    Of(String),
    Choice(String, Conditions, Conditions),
}

impl Condition {
    /// Whether a choice says nothing new, because both of its sides are among these.
    fn adds_nothing(&self, all: &Conditions) -> bool {
        let side = |side: &Conditions| {
            side.is_subset(all) || side.len() == 1 && side.iter().all(|c| c.adds_nothing(all))
        };
        matches!(self, Condition::Choice(_, a, b) if side(a) && side(b))
    }
}

/// Both, each condition once.
fn together(a: &Conditions, b: &Conditions) -> Conditions {
    let all: Conditions = a.union(b).cloned().collect();
    all.iter().filter(|condition| !condition.adds_nothing(&all)).cloned().collect()
}

impl When {
    fn and(&self, other: &When) -> Option<When> {
        if self.event && other.event && self.all != other.all {
            return None;
        }
        let all = together(&self.all, &other.all);
        Some(When { event: self.event || other.event, all })
    }

    fn chosen(condition: &str, a: &When, b: &When) -> When {
        if a.all == b.all {
            return a.clone();
        }
        let choice = Condition::Choice(condition.to_owned(), a.all.clone(), b.all.clone());
        When { event: a.event && b.event, all: [choice].into() }
    }
}

impl Tree {
    fn text(&self) -> String {
        match self {
            Tree::Signal(name) => (*name).to_owned(),
            Tree::Number(number) => format!("({number})"),
            Tree::Operator(name @ ("max" | "min"), parts) => {
                format!("{name}({}, {})", parts[0].text(), parts[1].text())
            }
            Tree::Operator(symbol, parts) => {
                format!("({} {symbol} {})", parts[0].text(), parts[1].text())
            }
            Tree::Conditional(parts, number) => {
                let [c, a, b] = [0, 1, 2].map(|i| parts[i].text());
                format!("(if {c} > {number} then {a} else {b})")
            }
            Tree::Present(name, parts) => {
                let [a, b] = [0, 1].map(|i| parts[i].text());
                format!("(if present({name}) then {a} else {b})")
            }
        }
    }

    /// Its value where that is known before the run.
    fn constant(&self) -> Option<f64> {
        let same = |a: f64, b: f64| (a.to_bits() == b.to_bits()).then_some(a);
        match self {
            Tree::Signal(_) => None,
            Tree::Number(_) => self.value(&|_| None),
            Tree::Operator(_, parts) => {
                parts[0].constant().and(parts[1].constant())?;
                self.value(&|_| None)
            }
            Tree::Conditional(parts, _) => match self.taken() {
                Some(taken) => parts[taken].constant(),
                None => same(parts[1].constant()?, parts[2].constant()?),
            },
            Tree::Present(_, parts) => same(parts[0].constant()?, parts[1].constant()?),
        }
    }

    /// The branch of a conditional whose condition is known before the run.
    fn taken(&self) -> Option<usize> {
        let Tree::Conditional(parts, number) = self else { return None };
        Some(if parts[0].constant()? > f64::from(*number) { 1 } else { 2 })
    }

    /// When it is present, or nothing where it is to be refused.
    fn when(&self) -> Option<When> {
        match self {
            Tree::Number(_) | Tree::Signal("h") => Some(When { event: false, all: [].into() }),
            Tree::Signal("m.y") => {
                Some(When { event: false, all: [Condition::Of("m".to_owned())].into() })
            }
            Tree::Signal(name) => {
                Some(When { event: true, all: [Condition::Of(name[..1].to_owned())].into() })
            }
            Tree::Operator(_, parts) => parts[0].when()?.and(&parts[1].when()?),
            Tree::Conditional(parts, number) => {
                let c = parts[0].when()?;
                let chosen = match self.taken() {
                    Some(taken) => c.and(&parts[taken].when()?).map(|_| parts[taken].when())??,
                    None => {
                        let (a, b) = (parts[1].when()?, parts[2].when()?);
                        c.and(&a).and(c.and(&b))?;
                        When::chosen(&format!("{} > {number}", parts[0].text()), &a, &b)
                    }
                };
                let all = together(&c.all, &chosen.all);
                Some(When { event: c.event || chosen.event, all })
            }
            Tree::Present(name, parts) => {
                let (a, b) = (parts[0].when()?, parts[1].when()?);
                // Between events it is the other branch that is taken.
                let chosen = When::chosen(&format!("present {}", &name[..1]), &a, &b);
                Some(When { event: b.event, ..chosen })
            }
        }
    }

    /// Its value where it is present.
    fn value(&self, signal: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        match self {
            Tree::Signal(name) => signal(name),
            Tree::Number(number) => Some(f64::from(*number)),
            Tree::Operator(operator, parts) => {
                let (a, b) = (parts[0].value(signal)?, parts[1].value(signal)?);
                Some(match *operator {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "max" => a.max(b),
                    _ => a.min(b),
                })
            }
            Tree::Conditional(parts, number) => {
                let taken = if parts[0].value(signal)? > f64::from(*number) { 1 } else { 2 };
                parts[taken].value(signal)
            }
            Tree::Present(name, parts) => parts[usize::from(signal(name).is_none())].value(signal),
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        4 => proptest::sample::select(&SIGNALS[..]).prop_map(Tree::Signal),
        1 => (1..4).prop_map(Tree::Number),
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        const SYMBOLS: [&str; 5] = ["+", "-", "*", "max", "min"];
        let two = (inner.clone(), inner.clone()).prop_map(|(a, b)| Box::new([a, b]));
        let three = (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| Box::new([a, b, c]));
        prop_oneof![
            4 => (proptest::sample::select(&SYMBOLS[..]), two.clone())
                .prop_map(|(symbol, parts)| Tree::Operator(symbol, parts)),
            1 => (three, -2..3).prop_map(|(parts, number)| Tree::Conditional(parts, number)),
            1 => (proptest::sample::select(&SIGNALS[..6]), two)
                .prop_map(|(name, parts)| Tree::Present(name, parts)),
        ]
    })
}

fn value_of(trace: &Trace, row: usize, name: &str) -> Option<f64> {
    trace.get(row, trace.column(name).expect("a column")).map(|value| value[0])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// An expression is refused exactly where the rule says so, and otherwise has at every tag the
    /// value that the rule gives it.
    #[test]
    fn expressions_are_present_as_the_rule_says(tree in trees()) {
        let columns = SIGNALS.join(", ").replace("m.y", "\"m.y\": m.y");
        let columns = columns.split(", ").map(|name| match name.contains(':') {
            true => name.to_owned(),
            false => format!("{name}: {name}"),
        });
        let columns: Vec<String> = columns.collect();
        let text = format!(
            "{BASE}record: {{{}, tree: \"{}\"}}\nsimulate: {{stop: 1.3}}\n",
            columns.join(", "),
            tree.text()
        );
        if tree.when().is_none() {
            prop_assert_eq!(codes(&refusal(&text)), ["presence-mismatch"], "{}", tree.text());
            return Ok(());
        }
        let trace = simulate(&text).trace;
        for row in 0..trace.len() {
            let expected = tree.value(&|name| value_of(&trace, row, name));
            let found = value_of(&trace, row, "tree");
            prop_assert_eq!(found, expected, "{} at {}", tree.text(), trace.tags()[row]);
        }
    }
}
