//! `import`: translates a model of Ptolemy II to a model file.

use std::path::Path;

use anyhow::{Context, Result};
use superdense::ptolemy;

use crate::report::{notify, refused, show};

pub fn import(model: &Path, output: &Path, root: Option<&Path>) -> Result<()> {
    let imported = ptolemy::import(model, root).map_err(refused)?;
    if !imported.skipped.is_empty() {
        notify(&format!(
            "note: left out, since it only shows something: {}\n",
            imported.skipped.join(", ")
        ));
    }
    if output == Path::new("-") {
        return show(&imported.text);
    }
    std::fs::write(output, &imported.text)
        .with_context(|| format!("cannot write `{}`", output.display()))
}
