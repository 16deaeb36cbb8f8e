//! Rest where impacts accumulate (`zeno: rest`) against closed forms.

use crate::common::{at, bits, by, compile, exact, failure, simulate, times};
use superdense::{Backend, RunError};

fn ball(e: f64, more: &str, settings: &str) -> String {
    format!(
        "
blocks:
  v: {{type: Integrator, input: -9.81{more}, impulse: kick}}
  y: {{type: Integrator, input: v, initial: 10}}
  hit: {{type: LevelCrossing, input: y, direction: falling}}
  kick: {{type: Sample, input: -(1 + {e}) * previous(v), trigger: hit}}
record: [y, v, hit]
simulate: {{stop: 60, zeno: rest{settings}}}
"
    )
}

/// The ball lies still from the accumulation on, whatever its restitution is, by each solver.
#[test]
fn a_ball_comes_to_rest() {
    for e in [0.0, 0.05, 0.3, 0.5, 0.8] {
        for solver in ["rk45", "rk23", "rk4", "rodas5p"] {
            let text = ball(e, "", &format!(", solver: {solver}, tolerance: 1e-9, step: 0.05"));
            let trace = simulate(&text).trace;
            let fall = (2.0f64 * 10.0 / 9.81).sqrt();
            let end = fall * (1.0 + e) / (1.0 - e);
            let last = *times(&trace, "hit").last().expect("a hit");
            assert!((last - end).abs() < 1e-6, "{e} {solver}: {last} for {end}");
            assert!(trace.last("y").unwrap().abs() < 1e-12, "{e} {solver}: {:?}", trace.last("y"));
            assert_eq!(trace.last("v"), Some(0.0), "{e} {solver}");
        }
    }
}

/// A blow lifts it off, and it comes to rest again; forces press it or lift it.
#[test]
fn what_rests_can_be_lifted() {
    let text = "
blocks:
  blow: {type: ImpulseSource, times: [10], weight: 3}
  lift: {type: Expression, expression: if time >= 30 and time < 31 then 12 else 0}
  v: {type: Integrator, input: lift + blow - 9.81, impulse: kick}
  y: {type: Integrator, input: v, initial: 1}
  hit: {type: LevelCrossing, input: y, direction: falling}
  kick: {type: Sample, input: -1.4 * previous(v), trigger: hit}
record: [y, v, hit]
simulate: {stop: 60, zeno: rest, tolerance: 1e-9}
";
    let trace = simulate(text).trace;
    assert!(at(&trace, "y", exact("10", 0)).unwrap().abs() < 1e-12);
    assert_eq!(at(&trace, "v", exact("10", 1)), Some(3.0));
    let hits = times(&trace, "hit");
    let first = hits.iter().find(|time| **time > 10.0).expect("it falls back");
    assert!((first - (10.0 + 2.0 * 3.0 / 9.81)).abs() < 1e-9, "{first}");
    assert!(at(&trace, "y", exact("30", 0)).unwrap().abs() < 1e-12);
    // One second under 12 - 9.81, then a free flight.
    let up: f64 = 12.0 - 9.81;
    let landing = 31.0 + (up + (up * up + 9.81 * up).sqrt()) / 9.81;
    let after = hits.iter().find(|time| **time > 30.0).expect("it falls back");
    assert!((after - landing).abs() < 1e-8, "{after} for {landing}");
    assert!(trace.last("y").unwrap().abs() < 1e-12);
    assert_eq!(trace.last("v"), Some(0.0));
}

const TABLE: &str = "
blocks:
  table: {type: Expression, expression: 0.03 * sin(20 * time)}
  v: {type: Integrator, input: -9.81, impulse: kick}
  y: {type: Integrator, input: v, initial: 0.2}
  gap: {type: Expression, expression: y - table}
  hit: {type: LevelCrossing, input: gap, direction: falling}
  kick: {type: Sample, input: -1.2 * (previous(v) - 0.6 * cos(20 * time)), trigger: hit}
record: [y, v, gap, hit]
simulate: {stop: 4, zeno: rest, tolerance: 1e-9}
";

/// A ball on a vibrating table sticks, and lifts off where the table falls with g: at that time it
/// leaves with the table's speed, which decides when it lands.
#[test]
fn a_ball_on_a_vibrating_table_sticks_and_lifts_off() {
    let trace = simulate(TABLE).trace;
    let gap = trace.column("gap").unwrap();
    let gaps: Vec<f64> = (0..trace.len()).map(|row| trace.get(row, gap).unwrap()[0]).collect();
    assert!(gaps.iter().all(|gap| *gap > -1e-9), "below the table");
    let period = std::f64::consts::TAU / 20.0;
    // sin(20 t) = g / (a w^2) while it rises.
    let phase = (9.81f64 / 12.0).asin() / 20.0;
    let hits = times(&trace, "hit");
    for k in 6..12 {
        let lift = phase + k as f64 * period;
        let near = hits.iter().find(|time| (**time - lift).abs() < 1e-3);
        assert_eq!(near, None, "a hit at lift-off");
        let landing = hits.iter().copied().find(|time| *time > lift).expect("it lands");
        let flight = landing - lift;
        let height = 0.03 * (20.0 * lift).sin() + 0.6 * (20.0 * lift).cos() * flight
            - 0.5 * 9.81 * flight * flight;
        let table = 0.03 * (20.0 * landing).sin();
        assert!((height - table).abs() < 1e-7, "flight {k}: {height} over {table}");
    }
}

/// A run at rest is saved and resumed, and native code is bit-identical.
#[test]
fn rest_is_saved_and_compiled() {
    let system = compile(TABLE);
    assert_eq!(by(&system, Backend::Interpreter), by(&system, Backend::Native));
    let whole = system.simulate().unwrap_or_else(|failure| panic!("{failure}"));
    let mut run = system.begin();
    let mut saves = Vec::new();
    while run.advance().unwrap_or_else(|error| panic!("{error}")).is_none() {
        saves.push((run.save(), run.trace().len()));
    }
    for (bytes, from) in saves.into_iter().step_by(37) {
        let resumed = system.resume(&bytes).unwrap_or_else(|error| panic!("{error}"));
        let rest = resumed.finish().unwrap_or_else(|failure| panic!("{failure}"));
        assert!(bits(&rest.trace, 0) == bits(&whole.trace, from), "row {from}");
    }
}

/// Events that do not throw anything back have no rest: the accumulation is reported.
#[test]
fn what_cannot_rest_is_reported() {
    let text = "
blocks:
  x: {type: Integrator, input: rate, initial: 1}
  rate: {type: ZeroOrderHold, input: next, initial: -1}
  hit: {type: LevelCrossing, input: x * (x - level), direction: falling}
  level: {type: Expression, expression: 0.5}
  next: {type: Sample, input: -1, trigger: hit}
record: [x]
simulate: {stop: 5, zeno: rest}
";
    // Nothing accumulates here: the setting changes nothing.
    assert!((simulate(text).trace.last("x").unwrap() + 4.0).abs() < 1e-9);
    let shrinking = "
blocks:
  n: {type: Counter, increment: hit}
  held: {type: ZeroOrderHold, input: n}
  x: {type: Integrator, input: 2^held, initial: 0, reset: again}
  hit: {type: LevelCrossing, input: x, level: 1}
  again: {type: Sample, input: 0, trigger: hit}
record: [x]
simulate: {stop: 5, zeno: rest}
";
    let accumulation = |text: &str| match failure(text).error {
        RunError::Zeno { accumulation, .. } => accumulation,
        other => panic!("{other}"),
    };
    let plain = accumulation(&shrinking.replace("rest", "error"));
    assert_eq!(accumulation(shrinking), plain);
}

/// Whatever else reads height or speed, the ball comes to rest.
#[test]
fn other_comparisons_do_not_disturb_rest() {
    let more = [
        ("- 0.5 * sign(v)", ""),
        ("- 0.1 * v * abs(v)", ""),
        ("- max(v, 0)", ""),
        ("", "air: {type: Expression, expression: y > 0}"),
        ("", "size: {type: Expression, expression: abs(y)}"),
        ("", "again: {type: LevelCrossing, input: y}"),
        ("", "up: {type: Expression, expression: v > 0}"),
    ];
    for (force, block) in more {
        let text = format!(
            "
blocks:
  v: {{type: Integrator, input: '-9.81 {force}', impulse: kick}}
  y: {{type: Integrator, input: v, initial: 1}}
  hit: {{type: LevelCrossing, input: y, direction: falling}}
  kick: {{type: Sample, input: -1.5 * previous(v), trigger: hit}}
  {block}
simulate: {{stop: 3, zeno: rest}}
"
        );
        let trace = simulate(&text).trace;
        let y = trace.last("y").unwrap();
        assert!(y.abs() < 1e-9, "{force} {block}: {y}");
    }
}

/// A jump of the position or of the floor ends rest: the ball falls from where it is.
#[test]
fn jumps_end_rest() {
    let text = |floor: &str, reset: &str| {
        format!(
            "
blocks:
  c: {{type: Clock, period: 100, offset: 2}}
  floor: {{type: Step, time: 2, after: {floor}}}
  v: {{type: Integrator, input: -9.81, impulse: kick}}
  y: {{type: Integrator, input: v, initial: 1{reset}}}
  hit: {{type: LevelCrossing, input: y - floor, direction: falling}}
  kick: {{type: Sample, input: -1.3 * previous(v), trigger: hit}}
record: [y]
simulate: {{stop: 2.1, zeno: rest}}
"
        )
    };
    let fall = 0.5 * 9.81 * 0.01;
    let lifted = simulate(&text("0", ", reset: 0.3 * c")).trace.last("y").unwrap();
    assert!((lifted - (0.3 - fall)).abs() < 1e-9, "{lifted}");
    let dropped = simulate(&text("-0.5", "")).trace.last("y").unwrap();
    assert!((dropped + fall).abs() < 1e-9, "{dropped}");
}

/// A ball in a state of a machine rests too.
#[test]
fn rest_in_a_state() {
    let text = "
blocks:
  m:
    type: Modal
    initial: free
    states:
      free:
        blocks:
          v: {type: Integrator, input: -9.81, impulse: kick}
          y: {type: Integrator, input: v, initial: 1}
          hit: {type: LevelCrossing, input: y, direction: falling}
          kick: {type: Sample, input: -1.5 * previous(v), trigger: hit}
        outputs: [y]
record: [m.y]
simulate: {stop: 3, zeno: rest}
";
    let y = simulate(text).trace.last("m.y").unwrap();
    assert!(y.abs() < 1e-9, "{y}");
}

/// Two balls with one jump: if they land together, one event throws both, and each is held by its
/// own part of that; if they do not, each is held by the jump of its own events.
#[test]
fn balls_of_one_region_rest_together() {
    for height in [1.0, 1.3, 0.2] {
        let text = format!(
            "
blocks:
  v1: {{type: Integrator, input: -9.81 - 0.1 * (v1 - v2), impulse: kick1}}
  y1: {{type: Integrator, input: v1, initial: 1}}
  v2: {{type: Integrator, input: lift - 9.81 - 0.1 * (v2 - v1), impulse: kick2}}
  y2: {{type: Integrator, input: v2, initial: {height}}}
  lift: {{type: Expression, expression: if time >= 4 then 10.81 else 0}}
  hit1: {{type: LevelCrossing, input: y1, direction: falling}}
  kick1: {{type: Sample, input: -1.5 * previous(v1), trigger: hit1}}
  hit2: {{type: LevelCrossing, input: y2, direction: falling}}
  kick2: {{type: Sample, input: -1.5 * previous(v2), trigger: hit2}}
record: [y1, y2]
simulate: {{stop: 5, zeno: rest, tolerance: 1e-9}}
"
        );
        let trace = simulate(&text).trace;
        assert!(at(&trace, "y2", exact("4", 0)).unwrap().abs() < 1e-12);
        assert!(trace.last("y1").unwrap().abs() < 1e-12, "{height}");
        // Only one of them is lifted: v' = 1 - v / 10 from rest.
        let (t, rate) = (1.0f64, 0.1f64);
        let lifted = (t - (1.0 - (-rate * t).exp()) / rate) / rate;
        let y2 = trace.last("y2").unwrap();
        assert!((y2 - lifted).abs() < 1e-8, "{height}: {y2} for {lifted}");
    }
}

/// A ball that lies on the floor at the start stays there, on any level, by each solver, and lifts off
/// when a force raises it. Without the setting it falls; a ball that is thrown does not rest.
#[test]
fn a_ball_on_the_floor_at_the_start_rests() {
    let text = |level: f64, speed: f64, zeno: &str, solver: &str| {
        format!(
            "
blocks:
  lift: {{type: Expression, expression: if time < 2 then 0 else 9.81 * (time - 2)}}
  v: {{type: Integrator, input: lift - 9.81, initial: {speed}, impulse: kick}}
  y: {{type: Integrator, input: v, initial: {level}}}
  hit: {{type: LevelCrossing, input: y, level: {level}, direction: falling}}
  kick: {{type: Sample, input: -1.5 * previous(v), trigger: hit}}
record: [y, hit]
simulate: {{stop: 4, zeno: {zeno}, solver: {solver}, step: 0.01, tolerance: 1e-10}}
"
        )
    };
    for level in [0.0, 0.1, 10.0, -1e6] {
        for solver in ["rk45", "rk4", "rodas5p"] {
            let outcome = simulate(&text(level, 0.0, "rest", solver));
            assert!(outcome.warnings.is_empty(), "{level} {solver}");
            let trace = outcome.trace;
            assert!(times(&trace, "hit").is_empty(), "{level} {solver}");
            let expected = level + 9.81 / 6.0;
            let y = trace.last("y").unwrap();
            assert!((y - expected).abs() < 1e-8, "{level} {solver}: {y}");
        }
        let fallen = simulate(&text(level, 0.0, "error", "rk45")).trace;
        assert!(fallen.last("y").unwrap() < level - 9.0, "{level}");
        assert!(!times(&simulate(&text(level, 1.0, "rest", "rk45")).trace, "hit").is_empty());
    }
}

/// An event that does not throw the function back says nothing about rest.
#[test]
fn what_no_event_holds_at_the_start_is_reported() {
    let text = "
blocks:
  v: {type: Integrator, input: -1, impulse: kick}
  y: {type: Integrator, input: v}
  hit: {type: LevelCrossing, input: y, direction: falling}
  kick: {type: Sample, input: previous(v), trigger: hit}
record: [y]
simulate: {stop: 1, zeno: rest}
";
    let codes: Vec<_> =
        simulate(text).warnings.iter().map(|warning| warning.code()).collect::<Vec<_>>();
    assert_eq!(codes, ["rest-at-start"]);
}

/// Three bodies that lie on each other on the floor stay, although all of them would fall alike; when
/// the floor falls away faster than they do, they fall freely.
#[test]
fn a_stack_at_the_start_rests() {
    let text = "
blocks:
  floor: {type: Expression, expression: if time < 1 then 0 else -10 * (time - 1)^2}
  falls: {type: Expression, expression: if time < 1 then 0 else -20 * (time - 1)}
  v1: {type: Integrator, input: -9.81, impulse: pushes1}
  y1: {type: Integrator, input: v1}
  v2: {type: Integrator, input: -9.81, impulse: pushes2}
  y2: {type: Integrator, input: v2, initial: 1}
  v3: {type: Integrator, input: -9.81, impulse: k3}
  y3: {type: Integrator, input: v3, initial: 2}
  pushes1: {type: Sum, inputs: [k1, -kick2 / 3]}
  pushes2: {type: Sum, inputs: [k2, -k3]}
  h1: {type: LevelCrossing, input: y1 - floor, direction: falling}
  h2: {type: LevelCrossing, input: y2 - y1, level: 1, direction: falling}
  h3: {type: LevelCrossing, input: y3 - y2, level: 1, direction: falling}
  k1: {type: Sample, input: 1.5 * (falls - previous(v1)), trigger: h1}
  kick2: {type: Sample, input: 1.5 * 3 / 4 * (previous(v1) - previous(v2)), trigger: h2}
  k2: {type: Sample, input: kick2, trigger: h2}
  k3: {type: Sample, input: 1.5 / 2 * (previous(v2) - previous(v3)), trigger: h3}
record: [y1, y2, y3]
simulate: {stop: 2, zeno: rest, tolerance: 1e-10}
";
    let outcome = simulate(text);
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    for (k, name) in ["y1", "y2", "y3"].into_iter().enumerate() {
        let still = at(&outcome.trace, name, exact("1", 0)).unwrap();
        assert!((still - k as f64).abs() < 1e-12, "{name}: {still}");
        let fallen = outcome.trace.last(name).unwrap();
        assert!((fallen - (k as f64 - 9.81 / 2.0)).abs() < 1e-9, "{name}: {fallen}");
    }
}

/// A point mass on a round surface of radius 1, with a gap and a normal.
fn on_a_circle(gap: &str, (x, y, u, v): (f64, f64, f64, f64), normal: &str, rest: &str) -> String {
    format!(
        "
blocks:
  u: {{type: Integrator, input: 0, initial: {u}, impulse: \"p * n[0]\"}}
  v: {{type: Integrator, input: -9.81, initial: {v}, impulse: \"p * n[1]\"}}
  x: {{type: Integrator, input: u, initial: {x}}}
  y: {{type: Integrator, input: v, initial: {y}}}
  n: {{type: Expression, expression: \"{normal}\"}}
  hit: {{type: LevelCrossing, input: \"{gap}\", direction: falling}}
  speed: {{type: Sample, input: \"previous(u) * n[0] + previous(v) * n[1]\", trigger: hit}}
  p: {{type: Sample, input: -1.2 * speed, trigger: hit}}
  lifts: {{type: Edge, input: \"{gap} > 1e-6\", direction: rising}}
  energy: {{type: Expression, expression: (u^2 + v^2) / 2 + 9.81 * y}}
record: [x, y, u, v, energy, lifts]
simulate: {{zeno: rest, {rest}}}
"
    )
}

/// A body that slides off a sphere without friction leaves it at 2/3 of its height, with a little less
/// if it has started with some speed: cos = 2/3 + v^2 / (3 g r).
#[test]
fn a_body_slides_off_a_sphere() {
    for (start, solver) in [(0.3f64, "rk45"), (0.1, "rodas5p"), (0.5, "rk4"), (0.0, "rk45")] {
        let speed = if start == 0.0 { 0.3 } else { 0.0 };
        let first = (start.sin(), start.cos(), speed * start.cos(), -speed * start.sin());
        let text = on_a_circle(
            "x^2 + y^2 - 1",
            first,
            "[x, y] / sqrt(x^2 + y^2)",
            &format!("stop: 3, tolerance: 1e-11, solver: {solver}, step: 0.001"),
        );
        let outcome = simulate(&text);
        assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
        let trace = outcome.trace;
        // On the way down the height above the centre and the speed give the point of leaving.
        let cos = (2.0 * start.cos() + speed * speed / 9.81) / 3.0;
        let (y, v2) = (cos, 9.81 * cos);
        let (u, v) = (v2.sqrt() * cos, -v2.sqrt() * (1.0 - cos * cos).sqrt());
        assert!((trace.last("u").unwrap() - u).abs() < 2e-6, "{start} {solver}");
        let fall = (trace.last("v").unwrap() - v) / -9.81;
        let expected = y + v * fall - 9.81 / 2.0 * fall * fall;
        assert!((trace.last("y").unwrap() - expected).abs() < 1e-5, "{start} {solver}");
        let energy = 9.81 * start.cos() + speed * speed / 2.0;
        assert!((trace.last("energy").unwrap() - energy).abs() < 1e-7, "{start} {solver}");
    }
}

/// A body that comes to rest in a round bowl swings in it like a pendulum: its energy is kept, and it
/// stays on the circle.
#[test]
fn a_body_swings_in_a_bowl() {
    for solver in ["rk45", "rodas5p"] {
        let text = on_a_circle(
            "1 - x^2 - y^2",
            (0.6, -0.5, 0.0, 0.0),
            "[-x, -y] / sqrt(x^2 + y^2)",
            &format!("stop: 20, tolerance: 1e-11, solver: {solver}, times: [10]"),
        );
        let trace = simulate(&text).trace;
        let end = |name: &str| trace.last(name).unwrap();
        let middle = |name: &str| at(&trace, name, exact("10", 0)).unwrap();
        assert!((end("x").hypot(end("y")) - 1.0).abs() < 1e-9, "{solver}");
        assert!((middle("energy") - end("energy")).abs() < 1e-7, "{solver}");
        assert!(middle("energy") < -5.0, "{solver}: it has lost energy in bounces");
    }
}
