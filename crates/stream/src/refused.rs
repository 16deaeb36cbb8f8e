//! What streams of evaluations cannot express.

use base::{Diagnostic, Diagnostics};
use blocks::Leaf;
use diagram::{Diagram, FlatBlock, FragmentId, Specialised};
use ir::{NodeId, Op};

/// Refuses a diagram with impulses, located events, states that jump or left limits, and names each
/// block that has them.
pub fn check(diagram: &Diagram) -> Result<(), Diagnostics> {
    let mut errors = Diagnostics::default();
    for block in &diagram.blocks {
        if let Some((message, help)) = reason(diagram, block) {
            let note = "a stream has a value for each evaluation of the solver, and nothing happens \
                        between two of them";
            errors.push(
                Diagnostic::error("not-a-stream", message)
                    .at(block.span, "cannot be evaluated on streams")
                    .note(note)
                    .help(help)
                    .block(block.written()),
            );
        }
    }
    errors.or(())
}

/// Why a block has no meaning on streams, and what to do.
fn reason(diagram: &Diagram, block: &FlatBlock) -> Option<(String, &'static str)> {
    let name = block.written();
    if let Some(machine) =
        diagram.modes.machines.iter().find(|m| std::ptr::eq(block, diagram.block(m.mode)))
    {
        let help = "write the finite state as an expression over previous(...)";
        let message =
            format!("`{}` is a Modal, whose transitions happen at instants", machine.path);
        return Some((message, help));
    }
    if block.fragment != FragmentId::ROOT {
        // The machine that it is in is named.
        return None;
    }
    let carries = |wire| diagram.wire(wire).orders > 0;
    if block.inputs.iter().flatten().any(|wire| carries(*wire)) {
        // The block that the impulses come from is named.
        return None;
    }
    if block.outputs.iter().any(|wire| carries(*wire)) {
        let help = "a short pulse in its place is a number at each evaluation";
        return Some((format!("`{name}` makes impulses, which streams do not have"), help));
    }
    if block.definition.graph.nodes().iter().any(|node| node.op == Op::Crossed) {
        let help = "write a comparison, such as `x < 0`; it is made anew at each evaluation";
        let message = format!(
            "`{name}` is an event at the instant of a crossing, and streams have no instants"
        );
        return Some((message, help));
    }
    if !block.definition.leaves.iter().all(is_there) {
        let help = "run the model with `superdense run`";
        return Some((format!("`{name}` needs more of a run than streams have"), help));
    }
    for (index, state) in block.definition.states.iter().enumerate() {
        let kept_at_ticks = is_kept(block, &block.tick, index);
        let kept_between = is_kept(block, &block.smooth, index);
        if state.derivative.is_some() && !kept_at_ticks {
            let help = "only rates move a continuous state there; `superdense run` lets it jump";
            return Some((format!("the state of `{name}` jumps, and a sum cannot"), help));
        }
        if state.derivative.is_none() && kept_at_ticks && !kept_between {
            let help = "previous(...) is the value at the evaluation before";
            return Some((format!("`{name}` is a left limit, and streams have none"), help));
        }
    }
    None
}

/// Whether streams have what a leaf stands for. A leaf that is not known here is not read as 0.
fn is_there(leaf: &Leaf) -> bool {
    matches!(
        leaf,
        Leaf::Input { .. }
            | Leaf::State(_)
            | Leaf::Woken(_)
            | Leaf::Wakings(_)
            | Leaf::Time
            | Leaf::Ticking
    )
}

/// Whether a state stays as it is in a mode.
pub(crate) fn is_kept(block: &FlatBlock, functions: &Specialised, state: usize) -> bool {
    is_state(block, functions, functions.nexts[state], state)
}

fn is_state(block: &FlatBlock, functions: &Specialised, node: NodeId, state: usize) -> bool {
    match functions.graph.node(node).op {
        Op::Leaf(key) => block.definition.leaves[key as usize] == Leaf::State(state),
        _ => false,
    }
}
