//! Balls in a line: groups that strike groups, hits from both sides, and long runs.

use proptest::prelude::*;
use superdense::Trace;

use super::{after, vectors};
use crate::common::{assert_near, simulate};

fn list(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(f64::to_string).collect::<Vec<_>>().join(", "))
}

/// A chain of balls of diameter 1, with further parameters of the chain.
fn chain(x: &[f64], v: &[f64], masses: &[f64], further: &str, stop: f64) -> Trace {
    let text = format!(
        "
blocks:
  chain: {{type: BallChain, x0: {}, v0: {}, masses: {}, distance: 1{further}}}
record: {{v: chain.v, momentum: chain.momentum, energy: chain.energy}}
simulate: {{stop: {stop}}}
",
        list(x),
        list(v),
        list(masses),
    );
    simulate(&text).trace
}

/// Of equal balls, as many leave as have come, with their velocities, whatever moves or rests; those
/// between do not move.
///
/// Holds: closed form of BallChain.
#[test]
fn as_many_balls_leave_as_have_come() {
    for (count, striking) in [(5, 1), (5, 2), (5, 3), (5, 4), (8, 3), (3, 2), (12, 7)] {
        let x: Vec<f64> =
            (0..count).map(|i| i as f64 - if i < striking { 1.0 } else { 0.0 }).collect();
        let moving = |i: usize| if i < striking { 1.0 } else { 0.0 };
        let v: Vec<f64> = (0..count).map(moving).collect();
        let trace = chain(&x, &v, &vec![1.0; count], "", 2.0);
        let expected: Vec<f64> = v.iter().rev().copied().collect();
        assert_eq!(vectors(&trace, "v").last().unwrap().1, expected, "{striking} of {count}");
        for (tag, momentum) in trace.series("momentum") {
            assert_eq!(momentum, striking as f64, "at {tag}");
        }
    }
}

/// Groups from both sides pass through each other.
#[test]
fn groups_that_strike_groups() {
    let x = [-2.5, -1.5, 0.0, 1.0, 2.0, 3.5, 4.5, 5.5];
    let v = [1.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.0];
    let trace = chain(&x, &v, &[1.0; 8], "", 2.0);
    let expected = [-1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
    assert_eq!(vectors(&trace, "v").last().unwrap().1, expected);
}

/// A light ball between two heavy ones hits them in turn at one instant: the balls separate and meet
/// again without any time between.
#[test]
fn balls_meet_again_at_one_instant() {
    let masses = [8.0, 0.5, 8.0];
    let trace = chain(&[-1.0, 1.0, 2.0], &[1.0, 0.0, 0.0], &masses, "", 2.0);
    let mut v = [1.0, 0.0, 0.0];
    let mut hits = 0;
    while v[0] > v[1] || v[1] > v[2] {
        let pair = if v[0] > v[1] { 0 } else { 1 };
        let [a, b] = after([masses[pair], masses[pair + 1]], [v[pair], v[pair + 1]], 1.0);
        (v[pair], v[pair + 1]) = (a, b);
        hits += 1;
    }
    assert!(hits >= 4, "only {hits} hits");
    for (ours, truth) in vectors(&trace, "v").last().unwrap().1.iter().zip(v) {
        assert_near(*ours, truth, 1e-13);
    }
}

/// What a chain does at one instant, collision by collision: those that share a ball with an earlier
/// one of the same microstep wait.
fn settle(masses: &[f64], v: &mut [f64], e: f64, left: bool) -> usize {
    let mut microsteps = 0;
    loop {
        let old = v.to_vec();
        let mut busy = vec![false; v.len()];
        let pairs: Vec<usize> = match left {
            true => (0..v.len() - 1).collect(),
            false => (0..v.len() - 1).rev().collect(),
        };
        for i in pairs {
            if old[i] > old[i + 1] && !busy[i] && !busy[i + 1] {
                let [a, b] = after([masses[i], masses[i + 1]], [old[i], old[i + 1]], e);
                (v[i], v[i + 1]) = (a, b);
                (busy[i], busy[i + 1]) = (true, true);
            }
        }
        if !busy.contains(&true) {
            return microsteps;
        }
        microsteps += 1;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

    /// Balls that all touch at the instant at which the first is struck: every microstep keeps the
    /// momentum, elastic ones the energy, and the result is that of collisions one after the other in
    /// the order that the model asks for.
    ///
    /// Holds: jump of BallChain, BallCollision; closed form of BallCollision.
    #[test]
    fn interleaved_collisions_keep_momentum_and_energy(
        masses in prop::collection::vec(0.2f64..5.0, 3..7),
        speeds in prop::array::uniform2(0.2f64..3.0),
        left in any::<bool>(),
    ) {
        let count = masses.len();
        let mut x: Vec<f64> = (0..count).map(|i| i as f64).collect();
        let mut v = vec![0.0; count];
        // Both outer balls arrive after one second.
        (x[0], v[0]) = (-speeds[0], speeds[0]);
        (x[count - 1], v[count - 1]) = (count as f64 - 1.0 + speeds[1], -speeds[1]);
        let order = if left { ", order: left" } else { ", order: right" };
        let trace = chain(&x, &v, &masses, order, 1.001);
        let momentum: f64 = masses.iter().zip(&v).map(|(m, v)| m * v).sum();
        let energy: f64 = masses.iter().zip(&v).map(|(m, v)| m * v * v / 2.0).sum();
        for (tag, ours) in trace.series("momentum") {
            prop_assert!((ours - momentum).abs() < 1e-12, "{} at {}", ours, tag);
        }
        for (tag, ours) in trace.series("energy") {
            prop_assert!((ours - energy).abs() < 1e-12 * energy, "{} at {}", ours, tag);
        }
        settle(&masses, &mut v, 1.0, left);
        for (ours, truth) in vectors(&trace, "v").last().unwrap().1.iter().zip(&v) {
            assert_near(*ours, *truth, 1e-11);
        }
    }
}

/// The hits of two balls on a third one by four rules: the naive superposition loses energy, all of
/// it if the masses are equal; the others keep it.
///
/// Holds: closed form and jump of PoissonForce.
#[test]
fn hits_from_both_sides() {
    for masses in [[1.0, 1.0, 1.0], [0.2, 1.0, 5.0], [3.0, 0.5, 2.0]] {
        let [m1, m2, m3] = masses;
        let text = format!(
            "
solve: true
blocks:
  a: {{type: Ball, v0: 1, mass: {m1}, push: -ab.push}}
  b: {{type: Ball, x0: 2, mass: {m2}, push: pushes}}
  c: {{type: Ball, x0: 4, v0: -1, mass: {m3}, push: bc.push}}
  pushes: {{type: Sum, inputs: [ab.push, -bc.push]}}
  hit_ab: {{type: CollisionDetector, gap: b.x - a.x - 1, closing: a.v - b.v, threshold: 0}}
  hit_bc: {{type: CollisionDetector, gap: c.x - b.x - 1, closing: b.v - c.v, threshold: 0}}
  ab: {{type: PoissonForce, collision: hit_ab, v1: previous(a.v), v2: previous(b.v), m1: {m1}, m2: {m2}, also2: -bc.compression}}
  bc: {{type: PoissonForce, collision: hit_bc, v1: previous(b.v), v2: previous(c.v), m1: {m2}, m2: {m3}, also1: ab.compression}}
record: {{v: '[a.v, b.v, c.v]'}}
simulate: {{stop: 1.5}}
"
        );
        let trace = simulate(&text).trace;
        let rows = vectors(&trace, "v");
        let common = (m1 - m3) / (m1 + m2 + m3);
        let compressed =
            rows.iter().find(|(tag, _)| tag.microstep == 1 && tag.time.seconds() > 0.5);
        let compressed = compressed.unwrap();
        assert_near(compressed.0.time.seconds(), 1.0, 1e-12);
        compressed.1.iter().for_each(|v| assert_near(*v, common, 1e-14));
        for (ours, before) in rows.last().unwrap().1.iter().zip([1.0, 0.0, -1.0]) {
            assert_near(*ours, 2.0 * common - before, 1e-14);
        }
    }
}

/// Every outcome of collisions at one instant in which any of those that share a ball may be first:
/// at each microstep pairs that share no ball with another one that is due collide; for each ball
/// that two of them share one is drawn, and those that are drawn on both sides collide one microstep
/// later, together with whatever has become due.
fn every_outcome(masses: &[f64], v: &[f64], drawn: &[usize], found: &mut Vec<Vec<f64>>) {
    let pairs = masses.len() - 1;
    let due = |i: usize| i < pairs && v[i] > v[i + 1] + 1e-12;
    if !(0..pairs).any(due) {
        if !found.iter().any(|own| own.iter().zip(v).all(|(a, b)| (a - b).abs() < 1e-9)) {
            found.push(v.to_vec());
        }
        return;
    }
    // For each ball: 0 if nothing is drawn, 1 if the pair on its left is to be first, 2 if the right.
    let shared = |ball: usize| ball > 0 && due(ball - 1) && due(ball);
    let lets = |ball: usize, own: usize| drawn[ball] == own || drawn[ball] == 0 && !shared(ball);
    let mut next = v.to_vec();
    for pair in (0..pairs).filter(|pair| due(*pair)) {
        if lets(pair, 2) && lets(pair + 1, 1) {
            let [a, b] = after([masses[pair], masses[pair + 1]], [v[pair], v[pair + 1]], 1.0);
            (next[pair], next[pair + 1]) = (a, b);
        }
    }
    let open: Vec<usize> = (1..pairs).filter(|ball| drawn[*ball] == 0 && shared(*ball)).collect();
    for choice in 0..1usize << open.len() {
        let mut coming = vec![0; masses.len()];
        for (bit, ball) in open.iter().enumerate() {
            coming[*ball] = 1 + (choice >> bit & 1);
        }
        every_outcome(masses, &next, &coming, found);
    }
}

/// `explore` finds what enumeration finds: two and three pairs that are due at one instant.
///
/// Holds: closed form and jump of CollisionOrder, PendingCollision.
#[test]
fn every_order_of_simultaneous_hits_is_explored() {
    let cases: [(&[f64], &[f64]); 4] = [
        (&[1.0, 2.0, 1.0], &[1.0, 0.0, -1.0]),
        (&[1.0, 1.0, 1.0], &[1.0, 0.0, -1.0]),
        (&[1.0, 2.0, 3.0, 1.0], &[1.5, 0.5, -0.5, -1.5]),
        (&[4.0, 1.0, 1.0, 4.0], &[1.5, 0.5, -0.5, -1.5]),
    ];
    for (masses, v) in cases {
        let x: Vec<f64> = (0..masses.len()).map(|i| 2.0 * i as f64).collect();
        let text = format!(
            "
blocks:
  chain: {{type: BallChain, x0: {}, v0: {}, masses: {}, distance: 1, order: any}}
record: {{v: chain.v, energy: chain.energy}}
simulate: {{stop: 1.001}}
",
            list(&x),
            list(v),
            list(masses),
        );
        let system = crate::common::compile(&text);
        let explored = system.explore(100_000, &mut |_, _| true).expect("choices");
        assert!(explored.complete);
        let of = |outcome: &superdense::PossibleOutcome, name: &str| {
            let own = outcome.values.iter().find(|own| own.0 == name);
            own.and_then(|own| own.1.clone()).expect("recorded and present")
        };
        let mut ours: Vec<Vec<f64>> = explored.outcomes.iter().map(|own| of(own, "v")).collect();
        let mut truth = Vec::new();
        every_outcome(masses, v, &vec![0; masses.len()], &mut truth);
        assert_eq!(ours.len(), truth.len(), "{masses:?}: {ours:?} and {truth:?}");
        let sorted = |all: &mut Vec<Vec<f64>>| {
            all.sort_by(|a, b| a.iter().partial_cmp(b.iter()).expect("numbers"))
        };
        sorted(&mut ours);
        sorted(&mut truth);
        for (ours, truth) in ours.iter().flatten().zip(truth.iter().flatten()) {
            assert_near(*ours, *truth, 1e-9);
        }
        let energy: f64 = masses.iter().zip(v).map(|(m, v)| m * v * v / 2.0).sum();
        for outcome in &explored.outcomes {
            assert_near(of(outcome, "energy")[0], energy, 1e-12);
        }
        let all: f64 = explored.outcomes.iter().map(|own| own.probability).sum();
        assert_near(all, 1.0, 1e-12);
    }
}

/// Bodies with little rebound between a wall and a body share a speed infinitely often at one
/// instant; all come to rest, and the wall has taken the momentum.
///
/// Holds: closed form of FixedWall.
#[test]
fn speeds_that_are_shared_without_end_come_to_rest() {
    for (e, masses) in [
        (0.0, &[1.0, 1.0][..]),
        (0.0, &[1.0, 1.0, 1.0]),
        (0.1, &[1.0, 1.0, 1.0]),
        (0.05, &[2.0, 1.0, 0.5]),
        (0.0, &[1.0, 3.0]),
    ] {
        for order in ["left", "right"] {
            let x: Vec<f64> = (0..masses.len()).map(|i| i as f64 + 0.5).collect();
            let mut v = vec![0.0; masses.len()];
            v[masses.len() - 1] = -2.0;
            let x: Vec<f64> =
                x.iter().zip(&v).map(|(x, v)| if *v < 0.0 { x + 1.0 } else { *x }).collect();
            let further = format!(", e: {e}, wall_left: 0, order: {order}");
            let trace = chain(&x, &v, masses, &further, 2.0);
            let rows = vectors(&trace, "v");
            for speed in &rows.last().unwrap().1 {
                assert!(speed.abs() < 1e-11, "{e}, {masses:?}: {speed}");
            }
            // No body goes through another one or through the wall while they rest.
            assert_eq!(rows.last().unwrap().0.time.seconds(), 2.0);
        }
    }
}

/// Without walls a group without rebound moves on together, with its momentum.
#[test]
fn a_group_without_rebound_moves_on_together() {
    for masses in [&[1.0, 1.0, 1.0][..], &[1.0, 2.0, 3.0, 4.0], &[4.0, 0.5, 4.0, 0.5, 2.0]] {
        let x: Vec<f64> = (0..masses.len()).map(|i| if i == 0 { -1.0 } else { i as f64 }).collect();
        let mut v = vec![0.0; masses.len()];
        v[0] = 3.0;
        let trace = chain(&x, &v, masses, ", e: 0", 2.0);
        let all = 3.0 * masses[0] / masses.iter().sum::<f64>();
        for speed in &vectors(&trace, "v").last().unwrap().1 {
            assert_near(*speed, all, 1e-8);
        }
    }
}
