//! Where the text of an expression is in its file.

use base::{FileId, Span};

/// How positions in the text of an expression map to spans of the file that contains it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The file contains exactly the same bytes from this offset on.
    Verbatim(FileId, usize),
    /// The file contains the text in another form, such as a quoted scalar with escapes; every part
    /// of the expression maps to this whole span.
    Whole(Span),
}

impl Place {
    /// The span of the bytes `start` to `end` of the expression's text.
    pub fn span(self, start: usize, end: usize) -> Span {
        match self {
            Place::Verbatim(file, offset) => Span::new(file, offset + start, offset + end),
            Place::Whole(span) => span,
        }
    }
}
