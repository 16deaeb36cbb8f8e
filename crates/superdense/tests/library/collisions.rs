//! Truths about collisions: the velocities that equations (6) to (12) of Lee's "Constructive
//! Collisions" give, conservation laws at every microstep, and which bodies collide at an instant.

mod chains;
mod contact;
mod long;
mod plane;
mod rules;

use proptest::prelude::*;
use superdense::{Tag, Trace};

use crate::common::{assert_near, exact, simulate, tags, times};

/// The rows of a vector.
pub(super) fn vectors(trace: &Trace, name: &str) -> Vec<(Tag, Vec<f64>)> {
    let column = trace.column(name).unwrap_or_else(|| panic!("no column `{name}`"));
    let row = |row: usize| Some((trace.tags()[row], trace.get(row, column)?.to_vec()));
    (0..trace.len()).filter_map(row).collect()
}

/// The velocities after a collision with restitution, by equations (8) and (9).
pub(super) fn after([m1, m2]: [f64; 2], [v1, v2]: [f64; 2], e: f64) -> [f64; 2] {
    let momentum = m1 * v1 + m2 * v2;
    let all = m1 + m2;
    [(e * m2 * (v2 - v1) + momentum) / all, (e * m1 * (v1 - v2) + momentum) / all]
}

/// Two balls of diameter 1 with a force that is delayed by a microstep, as in figure 4.
fn two_balls([m1, m2]: [f64; 2], [v1, v2]: [f64; 2], e: f64) -> Trace {
    let text = format!(
        "
blocks:
  left: {{type: Ball, mass: {m1}, v0: {v1}, push: -push}}
  right: {{type: Ball, mass: {m2}, x0: 2, v0: {v2}, push: push}}
  hit: {{type: CollisionDetector, gap: right.x - left.x - 1, closing: left.v - right.v}}
  force: {{type: ImpulsiveForce, collision: hit, v1: left.v, v2: right.v, m1: {m1}, m2: {m2}, e: {e}}}
  push: {{type: MicrostepDelay, input: force}}
record: {{v1: left.v, v2: right.v, hit: hit, push: push}}
simulate: {{stop: {}}}
",
        1.5 / (v1 - v2)
    );
    simulate(&text).trace
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() })]

    /// One collision has the velocities of (8) and (9), those of (6) and (7) if it is elastic, and
    /// keeps the momentum at every microstep.
    ///
    /// Holds: closed form and jump of Ball, CollisionDetector, ImpulsiveForce.
    #[test]
    fn two_balls_collide_as_the_equations_say(
        masses in prop::array::uniform2(0.01f64..100.0),
        slow in -5.0f64..5.0,
        closing in 0.1f64..10.0,
        e in prop_oneof![Just(0.0), Just(1.0), 0.0f64..1.0],
    ) {
        let before = [slow + closing, slow];
        let trace = two_balls(masses, before, e);
        let hits = tags(&trace, "hit");
        prop_assert_eq!(hits.len(), 1);
        assert_near(hits[0].time.seconds(), 1.0 / closing, 1e-9 / closing);
        prop_assert_eq!(tags(&trace, "push"), vec![Tag::new(hits[0].time, hits[0].microstep + 1)]);
        let expected = after(masses, before, e);
        let size = before[0].abs().max(before[1].abs());
        for (name, expected) in ["v1", "v2"].into_iter().zip(expected) {
            assert_near(trace.last(name).unwrap(), expected, 1e-14 * 200.0 * size);
        }
        let [m1, m2] = masses;
        if e == 1.0 {
            let v1 = (before[0] * (m1 - m2) + 2.0 * m2 * before[1]) / (m1 + m2);
            let v2 = (before[1] * (m2 - m1) + 2.0 * m1 * before[0]) / (m1 + m2);
            assert_near(expected[0], v1, 1e-12 * size);
            assert_near(expected[1], v2, 1e-12 * size);
        }
        let momentum = m1 * before[0] + m2 * before[1];
        for ((_, v1), (_, v2)) in trace.series("v1").into_iter().zip(trace.series("v2")) {
            assert_near(m1 * v1 + m2 * v2, momentum, 1e-13 * (m1 + m2) * size);
        }
    }

    /// A fixed wall returns a ball with -e times its velocity, equation (12).
    ///
    /// Holds: closed form and jump of FixedWall.
    #[test]
    fn a_wall_returns_a_ball(mass in 0.01f64..100.0, v in 0.1f64..10.0, e in 0.0f64..1.0) {
        let text = format!(
            "
blocks:
  ball: {{type: Ball, mass: {mass}, v0: {v}, push: -wall.push}}
  wall: {{type: FixedWall, gap: 1 - ball.x, closing: ball.v, mass: {mass}, e: {e}}}
record: {{v: ball.v, hit: wall.collision, push: wall.push}}
simulate: {{stop: {}}}
",
            1.5 / v
        );
        let trace = simulate(&text).trace;
        prop_assert_eq!(tags(&trace, "hit").len(), 1);
        prop_assert_eq!(tags(&trace, "hit"), tags(&trace, "push"));
        assert_near(trace.last("v").unwrap(), -e * v, 1e-14 * v);
        assert_near(trace.last("push").unwrap(), (1.0 + e) * mass * v, 1e-13 * mass * v);
    }

    /// Balls that touch and are then pressed together collide when they approach at the threshold,
    /// whenever the force begins and whatever the balls weigh. The centre of mass is not concerned,
    /// and the balls do not sink into each other.
    #[test]
    fn balls_that_are_pressed_together_collide(
        masses in prop::array::uniform2(0.1f64..10.0),
        begin in 0.0f64..2.0,
        force in 0.5f64..5.0,
        place in -3.0f64..3.0,
    ) {
        let [m1, m2] = masses;
        let text = format!(
            "
parameters: {{place: {place}}}
blocks:
  force: {{type: Step, time: {begin}, after: {force}}}
  left: {{type: Ball, mass: {m1}, x0: place, force: force, push: -hit.push}}
  right: {{type: Ball, mass: {m2}, x0: place + 0.2, push: hit.push}}
  hit: {{type: BallCollision, x1: left.x, v1: left.v, x2: right.x, v2: right.v, m1: {m1}, m2: {m2}, distance: 0.2, threshold: 0.05}}
record: {{hit: hit.collision, gap: right.x - left.x - 0.2, momentum: {m1} * left.v + {m2} * right.v}}
simulate: {{stop: {}}}
",
            begin + 1.0
        );
        let trace = simulate(&text).trace;
        let hits = times(&trace, "hit");
        let first = 0.05 * m1 / force;
        if first < 0.9 {
            assert_near(hits[0], begin + first, 1e-9);
            // Between two hits the gap opens and closes: twice the time of the first.
            let count = ((1.0 - first) / (2.0 * first)).floor() as usize + 1;
            prop_assert!(hits.len().abs_diff(count) <= 1, "{} hits, not {}", hits.len(), count);
        }
        assert_near(trace.last("momentum").unwrap(), force, 1e-9 * force);
        let depth = 0.05f64.powi(2) * m1 / (2.0 * force);
        let least = trace.series("gap").iter().map(|(_, gap)| *gap).fold(0.0, f64::min);
        prop_assert!(least >= -1.01 * depth - 1e-12, "{} deeper than {}", least, depth);
    }
}

/// Bodies of diameter 0.2 at 0.1 and 0.3 touch, whatever 0.3 - 0.1 - 0.2 is in binary: a strike on
/// the left one is passed on at the next microstep, from wherever they are.
#[test]
fn touching_is_touching() {
    let place = |shift: &str| format!("{{type: Ball, x0: 0.1 + {shift}");
    for shift in ["0", "0.2", "0.7", "-0.3", "1.1", "100.1", "-1e-3"] {
        for distance in ["0.2", "0.3 - 0.1"] {
            let text = format!(
                "
blocks:
  strike: {{type: OneShot, at: 0.5}}
  pushes: {{type: Sum, inputs: [strike, -hit.push]}}
  left: {}, push: pushes}}
  right: {{type: Ball, x0: 0.3 + {shift}, push: hit.push}}
  hit: {{type: BallCollision, x1: left.x, v1: left.v, x2: right.x, v2: right.v, distance: {distance}}}
record: {{v1: left.v, v2: right.v, hit: hit.collision}}
",
                place(shift)
            );
            let trace = simulate(&text).trace;
            assert_eq!(tags(&trace, "hit"), [exact("0.5", 2)], "{shift}, {distance}");
            assert_eq!((trace.last("v1"), trace.last("v2")), (Some(0.0), Some(1.0)), "{shift}");
        }
    }
}

/// Balls that touch and move together do not collide, nor do balls that part.
#[test]
fn what_does_not_approach_does_not_collide() {
    for (left, right) in [(0.0, 0.0), (1.0, 1.0), (0.3, 0.3), (-1.0, 1.0), (0.1, 0.4)] {
        let text = format!(
            "
blocks:
  left: {{type: Ball, v0: {left}, push: -hit.push}}
  right: {{type: Ball, x0: 0.2, v0: {right}, push: hit.push}}
  hit: {{type: BallCollision, x1: left.x, v1: left.v, x2: right.x, v2: right.v, distance: 0.2}}
record: {{v1: left.v, v2: right.v, hit: hit.collision}}
simulate: {{stop: 10}}
"
        );
        let trace = simulate(&text).trace;
        assert!(tags(&trace, "hit").is_empty(), "{left}, {right}");
        assert_eq!((trace.last("v1"), trace.last("v2")), (Some(left), Some(right)));
    }
}
