//! Points: all numbers of a model at an instant.

use std::sync::Arc;

use base::Time;
use diagram::{Diagram, Settings, WireId};
use program::Program;

use crate::analysis::AnalysisError;
use crate::pipeline::Code;
use crate::run::Executor;
use crate::{InputHandle, InputKind, Run, System};

/// The states, inputs and modes of a model at one instant. At a time with events it is what they
/// leave behind.
#[derive(Clone, Debug)]
pub struct OperatingPoint {
    pub(crate) diagram: Arc<Diagram>,
    /// All numbers of a run.
    pub(crate) buffer: Vec<f64>,
    pub(crate) time: Time,
    /// Held signals that have been given other values than those of their blocks.
    pub(crate) moved: Vec<(WireId, Vec<f64>)>,
    /// Whether comparisons are on the sides on which a run has them, and not just on those of their
    /// values.
    pub(crate) ran: bool,
}

impl OperatingPoint {
    /// The time \[s\].
    pub fn time(&self) -> Time {
        self.time
    }
}

impl System {
    /// The program, unless it goes by fixed steps.
    pub(crate) fn exact_program(&self) -> Result<&Arc<Program>, AnalysisError> {
        match &self.code {
            Code::Exact(program) => Ok(program),
            Code::FixedStep(_) => Err(AnalysisError::FixedSteps),
        }
    }

    /// The point that a run reaches at a time, at its start if none is given, with some inputs held
    /// at values from the start on. Inputs without initial values that are not given are zero.
    pub fn operating_point(
        &self,
        at: Option<Time>,
        inputs: &[(String, Vec<f64>)],
    ) -> Result<OperatingPoint, AnalysisError> {
        self.exact_program()?;
        let start = self.settings().start.time();
        let time = at.unwrap_or(start);
        if time > self.settings().stop {
            let longer = self.with(&Settings::default().stop(time));
            let longer = longer.map_err(|error| AnalysisError::Refused(Box::new(error)))?;
            return longer.operating_point(at, inputs);
        }
        let mut run = self.begin();
        run.record_nothing();
        for handle in self.inputs().iter().filter(|own| own.is_required()) {
            run.take_as_given(handle).map_err(held)?;
        }
        for (name, values) in inputs {
            let own = self.inputs().into_iter().find(|own| own.name() == name);
            let handle = match own {
                Some(handle) => handle,
                None => self.input(name).map_err(held)?,
            };
            run.set(&handle, values).map_err(held)?;
        }
        if let Some(end) = run.reach(time)? {
            return Err(AnalysisError::EndedBefore { time, end });
        }
        run.operating_point()
    }
}

fn held(error: crate::HoldError) -> AnalysisError {
    AnalysisError::Hold(Box::new(error))
}

fn failed(error: engine::RunError) -> AnalysisError {
    AnalysisError::Run(Box::new(error))
}

impl Run {
    /// Takes an input as given that is not: as zero, or without events.
    fn take_as_given(&mut self, input: &InputHandle) -> Result<(), crate::HoldError> {
        match (&mut self.executor, input.kind()) {
            (Executor::Exact(simulation), InputKind::Event) => {
                simulation.mark_given(input.id());
                Ok(())
            }
            _ => self.set(input, &vec![0.0; input.ty().len()]),
        }
    }

    /// Advances to a time; returns when the run has ended, if that was before.
    fn reach(&mut self, time: Time) -> Result<Option<Time>, AnalysisError> {
        let ended = self.advance_to(time).map_err(failed)?;
        Ok(ended.map(|_| self.tag().time).filter(|end| *end < time))
    }

    /// The point that this run has reached; a run that has not started takes its first instant.
    pub fn operating_point(&mut self) -> Result<OperatingPoint, AnalysisError> {
        if let Some(error) = self.missing_input() {
            return Err(failed(error));
        }
        let time = self.time();
        // What has been set at this instant happens first.
        self.reach(time)?;
        let Executor::Exact(simulation) = &mut self.executor else {
            return Err(AnalysisError::FixedSteps);
        };
        let blocks = simulation.holding();
        if !blocks.is_empty() {
            let path = |id| self.system.diagram.block(id).written().to_owned();
            let blocks = blocks.into_iter().map(path).collect();
            return Err(AnalysisError::OnSurface { time, blocks });
        }
        let buffer = simulation.buffer_at(time).map_err(failed)?;
        let diagram = self.system.diagram.clone();
        Ok(OperatingPoint { diagram, buffer, time, moved: Vec::new(), ran: true })
    }
}
