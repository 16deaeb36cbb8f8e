//! Truths about sampled data: recurrences computed by hand, and responses computed by
//! scipy.signal (lfilter, dlsim) for the same coefficients.

use crate::common::{
    assert_at, assert_near, at, codes, compile_over, exact, failure, refusal, simulate, tags, times,
};

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

#[test]
fn a_trigger_samples_a_continuous_signal() {
    let y = response("  d: {type: UnitDelay, input: time, trigger: c, initial: 9}\n", "d");
    assert_all_near(&y, &[9., 0., 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0], 1e-15);
    assert_refused("  y: {type: UnitDelay, input: time}\n", "not-events", "takes events");
}

/// At a trigger without an input, a delay gives the latest sample again and keeps its memory.
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

#[test]
fn an_accumulator_adds_up_from_each_reset() {
    let blocks = "  r: {type: Clock, period: 0.35, offset: 0.35}
  d: {type: Accumulator, input: n, reset: r, initial: 100}
";
    // The resets at 0.35 and 1.05 s are between samples, the one at 0.7 s is at the eighth.
    assert_eq!(
        response(blocks, "d"),
        [101., 103., 106., 110., 105., 111., 118., 108., 117., 127., 138., 112.]
    );
    let vector = "  d: {type: Accumulator, input: \"[n, -n]\", initial: [1, 2]}\n";
    assert_eq!(response(vector, "d[0]")[..3], [2., 4., 7.]);
    assert_eq!(response(vector, "d[1]")[..3], [1., -1., -4.]);
}

#[test]
fn a_difference_undoes_an_accumulator() {
    let blocks = "  s: {type: Accumulator, input: n * n, initial: 3}
  d: {type: Difference, input: s, initial: 3}
";
    let squares: Vec<f64> = (1..=12).map(|n| f64::from(n * n)).collect();
    assert_eq!(response(blocks, "d"), squares);
}

/// With `start: filter`, the integrators are 1.5 T / (z - 1) and so on, computed by lfilter.
#[test]
fn an_integrator_follows_its_rule() {
    let with = |more: &str| {
        let block = format!(
            "  d: {{type: DiscreteIntegrator, input: u, period: 0.1, gain: 1.5, initial: 2, {more}}}\n"
        );
        response(&block, "d")
    };
    let forward = [2.0, 1.325, 1.37, 1.73, 2.0, 1.775, 2.165, 2.765, 3.17, 2.975, 3.29, 3.71];
    let backward = [1.325, 1.37, 1.73, 2.0, 1.775, 2.165, 2.765, 3.17, 2.975, 3.29, 3.71, 3.83];
    let trapezoidal =
        [1.6625, 1.3475, 1.55, 1.865, 1.8875, 1.97, 2.465, 2.9675, 3.0725, 3.1325, 3.5, 3.77];
    assert_all_near(&with("rule: forward, start: filter"), &forward, 1e-14);
    assert_all_near(&with("rule: backward, start: filter"), &backward, 1e-14);
    assert_all_near(&with("rule: trapezoidal, start: filter"), &trapezoidal, 1e-14);
    // As an integral, each starts from 2.
    let from = |values: &[f64]| values.iter().map(|y| y - values[0] + 2.0).collect::<Vec<f64>>();
    assert_all_near(&with("rule: forward"), &forward, 1e-14);
    assert_all_near(&with("rule: backward"), &from(&backward), 1e-14);
    assert_all_near(&with("rule: trapezoidal"), &from(&trapezoidal), 1e-14);
}

/// The integral of 3 + 2 t is 3 t + t^2, exactly by the trapezoidal rule; the others are off by T t.
#[test]
fn the_trapezoidal_rule_is_exact_on_a_line() {
    let off = |rule: &str| {
        let block = format!(
            "  d: {{type: DiscreteIntegrator, input: 3 + 2 * time, trigger: c, period: 0.1, rule: {rule}}}\n"
        );
        response(&block, "d - 3 * time - time^2")
    };
    assert_all_near(&off("trapezoidal"), &[0.0; 12], 1e-14);
    let line: Vec<f64> = (0..12).map(|k| 0.01 * f64::from(k)).collect();
    assert_all_near(&off("backward"), &line, 1e-14);
    let line: Vec<f64> = line.iter().map(|off| -off).collect();
    assert_all_near(&off("forward"), &line, 1e-14);
}

#[test]
fn an_integrator_has_limits_and_resets() {
    let block = "  d: {type: DiscreteIntegrator, input: \"if n < 6 then 10 else -10\", period: 0.1, upper: 2.5, lower: -1.5, trigger: c}\n";
    assert_eq!(response(block, "d"), [0., 1., 2., 2.5, 2.5, 2.5, 1.5, 0.5, -0.5, -1.5, -1.5, -1.5]);
    let blocks = "  r: {type: Clock, period: 0.35, offset: 0.35}
  d: {type: DiscreteIntegrator, input: 10 * n, period: 0.1, reset: r, initial: 4, rule: backward}
";
    // The next sample after a reset, and a sample at a reset, are first again.
    assert_eq!(response(blocks, "d"), [4., 6., 9., 13., 4., 10., 17., 4., 13., 23., 34., 4.]);
    let vector = "  d: {type: DiscreteIntegrator, input: \"[n, 2 * n]\", period: 1}\n";
    assert_eq!(response(vector, "d[1]")[..4], [0., 2., 6., 12.]);
    let bad = |more: &str| format!("  y: {{type: DiscreteIntegrator, input: n, {more}}}\n");
    assert_refused(&bad("period: 0"), "bad-parameter", "the period must be positive");
    let limits = bad("period: 1, lower: 1, upper: 0");
    assert_refused(&limits, "bad-parameter", "the lower limit must not be above");
    assert_refused(&bad("period: 1, rule: simpson"), "bad-parameter", "must be one of forward");
}

/// The forward rule needs nothing of the input at the same sample: with a trigger, a sampled loop
/// y' = 1 - y is no causality loop. y[k] = 1 - (1 - T)^k.
#[test]
fn a_forward_integrator_closes_a_loop() {
    let block = "  d: {type: DiscreteIntegrator, input: 1 - d, trigger: c, period: 0.1}\n";
    let expected: Vec<f64> = (0..12).map(|k| 1.0 - 0.9_f64.powi(k)).collect();
    assert_all_near(&response(block, "d"), &expected, 1e-14);
    let block =
        "  y: {type: DiscreteIntegrator, input: 1 - y, trigger: c, period: 0.1, rule: backward}\n";
    assert_refused(block, "causality-loop", "loop");
}

/// The responses are those of scipy.signal.lfilter.
#[test]
fn a_transfer_function_filters_as_lfilter_does() {
    let with = |numerator: &str, denominator: &str| {
        let block = format!(
            "  d: {{type: DiscreteTransferFunction, input: u, numerator: {numerator}, denominator: {denominator}}}\n"
        );
        response(&block, "d")
    };
    let full = with("[1.5, 0.3, -0.2, 0.05]", "[2, -1.1, 0.7, -0.25]");
    assert_all_near(&full, &FULL, 1e-13);
    // lfilter([0, 0.3, -0.2, 0.05], [2, -1.1, 0.7, -0.25], u) and dlsim of the unpadded pair.
    let proper = [
        0.0,
        -0.6749999999999999,
        0.12375000000000003,
        0.5218125,
        0.196809375,
        -0.40392046874999993,
        0.35918702343750003,
        0.6660261988281251,
        0.2601088925585939,
        -0.41015090075292954,
        0.2791321670438965,
        0.5070891187074926,
    ];
    assert_all_near(&with("[0.3, -0.2, 0.05]", "[2, -1.1, 0.7, -0.25]"), &proper, 1e-13);
    assert_all_near(&with("[0, 0.3, -0.2, 0.05]", "[2, -1.1, 0.7, -0.25]"), &proper, 1e-13);
    let half: Vec<f64> = U.iter().map(|u| u / 2.0).collect();
    assert_all_near(&with("2", "4"), &half, 1e-15);
    assert_all_near(&with("[2]", "[4]"), &half, 1e-15);
}

/// lfilter([1.5, 0.3, -0.2, 0.05], [2, -1.1, 0.7, -0.25], u)
const FULL: [f64; 12] = [
    -3.375,
    -2.3062500000000004,
    2.2078124999999997,
    3.167109375,
    -0.4066054687499998,
    0.5488552734374998,
    4.425070986328125,
    4.518364013183595,
    0.09993227121582149,
    0.23666921784545925,
    3.272487276537414,
    2.5070253097516444,
];

/// The same system in the controllable form of scipy.signal.tf2ss.
#[test]
fn a_state_space_is_its_transfer_function() {
    let block = "  d:
    type: DiscreteStateSpace
    input: u
    A: [[0.55, -0.35, 0.125], [1, 0, 0], [0, 1, 0]]
    B: [1, 0, 0]
    C: [0.5625, -0.3625, 0.11875]
    D: 0.75
";
    assert_all_near(&response(block, "d"), &FULL, 1e-13);
}

#[test]
fn a_state_space_has_vector_ports() {
    let block = "  b: {type: Expression, expression: \"mod(37 * (12 - n)^2 + 11 * (12 - n) + 5, 101) / 10 - 5\"}
  d:
    type: DiscreteStateSpace
    input: [u, b]
    A: [[0.9, 0.2], [-0.3, 0.7]]
    B: [[1, 0], [0.5, -1]]
    C: [[1, 2], [0, 1], [1, -1]]
    D: [[0, 1], [0, 0], [2, 0]]
    initial: [1, -1]
";
    // scipy.signal.dlsim with x0 = (1, -1)
    let expected = [
        [-0.2, -9.1, -10.52, -8.831, 3.8782, -3.17849],
        [-1.0, -4.05, -4.345, -2.7625, 0.86805, -2.674995],
        [-7.0, 0.85, 5.215, 4.3565, -4.42595, 6.046495],
    ];
    for (element, expected) in expected.iter().enumerate() {
        let values = response(block, &format!("d[{element}]"));
        assert_all_near(&values[..6], expected, 1e-13);
    }
}

/// Without feedthrough, sampled feedback is no causality loop. x' = 0.5 x + u, u = 1 - x.
#[test]
fn loops_through_systems_without_feedthrough() {
    let expected: Vec<f64> = (0..12).map(|k| (1.0 - (-0.5_f64).powi(k)) / 1.5).collect();
    let block = "  d: {type: DiscreteStateSpace, input: 1 - d, trigger: c, A: 0.5, B: 1, C: 1}\n";
    assert_all_near(&response(block, "d"), &expected, 1e-14);
    let block =
        "  d: {type: DiscreteTransferFunction, input: 1 - d, trigger: c, denominator: [1, -0.5]}\n";
    assert_all_near(&response(block, "d"), &expected, 1e-14);
    let block =
        "  y: {type: DiscreteStateSpace, input: 1 - y, trigger: c, A: 0.5, B: 1, C: 1, D: 1}\n";
    assert_refused(block, "causality-loop", "loop");
}

#[test]
fn linear_systems_refuse_wrong_coefficients() {
    let filter =
        |more: &str| format!("  y: {{type: DiscreteTransferFunction, input: n, {more}}}\n");
    let improper = filter("numerator: [1, 2], denominator: [1]");
    assert_refused(&improper, "bad-parameter", "must not be longer than the denominator");
    let leading = filter("denominator: [0, 1]");
    assert_refused(&leading, "bad-parameter", "leading coefficient of the denominator");
    assert_refused(&filter("denominator: 0"), "bad-parameter", "leading coefficient");
    let system = |more: &str| format!("  y: {{type: DiscreteStateSpace, input: n, {more}}}\n");
    let square = system("A: [[1, 2]], B: 1, C: 1");
    assert_refused(&square, "bad-parameter", "A must be a number or a square matrix");
    let rows = system("A: [[1, 2], [3, 4]], B: [1, 2, 3], C: [1, 1]");
    assert_refused(&rows, "bad-parameter", "B must have as many rows as A");
    let columns = system("A: [[1, 2], [3, 4]], B: [1, 2], C: [1, 1, 1]");
    assert_refused(&columns, "bad-parameter", "C must have as many columns as A");
    assert_refused(
        &system("A: [[1, 2], [3, 4]], B: [[1, 2], [3, 4]], C: [1, 1]"),
        "size-mismatch",
        "",
    );
}

#[test]
fn an_impulse_response_is_the_coefficients() {
    let unit = "  first: {type: Expression, expression: if n == 1 then 1 else 0}\n";
    let block = "  d: {type: FIR, input: first, coefficients: [0.1, -0.4, 7, 0.1]}\n";
    let values = response(&format!("{unit}{block}"), "d");
    assert_eq!(values[..6], [0.1, -0.4, 7.0, 0.1, 0.0, 0.0]);
    let block = "  d: {type: FIR, input: n, coefficients: [1, 0.5], initial: 10}\n";
    assert_eq!(response(block, "d")[..3], [6.0, 2.5, 4.0]);
    assert_eq!(response("  d: {type: FIR, input: n, coefficients: 3}\n", "d")[..2], [3.0, 6.0]);
    let vector = "  d: {type: FIR, input: \"[n, n^2]\", coefficients: [1, 2]}\n";
    assert_eq!(response(vector, "d[0]")[..3], [1.0, 4.0, 7.0]);
    assert_eq!(response(vector, "d[1]")[..3], [1.0, 6.0, 17.0]);
    let bad = "  y: {type: FIR, input: n, coefficients: [1, 2], initial: [1, 2]}\n";
    assert_refused(bad, "bad-parameter", "a single number");
}

#[test]
fn a_moving_average_begins_with_what_there_is() {
    let block = "  d: {type: MovingAverage, input: n * n, samples: 4}\n";
    // 1, 5 / 2, 14 / 3, 30 / 4, (4 + 9 + 16 + 25) / 4, ...
    let expected = [1.0, 2.5, 14.0 / 3.0, 7.5, 13.5, 21.5];
    assert_eq!(response(block, "d")[..6], expected);
    let vector = "  d: {type: MovingAverage, input: \"[n, -n]\", samples: 2}\n";
    assert_eq!(response(vector, "d[1]")[..3], [-1.0, -1.5, -2.5]);
    for wrong in ["0", "2.5"] {
        let bad = format!("  y: {{type: MovingAverage, input: n, samples: {wrong}}}\n");
        assert_refused(&bad, "bad-parameter", "must be an integer from 1 on");
    }
}

#[test]
fn sample_and_hold_keeps_the_last_sample() {
    let text = "blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  wave: {type: Step, time: 1.5, after: 3}
  h: {type: SampleAndHold, input: \"[time^2, wave]\", trigger: c, initial: -1}
  e: {type: Clock, period: 0.75}
  n: {type: Counter, increment: e}
  events: {type: SampleAndHold, input: n, trigger: c, initial: 7}
record: {square: \"h[0]\", step: \"h[1]\", events: events}
simulate: {stop: 2, every: 0.25, rows: microsteps}
";
    let trace = simulate(text).trace;
    assert_at(
        &trace,
        "square",
        &[("0.25", 0, -1.0), ("0.5", 0, -1.0), ("0.5", 1, 0.25), ("1", 0, 0.25), ("1.5", 1, 2.25)],
    );
    // The step and the clock at 1.5 s are at one microstep: the jump has happened.
    assert_at(&trace, "step", &[("0.5", 1, 0.0), ("1.5", 0, 0.0), ("1.5", 1, 3.0)]);
    // The events of the input before 1.5 s are not at a trigger.
    assert_at(&trace, "events", &[("1", 0, 7.0), ("1.5", 1, 3.0), ("2", 0, 3.0)]);
}

#[test]
fn a_first_order_hold_continues_a_line() {
    let text = "blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  h: {type: FirstOrderHold, input: \"[3 - 2 * time, time^2]\", trigger: c, initial: [8, 9]}
record: {line: \"h[0]\", curve: \"h[1]\"}
simulate: {stop: 3.25, every: 0.25, rows: microsteps}
";
    let trace = simulate(text).trace;
    assert_at(&trace, "line", &[("0.25", 0, 8.0), ("0.5", 0, 8.0), ("0.5", 1, 2.0)]);
    assert_at(&trace, "line", &[("1.25", 0, 2.0), ("1.5", 0, 2.0), ("1.5", 1, 0.0)]);
    let exactly = [("2", 0, -1.0), ("2.5", 0, -2.0), ("2.5", 1, -2.0), ("3.25", 0, -3.5)];
    assert_at(&trace, "line", &exactly);
    // From 2.25 at 1.5 s with slope 2, from 6.25 at 2.5 s with slope 4.
    let curve = [("1.5", 1, 2.25), ("2.5", 0, 4.25), ("2.5", 1, 6.25), ("3.25", 0, 9.25)];
    assert_at(&trace, "curve", &curve);
}

/// Samples at 0.5 and 2 s, the latter replaced at the next microstep; then one at 2.5 s.
#[test]
fn a_first_order_hold_takes_uneven_samples() {
    let text = "blocks:
  h: {type: FirstOrderHold, input: e}
  a: {type: Clock, period: 100, offset: 0.5, value: 1}
  b: {type: Clock, period: 100, offset: 2, value: 9}
  b2: {type: MicrostepDelay, input: b - 5}
  d: {type: Clock, period: 100, offset: 2.5, value: 6}
  e: {type: Merge, inputs: [a, b, b2, d]}
record: [h]
simulate: {stop: 3, every: 0.5, rows: microsteps}
";
    let trace = simulate(text).trace;
    let near = |time: &str, microstep: u32, value: f64| {
        assert_near(at(&trace, "h", exact(time, microstep)).unwrap(), value, 1e-14);
    };
    near("1.5", 0, 1.0);
    near("2", 1, 9.0);
    near("2", 2, 4.0);
    // (4 - 1) / (2 - 0.5) = 2, although 9 was there in between; then (6 - 4) / 0.5 = 4.
    near("2.5", 0, 5.0);
    near("2.5", 1, 6.0);
    near("3", 0, 8.0);
}

#[test]
fn a_rate_transition_takes_the_latest_value() {
    let with = |more: &str| {
        let text = format!(
            "blocks:
  fast: {{type: Clock, period: 0.1, offset: 0.1}}
  n: {{type: Counter, increment: fast}}
  slow: {{type: Clock, period: 0.25}}
  d: {{type: RateTransition, input: n, trigger: slow, initial: -1{more}}}
record: [d]
simulate: {{stop: 1}}
"
        );
        let trace = simulate(&text).trace;
        assert_eq!(times(&trace, "d"), [0.0, 0.25, 0.5, 0.75, 1.0]);
        trace.series("d").into_iter().map(|(_, value)| value).collect::<Vec<f64>>()
    };
    assert_eq!(with(""), [-1., 2., 5., 7., 10.]);
    assert_eq!(with(", simultaneous: old"), [-1., 2., 4., 7., 9.]);
    // From slow to fast, and in a loop without feedthrough: a toggle.
    let block = "  s: {type: RateTransition, input: 1 - s, trigger: c, simultaneous: old}\n";
    assert_eq!(response(block, "s")[..4], [0., 1., 0., 1.]);
}

#[test]
fn a_decimator_passes_every_nth_sample() {
    let block = "  d: {type: Decimator, input: \"[n, -n]\", factor: 5}\n";
    assert_eq!(response(block, "d[1]"), [-1., -6., -11.]);
    let block = "  d: {type: Decimator, input: n, factor: 4, offset: 2}\n";
    assert_eq!(response(block, "d"), [3., 7., 11.]);
    assert_eq!(response("  d: {type: Decimator, input: n, factor: 1}\n", "d")[..3], [1., 2., 3.]);
    let bad = |more: &str| format!("  y: {{type: Decimator, input: n, {more}}}\n");
    assert_refused(&bad("factor: 0"), "bad-parameter", "the factor must be an integer from 1 on");
    let offset = bad("factor: 2, offset: -1");
    assert_refused(&offset, "bad-parameter", "the offset must be an integer from 0 on");
}

/// The values without limits are those of lfilter for the transfer function on the page; those with
/// limits come from the equations on the page, computed in Python.
#[test]
fn a_pid_controller_follows_its_equations() {
    let with = |more: &str| {
        let block = format!(
            "  d: {{type: DiscretePID, input: u, period: 0.1, kp: 2, ki: 3, kd: 0.4, filter: 0.25{more}}}\n"
        );
        response(&block, "d")
    };
    let free = [
        -14.142857142857144,
        1.062244897959178,
        7.23446064139941,
        5.013186172428147,
        -5.376295591122757,
        7.738360292055168,
        12.06454306575369,
        8.111816475538351,
        -3.9872739460440325,
        7.373375752825693,
        9.853839823446927,
        3.929885588176381,
    ];
    assert_all_near(&with(""), &free, 1e-12);
    let limits = ", initial: 0.5, lower: -6, upper: 7, tracking: 1.5, anti_windup: ";
    let none = [
        -6.0,
        1.562244897959183,
        7.0,
        5.513186172428155,
        -4.876295591122746,
        7.0,
        7.0,
        7.0,
        -3.4872739460440294,
        7.0,
        7.0,
        4.429885588176374,
    ];
    assert_all_near(&with(&format!("{limits}none")), &none, 1e-12);
    let clamped = [
        -6.0,
        2.912244897959183,
        7.0,
        6.1431861724281545,
        -4.246295591122747,
        7.0,
        7.0,
        7.0,
        -5.64727394604403,
        5.713375752825692,
        7.0,
        1.4298855881763735,
    ];
    assert_all_near(&with(&format!("{limits}clamping")), &clamped, 1e-12);
    let back = [
        -6.0,
        2.7086734693877546,
        7.0,
        6.377481361932528,
        -4.012000401618374,
        7.0,
        7.0,
        7.0,
        -4.041947671655487,
        7.0,
        7.0,
        3.414702439419781,
    ];
    assert_all_near(&with(&format!("{limits}back_calculation")), &back, 1e-12);
}

#[test]
fn a_pid_controller_starts_again_at_a_reset() {
    let blocks = "  r: {type: Clock, period: 100, offset: 0.6}
  one: {type: Sample, input: 1, trigger: c}
  d: {type: DiscretePID, input: one, reset: r, period: 0.1, kp: 2, ki: 10, kd: 0.1}
";
    // The proportional part is 2, the integral grows by 1, the difference is 1 at the first sample.
    let expected = [3., 3., 4., 5., 6., 7., 3., 3., 4., 5., 6., 7.];
    assert_all_near(&response(blocks, "d"), &expected, 1e-13);
    let bad = |more: &str| format!("  y: {{type: DiscretePID, input: n, {more}}}\n");
    assert_refused(&bad("period: 0"), "bad-parameter", "the period must be positive");
    assert_refused(&bad("period: 1, filter: -1"), "bad-parameter", "must not be negative");
    let limits = bad("period: 1, lower: 1, upper: 0");
    assert_refused(&limits, "bad-parameter", "the lower limit must not be above");
}

/// Each diagram that samples refuses an impulse at the microstep of a sample.
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
