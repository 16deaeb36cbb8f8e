//! Numbers between 0 and 1 for samples, as a pure function of seed, name and index.
//!
//! Quantiles turn them into values of a distribution, whichever method they come from.

use base::random;

/// How samples are spread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Each on its own.
    Random,
    /// Latin hypercube: each parameter has one sample in each of N equally probable intervals.
    Latin,
    /// Sobol points, scrambled (Burley, Practical Hash-based Owen Scrambling, JCGT 2020).
    Sobol,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 3] = [Method::Random, Method::Latin, Method::Sobol];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Random => "random",
            Method::Latin => "latin",
            Method::Sobol => "sobol",
        }
    }

    /// The one of a word.
    pub fn named(word: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == word)
    }

    /// The greatest number of samples, if there is one: the Sobol points have 16 digits.
    pub fn most(self) -> Option<u64> {
        (self == Method::Sobol).then_some(1 << 16)
    }
}

/// Where a number is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'n> {
    pub seed: u64,
    /// The name of the parameter.
    pub name: &'n str,
    /// The index of the parameter among those that are drawn.
    pub dimension: u32,
}

/// The number of a sample among `count`; it is neither 0 nor 1.
pub(crate) fn uniform(method: Method, place: Place<'_>, sample: u64, count: u64) -> f64 {
    let Place { seed, name, dimension } = place;
    match method {
        Method::Random => between(random(seed, name, sample)),
        Method::Latin => {
            let stratum = permuted(random(seed, name, u64::MAX), sample, count);
            let within = between(random(seed, name, sample));
            ((stratum as f64 + within) / count as f64).clamp(f64::EPSILON, 1.0 - f64::EPSILON)
        }
        Method::Sobol => {
            // More dimensions than there are begin again with another scrambling.
            let (round, own) = (dimension / SOBOL_DIMENSIONS, dimension % SOBOL_DIMENSIONS);
            let seed = random(seed, "sobol", u64::from(round)) as u32;
            f64::from(sobol_burley::sample(sample as u32, own, seed)) + HALF_SOBOL
        }
    }
}

const SOBOL_DIMENSIONS: u32 = sobol_burley::NUM_DIMENSIONS;

/// Half of the distance between Sobol numbers, which have 24 digits.
const HALF_SOBOL: f64 = 1.0 / (1u64 << 25) as f64;

/// The middle of one of 2^53 intervals; the last one rounds to 1 and is kept below it.
fn between(bits: u64) -> f64 {
    (((bits >> 11) as f64 + 0.5) / (1u64 << 53) as f64).min(1.0 - f64::EPSILON / 2.0)
}

/// The image of an index under a permutation of `0..count` that a key picks: a Feistel network over
/// the next power of four, walked until it comes back into the range (Black and Rogaway, 2002).
fn permuted(key: u64, index: u64, count: u64) -> u64 {
    let bits = (64 - count.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1u64 << bits) - 1;
    let mut at = index;
    loop {
        let (mut left, mut right) = (at >> bits, at & mask);
        for round in 0..6 {
            let mixed = random(key, "latin", right << 3 | round) & mask;
            (left, right) = (right, left ^ mixed);
        }
        at = left << bits | right;
        if at < count {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latin_hypercube_has_one_sample_in_each_interval() {
        for count in [1u64, 2, 3, 7, 64, 100, 1000] {
            for name in ["a", "b"] {
                let mut seen = vec![false; count as usize];
                for sample in 0..count {
                    let place = Place { seed: 3, name, dimension: 0 };
                    let u = uniform(Method::Latin, place, sample, count);
                    assert!(u > 0.0 && u < 1.0);
                    seen[(u * count as f64) as usize] = true;
                }
                assert!(seen.iter().all(|seen| *seen), "{count} {name}");
            }
        }
    }

    #[test]
    fn sobol_points_are_one_to_each_interval_and_each_square() {
        let at = |dimension, sample| {
            let place = Place { seed: 9, name: "x", dimension };
            uniform(Method::Sobol, place, sample, 256)
        };
        let mut squares = [false; 256];
        for sample in 0..256 {
            let (x, y) = (at(0, sample), at(1, sample));
            squares[(x * 16.0) as usize * 16 + (y * 16.0) as usize] = true;
        }
        assert!(squares.iter().all(|seen| *seen));
        // From dimension 256 on, other scramblings are used.
        assert!((0..50).all(|sample| (0.0..1.0).contains(&at(300, sample))));
    }

    #[test]
    fn random_numbers_have_the_mean_and_variance_of_a_uniform_distribution() {
        let n = 100_000u64;
        let place = Place { seed: 1, name: "m", dimension: 0 };
        let all: Vec<f64> = (0..n).map(|k| uniform(Method::Random, place, k, n)).collect();
        let mean = all.iter().sum::<f64>() / n as f64;
        let variance = all.iter().map(|u| (u - mean).powi(2)).sum::<f64>() / n as f64;
        assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12.0f64 / n as f64).sqrt());
        assert!((variance - 1.0 / 12.0).abs() < 1e-3);
    }
}
