//! `plot` and `graph`: results and diagrams as pictures.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use superdense::{Drawing, Library, Trace, plots, read, traces};

use crate::arguments::ModelArguments;
use crate::model::overrides;
use crate::report::{refused, unread};

pub enum PictureFormat {
    Svg,
    Png,
}

/// The format that the name of a picture tells.
pub fn picture_format(path: &Path) -> Result<PictureFormat> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(PictureFormat::Svg),
        Some("png") => Ok(PictureFormat::Png),
        _ => bail!("{}: the name of a picture ends in .svg or .png", path.display()),
    }
}

/// Draws a figure of a trace into a file.
pub fn plot_to(trace: &Trace, figure: &plots::Figure, path: &Path) -> Result<()> {
    let bytes = match picture_format(path)? {
        PictureFormat::Svg => plots::svg(figure, trace)?.into_bytes(),
        PictureFormat::Png => plots::png(figure, trace)?,
    };
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Draws a saved trace.
pub fn plot(trace: &Path, output: &Path, signals: &[String], shade: Option<String>) -> Result<()> {
    let trace = traces::read(trace).map_err(unread)?;
    let figure = match signals {
        [] => plots::Figure::of(&trace),
        names => plots::Figure::of_signals(&trace, names.iter().cloned())?,
    };
    let figure = match shade {
        None => figure,
        Some(name) => figure.shade(Some(name).filter(|name| name != "none")),
    };
    plot_to(&trace, &figure, output)
}

/// Draws the diagram of a model.
pub fn graph(arguments: &ModelArguments, output: &Path, mut drawing: Drawing) -> Result<()> {
    drawing.dot = match output.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => false,
        Some("dot" | "gv") => true,
        _ => bail!("{}: the name of the picture ends in .svg or .dot", output.display()),
    };
    let model = read(&arguments.model).map_err(refused)?;
    let text = superdense::draw(&model, &Library::standard(), &overrides(arguments)?, drawing);
    let text = text.map_err(refused)?;
    fs::write(output, text).with_context(|| format!("cannot write {}", output.display()))
}
