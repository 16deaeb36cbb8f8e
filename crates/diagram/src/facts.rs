//! What is known of every wire before anything runs: when it is present, whether it moves between
//! events, whether it is constant. Facts only ever get sharper, so the order does not matter.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use base::{Diagnostic, Diagnostics, Time};
use blocks::{Leaf, MOST_WAKINGS, Part, Role, Timer, events_before};
use ir::{Binary, NodeId, Op};

use crate::flat::{BlockId, Diagram, FlatBlock, Presence, RegionId, Wire, WireId};
use crate::specialise::{Specialised, specialise};
use crate::typing::Typed;

/// The two ways in which a diagram is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// Between events and at microstep 0.
    Smooth,
    /// At microsteps from 1 on.
    Tick,
}

/// Sides and cells of a block whose operand moves between events, and which must be located.
pub type Sites = BTreeSet<NodeId>;

/// Settles all facts, checks what depends on them, and finds the regions.
pub(crate) fn settle(
    typed: Typed,
    diagram: impl FnOnce(Vec<FlatBlock>, Vec<Wire>) -> Diagram,
) -> Result<Diagram, Diagnostics> {
    let (blocks, wires) = unsettled(typed);
    let mut diagram = diagram(blocks, wires);
    let consumers = consumers(&diagram);
    crate::remembered::settle(&mut diagram, &consumers);
    find_moving(&mut diagram, &consumers);
    if diagram.wires.iter().any(|wire| wire.derivatives > 0) {
        // What does not move has the derivative 0, which may make more constant.
        diagram.wires.iter_mut().for_each(|wire| wire.settled = true);
        sharpen(&mut diagram, &consumers);
    }
    for index in 0..diagram.blocks.len() {
        // What a transition computes is read once, when it is taken.
        if !diagram.blocks[index].passive {
            diagram.blocks[index].located = diagram.located_sites(BlockId::new(index));
        }
    }
    let mut errors = Diagnostics::default();
    for index in 0..diagram.blocks.len() {
        crate::presence::check_inputs(&diagram, BlockId::new(index), &mut errors);
        check_block(&diagram, BlockId::new(index), &mut errors);
    }
    crate::presence::check_operators(&mut diagram, &consumers, &mut errors);
    crate::modal::check(&diagram, &mut errors);
    errors.or(())?;
    crate::sliding::find(&mut diagram, &consumers);
    crate::regions::find(&mut diagram);
    Ok(diagram)
}

/// The typed blocks and wires before any fact is known of them.
fn unsettled(typed: Typed) -> (Vec<FlatBlock>, Vec<Wire>) {
    let wires = typed.wires.into_iter().map(|(block, port, ty, orders, derivatives)| Wire {
        block,
        port,
        ty,
        orders,
        derivatives,
        between: Presence::Varies,
        ticking: Presence::Varies,
        moving: false,
        slides: false,
        settled: false,
        constant: None,
    });
    let blocks = typed.blocks.into_iter().map(|(draft, definition)| FlatBlock {
        path: draft.path,
        span: draft.span,
        kind: draft.kind,
        settings: draft.settings,
        inputs: draft.inputs,
        input_spans: draft.input_spans,
        outputs: draft.outputs,
        definition,
        smooth: Specialised::default(),
        tick: Specialised::default(),
        located: Sites::new(),
        sliding: BTreeMap::new(),
        remembered: BTreeMap::new(),
        stepped: typed.stepped,
        region: RegionId(0),
        fragment: draft.fragment,
        passive: draft.passive,
        tolerance: draft.tolerance,
        discrete: draft.discrete,
    });
    (blocks.collect(), wires.collect())
}

/// For each wire, the blocks that read it.
pub(crate) fn consumers(diagram: &Diagram) -> Vec<Vec<BlockId>> {
    let mut consumers = vec![Vec::new(); diagram.wires.len()];
    for (index, block) in diagram.blocks.iter().enumerate() {
        for wire in block.inputs.iter().flatten() {
            consumers[wire.index()].push(BlockId::new(index));
        }
    }
    consumers
}

/// Specialises every block by the facts of its inputs, until no fact of an output changes.
pub(crate) fn sharpen(diagram: &mut Diagram, consumers: &[Vec<BlockId>]) {
    let mut queued = vec![false; diagram.blocks.len()];
    let all: Vec<BlockId> = (0..diagram.blocks.len()).map(BlockId::new).collect();
    sharpen_from(diagram, consumers, &mut queued, all.iter());
}

/// Like [`sharpen`], if only the facts at some blocks have changed. `queued` is all false before and
/// after.
pub(crate) fn sharpen_from<'a>(
    diagram: &mut Diagram,
    consumers: &[Vec<BlockId>],
    queued: &mut [bool],
    blocks: impl Iterator<Item = &'a BlockId>,
) {
    let new = |block: &&BlockId| !std::mem::replace(&mut queued[block.index()], true);
    let mut queue: VecDeque<BlockId> = blocks.filter(new).copied().collect();
    while let Some(id) = queue.pop_front() {
        queued[id.index()] = false;
        let block = &diagram.blocks[id.index()];
        let ports: Vec<WireId> = block.inputs.iter().flatten().copied().collect();
        let port = |index: usize| ports[index];
        let specialise =
            |phase| specialise(&block.definition, phase, &port, &diagram.wires, &block.remembered);
        let (smooth, tick) = (specialise(Phase::Smooth), specialise(Phase::Tick));
        for (index, wire) in block.outputs.clone().into_iter().enumerate() {
            let (a, b) = (&smooth.outputs[index], &tick.outputs[index]);
            let (between, ticking) =
                (presence(smooth.graph.truth(a.present)), presence(tick.graph.truth(b.present)));
            let constant = smooth.graph.fixed_of(a.value).filter(|value| {
                between == Presence::Always && tick.graph.fixed_of(b.value).as_ref() == Some(value)
            });
            let wire = &mut diagram.wires[wire.index()];
            let new = (between, ticking, constant);
            let old = (wire.between, wire.ticking, wire.constant.clone());
            if old != new {
                (wire.between, wire.ticking, wire.constant) = new;
                for consumer in &consumers[block.outputs[index].index()] {
                    if !std::mem::replace(&mut queued[consumer.index()], true) {
                        queue.push_back(*consumer);
                    }
                }
            }
        }
        let block = &mut diagram.blocks[id.index()];
        (block.smooth, block.tick) = (smooth, tick);
    }
}

/// In a loop that is solved, what nothing outside makes present is absent: signals that nothing
/// can make present between events are events.
pub(crate) fn silence_loops(diagram: &mut Diagram, consumers: &[Vec<BlockId>]) {
    if diagram.solve.everywhere.is_empty() && diagram.solve.wires.is_empty() {
        return;
    }
    let varies: Vec<bool> =
        diagram.wires.iter().map(|wire| wire.between == Presence::Varies).collect();
    // A loop that nothing outside could ever make present is taken to be present. It may still be
    // absent whenever a signal from outside is absent.
    let reached = spread(diagram, Phase::Tick, varies.iter().map(|varies| !varies).collect(), &[]);
    let closed: Vec<bool> = reached.iter().map(|reached| !reached).collect();
    let kept = spread(diagram, Phase::Smooth, varies, &closed);
    let start = diagram.wires.iter().zip(kept.iter().zip(&closed));
    let start =
        start.map(|(wire, (kept, closed))| wire.between == Presence::Always || *kept && *closed);
    let start = start.collect();
    let may = spread(diagram, Phase::Smooth, start, &[]);
    let silent = |(wire, may): &(&mut Wire, bool)| wire.between == Presence::Varies && !may;
    let mut any = false;
    for (wire, _) in diagram.wires.iter_mut().zip(may).filter(silent) {
        wire.between = Presence::Never;
        any = true;
    }
    if any {
        sharpen(diagram, consumers);
    }
}

/// Which wires may be present in a phase, found from those that are taken to be: more and more of
/// them, or, if some are `closed`, fewer and fewer of those.
fn spread(diagram: &Diagram, phase: Phase, mut may: Vec<bool>, closed: &[bool]) -> Vec<bool> {
    loop {
        let mut changed = false;
        for block in &diagram.blocks {
            let functions = if phase == Phase::Smooth { &block.smooth } else { &block.tick };
            for (output, wire) in functions.outputs.iter().zip(&block.outputs) {
                let open = diagram.wire(*wire).between == Presence::Varies;
                let asked = match closed.get(wire.index()) {
                    Some(closed) => *closed && may[wire.index()],
                    None => open && !may[wire.index()],
                };
                if asked
                    && may_be_present((block, functions), output.present, &may, closed)
                        != may[wire.index()]
                {
                    may[wire.index()] ^= true;
                    changed = true;
                }
            }
        }
        if !changed {
            return may;
        }
    }
}

/// Whether a truth value may hold, given which wires may be present. If its condition reads a closed
/// signal, a choice holds only if both of its sides do, as in the program.
fn may_be_present(
    (block, functions): (&FlatBlock, &Specialised),
    root: NodeId,
    may: &[bool],
    closed: &[bool],
) -> bool {
    let graph = &functions.graph;
    let is_closed = |node: &NodeId| match graph.node(*node).op {
        Op::Leaf(key) => match block.definition.leaves[key as usize] {
            Leaf::Input { port, part: Part::Value } => {
                closed.get(block.port(port).index()) == Some(&true)
            }
            _ => false,
        },
        _ => false,
    };
    let mut truths: BTreeMap<NodeId, bool> = BTreeMap::new();
    for id in graph.reachable(&[root]) {
        let node = graph.node(id);
        let arg = |i: usize| truths[&node.args[i]];
        let truth = match &node.op {
            Op::Const(_) => graph.truth(id).unwrap_or(true),
            Op::Leaf(key) => match block.definition.leaves[*key as usize] {
                Leaf::Input { port, part: Part::Present } => may[block.port(port).index()],
                _ => true,
            },
            Op::Binary(Binary::And) => arg(0) && arg(1),
            Op::Binary(Binary::Or) => arg(0) || arg(1),
            Op::Select if graph.reachable(&[node.args[0]]).iter().any(is_closed) => {
                arg(1) && arg(2)
            }
            Op::Select => arg(1) || arg(2),
            _ => true,
        };
        truths.insert(id, truth);
    }
    truths[&root]
}

fn presence(truth: Option<bool>) -> Presence {
    match truth {
        Some(true) => Presence::Always,
        Some(false) => Presence::Never,
        None => Presence::Varies,
    }
}

/// Spreads motion from time and continuous states through values; sides and cells stop it.
fn find_moving(diagram: &mut Diagram, consumers: &[Vec<BlockId>]) {
    let mut queue: Vec<BlockId> = (0..diagram.blocks.len()).map(BlockId::new).collect();
    while let Some(id) = queue.pop() {
        for (port, wire) in diagram.block(id).outputs.clone().into_iter().enumerate() {
            let known = diagram.wire(wire).moving || diagram.wire(wire).between == Presence::Never;
            let value = diagram.block(id).smooth.outputs[port].value;
            if !known && diagram.moves(id, value) {
                diagram.wires[wire.index()].moving = true;
                queue.extend(&consumers[wire.index()]);
            }
        }
    }
}

impl Diagram {
    /// Whether a node of a block's smooth functions moves between events.
    pub fn moves(&self, id: BlockId, node: NodeId) -> bool {
        let block = self.block(id);
        let mut stack = vec![node];
        let mut seen = BTreeSet::new();
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            match &block.smooth.graph.node(node).op {
                Op::FrozenSign | Op::FrozenFloor | Op::Crossed => {}
                Op::Leaf(key) => match block.definition.leaves[*key as usize] {
                    Leaf::Time | Leaf::Elapsed | Leaf::Step => return true,
                    Leaf::State(index) if block.definition.states[index].derivative.is_some() => {
                        return true;
                    }
                    Leaf::Input { port, part: Part::Value | Part::Derivative(_) }
                        if self.wire(block.port(port)).moving =>
                    {
                        return true;
                    }
                    Leaf::Delayed { index, part: Part::Value | Part::Derivative(_) }
                        if self.wire(block.past(index)).moving =>
                    {
                        return true;
                    }
                    _ => {}
                },
                _ => stack.extend(block.smooth.graph.node(node).args.iter().copied()),
            }
        }
        false
    }

    /// The sides and cells of a block, as nodes of its definition, whose operand moves between
    /// events.
    fn located_sites(&self, id: BlockId) -> Sites {
        let block = self.block(id);
        let moving = |new: &NodeId| {
            let operand = block.smooth.graph.node(*new).args[0];
            self.moves(id, operand)
        };
        let placed = block.smooth.placed.iter();
        placed.filter(|(_, new)| moving(new)).map(|(original, _)| *original).collect()
    }
}

fn check_block(diagram: &Diagram, id: BlockId, errors: &mut Diagnostics) {
    let block = diagram.block(id);
    for wire in &block.outputs {
        let constant = diagram.wire(*wire).constant.as_ref();
        if constant.is_some_and(|value| value.data().iter().any(|x| !x.is_finite())) {
            let error = Diagnostic::error("not-finite", "a constant that is not finite")
                .at(block.span, "this is infinite or not a number")
                .help("look for a division by zero, or a root or logarithm of a negative number");
            errors.push(error.block(&block.path));
        }
    }
    let first = diagram.run.start.time().max(Time::ZERO);
    let uncounted = |timer: &Arc<dyn Timer>| events_before(&**timer, first) >= MOST_WAKINGS;
    if block.definition.timers.iter().any(uncounted) {
        let message = format!("`{}` would wake too often before the start", block.path);
        let error = Diagnostic::error("bad-parameter", message)
            .at(block.span, "more than 2^53 wakings are over by then")
            .note("how often it has woken is a number of the model, and it would not be exact")
            .help("begin later, or make the period longer");
        errors.push(error.block(&block.path));
    }
    let flows = block.definition.states.iter().any(|state| state.derivative.is_some());
    let moves = block.outputs.iter().any(|wire| diagram.wire(*wire).moving);
    if let Some(domain) = block.discrete.filter(|_| flows || moves || !block.located.is_empty()) {
        let error =
            Diagnostic::error("continuous-in-discrete", "a continuous block in a discrete diagram")
                .at(block.span, "this moves between events")
                .at(domain, "everything in here happens at events")
                .help("sample its input where it comes in, or leave `domain: discrete` out");
        errors.push(error.block(&block.path));
    }
    // A block in Rust that compares or indexes moving signals on purpose.
    if block.kind.role() == Role::Located {
        return;
    }
    let graph = &block.smooth.graph;
    for node in graph.nodes() {
        let error = match &node.op {
            Op::Binary(Binary::Equal) if node.args.iter().any(|arg| diagram.moves(id, *arg)) => {
                Diagnostic::error("equality-of-continuous", "`==` between continuous signals")
                    .at(block.span, "a continuous signal equals another only by chance of rounding")
                    .help("compare with < or >, or locate the crossing with a LevelCrossing block")
            }
            Op::Index if diagram.moves(id, node.args[1]) => {
                Diagnostic::error("index-moving", "a position that is a continuous signal")
                    .at(block.span, "a position must be a whole number")
                    .help("round it with floor(...), whose jumps are located")
            }
            _ => continue,
        };
        errors.push(error.block(&block.path));
    }
}
