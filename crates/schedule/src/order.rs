//! The parts in order, with loops handled; the program is built from this.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use base::{Diagnostic, Diagnostics};
use blocks::{Memory, Part};
use diagram::{Diagram, Phase, WireId};

use crate::graph::{PartId, PartRef, Parts};
use crate::knowable::{never_known, never_present};
use crate::loops::{Edges, components, is_loop, shortest_cycle, tear};

/// How many names of a long loop are shown at its start and at its end.
const SHOWN: usize = 20;

/// One step of the evaluation.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// A part whose inputs are all computed before.
    Single(PartId),
    /// Parts that depend on each other, iterated from unknown.
    Iterate(Vec<PartId>),
    /// Presences that depend on each other in a loop that is to be solved. They are iterated from
    /// absent, so that events that nothing outside the loop makes present are absent; or from
    /// present, if all of them last over intervals, or if nothing outside the loop could ever make
    /// them present.
    Presences {
        /// The presences.
        members: Vec<PartId>,
        /// Their initial value.
        present: bool,
        /// Values of the loop that some presences depend on and that are solved for later. If a
        /// choice depends on such a value, both of its branches must agree.
        open: Vec<PartId>,
    },
    /// Parts that depend on each other, solved by Newton's method.
    Solve {
        /// The unknowns, with their initial guesses.
        unknowns: Vec<(PartId, Vec<f64>)>,
        /// The other parts in order, given the unknowns.
        rest: Vec<PartId>,
    },
}

impl Step {
    /// The parts that it computes.
    pub fn parts(&self) -> impl Iterator<Item = PartId> {
        let (unknowns, members): (&[(PartId, Vec<f64>)], &[PartId]) = match self {
            Step::Single(part) => (&[], std::slice::from_ref(part)),
            Step::Iterate(members) | Step::Presences { members, .. } => (&[], members),
            Step::Solve { unknowns, rest } => (unknowns, rest),
        };
        unknowns.iter().map(|(part, _)| *part).chain(members.iter().copied())
    }
}

/// The order of evaluation in both phases.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The parts, numbered.
    pub parts: Parts,
    /// The order between events and at microstep 0.
    pub smooth: Vec<Step>,
    /// The order at microsteps from 1 on.
    pub tick: Vec<Step>,
}

/// Orders a diagram, or refuses it because of its loops.
pub fn schedule(diagram: &Diagram) -> Result<Schedule, Diagnostics> {
    let parts = Parts::new(diagram);
    let mut refused = Refused::new(diagram, &parts);
    let smooth = order(diagram, &parts, Phase::Smooth, &mut refused);
    let tick = order(diagram, &parts, Phase::Tick, &mut refused);
    let errors = refused.finish();
    errors.or(Schedule { parts, smooth, tick })
}

/// The loops for which a diagram is refused, for drawing them. Each is a shortest cycle of parts in
/// which each feeds the next. Empty if the diagram is not refused.
pub fn refused_loops(diagram: &Diagram) -> Vec<Vec<PartRef>> {
    let parts = Parts::new(diagram);
    let mut refused = Refused::new(diagram, &parts);
    order(diagram, &parts, Phase::Smooth, &mut refused);
    order(diagram, &parts, Phase::Tick, &mut refused);
    refused.finish();
    refused.loops
}

fn order(diagram: &Diagram, parts: &Parts, phase: Phase, refused: &mut Refused) -> Vec<Step> {
    refused.phase = phase;
    let edges: Edges =
        (0..parts.len()).map(|i| parts.dependencies(diagram, phase, PartId::new(i))).collect();
    let mut steps = Vec::new();
    for members in grouped(diagram, parts, &edges) {
        if !is_loop(&edges, &members) {
            steps.push(Step::Single(members[0]));
            continue;
        }
        if let Some(guesses) = asked(diagram, parts, &members) {
            steps.extend(solved(diagram, parts, &edges, members, &guesses));
            continue;
        }
        if !never_known(diagram, phase, parts, &members).is_empty() {
            refused.refuse(&edges, &members);
            continue;
        }
        steps.push(Step::Iterate(members));
    }
    steps
}

/// The components in an order that keeps the parts of a block together if possible: groups of all
/// parts of a block are ordered by their dependencies, and only groups that depend on each other
/// are split.
fn grouped(diagram: &Diagram, parts: &Parts, edges: &Edges) -> Vec<Vec<PartId>> {
    let block = |id: PartId| diagram.wire(parts.get(id).wire).block.index();
    let mut members: Vec<Vec<PartId>> = vec![Vec::new(); diagram.blocks.len()];
    let mut needs: Edges = vec![Vec::new(); diagram.blocks.len()];
    for (index, edge) in edges.iter().enumerate() {
        let id = PartId::new(index);
        members[block(id)].push(id);
        let others = edge.iter().map(|need| block(*need)).filter(|other| *other != block(id));
        needs[block(id)].extend(others.map(PartId::new));
    }
    let mut order = Vec::new();
    for group in components(&needs) {
        let parts: Vec<PartId> = group.iter().flat_map(|b| members[b.index()].clone()).collect();
        order.extend(inner_components(edges, &parts));
    }
    order
}

/// The components among some parts, each after those that it depends on.
fn inner_components(edges: &Edges, parts: &[PartId]) -> Vec<Vec<PartId>> {
    let place: BTreeMap<PartId, usize> = parts.iter().enumerate().map(|(i, id)| (*id, i)).collect();
    let inner: Edges = parts
        .iter()
        .map(|id| {
            let needs = edges[id.index()].iter().filter_map(|need| place.get(need));
            needs.map(|i| PartId::new(*i)).collect()
        })
        .collect();
    let named = |found: Vec<PartId>| found.into_iter().map(|i| parts[i.index()]).collect();
    components(&inner).into_iter().map(named).collect()
}

/// The guesses for the signals in a loop that the model asks to solve; `None` if it does not.
fn asked(
    diagram: &Diagram,
    parts: &Parts,
    members: &[PartId],
) -> Option<BTreeMap<PartId, Vec<f64>>> {
    let guesses: BTreeMap<PartId, Vec<f64>> = members
        .iter()
        .filter_map(|id| {
            let part = parts.get(*id);
            let guess = diagram.solve.wires.get(&part.wire)?;
            let length = diagram.wire(part.wire).ty.len();
            let start = if part.part == Part::Value { guess[0] } else { 0.0 };
            let full = guess.len() == length && part.part == Part::Value;
            Some((*id, if full { guess.clone() } else { vec![start; length] }))
        })
        .collect();
    let inside = |prefix: &String| {
        members.iter().any(|id| {
            let block = diagram.wire(parts.get(*id).wire).block;
            diagram.block(block).path.starts_with(prefix.as_str())
        })
    };
    (!guesses.is_empty() || diagram.solve.everywhere.iter().any(inside)).then_some(guesses)
}

/// The steps of a solved loop: first it is determined which of its signals are present, then their
/// values.
fn solved(
    diagram: &Diagram,
    parts: &Parts,
    edges: &Edges,
    members: Vec<PartId>,
    guesses: &BTreeMap<PartId, Vec<f64>>,
) -> Vec<Step> {
    let presence = |id: &PartId| parts.get(*id).part == Part::Present;
    let (presences, numbers): (Vec<PartId>, Vec<PartId>) = members.into_iter().partition(presence);
    let mut steps = Vec::new();
    if !presences.is_empty() {
        let lasts =
            |id: &PartId| diagram.wire(parts.get(*id).wire).between != diagram::Presence::Never;
        let present = presences.iter().all(lasts) || never_present(diagram, parts, &presences);
        steps.push(Step::Presences { members: presences, present, open: numbers.clone() });
    }
    for group in inner_components(edges, &numbers) {
        let own = guesses.iter().filter(|(id, _)| group.contains(id));
        let own = own.map(|(id, guess)| (*id, guess.clone())).collect();
        steps.push(match is_loop(edges, &group) {
            true => torn(diagram, parts, edges, &group, own),
            false => Step::Single(group[0]),
        });
    }
    steps
}

fn torn(
    diagram: &Diagram,
    parts: &Parts,
    edges: &Edges,
    members: &[PartId],
    mut guesses: BTreeMap<PartId, Vec<f64>>,
) -> Step {
    for id in members {
        if let Some(start) = grown(diagram, parts, *id) {
            guesses.entry(*id).or_insert(start);
        }
    }
    let preferred: Vec<PartId> = guesses.keys().copied().collect();
    let (unknowns, rest) = tear(edges, members, &preferred);
    let guess = |id: PartId| {
        let length = diagram.wire(parts.get(id).wire).ty.len();
        guesses.get(&id).cloned().unwrap_or_else(|| vec![0.0; length])
    };
    Step::Solve { unknowns: unknowns.into_iter().map(|id| (id, guess(id))).collect(), rest }
}

/// The initial value of a state that is a sum from point to point, which is a better guess than 0.
fn grown(diagram: &Diagram, parts: &Parts, id: PartId) -> Option<Vec<f64>> {
    let PartRef { wire, part } = parts.get(id);
    let wire = diagram.wire(wire);
    let block = diagram.block(wire.block);
    let state = block.definition.states.first().filter(|_| block.stepped)?;
    let fits = part == Part::Value && state.memory == Memory::Point && state.ty == wire.ty;
    fits.then(|| state.initial.data().to_vec())
}

/// The refused loops. Wires of a loop that has been shown are not shown again: the presence and the
/// value of a signal, or both phases, would repeat the same loop.
struct Refused<'a> {
    diagram: &'a Diagram,
    parts: &'a Parts,
    phase: Phase,
    shown: BTreeSet<WireId>,
    loops: Vec<Vec<PartRef>>,
    /// Loops of presences only, shown if no loop of values shows the same.
    later: Vec<(Vec<WireId>, Vec<PartRef>, Diagnostic)>,
    errors: Diagnostics,
}

impl<'a> Refused<'a> {
    fn new(diagram: &'a Diagram, parts: &'a Parts) -> Self {
        let (shown, errors) = (BTreeSet::new(), Diagnostics::default());
        let (loops, later) = (Vec::new(), Vec::new());
        Refused { diagram, parts, phase: Phase::Smooth, shown, loops, later, errors }
    }

    fn refuse(&mut self, edges: &Edges, members: &[PartId]) {
        let wires: Vec<WireId> = members.iter().map(|id| self.parts.get(*id).wire).collect();
        let cycle = shortest_cycle(edges, members);
        let cycle: Vec<PartRef> = cycle.into_iter().map(|id| self.parts.get(id)).collect();
        let message = self.message(edges, members);
        if cycle.iter().all(|part| part.part == Part::Present) {
            self.later.push((wires, cycle, message));
        } else {
            self.show(wires, cycle, message);
        }
    }

    fn show(&mut self, wires: Vec<WireId>, cycle: Vec<PartRef>, message: Diagnostic) {
        if !wires.iter().all(|wire| self.shown.contains(wire)) {
            self.errors.push(message);
            self.loops.push(cycle);
        }
        self.shown.extend(wires);
    }

    fn finish(&mut self) -> Diagnostics {
        for (wires, cycle, message) in std::mem::take(&mut self.later) {
            self.show(wires, cycle, message);
        }
        std::mem::take(&mut self.errors)
    }

    fn describe(&self, id: PartId, only_presence: bool) -> String {
        let part = self.parts.get(id);
        let name = self.diagram.wire_name(part.wire);
        match part.part {
            Part::Value => name,
            Part::Present if only_presence => name,
            Part::Present => format!("presence of {name}"),
            Part::Impulse(order) => format!("impulse {order} of {name}"),
            Part::Derivative(order) => format!("derivative {order} of {name}"),
        }
    }

    fn message(&self, edges: &Edges, members: &[PartId]) -> Diagnostic {
        let cycle = shortest_cycle(edges, members);
        // The expression at an input is omitted if its block is in the loop too, unless its impulse
        // or its derivative closes the loop.
        let block =
            |id: &PartId| self.diagram.block(self.diagram.wire(self.parts.get(*id).wire).block);
        let own = |id: &PartId| {
            let telling =
                matches!(self.parts.get(*id).part, Part::Impulse(_) | Part::Derivative(_));
            telling || block(id).written() == block(id).path
        };
        let paths: HashSet<&str> = cycle.iter().map(|id| block(id).path.as_str()).collect();
        let plain = |id: &&PartId| own(id) || !paths.contains(block(id).written());
        let only_presence = cycle.iter().all(|id| self.parts.get(*id).part == Part::Present);
        let mut names: Vec<String> =
            cycle.iter().filter(plain).map(|id| self.describe(*id, only_presence)).collect();
        names.extend(names.first().cloned());
        if names.len() > 2 * SHOWN {
            let left_out = format!("... ({} more)", names.len() - 2 * SHOWN);
            names.splice(SHOWN..names.len() - SHOWN, [left_out]);
        }
        let when = match self.phase {
            Phase::Smooth => "between events",
            Phase::Tick => "at a tick",
        };
        let message = format!("a causality loop: each of these feeds the next {when}");
        let mut error = Diagnostic::error("causality-loop", message);
        let mut blocks = Vec::new();
        for id in &cycle {
            let block = self.diagram.wire(self.parts.get(*id).wire).block;
            if !blocks.contains(&block) && blocks.len() < 6 {
                let label = if blocks.is_empty() { "in the loop" } else { "" };
                error = error.at(self.diagram.block(block).span, label);
                blocks.push(block);
            }
        }
        error.note(format!("the loop is {}", names.join(" -> "))).help(
            "break it with an Integrator, with previous(...) or left(...) at ticks, or ask for a \
             solution with `solve: true` or `solve: {signal: guess}`",
        )
    }
}
