//! What can be run and is probably not what was meant.

use std::collections::{BTreeSet, VecDeque};

use base::{Diagnostic, Time};
use blocks::{Leaf, Role, Setting, events_before};
use ir::{Graph, NodeId, Op};

use crate::facts::Phase;
use crate::flat::{BlockId, Diagram, FlatBlock, Presence, WireId};
use crate::machine::FragmentId;
use crate::specialise::known;

/// Looks for what is probably not meant. None of it keeps a model from running.
pub fn warnings(diagram: &Diagram) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let readers = readers(diagram);
    for (index, block) in diagram.blocks.iter().enumerate() {
        let id = BlockId::new(index);
        match block.kind.role() {
            Role::Sample if waits_for_itself(diagram, &readers, id) => {
                found.push(never_there(diagram, id))
            }
            Role::LevelCrossing => found.extend(starts_on_its_level(diagram, id)),
            _ => {}
        }
    }
    found.extend(long_run(diagram, diagram.run.stop));
    found
}

/// Steps or events that nobody waits for: at a million a second they take eleven days.
const FOR_EVER: f64 = 1e12;
/// The solvers that take the step that is written.
const FIXED: [&str; 4] = ["euler", "heun", "trapezoidal", "rk4"];

/// A run that is sure to take more steps or events up to a time than anybody waits for.
pub fn long_run(diagram: &Diagram, until: Time) -> Option<Diagnostic> {
    let run = &diagram.run;
    let start = run.start.time();
    let length = until.since(start);
    let fixed = run.impulses.steps() || FIXED.contains(&run.solver.0.as_str());
    let step = run.step.filter(|_| fixed).unwrap_or(f64::INFINITY).min(run.maximum_step);
    let flows = |block: &FlatBlock| block.definition.states.iter().any(|s| s.derivative.is_some());
    let moves = diagram.blocks.iter().any(flows);
    let run_steps = if moves { length / step } else { 0.0 };
    let seconds = |every: base::Rational| *every.numer() as f64 / *every.denom() as f64;
    let rows = run.rows.every.map_or(0.0, |every| length / seconds(every));
    let mut most = if rows > run_steps { (rows, "rows", None) } else { (run_steps, "steps", None) };
    for block in diagram.blocks.iter().filter(|block| block.fragment == FragmentId::ROOT) {
        let steps = length / block.definition.maximum_step;
        let timers = block.definition.timers.iter();
        let events = timers.map(|timer| {
            events_before(&**timer, until).saturating_sub(events_before(&**timer, start)) as f64
        });
        let events = events.fold(0.0, f64::max);
        for (count, what) in [(steps, "steps"), (events, "events")] {
            if count > most.0 {
                most = (count, what, Some(block));
            }
        }
    }
    let (count, what, block) = most;
    if count.is_nan() || count <= FOR_EVER {
        return None;
    }
    let message = format!("this run takes more than {FOR_EVER:e} {what}: about {count:.1e}");
    let warning = Diagnostic::warning("long-run", message)
        .note("at a million a second that is eleven days and more")
        .help("stop earlier, or make the step or the period longer; Ctrl-C ends a run with what it has");
    Some(match block {
        Some(block) => warning.at(block.span, "because of this block").block(block.written()),
        None => warning,
    })
}

fn readers(diagram: &Diagram) -> Vec<Vec<BlockId>> {
    let mut readers = vec![Vec::new(); diagram.wires.len()];
    for (index, block) in diagram.blocks.iter().enumerate() {
        for wire in block.inputs.iter().flatten() {
            readers[wire.index()].push(BlockId::new(index));
        }
    }
    readers
}

/// How many blocks are examined for one sample; a longer path is not found.
const REACH: usize = 64;

/// Whether the output of a block is absent for ever because it needs an earlier one of its own.
///
/// Let it be absent up to some tag. Whatever is then absent at that tag, for this reason alone, is
/// gathered; if the block itself is among it, the output is absent at that tag, too, and so, since
/// nothing is there before the start, at every tag.
fn waits_for_itself(diagram: &Diagram, readers: &[Vec<BlockId>], id: BlockId) -> bool {
    let own = diagram.block(id).outputs[0];
    if diagram.wire(own).between != Presence::Never || diagram.wire(own).ticking == Presence::Never
    {
        return false;
    }
    let mut absent = BTreeSet::from([own]);
    let mut queue: VecDeque<BlockId> = readers[own.index()].iter().copied().collect();
    for _ in 0..REACH {
        let Some(block) = queue.pop_front() else { return false };
        for port in 0..diagram.block(block).outputs.len() {
            if !is_absent(diagram, block, port, &absent) {
                continue;
            }
            if block == id {
                return true;
            }
            let wire = diagram.block(block).outputs[port];
            if absent.insert(wire) {
                queue.extend(&readers[wire.index()]);
            }
        }
    }
    false
}

/// Whether an output is absent in both phases if these wires always are.
fn is_absent(diagram: &Diagram, id: BlockId, port: usize, absent: &BTreeSet<WireId>) -> bool {
    let states = &diagram.block(id).definition.states;
    // Memories that never hear of anything keep their first value.
    let mut stuck: Vec<Option<Vec<f64>>> = vec![None; states.len()];
    let modes = [Phase::Smooth, Phase::Tick];
    for (index, state) in states.iter().enumerate() {
        let first = state.initial.data();
        let same = |phase| {
            folded(diagram, id, state.next, phase, absent, &stuck).is_some_and(|next| next == first)
        };
        if state.derivative.is_none() && modes.into_iter().all(same) {
            stuck[index] = Some(first.to_vec());
        }
    }
    let present = diagram.block(id).definition.outputs[port].present;
    let never = |phase| {
        folded(diagram, id, present, phase, absent, &stuck).is_some_and(|value| value == [0.0])
    };
    modes.into_iter().all(never)
}

/// The constant that a node of a block's definition folds to.
fn folded(
    diagram: &Diagram,
    id: BlockId,
    root: NodeId,
    phase: Phase,
    absent: &BTreeSet<WireId>,
    stuck: &[Option<Vec<f64>>],
) -> Option<Vec<f64>> {
    let definition = &diagram.block(id).definition;
    let ports: Vec<WireId> = diagram.block(id).inputs.iter().flatten().copied().collect();
    let mut graph = Graph::new();
    let inlined = graph.inline(&definition.graph, &[root], &mut |g, _, node, _| {
        let Op::Leaf(key) = &node.op else { return None };
        match definition.leaves[*key as usize] {
            Leaf::Ticking => Some(g.bool(phase == Phase::Tick)),
            Leaf::Woken(_) if phase == Phase::Smooth => Some(g.bool(false)),
            Leaf::Input { port, part } if !absent.contains(&ports[port]) => {
                let value = known(diagram.wire(ports[port]), part, phase)?;
                Some(g.typed(node.ty, &value))
            }
            Leaf::Input { .. } => Some(g.filled(node.ty, 0.0)),
            Leaf::State(index) => stuck[index].as_ref().map(|value| g.constant(node.ty, value)),
            _ => None,
        }
    });
    graph.constant_of(inlined.get(root))
}

fn never_there(diagram: &Diagram, id: BlockId) -> Diagnostic {
    let block = diagram.block(id);
    Diagnostic::warning("never-present", format!("`{}` is absent for ever", block.path))
        .at(block.span, "it needs an earlier event of its own, and there is no first one")
        .block(block.path.as_str())
        .help(
            "an event is there for one microstep only; hold its value with a ZeroOrderHold block \
             and take `previous(...)` of that",
        )
}

/// A crossing whose input begins on its level and leaves it in the direction that counts.
fn starts_on_its_level(diagram: &Diagram, id: BlockId) -> Option<Diagnostic> {
    let block = diagram.block(id);
    let number = |name: &str| match block.settings.get(name) {
        Some(Setting::Value(value)) => value.as_f64(),
        _ => None,
    };
    let rises = match block.settings.get("direction") {
        Some(Setting::Word(word)) if word == "rising" => true,
        Some(Setting::Word(word)) if word == "falling" => false,
        _ => return None,
    };
    let input = *block.inputs.first()?.first()?;
    let state = diagram.wire(input).block;
    let moves = diagram.wire(input).constant.is_none();
    if !moves || first_value(diagram, input)? != number("level")? {
        return None;
    }
    let rate = first_value(diagram, *diagram.block(state).inputs.first()?.first()?)?;
    let leaves = if rises { rate > 0.0 } else { rate < 0.0 };
    let direction = if rises { "rising" } else { "falling" };
    leaves.then(|| {
        let message = format!("`{}` gives no event at the start", block.path);
        let label = format!("its input begins on the level and leaves it {direction}");
        Diagnostic::warning("starts-on-level", message)
            .at(block.span, label)
            .block(block.path.as_str())
            .note("only a change of side is an event, and at the start there is no side before")
            .help("where an event is meant at the start, add one with a Clock or a Step block")
    })
}

/// The value of a wire at the start, if it is that of an Integrator or a constant.
fn first_value(diagram: &Diagram, wire: WireId) -> Option<f64> {
    if let Some(value) = &diagram.wire(wire).constant {
        return value.as_f64();
    }
    let block = diagram.block(diagram.wire(wire).block);
    let state = block.definition.states.first().filter(|_| block.kind.role() == Role::Integrator);
    state?.initial.as_f64()
}
