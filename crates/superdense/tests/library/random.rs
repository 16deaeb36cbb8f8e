//! Truths about random draws from given values.

use superdense::Trace;

use super::same_everywhere;
use crate::common::{codes, refusal};

fn draws(values: &str, probabilities: &str, count: usize) -> Vec<f64> {
    let text = format!(
        "blocks:
  c: {{type: Clock, period: 1}}
  y: {{type: DiscreteRandom, trigger: c, values: {values}, probabilities: {probabilities}}}
record: [y]
simulate: {{stop: {}, seed: 7}}
",
        count - 1
    );
    let trace: Trace = same_everywhere(&text);
    trace.series("y").into_iter().map(|(_, value)| value).collect()
}

/// Each value comes as often as its probability says, within five standard deviations, whatever
/// came before it.
///
/// Holds: closed form of DiscreteRandom.
#[test]
fn values_come_with_their_probabilities() {
    const N: usize = 20_000;
    let probabilities = [0.1, 0.25, 0.05, 0.6];
    let values = [3.0, -1.0, 7.5, 2.0];
    let drawn = draws("[3, -1, 7.5, 2]", "[0.1, 0.25, 0.05, 0.6]", N);
    assert_eq!(drawn.len(), N);
    let near = |count: usize, p: f64| {
        let (mean, deviation) = (N as f64 * p, (N as f64 * p * (1.0 - p)).sqrt());
        (count as f64 - mean).abs() < 5.0 * deviation
    };
    for (value, p) in values.iter().zip(probabilities) {
        let count = drawn.iter().filter(|drawn| *drawn == value).count();
        assert!(near(count, p), "{value}: {count}");
        for (before, q) in values.iter().zip(probabilities) {
            let both = |pair: &&[f64]| pair[0] == *before && pair[1] == *value;
            let count = drawn.windows(2).filter(both).count();
            assert!(near(count, p * q), "{value} after {before}: {count}");
        }
    }
}

/// A value of probability 0 is never drawn, at the ends of the list either, and one of probability 1
/// always. The sum of ten tenths is not 1 as a float.
#[test]
fn impossible_values_do_not_come() {
    let tenths = format!("[0, {}0, 0]", "0.1, ".repeat(10));
    let values = "[-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -2, -3]";
    let drawn = draws(values, &tenths, 3000);
    assert!(drawn.iter().all(|value| *value >= 0.0));
    for digit in 0..10 {
        assert!(drawn.contains(&f64::from(digit)), "{digit}");
    }
    assert_eq!(draws("[4, 5, 6]", "[0, 1, 0]", 100), [5.0; 100]);
    assert_eq!(draws("[4]", "[1]", 10), [4.0; 10]);
    assert!(draws("[1, 2, 3]", "[1/3, 1/3, 1/3]", 50).contains(&3.0));
}

/// Holds: bad input of DiscreteRandom.
#[test]
fn bad_probabilities_are_refused() {
    for (fields, message) in [
        ("values: [1, 2], probabilities: [0.3, 0.6]", "the sum of the probabilities must be 1"),
        ("values: [1, 2], probabilities: [1.25, -0.25]", "a probability is negative"),
        ("values: [1, 2, 3], probabilities: [0.3, 0.7]", "one probability for each value"),
        ("values: [1, 2], probabilities: [1]", "one probability for each value"),
    ] {
        let text = format!(
            "blocks:
  c: {{type: Clock, period: 1}}
  y: {{type: DiscreteRandom, trigger: c, {fields}}}
record: [c]
"
        );
        let refused = refusal(&text);
        assert_eq!(codes(&refused), ["bad-parameter"], "{refused}");
        assert!(refused.to_string().contains(message), "{refused}");
    }
}
