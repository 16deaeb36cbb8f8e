//! Mistakes in a model, reported in the style of a compiler.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::{SourceMap, Span};

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The model can be run, but may not mean what was intended.
    Warning,
    /// The model cannot be run.
    Error,
}

/// A place in the text and what is wrong there.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// The text to underline.
    pub span: Span,
    /// The text to write beside it; may be empty.
    pub text: String,
}

/// One mistake: a stable code, what is wrong, where, and how to fix it.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// A name that is the same in all versions, such as `unknown-block`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The places, the most important one first.
    pub labels: Vec<Label>,
    /// The block concerned, as a path through the hierarchy; empty if there is none.
    pub path: String,
    /// Why it is wrong, or more details.
    pub notes: Vec<String>,
    /// How to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error that has no place yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            path: String::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning that has no place yet.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// Adds a place.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Sets the block concerned.
    pub fn block(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the help line.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the help line, if there is one.
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// The message with the source lines that it is about.
    pub fn render(&self, sources: &SourceMap, colour: bool) -> String {
        let level = match self.severity {
            Severity::Warning => Level::WARNING,
            Severity::Error => Level::ERROR,
        };
        let mut group = Group::with_title(level.primary_title(self.message.as_str()).id(self.code));
        let main_file = self.labels.first().map(|label| label.span.file);
        let mut files: Vec<_> = self.labels.iter().map(|label| label.span.file).collect();
        files.sort_by_key(|file| (Some(*file) != main_file, *file));
        files.dedup();
        for file in files {
            let text = sources.text(file);
            let mut snippet = Snippet::source(text).path(sources.name(file)).fold(true);
            for (index, label) in self.labels.iter().enumerate() {
                if label.span.file != file {
                    continue;
                }
                let kind =
                    if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
                let mut annotation = kind.span(char_range(text, label.span));
                if !label.text.is_empty() {
                    annotation = annotation.label(label.text.as_str());
                }
                snippet = snippet.annotation(annotation);
            }
            group = group.element(snippet);
        }
        if !self.path.is_empty() {
            group = group.element(Level::NOTE.message(format!("in block `{}`", self.path)));
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

/// The byte range of a span, moved to character boundaries and clamped to the text.
fn char_range(text: &str, span: Span) -> std::ops::Range<usize> {
    let mut start = (span.start as usize).min(text.len());
    let mut end = (span.end as usize).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end.max(start)
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if !self.path.is_empty() {
            write!(f, " (in block `{}`)", self.path)?;
        }
        for note in &self.notes {
            write!(f, "\n  {note}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// Mistakes collected before giving up, so that a user sees many at once.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Adds a diagnostic unless it has been reported already: if a diagram with a mistake has
    /// several instances, only the first is named.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let says_the_same = |known: &Diagnostic| {
            let Diagnostic { code, message, labels, .. } = known;
            (code, message, labels) == (&diagnostic.code, &diagnostic.message, &diagnostic.labels)
                && (!labels.is_empty() || known.path == diagnostic.path)
        };
        if !self.0.iter().any(says_the_same) {
            self.0.push(diagnostic);
        }
    }

    /// Returns the value of a result, or adds its error.
    pub fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|diagnostic| self.push(diagnostic)).ok()
    }

    /// Whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The value if there is no error, otherwise everything that was collected.
    pub fn or<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.has_errors() { Err(self) } else { Ok(value) }
    }

    /// All of them with their source lines.
    pub fn render(&self, sources: &SourceMap, colour: bool) -> String {
        self.0.iter().map(|d| d.render(sources, colour)).collect::<Vec<_>>().join("\n\n")
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Diagnostics(vec![diagnostic])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<_> = self.0.iter().map(Diagnostic::to_string).collect();
        f.write_str(&all.join("\n"))
    }
}

impl std::error::Error for Diagnostics {}
