//! What is recorded, and how a model is run.

use std::collections::HashMap;

use base::{Diagnostic, Span, Spanned};

use crate::fields::{Context, get};
use crate::names;
use crate::yaml::{Entry, Node, NodeKind};
use crate::{Record, RunSetting, Simulate, Written};

/// The columns to record: a list of expressions, each named by its own text, or a mapping of names
/// to expressions.
pub(crate) fn record(context: &mut Context, node: &Node) -> Vec<Record> {
    let mut found = Vec::new();
    match &node.kind {
        NodeKind::Sequence(items) => {
            let mut seen: HashMap<String, Span> = HashMap::new();
            for item in items {
                let Some(value) = context.expression(item) else { continue };
                let name = match &item.kind {
                    // A call is named as it was written, not by what it stands for.
                    NodeKind::Scalar(scalar) if context.functions.are_called(&scalar.value) => {
                        scalar.value.split_whitespace().collect::<Vec<_>>().join(" ")
                    }
                    _ => value.to_string(),
                };
                match seen.get(&name) {
                    Some(first) => context.report.push(recorded_twice(&name, item.span, *first)),
                    None => {
                        seen.insert(name.clone(), item.span);
                        found.push(Record { name, value });
                    }
                }
            }
        }
        NodeKind::Mapping(entries) => {
            for entry in entries {
                if !names::is_path(&entry.key.value) {
                    context.report.push(names::malformed(&entry.key, "a recorded column"));
                }
                let name = entry.key.value.clone();
                found.extend(context.field(entry).map(|value| Record { name, value }));
            }
        }
        _ if node.is_null() => {}
        _ => {
            let expected = "a list or a mapping";
            context.unexpected(node, "`record`", expected, "record: [y, v]");
        }
    }
    found
}

fn recorded_twice(name: &str, again: Span, first: Span) -> Diagnostic {
    Diagnostic::error("duplicate-name", format!("`{name}` is recorded twice"))
        .at(again, "again here")
        .at(first, "first here")
}

/// The section `simulate`.
pub(crate) fn simulate(context: &mut Context, node: &Node) -> Simulate {
    let entries = context.mapping(node, "`simulate`", "simulate: {stop: 10}");
    let keys: Vec<&str> = RunSetting::ALL.iter().map(|setting| setting.key()).collect();
    context.check_keys(entries, &keys, "`simulate`");
    let mut simulate = Simulate::default();
    for setting in RunSetting::ALL {
        let Some(entry) = get(entries, setting.key()) else { continue };
        let written = match setting.kind().is_word() {
            true => word(context, *setting, entry).map(Written::Word),
            false => context.field(entry).map(Written::Value),
        };
        if let Some(written) = written {
            simulate.section.set(*setting, written);
        }
    }
    simulate
}

fn word(context: &mut Context, setting: RunSetting, entry: &Entry) -> Option<Spanned<String>> {
    let word = context.word(entry, &format!("`{}`", setting.key()))?;
    if let Some(error) = setting.wrong_word(&word) {
        context.report.push(error);
    }
    Some(word)
}
