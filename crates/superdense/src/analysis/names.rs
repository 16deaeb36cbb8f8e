//! The names of what moves: states, inputs, held signals, outputs, and their elements.

use base::{Elem, Type, did_you_mean};
use diagram::{Presence, WireId};
use program::{Program, StateId};
use trace::Column;

use crate::analysis::AnalysisError;
use crate::{InputKind, System, record_only};

/// A number with the name of what it is.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedValue {
    /// The name, with an index for an element of a vector or matrix, as in `x[0]`.
    pub name: String,
    /// The number.
    pub value: f64,
    /// Its unit, if the model gives one.
    pub unit: Option<String>,
}

/// What a name stands for in an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignalRole {
    /// A continuous state.
    State,
    /// An input, a tunable parameter or a held signal: something that may be given a value.
    Input,
    /// A signal that follows from these.
    Output,
}

/// A name with the wire that it stands for.
pub(crate) type Signal = (Named, WireId);

/// A signal with its elements.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub name: String,
    pub ty: Type,
    pub unit: Option<String>,
}

impl Named {
    /// The name of each element.
    pub fn elements(&self) -> Vec<String> {
        Column { name: self.name.clone(), ty: self.ty }.element_names()
    }

    /// The elements with these values.
    pub fn valued(&self, values: &[f64]) -> Vec<NamedValue> {
        let named = self.elements().into_iter().zip(values);
        named
            .map(|(name, value)| NamedValue { name, value: *value, unit: self.unit.clone() })
            .collect()
    }

    /// The elements that a name stands for, all or one of them.
    pub fn indices(&self, name: &str) -> Option<std::ops::Range<usize>> {
        if name == self.name {
            return Some(0..self.ty.len());
        }
        let elements = self.elements();
        elements.iter().position(|own| own == name).map(|at| at..at + 1)
    }
}

/// The name without an index at its end.
pub(crate) fn whole(name: &str) -> &str {
    name.split_once('[').map_or(name, |(whole, _)| whole)
}

/// The elements of a value that a name stands for: a single number fills them.
pub(crate) fn filled(name: &str, length: usize, given: &[f64]) -> Result<Vec<f64>, AnalysisError> {
    let values = match given {
        [one] => vec![*one; length],
        all => all.to_vec(),
    };
    let bad =
        |given: String| AnalysisError::BadValue { name: name.to_owned(), expected: length, given };
    match values.iter().find(|x| !x.is_finite()) {
        Some(odd) => Err(bad(base::shown(*odd))),
        None if values.len() != length => Err(bad(values.len().to_string())),
        None => Ok(values),
    }
}

impl System {
    /// A state of a block: its name is that of the block, if that has no other continuous one.
    pub(crate) fn named_state(&self, program: &Program, id: StateId) -> Named {
        let state = &program.states[id];
        let block = self.diagram.block(state.block);
        let own = program.states.entries().filter(|(_, other)| other.block == state.block);
        let own: Vec<StateId> = own.map(|(id, _)| id).collect();
        let alike =
            own.iter().filter(|other| program.states[**other].continuous == state.continuous);
        let name = match alike.count() {
            1 => block.path.clone(),
            _ => format!("{}.{}", block.path, state.name),
        };
        let number = own.iter().position(|other| *other == id).unwrap_or(0);
        let ty = block.definition.states[number].ty;
        Named { name, ty, unit: None }
    }

    /// What a name, or that of an element, stands for; none if it is no signal of the model.
    pub fn role(&self, name: &str) -> Option<SignalRole> {
        if let Ok(program) = self.exact_program() {
            let states = program.states.entries().filter(|(_, state)| state.continuous);
            let is_state = |id| self.named_state(program, id).indices(name).is_some();
            if states.map(|(id, _)| id).any(is_state) {
                return Some(SignalRole::State);
            }
        }
        let wire = self.wire_named(name).or_else(|| self.wire_named(whole(name)))?;
        let wire = self.diagram.wire(wire);
        let outside = self.diagram.inputs.iter().any(|own| own.block == wire.block);
        let held = !wire.moving && wire.between != Presence::Never;
        Some(if outside || held { SignalRole::Input } else { SignalRole::Output })
    }

    /// The same system for analyses that also look at these signals: those that are no names are
    /// expressions over signals of the model, which is then compiled with them.
    pub fn observing(&self, signals: &[String]) -> Result<System, AnalysisError> {
        let new: Vec<&str> = signals
            .iter()
            .map(String::as_str)
            .filter(|name| self.role(name).is_none() && !self.is_parameter(name))
            .collect();
        if new.is_empty() {
            return Ok(self.clone());
        }
        let model = &self.origin.model;
        let kept = model.record.iter().map(|record| record.name.as_str());
        let recorded: Vec<(&str, &str)> = kept.chain(new).map(|name| (name, name)).collect();
        let refused = |error| AnalysisError::Refused(Box::new(error));
        let model = record_only(model, &recorded).map_err(refused)?;
        System::compile_with(&model, &self.origin.library, &self.overrides).map_err(refused)
    }

    fn is_parameter(&self, name: &str) -> bool {
        self.diagram.parameters.main().iter().any(|own| own.name == name)
    }

    /// The wire of a name: of a recorded signal, an input, or an output of a block.
    pub(crate) fn wire_named(&self, name: &str) -> Option<WireId> {
        let diagram = &self.diagram;
        let record = diagram.records.iter().find(|own| !own.hidden && own.name == name);
        let input = || diagram.inputs.iter().find(|own| own.name == name);
        let outside = || input().map(|own| diagram.block(own.block).outputs[0]);
        let block =
            || (0..diagram.wires.len()).map(WireId::new).find(|id| diagram.wire_name(*id) == name);
        // As in an expression, a block stands for its first output.
        let first = || {
            let own = diagram.blocks.iter().find(|block| block.path == name);
            own.and_then(|block| block.outputs.first().copied())
        };
        record.map(|own| own.wire).or_else(outside).or_else(block).or_else(first)
    }

    /// A signal by its name, with the wire that it is.
    pub(crate) fn signal_named(
        &self,
        what: &'static str,
        name: &str,
    ) -> Result<Signal, AnalysisError> {
        let wire = self.wire_named(name).ok_or_else(|| self.no_signal(what, name))?;
        let ty = self.diagram.wire(wire).ty;
        Ok((Named { name: name.to_owned(), ty, unit: self.unit_of(name, wire) }, wire))
    }

    fn no_signal(&self, what: &'static str, name: &str) -> AnalysisError {
        if self.is_parameter(name) {
            return AnalysisError::NotTunable { name: name.to_owned() };
        }
        let diagram = &self.diagram;
        let inputs = diagram.inputs.iter().map(|own| own.name.as_str());
        let records = diagram.records.iter().filter(|own| !own.hidden);
        let blocks = diagram.blocks.iter().map(|block| block.path.as_str());
        let known = inputs.chain(records.map(|own| own.name.as_str())).chain(blocks);
        let help = did_you_mean(name, known);
        AnalysisError::Unknown { what, name: name.to_owned(), help }
    }

    /// The unit of an input, or of an output of the model.
    fn unit_of(&self, name: &str, wire: WireId) -> Option<String> {
        let block = self.diagram.wire(wire).block;
        let input = self.diagram.inputs.iter().find(|own| own.block == block);
        let model = &self.origin.model;
        let mut outputs = model.diagram(model.root).outputs.iter();
        let output = outputs.find(|own| own.name.value == name).map(|own| &own.about);
        output.or(input.map(|own| &own.about)).and_then(|about| about.unit.clone())
    }

    /// The same for a signal that can be moved or that moves: numbers, present between events.
    pub(crate) fn moving_signal(
        &self,
        what: &'static str,
        name: &str,
    ) -> Result<Signal, AnalysisError> {
        let (named, id) = self.signal_named(what, name)?;
        let wire = self.diagram.wire(id);
        let why = match wire.ty.elem {
            Elem::Bool => "it is a truth value",
            _ if wire.between == Presence::Never => "it is present at events only",
            _ if what == "input" && wire.constant.is_some() => "it is a constant",
            _ => return Ok((named, id)),
        };
        Err(AnalysisError::NoNumber { name: name.to_owned(), why })
    }

    /// The inputs of the model that have values between events, by name.
    pub(crate) fn real_inputs(&self) -> Vec<String> {
        let inputs = self.diagram.inputs.iter();
        let real = |input: &&diagram::DiagramInput| {
            let ty = self.diagram.wire(self.diagram.block(input.block).outputs[0]).ty;
            input.parameter.is_none() && input.kind != InputKind::Event && ty.elem == Elem::Real
        };
        inputs.filter(real).map(|input| input.name.clone()).collect()
    }

    /// The outputs of the model, or all recorded signals if it has none, as far as they are real and
    /// present between events.
    pub(crate) fn real_outputs(&self) -> Vec<String> {
        let model = &self.origin.model;
        let written = &model.diagram(model.root).outputs;
        let outputs: Vec<String> = match written.is_empty() {
            false => written.iter().map(|own| own.name.value.clone()).collect(),
            true => {
                let shown = self.diagram.records.iter().filter(|own| !own.hidden);
                shown.map(|own| own.name.clone()).collect()
            }
        };
        let is_real = |name: &String| {
            let found = self.moving_signal("output", name);
            found.is_ok_and(|(named, _)| named.ty.elem == Elem::Real)
        };
        outputs.into_iter().filter(is_real).collect()
    }
}
