//! Bouncing balls, Newton's cradle and Zeno.

mod common;

use common::{assert_near, compile_over, failure, simulate, tags, times};
use superdense::{RunError, StopReason, Tag, Trace};

const G: f64 = 9.81;

fn ball(restitution: &str, simulate: &str) -> String {
    format!(
        "
superdense: 1
name: bouncing-ball
parameters: {{g: 9.81, e: {restitution}, y0: 10}}
blocks:
  v: {{type: Integrator, input: -g, initial: 0, impulse: kick}}
  y: {{type: Integrator, input: v, initial: y0}}
  hit: {{type: LevelCrossing, input: y, level: 0, direction: falling}}
  kick: {{type: Sample, input: -(1 + e) * previous(v), trigger: hit}}
record: [y, v, kick, hit]
simulate: {{{simulate}}}
"
    )
}

/// The k-th bounce, counted from 0, of a ball dropped from 10 m.
fn bounce(e: f64, k: i32) -> f64 {
    let fall = (2.0 * 10.0 / G).sqrt();
    fall * (1.0 + 2.0 * (1..=k).map(|j| e.powi(j)).sum::<f64>())
}

fn assert_bounces(trace: &Trace, e: f64, count: i32) {
    let hits = tags(trace, "hit");
    assert!(hits.len() >= count as usize, "only {} bounces", hits.len());
    for (k, hit) in hits.iter().take(count as usize).enumerate() {
        assert_near(hit.time.seconds(), bounce(e, k as i32), 1e-9);
        assert_eq!(hit.microstep, 1);
    }
    assert_eq!(tags(trace, "kick"), hits, "the kick comes with the hit");
    assert!(trace.series("y").iter().all(|(_, y)| *y > -1e-9), "the ball fell through");
}

#[test]
fn thirty_bounces_at_their_times() {
    for solver in ["rk45", "rk23"] {
        let stop = bounce(0.9, 29) + 1e-3;
        let text = ball("0.9", &format!("stop: {stop}, solver: {solver}, tolerance: 1e-8"));
        let trace = simulate(&text).trace;
        assert_bounces(&trace, 0.9, 30);
        assert_eq!(tags(&trace, "hit").len(), 30);
    }
}

#[test]
fn sixty_bounces_without_falling_through() {
    let stop = bounce(0.8, 59) + 1e-7;
    let text = ball("0.9", &format!("stop: {stop}, solver: rk45, tolerance: 1e-8"));
    let system = compile_over(&text, &[("e", "0.8")]);
    let outcome = system.simulate().unwrap();
    assert_bounces(&outcome.trace, 0.8, 60);
    assert_eq!(tags(&outcome.trace, "hit").len(), 60);
}

#[test]
fn velocity_turns_between_the_microsteps() {
    let text = ball("0.5", "stop: 2, tolerance: 1e-10");
    let trace = simulate(&text).trace;
    let hit = tags(&trace, "hit")[0];
    let before = -(2.0 * 10.0 * G).sqrt();
    assert_near(common::at(&trace, "v", Tag::new(hit.time, 0)).unwrap(), before, 1e-9);
    assert_near(common::at(&trace, "v", hit).unwrap(), -0.5 * before, 1e-9);
}

#[test]
fn zeno_is_an_error_with_its_time() {
    let failure = failure(&ball("0.5", "stop: 30, solver: rk45, tolerance: 1e-8"));
    let end = 3.0 * (20.0 / G).sqrt();
    match &failure.error {
        RunError::Zeno { accumulation, blocks, time } => {
            assert_near(*accumulation, end, 1e-6);
            assert_near(time.seconds(), end, 1e-6);
            assert_eq!(blocks, &["hit"]);
        }
        other => panic!("{other}"),
    }
    assert_eq!(failure.error.code(), "zeno");
    assert!(!failure.trace.is_empty());
}

#[test]
fn zeno_may_stop_and_keep_the_trace() {
    let outcome = simulate(&ball("0.5", "stop: 30, solver: rk45, tolerance: 1e-8, zeno: stop"));
    let end = 3.0 * (20.0 / G).sqrt();
    match outcome.stop {
        StopReason::Zeno(time) => assert_near(time, end, 1e-6),
        StopReason::Stopped => panic!("went on to the stop time"),
    }
    let hits = times(&outcome.trace, "hit");
    assert!(hits.len() >= 21);
    for (k, hit) in hits.iter().enumerate() {
        assert_near(*hit, bounce(0.5, k as i32), 1e-8);
    }
    let last = outcome.trace.tags().last().unwrap().time.seconds();
    assert_near(last, end, 1e-6);
}

/// A chirp: the k-th crossing of sin(t^3) after the start is at the cube root of k pi.
#[test]
fn a_chirp_is_not_zeno() {
    let trace = simulate(
        "
superdense: 1
blocks:
  e: {type: LevelCrossing, input: sin(time^3)}
record: [e]
simulate: {stop: 8, maximum_step: 0.005}
",
    )
    .trace;
    let found = times(&trace, "e");
    let expected = (8.0f64.powi(3) / std::f64::consts::PI) as usize;
    assert_eq!(found.len(), expected);
    for (k, time) in found.iter().enumerate() {
        assert_near(*time, ((k + 1) as f64 * std::f64::consts::PI).cbrt(), 1e-9);
    }
}

#[test]
fn a_chirp_of_states_is_not_zeno() {
    // x' = v, v' = -w^2 x in the time s = t^2 / 2: x = cos(10 t^2), crossings at 10 t^2 = pi/2 + k pi.
    let trace = simulate(
        "
superdense: 1
blocks:
  x: {type: Integrator, input: -20 * time * v, initial: 1}
  v: {type: Integrator, input: 20 * time * x}
  e: {type: LevelCrossing, input: x}
record: [e]
simulate: {stop: 5, tolerance: 1e-11, solver: rk45}
",
    )
    .trace;
    let found = times(&trace, "e");
    assert_eq!(found.len(), 80);
    for (k, time) in found.iter().enumerate() {
        let truth = ((k as f64 + 0.5) * std::f64::consts::PI / 10.0).sqrt();
        assert_near(*time, truth, 1e-8);
    }
}

/// Three balls of no width: the first comes from the left, the others touch at 0.
const CRADLE: &str = "
superdense: 1
name: cradle
blocks:
  x1: {type: Integrator, input: v1, initial: -1}
  x2: {type: Integrator, input: v2, initial: 0}
  x3: {type: Integrator, input: v3, initial: 0}
  v1: {type: Integrator, input: 0, initial: 1, impulse: -p12}
  v2:
    type: Integrator
    input: 0
    impulse: p2
  v3: {type: Integrator, input: 0, impulse: p23}
  hit12: {type: LevelCrossing, input: x2 - x1, direction: falling}
  hit23: {type: LevelCrossing, input: x3 - x2, direction: falling}
  p12: {type: Sample, input: previous(v1) - previous(v2), trigger: hit12}
  p23: {type: Sample, input: previous(v2) - previous(v3), trigger: hit23}
  p2: {type: Sum, inputs: [p12, -p23]}
record: [v1, v2, v3, hit12, hit23, p12, p23, x1, x3]
simulate: {stop: 2}
";

#[test]
fn cradle_passes_the_hit_on_at_one_time() {
    let trace = simulate(CRADLE).trace;
    let velocities =
        |tag| ["v1", "v2", "v3"].map(|name| common::at(&trace, name, tag).expect("present"));
    let time = tags(&trace, "hit12")[0].time;
    assert_near(time.seconds(), 1.0, 1e-12);
    assert_eq!(velocities(Tag::new(time, 0)), [1.0, 0.0, 0.0]);
    assert_eq!(velocities(Tag::new(time, 1)), [0.0, 1.0, 0.0]);
    assert_eq!(velocities(Tag::new(time, 2)), [0.0, 0.0, 1.0]);
    assert_eq!(tags(&trace, "hit12")[0], Tag::new(time, 1));
    assert_eq!(tags(&trace, "hit23")[0], Tag::new(time, 2));
    let moved = |name: &str| trace.series(name).iter().filter(|(_, p)| *p != 0.0).count();
    assert_eq!((moved("p12"), moved("p23")), (1, 1), "each pair hits once");
    let end = ["v1", "v2", "v3"].map(|name| trace.last(name).unwrap());
    assert_eq!(end, [0.0, 0.0, 1.0]);
    assert_near(trace.last("x3").unwrap(), 1.0, 1e-12);
    assert_near(trace.last("x1").unwrap(), 0.0, 1e-12);
}

/// Two balls of mass 1 meet head-on in the middle, with a third on either side: both outer gaps
/// close at one time.
#[test]
fn symmetric_hits_share_one_tag() {
    let trace = simulate(
        "
superdense: 1
blocks:
  a: {type: Integrator, input: 1, initial: -1}
  b: {type: Integrator, input: -1, initial: 1}
  west: {type: LevelCrossing, input: 0.3 + a}
  east: {type: LevelCrossing, input: 0.3 - b}
record: [west, east]
simulate: {stop: 2}
",
    )
    .trace;
    let (west, east) = (tags(&trace, "west"), tags(&trace, "east"));
    assert_eq!(west.len(), 1);
    assert_eq!(west, east);
    assert_near(west[0].time.seconds(), 0.7, 1e-12);
}
