//! Names in a list `pass`, which gives fields of a block the values of the same names around it.

use super::{EditError, Replacement, entries};
use crate::yaml::{Entry, Node, NodeKind};

/// The lists `pass` below a node that have a name, each with the block that it belongs to.
pub(super) fn lists<'n>(node: &'n Node, name: &str, found: &mut Vec<(&'n Node, &'n Entry)>) {
    match &node.kind {
        NodeKind::Mapping(all) => {
            for entry in all {
                match &entry.value.kind {
                    NodeKind::Sequence(items) if entry.key.value == "pass" => {
                        if items.iter().any(|own| is(own, name)) {
                            found.push((node, entry));
                        }
                    }
                    _ => lists(&entry.value, name, found),
                }
            }
        }
        NodeKind::Sequence(all) => all.iter().for_each(|own| lists(own, name, found)),
        NodeKind::Scalar(_) => {}
    }
}

/// Fields of their own for names of a list, which then have other values: `pass: [a, b]` becomes
/// `a: 2 * x, pass: [b]`.
pub(super) fn spelled_out(
    text: &str,
    block: &Node,
    entry: &Entry,
    given: &dyn Fn(&str) -> Option<(String, String)>,
) -> Result<Replacement, EditError> {
    let range = entries::whole(text, entry);
    let NodeKind::Sequence(items) = &entry.value.kind else { return Err(EditError::Unsure) };
    if text[range.clone()].contains('#') {
        return Err(EditError::Unsure);
    }
    let (mut fields, mut rest) = (Vec::new(), Vec::new());
    for item in items {
        let NodeKind::Scalar(name) = &item.kind else { return Err(EditError::Unsure) };
        match given(&name.value) {
            Some((key, value)) => fields.push(format!("{key}: {value}")),
            None => rest.push(name.value.as_str()),
        }
    }
    if !rest.is_empty() {
        fields.push(format!("pass: [{}]", rest.join(", ")));
    }
    let between = entries::between(text, block, entry);
    Ok(Replacement { range, text: fields.join(&between) })
}

fn is(node: &Node, name: &str) -> bool {
    matches!(&node.kind, NodeKind::Scalar(own) if own.value == name)
}
