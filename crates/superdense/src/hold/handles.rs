//! Handles of signals, inputs and parameters: names of a system, looked up once.

use std::sync::Arc;

use base::{Elem, Type, did_you_mean};
use blocks::Outside;
use diagram::Diagram;
use program::{InputId, InputKind};

use super::HoldError;
use crate::System;

/// A signal that a run records, looked up once.
#[derive(Clone, Debug)]
pub struct SignalHandle {
    index: usize,
    name: String,
    ty: Type,
    unit: Option<String>,
    pub(super) diagram: Arc<Diagram>,
}

impl SignalHandle {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its value.
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// Its unit, if it is an output or an input of the model with a unit.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// Its column in the rows of a run.
    pub fn column(&self) -> usize {
        self.index
    }
}

/// A signal from outside, looked up once: an input of the model or a tunable parameter.
#[derive(Clone, Debug)]
pub struct InputHandle {
    id: InputId,
    name: String,
    kind: InputKind,
    ty: Type,
    unit: Option<String>,
    /// Whether it has no initial value.
    required: bool,
    pub(super) diagram: Arc<Diagram>,
}

impl InputHandle {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it goes on between the times at which it is set.
    pub fn kind(&self) -> InputKind {
        self.kind
    }

    /// The type of its value.
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// Its unit, if the model gives one.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// Whether a run must be given it, because it has no initial value.
    pub fn is_required(&self) -> bool {
        self.required
    }

    pub(crate) fn id(&self) -> InputId {
        self.id
    }

    /// How many coefficients a value may have.
    pub(super) fn most_coefficients(&self) -> usize {
        if self.kind == InputKind::Continuous { Outside::COEFFICIENTS } else { 1 }
    }

    pub(super) fn wrong(&self, given: String) -> HoldError {
        HoldError::WrongType { name: self.name.clone(), expected: self.ty, given }
    }

    /// Refuses numbers that are no value of this input.
    pub(crate) fn check(&self, values: &[f64]) -> Result<(), HoldError> {
        if values.len() != self.ty.len() {
            let (count, plural) = (values.len(), if values.len() == 1 { "" } else { "s" });
            return Err(self.wrong(format!("a list of {count} number{plural}")));
        }
        if values.iter().any(|x| !x.is_finite()) {
            return Err(HoldError::NotFinite { name: self.name.clone() });
        }
        let truth = |x: &f64| *x == 0.0 || *x == 1.0;
        if self.ty.elem == Elem::Bool && !values.iter().all(truth) {
            return Err(self.wrong("another number than 0 and 1".to_owned()));
        }
        Ok(())
    }
}

impl System {
    /// The handle of a recorded signal.
    pub fn signal(&self, name: &str) -> Result<SignalHandle, HoldError> {
        let records = &self.diagram.records;
        let shown = records.iter().filter(|record| !record.hidden);
        let index = shown.clone().position(|record| record.name == name).ok_or_else(|| {
            let known = shown.map(|record| record.name.as_str());
            unknown("recorded signal", name, known)
        })?;
        let (wire, diagram) = (self.diagram.wire(records[index].wire), self.diagram.clone());
        let input = diagram.inputs.iter().find(|input| input.block == wire.block);
        let model = &self.origin.model;
        let output = model.diagram(model.root).outputs.iter().find(|own| own.name.value == name);
        let about = output.map(|own| &own.about).or(input.map(|own| &own.about));
        let unit = about.and_then(|about| about.unit.clone());
        Ok(SignalHandle { index, name: name.to_owned(), ty: wire.ty, unit, diagram })
    }

    /// The handles of all signals from outside: the inputs of the model, then tunable parameters.
    pub fn inputs(&self) -> Vec<InputHandle> {
        let inputs = self.diagram.inputs.iter().enumerate();
        let handle = |(index, input): (usize, &diagram::DiagramInput)| InputHandle {
            id: InputId::new(index),
            name: input.name.clone(),
            kind: input.kind,
            ty: self.diagram.wire(self.diagram.block(input.block).outputs[0]).ty,
            unit: input.about.unit.clone(),
            required: input.required,
            diagram: self.diagram.clone(),
        };
        inputs.map(handle).collect()
    }

    /// The handle of an input of the model.
    pub fn input(&self, name: &str) -> Result<InputHandle, HoldError> {
        let inputs = self.diagram.inputs.iter().zip(self.inputs());
        let inputs: Vec<InputHandle> =
            inputs.filter(|(own, _)| own.parameter.is_none()).map(|(_, handle)| handle).collect();
        let known = inputs.iter().map(|input| input.name.as_str());
        let error = unknown("input", name, known);
        inputs.iter().find(|input| input.name == name).cloned().ok_or(error)
    }

    /// The handle of a tunable parameter.
    pub fn tunable(&self, name: &str) -> Result<InputHandle, HoldError> {
        let main = self.diagram.parameters.main();
        let Some(index) = main.iter().position(|own| own.name == name) else {
            return Err(unknown("parameter", name, main.iter().map(|own| own.name.as_str())));
        };
        let inputs = self.diagram.inputs.iter().zip(self.inputs());
        let mut own = inputs.filter(|(input, _)| input.parameter == Some(index));
        own.next().map(|(_, handle)| handle).ok_or_else(|| HoldError::NotTunable {
            name: name.to_owned(),
            kind: main[index].kind.clone(),
        })
    }
}

pub(crate) fn unknown<'n>(
    what: &'static str,
    name: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> HoldError {
    let all: Vec<&str> = known.clone().take(8).collect();
    let help = did_you_mean(name, known).unwrap_or_else(|| match all.is_empty() {
        true => "it has none".to_owned(),
        false => format!("there are {}", all.join(", ")),
    });
    HoldError::Unknown { what, name: name.to_owned(), help }
}
