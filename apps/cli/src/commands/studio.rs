//! `studio`: the page in the browser; `report`: a page in a file.

use std::path::Path;

use anyhow::Result;
use superdense_studio::{Options, Studio};

use super::examples;
use crate::arguments::ModelArguments;
use crate::inputs::feed_inputs;
use crate::model::compile;
use crate::report::{notify, show, write_file};

/// Serves the studio until the process is interrupted.
pub fn studio(path: Option<&Path>, port: Option<u16>, browser: bool) -> Result<()> {
    let path = path.map(Path::to_owned);
    let studio = Studio::new(Options { path, port, examples: examples::bundled() })?;
    show(&format!("{}\n", studio.link()))?;
    notify("the studio is at this link, for you alone; end it with Ctrl-C\n");
    if browser && let Err(error) = studio.open_browser() {
        notify(&format!("{error:#}: open the link yourself\n"));
    }
    studio.serve()
}

/// Runs a model and writes its report.
pub fn report(arguments: &ModelArguments, output: &Path) -> Result<()> {
    let system = compile(arguments)?;
    let page = superdense_studio::report(&system, |system, run| {
        feed_inputs(&arguments.inputs, system, run)
    })?;
    write_file(output, page.as_bytes())
}
