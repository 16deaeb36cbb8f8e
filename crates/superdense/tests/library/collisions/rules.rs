//! What the blocks of collisions do without events, with impulses and with bad input.

use crate::common::{assert_at, assert_near, codes, failure, refusal, simulate, tags};

/// Bodies that stay apart give no event, and without an event nothing jumps.
///
/// Holds: absence of Ball, CollisionDetector, ImpulsiveForce, PoissonForce, FixedWall,
/// BallCollision, BallChain, Disc, DiscCollision, DiscWall, Contact, PendingCollision,
/// CollisionOrder.
#[test]
fn nothing_happens_to_bodies_that_stay_apart() {
    let text = "
blocks:
  a: {type: Ball, v0: 1}
  b: {type: Ball, x0: 5, v0: 1}
  hit: {type: CollisionDetector, gap: b.x - a.x, closing: a.v - b.v}
  pending: {type: PendingCollision, gap: b.x - a.x, closing: a.v - b.v}
  order: {type: CollisionOrder, first: pending.due, second: hit}
  newton: {type: ImpulsiveForce, collision: hit, v1: a.v, v2: b.v}
  poisson: {type: PoissonForce, collision: hit, v1: a.v, v2: b.v}
  pair: {type: BallCollision, x1: a.x, v1: a.v, x2: b.x, v2: b.v}
  wall: {type: FixedWall, gap: 20 - b.x, closing: b.v}
  contact: {type: Contact, gap: b.x - a.x, closing: a.v - b.v, force1: 0}
  chain: {type: BallChain, x0: [0, 3, 6], v0: [1, 1, 1]}
  c: {type: Disc, v0: [1, 2]}
  d: {type: Disc, x0: [5, 0], v0: [1, 2]}
  discs: {type: DiscCollision, x1: c.x, v1: c.v, x2: d.x, v2: d.v}
  floor: {type: DiscWall, x: c.x, v: c.v, point: '[0, -2]', normal: '[0, 1]'}
record:
  hit: hit
  due: pending.due
  waits: order.wait_first
  newton: newton
  poisson: poisson.push
  pair: pair.push
  wall: wall.push
  contact: contact.push
  left: chain.left_push
  right: chain.right_push
  discs: discs.twist1
  floor: floor.twist
  va: a.v
  spin: c.spin
  force: contact.force
simulate: {stop: 3}
";
    let trace = simulate(text).trace;
    for name in [
        "hit", "due", "waits", "newton", "poisson", "pair", "wall", "contact", "left", "right",
        "discs", "floor",
    ] {
        assert!(tags(&trace, name).is_empty(), "{name}");
    }
    assert!(trace.series("va").iter().all(|(_, v)| *v == 1.0));
    assert!(trace.series("spin").iter().all(|(_, spin)| *spin == 0.0));
    assert!(trace.series("force").iter().all(|(_, force)| *force == 0.0));
}

/// An impulse of a force is a blow: the velocity jumps by its weight over the mass, and touching
/// bodies pass the blow on.
///
/// Holds: impulse of Ball, Disc, BallChain, CollisionDetector, BallCollision, PendingCollision,
/// CollisionOrder.
#[test]
fn an_impulse_of_a_force_is_a_blow() {
    let text = "
blocks:
  ball: {type: Ball, mass: 4, force: 8 * delta(time - 1)}
  disc: {type: Disc, mass: 2, force: '[0, 3] * delta(time - 1)', torque: 5 * delta(time - 1)}
  chain: {type: BallChain, x0: [0, 1, 2], distance: 1, force: '[2, 0, 0] * delta(time - 1)'}
  any: {type: BallChain, x0: [0, 1, 2], distance: 1, force: '[2, 0, 0] * delta(time - 1)', order: any}
record: {v: ball.v, y: 'disc.v[1]', spin: disc.spin, first: 'chain.v[0]', last: 'chain.v[2]', drawn: 'any.v[2]'}
simulate: {stop: 2}
";
    let trace = simulate(text).trace;
    assert_at(&trace, "v", &[("1", 0, 0.0), ("1", 1, 2.0)]);
    assert_at(&trace, "y", &[("1", 0, 0.0), ("1", 1, 1.5)]);
    assert_at(&trace, "spin", &[("1", 0, 0.0), ("1", 1, 5.0)]);
    assert_at(&trace, "first", &[("1", 1, 2.0), ("1", 2, 0.0)]);
    assert_at(&trace, "last", &[("1", 2, 0.0), ("1", 3, 2.0)]);
    // Nothing is drawn where no ball is hit from both sides.
    assert_at(&trace, "drawn", &[("1", 2, 0.0), ("1", 3, 2.0)]);
}

/// Wrong parameters and signals have a message each.
///
/// Holds: bad input of Ball, CollisionDetector, ImpulsiveForce, PoissonForce, FixedWall,
/// BallCollision, BallChain, Disc, DiscCollision, DiscWall, Contact, StickSlip, Capacitor, Inductor,
/// Resistor, IdealDiode, IdealSwitch, PendingCollision, CollisionOrder.
#[test]
// A table of cases, and so longer than a function should otherwise be.
fn bad_inputs_are_refused() {
    for (block, output, code, reason) in [
        ("Ball, mass: 0", "x", "bad-parameter", "the mass must be positive"),
        ("Ball, push: time", "x", "not-events", "takes events"),
        ("CollisionDetector, gap: k, closing: 1", "collision", "only-events", "gap"),
        (
            "CollisionDetector, gap: 1, closing: 1, threshold: -1",
            "collision",
            "bad-parameter",
            "the threshold must not be negative",
        ),
        (
            "PendingCollision, gap: 1, closing: 1, touch: -1",
            "due",
            "bad-parameter",
            "the gap must not be negative",
        ),
        ("CollisionOrder, first: time, second: k", "wait_first", "not-events", "takes events"),
        ("ImpulsiveForce, collision: time, v1: 1, v2: 0", "push", "not-events", "takes events"),
        ("ImpulsiveForce, collision: k, v1: 1, v2: 0, e: 2", "push", "bad-parameter", "0 and 1"),
        ("PoissonForce, collision: k, v1: 1, v2: 0, m1: -1", "push", "bad-parameter", "positive"),
        ("FixedWall, gap: 1, closing: 1, e: -1", "push", "bad-parameter", "0 and 1"),
        (
            "BallCollision, x1: 0, v1: 0, x2: 1, v2: 0, m2: 0",
            "push",
            "bad-parameter",
            "masses must be positive",
        ),
        ("BallChain, x0: [1]", "momentum", "bad-parameter", "at least two balls"),
        ("BallChain, x0: [1, 2], v0: [1]", "momentum", "bad-parameter", "the same length"),
        ("Disc, radius: 0", "spin", "bad-parameter", "must be positive"),
        (
            "DiscCollision, x1: '[0, 0]', v1: '[0, 0]', x2: '[1, 0]', v2: '[0, 0]', friction: -1",
            "push",
            "bad-parameter",
            "the coefficient of friction must not be negative",
        ),
        (
            "DiscWall, x: '[0, 0]', v: '[0, 0]', point: '[0, 0]', normal: '[0, 0]'",
            "push",
            "bad-parameter",
            "the normal must not be zero",
        ),
        (
            "Contact, gap: 1, closing: 0, force1: 0, m1: inf, m2: inf",
            "force",
            "bad-parameter",
            "not both infinite",
        ),
        (
            "StickSlip, slip: 0, holding: 0, static: 1, kinetic: 2",
            "force",
            "bad-parameter",
            "not greater than the static one",
        ),
        ("Capacitor, C: 0", "voltage", "bad-parameter", "the capacitance must be positive"),
        ("Inductor, L: -1", "current", "bad-parameter", "the inductance must be positive"),
        ("Resistor, input: 1, R: 0", "output", "bad-parameter", "the resistance must be positive"),
        (
            "IdealDiode, on_current: 0, off_voltage: 0, drop: -1",
            "voltage",
            "bad-parameter",
            "the voltage must not be negative",
        ),
        (
            "IdealSwitch, closed: 1, on_current: 0, off_voltage: 0",
            "voltage",
            "type-mismatch",
            "bool",
        ),
    ] {
        let text = format!(
            "blocks:
  k: {{type: Clock, period: 10, offset: 1}}
  y: {{type: {block}}}
record: {{y: y.{output}}}
"
        );
        let refused = refusal(&text);
        assert_eq!(codes(&refused)[0], code, "{block}: {refused}");
        assert!(refused.to_string().contains(reason), "{block}: {refused}");
    }
}

/// The model of figure 4 without its delay: the force needs the velocities and the velocities need
/// the force, at one microstep. The run ends there with the loop.
#[test]
fn a_collision_without_a_delay_is_a_causality_loop() {
    let text = "
blocks:
  left: {type: Ball, v0: 1, push: -force}
  right: {type: Ball, x0: 2, push: force}
  detector: {type: CollisionDetector, gap: right.x - left.x - 1, closing: left.v - right.v}
  force: {type: ImpulsiveForce, collision: detector, v1: left.v, v2: right.v}
simulate: {stop: 2}
";
    let failure = failure(text);
    assert_eq!(failure.error.code(), "causality-loop");
    let message = failure.error.to_string();
    assert!(message.contains(", 1)"), "{message}");
    for part in ["left.v", "force.push", "right.v"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    // Up to the collision there is nothing to refuse.
    assert_near(failure.trace.tags().last().unwrap().time.seconds(), 1.0, 1e-12);
}
