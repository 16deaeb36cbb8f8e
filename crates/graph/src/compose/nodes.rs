//! The nodes of a level: the text in each, and which wire leads to which pin.

use std::collections::BTreeSet;

use diagram::{BlockId, WireId};

use crate::letters::shortened;
use crate::scene::{Scene, ScopeId, Sink, Source};
use crate::size::{Input, Lettering, Sized};
use crate::{Figure, Label, Node, Point, Port, Rect, Side};

/// A node without a position.
pub(super) struct Draft {
    pub node: Node,
    pub sized: Sized,
    /// The sinks of the pins on the left edge, from top to bottom.
    pub sinks: Vec<(Sink, WireId)>,
    /// The sources of the pins on the right edge.
    pub sources: Vec<(Source, WireId)>,
    /// Expressions written on inputs: the input, the wire that continues from there, and whether it
    /// is part of a refused loop.
    pub folded: Vec<(usize, WireId, bool)>,
    /// Whether the pins may be reordered.
    pub free: bool,
}

/// An input with its sinks, before it is known whether an expression is folded into it.
struct Slot {
    name: String,
    shown: bool,
    sink: Sink,
    wires: Vec<WireId>,
    /// What is written at it, if that distinguishes elements of arrays.
    selection: Option<String>,
}

/// The draft of a library block or of a visible expression.
pub(super) fn block(scene: &Scene, id: BlockId) -> Draft {
    let block = scene.block(id);
    let expression = scene.is_expression(id);
    let connected: BTreeSet<usize> = block.inputs.iter().map(|input| input.at.0).collect();
    let mut slots = Vec::new();
    for (port, input) in block.inputs.iter().enumerate() {
        let plain = connected.len() == 1 || block.has_list(input.at.0);
        let name = input_name(scene, id, port);
        let evident = expression || name.is_empty() || (plain && name.starts_with("input"));
        let wires: Vec<WireId> =
            input.wires.iter().copied().filter(|wire| scene.is_drawn(*wire)).collect();
        if !wires.is_empty() {
            let (sink, selection) = (Sink::Block(id, port), scene.selection(id, port));
            let shown = !evident || scene.adds(id);
            let name = if scene.adds(id) { sign(scene, wires[0], sink) } else { name };
            slots.push(Slot { name, shown, sink, wires, selection });
        }
    }
    let figure = match expression {
        true => Figure::Expression(id),
        false if scene.is_machine(id) => Figure::Block(id, "Modal".to_owned()),
        false => Figure::Block(id, scene.diagram.block(id).kind.info().name.to_string()),
    };
    let name = match scene.is_expression(id) && scene.recorded(id).is_none() {
        true => "",
        false if scene.is_machine(id) => "state",
        false => block.name(),
    };
    let mut draft = assemble(scene, figure, name, slots);
    // Only the state of a machine is shown, unless something reads the other outputs.
    let read = |(_, wire): &(usize, &WireId)| !scene.is_machine(id) || scene.is_read(**wire);
    let outputs: Vec<(usize, &WireId)> = block.outputs.iter().enumerate().filter(read).collect();
    let several = outputs.len() > 1;
    for (port, wire) in outputs {
        draft.sources.push((Source::Block(id, port), *wire));
        let name = match block.made {
            true => String::new(),
            false => scene.diagram.block(id).kind.info().outputs[port].name.to_string(),
        };
        draft.node.ports.push(port_of(Side::Right, name, several));
    }
    if let (Figure::Block(_, kind), Some(caption)) = (&draft.node.figure, caption(scene, id)) {
        draft.node.kind = format!("{kind} {caption}");
    }
    if matches!(draft.node.figure, Figure::Block(..)) && !scene.is_machine(id) {
        draft.node.icon = scene.diagram.block(id).kind.info().icon.to_string();
    }
    draft.node.path = match scene.is_machine(id) {
        true => format!("{}.state", block.path),
        false => block.path.clone(),
    };
    draft.node.stacked = scene.is_stack(id);
    draft.node.about = about(scene, id);
    draft.node.looped = scene.is_looped(id);
    let hosted = hosted(scene, id);
    draft.node.order = scene.order(hosted.into_iter().chain([id]));
    draft.finish()
}

/// The expressions that a block shows as its own.
fn hosted(scene: &Scene, id: BlockId) -> Option<BlockId> {
    let driver = |wire: &WireId| scene.source(*wire);
    let wires = scene.block(id).inputs.iter().flat_map(|input| &input.wires);
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
            let (sink, wires) = (Sink::Group(id), vec![wire]);
            slots.push(Slot { name, shown: true, sink, wires, selection: None });
        }
    }
    let blocks = scene.blocks_below(id);
    let scope = scene.scope(id);
    let figure = Figure::Closed(scene.count_below(id));
    let mut draft = assemble(scene, figure, scope.name(), slots);
    draft.node.kind = scene.kind_of_closed(id);
    draft.node.stacked = scope.elements.is_some();
    draft.sources = sources;
    draft.node.ports.extend(names.into_iter().map(|name| port_of(Side::Right, name, true)));
    draft.node.path = scope.path.clone();
    draft.node.about = format!("{}: {} blocks inside", scope.path, scene.count_below(id));
    draft.node.looped = blocks.iter().any(|block| scene.is_looped(*block));
    draft.node.order = scene.order(blocks.into_iter());
    draft.finish()
}

/// The parameters that a library block shows; they may differ between elements of an array.
fn caption(scene: &Scene, id: BlockId) -> Option<String> {
    let caption = |block: &BlockId| {
        let block = scene.diagram.block(*block);
        block.kind.caption(&block.settings).map(|caption| shortened(&caption, 24))
    };
    let mut all = scene.block(id).of.iter().map(caption);
    let first = all.next()??;
    all.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// The sign of a term in a sum.
fn sign(scene: &Scene, wire: WireId, sink: Sink) -> String {
    let driver = scene.source(wire);
    let negative = scene.host(driver) == Some(sink) && scene.is_negation(driver);
    if negative { "\u{2212}".to_owned() } else { "+".to_owned() }
}

/// The name of an input, with its position in a list; operands of expressions have no names.
pub(crate) fn input_name(scene: &Scene, id: BlockId, port: usize) -> String {
    if scene.block(id).made || scene.is_machine(id) {
        return String::new();
    }
    let (input, place) = scene.block(id).inputs[port].at;
    let name = &scene.diagram.block(id).kind.info().inputs[input].name;
    match scene.block(id).has_list(input) {
        true => format!("{name}[{place}]"),
        false => name.to_string(),
    }
}

fn port_of(side: Side, name: String, shown: bool) -> Port {
    Port { side, at: Point::default(), name, shown }
}

/// Makes a draft from inputs, and writes those expressions into it that are not nodes themselves.
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
            kind: String::new(),
            icon: String::new(),
            about: String::new(),
            area: Rect::default(),
            body: Rect::default(),
            stacked: false,
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
        let driver = scene.source(slot.wires[0]);
        let here = scene.host(driver) == Some(slot.sink);
        let operands = scene.block(driver).inputs.iter().enumerate();
        let sinks = operands.map(|(port, input)| (Sink::Block(driver, port), input.wires[0]));
        match &self.node.figure {
            Figure::Block(id, _) if here && scene.adds(*id) && scene.is_negation(driver) => {
                self.node.ports.push(port_of(Side::Left, slot.name, true));
                self.sinks.extend(sinks);
                pins.push(vec![0]);
            }
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
                let before = self.sinks.len();
                if here {
                    let text = scene.expression(driver).join(", ");
                    self.write_on(scene, slot.wires[0], shortened(&text, 44));
                    self.sinks.extend(sinks);
                } else {
                    if let Some(text) = slot.selection {
                        self.write_on(scene, slot.wires[0], text);
                    }
                    self.sinks.extend(slot.wires.into_iter().map(|wire| (slot.sink, wire)));
                }
                pins.push(vec![0; self.sinks.len() - before]);
                self.node.ports.push(port_of(Side::Left, slot.name, slot.shown));
            }
        }
    }

    /// Writes a text on the wire of the next input.
    fn write_on(&mut self, scene: &Scene, wire: WireId, text: String) {
        let driver = scene.source(wire);
        let looped = scene.is_looped(driver) && self.is_looped(scene);
        self.folded.push((self.node.ports.len(), wire, looped));
        self.node.labels.push(Label { text, at: Point::default() });
        self.free = false;
    }

    fn is_looped(&self, scene: &Scene) -> bool {
        match &self.node.figure {
            Figure::Block(id, _) | Figure::Expression(id) => scene.is_looped(*id),
            Figure::Closed(_) => true,
        }
    }

    /// Determines the size and the positions of all ports, relative to the node's corner.
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
        let bare = self.node.text.is_empty() && self.node.kind.is_empty();
        if let (Figure::Block(_, kind), true) = (&self.node.figure, bare) {
            self.node.kind = kind.clone();
        }
        let (kind, stacked) = (self.node.kind.clone(), self.node.stacked);
        let icon = !self.node.icon.is_empty();
        let (name, text) = (self.node.name.clone(), self.node.text.clone());
        let sized = Lettering { name, text, kind, icon, stacked, inputs, outputs }.size();
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

/// The text of a tooltip: path, kind and what was written for it.
fn about(scene: &Scene, id: BlockId) -> String {
    let path = &scene.block(id).path;
    let written = shortened(scene.diagram.sources.snippet(scene.block(id).span), 200);
    match scene.is_expression(id) {
        true => format!("{path}: {written}"),
        false => {
            let info = scene.diagram.block(id).kind.info();
            format!("{path}: {}. {}", info.name, info.summary)
        }
    }
}
