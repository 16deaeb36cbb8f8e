//! Edits of the text of a model file that change only what they are about: comments, blanks, quotes
//! and the order of entries stay as they are.
//!
//! An edit is computed from the tree of the text and is a list of replacements. Each result is read
//! again and compared with the tree that the edit should lead to, so that a defect here can refuse
//! an edit but never damage a file.

mod blocks;
mod entries;
mod group;
mod mentions;
mod pass;
mod rename;
mod ungroup;

use std::fmt;
use std::ops::Range;

use base::FileId;

use crate::names;
use crate::refused::Report;
use crate::yaml::{self, Node, NodeKind};

pub use blocks::BlockEdit;

/// A replacement of some bytes of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement {
    /// The bytes to be replaced.
    pub range: Range<usize>,
    /// What takes their place.
    pub text: String,
}

/// Why a text was not edited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EditError {
    /// The text is not well-formed, so that it has no tree.
    Malformed,
    /// Nothing has this path.
    Missing(String),
    /// Something else has this name already.
    Taken(String),
    /// This is no name that a block may have.
    NoName(String),
    /// An instance has a field that makes more of it than the blocks of its diagram.
    More(String),
    /// The result would not mean what was asked for.
    Unsure,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::Malformed => f.write_str(
                "the text is not well-formed, so the diagram cannot change it: correct it first",
            ),
            EditError::Missing(what) => write!(f, "there is no `{what}` in the text"),
            EditError::Taken(name) => write!(f, "the name `{name}` is taken"),
            EditError::NoName(name) => {
                write!(f, "`{name}` is no name: write letters, digits and `_`, a letter first")
            }
            EditError::More(field) => write!(
                f,
                "the field `{field}` is about the whole diagram, which its blocks cannot have alone"
            ),
            EditError::Unsure => {
                f.write_str("this text is written in a way that the edit cannot keep: edit it here")
            }
        }
    }
}

impl std::error::Error for EditError {}

/// The text with replacements carried out; they are ordered and do not overlap.
pub fn edited(text: &str, replacements: &[Replacement]) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for own in replacements {
        out.push_str(&text[at..own.range.start]);
        out.push_str(&own.text);
        at = own.range.end;
    }
    out + &text[at..]
}

/// Computes the replacements that carry an edit out. Paths are the keys from the top of the file,
/// such as `blocks`, `hit`, `level`; items of lists are named by their index.
pub fn edit(text: &str, change: &BlockEdit) -> Result<Vec<Replacement>, EditError> {
    let tree = parsed(text)?;
    let mut found = match change {
        BlockEdit::Set { path, value } => vec![entries::set(text, &tree, path, value)?],
        BlockEdit::Remove { path } => vec![entries::remove(text, &tree, path)?],
        BlockEdit::Add { blocks, name, value } => {
            if !names::is_name(name) {
                return Err(EditError::NoName(name.clone()));
            }
            let path: Vec<String> = blocks.iter().chain([name]).cloned().collect();
            if entries::find(&tree, &path).is_some() {
                return Err(EditError::Taken(name.clone()));
            }
            vec![entries::set(text, &tree, &path, value)?]
        }
        BlockEdit::Append { path, value } => vec![entries::append(text, &tree, path, value)?],
        BlockEdit::Rename { path, to } => {
            rename::Rename { text, tree: &tree, path, to }.replacements()?
        }
        BlockEdit::Group { blocks, names, diagram, instance } => {
            group::Group { text, tree: &tree, blocks, names, diagram, instance }.replacements()?
        }
        BlockEdit::Ungroup { path } => {
            ungroup::Ungroup { text, tree: &tree, path }.replacements()?
        }
    };
    found.sort_by_key(|own| (own.range.start, own.range.end));
    found.dedup();
    if found.windows(2).any(|two| two[1].range.start < two[0].range.end) {
        return Err(EditError::Unsure);
    }
    check(text, &tree, change, &found)?;
    Ok(found)
}

/// Computes the replacement that carries several edits out, one after the other.
pub fn edit_all(text: &str, changes: &[BlockEdit]) -> Result<Vec<Replacement>, EditError> {
    let mut now = text.to_owned();
    for change in changes {
        now = edited(&now, &edit(&now, change)?);
    }
    let alike = |a: &mut dyn Iterator<Item = (char, char)>| {
        a.take_while(|own| own.0 == own.1).map(|own| own.0.len_utf8()).sum::<usize>()
    };
    let first = alike(&mut text.chars().zip(now.chars()));
    let (old, new) = (&text[first..], &now[first..]);
    let last = alike(&mut old.chars().rev().zip(new.chars().rev()));
    let own =
        Replacement { range: first..text.len() - last, text: new[..new.len() - last].to_owned() };
    Ok(if own.range.is_empty() && own.text.is_empty() { Vec::new() } else { vec![own] })
}

/// The path of the innermost entry or item whose key or value contains a byte of the text.
pub fn path_at(text: &str, byte: usize) -> Option<Vec<String>> {
    let tree = parsed(text).ok()?;
    let (mut node, mut path) = (&tree, Vec::new());
    'deeper: loop {
        match &node.kind {
            NodeKind::Mapping(all) => {
                for entry in all {
                    let whole = entry.key.span.to(entry.value.span);
                    if (whole.start as usize..=whole.end as usize).contains(&byte) {
                        path.push(entry.key.value.clone());
                        node = &entry.value;
                        continue 'deeper;
                    }
                }
            }
            NodeKind::Sequence(all) => {
                for (index, item) in all.iter().enumerate() {
                    if (item.span.start as usize..=item.span.end as usize).contains(&byte) {
                        path.push(index.to_string());
                        node = item;
                        continue 'deeper;
                    }
                }
            }
            NodeKind::Scalar(_) => {}
        }
        return Some(path);
    }
}

/// The entries of the mapping at a path, each with the text of its value as it is written.
pub fn fields(text: &str, path: &[String]) -> Result<Vec<(String, String)>, EditError> {
    let tree = parsed(text)?;
    let node = entries::find(&tree, path).ok_or_else(|| EditError::Missing(path.join(".")))?;
    let NodeKind::Mapping(all) = &node.kind else { return Ok(Vec::new()) };
    Ok(all.iter().map(|own| (own.key.value.clone(), words_of(text, &own.value))).collect())
}

/// The value at a path as it is written, without quotes.
pub fn written(text: &str, path: &[String]) -> Option<String> {
    let tree = parsed(text).ok()?;
    let node = entries::find(&tree, path)?;
    Some(words_of(text, node))
}

fn words_of(text: &str, node: &Node) -> String {
    match &node.kind {
        NodeKind::Scalar(scalar) => scalar.value.clone(),
        _ => text.get(entries::range(node)).unwrap_or("").to_owned(),
    }
}

/// A value as it can be written inside brackets: in quotes if YAML would otherwise read something
/// else. Lists and mappings in brackets stay as they are.
pub fn value_in_brackets(value: &str) -> String {
    let whole = |node: Node| match node.kind {
        NodeKind::Scalar(scalar) => !scalar.plain || scalar.value == value,
        _ => node.span.end as usize == value.len(),
    };
    let wrapped = format!("[{value}]");
    let one = parsed(&wrapped).ok().and_then(|tree| match tree.kind {
        NodeKind::Sequence(mut all) if all.len() == 1 => all.pop(),
        _ => None,
    });
    let alike = one.is_some_and(|one| match (&one.kind, parsed(value)) {
        (NodeKind::Scalar(inner), Ok(tree)) => {
            matches!(&tree.kind, NodeKind::Scalar(own) if own.value == inner.value) && whole(tree)
        }
        (_, Ok(tree)) => Plain::of(&one) == Plain::of(&tree),
        _ => false,
    });
    if alike { value.to_owned() } else { crate::format::quoted(value) }
}

fn parsed(text: &str) -> Result<Node, EditError> {
    let mut report = Report::default();
    let tree = yaml::tree(text, FileId::new(0), &mut report);
    tree.filter(|_| !report.0.has_errors()).ok_or(EditError::Malformed)
}

/// Checks that the edited text has the tree that it should have.
fn check(
    text: &str,
    tree: &Node,
    change: &BlockEdit,
    replacements: &[Replacement],
) -> Result<(), EditError> {
    let again = parsed(&edited(text, replacements)).map_err(|_| EditError::Unsure)?;
    let mut wanted = Plain::of(tree);
    wanted.change(change);
    let mut now = Plain::of(&again);
    let same = match change {
        // A renamed block is also renamed in expressions, which only the compiler understands.
        BlockEdit::Rename { .. } => now.spelled_out().is_shaped_like(&wanted.spelled_out()),
        BlockEdit::Group { blocks, names, diagram, instance } => {
            let has = |own: &mut Plain, path: &[String], name: &String| {
                own.at(path).is_some_and(|own| own.get(name).is_some())
            };
            let inside = ["diagrams".to_owned(), diagram.clone(), "blocks".to_owned()];
            names.iter().all(|name| {
                has(&mut now, &inside, name) && (name == instance || !has(&mut now, blocks, name))
            }) && has(&mut now, blocks, instance)
        }
        BlockEdit::Ungroup { path } => {
            // A block of the diagram may have the name of the instance.
            let before = wanted.at(path).cloned();
            now.at(path).cloned() != before
        }
        _ => now == wanted,
    };
    if same { Ok(()) } else { Err(EditError::Unsure) }
}

/// The values of a tree, without their places.
#[derive(Clone, PartialEq, Debug)]
enum Plain {
    Scalar(String),
    List(Vec<Plain>),
    Map(Vec<(String, Plain)>),
}

impl Plain {
    fn of(node: &Node) -> Plain {
        match &node.kind {
            NodeKind::Scalar(scalar) if node.is_null() || scalar.value.is_empty() => {
                Plain::Scalar(String::new())
            }
            NodeKind::Scalar(scalar) => Plain::Scalar(scalar.value.trim().to_owned()),
            NodeKind::Sequence(all) => Plain::List(all.iter().map(Plain::of).collect()),
            NodeKind::Mapping(all) => {
                let entry =
                    |entry: &yaml::Entry| (entry.key.value.clone(), Plain::of(&entry.value));
                Plain::Map(all.iter().map(entry).collect())
            }
        }
    }

    /// The same with a field for each name in a list `pass`.
    fn spelled_out(&self) -> Plain {
        match self {
            Plain::Scalar(_) => self.clone(),
            Plain::List(all) => Plain::List(all.iter().map(Plain::spelled_out).collect()),
            Plain::Map(all) => {
                let field = |name: &Plain| match name {
                    Plain::Scalar(own) => (own.clone(), name.clone()),
                    other => ("pass".to_owned(), other.clone()),
                };
                let fields = |(key, own): &(String, Plain)| match own {
                    Plain::List(names) if key == "pass" => names.iter().map(field).collect(),
                    _ => vec![(key.clone(), own.spelled_out())],
                };
                Plain::Map(all.iter().flat_map(fields).collect())
            }
        }
    }

    /// The same number of entries everywhere.
    fn is_shaped_like(&self, other: &Plain) -> bool {
        match (self, other) {
            (Plain::Scalar(_), Plain::Scalar(_)) => true,
            (Plain::List(a), Plain::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_shaped_like(b))
            }
            (Plain::Map(a), Plain::Map(b)) => {
                // Keys that mention the name are renamed, too.
                let same =
                    |((_, a), (_, b)): (&(String, Plain), &(String, Plain))| a.is_shaped_like(b);
                let names = |all: &[(String, Plain)]| {
                    all.iter().map(|own| own.0.clone()).collect::<std::collections::BTreeSet<_>>()
                };
                let unlike = names(a).symmetric_difference(&names(b)).count();
                a.len() == b.len() && unlike <= 2 && a.iter().zip(b).all(same)
            }
            _ => false,
        }
    }

    fn change(&mut self, change: &BlockEdit) {
        match change {
            BlockEdit::Set { path, value } => self.set(path, value),
            BlockEdit::Add { blocks, name, value } => {
                let path: Vec<String> = blocks.iter().chain([name]).cloned().collect();
                self.set(&path, value);
            }
            BlockEdit::Remove { path } => {
                let Some((last, before)) = path.split_last() else { return };
                match self.at(before) {
                    Some(Plain::Map(all)) => all.retain(|(key, _)| key != last),
                    Some(Plain::List(all)) => {
                        last.parse().ok().filter(|own| *own < all.len()).map(|own| all.remove(own));
                    }
                    _ => {}
                }
            }
            BlockEdit::Append { path, value } => {
                let value =
                    parsed(value).map_or(Plain::Scalar(value.clone()), |node| Plain::of(&node));
                match self.at(path) {
                    Some(Plain::List(all)) => all.push(value),
                    Some(own) => *own = Plain::List(vec![value]),
                    None => {
                        self.set(path, "0");
                        if let Some(own) = self.at(path) {
                            *own = Plain::List(vec![value]);
                        }
                    }
                }
            }
            BlockEdit::Group { .. } | BlockEdit::Ungroup { .. } => {}
            BlockEdit::Rename { path, to } => {
                let Some((last, before)) = path.split_last() else { return };
                if let Some(Plain::Map(all)) = self.at(before)
                    && let Some(own) = all.iter_mut().find(|(key, _)| key == last)
                {
                    own.0.clone_from(to);
                }
            }
        }
    }

    fn get(&self, name: &str) -> Option<&Plain> {
        match self {
            Plain::Map(all) => all.iter().find(|own| own.0 == name).map(|own| &own.1),
            _ => None,
        }
    }

    fn at(&mut self, path: &[String]) -> Option<&mut Plain> {
        let mut own = self;
        for step in path {
            own = match own {
                Plain::Map(all) => &mut all.iter_mut().find(|(key, _)| key == step)?.1,
                Plain::List(all) => all.get_mut(step.parse::<usize>().ok()?)?,
                Plain::Scalar(_) => return None,
            };
        }
        Some(own)
    }

    fn set(&mut self, path: &[String], value: &str) {
        let value = parsed(value).map_or(Plain::Scalar(value.to_owned()), |node| Plain::of(&node));
        for depth in 0..path.len() {
            if self.at(&path[..=depth]).is_some() {
                continue;
            }
            let Some(own) = self.at(&path[..depth]) else { return };
            if *own == Plain::Scalar(String::new()) {
                *own = Plain::Map(Vec::new());
            }
            if let Plain::Map(all) = own {
                all.push((path[depth].clone(), Plain::Scalar(String::new())));
            }
        }
        if let Some(own) = self.at(path) {
            *own = value;
        }
    }
}
