//! Converts positions of the YAML parser, which counts characters, to bytes.

use base::{FileId, Span};
use saphyr_parser::Marker;

/// Where each character of a text starts.
pub(super) struct Positions<'a> {
    text: &'a str,
    file: FileId,
    /// The byte offset of each character, and of the end; `None` if every character is one byte.
    bytes: Option<Vec<u32>>,
}

impl<'a> Positions<'a> {
    pub fn new(text: &'a str, file: FileId) -> Self {
        let bytes = (!text.is_ascii()).then(|| {
            let starts = text.char_indices().map(|(at, _)| at as u32);
            starts.chain([text.len() as u32]).collect()
        });
        Positions { text, file, bytes }
    }

    /// The byte offset of a marker.
    pub fn byte(&self, marker: Marker) -> usize {
        let at = match &self.bytes {
            Some(bytes) => bytes.get(marker.index()).map_or(self.text.len(), |at| *at as usize),
            None => marker.index(),
        };
        at.min(self.text.len())
    }

    /// The span of an event without trailing blanks, which block scalars include.
    pub fn span(&self, span: saphyr_parser::Span) -> Span {
        let (start, end) = (self.byte(span.start), self.byte(span.end));
        let words = self.text.get(start..end).unwrap_or("").trim_end();
        Span::new(self.file, start, start + words.len())
    }

    /// The part of a span from its opening quote to the closing one.
    pub fn quoted(&self, span: Span) -> Span {
        let words = self.text.get(span.start as usize..span.end as usize).unwrap_or("").as_bytes();
        let mut at = 1;
        while at < words.len() {
            match (words[0], words[at]) {
                (b'"', b'\\') => at += 1,
                (b'\'', b'\'') if words.get(at + 1) == Some(&b'\'') => at += 1,
                (open, close) if open == close => {
                    return Span { end: span.start + at as u32 + 1, ..span };
                }
                _ => {}
            }
            at += 1;
        }
        span
    }

    /// The bracket that closes a collection after its last item. The parser's own position may be
    /// that of a preceding comma, or include a following comment.
    pub fn bracket(&self, last: Span, closing: Span) -> Span {
        let mut at = last.end as usize;
        loop {
            at = next_word(self.text, at);
            match self.text.as_bytes().get(at) {
                Some(b',' | b':' | b'?') => at += 1,
                Some(b'}' | b']') => return Span::new(self.file, at, at + 1),
                _ => return closing,
            }
        }
    }

    /// The character at a marker; empty at the end of a line.
    pub fn character(&self, marker: Marker) -> Span {
        let start = self.byte(marker);
        let first = self.text.get(start..).and_then(|rest| rest.chars().next());
        let length = first.filter(|c| *c != '\n' && *c != '\r').map_or(0, char::len_utf8);
        Span::new(self.file, start, start + length)
    }

    /// The whole line that contains a byte.
    pub fn line(&self, at: usize) -> &'a str {
        let before = self.text.get(..at).unwrap_or(self.text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        self.text[start..].lines().next().unwrap_or("")
    }

    pub fn text(&self) -> &'a str {
        self.text
    }
}

/// The offset of the first byte that is neither blank nor in a comment.
pub(crate) fn next_word(text: &str, mut from: usize) -> usize {
    loop {
        let rest = &text[from..];
        from += rest.len() - rest.trim_start().len();
        match text[from..].starts_with('#') {
            true => from += text[from..].find('\n').unwrap_or(text.len() - from),
            false => return from,
        }
    }
}
