//! The functions that a file defines.

use std::sync::Arc;

use base::Spanned;
use expr::{Definition, Functions, Place};

use crate::fields::Context;
use crate::yaml::{Node, NodeKind};

const EXAMPLE: &str = "functions: {square(x): x^2}";

/// Reads the functions of a file; all expressions that are read from then on may call them. `None`
/// if something is wrong with one of them, because each call of it would be reported, too.
pub(crate) fn functions(context: &mut Context, node: &Node) -> Option<()> {
    let entries = context.mapping(node, "`functions`", EXAMPLE);
    let mut bodies = Vec::with_capacity(entries.len());
    for entry in entries {
        // Inside `{ }`, `f(x, y): a` is a key `f(x` without a value and a key `y)`, and the message
        // about the key says so.
        let split = entry.value.in_flow && entry.value.is_null() && entry.key.value.contains('(');
        if entry.value.is_null() && !split {
            context.missing_value(&entry.key);
            continue;
        }
        let written = body(context, &entry.value).map(|(text, place)| (text.to_owned(), place));
        match written {
            Some(written) => bodies.push((&entry.key, written)),
            None => context.unexpected(&entry.value, "a function", "an expression", EXAMPLE),
        }
    }
    let heads = bodies.iter().map(|(key, _)| head_place(context.text, key));
    let definitions = heads.zip(&bodies).map(|(head_place, (key, (body, body_place)))| {
        Definition { head: &key.value, head_place, body, body_place: *body_place }
    });
    let (functions, wrong) = Functions::read(&definitions.collect::<Vec<_>>());
    wrong.into_iter().for_each(|wrong| context.report.push(wrong));
    context.functions = Arc::new(functions);
    (!context.report.0.has_errors()).then_some(())
}

/// The text of an expression; that of a vector is the same in YAML and in an expression.
fn body<'c>(context: &'c Context, node: &'c Node) -> Option<(&'c str, Place)> {
    match &node.kind {
        NodeKind::Scalar(scalar) => Some(context.written(scalar, node)),
        NodeKind::Sequence(_) => {
            let (start, end) = (node.span.start as usize, node.span.end as usize);
            let text = context.text.get(start..end).filter(|text| text.starts_with('['))?;
            Some((text, Place::Verbatim(node.span.file, start)))
        }
        NodeKind::Mapping(_) => None,
    }
}

/// Where a key was written: byte for byte, unless it has quotes.
fn head_place(text: &str, key: &Spanned<String>) -> Place {
    let (start, end) = (key.span.start as usize, key.span.end as usize);
    match text.get(start..end) == Some(&key.value) {
        true => Place::Verbatim(key.span.file, start),
        false => Place::Whole(key.span),
    }
}
