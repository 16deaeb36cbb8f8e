//! Truths about random numbers: their moments, what they depend on, draws from given values, and
//! noise by its power.

use std::collections::BTreeMap;

use superdense::{Settings, Tag, Trace};

use super::events::events;
use super::same_everywhere;
use crate::common::{bits, codes, compile, refusal, simulate};

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

/// Mean, variance and independence of the random sources, each within five standard deviations of
/// what it should be.
///
/// Holds: closed form of UniformRandom, GaussianRandom, ExponentialRandom, BernoulliRandom.
#[test]
fn random_numbers_have_their_moments() {
    const N: usize = 20_000;
    let text = "blocks:
  c: {type: Clock, period: 1}
  u: {type: UniformRandom, trigger: c, lower: -1, upper: 3}
  g: {type: GaussianRandom, trigger: c, mean: 5, deviation: 2}
  e: {type: ExponentialRandom, trigger: c, mean: 0.5}
  b: {type: BernoulliRandom, trigger: c, probability: 0.3}
  w: {type: UniformRandom, trigger: c, lower: -1, upper: 3}
record: [u, g, e, b, w]
simulate: {stop: 19999, seed: 12345678901}
";
    let trace = simulate(text).trace;
    let series =
        |name: &str| -> Vec<f64> { events(&trace, name).iter().map(|(_, value)| *value).collect() };
    // Name, mean, variance and fourth central moment.
    let cases = [
        ("u", 1.0, 16.0 / 12.0, 256.0 / 80.0),
        ("g", 5.0, 4.0, 48.0),
        ("e", 0.5, 0.25, 9.0 * 0.0625),
        ("b", 0.3, 0.21, 0.3 * 0.7 * (1.0 - 3.0 * 0.21)),
        ("w", 1.0, 16.0 / 12.0, 256.0 / 80.0),
    ];
    let mut all = BTreeMap::new();
    for (name, mean, variance, fourth) in cases {
        let x = series(name);
        assert_eq!(x.len(), N);
        let found = x.iter().sum::<f64>() / N as f64;
        let off = 5.0 * (variance / N as f64).sqrt();
        assert!((found - mean).abs() < off, "{name}: mean {found}");
        let spread = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / N as f64;
        let off = 5.0 * ((fourth - variance * variance) / N as f64).sqrt();
        assert!((spread - variance).abs() < off, "{name}: variance {spread}");
        let step = |pair: &[f64]| (pair[0] - mean) * (pair[1] - mean);
        let next = x.windows(2).map(step).sum::<f64>() / N as f64;
        assert!(next.abs() < 5.0 * variance / (N as f64).sqrt(), "{name}: covariance {next}");
        all.insert(name, (x, mean, variance));
    }
    let (u, w) = (&all["u"], &all["w"]);
    let together: f64 =
        u.0.iter().zip(&w.0).map(|(a, b)| (a - u.1) * (b - w.1)).sum::<f64>() / N as f64;
    assert!(together.abs() < 5.0 * u.2 / (N as f64).sqrt(), "covariance {together}");
}

/// The first numbers of `new Random(42)` in Java, as its documentation of the generator gives them.
///
/// Holds: closed form of JavaRandom.
#[test]
fn java_numbers_are_those_of_java() {
    let text = "blocks:
  c: {type: Clock, period: 1}
  u: {type: JavaRandom, trigger: c, state: 25214903879}
  g: {type: JavaRandom, trigger: c, state: 25214903879, distribution: gaussian}
  later: {type: JavaRandom, trigger: c, state: 25214903879, skip: 1}
  next: {type: JavaRandom, trigger: c, state: 25214903879, between: next}
record: [u, g, later, next]
simulate: {stop: 2}
";
    let trace = simulate(text).trace;
    let series =
        |name: &str| -> Vec<f64> { events(&trace, name).iter().map(|(_, value)| *value).collect() };
    let uniform = [0.727_563_680_032_868_1, 0.683_223_471_759_845_4, 0.308_719_455_332_659_76];
    assert_eq!(series("u"), uniform);
    assert_eq!(series("later")[..2], uniform[1..]);
    let gaussian = series("g");
    assert!((gaussian[0] - 1.141_905_315_473_054_7).abs() < 1e-15, "{gaussian:?}");
    assert!((gaussian[1] - 0.919_407_948_982_787_9).abs() < 1e-15, "{gaussian:?}");
    let at_the_start = trace.column("next").and_then(|column| trace.get(0, column));
    assert_eq!(at_the_start, Some(&uniform[..1]));
}

/// Holds: bad input of JavaRandom.
#[test]
fn bad_states_of_java_generators_are_refused() {
    for fields in [
        "state: -1",
        "state: 0.5",
        "state: 281474976710656",
        "state: 4294967296, generator: drand",
        "state: 1, generator: drand, distribution: gaussian",
        "state: 1, skip: 1e9",
    ] {
        let text = format!(
            "blocks:
  c: {{type: Clock, period: 1}}
  y: {{type: JavaRandom, trigger: c, {fields}}}
record: [y]
"
        );
        assert_eq!(codes(&refusal(&text)), ["bad-parameter"], "{fields}");
    }
}

/// Numbers depend on the seed, the path and the draw alone: another block beside it changes
/// nothing, another seed everything, and a state that begins again goes on drawing.
#[test]
fn random_numbers_are_a_function_of_seed_path_and_draw() {
    let plain = "blocks:
  c: {type: Clock, period: 1}
  u: {type: Random, trigger: c}
record: [u]
simulate: {stop: 9, seed: 4}
";
    let more = "blocks:
  a: {type: Random, trigger: d}
  c: {type: Clock, period: 1}
  d: {type: Clock, period: 0.1}
  u: {type: Random, trigger: c}
record: [u]
simulate: {stop: 9, seed: 4, every: 1000}
";
    let values = |text: &str| -> Vec<f64> {
        events(&simulate(text).trace, "u").iter().map(|(_, value)| *value).collect()
    };
    let system = compile(plain);
    assert_eq!(values(plain), values(more));
    let other = system.with(&Settings::default().seed(5)).unwrap();
    assert!(other.is_same_program(&system));
    let edited = compile(&plain.replace("seed: 4", "seed: 5"));
    let (set, edited) = (other.simulate().unwrap().trace, edited.simulate().unwrap().trace);
    assert_eq!(bits(&set, 0), bits(&edited, 0));
    assert_ne!(bits(&set, 0), bits(&system.simulate().unwrap().trace, 0));
    let modal = "blocks:
  m:
    type: Modal
    states:
      a:
        blocks: {c: {type: Clock, period: 1}, u: {type: Random, trigger: c}}
        outputs: {u: u}
        transitions: [{to: a, after: 2.5}]
record: [m.u]
simulate: {stop: 20}
";
    let drawn: Vec<f64> =
        events(&simulate(modal).trace, "m.u").iter().map(|(_, value)| *value).collect();
    let mut sorted = drawn.clone();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    assert!(drawn.len() > 15 && sorted.len() == drawn.len(), "{drawn:?}");
}

/// A fixed-step run has a seed, too.
#[test]
fn a_fixed_step_run_draws_by_its_seed() {
    let values = |seed: u32| -> Vec<f64> {
        let text = format!(
            "blocks:
  c: {{type: Clock, period: 0.25}}
  u: {{type: Random, trigger: c}}
record: [u]
simulate: {{stop: 1, step: 0.125, impulses: numeric, seed: {seed}}}
"
        );
        events(&simulate(&text).trace, "u").iter().map(|(_, value)| *value).collect()
    };
    let exact = "blocks:
  c: {type: Clock, period: 0.25}
  u: {type: Random, trigger: c}
record: [u]
simulate: {stop: 1, seed: 7}
";
    let exact: Vec<f64> =
        events(&simulate(exact).trace, "u").iter().map(|(_, value)| *value).collect();
    assert_eq!(values(7), exact);
    assert_ne!(values(7), values(8));
}

/// Holds: closed form of BandlimitedNoise.
#[test]
fn noise_has_the_power_that_it_says() {
    let text = "blocks:
  n: {type: BandlimitedNoise, power: 0.3, period: 0.01}
  x: {type: Integrator, input: n}
record: [x]
simulate: {stop: 2000, every: 1, tolerance: 1e-3}
";
    // The integral of white noise over a second has its power as variance.
    let trace = simulate(text).trace;
    let whole = |tag: &Tag| tag.time.seconds().fract() == 0.0;
    let x = trace.series("x").into_iter().filter(|(tag, _)| whole(tag));
    let x: Vec<f64> = x.map(|(_, value)| value).collect();
    assert!((2000..=2001).contains(&x.len()), "{}", x.len());
    let steps: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let variance = steps.iter().map(|x| x * x).sum::<f64>() / steps.len() as f64;
    let off = 5.0 * 0.3 * (2.0 / steps.len() as f64).sqrt();
    assert!((variance - 0.3).abs() < off, "{variance} of {} steps", steps.len());
}
