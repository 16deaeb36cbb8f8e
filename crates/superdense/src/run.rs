//! A run and its results.

use std::fmt;

use base::{Tag, Time};
use diagram::Rows;
use engine::{
    Counters, Extremes, FixedStepSimulation, InputValue, Progress, Round, RunError, Simulation,
    StopReason, Warning,
};
use trace::{Trace, WriteError, Writer};

use crate::foreign::Instances;
use crate::given::GivenValues;
use crate::invariants::Invariant;
use crate::native::NativeSwitch;
use crate::pipeline::Code;
use crate::recorder::{Listener, Recorder, RowListener, Started};
use crate::work::Tally;
use crate::{Backend, BackendUsed, Canceller, NativeError, System, Work, saved};

/// The results of a run that finished.
#[derive(Debug)]
pub struct Outcome {
    /// The recorded signals.
    pub trace: Trace,
    /// Why it ended.
    pub stop: StopReason,
    /// What a reader of the results should know.
    pub warnings: Vec<Warning>,
    /// What has become of the invariants of the model.
    pub invariants: Vec<Invariant>,
    /// The work done.
    pub counters: Counters,
    /// How many rows were recorded, in memory or to a file.
    pub rows: u64,
    /// Why rows could not be written to the file, if they could not.
    pub write_error: Option<WriteError>,
    tally: Tally,
}

impl Outcome {
    /// The work of each region and of each block.
    pub fn work(&self) -> Work {
        self.tally.work()
    }
}

/// A run that failed, with everything computed up to then.
#[derive(Debug)]
pub struct Failure {
    /// Why.
    pub error: RunError,
    /// The values at the inputs of the block that the error names.
    pub inputs: Vec<InputValue>,
    /// The signals recorded up to the failure.
    pub trace: Trace,
    /// What a reader of the results should know.
    pub warnings: Vec<Warning>,
    /// What has become of the invariants of the model.
    pub invariants: Vec<Invariant>,
    /// The work done.
    pub counters: Counters,
    /// How many rows were recorded, in memory or to a file.
    pub rows: u64,
    /// Why rows could not be written to the file, if they could not.
    pub write_error: Option<WriteError>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Failure {}

/// How many steps at a time a run takes if nobody looks at it before its end.
pub(crate) const AT_ONCE: u32 = 256;

/// A run in progress.
#[derive(Debug)]
pub struct Run {
    pub(crate) executor: Executor,
    pub(crate) recorder: Recorder,
    pub(crate) system: System,
    /// The time that the caller has advanced to.
    pub(crate) now: Time,
    /// Whether the values at the present time have been computed.
    pub(crate) looked: bool,
    pub(crate) canceller: Canceller,
    /// Watches for native code until the run has it.
    pub(crate) take_over: Option<NativeSwitch>,
    ran: BackendUsed,
    /// Whether the run has advanced at all.
    begun: bool,
    /// What is outside of the model.
    pub(crate) instances: Instances,
    /// The values of parameters that only this run has.
    pub(crate) given: GivenValues,
}

/// What executes a run.
#[derive(Debug)]
pub(crate) enum Executor {
    Exact(Box<Simulation>),
    FixedStep(Box<FixedStepSimulation>),
}

impl Run {
    pub(crate) fn new(system: &System) -> Run {
        let options = (*system.options).clone();
        let executor = match &system.code {
            Code::Exact(program) => {
                Executor::Exact(Box::new(Simulation::new(program.clone(), options)))
            }
            Code::FixedStep(program) => {
                Executor::FixedStep(Box::new(FixedStepSimulation::new(program.clone(), options)))
            }
        };
        let mut run = Run::with(system, executor, None);
        run.feed_data();
        run
    }

    /// A run that continues with an executor, and with what another one has started. What is outside
    /// of the model begins anew.
    pub(crate) fn with(system: &System, mut executor: Executor, started: Option<Started>) -> Run {
        let instances = Instances::begin(system);
        instances.write(&mut executor);
        let recorder = Recorder::new(system, started);
        let take_over = match &system.code {
            Code::Exact(program) => {
                let method = system.options.solver.method;
                Some(NativeSwitch::new(&system.native, program, method))
            }
            Code::FixedStep(_) => None,
        };
        let (system, ran) = (system.clone(), BackendUsed::Interpreter);
        let mut run = Run {
            executor,
            recorder,
            now: system.run.start.time(),
            looked: false,
            canceller: Canceller::default(),
            system,
            take_over,
            ran,
            begun: false,
            instances,
            given: GivenValues::default(),
        };
        run.look_for_native();
        run.begun = true;
        run
    }

    /// Sets what evaluates the functions between events; the default is [`Backend::Auto`].
    /// [`Backend::Native`] compiles the code before this returns, and is an error if there is no
    /// code generator for this machine or in this program (the feature `native`). A fixed-step run
    /// is always interpreted.
    pub fn set_backend(&mut self, backend: Backend) -> Result<(), NativeError> {
        match (backend, &mut self.executor) {
            (Backend::Auto, _) => {}
            (Backend::Interpreter, Executor::Exact(simulation)) => {
                simulation.drop_routines();
                (self.take_over, self.ran) = (None, BackendUsed::Interpreter);
            }
            (Backend::Native, Executor::Exact(simulation)) => {
                if self.ran == BackendUsed::Interpreter {
                    if let Some(code) = self.system.native_code()? {
                        simulation.take_routines(code);
                    }
                    (self.take_over, self.ran) = (None, BackendUsed::Native);
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

    /// Switches to native code if it is ready, and starts compiling it if that pays off.
    pub(crate) fn look_for_native(&mut self) {
        let (Some(take_over), Executor::Exact(simulation)) =
            (&mut self.take_over, &mut self.executor)
        else {
            return;
        };
        // The work of running a unit at a tick is about that of ten instructions.
        let work = simulation.executed() + 10 * simulation.counters().firings;
        if let Some(code) = take_over.look(work) {
            simulation.take_routines(code);
            self.ran = if self.begun { BackendUsed::Both } else { BackendUsed::Native };
            self.take_over = None;
        }
    }

    /// Reports everything that happens at ticks to a listener.
    pub fn listen(&mut self, listener: Listener) {
        self.recorder.listen(listener);
    }

    /// Writes rows to a file as they are produced instead of keeping them, so that a long run needs
    /// little memory. The file appears under its final name when the run ends, even if it ends with
    /// an error.
    pub fn record_to(&mut self, writer: Writer) {
        self.recorder.record_to(writer);
    }

    /// Hands rows to a function as they are recorded instead of keeping them. A run that hands its
    /// rows over writes no file.
    pub fn hand_rows_to(&mut self, listener: RowListener) {
        self.recorder.hand_rows_to(listener);
    }

    /// Also keeps rows by other rules than those of the result, such as the rows of a figure, which
    /// change nothing of the result. It must be called before the run starts, at most 64 times;
    /// [`Run::beside`] has the rows. Returns none in a fixed-step run, which has no other rows.
    pub fn record_beside(&mut self, rows: &Rows) -> Option<usize> {
        let Executor::Exact(simulation) = &mut self.executor else { return None };
        self.recorder.record_beside(self.system.empty_trace(), rows.per);
        Some(simulation.record_beside(rows.clone()))
    }

    /// Hands the rows of [`Run::record_beside`] to a function instead of keeping them, if each
    /// microstep has one.
    pub fn hand_beside_to(&mut self, index: usize, listener: RowListener) {
        self.recorder.hand_beside_to(index, listener);
    }

    /// The rows of [`Run::record_beside`].
    pub fn beside(&self, index: usize) -> &Trace {
        self.recorder.beside(index)
    }

    /// Keeps what is recorded at every evaluation of a run in the profile of Ptolemy II, also at the
    /// stages of steps that are then refused, up to a number of evaluations. It must be called
    /// before the run starts; [`Run::rounds`] has them. A run that `speculates` ends with the step
    /// that a Continuous model inside another domain takes beyond the stop time.
    pub fn follow_rounds(&mut self, most: usize, speculates: bool) {
        if let Executor::Exact(simulation) = &mut self.executor {
            simulation.follow_rounds(most, speculates);
        }
    }

    /// The evaluations of [`Run::follow_rounds`].
    pub fn rounds(&self) -> &[Round] {
        match &self.executor {
            Executor::Exact(simulation) => simulation.rounds(),
            _ => &[],
        }
    }

    /// Keeps no rows, for callers that only listen to events.
    pub fn record_nothing(&mut self) {
        self.recorder.record_nothing();
    }

    /// Completes the file of [`Run::record_to`] with the rows so far, or returns why it could not
    /// be written. If the run continues afterwards, it keeps its rows in memory.
    pub fn close(&mut self) -> Option<WriteError> {
        self.recorder.close()
    }

    /// Whether writing the file of [`Run::record_to`] has failed, so that continuing is pointless;
    /// [`Run::close`] returns why.
    pub fn is_unwritten(&self) -> bool {
        self.recorder.is_unwritten()
    }

    /// How many rows were recorded, in memory or to a file.
    pub fn rows(&self) -> u64 {
        self.recorder.rows()
    }

    /// Advances by one unit of work: the start, one step between events, one microstep, or one
    /// fixed step. Returns the reason once the run has ended.
    pub fn advance(&mut self) -> Result<Option<StopReason>, RunError> {
        self.advance_by(1)
    }

    /// Advances by one unit of work, or by several of one kind, at most `most`: steps between events
    /// with their rows (including the event that they lead to), microsteps, or ticks of clocks with
    /// the steps between them. This is the fastest way to run if the caller does not look at each
    /// of them.
    pub fn advance_by(&mut self, most: u32) -> Result<Option<StopReason>, RunError> {
        match self.advance_within(Time::MAX, most)? {
            Progress::Going | Progress::Reached => Ok(None),
            Progress::Done(reason) => Ok(Some(reason)),
        }
    }

    /// The same, unless everything up to a time has been done.
    pub(crate) fn advance_within(&mut self, limit: Time, most: u32) -> Result<Progress, RunError> {
        self.check_cancelled()?;
        if self.take_over.as_mut().is_some_and(|take_over| take_over.is_due(most)) {
            self.look_for_native();
        }
        self.looked = false;
        let recorder = &mut self.recorder;
        let progress = match &mut self.executor {
            Executor::Exact(simulation) => simulation.advance_to(limit, most, recorder),
            Executor::FixedStep(stepping) => {
                match stepping.has_started() && stepping.snapshot().tag().time >= limit {
                    true => Ok(Progress::Reached),
                    false => stepping.advance(recorder),
                }
            }
        };
        if !matches!(progress, Ok(Progress::Going | Progress::Reached)) {
            recorder.end_instant();
        }
        progress.map_err(|error| self.explained(error))
    }

    /// An error with the reason that something outside of the model gives for it.
    fn explained(&self, error: RunError) -> RunError {
        let Some(reason) = self.instances.failure() else { return error };
        match error {
            RunError::Undefined { tag, block, .. }
            | RunError::NotFinite { tag, block }
            | RunError::StepTooSmall { tag, block }
            | RunError::Creeping { tag, block, .. }
            | RunError::NoSolution { tag, block }
            | RunError::NotDetermined { tag, block }
            | RunError::Undecided { tag, block } => RunError::Undefined { tag, block, reason },
            error => error,
        }
    }

    /// Why the bytes of [`Run::save`] would not go on from here, and neither would a fork: something
    /// outside of the model cannot save its state. None if they would.
    pub fn unsaved(&self) -> Option<String> {
        self.instances.save().into_iter().find_map(Result::err)
    }

    /// The values at the inputs of the block that an error names. Call it right after the error.
    pub fn inputs_of(&self, error: &RunError) -> Vec<InputValue> {
        match &self.executor {
            Executor::Exact(simulation) => simulation.inputs_of(error),
            Executor::FixedStep(_) => Vec::new(),
        }
    }

    /// The current tag of the run.
    pub fn tag(&self) -> Tag {
        match &self.executor {
            Executor::Exact(simulation) => simulation.snapshot().tag(),
            Executor::FixedStep(stepping) => stepping.snapshot().tag(),
        }
    }

    /// What has been recorded since the run was started or resumed. If rows go to a file, the trace
    /// is empty until [`Run::close`], and then holds the last value of each signal. If each instant
    /// has one row, the row of the current instant is added when time advances or the run ends.
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

    /// The work so far of each region and of each block.
    pub fn work(&self) -> Work {
        self.tally().work()
    }

    fn tally(&self) -> Tally {
        match &self.executor {
            Executor::Exact(simulation) => Tally::of(simulation),
            Executor::FixedStep(_) => Tally::default(),
        }
    }

    /// What a reader of the results should know, from the start of the run on.
    pub fn warnings(&self) -> &[Warning] {
        match &self.executor {
            Executor::Exact(simulation) => simulation.warnings(),
            Executor::FixedStep(_) => &[],
        }
    }

    /// What has become of the invariants of the model so far: how much each has drifted along smooth
    /// motion and changed at ticks.
    pub fn invariants(&self) -> Vec<Invariant> {
        self.recorder.invariants()
    }

    /// The extreme values and steps so far; only in a fixed-step run.
    pub fn extremes(&self) -> Option<Extremes> {
        match &self.executor {
            Executor::Exact(_) => None,
            Executor::FixedStep(stepping) => Some(stepping.extremes()),
        }
    }

    /// How often the blocks whose path starts with `path` have fired at ticks. A fixed-step run
    /// does not count firings, because it computes everything at every point.
    pub fn firings(&self, system: &System, path: &str) -> u64 {
        let Executor::Exact(simulation) = &self.executor else { return 0 };
        let own =
            |own: &str| own == path || own.strip_prefix(path).is_some_and(|r| r.starts_with('.'));
        let blocks = system.diagram.blocks.iter().zip(simulation.firings());
        blocks.filter(|(block, _)| own(&block.path)).map(|(_, count)| count).sum()
    }

    /// Everything that changes, as bytes from which [`System::resume`] continues bit-identically.
    /// If each instant has one row and the row of the current instant has been started, the resumed
    /// run continues it; to write it in this run instead, call [`Run::close`] first. If
    /// [`Run::unsaved`] has a reason, a run that is resumed fails with it.
    pub fn save(&self) -> Vec<u8> {
        let started = self.recorder.started();
        let identity = self.own_system().identity();
        let instances = self.instances.save();
        match &self.executor {
            Executor::Exact(machine) => {
                saved::save(identity, machine.snapshot(), &started, &instances)
            }
            Executor::FixedStep(machine) => {
                saved::save(identity, machine.snapshot(), &started, &instances)
            }
        }
    }

    /// The rows, with what they come from; a table without columns needs none.
    fn into_trace(self) -> Trace {
        let header = (!self.recorder.trace().columns().is_empty())
            .then(|| self.own_system().shared_header());
        let mut trace = self.recorder.into_trace();
        if let Some(header) = header {
            trace.share_header(header);
        }
        trace
    }

    /// Runs to the end.
    pub fn finish(self) -> Result<Outcome, Failure> {
        self.finish_while(|_| true)
    }

    /// Runs to the end as long as somebody who watches wants it to go on, who is asked between
    /// advances of many steps. Otherwise it fails with [`RunError::Cancelled`], with everything
    /// computed up to then.
    pub fn finish_while(mut self, mut watch: impl FnMut(&Run) -> bool) -> Result<Outcome, Failure> {
        loop {
            match self.advance_by(AT_ONCE) {
                Ok(None) if self.recorder.is_unwritten() => return Ok(self.outcome(None)),
                Ok(None) if watch(&self) => {}
                Ok(None) => {
                    let tag = self.tag();
                    return Err(self.failure(RunError::Cancelled { tag }));
                }
                Ok(stop) => return Ok(self.outcome(stop)),
                Err(error) => return Err(self.failure(error)),
            }
        }
    }

    /// The results of this run, which has ended.
    fn outcome(mut self, stop: Option<StopReason>) -> Outcome {
        self.look_for_native();
        let (counters, tally) = (self.counters(), self.tally());
        let write_error = self.close();
        let (warnings, invariants) = (self.warnings().to_vec(), self.invariants());
        let (stop, rows) = (stop.unwrap_or(StopReason::Stopped), self.rows());
        let trace = self.into_trace();
        Outcome { trace, stop, warnings, invariants, counters, rows, write_error, tally }
    }

    /// What has been computed by this run, which has failed.
    fn failure(mut self, error: RunError) -> Failure {
        let inputs = self.inputs_of(&error);
        let (counters, write_error) = (self.counters(), self.close());
        let (warnings, invariants) = (self.warnings().to_vec(), self.invariants());
        let (rows, trace) = (self.rows(), self.into_trace());
        Failure { error, inputs, trace, warnings, invariants, counters, rows, write_error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}

    #[test]
    fn systems_are_shared_and_runs_are_moved_between_threads() {
        is_send::<System>();
        is_sync::<System>();
        is_send::<Run>();
    }
}
