//! What flattening makes of small models; `listings` has a file for each.

use blocks::Library;
use model::Refused;

use crate::{Settings, flatten};

#[path = "../../base/tests/filetests.rs"]
mod filetests;

/// The listing of the diagram of a model, or why it is refused.
fn listing(text: &str) -> Result<String, Refused> {
    let model = model::parse("model.yaml", text, &mut |_| Err("there are no other files".into()))?;
    let sources = model.sources.clone();
    flatten(&model, &Library::standard(), &Settings::default())
        .map(|diagram| diagram.listing())
        .map_err(|diagnostics| Refused { diagnostics, sources })
}

#[test]
fn diagrams_are_as_listed() {
    filetests::check(concat!(env!("CARGO_MANIFEST_DIR"), "/listings"), |text| {
        listing(text).unwrap_or_else(|refused| format!("{}\n", refused.render(false).trim_end()))
    });
}
