//! A run and what comes out of it.

use std::fmt;

use base::Tag;
use engine::{
    Counters, Extremes, FixedStepSimulation, InputValue, Progress, RunError, Simulation,
    StopReason, Warning,
};
use trace::{Trace, WriteError, Writer};

use jit::NativeError;

use crate::native::NativeSwitch;
use crate::pipeline::Code;
use crate::recorder::{InstantRow, Listener, Recorder};
use crate::work::Tally;
use crate::{Backend, BackendUsed, System, Work, saved};

/// What a run has given.
#[derive(Debug)]
pub struct Outcome {
    /// The recorded signals.
    pub trace: Trace,
    /// Why it ended.
    pub stop: StopReason,
    /// What a reader of the result should know.
    pub warnings: Vec<Warning>,
    /// The work that it took.
    pub counters: Counters,
    /// How many rows were recorded, in memory or to a file.
    pub rows: u64,
    /// Why rows could not be written to a file, where they were to be.
    pub write_error: Option<WriteError>,
    tally: Tally,
}

impl Outcome {
    /// The work of each part that steps apart and of each block.
    pub fn work(&self) -> Work {
        self.tally.work()
    }
}

/// A run that could not be finished, with what it had computed.
#[derive(Debug)]
pub struct Failure {
    /// Why.
    pub error: RunError,
    /// What the block that the error names has read.
    pub inputs: Vec<InputValue>,
    /// The recorded signals up to there.
    pub trace: Trace,
    /// What a reader of the result should know.
    pub warnings: Vec<Warning>,
    /// The work that it took.
    pub counters: Counters,
    /// How many rows were recorded, in memory or to a file.
    pub rows: u64,
    /// Why rows could not be written to a file, where they were to be.
    pub write_error: Option<WriteError>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Failure {}

/// How many steps a run takes at once that goes to its end.
const AT_ONCE: u32 = 256;

/// A run between its start and its end.
#[derive(Debug)]
pub struct Run {
    pub(crate) executor: Executor,
    recorder: Recorder,
    identity: u64,
    /// What makes native code, while there is none.
    take_over: Option<NativeSwitch>,
    ran: BackendUsed,
    /// Whether something has been done.
    begun: bool,
}

/// What a run goes by.
#[derive(Debug)]
pub(crate) enum Executor {
    Exact(Box<Simulation>),
    FixedStep(Box<FixedStepSimulation>),
}

impl Run {
    pub(crate) fn new(system: &System) -> Run {
        let options = system.options.clone();
        let executor = match &system.code {
            Code::Exact(program) => {
                Executor::Exact(Box::new(Simulation::new(program.clone(), options)))
            }
            Code::FixedStep(program) => {
                Executor::FixedStep(Box::new(FixedStepSimulation::new(program.clone(), options)))
            }
        };
        Run::with(system, executor, None)
    }

    /// A run that continues with an executor; `open` is the row of the instant that it is in, if
    /// one has been begun.
    pub(crate) fn with(system: &System, executor: Executor, open: Option<InstantRow>) -> Run {
        let recorder = Recorder::new(system, open);
        let take_over = match &system.code {
            Code::Exact(program) => {
                let method = system.options.solver.method;
                Some(NativeSwitch::new(&system.native, program, method))
            }
            Code::FixedStep(_) => None,
        };
        let (identity, ran) = (system.identity, BackendUsed::Interpreter);
        let mut run = Run { executor, recorder, identity, take_over, ran, begun: false };
        run.look_for_native();
        run.begun = true;
        run
    }

    /// Says what evaluates the functions between events; [`Backend::Auto`] where nothing is said.
    /// Asking for native code compiles it before this returns, and is an error where this machine
    /// has none. A run by fixed steps is always interpreted.
    pub fn set_backend(&mut self, backend: Backend) -> Result<(), NativeError> {
        match (backend, &mut self.executor) {
            (Backend::Auto, _) => {}
            (Backend::Interpreter, Executor::Exact(simulation)) => {
                simulation.drop_routines();
                (self.take_over, self.ran) = (None, BackendUsed::Interpreter);
            }
            (Backend::Native, Executor::Exact(simulation)) => {
                if let Some(take_over) = self.take_over.take() {
                    simulation.take_routines(take_over.now()?);
                    self.ran = BackendUsed::Native;
                }
            }
            (_, Executor::FixedStep(_)) => {}
        }
        Ok(())
    }

    /// What has evaluated the functions between events so far.
    pub fn ran(&self) -> BackendUsed {
        self.ran
    }

    /// Takes native code where it is there, and has it compiled where that pays.
    fn look_for_native(&mut self) {
        let (Some(take_over), Executor::Exact(simulation)) =
            (&mut self.take_over, &mut self.executor)
        else {
            return;
        };
        let evaluations = simulation.counters().evaluations;
        if let Some(code) = take_over.look(evaluations) {
            simulation.take_routines(code);
            self.ran = if self.begun { BackendUsed::Both } else { BackendUsed::Native };
            self.take_over = None;
        }
    }

    /// Tells everything that happens at ticks to a listener.
    pub fn listen(&mut self, listener: Listener) {
        self.recorder.listen(listener);
    }

    /// Writes rows to a file as they come instead of keeping them, so that a long run needs little
    /// memory. The file gets its name when the run has ended, also by an error.
    pub fn record_to(&mut self, writer: Writer) {
        self.recorder.record_to(writer);
    }

    /// Keeps no rows, for those who listen only.
    pub fn record_nothing(&mut self) {
        self.recorder.record_nothing();
    }

    /// Ends the file of [`Run::record_to`] with the rows so far, or says why it could not be
    /// written. A run that goes on afterwards keeps its rows in memory.
    pub fn close(&mut self) -> Option<WriteError> {
        self.recorder.close()
    }

    /// Whether the file of [`Run::record_to`] could not be written, so that there is no use in
    /// going on; [`Run::close`] says why.
    pub fn is_unwritten(&self) -> bool {
        self.recorder.is_unwritten()
    }

    /// How many rows were recorded, in memory or to a file.
    pub fn rows(&self) -> u64 {
        self.recorder.rows()
    }

    /// Does one thing: the start, one step between events, one microstep, or one fixed step. Says
    /// why the run has ended once it has.
    pub fn advance(&mut self) -> Result<Option<StopReason>, RunError> {
        self.advance_by(1)
    }

    /// Does one thing, or up to `most` steps between events where nothing is recorded at their
    /// ends, with the event that they lead to, or up to `most` microsteps: the fastest way on for
    /// those who do not look at each of them.
    pub fn advance_by(&mut self, most: u32) -> Result<Option<StopReason>, RunError> {
        if self.take_over.as_mut().is_some_and(|take_over| take_over.is_due(most)) {
            self.look_for_native();
        }
        let recorder = &mut self.recorder;
        let progress = match &mut self.executor {
            Executor::Exact(simulation) => simulation.advance_by(most, recorder),
            Executor::FixedStep(stepping) => stepping.advance(recorder),
        };
        match progress {
            Ok(Progress::Going) => Ok(None),
            Ok(Progress::Done(reason)) => {
                recorder.end_instant();
                Ok(Some(reason))
            }
            Err(error) => {
                recorder.end_instant();
                Err(error)
            }
        }
    }

    /// What the block that an error names has read; asked for right after the error.
    pub fn inputs_of(&self, error: &RunError) -> Vec<InputValue> {
        match &self.executor {
            Executor::Exact(simulation) => simulation.inputs_of(error),
            Executor::FixedStep(_) => Vec::new(),
        }
    }

    /// Where the run stands.
    pub fn tag(&self) -> Tag {
        match &self.executor {
            Executor::Exact(simulation) => simulation.snapshot().tag(),
            Executor::FixedStep(stepping) => stepping.snapshot().tag(),
        }
    }

    /// What has been recorded since the run was started or resumed. If rows go to a file, nothing
    /// until [`Run::close`], and then the last value of each signal. If each instant has one row,
    /// that of the present instant comes when time goes on or the run ends.
    pub fn trace(&self) -> &Trace {
        self.recorder.trace()
    }

    /// The work so far.
    pub fn counters(&self) -> Counters {
        match &self.executor {
            Executor::Exact(simulation) => simulation.counters(),
            Executor::FixedStep(stepping) => stepping.counters(),
        }
    }

    /// The work so far of each part that steps apart and of each block.
    pub fn work(&self) -> Work {
        self.tally().work()
    }

    fn tally(&self) -> Tally {
        match &self.executor {
            Executor::Exact(simulation) => Tally::of(simulation),
            Executor::FixedStep(_) => Tally::default(),
        }
    }

    /// What a reader of the result should know, from the start of the run on.
    pub fn warnings(&self) -> &[Warning] {
        match &self.executor {
            Executor::Exact(simulation) => simulation.warnings(),
            Executor::FixedStep(_) => &[],
        }
    }

    /// How far numbers and steps have gone, in a run by fixed steps.
    pub fn extremes(&self) -> Option<Extremes> {
        match &self.executor {
            Executor::Exact(_) => None,
            Executor::FixedStep(stepping) => Some(stepping.extremes()),
        }
    }

    /// How often the blocks whose path starts like this have fired at ticks; not counted in a run
    /// by fixed steps, where everything is computed at every point.
    pub fn firings(&self, system: &System, path: &str) -> u64 {
        let Executor::Exact(simulation) = &self.executor else { return 0 };
        let own =
            |own: &str| own == path || own.strip_prefix(path).is_some_and(|r| r.starts_with('.'));
        let blocks = system.diagram.blocks.iter().zip(simulation.firings());
        blocks.filter(|(block, _)| own(&block.path)).map(|(_, count)| count).sum()
    }

    /// Everything that changes, as bytes from which [`System::resume`] goes on with the same bits.
    /// If each instant has one row and that of the present instant has been begun, the resumed run
    /// goes on with it; [`Run::close`] before writes it here instead.
    pub fn save(&self) -> Vec<u8> {
        let open = self.recorder.open_row();
        match &self.executor {
            Executor::Exact(machine) => saved::save(self.identity, machine.snapshot(), open),
            Executor::FixedStep(machine) => saved::save(self.identity, machine.snapshot(), open),
        }
    }

    /// Runs to the end.
    pub fn finish(mut self) -> Result<Outcome, Failure> {
        loop {
            match self.advance_by(AT_ONCE) {
                Ok(None) if !self.recorder.is_unwritten() => {}
                Ok(stop) => {
                    self.look_for_native();
                    let (counters, tally) = (self.counters(), self.tally());
                    let write_error = self.close();
                    let warnings = self.warnings().to_vec();
                    let (stop, rows) = (stop.unwrap_or(StopReason::Stopped), self.rows());
                    let trace = self.recorder.into_trace();
                    return Ok(Outcome {
                        trace,
                        stop,
                        warnings,
                        counters,
                        rows,
                        write_error,
                        tally,
                    });
                }
                Err(error) => {
                    let inputs = self.inputs_of(&error);
                    let (counters, write_error) = (self.counters(), self.close());
                    let warnings = self.warnings().to_vec();
                    let (rows, trace) = (self.rows(), self.recorder.into_trace());
                    return Err(Failure {
                        error,
                        inputs,
                        trace,
                        warnings,
                        counters,
                        rows,
                        write_error,
                    });
                }
            }
        }
    }
}
