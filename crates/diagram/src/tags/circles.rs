//! Presences that need each other in loops that are solved.
//!
//! Where nothing outside such a loop makes its signals present by itself, they are taken to be
//! present, and are absent if something outside removes that: `u = k * (e - u)` is present
//! if `e` is. A loop of any other kind is cut.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use base::Type;
use blocks::{Leaf, Part};
use ir::{NodeId, Op};

use super::Tags;
use crate::facts::Phase;
use crate::flat::{Wire, WireId};
use crate::specialise::known;

impl Tags<'_> {
    /// The wires of a loop that is solved whose presences need each other and that of a wire.
    pub(super) fn circle(&self, wire: WireId) -> Option<BTreeSet<WireId>> {
        let solve = &self.diagram.solve;
        if solve.everywhere.is_empty() && solve.wires.is_empty() || self.cut.contains(&wire) {
            return None;
        }
        let mut readers: BTreeMap<WireId, Vec<WireId>> = BTreeMap::new();
        let (mut seen, mut open) = (HashSet::from([wire]), vec![wire]);
        while let Some(reader) = open.pop() {
            for asked in self.asks(reader).filter(|asked| !self.wires.contains_key(asked)) {
                readers.entry(asked).or_default().push(reader);
                if seen.insert(asked) {
                    open.push(asked);
                }
            }
        }
        let mut members = BTreeSet::new();
        open.push(wire);
        while let Some(asked) = open.pop() {
            let own = readers.get(&asked).into_iter().flatten();
            open.extend(own.filter(|reader| members.insert(**reader)));
        }
        let is_asked = |wire: &WireId| {
            let path = &self.diagram.block(self.diagram.wire(*wire).block).path;
            solve.wires.contains_key(wire)
                || solve.everywhere.iter().any(|prefix| path.starts_with(prefix.as_str()))
        };
        members.iter().any(is_asked).then_some(members)
    }

    /// Wires outside a circle that its wires need.
    pub(super) fn around(&self, circle: &BTreeSet<WireId>) -> Vec<WireId> {
        let needs = circle.iter().flat_map(|wire| {
            let block = self.diagram.wire(*wire).block;
            self.needs(block, &self.diagram.block(block).definition, &[self.root(*wire)])
        });
        needs.filter(|wire| !circle.contains(wire)).collect()
    }

    /// Finds the symbols of the wires of a circle, if they are taken to be present.
    pub(super) fn close(&mut self, circle: &BTreeSet<WireId>) {
        self.pass(circle, false);
        if circle.iter().all(|wire| self.graph.truth(self.wires[wire]) == Some(false)) {
            self.pass(circle, true);
            return;
        }
        for wire in circle {
            self.wires.remove(wire);
            self.cut.insert(*wire);
        }
    }

    /// The symbols of wires that are all present or all absent at first.
    fn pass(&mut self, circle: &BTreeSet<WireId>, present: bool) {
        let start = self.graph.constant(Type::BOOL, &[f64::from(present)]);
        self.wires.extend(circle.iter().map(|wire| (*wire, start)));
        for _ in circle {
            let mut changed = false;
            for wire in circle {
                let symbol = self.describe_wire(*wire);
                changed |= self.wires.insert(*wire, symbol) != Some(symbol);
            }
            if !changed {
                break;
            }
        }
    }

    /// The symbol of a wire in those of the wires that it needs.
    pub(super) fn describe_wire(&mut self, wire: WireId) -> NodeId {
        let diagram = self.diagram;
        let block = diagram.wire(wire).block;
        let root = self.root(wire);
        self.describe(block, &diagram.block(block).definition, &[root])[0]
    }

    /// Whether a wire is present, as a node of its block.
    pub(super) fn root(&self, wire: WireId) -> NodeId {
        let Wire { block, port, .. } = *self.diagram.wire(wire);
        self.diagram.block(block).definition.outputs[port].present
    }

    /// The wires whose presence that of a wire needs at the same tag.
    fn asks(&self, wire: WireId) -> impl Iterator<Item = WireId> {
        let block = self.diagram.block(self.diagram.wire(wire).block);
        let graph = &block.definition.graph;
        graph.reachable(&[self.root(wire)]).into_iter().filter_map(move |node| {
            let Op::Leaf(key) = graph.node(node).op else { return None };
            let Leaf::Input { port, part: Part::Present } = block.definition.leaves[key as usize]
            else {
                return None;
            };
            let asked = block.port(port);
            known(self.diagram.wire(asked), Part::Present, Phase::Tick).is_none().then_some(asked)
        })
    }
}
