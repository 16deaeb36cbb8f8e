//! Scopes: one for each instance of a diagram, in which names are resolved.

use std::collections::HashMap;

use base::{Diagnostic, Span, Value, did_you_mean};
use model::DiagramId;

use crate::flat::{BlockId, WireId};

base::typed_id! {
    /// One instance of a diagram, the main one included.
    ScopeId
}

/// What a name of a block in a diagram stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entity {
    Block(BlockId),
    Instance(ScopeId),
}

/// An instance of a diagram: its parameters and the things in it.
#[derive(Debug)]
pub(crate) struct Scope<'m> {
    pub diagram: DiagramId,
    /// The path of the instance with a dot at its end; empty for the main diagram.
    pub prefix: String,
    /// The scope that holds the instance, and how it was written there.
    pub parent: Option<(ScopeId, &'m model::Block)>,
    pub parameters: HashMap<String, Value>,
    pub entities: HashMap<&'m str, Entity>,
    /// Inputs and outputs that have been resolved, or are being resolved.
    pub ports: HashMap<&'m str, Option<WireId>>,
}

/// What to say to those who call time `t`.
pub(crate) fn time_is_meant(name: &str) -> Option<String> {
    name.eq_ignore_ascii_case("t").then(|| "the time of the model is called `time`".to_owned())
}

impl Scope<'_> {
    pub fn unknown(&self, name: &str, span: Span, diagram: &model::Diagram) -> Diagnostic {
        let known = self.entities.keys().copied();
        let inputs = diagram.inputs.iter().map(|input| input.value.as_str());
        let parameters = self.parameters.keys().map(String::as_str);
        Diagnostic::error("unknown-name", format!("there is no signal or parameter `{name}`"))
            .at(span, "not found in this diagram")
            .maybe_help(
                time_is_meant(name)
                    .or_else(|| did_you_mean(name, known.chain(inputs).chain(parameters))),
            )
    }
}
