//! Drawings for pages that draw themselves: the layout of a diagram as JSON, with the places in the
//! text that its parts were written at.

use base::Span;
use blocks::Library;
use diagram::{Diagram, Settings, WireId};
use graph::{
    Arrow, Chart, Figure, Frame, Label, Layout, Line, Node, Options, Point, Port, Rect, Side,
};
use model::{Model, Refused};
use schedule::refused_loops;
use serde_json::{Value as Json, json};

use crate::System;

impl System {
    /// The inputs of a block, with the type and the kind of what each reads.
    pub fn inputs_of_block(&self, path: &str) -> Json {
        let diagram = &self.diagram;
        let Some(block) = diagram.blocks.iter().find(|own| own.path == path) else {
            return self.inputs_of_instance(path);
        };
        let ports = block.kind.info().inputs.iter().zip(&block.inputs);
        let one = |name: &str, wires: &[WireId]| {
            let read = wires.first().map(|wire| self.carried(*wire));
            json!({"name": name, "reads": read})
        };
        ports.map(|(port, wires)| one(&port.name, wires)).collect()
    }

    /// The same of an instance of a diagram: what was made for the expressions of its fields.
    fn inputs_of_instance(&self, path: &str) -> Json {
        let made = self.diagram.blocks.iter().filter_map(|own| {
            let name = own.path.strip_prefix(path)?.strip_prefix('.')?;
            let wire = own.outputs.first().filter(|_| !name.contains('.'))?;
            Some(json!({"name": name, "reads": self.carried(*wire)}))
        });
        made.collect()
    }

    fn carried(&self, wire: WireId) -> String {
        let wire = self.diagram.wire(wire);
        format!("{}, {}", wire.ty, graph::Kind::of(wire).name())
    }

    /// The layout of the diagram: the main diagram, with the instances at these paths opened.
    pub fn scene(&self, opened: &[String]) -> Json {
        json(
            &self.diagram,
            &Options { depth: Some(0), opened, legend: false, ..Options::default() },
        )
    }
}

/// The layout of a model that may be refused because of a causality loop, which is then marked.
pub fn scene(
    model: &Model,
    library: &Library,
    overrides: &Settings,
    opened: &[String],
) -> Result<Json, Refused> {
    let model = overrides.applied(model)?;
    let refused = |diagnostics| Refused { diagnostics, sources: model.sources.clone() };
    let library = crate::foreign::library(&model, library).map_err(refused)?;
    let diagram = diagram::flatten(&model, &library, overrides).map_err(refused)?;
    let loops = refused_loops(&diagram);
    let options =
        Options { depth: Some(0), opened, loops: &loops, legend: false, ..Options::default() };
    Ok(json(&diagram, &options))
}

fn json(diagram: &Diagram, options: &Options) -> Json {
    let layout = graph::layout(diagram, options);
    let Layout { title, width, height, frames, nodes, lines, charts, looped, .. } = &layout;
    let mut out = json!({"title": title, "width": width, "height": height, "looped": looped});
    // The macro would copy these, and there may be ten thousand of them.
    out["frames"] = frames.iter().map(frame).collect();
    out["nodes"] = nodes.iter().map(|own| node(diagram, own)).collect();
    out["lines"] = lines.iter().map(|own| line(diagram, own)).collect();
    out["charts"] = charts.iter().map(chart).collect();
    out
}

fn rect(own: &Rect) -> Json {
    json!([own.x, own.y, own.width, own.height])
}

fn point(own: &Point) -> Json {
    json!([own.x, own.y])
}

fn port(own: &Port) -> Json {
    let side = if own.side == Side::Left { "in" } else { "out" };
    json!({"side": side, "at": point(&own.at), "name": own.name, "shown": own.shown})
}

/// A place in the text of the model file itself, in bytes.
fn place(span: Span) -> Option<[u32; 2]> {
    (span.file.index() == 0).then_some([span.start, span.end])
}

/// The file in which something is written, if it is another one.
fn file(diagram: &Diagram, span: Span) -> Option<&str> {
    (span.file.index() != 0).then(|| diagram.sources.name(span.file))
}

fn frame(own: &Frame) -> Json {
    json!({
        "path": own.path, "name": own.name, "area": rect(&own.area), "stacked": own.stacked,
        "ports": own.ports.iter().map(port).collect::<Vec<_>>(),
    })
}

fn node(diagram: &Diagram, own: &Node) -> Json {
    let (figure, block) = match &own.figure {
        Figure::Block(id, _) => ("block", Some(id)),
        Figure::Expression(id) => ("expression", Some(id)),
        Figure::Closed(_) => ("closed", None),
    };
    let block = block.and_then(|id| diagram.blocks.get(id.index()));
    // A closed instance is found by one of the blocks inside it.
    let label = |own: &Label| json!({"text": own.text, "at": point(&own.at)});
    let outputs = block
        .map(|own| own.outputs.iter().map(|wire| diagram.wire_name(*wire)).collect::<Vec<_>>());
    json!({
        "figure": figure, "path": own.path, "name": own.name, "text": own.text, "type": own.kind,
        "icon": own.icon, "about": own.about, "body": rect(&own.body), "area": rect(&own.area),
        "stacked": own.stacked, "middle": own.text_middle, "left": own.text_left,
        "ports": own.ports.iter().map(port).collect::<Vec<_>>(),
        "labels": own.labels.iter().map(label).collect::<Vec<_>>(), "looped": own.looped,
        "place": block.and_then(|own| place(own.span)), "outputs": outputs,
        "unread": unread(diagram, own),
        "file": block.and_then(|own| file(diagram, own.span)),
    })
}

/// The outputs of a closed machine or of a system of equations that no wire leaves, by name. Other
/// nodes show all outputs, apart from instances, whose diagrams say what they have.
fn unread<'d>(diagram: &'d Diagram, own: &Node) -> Vec<&'d str> {
    if !matches!(own.figure, Figure::Closed(_)) {
        return Vec::new();
    }
    let ports = diagram.ports.iter().filter(|port| port.instance == own.path && !port.is_input);
    let machine = diagram.modes.machines.iter().find(|machine| machine.path == own.path);
    let blocks = machine.into_iter().flat_map(|own| own.outputs.iter().chain([&own.current]));
    let last = |path: &'d str| path.rsplit('.').next().unwrap_or(path);
    let names =
        ports.map(|port| &*port.name).chain(blocks.map(|id| last(&diagram.block(*id).path)));
    let drawn =
        |name: &str| own.ports.iter().any(|port| port.name == name && port.side != Side::Left);
    names.filter(|name| !drawn(name)).collect()
}

fn line(diagram: &Diagram, own: &Line) -> Json {
    // A wire from an expression at an input of an array is none of the flat diagram.
    let wire = diagram.wires.get(own.wire.index());
    json!({
        "name": own.name, "kind": own.kind.name(), "net": own.net, "arrow": own.arrow,
        "points": own.points.iter().map(point).collect::<Vec<_>>(),
        "looped": own.looped, "feedback": own.feedback,
        "wire": wire.map_or(own.name.clone(), |_| diagram.wire_name(own.wire)),
        "type": wire.map(|own| own.ty.to_string()),
        "from": wire.map_or(own.name.as_str(), |own| diagram.block(own.block).path.as_str()),
    })
}

fn chart(own: &Chart) -> Json {
    let arrow = |own: &Arrow| {
        json!({
            "points": own.points.iter().map(point).collect::<Vec<_>>(), "words": own.words,
            "at": point(&own.at), "history": own.history, "place": own.span.and_then(place),
        })
    };
    json!({
        "path": own.path, "title": own.title, "area": rect(&own.area), "start": point(&own.start),
        "place": own.span.and_then(place),
        "states": own.states.iter()
            .map(|own| json!({"name": own.name, "area": rect(&own.area), "last": own.last}))
            .collect::<Vec<_>>(),
        "arrows": own.arrows.iter().map(arrow).collect::<Vec<_>>(),
    })
}
