//! A system of differential equations: a diagram that is written where it is used, with an
//! `Integrator` for each state.

use base::{Diagnostic, Spanned};
use expr::{Expr, ExprKind};

use crate::fields::{Context, get};
use crate::forms::{RATE_FIELDS, SYSTEM_FIELDS};
use crate::names;
use crate::sections::blocks::field_name;
use crate::sections::diagram::{check_unique, with_inputs};
use crate::yaml::{Entry, NodeKind};
use crate::{About, Block, Diagram, Held, Input, Named, Output};

/// What the fields of a `DifferentialSystem` say.
pub(super) struct System {
    pub content: Diagram,
    /// Its inputs, and whether it is enabled.
    pub fields: Vec<Named>,
    pub held: Option<Vec<Held>>,
}

const EXAMPLE: &str = "states: {x: {rate: -x, initial: 1}}";

/// The content of a block of type `DifferentialSystem`.
pub(super) fn system(context: &mut Context, name: &Spanned<String>, entries: &[Entry]) -> System {
    context.check_keys(entries, &SYSTEM_FIELDS.map(|field| field.name), "a DifferentialSystem");
    if let Some(entry) = get(entries, "description") {
        context.word(entry, "a description");
    }
    let mut fields = inputs(context, entries);
    let input =
        |field: &Named| Input { name: field.name.clone(), default: None, about: About::default() };
    let inputs: Vec<Input> = fields.iter().map(input).collect();
    let blocks = states(context, name, entries);
    let sections = with_inputs(context, entries, name.clone(), inputs);
    let mut content = Diagram { blocks, ..sections };
    if get(entries, "outputs").is_none() {
        content.outputs = content.blocks.iter().map(|state| output(&state.name)).collect();
    }
    check_unique(context, &content, |_| "a state");
    let held = condition(context, entries, &mut fields);
    System { content, fields, held }
}

fn inputs(context: &mut Context, entries: &[Entry]) -> Vec<Named> {
    let Some(entry) = get(entries, "inputs") else { return Vec::new() };
    let mut found = Vec::new();
    for entry in context.mapping(&entry.value, "`inputs` of a system", "inputs: {u: force / m}") {
        context.report.keep(names::check(&entry.key, "an input"));
        context.report.keep(field_name(entry));
        let value = context.field(entry);
        found.extend(value.map(|value| Named { name: entry.key.clone(), value }));
    }
    found
}

fn states(context: &mut Context, name: &Spanned<String>, entries: &[Entry]) -> Vec<Block> {
    let node = get(entries, "states").map(|entry| &entry.value);
    let states = node.map_or(&[][..], |node| context.mapping(node, "`states`", EXAMPLE));
    if states.is_empty() && node.is_none_or(|node| node.is_null() || is_mapping(&node.kind)) {
        let message = format!("`{}` has no states", name.value);
        let error = Diagnostic::error("missing-states", message);
        let help = format!("add one or more with their rates, as in `{EXAMPLE}`");
        context.report.push(error.at(name.span, "a DifferentialSystem").help(help));
    }
    states.iter().map(|entry| state(context, entry)).collect()
}

fn is_mapping(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Mapping(_))
}

/// The integrator of a state: a rate, or a mapping that says more.
fn state(context: &mut Context, entry: &Entry) -> Block {
    context.report.keep(names::check(&entry.key, "a state"));
    let mut fields = Vec::new();
    match &entry.value.kind {
        NodeKind::Mapping(entries) => {
            context.check_keys(entries, &RATE_FIELDS.map(|field| field.name), "a state");
            if get(entries, "rate").is_none() {
                let message = format!("the state `{}` has no rate", entry.key.value);
                let error = Diagnostic::error("missing-field", message).at(entry.key.span, "");
                context.report.push(error.help("say how fast it changes, as in `rate: -x`"));
            }
            for entry in entries {
                let (name, value) = (entry.key.clone(), context.field(entry));
                let name = if name.value == "rate" { rate(&entry.key) } else { name };
                fields.extend(value.map(|value| Named { name, value }));
            }
        }
        _ => {
            let value = context.field(entry);
            fields.extend(value.map(|value| Named { name: rate(&entry.key), value }));
        }
    }
    Block {
        file: None,
        name: entry.key.clone(),
        kind: Spanned::new("Integrator".to_owned(), entry.key.span),
        fields,
        modal: None,
        content: None,
        repeated: None,
        held: None,
        sliding: None,
    }
}

/// The field of an `Integrator` that is its rate.
fn rate(at: &Spanned<String>) -> Spanned<String> {
    Spanned::new("input".to_owned(), at.span)
}

fn output(state: &Spanned<String>) -> Output {
    let value = Expr { kind: ExprKind::Name(state.value.clone()), span: state.span };
    Output { name: state.clone(), value, about: About::default() }
}

/// Adds the fields that say when the system runs, and gives those of `hold` if they are a mapping.
fn condition(
    context: &mut Context,
    entries: &[Entry],
    fields: &mut Vec<Named>,
) -> Option<Vec<Held>> {
    let mut held = None;
    for entry in ["enabled", "restart", "hold"].into_iter().filter_map(|key| get(entries, key)) {
        if get(entries, "enabled").is_none() {
            let message = format!("`{}` without `enabled` says nothing", entry.key.value);
            let error = Diagnostic::error("missing-field", message).at(entry.key.span, "");
            context.report.push(error.help("add `enabled: ` with a condition"));
        } else if let Some(input) = fields.iter().find(|own| own.name.value == entry.key.value) {
            let message = format!("`{}` is an input of this system", entry.key.value);
            let error = Diagnostic::error("duplicate-name", message).at(entry.key.span, "");
            context.report.push(error.at(input.name.span, "the input").help("rename the input"));
        } else if matches!((&*entry.key.value, &entry.value.kind), ("hold", NodeKind::Mapping(_))) {
            held = Some(super::modal::held(context, &entry.value));
        } else {
            let value = context.field(entry);
            fields.extend(value.map(|value| Named { name: entry.key.clone(), value }));
        }
    }
    held
}
