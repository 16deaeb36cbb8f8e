//! Signals that are not present where something needs them.
//!
//! An input that acts at an instant takes events only, and one that is integrated takes none. An
//! operator of an expression is absent if an operand is. On two event signals that come apart
//! it would be absent for ever, or nearly so, and nobody would notice: it is refused, unless both
//! are provably present at the same tags.

use std::collections::HashMap;

use base::{Diagnostic, Diagnostics, Span};
use blocks::{Context, Definition, Join, Leaf};
use ir::{Graph, NodeId, Op};

use crate::facts::Phase;
use crate::flat::{BlockId, Diagram, Presence, Record, WireId};
use crate::specialise::known;
use crate::tags::Tags;

/// Refuses inputs of a block with signals that are present where they must not be, or absent where
/// they are needed.
pub(crate) fn check_inputs(diagram: &Diagram, id: BlockId, errors: &mut Diagnostics) {
    let block = diagram.block(id);
    let inputs = block.kind.info().inputs.iter();
    for ((input, wires), spans) in inputs.zip(&block.inputs).zip(&block.input_spans) {
        for (wire, span) in wires.iter().zip(spans) {
            let between = diagram.wire(*wire).between;
            let error = match input.presence {
                blocks::Accepts::Discrete if between != Presence::Never => {
                    let message = format!("`{}` takes events, and this signal is not", input.name);
                    Diagnostic::error("not-events", message)
                        .at(*span, "present between events")
                        .note("a signal that is there all the time would act at every instant")
                        .help("take its value at events with a Sample block")
                }
                blocks::Accepts::Continuous if between == Presence::Never => {
                    only_events(diagram, &input.name, *wire, *span)
                }
                _ => continue,
            };
            errors.push(error.block(&block.path));
        }
    }
}

/// An input that needs a signal between events has an event signal: the message names what to hold.
fn only_events(diagram: &Diagram, input: &str, wire: WireId, span: Span) -> Diagnostic {
    let message = format!("`{input}` needs a signal between events");
    let mut error = Diagnostic::error("only-events", message).at(span, "present at events only");
    let events = event_operands(diagram, wire, span);
    for (_, at) in &events {
        if *at != span {
            error = error.at(*at, "these are events");
        }
    }
    // A block that passes one signal on is an event signal because that is.
    let driver = diagram.block(diagram.wire(wire).block);
    if let ([(name, at)], [[source]], [[written]]) =
        (&events[..], &each(&driver.inputs)[..], &each(&driver.input_spans)[..])
        && *at == span
    {
        let causes = event_operands(diagram, *source, *written);
        if !causes.is_empty() {
            error = error.note(format!("{name} is present only where {} is", listed(&causes)));
        }
    }
    let (blocks, held) = match events.len() {
        0 | 1 => ("a ZeroOrderHold block", "signal"),
        _ => ("ZeroOrderHold blocks", "signals"),
    };
    let events = listed(&events);
    error.help(format!(
        "hold the last value of {events} with {blocks}, and use the held {held} here"
    ))
}

fn each<T>(lists: &[Vec<T>]) -> Vec<&[T]> {
    lists.iter().map(Vec::as_slice).collect()
}

/// The event signals that a signal is made of, by the names that were written, and where: those in
/// the expression at an input, or the signal that it names.
fn event_operands(diagram: &Diagram, wire: WireId, span: Span) -> Vec<(String, Span)> {
    let driver = diagram.block(diagram.wire(wire).block);
    let operands: Vec<(WireId, Span)> = match driver.span == span {
        true => driver.inputs.iter().flatten().copied().zip(driver.input_spans.concat()).collect(),
        false => vec![(wire, span)],
    };
    let events = operands.into_iter().filter(|(w, _)| diagram.wire(*w).between == Presence::Never);
    let named = events.map(|(wire, at)| {
        let name = match diagram.sources.snippet(at) {
            "" => diagram.wire_name(wire),
            written => written.to_owned(),
        };
        (format!("`{name}`"), at)
    });
    named.collect()
}

fn listed(names: &[(String, Span)]) -> String {
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "it".to_owned(),
    }
}

/// Refuses operators on event signals that are not known to be present at the same tags.
pub(crate) fn check_operators(
    diagram: &mut Diagram,
    consumers: &[Vec<BlockId>],
    errors: &mut Diagnostics,
) {
    let mut apart: Vec<BlockId> = Vec::new();
    let mut tags = Tags::new(diagram);
    for index in 0..diagram.blocks.len() {
        let id = BlockId::new(index);
        let Some(error) = mismatch(diagram, &mut tags, id) else { continue };
        let unread =
            diagram.block(id).outputs.iter().all(|wire| consumers[wire.index()].is_empty());
        match unread && is_implied(diagram, id) {
            true => apart.push(id),
            false => errors.push(error),
        }
    }
    for id in apart {
        record_elements(diagram, id);
    }
}

/// Whether a block is there only because everything is recorded if a model requests nothing.
fn is_implied(diagram: &Diagram, id: BlockId) -> bool {
    let own = |record: &&Record| diagram.block(id).outputs.contains(&record.wire);
    let mut records = diagram.records.iter().filter(own).peekable();
    records.peek().is_some() && records.all(|record| record.implied)
}

/// Records the elements of an array in the place of a whole that is never there.
fn record_elements(diagram: &mut Diagram, id: BlockId) {
    let block = diagram.block(id);
    let whole = block.outputs[0];
    let elements: Vec<WireId> = block.inputs.iter().flatten().copied().collect();
    let mut records = Vec::new();
    for record in std::mem::take(&mut diagram.records) {
        if record.wire != whole {
            records.push(record);
            continue;
        }
        let element = |wire: &WireId| {
            let name = diagram.wire_name(*wire);
            Record { name, wire: *wire, implied: true, hidden: false }
        };
        records.extend(elements.iter().map(element));
    }
    diagram.records = records;
}

/// The first operator of a block whose operands come apart, as an error.
fn mismatch(diagram: &Diagram, tags: &mut Tags, id: BlockId) -> Option<Diagnostic> {
    let block = diagram.block(id);
    let is_event = |wire: &WireId| diagram.wire(*wire).between == Presence::Never;
    if !block.definition.takes_events && !block.inputs.iter().flatten().any(is_event) {
        return None;
    }
    let (definition, joins) = joins(diagram, id)?;
    let mut roots: Vec<NodeId> = Vec::new();
    for join in &joins {
        roots.push(join.used);
        roots.extend(join.operands.iter().map(|(present, _)| *present));
    }
    let between = between_events(diagram, id, &definition, &roots);
    let symbols = tags.symbols(id, &definition, &roots);
    let symbols: HashMap<NodeId, NodeId> = roots.iter().copied().zip(symbols).collect();
    let unused = |join: &Join| tags.truth(symbols[&join.used]) == Some(false);
    joins.iter().filter(|join| !unused(join)).find_map(|join| {
        if join.only_events {
            let (present, span) = join.operands[0];
            return (between[&present] != Some(false)).then(|| not_events(join.operator, span));
        }
        let events = join.operands.iter().filter(|(present, _)| between[present] == Some(false));
        let mut events = events.map(|(present, span)| (symbols[present], *span));
        let (first, here) = events.next()?;
        let (_, there) = events.find(|(symbol, _)| *symbol != first)?;
        Some(error(join, [here, there]).block(block.written()))
    })
}

/// The operators of a block that need several signals, and the definition that they are nodes of.
fn joins(diagram: &Diagram, id: BlockId) -> Option<(Definition, Vec<Join>)> {
    let block = diagram.block(id);
    let carried = |wire: &WireId| (diagram.wire(*wire).ty, diagram.wire(*wire).orders);
    let inputs: Vec<Vec<_>> =
        block.inputs.iter().map(|wires| wires.iter().map(carried).collect()).collect();
    let asked = vec![0; block.outputs.len()];
    let mut context = Context::new(block.kind.info(), &block.settings, &inputs, asked)
        .with_impulses(diagram.run.impulses)
        .with_steps(diagram.run.profile == crate::Profile::Ptolemy);
    block.kind.define(&mut context).ok()?;
    let joins = context.take_joins();
    (!joins.is_empty()).then(|| (context.finish(), joins))
}

/// What is known between events of conditions of a block.
fn between_events(
    diagram: &Diagram,
    id: BlockId,
    definition: &Definition,
    roots: &[NodeId],
) -> HashMap<NodeId, Option<bool>> {
    let block = diagram.block(id);
    let mut graph = Graph::new();
    let inlined = graph.inline(&definition.graph, roots, &mut |g, _, node, _| match &node.op {
        Op::Leaf(key) => match definition.leaves[*key as usize] {
            Leaf::Ticking | Leaf::Woken(_) => Some(g.bool(false)),
            Leaf::Crossed(_) => Some(g.filled(node.ty, 0.0)),
            Leaf::Input { port, part } => {
                let value = known(diagram.wire(block.port(port)), part, Phase::Smooth)?;
                Some(g.typed(node.ty, &value))
            }
            _ => None,
        },
        Op::Crossed => Some(g.filled(node.ty, 0.0)),
        _ => None,
    });
    roots.iter().map(|root| (*root, graph.truth(inlined.get(*root)))).collect()
}

/// The error of an operator on events whose operand is there all the time.
fn not_events(operator: &str, span: Span) -> Diagnostic {
    Diagnostic::error("not-events", format!("`{operator}` takes events, and this signal is not"))
        .at(span, "present between events")
        .help("take its value at events with a Sample block, or use `previous` or `left`")
}

fn error(join: &Join, [here, there]: [Span; 2]) -> Diagnostic {
    let what = match join.operator {
        "[...]" => "a vector".to_owned(),
        "[]" => "an element".to_owned(),
        operator => format!("`{operator}`"),
    };
    let message = format!("{what} of events that are not known to be present at the same tags");
    let error = Diagnostic::error("presence-mismatch", message);
    let error = match here == there {
        true => error.at(here, "its parts are events that come apart"),
        false => error.at(here, "these events").at(there, "and these"),
    };
    let first = match join.operator {
        "*" => "multiply what is present with a Product block that has `absent: skip`, ",
        "/" => "divide what is present with a Divide block that has `absent: skip`, ",
        "[...]" => "use the elements one by one, ",
        _ => "",
    };
    error.note("it would be present only where all of its operands are").help(format!(
        "{first}add what is present with a Sum block, take the first that is present with a Merge \
         block, or hold the last value of one of them with a ZeroOrderHold block"
    ))
}
