//! `graph`: drawings of diagrams; and code that all image output shares.

use std::path::Path;

use anyhow::{Result, bail};
use superdense::{Drawing, Library, Trace, plots, read};

use crate::arguments::ModelArguments;
use crate::inputs::refuse_files;
use crate::model::overrides;
use crate::report::{refused, write_file};

pub enum PictureFormat {
    Svg,
    Png,
}

/// The image format by the extension of a file name.
pub fn picture_format(path: &Path) -> Result<PictureFormat> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(PictureFormat::Svg),
        Some("png") => Ok(PictureFormat::Png),
        _ => bail!("{}: the name of a picture ends in .svg or .png", path.display()),
    }
}

/// Plots a figure of a trace to a file.
pub fn plot_to(trace: &Trace, figure: &plots::Figure, path: &Path) -> Result<()> {
    let bytes = match picture_format(path)? {
        PictureFormat::Svg => plots::svg(figure, trace)?.into_bytes(),
        PictureFormat::Png => plots::png(figure, trace)?,
    };
    write_file(path, &bytes)
}

/// Draws the diagram of a model.
pub fn graph(arguments: &ModelArguments, output: &Path, mut drawing: Drawing) -> Result<()> {
    let extension = output.extension().and_then(|extension| extension.to_str());
    drawing.dot = match extension {
        Some("svg" | "png") => false,
        Some("dot" | "gv") => true,
        _ => bail!("{}: the name of the picture ends in .svg, .png or .dot", output.display()),
    };
    let model = read(&arguments.model).map_err(refused)?;
    refuse_files(&arguments.inputs, "graph")?;
    let overrides = overrides(arguments)?;
    let text = superdense::draw(&model, &Library::standard(), &overrides, drawing);
    let text = text.map_err(refused)?;
    let bytes = match extension {
        Some("png") => superdense::diagram_png(&text)?,
        _ => text.into_bytes(),
    };
    write_file(output, &bytes)
}
