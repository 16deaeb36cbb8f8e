//! The blocks of a diagram, each from its mapping.

use base::{Diagnostic, Spanned};
use expr::{Expr, ExprKind};

use super::diagram::name_in_list;
use super::system::System;
use crate::fields::{Context, get};
use crate::forms::{FMU, FORMS};
use crate::names;
use crate::notations::NOTATIONS;
use crate::yaml::{Entry, Node, NodeKind};
use crate::{Block, Diagram, Held, Named, Parameter, Repeated, RunSetting};

/// The blocks of a diagram.
pub(super) fn blocks(context: &mut Context, node: &Node) -> Vec<Block> {
    let entries = context.mapping(node, "`blocks`", "blocks: {x: {type: Integrator, input: 1}}");
    entries.iter().filter_map(|entry| block(context, entry)).collect()
}

fn block(context: &mut Context, entry: &Entry) -> Option<Block> {
    const EXAMPLE: &str = "x: {type: Integrator, input: 1}";
    context.report.keep(names::check(&entry.key, "a block"));
    if entry.value.is_null() {
        context.missing_value(&entry.key);
        return None;
    }
    let NodeKind::Mapping(entries) = &entry.value.kind else {
        context.unexpected(&entry.value, "a block", "a mapping", EXAMPLE);
        return None;
    };
    let kind = kind(context, &entry.key, entries);
    let is = |name: &str| kind.as_ref().is_some_and(|kind| kind.value == name);
    let sliding = get(entries, "sliding").and_then(|entry| sliding(context, entry));
    if is("Modal") {
        let modal = Some(super::modal::modal(context, &entry.key, entries));
        return Some(Block { modal, sliding, ..plain(&entry.key, kind?) });
    }
    let repeated = get(entries, "for").and_then(|indices| repeated(context, &entry.key, indices));
    if is("DifferentialSystem") {
        let System { content, fields, held } = super::system::system(context, &entry.key, entries);
        let content = Some(Box::new(content));
        let plain = plain(&entry.key, kind?);
        return Some(Block { fields, content, repeated, held, sliding, ..plain });
    }
    let is_fmu = is(FMU.name);
    let file = get(entries, "file").filter(|_| is_fmu);
    if is_fmu && file.is_none() {
        let error = Diagnostic::error("missing-field", "an FMU needs its `file`");
        context.report.push(error.at(entry.key.span, "").help("add `file: plant.fmu`"));
        return None;
    }
    let file = file.and_then(|entry| context.word(entry, "`file`"));
    let (fields, held) = fields(context, entries, is_fmu);
    Some(Block { file, fields, repeated, held, sliding, ..plain(&entry.key, kind?) })
}

/// A block of which only name and kind are known.
fn plain(name: &Spanned<String>, kind: Spanned<String>) -> Block {
    let (fields, name) = (Vec::new(), name.clone());
    let (file, modal, content, repeated, held, sliding) = (None, None, None, None, None, None);
    Block { name, kind, file, fields, modal, content, repeated, held, sliding }
}

/// The fields of a block that are not of the language, and the outputs that it holds while it does
/// not run.
fn fields(
    context: &mut Context,
    entries: &[Entry],
    is_fmu: bool,
) -> (Vec<Named>, Option<Vec<Held>>) {
    let own = |entry: &&Entry| match &*entry.key.value {
        "type" | "for" | "pass" | "sliding" => false,
        "file" => !is_fmu,
        _ => true,
    };
    let conditional = get(entries, "enabled").or(get(entries, "trigger")).is_some();
    let (mut fields, mut held) = (Vec::with_capacity(entries.len()), None);
    for entry in entries.iter().filter(own) {
        if conditional
            && matches!((&*entry.key.value, &entry.value.kind), ("hold", NodeKind::Mapping(_)))
        {
            held = Some(super::modal::held(context, &entry.value));
            continue;
        }
        context.report.keep(field_name(entry));
        let value = context.field(entry);
        fields.extend(value.map(|value| Named { name: entry.key.clone(), value }));
    }
    if let Some(pass) = get(entries, "pass") {
        pass_on(context, pass, &mut fields);
    }
    (fields, held)
}

/// What happens if a comparison in a block switches the motion back onto its surface.
fn sliding(context: &mut Context, entry: &Entry) -> Option<Spanned<String>> {
    let word = context.word(entry, "`sliding`")?;
    match RunSetting::Sliding.wrong_word(&word) {
        Some(error) => {
            context.report.push(error);
            None
        }
        None => Some(word),
    }
}

/// Adds fields that have the value of the same name around the block.
fn pass_on(context: &mut Context, entry: &Entry, fields: &mut Vec<Named>) {
    for item in context.list(&entry.value, "`pass`", "pass: [k, J]") {
        let Some(name) = name_in_list(context, item, "a field") else { continue };
        if let Some(first) = fields.iter().find(|field| field.name.value == name.value) {
            let message = format!("`{}` is given twice", name.value);
            let error =
                Diagnostic::error("duplicate-name", message).at(name.span, "passed on here");
            context.report.push(error.at(first.name.span, "given here"));
            continue;
        }
        let value = Expr { kind: ExprKind::Name(name.value.clone()), span: name.span };
        fields.push(Named { name, value });
    }
}

/// The indices of an array of blocks.
fn repeated(context: &mut Context, block: &Spanned<String>, entry: &Entry) -> Option<Repeated> {
    let entries = context.mapping(&entry.value, "`for`", "for: {i: 10}");
    if entries.is_empty() {
        if matches!(entry.value.kind, NodeKind::Mapping(_)) || entry.value.is_null() {
            context.missing_value(&entry.key);
        }
        return None;
    }
    let mut indices = Vec::with_capacity(entries.len());
    for entry in entries {
        context.report.keep(names::check(&entry.key, "an index"));
        let count = context.field(entry);
        indices.extend(count.map(|value| Named { name: entry.key.clone(), value }));
    }
    let parameter = |index: &Named| Parameter::plain(index.name.clone(), None);
    let own = Diagram::of_parameters(block.clone(), indices.iter().map(parameter).collect());
    Some(Repeated { indices, own })
}

pub(super) fn field_name(entry: &Entry) -> Result<(), Diagnostic> {
    if names::is_name(&entry.key.value) {
        return Ok(());
    }
    let refused = names::malformed(&entry.key, "a field");
    if refused.help.is_none() && entry.value.is_null() && entry.value.in_flow {
        let help = "inside `{ }` and `[ ]` a comma ends a value: put the expression in quotes";
        return Err(refused.help(help));
    }
    Err(refused)
}

fn kind(
    context: &mut Context,
    block: &Spanned<String>,
    entries: &[Entry],
) -> Option<Spanned<String>> {
    let Some(entry) = get(entries, "type") else {
        let message = format!("block `{}` has no type", block.value);
        let diagnostic = Diagnostic::error("missing-field", message).at(block.span, "");
        context.report.push(diagnostic.help("say what it is, as in `type: Integrator`"));
        return None;
    };
    let kind = context.word(entry, "`type`")?;
    if !names::is_path(&kind.value) {
        // Other tools have names with spaces.
        let files = crate::standard_files().iter();
        let file = files.filter(|file| file.is_known_as(&kind.value)).map(|file| file.name);
        let forms = FORMS.iter().filter(|form| form.is_known_as(&kind.value));
        let known = forms.map(|form| form.name).chain(file).next();
        let known = known.map(|name| format!("here it is called `{name}`"));
        let written = NOTATIONS.iter().find(|notation| notation.is_known_as(&kind.value));
        let written = written.map(|notation| format!("here it is written `{}`", notation.name));
        let refused = names::malformed(&kind, "a type of block");
        context.report.push(refused.maybe_help(known.or(written)));
        return None;
    }
    Some(kind)
}
