//! A model that cannot be read, and the collection of its mistakes.

use std::fmt;

use base::{Diagnostic, Diagnostics, SourceMap};

/// The maximum number of mistakes shown; more would scroll the first ones away.
const MOST: usize = 100;

/// Why a model was refused.
#[derive(Clone, Debug)]
pub struct Refused {
    /// All mistakes that were found, at most a hundred.
    pub diagnostics: Diagnostics,
    /// The texts that they point into.
    pub sources: SourceMap,
}

impl Refused {
    /// The messages with their source lines.
    pub fn render(&self, colour: bool) -> String {
        self.diagnostics.render(&self.sources, colour)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Refused {}

/// Mistakes found so far.
#[derive(Default)]
pub(crate) struct Report(pub Diagnostics);

impl Report {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.0.0.len() < MOST {
            self.0.push(diagnostic);
        }
    }

    /// Returns the value of a result, or reports its error.
    pub fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|diagnostic| self.push(diagnostic)).ok()
    }
}
