//! Scopes: one for each instance of a diagram, in which names are resolved.

use std::collections::BTreeMap;

use base::{Diagnostic, Span, Value, did_you_mean};
use rustc_hash::FxHashMap;

use crate::flat::{BlockId, WireId};
use crate::machine::FragmentId;
use crate::open::{Names, sorted};

base::typed_id! {
    /// One instance of a diagram, the main one included.
    ScopeId
}

/// What a name of a block in a diagram refers to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entity {
    Block(BlockId),
    Instance(ScopeId),
    /// A state machine, by its number among those being made.
    Machine(usize),
    /// Blocks with indices, by their number among the arrays.
    Array(usize),
}

/// An instance of a diagram: its parameters and the things in it.
#[derive(Debug)]
pub(crate) struct Scope<'m> {
    pub diagram: &'m model::Diagram,
    /// The path of the instance with a dot at its end; empty for the main diagram.
    pub prefix: String,
    /// The scope that holds the instance, and how it was written there.
    pub parent: Option<(ScopeId, &'m model::Block)>,
    /// The scope whose names are visible if they are not those of this one: that around a machine
    /// for its states.
    pub outer: Option<ScopeId>,
    /// The fragment that its blocks are in.
    pub fragment: FragmentId,
    /// Where it is that of a state, the fragment of the state's guards.
    pub dwell: Option<FragmentId>,
    /// The tolerance of states in it, if a diagram around it has one of its own.
    pub tolerance: Option<f64>,
    /// The place at which it, or a diagram around it, specifies that everything happens at events.
    pub discrete: Option<Span>,
    /// Parameters, those of outer scopes included, without those that transitions set.
    pub parameters: Names,
    /// Parameters that transitions set: the wire, and the value before one does.
    pub variables: BTreeMap<String, (WireId, Value)>,
    pub entities: FxHashMap<&'m str, Entity>,
    /// Inputs and outputs that have been resolved, or are being resolved.
    pub ports: BTreeMap<Port<'m>, Option<WireId>>,
}

/// A port of an instance. An input and an output may have the same name: inside the diagram it is
/// the input, from outside the output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Port<'m> {
    Input(&'m str),
    Output(&'m str),
}

impl<'m> Port<'m> {
    pub fn name(self) -> &'m str {
        match self {
            Port::Input(name) | Port::Output(name) => name,
        }
    }
}

/// The message for those who call time `t`.
pub(crate) fn time_is_meant(name: &str) -> Option<String> {
    name.eq_ignore_ascii_case("t").then(|| "the time of the model is called `time`".to_owned())
}

impl Scope<'_> {
    pub fn unknown(&self, name: &str, span: Span, diagram: &model::Diagram) -> Diagnostic {
        let mut known: Vec<&str> = self.entities.keys().copied().collect();
        known.sort_unstable();
        let inputs = diagram.inputs.iter().map(|input| input.name.value.as_str());
        let inputs = inputs.filter(|input| !self.entities.contains_key(input));
        Diagnostic::error("unknown-name", format!("there is no signal or parameter `{name}`"))
            .at(span, "not found in this diagram")
            .maybe_help(time_is_meant(name).or_else(|| {
                did_you_mean(name, known.into_iter().chain(inputs).chain(sorted(&self.parameters)))
            }))
    }
}
