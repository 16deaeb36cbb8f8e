//! Names of the ports of instances: as declared, if a wire passes through a port. Anything else
//! that enters or leaves is named by its readers and, if nobody wrote a name, after the wire.

use diagram::{BlockId, WireId};

use super::drawn::Drawn;
use super::scopes::{ScopeId, Scopes, is_expression};

/// The name of the input of an instance through which a wire enters.
pub(super) fn input_name(drawn: &Drawn, scopes: &Scopes, scope: ScopeId, wire: WireId) -> String {
    let instance = &scopes.get(scope).path;
    let declared = declared(drawn, instance, wire, true);
    if let Some(name) = declared.or_else(|| named_after_port(drawn, wire, instance)) {
        return name;
    }
    let read = readers(drawn, wire).filter(|(block, _)| scopes.is_shown(*block));
    let mut inside = read.filter(|(block, _)| scopes.of(*block) == scope).map(|(_, name)| name);
    let plain = inside.find(|name| !name.is_empty() && !name.contains('.'));
    plain.map_or_else(|| short_name(drawn, wire), str::to_owned)
}

/// The name of the output of an instance through which a wire leaves.
pub(super) fn output_name(drawn: &Drawn, scopes: &Scopes, scope: ScopeId, wire: WireId) -> String {
    let instance = &scopes.get(scope).path;
    let declared = declared(drawn, instance, wire, false);
    if let Some(name) = declared.or_else(|| named_after_port(drawn, wire, instance)) {
        return name;
    }
    let parent = scopes.get(scope).parent;
    let read = readers(drawn, wire).filter(|(block, _)| scopes.is_shown(*block));
    let mut outside = read.filter(|(block, _)| Some(scopes.of(*block)) == parent);
    let named = outside.find_map(|(_, name)| {
        let port = name.strip_prefix(scopes.get(scope).name())?.strip_prefix('.')?;
        (!port.contains('.')).then_some(port)
    });
    named.map_or_else(|| short_name(drawn, wire), str::to_owned)
}

/// The port of an instance through which a wire passes.
fn declared(drawn: &Drawn, instance: &str, wire: WireId, input: bool) -> Option<String> {
    let mut ports = drawn.ports.iter();
    let found =
        ports.find(|port| port.instance == instance && port.wire == wire && port.is_input == input);
    found.map(|port| port.name.clone())
}

/// The name of an expression that was made for a port of an instance.
fn named_after_port(drawn: &Drawn, wire: WireId, instance: &str) -> Option<String> {
    let driver = drawn.source(wire);
    let name = drawn.block(driver).path.strip_prefix(instance)?.strip_prefix('.')?;
    (is_expression(drawn, driver) && !name.contains('.')).then(|| name.to_owned())
}

/// The blocks that read a wire, and the text by which each refers to it.
fn readers<'d>(drawn: &'d Drawn, wire: WireId) -> impl Iterator<Item = (BlockId, &'d str)> {
    drawn.ids().flat_map(move |id| {
        let inputs = drawn.block(id).inputs.iter();
        inputs
            .filter(move |input| input.wires.contains(&wire))
            .map(move |input| (id, drawn.diagram.sources.snippet(input.span)))
    })
}

fn short_name(drawn: &Drawn, wire: WireId) -> String {
    let name = drawn.wire_name(wire);
    name.rsplit('.').next().unwrap_or(&name).to_owned()
}
