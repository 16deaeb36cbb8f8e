//! Operations without meaning that a model may come to, reported before anything runs.

use base::{Diagnostic, Diagnostics};
use blocks::{Leaf, Part};
use ir::{NodeId, Op};

use crate::flat::{BlockId, Diagram};
use crate::occasions::WireOccasions;

/// A warning for each block in which an operation on impulses may turn out to have no meaning. The
/// run fails only if that happens.
pub fn possible(diagram: &Diagram) -> Diagnostics {
    let mut found = Diagnostics::default();
    if diagram.wires.iter().all(|wire| wire.orders == 0) {
        return found;
    }
    let mut supports = WireOccasions::find(diagram);
    for (index, block) in diagram.blocks.iter().enumerate() {
        let id = BlockId::new(index);
        let mut possible_reasons: Vec<&str> = Vec::new();
        for (check, node) in block.definition.checks.iter().zip(&block.tick.checks) {
            let reason = check.reason.as_str();
            let possible = !possible_reasons.contains(&reason)
                && is_about_impulses(diagram, id, *node)
                && supports.condition(id, *node).is_possible();
            if possible {
                possible_reasons.push(reason);
                found.push(warning(diagram, id, reason));
            }
        }
    }
    found
}

/// Whether a condition reads an impulse; others are the block's own and cannot be judged.
fn is_about_impulses(diagram: &Diagram, id: BlockId, node: NodeId) -> bool {
    let block = diagram.block(id);
    let graph = &block.tick.graph;
    graph.reachable(&[node]).into_iter().any(|node| match graph.node(node).op {
        Op::Leaf(key) => {
            let leaf = block.definition.leaves[key as usize];
            matches!(leaf, Leaf::Input { part: Part::Impulse(_), .. })
        }
        _ => false,
    })
}

fn warning(diagram: &Diagram, id: BlockId, reason: &str) -> Diagnostic {
    let block = diagram.block(id);
    Diagnostic::warning("undefined-possible", format!("possible in a run: {reason}"))
        .at(block.span, "may meet an impulse")
        .block(block.written())
        .note("the run ends with an error where it happens, and only there")
        .help("see the rule on impulses on the block's page")
}
