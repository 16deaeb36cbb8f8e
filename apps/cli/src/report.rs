//! What is said: results on standard output, messages on standard error, mistakes as diagnostics
//! that know their place.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result};
use superdense::{
    Diagnostic, Diagnostics, ReadError, Refused, SourceMap, System, Tag, Time, WriteError, traces,
};

use crate::arguments::Format;
use crate::json;

/// Diagnostics that ended a command, with the texts that they are about.
#[derive(Debug)]
pub struct Problem {
    pub diagnostics: Diagnostics,
    pub sources: SourceMap,
    /// What has become of the result, where that needs saying.
    pub outcome: Option<&'static str>,
}

impl Problem {
    /// One diagnostic with the texts that it is about.
    pub fn new(diagnostic: Diagnostic, sources: &SourceMap) -> Problem {
        Problem { diagnostics: diagnostic.into(), sources: sources.clone(), outcome: None }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostics.render(&self.sources, colour()))?;
        self.outcome.iter().try_for_each(|outcome| write!(f, "\n{outcome}"))
    }
}

impl std::error::Error for Problem {}

/// A run that the user has ended.
#[derive(Debug)]
pub struct Interrupted {
    /// Where it stood.
    pub tag: Tag,
    /// What has become of the result, where that needs saying.
    pub outcome: Option<&'static str>,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted at t = {}", self.tag.time)?;
        self.outcome.iter().try_for_each(|outcome| write!(f, "\n{outcome}"))
    }
}

impl std::error::Error for Interrupted {}

/// A model that was refused.
pub fn refused(refused: Refused) -> anyhow::Error {
    let Refused { diagnostics, sources } = refused;
    Problem { diagnostics, sources, outcome: None }.into()
}

/// A file of results that could not be written.
pub fn unwritten(error: WriteError) -> anyhow::Error {
    Problem::new(error.diagnostic(), &SourceMap::default()).into()
}

/// A file of results that could not be read.
pub fn unread(error: ReadError) -> anyhow::Error {
    Problem::new(error.diagnostic(), &SourceMap::default()).into()
}

/// Whether messages are read by a person at a terminal that shows colours.
pub fn colour() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Tells before a run that nobody can wait for it to come to a time, where that is so.
pub fn tell_long_run(system: &System, until: Time, format: Format) {
    warn(&Diagnostics(system.long_run(until).into_iter().collect()), system.sources(), format);
}

/// Tells warnings in the format of messages.
pub fn warn(diagnostics: &Diagnostics, sources: &SourceMap, format: Format) {
    if !diagnostics.0.is_empty() {
        tell(&match format {
            Format::Text => format!("{}\n", diagnostics.render(sources, colour())),
            Format::Json => json::objects(diagnostics, sources),
        });
    }
}

/// Writes a file as a whole, or leaves what was there.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    traces::replace(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes to standard error; where nobody reads it there is nobody to tell.
pub fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes to standard output; a reader such as `head` may have had enough.
pub fn show(text: &str) -> Result<()> {
    unless_broken(io::stdout().write_all(text.as_bytes()))
}

/// The result of writing to standard output, where a reader that leaves is no mistake.
pub fn unless_broken(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}
