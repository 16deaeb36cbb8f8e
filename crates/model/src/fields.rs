//! Reads values from nodes: known keys, lists, mappings, texts and expressions.

use std::sync::Arc;

use base::{Diagnostic, Span, Spanned, did_you_mean};
use expr::{Expr, ExprKind, Functions, Place};

use crate::names;
use crate::refused::Report;
use crate::yaml::{Entry, Node, NodeKind, Scalar};

/// The context for reading a file: its text, the functions that it defines, and the report of
/// mistakes.
pub(crate) struct Context<'a> {
    pub text: &'a str,
    pub functions: Arc<Functions>,
    pub report: &'a mut Report,
}

impl<'a> Context<'a> {
    /// The context of a file of which nothing has been read yet.
    pub fn new(text: &'a str, report: &'a mut Report) -> Self {
        Context { text, functions: Arc::default(), report }
    }

    /// Reports unknown keys.
    pub fn check_keys(&mut self, entries: &[Entry], known: &[&str], what: &str) {
        for Entry { key, .. } in entries {
            if !known.contains(&key.value.as_str()) {
                let message = format!("{what} has no field `{}`", key.value);
                let near = did_you_mean(&key.value, known.iter().copied());
                let all = format!("the fields are: {}", known.join(", "));
                self.report.push(
                    Diagnostic::error("unknown-field", message)
                        .at(key.span, "")
                        .help(near.unwrap_or(all)),
                );
            }
        }
    }

    /// The entries of a mapping; none if the value is missing.
    pub fn mapping<'n>(&mut self, node: &'n Node, what: &str, example: &str) -> &'n [Entry] {
        if let NodeKind::Mapping(entries) = &node.kind {
            return entries;
        }
        self.unexpected_unless_null(node, what, "a mapping", example);
        &[]
    }

    /// The items of a list; none if the value is missing.
    pub fn list<'n>(&mut self, node: &'n Node, what: &str, example: &str) -> &'n [Node] {
        if let NodeKind::Sequence(items) = &node.kind {
            return items;
        }
        self.unexpected_unless_null(node, what, "a list", example);
        &[]
    }

    fn unexpected_unless_null(&mut self, node: &Node, what: &str, expected: &str, example: &str) {
        if !node.is_null() {
            self.unexpected(node, what, expected, example);
        }
    }

    /// Reports a value of the wrong kind.
    pub fn unexpected(&mut self, node: &Node, what: &str, expected: &str, example: &str) {
        let message = format!("{what} is {expected}, not {}", node.describe());
        self.report.push(
            Diagnostic::error("wrong-kind", message)
                .at(first_line(self.text, node.span), "")
                .help(format!("write it like `{example}`")),
        );
    }

    /// The span of a key whose value is `true`; `None` if it is `false` or missing.
    pub fn flag(&mut self, entries: &[Entry], key: &str) -> Option<Span> {
        let entry = get(entries, key)?;
        match &entry.value.kind {
            NodeKind::Scalar(scalar) if scalar.value == "true" => Some(entry.key.span),
            NodeKind::Scalar(scalar) if scalar.value == "false" => None,
            NodeKind::Scalar(scalar) if !entry.value.is_null() => {
                let message = format!("`{key}` is `true` or `false`, not `{}`", scalar.value);
                let error = Diagnostic::error("wrong-kind", message).at(entry.value.span, "");
                self.report.push(error.help(format!("write it like `{key}: true`")));
                None
            }
            _ => {
                let example = format!("{key}: true");
                self.unexpected(&entry.value, &format!("`{key}`"), "`true` or `false`", &example);
                None
            }
        }
    }

    /// A text that is not an expression: a name, a description, a path.
    pub fn word(&mut self, entry: &Entry, what: &str) -> Option<Spanned<String>> {
        let found = match &entry.value.kind {
            _ if entry.value.is_null() => {
                self.missing_value(&entry.key);
                return None;
            }
            NodeKind::Scalar(scalar) => scalar.value.trim().to_owned(),
            _ => {
                let example = format!("{}: text", entry.key.value);
                self.unexpected(&entry.value, what, "a single value", &example);
                return None;
            }
        };
        Some(Spanned::new(found, entry.value.span))
    }

    /// Reports a key without a value.
    pub fn missing_value(&mut self, key: &Spanned<String>) {
        let message = format!("`{}` has no value", key.value);
        self.report.push(Diagnostic::error("missing-value", message).at(key.span, ""));
    }

    /// The expression that is the value of a key.
    pub fn field(&mut self, entry: &Entry) -> Option<Expr> {
        if entry.value.is_null() {
            // YAML reads `{x: min(a, b)}` as the keys `x: min(a` and `b)`.
            if entry.value.in_flow && !names::is_name(&entry.key.value) {
                return None;
            }
            self.missing_value(&entry.key);
            return None;
        }
        self.expression(&entry.value)
    }

    /// A scalar as an expression, a list as a vector, a list of lists as a matrix. The recursion is
    /// bounded because the depth of the tree is.
    pub fn expression(&mut self, node: &Node) -> Option<Expr> {
        match &node.kind {
            NodeKind::Scalar(scalar) => {
                let parsed = self.scalar(scalar, node);
                self.report.keep(parsed)
            }
            NodeKind::Sequence(items) => {
                let parsed: Vec<_> = items.iter().map(|item| self.expression(item)).collect();
                let items = parsed.into_iter().collect::<Option<Vec<_>>>()?;
                Some(Expr { kind: ExprKind::Vector(items), span: node.span })
            }
            NodeKind::Mapping(_) => {
                let message = "a mapping cannot be used here";
                self.report.push(
                    Diagnostic::error("wrong-kind", message)
                        .at(first_line(self.text, node.span), "an expression is expected")
                        .help("write a number, a name, an expression, or a list of them"),
                );
                None
            }
        }
    }

    /// The text of a scalar, and where the file has it.
    pub fn written<'s>(&'s self, scalar: &'s Scalar, node: &Node) -> (&'s str, Place) {
        let raw = scalar.verbatim.clone().and_then(|at| Some((at.start, self.text.get(at)?)));
        match raw {
            Some((start, raw)) => (raw, Place::Verbatim(node.span.file, start)),
            None => (&scalar.value, Place::Whole(node.span)),
        }
    }

    fn scalar(&self, scalar: &Scalar, node: &Node) -> Result<Expr, Diagnostic> {
        let (text, place) = self.written(scalar, node);
        expr::parse_with(text, place, &self.functions).map_err(|diagnostic| {
            let count = |c| scalar.value.matches(c).count();
            if scalar.plain && node.in_flow && count('(') > count(')') {
                return diagnostic.help(
                    "inside `{ }` and `[ ]` a comma ends a value: put the expression in quotes",
                );
            }
            diagnostic
        })
    }
}

/// The entry with a key.
pub(crate) fn get<'n>(entries: &'n [Entry], key: &str) -> Option<&'n Entry> {
    entries.iter().find(|entry| entry.key.value == key)
}

/// The part of a span on its first line, so that a message does not show a whole section.
fn first_line(text: &str, span: Span) -> Span {
    let words = text.get(span.start as usize..span.end as usize).unwrap_or("");
    let length = words.lines().next().map_or(0, |line| line.trim_end().len());
    Span { end: span.start + length as u32, ..span }
}
