//! The canonical form of a model file: the same values and the same comments, written in one way.
//!
//! It turns the text of a file into another text with the same meaning, and ignores imported files.
//! The result is read again before it is returned, so that a defect here can refuse a file but
//! never change its meaning.

mod breaks;
mod comments;
mod layout;
mod scalar;
mod write;

use std::path::Path;

use base::{Diagnostic, FileId, SourceMap};

use self::comments::comments;
use self::layout::{Role, layout};
use crate::document::document;
use crate::fields::Context;
use crate::read::MAX_BYTES;
use crate::refused::Report;
use crate::yaml::{self, Node, NodeKind};
use crate::{Refused, names};

/// The canonical form of a model file. `name` is the name of the file in messages.
pub fn format(name: &str, text: &str) -> Result<String, Refused> {
    let mut sources = SourceMap::default();
    if text.len() > MAX_BYTES {
        let message = format!("`{name}` has more than {MAX_BYTES} bytes");
        let diagnostics = Diagnostic::error("model-too-large", message).into();
        return Err(Refused { diagnostics, sources });
    }
    let file = sources.add(name, text);
    let mut report = Report::default();
    let written = tree_of(text, name, file, &mut report).and_then(|tree| {
        let written = write::write(&layout(&tree, text));
        report.keep(unchanged(&tree, text, &written, file)).map(|()| written)
    });
    written.ok_or(Refused { diagnostics: report.0, sources })
}

/// A text in quotes.
pub(crate) fn quoted(words: &str) -> String {
    scalar::quote(words)
}

/// The tree of a file, which must be a model file as far as that can be checked without its
/// imports.
fn tree_of(text: &str, name: &str, file: FileId, report: &mut Report) -> Option<Node> {
    let tree = yaml::tree(text, file, report)?;
    let stem = Path::new(name).file_stem().map_or("", |stem| stem.to_str().unwrap_or(""));
    let stem = if names::is_model_name(stem) { stem } else { "model" };
    document(&mut Context::new(text, report), &tree, Some(stem))?;
    (!report.0.has_errors()).then_some(tree)
}

/// Checks that the canonical form has the values and the comments of the file.
fn unchanged(tree: &Node, text: &str, written: &str, file: FileId) -> Result<(), Diagnostic> {
    let again = yaml::tree(written, file, &mut Report::default());
    let kept = again.is_some_and(|again| {
        let words = |tree: &Node, text: &str| {
            let mut words: Vec<String> =
                comments(tree, text).into_iter().map(|comment| comment.words).collect();
            words.sort();
            words
        };
        words(tree, text) == words(&again, written) && same(tree, &again, Role::Model)
    });
    if kept {
        return Ok(());
    }
    let message = "this file cannot be formatted without changing what it says";
    Err(Diagnostic::error("cannot-format", message)
        .help("it was left as it is; write unusual texts and keys in double quotes"))
}

/// Whether two trees have the same values with the same line breaks at their ends, apart from the
/// order of sections and other blanks around values, which no section of a model file depends on.
fn same(a: &Node, b: &Node, role: Role) -> bool {
    match (&a.kind, &b.kind) {
        (NodeKind::Scalar(x), NodeKind::Scalar(y)) => {
            let alike = || {
                let (x, y) = (&x.value, &y.value);
                x.trim() == y.trim() && layout::final_breaks(x) == layout::final_breaks(y)
            };
            a.is_null() == b.is_null() && (a.is_null() || alike())
        }
        (NodeKind::Sequence(x), NodeKind::Sequence(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y, Role::Free))
        }
        (NodeKind::Mapping(x), NodeKind::Mapping(y)) => {
            let (x, y) = (role.sorted(x), role.sorted(y));
            let pairs = x.iter().zip(&y);
            x.len() == y.len()
                && pairs.clone().all(|(x, y)| x.key.value == y.key.value)
                && pairs.clone().all(|(x, y)| same(&x.value, &y.value, role.of(&x.key.value)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a text may replace another one.
    fn replaces(text: &str, other: &str) -> bool {
        let file = SourceMap::default().add("model.yaml", text);
        let tree = yaml::tree(text, file, &mut Report::default()).expect("a tree");
        unchanged(&tree, text, other, file).is_ok()
    }

    #[test]
    fn a_change_is_seen() {
        let text = "superdense: 1\nname: a # note\nblocks: {x: {type: Gain, input: [1, 2]}}\n";
        assert!(replaces(text, text));
        assert!(replaces(text, &text.replace("# note", "\n# note")));
        for (from, to) in [
            ("# note", ""),
            ("note", "nota"),
            ("name: a", "name:"),
            ("[1, 2]", "[2, 1]"),
            ("[1, 2]", "[1]"),
            ("[1, 2]", "{1: 2}"),
            ("{type: Gain, input: [1, 2]}", "{type: Gain}"),
            ("type: Gain", "kind: Gain"),
            ("Gain", "Gain]"),
            ("name: a", "name: |\n  a"),
        ] {
            assert!(!replaces(text, &text.replace(from, to)), "{from} to {to}");
        }
    }
}
