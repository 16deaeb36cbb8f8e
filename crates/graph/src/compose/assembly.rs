//! Assembles a level from its drawing: nodes and lines in their positions, with a frame around
//! them.

use std::collections::BTreeMap;

use diagram::WireId;

use super::level::{Item, Level, PORT, Way};
use super::nodes::Draft;
use crate::layered::{Drawing, Pin};
use crate::letters::bold_width;
use crate::scene::{Scene, ScopeId};
use crate::size::{NAME, STACK};
use crate::{Frame, Line, Node, Point, Port, Rect, Side};

/// The space above the inside of an open instance, including its name \[px\].
const HEAD: i64 = 30;
/// The padding around the inside of an open instance \[px\].
const PAD: i64 = 16;

/// A level that is being assembled from its drawing.
pub(super) struct Assembly<'a> {
    scene: &'a Scene<'a>,
    /// Where the drawing starts inside the level.
    corner: Point,
    level: Level,
}

impl<'a> Assembly<'a> {
    pub fn new(scene: &'a Scene, scope: ScopeId, items: &[Item], drawing: &Drawing) -> Self {
        let mut level = Level { width: drawing.width, height: drawing.height, ..Level::default() };
        if scope == scene.root() {
            return Assembly { scene, corner: Point::default(), level };
        }
        let left = if items.iter().any(|i| matches!(i, Item::Input(..))) { 0 } else { PAD };
        let right = if items.iter().any(|i| matches!(i, Item::Output(..))) { 0 } else { PAD };
        let here = scene.scope(scope);
        let name = scene.title(scope);
        let stacked = here.elements.is_some();
        let stack = if stacked { STACK } else { 0 };
        level.width = (level.width + left + right).max(bold_width(&name, NAME) + 2 * PAD) + stack;
        level.height += HEAD + PAD + stack;
        let area = Rect { x: 0, y: 0, width: level.width, height: level.height };
        let path = here.path.clone();
        level.frames.push(Frame { path, name, area, stacked, ports: Vec::new() });
        Assembly { scene, corner: Point { x: left, y: HEAD }, level }
    }

    pub fn assemble(mut self, items: Vec<Item>, drawing: &Drawing, ways: &[Way]) -> Level {
        let mut ends = Ends::default();
        for (vertex, item) in items.into_iter().enumerate() {
            self.place(item, drawing, vertex, &mut ends);
        }
        for (way, routes) in ways.iter().zip(&drawing.routes) {
            for ((pin, looped), route) in way.to.iter().zip(routes) {
                let mut points: Vec<Point> = route.points.iter().map(|p| self.at(*p)).collect();
                if ends.inputs.contains(&way.from.vertex) {
                    points[0].x = 0;
                }
                let end = ends.pins.get(pin).copied();
                let last = points.last_mut().expect("a route has points");
                last.x = end.map_or(last.x, |(x, _)| x);
                let mut line = self.line(way.wire, points);
                line.arrow = end.is_some_and(|(_, arrow)| arrow);
                (line.feedback, line.looped) = (route.feedback, *looped);
                self.level.lines.push(line);
            }
        }
        self.level.inputs.sort_by_key(|(_, y)| *y);
        self.level.outputs.sort_by_key(|(_, y)| *y);
        self.level
    }

    fn at(&self, point: Point) -> Point {
        Point { x: point.x + self.corner.x, y: point.y + self.corner.y }
    }

    fn line(&self, wire: WireId, points: Vec<Point>) -> Line {
        Line {
            wire,
            name: self.scene.wire_name(wire),
            kind: self.scene.kind(wire),
            net: 0,
            points,
            arrow: false,
            feedback: false,
            looped: false,
        }
    }

    fn place(&mut self, item: Item, drawing: &Drawing, vertex: usize, ends: &mut Ends) {
        let corner = self.at(drawing.places[vertex]);
        match item {
            Item::Input(wire, name) => {
                let y = corner.y + PORT - 3;
                self.port(Side::Left, Point { x: 0, y }, name);
                self.level.inputs.push((wire, y));
                ends.inputs.push(vertex);
            }
            Item::Output(wire, name) => {
                let at = Point { x: self.level.width, y: corner.y + PORT - 3 };
                self.port(Side::Right, at, name);
                self.level.outputs.push((wire, at.y));
                ends.pins.insert(Pin { vertex, pin: 0 }, (at.x, false));
            }
            Item::Open(_, mut inside) => {
                inside.shift(corner);
                self.level.frames.append(&mut inside.frames);
                self.level.nodes.append(&mut inside.nodes);
                self.level.lines.append(&mut inside.lines);
            }
            Item::Node(mut draft) => {
                self.place_ports(&mut draft, drawing, vertex);
                let folded = fold(&draft);
                for (wire, points, arrow, looped) in folded {
                    let points = points.into_iter().map(|p| moved(p, corner)).collect();
                    let mut line = self.line(wire, points);
                    (line.arrow, line.looped) = (arrow, looped);
                    self.level.lines.push(line);
                }
                let body = draft.sized.body.x + corner.x;
                let inputs = draft.sized.pins.iter().enumerate();
                let pins = inputs.flat_map(|(input, pins)| {
                    let folded = draft.folded.iter().any(|(at, ..)| *at == input);
                    pins.iter().map(move |_| if folded { (corner.x, false) } else { (body, true) })
                });
                ends.pins.extend(pins.enumerate().map(|(pin, end)| (Pin { vertex, pin }, end)));
                shift_node(&mut draft.node, corner);
                self.level.nodes.push(draft.node);
            }
        }
    }

    fn port(&mut self, side: Side, at: Point, name: String) {
        if let Some(frame) = self.level.frames.first_mut() {
            frame.ports.push(Port { side, at, name, shown: true });
        }
    }

    /// Moves the ports to the positions of the pins if pins could be reordered.
    fn place_ports(&self, draft: &mut Draft, drawing: &Drawing, vertex: usize) {
        if !draft.free {
            return;
        }
        let (mut left, mut right) = (drawing.left[vertex].iter(), drawing.right[vertex].iter());
        for port in &mut draft.node.ports {
            let next = if port.side == Side::Left { left.next() } else { right.next() };
            port.at.y = *next.expect("a pin for each port");
        }
    }
}

/// Where the lines of a level end.
#[derive(Default)]
struct Ends {
    /// The vertices of the level's inputs.
    inputs: Vec<usize>,
    /// For each pin, how far a line that leads to it extends, and whether it has an arrow head.
    pins: BTreeMap<Pin, (i64, bool)>,
}

/// The lines on which folded expressions are written, and the bars that collect their operands.
fn fold(draft: &Draft) -> Vec<(WireId, Vec<Point>, bool, bool)> {
    let mut lines = Vec::new();
    for (input, wire, looped) in &draft.folded {
        let y = draft.sized.inputs[*input];
        let end = Point { x: draft.sized.body.x, y };
        lines.push((*wire, vec![Point { x: 0, y }, end], true, *looped));
        if let [first, .., last] = draft.sized.pins[*input][..] {
            let bar = vec![Point { x: 0, y: first }, Point { x: 0, y: last }];
            lines.push((*wire, bar, false, *looped));
        }
    }
    lines
}

pub(super) fn moved(point: Point, by: Point) -> Point {
    Point { x: point.x + by.x, y: point.y + by.y }
}

pub(super) fn shift_node(node: &mut Node, by: Point) {
    (node.area, node.body) = (node.area.moved(by), node.body.moved(by));
    node.text_left += by.x;
    node.text_middle += by.x;
    node.ports.iter_mut().for_each(|port| port.at = moved(port.at, by));
    node.labels.iter_mut().for_each(|label| label.at = moved(label.at, by));
}
