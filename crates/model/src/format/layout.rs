//! The tree of a file with every comment attached to the item that it is about.

use super::comments::{Comment, blank_above, comments, start_of_line};
use crate::yaml::{Entry, Node, NodeKind, next_word};
use crate::{document, sections};

/// The role of a part of a file: sections have an order, and some are never put on one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// The whole file.
    Model,
    /// The section `functions`, whose keys have commas.
    Functions,
    /// The section `diagrams`.
    Diagrams,
    /// One diagram.
    Diagram,
    /// The section `blocks`.
    Blocks,
    /// The section `plots`.
    Plots,
    /// One figure.
    Figure,
    /// The panels of a figure.
    Panels,
    /// One block.
    Block,
    /// Anything else.
    Free,
}

impl Role {
    /// The role of the value of a key.
    pub fn of(self, key: &str) -> Role {
        match (self, key) {
            (Role::Model, "functions") => Role::Functions,
            (Role::Model, "diagrams") => Role::Diagrams,
            (Role::Model | Role::Diagram, "blocks") => Role::Blocks,
            (Role::Model, "plots") => Role::Plots,
            (Role::Plots, _) => Role::Figure,
            (Role::Figure, "panels") => Role::Panels,
            (Role::Diagrams, _) => Role::Diagram,
            (Role::Blocks, _) => Role::Block,
            _ => Role::Free,
        }
    }

    /// Whether each entry gets its own line, however short it is.
    pub fn is_open(self) -> bool {
        !matches!(self, Role::Block | Role::Free)
    }

    /// The position of a key in canonical order.
    pub fn rank(self, key: &str) -> usize {
        let known: &[&str] = match self {
            Role::Model => &document::KEYS,
            Role::Diagram => &sections::DIAGRAM_KEYS,
            Role::Figure => &sections::FIGURE_KEYS,
            Role::Block => &["type"],
            _ => &[],
        };
        known.iter().position(|known| *known == key).unwrap_or(known.len())
    }

    /// Entries in canonical order.
    pub fn sorted(self, entries: &[Entry]) -> Vec<&Entry> {
        let mut sorted: Vec<&Entry> = entries.iter().collect();
        sorted.sort_by_key(|entry| self.rank(&entry.key.value));
        sorted
    }
}

/// A comment on its own line.
pub(super) struct Line {
    /// Whether there is an empty line above.
    pub blank: bool,
    /// The comment.
    pub words: String,
}

/// An entry of a mapping or an item of a list.
pub(super) struct Item {
    pub key: Option<String>,
    /// Comments above it.
    pub above: Vec<Line>,
    /// Whether there is an empty line directly above it.
    pub blank: bool,
    /// Comments at the end of its lines.
    pub beside: Vec<String>,
    pub value: Value,
    start: usize,
    value_start: usize,
}

/// The value of an item.
pub(super) enum Value {
    /// No value.
    Null,
    /// A text, whether it was quoted, and the number of line breaks at its end.
    Text {
        words: String,
        quoted: bool,
        breaks: usize,
    },
    Collection(Collection),
}

/// A list or a mapping.
pub(super) struct Collection {
    pub mapping: bool,
    pub role: Role,
    pub items: Vec<Item>,
    /// Comments after its last item.
    pub below: Vec<Line>,
    start: usize,
    end: usize,
    /// Whether it is written in brackets, or is inside brackets.
    bracketed: bool,
}

/// The layout of a whole file, in canonical order.
pub(super) fn layout(tree: &Node, text: &str) -> Collection {
    let NodeKind::Mapping(entries) = &tree.kind else {
        unreachable!("a model file is a mapping");
    };
    let items = entries.iter().map(|entry| of_entry(entry, text, Role::Model)).collect();
    let mut root = collection(tree, text, Role::Model, true, items);
    for comment in comments(tree, text) {
        attach(&mut root, comment, text);
    }
    sort_below_head(&mut root);
    root
}

fn of_entry(entry: &Entry, text: &str, role: Role) -> Item {
    let key = entry.key.value.clone();
    let start = entry.key.span.start as usize;
    item(Some(key.clone()), start, &entry.value, text, role.of(&key))
}

fn item(key: Option<String>, start: usize, value: &Node, text: &str, role: Role) -> Item {
    // Brackets may hold millions of items on one line, and each item would search that line.
    let blank = !value.in_flow && blank_above(text, start);
    let value_start = value.span.start as usize;
    let value = self::value(value, text, role);
    Item { key, above: Vec::new(), blank, beside: Vec::new(), value, start, value_start }
}

fn value(node: &Node, text: &str, role: Role) -> Value {
    match &node.kind {
        _ if node.is_null() => Value::Null,
        NodeKind::Scalar(scalar) => {
            let breaks = final_breaks(&scalar.value);
            Value::Text { words: scalar.value.trim().to_owned(), quoted: !scalar.plain, breaks }
        }
        NodeKind::Sequence(items) => {
            // Outside brackets, an item starts at its dash.
            let mut end = node.span.start as usize;
            let items = items.iter().map(|node| {
                let own = node.span.start as usize;
                let start = if node.in_flow { own } else { next_word(text, end) };
                end = node.span.end as usize;
                item(None, start.min(own), node, text, Role::Free)
            });
            let items = items.collect();
            let role = if role == Role::Panels { role } else { Role::Free };
            Value::Collection(collection(node, text, role, false, items))
        }
        NodeKind::Mapping(entries) => {
            let items = entries.iter().map(|entry| of_entry(entry, text, role)).collect();
            Value::Collection(collection(node, text, role, true, items))
        }
    }
}

/// The number of line breaks at the end of a text; a text of nothing but blanks has none.
pub(super) fn final_breaks(text: &str) -> usize {
    let words = text.trim_end();
    if words.is_empty() { 0 } else { text[words.len()..].matches('\n').count() }
}

fn collection(node: &Node, text: &str, role: Role, mapping: bool, items: Vec<Item>) -> Collection {
    let (start, end) = (node.span.start as usize, node.span.end as usize);
    let bracketed = node.in_flow || matches!(text.as_bytes().get(start), Some(b'{' | b'['));
    Collection { mapping, role, items, below: Vec::new(), start, end, bracketed }
}

/// Sorts a whole file. Comments above the first entry are about the file and stay at the top.
fn sort_below_head(root: &mut Collection) {
    let Some(first) = root.items.first_mut() else { return };
    let (above, blank) = (std::mem::take(&mut first.above), std::mem::take(&mut first.blank));
    sort(root);
    if let Some(first) = root.items.first_mut() {
        first.blank = blank && !above.is_empty();
        let own = std::mem::replace(&mut first.above, above);
        first.above.extend(own);
    }
}

fn sort(collection: &mut Collection) {
    let role = collection.role;
    let rank = |item: &Item| item.key.as_deref().map_or(0, |key| role.rank(key));
    collection.items.sort_by_key(rank);
    for item in &mut collection.items {
        if let Value::Collection(inner) = &mut item.value {
            sort(inner);
        }
    }
}

/// Attaches a comment to its item.
fn attach(collection: &mut Collection, comment: Comment, text: &str) {
    let at = comment.at;
    let line = |comment: Comment| Line { blank: blank_above(text, at), words: comment.words };
    // Items are still in source order, because none has been moved yet.
    let next = collection.items.partition_point(|item| item.start < at);
    let Some(item) = next.checked_sub(1).map(|last| &mut collection.items[last]) else {
        return match collection.items.first_mut() {
            Some(first) => first.above.push(line(comment)),
            None => collection.below.push(line(comment)),
        };
    };
    match &mut item.value {
        Value::Collection(inner) if inner.takes(&comment, text) => attach(inner, comment, text),
        _ if !comment.alone => item.beside.push(comment.words),
        _ if at < item.value_start => item.above.push(line(comment)),
        _ => match collection.items.get_mut(next) {
            Some(next) => next.above.push(line(comment)),
            None => collection.below.push(line(comment)),
        },
    }
}

impl Collection {
    /// Whether a comment after the key of this collection belongs to something inside it. Outside
    /// brackets, a comment after the last item belongs to the collection if it has the same
    /// indentation.
    fn takes(&self, comment: &Comment, text: &str) -> bool {
        let at = comment.at;
        if self.bracketed {
            return self.start < at && at < self.end;
        }
        let column = |at: usize| at - start_of_line(text, at);
        let before_last = self.items.last().is_some_and(|last| at < last.start);
        match comment.alone {
            true => before_last || column(at) >= column(self.start),
            false => self.start < at,
        }
    }
}
