//! Tests of the schedules of small models; the folder `listings` has a file for each.

use blocks::Library;
use diagram::{Diagram, Overrides};
use model::Refused;

use crate::schedule;

#[path = "../../base/tests/filetests.rs"]
mod filetests;

/// The diagram of a model, or why it is refused.
fn diagram(text: &str) -> Result<Diagram, Refused> {
    let model = model::parse("model.yaml", text, &mut |_| Err("there are no other files".into()))?;
    let sources = model.sources.clone();
    diagram::flatten(&model, &Library::standard(), &Overrides::default())
        .map_err(|diagnostics| Refused { diagnostics, sources })
}

fn listing(text: &str) -> Result<String, Refused> {
    let diagram = diagram(text)?;
    let sources = diagram.sources.clone();
    let schedule = schedule(&diagram).map_err(|diagnostics| Refused { diagnostics, sources })?;
    Ok(schedule.listing(&diagram))
}

#[test]
fn schedules_are_as_listed() {
    filetests::check(concat!(env!("CARGO_MANIFEST_DIR"), "/listings"), |text| {
        listing(text).unwrap_or_else(|refused| format!("{}\n", refused.render(false).trim_end()))
    });
}
