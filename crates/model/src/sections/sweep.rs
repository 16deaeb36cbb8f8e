//! The section `sweep`: which runs `superdense sweep` makes. Values and measures stay texts here;
//! the crate `sweep` reads them.

use base::{Diagnostic, Spanned};

use crate::fields::{Context, get};
use crate::yaml::{Entry, Node, NodeKind};

/// The fields of the section, in canonical order.
pub const SWEEP_KEYS: [&str; 6] =
    ["parameters", "sets", "samples", "method", "repeats", "measures"];

const EXAMPLE: &str = "sweep: {parameters: {e: 0.5:0.9:0.1}, measures: {top: max(y)}}";

/// What a model says about its sweep.
#[derive(Clone, Default, Debug)]
pub struct SweepSection {
    /// Parameters with the texts of their values.
    pub parameters: Vec<(Spanned<String>, Spanned<String>)>,
    /// A table of parameter sets.
    pub sets: Option<Spanned<String>>,
    /// How many samples are drawn.
    pub samples: Option<u64>,
    /// How they are drawn.
    pub method: Option<Spanned<String>>,
    /// How often each run is repeated.
    pub repeats: Option<u64>,
    /// Measures by name.
    pub measures: Vec<(Spanned<String>, Spanned<String>)>,
}

/// Reads the section.
pub(crate) fn sweep(context: &mut Context, node: &Node) -> SweepSection {
    let entries = context.mapping(node, "`sweep`", EXAMPLE);
    context.check_keys(entries, &SWEEP_KEYS, "`sweep`");
    let mut named = |key: &str| match get(entries, key) {
        Some(entry) => texts(context, entry),
        None => Vec::new(),
    };
    let (parameters, measures) = (named("parameters"), named("measures"));
    let mut word =
        |key: &str| get(entries, key).and_then(|entry| context.word(entry, &format!("`{key}`")));
    let (sets, method) = (word("sets"), word("method"));
    let mut count = |key: &str| get(entries, key).and_then(|entry| count(context, entry));
    let (samples, repeats) = (count("samples"), count("repeats"));
    SweepSection { parameters, sets, samples, method, repeats, measures }
}

/// Texts by name. A list in brackets is several values.
fn texts(context: &mut Context, entry: &Entry) -> Vec<(Spanned<String>, Spanned<String>)> {
    let what = format!("`{}`", entry.key.value);
    let entries = context.mapping(&entry.value, &what, EXAMPLE);
    let text = |entry: &Entry| {
        let text = match &entry.value.kind {
            NodeKind::Sequence(items) if !items.is_empty() => {
                let parts: Vec<String> = items.iter().map(|item| snippet(context, item)).collect();
                Spanned::new(parts.join(", "), entry.value.span)
            }
            _ => context.word(entry, "the values of a parameter or a measure")?,
        };
        Some((entry.key.clone(), text))
    };
    entries.iter().filter_map(text).collect()
}

/// An item of a list as it is written.
fn snippet(context: &mut Context, node: &Node) -> String {
    match &node.kind {
        NodeKind::Scalar(scalar) => scalar.value.trim().to_owned(),
        NodeKind::Sequence(items) => {
            let parts: Vec<String> = items.iter().map(|item| snippet(context, item)).collect();
            format!("[{}]", parts.join(", "))
        }
        NodeKind::Mapping(_) => {
            context.unexpected(node, "a value", "a number or an expression", EXAMPLE);
            String::new()
        }
    }
}

fn count(context: &mut Context, entry: &Entry) -> Option<u64> {
    let word = context.word(entry, &format!("`{}`", entry.key.value))?;
    let number = word.value.replace('_', "").parse().ok().filter(|count| *count > 0);
    if number.is_none() {
        let message = format!("`{}` must be a whole number from 1 on", entry.key.value);
        context.report.push(Diagnostic::error("bad-setting", message).at(word.span, "is not"));
    }
    number
}
