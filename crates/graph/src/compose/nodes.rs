//! The nodes of a level: what is written in each, and which wire leads to which pin.

use diagram::{BlockId, WireId};

use crate::letters::shortened;
use crate::scene::{Scene, ScopeId, Sink, Source};
use crate::size::{Input, Lettering, Sized};
use crate::svg::has_icon;
use crate::{Figure, Label, Node, Point, Port, Rect, Side};

/// A node before it has a place.
pub(super) struct Draft {
    pub node: Node,
    pub sized: Sized,
    /// The sinks of the pins on the left edge, from the top.
    pub sinks: Vec<(Sink, WireId)>,
    /// The sources of the pins on the right edge.
    pub sources: Vec<(Source, WireId)>,
    /// Expressions written on inputs: the input, the wire from there on, and whether it is looped.
    pub folded: Vec<(usize, WireId, bool)>,
    /// Whether pins may change places.
    pub free: bool,
}

/// An input with its sinks, before it is known whether an expression is folded into it.
struct Slot {
    name: String,
    shown: bool,
    sink: Sink,
    wire: WireId,
}

/// The draft of a block of the library or of a visible expression.
pub(super) fn block(scene: &Scene, id: BlockId) -> Draft {
    let block = scene.diagram.block(id);
    let info = block.kind.info();
    let expression = scene.is_expression(id);
    let connected = block.inputs.iter().filter(|wires| !wires.is_empty()).count();
    let mut slots = Vec::new();
    let mut port = 0;
    for (input, wires) in info.inputs.iter().zip(&block.inputs) {
        for (index, wire) in wires.iter().enumerate() {
            let several = wires.len() > 1;
            let name = if several { format!("{}[{index}]", input.name) } else { input.name.into() };
            let plain = connected == 1 || several;
            let evident = expression || (plain && input.name.starts_with("input"));
            let sink = Sink::Block(id, port);
            if scene.is_drawn(*wire) {
                slots.push(Slot { name, shown: !evident, sink, wire: *wire });
            }
            port += 1;
        }
    }
    let figure = match expression {
        true => Figure::Expression(id),
        false => Figure::Block(id, info.name.to_owned()),
    };
    let name = match scene.is_expression(id) && scene.recorded(id).is_none() {
        true => "",
        false => block.path.rsplit('.').next().unwrap_or(&block.path),
    };
    let mut draft = assemble(scene, figure, name, slots);
    let several = info.outputs.len() > 1;
    for (port, output) in info.outputs.iter().enumerate() {
        draft.sources.push((Source::Block(id, port), block.outputs[port]));
        draft.node.ports.push(port_of(Side::Right, output.name.to_owned(), several));
    }
    draft.node.path = block.path.clone();
    draft.node.about = about(scene, id);
    draft.node.looped = scene.is_looped(id);
    let hosted = hosted(scene, id);
    draft.node.order = scene.order(hosted.into_iter().chain([id]));
    draft.finish()
}

/// The expressions that a block shows as its own.
fn hosted(scene: &Scene, id: BlockId) -> Option<BlockId> {
    let driver = |wire: &WireId| scene.diagram.wire(*wire).block;
    let wires = scene.diagram.block(id).inputs.iter().flatten();
    let mut drivers = wires.map(driver).filter(|_| scene.absorbs(id));
    drivers.find(|driver| matches!(scene.host(*driver), Some(Sink::Block(host, _)) if host == id))
}

/// The draft of a closed instance.
pub(super) fn closed(scene: &Scene, id: ScopeId, outside: ScopeId) -> Draft {
    let (mut slots, mut sources, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for (wire, net) in scene.level(outside) {
        if net.from == Source::Group(id) {
            sources.push((net.from, wire));
            names.push(scene.output_name(id, wire));
        }
        if net.to.iter().any(|(sink, _)| *sink == Sink::Group(id)) {
            let name = scene.input_name(id, wire);
            slots.push(Slot { name, shown: true, sink: Sink::Group(id), wire });
        }
    }
    let blocks = scene.blocks_below(id);
    let scope = scene.scope(id);
    let mut draft = assemble(scene, Figure::Closed(blocks.len()), scope.name(), slots);
    draft.sources = sources;
    draft.node.ports.extend(names.into_iter().map(|name| port_of(Side::Right, name, true)));
    draft.node.path = scope.path.clone();
    draft.node.about = format!("{}: {} blocks inside", scope.path, blocks.len());
    draft.node.looped = blocks.iter().any(|block| scene.is_looped(*block));
    draft.node.order = scene.order(blocks.into_iter());
    draft.finish()
}

fn port_of(side: Side, name: String, shown: bool) -> Port {
    Port { side, at: Point::default(), name, shown }
}

/// Makes a draft from inputs, writing expressions into it that are not nodes themselves.
fn assemble(scene: &Scene, figure: Figure, name: &str, slots: Vec<Slot>) -> Draft {
    let text = match &figure {
        Figure::Expression(id) => scene.expression(*id),
        _ => Vec::new(),
    };
    let mut draft = Draft {
        free: !matches!(figure, Figure::Block(..)),
        node: Node {
            figure,
            path: String::new(),
            name: name.to_owned(),
            text,
            about: String::new(),
            area: Rect::default(),
            body: Rect::default(),
            text_middle: 0,
            text_left: 0,
            ports: Vec::new(),
            labels: Vec::new(),
            order: String::new(),
            looped: false,
        },
        sized: Sized::default(),
        sinks: Vec::new(),
        sources: Vec::new(),
        folded: Vec::new(),
    };
    let mut pins = Vec::new();
    for slot in slots {
        draft.add(scene, slot, &mut pins);
    }
    draft.sized.pins = pins;
    draft
}

impl Draft {
    fn add(&mut self, scene: &Scene, slot: Slot, pins: &mut Vec<Vec<i64>>) {
        let driver = scene.diagram.wire(slot.wire).block;
        let here = scene.host(driver) == Some(slot.sink);
        let operands = scene.diagram.block(driver).inputs.iter().flatten().enumerate();
        let sinks = operands.map(|(port, wire)| (Sink::Block(driver, port), *wire));
        match &self.node.figure {
            Figure::Block(id, _) if here && scene.absorbs(*id) => {
                self.node.text = scene.expression(driver);
                self.free = true;
                for sink in sinks {
                    self.node.ports.push(port_of(Side::Left, slot.name.clone(), false));
                    self.sinks.push(sink);
                    pins.push(vec![0]);
                }
            }
            _ => {
                if here {
                    let looped = scene.is_looped(driver) && self.is_looped(scene);
                    self.folded.push((self.node.ports.len(), slot.wire, looped));
                    let text = scene.expression(driver).join(", ");
                    let text = shortened(&text, 44);
                    self.node.labels.push(Label { text, at: Point::default() });
                    let before = self.sinks.len();
                    self.sinks.extend(sinks);
                    self.free = false;
                    pins.push(vec![0; self.sinks.len() - before]);
                } else {
                    self.sinks.push((slot.sink, slot.wire));
                    pins.push(vec![0]);
                }
                self.node.ports.push(port_of(Side::Left, slot.name, slot.shown));
            }
        }
    }

    fn is_looped(&self, scene: &Scene) -> bool {
        match &self.node.figure {
            Figure::Block(id, _) | Figure::Expression(id) => scene.is_looped(*id),
            Figure::Closed(_) => true,
        }
    }

    /// Finds the size and the places of all ports, relative to the node's corner.
    fn finish(mut self) -> Draft {
        let shown = |port: &Port| if port.shown { port.name.clone() } else { String::new() };
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for port in &self.node.ports {
            match port.side {
                Side::Left => {
                    let folded = self.folded.iter().position(|(input, ..)| *input == inputs.len());
                    let label = folded.map(|at| self.node.labels[at].text.clone());
                    let pins = self.sized.pins[inputs.len()].len();
                    inputs.push(Input {
                        name: shown(port),
                        label: label.unwrap_or_default(),
                        pins,
                    });
                }
                Side::Right => outputs.push(shown(port)),
            }
        }
        let kind = match &self.node.figure {
            Figure::Block(_, kind) if self.node.text.is_empty() => kind.clone(),
            Figure::Closed(count) => format!("{count} blocks"),
            _ => String::new(),
        };
        let icon = matches!(&self.node.figure, Figure::Block(_, kind) if has_icon(kind));
        let (name, text) = (self.node.name.clone(), self.node.text.clone());
        let sized = Lettering { name, text, kind, icon, inputs, outputs }.size();
        let (mut left, mut right) = (sized.inputs.iter(), sized.outputs.iter());
        for port in &mut self.node.ports {
            port.at = match port.side {
                Side::Left => Point { x: sized.body.x, y: *left.next().expect("an input each") },
                Side::Right => Point { x: sized.width, y: *right.next().expect("an output each") },
            };
        }
        for (label, (input, ..)) in self.node.labels.iter_mut().zip(&self.folded) {
            label.at = Point { x: 4, y: sized.inputs[*input] };
        }
        self.node.area = Rect { x: 0, y: 0, width: sized.width, height: sized.height };
        (self.node.body, self.node.text_left) = (sized.body, sized.text_left);
        self.node.text_middle = sized.text_middle;
        self.sized = sized;
        self
    }
}

/// The words of a tip: path, kind and what was written for it.
fn about(scene: &Scene, id: BlockId) -> String {
    let block = scene.diagram.block(id);
    let written = shortened(scene.diagram.sources.snippet(block.span), 200);
    match scene.is_expression(id) {
        true => format!("{}: {written}", block.path),
        false => {
            format!("{}: {}. {}", block.path, block.kind.info().name, block.kind.info().summary)
        }
    }
}
