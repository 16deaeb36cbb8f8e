//! Loops: iterated from unknown by unrolling, or solved by Newton's method.

use std::sync::Arc;

use base::{Table, Type};
use diagram::Phase;
use ir::{Body, Graph, NodeId, Op, Slot};
use rustc_hash::FxHashMap;
use schedule::PartId;

use crate::compose::{Composer, Undecided};
use crate::slots::Slots;
use crate::tracked::{Tracked, TrackedId, TrackedWire};

/// The guess of a solved loop, which follows its solution.
#[derive(Clone, Copy, Debug)]
pub struct Guess {
    /// The first slot of the solution.
    pub solution: Slot,
    /// The first slot of the guess.
    pub guess: Slot,
    /// The number of unknowns.
    pub length: usize,
}

/// Composes parts that depend on each other, starting from unknown; as many passes as there are
/// parts reach the least fixed point.
pub(crate) fn iterate(composer: &mut Composer, slots: &Slots, members: &[PartId]) {
    for id in members {
        let ty = part_type(composer, *id);
        let unknown = composer.graph.unknown(ty);
        composer.nodes.insert(*id, unknown);
    }
    pass(composer, slots, members);
}

/// Composes presences that depend on each other, all present or all absent at first, while the
/// values of the loop are open.
pub(crate) fn presences(
    composer: &mut Composer,
    slots: &Slots,
    (members, present): (&[PartId], bool),
    open: &[PartId],
) {
    for id in members {
        let start = composer.graph.bool(present);
        composer.nodes.insert(*id, start);
    }
    for id in open {
        let ty = part_type(composer, *id);
        let unknown = composer.graph.unknown(ty);
        composer.nodes.insert(*id, unknown);
    }
    composer.undecided = Undecided::Both;
    pass(composer, slots, members);
    if !open.is_empty() {
        // If the branches of a choice that is still open differ, nothing says which one holds.
        composer.undecided = Undecided::Agreed;
        let found: Vec<NodeId> = members.iter().map(|id| composer.part(slots, *id)).collect();
        composer.nodes.extend(members.iter().copied().zip(found));
    }
    composer.undecided = Undecided::Unknown;
    for id in open {
        composer.nodes.remove(id);
    }
}

fn pass(composer: &mut Composer, slots: &Slots, members: &[PartId]) {
    for _ in members {
        let mut changed = false;
        for id in members {
            let node = composer.part(slots, *id);
            changed |= composer.nodes.insert(*id, node) != Some(node);
        }
        if !changed {
            break;
        }
    }
}

fn part_type(composer: &Composer, id: PartId) -> Type {
    let part = composer.parts.get(id);
    match part.part {
        blocks::Part::Present => Type::BOOL,
        _ => composer.diagram.wire(part.wire).ty,
    }
}

/// Composes parts that depend on each other as a loop solved for its unknowns. Between events the
/// guess has slots of its own and follows the solution; at a tick it is the previous value of the
/// wires. If that does not converge, the guess of the model is tried.
pub(crate) fn solve(
    composer: &mut Composer,
    slots: &mut Slots,
    unknowns: &[(PartId, Vec<f64>)],
    rest: &[PartId],
) {
    let types: Vec<Type> = unknowns.iter().map(|(id, _)| part_type(composer, *id)).collect();
    let total: usize = types.iter().map(|ty| ty.len()).sum();
    let ty = Type::vector(total as u32);
    let (body, outer) = body(composer, slots, unknowns, rest, ty);
    let start: Vec<f64> = unknowns.iter().flat_map(|(_, guess)| guess.clone()).collect();
    let fallback = composer.graph.constant(ty, &start);
    let guess = match composer.phase {
        Phase::Smooth => {
            let guess = slots.layout.reserve_with(&start);
            let solution = slots.layout.reserve(total);
            slots.guesses.push(Guess { solution, guess, length: total });
            composer.graph.leaf(guess.0, ty)
        }
        Phase::Tick => {
            let place = |(id, _): &(PartId, Vec<f64>)| {
                let part = composer.parts.get(*id);
                slots.slot(slots.part(part.wire, part.part))
            };
            let places: Vec<Slot> = unknowns.iter().map(place).collect();
            let leaves: Vec<NodeId> =
                places.iter().zip(&types).map(|(at, ty)| composer.graph.leaf(at.0, *ty)).collect();
            composer.graph.stack(&leaves, ty.shape)
        }
    };
    let solved = composer.graph.solve(Arc::new(body), [guess, fallback], &outer);
    if let (Phase::Smooth, Some(guess)) = (composer.phase, slots.guesses.last()) {
        composer.solutions.push((unknowns[0].0, solved, guess.solution));
    }
    let mut offset = 0;
    for ((id, _), ty) in unknowns.iter().zip(&types) {
        let node = composer.graph.extract(solved, offset, ty.shape);
        composer.nodes.insert(*id, node);
        offset += ty.len();
    }
    for id in rest {
        let node = composer.part(slots, *id);
        composer.nodes.insert(*id, node);
    }
}

/// The residuals F(u) - u of the unknowns u, over the vector of unknowns and the outer values, and
/// the outer values as nodes of the composer.
fn body(
    composer: &mut Composer,
    slots: &Slots,
    unknowns: &[(PartId, Vec<f64>)],
    rest: &[PartId],
    ty: Type,
) -> (Body, Vec<NodeId>) {
    // The loop is composed on its own first; everything outside is read from its slots.
    let mut inner = Composer::new(composer.diagram, composer.parts, composer.phase);
    let vector = inner.graph.leaf(UNKNOWNS, ty);
    let mut offset = 0;
    for (id, _) in unknowns {
        let ty = part_type(composer, *id);
        let node = inner.graph.extract(vector, offset, ty.shape);
        inner.nodes.insert(*id, node);
        offset += ty.len();
    }
    for id in rest {
        let node = inner.part(slots, *id);
        inner.nodes.insert(*id, node);
    }
    let mut residuals = Vec::new();
    for (id, _) in unknowns {
        let value = inner.part(slots, *id);
        residuals.push(inner.graph.sub(value, inner.nodes[id]));
    }
    let residual = inner.graph.stack(&residuals, ty.shape);
    // Then leaves are renumbered: 0 for the unknowns, 1, 2, ... for outer values.
    let mut graph = Graph::new();
    let unknown = graph.leaf(0, ty);
    let mut known: FxHashMap<u32, NodeId> = FxHashMap::default();
    let mut outer: Vec<(Slot, Type)> = Vec::new();
    let inlined = graph.inline(&inner.graph, &[residual], &mut |g, _, node, _| match node.op {
        Op::Leaf(UNKNOWNS) => Some(unknown),
        Op::Leaf(slot) => Some(*known.entry(slot).or_insert_with(|| {
            outer.push((Slot(slot), node.ty));
            g.leaf(outer.len() as u32, node.ty)
        })),
        _ => None,
    });
    let residual = inlined.get(residual);
    let places: FxHashMap<Slot, PartId> = (0..composer.parts.len())
        .map(|i| {
            let part = composer.parts.get(PartId::new(i));
            (slots.slot(slots.part(part.wire, part.part)), PartId::new(i))
        })
        .collect();
    let outer = outer
        .into_iter()
        .map(|(slot, ty)| match places.get(&slot).and_then(|part| composer.nodes.get(part)) {
            Some(node) => *node,
            None => composer.graph.leaf(slot.0, ty),
        })
        .collect();
    (Body::new(graph, unknown, residual), outer)
}

/// Whether one of some wires is present but has no value because its loop leaves it undetermined.
pub(crate) fn are_open<'w>(
    mut wires: impl Iterator<Item = &'w TrackedWire>,
    all: &Table<TrackedId, Tracked>,
    slots: &[f64],
) -> bool {
    let place = |id: TrackedId| {
        let tracked = &all[id];
        &slots[tracked.slot.range(tracked.length)]
    };
    wires.any(|wire| {
        let value = place(wire.value).iter();
        place(wire.present)[0] != 0.0 && value.copied().any(ir::is_undetermined)
    })
}

/// The leaf that represents the unknowns while a loop is composed: not a slot of the buffer.
const UNKNOWNS: u32 = u32::MAX;
