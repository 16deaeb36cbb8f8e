//! Every possible outcome, against enumeration by hand.

use crate::common::{compile, compile_with};
use superdense::{End, Exploration, ExploreError, LeadsTo, Library, Settings, System};

fn explore(system: &System) -> Exploration {
    system.explore(100_000, &mut |_, _| true).expect("a model with choices")
}

fn values(exploration: &Exploration, name: &str) -> Vec<(f64, f64)> {
    let value = |outcome: &superdense::PossibleOutcome| {
        let (_, value) = outcome.values.iter().find(|own| own.0 == name).expect("recorded");
        (value.as_ref().expect("present")[0], outcome.probability)
    };
    let mut found: Vec<(f64, f64)> = exploration.outcomes.iter().map(value).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
}

/// A walk of n steps to the left or to the right: binomial probabilities, 2^n ways, and situations
/// that agree are one.
#[test]
fn a_random_walk_is_binomial() {
    let text = |n: u32| {
        format!(
            "
blocks:
  m:
    type: Modal
    initial: a
    parameters: {{x: 0}}
    states:
      a:
        outputs: {{x: x}}
        transitions:
          - {{to: a, after: 1, nondeterministic: true, set: {{x: x + 1}}}}
          - {{to: a, after: 1, nondeterministic: true, set: {{x: x - 1}}}}
record: [m.x]
simulate: {{stop: {n}.5}}
"
        )
    };
    for n in [1u32, 2, 3, 10] {
        let found = explore(&compile(&text(n)));
        assert!(found.complete && found.differs());
        let values = values(&found, "m.x");
        assert_eq!(values.len() as u32, n + 1);
        let mut ways = 1.0;
        for (k, (value, probability)) in values.iter().enumerate() {
            assert_eq!(*value, 2.0 * k as f64 - f64::from(n));
            assert!((probability - ways / 2f64.powi(n as i32)).abs() < 1e-12, "{n} {k}");
            ways = ways * f64::from(n - k as u32) / (k + 1) as f64;
        }
        let all: f64 = found.outcomes.iter().map(|outcome| outcome.ways).sum();
        assert_eq!(all, 2f64.powi(n as i32));
        assert_eq!(found.depth, n as usize);
        // After k steps there are k + 1 situations.
        assert_eq!(found.situations as u32, n * (n + 3) / 2);
    }
}

/// Several machines choose at one commit: all combinations.
#[test]
fn choices_at_one_commit_are_combined() {
    let machine = |name: &str, step: u32| {
        format!(
            "
  {name}:
    type: Modal
    initial: idle
    parameters: {{x: 0}}
    states:
      idle:
        outputs: {{x: x}}
        transitions:
          - {{to: over, after: 1, nondeterministic: true, set: {{x: {step}}}}}
          - {{to: over, after: 1, nondeterministic: true, set: {{x: 0}}}}
          - {{to: over, after: 1, nondeterministic: true, set: {{x: -{step}}}}}
      over: {{outputs: {{x: x}}}}"
        )
    };
    let text = format!(
        "
blocks:{}{}
  sum: {{type: Expression, expression: a.x + b.x}}
record: [sum]
simulate: {{stop: 2}}
",
        machine("a", 1),
        machine("b", 10)
    );
    let found = explore(&compile(&text));
    let values = values(&found, "sum");
    let expected: Vec<f64> = vec![-11.0, -10.0, -9.0, -1.0, 0.0, 1.0, 9.0, 10.0, 11.0];
    assert_eq!(values.iter().map(|own| own.0).collect::<Vec<_>>(), expected);
    assert!(values.iter().all(|own| (own.1 - 1.0 / 9.0).abs() < 1e-12));
    assert_eq!((found.depth, found.outcomes[0].choices.len()), (2, 2));
    let choice = &found.outcomes[0].choices[0];
    assert_eq!((choice.from.as_str(), choice.to.len()), ("idle", 3));
}

/// Three bodies: hits from both sides at one instant, handled in either order. Equal masses end the
/// same way, different ones do not; energy and momentum are kept in both.
#[test]
fn the_order_of_simultaneous_hits() {
    let text = |middle: f64| {
        format!(
            "
parameters: {{m: {middle}}}
blocks:
  order:
    type: Modal
    initial: idle
    parameters: {{a: 1, b: 0, c: -1}}
    states:
      idle:
        outputs: {{a: a, b: b, c: c}}
        transitions:
          - {{to: left, after: 1, nondeterministic: true}}
          - {{to: right, after: 1, nondeterministic: true}}
      left:
        outputs: {{a: a, b: b, c: c}}
        transitions:
          - {{to: right, when: a > b, set: {{a: '((1 - m) * a + 2 * m * b) / (1 + m)', b: '((m - 1) * b + 2 * a) / (1 + m)'}}}}
          - {{to: right, default: true, when: b > c}}
      right:
        outputs: {{a: a, b: b, c: c}}
        transitions:
          - {{to: left, when: b > c, set: {{c: '((1 - m) * c + 2 * m * b) / (1 + m)', b: '((m - 1) * b + 2 * c) / (1 + m)'}}}}
          - {{to: left, default: true, when: a > b}}
  energy: {{type: Expression, expression: order.a^2 + m * order.b^2 + order.c^2}}
  momentum: {{type: Expression, expression: order.a + m * order.b + order.c}}
record: [order.a, order.b, order.c, energy, momentum]
simulate: {{stop: 2}}
"
        )
    };
    let same = explore(&compile(&text(1.0)));
    assert!(!same.differs(), "{:?}", same.outcomes);
    let other = explore(&compile(&text(2.0)));
    assert_eq!(other.outcomes.len(), 2);
    for outcome in same.outcomes.iter().chain(&other.outcomes) {
        let value = |name: &str| {
            let (_, value) = outcome.values.iter().find(|own| own.0 == name).unwrap();
            value.as_ref().unwrap()[0]
        };
        assert!((value("energy") - 2.0).abs() < 1e-12 && value("momentum").abs() < 1e-12);
        assert!(matches!(outcome.end, End::Stopped(_)));
    }
    assert!((other.outcomes[0].probability - 0.5).abs() < 1e-12);
}

/// A model without choices has one outcome; a limit is kept; a way that fails is an outcome too.
#[test]
fn limits_and_failures() {
    let plain =
        explore(&compile("blocks: {x: {type: Integrator, input: -x, initial: 1}}\nrecord: [x]"));
    assert_eq!((plain.outcomes.len(), plain.situations, plain.depth), (1, 0, 0));
    assert_eq!(plain.outcomes[0].probability, 1.0);
    let text = "
blocks:
  m:
    type: Modal
    initial: a
    states:
      a:
        outputs: {x: 1}
        transitions:
          - {to: good, after: 1, nondeterministic: true}
          - {to: bad, after: 1, nondeterministic: true}
      good: {outputs: {x: 2}}
      bad: {outputs: {x: 1 / (time - time)}}
record: [m.x]
simulate: {stop: 2}
";
    let found = explore(&compile(text));
    assert_eq!(found.outcomes.len(), 2);
    assert_eq!(found.outcomes.iter().filter(|own| matches!(own.end, End::Failed(_))).count(), 1);
    // A failure at the very instant of the choice.
    let circle = text.replace("bad: {outputs: {x: 1 / (time - time)}}", "bad: {transitions: [{to: worse, immediate: true}]}\n      worse: {transitions: [{to: bad, immediate: true}]}");
    let found = explore(&compile(&circle));
    assert_eq!(found.outcomes.iter().filter(|own| matches!(own.end, End::Failed(_))).count(), 1);
    let cut = compile(text).explore(0, &mut |_, _| true).unwrap();
    assert!(!cut.complete && cut.unexplored() == 1.0);
    let stepped = Settings::default().impulses("stepped");
    let system =
        compile_with("blocks: {x: {type: Integrator, input: 1}}", &Library::standard(), &stepped);
    let system = system.unwrap_or_else(|refused| panic!("{refused}"));
    assert_eq!(system.explore(9, &mut |_, _| true).unwrap_err(), ExploreError::FixedStep);
}

/// States are shown by name, and the situations lead to each other with probabilities that add up.
#[test]
fn situations_lead_to_outcomes() {
    let text = "
blocks:
  m:
    type: Modal
    initial: low
    states:
      low:
        transitions:
          - {to: low, after: 1, nondeterministic: true}
          - {to: high, after: 1, nondeterministic: true}
      high:
        transitions:
          - {to: low, after: 1, nondeterministic: true}
          - {to: high, after: 1, nondeterministic: true}
record: [m.state]
simulate: {stop: 2.5}
";
    let found = explore(&compile(text));
    let mut shown: Vec<String> =
        found.outcomes.iter().map(|outcome| found.shown_value(outcome, 0, 4)).collect();
    shown.sort();
    assert_eq!(shown, ["high", "low"]);
    // What flows into each point and outcome is its probability.
    let mut points = vec![0.0; found.points.len()];
    let mut outcomes = vec![0.0; found.outcomes.len()];
    points[0] = 1.0;
    for (index, point) in found.points.iter().enumerate() {
        assert!((point.probability - points[index]).abs() < 1e-12, "{index}");
        let part = point.probability / point.next.len() as f64;
        for next in &point.next {
            match *next {
                LeadsTo::Point(to) => {
                    assert!(to > index, "each point comes after those that lead to it");
                    points[to] += part;
                }
                LeadsTo::Outcome(to) => outcomes[to] += part,
                LeadsTo::Unknown => panic!("all was followed"),
            }
        }
        assert_eq!(point.choice.as_ref().map_or(1, |choice| choice.to.len()), point.next.len());
    }
    for (flow, outcome) in outcomes.iter().zip(&found.outcomes) {
        assert!((flow - outcome.probability).abs() < 1e-12);
    }
    let svg = superdense::draw_exploration(&found, "walk").expect("a small figure");
    for words in ["m in low at (1, 0)", "high: 0.25", "outcome 2: 0.5", "m.state = high"] {
        assert!(svg.contains(words), "{words}");
    }
    // An exploration that is cut short says so.
    let cut = compile(text).explore(2, &mut |_, _| true).expect("a model with choices");
    let svg = superdense::draw_exploration(&cut, "walk").expect("a small figure");
    assert!(svg.contains("not followed"), "{svg}");
}

/// The states of machines in an array have their names, too.
#[test]
fn machines_in_arrays_have_names() {
    let text = "
diagrams:
  Coin:
    outputs: {s: m.state}
    blocks:
      m:
        type: Modal
        initial: low
        states:
          low:
            transitions:
              - {to: low, after: 1, nondeterministic: true}
              - {to: high, after: 1, nondeterministic: true}
          high: {}
blocks:
  c: {type: Coin, for: {i: 2}}
record: {all: c, one: 'c[1]'}
simulate: {stop: 1.5}
";
    let found = explore(&compile(text));
    let mut shown: Vec<String> =
        found.outcomes.iter().map(|own| found.shown_value(own, 0, 4)).collect();
    shown.sort();
    assert_eq!(shown, ["high, high", "high, low", "low, high", "low, low"]);
    for own in &found.outcomes {
        assert!(found.shown_value(own, 0, 4).ends_with(&found.shown_value(own, 1, 4)));
    }
}
