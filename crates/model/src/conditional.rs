//! Instances of diagrams that run only while a condition holds, or only at events.
//!
//! `heater: {type: Heater, power: 2, enabled: switch > 0.5}` is a state machine that contains the
//! instance in one of its two states, and `mean: {type: Mean, u: wave, trigger: c}` is one whose
//! only state has an instance with sampled inputs. They are rewritten as such when all files are
//! read, because only then it is known which outputs a diagram has, and whether `enabled` or
//! `trigger` is an input of its own.

use std::collections::BTreeMap;

use base::{Diagnostic, Span, Spanned, Value};
use expr::{Expr, ExprKind, Function, UnaryOp};

use crate::refused::Report;
use crate::{
    About, Block, Diagram, DiagramId, Documentation, Held, Modal, Named, Output, Solve, State,
    Transition,
};

const ENABLED: &str = "enabled";
const TRIGGER: &str = "trigger";
const RESTART: &str = "restart";
const HOLD: &str = "hold";

/// The interface of a diagram, as far as it decides what an instance means.
struct Interface {
    /// The names of its inputs and parameters.
    fields: Vec<String>,
    /// The names of its inputs.
    inputs: Vec<String>,
    outputs: Vec<String>,
}

/// Rewrites all instances that are enabled or triggered. `scopes` are the diagrams that each file
/// can name, and `standard` those of the standard library.
pub(crate) fn rewrite(
    diagrams: &mut [Diagram],
    scopes: &[BTreeMap<String, DiagramId>],
    standard: &BTreeMap<String, DiagramId>,
    report: &mut Report,
) {
    if !diagrams.iter().any(concerns) {
        return;
    }
    let interfaces: Vec<Interface> = diagrams.iter().map(interface).collect();
    let find = |kind: &Spanned<String>| {
        let own = scopes.get(kind.span.file.index()).and_then(|scope| scope.get(&kind.value));
        own.or_else(|| standard.get(&kind.value)).map(|id| &interfaces[id.index()])
    };
    for diagram in diagrams {
        rewrite_diagram(diagram, &find, report);
    }
}

/// Whether a diagram has instances to rewrite.
fn concerns(diagram: &Diagram) -> bool {
    diagram.blocks.iter().any(|block| match &block.modal {
        Some(modal) => modal.states.iter().any(|state| concerns(&state.content)),
        None => field(block, ENABLED).or(field(block, TRIGGER)).is_some(),
    })
}

fn interface(diagram: &Diagram) -> Interface {
    let inputs: Vec<String> = diagram.inputs.iter().map(|i| i.name.value.clone()).collect();
    let parameters = diagram.parameters.iter().map(|parameter| parameter.name.value.clone());
    Interface {
        fields: inputs.iter().cloned().chain(parameters).collect(),
        inputs,
        outputs: diagram.outputs.iter().map(|output| output.name.value.clone()).collect(),
    }
}

fn field<'b>(block: &'b Block, name: &str) -> Option<&'b Named> {
    block.fields.iter().find(|field| field.name.value == name)
}

/// The recursion is bounded because the depth of a file is.
fn rewrite_diagram<'i>(
    diagram: &mut Diagram,
    find: &impl Fn(&Spanned<String>) -> Option<&'i Interface>,
    report: &mut Report,
) {
    for block in &mut diagram.blocks {
        if let Some(modal) = &mut block.modal {
            for state in &mut modal.states {
                rewrite_diagram(&mut state.content, find, report);
            }
        } else if field(block, ENABLED).or(field(block, TRIGGER)).is_some()
            && let own = block.content.as_deref().map(interface)
            && let Some(interface) = own.as_ref().or_else(|| find(&block.kind))
        {
            report.keep(rewrite_block(block, interface));
        }
    }
}

/// Makes an instance that is enabled or triggered a state machine; an instance whose diagram has
/// fields of these names stays as it is.
fn rewrite_block(block: &mut Block, interface: &Interface) -> Result<(), Diagnostic> {
    let own = |name: &str| interface.fields.iter().any(|field| field == name);
    let mut take = |name: &str| {
        let at = block.fields.iter().position(|field| field.name.value == name && !own(name))?;
        Some(block.fields.remove(at))
    };
    let (enabled, trigger) = (take(ENABLED), take(TRIGGER));
    let Some(first) = enabled.as_ref().or(trigger.as_ref()) else { return Ok(()) };
    let (restart, hold) = (take(RESTART), take(HOLD));
    let span = first.name.span;
    if let Some(repeated) = &block.repeated {
        let message = format!("an array of blocks cannot be {}", what(first));
        let error = Diagnostic::error("bad-state", message).at(span, "");
        let error = error.at(repeated.own.name.span, "an array");
        return Err(error.help("put the instance into a diagram, and repeat that"));
    }
    let resumes = restart.as_ref().map_or(Ok(true), |restart| flag(restart).map(|own| !own))?;
    let held = block.held.take();
    let held = match (held, hold) {
        (Some(held), _) => held,
        (None, Some(hold)) => held_outputs(hold, interface)?,
        (None, None) => Vec::new(),
    };
    let name = block.name.clone();
    let mut blocks = Vec::new();
    if let Some(trigger) = &trigger {
        blocks.push(sample_inputs(block, trigger, interface)?);
    }
    blocks.push(Block { held: None, ..block.clone() });
    let output = |output: &String| Output {
        name: Spanned::new(output.clone(), name.span),
        value: named(format!("{}.{output}", name.value), name.span),
        about: About::default(),
    };
    let content = Diagram {
        outputs: interface.outputs.iter().map(output).collect(),
        blocks,
        discrete: trigger.as_ref().map(|trigger| trigger.name.span),
        ..empty(&name)
    };
    let running = if trigger.is_some() && enabled.is_none() { "triggered" } else { ENABLED };
    let mut states = vec![state(running, content, &name)];
    if let Some(enabled) = &enabled {
        let off = disabled(&mut states[0], enabled, resumes);
        states.push(off);
    }
    let initial = states[states.len() - 1].name.clone();
    block.modal = Some(Modal {
        own: Diagram::of_parameters(name.clone(), Vec::new()),
        outputs: None,
        initial: Some(initial),
        held,
        states,
    });
    (block.kind, block.fields) = (Spanned::new("Modal".to_owned(), block.kind.span), Vec::new());
    block.content = None;
    Ok(())
}

/// The state in which an instance is disabled, with the transitions between it and the other one.
fn disabled(running: &mut State, enabled: &Named, resumes: bool) -> State {
    let span = enabled.name.span;
    let not = ExprKind::Unary(UnaryOp::Not, Box::new(enabled.value.clone()));
    let not = Expr { kind: not, span: enabled.value.span };
    let name = &running.content.name;
    let mut off = state("disabled", empty(name), name);
    off.transitions = vec![transition(&running.name.value, enabled.value.clone(), span, resumes)];
    // An instance that is enabled from the start on starts at once.
    off.transitions[0].immediate = Some(span);
    running.transitions = vec![transition("disabled", not, span, false)];
    off
}

/// Samples the inputs of an instance at its trigger; returns the block of the events.
fn sample_inputs(
    block: &mut Block,
    trigger: &Named,
    interface: &Interface,
) -> Result<Block, Diagnostic> {
    let events = events(trigger, &block.name);
    let sampled = |field: &&mut Named| interface.inputs.contains(&field.name.value);
    let inputs = block.fields.iter_mut().filter(sampled);
    let inputs = inputs.map(|field| field.value = sample(&events.name, &field.value)).count();
    if inputs == 0 {
        let message = "a trigger samples inputs, and this instance is given none";
        return Err(Diagnostic::error("bad-state", message)
            .at(trigger.name.span, "")
            .help("give the diagram an input that is sampled, such as the trigger itself"));
    }
    Ok(events)
}

fn what(field: &Named) -> &'static str {
    if field.name.value == ENABLED { "enabled and disabled" } else { "triggered" }
}

/// The value of a field that must be `true` or `false`.
fn flag(field: &Named) -> Result<bool, Diagnostic> {
    match &field.value.kind {
        ExprKind::Literal(value) if *value == Value::bool(true) => Ok(true),
        ExprKind::Literal(value) if *value == Value::bool(false) => Ok(false),
        _ => {
            let message = format!("`{}` is `true` or `false`", field.name.value);
            Err(Diagnostic::error("wrong-kind", message).at(field.value.span, ""))
        }
    }
}

/// The outputs that `hold` names: all of them, or those of a list.
fn held_outputs(hold: Named, interface: &Interface) -> Result<Vec<Held>, Diagnostic> {
    let span = hold.value.span;
    let held = |name: String, span| Held { name: Spanned::new(name, span), initial: None };
    if let ExprKind::Vector(items) = &hold.value.kind
        && items.iter().all(|item| item.as_word().is_some())
    {
        let names = items.iter().filter_map(|item| Some((item.as_word()?, item.span)));
        return Ok(names.map(|(name, span)| held(name.to_owned(), span)).collect());
    }
    match flag(&hold) {
        Ok(true) => Ok(interface.outputs.iter().map(|name| held(name.clone(), span)).collect()),
        Ok(false) => Ok(Vec::new()),
        Err(error) => {
            Err(error
                .help("write `hold: true`, a list of outputs, or a mapping to their first values"))
        }
    }
}

/// The events of a trigger, as a block that takes nothing but events. Its name has a blank, so that
/// it hides no name that the fields of the instance use.
fn events(trigger: &Named, instance: &Spanned<String>) -> Block {
    let span = trigger.value.span;
    let one = Expr { kind: ExprKind::Literal(Value::int(1)), span };
    let field = |name: &str, value| Named { name: Spanned::new(name.to_owned(), span), value };
    Block {
        file: None,
        name: Spanned::new(format!("{TRIGGER} of {}", instance.value), span),
        kind: Spanned::new("Sample".to_owned(), span),
        fields: vec![field("input", one), field("trigger", trigger.value.clone())],
        modal: None,
        content: None,
        repeated: None,
        held: None,
        sliding: None,
    }
}

/// An expression that is present only at the events of a block.
fn sample(events: &Spanned<String>, value: &Expr) -> Expr {
    let span = value.span;
    let call = |function, arguments| Expr {
        kind: ExprKind::Call(Spanned::new(function, events.span), arguments),
        span,
    };
    let present = call(Function::Present, vec![named(events.value.clone(), events.span)]);
    call(Function::When, vec![present, value.clone()])
}

fn named(name: String, span: Span) -> Expr {
    Expr { kind: ExprKind::Name(name), span }
}

fn empty(name: &Spanned<String>) -> Diagram {
    Diagram {
        documentation: Documentation::default(),
        solve: Solve::No,
        ..Diagram::of_parameters(name.clone(), Vec::new())
    }
}

fn state(name: &str, content: Diagram, block: &Spanned<String>) -> State {
    let name = Spanned::new(name.to_owned(), block.span);
    State { name, like: None, last: false, content, transitions: Vec::new() }
}

fn transition(to: &str, guard: Expr, span: Span, history: bool) -> Transition {
    Transition {
        span,
        to: Spanned::new(to.to_owned(), span),
        guard: Some(guard),
        after: None,
        priority: None,
        set: Vec::new(),
        output: Vec::new(),
        history,
        immediate: None,
        preemptive: None,
        default: None,
        nondeterministic: false,
        error: None,
    }
}
