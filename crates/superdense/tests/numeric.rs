//! Runs by fixed steps: impulses as large values, and symbolic ones with the same formulas.

use crate::common;
use std::sync::Arc;

use crate::common::{assert_near, codes, compile_with, exact, refusal};
use proptest::prelude::*;
use superdense::{
    Block, Context, Diagnostic, Impulses, Info, Library, Outcome, Settings, StopReason, Study,
    StudyError, Tag, Trace, Value, Verdict, parse_value, study,
};

/// Runs a text with impulses of a kind and a step.
fn run(text: &str, impulses: Impulses, step: &str) -> Outcome {
    run_with(text, impulses, step, &Library::standard())
}

fn run_with(text: &str, impulses: Impulses, step: &str, library: &Library) -> Outcome {
    let overrides = Settings::default().impulses(impulses.name()).step(step);
    let system = compile_with(text, library, &overrides).unwrap_or_else(|why| panic!("{why}"));
    system.simulate().unwrap_or_else(|failure| panic!("{failure}"))
}

/// The values of a signal at every point, after its events.
fn points(trace: &Trace, name: &str) -> Vec<(f64, f64)> {
    let series = trace.series(name);
    let last = |i: &usize| series.get(i + 1).is_none_or(|next| next.0.time != series[*i].0.time);
    (0..series.len()).filter(last).map(|i| (series[i].0.time.seconds(), series[i].1)).collect()
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
}

/// The derivatives of a step at t = 1, and impulses of the same orders from the other two sources.
fn derivatives_of_a_step() -> String {
    let mut text = "superdense: 1\nblocks:\n  d0: {type: Step, time: 1}\n".to_owned();
    for n in 1..=10 {
        text += &format!("  d{n}: {{type: Derivative, input: d{}}}\n", n - 1);
    }
    for n in 1..=9 {
        text += &format!("  s{n}: {{type: ImpulseSource, times: [1], order: {}}}\n", n - 1);
        text +=
            &format!("  e{n}: {{type: Expression, expression: 'delta(time - 1, {})'}}\n", n - 1);
    }
    text + "simulate: {stop: 8}\n"
}

/// Table 1 of Gomes et al.: the n-th derivative of a step is, at the k-th point from the step on,
/// (-1)^k C(n - 1, k) / h^n, and 0 from the n-th on. (The column of n - 1 is misprinted there.)
#[test]
fn derivatives_of_a_step_are_binomial_coefficients() {
    for (step, h) in [("1/2", 0.5f64), ("0.1", 0.1), ("0.2", 0.2)] {
        let trace = run(&derivatives_of_a_step(), Impulses::Numeric, step).trace;
        for n in 1..=10usize {
            let scale = h.powi(n as i32);
            // The greatest of them is the largest binomial coefficient of row n - 1 over h^n.
            let most = binomial(n - 1, (n - 1) / 2) / scale;
            let found = points(&trace, &format!("d{n}"));
            let first = found.iter().position(|(t, _)| *t == 1.0).unwrap();
            for (index, (_, value)) in found.iter().enumerate() {
                let expected = match index.checked_sub(first) {
                    Some(k) if k < n => (-1.0f64).powi(k as i32) * binomial(n - 1, k) / scale,
                    _ => 0.0,
                };
                assert_near(*value, expected, 1e-12 * most);
            }
            let greatest = found.iter().fold(0.0f64, |most, (_, value)| most.max(value.abs()));
            assert_near(greatest, most, 1e-12 * most);
            for other in ["s", "e"].iter().filter(|_| n < 10) {
                assert_eq!(points(&trace, &format!("{other}{n}")), found, "{other}{n}");
            }
        }
    }
}

#[test]
fn derivatives_of_a_step_are_symbolic_where_the_steps_are_fixed() {
    let trace = run(&derivatives_of_a_step(), Impulses::Stepped, "0.1").trace;
    for n in 1..=10usize {
        let column = trace.column(&format!("d{n}")).unwrap();
        let own: Vec<_> = trace.impulses().iter().filter(|i| i.column == column).collect();
        assert_eq!(own.len(), 1, "d{n}");
        assert_eq!((own[0].tag, own[0].order, own[0].weight[0]), (exact("1", 1), n - 1, 1.0));
        assert!(trace.series(&format!("d{n}")).iter().all(|(_, value)| *value == 0.0));
    }
}

#[test]
fn sums_undo_differences_on_uneven_steps() {
    // The crossing of the ramp cuts a step in two, in the midst of the pulses.
    let mut text = "
superdense: 1
blocks:
  r: {type: Ramp}
  hit: {type: LevelCrossing, input: r, level: 1.234567}
  u: {type: Step, time: 1, after: 3}
  d1: {type: Derivative, input: u}
  d2: {type: Derivative, input: d1}
  d3: {type: Derivative, input: d2}
  x3: {type: Integrator, input: d3}
  x2: {type: Integrator, input: x3}
  x1: {type: Integrator, input: x2}
"
    .to_owned();
    text += "simulate: {stop: 3}\n";
    let trace = run(&text, Impulses::Numeric, "0.1").trace;
    assert_eq!(trace.series("hit").len(), 1);
    let step = points(&trace, "u");
    for ((t, u), (_, x)) in step.into_iter().zip(points(&trace, "x1")) {
        assert_near(x, u, 1e-11);
        assert_eq!(u, if t < 1.0 { 0.0 } else { 3.0 });
    }
}

const BALL: &str = "
superdense: 1
parameters: {g: 9.81, e: 1, m: 2, y0: 10}
blocks:
  hit: {type: LevelCrossing, input: y, direction: falling}
  count: {type: Counter, increment: hit}
  N: {type: ZeroOrderHold, input: count}
  bounce: {type: Derivative, input: N}
  F: {type: Expression, expression: -(1 + e) * m * previous(v) * bounce}
  v: {type: Integrator, input: -g + F / m}
  y: {type: Integrator, input: v, initial: y0}
record: [y, v, F, N]
simulate: {stop: 9}
";

/// Figure 4: both approaches give the same trace of the ball where both use the formulas (28), the
/// step of the impulse is the bracket of its location, and previous(v) is the value at t - h.
#[test]
fn the_ball_is_the_same_with_symbolic_and_numeric_impulses() {
    for restitution in ["1", "0.8"] {
        // While the bounces are further apart than a few steps.
        let text = BALL.replace("e: 1,", &format!("e: {restitution},")).replace("9}", "6}");
        for step in ["0.1", "0.01", "0.001"] {
            let numeric = run(&text, Impulses::Numeric, step).trace;
            let stepped = run(&text, Impulses::Stepped, step).trace;
            for (name, size) in [("y", 10.0), ("v", 15.0), ("N", 5.0)] {
                let (a, b) = (points(&numeric, name), points(&stepped, name));
                assert_eq!(a.len(), b.len());
                for ((t, a), (s, b)) in a.into_iter().zip(b) {
                    assert_near(t, s, 1e-12 * 9.0);
                    assert_near(a, b, 1e-12 * size);
                }
            }
            assert!(numeric.last("N").unwrap() >= 2.0);
            pulses_are_impulses(&numeric, &stepped);
        }
    }
}

/// A numerical force times the length of its step is the symbolic coefficient.
fn pulses_are_impulses(numeric: &Trace, stepped: &Trace) {
    let force = points(numeric, "F");
    let times: Vec<Tag> = numeric.series("F").into_iter().map(|(tag, _)| tag).collect();
    let mut pulses = Vec::new();
    for (tag, value) in numeric.series("F").into_iter().filter(|(_, value)| value.abs() > 1.0) {
        let before = times.iter().rfind(|other| other.time < tag.time).unwrap();
        pulses.push(value * tag.time.since(before.time));
    }
    assert_eq!(pulses.len(), stepped.impulses().len());
    assert!(pulses.len() >= 2 && force.len() > pulses.len());
    for (pulse, impulse) in pulses.into_iter().zip(stepped.impulses()) {
        assert_near(pulse, impulse.weight[0], 1e-11 * impulse.weight[0].abs());
    }
}

/// The same ball by hand: the formulas (28), with the crossing of each step from its equation.
#[test]
fn the_ball_is_that_of_its_recurrence() {
    let (g, e, h, stop) = (9.81, 0.8, 0.01, 9.0);
    let text = BALL.replace("e: 1,", "e: 0.8,");
    let numeric = run(&text, Impulses::Numeric, "0.01").trace;
    let (mut t, mut y, mut v, mut k) = (0.0f64, 10.0f64, 0.0f64, 1);
    let mut bounces = 0.0;
    while t < stop - 1e-12 {
        let to = k as f64 * h;
        let length = to - t;
        let (next_v, next_y) = (v - g * length, y + length * (v - g * length));
        if next_y < 0.0 {
            // y + d (v - g d) = 0, and the bounce in a step of no length.
            let d = (v + (v * v + 4.0 * g * y).sqrt()) / (2.0 * g);
            (t, y, v) = (t + d, 0.0, -e * (v - g * d));
            bounces += 1.0;
        } else {
            (t, y, v) = (to, next_y, next_v);
            k += 1;
        }
    }
    assert_eq!(numeric.last("N"), Some(bounces));
    assert_near(numeric.last("y").unwrap(), y, 1e-10);
    assert_near(numeric.last("v").unwrap(), v, 1e-10);
}

/// x' = -x + delta(t - 1): the right Riemann sum is implicit, so that each step divides by 1 + h.
#[test]
fn an_impulse_into_a_loop_follows_its_recurrence() {
    let text = "
superdense: 1
blocks:
  hit: {type: ImpulseSource, times: [1]}
  twice: {type: ImpulseSource, times: [1], order: 1}
  x: {type: Integrator, input: -x + hit}
  z: {type: Integrator, input: -z + twice}
simulate: {stop: 3}
";
    let h = 0.125;
    let trace = run(text, Impulses::Numeric, "1/8").trace;
    let shrunk = |k: usize| (1.0f64 + h).powi(-(k as i32));
    for (index, (_, x)) in points(&trace, "x").into_iter().enumerate() {
        let expected = index.checked_sub(8).map_or(0.0, |k| shrunk(k + 1));
        assert_near(x, expected, 1e-14);
    }
    for (index, (_, z)) in points(&trace, "z").into_iter().enumerate() {
        let expected = match index.checked_sub(8) {
            None => 0.0,
            Some(0) => shrunk(1) / h,
            Some(k) => (shrunk(k + 1) - shrunk(k)) / h,
        };
        assert_near(z, expected, 1e-12);
    }
}

#[test]
fn halving_the_step_halves_the_error() {
    let text = "
superdense: 1
blocks:
  hit: {type: ImpulseSource, times: [0.5], weight: 3}
  v: {type: Integrator, input: (hit - 0.8 * v - 50 * x) / 2}
  x: {type: Integrator, input: v}
record: [x]
simulate: {stop: 2}
";
    // The underdamped response to a blow.
    let (sigma, t) = (0.2f64, 1.5f64);
    let omega = (25.0f64 - sigma * sigma).sqrt();
    let truth = 1.5 / omega * (-sigma * t).exp() * (omega * t).sin();
    for impulses in [Impulses::Numeric, Impulses::Stepped] {
        let error = |step| (run(text, impulses, step).trace.last("x").unwrap() - truth).abs();
        let (coarse, fine) = (error("0.0002"), error("0.0001"));
        assert!((coarse / fine - 2.0).abs() < 0.02, "{coarse:e} {fine:e}");
        assert!(fine < 1e-3);
    }
}

#[test]
fn hits_at_one_instant_come_step_after_step() {
    let text = include_str!("../../../models/newtons-cradle/model.yaml");
    for impulses in [Impulses::Numeric, Impulses::Stepped] {
        let trace = run(text, impulses, "0.01").trace;
        for (name, expected) in [("v1", 0.0), ("v2", 0.0), ("v3", 1.0)] {
            assert_near(trace.last(name).unwrap(), expected, 1e-12);
        }
    }
}

#[test]
fn a_fast_timer_has_every_waking() {
    let text = "
superdense: 1
blocks:
  c: {type: Clock, period: 0.1, offset: 0}
  n: {type: Counter, increment: c}
  held: {type: ZeroOrderHold, input: n}
  two: {type: ImpulseSource, times: [0.6, 0.61, 0.62], weight: [1, 2, 4]}
  x: {type: Integrator, input: two}
record: [held, x]
simulate: {stop: 3}
";
    let trace = run(text, Impulses::Numeric, "1").trace;
    assert_eq!(trace.last("held"), Some(31.0));
    assert_near(trace.last("x").unwrap(), 7.0, 1e-12);
}

#[test]
fn the_start_is_at_rest() {
    let text = "
superdense: 1
blocks:
  s: {type: Sine, frequency: 0.1, offset: 2}
  before: {type: Previous, input: s}
  twice: {type: Previous, input: before}
  d: {type: Derivative, input: s}
  u: {type: Step, time: 0, after: 5}
  du: {type: Derivative, input: u}
  x: {type: Integrator, input: du}
  up: {type: LevelCrossing, input: x - s + 2}
simulate: {stop: 1}
";
    let trace = run(text, Impulses::Numeric, "1/4").trace;
    let first = |name: &str| trace.series(name)[0].1;
    assert_eq!((first("before"), first("twice"), first("d"), first("x")), (2.0, 2.0, 0.0, 0.0));
    // A step at the start acts at the first point, and its impulse is not lost.
    assert_eq!(points(&trace, "x")[1], (0.25, 5.0));
    assert_eq!(points(&trace, "du")[1], (0.25, 20.0));
}

#[test]
fn the_model_file_can_ask_for_it() {
    let text = "
superdense: 1
blocks:
  u: {type: Step, time: 1}
  d: {type: Derivative, input: u}
simulate: {stop: 2, impulses: numeric, step: 1/4}
";
    let trace = common::simulate(text).trace;
    assert_eq!(points(&trace, "d").len(), 9);
    assert_eq!(points(&trace, "d")[4], (1.0, 4.0));
    let bad = |from: &str, to: &str| codes(&refusal(&text.replace(from, to)));
    assert_eq!(bad("numeric", "numbers"), ["unknown-word"]);
    assert_eq!(bad("1/4", "-1"), ["bad-setting"]);
    assert_eq!(bad("1/4", "1e-30"), ["bad-setting"]);
}

#[test]
fn a_resumed_run_has_the_same_bits() {
    let text = BALL.replace("stop: 9", "stop: 3, impulses: numeric, step: 0.05");
    let system = common::compile(&text);
    let whole = system.simulate().unwrap().trace;
    let mut run = system.begin();
    for _ in 0..40 {
        run.advance().unwrap();
    }
    let saved = run.save();
    let done = run.trace().len();
    let rest = system.resume(&saved).unwrap().finish().unwrap().trace;
    assert_eq!(common::bits(&whole, done), common::bits(&rest, 0));
    assert!(common::compile(BALL).resume(&saved).is_err());
}

/// The square of an impulse, which has no meaning.
const SQUARE: &str = "
superdense: 1
blocks:
  u: {type: Step, time: 1}
  d: {type: Derivative, input: u}
  square: {type: Product, inputs: [d, d]}
simulate: {stop: 2}
";

#[test]
fn meaningless_operations_are_seen_by_coefficients_alone() {
    let trace = run(SQUARE, Impulses::Numeric, "0.1").trace;
    assert!(trace.series("square").iter().any(|(_, value)| *value > 99.0));
    let overrides = Settings::default().impulses("stepped").step("0.1");
    let system = compile_with(SQUARE, &Library::standard(), &overrides).unwrap();
    assert_eq!(system.simulate().unwrap_err().error.code(), "undefined");
}

#[test]
fn an_overflow_is_an_error() {
    let mut text = "superdense: 1\nblocks:\n  d0: {type: Step, time: 1}\n".to_owned();
    for n in 1..=20 {
        text += &format!("  d{n}: {{type: Derivative, input: d{}}}\n", n - 1);
    }
    text += "simulate: {start: 1 - 4e-16, stop: 1 + 4e-16, impulses: numeric, step: 1e-16}\n";
    assert_eq!(common::failure(&text).error.code(), "not-finite");
}

/// Two states of one block that need each other: x' = -x + y, y' = -x y.
#[derive(Debug)]
struct Coupled;

impl Block for Coupled {
    fn info(&self) -> Info {
        Info::new("Coupled", "User", "A block of a test.")
            .output("x", "The first state.")
            .output("y", "The second state.")
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let (x, y) = (cx.state("x", Value::real(2.0)), cx.state("y", Value::real(1.0)));
        let fall = cx.graph.sub(y, x);
        cx.derivative(x, fall);
        let product = cx.graph.mul(x, y);
        let drain = cx.graph.neg(product);
        cx.derivative(y, drain);
        for (name, state) in [("x", x), ("y", y)] {
            let signal = cx.always(state);
            cx.output(name, signal);
        }
        Ok(())
    }
}

#[test]
fn states_of_one_block_are_solved_for_together() {
    let library = Library::standard().with(Arc::new(Coupled));
    let text = "
superdense: 1
blocks:
  c: {type: Coupled}
record: {x: c.x, y: c.y}
simulate: {stop: 1}
";
    let h = 0.25;
    let trace = run_with(text, Impulses::Numeric, "1/4", &library).trace;
    let (mut x, mut y) = (2.0f64, 1.0f64);
    for ((_, found_x), (_, found_y)) in
        points(&trace, "x").into_iter().zip(points(&trace, "y")).skip(1)
    {
        // Substituting y = old / (1 + h x) leaves one equation for x, by halving.
        let residual = |next: f64| next - x - h * (y / (1.0 + h * next) - next);
        let (mut low, mut high) = (0.0, 4.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if residual(middle) < 0.0 { low = middle } else { high = middle }
        }
        x = low;
        y /= 1.0 + h * x;
        assert_near(found_x, x, 1e-12);
        assert_near(found_y, y, 1e-12);
    }
}

fn studied(text: &str, steps: &[&str]) -> Study {
    let model = common::try_parse(text).unwrap();
    let steps: Vec<_> =
        steps.iter().map(|s| parse_value(s).unwrap().as_rational().unwrap()).collect();
    match study(&model, &Library::standard(), &Settings::default(), &steps) {
        Ok(study) => study,
        Err(StudyError::Refused(why)) => panic!("{why}"),
        Err(StudyError::Failed(_, failure)) => panic!("{failure}"),
    }
}

#[test]
fn a_study_tells_which_approach_suits() {
    let ball = studied(BALL, &["0.1", "0.01"]);
    assert_eq!(ball.verdict, Verdict::Either);
    for step in &ball.steps {
        assert_eq!((step.order, step.delay), (Some(0), 0));
        assert!(step.relative.unwrap() < 1e-12);
        assert_near(step.magnitude / step.predicted, 1.0, 1e-9);
        assert!(step.shortest_step < 1e-14);
    }
    let far = |step: &superdense::AtStep| step.from_exact.as_ref().unwrap().0;
    assert!(far(&ball.steps[1]) < 0.2 * far(&ball.steps[0]));

    let table = studied(&derivatives_of_a_step(), &["0.1"]);
    assert_eq!(table.verdict, Verdict::Symbolic);
    let step = &table.steps[0];
    assert_eq!((step.order, step.delay), (Some(9), 9));
    // The largest binomial coefficient of row 9 over h^10.
    assert_near(step.magnitude / 126e10, 1.0, 1e-9);
    assert_near(step.predicted / 126e10, 1.0, 1e-9);
    assert_near(step.overflow.f64 / (126.0 / f64::MAX).powf(0.1), 1.0, 1e-12);
    assert_near(step.overflow.f32 / (126.0 / f64::from(f32::MAX)).powf(0.1), 1.0, 1e-12);

    let calm = "superdense: 1\nblocks:\n  s: {type: Sine}\nsimulate: {stop: 1}\n";
    assert_eq!(studied(calm, &["0.1"]).verdict, Verdict::NoImpulses);
    let square = studied(SQUARE, &["0.1"]);
    assert_eq!(square.verdict, Verdict::Meaningless);
    assert_eq!(square.steps[0].refused.as_ref().map(|error| error.code()), Some("undefined"));
}

/// With arcs shorter than a step the ball would fall through the floor: that is an error, or the
/// end, and no number.
#[test]
fn events_faster_than_the_step_are_an_error() {
    let text = BALL.replace("e: 1,", "e: 0.5,").replace("stop: 9", "stop: 30, step: 0.01");
    for impulses in ["numeric", "stepped"] {
        let text = text.replace("step: 0.01", &format!("step: 0.01, impulses: {impulses}"));
        let failure = common::failure(&text);
        assert_eq!((failure.error.code(), failure.error.block()), ("events-too-fast", "hit"));
        assert!(failure.trace.series("y").iter().all(|(_, y)| *y > -1e-9));
        let stopped = common::simulate(&text.replace("30,", "30, zeno: stop,"));
        assert!(matches!(stopped.stop, StopReason::Zeno(time) if (time - 4.28).abs() < 0.25));
    }
    let study = studied(&text.replace("9}", "30}"), &["0.1"]);
    assert_eq!(study.verdict, Verdict::Breaks);
}

#[test]
fn a_microstep_becomes_a_step() {
    let text = "
superdense: 1
blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  d: {type: MicrostepDelay, input: c}
  n: {type: Counter, increment: d}
  held: {type: ZeroOrderHold, input: n}
simulate: {stop: 2}
";
    let trace = run(text, Impulses::Numeric, "1/8").trace;
    assert_eq!(common::times(&trace, "c"), [0.5, 1.5]);
    assert_eq!(common::times(&trace, "d"), [0.625, 1.625]);
    assert_eq!(trace.last("held"), Some(2.0));
}

/// -g t (1 + 20 delta''(t - 1.44)), equation (33), integrated three times: the factor moves while
/// the pulse lasts, so that the approaches are apart by as much as the step is long.
#[test]
fn a_moving_factor_sees_the_delay() {
    let text = "
superdense: 1
parameters: {g: 9.81}
blocks:
  u: {type: Expression, expression: -g * time}
  p: {type: Product, inputs: [u, '1 + 20 * delta(time - 1.44, 2)']}
  i: {type: Integrator, input: p}
  j: {type: Integrator, input: i}
  k: {type: Integrator, input: j}
simulate: {stop: 3}
";
    let study = studied(text, &["0.04", "0.02", "0.01"]);
    assert_eq!(study.verdict, Verdict::Symbolic);
    let apart: Vec<f64> =
        study.steps.iter().map(|step| step.difference.as_ref().unwrap().0).collect();
    assert_near(apart[0] / apart[1], 2.0, 1e-6);
    assert_near(apart[1] / apart[2], 2.0, 1e-6);
    assert!(study.steps.iter().all(|step| (step.order, step.delay) == (Some(2), 2)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// In a linear system with constant coefficients a pulse leaves exactly what the impulse does,
    /// of whatever order: sums and differences of even steps commute.
    #[test]
    fn linear_systems_are_the_same_after_a_pulse(
        damping in 0.0f64..3.0,
        stiffness in 0.0f64..20.0,
        impulses in prop::collection::vec((1u32..8, -3.0f64..3.0, 0u32..3), 1..4),
        height in -2.0f64..2.0,
        step in prop::sample::select(vec!["1/4", "0.1", "1/64"]),
    ) {
        prop_assume!(impulses.iter().all(|impulse| impulse.1.abs() > 0.1));
        let mut text = format!("superdense: 1\nblocks:\n  j: {{type: Step, time: 0.3, after: {height}}}\n");
        let mut input = "j".to_owned();
        for (index, (time, weight, order)) in impulses.iter().enumerate() {
            text += &format!(
                "  p{index}: {{type: ImpulseSource, times: [{}], weight: {weight}, order: {order}}}\n",
                time * 2
            );
            input += &format!(" + p{index}");
        }
        text += &format!("  v: {{type: Integrator, input: {input} - {damping} * v - {stiffness} * x}}\n");
        text += "  x: {type: Integrator, input: v}\n  z: {type: Integrator, input: x}\n";
        text += "simulate: {stop: 20}\n";
        let study = studied(&text, &[step]);
        let found = &study.steps[0];
        prop_assert!(found.relative.unwrap() < 1e-9, "{:?}", found.difference);
        prop_assert_eq!(found.delay, impulses.iter().map(|i| i.2 as usize).max().unwrap());
    }
}
