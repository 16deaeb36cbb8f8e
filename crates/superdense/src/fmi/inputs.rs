//! The inputs of an FMU whose events its instance takes part in.

use ::fmi::import::Port;
use base::{Diagnostic, Value};
use blocks::Context;
use ir::NodeId;

use super::block::{FmuBlock, real};

/// An input that is connected.
pub(super) struct Held {
    pub port: Port,
    /// Its value; an absent input keeps its last one.
    pub value: NodeId,
    /// Its value one microstep ago.
    pub before: NodeId,
}

/// The inputs that are connected.
pub(super) fn inputs(block: &FmuBlock, cx: &mut Context) -> Result<Vec<Held>, Diagnostic> {
    let mut found = Vec::new();
    for one in &block.variables.inputs {
        let Some(signal) = cx.optional(&one.name) else { continue };
        one.fits(cx, &signal)?;
        cx.refuse_impulses(&signal, "an impulse reaches an FMU");
        let before = cx.state(format!("held {}", one.name), one.start());
        let new = real(cx, signal.value);
        let value = cx.graph.select(signal.present, new, before);
        cx.next(before, value);
        found.push(Held { port: one.port(), value, before });
    }
    Ok(found)
}

/// For each input, the value that the instance received last at this instant, or that the input had
/// before it; and whether one has another value by now.
pub(super) fn known(cx: &mut Context, inputs: &[Held]) -> (Vec<NodeId>, NodeId) {
    let mut changed = cx.graph.bool(false);
    let mut all = Vec::new();
    for own in inputs {
        let ty = cx.graph.ty(own.value);
        let zeros = Value::new(ty, vec![0.0; ty.len()]);
        let known = cx.state(format!("known {}", own.port.name), zeros);
        let difference = cx.graph.sub(own.before, known);
        let differs = cx.nonzero(difference);
        changed = cx.graph.or(changed, differs);
        all.push(known);
    }
    (all, changed)
}

/// Where the instance receives its inputs.
pub(super) fn hand_over(cx: &mut Context, inputs: &[Held], known: &[NodeId], busy: NodeId) {
    let ticking = cx.ticking();
    for (own, known) in inputs.iter().zip(known) {
        let after = cx.graph.select(busy, own.before, *known);
        let next = cx.graph.select(ticking, after, own.value);
        cx.next(*known, next);
    }
}
