//! What is asked of a sweep, as text: on the command line, in a model file, from Python.

use std::path::{Path, PathBuf};

use base::{Diagnostic, Spanned};
use model::{Model, Refused};
use sweep::Method;

/// What is asked of a sweep.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct SweepRequest {
    /// Parameters, each with its values, such as `0.5:0.9:0.01` or `normal(1, 0.1)`.
    pub parameters: Vec<(String, String)>,
    /// A table of parameter sets: CSV, Parquet or JSON.
    pub sets: Option<PathBuf>,
    /// How many samples are drawn, if a parameter is.
    pub samples: Option<u64>,
    /// How they are drawn.
    pub method: Option<Method>,
    /// How often each run is repeated, each time with the next seed.
    pub repeats: Option<u64>,
    /// The seed of all draws, and of the first repeat.
    pub seed: Option<u64>,
    /// What is measured, each such as `peak=max(y)`; all recorded signals at the end if empty.
    pub measures: Vec<String>,
}

impl SweepRequest {
    /// What the section `sweep` of a model asks for.
    pub fn of(model: &Model) -> Result<SweepRequest, Refused> {
        let own = &model.sweep;
        // The path of a table is relative to that of the model.
        let file = model.sources.files().next().map_or("", |(name, _)| name);
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        let method = own.method.as_ref().map(|word| {
            Method::named(&word.value).ok_or_else(|| {
                let names = Method::ALL.map(Method::name);
                let message = format!("there is no method `{}`", word.value);
                Diagnostic::error("bad-sweep", message)
                    .at(word.span, "not one of them")
                    .help(format!("write one of {}", names.join(", ")))
            })
        });
        let refused = |error: Diagnostic| Refused {
            diagnostics: error.into(),
            sources: model.sources.clone(),
        };
        let text = |(name, text): &(Spanned<String>, Spanned<String>)| {
            (name.value.clone(), text.value.clone())
        };
        let measure = |(name, text): &(Spanned<String>, Spanned<String>)| {
            format!("{}={}", name.value, text.value)
        };
        Ok(SweepRequest {
            parameters: own.parameters.iter().map(text).collect(),
            sets: own.sets.as_ref().map(|path| folder.join(&path.value)),
            samples: own.samples,
            method: method.transpose().map_err(refused)?,
            repeats: own.repeats,
            seed: None,
            measures: own.measures.iter().map(measure).collect(),
        })
    }

    /// This request, and another on top of it, such as that of the command line on that of the
    /// model: a parameter, and everything else that it says, overrides the same of this one.
    pub fn then(&self, other: &SweepRequest) -> SweepRequest {
        let given = |name: &str| other.parameters.iter().any(|(own, _)| own == name);
        let kept = self.parameters.iter().filter(|(name, _)| !given(name));
        SweepRequest {
            parameters: kept.chain(&other.parameters).cloned().collect(),
            sets: other.sets.clone().or(self.sets.clone()),
            samples: other.samples.or(self.samples),
            method: other.method.or(self.method),
            repeats: other.repeats.or(self.repeats),
            seed: other.seed.or(self.seed),
            measures: match other.measures.is_empty() {
                true => self.measures.clone(),
                false => other.measures.clone(),
            },
        }
    }
}
