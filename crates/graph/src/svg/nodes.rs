//! Nodes and boxes.

use std::fmt::Write;

use base::escape_xml;

use crate::letters::width;
use crate::size::{ICON, STACK};
use crate::{Figure, Frame, Node, Point, Rect, Side};

/// An open instance: its frame and its name.
pub(super) fn frame(out: &mut String, frame: &Frame) {
    let stack = if frame.stacked { STACK } else { 0 };
    let Rect { x, y, width, height } = frame.area;
    let front = Rect { width: width - stack, height: height - stack, ..frame.area };
    let _ = writeln!(out, "<g><title>{}</title>", escape_xml(&frame.path));
    if frame.stacked {
        behind(out, "frame", front, 8);
    }
    rectangle(out, "frame", front, 8);
    text(out, "head", x + 12, y + 20, &frame.name);
    out.push_str("</g>\n");
}

/// The edges of other elements of an array, as far as they are visible behind the first.
fn behind(out: &mut String, class: &str, front: Rect, radius: i64) {
    for by in [STACK, STACK / 2] {
        rectangle(out, class, front.moved(Point { x: by, y: by }), radius);
    }
}

fn rectangle(out: &mut String, class: &str, area: Rect, radius: i64) {
    let Rect { x, y, width, height } = area;
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
         rx=\"{radius}\"/>"
    );
}

/// The ports of an open instance, with their names inside, above the wires.
pub(super) fn frame_ports(out: &mut String, frame: &Frame) {
    for port in &frame.ports {
        let (x, y) = (port.at.x, port.at.y);
        let _ = writeln!(
            out,
            "<rect class=\"pin\" x=\"{}\" y=\"{}\" width=\"6\" height=\"8\" rx=\"1\"/>",
            x - 3,
            y - 4
        );
        let (x, class) = match port.side {
            Side::Left => (x + 6, "port"),
            Side::Right => (x - 6, "port right"),
        };
        text(out, class, x, y - 5, &port.name);
    }
}

/// A block, an expression or a closed instance.
pub(super) fn node(out: &mut String, node: &Node) {
    let _ = writeln!(out, "<g><title>{}</title>", escape_xml(&node.about));
    shape(out, node);
    let lines = lines(node);
    let height: i64 = lines.iter().map(|(_, height, _)| height).sum();
    let mut y = node.body.y + (node.body.height - height) / 2;
    for (class, height, line) in &lines {
        y += height;
        text(out, class, node.text_middle, y - 4, line);
    }
    icon(out, node);
    for port in node.ports.iter().filter(|port| port.shown) {
        match port.side {
            Side::Left => text(out, "port", port.at.x + 7, port.at.y + 3, &port.name),
            Side::Right => {
                text(out, "port right", node.body.right() - 7, port.at.y + 3, &port.name);
            }
        }
    }
    for label in &node.labels {
        text(out, "label", label.at.x, label.at.y - 4, &label.text);
    }
    if !node.order.is_empty() {
        badge(out, node.body.right(), node.body.y, &node.order);
    }
    out.push_str("</g>\n");
}

fn shape(out: &mut String, node: &Node) {
    let (class, radius) = match node.figure {
        Figure::Block(..) => ("body", 4),
        Figure::Expression(_) => ("formula", node.body.height.min(24) / 2),
        Figure::Closed(_) => ("closed", 8),
    };
    let looped = if node.looped { " looped" } else { "" };
    let class = format!("{class}{looped}");
    if node.stacked {
        behind(out, &class, node.body, radius);
    }
    rectangle(out, &class, node.body, radius);
}

/// A small drawing that identifies the kind of a block at a glance.
fn icon(out: &mut String, node: &Node) {
    if node.icon.is_empty() {
        return;
    }
    let (x, y) = (node.text_left - ICON, node.body.y + node.body.height / 2 - 10);
    let path = escape_xml(&node.icon);
    let _ = writeln!(out, "<path class=\"icon\" transform=\"translate({x} {y})\" d=\"{path}\"/>");
}

/// The lines of text in a node: class, height \[px\] and text.
fn lines(node: &Node) -> Vec<(&'static str, i64, String)> {
    let mut lines = Vec::new();
    if !node.name.is_empty() {
        lines.push(("name", 16, node.name.clone()));
    }
    lines.extend(node.text.iter().map(|line| ("text", 15, line.clone())));
    if !node.kind.is_empty() {
        lines.push(("kind", 13, node.kind.clone()));
    }
    lines
}

/// A number in the order of evaluation, centred at a point.
pub(super) fn badge(out: &mut String, x: i64, y: i64, number: &str) {
    let wide = width(number, 10).max(7) + 8;
    let _ = writeln!(
        out,
        "<rect class=\"badge\" x=\"{}\" y=\"{}\" width=\"{wide}\" height=\"14\" rx=\"7\"/>",
        x - wide / 2,
        y - 7
    );
    text(out, "number", x, y + 3, number);
}

fn text(out: &mut String, class: &str, x: i64, y: i64, words: &str) {
    if !words.is_empty() {
        let words = escape_xml(words);
        let _ = writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{words}</text>");
    }
}
