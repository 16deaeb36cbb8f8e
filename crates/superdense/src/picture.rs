//! Drawings of the block diagram of a model.

use blocks::Library;
use diagram::{Phase, Settings};
use graph::{Anchor, Options, Order};
use model::{Model, Refused};
use schedule::{refused_loops, schedule};

/// What the drawing of a diagram shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drawing {
    /// How many levels of the hierarchy to expand; `None` expands all.
    pub depth: Option<usize>,
    /// Whether every element of an array of blocks is drawn, instead of one box for the whole
    /// array.
    pub open_arrays: bool,
    /// Whether expressions are written on wires instead of being drawn as nodes.
    pub fold_expressions: bool,
    /// Whether blocks are numbered in order of evaluation between events.
    pub order: bool,
    /// Whether the output is Graphviz text instead of SVG.
    pub dot: bool,
}

/// Converts the SVG drawing of a diagram to a PNG image, without using fonts of the machine.
pub fn diagram_png(svg: &str) -> Result<Vec<u8>, plot::Error> {
    const PIXEL_RATIO: f64 = 2.0;
    let outlines = graph::relettered(svg, |words| {
        let before = match words.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        };
        plot::outlined(&words.text, words.at, before, words.size, words.bold, words.fill)
    });
    plot::raster(&outlines, PIXEL_RATIO)
}

/// The diagram of a model as SVG or DOT. A model that is refused because of a causality loop is
/// drawn with the loop in red.
pub fn draw(
    model: &Model,
    library: &Library,
    overrides: &Settings,
    drawing: Drawing,
) -> Result<String, Refused> {
    let model = overrides.applied(model)?;
    let refused = |diagnostics| Refused { diagnostics, sources: model.sources.clone() };
    let diagram = diagram::flatten(&model, library, overrides).map_err(refused)?;
    let loops = refused_loops(&diagram);
    let order = if drawing.order { schedule(&diagram).ok() } else { None };
    let options = Options {
        depth: drawing.depth,
        open_arrays: drawing.open_arrays,
        fold_expressions: drawing.fold_expressions,
        order: order.as_ref().map(|schedule| Order { schedule, phase: Phase::Smooth }),
        loops: &loops,
        ..Options::default()
    };
    Ok(match drawing.dot {
        true => graph::dot(&diagram, &options),
        false => graph::svg(&graph::layout(&diagram, &options)),
    })
}
