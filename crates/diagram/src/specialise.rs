//! A block's functions with everything folded in that is known of one mode.

use std::collections::{BTreeMap, BTreeSet};

use base::Value;
use blocks::{Definition, Leaf, OrderHazard, Part, Signal, State};
use ir::{Binary, Graph, Inlined, NodeId, Op, Unary};

use crate::facts::Phase;
use crate::flat::{Presence, Wire, WireId};

/// The functions of a block in one mode. Leaves have the same keys as in the definition.
#[derive(Clone, Debug, Default)]
pub struct Specialised {
    /// The functions.
    pub graph: Graph,
    /// The outputs.
    pub outputs: Vec<Signal>,
    /// The time derivatives of each output that something needs.
    pub output_derivatives: Vec<Vec<NodeId>>,
    /// What each state becomes at a commit.
    pub nexts: Vec<NodeId>,
    /// The rate of each continuous state.
    pub derivatives: Vec<Option<NodeId>>,
    /// What is asked at the end of steps.
    pub completions: Vec<NodeId>,
    /// Conditions that must not hold.
    pub checks: Vec<NodeId>,
    /// Conditions whose order at one instant matters.
    pub hazards: Vec<(NodeId, NodeId)>,
    /// The sides and cells of this graph, as nodes of the definition, by which they are known in
    /// both modes.
    pub sites: BTreeMap<NodeId, NodeId>,
    /// For each side or cell of the definition, its node in this graph.
    pub placed: BTreeMap<NodeId, NodeId>,
}

/// Folds what is known of the wires and of the mode into a definition. `port` gives the wire of an
/// input.
pub(crate) fn specialise(
    definition: &Definition,
    phase: Phase,
    port: &dyn Fn(usize) -> WireId,
    wires: &[Wire],
    remembered: &BTreeMap<usize, [Presence; 2]>,
) -> Specialised {
    let roots = roots(definition, phase);
    let nulls = nulls(definition, phase, port, wires);
    let mut graph = Graph::new();
    let inlined =
        graph.inline(&definition.graph, &roots, &mut |g, id, node, args| match &node.op {
            _ if nulls.contains(&id) => Some(g.filled(node.ty, 0.0)),
            Op::Binary(Binary::Add | Binary::Sub) if nulls.contains(&node.args[1]) => {
                (g.ty(args[0]) == node.ty).then_some(args[0])
            }
            Op::Binary(Binary::Add) if nulls.contains(&node.args[0]) => {
                (g.ty(args[1]) == node.ty).then_some(args[1])
            }
            Op::Crossed if phase == Phase::Smooth => Some(g.filled(node.ty, 0.0)),
            Op::Leaf(key) => match definition.leaves[*key as usize] {
                Leaf::Ticking => Some(g.bool(phase == Phase::Tick)),
                Leaf::Microstep if phase == Phase::Smooth => Some(g.real(0.0)),
                Leaf::Lasting { port } => Some(g.bool(remembered[&port][0] != Presence::Never)),
                Leaf::Woken(_) if phase == Phase::Smooth => Some(g.bool(false)),
                Leaf::Crossed(_) if phase == Phase::Smooth => Some(g.filled(node.ty, 0.0)),
                Leaf::Input { port: index, part } => {
                    let wire = &wires[port(index).index()];
                    known(wire, part, phase).map(|value| g.typed(node.ty, &value))
                }
                Leaf::Delayed { index, part } => {
                    let wire = &wires[port(definition.histories[index].port).index()];
                    let [between, ticking] = remembered[&definition.histories[index].port];
                    // Before the delay is over, the signal may be another constant.
                    let past = Wire { between, ticking, constant: None, ..wire.clone() };
                    known(&past, part, phase).map(|value| g.typed(node.ty, &value))
                }
                _ => None,
            },
            _ => None,
        });
    let mut specialised = functions(definition, phase, &inlined);
    specialised.find_sites(definition, &roots, &inlined, &graph);
    specialised.graph = graph.finished();
    specialised
}

/// The functions of a definition as nodes of the graph that it was inlined into; the graph and its
/// sites are still empty. Impulses, checks and hazards exist at ticks only, rates between events.
fn functions(definition: &Definition, phase: Phase, inlined: &Inlined) -> Specialised {
    let ticking = phase == Phase::Tick;
    let signal = |signal: &Signal| Signal {
        value: inlined.get(signal.value),
        present: inlined.get(signal.present),
        impulses: only_if(ticking, &signal.impulses).iter().map(|i| inlined.get(*i)).collect(),
    };
    let orders = |orders: &Vec<NodeId>| orders.iter().map(|node| inlined.get(*node)).collect();
    let states = definition.states.iter();
    let rate = |state: &State| state.derivative.filter(|_| !ticking).map(|d| inlined.get(d));
    let checks = only_if(ticking, &definition.checks).iter();
    let completions = only_if(!ticking, &definition.completions).iter();
    let hazards = only_if(ticking, &definition.hazards).iter();
    let pair = |hazard: &OrderHazard| (inlined.get(hazard.first), inlined.get(hazard.second));
    Specialised {
        outputs: definition.outputs.iter().map(signal).collect(),
        output_derivatives: definition.derivatives.iter().map(orders).collect(),
        nexts: states.clone().map(|state| inlined.get(state.next)).collect(),
        derivatives: states.map(rate).collect(),
        completions: completions.map(|own| inlined.get(own.asks)).collect(),
        checks: checks.map(|check| inlined.get(check.undefined)).collect(),
        hazards: hazards.map(pair).collect(),
        ..Specialised::default()
    }
}

fn only_if<T>(condition: bool, all: &[T]) -> &[T] {
    if condition { all } else { &[] }
}

impl Specialised {
    /// Finds the sides and cells that are left in the graph.
    fn find_sites(
        &mut self,
        definition: &Definition,
        roots: &[NodeId],
        inlined: &Inlined,
        graph: &Graph,
    ) {
        let is_site = |graph: &Graph, id: NodeId| {
            matches!(graph.node(id).op, Op::FrozenSign | Op::FrozenFloor)
        };
        for original in definition.graph.reachable(roots) {
            if is_site(&definition.graph, original) && is_site(graph, inlined.get(original)) {
                self.sites.entry(inlined.get(original)).or_insert(original);
                self.placed.insert(original, inlined.get(original));
            }
        }
    }
}

/// Nodes that are zero because a signal consists of impulses alone. Its value takes no part in
/// arithmetic: a sum is the rest of it, and a product is zero, whatever the sign and size of the
/// other operand. So blocks that could make impulses cost nothing as long as none occurs.
fn nulls(
    definition: &Definition,
    phase: Phase,
    port: &dyn Fn(usize) -> WireId,
    wires: &[Wire],
) -> BTreeSet<NodeId> {
    let null_wire = |leaf: &Leaf| match leaf {
        Leaf::Input { port: index, part: Part::Value } => {
            let wire = &wires[port(*index).index()];
            let zero =
                |value: &Value| value.open().is_none() && value.data().iter().all(|x| *x == 0.0);
            wire.orders > 0 && wire.constant.as_ref().is_some_and(zero)
        }
        // Between events there are no impulses at all.
        Leaf::Input { part: Part::Impulse(_), .. }
        | Leaf::Delayed { part: Part::Impulse(_), .. } => phase == Phase::Smooth,
        _ => false,
    };
    let mut found = BTreeSet::new();
    if !definition.leaves.iter().any(null_wire) {
        return found;
    }
    for (index, node) in definition.graph.nodes().iter().enumerate() {
        let arg = |i: usize| found.contains(&node.args[i]);
        let null = match &node.op {
            Op::Leaf(key) => null_wire(&definition.leaves[*key as usize]),
            Op::Unary(Unary::Neg) | Op::Splat => arg(0),
            // A division by what may be zero is kept, so that it is reported.
            Op::Binary(Binary::Div) => {
                let below = definition.graph.constant_of(node.args[1]);
                arg(0) && below.is_some_and(|data| data.iter().all(|x| *x != 0.0))
            }
            Op::Binary(Binary::Mul) => arg(0) || arg(1),
            Op::Binary(Binary::Add | Binary::Sub) => arg(0) && arg(1),
            _ => false,
        };
        if null {
            found.insert(NodeId::new(index));
        }
    }
    found
}

fn roots(definition: &Definition, phase: Phase) -> Vec<NodeId> {
    let mut roots = Vec::new();
    for output in &definition.outputs {
        roots.extend([output.value, output.present]);
        if phase == Phase::Tick {
            roots.extend(&output.impulses);
        }
    }
    roots.extend(definition.derivatives.iter().flatten());
    roots.extend(definition.states.iter().map(|state| state.next));
    roots.extend(&definition.located);
    match phase {
        Phase::Smooth => {
            roots.extend(definition.states.iter().filter_map(|s| s.derivative));
            roots.extend(definition.completions.iter().map(|own| own.asks));
        }
        Phase::Tick => {
            roots.extend(definition.checks.iter().map(|check| check.undefined));
            roots.extend(definition.hazards.iter().flat_map(|m| [m.first, m.second]));
        }
    }
    roots
}

/// What is known of a part of a wire in a mode.
pub(crate) fn known(wire: &Wire, part: Part, phase: Phase) -> Option<Value> {
    let zero = || Value::new(wire.ty, vec![0.0; wire.ty.len()]);
    let presence = match phase {
        Phase::Smooth => wire.between,
        Phase::Tick => wire.ticking,
    };
    match (part, presence) {
        (Part::Present, Presence::Always) => Some(Value::bool(true)),
        (Part::Present, Presence::Never) => Some(Value::bool(false)),
        (Part::Present, Presence::Varies) => None,
        (Part::Value, Presence::Never) => Some(zero()),
        (Part::Value, _) => wire.constant.clone(),
        (Part::Derivative(_), Presence::Never) => Some(zero()),
        (Part::Derivative(_), _) if wire.settled && !wire.moving => Some(zero()),
        (Part::Derivative(_), _) => None,
        (Part::Impulse(_), _) if phase == Phase::Smooth => Some(zero()),
        (Part::Impulse(_), _) => None,
    }
}
