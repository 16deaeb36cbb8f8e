//! A running model: the program, the options of the run, and everything that changes.

use std::sync::Arc;

use program::{Program, RegionId};

use crate::engine::Engine;
use crate::log::Switch;
use crate::native::Routines;
use crate::rows::Sink;
use crate::scratch::Scratch;
use crate::snapshot::{Counters, Snapshot};
use crate::{Options, RunError, Warning};

/// The result of an advance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Progress {
    /// There is more to do.
    Going,
    /// The run has ended.
    Done(StopReason),
}

/// Why a run has ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StopReason {
    /// The stop time was reached.
    Stopped,
    /// Events accumulate at this time \[s\], and the model specifies to stop there.
    Zeno(f64),
}

/// A running model. Constants (program and options), the state and scratch space are kept apart.
#[derive(Debug)]
pub struct Simulation {
    program: Arc<Program>,
    options: Options,
    state: Snapshot,
    scratch: Scratch,
    /// Compiled code, if there is any.
    native: Option<Arc<Routines>>,
}

impl Simulation {
    /// A run before its start.
    pub fn new(program: Arc<Program>, options: Options) -> Simulation {
        let state = Snapshot::new(&program, &options);
        Simulation::resume(program, options, state)
    }

    /// A run that continues from a snapshot of the same program and options.
    pub fn resume(program: Arc<Program>, options: Options, state: Snapshot) -> Simulation {
        let scratch = Scratch::new(&program);
        Simulation { program, options, state, scratch, native: None }
    }

    /// Runs to the end.
    pub fn run(&mut self, sink: &mut dyn Sink) -> Result<StopReason, RunError> {
        loop {
            if let Progress::Done(reason) = self.advance(sink)? {
                return Ok(reason);
            }
        }
    }

    /// Does one thing: the start, one step of one region, or one microstep.
    pub fn advance(&mut self, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        self.advance_by(1, sink)
    }

    /// Does one thing; or up to `most` steps of a region if nothing can happen between them and
    /// none of them makes a row, then the tick of the crossing that they lead to; or up to `most`
    /// microsteps.
    pub fn advance_by(&mut self, most: u32, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        let Simulation { program, options, state, scratch, native } = self;
        let native = native.as_deref();
        Engine { program, options, native, state, scratch }.advance(most, sink)
    }

    /// Continues with compiled code, made from the program that this simulation runs.
    pub fn take_routines(&mut self, routines: Arc<Routines>) {
        self.native = Some(routines);
    }

    /// Continues with the interpreter.
    pub fn drop_routines(&mut self) {
        self.native = None;
    }

    /// The program that runs.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Everything that changes.
    pub fn snapshot(&self) -> &Snapshot {
        &self.state
    }

    /// The work so far.
    pub fn counters(&self) -> Counters {
        let mut counters = self.state.counters;
        for region in self.state.regions.ids() {
            let own = self.region_counters(region);
            counters.steps += own.steps;
            counters.rejected += own.rejected;
            counters.evaluations += own.evaluations;
        }
        counters
    }

    /// The work of one region between events.
    pub fn region_counters(&self, region: RegionId) -> Counters {
        let solver = self.state.regions[region].solver.counters();
        Counters {
            steps: solver.accepted,
            rejected: solver.rejected,
            evaluations: solver.evaluations,
            ..Counters::default()
        }
    }

    /// When regions switched to another method, in order of time.
    pub fn switches(&self) -> &[Switch] {
        &self.state.switches
    }

    /// How often the units of each block have run at ticks.
    pub fn firings(&self) -> Vec<u64> {
        let mut firings = vec![0; self.program.origins.blocks().len()];
        if self.state.counters.firings == 0 {
            return firings;
        }
        for (unit, count) in self.program.units.iter().zip(&self.state.firings) {
            firings[unit.block.index()] += count;
        }
        firings
    }

    /// Warnings for readers of the result.
    pub fn warnings(&self) -> &[Warning] {
        &self.state.warnings
    }
}
