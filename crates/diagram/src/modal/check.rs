//! What can be checked of machines when types are known.

use base::{Diagnostic, Diagnostics, Elem, Span, Type};

use crate::flat::Diagram;
use crate::machine::Assignment;

/// Checks what depends on types: guards are truth values, and what is set fits.
pub(crate) fn check(diagram: &Diagram, errors: &mut Diagnostics) {
    if diagram.run.impulses.steps() {
        check_stepped(diagram, errors);
    }
    for machine in &diagram.modes.machines {
        for transition in machine.states.iter().flat_map(|state| &state.transitions) {
            for guard in &transition.guards {
                let block = diagram.block(*guard);
                let ty = block.definition.output_type(0);
                if ty != Type::BOOL {
                    let message = format!("a guard must be true or false, and this is {}", a(ty));
                    let help = match diagram.wire(block.outputs[0]).between {
                        crate::Presence::Never => "ask whether an event is there: `present(...)`",
                        _ if ty.elem == Elem::Bool => "ask for one of its elements",
                        _ => "compare it, as in `x > 0`",
                    };
                    errors.push(
                        Diagnostic::error("bad-guard", message)
                            .at(block.span, "not a truth value")
                            .block(&machine.path)
                            .help(help),
                    );
                }
            }
            for set in &transition.sets {
                check_assignment(diagram, &machine.path, set, errors);
            }
        }
    }
    for entry in &diagram.modes.entries {
        let (block, wire) = (diagram.block(entry.block), diagram.wire(entry.wire));
        if let Some(state) = block.definition.states.first()
            && state.ty.shape != wire.ty.shape
        {
            let (initial, state) = (a(wire.ty), a(state.ty));
            let message = format!("`initial` is {initial}, and the state is {state}");
            let error = Diagnostic::error("size-mismatch", message).at(block.span, "");
            errors.push(error.block(&block.path));
        }
    }
}

/// A type with its article.
fn a(ty: Type) -> String {
    match ty.elem {
        Elem::Int => format!("an {ty}"),
        _ => format!("a {ty}"),
    }
}

/// Refuses what a run by fixed steps does not have.
fn check_stepped(diagram: &Diagram, errors: &mut Diagnostics) {
    let mut refuse = |what: &str, span: Span, path: &str| {
        let message = format!("a fixed-step run has no {what}");
        errors.push(
            Diagnostic::error("not-in-steps", message)
                .at(span, "only run with symbolic impulses")
                .block(path)
                .help("leave `impulses: numeric` or `stepped` out"),
        );
    };
    for machine in &diagram.modes.machines {
        refuse("state machines", machine.span, &machine.path);
    }
    for block in diagram.blocks.iter().filter(|block| !block.definition.histories.is_empty()) {
        refuse("delays", block.span, &block.path);
    }
}

fn check_assignment(diagram: &Diagram, path: &str, set: &Assignment, errors: &mut Diagnostics) {
    let target = diagram.block(set.target);
    let value = diagram.block(set.value).definition.output_type(0);
    let Some(state) = target.definition.states.first() else {
        let message = format!("`{}` has no state to set", target.path);
        let what = &target.kind.info().name;
        errors.push(
            Diagnostic::error("set-into-nothing", message)
                .at(set.span, format!("a {what} remembers nothing"))
                .block(path)
                .help("set a block with a state, such as an Integrator, or a parameter"),
        );
        return;
    };
    let kinds = (state.ty.elem == Elem::Bool) == (value.elem == Elem::Bool);
    if state.ty.shape != value.shape || !kinds {
        let code = if kinds { "size-mismatch" } else { "type-mismatch" };
        let message = format!("`{}` is {}, and this is {}", target.path, a(state.ty), a(value));
        errors.push(Diagnostic::error(code, message).at(set.span, "set here").block(path));
    }
}
