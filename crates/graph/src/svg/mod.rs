//! The figure as SVG.

mod charts;
mod lines;
mod nodes;
mod sheet;
mod words;

use std::fmt::Write;

use base::escape_xml;

use crate::compose::{LEGEND, SAMPLE, Sample, legend_items};
use crate::{Kind, Layout};

pub use words::{Anchor, Words, relettered};

/// Writes a layout as a complete SVG file.
pub fn svg(layout: &Layout) -> String {
    let Layout { width, height, .. } = layout;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n",
        escape_xml(&format!("block diagram of {}", layout.title))
    );
    out.push_str(&sheet::style());
    let _ = writeln!(out, "<rect class=\"sheet\" width=\"{width}\" height=\"{height}\"/>");
    let title = escape_xml(&layout.title);
    let _ = writeln!(out, "<text class=\"title\" x=\"20\" y=\"32\">{title}</text>");
    for frame in &layout.frames {
        nodes::frame(&mut out, frame);
    }
    lines::lines(&mut out, &layout.lines);
    for node in &layout.nodes {
        nodes::node(&mut out, node);
    }
    for frame in &layout.frames {
        nodes::frame_ports(&mut out, frame);
    }
    for chart in &layout.charts {
        charts::chart(&mut out, chart);
    }
    legend(&mut out, layout);
    out.push_str("</svg>\n");
    out
}

fn legend(out: &mut String, layout: &Layout) {
    let items = legend_items(layout);
    if items.is_empty() {
        return;
    }
    let rule = layout.height - LEGEND + 8;
    let y = layout.height - LEGEND / 2 + 8;
    let right = layout.width - 20;
    let _ = writeln!(out, "<path class=\"rule\" d=\"M20 {rule}H{right}\"/>");
    for (sample, x, text) in items {
        let line = format!("M{x} {y}H{}", x + SAMPLE);
        match sample {
            Sample::Wire(kind) => lines::path(out, kind, false, &line),
            Sample::Loop => lines::path(out, Kind::Continuous, true, &line),
            Sample::Number => nodes::badge(out, x + SAMPLE / 2, y, "1"),
        }
        let _ = writeln!(
            out,
            "<text class=\"key\" x=\"{}\" y=\"{}\">{}</text>",
            x + SAMPLE + 8,
            y + 4,
            escape_xml(&text)
        );
    }
}
