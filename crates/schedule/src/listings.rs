//! Tests of the schedules of small models; the folder `listings` has a file for each.

use model::Refused;

use crate::schedule;

#[path = "../../diagram/tests/common/mod.rs"]
mod common;

fn listing(text: &str) -> Result<String, Refused> {
    let diagram = common::diagram(text)?;
    let sources = diagram.sources.clone();
    let schedule = schedule(&diagram).map_err(|diagnostics| Refused { diagnostics, sources })?;
    Ok(schedule.listing(&diagram))
}

#[test]
fn schedules_are_as_listed() {
    common::check(env!("CARGO_MANIFEST_DIR"), listing);
}
