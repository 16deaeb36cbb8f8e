//! Settings that a caller gives for a run: the same keys as in the file, written elsewhere.

use std::borrow::Cow;

use base::{Diagnostic, ExactTime, Rational, SourceMap, Span, Spanned, Time, Value};
use expr::{Expr, ExprKind, Place};

use crate::refused::Report;
use crate::{Model, Refused, RunSetting, SettingMap, Written};

/// What a caller gives for a setting.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// An expression over the parameters of the model, or a word, as in a model file.
    Text(String),
    /// The same as the value of an option on the command line, which messages show.
    Option(String),
    /// A value.
    Value(Value),
}

impl Model {
    /// The model with settings that override its own. A model without any is not copied. Their texts
    /// become sources of the model, so that messages can point into them.
    pub fn with_settings(&self, given: &SettingMap<Given>) -> Result<Cow<'_, Model>, Refused> {
        if given.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        let mut model = self.clone();
        let (mut report, mut found) = (Report::default(), SettingMap::default());
        for (setting, given) in given.iter() {
            let written = read(setting, given, &mut model.sources);
            if let Some(written) = report.keep(written) {
                found.set(setting, written);
            }
        }
        model.simulate.given = model.simulate.given.then(&found);
        match report.0.has_errors() {
            true => Err(Refused { diagnostics: report.0, sources: model.sources }),
            false => Ok(Cow::Owned(model)),
        }
    }
}

/// Reads a setting as the parser of model files does.
fn read(
    setting: RunSetting,
    given: &Given,
    sources: &mut SourceMap,
) -> Result<Written, Diagnostic> {
    let (place, before, text) = match given {
        Given::Option(text) => ("command line", format!("--{} ", setting.option()), text.clone()),
        Given::Text(text) => ("overrides", format!("{}: ", setting.key()), text.clone()),
        Given::Value(value) => ("overrides", format!("{}: ", setting.key()), value.to_string()),
    };
    let start = before.len();
    let file = sources.add(place, format!("{before}{text}"));
    let span = Span::new(file, start, start + text.len());
    if setting.kind().is_word() {
        let word = Spanned::new(text.trim().to_owned(), span);
        return match setting.wrong_word(&word) {
            Some(error) => Err(error),
            None => Ok(Written::Word(word)),
        };
    }
    match given {
        Given::Value(value) => {
            Ok(Written::Value(Expr { kind: ExprKind::Literal(value.clone()), span }))
        }
        _ => expr::parse(&text, Place::Verbatim(file, start)).map(Written::Value),
    }
}

impl From<&str> for Given {
    fn from(text: &str) -> Self {
        Given::Text(text.to_owned())
    }
}

impl From<String> for Given {
    fn from(text: String) -> Self {
        Given::Text(text)
    }
}

impl From<Value> for Given {
    fn from(value: Value) -> Self {
        Given::Value(value)
    }
}

impl From<f64> for Given {
    fn from(value: f64) -> Self {
        Given::Value(Value::real(value))
    }
}

impl From<Rational> for Given {
    fn from(value: Rational) -> Self {
        Given::Value(Value::rational(value))
    }
}

impl From<ExactTime> for Given {
    fn from(time: ExactTime) -> Self {
        Given::from(time.to_rational())
    }
}

impl From<Time> for Given {
    fn from(time: Time) -> Self {
        Given::from(time.to_rational())
    }
}

/// Whole numbers, exact also where floats are not.
macro_rules! from_whole_numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for Given {
            fn from(number: $number) -> Self {
                Given::from(Rational::from_integer(number.into()))
            }
        })*
    };
}

from_whole_numbers!(i32, i64, u32, u64);
