//! Charts of state machines.

use std::fmt::Write;

use base::escape_xml;

use super::lines::{rounded, towards};
use super::nodes;
use crate::chart::{Arrow, Chart, StateBox};
use crate::{Frame, Point, Rect};

/// The length of an arrow head \[px\].
const TIP: i64 = 8;

pub(super) fn chart(out: &mut String, chart: &Chart) {
    let (path, name) = (chart.path.clone(), chart.title.clone());
    nodes::frame(out, &Frame { path, name, area: chart.area, stacked: false, ports: Vec::new() });
    let Point { x, y } = chart.start;
    let _ = writeln!(out, "<circle class=\"start\" cx=\"{x}\" cy=\"{y}\" r=\"6\"/>");
    for arrow in &chart.arrows {
        self::arrow(out, arrow);
    }
    for state in &chart.states {
        self::state(out, state);
    }
}

fn arrow(out: &mut String, arrow: &Arrow) {
    let class = if arrow.history { "move history" } else { "move" };
    let _ = writeln!(out, "<path class=\"{class}\" d=\"{}\"/>", rounded(&arrow.points, true));
    if let [.., before, end] = arrow.points[..] {
        let back = towards(end, before, TIP);
        let tip = if before.x == end.x {
            format!("M{} {}L{} {}H{}Z", end.x, end.y, back.x - 4, back.y, back.x + 4)
        } else {
            format!("M{} {}L{} {}V{}Z", end.x, end.y, back.x, back.y - 4, back.y + 4)
        };
        let _ = writeln!(out, "<path class=\"start\" d=\"{tip}\"/>");
    }
    for (line, words) in arrow.words.iter().enumerate() {
        let (x, y) = (arrow.at.x, arrow.at.y + 13 * line as i64);
        let _ =
            writeln!(out, "<text class=\"key\" x=\"{x}\" y=\"{y}\">{}</text>", escape_xml(words));
    }
}

fn state(out: &mut String, state: &StateBox) {
    let Rect { x, y, width, height } = state.area;
    let _ = writeln!(
        out,
        "<rect class=\"body\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"16\"/>"
    );
    if state.last {
        let _ = writeln!(
            out,
            "<rect class=\"body\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"12\"/>",
            x + 4,
            y + 4,
            width - 8,
            height - 8
        );
    }
    let (middle, base) = (x + width / 2, y + height / 2 + 5);
    let name = escape_xml(&state.name);
    let _ = writeln!(out, "<text class=\"name\" x=\"{middle}\" y=\"{base}\">{name}</text>");
}
