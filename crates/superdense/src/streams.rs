//! A model on streams of evaluations.

use base::Diagnostic;
use model::Refused;
use program::Program;
use stream::{Evaluations, Options, StreamError, Sums};

use crate::System;
use crate::pipeline::Code;

/// The settings of a run on streams that override the model's own.
#[derive(Clone, PartialEq, Debug)]
pub struct Streaming {
    /// The maximum step \[s\]. If missing, the model's own, or else a hundredth of the run.
    pub step: Option<f64>,
    /// What the two stages of a step sum up.
    pub sums: Sums,
    /// Holds back comparisons, clocks and state machines until a switch is located within a step no
    /// longer than this \[s\].
    pub hold: Option<f64>,
    /// The maximum number of evaluations; each needs at least a few hundred bytes of memory.
    pub limit: usize,
}

impl Default for Streaming {
    fn default() -> Self {
        Streaming { step: None, sums: Sums::Separate, hold: None, limit: 200_000 }
    }
}

/// The results of a run on streams.
#[derive(Debug)]
pub struct Streamed {
    /// Every evaluation.
    pub evaluations: Evaluations,
    /// The maximum step \[s\].
    pub step: f64,
    /// The tolerance.
    pub tolerance: f64,
    /// Why the run could not continue, if it failed.
    pub error: Option<StreamError>,
}

impl System {
    /// Evaluates the model on streams from start to stop, or reports the blocks that streams cannot
    /// express.
    pub fn stream(&self, streaming: &Streaming) -> Result<Streamed, Refused> {
        let refused = |diagnostics| Refused { diagnostics, sources: self.sources().clone() };
        stream::check(&self.diagram).map_err(refused)?;
        if let Some(error) = self.unfed() {
            return Err(refused(error.into()));
        }
        let Code::Exact(program) = &self.code else {
            let message = "streams have a solver of their own, and no fixed steps for impulses";
            let error = Diagnostic::error("bad-setting", message);
            return Err(refused(error.help("leave `impulses` out under `simulate`").into()));
        };
        for (name, value) in [("step", streaming.step), ("hold", streaming.hold)] {
            if let Some(value) = value.filter(|value| !(*value > 0.0 && value.is_finite())) {
                let message = format!("`{name}` must be a positive number of seconds, not {value}");
                return Err(refused(Diagnostic::error("bad-setting", message).into()));
            }
        }
        let run = &self.run;
        let options = Options {
            start: run.start.time(),
            stop: run.stop,
            step: self.greatest_step(program, streaming.step),
            tolerance: run.absolute_tolerance,
            sums: streaming.sums,
            hold: streaming.hold,
            limit: streaming.limit,
            labels: self.record_labels(),
        };
        let (evaluations, end) = stream::run(&self.diagram, &self.schedule, program, &options);
        let Options { step, tolerance, .. } = options;
        Ok(Streamed { evaluations, step, tolerance, error: end.err() })
    }

    /// The maximum step that satisfies the request and all blocks.
    fn greatest_step(&self, program: &Program, asked: Option<f64>) -> f64 {
        let run = &self.run;
        let own = Some(run.maximum_step).filter(|step| step.is_finite()).or(run.step);
        let hundredth = run.stop.since(run.start.time()) / 100.0;
        let default = if hundredth > 0.0 { hundredth } else { 1.0 };
        let step = asked.or(own).unwrap_or(default);
        program.limits.slices.iter().flatten().fold(step, |step, (_, limit)| step.min(*limit))
    }

    /// The error for an input that only a run in the engine could be given: nothing feeds streams.
    fn unfed(&self) -> Option<Diagnostic> {
        if let Some(data) = self.data.first() {
            let name = data.input.name();
            let message = format!("streams take no data from files for the input `{name}`");
            let help = format!("give the input as an expression: `--input \"{name}=sin(time)\"`");
            let inputs = &self.origin.model.inputs;
            let own = inputs.iter().find(|input| input.name.value == name);
            let error = Diagnostic::error("bad-input", message).help(help);
            return Some(match own {
                Some(own) => error.at(own.name.span, ""),
                None => error,
            });
        }
        self.begin().missing_input().map(|error| self.explain(&error))
    }

    /// A failure on streams as a diagnostic with its place in the text.
    pub fn explain_stream(&self, error: &StreamError) -> Diagnostic {
        let diagnostic = Diagnostic::error(error.code(), error.to_string()).help(error.help());
        let blocks = &self.diagram.blocks;
        let exact = blocks.iter().find(|block| block.path == error.block());
        let found = exact.or_else(|| blocks.iter().find(|block| block.written() == error.block()));
        match found {
            Some(block) => {
                self.pointed_out(diagnostic.at(block.span, "this block").block(error.block()))
            }
            None => diagnostic,
        }
    }
}
