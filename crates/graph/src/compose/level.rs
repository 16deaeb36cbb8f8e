//! One level: its nodes, the frames inside it, its ports, and the wires between them.

use std::collections::BTreeMap;

use diagram::WireId;

use super::assembly::{Assembly, moved, shift_node};
use super::nodes::{self, Draft};
use crate::layered::{self, Edge, Graph, Net, Pin, Vertex};
use crate::letters::width;
use crate::scene::{Scene, ScopeId, Sink, Source};
use crate::size::SMALL;
use crate::{Frame, Line, Node, Point};

/// The height of a port of a level, including its name \[px\].
pub(super) const PORT: i64 = 16;

/// A level with everything inside it; positions are relative to its corner.
#[derive(Default)]
pub(super) struct Level {
    pub width: i64,
    pub height: i64,
    pub frames: Vec<Frame>,
    pub nodes: Vec<Node>,
    pub lines: Vec<Line>,
    /// The heights of its inputs, from top to bottom.
    pub inputs: Vec<(WireId, i64)>,
    /// The heights of its outputs, from top to bottom.
    pub outputs: Vec<(WireId, i64)>,
}

/// What a vertex represents.
pub(super) enum Item {
    Input(WireId, String),
    Output(WireId, String),
    Node(Box<Draft>),
    Open(ScopeId, Box<Level>),
}

/// A wire of the level: where it leads to, and whether that connection is part of a refused loop.
pub(super) struct Way {
    pub wire: WireId,
    pub from: Pin,
    pub to: Vec<(Pin, bool)>,
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
        if let ([(pin, _)], true) = (&to[..], leads)
            && pin.vertex != from.vertex
        {
            graph.vertices[from.vertex].leads = Some(pin.vertex);
        }
        graph.nets.push(Net { from, to: to.iter().map(|(pin, _)| *pin).collect() });
        ways.push(Way { wire, from, to });
    }
    let drawing = layered::draw(&graph);
    Assembly::new(scene, scope, &items, &drawing).assemble(items, &drawing, &ways)
}

/// Everything that gets a position in a level, in the order in which it was written.
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

impl Level {
    /// Moves the whole level.
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

/// Numbers the lines so that those of one wire with the same starting point share a number.
pub(super) fn number_nets(lines: &mut [Line]) {
    let mut known = BTreeMap::new();
    for line in lines {
        let next = known.len();
        line.net = *known.entry((line.wire, line.points[0])).or_insert(next);
    }
}
