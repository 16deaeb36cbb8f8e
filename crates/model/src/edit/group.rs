//! Blocks become a diagram of their own with an instance in their place.
//!
//! What the blocks read from around them becomes inputs and parameters of the diagram, and what is
//! read of them its outputs. Recorded columns keep their names.

use std::collections::BTreeMap;
use std::ops::Range;

use super::mentions::{Mention, mentions};
use super::{EditError, Replacement, edited, entries};
use crate::names;
use crate::yaml::{Entry, Node, NodeKind};

/// What is asked for.
pub(super) struct Group<'g> {
    pub text: &'g str,
    pub tree: &'g Node,
    /// The path of the mapping of blocks.
    pub blocks: &'g [String],
    pub names: &'g [String],
    pub diagram: &'g str,
    pub instance: &'g str,
}

/// What the names around a block are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Signal,
    Parameter,
}

/// What the new diagram has.
#[derive(Default)]
struct Interface {
    /// Names inside, and what an instance gives them.
    inputs: Vec<(String, String)>,
    parameters: Vec<String>,
    /// Names outside, and the expressions inside.
    outputs: BTreeMap<String, String>,
    /// In the text of the blocks.
    inside: Vec<Replacement>,
}

impl Group<'_> {
    /// The replacements, in no order.
    pub fn replacements(&self) -> Result<Vec<Replacement>, EditError> {
        let missing = || EditError::Missing(self.blocks.join("."));
        let scope_path = self.blocks.split_last().ok_or_else(missing)?.1;
        let scope = entries::find(self.tree, scope_path).ok_or_else(missing)?;
        let node = entries::find(self.tree, self.blocks).ok_or_else(missing)?;
        let NodeKind::Mapping(all) = &node.kind else { return Err(missing()) };
        let (chosen, rest): (Vec<&Entry>, Vec<&Entry>) =
            all.iter().partition(|own| self.names.contains(&own.key.value));
        if chosen.is_empty() || chosen.len() < self.names.len() {
            return Err(EditError::Missing(self.names.join(", ")));
        }
        for name in [self.diagram, self.instance] {
            if !names::is_name(name) {
                return Err(EditError::NoName(name.to_owned()));
            }
        }
        let seen = self.seen(scope_path);
        if seen.iter().any(|own| own.0 == self.instance) && !self.is_chosen(self.instance) {
            return Err(EditError::Taken(self.instance.to_owned()));
        }
        let mut own = Interface::default();
        self.read_inside(&chosen, &seen, &mut own);
        let main = scope_path.is_empty();
        let mut found = self.read_outside(scope, main, &rest, &mut own)?;
        if own.outputs.is_empty() {
            let last = self.unread(&chosen);
            own.outputs = last.map(|name| (name.clone(), name.clone())).collect();
        }
        found.extend(self.moved(node, &chosen, &rest, &own)?);
        Ok(found)
    }

    fn is_chosen(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// The names that blocks see, from the outside in.
    fn seen(&self, scope: &[String]) -> Vec<(String, Seen)> {
        let first = if scope.first().is_some_and(|own| own == "diagrams") { 2 } else { 0 };
        let mut found = Vec::new();
        for depth in first.min(scope.len())..=scope.len() {
            let sections = [
                ("parameters", Seen::Parameter),
                ("inputs", Seen::Signal),
                ("invariants", Seen::Signal),
                ("blocks", Seen::Signal),
            ];
            for (section, seen) in sections {
                let path: Vec<String> =
                    scope[..depth].iter().cloned().chain([section.to_owned()]).collect();
                // The parameters of a machine can change while it runs.
                let seen = if depth == first { seen } else { Seen::Signal };
                match entries::find(self.tree, &path).map(|own| &own.kind) {
                    Some(NodeKind::Mapping(all)) => {
                        found.extend(all.iter().map(|own| (own.key.value.clone(), seen)));
                    }
                    Some(NodeKind::Sequence(all)) => {
                        found.extend(all.iter().filter_map(|own| match &own.kind {
                            NodeKind::Scalar(own) => Some((own.value.clone(), seen)),
                            _ => None,
                        }));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// What the chosen blocks read from around them.
    fn read_inside(&self, chosen: &[&Entry], seen: &[(String, Seen)], own: &mut Interface) {
        for (name, what) in seen.iter().filter(|seen| !self.is_chosen(&seen.0)) {
            let read = chosen.iter().flat_map(|entry| mentions(self.text, &entry.value, &[], name));
            for mention in read {
                match (what, &mention.member) {
                    (Seen::Parameter, _) => {
                        if !own.parameters.contains(name) {
                            own.parameters.push(name.clone());
                        }
                    }
                    (Seen::Signal, None) => own.add_input(name, name.clone()),
                    (Seen::Signal, Some((member, _))) => {
                        let inner = format!("{name}_{member}");
                        own.add_input(&inner, format!("{name}.{member}"));
                        own.inside.push(Replacement { range: mention.whole(), text: inner });
                    }
                }
            }
        }
    }

    /// What is read of the chosen blocks around them, and how it is written then.
    fn read_outside(
        &self,
        scope: &Node,
        main: bool,
        rest: &[&Entry],
        own: &mut Interface,
    ) -> Result<Vec<Replacement>, EditError> {
        let NodeKind::Mapping(sections) = &scope.kind else {
            return Err(EditError::Missing(self.blocks.join(".")));
        };
        let mut found = Vec::new();
        let kept = main && record_of(sections).is_none_or(|node| columns(node).is_some());
        for section in sections {
            let key = section.key.value.as_str();
            match key {
                "blocks" => {
                    for entry in rest {
                        found.extend(self.outside(&entry.value, own));
                    }
                }
                "diagrams" | "functions" if main => {}
                // Figures and measures name columns, which keep their names if there is a record.
                "plots" | "sweep" if kept && record_of(sections).is_some() => {}
                "record" | "outputs" => match columns(&section.value) {
                    Some(columns) => found.extend(self.listed(&section.value, &columns, own)),
                    None => found.extend(self.outside(&section.value, own)),
                },
                _ => found.extend(self.outside(&section.value, own)),
            }
        }
        Ok(found)
    }

    fn outside(&self, node: &Node, own: &mut Interface) -> Vec<Replacement> {
        let each = self.names.iter().flat_map(|name| mentions(self.text, node, &[], name));
        let each: Vec<Mention> = each.collect();
        let written = |mention: Mention| {
            let name = &self.text[mention.range.clone()];
            let range = mention.whole();
            Replacement { range, text: self.output(name, mention.member.as_ref(), own) }
        };
        each.into_iter().map(written).collect()
    }

    /// How an output is written outside.
    fn output(&self, name: &str, member: Option<&(String, usize)>, own: &mut Interface) -> String {
        let (outer, inner) = match member {
            Some((member, _)) => (format!("{name}_{member}"), format!("{name}.{member}")),
            None => (name.to_owned(), name.to_owned()),
        };
        own.outputs.insert(outer.clone(), inner);
        format!("{}.{outer}", self.instance)
    }

    /// A list of columns or outputs that become a mapping, so that their names stay.
    fn listed(&self, node: &Node, columns: &[String], own: &mut Interface) -> Option<Replacement> {
        let of = |column: &String| {
            let name = column.split('.').next().unwrap_or(column);
            if !self.is_chosen(name) {
                return column.clone();
            }
            let member = column.split_once('.').map(|own| (own.1.to_owned(), 0));
            self.output(name, member.as_ref(), own)
        };
        let now: Vec<String> = columns.iter().map(of).collect();
        if now == *columns {
            return None;
        }
        let pairs: Vec<String> =
            columns.iter().zip(&now).map(|(name, value)| format!("{name}: {value}")).collect();
        let text = format!("{{{}}}", pairs.join(", "));
        Some(entries::replaced(self.text, node, &text))
    }

    /// The chosen blocks that no other of them reads.
    fn unread<'c>(&self, chosen: &'c [&'c Entry]) -> impl Iterator<Item = &'c String> {
        let text = self.text.to_owned();
        let read = move |name: &str| {
            let others = chosen.iter().filter(|own| own.key.value != name);
            others.flat_map(|own| mentions(&text, &own.value, &[], name)).next().is_some()
        };
        let all = chosen.iter().map(|own| &own.key.value);
        let last: Vec<&String> = all.clone().filter(|name| !read(name)).collect();
        let found = if last.is_empty() { all.collect() } else { last };
        found.into_iter()
    }

    /// The instance in the place of the blocks, and the diagram.
    fn moved(
        &self,
        node: &Node,
        chosen: &[&Entry],
        rest: &[&Entry],
        own: &Interface,
    ) -> Result<Vec<Replacement>, EditError> {
        let text = self.text;
        let instance = self.instance_text(own);
        let mut found = Vec::new();
        let mut bodies = Vec::new();
        if text[node.span.start as usize..].starts_with(['{']) {
            let range = entries::range(node);
            if text[range.clone()].contains('#') {
                return Err(EditError::Unsure);
            }
            let written = |own: &Entry| text[entries::whole(text, own)].to_owned();
            let parts = rest.iter().map(|own| written(own)).chain([instance]);
            let parts = format!("{{{}}}", parts.collect::<Vec<_>>().join(", "));
            found.push(Replacement { range, text: parts });
            for entry in chosen {
                let range = entries::whole(text, entry);
                bodies.push((0, own.inside_of(text, &range)));
            }
        } else {
            for (place, entry) in chosen.iter().enumerate() {
                let range = lines_of(text, entry);
                let indent = indent_of(text, entry);
                bodies.push((indent, own.inside_of(text, &range)));
                let there = match place {
                    0 => format!("{}{instance}\n", " ".repeat(indent)),
                    _ => String::new(),
                };
                found.push(Replacement { range, text: there });
            }
        }
        found.push(self.added(&bodies, own)?);
        Ok(found)
    }

    fn instance_text(&self, own: &Interface) -> String {
        let mut parts = vec![format!("type: {}", self.diagram)];
        parts.extend(own.inputs.iter().map(|(name, value)| format!("{name}: {value}")));
        parts.extend(own.parameters.iter().map(|name| format!("{name}: {name}")));
        format!("{}: {{{}}}", self.instance, parts.join(", "))
    }

    /// The new diagram at the end of the section, which is made if there is none.
    fn added(&self, bodies: &[(usize, String)], own: &Interface) -> Result<Replacement, EditError> {
        let NodeKind::Mapping(sections) = &self.tree.kind else { return Err(EditError::Unsure) };
        let section = sections.iter().find(|own| own.key.value == "diagrams");
        match section.map(|own| (own, &own.value.kind)) {
            Some((_, NodeKind::Mapping(all))) if !all.is_empty() => {
                if all.iter().any(|own| own.key.value == self.diagram) {
                    return Err(EditError::Taken(self.diagram.to_owned()));
                }
                let (first, last) = (&all[0], &all[all.len() - 1]);
                if first.value.in_flow {
                    return Err(EditError::Unsure);
                }
                let at = lines_of(self.text, last).end;
                let before = if self.text[..at].ends_with('\n') { "" } else { "\n" };
                let body = self.diagram_text(bodies, own, indent_of(self.text, first));
                Ok(Replacement { range: at..at, text: format!("{before}{body}") })
            }
            Some(_) => Err(EditError::Unsure),
            None => {
                let blocks = sections.iter().find(|own| own.key.value == "blocks");
                let blocks = blocks.ok_or(EditError::Unsure)?;
                let at = commented(
                    self.text,
                    entries::start_of_line(self.text, blocks.key.span.start as usize),
                );
                let body = self.diagram_text(bodies, own, 2);
                Ok(Replacement { range: at..at, text: format!("diagrams:\n{body}") })
            }
        }
    }

    fn diagram_text(&self, bodies: &[(usize, String)], own: &Interface, indent: usize) -> String {
        let blanks = |more: usize| " ".repeat(indent + more);
        let mut out = format!("{}{}:\n", blanks(0), self.diagram);
        if !own.parameters.is_empty() {
            out += &format!("{}parameters:\n", blanks(2));
            own.parameters.iter().for_each(|name| out += &format!("{}{name}:\n", blanks(4)));
        }
        if !own.inputs.is_empty() {
            let names: Vec<&str> = own.inputs.iter().map(|own| own.0.as_str()).collect();
            out += &format!("{}inputs: [{}]\n", blanks(2), names.join(", "));
        }
        let plain = own.outputs.iter().all(|(name, value)| name == value);
        let parts: Vec<String> = own
            .outputs
            .iter()
            .map(|(name, value)| if plain { name.clone() } else { format!("{name}: {value}") })
            .collect();
        let (open, close) = if plain { ('[', ']') } else { ('{', '}') };
        out += &format!("{}outputs: {open}{}{close}\n", blanks(2), parts.join(", "));
        out += &format!("{}blocks:\n", blanks(2));
        for (before, body) in bodies {
            out += &indented(body, *before, indent + 4);
        }
        out
    }
}

impl Interface {
    fn add_input(&mut self, name: &str, value: String) {
        if !self.inputs.iter().any(|own| own.0 == name) {
            self.inputs.push((name.to_owned(), value));
        }
    }

    /// The text of a block as it is inside.
    fn inside_of(&self, text: &str, range: &Range<usize>) -> String {
        let mut own: Vec<Replacement> = self
            .inside
            .iter()
            .filter(|own| range.start <= own.range.start && own.range.end <= range.end)
            .map(|own| Replacement {
                range: own.range.start - range.start..own.range.end - range.start,
                text: own.text.clone(),
            })
            .collect();
        own.sort_by_key(|own| own.range.start);
        edited(&text[range.clone()], &own)
    }
}

fn record_of(sections: &[Entry]) -> Option<&Node> {
    sections.iter().find(|own| own.key.value == "record").map(|own| &own.value)
}

/// The columns of a list of names.
fn columns(node: &Node) -> Option<Vec<String>> {
    let NodeKind::Sequence(all) = &node.kind else { return None };
    let name = |own: &Node| match &own.kind {
        NodeKind::Scalar(own) if names::is_path(&own.value) => Some(own.value.clone()),
        _ => None,
    };
    all.iter().map(name).collect()
}

/// The blanks before an entry.
pub(super) fn indent_of(text: &str, entry: &Entry) -> usize {
    let start = entry.key.span.start as usize;
    start - entries::start_of_line(text, start)
}

/// The lines of an entry, with the comments right above it.
pub(super) fn lines_of(text: &str, entry: &Entry) -> Range<usize> {
    let range = entries::whole(text, entry);
    let start = commented(text, entries::start_of_line(text, range.start));
    start..entries::end_of_line(text, range.end)
}

/// The start of the comments right above a line.
fn commented(text: &str, mut start: usize) -> usize {
    while start > 0 {
        let above = entries::start_of_line(text, start - 1);
        // The first line of a file says what the file is.
        if above == 0 || !text[above..start].trim_start().starts_with('#') {
            break;
        }
        start = above;
    }
    start
}

/// Lines with other blanks before them.
pub(super) fn indented(body: &str, before: usize, after: usize) -> String {
    let mut out = String::new();
    for line in body.lines() {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let line = &line[blanks.min(before)..];
        if !line.is_empty() {
            out += &" ".repeat(after);
        }
        out += line;
        out.push('\n');
    }
    out
}
