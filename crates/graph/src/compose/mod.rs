//! Combines the levels into one figure: each level is laid out once those inside it have a size.

mod level;

mod assembly;
mod nodes;

pub(crate) use nodes::input_name;

use diagram::{Diagram, Phase};

use crate::chart::chart;
use crate::letters::{bold_width, width};
use crate::scene::Scene;
use crate::size::{NAME, SMALL};
use crate::{Kind, Layout, Options, Point};

/// The margin around the figure \[px\].
const MARGIN: i64 = 20;
/// The height of the title, including the space below it \[px\].
const TITLE: i64 = 34;
/// The height of the legend, including the space above it \[px\].
pub(crate) const LEGEND: i64 = 48;
/// The length of the line samples in the legend \[px\].
pub(crate) const SAMPLE: i64 = 34;

/// Lays out a diagram.
pub fn layout(diagram: &Diagram, options: &Options) -> Layout {
    let scene = Scene::new(diagram, options);
    let mut layout = Layout { title: diagram.name.clone(), ..Layout::default() };
    let mut root = level::level(&scene, scene.root());
    root.shift(Point { x: MARGIN, y: MARGIN + TITLE });
    (layout.frames, layout.nodes, layout.lines) = (root.frames, root.nodes, root.lines);
    level::number_nets(&mut layout.lines);
    layout.width = (root.width + 2 * MARGIN).max(bold_width(&layout.title, NAME + 3) + 2 * MARGIN);
    layout.height = root.height + 2 * MARGIN + TITLE;
    add_charts(&mut layout, &scene);
    layout.looped = layout.lines.iter().any(|line| line.looped);
    layout.order = match options.order.map(|order| order.phase) {
        Some(Phase::Smooth) => "order between events".to_owned(),
        Some(Phase::Tick) => "order at a tick".to_owned(),
        None => String::new(),
    };
    if options.legend {
        add_legend(&mut layout);
    }
    layout
}

/// Places the charts of the visible machines below the diagram, one below the other.
fn add_charts(layout: &mut Layout, scene: &Scene) {
    for machine in scene.machines() {
        let depth = machine.path.matches('.').count();
        let outer = machine.path.rsplit_once('.').map_or("", |own| own.0);
        let opened = scene.options.opened.iter().any(|own| own == outer);
        if !opened && scene.options.depth.is_some_and(|limit| depth > limit) {
            continue;
        }
        let mut chart = chart(scene.diagram, machine, &scene.block(machine.current).path);
        chart.shift(Point { x: MARGIN, y: layout.height });
        layout.width = layout.width.max(chart.area.right() + MARGIN);
        layout.height = chart.area.bottom() + MARGIN;
        layout.charts.push(chart);
    }
}

fn add_legend(layout: &mut Layout) {
    let mut kinds: Vec<Kind> = layout.lines.iter().map(|line| line.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    layout.legend = kinds;
    let items = legend_items(layout);
    if let Some((_, x, text)) = items.last() {
        layout.width = layout.width.max(x + SAMPLE + 8 + width(text, SMALL + 1) + MARGIN);
        layout.height += LEGEND - 8;
    }
}

/// What a sample in the legend shows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Sample {
    /// A kind of wire.
    Wire(Kind),
    /// A loop.
    Loop,
    /// A number.
    Number,
}

/// The samples of the legend, with the left end and the text of each.
pub(crate) fn legend_items(layout: &Layout) -> Vec<(Sample, i64, String)> {
    let wires = layout.legend.iter().map(|kind| (Sample::Wire(*kind), kind.name().to_owned()));
    let looped = layout.looped.then(|| (Sample::Loop, "causality loop".to_owned()));
    let order = (!layout.order.is_empty()).then(|| (Sample::Number, layout.order.clone()));
    if layout.legend.is_empty() {
        return Vec::new();
    }
    let mut x = MARGIN;
    let place = |(sample, text): (Sample, String)| {
        let at = x;
        x += SAMPLE + 8 + width(&text, SMALL + 1) + 22;
        (sample, at, text)
    };
    wires.chain(looped).chain(order).map(place).collect()
}
