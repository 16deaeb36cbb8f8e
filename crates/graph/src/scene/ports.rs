//! Names of the ports of instances: as they were declared, where a wire goes through a port. What
//! enters or leaves otherwise is named by those who use it, and where nobody wrote a name, that of
//! the wire stands in.

use diagram::{BlockId, Diagram, WireId};

use super::scopes::{ScopeId, Scopes, is_expression};

/// The name of the input of an instance through which a wire enters.
pub(super) fn input_name(
    diagram: &Diagram,
    scopes: &Scopes,
    scope: ScopeId,
    wire: WireId,
) -> String {
    let instance = &scopes.get(scope).path;
    let declared = declared(diagram, instance, wire, true);
    if let Some(name) = declared.or_else(|| named_after_port(diagram, wire, instance)) {
        return name;
    }
    let read = readers(diagram, wire).filter(|(block, _)| scopes.is_shown(*block));
    let mut inside = read.filter(|(block, _)| scopes.of(*block) == scope).map(|(_, name)| name);
    let plain = inside.find(|name| !name.is_empty() && !name.contains('.'));
    plain.map_or_else(|| short_name(diagram, wire), str::to_owned)
}

/// The name of the output of an instance through which a wire leaves.
pub(super) fn output_name(
    diagram: &Diagram,
    scopes: &Scopes,
    scope: ScopeId,
    wire: WireId,
) -> String {
    let instance = &scopes.get(scope).path;
    let declared = declared(diagram, instance, wire, false);
    if let Some(name) = declared.or_else(|| named_after_port(diagram, wire, instance)) {
        return name;
    }
    let parent = scopes.get(scope).parent;
    let read = readers(diagram, wire).filter(|(block, _)| scopes.is_shown(*block));
    let mut outside = read.filter(|(block, _)| Some(scopes.of(*block)) == parent);
    let named = outside.find_map(|(_, name)| {
        let port = name.strip_prefix(scopes.get(scope).name())?.strip_prefix('.')?;
        (!port.contains('.')).then_some(port)
    });
    named.map_or_else(|| short_name(diagram, wire), str::to_owned)
}

/// The port of an instance through which a wire goes.
fn declared(diagram: &Diagram, instance: &str, wire: WireId, input: bool) -> Option<String> {
    let mut ports = diagram.ports.iter();
    let found =
        ports.find(|port| port.instance == instance && port.wire == wire && port.is_input == input);
    found.map(|port| port.name.clone())
}

/// The name of an expression that was made for a port of an instance.
fn named_after_port(diagram: &Diagram, wire: WireId, instance: &str) -> Option<String> {
    let driver = diagram.wire(wire).block;
    let name = diagram.block(driver).path.strip_prefix(instance)?.strip_prefix('.')?;
    (is_expression(diagram, driver) && !name.contains('.')).then(|| name.to_owned())
}

/// The blocks that read a wire, and the words by which each names it.
fn readers(diagram: &Diagram, wire: WireId) -> impl Iterator<Item = (BlockId, &str)> {
    diagram.blocks.iter().enumerate().flat_map(move |(index, block)| {
        let inputs = block.inputs.iter().flatten().zip(block.input_spans.iter().flatten());
        inputs
            .filter(move |(read, _)| **read == wire)
            .map(move |(_, span)| (BlockId::new(index), diagram.sources.snippet(*span)))
    })
}

fn short_name(diagram: &Diagram, wire: WireId) -> String {
    let name = diagram.wire_name(wire);
    name.rsplit('.').next().unwrap_or(&name).to_owned()
}
