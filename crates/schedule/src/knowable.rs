//! Whether a loop can become known at all: conditionals may break it, strict operations cannot.

use std::collections::BTreeMap;

use blocks::Leaf;
use diagram::{Diagram, FlatBlock, Phase};
use ir::{Binary, NodeId, Op};

use crate::graph::{PartId, Parts, frozen, functions};

/// The parts of a loop that stay unknown for all values.
pub(crate) fn never_known(
    diagram: &Diagram,
    phase: Phase,
    parts: &Parts,
    members: &[PartId],
) -> Vec<PartId> {
    let status = spread((diagram, phase, parts), members, |id, status| {
        let block = diagram.block(diagram.wire(parts.get(id).wire).block);
        let root = parts.root(diagram, phase, id);
        root.is_some_and(|root| may_be_known(block, phase, parts, root, status))
    });
    members.iter().filter(|id| !status[id]).copied().collect()
}

/// Whether all presences in a loop would stay absent for ever if they start absent, even if
/// everything outside the loop is present.
pub(crate) fn never_present(diagram: &Diagram, parts: &Parts, members: &[PartId]) -> bool {
    let status = spread((diagram, Phase::Tick, parts), members, |id, status| {
        let block = diagram.block(diagram.wire(parts.get(id).wire).block);
        let root = parts.root(diagram, Phase::Tick, id);
        root.is_some_and(|root| may_be_true(block, parts, root, status))
    });
    status.values().all(|present| !present)
}

/// The parts of a loop for which a property holds, as a least fixed point: the property may spread
/// from a part to those that read it, and is never withdrawn.
fn spread(
    (diagram, mode, parts): (&Diagram, Phase, &Parts),
    members: &[PartId],
    holds: impl Fn(PartId, &BTreeMap<PartId, bool>) -> bool,
) -> BTreeMap<PartId, bool> {
    let mut status: BTreeMap<PartId, bool> = members.iter().map(|id| (*id, false)).collect();
    let mut readers: BTreeMap<PartId, Vec<PartId>> = BTreeMap::new();
    for id in members {
        let block = diagram.block(diagram.wire(parts.get(*id).wire).block);
        let roots: Vec<NodeId> = parts.root(diagram, mode, *id).into_iter().collect();
        for read in parts.inputs_of(block, mode, &roots) {
            readers.entry(read).or_default().push(*id);
        }
    }
    let mut open: Vec<PartId> = members.iter().rev().copied().collect();
    while let Some(id) = open.pop() {
        if !status[&id] && holds(id, &status) {
            status.insert(id, true);
            open.extend(readers.get(&id).into_iter().flatten());
        }
    }
    status
}

/// Whether a truth value may be true, given the presences in a loop; anything else that is unknown
/// may be true.
fn may_be_true(
    block: &FlatBlock,
    parts: &Parts,
    root: NodeId,
    status: &BTreeMap<PartId, bool>,
) -> bool {
    let graph = &block.tick.graph;
    let mut may: BTreeMap<NodeId, bool> = BTreeMap::new();
    for id in graph.reachable(&[root]) {
        let node = graph.node(id);
        let arg = |i: usize| may[&node.args[i]];
        let value = match &node.op {
            Op::Const(_) => graph.truth(id).unwrap_or(true),
            Op::Leaf(key) => match block.definition.leaves[*key as usize] {
                Leaf::Input { port, part } => {
                    status.get(&parts.id(block.port(port), part)).copied().unwrap_or(true)
                }
                _ => true,
            },
            Op::Binary(Binary::And) => arg(0) && arg(1),
            Op::Binary(Binary::Or) => arg(0) || arg(1),
            Op::Select => arg(1) || arg(2),
            Op::Choose(_) => (1..node.args.len()).any(arg),
            _ => true,
        };
        may.insert(id, value);
    }
    may[&root]
}

fn may_be_known(
    block: &FlatBlock,
    phase: Phase,
    parts: &Parts,
    root: NodeId,
    status: &BTreeMap<PartId, bool>,
) -> bool {
    let graph = &functions(block, phase).graph;
    let mut known: BTreeMap<NodeId, bool> = BTreeMap::new();
    for id in graph.reachable(&[root]) {
        let node = graph.node(id);
        let arg = |i: usize| known[&node.args[i]];
        let may = match &node.op {
            Op::Leaf(key) => {
                let read = parts.read(block, phase, block.definition.leaves[*key as usize]);
                read.and_then(|id| status.get(&id).copied()).unwrap_or(true)
            }
            Op::FrozenSign | Op::FrozenFloor if frozen(block, phase, id) => true,
            // Whether a side has changed was decided at the last commit, whatever the operand is
            // now.
            Op::Crossed => true,
            Op::Select => arg(0) && (arg(1) || arg(2)),
            Op::Choose(_) => arg(0) && (1..node.args.len()).any(arg),
            Op::Binary(Binary::And | Binary::Or) => arg(0) || arg(1),
            _ => node.args.iter().all(|a| known[a]),
        };
        known.insert(id, may);
    }
    known[&root]
}
