//! Inputs of arrays of instances whose signals depend on the indices, such as `cell[i - 1, j]`.
//!
//! The flat diagram connects what is inside an element directly to what it reads, wherever that is.
//! Here the connection passes through an expression outside the array that represents what is
//! written.

use std::collections::{BTreeMap, HashMap};

use base::Span;
use diagram::{BlockId, InstancePort, WireId};

use super::drawn::Drawn;

/// The expressions at inputs of arrays of instances.
pub(super) struct Selections<'a> {
    /// For the drawn path of an array and the name of an input, the wire of the expression.
    wires: BTreeMap<(String, &'a str), WireId>,
    /// The inputs of each instance of the flat diagram.
    inputs: HashMap<&'a str, Vec<&'a InstancePort>>,
}

impl<'a> Selections<'a> {
    /// Finds or makes the expressions.
    pub fn new(drawn: &mut Drawn<'a>) -> Selections<'a> {
        let mut found = Selections { wires: BTreeMap::new(), inputs: HashMap::new() };
        for port in drawn.diagram.ports.iter().filter(|port| port.is_input) {
            found.inputs.entry(&port.instance).or_default().push(port);
            let (array, arrays) = drawn.path(&port.instance);
            let selects = !is_name(drawn.diagram.sources.snippet(port.span));
            if !selects || drawn.kind_of_elements(&array).is_none() {
                continue;
            }
            let made = is_made_for(drawn, port).then(|| drawn.wire(port.wire));
            let known = found.wires.entry((array, &port.name));
            let path = format!("{}.{}", known.key().0, port.name);
            let wire = known.or_insert_with(|| match made {
                Some(made) => made,
                None => drawn.add_expression(path, arrays, port.span),
            });
            // The first one in the flat diagram is preferred because it has a kind and a number.
            if let Some(made) = made.filter(|made| made < wire) {
                drawn.withdraw(*wire);
                *wire = made;
            }
        }
        found
    }

    /// The expression at an input of an instance drawn under a path.
    pub fn at(&self, port: &InstancePort, instance: &str) -> Option<WireId> {
        let key = (instance.to_owned(), port.name.as_str());
        self.wires.get(&key).copied().filter(|_| port.is_input)
    }

    /// The expression through which a wire reaches a block, and which names it as written.
    pub fn through(
        &self,
        drawn: &Drawn,
        block: BlockId,
        wire: WireId,
        written: Span,
    ) -> Option<WireId> {
        if self.wires.is_empty() {
            return None;
        }
        let path = &drawn.diagram.block(block).path;
        let mut name = drawn.diagram.sources.snippet(written);
        let outputs = &drawn.diagram.block(block).outputs;
        for (end, _) in path.rmatch_indices('.') {
            let inputs = self.inputs.get(&path[..end]).map_or(&[][..], Vec::as_slice);
            // What an expression at an input reads was written outside the instance.
            if inputs.iter().any(|port| outputs.contains(&port.wire)) {
                continue;
            }
            let same = || inputs.iter().filter(|port| port.wire == wire);
            let Some(port) = same().find(|port| port.name == name).or(same().next()) else {
                continue;
            };
            if let Some(found) = self.at(port, &drawn.path(&port.instance).0) {
                // An expression that was made for the input is read directly.
                return (found != drawn.wire(wire)).then_some(found);
            }
            name = drawn.diagram.sources.snippet(port.span);
        }
        None
    }

    /// Connects each expression to what the elements read at the input.
    pub fn gather(&self, drawn: &mut Drawn) {
        for port in drawn.diagram.ports.iter().filter(|port| port.is_input) {
            let Some(found) = self.at(port, &drawn.path(&port.instance).0) else { continue };
            let wire = drawn.wire(port.wire);
            let other = (wire != found).then_some(wire);
            let expression = drawn.source(found);
            drawn.block_mut(expression).stand_for(port.span, other.into_iter());
        }
    }
}

/// Whether the wire at an input comes from an expression that was made for it.
fn is_made_for(drawn: &Drawn, port: &InstancePort) -> bool {
    let driver = drawn.diagram.wire(port.wire).block;
    let path = drawn.diagram.block(driver).path.strip_prefix(&port.instance);
    let name = path.and_then(|rest| rest.strip_prefix('.'));
    drawn.block(driver).made && name == Some(&port.name)
}

/// Whether the text is a plain name, which is the same for all elements.
fn is_name(written: &str) -> bool {
    written.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
}
