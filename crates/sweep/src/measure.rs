//! What is measured of a run: `peak=max(y)`, `time(hit, 3)`, `settling(y, 0.02)`.

use base::{Diagnostic, did_you_mean};

use crate::text::{Written, divided};

/// A number made of the course of a signal.
#[derive(Clone, PartialEq, Debug)]
pub struct Measure {
    /// The name of its column.
    pub name: String,
    /// What is measured.
    pub kind: Kind,
    /// The expression over the signals of the model that it is measured of.
    pub of: String,
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// The last value.
    End,
    /// The first value.
    Initial,
    /// The least value, microsteps included.
    Min,
    /// The greatest value, microsteps included.
    Max,
    /// The mean over time.
    Mean,
    /// The square root of the mean over time of the square.
    Rms,
    /// The integral over time.
    Integral,
    /// The value at a time \[s\], after its events.
    At(f64),
    /// The number of events, or how often a condition became true.
    Count,
    /// The time of the n-th event, or at which a condition became true the n-th time \[s\].
    Time(u64),
    /// The time from the start on after which the signal stays within a band around its final value,
    /// relative to the distance between the first and the final value \[s\].
    Settling {
        /// Half the width of the band, relative to the distance.
        band: f64,
        /// The final value, if it is not the last one.
        target: Option<f64>,
    },
    /// How far the signal goes beyond its final value, relative to the distance between the first
    /// and the final value.
    Overshoot {
        /// The final value, if it is not the last one.
        target: Option<f64>,
    },
}

/// Name, arguments after the expression, and what it is.
const KNOWN: [(&str, &str, &str); 12] = [
    ("end", "", "the last value"),
    ("initial", "", "the first value"),
    ("min", "", "the least value"),
    ("max", "", "the greatest value"),
    ("mean", "", "the mean over time"),
    ("rms", "", "the root of the mean square over time"),
    ("integral", "", "the integral over time"),
    ("at", ", time", "the value at a time"),
    ("count", "", "the number of events, or how often a condition became true"),
    ("time", "[, n]", "the time of the n-th event, or of a condition becoming true"),
    ("settling", "[, band[, target]]", "the settling time"),
    ("overshoot", "[, target]", "the relative overshoot"),
];

impl Measure {
    /// The last value of a signal, in a column with its name.
    pub fn end(name: &str) -> Measure {
        Measure { name: name.to_owned(), kind: Kind::End, of: name.to_owned() }
    }

    /// The forms of all measures with what they are.
    pub fn all() -> impl Iterator<Item = (String, &'static str)> {
        KNOWN.iter().map(|(name, rest, about)| (format!("{name}(SIGNAL{rest})"), *about))
    }

    /// The measure of a text: `max(y)`, `peak=max(y)`, or a signal for its last value.
    pub fn read(written: Written<'_>) -> Result<Measure, Diagnostic> {
        let written = written.trimmed();
        let equals = written.text.find('=').filter(|at| {
            // Not that of `==`, `<=`, `>=` or `!=` in an expression.
            let name = written.text[..*at].trim();
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
        });
        let Some(equals) = equals.filter(|at| !written.text[at + 1..].starts_with('=')) else {
            return Measure::named(written.text, written);
        };
        let name = written.text[..equals].trim();
        Measure::named(name, written.part(equals + 1, written.text.len()))
    }

    /// The same with the name of its column.
    pub fn named(name: &str, written: Written<'_>) -> Result<Measure, Diagnostic> {
        let written = written.trimmed();
        if written.text.is_empty() {
            return Err(written.wrong("nothing is measured").help(forms()));
        }
        let call = written.call();
        let known = |name: &str| KNOWN.iter().any(|known| known.0 == name);
        let Some((kind, arguments)) = call.filter(|(own, _)| known(own)) else {
            if let Some((own, _)) = call.filter(|(own, _)| expr::Function::named(own).is_none()) {
                let near = did_you_mean(own, KNOWN.iter().map(|known| known.0));
                let message = format!("there is no measure `{own}`");
                return Err(written.wrong(message).help(near.unwrap_or_else(forms)));
            }
            return Ok(Measure {
                name: name.to_owned(),
                kind: Kind::End,
                of: written.text.to_owned(),
            });
        };
        let parts = divided(arguments, ',');
        let (of, rest) = parts.split_first().expect("a text has at least one part");
        if of.text.is_empty() {
            return Err(written
                .wrong(format!("`{}` measures nothing", written.text))
                .help(forms()));
        }
        let numbers: Vec<f64> = rest.iter().map(Written::number).collect::<Result<_, _>>()?;
        // Two arguments of `min` and `max` are those of the function of the language.
        if matches!(kind, "min" | "max") && !numbers.is_empty() {
            return Ok(Measure {
                name: name.to_owned(),
                kind: Kind::End,
                of: written.text.to_owned(),
            });
        }
        let found = self::kind(kind, &numbers).ok_or_else(|| {
            let rest = KNOWN.iter().find(|known| known.0 == kind).map_or("", |known| known.1);
            let message = format!("`{}` has impossible arguments", written.text);
            written.wrong(message).help(format!("write `{kind}(SIGNAL{rest})`"))
        })?;
        Ok(Measure { name: name.to_owned(), kind: found, of: of.text.to_owned() })
    }
}

fn kind(name: &str, numbers: &[f64]) -> Option<Kind> {
    let target = |numbers: &[f64]| numbers.first().copied();
    let finite = numbers.iter().all(|x| x.is_finite());
    Some(match (name, numbers) {
        ("end", []) => Kind::End,
        ("initial", []) => Kind::Initial,
        ("min", []) => Kind::Min,
        ("max", []) => Kind::Max,
        ("mean", []) => Kind::Mean,
        ("rms", []) => Kind::Rms,
        ("integral", []) => Kind::Integral,
        ("at", [time]) if finite => Kind::At(*time),
        ("count", []) => Kind::Count,
        ("time", []) => Kind::Time(1),
        ("time", [n]) if *n >= 1.0 && n.fract() == 0.0 && *n < 1e15 => Kind::Time(*n as u64),
        ("settling", []) => Kind::Settling { band: 0.02, target: None },
        ("settling", [band, rest @ ..]) if finite && *band > 0.0 && rest.len() < 2 => {
            Kind::Settling { band: *band, target: target(rest) }
        }
        ("overshoot", rest) if finite && rest.len() < 2 => Kind::Overshoot { target: target(rest) },
        _ => return None,
    })
}

fn forms() -> String {
    let all: Vec<String> = Measure::all().map(|(form, _)| form).collect();
    format!("there are {}", all.join(", "))
}

impl Kind {
    /// Whether rows between events and steps make it more precise.
    pub fn is_of_a_curve(self) -> bool {
        match self {
            Kind::Min | Kind::Max | Kind::Mean | Kind::Rms | Kind::Integral => true,
            Kind::Settling { .. } | Kind::Overshoot { .. } => true,
            Kind::End | Kind::Initial | Kind::At(_) | Kind::Count | Kind::Time(_) => false,
        }
    }

    /// Whether it counts events or conditions.
    pub fn counts(self) -> bool {
        matches!(self, Kind::Count | Kind::Time(_))
    }
}

#[cfg(test)]
mod tests {
    use base::SourceMap;
    use expr::Place;

    use super::*;

    fn read(text: &str) -> Result<Measure, Diagnostic> {
        let mut sources = SourceMap::default();
        let file = sources.add("test", text);
        Measure::read(Written::new(text, Place::Verbatim(file, 0)))
    }

    fn parts(text: &str) -> (String, Kind, String) {
        let Measure { name, kind, of } = read(text).expect(text);
        (name, kind, of)
    }

    #[test]
    fn measures_are_read() {
        let own = |name: &str, kind, of: &str| (name.to_owned(), kind, of.to_owned());
        assert_eq!(parts("peak = max(y)"), own("peak", Kind::Max, "y"));
        assert_eq!(parts("y"), own("y", Kind::End, "y"));
        assert_eq!(parts("time(y > 3, 2)"), own("time(y > 3, 2)", Kind::Time(2), "y > 3"));
        assert_eq!(parts("count(y >= 3)"), own("count(y >= 3)", Kind::Count, "y >= 3"));
        let settling = Kind::Settling { band: 0.05, target: Some(1.0) };
        assert_eq!(parts("s=settling(x[1,0], 0.05, 1)"), own("s", settling, "x[1,0]"));
        assert_eq!(parts("max(y, 3)"), own("max(y, 3)", Kind::End, "max(y, 3)"));
        assert_eq!(parts("e=m*v^2/2"), own("e", Kind::End, "m*v^2/2"));
        assert_eq!(parts("y == 3"), own("y == 3", Kind::End, "y == 3"));
    }

    #[test]
    fn impossible_measures_are_refused() {
        for text in
            ["", "time(y, 0)", "time(y, 1.5)", "settling(y, -1)", "at(y)", "mxa(y)", "max()", "p="]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
