//! Sides along which the motion may slide.
//!
//! Sliding is requested for a model or for blocks. A side may slide if it does nothing but select
//! continuous values: while the motion slides, it is on both sides in turn, infinitely often, and
//! only values have a mean. So a side may not make events or impulses, decide transitions or
//! memories, move a function that is compared with zero itself, or switch a signal that is delayed.

use std::collections::BTreeSet;

use base::Diagnostic;
use blocks::{Leaf, Part};
use ir::{Graph, NodeId, Op};

use crate::Sliding;
use crate::flat::{BlockId, Diagram, FlatBlock, Presence, WireId};
use crate::occasions::WireOccasions;

/// Finds the sides for which sliding is requested, why it is impossible for some of them, and the
/// wires that move while the motion slides.
pub(crate) fn find(diagram: &mut Diagram, consumers: &[Vec<BlockId>]) {
    let filippov = |sliding: &Sliding| *sliding == Sliding::Filippov;
    let requested = filippov(&diagram.run.sliding) || diagram.sliding.values().any(filippov);
    if !requested {
        return;
    }
    if diagram.run.impulses.steps() {
        let message = "a fixed-step run does not slide: `sliding: filippov` has no effect";
        let help = "leave `impulses` out, so that comparisons are located, or leave `sliding` out";
        return warn(diagram, Diagnostic::warning("unused-sliding", message).help(help));
    }
    for index in 0..diagram.blocks.len() {
        let block = &diagram.blocks[index];
        if filippov(&diagram.sliding_of(block)) {
            let sides = sides(block).map(|side| (side, Ok(())));
            let floors = floors(block).map(|floor| (floor, Err(MANY.to_owned())));
            diagram.blocks[index].sliding = sides.chain(floors).collect();
        }
    }
    warn_of_unused(diagram);
    refuse_compared(diagram);
    refuse_remembered(diagram);
    refuse_discrete(diagram);
    spread(diagram, consumers);
}

/// Why a floor does not slide.
const MANY: &str = "`floor`, `mod` and rounding have a surface at every whole number, and only the \
                    zeros of one function are one: write the step as a comparison";

fn warn(diagram: &mut Diagram, warning: Diagnostic) {
    if !diagram.unused.iter().any(|known| known.message == warning.message) {
        diagram.unused.push(warning);
    }
}

/// Warns of blocks and instances that are to slide and have nothing that could.
fn warn_of_unused(diagram: &mut Diagram) {
    let requested = diagram.sliding.iter().filter(|(_, sliding)| **sliding == Sliding::Filippov);
    let paths: Vec<String> = requested.map(|(path, _)| path.clone()).collect();
    for path in paths {
        let inside = |block: &&FlatBlock| {
            let rest = block.path.strip_prefix(path.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let mut own = diagram.blocks.iter().filter(inside).peekable();
        let span = own.peek().filter(|block| block.path == path).map(|block| block.span);
        if own.any(|block| !block.sliding.is_empty()) {
            continue;
        }
        let message = format!("nothing in `{path}` can slide: it has no comparison");
        let help = "say it for the block whose input compares, or for the model under `simulate`";
        let warning = Diagnostic::warning("unused-sliding", message).block(&path).help(help);
        let warning = match span {
            Some(span) => warning.at(span, "this block"),
            None => warning,
        };
        warn(diagram, warning);
    }
}

impl Diagram {
    /// What is requested for a block: by itself, by what it is in, or by the model.
    fn sliding_of(&self, block: &FlatBlock) -> Sliding {
        let mut path = &*block.path;
        loop {
            if let Some(sliding) = self.sliding.get(path) {
                return *sliding;
            }
            match path.rfind(['.', '[']) {
                Some(end) => path = &path[..end],
                None => return self.run.sliding,
            }
        }
    }
}

/// The sides of a block that are located and over which a value may jump.
fn sides(block: &FlatBlock) -> impl Iterator<Item = NodeId> {
    let graph = &block.definition.graph;
    let kinks = if block.located.is_empty() { Vec::new() } else { graph.kinks() };
    let is_side =
        move |side: &&NodeId| graph.node(**side).op == Op::FrozenSign && !kinks.contains(side);
    block.located.iter().filter(is_side).copied()
}

/// The located floors of a block.
fn floors(block: &FlatBlock) -> impl Iterator<Item = NodeId> {
    let graph = &block.definition.graph;
    let is_floor = move |site: &&NodeId| graph.node(**site).op == Op::FrozenFloor;
    block.located.iter().filter(is_floor).copied()
}

/// What a node of a block's functions between events reads: the block's own sides, as nodes of the
/// definition, and the values of wires. What is below a located side does not count, since that is
/// frozen.
fn reads(block: &FlatBlock, roots: &[NodeId]) -> (BTreeSet<NodeId>, BTreeSet<WireId>) {
    let graph = &block.smooth.graph;
    let own =
        |node: NodeId| block.smooth.sites.get(&node).filter(|own| block.located.contains(own));
    let (mut sides, mut wires) = (BTreeSet::new(), BTreeSet::new());
    for id in graph.reachable_above(roots, &|id| own(id).is_some()) {
        match &graph.node(id).op {
            _ if own(id).is_some() => sides.extend(own(id)),
            Op::Leaf(key) => wires.extend(value_of(block, *key)),
            _ => {}
        }
    }
    (sides, wires)
}

/// The wire whose value or derivative a leaf is.
fn value_of(block: &FlatBlock, key: u32) -> Option<WireId> {
    match block.definition.leaves[key as usize] {
        Leaf::Input { port, part: Part::Value | Part::Derivative(_) } => Some(block.port(port)),
        _ => None,
    }
}

fn refuse(block: &mut FlatBlock, sides: &BTreeSet<NodeId>, why: &str) {
    for side in sides {
        if let Some(sliding @ Ok(())) = block.sliding.get_mut(side) {
            *sliding = Err(why.to_owned());
        }
    }
}

/// Refuses sides that move the operand of another located side or floor, or a signal whose past is
/// kept, directly or through wires.
fn refuse_compared(diagram: &mut Diagram) {
    let mut compared = vec![false; diagram.wires.len()];
    let mut queue: Vec<(WireId, String)> = Vec::new();
    for index in 0..diagram.blocks.len() {
        let block = &diagram.blocks[index];
        let why = format!("`{}` delays a signal that it switches", block.written());
        let pasts = (0..block.definition.histories.len()).map(|history| block.past(history));
        let lasting = pasts.filter(|wire| diagram.wire(*wire).between != Presence::Never);
        queue.extend(lasting.map(|wire| (wire, why.clone())));
        // A change of a side may be an event, whether it is located or not.
        let crossed: Vec<NodeId> = block.definition.crossed_sides().collect();
        if block.located.is_empty() && crossed.is_empty() {
            continue;
        }
        let operand = |site: &NodeId| {
            let node = block.smooth.placed.get(site)?;
            Some(block.smooth.graph.node(*node).args[0])
        };
        let sites = block.located.iter().chain(&crossed);
        let operands: Vec<NodeId> = sites.filter_map(operand).collect();
        let why = format!("`{}` compares a signal that it switches", block.written());
        let (sides, wires) = reads(block, &operands);
        queue.extend(wires.into_iter().map(|wire| (wire, why.clone())));
        refuse(&mut diagram.blocks[index], &sides, &why);
    }
    while let Some((wire, why)) = queue.pop() {
        if std::mem::replace(&mut compared[wire.index()], true) {
            continue;
        }
        let (id, port) = (diagram.wire(wire).block, diagram.wire(wire).port);
        let block = diagram.block(id);
        let (sides, wires) = reads(block, &[block.smooth.outputs[port].value]);
        queue.extend(wires.into_iter().map(|wire| (wire, why.clone())));
        refuse(&mut diagram.blocks[id.index()], &sides, &why);
    }
}

/// Refuses sides that decide what their block remembers.
fn refuse_remembered(diagram: &mut Diagram) {
    for block in diagram.blocks.iter_mut().filter(|block| !block.sliding.is_empty()) {
        let tick = &block.tick;
        let states = block.definition.states.iter().zip(&tick.nexts);
        let nexts: Vec<NodeId> =
            states.filter(|(state, _)| state.derivative.is_none()).map(|(_, next)| *next).collect();
        let sides = read_at_ticks(&tick.graph, &nexts)
            .filter_map(|id| tick.sites.get(&id).copied())
            .collect();
        let why = format!("`{}` remembers it", block.written());
        refuse(block, &sides, &why);
    }
}

fn read_at_ticks<'g>(graph: &'g Graph, roots: &[NodeId]) -> impl Iterator<Item = NodeId> + 'g {
    let is_side = |id: &NodeId| graph.node(*id).op == Op::FrozenSign;
    graph.reachable(roots).into_iter().filter(is_side)
}

/// Refuses sides whose changes make events or impulses or decide transitions.
fn refuse_discrete(diagram: &mut Diagram) {
    let mut refused: Vec<(Option<(BlockId, NodeId)>, String)> = Vec::new();
    let occasions = WireOccasions::find(diagram);
    let named = |id: BlockId| diagram.block(id).written().to_owned();
    for (index, wire) in diagram.wires.iter().enumerate() {
        let id = WireId::new(index);
        let event = wire.between == Presence::Never;
        for site in occasions.sites(id, event) {
            refused.push((site, format!("`{}` makes events or impulses of it", named(wire.block))));
        }
    }
    for machine in diagram.modes.machines.iter() {
        let transitions = machine.states.iter().flat_map(|state| &state.transitions);
        for guard in transitions.flat_map(|transition| &transition.guards) {
            for site in occasions.jumps_at(diagram.block(*guard).outputs[0]) {
                refused.push((site, format!("`{}` decides a transition", named(*guard))));
            }
        }
    }
    for (site, why) in refused {
        match site {
            Some((id, side)) => refuse(&mut diagram.blocks[id.index()], &[side].into(), &why),
            // More causes than are followed: it may be any side.
            None => diagram.blocks.iter_mut().for_each(|block| {
                let all = block.sliding.keys().copied().collect();
                refuse(block, &all, &why);
            }),
        }
    }
}

/// Finds the wires whose values move while the motion slides.
fn spread(diagram: &mut Diagram, consumers: &[Vec<BlockId>]) {
    let slides = |block: &FlatBlock| block.sliding.values().any(Result::is_ok);
    let mut queue: Vec<BlockId> = (0..diagram.blocks.len())
        .map(BlockId::new)
        .filter(|id| slides(diagram.block(*id)))
        .collect();
    while let Some(id) = queue.pop() {
        for port in 0..diagram.block(id).outputs.len() {
            let block = diagram.block(id);
            let wire = block.outputs[port];
            if diagram.wire(wire).slides || diagram.wire(wire).between == Presence::Never {
                continue;
            }
            let (sides, wires) = reads(block, &[block.smooth.outputs[port].value]);
            let own = sides.iter().any(|side| matches!(block.sliding.get(side), Some(Ok(()))));
            if own || wires.iter().any(|wire| diagram.wire(*wire).slides) {
                diagram.wires[wire.index()].slides = true;
                queue.extend(&consumers[wire.index()]);
            }
        }
    }
}
