//! A state machine: states with diagrams of their own, and the transitions between them.

use std::collections::BTreeSet;

use base::{Diagnostic, Span, Spanned};

use crate::fields::{Context, get};
use crate::machine_fields::{MODAL_FIELDS, STATE_FIELDS, TRANSITION_FIELDS};
use crate::names;
use crate::sections::diagram::{content, parameters};
use crate::yaml::{Entry, Node, NodeKind};
use crate::{Diagram, Held, Modal, Named, State, Transition};

/// The content of a block of type `Modal`.
pub(crate) fn modal(context: &mut Context, name: &Spanned<String>, entries: &[Entry]) -> Modal {
    context.check_keys(entries, &MODAL_FIELDS.map(|field| field.name), "a Modal");
    if let Some(entry) = get(entries, "description") {
        context.word(entry, "a description");
    }
    let given = get(entries, "parameters");
    let given = given.map_or(Vec::new(), |entry| parameters(context, &entry.value));
    let own = Diagram::of_parameters(name.clone(), given);
    let outputs = get(entries, "outputs").map(|entry| outputs(context, &entry.value));
    let initial = get(entries, "initial").and_then(|entry| context.word(entry, "`initial`"));
    let states = match get(entries, "states") {
        Some(entry) => {
            let example = "states: {off: {}, on: {}}";
            let states = context.mapping(&entry.value, "`states`", example);
            states.iter().map(|entry| state(context, entry)).collect()
        }
        None => Vec::new(),
    };
    if states.is_empty() {
        let message = format!("`{}` has no states", name.value);
        let help = "add `states:` with one or more, as in `states: {off: {}, on: {}}`";
        context
            .report
            .push(Diagnostic::error("missing-states", message).at(name.span, "a Modal").help(help));
    }
    let mut modal = Modal { own, outputs, initial, held: Vec::new(), states };
    if let Some(entry) = get(entries, "hold") {
        modal.held = match &entry.value.kind {
            NodeKind::Scalar(_) => match context.flag(entries, "hold") {
                Some(span) => all_held(&modal, span),
                None => Vec::new(),
            },
            _ => held(context, &entry.value),
        };
    }
    modal
}

/// Every output of a machine, held.
fn all_held(modal: &Modal, span: Span) -> Vec<Held> {
    let names: BTreeSet<&str> = modal.named_outputs().iter().map(|name| &*name.value).collect();
    let held = |name: &str| Held { name: Spanned::new(name.to_owned(), span), initial: None };
    names.into_iter().map(held).collect()
}

/// Outputs to hold: a list of them, or a mapping to their first values.
pub(super) fn held(context: &mut Context, node: &Node) -> Vec<Held> {
    if let NodeKind::Mapping(entries) = &node.kind {
        let held = entries.iter().map(|entry| {
            context.report.keep(names::check(&entry.key, "an output"));
            Held { name: entry.key.clone(), initial: context.field(entry) }
        });
        return held.collect();
    }
    let names = outputs(context, node);
    names.into_iter().map(|name| Held { name, initial: None }).collect()
}

fn outputs(context: &mut Context, node: &Node) -> Vec<Spanned<String>> {
    let items = context.list(node, "the `outputs` of a Modal", "outputs: [y]");
    let mut found = Vec::new();
    for item in items {
        let NodeKind::Scalar(scalar) = &item.kind else {
            context.unexpected(item, "an output", "a name", "[y]");
            continue;
        };
        let name = Spanned::new(scalar.value.clone(), item.span);
        context.report.keep(names::check(&name, "an output"));
        found.push(name);
    }
    found
}

fn state(context: &mut Context, entry: &Entry) -> State {
    if names::is_digits(&entry.key.value) {
        let error = names::malformed(&entry.key, "a state");
        context
            .report
            .push(error.help(format!("put a letter before it, as in `s{}`", entry.key.value)));
    } else {
        context.report.keep(names::check_form(&entry.key, "a state"));
    }
    let entries = context.mapping(&entry.value, "a state", "free: {blocks: ..., transitions: []}");
    context.check_keys(entries, &STATE_FIELDS.map(|field| field.name), "a state");
    if let Some(entry) = get(entries, "description") {
        context.word(entry, "a description");
    }
    let content: Diagram = content(context, entries, entry.key.clone());
    let transitions = match get(entries, "transitions") {
        Some(entry) => {
            let example = "transitions: [{to: on, when: x > 1}]";
            let items = context.list(&entry.value, "`transitions`", example);
            items.iter().filter_map(|item| transition(context, item)).collect()
        }
        None => Vec::new(),
    };
    State {
        name: entry.key.clone(),
        like: get(entries, "like").and_then(|entry| context.word(entry, "`like`")),
        last: context.flag(entries, "final").is_some(),
        content,
        transitions,
    }
}

fn transition(context: &mut Context, node: &Node) -> Option<Transition> {
    const EXAMPLE: &str = "{to: on, when: x > 1}";
    let NodeKind::Mapping(entries) = &node.kind else {
        context.unexpected(node, "a transition", "a mapping", EXAMPLE);
        return None;
    };
    context.check_keys(entries, &TRANSITION_FIELDS.map(|field| field.name), "a transition");
    let Some(to) = get(entries, "to") else {
        let message = "a transition does not say where it leads";
        context.report.push(
            Diagnostic::error("missing-field", message)
                .at(first(node, entries), "")
                .help(format!("write `to` with the name of a state, as in `{EXAMPLE}`")),
        );
        return None;
    };
    let to = context.word(to, "`to`")?;
    let mut expression = |key: &str| get(entries, key).and_then(|entry| context.field(entry));
    let (guard, after) = (expression("when"), expression("after"));
    let priority = expression("priority");
    let set = actions(context, entries, "set");
    let output = actions(context, entries, "output");
    let mut flag = |key: &str| context.flag(entries, key);
    Some(Transition {
        span: first(node, entries),
        to,
        guard,
        after,
        priority,
        set,
        output,
        history: flag("history").is_some(),
        immediate: flag("immediate"),
        preemptive: flag("preemptive"),
        default: flag("default"),
        nondeterministic: flag("nondeterministic").is_some(),
        error: flag("error"),
    })
}

/// The span of a transition: its first entry.
fn first(node: &Node, entries: &[Entry]) -> Span {
    entries.first().map_or(node.span, |entry| Span { end: entry.value.span.end, ..entry.key.span })
}

fn actions(context: &mut Context, entries: &[Entry], key: &str) -> Vec<Named> {
    let Some(entry) = get(entries, key) else { return Vec::new() };
    let example = format!("{key}: {{v: -0.8 * v}}");
    let mut found = Vec::new();
    for entry in context.mapping(&entry.value, &format!("`{key}`"), &example) {
        if !names::is_path(&entry.key.value) {
            context.report.push(names::malformed(&entry.key, "what is set"));
            continue;
        }
        let value = context.field(entry);
        found.extend(value.map(|value| Named { name: entry.key.clone(), value }));
    }
    found
}
