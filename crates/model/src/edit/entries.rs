//! Entries of mappings in the text: found, set, added and removed.

use std::ops::Range;

use super::{EditError, Replacement};
use crate::yaml::{Entry, Node, NodeKind, next_word};

/// The bytes of a node.
pub(super) fn range(node: &Node) -> Range<usize> {
    node.span.start as usize..node.span.end as usize
}

/// The node at a path.
pub(super) fn find<'n>(tree: &'n Node, path: &[String]) -> Option<&'n Node> {
    path.iter().try_fold(tree, |node, step| match &node.kind {
        NodeKind::Mapping(all) => {
            all.iter().find(|entry| entry.key.value == *step).map(|entry| &entry.value)
        }
        NodeKind::Sequence(all) => all.get(step.parse::<usize>().ok()?),
        NodeKind::Scalar(_) => None,
    })
}

/// The entry at a path.
pub(super) fn entry<'n>(tree: &'n Node, path: &[String]) -> Option<&'n Entry> {
    let (last, before) = path.split_last()?;
    match &find(tree, before)?.kind {
        NodeKind::Mapping(all) => all.iter().find(|entry| entry.key.value == *last),
        _ => None,
    }
}

/// Gives the entry at a path a value, and adds what is missing of the path.
pub(super) fn set(
    text: &str,
    tree: &Node,
    path: &[String],
    value: &str,
) -> Result<Replacement, EditError> {
    if value.contains(['\n', '\r']) || path.is_empty() {
        return Err(EditError::Unsure);
    }
    if let Some(node) = find(tree, path) {
        return Ok(match entry(tree, path).filter(|_| node.span.start == node.span.end) {
            Some(own) => given(text, own, value),
            None => replaced(text, node, value),
        });
    }
    let known = (0..path.len()).rev().find(|depth| find(tree, &path[..*depth]).is_some());
    let depth = known.unwrap_or(0);
    let node = find(tree, &path[..depth]).ok_or_else(|| EditError::Missing(path.join(".")))?;
    // What is missing below the first new key is written in braces.
    let mut inner = value.to_owned();
    for key in path[depth + 1..].iter().rev() {
        inner = format!("{{{key}: {inner}}}");
    }
    let key = &path[depth];
    match &node.kind {
        NodeKind::Mapping(all) => Ok(added(text, node, all, key, &inner)),
        _ if node.is_null() => {
            let value = format!("{{{key}: {inner}}}");
            Ok(match entry(tree, &path[..depth]).filter(|_| node.span.start == node.span.end) {
                Some(own) => given(text, own, &value),
                None => replaced(text, node, &value),
            })
        }
        _ => Err(EditError::Missing(path[..=depth].join("."))),
    }
}

/// A value for a key that has none, with or without a colon.
fn given(text: &str, own: &Entry, value: &str) -> Replacement {
    let end = own.key.span.end as usize;
    let at = colon(text, end);
    let before = if at > end { " " } else { ": " };
    Replacement { range: at..at, text: format!("{before}{value}") }
}

/// The place for a value after the colon of a key without one.
fn after_colon(text: &str, at: usize) -> usize {
    let before = text[..at.min(text.len())].trim_end_matches([' ', '\n', '\r', '\t']);
    match before.ends_with(':') {
        true => before.len(),
        false => at,
    }
}

/// A value in the place of another.
pub(super) fn replaced(text: &str, node: &Node, value: &str) -> Replacement {
    if node.span.start == node.span.end {
        let at = after_colon(text, node.span.start as usize);
        return Replacement { range: at..at, text: format!(" {value}") };
    }
    let mut range = range(node);
    // A value on several lines under its key moves up to the key.
    let line = &text[..range.start];
    let indented = line.trim_end_matches([' ']).ends_with('\n');
    let in_block = matches!(node.kind, NodeKind::Mapping(_) | NodeKind::Sequence(_));
    if in_block && indented && !text[range.start..].starts_with(['{', '[']) {
        range.start = after_colon(text, range.start);
        return Replacement { range, text: format!(" {value}") };
    }
    Replacement { range, text: value.to_owned() }
}

/// A new entry at the end of a mapping.
fn added(text: &str, node: &Node, all: &[Entry], key: &str, value: &str) -> Replacement {
    let bracketed = text[node.span.start as usize..].starts_with('{');
    if bracketed {
        return match all.last() {
            None => {
                let at = node.span.start as usize + 1;
                Replacement { range: at..at, text: format!("{key}: {value}") }
            }
            Some(last) => {
                let at = last.value.span.end.max(last.key.span.end) as usize;
                let at =
                    if last.value.span.end > last.value.span.start { at } else { colon(text, at) };
                Replacement { range: at..at, text: format!(", {key}: {value}") }
            }
        };
    }
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        let at = node.span.end as usize;
        return Replacement { range: at..at, text: format!("{key}: {value}\n") };
    };
    let start = first.key.span.start as usize;
    let indent = start - text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = last.value.span.end.max(last.key.span.end) as usize;
    let at = end_of_line(text, end);
    let blanks = " ".repeat(indent);
    let line = if text[..at].ends_with('\n') {
        format!("{blanks}{key}: {value}\n")
    } else {
        format!("\n{blanks}{key}: {value}")
    };
    Replacement { range: at..at, text: line }
}

/// The byte after the colon that follows a key without a value.
fn colon(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    rest.find(':')
        .filter(|found| rest[..*found].trim().is_empty())
        .map_or(at, |found| at + found + 1)
}

/// The first byte of the next line.
pub(super) fn end_of_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |found| at + found + 1)
}

/// The first byte of a line.
pub(super) fn start_of_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |found| found + 1)
}

/// The bytes of an entry, from its key on.
pub(super) fn whole(text: &str, entry: &Entry) -> Range<usize> {
    let span = entry.key.span.to(entry.value.span);
    let end = match entry.value.span.end > entry.value.span.start {
        true => span.end as usize,
        false => colon(text, entry.key.span.end as usize),
    };
    span.start as usize..end
}

/// What separates an entry from one that is written behind it.
pub(super) fn between(text: &str, parent: &Node, entry: &Entry) -> String {
    if text[parent.span.start as usize..].starts_with('{') {
        return ", ".to_owned();
    }
    let start = entry.key.span.start as usize;
    format!("\n{}", " ".repeat(start - start_of_line(text, start)))
}

/// Adds an item at the end of the list at a path, which is made if there is none.
pub(super) fn append(
    text: &str,
    tree: &Node,
    path: &[String],
    value: &str,
) -> Result<Replacement, EditError> {
    if value.contains(['\n', '\r']) {
        return Err(EditError::Unsure);
    }
    let node = match find(tree, path) {
        Some(node) if !node.is_null() => node,
        _ => return set(text, tree, path, &format!("[{value}]")),
    };
    let NodeKind::Sequence(all) = &node.kind else {
        return Err(EditError::Missing(path.join(".")));
    };
    let start = node.span.start as usize;
    let Some(last) = all.last() else { return Ok(replaced(text, node, &format!("[{value}]"))) };
    let end = last.span.end as usize;
    if text[start..].starts_with('[') {
        return Ok(Replacement { range: end..end, text: format!(", {value}") });
    }
    let dash = text[..all[0].span.start as usize].rfind('-').ok_or(EditError::Unsure)?;
    let blanks = " ".repeat(dash - start_of_line(text, dash));
    let at = end_of_line(text, end);
    let text = match text[..at].ends_with('\n') {
        true => format!("{blanks}- {value}\n"),
        false => format!("\n{blanks}- {value}"),
    };
    Ok(Replacement { range: at..at, text })
}

/// Removes an entry or an item.
pub(super) fn remove(text: &str, tree: &Node, path: &[String]) -> Result<Replacement, EditError> {
    let missing = || EditError::Missing(path.join("."));
    let (last, before) = path.split_last().ok_or_else(missing)?;
    let parent = find(tree, before).ok_or_else(missing)?;
    let (spans, index): (Vec<Range<usize>>, usize) = match &parent.kind {
        NodeKind::Mapping(all) => {
            let index =
                all.iter().position(|entry| entry.key.value == *last).ok_or_else(missing)?;
            (all.iter().map(|own| whole(text, own)).collect(), index)
        }
        NodeKind::Sequence(all) => {
            let index = last.parse().ok().filter(|own| *own < all.len()).ok_or_else(missing)?;
            (all.iter().map(range).collect(), index)
        }
        NodeKind::Scalar(_) => return Err(missing()),
    };
    let opening = text[parent.span.start as usize..].chars().next();
    if matches!(opening, Some('{' | '[')) {
        return Ok(Replacement {
            range: in_brackets(text, parent, &spans, index),
            text: String::new(),
        });
    }
    if spans.len() == 1 {
        let empty = if matches!(parent.kind, NodeKind::Mapping(_)) { "{}" } else { "[]" };
        return Ok(replaced(text, parent, empty));
    }
    let start = start_of_line(text, spans[index].start);
    if !text[start..spans[index].start].trim_matches(['-', ' ']).is_empty() {
        // The first entry of an item of a list, or a key that shares its line.
        let next = spans.get(index + 1).ok_or(EditError::Unsure)?;
        return Ok(Replacement { range: spans[index].start..next.start, text: String::new() });
    }
    if matches!(parent.kind, NodeKind::Mapping(_)) && text[start..spans[index].start].contains('-')
    {
        let next = spans.get(index + 1).ok_or(EditError::Unsure)?;
        return Ok(Replacement { range: spans[index].start..next.start, text: String::new() });
    }
    Ok(Replacement { range: start..end_of_line(text, spans[index].end), text: String::new() })
}

/// What to remove for an entry in brackets: also the comma that separates it from another.
fn in_brackets(text: &str, parent: &Node, spans: &[Range<usize>], index: usize) -> Range<usize> {
    let own = &spans[index];
    if let Some(next) = spans.get(index + 1) {
        let between = &text[own.end..next.start];
        return match between.contains('#') {
            // A comment behind the comma stays.
            true => own.start..own.end + between.find(',').map_or(0, |at| at + 1),
            false => own.start..next.start,
        };
    }
    let close = next_word(text, own.end);
    let end = if text[close..].starts_with(',') { close + 1 } else { own.end };
    match index.checked_sub(1) {
        Some(before) => spans[before].end..end,
        None => {
            let inside = parent.span.start as usize + 1;
            inside.min(own.start)..end
        }
    }
}
