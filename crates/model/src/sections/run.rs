//! What is recorded, and how a model is run.

use std::collections::HashMap;

use base::{Diagnostic, Span, Spanned, did_you_mean};

use crate::fields::{Context, get};
use crate::names;
use crate::yaml::{Entry, Node, NodeKind};
use crate::{Record, Simulate};

/// The fields of the section `simulate`.
pub const SIMULATE_KEYS: [&str; 17] = [
    "start",
    "stop",
    "solver",
    "tolerance",
    "relative_tolerance",
    "absolute_tolerance",
    "step",
    "initial_step",
    "maximum_step",
    "every",
    "times",
    "rows",
    "seed",
    "microsteps",
    "maximum_blocks",
    "zeno",
    "impulses",
];

/// The columns to record: a list of expressions, each named by its own text, or a mapping of names
/// to expressions.
pub(crate) fn record(context: &mut Context, node: &Node) -> Vec<Record> {
    let mut found = Vec::new();
    match &node.kind {
        NodeKind::Sequence(items) => {
            let mut seen: HashMap<String, Span> = HashMap::new();
            for item in items {
                let Some(value) = context.expression(item) else { continue };
                let name = value.to_string();
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
    context.check_keys(entries, &SIMULATE_KEYS, "`simulate`");
    let mut value = |key: &str| get(entries, key).and_then(|entry| context.field(entry));
    let mut simulate = Simulate {
        start: value("start"),
        stop: value("stop"),
        tolerance: value("tolerance"),
        relative_tolerance: value("relative_tolerance"),
        absolute_tolerance: value("absolute_tolerance"),
        step: value("step"),
        initial_step: value("initial_step"),
        maximum_step: value("maximum_step"),
        every: value("every"),
        times: value("times"),
        seed: value("seed"),
        microsteps: value("microsteps"),
        maximum_blocks: value("maximum_blocks"),
        solver: None,
        rows: None,
        zeno: None,
        impulses: None,
    };
    simulate.solver = get(entries, "solver").and_then(|entry| context.word(entry, "`solver`"));
    let words = ["instants", "microsteps"];
    simulate.rows = get(entries, "rows").and_then(|e| one_of(context, e, &words));
    simulate.zeno = get(entries, "zeno").and_then(|e| one_of(context, e, &["error", "stop"]));
    let words = ["symbolic", "stepped", "numeric"];
    simulate.impulses = get(entries, "impulses").and_then(|e| one_of(context, e, &words));
    simulate
}

fn one_of(context: &mut Context, entry: &Entry, words: &[&str]) -> Option<Spanned<String>> {
    let key = &entry.key.value;
    let word = context.word(entry, &format!("`{key}`"))?;
    if !words.contains(&word.value.as_str()) {
        let message = format!("`{key}` cannot be `{}`", word.value);
        let near = did_you_mean(&word.value, words.iter().copied());
        let help = near.unwrap_or_else(|| format!("write one of {}", words.join(", ")));
        context
            .report
            .push(Diagnostic::error("unknown-word", message).at(word.span, "").help(help));
    }
    Some(word)
}
