//! Truths about sampled data: recurrences computed by hand, and responses computed by
//! scipy.signal (lfilter, dlsim) for the same coefficients.

mod delays;
mod filters;
mod holds;
mod pid;

use crate::common::{assert_near, codes, compile_over, failure, refusal, simulate};

/// Twelve samples, 0.1 s apart, that look random: (37 k^2 + 11 k + 5) mod 101 / 10 - 5.
const SAMPLES: &str = "  c: {type: Clock, period: 0.1}
  n: {type: Counter, increment: c}
  u: {type: Expression, expression: \"mod(37 * (n - 1)^2 + 11 * (n - 1) + 5, 101) / 10 - 5\"}
";

/// The same samples as numbers.
const U: [f64; 12] = [-4.5, 0.3, 2.4, 1.8, -1.5, 2.6, 4.0, 2.7, -1.3, 2.1, 2.8, 0.8];

/// The values of an event signal, in order.
fn events(text: &str, name: &str) -> Vec<f64> {
    let trace = simulate(text).trace;
    trace.series(name).into_iter().map(|(_, value)| value).collect()
}

/// A model with the twelve samples `u` and some more blocks that records an expression as `y`.
fn model(blocks: &str, record: &str) -> String {
    format!("blocks:\n{SAMPLES}{blocks}record: {{y: \"{record}\"}}\nsimulate: {{stop: 1.1}}\n")
}

/// The values of an expression in a model with the twelve samples.
fn response(blocks: &str, record: &str) -> Vec<f64> {
    events(&model(blocks, record), "y")
}

#[track_caller]
fn assert_all_near(actual: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(actual.len(), expected.len(), "{actual:?}");
    for (actual, expected) in actual.iter().zip(expected) {
        assert_near(*actual, *expected, tolerance);
    }
}

/// Checks that blocks on the twelve samples are refused with a code and a message.
#[track_caller]
fn assert_refused(blocks: &str, code: &str, message: &str) {
    let refused = refusal(&model(blocks, "y"));
    assert!(codes(&refused).contains(&code), "{refused}");
    assert!(refused.to_string().contains(message), "{refused}");
}

#[test]
fn the_samples_of_these_tests_are_as_written() {
    assert_all_near(&response("", "u"), &U, 1e-15);
}

/// Each diagram that samples refuses an impulse at the microstep of a sample.
///
/// Holds: impulse of UnitDelay, Delay, Difference, Accumulator, DiscreteIntegrator,
/// DiscreteTransferFunction, DiscreteStateSpace, FIR, MovingAverage, Decimator, DiscretePID,
/// SampleAndHold, FirstOrderHold.
#[test]
fn an_impulse_cannot_be_sampled() {
    for block in [
        "UnitDelay",
        "Delay, samples: 2",
        "Difference",
        "Accumulator",
        "DiscreteIntegrator, period: 0.1",
        "DiscreteTransferFunction, denominator: [1, 0.5]",
        "DiscreteStateSpace, A: 0, B: 1, C: 1",
        "FIR, coefficients: [1, 2]",
        "MovingAverage, samples: 2",
        "Decimator, factor: 2",
        "DiscretePID, period: 0.1",
        "SampleAndHold",
        "FirstOrderHold",
    ] {
        let text = format!(
            "blocks:
  c: {{type: Clock, period: 0.1}}
  d: {{type: {block}, input: delta(time - 0.2), trigger: c}}
record: [d]
simulate: {{stop: 1}}
"
        );
        let struck = failure(&text);
        assert!(
            struck.error.to_string().contains("an impulse cannot be sampled"),
            "{block}: {struck}"
        );
    }
}

/// Coefficients that do not decide sizes can change between runs without compiling again.
#[test]
fn gains_are_values_of_a_run() {
    let text = "parameters: {k: 2}
blocks:
  c: {type: Clock, period: 0.1}
  d: {type: DiscretePID, input: 1, trigger: c, period: 0.1, kp: k}
  f: {type: DiscreteTransferFunction, input: 1, trigger: c, numerator: [k, 0], denominator: [k, -1]}
record: {y: d + f}
simulate: {stop: 0.1}
";
    for (value, expected) in [("2", [3.0, 3.5]), ("4", [5.0, 5.25])] {
        let system = compile_over(text, &[("k", value)]);
        let trace = system.simulate().unwrap_or_else(|failure| panic!("{failure}")).trace;
        let values: Vec<f64> = trace.series("y").into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, expected);
    }
}

/// A loop of truth values through `last` or `previous` needs no block that gives its type.
#[test]
fn a_loop_of_truth_values_is_one() {
    let block = "  d: {type: Expression, expression: \"n > 3 or last(d, false)\"}\n";
    assert_eq!(response(block, "if d then n else -n")[..5], [-1., -2., -3., 4., 5.]);
    let block = "  y: {type: Expression, expression: \"n > 3 or last(y, 0)\"}\n";
    assert_refused(block, "type-mismatch", "");
}
