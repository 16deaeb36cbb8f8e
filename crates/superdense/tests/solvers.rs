//! Whole models against closed forms, for every solver: the order by halving the step, the error by
//! the tolerance, and the dense output.

use crate::common;
use crate::common::{assert_near, at, simulate};
use superdense::{Method, Outcome, Tag};

const OSCILLATOR: &str = "
name: oscillator
blocks:
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: -x}
record: [x, v]
";

const EXPONENTIAL: &str = "
name: exponential
blocks:
  x: {type: Integrator, input: -x, initial: 1}
  v: {type: Constant, value: 0}
record: [x, v]
";

const POLYNOMIAL: &str = "
name: polynomial
blocks:
  x: {type: Integrator, input: 6 * time^5, initial: 1}
  v: {type: Integrator, input: x}
record: [x, v]
";

/// A text, the time at which it is looked at, and the truth there.
type Problem = (&'static str, f64, [f64; 2]);

fn problems() -> [Problem; 3] {
    [
        (OSCILLATOR, 2.0, [2.0f64.cos(), -2.0f64.sin()]),
        (EXPONENTIAL, 1.0, [(-1.0f64).exp(), 0.0]),
        // x = 1 + t^6 and v = t + t^7 / 7.
        (POLYNOMIAL, 1.0, [2.0, 1.0 + 1.0 / 7.0]),
    ]
}

fn solved(problem: &Problem, settings: &str) -> (f64, Outcome) {
    let (text, stop, truth) = problem;
    let outcome = simulate(&format!("{text}simulate: {{stop: {stop}, {settings}}}\n"));
    assert_eq!(outcome.trace.tags().last(), Some(&common::tag(*stop, 0)));
    let (x, v) = (outcome.trace.last("x").unwrap(), outcome.trace.last("v").unwrap());
    ((x - truth[0]).hypot(v - truth[1]), outcome)
}

#[test]
fn halving_a_fixed_step_shows_the_order() {
    for method in Method::all().into_iter().filter(|method| method.is_fixed()) {
        for problem in &problems() {
            let error = |step: f64| {
                let settings = format!("solver: {}, step: {step}", method.name());
                solved(problem, &settings).0
            };
            // Small enough for the leading term, large enough to stand above rounding.
            let step = if method.order() == 4 { 1.0 / 16.0 } else { 1.0 / 64.0 };
            let (coarse, fine) = (error(step), error(step / 2.0));
            let order = (coarse / fine).log2();
            let name = method.name();
            assert!((order - f64::from(method.order())).abs() < 0.15, "{name}: order {order}");
        }
    }
}

#[test]
fn a_fixed_step_takes_exactly_as_many_steps() {
    for (step, count) in [("0.1", 10), ("1/3", 3), ("0.3", 4)] {
        let text = format!("{EXPONENTIAL}simulate: {{stop: 1, solver: rk4, step: {step}}}\n");
        let outcome = simulate(&text);
        assert_eq!(outcome.counters.steps, count, "step {step}");
        assert_eq!(outcome.trace.tags().last(), Some(&common::tag(1.0, 0)));
    }
}

#[test]
fn the_error_follows_the_tolerance() {
    let cases = [("euler-adaptive", [1e-3, 1e-5]), ("rk23", [1e-4, 1e-8]), ("rk45", [1e-5, 1e-10])];
    for (name, [loose, tight]) in cases {
        for problem in &problems() {
            let solve = |tolerance: f64| {
                solved(problem, &format!("solver: {name}, tolerance: {tolerance}"))
            };
            let ((coarse, few), (fine, many)) = (solve(loose), solve(tight));
            // Euler's own error is what is held at the tolerance, so that the sum of a thousand of
            // them is its root; the pairs go on with the better of their two results.
            let bound = |t: f64| if name == "euler-adaptive" { 4.0 * t.sqrt() } else { 100.0 * t };
            assert!(coarse < bound(loose), "{name}: {coarse:e} at {loose:e}");
            assert!(fine < bound(tight), "{name}: {fine:e} at {tight:e}");
            // The error per step goes with h^q, q the order of the estimate plus 1.
            let q = match name {
                "euler-adaptive" => 2.0,
                "rk23" => 3.0,
                _ => 5.0,
            };
            let growth = many.counters.steps as f64 / few.counters.steps as f64;
            let expected = (loose / tight).powf(1.0 / q);
            let ratio = growth / expected;
            assert!((0.4..2.5).contains(&ratio), "{name}: {growth} more steps, not {expected}");
        }
    }
}

#[test]
fn tight_tolerance_reaches_the_closed_form() {
    for problem in &problems() {
        let (error, _) = solved(problem, "solver: rk45, tolerance: 1e-12");
        assert!(error < 1e-10, "{error:e}");
    }
}

/// The crossing of one region falls inside the step of another, which answers with its dense
/// output: order q + 1 inside the first step.
#[test]
fn dense_output_has_its_order() {
    for method in Method::all() {
        let error = |step: f64| {
            let crossing = 0.4 * step;
            let text = format!(
                "
blocks:
  x: {{type: Integrator, input: v, initial: 1}}
  v: {{type: Integrator, input: -x, initial: 0.5}}
  y: {{type: Integrator, input: 1}}
  e: {{type: LevelCrossing, input: y, level: {crossing}}}
record: [x, v, e]
simulate: {{stop: {step}, solver: {}, step: {step}, initial_step: {step}, tolerance: 10}}
",
                method.name()
            );
            let trace = simulate(&text).trace;
            let found = common::tags(&trace, "e");
            assert_eq!(found.len(), 1, "{}", method.name());
            let here = Tag::new(found[0].time, 0);
            let t = here.time.seconds();
            let (x, v) = (at(&trace, "x", here).unwrap(), at(&trace, "v", here).unwrap());
            let truth = (t.cos() + 0.5 * t.sin(), 0.5 * t.cos() - t.sin());
            (x - truth.0).hypot(v - truth.1)
        };
        let step = 0.25;
        let order = (error(step) / error(step / 2.0)).log2();
        let expected = f64::from(method.dense_order() + 1);
        assert!((order - expected).abs() < 0.35, "{}: order {order}", method.name());
    }
}

#[test]
fn a_run_may_start_elsewhere() {
    let text = "
blocks:
  x: {type: Integrator, input: 2 * time, initial: 9}
  c: {type: Clock, period: 0.5}
record: [x, c]
simulate: {start: -3, stop: 5, tolerance: 1e-10}
";
    let outcome = simulate(text);
    assert_near(outcome.trace.last("x").unwrap(), 25.0, 1e-9);
    let first = common::tags(&outcome.trace, "c")[0];
    assert_eq!(first, common::tag(0.0, 1), "the clock's offset is 0");
}
