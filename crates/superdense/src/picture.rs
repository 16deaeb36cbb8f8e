//! Pictures of the block diagram of a model.

use blocks::Library;
use diagram::{Mode, Overrides};
use graph::{Options, Order};
use model::{Model, Refused};
use schedule::{refused_loops, schedule};

/// What a picture of a diagram shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drawing {
    /// How deep the hierarchy opens; nothing opens everything.
    pub depth: Option<usize>,
    /// Whether expressions are written on wires instead of being nodes.
    pub fold_expressions: bool,
    /// Whether blocks are numbered in the order of evaluation between events.
    pub order: bool,
    /// Whether the text is for Graphviz instead of a picture in SVG.
    pub dot: bool,
}

/// The diagram of a model as SVG or DOT. A model that is refused for a causality loop is drawn with
/// the loop in red.
pub fn draw(
    model: &Model,
    library: &Library,
    overrides: &Overrides,
    drawing: Drawing,
) -> Result<String, Refused> {
    let refused = |diagnostics| Refused { diagnostics, sources: model.sources.clone() };
    let diagram = diagram::flatten(model, library, overrides).map_err(refused)?;
    let loops = refused_loops(&diagram);
    let order = schedule(&diagram).ok().filter(|_| drawing.order);
    let options = Options {
        depth: drawing.depth,
        fold_expressions: drawing.fold_expressions,
        order: order.as_ref().map(|schedule| Order { schedule, mode: Mode::Smooth }),
        loops: &loops,
        ..Options::default()
    };
    Ok(match drawing.dot {
        true => graph::dot(&diagram, &options),
        false => graph::svg(&graph::layout(&diagram, &options)),
    })
}
