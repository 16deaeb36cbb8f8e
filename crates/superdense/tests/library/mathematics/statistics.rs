//! Running statistics of samples.

use super::{events, sampled};
use crate::common::{assert_near, refusal, simulate};

const SAMPLES: [&str; 6] = ["3", "1", "4", "-1", "5", "9"];

/// A model with a statistic of the samples, reset by events at some times.
fn with_reset(block: &str, offset: &str, record: &str) -> String {
    let blocks = format!(
        "  again: {{type: Clock, period: 100, offset: {offset}}}\n  y: {{type: {block}, input: u, reset: again}}"
    );
    sampled(&SAMPLES, &blocks, record)
}

/// Holds: closed form of RunningMax, RunningMin.
#[test]
fn the_greatest_and_the_smallest_sample_so_far() {
    let run = |block: &str| {
        let blocks = format!("  y: {{type: {block}, input: u}}");
        events(&simulate(&sampled(&SAMPLES, &blocks, "y")).trace, "y")
    };
    assert_eq!(run("RunningMax"), [3.0, 3.0, 4.0, 4.0, 5.0, 9.0]);
    assert_eq!(run("RunningMin"), [3.0, 1.0, 1.0, -1.0, -1.0, -1.0]);
}

/// Holds: jump of RunningMax, RunningMin.
#[test]
fn a_reset_begins_a_new_record_with_the_sample_at_its_tag() {
    let run = |offset: &str| events(&simulate(&with_reset("RunningMax", offset, "y")).trace, "y");
    assert_eq!(run("3"), [3.0, 3.0, 4.0, -1.0, 5.0, 9.0]);
    assert_eq!(run("2.5"), [3.0, 3.0, 4.0, -1.0, 5.0, 9.0]);
    assert_eq!(run("0"), [3.0, 3.0, 4.0, 4.0, 5.0, 9.0]);
    let lowest = with_reset("RunningMin", "3", "y");
    assert_eq!(events(&simulate(&lowest).trace, "y"), [3.0, 1.0, 1.0, -1.0, -1.0, -1.0]);
}

/// Holds: closed form and jump of RunningMean, RunningVariance.
#[test]
fn means_and_variances_are_those_of_the_definitions() {
    let trace = simulate(&with_reset("RunningVariance", "3", "y.mean, y.variance, y.count")).trace;
    let samples: Vec<f64> = SAMPLES.iter().map(|x| x.parse().unwrap()).collect();
    let (means, variances) = (events(&trace, "y.mean"), events(&trace, "y.variance"));
    for k in 0..samples.len() {
        let record = if k < 3 { &samples[..=k] } else { &samples[3..=k] };
        let n = record.len() as f64;
        let mean = record.iter().sum::<f64>() / n;
        let squares: f64 = record.iter().map(|x| (x - mean) * (x - mean)).sum();
        assert_near(means[k], mean, 1e-14);
        assert_near(variances[k], if n > 1.0 { squares / (n - 1.0) } else { 0.0 }, 1e-13);
    }
    let counts = trace.series("y.count").into_iter().filter(|(tag, _)| tag.microstep == 1);
    assert_eq!(counts.map(|(_, n)| n).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
    let block = "RunningVariance, divisor: population";
    let population = events(&simulate(&with_reset(block, "100", "y.variance")).trace, "y.variance");
    assert_near(population[2], 14.0 / 9.0, 1e-14);
    let mean = events(&simulate(&with_reset("RunningMean", "3", "y.output")).trace, "y.output");
    assert_eq!(mean, means);
}

/// A textbook sum of squares loses everything here; Welford's method does not.
#[test]
fn a_small_variance_far_from_zero_is_kept() {
    let values = ["1e9 + 4", "1e9 + 7", "1e9 + 13", "1e9 + 16"];
    let text = sampled(&values, "  y: {type: RunningVariance, input: u}", "y.variance");
    assert_eq!(events(&simulate(&text).trace, "y.variance"), [0.0, 4.5, 21.0, 30.0]);
}

#[test]
fn statistics_of_vectors_are_those_of_their_elements() {
    let blocks = "  v: {type: Expression, expression: '[u, -2 * u]'}
  m: {type: RunningMax, input: v}
  y: {type: RunningVariance, input: v}";
    let trace = simulate(&sampled(&["1", "3", "2"], blocks, "m, y.mean, y.variance")).trace;
    let last = |name: &str| {
        let column = trace.column(name).unwrap();
        (0..trace.len()).rev().find_map(|row| trace.get(row, column)).unwrap().to_vec()
    };
    assert_eq!(last("m"), [3.0, -2.0]);
    assert_eq!(last("y.mean"), [2.0, -4.0]);
    assert_eq!(last("y.variance"), [1.0, 4.0]);
}

/// Holds: bad input of RunningMax, RunningMin, RunningMean, RunningVariance.
#[test]
fn a_signal_that_is_always_present_is_not_samples() {
    for block in ["RunningMax", "RunningMin", "RunningMean", "RunningVariance"] {
        let refused = refusal(&format!("blocks:\n  y: {{type: {block}, input: time}}\n"));
        assert!(refused.diagnostics.0.iter().all(|error| error.code == "not-events"), "{refused}");
    }
}
