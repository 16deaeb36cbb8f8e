//! Crossings of functions that are faster than the states, poles and branch cuts, zeros that are
//! zero but for rounding, and events that rounding alone keeps apart.

use crate::common::{assert_near, exact, simulate, tags, times, try_compile};
use proptest::prelude::*;
use superdense::{Time, Trace};

fn trace(body: &str) -> Trace {
    simulate(body).trace
}

/// Numbers in [0, 1) from a counter.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// The times at which a function changes its sign, found by looking densely and halving; nothing
/// where it comes so near to zero without a change that looking does not decide.
fn changes(f: &dyn Fn(f64) -> f64, stop: f64, looks: usize, least: f64) -> Option<Vec<f64>> {
    let mut found = Vec::new();
    let at = |k: usize| stop * k as f64 / looks as f64;
    for k in 0..looks {
        let (mut a, mut b) = (at(k), at(k + 1));
        if (f(a) > 0.0) != (f(b) > 0.0) {
            for _ in 0..60 {
                let middle = 0.5 * (a + b);
                let same = (f(middle) > 0.0) == (f(a) > 0.0);
                *(if same { &mut a } else { &mut b }) = middle;
            }
            found.push(b);
        } else if k > 0 && f(a).abs() < least && f(at(k - 1)) * f(a) > 0.0 {
            let nearest = f(at(k - 1)).abs().min(f(b).abs());
            if f(a).abs() < nearest {
                return None;
            }
        }
    }
    Some(found)
}

#[track_caller]
fn assert_times(found: &[f64], expected: &[f64], within: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:?} for {expected:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= within, "{what}: {found} for {expected}");
    }
}

#[test]
fn a_function_faster_than_the_states_is_followed() {
    let trace = trace(
        "
blocks:
  on: {type: Expression, expression: 'if sin(2*pi*30*time + 0.1) > 0.5 then 1 else 0'}
  x: {type: Integrator, input: on - x}
  edge: {type: LevelCrossing, input: 'sin(2*pi*30*time + 0.1) - 0.5'}
record: [x, edge]
simulate: {stop: 1, tolerance: 1e-10}
",
    );
    let f = |t: f64| (2.0 * std::f64::consts::PI * 30.0 * t + 0.1).sin() - 0.5;
    let expected = changes(&f, 1.0, 100_000, 0.0).unwrap();
    assert_eq!(expected.len(), 60);
    assert_times(&times(&trace, "edge"), &expected, 1e-13, "edges");
    // x decays, and rises towards 1 while it is on.
    let (mut x, mut last, mut on) = (0.0, 0.0, false);
    for t in expected.iter().chain(&[1.0]) {
        let aim = f64::from(on);
        x = aim + (x - aim) * (last - t).exp();
        (last, on) = (*t, !on);
    }
    assert_near(trace.last("x").unwrap(), x, 1e-8);
}

#[test]
fn an_encoder_loses_no_edge() {
    let trace = trace(
        "
blocks:
  th: {type: Integrator, input: 1}
  edge: {type: LevelCrossing, input: cos(50*th) - 0.9}
record: [edge]
simulate: {stop: 10}
",
    );
    let f = |t: f64| (50.0 * t).cos() - 0.9;
    let expected = changes(&f, 10.0, 100_000, 0.0).unwrap();
    assert_eq!(expected.len(), 159);
    assert_times(&times(&trace, "edge"), &expected, 1e-12, "edges");
}

#[test]
fn a_short_pulse_is_not_leapt_over() {
    for (width, solver) in [(0.2, "rk45"), (0.01, "rk45"), (0.01, "rk23"), (1e-4, "rodas5p")] {
        let trace = trace(&format!(
            "
blocks:
  x: {{type: Integrator, input: 'if exp(-((time - 5)/{width})^2) > 0.5 then 1 else 0'}}
  z: {{type: Integrator, input: -z, initial: 1}}
record: [x]
simulate: {{stop: 10, solver: {solver}}}
"
        ));
        let truth = 2.0 * width * 2f64.ln().sqrt();
        assert_near(trace.last("x").unwrap(), truth, 1e-12);
    }
}

#[test]
fn signs_change_at_poles_and_branch_cuts() {
    let trace = trace(
        "
blocks:
  a: {type: Integrator, input: 'if tan(time) > 1 then 1 else 0'}
  b: {type: Integrator, input: 'if atan2(sin(time), cos(time)) > 0 then 1 else 0'}
  c: {type: Integrator, input: 'if 1/(time - 1.05) > 0 then 1 else 0'}
  d: {type: Integrator, input: 'if 1/(time - 1.05)^2 > 3 then 1 else 0'}
  th: {type: Integrator, input: 1}
  e: {type: Integrator, input: 'if tan(th) > 1 then 1 else 0'}
  f: {type: Integrator, input: 'if 1/(th - 2.3)^3 > 0 then 1 else 0'}
  g: {type: Integrator, input: 'if sqrt(abs(th - 3)) > 0.5 then 1 else 0'}
record: [a, b, c, d, e, f, g]
simulate: {stop: 10}
",
    );
    let end = |name: &str| trace.last(name).unwrap();
    use std::f64::consts::PI;
    assert_near(end("a"), 3.0 * PI / 4.0, 1e-12);
    assert_near(end("b"), 2.0 * PI, 1e-12);
    assert_near(end("c"), 10.0 - 1.05, 1e-12);
    assert_near(end("d"), 2.0 / 3f64.sqrt(), 1e-12);
    assert_near(end("e"), 3.0 * PI / 4.0, 1e-12);
    assert_near(end("f"), 10.0 - 2.3, 1e-12);
    assert_near(end("g"), 10.0 - 0.5, 1e-12);
}

/// Sums of oscillations of time and of a state, with every solver family: each change of sign is an
/// event, and there is no other.
#[test]
fn random_oscillating_functions_lose_no_change() {
    let mut draws = Draws(17);
    let mut tried = 0;
    for case in 0..60 {
        let terms: Vec<[f64; 3]> = (0..1 + case % 4)
            .map(|_| [draws.between(0.3, 1.0), draws.between(0.5, 120.0), draws.between(0.0, 6.0)])
            .collect();
        let (shift, bend) = (draws.between(-0.8, 0.8), draws.between(0.0, 0.4));
        let f = |t: f64| {
            let sum: f64 = terms.iter().map(|[a, w, p]| a * (w * t + p).sin()).sum();
            sum - shift + bend * (3.0 * t).cos().exp()
        };
        let Some(expected) = changes(&f, 3.0, 300_000, 1e-5) else { continue };
        tried += 1;
        let of = |time: &str| {
            let terms: Vec<String> =
                terms.iter().map(|[a, w, p]| format!("{a}*sin({w}*{time} + {p})")).collect();
            format!("{} - ({shift}) + {bend}*exp(cos(3*{time}))", terms.join(" + "))
        };
        let solver = ["rk45", "rk23", "rodas5p", "heun, step: 0.25"][case % 4];
        let trace = trace(&format!(
            "
blocks:
  th: {{type: Integrator, input: 1}}
  lag: {{type: Integrator, input: 1 - lag}}
  a: {{type: LevelCrossing, input: '{}'}}
  b: {{type: LevelCrossing, input: '{}'}}
record: [a, b, lag]
simulate: {{stop: 3, solver: {solver}}}
",
            of("time"),
            of("th")
        ));
        for name in ["a", "b"] {
            assert_times(&times(&trace, name), &expected, 1e-9, &format!("case {case} {name}"));
        }
    }
    assert!(tried > 40, "{tried} cases are clear enough");
}

/// A run with several functions that are zero but for rounding: none of them makes an event.
#[test]
fn a_zero_that_is_zero_but_for_rounding_is_zero() {
    let trace = trace(
        "
blocks:
  x: {type: Integrator, input: 0, initial: 0.1}
  a: {type: LevelCrossing, input: 0.3 - x - 0.2}
  b: {type: LevelCrossing, input: 0.1*time + 0.2*time - 0.3*time}
  c: {type: LevelCrossing, input: sin(time) + sin(time + 2*pi/3) + sin(time + 4*pi/3)}
  d: {type: LevelCrossing, input: sin(time)^2 + cos(time)^2 - 1}
  e: {type: LevelCrossing, input: (x + time)^2 - x^2 - 2*x*time - time^2}
  clock: {type: Clock, period: 0.1}
  below: {type: Sample, input: 'if 0.3 - x - 0.2 < 0 then 1 else 0', trigger: clock}
  above: {type: Sample, input: 'if 0.3 - x - 0.2 > 0 then 1 else 0', trigger: clock}
record: [a, b, c, d, e, below, above]
simulate: {stop: 5}
",
    );
    for name in ["a", "b", "c", "d", "e"] {
        assert!(tags(&trace, name).is_empty(), "{name}: {:?}", times(&trace, name));
    }
    for name in ["below", "above"] {
        assert!(trace.series(name).iter().all(|(_, value)| *value == 0.0), "{name}");
    }
}

/// The first function is positive for all t > 0, and lost in its rounding at first; the second is a
/// step; the others leave zero with a high order.
#[test]
fn functions_that_leave_their_noise_have_one_event() {
    let trace = trace(
        "
blocks:
  a: {type: Expression, expression: 'if sin(time) - time + time^3/6 > 0 then 1 else 0'}
  b: {type: LevelCrossing, input: tanh(1e17*(time - 1.05))}
  c: {type: Integrator, input: 'if time^9 > 0 then 1 else 0'}
  d: {type: LevelCrossing, input: (time - 1)^9}
  e: {type: LevelCrossing, input: (time - 1)^3*(time - 0.5)^2}
record: [a, b, c, d, e]
simulate: {stop: 2}
",
    );
    assert!(trace.series("a").iter().skip(1).all(|(_, value)| *value == 1.0));
    assert_times(&times(&trace, "b"), &[1.05], 1e-14, "step");
    assert_near(trace.last("c").unwrap(), 2.0, 1e-12);
    assert_times(&times(&trace, "d"), &[1.0], 1e-14, "ninth power");
    assert_times(&times(&trace, "e"), &[1.0], 1e-12, "third power");
}

/// Sums of decimal fractions that cancel, some of them states, at several times: the side is 0, and
/// what starts to move makes one event.
#[test]
fn random_sums_of_decimals_that_cancel_are_zero() {
    let mut draws = Draws(5);
    for case in 0..40 {
        let count = 2 + case % 5;
        let parts: Vec<i64> = (0..count).map(|_| (draws.between(1.0, 999.0)) as i64).collect();
        let total: i64 = parts.iter().sum();
        let digits = 1 + case as usize % 4;
        let decimal = |n: i64| format!("{:.*}", digits, n as f64 / 10f64.powi(digits as i32));
        let blocks: String = parts
            .iter()
            .enumerate()
            .map(|(k, part)| {
                let rate = if k == 0 { "push" } else { "0" };
                format!(
                    "  x{k}: {{type: Integrator, input: {rate}, initial: {}}}\n",
                    decimal(*part)
                )
            })
            .collect();
        // A sum that is folded before the run is exact.
        let (one, other) = (decimal(parts[0]), decimal(total));
        let folded = format!("({other} - {one} - ({other} - {one}))");
        let sum: Vec<String> =
            (0..count).map(|k| format!("x{k}")).chain(std::iter::once(folded)).collect();
        let body = format!(
            "
blocks:
  push: {{type: Step, time: 1, before: 0, after: 1e-3}}
{blocks}  gap: {{type: LevelCrossing, input: '{} - {}'}}
  clock: {{type: Clock, period: 0.25}}
record: [gap]
simulate: {{stop: 2}}
",
            sum.join(" + "),
            decimal(total)
        );
        let trace = trace(&body);
        // The side turns at the commit of (1, 1), and the event is there at (1, 2).
        let found = tags(&trace, "gap");
        assert_eq!(found.len(), 1, "case {case}: {found:?}\n{body}");
        assert_eq!((found[0].time.seconds(), found[0].microstep), (1.0, 2), "case {case}");
    }
}

/// Equal oscillators with a distance keep it but for rounding, over many steps.
#[test]
fn bodies_side_by_side_make_no_event() {
    let trace = trace(
        "
blocks:
  v1: {type: Integrator, input: -x1}
  x1: {type: Integrator, input: v1, initial: 0.1}
  v2: {type: Integrator, input: -(x2 - 0.2)}
  x2: {type: Integrator, input: v2, initial: 0.3}
  gap: {type: LevelCrossing, input: x2 - x1 - 0.2}
  u1: {type: Integrator, input: -9.81, initial: 140}
  y1: {type: Integrator, input: u1, initial: 0.1}
  u2: {type: Integrator, input: -9.81, initial: 140}
  y2: {type: Integrator, input: u2, initial: 0.3}
  side: {type: LevelCrossing, input: y2 - y1 - 0.2}
  clock: {type: Clock, period: 1}
  down: {type: Sample, input: y1, trigger: clock}
record: [gap, side]
simulate: {stop: 1000, tolerance: 1e-8}
",
    );
    for name in ["gap", "side"] {
        assert!(tags(&trace, name).is_empty(), "{name}: {:?}", times(&trace, name));
    }
}

#[test]
fn a_sine_meets_the_clock_of_its_zeros() {
    let trace = trace(
        "
blocks:
  s: {type: Sine, frequency: 5}
  c: {type: Clock, period: 0.1}
  zero: {type: LevelCrossing, input: s}
  both: {type: Expression, expression: 'if present(c) and present(zero) then 1 else 0'}
  m: {type: Sample, input: 'mod(time, 0.1)', trigger: c}
record: [zero, both, m]
simulate: {stop: 20}
",
    );
    let met = trace.series("both").iter().filter(|(_, value)| *value == 1.0).count();
    assert_eq!((tags(&trace, "zero").len(), met), (200, 200));
    for (tag, value) in trace.series("m") {
        assert!(value.abs() < 1e-12, "mod(time, 0.1) is {} at {tag}", value);
    }
}

/// Ramps in parts of their own that reach zero at the same decimal time, for random slopes.
#[test]
fn crossings_of_different_parts_share_their_tag() {
    let mut draws = Draws(23);
    for case in 0..40 {
        let tenths = draws.between(1.0, 60.0) as i64;
        let slopes: Vec<i64> = (0..3).map(|_| draws.between(1.0, 9.0) as i64).collect();
        let blocks: String = slopes
            .iter()
            .enumerate()
            .map(|(k, slope)| {
                let from = format!("{:.1}", -(slope * tenths) as f64 / 10.0);
                format!(
                    "  x{k}: {{type: Integrator, input: {slope}, initial: {from}}}
  e{k}: {{type: LevelCrossing, input: x{k}}}\n"
                )
            })
            .collect();
        let trace =
            trace(&format!("\nblocks:\n{blocks}record: [e0, e1, e2]\nsimulate: {{stop: 8}}\n"));
        let found: Vec<_> = ["e0", "e1", "e2"].map(|name| tags(&trace, name)).into();
        assert_eq!(found[0].len(), 1, "case {case}");
        assert!(found[1] == found[0] && found[2] == found[0], "case {case}: {found:?}");
        assert_near(found[0][0].time.seconds(), tenths as f64 / 10.0, 1e-13);
    }
}

/// What cannot be bounded is said.
#[test]
fn a_function_that_is_only_looked_at_is_listed() {
    let system = try_compile(
        "
blocks:
  x: {type: Integrator, input: 1}
  d: {type: TransportDelay, input: x, delay: 0.5}
  late: {type: LevelCrossing, input: d - 1}
  now: {type: LevelCrossing, input: sin(x)}
simulate: {stop: 2}
",
    )
    .unwrap();
    assert_eq!(system.only_looked_at(), ["late"]);
}

/// abs, min and max never leave their range, at no microstep and for no solver: a table index that
/// is clamped stays in its table.
#[test]
fn clamped_values_stay_in_their_range() {
    for solver in ["rk45", "rk23", "rodas5p", "rk4, step: 0.1"] {
        let trace = trace(&format!(
            "
blocks:
  x: {{type: Integrator, input: v}}
  v: {{type: Integrator, input: -7.3*x, initial: 3}}
  low: {{type: Expression, expression: 'max(0, x)'}}
  high: {{type: Expression, expression: 'min(x, 0.5, v)'}}
  size: {{type: Expression, expression: 'abs(x - 0.1)'}}
  cell: {{type: Expression, expression: 'floor(max(0, x))'}}
  table: {{type: Expression, expression: '[10, 20, 30][floor(min(2, max(0, x)))]'}}
record: [x, v, low, high, size, cell, table]
simulate: {{stop: 10, solver: {solver}}}
"
        ));
        let all = |name: &str| trace.series(name).into_iter();
        for (tag, value) in all("low").chain(all("size")).chain(all("cell")) {
            assert!(value >= 0.0, "{value} at {tag}");
        }
        assert!(all("high").all(|(_, value)| value <= 0.5));
        assert!(all("table").all(|(_, value)| value == 10.0 || value == 20.0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    /// A comparison of time with a decimal changes at that decimal, whatever steps lead there and
    /// however it is written.
    #[test]
    fn time_passes_decimals_exactly(
        whole in 0u32..90, fraction in 1u32..100_000_000, places in 1u32..9, scale in 1i64..40,
        solver in 0usize..4,
    ) {
        let fraction = (fraction % 10u32.pow(places)).max(1);
        let at = format!("{whole}.{fraction:0width$}", width = places as usize);
        let solver = ["rk45", "rk23", "euler, step: 0.3", "rodas5p"][solver];
        let text = format!(
            "blocks:
  a: {{type: Expression, expression: if time > {at} then 1 else 0}}
  b: {{type: Expression, expression: if {scale} * time - {at} * {scale} >= 0 then 1 else 0}}
  c: {{type: LevelCrossing, input: \"{scale} * (time - {at})\"}}
  k: {{type: LookupTable, input: time, x: [0, {at}, 100], y: [0, 0, 1]}}
  x: {{type: Integrator, input: a + k}}
record: [a, b, c, x]
simulate: {{stop: {at} + 0.5, solver: {solver}}}
"
        );
        let trace = simulate(&text).trace;
        let expected = exact(&at, 1).time;
        let jumps: Vec<_> = trace.tags().iter().filter(|tag| tag.microstep == 1).collect();
        let times: Vec<_> = jumps.iter().map(|tag| tag.time).filter(|time| *time != Time::ZERO).collect();
        prop_assert!(!times.is_empty() && times.iter().all(|time| *time == expected), "{times:?}, not {expected}\n{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    /// A signal is never below its floor, and equal to it at instants alone: a chain of comparisons
    /// of the two, each with the choice of the one before, chooses the floor between the edges,
    /// whatever the rounding of the signal at them is.
    #[test]
    fn a_chain_of_comparisons_with_a_floor_chooses_it(
        frequency in 3u32..40,
        phase in -3i32..4,
        parts in 1u32..8,
        length in 1usize..6,
        fixed: bool,
    ) {
        let links: String = (1..=length)
            .map(|k| format!("  b{k}: {{type: Expression, expression: if x > b{} then b0 else 9}}\n", k - 1))
            .collect();
        let names: Vec<String> = (0..=length).map(|k| format!("b{k}")).collect();
        let solver = if fixed { ", solver: rk4, step: 0.05" } else { "" };
        let text = format!(
            "blocks:
  x: {{type: Sine, frequency: {}, phase: {phase}}}
  b0: {{type: Expression, expression: floor({parts} * x) / {parts}}}
{links}record: [x, {}]
simulate: {{stop: 2{solver}}}
",
            f64::from(frequency) / 10.0,
            names.join(", ")
        );
        let trace = simulate(&text).trace;
        let values = |name: &str| trace.series(name).into_iter().map(|(_, value)| value);
        for name in &names {
            for (x, chosen) in values("x").zip(values(name)) {
                let scaled = f64::from(parts) * x;
                let inside = (scaled - scaled.round()).abs() > 1e-9;
                let floor = scaled.floor() / f64::from(parts);
                prop_assert!(!inside || chosen == floor, "{} at {} in\n{}", name, x, text);
            }
        }
    }
}
