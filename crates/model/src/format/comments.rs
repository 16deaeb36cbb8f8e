//! The comments of a file, found in the gaps between keys and values.

use base::Span;

use crate::yaml::{Node, NodeKind};

/// A comment.
pub(super) struct Comment {
    /// The byte of its `#`.
    pub at: usize,
    /// Its text from the `#` on.
    pub words: String,
    /// Whether its line contains nothing else.
    pub alone: bool,
}

/// All comments of a file, in order.
pub(super) fn comments(tree: &Node, text: &str) -> Vec<Comment> {
    let mut solid = Vec::new();
    gather(tree, &mut solid);
    let mut found = Vec::new();
    let mut from = 0;
    for span in solid {
        search(text, from, span.start as usize, &mut found);
        from = from.max(span.end as usize);
    }
    search(text, from, text.len(), &mut found);
    found
}

/// The spans of keys and values, in which a `#` does not start a comment.
fn gather(node: &Node, solid: &mut Vec<Span>) {
    match &node.kind {
        NodeKind::Scalar(_) => solid.push(node.span),
        NodeKind::Sequence(items) => items.iter().for_each(|item| gather(item, solid)),
        NodeKind::Mapping(entries) => {
            for entry in entries {
                solid.push(entry.key.span);
                gather(&entry.value, solid);
            }
        }
    }
}

fn search(text: &str, mut from: usize, to: usize, found: &mut Vec<Comment>) {
    while let Some(offset) = text.get(from..to).and_then(|gap| gap.find('#')) {
        let at = from + offset;
        let line = text[at..].lines().next().unwrap_or("");
        let before = &text[start_of_line(text, at)..at];
        let alone = before.chars().all(|c| c.is_whitespace() || c == '\u{feff}');
        found.push(Comment { at, words: line.trim_end().to_owned(), alone });
        from = at + line.len();
    }
}

/// The start of the line that contains a byte.
pub(super) fn start_of_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// Whether the line above that of a byte exists and is empty.
pub(super) fn blank_above(text: &str, at: usize) -> bool {
    let start = start_of_line(text, at);
    start > 0 && text[start_of_line(text, start - 1)..start].trim().is_empty()
}
