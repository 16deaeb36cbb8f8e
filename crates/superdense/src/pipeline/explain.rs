//! Errors and warnings of a run, explained with their place in the text.

use base::{Diagnostic, Span, Value};
use engine::{InputValue, RunError};
use model::Model;

use super::System;

impl System {
    /// A run-time error as a diagnostic with its place in the text.
    pub fn explain(&self, error: &RunError) -> Diagnostic {
        self.explain_with(error, &[])
    }

    /// The same, with the input values that led to the error.
    pub fn explain_with(&self, error: &RunError, inputs: &[InputValue]) -> Diagnostic {
        let diagnostic = match self.outside(error, inputs) {
            Some(outside) => outside,
            None => {
                let system_message =
                    Diagnostic::error(error.code(), error.to_string()).help(error.help());
                self.in_the_text(system_message, error.block())
            }
        };
        match crate::story::values(inputs) {
            Some(values) => diagnostic.note(values),
            None => diagnostic,
        }
    }

    /// An explanation for a value that is not finite or not defined because an index is out of
    /// range.
    fn outside(&self, error: &RunError, inputs: &[InputValue]) -> Option<Diagnostic> {
        let (RunError::NotFinite { tag, block, .. } | RunError::Undefined { tag, block, .. }) =
            error
        else {
            return None;
        };
        let block = self.diagram.block(block.id()?);
        let value = |wire: &diagram::WireId| {
            let name = self.diagram.wire_name(*wire);
            let data = inputs.iter().find(|input| input.name == name)?.value.clone()?;
            Some(Value::new(self.diagram.wire(*wire).ty, data))
        };
        let values: Vec<Option<Value>> = block.inputs.iter().flatten().map(value).collect();
        let mut found = block.kind.why_not_finite(&values)?;
        found.message = format!("{} at {tag}, in `{}`", found.message, block.written());
        let help = "keep the position in its range, for example with min and max";
        Some(self.pointed_out(found.block(block.written()).help(help)))
    }

    /// A warning of a run as a diagnostic with its place in the text.
    pub fn explain_warning(&self, warning: &engine::Warning) -> Diagnostic {
        let diagnostic = Diagnostic::warning(warning.code(), warning.to_string());
        self.in_the_text(diagnostic.help(warning.help()), warning.block())
    }

    pub(crate) fn in_the_text(&self, diagnostic: Diagnostic, path: &str) -> Diagnostic {
        match self.diagram.blocks.iter().find(|block| block.path == path) {
            Some(block) => self.pointed_out(diagnostic.at(block.span, "this block").block(path)),
            None => diagnostic,
        }
    }

    /// The same, with the place at which the main file uses the diagram that it is about.
    pub(crate) fn pointed_out(&self, diagnostic: Diagnostic) -> Diagnostic {
        point_out(&self.origin.model, diagnostic)
    }
}

/// Adds to a message about the inside of a diagram from another file where the main file uses it:
/// that is what the reader can change.
pub(super) fn point_out(model: &Model, error: Diagnostic) -> Diagnostic {
    let foreign = error.labels.first().is_some_and(|label| label.span.file.index() != 0);
    let known = error.labels.iter().any(|label| label.span.file.index() == 0);
    match used_at(model, &error.path) {
        Some(span) if foreign && !known => error.at(span, "used here"),
        _ => error,
    }
}

/// The innermost block of the main file on the way to a path.
fn used_at(model: &Model, path: &str) -> Option<Span> {
    let mut diagram = model.diagram(model.root);
    let (mut found, mut names) = (None, path.split('.'));
    while let Some(name) = names.next() {
        let name = name.split('[').next().unwrap_or(name);
        let Some(block) = diagram.blocks.iter().find(|block| block.name.value == name) else {
            break;
        };
        if block.name.span.file.index() == 0 {
            found = Some(block.name.span);
        }
        let kind = &block.kind;
        diagram = match (&block.modal, &block.content) {
            (Some(modal), _) => {
                let state = names.next();
                let own = modal.states.iter().find(|own| Some(&*own.name.value) == state);
                let Some(own) = own else { break };
                &own.content
            }
            (_, Some(content)) => content,
            _ => {
                let own = model.resolve(kind.span, &kind.value);
                match own.or_else(|| model.standard.get(&kind.value).copied()) {
                    Some(id) => model.diagram(id),
                    None => break,
                }
            }
        };
    }
    found
}
