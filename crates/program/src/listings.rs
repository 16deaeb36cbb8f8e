//! Compiles small models; `listings` has a file for each.

use model::Refused;

use crate::{Extras, compile, fixed_step};

#[path = "../../diagram/tests/common/mod.rs"]
mod common;

fn listing(text: &str) -> Result<String, Refused> {
    let diagram = common::diagram(text)?;
    let sources = diagram.sources.clone();
    let schedule =
        schedule::schedule(&diagram).map_err(|diagnostics| Refused { diagnostics, sources })?;
    Ok(match diagram.run.impulses.steps() {
        true => fixed_step(&diagram, &schedule).listing(),
        false => compile(&diagram, &schedule, Extras::default()).listing(),
    })
}

#[test]
fn programs_are_as_listed() {
    common::check(env!("CARGO_MANIFEST_DIR"), listing);
}
