//! Sums, differences, integrators, linear systems and averages.

use super::{U, assert_all_near, assert_refused, response};

/// Holds: closed form of Accumulator.
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

/// Holds: closed form of Difference.
#[test]
fn a_difference_undoes_an_accumulator() {
    let blocks = "  s: {type: Accumulator, input: n * n, initial: 3}
  d: {type: Difference, input: s, initial: 3}
";
    let squares: Vec<f64> = (1..=12).map(|n| f64::from(n * n)).collect();
    assert_eq!(response(blocks, "d"), squares);
}

/// With `start: filter`, the integrators are 1.5 T / (z - 1) and so on, computed by lfilter.
///
/// Holds: closed form of DiscreteIntegrator.
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
///
/// Holds: closed form of DiscreteIntegrator.
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

/// Holds: closed form and bad input of DiscreteIntegrator.
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
///
/// Holds: closed form of DiscreteTransferFunction.
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
///
/// Holds: closed form of DiscreteStateSpace.
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

/// Holds: bad input of DiscreteTransferFunction, DiscreteStateSpace.
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

/// Holds: closed form and bad input of FIR.
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

/// Holds: closed form and bad input of MovingAverage.
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
