//! Wires: rounded corners, arrow heads, and dots where a wire branches.

use std::collections::BTreeMap;
use std::fmt::Write;

use base::escape_xml;

use crate::{Kind, Line, Point};

/// The radius of a bend \[px\].
const BEND: i64 = 5;
/// The length of an arrow head \[px\].
const TIP: i64 = 8;

/// Draws all lines: those with impulses at the bottom, refused loops on top.
pub(super) fn lines(out: &mut String, lines: &[Line]) {
    let mut nets: BTreeMap<usize, Vec<&Line>> = BTreeMap::new();
    for line in lines {
        nets.entry(line.net).or_default().push(line);
    }
    let mut nets: Vec<Vec<&Line>> = nets.into_values().collect();
    let rank = |net: &Vec<&Line>| match net[0].kind {
        Kind::Impulsive => 0,
        Kind::Constant => 1,
        _ => 2,
    };
    nets.sort_by_key(rank);
    for net in &nets {
        draw_net(out, net);
    }
    for line in lines.iter().filter(|line| line.looped) {
        let _ = writeln!(out, "<g><title>{}</title>", escape_xml(&line.name));
        let path = rounded(&line.points, line.arrow);
        self::path(out, line.kind, true, &path);
        tip(out, line);
        out.push_str("</g>\n");
    }
}

fn draw_net(out: &mut String, net: &[&Line]) {
    let kind = net[0].kind;
    let _ = writeln!(out, "<g><title>{}: {}</title>", escape_xml(&net[0].name), kind.name());
    // The route that lines share is drawn only once; otherwise dashes would fill each other's gaps.
    let (mut drawn, mut dots, mut way) = (Vec::new(), Vec::new(), String::new());
    for line in net {
        let (rest, departs) = undrawn(&line.points, &drawn);
        if departs && rest.len() > 1 {
            dots.push(rest[0]);
        }
        if rest.len() > 1 {
            way.push_str(&rounded(&rest, line.arrow));
        }
        drawn.extend(line.points.windows(2).map(|pair| (pair[0], pair[1])));
    }
    path(out, kind, false, &way);
    for line in net.iter().filter(|line| line.arrow && !line.looped) {
        tip(out, line);
    }
    dots.sort_unstable();
    dots.dedup();
    for Point { x, y } in dots {
        let radius = if kind == Kind::Impulsive { "3.4" } else { "2.6" };
        let class = class(kind);
        let _ =
            writeln!(out, "<circle class=\"dot {class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>");
    }
    out.push_str("</g>\n");
}

/// The rest of a route that starts on what is already drawn, and whether there was such a start.
fn undrawn(points: &[Point], drawn: &[(Point, Point)]) -> (Vec<Point>, bool) {
    let mut rest: Vec<Point> = points.to_vec();
    let mut departs = false;
    while let [first, next, ..] = rest[..] {
        let reach = drawn.iter().filter_map(|piece| covered(first, next, *piece));
        let Some(reached) = reach.max_by_key(|p| (p.x - first.x).abs() + (p.y - first.y).abs())
        else {
            break;
        };
        departs = true;
        if reached == next {
            rest.remove(0);
        } else {
            rest[0] = reached;
        }
    }
    (rest, departs)
}

/// How far from `first` towards `next` a piece covers the route; `None` if it does not cover its
/// start.
fn covered(first: Point, next: Point, (a, b): (Point, Point)) -> Option<Point> {
    let level = first.y == next.y && a.y == b.y && a.y == first.y;
    let upright = first.x == next.x && a.x == b.x && a.x == first.x;
    let along = |p: Point| if level { p.x } else { p.y };
    if !level && !upright {
        return None;
    }
    let (low, high) = (along(a).min(along(b)), along(a).max(along(b)));
    let (from, to) = (along(first), along(next));
    if from < low || from > high {
        return None;
    }
    let reached = to.clamp(low, high);
    let found = if level { Point { x: reached, ..first } } else { Point { y: reached, ..first } };
    (reached != from).then_some(found)
}

/// A route with rounded bends; it stops slightly before its end if there is an arrow head.
pub(super) fn rounded(points: &[Point], arrow: bool) -> String {
    let mut out = format!("M{} {}", points[0].x, points[0].y);
    for three in points.windows(3) {
        let (before, corner, after) = (three[0], three[1], three[2]);
        let near = towards(corner, before, BEND.min(distance(before, corner) / 2));
        let far = towards(corner, after, BEND.min(distance(corner, after) / 2));
        let _ = write!(out, "L{} {}Q{} {} {} {}", near.x, near.y, corner.x, corner.y, far.x, far.y);
    }
    if let [.., before, end] = points[..] {
        let end = if arrow { towards(end, before, TIP - 2) } else { end };
        let _ = write!(out, "L{} {}", end.x, end.y);
    }
    out
}

fn distance(a: Point, b: Point) -> i64 {
    (a.x - b.x).abs() + (a.y - b.y).abs()
}

pub(super) fn towards(from: Point, to: Point, length: i64) -> Point {
    Point {
        x: from.x + (to.x - from.x).signum() * length,
        y: from.y + (to.y - from.y).signum() * length,
    }
}

fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Continuous => "continuous",
        Kind::Held => "held",
        Kind::Discrete => "discrete",
        Kind::Impulsive => "impulsive",
        Kind::Constant => "constant",
    }
}

/// Draws a path in the stroke of a kind; one with impulses is a double line.
pub(super) fn path(out: &mut String, kind: Kind, looped: bool, way: &str) {
    let class = if looped { "looped" } else { class(kind) };
    let _ = writeln!(out, "<path class=\"wire {class}\" d=\"{way}\"/>");
    if kind == Kind::Impulsive && !looped {
        let _ = writeln!(out, "<path class=\"wire core\" d=\"{way}\"/>");
    }
}

/// An arrow head at an input; wires enter nodes from the left.
fn tip(out: &mut String, line: &Line) {
    let Some(Point { x, y }) = line.points.last().filter(|_| line.arrow) else { return };
    let class = if line.looped { "looped" } else { class(line.kind) };
    let half = if line.looped || line.kind == Kind::Impulsive { 5 } else { 4 };
    let (back, up, down) = (x - TIP, y - half, y + half);
    let _ = writeln!(out, "<path class=\"tip {class}\" d=\"M{x} {y}L{back} {up}V{down}Z\"/>");
}
