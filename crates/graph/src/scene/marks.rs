//! Marks in a figure: refused loops and the order of evaluation.

use std::collections::BTreeSet;

use blocks::Part;
use diagram::{BlockId, Diagram, WireId};
use schedule::{PartId, PartRef, Step};

use super::drawn::Drawn;
use crate::Order;

/// Connections and blocks in refused loops.
pub(super) struct Loops {
    connections: BTreeSet<(WireId, BlockId)>,
    pub blocks: Vec<bool>,
}

impl Loops {
    pub fn new(drawn: &Drawn, loops: &[Vec<PartRef>]) -> Loops {
        let diagram = drawn.diagram;
        let mut found = Loops { connections: BTreeSet::new(), blocks: vec![false; drawn.len()] };
        for parts in loops {
            for part in parts {
                let block = drawn.standing_for(diagram.wire(part.wire).block);
                found.blocks[block.index()] = true;
            }
            let along = connections(diagram, parts.iter());
            // A caller may list a loop in either direction; the direction of the data flow is
            // drawn.
            let all = along.or_else(|| connections(diagram, parts.iter().rev()));
            for (wire, block) in all.into_iter().flatten() {
                found.mark(drawn, wire, block);
            }
        }
        found
    }

    /// Marks a connection, and the expression on its route that represents what is written there.
    fn mark(&mut self, drawn: &Drawn, wire: WireId, block: BlockId) {
        let way = drawn.by_way_of.get(&(wire, block));
        let (wire, block) = (drawn.wire(wire), drawn.standing_for(block));
        let reads = |block: BlockId| drawn.operands(block).any(|read| read == wire);
        if way.is_none() && reads(block) {
            self.connections.insert((wire, block));
            return;
        }
        for between in drawn.operands(block) {
            let expression = drawn.source(between);
            if way.is_none_or(|way| *way == expression) && reads(expression) {
                self.connections.extend([(wire, expression), (between, block)]);
                self.blocks[expression.index()] = true;
            }
        }
    }

    pub fn contains(&self, wire: WireId, block: BlockId) -> bool {
        self.connections.contains(&(wire, block))
    }
}

/// The connections by which each part feeds the next; `None` if one does not.
fn connections<'p>(
    diagram: &Diagram,
    parts: impl Iterator<Item = &'p PartRef> + Clone,
) -> Option<Vec<(WireId, BlockId)>> {
    let mut found = Vec::new();
    for (part, next) in parts.clone().zip(parts.cycle().skip(1)) {
        let block = diagram.wire(next.wire).block;
        if diagram.block(block).inputs.iter().flatten().any(|wire| *wire == part.wire) {
            found.push((part.wire, block));
        } else if diagram.wire(part.wire).block != block {
            // Parts of one block may depend on each other inside it.
            return None;
        }
    }
    Some(found)
}

/// For each block the number, from 1 on, of the first step that computes a value of its outputs.
pub(super) fn numbers(diagram: &Diagram, order: Option<Order>) -> Vec<Option<usize>> {
    let mut numbers = vec![None; diagram.blocks.len()];
    let Some(Order { schedule, phase }) = order else { return numbers };
    let steps = match phase {
        diagram::Phase::Smooth => &schedule.smooth,
        diagram::Phase::Tick => &schedule.tick,
    };
    let mut next = 1;
    for step in steps {
        let mut used = false;
        for id in parts(step) {
            let PartRef { wire, part } = schedule.parts.get(id);
            let wire = diagram.wire(wire);
            let idle = phase == diagram::Phase::Smooth && wire.between == diagram::Presence::Never;
            let number = &mut numbers[wire.block.index()];
            if part == Part::Value && !idle && number.is_none() {
                (*number, used) = (Some(next), true);
            }
        }
        next += usize::from(used);
    }
    numbers
}

fn parts(step: &Step) -> Vec<PartId> {
    match step {
        Step::Single(part) => vec![*part],
        Step::Iterate(parts) => parts.clone(),
        // These steps compute no values.
        Step::Presences { .. } => Vec::new(),
        Step::Solve { unknowns, rest } => {
            unknowns.iter().map(|(part, _)| *part).chain(rest.iter().copied()).collect()
        }
    }
}
