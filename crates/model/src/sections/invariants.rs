//! Quantities that should be conserved.

use base::Spanned;

use crate::fields::{Context, get};
use crate::names;
use crate::yaml::{Entry, Node, NodeKind};
use crate::{Block, Invariant, Named};

/// The fields of an invariant that is written as a mapping.
pub(crate) const INVARIANT_KEYS: [&str; 3] = ["value", "within", "relative"];

const EXAMPLE: &str = "invariants: {energy: 0.5 * m * v^2 + m * g * y}";

/// The section `invariants`: a mapping of names to expressions, or to mappings that say more.
pub(crate) fn invariants(context: &mut Context, node: &Node) -> Vec<Invariant> {
    let entries = context.mapping(node, "`invariants`", EXAMPLE);
    entries.iter().filter_map(|entry| invariant(context, entry)).collect()
}

fn invariant(context: &mut Context, entry: &Entry) -> Option<Invariant> {
    context.report.keep(names::check(&entry.key, "an invariant"));
    let name = entry.key.clone();
    let NodeKind::Mapping(fields) = &entry.value.kind else {
        let value = context.field(entry)?;
        return Some(Invariant { name, value, within: None, absolute: false });
    };
    context.check_keys(fields, &INVARIANT_KEYS, "an invariant");
    let within = get(fields, "within").and_then(|within| context.field(within));
    // The flag is true unless it is written otherwise, so that its opposite is asked for.
    let relative = context.flag(fields, "relative").is_some();
    let absolute = get(fields, "relative").is_some() && !relative;
    let Some(value) = get(fields, "value") else {
        let expected = "an expression, or a mapping with a `value`";
        context.unexpected(&entry.value, "an invariant", expected, EXAMPLE);
        return None;
    };
    let value = context.field(value)?;
    Some(Invariant { name, value, within, absolute })
}

/// The block of an invariant.
pub(super) fn block(invariant: &Invariant) -> Block {
    let span = invariant.name.span;
    let value = invariant.value.clone();
    let field = Named { name: Spanned::new("expression".to_owned(), span), value };
    Block {
        file: None,
        name: invariant.name.clone(),
        kind: Spanned::new("Expression".to_owned(), span),
        fields: vec![field],
        modal: None,
        content: None,
        repeated: None,
        held: None,
        sliding: None,
    }
}
