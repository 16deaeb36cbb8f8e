//! Where the text of an expression stands in its file.

use base::{FileId, Span};

/// How positions in the text of an expression become spans of the file that it was written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The file holds the very same bytes from this offset on.
    Verbatim(FileId, usize),
    /// The file holds the text in another form, such as a quoted scalar with escapes: every part
    /// is shown as this whole stretch.
    Whole(Span),
}

impl Place {
    /// The span of the bytes from `start` up to `end` of the expression's text.
    pub fn span(self, start: usize, end: usize) -> Span {
        match self {
            Place::Verbatim(file, offset) => Span::new(file, offset + start, offset + end),
            Place::Whole(span) => span,
        }
    }
}
