//! Bouncing balls, Newton's cradle and Zeno.

use crate::common;
use crate::common::{assert_near, compile, compile_over, failure, simulate, tags, times};
use proptest::prelude::*;
use superdense::{Backend, RunError, StopReason, System, Tag, Trace};

const G: f64 = 9.81;

fn ball(restitution: &str, simulate: &str) -> String {
    format!(
        "
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
        other => panic!("went on: {other:?}"),
    }
    let hits = times(&outcome.trace, "hit");
    assert!(hits.len() >= 21);
    for (k, hit) in hits.iter().enumerate() {
        assert_near(*hit, bounce(0.5, k as i32), 1e-8);
    }
    let last = outcome.trace.tags().last().unwrap().time.seconds();
    assert_near(last, end, 1e-6);
}

/// Where a run stops because of an accumulation, and what its error is without `zeno: stop`.
fn accumulation(text: &str) -> (f64, Vec<String>) {
    let stopped = simulate(&text.replace("simulate: {", "simulate: {zeno: stop, "));
    let StopReason::Zeno(end) = stopped.stop else { panic!("went on to the stop time") };
    assert!(!stopped.trace.is_empty());
    let failure = failure(text);
    let RunError::Zeno { accumulation, blocks, time } = &failure.error else {
        panic!("{}", failure.error)
    };
    assert_eq!(*accumulation, end);
    assert!(time.seconds() <= end + 1e-12, "{time} {end}");
    assert!(!failure.trace.is_empty());
    (end, blocks.clone())
}

/// A ball on a floor that is still, whatever its restitution: few bounces or many.
fn still_ball(e: f64, y0: f64, g: f64) -> String {
    format!(
        "
parameters: {{g: {g}, e: {e}, y0: {y0}}}
blocks:
  v: {{type: Integrator, input: -g, impulse: kick}}
  y: {{type: Integrator, input: v, initial: y0}}
  hit: {{type: LevelCrossing, input: y, direction: falling}}
  kick: {{type: Sample, input: -(1 + e) * previous(v), trigger: hit}}
record: [y]
simulate: {{stop: 1e6, tolerance: 1e-9}}
"
    )
}

#[test]
fn nearly_dead_balls_accumulate() {
    for e in [1e-12, 1e-8, 1e-6, 1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.12, 0.15, 0.2, 0.3] {
        let (end, blocks) = accumulation(&still_ball(e, 10.0, G));
        let truth = (20.0 / G).sqrt() * (1.0 + e) / (1.0 - e);
        // A landing is known to a few roundings of time, and a fall from so low takes its root.
        assert_near(end, truth, 1e-7);
        assert_eq!(blocks, ["hit"]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    #[test]
    fn balls_accumulate_at_their_time(
        e in prop_oneof![0.001f64..0.2, 0.1f64..0.95, 0.9f64..0.999],
        y0 in 0.01f64..100.0,
        g in 0.1f64..100.0,
    ) {
        let (end, _) = accumulation(&still_ball(e, y0, g));
        let truth = (2.0 * y0 / g).sqrt() * (1.0 + e) / (1.0 - e);
        prop_assert!((end - truth).abs() <= 1e-6 * truth, "{} for {}", end, truth);
    }

    /// A floor that moves evenly changes nothing: seen from it the ball falls with another speed.
    #[test]
    fn balls_on_a_moving_floor_accumulate(
        e in 0.01f64..0.9,
        y0 in 0.1f64..10.0,
        u in -1.0f64..1.0,
        a in -3.0f64..3.0,
    ) {
        let text = format!(
            "
parameters: {{g: 9.81, e: {e}, y0: {y0}, u: {u}, a: {a}}}
blocks:
  v: {{type: Integrator, input: -g, reset: after}}
  y: {{type: Integrator, input: v, initial: y0}}
  hit: {{type: LevelCrossing, input: y - u * time - a * time^2 / 2, direction: falling}}
  ground: {{type: Expression, expression: u + a * time}}
  after: {{type: Sample, input: ground - e * (previous(v) - ground), trigger: hit}}
record: [y]
simulate: {{stop: 1000, tolerance: 1e-10}}
"
        );
        let (end, _) = accumulation(&text);
        let g = G + a;
        // y0 - u t - (g + a) t^2 / 2 = 0, and then hops of its speed there.
        let first = (-u + (u * u + 2.0 * g * y0).sqrt()) / g;
        let speed = u + g * first;
        let truth = first + 2.0 * speed / g * e / (1.0 - e);
        prop_assert!((end - truth).abs() <= 3e-6 * truth.max(1.0), "{} for {}", end, truth);
    }

    /// Two tanks that drain faster than one pipe, which serves the one that is empty, fills them:
    /// both are empty when what they hold has run out.
    #[test]
    fn two_tanks_accumulate(
        w in 0.55f64..0.95,
        x1 in 0.2f64..2.0,
        x2 in 0.2f64..2.0,
    ) {
        let text = format!(
            "
parameters: {{w: {w}, d: 0.5}}
blocks:
  x1: {{type: Integrator, input: if first > 0.5 then w - d else -d, initial: {x1}}}
  x2: {{type: Integrator, input: if first > 0.5 then -d else w - d, initial: {x2}}}
  low1: {{type: LevelCrossing, input: x1, direction: falling}}
  low2: {{type: LevelCrossing, input: x2, direction: falling}}
  to1: {{type: Sample, input: 1, trigger: low1}}
  to2: {{type: Sample, input: 0, trigger: low2}}
  which: {{type: Merge, inputs: [to1, to2]}}
  first: {{type: ZeroOrderHold, input: which, initial: 1}}
record: [x1, x2]
simulate: {{stop: 1e4}}
"
        );
        let (end, blocks) = accumulation(&text);
        let truth = (x1 + x2) / (1.0 - w);
        prop_assert!((end - truth).abs() <= 1e-6 * truth, "{} for {}", end, truth);
        prop_assert!(blocks.iter().all(|block| block.starts_with("low")), "{:?}", blocks);
    }
}

/// Balls of different restitution in one model: the first accumulation ends the run.
#[test]
fn the_first_of_several_balls_ends_the_run() {
    let ball = |name: &str, e: f64| {
        format!(
            "
  v{name}: {{type: Integrator, input: -9.81, impulse: k{name}}}
  y{name}: {{type: Integrator, input: v{name}, initial: 10}}
  h{name}: {{type: LevelCrossing, input: y{name}, direction: falling}}
  k{name}: {{type: Sample, input: -(1 + {e}) * previous(v{name}), trigger: h{name}}}"
        )
    };
    let text = format!(
        "
blocks:{}{}{}
record: [ya, yb, yc]
simulate: {{stop: 1000}}
",
        ball("a", 0.9),
        ball("b", 0.07),
        ball("c", 0.5)
    );
    let (end, blocks) = accumulation(&text);
    assert_near(end, (20.0 / G).sqrt() * 1.07 / 0.93, 1e-7);
    assert_eq!(blocks, ["hb"]);
}

/// A ball that settles on a wavy floor: its hops end in the rounding of the gap, which is a
/// difference of numbers that are not small. The truth was computed with 60 digits.
#[test]
fn a_ball_settles_on_a_wavy_floor() {
    for (e, truth) in [
        (0.02, 0.6628947062522477),
        (0.1, 0.7623117053531404),
        (0.2, 0.9044367848004357),
        (0.5, 1.7916570882770424),
        (0.8, 5.324632709289362),
    ] {
        let (end, blocks) = accumulation(&format!(
            "
parameters: {{e: {e}}}
blocks:
  v: {{type: Integrator, input: -9.81, reset: after}}
  y: {{type: Integrator, input: v, initial: 2}}
  hit: {{type: LevelCrossing, input: y - 0.1 * sin(5 * time), direction: falling}}
  ground: {{type: Expression, expression: 0.5 * cos(5 * time)}}
  after: {{type: Sample, input: ground - e * (previous(v) - ground), trigger: hit}}
record: [y]
simulate: {{stop: 20, tolerance: 1e-10}}
"
        ));
        assert_near(end, truth, 1e-6);
        assert_eq!(blocks, ["hit"]);
    }
}

/// Without any rebound the ball comes to rest at once. `zeno: stop` stops there; otherwise it goes
/// on as its equations say, and the run warns.
#[test]
fn a_ball_without_rebound_rests_or_passes() {
    for e in [0.0, 1e-20] {
        let text = still_ball(e, 10.0, G).replace("1e6", "3");
        let stopped = simulate(&text.replace("simulate: {", "simulate: {zeno: stop, "));
        let fall = (20.0 / G).sqrt();
        assert!(matches!(stopped.stop, StopReason::Zeno(end) if (end - fall).abs() < 1e-12));
        let passed = simulate(&text);
        assert_eq!(passed.warnings.len(), 1);
        assert_eq!(passed.warnings[0].code(), "rest-on-level");
        assert_eq!(passed.warnings[0].block(), "hit");
        let below = -0.5 * G * (3.0 - fall).powi(2);
        assert_near(passed.trace.last("y").unwrap(), below, 1e-6);
    }
}

/// What rests on its level and is not pushed, or is sent on, or passes at a speed, is no rest.
#[test]
fn other_events_on_a_level_are_no_rest() {
    for (force, reset) in [("0", "0"), ("-1", "-0.5"), ("-1", "0.5 * previous(v)"), ("1", "0")] {
        let outcome = simulate(&format!(
            "
blocks:
  v: {{type: Integrator, input: {force}, initial: -2, reset: after}}
  y: {{type: Integrator, input: v, initial: 1}}
  hit: {{type: LevelCrossing, input: y, direction: falling}}
  after: {{type: Sample, input: \"{reset}\", trigger: hit}}
record: [y]
simulate: {{stop: 3, zeno: stop}}
"
        ));
        assert_eq!(outcome.stop, StopReason::Stopped, "{force} {reset}");
        assert!(outcome.warnings.is_empty());
    }
}

/// A ball between walls that close: bounces come like 1 / (time left), so that intervals shrink like
/// its square and no ratio is below 1 for long.
fn walls(speed: f64, initial: f64) -> String {
    format!(
        "
parameters: {{u: {speed}}}
blocks:
  x: {{type: Integrator, input: v, initial: 0.5}}
  v: {{type: Integrator, input: 0, initial: {initial}, reset: kick}}
  west: {{type: LevelCrossing, input: x, direction: falling}}
  east: {{type: LevelCrossing, input: 2 - u * time - x, direction: falling}}
  a: {{type: Sample, input: -previous(v), trigger: west}}
  b: {{type: Sample, input: -2 * u - previous(v), trigger: east}}
  kick: {{type: Merge, inputs: [a, b]}}
record: []
simulate: {{stop: 1000, every: 1000}}
"
    )
}

/// Runs by so many steps at once to the end; after some advances the run is saved and resumed.
fn run_on(system: &System, backend: Backend, most: u32) -> Result<StopReason, RunError> {
    let mut run = system.begin();
    run.set_backend(backend).unwrap();
    for number in 0.. {
        if number == 4321 {
            run = system.resume(&run.save()).unwrap();
            run.set_backend(backend).unwrap();
        }
        if let Some(reason) = run.advance_by(most)? {
            return Ok(reason);
        }
    }
    unreachable!("a run ends")
}

#[test]
fn walls_that_close_on_a_ball_are_named() {
    let system = compile(&walls(1.0, 1.0));
    let found = [(Backend::Interpreter, 1), (Backend::Native, 64)].map(|(backend, most)| {
        let error = run_on(&system, backend, most).expect_err("an accumulation");
        let RunError::Zeno { accumulation, blocks, time } = error else { panic!("{error}") };
        assert_near(accumulation, 2.0, 1e-6);
        assert_eq!(blocks, ["west", "east"]);
        (accumulation.to_bits(), time)
    });
    assert_eq!(found[0], found[1], "the same bits");
}

/// A ball and a heavy block that comes and turns back: as many hits as pi has digits for, ever
/// faster and then slower. It is merely expensive.
#[test]
fn hits_that_come_faster_and_slower_again_go_on() {
    let outcome = simulate(
        "
parameters: {m: 1e8}
blocks:
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: 0, reset: next}
  z: {type: Integrator, input: w, initial: 2}
  w: {type: Integrator, input: 0, initial: -1, impulse: push}
  wall: {type: LevelCrossing, input: x, direction: falling}
  meet: {type: LevelCrossing, input: z - x, direction: falling}
  back: {type: Sample, input: -previous(v), trigger: wall}
  hit: {type: Sample, input: previous(v) + 2 * m / (m + 1) * (previous(w) - previous(v)), trigger: meet}
  push: {type: Sample, input: -2 / (m + 1) * (previous(w) - previous(v)), trigger: meet}
  next: {type: Merge, inputs: [back, hit]}
  hits: {type: Merge, inputs: [back, hit]}
  count: {type: Counter, increment: hits}
  total: {type: ZeroOrderHold, input: count}
record: [total]
simulate: {stop: 20, every: 20}
",
    );
    assert_eq!(outcome.stop, StopReason::Stopped);
    assert_near(outcome.trace.last("total").unwrap(), 31415.0, 1.0);
}

/// A chirp: the k-th crossing of sin(t^3) after the start is at the cube root of k pi.
#[test]
fn a_chirp_is_not_zeno() {
    let trace = simulate(
        "
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
