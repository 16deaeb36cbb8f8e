//! Output: results on standard output, messages on standard error, mistakes as diagnostics with
//! their place in the text.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result};
use superdense::{
    Diagnostic, Diagnostics, ReadError, Refused, SourceMap, System, Tag, Time, WriteError, traces,
};

use crate::arguments::Format;
use crate::json;

/// Diagnostics that ended a command, with the texts that they refer to.
#[derive(Debug)]
pub struct Problem {
    pub diagnostics: Diagnostics,
    pub sources: SourceMap,
    /// What happened to the result, if that needs to be said.
    pub outcome: Option<&'static str>,
}

impl Problem {
    /// One diagnostic with the texts that it refers to.
    pub fn new(diagnostic: Diagnostic, sources: &SourceMap) -> Problem {
        Problem::all(diagnostic.into(), sources)
    }

    /// Several of them.
    pub fn all(diagnostics: Diagnostics, sources: &SourceMap) -> Problem {
        Problem { diagnostics, sources: sources.clone(), outcome: None }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostics.render(&self.sources, colour()))?;
        self.outcome.iter().try_for_each(|outcome| write!(f, "\n{outcome}"))
    }
}

impl std::error::Error for Problem {}

/// A run that the user interrupted.
#[derive(Debug)]
pub struct Interrupted {
    /// How far it had come.
    pub at: String,
    /// What happened to the result, if that needs to be said.
    pub outcome: Option<&'static str>,
}

impl Interrupted {
    /// A run that had reached a tag.
    pub fn run(tag: Tag, outcome: Option<&'static str>) -> Interrupted {
        Interrupted { at: format!("at t = {}", tag.time), outcome }
    }

    /// A sweep with some of its rows.
    pub fn sweep(done: u64, of: u64) -> Interrupted {
        let outcome = Some("The rows so far are kept: `--resume` goes on from there.");
        Interrupted { at: format!("after {done} of {of} runs"), outcome }
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted {}", self.at)?;
        self.outcome.iter().try_for_each(|outcome| write!(f, "\n{outcome}"))
    }
}

impl std::error::Error for Interrupted {}

/// The error for a model that was refused.
pub fn refused(refused: Refused) -> anyhow::Error {
    let Refused { diagnostics, sources } = refused;
    Problem { diagnostics, sources, outcome: None }.into()
}

/// The error for a result file that could not be written.
pub fn unwritten(error: WriteError) -> anyhow::Error {
    Problem::new(error.diagnostic(), &SourceMap::default()).into()
}

/// The error for a result file that could not be read.
pub fn unread(error: ReadError) -> anyhow::Error {
    Problem::new(error.diagnostic(), &SourceMap::default()).into()
}

/// The error for what this program was built without: a feature.
#[cfg(not(all(
    feature = "analysis",
    feature = "pictures",
    feature = "streams",
    feature = "studio"
)))]
pub fn not_built(feature: &str) -> anyhow::Error {
    let message = format!("this program was built without {feature}");
    let help = format!("install it with its default features, or build it with `{feature}`");
    Problem::new(Diagnostic::error("not-built", message).help(help), &SourceMap::default()).into()
}

/// Whether messages go to a terminal that shows colours.
pub fn colour() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Warns before a run that reaching this time would take impractically long, if so.
pub fn warn_of_long_run(system: &System, until: Time, format: Format) {
    warn(&Diagnostics(system.long_run(until).into_iter().collect()), system.sources(), format);
}

/// Reports warnings in the chosen format.
pub fn warn(diagnostics: &Diagnostics, sources: &SourceMap, format: Format) {
    if !diagnostics.0.is_empty() {
        notify(&match format {
            Format::Text => format!("{}\n", diagnostics.render(sources, colour())),
            Format::Json => json::objects(diagnostics, sources),
        });
    }
}

/// Writes a whole file, or leaves the existing one untouched.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    traces::replace(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes to standard error. Failures are ignored, because nobody could be informed of them.
pub fn notify(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes to standard output, whose reader may stop early, as `head` does.
pub fn show(text: &str) -> Result<()> {
    unless_broken(io::stdout().write_all(text.as_bytes()))
}

/// The result of writing to standard output; a reader that stops early is not an error.
pub fn unless_broken(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}
