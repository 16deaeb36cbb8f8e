//! What blocks do that is easily forgotten: sources at the events of others, inputs that are absent
//! for a while, impulses at the inputs of contacts and circuits.

use std::f64::consts::PI;

use crate::common::{
    assert_at, assert_near, at, codes, exact, failure, refusal, simulate, tags, times,
};

/// A source goes on at the events of others as if nothing was there: at every microstep it has the
/// value of its formula.
///
/// Holds: jump of Chirp, Constant, Ramp, Sine, Triangle.
#[test]
fn continuous_sources_do_not_jump_at_events_of_others() {
    let text = "blocks:
  k: {type: Clock, period: 0.7, offset: 0.3}
  n: {type: Counter, increment: k}
  chirp: {type: Chirp, from: 1, to: 3, duration: 4}
  constant: {type: Constant, value: 2.5}
  ramp: {type: Ramp, slope: 3}
  sine: {type: Sine, frequency: 2}
  triangle: {type: Triangle, period: 2}
record: [n, chirp, constant, ramp, sine, triangle]
simulate: {stop: 2}
";
    let trace = simulate(text).trace;
    for (time, t) in [("0.3", 0.3), ("1", 1.0f64), ("1.7", 1.7)] {
        let chirp = (2.0 * PI * (t + t * t / 4.0)).sin();
        let triangle = 1.0 - (1.0 - t.rem_euclid(2.0)).abs();
        for microstep in [0, 1, 2] {
            let value = |name: &str| at(&trace, name, exact(time, microstep)).expect(name);
            assert_near(value("chirp"), chirp, 1e-12);
            assert_near(value("constant"), 2.5, 0.0);
            assert_near(value("ramp"), 3.0 * t, 1e-12);
            assert_near(value("sine"), (4.0 * PI * t).sin(), 1e-12);
            assert_near(value("triangle"), triangle, 1e-12);
        }
    }
}

/// Events and impulses of a source come at microstep 1 of their times, and a noise takes its new
/// value there.
///
/// Holds: jump of ImpulseSource, PoissonClock, BandlimitedNoise.
#[test]
fn what_a_source_does_it_does_at_microstep_1() {
    let text = "blocks:
  i: {type: ImpulseSource, times: [1], weight: 3}
  x: {type: Integrator, input: i}
  p: {type: PoissonClock, mean: 0.3}
  noise: {type: BandlimitedNoise, period: 0.25}
record: [i, x, p, noise]
simulate: {stop: 4, seed: 5}
";
    let outcome = simulate(text);
    let trace = &outcome.trace;
    assert_at(trace, "x", &[("1", 0, 0.0), ("1", 1, 3.0), ("1", 2, 3.0)]);
    let events = tags(trace, "p");
    assert!(events.len() > 5 && events.iter().all(|tag| tag.microstep == 1), "{events:?}");
    for period in 1..8u32 {
        let value = |quarter: u32, n: u32| {
            let time = f64::from(quarter) / 4.0;
            at(trace, "noise", exact(&time.to_string(), n)).expect("noise")
        };
        assert_ne!(value(period, 0), value(period, 1));
        assert_eq!(value(period, 1), value(period + 1, 0));
    }
}

/// While the input is absent, no change of it is seen, and none when it is there again.
///
/// Holds: absence of Edge, LevelCrossing.
#[test]
fn what_is_absent_crosses_nothing() {
    let text = "blocks:
  there: {type: Expression, expression: time < 1 or time > 1.5}
  c: {type: Gate, input: 'sin(2 * pi * time) > 0.5', condition: there}
  x: {type: Gate, input: 'sin(2 * pi * time) - 0.5', condition: there}
  e: {type: Edge, input: c}
  l: {type: LevelCrossing, input: x}
  all: {type: LevelCrossing, input: 'sin(2 * pi * time)', level: 0.5}
record: [e, l, all, x]
simulate: {stop: 3}
";
    let trace = simulate(text).trace;
    let expected = [1.0 / 12.0, 5.0 / 12.0, 25.0 / 12.0, 29.0 / 12.0];
    assert_eq!(tags(&trace, "all").len(), 6, "crossings at 13/12 and 17/12, too");
    for name in ["e", "l"] {
        let found = times(&trace, name);
        assert_eq!(found.len(), 4, "{name}: {found:?}");
        found.iter().zip(expected).for_each(|(found, time)| assert_near(*found, time, 1e-9));
    }
}

/// The past of a signal that was absent is absent, and a condition that is absent leaves its delay
/// absent, too.
///
/// Holds: absence of Previous, OnDelay; jump of OnDelay.
#[test]
fn what_is_absent_has_no_past_and_no_delay() {
    let text = "blocks:
  k: {type: Clock, period: 1, offset: 1}
  p: {type: Previous, input: k}
  g: {type: Gate, input: 'time > 0.1', condition: 'time < 1 or time > 1.5'}
  q: {type: Previous, input: g}
  d: {type: OnDelay, input: g, delay: 0.3}
record: [k, p, g, q, d]
simulate: {stop: 2}
";
    let trace = simulate(text).trace;
    let present = |name: &str, time: &str, n: u32| at(&trace, name, exact(time, n));
    assert_eq!(tags(&trace, "p"), vec![exact("1", 2), exact("2", 2)]);
    assert_eq!(
        [present("q", "1", 0), present("q", "1", 1), present("q", "1", 2)],
        [Some(1.0), Some(1.0), None]
    );
    // The condition holds from 0.1 on: 0.3 s later, at microstep 1, its delay does.
    assert_at(&trace, "d", &[("0.1", 1, 0.0), ("0.4", 0, 0.0), ("0.4", 1, 1.0), ("1", 0, 1.0)]);
    assert_eq!(present("d", "1", 1), None);
    assert_eq!(present("d", "1.5", 1), Some(1.0));
}

/// An event is held back only by one of the same microstep.
///
/// Holds: jump of Inhibit.
#[test]
fn an_event_is_inhibited_at_its_microstep_alone() {
    let text = "blocks:
  k: {type: Clock, period: 1, offset: 1}
  later: {type: MicrostepDelay, input: k}
  both: {type: Inhibit, input: k, inhibit: k}
  early: {type: Inhibit, input: k, inhibit: later}
  late: {type: Inhibit, input: later, inhibit: k}
record: [both, early, late]
simulate: {stop: 1}
";
    let trace = simulate(text).trace;
    assert!(tags(&trace, "both").is_empty());
    assert_eq!(tags(&trace, "early"), vec![exact("1", 1)]);
    assert_eq!(tags(&trace, "late"), vec![exact("1", 2)]);
}

/// Events of three clocks, merged: every one keeps its time and its value, and of those at one tag
/// the first of the list comes, or all of them one after the other.
///
/// Holds: closed form of Merge.
#[test]
fn merged_clocks_are_the_union_of_their_ticks() {
    let text = "blocks:
  a: {type: EventSource, offsets: [0], values: [1], period: 2}
  b: {type: EventSource, offsets: [0], values: [2], period: 3}
  c: {type: EventSource, offsets: [0], values: [3], period: 5}
  first: {type: Merge, inputs: [a, b, c]}
  all: {type: Merge, inputs: [a, b, c], simultaneous: all}
record: [first, all]
simulate: {stop: 29.5}
";
    let trace = simulate(text).trace;
    let (mut first, mut all) = (Vec::new(), Vec::new());
    for t in 0..30u32 {
        let due: Vec<f64> = [(2, 1.0), (3, 2.0), (5, 3.0)]
            .into_iter()
            .filter(|(period, _)| t % period == 0)
            .map(|(_, value)| value)
            .collect();
        let tag = |n: usize| exact(&t.to_string(), n as u32);
        first.extend(due.first().map(|value| (tag(1), *value)));
        all.extend(due.iter().enumerate().map(|(n, value)| (tag(n + 1), *value)));
    }
    assert_eq!(trace.series("first"), first);
    assert_eq!(trace.series("all"), all);
}

/// Signals of different types or sizes are not merged, whatever happens to simultaneous ones.
///
/// Holds: bad input of Merge.
#[test]
fn signals_that_differ_in_type_or_size_are_not_merged() {
    for (inputs, code, reason) in [
        ("['k > 0', k]", "type-mismatch", "a boolean and an integer cannot be merged"),
        ("['[k, k]', k]", "size-mismatch", "cannot be merged into one signal"),
        ("['[k, k]', '[k, k, k]']", "size-mismatch", "cannot be merged into one signal"),
        ("['[[k, k]]', '[k, k]']", "size-mismatch", "cannot be merged into one signal"),
    ] {
        for simultaneous in ["first", "all"] {
            let text = format!(
                "blocks:
  k: {{type: Clock, period: 1}}
  m: {{type: Merge, inputs: {inputs}, simultaneous: {simultaneous}}}
record: [m]
"
            );
            let refused = refusal(&text);
            assert_eq!(codes(&refused), [code], "{inputs}\n{refused}");
            assert!(refused.to_string().contains(reason), "{refused}");
        }
    }
    let full = failure(
        "blocks:
  k: {type: Clock, period: 1, offset: 1}
  m: {type: Merge, inputs: [k, k, k], simultaneous: all, capacity: 1}
record: [m]
simulate: {stop: 2}
",
    );
    assert!(full.error.to_string().contains("more than 1 event"), "{}", full.error);
}

/// A run ends at its event, at the time at which a closed form says that the event comes.
///
/// Holds: closed form of Stop.
#[test]
fn a_run_stops_when_a_body_has_fallen() {
    let text = "blocks:
  v: {type: Integrator, input: -9.81}
  y: {type: Integrator, input: v, initial: 20}
  hit: {type: LevelCrossing, input: y, direction: falling}
  stop: {type: Stop, input: hit}
record: [y]
simulate: {stop: 100, tolerance: 1e-10}
";
    let outcome = simulate(text);
    let last = outcome.trace.tags().last().expect("rows").time.seconds();
    assert_near(last, (2.0f64 * 20.0 / 9.81).sqrt(), 1e-9);
}

/// Mean, variance, correlation and the greatest distance from the uniform distribution (Kolmogorov
/// and Smirnov) of plain draws, single and in vectors.
///
/// Holds: closed form of Random.
#[test]
fn plain_draws_are_uniform() {
    let count = 4000usize;
    let text = format!(
        "blocks:
  k: {{type: Clock, period: 1}}
  r: {{type: Random, trigger: k}}
  pair: {{type: Random, trigger: k, count: 2}}
record: {{r: r, p: 'pair[0]', q: 'pair[1]'}}
simulate: {{stop: {count} - 1}}
"
    );
    let trace = simulate(&text).trace;
    let n = count as f64;
    for name in ["r", "p", "q"] {
        let mut draws: Vec<f64> = trace.series(name).into_iter().map(|(_, x)| x).collect();
        assert_eq!(draws.len(), count);
        let mean = draws.iter().sum::<f64>() / n;
        let variance = draws.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>() / n;
        let next = draws.windows(2).map(|w| (w[0] - 0.5) * (w[1] - 0.5)).sum::<f64>() / (n - 1.0);
        assert_near(mean, 0.5, 5.0 * (1.0 / 12.0 / n).sqrt());
        assert_near(variance, 1.0 / 12.0, 5.0 * (1.0 / 180.0 / n).sqrt());
        assert_near(next, 0.0, 5.0 / 12.0 / n.sqrt());
        draws.sort_by(f64::total_cmp);
        let distance = draws.iter().enumerate().map(|(i, x)| (x - (i as f64 + 0.5) / n).abs());
        assert!(distance.fold(0.0, f64::max) < 2.0 / n.sqrt());
        assert!(draws[0] >= 0.0 && draws[count - 1] < 1.0);
    }
}

/// An impulse at the microstep at which a contact, a collision or an ideal element decides is
/// refused where the page says so, with the block and the tag.
///
/// Holds: impulse of Contact, DiscCollision, DiscWall, ImpulsiveForce, PoissonForce, StickSlip,
/// IdealDiode, IdealSwitch.
#[test]
fn contacts_and_circuits_refuse_an_impulse() {
    let d = "delta(time - 1)";
    for (blocks, record) in [
        (
            format!(
                "  x: {{type: Integrator, input: v, initial: 1}}
  v: {{type: Integrator, input: 0, initial: -1, impulse: y.push}}
  y: {{type: Contact, gap: x, closing: -v, force1: 0, force2: {d}, m1: inf}}"
            ),
            "y.push",
        ),
        (
            format!(
                "  a: {{type: Disc, v0: '[1, 0]'}}
  b: {{type: Disc, x0: '[3, 0]'}}
  y: {{type: DiscCollision, x1: a.x, v1: 'a.v + [1, 0] * {d}', x2: b.x, v2: b.v}}"
            ),
            "y.push",
        ),
        (
            format!(
                "  a: {{type: Disc, x0: '[0, 2]', v0: '[0, -1]'}}
  y: {{type: DiscWall, x: a.x, v: 'a.v + [1, 0] * {d}', point: '[0, 0]', normal: '[0, 1]'}}"
            ),
            "y.push",
        ),
        (
            format!(
                "  k: {{type: Clock, period: 1, offset: 1}}
  y: {{type: ImpulsiveForce, collision: k, v1: 1 + {d}, v2: 0}}"
            ),
            "y",
        ),
        (
            format!(
                "  k: {{type: Clock, period: 1, offset: 1}}
  y: {{type: PoissonForce, collision: k, v1: 1 + {d}, v2: 0}}"
            ),
            "y.push",
        ),
        (format!("  y: {{type: StickSlip, slip: 0, holding: 1 + {d}, static: 2}}"), "y.force"),
        (format!("  y: {{type: IdealDiode, on_current: 0, off_voltage: -1 + {d}}}"), "y.voltage"),
        (
            format!(
                "  y: {{type: IdealSwitch, closed: time > 1, on_current: 1, off_voltage: {d} - 1}}"
            ),
            "y.voltage",
        ),
    ] {
        let text = format!("blocks:\n{blocks}\nrecord: {{y: {record}}}\nsimulate: {{stop: 2}}\n");
        let failed = failure(&text).error.to_string();
        assert!(failed.contains("impulse") && failed.contains("at (1, 1)"), "{failed}");
        assert!(failed.contains("`y"), "{failed}");
    }
}

/// An impulse that a wall sees in a distance or a speed is ignored; what it does to the motion is
/// seen. Sticking ends with a push.
///
/// Holds: impulse of FixedWall.
#[test]
fn a_wall_ignores_an_impulse_and_sees_the_jump() {
    let text = "blocks:
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: 0, initial: -1, impulse: wall.push}
  wall: {type: FixedWall, gap: x, closing: '-v + 3 * delta(time - 1)'}
  w: {type: Integrator, input: 'rub.force - 0.5 + 3 * delta(time - 1)'}
  rub: {type: StickSlip, slip: w, holding: 0.5, static: 2}
record: {v: v, w: w, sticks: rub.sticks, push: wall.push}
simulate: {stop: 2}
";
    let trace = simulate(text).trace;
    assert_at(&trace, "push", &[("1", 1, 2.0)]);
    assert_at(&trace, "v", &[("1", 0, -1.0), ("1", 1, 1.0)]);
    assert_at(&trace, "w", &[("1", 0, 0.0), ("1", 1, 3.0)]);
    assert_at(&trace, "sticks", &[("1", 1, 1.0), ("1", 2, 0.0)]);
}

/// Friction, and the current of a switch and of a diode, are absent while what decides them is.
///
/// Holds: absence of StickSlip, IdealSwitch, IdealDiode.
#[test]
fn contacts_and_circuits_are_absent_with_their_inputs() {
    let text = "blocks:
  g: {type: Gate, input: 1, condition: time < 1}
  rub: {type: StickSlip, slip: 0, holding: g, static: 2}
  switch: {type: IdealSwitch, closed: true, on_current: g, off_voltage: 0}
  diode: {type: IdealDiode, on_current: g, off_voltage: 1}
record: {force: rub.force, current: switch.current, through: diode.current}
simulate: {stop: 2}
";
    let trace = simulate(text).trace;
    for name in ["force", "current", "through"] {
        assert_at(&trace, name, &[("1", 0, 1.0)]);
        assert_eq!(at(&trace, name, exact("2", 0)), None, "{name}");
    }
}
