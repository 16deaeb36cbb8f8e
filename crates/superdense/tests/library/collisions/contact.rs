//! Contacts that last, and friction that sticks and slips.

use std::f64::consts::PI;

use proptest::prelude::*;

use crate::common::{assert_at, assert_near, at, exact, simulate, tags, times};

/// A ball bounces as long as it is fast enough, then lies still with its weight on the floor, and
/// lifts off when the force on it turns.
///
/// Holds: closed form and jump of Contact.
#[test]
fn a_ball_comes_to_rest_and_lifts_off() {
    let text = "
parameters: {g: 9.81, e: 0.5, slow: 0.01}
blocks:
  lift: {type: Expression, expression: 'if time < 2 then 0 else 2 * g * (time - 2)'}
  ball: {type: Ball, force: g - lift - floor.force, push: -floor.push}
  floor: {type: Contact, gap: 1 - ball.x, closing: ball.v, force1: g - lift, m2: inf, e: e, slow: slow}
  lands: {type: Edge, input: floor.touching}
record: {height: 1 - ball.x, v: ball.v, force: floor.force, hit: floor.collision, touching: floor.touching}
simulate: {stop: 3, tolerance: 1e-11}
";
    let trace = simulate(text).trace;
    let first = (2.0f64 / 9.81).sqrt();
    let hits = times(&trace, "hit");
    let mut expected = first;
    let mut speed = 9.81 * first;
    for hit in &hits {
        assert_near(*hit, expected, 1e-9);
        speed *= 0.5;
        expected += 2.0 * speed / 9.81;
    }
    // The last collision is the first that is not faster than 0.01 m/s.
    assert_eq!(hits.len(), 1 + ((9.81 * first / 0.01).log2().ceil() as usize));
    assert_at(&trace, "force", &[("2", 0, 9.81)]);
    assert_near(at(&trace, "v", exact("2", 0)).unwrap(), 0.0, 1e-12);
    // It lifts off at 2.5 s, and then has the net force 2 g (t - 2.5).
    assert_near(trace.last("height").unwrap(), 9.81 * 0.5f64.powi(3) / 3.0, 1e-9);
    let lowest = trace.series("height").iter().map(|(_, y)| *y).fold(1.0, f64::min);
    assert!(lowest > -1e-12, "{lowest}");
}

/// Three blocks at rest in a row, pushed from the left: the forces between them are those that give
/// all the same acceleration, and a blow on the last one parts it from the others.
#[test]
fn forces_in_a_row_of_contacts() {
    let text = "
solve: true
parameters: {f: 6}
blocks:
  strike: {type: OneShot, at: 1, value: 3}
  after: {type: Sum, inputs: [bc.push, strike]}
  pushes: {type: Sum, inputs: [ab.push, -bc.push]}
  a: {type: Ball, mass: 1, force: f - ab.force, push: -ab.push}
  b: {type: Ball, mass: 2, x0: 1, force: ab.force - bc.force, push: pushes}
  c: {type: Ball, mass: 3, x0: 2, force: bc.force, push: after}
  ab: {type: Contact, m1: 1, m2: 2, gap: b.x - a.x - 1, closing: a.v - b.v, force1: f, force2: -bc.force}
  bc: {type: Contact, m1: 2, m2: 3, gap: c.x - b.x - 1, closing: b.v - c.v, force1: ab.force}
record: {va: a.v, vb: b.v, vc: c.v, ab: ab.force, bc: bc.force, t_ab: ab.touching, t_bc: bc.touching}
simulate: {stop: 1.1, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    assert_near(at(&trace, "ab", exact("1", 0)).unwrap(), 5.0, 1e-12);
    assert_near(at(&trace, "bc", exact("1", 0)).unwrap(), 3.0, 1e-12);
    for name in ["va", "vb", "vc"] {
        let series = trace.series(name);
        let (_, v) = series.iter().find(|(tag, _)| tag.time.seconds() == 1.0).unwrap();
        assert_near(*v, 1.0, 1e-9);
    }
    assert_near(trace.last("vc").unwrap(), 2.0, 1e-9);
    assert_near(trace.last("va").unwrap(), 1.0 + 0.1 * 2.0, 1e-9);
    assert_near(trace.last("ab").unwrap(), 4.0, 1e-9);
    assert_eq!(trace.last("bc"), Some(0.0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    /// A block on a belt sticks until the spring pulls harder than static friction, and slips until
    /// it has the speed of the belt again: the period is known.
    ///
    /// Holds: closed form and jump of StickSlip.
    #[test]
    fn a_block_on_a_belt_sticks_and_slips(
        mass in 0.2f64..4.0,
        stiffness in 0.5f64..20.0,
        belt in 0.1f64..2.0,
        sliding in 0.2f64..3.0,
        more in 0.1f64..2.0,
    ) {
        let omega = (stiffness / mass).sqrt();
        let delta = more / stiffness;
        let slip = 2.0 * (PI - (omega * delta / belt).atan()) / omega;
        let stick = 2.0 * delta / belt;
        let first = (sliding + more) / stiffness / belt;
        let stop = first + 5.5 * (slip + stick);
        let text = format!(
            "
blocks:
  x: {{type: Integrator, input: v}}
  v: {{type: Integrator, input: (friction.force - {stiffness} * x) / {mass}, initial: {belt}}}
  friction: {{type: StickSlip, slip: v - {belt}, holding: {stiffness} * x, static: {}, kinetic: {sliding}}}
  slips: {{type: Edge, input: not friction.sticks, direction: rising}}
  grips: {{type: Edge, input: friction.sticks, direction: rising}}
record: {{x: x, slips: slips, grips: grips}}
simulate: {{stop: {stop}, tolerance: 1e-11}}
",
            sliding + more
        );
        let trace = simulate(&text).trace;
        let (slips, grips) = (times(&trace, "slips"), times(&trace, "grips"));
        prop_assert_eq!(slips.len(), 6);
        for (k, time) in slips.iter().enumerate() {
            assert_near(*time, first + k as f64 * (slip + stick), 1e-7 * stop);
        }
        for (k, time) in grips.iter().enumerate() {
            assert_near(*time, first + slip + k as f64 * (slip + stick), 1e-7 * stop);
        }
    }
}

/// A block that slides comes to a halt and stays, if what pulls it is weaker than static friction;
/// a blow moves it again.
#[test]
fn a_block_stops_and_stays() {
    let text = "
blocks:
  blow: {type: OneShot, at: 3, value: -1}
  ball: {type: Ball, v0: 2, force: friction.force + 0.5, push: blow}
  friction: {type: StickSlip, slip: ball.v, holding: -0.5, static: 2, kinetic: 1.5}
record: {v: ball.v, force: friction.force, sticks: friction.sticks, blow: blow}
simulate: {stop: 5}
";
    let trace = simulate(text).trace;
    // It slows down by 1 m/s^2 and halts at 2 s; the blow sends it back, slowed down by 2 m/s^2.
    assert_near(at(&trace, "v", exact("3", 0)).unwrap(), 0.0, 1e-14);
    assert_near(at(&trace, "v", exact("3", 1)).unwrap(), -1.0, 1e-14);
    assert_at(&trace, "force", &[("3", 0, -0.5)]);
    assert_near(trace.last("v").unwrap(), 0.0, 1e-12);
    assert_eq!(tags(&trace, "blow").len(), 1);
    let halts = trace.series("sticks");
    let halts: Vec<f64> = halts
        .windows(2)
        .filter(|pair| pair[0].1 == 0.0 && pair[1].1 == 1.0)
        .map(|pair| pair[1].0.time.seconds())
        .collect();
    assert_eq!(halts.len(), 2);
    assert_near(halts[0], 2.0, 1e-12);
    assert_near(halts[1], 3.5, 1e-12);
}
