//! Where the expressions of a text mention a name.

use std::ops::Range;

use crate::yaml::{Entry, Node, NodeKind, Scalar};

/// Keys whose values are no expressions.
const NO_EXPRESSIONS: [&str; 8] =
    ["type", "description", "name", "unit", "title", "label", "import", "superdense"];

/// A mention of a name.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    /// The bytes of the name, without what follows it.
    pub range: Range<usize>,
    /// The member that is meant, as `y` in `ball.y`, with the byte at which it ends.
    pub member: Option<(String, usize)>,
}

impl Mention {
    /// The bytes of the name and its member.
    pub fn whole(&self) -> Range<usize> {
        self.range.start..self.member.as_ref().map_or(self.range.end, |own| own.1)
    }
}

/// The mentions of a name in the expressions below a node, in order. Entries with the keys in
/// `without` are left out, at this level alone.
pub(super) fn mentions(text: &str, node: &Node, without: &[&str], name: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    collect(text, node, without, name, &mut found);
    found
}

fn collect(text: &str, node: &Node, without: &[&str], name: &str, found: &mut Vec<Mention>) {
    scalars(node, without, name, &mut |_, scalar| {
        let Some(range) = &scalar.verbatim else { return };
        let Some(written) = text.get(range.clone()) else { return };
        found.extend(words(written, name).map(|own| Mention {
            range: own.range.start + range.start..own.range.end + range.start,
            member: own.member.map(|(member, end)| (member, end + range.start)),
        }));
    });
}

/// Visits the expressions below a node in which a name means what it means at the node.
pub(super) fn scalars<'n>(
    node: &'n Node,
    without: &[&str],
    name: &str,
    visit: &mut dyn FnMut(&'n Node, &'n Scalar),
) {
    match &node.kind {
        NodeKind::Mapping(all) => {
            for entry in all {
                let key = entry.key.value.as_str();
                if !NO_EXPRESSIONS.contains(&key) && !without.contains(&key) {
                    within(&entry.value, name, visit);
                }
            }
        }
        _ => within(node, name, visit),
    }
}

fn within<'n>(node: &'n Node, name: &str, visit: &mut dyn FnMut(&'n Node, &'n Scalar)) {
    match &node.kind {
        NodeKind::Mapping(all) if hides(all, name) => {
            // The inputs of a system of equations are over the names around it.
            for entry in all.iter().filter(|own| is_system(all) && own.key.value == "inputs") {
                within(&entry.value, name, visit);
            }
        }
        NodeKind::Mapping(_) => scalars(node, &[], name, visit),
        NodeKind::Sequence(all) => all.iter().for_each(|item| within(item, name, visit)),
        NodeKind::Scalar(scalar) => visit(node, scalar),
    }
}

fn is_system(all: &[Entry]) -> bool {
    let kind = all.iter().find(|own| own.key.value == "type").map(|own| &own.value.kind);
    matches!(kind, Some(NodeKind::Scalar(own)) if own.value == "DifferentialSystem")
}

/// Whether a part of a diagram, such as a state, has something of its own with a name.
fn hides(all: &[Entry], name: &str) -> bool {
    let system = is_system(all);
    all.iter().any(|section| {
        let key = section.key.value.as_str();
        let own = ["blocks", "parameters"].contains(&key)
            || system && ["states", "inputs"].contains(&key);
        match &section.value.kind {
            NodeKind::Mapping(names) => own && names.iter().any(|own| own.key.value == name),
            _ => false,
        }
    })
}

/// Where a name is mentioned in an expression: as a whole word that is no member of another.
pub(super) fn words<'w>(written: &'w str, name: &'w str) -> impl Iterator<Item = Mention> + 'w {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    written.match_indices(name).filter_map(move |(at, _)| {
        let (before, after) = (&written[..at], &written[at + name.len()..]);
        let whole = !name.is_empty()
            && !before.ends_with(is_letter)
            && !before.trim_end().ends_with('.')
            && !after.starts_with(is_letter);
        let member = after.strip_prefix('.').map(|rest| {
            let end = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
            (rest[..end].to_owned(), at + name.len() + 1 + end)
        });
        let member =
            member.filter(|own| own.0.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        whole.then_some(Mention { range: at..at + name.len(), member })
    })
}
