//! The parts of all wires and their dependencies.

use blocks::{Leaf, Part};
use diagram::{Diagram, FlatBlock, Phase, Specialised, WireId};
use ir::{NodeId, Op};

base::typed_id! {
    /// A part of a wire.
    PartId
}

/// A part of a wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartRef {
    /// The wire.
    pub wire: WireId,
    /// The part.
    pub part: Part,
}

/// All parts of all wires, numbered.
#[derive(Clone, Debug)]
pub struct Parts {
    all: Vec<PartRef>,
    first: Vec<usize>,
    /// How many orders of impulses each wire has.
    orders: Vec<u32>,
}

impl Parts {
    /// Numbers the parts of a diagram.
    pub fn new(diagram: &Diagram) -> Parts {
        let (mut all, mut first, mut orders) = (Vec::new(), Vec::new(), Vec::new());
        for (index, wire) in diagram.wires.iter().enumerate() {
            let id = WireId::new(index);
            first.push(all.len());
            let impulses = (0..wire.orders).map(Part::Impulse);
            let derivatives = (1..=wire.derivatives).map(Part::Derivative);
            let parts = [Part::Present, Part::Value].into_iter().chain(impulses).chain(derivatives);
            orders.push(wire.orders);
            all.extend(parts.map(|part| PartRef { wire: id, part }));
        }
        Parts { all, first, orders }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The part with an id.
    pub fn get(&self, id: PartId) -> PartRef {
        self.all[id.index()]
    }

    /// The id of a part.
    pub fn id(&self, wire: WireId, part: Part) -> PartId {
        let offset = match part {
            Part::Present => 0,
            Part::Value => 1,
            Part::Impulse(order) => 2 + order as usize,
            Part::Derivative(order) => 1 + self.orders[wire.index()] as usize + order as usize,
        };
        PartId::new(self.first[wire.index()] + offset)
    }

    /// The node that computes a part in a phase; impulses have none between events.
    pub fn root(&self, diagram: &Diagram, phase: Phase, id: PartId) -> Option<NodeId> {
        let PartRef { wire, part } = self.get(id);
        let wire = diagram.wire(wire);
        let functions = functions(diagram.block(wire.block), phase);
        let signal = &functions.outputs[wire.port];
        match part {
            Part::Derivative(order) => {
                functions.output_derivatives[wire.port].get(order as usize - 1).copied()
            }
            Part::Value => Some(signal.value),
            Part::Present => Some(signal.present),
            Part::Impulse(order) => signal.impulses.get(order as usize).copied(),
        }
    }

    /// The parts that a part depends on in a phase.
    pub fn dependencies(&self, diagram: &Diagram, phase: Phase, id: PartId) -> Vec<PartId> {
        let wire = diagram.wire(self.get(id).wire);
        let block = diagram.block(wire.block);
        let root = self.root(diagram, phase, id);
        // A value that is never present depends on nothing.
        let absent = phase == Phase::Smooth && wire.between == diagram::Presence::Never;
        let mut needs = match root {
            Some(root) if !absent => self.inputs_of(block, phase, &[root]),
            _ => Vec::new(),
        };
        if phase == Phase::Tick && self.appears(diagram, id) {
            let present = self.id(self.get(id).wire, Part::Present);
            if let Err(at) = needs.binary_search(&present) {
                needs.insert(at, present);
            }
        }
        needs
    }

    /// Whether a part is the value of a signal that consists of events only. It is not computed
    /// between events, so it is computed when the signal becomes present, even if no operand has
    /// changed.
    pub fn appears(&self, diagram: &Diagram, id: PartId) -> bool {
        let PartRef { wire, part } = self.get(id);
        part == Part::Value && diagram.wire(wire).between == diagram::Presence::Never
    }

    /// The parts of wires that these nodes of a block's functions read.
    pub fn inputs_of(&self, block: &FlatBlock, phase: Phase, roots: &[NodeId]) -> Vec<PartId> {
        let graph = &functions(block, phase).graph;
        let mut found: Vec<PartId> = graph
            .reachable(roots)
            .into_iter()
            .filter_map(|node| match &graph.node(node).op {
                Op::Leaf(key) => self.read(block, phase, block.definition.leaves[*key as usize]),
                _ => None,
            })
            .collect();
        // A frozen side does not depend on its operand, nor does, at a tick, whether a side has changed.
        if block.freezes(phase) || phase == Phase::Tick {
            found = self.unfrozen(block, phase, roots);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The part of a wire that a leaf reads at the same instant, if there is one. Between events the
    /// past is read at a delay that may be a signal; at ticks, it is that of the left limit.
    pub fn read(&self, block: &FlatBlock, phase: Phase, leaf: Leaf) -> Option<PartId> {
        match leaf {
            Leaf::Input { port, part } => Some(self.id(block.port(port), part)),
            Leaf::Delayed { index, part: Part::Value | Part::Derivative(_) }
                if phase == Phase::Smooth =>
            {
                let delay = block.definition.histories[index].timing.signal()?;
                Some(self.id(block.port(delay.port), Part::Value))
            }
            _ => None,
        }
    }

    /// The reachable inputs, except those below sides and floors. These are frozen if their operand
    /// moves; if it does not, the operand is not part of a loop at this instant.
    fn unfrozen(&self, block: &FlatBlock, phase: Phase, roots: &[NodeId]) -> Vec<PartId> {
        let graph = &functions(block, phase).graph;
        let mut stack = roots.to_vec();
        let mut seen = std::collections::BTreeSet::new();
        let mut found = Vec::new();
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            match &graph.node(node).op {
                Op::Leaf(key) => {
                    found.extend(self.read(block, phase, block.definition.leaves[*key as usize]));
                }
                // Whether a side has changed was decided at the last commit, whatever the operand
                // is now.
                Op::Crossed => {}
                Op::FrozenSign | Op::FrozenFloor if frozen(block, phase, node) => {}
                _ => stack.extend(graph.node(node).args.iter().copied()),
            }
        }
        found
    }
}

/// Whether a node of a block's functions in a phase is a side or floor whose frozen value is read.
pub(crate) fn frozen(block: &FlatBlock, phase: Phase, node: NodeId) -> bool {
    let site = functions(block, phase).sites.get(&node);
    block.freezes(phase) && site.is_some_and(|site| block.located.contains(site))
}

/// The functions of a block in a phase.
pub(crate) fn functions(block: &FlatBlock, phase: Phase) -> &Specialised {
    match phase {
        Phase::Smooth => &block.smooth,
        Phase::Tick => &block.tick,
    }
}
