//! An instance of a diagram of the same file is replaced by the blocks of the diagram.

use std::collections::BTreeMap;

use super::group::{indent_of, indented, lines_of};
use super::mentions::{Mention, scalars, words};
use super::{EditError, Replacement, edited, entries, pass};
use crate::format::quoted;
use crate::yaml::{Entry, Node, NodeKind};

/// What a diagram may have for its blocks to stand alone.
const PLAIN: [&str; 11] = [
    "parameters",
    "inputs",
    "outputs",
    "blocks",
    "description",
    "category",
    "aliases",
    "equations",
    "absence",
    "impulses",
    "require",
];

/// What is asked for.
pub(super) struct Ungroup<'g> {
    pub text: &'g str,
    pub tree: &'g Node,
    /// The path of the instance.
    pub path: &'g [String],
}

/// An instance, its diagram and the diagram around it.
struct Parts<'g> {
    instance: &'g Entry,
    fields: &'g [Entry],
    name: &'g str,
    diagram: &'g Entry,
    sections: &'g [Entry],
    scope: &'g Node,
    main: bool,
}

/// What the names of the diagram are around the instance.
#[derive(Default)]
struct Names {
    /// Values for inputs and parameters, and other names for blocks.
    inside: BTreeMap<String, String>,
    /// Expressions for outputs.
    outputs: BTreeMap<String, String>,
    /// For an array of instances, of which an array of each block is made.
    array: Option<Array>,
}

/// An array of instances.
struct Array {
    /// The indices with their counts, as they are written: `{i: n}`.
    indices: String,
    /// What follows a block in expressions: `[i]`.
    element: String,
    /// The blocks of the diagram.
    blocks: Vec<String>,
    /// Outputs that are expressions, which need blocks of their own, with their names.
    expressions: Vec<(String, String)>,
}

impl Ungroup<'_> {
    /// The replacements, in no order.
    pub fn replacements(&self) -> Result<Vec<Replacement>, EditError> {
        let parts = self.parts()?;
        let names = self.names(&parts)?;
        let blocks = section(parts.sections, "blocks");
        let Some(NodeKind::Mapping(blocks)) = blocks.map(|own| &own.kind) else {
            return Err(EditError::Unsure);
        };
        let indent = indent_of(self.text, parts.instance);
        let mut body = String::new();
        for entry in blocks {
            body += &self.inlined(entry, &names, indent)?;
        }
        for (Array { indices, .. }, (name, value)) in
            names.array.iter().flat_map(|own| own.expressions.iter().map(move |one| (own, one)))
        {
            let (blanks, value) = (" ".repeat(indent), as_scalar(value));
            body += &format!(
                "{blanks}{name}: {{type: Expression, for: {indices}, expression: {value}}}\n"
            );
        }
        let mut found = self.outside(&parts, &names)?;
        found.push(Replacement { range: lines_of(self.text, parts.instance), text: body });
        found.extend(self.unused(&parts));
        Ok(found)
    }

    fn parts(&self) -> Result<Parts<'_>, EditError> {
        let missing = || EditError::Missing(self.path.join("."));
        let instance = entries::entry(self.tree, self.path).ok_or_else(missing)?;
        let NodeKind::Mapping(fields) = &instance.value.kind else { return Err(missing()) };
        let name = section(fields, "type").and_then(scalar).ok_or_else(missing)?;
        let path = ["diagrams".to_owned(), name.to_owned()];
        let diagram = entries::entry(self.tree, &path)
            .ok_or_else(|| EditError::Missing(format!("diagrams.{name}")))?;
        let NodeKind::Mapping(sections) = &diagram.value.kind else { return Err(missing()) };
        let scope_path = &self.path[..self.path.len().saturating_sub(2)];
        let scope = entries::find(self.tree, scope_path).ok_or_else(missing)?;
        let plain = sections.iter().all(|own| PLAIN.contains(&own.key.value.as_str()));
        // An instance between braces has no lines of its own.
        let line = entries::start_of_line(self.text, instance.key.span.start as usize);
        let alone = self.text[line..instance.key.span.start as usize].trim().is_empty();
        let inside = diagram.span_contains(self.path);
        if !plain || !alone || inside {
            return Err(EditError::Unsure);
        }
        let main = scope_path.is_empty();
        Ok(Parts { instance, fields, name, diagram, sections, scope, main })
    }

    fn names(&self, parts: &Parts) -> Result<Names, EditError> {
        let mut given: BTreeMap<String, String> = BTreeMap::new();
        let mut names = Names::default();
        for field in parts.fields {
            match (field.key.value.as_str(), &field.value.kind) {
                ("type" | "description", _) => {}
                ("for", NodeKind::Mapping(indices)) => {
                    names.array = Some(self.array(parts, &field.value, indices)?);
                }
                ("pass", NodeKind::Sequence(all)) => {
                    let all = all.iter().filter_map(scalar);
                    given.extend(all.map(|name| (name.to_owned(), name.to_owned())));
                }
                (key, _) => drop(given.insert(key.to_owned(), self.written(&field.value))),
            }
        }
        for (kind, default) in [("parameters", "value"), ("inputs", "default")] {
            for (name, own) in listed(section(parts.sections, kind)) {
                let default = own.and_then(|own| match &own.kind {
                    NodeKind::Mapping(all) => section(all, default),
                    _ if own.is_null() => None,
                    _ => Some(own),
                });
                let value = match (given.remove(&name), default) {
                    (Some(value), _) => value,
                    // A default is over the parameters before it.
                    (None, Some(default)) => put(&self.written(default), &names)?,
                    (None, None) => return Err(EditError::Missing(name)),
                };
                names.inside.insert(name, value);
            }
        }
        // Whatever else is given, such as `enabled`, makes more of it than its blocks.
        if let Some(key) = given.into_keys().next() {
            return Err(EditError::More(key));
        }
        let taken = named(parts.scope);
        let instance = parts.instance.key.value.as_str();
        for (name, _) in listed(section(parts.sections, "blocks")) {
            if taken.iter().any(|own| *own == name && own != instance) {
                let other = format!("{instance}_{name}");
                if taken.contains(&other) {
                    return Err(EditError::Taken(other));
                }
                names.inside.insert(name, other);
            } else if names.array.is_some() {
                names.inside.insert(name.clone(), name);
            }
        }
        for (name, own) in listed(section(parts.sections, "outputs")) {
            let value = match own.map(|own| (own, &own.kind)) {
                Some((_, NodeKind::Mapping(all))) => {
                    section(all, "value").map(|own| self.written(own))
                }
                Some((own, _)) if !own.is_null() => Some(self.written(own)),
                _ => None,
            };
            let value = value.unwrap_or_else(|| name.clone());
            let value = names.output(instance, &name, &value, &taken)?;
            names.outputs.insert(name, value);
        }
        Ok(names)
    }

    /// The array that an instance is, if its blocks can be arrays.
    fn array(&self, parts: &Parts, node: &Node, indices: &[Entry]) -> Result<Array, EditError> {
        let NodeKind::Mapping(all) =
            section(parts.sections, "blocks").map(|own| &own.kind).ok_or(EditError::Unsure)?
        else {
            return Err(EditError::Unsure);
        };
        let is_array = |own: &Entry| match &own.value.kind {
            NodeKind::Mapping(fields) => section(fields, "for").is_some(),
            _ => true,
        };
        let indices: Vec<&str> = indices.iter().map(|own| own.key.value.as_str()).collect();
        let kinds = ["parameters", "inputs", "blocks"].iter();
        let mut inner = kinds.flat_map(|kind| listed(section(parts.sections, kind)));
        if all.iter().any(is_array) || inner.any(|own| indices.contains(&own.0.as_str())) {
            return Err(EditError::Unsure);
        }
        Ok(Array {
            indices: self.text[entries::range(node)].to_owned(),
            element: format!("[{}]", indices.join(", ")),
            blocks: all.iter().map(|own| own.key.value.clone()).collect(),
            expressions: Vec::new(),
        })
    }

    /// A value as it is written, without quotes.
    fn written(&self, node: &Node) -> String {
        match &node.kind {
            NodeKind::Scalar(own) => own.value.trim().to_owned(),
            _ => self.text[entries::range(node)].to_owned(),
        }
    }

    /// The lines of a block of the diagram, as they are around the instance.
    fn inlined(&self, entry: &Entry, names: &Names, indent: usize) -> Result<String, EditError> {
        let line = entries::start_of_line(self.text, entry.key.span.start as usize);
        let alone = self.text[line..entry.key.span.start as usize].trim().is_empty();
        let range =
            if alone { lines_of(self.text, entry) } else { entries::whole(self.text, entry) };
        let mut found = Vec::new();
        let key = entry.key.span;
        if let Some(other) = names.inside.get(&entry.key.value) {
            let range = key.start as usize..key.end as usize;
            found.push(Replacement { range, text: other.clone() });
        }
        if let Some(Array { indices, .. }) = &names.array {
            found.push(self.repeated(&entry.value, indices)?);
        }
        self.rewritten(&entry.value, names, &mut found)?;
        found.sort_by_key(|own| own.range.start);
        let mut inner: Vec<Replacement> = Vec::new();
        for own in found {
            let start = own.range.start.checked_sub(range.start).ok_or(EditError::Unsure)?;
            inner.push(Replacement { range: start..own.range.end - range.start, ..own });
        }
        let before = if alone { indent_of(self.text, entry) } else { 0 };
        Ok(indented(&edited(&self.text[range], &inner), before, indent))
    }

    /// A field `for` behind the type of a block.
    fn repeated(&self, block: &Node, indices: &str) -> Result<Replacement, EditError> {
        let NodeKind::Mapping(all) = &block.kind else { return Err(EditError::Unsure) };
        let kind = all.iter().find(|own| own.key.value == "type").ok_or(EditError::Unsure)?;
        let at = entries::whole(self.text, kind).end;
        let between = entries::between(self.text, block, kind);
        Ok(Replacement { range: at..at, text: format!("{between}for: {indices}") })
    }

    /// Writes other names into all expressions below a node.
    fn rewritten(
        &self,
        node: &Node,
        names: &Names,
        found: &mut Vec<Replacement>,
    ) -> Result<(), EditError> {
        match &node.kind {
            NodeKind::Mapping(all) => {
                for entry in all.iter().filter(|own| own.key.value != "type") {
                    match &entry.value.kind {
                        NodeKind::Sequence(items) if entry.key.value == "pass" => {
                            let is_known = |own: &Node| {
                                scalar(own).is_some_and(|own| names.inside.contains_key(own))
                            };
                            if items.iter().any(is_known) {
                                found.push(pass::spelled_out(self.text, node, entry, &|item| {
                                    let value = put(item, names).ok()?;
                                    Some((item.to_owned(), as_scalar(&value)))
                                })?);
                            }
                        }
                        _ => self.rewritten(&entry.value, names, found)?,
                    }
                }
            }
            NodeKind::Sequence(all) => {
                all.iter().try_for_each(|item| self.rewritten(item, names, found))?;
            }
            NodeKind::Scalar(own) => {
                let now = put(&own.value, names)?;
                if now != own.value {
                    let range = entries::range(node);
                    found.push(Replacement { range, text: as_scalar(&now) });
                }
            }
        }
        Ok(())
    }

    /// The mentions of the outputs of the instance.
    fn outside(&self, parts: &Parts, names: &Names) -> Result<Vec<Replacement>, EditError> {
        let instance = &parts.instance.key.value;
        let without: &[&str] = if parts.main { &["diagrams", "functions"] } else { &[] };
        let mut found = Vec::new();
        let mut sure = true;
        scalars(parts.scope, without, instance, &mut |node, scalar| {
            let each: Vec<Mention> = words(&scalar.value, instance).collect();
            let mut inner = Vec::new();
            for own in &each {
                let Some(value) = output(own, &names.outputs) else {
                    sure = false;
                    return;
                };
                let alone = own.whole() == (0..scalar.value.len());
                let text = if alone { value } else { atom(&value) };
                inner.push(Replacement { range: own.whole(), text });
            }
            if !inner.is_empty() {
                let text = as_scalar(&edited(&scalar.value, &inner));
                found.push(Replacement { range: entries::range(node), text });
            }
        });
        if !sure {
            return Err(EditError::Unsure);
        }
        Ok(found)
    }

    /// The diagram, if nothing else is one.
    fn unused(&self, parts: &Parts) -> Option<Replacement> {
        if types(self.tree, parts.name) != 1 {
            return None;
        }
        let diagrams = entries::entry(self.tree, &["diagrams".to_owned()])?;
        let NodeKind::Mapping(all) = &diagrams.value.kind else { return None };
        let entry = if all.len() == 1 { diagrams } else { parts.diagram };
        Some(Replacement { range: lines_of(self.text, entry), text: String::new() })
    }
}

impl Entry {
    /// Whether a path leads into a diagram, which then would contain itself.
    fn span_contains(&self, path: &[String]) -> bool {
        path.first().is_some_and(|own| own == "diagrams") && path.get(1) == Some(&self.key.value)
    }
}

fn section<'e>(all: &'e [Entry], key: &str) -> Option<&'e Node> {
    all.iter().find(|own| own.key.value == key).map(|own| &own.value)
}

fn scalar(node: &Node) -> Option<&str> {
    match &node.kind {
        NodeKind::Scalar(own) => Some(own.value.as_str()),
        _ => None,
    }
}

/// The names of a list or a mapping, with their values.
fn listed(node: Option<&Node>) -> Vec<(String, Option<&Node>)> {
    match node.map(|own| &own.kind) {
        Some(NodeKind::Mapping(all)) => {
            all.iter().map(|own| (own.key.value.clone(), Some(&own.value))).collect()
        }
        Some(NodeKind::Sequence(all)) => {
            all.iter().filter_map(scalar).map(|own| (own.to_owned(), None)).collect()
        }
        _ => Vec::new(),
    }
}

/// What has a name in a diagram.
fn named(scope: &Node) -> Vec<String> {
    let NodeKind::Mapping(all) = &scope.kind else { return Vec::new() };
    let kinds = ["parameters", "inputs", "blocks", "invariants"];
    kinds.iter().flat_map(|kind| listed(section(all, kind))).map(|own| own.0).collect()
}

fn output(own: &Mention, outputs: &BTreeMap<String, String>) -> Option<String> {
    match &own.member {
        Some((member, _)) => outputs.get(member).cloned(),
        None if outputs.len() == 1 => outputs.values().next().cloned(),
        None => None,
    }
}

impl Names {
    /// What an output is called around the instance.
    fn output(
        &mut self,
        instance: &str,
        name: &str,
        value: &str,
        taken: &[String],
    ) -> Result<String, EditError> {
        let Some(array) = &mut self.array else { return put(value, self) };
        let end = value.find('.').unwrap_or(value.len());
        let (block, member) = value.split_at(end);
        let is_name = member.chars().skip(1).all(|c| c.is_alphanumeric() || c == '_');
        if is_name && array.blocks.iter().any(|own| own == block) {
            return Ok(format!("{}{member}", self.inside[block]));
        }
        let own = format!("{instance}_{name}");
        if taken.contains(&own) || array.blocks.contains(&own) {
            return Err(EditError::Taken(own));
        }
        let value = put(value, self)?;
        self.array
            .iter_mut()
            .for_each(|array| array.expressions.push((own.clone(), value.clone())));
        Ok(own)
    }

    /// The array of instances, if the name is that of a block in it.
    fn array_of(&self, name: &str) -> Option<&Array> {
        self.array.as_ref().filter(|array| array.blocks.iter().any(|own| own == name))
    }

    /// What a mention is replaced by.
    fn replaced(&self, written: &str, name: &str, own: &Mention) -> Result<Replacement, EditError> {
        let value = &self.inside[name];
        let Some(array) = self.array_of(name) else {
            return Ok(Replacement { range: own.range.clone(), text: atom(value) });
        };
        let range = own.whole();
        // An element of an element cannot be written.
        if written[range.end..].trim_start().starts_with('[') {
            return Err(EditError::Unsure);
        }
        let member = &written[own.range.end..range.end];
        Ok(Replacement { text: format!("{value}{member}{}", array.element), range })
    }
}

/// An expression with values for names.
fn put(written: &str, names: &Names) -> Result<String, EditError> {
    let whole = written.trim();
    if let Some(value) = names.inside.get(whole).filter(|_| names.array_of(whole).is_none()) {
        return Ok(value.clone());
    }
    let mut found = Vec::new();
    for name in names.inside.keys() {
        for own in words(written, name) {
            found.push(names.replaced(written, name, &own)?);
        }
    }
    found.sort_by_key(|own| own.range.start);
    Ok(edited(written, &found))
}

/// An expression that binds as tightly as a name.
fn atom(value: &str) -> String {
    let simple = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let element = value.strip_suffix(']').and_then(|own| own.split_once('['));
    let is_element = element.is_some_and(|(name, index)| {
        !name.is_empty() && name.chars().all(simple) && !index.contains(['[', ']'])
    });
    let wrapped = value.starts_with('[') && value.ends_with(']') && !value[1..].contains('[');
    if value.chars().all(simple) || is_element || wrapped {
        value.to_owned()
    } else {
        format!("({value})")
    }
}

/// A value as a scalar that may be in brackets.
fn as_scalar(value: &str) -> String {
    let kept = super::value_in_brackets(value);
    // A list for a whole value is one in YAML, too.
    if kept == value || !value.contains('\n') { kept } else { quoted(value) }
}

/// How many blocks are of a type.
fn types(node: &Node, name: &str) -> usize {
    match &node.kind {
        NodeKind::Mapping(all) => all
            .iter()
            .map(|own| match scalar(&own.value) {
                Some(value) if own.key.value == "type" && value == name => 1,
                _ => types(&own.value, name),
            })
            .sum(),
        NodeKind::Sequence(all) => all.iter().map(|own| types(own, name)).sum(),
        NodeKind::Scalar(_) => 0,
    }
}
