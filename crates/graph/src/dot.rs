//! The diagram as Graphviz text: instances as clusters, ports as fields of records.

use std::fmt::Write;

use diagram::{BlockId, Diagram, StateMachine, WireId};

use crate::chart::{is_last, title, words};
use crate::compose::input_name;
use crate::scene::{Scene, ScopeId, Sink, Source};
use crate::{Kind, Options};

/// Writes a diagram for Graphviz. Expressions are nodes. Ports of open instances are left out
/// because clusters have none, and a wire leads directly to the blocks inside. Whatever represents
/// all elements of an array is bold.
pub fn dot(diagram: &Diagram, options: &Options) -> String {
    let unfolded = Options { fold_expressions: false, ..*options };
    let scene = Scene::new(diagram, &unfolded);
    let mut out = format!("digraph {} {{\n", quoted(&diagram.name));
    out.push_str("  rankdir=LR;\n  node [shape=record, fontname=\"Helvetica\", fontsize=11];\n");
    out.push_str("  edge [fontname=\"Helvetica\", fontsize=9];\n");
    level(&mut out, &scene, scene.root(), 1);
    for (index, machine) in scene.machines().enumerate() {
        states(&mut out, &scene, index, machine);
    }
    for id in scene.ids() {
        for (port, input) in scene.block(id).inputs.iter().enumerate() {
            for wire in &input.wires {
                edge(&mut out, &scene, *wire, Sink::Block(id, port));
            }
        }
    }
    out.push_str("}\n");
    out
}

fn level(out: &mut String, scene: &Scene, scope: ScopeId, depth: usize) {
    let indent = "  ".repeat(depth);
    for block in &scene.scope(scope).blocks {
        let _ = writeln!(out, "{indent}b{} [{}];", block.index(), attributes(scene, *block));
    }
    for child in &scene.scope(scope).children {
        if scene.scope(*child).open {
            let _ = writeln!(out, "{indent}subgraph cluster_{} {{", child.0);
            let _ = writeln!(out, "{indent}  label={};", quoted(&scene.title(*child)));
            if scene.scope(*child).elements.is_some() {
                let _ = writeln!(out, "{indent}  style=bold;");
            }
            level(out, scene, *child, depth + 1);
            let _ = writeln!(out, "{indent}}}");
        } else {
            let fields = closed_fields(scene, *child, scope);
            let bold = if scene.scope(*child).elements.is_some() { ",bold" } else { "" };
            let style = format!("style=\"rounded,filled{bold}\", fillcolor=\"#e8eef5\"");
            let _ = writeln!(out, "{indent}g{} [label=\"{fields}\", {style}];", child.0);
        }
    }
}

/// Writes a state machine as a cluster of its own.
fn states(out: &mut String, scene: &Scene, index: usize, machine: &StateMachine) {
    let diagram = scene.diagram;
    let label = quoted(&title(&scene.block(machine.current).path));
    let _ = writeln!(out, "  subgraph cluster_m{index} {{\n    label={label};");
    let _ = writeln!(out, "    m{index}i [shape=point, width=0.12];");
    for (number, state) in machine.states.iter().enumerate() {
        let twice = if is_last(diagram, machine, number) { ", peripheries=2" } else { "" };
        let name = quoted(&state.name);
        let _ =
            writeln!(out, "    m{index}s{number} [label={name}, shape=box, style=rounded{twice}];");
    }
    let _ = writeln!(out, "    m{index}i -> m{index}s{};", machine.initial);
    for (number, state) in machine.states.iter().enumerate() {
        for transition in &state.transitions {
            let words = quoted(&words(diagram, machine, transition).join("\n"));
            let dashed = if transition.history { ", style=dashed" } else { "" };
            let _ = writeln!(
                out,
                "    m{index}s{number} -> m{index}s{} [label={words}{dashed}];",
                transition.to
            );
        }
    }
    out.push_str("  }\n");
}

fn attributes(scene: &Scene, id: BlockId) -> String {
    let red = if scene.is_looped(id) { ", color=\"#d50000\", penwidth=2" } else { "" };
    let order = scene.order([id].into_iter());
    let order = if order.is_empty() { order } else { format!(", xlabel=\"{order}\"") };
    if scene.is_expression(id) {
        let text = scene.expression(id).join("\n");
        let bold = if scene.is_stack(id) { ",bold" } else { "" };
        let style = format!("shape=box, style=\"rounded,filled{bold}\", fillcolor=\"#fff8e6\"");
        return format!("label={}, {style}{order}{red}", quoted(&text));
    }
    let info = scene.diagram.block(id).kind.info();
    let inputs = 0..scene.block(id).inputs.len();
    let inputs: Vec<String> =
        inputs.map(|port| format!("<i{port}> {}", field(&input_name(scene, id, port)))).collect();
    let outputs = info.outputs.iter().enumerate();
    let outputs: Vec<String> =
        outputs.map(|(port, output)| format!("<o{port}> {}", field(&output.name))).collect();
    let middle = format!("{}\\n{}", field(scene.block(id).name()), field(&info.name));
    let bold = if scene.is_stack(id) { ", style=bold" } else { "" };
    format!("label=\"{}\"{bold}{order}{red}", record(&inputs, &middle, &outputs))
}

fn closed_fields(scene: &Scene, id: ScopeId, outside: ScopeId) -> String {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for (wire, net) in scene.level(outside) {
        if net.from == Source::Group(id) {
            outputs.push(format!("<o{}> {}", wire.index(), field(&scene.output_name(id, wire))));
        }
        if net.to.iter().any(|(sink, _)| *sink == Sink::Group(id)) {
            inputs.push(format!("<i{}> {}", wire.index(), field(&scene.input_name(id, wire))));
        }
    }
    let name = field(scene.scope(id).name());
    let kind = field(&scene.kind_of_closed(id));
    record(&inputs, &format!("{name}\\n{kind}"), &outputs)
}

/// The label of a record with inputs on the left and outputs on the right.
fn record(inputs: &[String], middle: &str, outputs: &[String]) -> String {
    let group = |fields: &[String]| match fields.is_empty() {
        true => None,
        false => Some(format!("{{{}}}", fields.join("|"))),
    };
    let parts = [group(inputs), Some(middle.to_owned()), group(outputs)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    // Fields of a record are laid out across the direction of the graph; braces rotate them.
    format!("{{{}}}", parts.join("|"))
}

fn edge(out: &mut String, scene: &Scene, wire: WireId, sink: Sink) {
    let Some((from, to, looped)) = scene.ends(wire, sink) else { return };
    let from = match from {
        Source::Block(block, _) if scene.is_expression(block) => format!("b{}", block.index()),
        Source::Block(block, port) => format!("b{}:o{port}", block.index()),
        Source::Group(scope) => format!("g{}:o{}", scope.0, wire.index()),
        Source::Outside => return,
    };
    let to = match to {
        Sink::Block(block, _) if scene.is_expression(block) => format!("b{}", block.index()),
        Sink::Block(block, port) => format!("b{}:i{port}", block.index()),
        Sink::Group(scope) => format!("g{}:i{}", scope.0, wire.index()),
        Sink::Outside => return,
    };
    let label = match sink {
        Sink::Block(block, port) if to.starts_with('b') => scene.selection(block, port),
        _ => None,
    };
    let style = if looped {
        "color=\"#d50000\", penwidth=2"
    } else {
        match scene.kind(wire) {
            Kind::Continuous => "color=\"#0b5394\"",
            Kind::Held => "color=\"#00796b\"",
            Kind::Discrete => "color=\"#b45309\", style=dashed",
            Kind::Impulsive => "color=\"#7b1fa2:#7b1fa2\"",
            Kind::Constant => "color=\"#9aa5b1\"",
        }
    };
    let label = label.map(|text| format!(", label={}", quoted(&text))).unwrap_or_default();
    let _ = writeln!(out, "  {from} -> {to} [{style}{label}];");
}

/// A text as a quoted string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A text as a field of a record, inside a quoted string.
fn field(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '{' | '}' | '|' | '<' | '>' | '"' | '\\' | ' ') {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(quoted("a \"b\"\n\\"), "\"a \\\"b\\\"\\n\\\\\"");
        assert_eq!(field("a|b<c> {d}"), "a\\|b\\<c\\>\\ \\{d\\}");
    }
}
