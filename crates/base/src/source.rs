//! Source locations: files, spans, and values with the span of their text.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

crate::typed_id! {
    /// One text that a model was read from.
    FileId
}

/// A range of a source text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Span {
    /// The text.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to but not including `end`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        Span { file, start: start as u32, end: end.max(start) as u32 }
    }

    /// The smallest span that contains both.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A value and where it was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// A value with its span.
    pub fn new(value: T, span: Span) -> Self {
        Spanned { value, span }
    }
}

/// The texts that a model was read from, kept so that messages can quote lines.
#[derive(Clone, Default, Debug)]
pub struct SourceMap {
    files: Vec<(Arc<str>, Arc<str>)>,
}

impl SourceMap {
    /// Adds a text under its name in messages.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileId {
        self.files.push((name.into(), text.into()));
        FileId::new(self.files.len() - 1)
    }

    /// The name of a file in messages.
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.index()].0
    }

    /// The whole text.
    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.index()].1
    }

    /// The text that a span covers.
    pub fn snippet(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Line and column of the start of a span, both counted from 1.
    pub fn position(&self, span: Span) -> (usize, usize) {
        let text = self.text(span.file);
        let before = text.get(..span.start as usize).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        (line, column)
    }

    /// The names and texts of the files, in the order in which they were read.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, text)| (&**name, &**text))
    }
}
