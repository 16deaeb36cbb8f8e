//! One level: its nodes, the frames inside it, its ports, and the wires between them.

use std::collections::BTreeMap;

use diagram::WireId;

use super::nodes::{self, Draft};
use crate::layered::{self, Drawing, Edge, Graph, Net, Pin, Vertex};
use crate::letters::{bold_width, width};
use crate::scene::{Scene, ScopeId, Sink, Source};
use crate::size::{NAME, SMALL};
use crate::{Frame, Kind, Line, Node, Point, Port, Rect, Side};

/// Above the inside of an open instance, with its name \[px\].
const HEAD: i64 = 30;
/// Around the inside of an open instance \[px\].
const PAD: i64 = 16;
/// The height of a port of a level with its name \[px\].
const PORT: i64 = 16;

/// A level with everything inside it; places are relative to its corner.
#[derive(Default)]
pub(super) struct Level {
    pub width: i64,
    pub height: i64,
    pub frames: Vec<Frame>,
    pub nodes: Vec<Node>,
    pub lines: Vec<Line>,
    /// The heights of its inputs and outputs, each list from the top.
    inputs: Vec<(WireId, i64)>,
    outputs: Vec<(WireId, i64)>,
}

/// What a vertex stands for.
enum Item {
    Input(WireId, String),
    Output(WireId, String),
    Node(Box<Draft>),
    Open(ScopeId, Box<Level>),
}

/// A wire of the level: where it leads to, and whether a refused loop leads there.
struct Way {
    wire: WireId,
    from: Pin,
    to: Vec<(Pin, bool)>,
}

/// Lays out a level.
pub(super) fn level(scene: &Scene, scope: ScopeId) -> Level {
    let items = items(scene, scope);
    let mut graph = Graph::default();
    let (mut sources, mut sinks) = (BTreeMap::new(), BTreeMap::new());
    for (vertex, item) in items.iter().enumerate() {
        graph.vertices.push(item.vertex());
        let pin = |pin: usize| Pin { vertex, pin };
        sources.extend(item.sources().into_iter().enumerate().map(|(i, key)| (key, pin(i))));
        sinks.extend(item.sinks().into_iter().enumerate().map(|(i, key)| (key, pin(i))));
    }
    let mut ways = Vec::new();
    for (wire, net) in scene.level(scope) {
        let Some(from) = sources.get(&(net.from, wire)).copied() else { continue };
        let pin = |(sink, looped): &(Sink, bool)| Some((*sinks.get(&(*sink, wire))?, *looped));
        let to: Vec<(Pin, bool)> = net.to.iter().filter_map(pin).collect();
        let leads = matches!(net.from, Source::Block(block, _) if scene.led(block).is_some());
        if let ([(pin, _)], true) = (&to[..], leads) {
            graph.vertices[from.vertex].leads = Some(pin.vertex);
        }
        graph.nets.push(Net { from, to: to.iter().map(|(pin, _)| *pin).collect() });
        ways.push(Way { wire, from, to });
    }
    let drawing = layered::draw(&graph);
    Assembly::new(scene, scope, &items, &drawing).assemble(items, &drawing, &ways)
}

/// Everything that gets a place in a level, in the order in which it was written.
fn items(scene: &Scene, scope: ScopeId) -> Vec<Item> {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for (wire, net) in scene.level(scope) {
        if net.from == Source::Outside {
            inputs.push(Item::Input(wire, scene.input_name(scope, wire)));
        }
        if net.to.iter().any(|(sink, _)| *sink == Sink::Outside) {
            outputs.push(Item::Output(wire, scene.output_name(scope, wire)));
        }
    }
    let here = scene.scope(scope);
    let mut inner = Vec::new();
    for block in here.blocks.iter().filter(|block| scene.host(**block).is_none()) {
        inner.push((*block, Item::Node(Box::new(nodes::block(scene, *block)))));
    }
    for child in &here.children {
        let first = scene.blocks_below(*child).into_iter().min().expect("an instance has blocks");
        let item = match scene.scope(*child).open {
            true => Item::Open(*child, Box::new(level(scene, *child))),
            false => Item::Node(Box::new(nodes::closed(scene, *child, scope))),
        };
        inner.push((first, item));
    }
    inner.sort_by_key(|(first, _)| *first);
    inputs.into_iter().chain(inner.into_iter().map(|(_, item)| item)).chain(outputs).collect()
}

impl Item {
    fn vertex(&self) -> Vertex {
        let port = |name: &str, left: Vec<i64>, right: Vec<i64>, edge: Edge| Vertex {
            width: width(name, SMALL) + 8,
            height: PORT,
            left,
            right,
            free: false,
            edge,
            leads: None,
            gathers: false,
        };
        let heights = |ports: &[(WireId, i64)]| ports.iter().map(|(_, y)| *y).collect();
        match self {
            Item::Input(_, name) => port(name, Vec::new(), vec![PORT - 3], Edge::First),
            Item::Output(_, name) => port(name, vec![PORT - 3], Vec::new(), Edge::Last),
            Item::Node(draft) => Vertex {
                width: draft.sized.width,
                height: draft.sized.height,
                left: draft.sized.pins.iter().flatten().copied().collect(),
                right: draft.sized.outputs.clone(),
                free: draft.free,
                edge: Edge::None,
                leads: None,
                gathers: !draft.folded.is_empty() || !draft.node.text.is_empty(),
            },
            Item::Open(_, level) => Vertex {
                width: level.width,
                height: level.height,
                left: heights(&level.inputs),
                right: heights(&level.outputs),
                free: false,
                edge: Edge::None,
                leads: None,
                gathers: false,
            },
        }
    }

    fn sources(&self) -> Vec<(Source, WireId)> {
        match self {
            Item::Input(wire, _) => vec![(Source::Outside, *wire)],
            Item::Output(..) => Vec::new(),
            Item::Node(draft) => draft.sources.clone(),
            Item::Open(scope, level) => {
                level.outputs.iter().map(|(wire, _)| (Source::Group(*scope), *wire)).collect()
            }
        }
    }

    fn sinks(&self) -> Vec<(Sink, WireId)> {
        match self {
            Item::Input(..) => Vec::new(),
            Item::Output(wire, _) => vec![(Sink::Outside, *wire)],
            Item::Node(draft) => draft.sinks.clone(),
            Item::Open(scope, level) => {
                level.inputs.iter().map(|(wire, _)| (Sink::Group(*scope), *wire)).collect()
            }
        }
    }
}

/// A level being put together from its drawing.
struct Assembly<'a> {
    scene: &'a Scene<'a>,
    /// Where the drawing begins inside the level.
    corner: Point,
    level: Level,
}

impl<'a> Assembly<'a> {
    fn new(scene: &'a Scene, scope: ScopeId, items: &[Item], drawing: &Drawing) -> Self {
        let mut level = Level { width: drawing.width, height: drawing.height, ..Level::default() };
        if scope == scene.root() {
            return Assembly { scene, corner: Point::default(), level };
        }
        let left = if items.iter().any(|i| matches!(i, Item::Input(..))) { 0 } else { PAD };
        let right = if items.iter().any(|i| matches!(i, Item::Output(..))) { 0 } else { PAD };
        let here = scene.scope(scope);
        let name = here.name().to_owned();
        level.width = (level.width + left + right).max(bold_width(&name, NAME) + 2 * PAD);
        level.height += HEAD + PAD;
        let area = Rect { x: 0, y: 0, width: level.width, height: level.height };
        level.frames.push(Frame { path: here.path.clone(), name, area, ports: Vec::new() });
        Assembly { scene, corner: Point { x: left, y: HEAD }, level }
    }

    fn assemble(mut self, items: Vec<Item>, drawing: &Drawing, ways: &[Way]) -> Level {
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
            name: self.scene.diagram.wire_name(wire),
            kind: Kind::of(self.scene.diagram.wire(wire)),
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

    /// Puts the ports where the pins have been put, where pins could change places.
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
    /// For a pin, how far a line that leads to it goes, and whether it has an arrow head.
    pins: BTreeMap<Pin, (i64, bool)>,
}

/// The lines on which folded expressions stand, and the bars that gather their operands.
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

fn moved(point: Point, by: Point) -> Point {
    Point { x: point.x + by.x, y: point.y + by.y }
}

fn shift_node(node: &mut Node, by: Point) {
    (node.area, node.body) = (node.area.moved(by), node.body.moved(by));
    node.text_left += by.x;
    node.text_middle += by.x;
    node.ports.iter_mut().for_each(|port| port.at = moved(port.at, by));
    node.labels.iter_mut().for_each(|label| label.at = moved(label.at, by));
}

impl Level {
    /// Moves everything.
    pub fn shift(&mut self, by: Point) {
        for frame in &mut self.frames {
            frame.area = frame.area.moved(by);
            frame.ports.iter_mut().for_each(|port| port.at = moved(port.at, by));
        }
        self.nodes.iter_mut().for_each(|node| shift_node(node, by));
        let points = self.lines.iter_mut().flat_map(|line| &mut line.points);
        points.for_each(|point| *point = moved(*point, by));
    }
}

/// Numbers the lines so that those of one wire from one point on share a number.
pub(super) fn number_nets(lines: &mut [Line]) {
    let mut known = BTreeMap::new();
    for line in lines {
        let next = known.len();
        line.net = *known.entry((line.wire, line.points[0])).or_insert(next);
    }
}
