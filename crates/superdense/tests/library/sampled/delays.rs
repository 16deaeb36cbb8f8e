//! Delays: the samples before, in order.

use super::{assert_all_near, assert_refused, events, response};
use crate::common::{simulate, tags};

/// Holds: closed form of UnitDelay.
#[test]
fn a_unit_delay_gives_the_sample_before() {
    let text = "blocks:
  c: {type: Clock, period: 0.25}
  n: {type: Counter, increment: c}
  d: {type: UnitDelay, input: n * n, initial: -7}
record: [d]
simulate: {stop: 1}
";
    assert_eq!(events(text, "d"), [-7.0, 1.0, 4.0, 9.0, 16.0]);
}

/// The output is known to be present with the input, so the two can be subtracted; a loop needs
/// the trigger.
#[test]
fn a_loop_through_a_delay_is_a_recurrence() {
    let sums = response("  d: {type: UnitDelay, input: n + d, trigger: c}\n", "n + d");
    assert_eq!(sums, [1., 3., 6., 10., 15., 21., 28., 36., 45., 55., 66., 78.]);
    let fibonacci = response(
        "  a: {type: UnitDelay, input: a + b, trigger: c, initial: 1}
  b: {type: Delay, input: a + b, trigger: c, samples: 2, initial: [0, 1]}
",
        "a",
    );
    assert_eq!(fibonacci, [1., 1., 2., 3., 5., 8., 13., 21., 34., 55., 89., 144.]);
    assert_eq!(response("  d: {type: UnitDelay, input: n}\n", "n - d"), [1.0; 12]);
}

/// Holds: bad input of UnitDelay.
#[test]
fn a_trigger_samples_a_continuous_signal() {
    let y = response("  d: {type: UnitDelay, input: time, trigger: c, initial: 9}\n", "d");
    assert_all_near(&y, &[9., 0., 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0], 1e-15);
    assert_refused("  y: {type: UnitDelay, input: time}\n", "not-events", "takes events");
}

/// At a trigger without an input, a delay gives the latest sample again and keeps its memory.
///
/// Holds: absence of UnitDelay, Delay, Accumulator, Difference, MovingAverage,
/// DiscreteTransferFunction, DiscreteStateSpace.
#[test]
fn an_absent_input_is_no_sample() {
    let odd = "  odd: {type: Expression, expression: \"when(mod(n, 2) == 1, n)\"}\n";
    let with = |block: &str| response(&format!("{odd}  d: {{{block}, trigger: c}}\n"), "d");
    assert_eq!(
        with("type: UnitDelay, input: odd"),
        [0., 1., 1., 3., 3., 5., 5., 7., 7., 9., 9., 11.]
    );
    assert_eq!(
        with("type: Delay, input: odd, samples: 2"),
        [0., 0., 0., 1., 1., 3., 3., 5., 5., 7., 7., 9.]
    );
    assert_eq!(with("type: Delay, input: odd, samples: 0"), [1., 3., 5., 7., 9., 11.]);
    assert_eq!(with("type: Accumulator, input: odd"), [1., 4., 9., 16., 25., 36.]);
    assert_eq!(with("type: Difference, input: odd"), [1., 2., 2., 2., 2., 2.]);
    assert_eq!(with("type: MovingAverage, input: odd, samples: 2"), [1., 2., 4., 6., 8., 10.]);
    // A strictly proper filter needs no input for its output: here a unit delay.
    assert_eq!(
        with("type: DiscreteTransferFunction, input: odd, denominator: [1, 0]"),
        [0., 1., 1., 3., 3., 5., 5., 7., 7., 9., 9., 11.]
    );
    assert_eq!(
        with("type: DiscreteStateSpace, input: odd, A: 0, B: 1, C: 1"),
        [0., 1., 1., 3., 3., 5., 5., 7., 7., 9., 9., 11.]
    );
}

/// Two events at one time are two samples.
///
/// Holds: jump of UnitDelay, Delay, Accumulator, FIR, MovingAverage, Decimator.
#[test]
fn events_at_microsteps_of_one_time_are_samples() {
    let twice = |block: &str| {
        let text = format!(
            "blocks:
  c: {{type: Clock, period: 1}}
  again: {{type: MicrostepDelay, input: c}}
  n: {{type: Counter, increment: both}}
  both: {{type: Merge, inputs: [c, again]}}
  d: {{{block}, input: n}}
record: [d]
simulate: {{stop: 2}}
"
        );
        let trace = simulate(&text).trace;
        let microsteps: Vec<u32> = tags(&trace, "d").iter().map(|tag| tag.microstep).collect();
        (microsteps, trace.series("d").into_iter().map(|(_, value)| value).collect::<Vec<f64>>())
    };
    let each = vec![1, 2, 1, 2, 1, 2];
    assert_eq!(twice("type: UnitDelay"), (each.clone(), vec![0., 1., 2., 3., 4., 5.]));
    assert_eq!(twice("type: Delay, samples: 3"), (each.clone(), vec![0., 0., 0., 1., 2., 3.]));
    assert_eq!(twice("type: Accumulator"), (each.clone(), vec![1., 3., 6., 10., 15., 21.]));
    let sums = vec![1., 2.5, 4.5, 6.5, 8.5, 10.5];
    assert_eq!(twice("type: FIR, coefficients: [1, 0.5, 0.5]"), (each.clone(), sums));
    let mean = vec![1., 1.5, 2.5, 3.5, 4.5, 5.5];
    assert_eq!(twice("type: MovingAverage, samples: 2"), (each, mean));
    assert_eq!(twice("type: Decimator, factor: 2"), (vec![1, 1, 1], vec![1., 3., 5.]));
}

/// Holds: closed form of Delay.
#[test]
fn a_delay_has_initial_values() {
    let with =
        |settings: &str| response(&format!("  d: {{type: Delay, input: n{settings}}}\n"), "d");
    assert_eq!(with(""), [0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11.]);
    assert_eq!(with(", samples: 0"), [1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.]);
    assert_eq!(
        with(", samples: 3, initial: -5"),
        [-5., -5., -5., 1., 2., 3., 4., 5., 6., 7., 8., 9.]
    );
    assert_eq!(
        with(", samples: 4, initial: [7, 8, 9, 10]"),
        [7., 8., 9., 10., 1., 2., 3., 4., 5., 6., 7., 8.]
    );
    assert_eq!(with(", samples: 1, initial: [7]")[..2], [7., 1.]);
}

#[test]
fn a_delay_of_a_vector_has_a_column_for_each_sample() {
    let blocks =
        "  d: {type: Delay, input: \"[n, 10 * n]\", samples: 2, initial: [[5, 6], [7, 8]]}\n";
    assert_eq!(response(blocks, "d[0]")[..4], [5., 6., 1., 2.]);
    assert_eq!(response(blocks, "d[1]")[..4], [7., 8., 10., 20.]);
}

#[test]
fn a_long_delay_is_exact() {
    let text = "blocks:
  c: {type: Clock, period: 0.001}
  n: {type: Counter, increment: c}
  d: {type: Delay, input: n, samples: 10000, initial: -1}
  lost: {type: Expression, expression: \"n - d - 10000\"}
  wrong: {type: Accumulator, input: \"if n > 10000 then abs(lost) else abs(d + 1)\"}
  worst: {type: ZeroOrderHold, input: wrong}
  newest: {type: ZeroOrderHold, input: d}
record: [worst, newest]
simulate: {stop: 12, times: [12]}
";
    let trace = simulate(text).trace;
    assert_eq!(trace.last("worst"), Some(0.0));
    assert_eq!(trace.last("newest"), Some(2001.0));
}

/// Holds: bad input of Delay.
#[test]
fn a_delay_refuses_what_is_no_number_of_samples() {
    for wrong in ["-1", "1.5"] {
        let block = format!("  y: {{type: Delay, input: n, samples: {wrong}}}\n");
        assert_refused(&block, "bad-parameter", "must be an integer from 0 on");
    }
    let block = "  y: {type: Delay, input: n, samples: 3, initial: [1, 2]}\n";
    assert_refused(block, "size-mismatch", "`initial` is");
    let block = "  y: {type: Delay, input: n, samples: 2000000}\n";
    assert_refused(block, "bad-parameter", "too large");
}

/// Holds: closed form and bad input of TappedDelay.
#[test]
fn a_tapped_delay_gives_the_window() {
    let with = |more: &str, record: &str| {
        let block = format!("  w: {{type: TappedDelay, input: n, samples: 3{more}}}\n");
        response(&block, record)[..4].to_vec()
    };
    assert_eq!(with("", "w[0]"), [1., 2., 3., 4.]);
    assert_eq!(with("", "w[2]"), [0., 0., 1., 2.]);
    let older = ", order: oldest, initial: [-3, -2, -1]";
    assert_eq!(with(older, "w[0]"), [-2., -1., 1., 2.]);
    assert_eq!(with(older, "w[2]"), [1., 2., 3., 4.]);
    let newer = ", initial: [-1, -2, -3]";
    assert_eq!(with(newer, "w[2]"), [-2., -1., 1., 2.]);
    assert_eq!(with(newer, "when(present(w), w.leaving)"), [-3., -2., -1., 1.]);
    assert_refused(
        "  y: {type: TappedDelay, input: n, samples: 0}\n",
        "bad-parameter",
        "from 1 on",
    );
    assert_refused(
        "  y: {type: TappedDelay, input: \"n * identity(2)\", samples: 2}\n",
        "size-mismatch",
        "matrix",
    );
}
