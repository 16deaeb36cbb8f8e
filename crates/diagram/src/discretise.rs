//! Continuous states by the right Riemann sum: for runs by fixed steps.
//!
//! A state x with the rate f becomes one that is kept from point to point, and is read as
//! `x + h f`, with the rate at this very point. That is implicit: if the rate of a block's state
//! needs a state of the same block it is solved for here, and if the need goes through wires the
//! schedule finds a loop.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Type;
use blocks::{Definition, Leaf, Memory, Signal};
use ir::{Body, Graph, NodeId, Op};

/// A definition whose continuous states grow by their rate times the length of the step.
pub(crate) fn discretise(definition: Definition) -> Definition {
    let flowing = |index: &usize| definition.states[*index].derivative.is_some();
    let flowing: Vec<usize> = (0..definition.states.len()).filter(flowing).collect();
    if flowing.is_empty() {
        return definition;
    }
    let step = definition.leaves.iter().position(|leaf| *leaf == Leaf::Step);
    let mut leaves = definition.leaves.clone();
    let step = step.unwrap_or_else(|| {
        leaves.push(Leaf::Step);
        leaves.len() - 1
    });
    let mut graph = Graph::new();
    let flows = flows(&definition, &flowing, step as u32, &mut graph);
    replaced(definition, leaves, graph, &flows)
}

/// What each continuous state is at the end of the step, by its index.
fn flows(
    definition: &Definition,
    flowing: &[usize],
    step: u32,
    graph: &mut Graph,
) -> BTreeMap<usize, NodeId> {
    let rates: Vec<NodeId> =
        flowing.iter().filter_map(|index| definition.states[*index].derivative).collect();
    let of_state = |node: NodeId| match definition.graph.node(node).op {
        Op::Leaf(key) => match definition.leaves[key as usize] {
            Leaf::State(index) if flowing.contains(&index) => Some((key, index)),
            _ => None,
        },
        _ => None,
    };
    let implicit = definition.graph.reachable(&rates).into_iter().any(|id| of_state(id).is_some());
    if implicit {
        return solved(definition, flowing, &rates, step, graph);
    }
    let length = graph.leaf(step, Type::REAL);
    let inlined = graph.inline(&definition.graph, &rates, &mut |_, _, _, _| None);
    let grown = |(index, rate): (&usize, &NodeId)| {
        let state = state_leaf(definition, *index, graph);
        let change = graph.mul(length, inlined.get(*rate));
        let splat = graph.splat(change, definition.states[*index].ty.shape);
        (*index, graph.add(state, splat))
    };
    flowing.iter().zip(&rates).map(grown).collect()
}

fn state_leaf(definition: &Definition, index: usize, graph: &mut Graph) -> NodeId {
    let key = definition.leaves.iter().position(|leaf| *leaf == Leaf::State(index));
    graph.leaf(key.expect("a state has a leaf") as u32, definition.states[index].ty)
}

/// The same if rates need the states: x = old + h f(x) by Newton's method, from the old states.
fn solved(
    definition: &Definition,
    flowing: &[usize],
    rates: &[NodeId],
    step: u32,
    graph: &mut Graph,
) -> BTreeMap<usize, NodeId> {
    let total: usize = flowing.iter().map(|index| definition.states[*index].ty.len()).sum();
    let ty = Type::vector(total as u32);
    let mut body = Graph::new();
    let unknowns = body.leaf(0, ty);
    let mut offsets = BTreeMap::new();
    let mut offset = 0;
    for index in flowing {
        offsets.insert(*index, offset);
        offset += definition.states[*index].ty.len();
    }
    // Leaves are numbered anew: 0 for the unknowns, then the old states, the step, and the rest.
    let mut outer: Vec<NodeId> = Vec::new();
    let old: Vec<NodeId> =
        flowing.iter().map(|index| state_leaf(definition, *index, graph)).collect();
    let old = graph.stack(&old, ty.shape);
    outer.push(old);
    let start = body.leaf(1, ty);
    outer.push(graph.leaf(step, Type::REAL));
    let length = body.leaf(2, Type::REAL);
    let mut known: BTreeMap<u32, NodeId> = BTreeMap::new();
    let inlined = body.inline(&definition.graph, rates, &mut |b, _, node, _| {
        let Op::Leaf(key) = node.op else { return None };
        if let Leaf::State(index) = definition.leaves[key as usize]
            && let Some(offset) = offsets.get(&index)
        {
            return Some(b.extract(unknowns, *offset, node.ty.shape));
        }
        Some(*known.entry(key).or_insert_with(|| {
            outer.push(graph.leaf(key, node.ty));
            b.leaf(outer.len() as u32, node.ty)
        }))
    });
    let rates: Vec<NodeId> = rates
        .iter()
        .zip(flowing)
        .map(|(rate, index)| body.splat(inlined.get(*rate), definition.states[*index].ty.shape))
        .collect();
    let rates = body.stack(&rates, ty.shape);
    let growth = body.mul(length, rates);
    let end = body.add(start, growth);
    let residual = body.sub(end, unknowns);
    let body = Arc::new(Body::new(body, unknowns, residual));
    let end = graph.solve(body, [old, old], &outer);
    let part = |index: &usize| {
        let shape = definition.states[*index].ty.shape;
        (*index, graph.extract(end, offsets[index], shape))
    };
    flowing.iter().map(part).collect()
}

/// The definition over the new graph, with states read as they have grown.
fn replaced(
    definition: Definition,
    leaves: Vec<Leaf>,
    mut graph: Graph,
    flows: &BTreeMap<usize, NodeId>,
) -> Definition {
    let mut roots: Vec<NodeId> = Vec::new();
    for output in &definition.outputs {
        roots.extend([output.value, output.present]);
        roots.extend(&output.impulses);
    }
    roots.extend(definition.derivatives.iter().flatten());
    roots.extend(definition.states.iter().map(|state| state.next));
    roots.extend(definition.checks.iter().map(|check| check.undefined));
    let inlined = graph.inline(&definition.graph, &roots, &mut |_, _, node, _| match node.op {
        Op::Leaf(key) => match definition.leaves[key as usize] {
            Leaf::State(index) => flows.get(&index).copied(),
            _ => None,
        },
        _ => None,
    });
    let all = |nodes: &[NodeId]| nodes.iter().map(|node| inlined.get(*node)).collect();
    let signal = |signal: &Signal| Signal {
        value: inlined.get(signal.value),
        present: inlined.get(signal.present),
        impulses: all(&signal.impulses),
    };
    let mut states = definition.states.clone();
    for (index, state) in states.iter_mut().enumerate() {
        state.next = inlined.get(state.next);
        if flows.contains_key(&index) {
            (state.derivative, state.memory) = (None, Memory::Point);
        }
    }
    let mut checks = definition.checks.clone();
    checks.iter_mut().for_each(|check| check.undefined = inlined.get(check.undefined));
    Definition {
        outputs: definition.outputs.iter().map(signal).collect(),
        derivatives: definition.derivatives.iter().map(|orders| all(orders)).collect(),
        states,
        checks,
        graph,
        leaves,
        ..definition
    }
}
