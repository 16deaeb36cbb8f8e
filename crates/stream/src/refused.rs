//! Diagrams that streams of evaluations cannot express.

use base::{Diagnostic, Diagnostics, Span};
use blocks::Leaf;
use diagram::{BlockId, Diagram, FlatBlock, MachineState, Specialised, StateMachine};
use ir::{NodeId, Op};

use crate::jumps::Jumps;

/// Refuses a diagram with impulses, located events, states that jump, left limits or error
/// transitions, and names each block that has them.
pub fn check(diagram: &Diagram) -> Result<(), Diagnostics> {
    let mut errors = Diagnostics::default();
    let jumps = Jumps::new(diagram);
    for (index, block) in diagram.blocks.iter().enumerate() {
        let jump = || jumps.reason(diagram, BlockId::new(index));
        if let Some((message, help)) = reason(diagram, block).or_else(jump) {
            errors.push(refusal(message, help, block.span).block(block.written()));
        }
    }
    for machine in &diagram.modes.machines {
        for state in &machine.states {
            if let Some((message, help, span)) = way_out(diagram, machine, state) {
                errors.push(refusal(message, help, span).block(&machine.path));
            }
        }
    }
    errors.or(())
}

fn refusal(message: String, help: &str, span: Span) -> Diagnostic {
    let note = "a stream has a value for each evaluation of the solver, and nothing happens \
                between two of them";
    Diagnostic::error("not-a-stream", message)
        .at(span, "cannot be evaluated on streams")
        .note(note)
        .help(help)
}

/// Why a block has no meaning on streams, and what to do.
fn reason(diagram: &Diagram, block: &FlatBlock) -> Option<(String, &'static str)> {
    let name = block.written();
    let carries = |wire| diagram.wire(wire).orders > 0;
    if block.inputs.iter().flatten().any(|wire| carries(*wire)) {
        // The error names the block that the impulses come from.
        return None;
    }
    if block.outputs.iter().any(|wire| carries(*wire)) {
        let help = "a short pulse in its place is a number at each evaluation";
        return Some((format!("`{name}` makes impulses, which streams do not have"), help));
    }
    if block.definition.crossed_sides().next().is_some() {
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

/// Why a transition has no meaning on streams, what to do, and where it was written.
fn way_out(
    diagram: &Diagram,
    machine: &StateMachine,
    state: &MachineState,
) -> Option<(String, &'static str, Span)> {
    let (path, name) = (&machine.path, &state.name);
    if let Some(transition) = state.transitions.iter().find(|t| t.error) {
        let message = format!(
            "`{path}` has a way out of failures of `{name}`, and a run on streams ends at one"
        );
        let help =
            "leave the transition with `error: true` out, or run the model with `superdense run`";
        return Some((message, help, transition.span));
    }
    // There is no value before the evaluation that could be read.
    let inside = |block: &BlockId| {
        let mut read = diagram.block(*block).inputs.iter().flatten();
        let content = state.content;
        read.any(|wire| {
            let from = diagram.block(diagram.wire(*wire).block).fragment;
            content.is_some_and(|content| diagram.modes.is_inside(from, content))
        })
    };
    let early = state.transitions.iter().find(|transition| {
        let sets = transition.sets.iter().map(|set| &set.value);
        let mut actions = sets.chain(transition.says.iter().map(|(_, said)| said));
        transition.preemptive && actions.any(inside)
    });
    early.map(|transition| {
        let message = format!(
            "a preemptive transition of `{path}` hands on what the diagram of `{name}` was before \
             it, and streams do not keep that"
        );
        let help = "let it set and say what is known outside the state, or leave `preemptive` out";
        (message, help, transition.span)
    })
}

/// Whether streams provide the value of a leaf. A leaf that is not known here is not read as 0.
fn is_there(leaf: &Leaf) -> bool {
    matches!(
        leaf,
        Leaf::Input { .. }
            | Leaf::State(_)
            | Leaf::Woken(_)
            | Leaf::Wakings(_)
            | Leaf::Time
            | Leaf::Elapsed
            | Leaf::Ticking
    )
}

/// Whether a state keeps its value in a phase.
pub(crate) fn is_kept(block: &FlatBlock, functions: &Specialised, state: usize) -> bool {
    is_state(block, functions, functions.nexts[state], state)
}

fn is_state(block: &FlatBlock, functions: &Specialised, node: NodeId, state: usize) -> bool {
    match functions.graph.node(node).op {
        Op::Leaf(key) => block.definition.leaves[key as usize] == Leaf::State(state),
        _ => false,
    }
}
