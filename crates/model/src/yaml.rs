//! Parses YAML text into a tree of nodes with byte spans.
//!
//! It supports only what model files need: one document of scalars, sequences and mappings with
//! scalar keys. Anchors, aliases and tags are refused, so a tree cannot be larger than its text.
//! Depth and number of nodes are bounded, and no key occurs twice in a mapping.

mod position;
mod tree;

use std::ops::Range;

use base::{Span, Spanned};

pub(crate) use position::next_word;
pub(crate) use tree::tree;

/// A node of a YAML document.
#[derive(Debug)]
pub(crate) struct Node {
    /// Where it was written; empty for a missing value.
    pub span: Span,
    /// Whether it is inside `{ }` or `[ ]`.
    pub in_flow: bool,
    pub kind: NodeKind,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    Scalar(Scalar),
    Sequence(Vec<Node>),
    Mapping(Vec<Entry>),
}

#[derive(Debug)]
pub(crate) struct Scalar {
    /// The text without quotes, escapes resolved and lines folded.
    pub value: String,
    /// Whether it has neither quotes nor a block header.
    pub plain: bool,
    /// The bytes of the file that spell the value, except for line breaks and indentation; only if
    /// the value contains no escapes.
    pub verbatim: Option<Range<usize>>,
}

/// A key and its value.
#[derive(Debug)]
pub(crate) struct Entry {
    pub key: Spanned<String>,
    pub value: Node,
}

impl Node {
    /// Whether a value is missing, or written as `~` or `null`.
    pub fn is_null(&self) -> bool {
        match &self.kind {
            NodeKind::Scalar(scalar) => {
                scalar.plain && matches!(scalar.value.as_str(), "" | "~" | "null")
            }
            _ => false,
        }
    }

    /// What kind of node it is, for messages.
    pub fn describe(&self) -> &'static str {
        match &self.kind {
            _ if self.is_null() => "no value",
            NodeKind::Scalar(_) => "a single value",
            NodeKind::Sequence(_) => "a list",
            NodeKind::Mapping(_) => "a mapping",
        }
    }
}
