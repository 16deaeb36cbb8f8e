//! What is wrong with a MoML file, or what of it has no meaning here.

use std::fmt;

/// Why a model cannot be imported: the element, its place and the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The file of the element.
    pub file: String,
    /// Its line, from 1 on.
    pub line: u32,
    /// The element, such as `entity Ball.Integrator`; empty for the file as a whole.
    pub element: String,
    /// What is wrong.
    pub reason: String,
    /// Whether the element is legal in Ptolemy II, and only not supported here.
    pub unsupported: bool,
}

impl Problem {
    /// A mistake in a file.
    pub(crate) fn wrong(
        file: &str,
        line: u32,
        element: &str,
        reason: impl Into<String>,
    ) -> Problem {
        let (file, element) = (file.to_owned(), element.to_owned());
        Problem { file, line, element, reason: reason.into(), unsupported: false }
    }

    /// Something that Ptolemy II can do and we cannot.
    pub(crate) fn unsupported(
        file: &str,
        line: u32,
        element: &str,
        reason: impl Into<String>,
    ) -> Problem {
        Problem { unsupported: true, ..Problem::wrong(file, line, element, reason) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        if !self.element.is_empty() {
            write!(f, "{}: ", self.element)?;
        }
        write!(f, "{}", self.reason)
    }
}

impl std::error::Error for Problem {}
