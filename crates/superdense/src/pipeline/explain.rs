//! Errors and warnings of a run, explained with their place in the text.

use base::{Diagnostic, Value};
use engine::{InputValue, RunError};

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
                let told = Diagnostic::error(error.code(), error.to_string()).help(error.help());
                self.in_the_text(told, error.block())
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
        Some(found.block(block.written()).help(help))
    }

    /// A warning of a run as a diagnostic with its place in the text.
    pub fn explain_warning(&self, warning: &engine::Warning) -> Diagnostic {
        let diagnostic = Diagnostic::warning(warning.code(), warning.to_string());
        self.in_the_text(diagnostic.help(warning.help()), warning.block())
    }

    pub(crate) fn in_the_text(&self, diagnostic: Diagnostic, path: &str) -> Diagnostic {
        match self.diagram.blocks.iter().find(|block| block.path == path) {
            Some(block) => diagnostic.at(block.span, "this block").block(path),
            None => diagnostic,
        }
    }
}
