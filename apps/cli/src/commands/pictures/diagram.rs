//! `graph`: the diagram of a model; and the figure of `explore`.

use std::path::Path;

use anyhow::{Result, bail};
use superdense::{Drawing, Exploration, Library, read};

use crate::arguments::GraphArguments;
use crate::inputs::refuse_files;
use crate::model::overrides;
use crate::report::{refused, write_file};

pub fn graph(arguments: &GraphArguments) -> Result<()> {
    let GraphArguments { model, output, depth, arrays, fold, order } = arguments;
    let extension = output.extension().and_then(|extension| extension.to_str());
    let dot = match extension {
        Some("svg" | "png") => false,
        Some("dot" | "gv") => true,
        _ => bail!("{}: the name of the picture ends in .svg, .png or .dot", output.display()),
    };
    let drawing = Drawing {
        depth: *depth,
        open_arrays: *arrays,
        fold_expressions: *fold,
        order: *order,
        dot,
    };
    let written = read(&model.model).map_err(refused)?;
    refuse_files(&model.inputs, "graph")?;
    let overrides = overrides(model, &written)?;
    let text = superdense::draw(&written, &Library::standard(), &overrides, drawing);
    let text = text.map_err(refused)?;
    let bytes = match extension {
        Some("png") => superdense::diagram_png(&text)?,
        _ => text.into_bytes(),
    };
    write_file(output, &bytes)
}

/// Draws the choices of a model and its outcomes.
pub fn draw_tree(found: &Exploration, name: &str, output: &Path) -> Result<()> {
    let Some(text) = superdense::draw_exploration(found, name) else {
        bail!(
            "{}: {} situations are too many for a picture: a shorter run has fewer",
            output.display(),
            found.situations
        )
    };
    let bytes = match super::picture_format(output)? {
        super::PictureFormat::Png => superdense::diagram_png(&text)?,
        super::PictureFormat::Svg => text.into_bytes(),
    };
    write_file(output, &bytes)
}
