//! What can be edited, and names in expressions.

use super::{EditError, Replacement, entries};
use crate::names;
use crate::yaml::{Node, NodeKind};

/// A change of the text of a model file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BlockEdit {
    /// Gives an entry a value, and adds the entry if there is none. The value is YAML on one line.
    Set {
        /// The keys from the top of the file.
        path: Vec<String>,
        /// The value, as YAML on one line, such as `2 * x` or `{type: Gain, input: x}`.
        value: String,
    },
    /// Removes an entry or an item of a list.
    Remove {
        /// The keys from the top of the file.
        path: Vec<String>,
    },
    /// Adds a block.
    Add {
        /// The path of the mapping of blocks.
        blocks: Vec<String>,
        /// The name of the block.
        name: String,
        /// What it is, as YAML on one line.
        value: String,
    },
    /// Gives a block or parameter another name, also in the expressions of its diagram.
    Rename {
        /// The path of the block.
        path: Vec<String>,
        /// The new name.
        to: String,
    },
}

/// Keys whose values are no expressions.
const NO_EXPRESSIONS: [&str; 8] =
    ["type", "description", "name", "unit", "title", "label", "import", "superdense"];

/// Renames the key at a path and every mention of it in the same diagram.
pub(super) fn rename(
    text: &str,
    tree: &Node,
    path: &[String],
    to: &str,
) -> Result<Vec<Replacement>, EditError> {
    if !names::is_name(to) {
        return Err(EditError::NoName(to.to_owned()));
    }
    let missing = || EditError::Missing(path.join("."));
    let (name, before) = path.split_last().ok_or_else(missing)?;
    let entry = entries::entry(tree, path).ok_or_else(missing)?;
    // The names of a diagram are those of its blocks, parameters and inputs.
    let scope = before.split_last().map_or(before, |(_, scope)| scope);
    let diagram = entries::find(tree, scope).ok_or_else(missing)?;
    if let NodeKind::Mapping(sections) = &diagram.kind {
        let taken = sections.iter().any(|section| match &section.value.kind {
            NodeKind::Mapping(all) => {
                let names = ["blocks", "parameters", "inputs", "functions"];
                names.contains(&section.key.value.as_str())
                    && all.iter().any(|own| own.key.value == to)
            }
            _ => false,
        });
        if taken {
            return Err(EditError::Taken(to.to_owned()));
        }
    }
    let key = entry.key.span;
    let mut found =
        vec![Replacement { range: key.start as usize..key.end as usize, text: to.to_owned() }];
    mentions(text, diagram, scope.is_empty(), name, to, &mut found);
    Ok(found)
}

/// Collects the mentions of a name in the expressions below a node.
fn mentions(
    text: &str,
    node: &Node,
    main: bool,
    name: &str,
    to: &str,
    found: &mut Vec<Replacement>,
) {
    match &node.kind {
        NodeKind::Mapping(all) => {
            for entry in all {
                let key = entry.key.value.as_str();
                // The diagrams of a file have names of their own.
                if NO_EXPRESSIONS.contains(&key) || main && key == "diagrams" {
                    continue;
                }
                mentions(text, &entry.value, false, name, to, found);
            }
        }
        NodeKind::Sequence(all) => {
            all.iter().for_each(|item| mentions(text, item, false, name, to, found));
        }
        NodeKind::Scalar(scalar) => {
            let Some(range) = &scalar.verbatim else { return };
            let Some(written) = text.get(range.clone()) else { return };
            for at in words(written, name) {
                let start = range.start + at;
                let range = start..start + name.len();
                found.push(Replacement { range, text: to.to_owned() });
            }
        }
    }
}

/// Where a name is mentioned in an expression: as a whole word that is no member of another.
fn words(written: &str, name: &str) -> Vec<usize> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let own = |(at, _): &(usize, &str)| {
        let (before, after) = (&written[..*at], &written[at + name.len()..]);
        !before.ends_with(is_letter)
            && !before.trim_end().ends_with('.')
            && !after.starts_with(is_letter)
    };
    written.match_indices(name).filter(own).map(|(at, _)| at).collect()
}
