//! Events that meet by chance: whether their order matters, against both orders by hand.

use std::convert::Infallible;

use crate::common::{assert_near, compile};
use superdense::{Handled, OrderFinding, OrderSearch, System};

fn search(system: &System) -> OrderSearch {
    let begin = |system: &System| Ok::<_, Infallible>(system.begin());
    let found = system.search_order(begin, &mut |_| true);
    found.unwrap_or_else(|never| match never {}).expect("a run without errors")
}

fn searched(text: &str) -> OrderSearch {
    search(&compile(text))
}

/// The values of a signal after both orders and in the run itself.
fn values(finding: &OrderFinding, signal: &str) -> [f64; 3] {
    let own = finding.differences.iter().find(|own| own.signal == signal);
    let own = own.unwrap_or_else(|| panic!("`{signal}` is not in {finding:?}"));
    [&own.first, &own.second, &own.together].map(|value| value.as_ref().expect("present")[0])
}

/// One clock doubles a number, another one adds to it; or both add.
fn two_clocks(double: &str, simultaneous: &str) -> String {
    format!(
        "
blocks:
  a: {{type: Clock, period: 2, offset: 1}}
  b: {{type: Clock, period: 3, offset: 1}}
  first: {{type: Sample, input: {double}, trigger: a}}
  second: {{type: Sample, input: previous(x) + 1, trigger: b}}
  change: {{type: Merge, inputs: [first, second]{simultaneous}}}
  x: {{type: Integrator, input: 0, initial: 1, reset: change}}
record: [x]
simulate: {{stop: 4}}
"
    )
}

#[test]
fn doubling_and_adding_do_not_commute() {
    let found = searched(&two_clocks("2 * previous(x)", ""));
    assert_eq!((found.instants, found.pairs, found.findings.len()), (1, 1, 1));
    let finding = &found.findings[0];
    assert_eq!(finding.causes, ["a", "b"]);
    assert_eq!(finding.time.seconds(), 1.0);
    // 2 * 1 + 1, 2 * (1 + 1), and the first of the merged events.
    assert_eq!(values(finding, "x"), [3.0, 4.0, 2.0]);
    assert_eq!(finding.handled, Handled::AsNeither);
}

#[test]
fn adding_commutes_whatever_happens_at_once() {
    // Both at once lose an event of the merge, but the orders agree.
    let found = searched(&two_clocks("previous(x) + 2", ""));
    assert_eq!((found.instants, found.pairs), (1, 1));
    assert_eq!(found.findings, []);
}

#[test]
fn events_that_do_not_meet_are_not_tried() {
    let text = two_clocks("2 * previous(x)", "").replace("offset: 1}\n  b", "offset: 0.5}\n  b");
    let found = searched(&text);
    assert_eq!((found.instants, found.pairs), (0, 0));
}

/// The carts of the page on modes: one between two others, hit from both sides at one instant.
fn carts(m: f64) -> String {
    format!(
        "
blocks:
  a: {{type: Ball, v0: 1, push: -ab.push}}
  b: {{type: Ball, mass: {m}, x0: 2, push: pushes}}
  c: {{type: Ball, x0: 4, v0: -1, push: bc.push}}
  pushes: {{type: Sum, inputs: [ab.push, -bc.push]}}
  ab: {{type: BallCollision, x1: a.x, v1: a.v, x2: b.x, v2: b.v, distance: 1, m2: {m}}}
  bc: {{type: BallCollision, x1: b.x, v1: b.v, x2: c.x, v2: c.v, distance: 1, m1: {m}, \
wait: ab.collision}}
record: [a.v, b.v, c.v]
simulate: {{stop: 2}}
"
    )
}

/// The velocities of three carts with masses 1, m, 1 that hit each other in turn, as long as they
/// approach, one pair first.
fn in_turn(m: f64, right_first: bool) -> [f64; 3] {
    let (masses, mut v) = ([1.0, m, 1.0], [1.0, 0.0, -1.0]);
    let mut pair = usize::from(right_first);
    while v[0] > v[1] + 1e-12 || v[1] > v[2] + 1e-12 {
        let (m1, m2) = (masses[pair], masses[pair + 1]);
        let (v1, v2) = (v[pair], v[pair + 1]);
        if v1 > v2 {
            v[pair] = (m1 * v1 + m2 * v2 + m2 * (v2 - v1)) / (m1 + m2);
            v[pair + 1] = (m1 * v1 + m2 * v2 + m1 * (v1 - v2)) / (m1 + m2);
        }
        pair = 1 - pair;
    }
    v
}

#[test]
fn two_hits_at_once_depend_on_their_order_unless_masses_are_equal() {
    assert_eq!(searched(&carts(1.0)).findings, []);
    for m in [0.5, 2.0, 5.0] {
        let found = searched(&carts(m));
        assert_eq!(found.findings.len(), 1, "{m}: {found:?}");
        let finding = &found.findings[0];
        assert_eq!(finding.handled, Handled::AsFirst, "{m}");
        for (i, signal) in ["a.v", "b.v", "c.v"].iter().enumerate() {
            let [first, second, together] = values(finding, signal);
            assert_near(first, in_turn(m, false)[i], 1e-12);
            assert_near(second, in_turn(m, true)[i], 1e-12);
            assert_near(together, first, 1e-12);
        }
    }
}

/// Functions that are zero for one reason are one cause, whatever looks at them.
#[test]
fn one_zero_with_two_readers_is_one_cause() {
    let found = searched(
        "
blocks:
  x: {type: Integrator, input: -1, initial: 1}
  hit: {type: LevelCrossing, input: 3 * x, direction: falling}
  n: {type: Counter, increment: hit}
  m:
    type: Modal
    initial: above
    states: {above: {outputs: {y: n}, transitions: [{to: below, when: x < 0}]}, below: {outputs: {y: -1}}}
record: [n, m.y]
simulate: {stop: 2}
",
    );
    assert_eq!((found.instants, found.findings.len()), (0, 0));
}

/// A timer of a state and a clock: whichever comes first decides where the machine goes.
#[test]
fn a_machine_goes_where_the_first_event_sends_it() {
    let found = searched(
        "
blocks:
  c: {type: Clock, period: 1, offset: 1}
  m:
    type: Modal
    initial: idle
    states:
      idle:
        outputs: {y: 0}
        transitions:
          - {to: late, after: 1, priority: 0}
          - {to: asked, when: present(c), priority: 1}
      late: {outputs: {y: 1}}
      asked: {outputs: {y: 2}}
record: [m.y]
simulate: {stop: 1.5}
",
    );
    let [finding] = &found.findings[..] else { panic!("{found:?}") };
    let [first, second, together] = values(finding, "m.y");
    assert_eq!(together, 1.0);
    let mut both = [first, second];
    both.sort_by(f64::total_cmp);
    assert_eq!(both, [1.0, 2.0]);
    assert_ne!(finding.handled, Handled::AsNeither);
}

/// A delayed event that meets a clock, and a crossing that meets it too: three pairs.
#[test]
fn delayed_events_and_crossings_are_causes_too() {
    let found = searched(
        "
blocks:
  start: {type: Clock, period: 10, offset: 0.5}
  late: {type: EventDelay, input: start, delay: 0.5}
  clock: {type: Clock, period: 10, offset: 1}
  level: {type: LevelCrossing, input: time - 1, direction: rising}
  a: {type: Sample, input: 3 * previous(x), trigger: late}
  b: {type: Sample, input: previous(x) + 1, trigger: clock}
  c: {type: Sample, input: previous(x) + 4, trigger: level}
  change: {type: Merge, inputs: [a, b, c]}
  x: {type: Integrator, input: 0, initial: 1, reset: change}
record: [x]
simulate: {stop: 2}
",
    );
    assert_eq!((found.instants, found.pairs), (1, 3), "{found:?}");
    let mut pairs: Vec<[String; 2]> = found.findings.iter().map(|own| own.causes.clone()).collect();
    pairs.iter_mut().for_each(|pair| pair.sort());
    pairs.sort();
    // Adding 1 and adding 4 commute.
    assert_eq!(pairs, [["clock", "late"], ["late", "level"]]);
}

/// An event that is still to come when the instant is over is looked at, too.
#[test]
fn what_is_still_to_come_counts() {
    let found = searched(
        "
blocks:
  a: {type: Clock, period: 5, offset: 1}
  b: {type: Clock, period: 6, offset: 1}
  held: {type: ZeroOrderHold, input: 'when(present(a), 7 + 0 * time)', initial: 2}
  sent: {type: Sample, input: previous(held), trigger: b}
  late: {type: EventDelay, input: sent, delay: 1}
  n: {type: Counter, increment: late}
record: [n]
simulate: {stop: 1.5}
",
    );
    let [finding] = &found.findings[..] else { panic!("{found:?}") };
    assert!(finding.differences.iter().any(|own| own.signal.starts_with("late")), "{finding:?}");
}
