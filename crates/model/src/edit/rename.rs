//! A name is changed where it is given and everywhere it is mentioned.

use super::mentions::mentions;
use super::{EditError, Replacement, entries, pass};
use crate::names;
use crate::yaml::{Entry, Node, NodeKind};

/// What is asked for.
pub(super) struct Rename<'r> {
    pub text: &'r str,
    pub tree: &'r Node,
    /// The path of what is renamed; an input in a list is named by its index.
    pub path: &'r [String],
    pub to: &'r str,
}

impl Rename<'_> {
    /// The replacements, in no order.
    pub fn replacements(&self) -> Result<Vec<Replacement>, EditError> {
        if !names::is_name(self.to) {
            return Err(EditError::NoName(self.to.to_owned()));
        }
        let missing = || EditError::Missing(self.path.join("."));
        let (_, before) = self.path.split_last().ok_or_else(missing)?;
        let (section, scope) = before.split_last().ok_or_else(missing)?;
        let node = self.given().ok_or_else(missing)?;
        let name = node.1.as_str();
        let mut found = vec![self.put(node.0.clone())];
        let around = entries::find(self.tree, scope).ok_or_else(missing)?;
        match section.as_str() {
            "diagrams" if scope.is_empty() => {
                self.free(around, &["diagrams"])?;
                self.types(self.tree, name, &mut found);
            }
            "states" if is_of_type(around, "Modal") => {
                self.free(around, &["states"])?;
                self.state(around, name, scope, &mut found);
            }
            _ => {
                self.free(around, &["blocks", "parameters", "inputs", "functions", "invariants"])?;
                let main = scope.is_empty();
                let without: &[&str] = if main { &["diagrams", "functions"] } else { &[] };
                self.mentioned(around, without, name, &mut found)?;
                self.keys(around, name, main, &mut found);
                let interface = ["parameters", "inputs"].contains(&section.as_str());
                if let ([first, diagram], true) = (scope, interface)
                    && first == "diagrams"
                {
                    self.fields(self.tree, diagram, name, &mut found)?;
                }
            }
        }
        Ok(found)
    }

    /// All mentions of a name. A block to which it is passed keeps the name of its field.
    fn mentioned(
        &self,
        around: &Node,
        without: &[&str],
        name: &str,
        found: &mut Vec<Replacement>,
    ) -> Result<(), EditError> {
        let mut passed = Vec::new();
        pass::lists(around, name, &mut passed);
        for own in mentions(self.text, around, without, name) {
            let within = |(_, entry): &&(&Node, &Entry)| {
                entries::range(&entry.value).contains(&own.range.start)
            };
            found.push(match passed.iter().find(within) {
                Some((block, entry)) => pass::spelled_out(self.text, block, entry, &|item| {
                    (item == name).then(|| (name.to_owned(), self.to.to_owned()))
                })?,
                None => self.put(own.range),
            });
        }
        Ok(())
    }

    fn put(&self, range: std::ops::Range<usize>) -> Replacement {
        Replacement { range, text: self.to.to_owned() }
    }

    /// Where the name is given, and the name.
    fn given(&self) -> Option<(std::ops::Range<usize>, String)> {
        if let Some(entry) = entries::entry(self.tree, self.path) {
            let span = entry.key.span;
            return Some((span.start as usize..span.end as usize, entry.key.value.clone()));
        }
        let before = &self.path[..self.path.len() - 1];
        let listed = before.last().is_some_and(|own| own == "inputs");
        let node = entries::find(self.tree, self.path).filter(|_| listed)?;
        match &node.kind {
            NodeKind::Scalar(own) => Some((own.verbatim.clone()?, own.value.clone())),
            _ => None,
        }
    }

    /// Refuses a name that something else in these sections has.
    fn free(&self, around: &Node, sections: &[&str]) -> Result<(), EditError> {
        let NodeKind::Mapping(all) = &around.kind else { return Ok(()) };
        let has = |section: &&Entry| match &section.value.kind {
            NodeKind::Mapping(all) => all.iter().any(|own| own.key.value == self.to),
            NodeKind::Sequence(all) => all
                .iter()
                .any(|own| matches!(&own.kind, NodeKind::Scalar(own) if own.value == self.to)),
            NodeKind::Scalar(_) => false,
        };
        let taken = all
            .iter()
            .filter(|own| sections.contains(&own.key.value.as_str()))
            .any(|own| has(&own));
        if taken { Err(EditError::Taken(self.to.to_owned())) } else { Ok(()) }
    }

    /// The blocks of a type.
    fn types(&self, node: &Node, name: &str, found: &mut Vec<Replacement>) {
        match &node.kind {
            NodeKind::Mapping(all) => {
                for entry in all {
                    match &entry.value.kind {
                        NodeKind::Scalar(own) if entry.key.value == "type" && own.value == name => {
                            found.extend(own.verbatim.clone().map(|range| self.put(range)));
                        }
                        _ => self.types(&entry.value, name, found),
                    }
                }
            }
            NodeKind::Sequence(all) => all.iter().for_each(|own| self.types(own, name, found)),
            NodeKind::Scalar(_) => {}
        }
    }

    /// A state where its machine and the diagram around that name it.
    fn state(&self, machine: &Node, name: &str, scope: &[String], found: &mut Vec<Replacement>) {
        named(machine, &["to", "initial", "like"], name, &mut |range| found.push(self.put(range)));
        let Some((block, above)) = scope.split_last() else { return };
        let outer = above.split_last().map_or(above, |own| own.1);
        let Some(around) = entries::find(self.tree, outer) else { return };
        let without: &[&str] = if outer.is_empty() { &["diagrams"] } else { &[] };
        for own in mentions(self.text, around, without, block) {
            if let Some((member, end)) = own.member
                && member == name
            {
                found.push(self.put(end - member.len()..end));
            }
        }
    }

    /// Keys that name a signal or a parameter: what transitions set, and what a sweep varies.
    fn keys(&self, node: &Node, name: &str, main: bool, found: &mut Vec<Replacement>) {
        let NodeKind::Mapping(all) = &node.kind else {
            if let NodeKind::Sequence(all) = &node.kind {
                all.iter().for_each(|own| self.keys(own, name, false, found));
            }
            return;
        };
        for entry in all {
            let key = entry.key.value.as_str();
            if main && key == "diagrams" {
                continue;
            }
            match &entry.value.kind {
                NodeKind::Mapping(inner) if key == "set" => self.first_words(inner, name, found),
                NodeKind::Mapping(inner) if main && key == "sweep" => {
                    let varied = inner.iter().find(|own| own.key.value == "parameters");
                    if let Some(NodeKind::Mapping(varied)) = varied.map(|own| &own.value.kind) {
                        self.first_words(varied, name, found);
                    }
                }
                _ => self.keys(&entry.value, name, false, found),
            }
        }
    }

    /// Keys whose first word is the name.
    fn first_words(&self, all: &[Entry], name: &str, found: &mut Vec<Replacement>) {
        for own in all {
            let key = own.key.value.as_str();
            let rest =
                key.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('.'));
            let start = own.key.span.start as usize;
            if rest.is_some() && self.text[start..].starts_with(name) {
                found.push(self.put(start..start + name.len()));
            }
        }
    }

    /// The fields of the instances of a diagram.
    fn fields(
        &self,
        node: &Node,
        diagram: &str,
        name: &str,
        found: &mut Vec<Replacement>,
    ) -> Result<(), EditError> {
        let mut passed = Vec::new();
        pass::lists(node, name, &mut passed);
        for (block, entry) in passed.into_iter().filter(|own| is_of_type(own.0, diagram)) {
            found.push(pass::spelled_out(self.text, block, entry, &|item| {
                (item == name).then(|| (self.to.to_owned(), name.to_owned()))
            })?);
        }
        self.written_fields(node, diagram, name, found);
        Ok(())
    }

    fn written_fields(&self, node: &Node, diagram: &str, name: &str, found: &mut Vec<Replacement>) {
        match &node.kind {
            NodeKind::Mapping(all) => {
                let field = all.iter().find(|own| own.key.value == name);
                if let Some(field) = field.filter(|_| is_of_type(node, diagram)) {
                    let span = field.key.span;
                    found.push(self.put(span.start as usize..span.end as usize));
                }
                all.iter().for_each(|own| self.written_fields(&own.value, diagram, name, found));
            }
            NodeKind::Sequence(all) => {
                all.iter().for_each(|own| self.written_fields(own, diagram, name, found));
            }
            NodeKind::Scalar(_) => {}
        }
    }
}

fn is_of_type(node: &Node, name: &str) -> bool {
    let NodeKind::Mapping(all) = &node.kind else { return false };
    all.iter().any(|own| {
        own.key.value == "type"
            && matches!(&own.value.kind, NodeKind::Scalar(own) if own.value == name)
    })
}

/// Visits the values of some keys that are a name.
fn named(node: &Node, keys: &[&str], name: &str, visit: &mut dyn FnMut(std::ops::Range<usize>)) {
    match &node.kind {
        NodeKind::Mapping(all) => {
            for entry in all {
                match &entry.value.kind {
                    NodeKind::Scalar(own)
                        if keys.contains(&entry.key.value.as_str()) && own.value == name =>
                    {
                        own.verbatim.clone().into_iter().for_each(&mut *visit);
                    }
                    // A machine inside has states of its own.
                    _ if is_of_type(&entry.value, "Modal") => {}
                    _ => named(&entry.value, keys, name, visit),
                }
            }
        }
        NodeKind::Sequence(all) => all.iter().for_each(|own| named(own, keys, name, visit)),
        NodeKind::Scalar(_) => {}
    }
}
