//! The values of one parameter over a sweep.

use base::{Diagnostic, Rational, Value};
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, ToPrimitive};

use crate::distribution::Distribution;
use crate::text::{Written, divided};

/// A parameter and the values that it has.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The parameter.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// Values of a parameter: one after the other, or drawn.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// These.
    List(Vec<Value>),
    /// Evenly spaced from the first on, exactly.
    Range {
        /// The first.
        first: Rational,
        /// The distance between two.
        step: Rational,
        /// How many there are.
        count: u64,
    },
    /// Evenly spaced, or evenly spaced in the logarithm, from the first to the last.
    Between {
        /// The first.
        first: f64,
        /// The last.
        last: f64,
        /// How many there are.
        count: u64,
        /// Whether their logarithms are evenly spaced.
        log: bool,
    },
    /// Drawn for each sample.
    Drawn(Distribution),
}

/// What values may be, for messages.
const FORMS: &str = "write a value, a list `1, 2, 5`, a range `0.5:0.9:0.01`, `linspace(0, 1, 11)`, \
                     `geomspace(0.1, 10, 21)`, or a distribution such as `normal(1, 0.1)`";

impl Values {
    /// The values that a text says; `item` reads one value of the parameter.
    pub fn read(
        written: Written<'_>,
        item: &dyn Fn(Written<'_>) -> Result<Value, Diagnostic>,
    ) -> Result<Values, Diagnostic> {
        let written = written.trimmed();
        if written.text.is_empty() {
            return Err(written.wrong("no values are given").help(FORMS));
        }
        if let Some((name, arguments)) = written.call() {
            if Distribution::is_known(name) {
                return Distribution::read(name, arguments, written).map(Values::Drawn);
            }
            if let "linspace" | "geomspace" = name {
                return between(written, arguments, name == "geomspace");
            }
            if expr::Function::named(name).is_none() {
                let all: Vec<String> = Distribution::all().collect();
                let help = Distribution::similar(name)
                    .unwrap_or_else(|| format!("there are {}", all.join(", ")));
                let message = format!("there is no distribution and no function `{name}`");
                return Err(written.wrong(message).help(help));
            }
        }
        let range = divided(written, ':');
        if range.len() > 1 {
            return self::range(written, &range);
        }
        let items: Result<Vec<Value>, _> = divided(written, ',').into_iter().map(item).collect();
        items.map(Values::List).map_err(|error| match error.help {
            None => error.help(FORMS),
            Some(_) => error,
        })
    }

    /// How many there are; none if they are drawn.
    pub fn count(&self) -> Option<u64> {
        match self {
            Values::List(all) => Some(all.len() as u64),
            Values::Range { count, .. } | Values::Between { count, .. } => Some(*count),
            Values::Drawn(_) => None,
        }
    }

    /// The value of an index.
    ///
    /// # Panics
    /// If they are drawn, or there are not so many.
    pub fn at(&self, index: u64) -> Value {
        match self {
            Values::List(all) => all[index as usize].clone(),
            Values::Range { first, step, .. } => {
                let steps = step.checked_mul(&Rational::from_integer(index.into()));
                let value = steps.and_then(|steps| first.checked_add(&steps));
                Value::rational(value.expect("the last one was computed before"))
            }
            Values::Between { first, last, count, log } => {
                Value::real(spaced(*first, *last, index, *count, *log))
            }
            Values::Drawn(_) => panic!("drawn values have no index"),
        }
    }
}

fn spaced(first: f64, last: f64, index: u64, count: u64, log: bool) -> f64 {
    if index == 0 {
        return first;
    }
    if index + 1 == count {
        return last;
    }
    let part = index as f64 / (count - 1) as f64;
    match log {
        false => first + part * (last - first),
        true => first * (last / first).powf(part),
    }
}

/// `linspace(first, last, count)` or `geomspace(first, last, count)`.
fn between(written: Written<'_>, arguments: Written<'_>, log: bool) -> Result<Values, Diagnostic> {
    let numbers: Vec<f64> =
        divided(arguments, ',').iter().map(Written::number).collect::<Result<_, _>>()?;
    let fits = |first: f64, last: f64, count: f64| {
        let distance = if log { last / first } else { last - first };
        let sign = !log || (distance > 0.0 && first != 0.0);
        let whole = count.fract() == 0.0 && (1.0..1e18).contains(&count);
        first.is_finite() && last.is_finite() && distance.is_finite() && sign && whole
    };
    match numbers[..] {
        [first, last, count] if fits(first, last, count) => {
            Ok(Values::Between { first, last, count: count as u64, log })
        }
        _ => Err(written.wrong(format!("`{}` gives no values", written.text)).help(match log {
            false => "`linspace(first, last, count)` takes two finite numbers and how many",
            true => "`geomspace(first, last, count)` takes two numbers of one sign and how many",
        })),
    }
}

/// `first:last` or `first:last:step`, exactly, so that the last value belongs to it if a whole
/// number of steps leads there.
fn range(written: Written<'_>, parts: &[Written<'_>]) -> Result<Values, Diagnostic> {
    let wrong = |message: String| {
        let help =
            "write `first:last:step`, such as `0.5:0.9:0.01`, or `first:last` for steps of 1";
        written.wrong(message).help(help)
    };
    if parts.len() > 3 {
        return Err(wrong(format!("`{}` has {} parts", written.text, parts.len())));
    }
    let mut numbers = Vec::new();
    for part in parts {
        let value = part.value()?;
        let number = value.as_rational().filter(|_| value.as_bool().is_none());
        numbers.push(number.ok_or_else(|| wrong(format!("`{}` is no number", part.text)))?);
    }
    let zero = Rational::from_integer(0);
    let (first, last) = (numbers[0], numbers[1]);
    let step = numbers.get(2).copied().unwrap_or(Rational::from_integer(1));
    if step == zero {
        return Err(wrong(format!("the step of `{}` is zero", written.text)));
    }
    let steps = last.checked_sub(&first).and_then(|way| way.checked_div(&step));
    let steps = steps.ok_or_else(|| wrong(format!("`{}` is too fine", written.text)))?;
    if steps < zero {
        return Err(wrong(format!("`{}` leads away from its end", written.text)));
    }
    let steps = steps.floor().to_integer().to_u64().unwrap_or(u64::MAX - 1);
    let reached = step
        .checked_mul(&Rational::from_integer(steps.into()))
        .and_then(|way| first.checked_add(&way));
    match reached {
        Some(_) => Ok(Values::Range { first, step, count: steps.saturating_add(1) }),
        None => Err(wrong(format!("`{}` is too fine", written.text))),
    }
}

#[cfg(test)]
mod tests {
    use base::SourceMap;
    use expr::Place;

    use super::*;

    fn read(text: &str) -> Result<Values, Diagnostic> {
        let mut sources = SourceMap::default();
        let file = sources.add("test", text);
        Values::read(Written::new(text, Place::Verbatim(file, 0)), &|own| own.value())
    }

    fn numbers(text: &str) -> Vec<f64> {
        let values = read(text).expect(text);
        let count = values.count().expect("they are not drawn");
        (0..count).map(|index| values.at(index).as_f64().expect("a number")).collect()
    }

    #[test]
    fn ranges_are_exact() {
        let all = numbers("0.5:0.9:0.01");
        assert_eq!((all.len(), all[40], all[20]), (41, 0.9, 0.7));
        assert_eq!(numbers("1:4"), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(numbers("1:0:-0.25"), [1.0, 0.75, 0.5, 0.25, 0.0]);
        assert_eq!(numbers("0:1:0.4"), [0.0, 0.4, 0.8]);
        assert_eq!(numbers("2:2:1"), [2.0]);
    }

    #[test]
    fn lists_and_spaces() {
        assert_eq!(numbers("1, 2*3, sqrt(4)"), [1.0, 6.0, 2.0]);
        assert_eq!(numbers("max(1, 2)"), [2.0]);
        assert_eq!(numbers("linspace(0, 1, 5)"), [0.0, 0.25, 0.5, 0.75, 1.0]);
        let all = numbers("geomspace(0.1, 10, 3)");
        assert!((all[1] - 1.0).abs() < 1e-15 && all[2] == 10.0);
        assert_eq!(numbers("linspace(3, 4, 1)"), [3.0]);
        let vectors = read("[1, 2], [3, 4]").expect("two vectors");
        assert_eq!(vectors.at(1).data(), [3.0, 4.0]);
    }

    #[test]
    fn what_gives_no_values_is_refused() {
        for text in [
            "",
            "1:2:0",
            "1:2:-1",
            "1:2:3:4",
            "true:2",
            "a",
            "norml(1, 2)",
            "linspace(1, 2)",
            "linspace(0, 1, 0.5)",
            "geomspace(-1, 1, 3)",
            "geomspace(0, 1, 3)",
            "1,,2",
            "1:",
            "linspace(0, inf, 3)",
            "0:1:inf",
            "(1",
            "1)",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
