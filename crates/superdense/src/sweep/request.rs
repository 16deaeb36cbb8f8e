//! What is asked of a sweep, as text: on the command line, in a model file, from Python.

use std::path::PathBuf;

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
