//! Switches, routers and time stamps, against lists made by hand.

use proptest::prelude::*;

use super::super::same_everywhere;
use super::{events, hundredths};
use crate::common::{assert_near, codes, exact, failure, refusal, simulate, tag, times};

/// Events at some hundredths of a second, in order, with a value each.
fn source(name: &str, list: &[(i64, String)]) -> String {
    let all = |part: &dyn Fn(&(i64, String)) -> String| {
        list.iter().map(part).collect::<Vec<_>>().join(", ")
    };
    let (offsets, values) = (all(&|event| hundredths(event.0)), all(&|event| event.1.clone()));
    format!(
        "  {name}: {{type: EventSource, offsets: [{offsets}], values: [{values}], repeat: once}}\n"
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    /// An event goes where the latest control event says, one at the same tag included; what is
    /// selected is what would have been switched.
    ///
    /// Holds: closed form of BooleanSwitch, BooleanSelect.
    #[test]
    fn a_switch_and_a_selection_follow_their_control(
        items in prop::collection::btree_set(0i64..200, 1..20),
        others in prop::collection::btree_set(0i64..200, 1..20),
        controls in prop::collection::btree_map(0i64..200, any::<bool>(), 1..8),
        initial in any::<bool>(),
    ) {
        let numbered = |times: &std::collections::BTreeSet<i64>, from: usize| -> Vec<(i64, String)> {
            times.iter().enumerate().map(|(n, time)| (*time, format!("{}", n + from))).collect()
        };
        let (items, others) = (numbered(&items, 0), numbered(&others, 100));
        let words: Vec<(i64, String)> =
            controls.iter().map(|(time, value)| (*time, value.to_string())).collect();
        let text = format!("blocks:
{}{}{}  s: {{type: BooleanSwitch, input: a, control: c, initial: {initial}}}
  m: {{type: BooleanSelect, yes: a, no: b, control: c, initial: {initial}}}
record: {{yes: s.yes, no: s.no, m: m}}
simulate: {{stop: 3}}
", source("a", &items), source("b", &others), source("c", &words));
        let trace = same_everywhere(&text);
        let chosen = |time: i64| controls.range(..=time).next_back().map_or(initial, |(_, value)| *value);
        let wanted = |list: &[(i64, String)], choice: bool| -> Vec<(superdense::Tag, f64)> {
            let own = list.iter().filter(|(time, _)| chosen(*time) == choice);
            own.map(|(time, n)| (exact(&hundredths(*time), 1), n.parse().unwrap())).collect()
        };
        prop_assert_eq!(events(&trace, "yes"), wanted(&items, true), "{}", text);
        prop_assert_eq!(events(&trace, "no"), wanted(&items, false), "{}", text);
        let mut selected = [wanted(&items, true), wanted(&others, false)].concat();
        selected.sort_by_key(|event| event.0);
        prop_assert_eq!(events(&trace, "m"), selected, "{}", text);
    }
}

/// A switch acts at its own microstep: an event one microstep before a control event goes the old
/// way.
///
/// Holds: jump of BooleanSwitch.
#[test]
fn a_control_event_acts_from_its_microstep_on() {
    let text = "blocks:
  c: {type: Clock, period: 1}
  late: {type: MicrostepDelay, input: c > 0}
  twice: {type: Merge, inputs: [c, again]}
  again: {type: MicrostepDelay, input: 5 * c}
  s: {type: BooleanSwitch, input: twice, control: late}
record: {yes: s.yes, no: s.no}
simulate: {stop: 0.5}
";
    let trace = same_everywhere(text);
    assert_eq!(events(&trace, "no"), [(tag(0.0, 1), 1.0)]);
    assert_eq!(events(&trace, "yes"), [(tag(0.0, 2), 5.0)]);
}

/// Holds: closed form of Router.
#[test]
fn branches_take_turns() {
    let text = "blocks:
  c: {type: Clock, period: 1}
  n: {type: Counter, increment: c}
  branch: {type: Router, for: {i: 3}, input: n, branches: 3, branch: i}
record: {a: 'branch[0]', b: 'branch[1]', c: 'branch[2]'}
simulate: {stop: 7}
";
    let trace = same_everywhere(text);
    let values = |name: &str| -> Vec<f64> { events(&trace, name).iter().map(|e| e.1).collect() };
    assert_eq!(values("a"), [1.0, 4.0, 7.0]);
    assert_eq!(values("b"), [2.0, 5.0, 8.0]);
    assert_eq!(values("c"), [3.0, 6.0]);
    assert_eq!(times(&trace, "c"), [2.0, 5.0]);
}

/// Items go to the shorter of two queues, the first one if both are equally long. With an arrival
/// each second and services of 1.5 s, that alternates.
#[test]
fn items_go_to_the_shorter_queue() {
    let text = "blocks:
  c: {type: Clock, period: 1}
  n: {type: Counter, increment: c}
  load: {type: Counter, for: {i: 2}, increment: 'branch[i]', decrement: 'server.output[i]'}
  held: {type: ZeroOrderHold, for: {i: 2}, input: 'load[i]'}
  shorter: {type: Expression, expression: 'if previous(held[1]) < previous(held[0]) then 1 else 0'}
  branch: {type: Router, for: {i: 2}, input: n, branches: 2, branch: i, by: index, to: shorter}
  server: {type: Server, for: {i: 2}, input: 'branch[i]', service: 1.5}
record: {a: 'server.output[0]', b: 'server.output[1]'}
simulate: {stop: 8}
";
    let trace = same_everywhere(text);
    let both = |name: &str| -> Vec<(f64, f64)> {
        events(&trace, name).iter().map(|(tag, value)| (tag.time.seconds(), *value)).collect()
    };
    assert_eq!(both("a"), [(1.5, 1.0), (3.5, 3.0), (5.5, 5.0), (7.5, 7.0)]);
    assert_eq!(both("b"), [(2.5, 2.0), (4.5, 4.0), (6.5, 6.0)]);
}

/// Each event takes exactly one branch, the one of its index.
///
/// Holds: closed form and bad input of Router.
#[test]
fn an_index_chooses_the_branch() {
    let text = "blocks:
  c: {type: Clock, period: 1}
  n: {type: Counter, increment: c}
  to: {type: DiscreteRandom, trigger: c, values: [0, 1, 2], probabilities: [0.5, 0.2, 0.3]}
  branch: {type: Router, for: {i: 3}, input: n, branches: 3, branch: i, by: index, to: to}
record: {to: to, b0: 'branch[0]', b1: 'branch[1]', b2: 'branch[2]'}
simulate: {stop: 99}
";
    let trace = same_everywhere(text);
    let indices = events(&trace, "to");
    assert_eq!(indices.len(), 100);
    for (branch, name) in ["b0", "b1", "b2"].into_iter().enumerate() {
        let own = indices.iter().enumerate().filter(|(_, (_, to))| *to == branch as f64);
        let wanted: Vec<_> = own.map(|(n, (tag, _))| (*tag, n as f64 + 1.0)).collect();
        assert!(wanted.len() > 5);
        assert_eq!(events(&trace, name), wanted);
    }
    let outside = "blocks:
  c: {type: Clock, period: 1}
  y: {type: Router, input: c, branches: 2, by: index, to: time}
record: [y]
simulate: {stop: 3}
";
    let failure = failure(outside);
    assert_eq!(failure.error.tag(), Some(tag(2.0, 1)));
    assert!(failure.to_string().contains("`y.here"), "{failure}");
}

/// The time is that of the tag, to the last bit; in a state it counts from its entry.
///
/// Holds: closed form of CurrentTime.
#[test]
fn the_current_time_is_that_of_the_tag() {
    let text = "blocks:
  c: {type: Clock, period: 1/3}
  y: {type: Sine, frequency: 0.3}
  hit: {type: LevelCrossing, input: y, level: 0.5}
  any: {type: Merge, inputs: [c, hit]}
  at: {type: CurrentTime, trigger: any}
record: [at]
simulate: {start: -5, stop: 20}
";
    let stamps = events(&same_everywhere(text), "at");
    assert!(stamps.len() > 60);
    assert!(stamps.iter().all(|(tag, value)| *value == tag.time.seconds()));
    let modal = "blocks:
  m:
    type: Modal
    states:
      a:
        blocks: {c: {type: Clock, period: 0.4}, at: {type: CurrentTime, trigger: c}}
        outputs: {at: at}
        transitions: [{to: a, after: 1}]
record: [m.at]
simulate: {stop: 1.9}
";
    let own = events(&simulate(modal).trace, "m.at");
    assert_eq!(own.len(), 6);
    for ((_, value), expected) in own.iter().zip([0.0, 0.4, 0.8, 0.0, 0.4, 0.8]) {
        assert_near(*value, expected, 1e-15);
    }
}

/// Holds: bad input of BooleanSwitch, BooleanSelect, Router, CurrentTime.
#[test]
fn bad_switches_and_routers_are_refused() {
    let text = |block: &str| {
        let output = if block.starts_with("BooleanSwitch") { "y.yes" } else { "y" };
        format!(
            "blocks:\n  c: {{type: Clock, period: 1}}\n  y: {{type: {block}}}\nrecord: [{output}]\n"
        )
    };
    for (block, code, message) in [
        ("BooleanSwitch, input: c, control: c", "type-mismatch", "is a boolean"),
        ("BooleanSwitch, input: c, control: time > 1", "not-events", "takes events"),
        ("BooleanSelect, yes: c, no: c > 0, control: c > 0", "type-mismatch", ""),
        ("Router, input: c, branches: 0", "bad-parameter", "from 1 on"),
        ("Router, input: c, branches: 2.5", "bad-parameter", "from 1 on"),
        ("Router, input: c, branches: 2, branch: 2", "bad-parameter", "from 0 to branches - 1"),
        ("Router, input: c, branches: 2, by: chance", "bad-parameter", "one of turn, index"),
        ("CurrentTime, trigger: time", "not-events", "takes events"),
    ] {
        let refused = refusal(&text(block));
        assert_eq!(codes(&refused)[0], code, "{refused}");
        assert!(refused.to_string().contains(message), "{refused}");
    }
}

/// An impulse takes the way of its signal, unless the switch is set at the same instant.
///
/// Holds: impulse of BooleanSwitch, BooleanSelect.
#[test]
fn an_impulse_passes_a_switch() {
    let text = |at: &str| {
        format!(
            "blocks:
  c: {{type: EventSource, offsets: [0.5, 2], values: [true, false], repeat: once}}
  s: {{type: BooleanSwitch, input: 3 * delta(time - {at}), control: c}}
  m: {{type: BooleanSelect, yes: 5 * delta(time - {at}), no: time, control: c}}
record: {{yes: s.yes, no: s.no, m: m}}
simulate: {{stop: 3}}
"
        )
    };
    for (at, found) in [("1", [("yes", 3.0), ("m", 5.0)].as_slice()), ("2.5", &[("no", 3.0)])] {
        let trace = same_everywhere(&text(at));
        let weights: Vec<(&str, f64)> = trace
            .impulses()
            .iter()
            .map(|own| (trace.columns()[own.column].name.as_str(), own.weight[0]))
            .collect();
        assert_eq!(weights, found);
        assert!(trace.impulses().iter().all(|own| own.tag == exact(at, 1)));
    }
    assert!(failure(&text("2")).to_string().contains("impulse"));
}
