//! Clocks meet at exact tags, without any tolerance.

mod common;

use common::{at, exact, has_row, simulate, tags};

fn met(a: &str, b: &str, stop: &str) -> (u64, u64, u64) {
    let trace = simulate(&format!(
        "
superdense: 1
blocks:
  a: {{type: Clock, period: {a}}}
  b: {{type: Clock, period: {b}}}
  both: {{type: Sample, input: b, trigger: a}}
  na: {{type: Counter, increment: a}}
  nb: {{type: Counter, increment: b}}
  nboth: {{type: Counter, increment: both}}
record: [na, nb, nboth]
simulate: {{stop: {stop}}}
"
    ))
    .trace;
    let count = |name: &str| trace.last(name).unwrap() as u64;
    (count("na"), count("nb"), count("nboth"))
}

#[test]
fn a_tenth_and_one_meet_at_every_tenth_tick() {
    assert_eq!(met("0.1", "1.0", "10_000"), (100_001, 10_001, 10_001));
}

#[test]
fn a_third_and_one_meet_at_every_third_tick() {
    assert_eq!(met("1/3", "1", "1000"), (3001, 1001, 1001));
}

#[test]
fn other_ways_to_write_a_period_meet() {
    assert_eq!(met("0.1 * 3", "0.3", "300"), (1001, 1001, 1001));
    assert_eq!(met("1/7", "3/7", "300"), (2101, 701, 701));
    assert_eq!(met("2^-3", "0.1 + 0.15", "100"), (801, 401, 401));
}

#[test]
fn presence_shows_the_meeting() {
    let trace = simulate(
        "
superdense: 1
blocks:
  a: {type: Clock, period: 0.1}
  b: {type: Clock, period: 0.25}
record: {a: a, b: b, both: present(a) and present(b)}
simulate: {stop: 2}
",
    )
    .trace;
    let meetings: Vec<_> =
        trace.series("both").into_iter().filter(|(_, both)| *both != 0.0).collect();
    let meetings: Vec<_> = meetings.into_iter().map(|(tag, _)| tag).collect();
    let expected = ["0", "0.5", "1", "1.5", "2"].map(|time| exact(time, 1));
    assert_eq!(meetings, expected);
}

#[test]
fn an_event_is_there_at_microstep_one_only() {
    let trace = simulate(
        "
superdense: 1
blocks:
  c: {type: Clock, period: 1/3, offset: 1/7, value: 5}
  d: {type: MicrostepDelay, input: c}
record: [c, d]
simulate: {stop: 1}
",
    )
    .trace;
    let third = 333_333_333_333_333_333i128;
    let seventh = 142_857_142_857_142_857i128;
    // offset + k period is rounded once: 1/7 + 2/3 = 17/21.
    let expected = [seventh, 476_190_476_190_476_190, 809_523_809_523_809_524];
    assert_eq!(seventh + third, expected[1]);
    let ticks = tags(&trace, "c");
    let found: Vec<_> = ticks.iter().map(|tag| tag.time.attoseconds()).collect();
    assert_eq!(found, expected);
    for tick in ticks {
        let step = |n| superdense::Tag::new(tick.time, n);
        assert_eq!(at(&trace, "c", step(0)), None);
        assert_eq!(at(&trace, "c", step(1)), Some(5.0));
        assert_eq!(at(&trace, "c", step(2)), None);
        assert_eq!(at(&trace, "d", step(1)), None);
        assert_eq!(at(&trace, "d", step(2)), Some(5.0));
        assert!(!has_row(&trace, step(4)));
    }
}

#[test]
fn an_event_at_the_stop_time_happens() {
    let trace = simulate(
        "
superdense: 1
blocks:
  c: {type: Clock, period: 0.1}
  x: {type: Integrator, input: 0, impulse: c}
record: [c, x]
simulate: {stop: 1}
",
    )
    .trace;
    assert_eq!(tags(&trace, "c").len(), 11);
    assert_eq!(trace.last("x"), Some(11.0));
}
