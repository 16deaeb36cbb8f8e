//! What the tests of the stages after this one share: from the text of a small model to its
//! diagram, and a folder of listings. They include this file by its path.

use blocks::Library;
use diagram::{Diagram, Settings};
use model::Refused;

#[path = "../../../base/tests/filetests.rs"]
mod filetests;

/// The diagram of a model, or why it is refused.
pub fn diagram(text: &str) -> Result<Diagram, Refused> {
    let model = model::parse("model.yaml", text, &mut |_| Err("there are no other files".into()))?;
    let sources = model.sources.clone();
    diagram::flatten(&model, &Library::standard(), &Settings::default())
        .map_err(|diagnostics| Refused { diagnostics, sources })
}

/// Checks the folder `listings` of a crate; a model that is refused has its messages as listing.
pub fn check(manifest: &str, listing: fn(&str) -> Result<String, Refused>) {
    filetests::check(&format!("{manifest}/listings"), |text| {
        listing(text).unwrap_or_else(|refused| format!("{}\n", refused.render(false).trim_end()))
    });
}
