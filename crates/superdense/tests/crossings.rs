//! Levels, comparisons and their sides: each case once, with exact tags where they are exact.

mod kinks;

use crate::common;
use crate::common::{assert_at, assert_near, at, exact, has_row, simulate, tags, times};
use superdense::{Tag, Trace};

fn trace(body: &str) -> Trace {
    simulate(body).trace
}

fn left(tag: Tag) -> Tag {
    Tag::new(tag.time, 0)
}

/// Holds: closed form and jump of Pulse.
#[test]
fn square_wave_has_both_limits_at_its_edges() {
    let trace = trace(
        "
blocks:
  p: {type: Pulse, period: 0.4, width: 0.1, offset: 0.2, low: -1, high: 3}
  x: {type: Integrator, input: p}
record: [p, x]
simulate: {stop: 2, tolerance: 1e-10}
",
    );
    let mut area = 0.0;
    let mut last = 0.0;
    for k in 0..4 {
        let rise = format!("{}.{}", (2 + 4 * k) / 10, (2 + 4 * k) % 10);
        let fall = format!("{}.{}", (3 + 4 * k) / 10, (3 + 4 * k) % 10);
        for (edge, before, after) in [(rise, -1.0, 3.0), (fall, 3.0, -1.0)] {
            assert_eq!(at(&trace, "p", exact(&edge, 0)), Some(before), "left limit at {edge}");
            assert_eq!(at(&trace, "p", exact(&edge, 1)), Some(after), "right limit at {edge}");
            let time: f64 = edge.parse().unwrap();
            area += before * (time - last);
            last = time;
            for n in [0, 1] {
                assert_near(at(&trace, "x", exact(&edge, n)).unwrap(), area, 1e-12);
            }
        }
    }
    // 0.4 * -1 + 0.1 * 4 a period: from 0.2 - 1.8 on four whole ones, and the falling lead.
    assert_near(trace.last("x").unwrap(), -2.0 + 0.4 * 4.0 + 0.1 * 4.0, 1e-12);
}

/// Holds: closed form and jump of Integrator.
#[test]
fn integrator_reset_by_a_clock() {
    let trace = trace(
        "
blocks:
  c: {type: Clock, period: 0.3, offset: 0.3, value: -0.5}
  x: {type: Integrator, input: 2, reset: c}
record: [x, c]
simulate: {stop: 1}
",
    );
    assert_near(at(&trace, "x", exact("0.3", 0)).unwrap(), 0.6, 1e-15);
    assert_eq!(at(&trace, "x", exact("0.3", 1)), Some(-0.5));
    assert_near(at(&trace, "x", exact("0.6", 0)).unwrap(), 0.1, 1e-15);
    assert_eq!(at(&trace, "x", exact("0.9", 1)), Some(-0.5));
    assert_near(trace.last("x").unwrap(), -0.3, 1e-15);
}

#[test]
fn integrator_reset_by_its_own_crossing() {
    let trace = trace(
        "
blocks:
  x: {type: Integrator, input: 1, reset: back}
  up: {type: LevelCrossing, input: x, level: 0.75, direction: rising}
  back: {type: Sample, input: -0.5, trigger: up}
record: [x, up]
simulate: {stop: 5}
",
    );
    let found = tags(&trace, "up");
    assert_eq!(found.len(), 4);
    for (k, tag) in found.iter().enumerate() {
        assert_near(tag.time.seconds(), 0.75 + 1.25 * k as f64, 1e-12);
        assert_eq!(tag.microstep, 1);
        assert_near(at(&trace, "x", left(*tag)).unwrap(), 0.75, 1e-12);
        assert_eq!(at(&trace, "x", *tag), Some(-0.5));
    }
}

#[test]
fn a_reset_across_a_level_is_an_event_one_microstep_later() {
    let trace = trace(
        "
blocks:
  c: {type: Clock, period: 1, offset: 1, value: 2}
  x: {type: Integrator, input: 0.1, initial: -1, reset: c}
  up: {type: LevelCrossing, input: x}
  down: {type: LevelCrossing, input: -x, direction: falling}
  other: {type: LevelCrossing, input: x, direction: falling}
record: [x, up, down, other]
simulate: {stop: 1.5}
",
    );
    assert_eq!(tags(&trace, "up"), [exact("1", 2)]);
    assert_eq!(tags(&trace, "down"), [exact("1", 2)]);
    assert_eq!(at(&trace, "up", exact("1", 2)), Some(1.0));
    assert!(tags(&trace, "other").is_empty());
}

#[test]
fn a_jump_of_a_held_value_is_an_event_one_microstep_later() {
    let trace = trace(
        "
blocks:
  s: {type: Step, time: 0.7, before: -1, after: 1}
  up: {type: LevelCrossing, input: s}
record: [s, up]
simulate: {stop: 1.5}
",
    );
    assert_eq!(tags(&trace, "up"), [exact("0.7", 2)]);
}

/// Four microsteps in a row with an event, then none: what ends is gone while smooth.
#[test]
fn a_delayed_event_is_gone_afterwards() {
    let trace = trace(
        "
blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  d: {type: MicrostepDelay, input: c}
  m: {type: Merge, inputs: [c, d]}
  e: {type: MicrostepDelay, input: m}
  x: {type: Integrator, input: 1}
record: [c, d, m, e, x]
simulate: {stop: 2}
",
    );
    for time in ["0.5", "1.5"] {
        assert_eq!(at(&trace, "m", exact(time, 1)), Some(1.0));
        assert_eq!(at(&trace, "m", exact(time, 2)), Some(1.0));
        assert_eq!(at(&trace, "m", exact(time, 3)), None);
        assert_eq!(at(&trace, "e", exact(time, 2)), Some(1.0));
        assert_eq!(at(&trace, "e", exact(time, 3)), Some(1.0));
        assert_eq!(at(&trace, "e", exact(time, 4)), None);
    }
    let smooth = |name: &str| tags(&trace, name).iter().filter(|tag| tag.microstep == 0).count();
    assert_eq!(["c", "d", "m", "e"].map(smooth), [0; 4]);
}

#[test]
fn a_crossing_at_a_clock_tick_takes_its_tag() {
    for (rate, level, time) in [("1", "0.3", "0.3"), ("3", "0.9", "0.3"), ("0.1", "0.07", "0.7")] {
        let trace = trace(&format!(
            "
blocks:
  c: {{type: Clock, period: 0.1, offset: 0.1}}
  x: {{type: Integrator, input: {rate}}}
  e: {{type: LevelCrossing, input: x, level: {level}}}
record: [e, c]
simulate: {{stop: 1}}
"
        ));
        assert_eq!(tags(&trace, "e"), [exact(time, 1)], "{rate} to {level}");
        assert_eq!(tags(&trace, "c").len(), 10);
    }
}

#[test]
fn a_lone_crossing_at_a_clock_tick_takes_its_tag() {
    let trace = trace(
        "
blocks:
  c: {type: Clock, period: 1, offset: 1}
  x: {type: Integrator, input: sin(time), initial: -1}
  e: {type: LevelCrossing, input: 3 * time - 3}
record: [e, c, x]
simulate: {stop: 1.5}
",
    );
    assert_eq!(tags(&trace, "e"), [exact("1", 1)]);
    assert_eq!(at(&trace, "c", exact("1", 1)), Some(1.0));
}

#[test]
fn two_symmetric_crossings_share_one_tag() {
    let trace = trace(
        "
blocks:
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: -x}
  y: {type: Integrator, input: w, initial: -1}
  w: {type: Integrator, input: -y}
  a: {type: LevelCrossing, input: x - 0.1}
  b: {type: LevelCrossing, input: y + 0.1}
  d: {type: Expression, expression: x + y}
record: [a, b, d]
simulate: {stop: 20, tolerance: 1e-9}
",
    );
    let (a, b) = (tags(&trace, "a"), tags(&trace, "b"));
    assert_eq!(a.len(), 6);
    assert_eq!(a, b);
}

/// Beside an integrator `x`, none of some functions gives an event.
fn assert_no_event(x: &str, inputs: &[&str], stop: &str) {
    for input in inputs {
        let trace = trace(&format!(
            "
blocks:
  x: {{type: Integrator, {x}}}
  e: {{type: LevelCrossing, input: {input}}}
record: [e, x]
simulate: {{stop: {stop}}}
"
        ));
        assert!(tags(&trace, "e").is_empty(), "{input}: {:?}", tags(&trace, "e"));
    }
}

#[test]
fn zero_at_the_start_is_no_event() {
    let inputs = ["time", "-time", "time^2", "sin(time)", "x", "time^3 - time^2"];
    assert_no_event("input: 1", &inputs, "0.9");
}

#[test]
fn a_side_at_the_start_comes_from_the_first_derivative_that_is_not_zero() {
    // The function is 0 with no slope at the start, falls, and comes back at 1.
    let trace = trace(
        "
blocks:
  e: {type: LevelCrossing, input: time^3 - time^2}
record: [e]
simulate: {stop: 2}
",
    );
    let found = trace.series("e");
    assert_eq!(found.len(), 1);
    assert_near(found[0].0.time.seconds(), 1.0, 1e-12);
    assert_eq!(found[0].1, 1.0);
}

#[test]
fn a_tangent_is_no_event() {
    let inputs = ["(time - 1)^2", "-(time - 1)^2", "x", "(time - 1)^4", "1 - cos(3 * time)"];
    assert_no_event("input: 2 * (time - 1), initial: 1", &inputs, "3");
}

#[test]
fn a_tangent_at_a_tick_is_no_event() {
    let trace = trace(
        "
blocks:
  c: {type: Clock, period: 0.5}
  e: {type: LevelCrossing, input: (time - 1)^2}
  f: {type: LevelCrossing, input: x}
  x: {type: Integrator, input: 2 * (time - 1), initial: 1}
  h: {type: ZeroOrderHold, input: c}
record: [e, f, c, h]
simulate: {stop: 3}
",
    );
    assert!(tags(&trace, "e").is_empty());
    assert!(tags(&trace, "f").is_empty());
}

#[test]
fn two_crossings_inside_one_huge_step() {
    // A parabola is exact for the solver, so that nothing makes the step short.
    let trace = trace(
        "
blocks:
  v: {type: Integrator, input: -2, initial: 10}
  x: {type: Integrator, input: v}
  e: {type: LevelCrossing, input: x, level: 24.99}
record: [e]
simulate: {stop: 10, tolerance: 1e-6, initial_step: 10}
",
    );
    // x = 10 t - t^2 = 25 - (t - 5)^2.
    let found = trace.series("e");
    assert_eq!(found.len(), 2, "{found:?}");
    assert_near(found[0].0.time.seconds(), 4.9, 1e-9);
    assert_near(found[1].0.time.seconds(), 5.1, 1e-9);
    assert_eq!((found[0].1, found[1].1), (1.0, -1.0));
}

#[test]
fn a_relay_keeps_its_left_limit_at_the_switch() {
    let trace = trace(
        "
blocks:
  x: {type: Integrator, input: 1, initial: -0.7}
  r: {type: Expression, expression: if x > 0 then -1 else 1}
  y: {type: Integrator, input: r}
  s: {type: LevelCrossing, input: x}
record: [x, r, y, s]
simulate: {stop: 2}
",
    );
    let switch = tags(&trace, "s");
    assert_eq!(switch.len(), 1);
    assert_eq!(at(&trace, "r", left(switch[0])), Some(1.0));
    assert_eq!(at(&trace, "r", switch[0]), Some(-1.0));
    let peak = at(&trace, "y", switch[0]).unwrap();
    assert_near(peak, 0.7, 1e-12);
    assert_near(trace.last("y").unwrap(), 0.7 - 1.3, 1e-12);
    for (tag, r) in trace.series("r") {
        assert_eq!(r, if tag < switch[0] { 1.0 } else { -1.0 }, "at {tag}");
    }
}

/// A relay in a loop with a delay of a second order: x'' = -sign(x) has a known period.
#[test]
fn a_relay_in_a_loop_has_its_period() {
    let trace = trace(
        "
blocks:
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: if x > 0 then -1 else 1}
  e: {type: LevelCrossing, input: x}
record: [x, v, e]
simulate: {stop: 20, tolerance: 1e-9}
",
    );
    // From rest at 1 it takes sqrt(2) to the switch, and then 2 sqrt(2) from switch to switch.
    let found = times(&trace, "e");
    assert_eq!(found.len(), 7);
    for (k, time) in found.iter().enumerate() {
        assert_near(*time, 2.0f64.sqrt() * (1.0 + 2.0 * k as f64), 1e-9);
    }
}

/// Only the held result is recorded, so that nothing but the jump itself wakes the moving part.
#[test]
fn a_jump_reaches_a_moving_part_that_nothing_else_wakes() {
    let trace = trace(
        "
blocks:
  s: {type: Step, time: 0.4, before: 2, after: -1}
  z: {type: Integrator, input: 0}
  p: {type: Expression, expression: s + z}
  f: {type: Expression, expression: if p > 0 then 7 else 9}
record: [f]
simulate: {stop: 2}
",
    );
    assert_at(&trace, "f", &[("0.4", 0, 7.0), ("0.4", 1, 9.0)]);
    assert_eq!(trace.last("f"), Some(9.0));
}

#[test]
fn a_cell_is_left_downwards_where_it_was_entered_upwards() {
    // x rises to 2.25, crossing 1 and 2, and comes back.
    let trace = trace(
        "
blocks:
  x: {type: Expression, expression: 2.25 - (time - 1.5)^2}
  f:
    type: Expression
    expression: floor(x)
  y: {type: Integrator, input: f}
record: [f, y]
simulate: {stop: 2.9}
",
    );
    let (one, two) = (1.25f64.sqrt(), 0.5);
    // x > 1 for 2 sqrt(1.25), and x > 2 for 1.
    assert_near(trace.last("y").unwrap(), 2.0 * one + 2.0 * two, 1e-8);
    let seen: Vec<f64> = trace.series("f").into_iter().map(|(_, f)| f).collect();
    let mut steps = seen.clone();
    steps.dedup();
    assert_eq!(steps, [0.0, 1.0, 2.0, 1.0, 0.0]);
}

#[test]
fn a_stopped_motion_stays_at_its_zero() {
    // v jumps to 0 exactly where x has reached the level: the side is 0 from then on, and the
    // crossing that located it comes once.
    let trace = trace(
        "
blocks:
  x: {type: Integrator, input: v, initial: -1}
  v: {type: Integrator, input: 0, initial: 1, reset: halt}
  e: {type: LevelCrossing, input: x}
  halt: {type: Sample, input: 0, trigger: e}
record: [x, v, e]
simulate: {stop: 3}
",
    );
    let first = tags(&trace, "e")[0];
    assert_near(first.time.seconds(), 1.0, 1e-12);
    assert_eq!(first.microstep, 1);
    assert_eq!(trace.last("v"), Some(0.0));
    assert_near(trace.last("x").unwrap(), 0.0, 1e-12);
}

#[test]
fn equality_of_moving_signals_is_refused() {
    let refused = common::refusal(
        "
blocks:
  x: {type: Integrator, input: 1}
  y: {type: Expression, expression: if x == 1 then 1 else 0}
simulate: {stop: 1}
",
    );
    assert_eq!(common::codes(&refused).len(), 1, "{refused}");
}

#[test]
fn logic_of_two_comparisons() {
    // 1 while 0.25 < t < 0.75 or t > 1.5.
    let trace = trace(
        "
blocks:
  t: {type: Integrator, input: 1}
  w: {type: Expression, expression: (t > 0.25 and t < 0.75) or not (t <= 1.5)}
  y: {type: Integrator, input: if w then 1 else 0}
record: [y]
simulate: {stop: 2}
",
    );
    assert_near(trace.last("y").unwrap(), 1.0, 1e-10);
}

/// A cell whose function stands on its edge, exactly or by the rounding of a location, goes by the
/// way that the function takes from there.
#[test]
fn a_cell_that_is_left_from_its_edge_is_left_at_once() {
    let trace = simulate(
        "
blocks:
  rate: {type: Step, time: 0.1, after: -1}
  x: {type: Integrator, input: rate}
  f: {type: Expression, expression: floor(3 * x)}
  s: {type: Sine, frequency: 0.7, phase: 7}
  g: {type: Expression, expression: floor(3 * s)}
record: [x, f, s, g]
simulate: {stop: 1.5, solver: rk4, step: 0.05}
",
    )
    .trace;
    let last = |tag: &superdense::Tag| {
        trace.tags().iter().filter(|other| other.time == tag.time).max() == Some(tag)
    };
    for (name, cell) in [("x", "f"), ("s", "g")] {
        let values = trace.series(name);
        for ((tag, value), (_, cell)) in values.iter().zip(trace.series(cell)) {
            // The right limit of an instant, where the function is not within a rounding of an edge.
            let edge = (3.0 * value - (3.0 * value).round()).abs();
            if last(tag) && edge > 1e-9 {
                assert_eq!(cell, (3.0 * value).floor(), "{name} at {tag}");
            }
        }
    }
    assert_eq!(at(&trace, "f", exact("0.1", 2)), Some(-1.0));
}

/// Whether a side has changed was decided one microstep earlier, whatever the signal does now. So an
/// event of a LevelCrossing does not depend on its input, and is no part of a loop through it: not of
/// one that is solved, w = 2 - w / 2, whose solution makes the input jump.
#[test]
fn a_crossing_is_no_part_of_a_loop_through_its_input() {
    let text = "
solve: true
blocks:
  strike: {type: OneShot, at: 0.5}
  v: {type: Integrator, input: 1, impulse: pushes}
  pushes: {type: Sum, inputs: [strike, w]}
  up: {type: LevelCrossing, input: v, level: 1}
  s: {type: Sample, input: 2, trigger: up}
  w: {type: Expression, expression: s - u}
  u: {type: Expression, expression: w / 2}
record: [v, w, up]
simulate: {stop: 1}
";
    let trace = simulate(text).trace;
    assert_eq!(tags(&trace, "up"), [exact("0.5", 2)]);
    assert_eq!(tags(&trace, "w"), [exact("0.5", 2)]);
    assert_near(trace.last("w").unwrap(), 4.0 / 3.0, 1e-12);
    assert_near(trace.last("v").unwrap(), 2.0 + 4.0 / 3.0, 1e-12);
}
