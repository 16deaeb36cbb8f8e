//! Distributions by name, and their quantiles.

use base::{Diagnostic, did_you_mean};
use statrs::distribution::{
    Beta, ContinuousCDF, Gamma, LogNormal, Normal, StudentsT, Triangular, Weibull,
};

use crate::text::{Written, divided};

/// A distribution of a parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Distribution {
    text: String,
    kind: Kind,
}

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Normal(Normal),
    /// With the probabilities of both limits.
    Truncated(Normal, [f64; 2], [f64; 2]),
    Uniform(f64, f64),
    LogNormal(LogNormal),
    /// With this mean.
    Exponential(f64),
    Triangular(Triangular),
    Weibull(Weibull),
    Gamma(Gamma),
    Beta(Beta),
    Student(StudentsT),
    /// Integers from one to another.
    Integers(i64, i64),
    /// Values, and the probability of each and all before it.
    Discrete(Vec<f64>, Vec<f64>),
}

/// Name, arguments, and what the arguments must be.
const KNOWN: [(&str, &str, &str); 13] = [
    ("normal", "mean, deviation", "a finite mean and a positive deviation"),
    (
        "truncnormal",
        "mean, deviation, low, high",
        "a finite mean, a positive deviation, and low < high with values of the normal \
         distribution between them",
    ),
    ("uniform", "low, high", "finite numbers with low < high"),
    ("lognormal", "mean, deviation", "mean and positive deviation of the logarithm"),
    ("exponential", "mean", "a positive mean"),
    ("triangular", "low, mode, high", "finite numbers with low <= mode <= high and low < high"),
    ("weibull", "shape, scale", "two positive numbers"),
    ("gamma", "shape, scale", "two positive numbers"),
    ("beta", "a, b", "two positive numbers"),
    ("student", "location, scale, freedom", "a finite location and two positive numbers"),
    ("integers", "low, high", "whole numbers with low <= high"),
    ("bernoulli", "probability", "a probability from 0 to 1"),
    (
        "discrete",
        "[values], [probabilities]",
        "as many finite values as probabilities, which are not negative and add up to 1",
    ),
];

impl Distribution {
    /// Whether a name is that of a distribution.
    pub fn is_known(name: &str) -> bool {
        KNOWN.iter().any(|known| known.0 == name)
    }

    /// The names of all distributions with their arguments.
    pub fn all() -> impl Iterator<Item = String> {
        KNOWN.iter().map(|(name, arguments, _)| format!("{name}({arguments})"))
    }

    /// A similar name, for messages.
    pub fn similar(name: &str) -> Option<String> {
        did_you_mean(name, KNOWN.iter().map(|known| known.0))
    }

    /// The distribution of a call such as `normal(1, 0.1)`.
    pub fn read(
        name: &str,
        arguments: Written<'_>,
        whole: Written<'_>,
    ) -> Result<Distribution, Diagnostic> {
        let (_, takes, must) =
            KNOWN.iter().find(|known| known.0 == name).expect("the name was looked up");
        let wrong = || {
            whole
                .wrong(format!("there is no distribution `{}`", whole.text))
                .help(format!("`{name}({takes})` takes {must}"))
        };
        let parts = match arguments.text.is_empty() {
            true => Vec::new(),
            false => divided(arguments, ','),
        };
        let kind = match name {
            "discrete" => discrete(&parts)?,
            _ => {
                let numbers: Vec<f64> =
                    parts.iter().map(Written::number).collect::<Result<_, _>>()?;
                kind(name, &numbers)
            }
        };
        let kind = kind.ok_or_else(wrong)?;
        Ok(Distribution { text: whole.text.to_owned(), kind })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether its values are whole numbers.
    pub fn is_whole(&self) -> bool {
        match &self.kind {
            Kind::Integers(..) => true,
            Kind::Discrete(values, _) => values.iter().all(|value| is_whole(*value)),
            _ => false,
        }
    }

    /// The value below which a part of the probability lies, which is neither 0 nor 1.
    pub fn quantile(&self, u: f64) -> f64 {
        match &self.kind {
            Kind::Normal(own) => own.inverse_cdf(u),
            Kind::Truncated(own, [below, above], [low, high]) => {
                own.inverse_cdf(below + u * (above - below)).clamp(*low, *high)
            }
            Kind::Uniform(low, high) => low + u * (high - low),
            Kind::LogNormal(own) => own.inverse_cdf(u),
            Kind::Exponential(mean) => -mean * (-u).ln_1p(),
            Kind::Triangular(own) => own.inverse_cdf(u),
            Kind::Weibull(own) => own.inverse_cdf(u),
            Kind::Gamma(own) => own.inverse_cdf(u),
            Kind::Beta(own) => own.inverse_cdf(u),
            Kind::Student(own) => own.inverse_cdf(u),
            Kind::Integers(low, high) => {
                let count = (*high as i128 - *low as i128 + 1) as f64;
                (*low as f64 + (u * count).floor()).min(*high as f64)
            }
            Kind::Discrete(values, sums) => {
                let at = sums.partition_point(|sum| *sum <= u).min(values.len() - 1);
                values[at]
            }
        }
    }
}

/// The distribution of a name with arguments; none if there is none with them.
fn kind(name: &str, numbers: &[f64]) -> Option<Kind> {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let finite = numbers.iter().all(|x| x.is_finite());
    match (name, numbers) {
        ("normal", [mean, deviation]) if finite && positive(*deviation) => {
            Normal::new(*mean, *deviation).ok().map(Kind::Normal)
        }
        ("truncnormal", [mean, deviation, low, high])
            if mean.is_finite() && positive(*deviation) && low < high =>
        {
            let own = Normal::new(*mean, *deviation).ok()?;
            let part = [own.cdf(*low), own.cdf(*high)];
            (part[0] < part[1]).then_some(Kind::Truncated(own, part, [*low, *high]))
        }
        ("uniform", [low, high]) if finite && low < high && (high - low).is_finite() => {
            Some(Kind::Uniform(*low, *high))
        }
        ("lognormal", [mean, deviation]) if finite && positive(*deviation) => {
            LogNormal::new(*mean, *deviation).ok().map(Kind::LogNormal)
        }
        ("exponential", [mean]) if positive(*mean) => Some(Kind::Exponential(*mean)),
        ("triangular", [low, mode, high]) if finite && low < high => {
            Triangular::new(*low, *high, *mode).ok().map(Kind::Triangular)
        }
        ("weibull", [shape, scale]) if positive(*shape) && positive(*scale) => {
            Weibull::new(*shape, *scale).ok().map(Kind::Weibull)
        }
        ("gamma", [shape, scale]) if positive(*shape) && positive(*scale) => {
            Gamma::new(*shape, 1.0 / *scale).ok().map(Kind::Gamma)
        }
        ("beta", [a, b]) if positive(*a) && positive(*b) => Beta::new(*a, *b).ok().map(Kind::Beta),
        ("student", [location, scale, freedom])
            if location.is_finite() && positive(*scale) && positive(*freedom) =>
        {
            StudentsT::new(*location, *scale, *freedom).ok().map(Kind::Student)
        }
        ("integers", [low, high]) => (is_whole(*low) && is_whole(*high) && low <= high)
            .then_some(Kind::Integers(*low as i64, *high as i64)),
        ("bernoulli", [probability]) if (0.0..=1.0).contains(probability) => {
            Some(Kind::Discrete(vec![0.0, 1.0], vec![1.0 - probability, 1.0]))
        }
        _ => None,
    }
}

/// Whether it is a whole number in the range in which every whole number is a float.
fn is_whole(x: f64) -> bool {
    x.fract() == 0.0 && x.abs() <= 2f64.powi(53)
}

/// `discrete([1, 2, 4], [0.5, 0.3, 0.2])`.
fn discrete(parts: &[Written<'_>]) -> Result<Option<Kind>, Diagnostic> {
    let [values, probabilities] = parts else { return Ok(None) };
    let (values, probabilities) = (values.value()?, probabilities.value()?);
    let (values, probabilities) = (values.data(), probabilities.data());
    let sum: f64 = probabilities.iter().sum();
    let fit = !values.is_empty() && values.len() == probabilities.len();
    let fit = fit && values.iter().all(|x| x.is_finite());
    if !fit || probabilities.iter().any(|p| p.is_nan() || *p < 0.0) || (sum - 1.0).abs() > 1e-9 {
        return Ok(None);
    }
    let sums = probabilities.iter().scan(0.0, |sum, p| {
        *sum += p;
        Some(*sum)
    });
    Ok(Some(Kind::Discrete(values.to_vec(), sums.collect())))
}

#[cfg(test)]
mod tests {
    use base::SourceMap;
    use expr::Place;

    use super::*;

    fn of(text: &str) -> Result<Distribution, Diagnostic> {
        let mut sources = SourceMap::default();
        let file = sources.add("test", text);
        let written = Written::new(text, Place::Verbatim(file, 0));
        let (name, arguments) = written.call().expect("a call");
        Distribution::read(name, arguments, written)
    }

    fn quantile(text: &str, u: f64) -> f64 {
        of(text).expect(text).quantile(u)
    }

    /// Closed forms, and values of tables (Abramowitz and Stegun 26.2, 26.7).
    #[test]
    fn quantiles_are_those_of_tables() {
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} {b}");
        near(quantile("normal(0, 1)", 0.975), 1.959_963_984_540_054);
        near(quantile("normal(2, 3)", 0.5), 2.0);
        near(quantile("lognormal(0, 1)", 0.975), 1.959_963_984_540_054f64.exp());
        near(quantile("uniform(-1, 3)", 0.25), 0.0);
        near(quantile("exponential(2)", 0.5), 2.0 * 2f64.ln());
        near(quantile("triangular(0, 0, 1)", 0.75), 0.5);
        near(quantile("triangular(0, 1, 2)", 0.125), 0.5);
        near(quantile("weibull(1, 3)", 0.5), 3.0 * 2f64.ln());
        near(quantile("beta(1, 3)", 0.488), 0.2);
        assert!((quantile("gamma(1, 3)", 0.5) - 3.0 * 2f64.ln()).abs() < 1e-6);
        assert!((quantile("student(0, 1, 1)", 0.75) - 1.0).abs() < 1e-6);
        near(quantile("truncnormal(0, 1, 0, inf)", 0.5), 0.674_489_750_196_081_7);
        assert_eq!(quantile("integers(1, 6)", 0.999), 6.0);
        assert_eq!(quantile("integers(-2, 2)", 0.39), -1.0);
        assert_eq!(quantile("bernoulli(0.3)", 0.69), 0.0);
        assert_eq!(quantile("bernoulli(0.3)", 0.71), 1.0);
        assert_eq!(quantile("discrete([5, 7, 9], [0.2, 0, 0.8])", 0.2), 9.0);
        assert_eq!(quantile("discrete([5, 7, 9], [0.2, 0, 0.8])", 0.19), 5.0);
    }

    #[test]
    fn impossible_arguments_are_refused() {
        for text in [
            "normal(1)",
            "normal(1, -1)",
            "normal(1, 0)",
            "normal(inf, 1)",
            "normal()",
            "uniform(1, 1)",
            "uniform(2, 1)",
            "exponential(0)",
            "triangular(0, 3, 2)",
            "triangular(1, 1, 1)",
            "weibull(0, 1)",
            "gamma(1, -1)",
            "beta(0, 1)",
            "integers(0.5, 2)",
            "integers(3, 2)",
            "bernoulli(1.1)",
            "discrete([1], [0.5])",
            "discrete([1, 2], [1])",
            "discrete([1, 2], [1.5, -0.5])",
            "discrete(1)",
            "truncnormal(0, 1, 2, 1)",
            "truncnormal(0, 1, 1e300, 2e300)",
            "lognormal(0, 0)",
            "uniform(-1e308, 1e308)",
            "student(0, 0, 1)",
        ] {
            let error = of(text).expect_err(text);
            assert_eq!(error.code, "bad-sweep", "{text}");
            assert!(error.help.is_some(), "{text}");
        }
    }
}
