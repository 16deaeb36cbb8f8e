//! A run and what comes out of it.

use std::fmt;

use base::Tag;
use engine::{
    Counters, Event, Extremes, InputValue, Progress, Row, RunError, Simulation, Sink, Stepping,
    StopReason, Warning,
};
use trace::{Impulse, Trace, WriteError, Writer};

use jit::NativeError;

use crate::native::TakeOver;
use crate::pipeline::Code;
use crate::work::Tally;
use crate::{Backend, Ran, System, Work};

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
    pub(crate) machine: Machine,
    recorder: Recorder,
    identity: u64,
    /// What makes native code, while there is none.
    take_over: Option<TakeOver>,
    ran: Ran,
    /// Whether something has been done.
    begun: bool,
}

/// What a run goes by.
#[derive(Debug)]
pub(crate) enum Machine {
    Exact(Box<Simulation>),
    Stepped(Box<Stepping>),
}

/// Takes the events of a run, as they happen.
pub type Listener = Box<dyn FnMut(&Event)>;

struct Recorder {
    trace: Trace,
    rows: u64,
    /// Where rows go instead of into the trace.
    writer: Option<Writer>,
    /// Why the writer has stopped.
    write_error: Option<WriteError>,
    listener: Option<Listener>,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recorder of {} rows", self.trace.len())
    }
}

impl Recorder {
    /// Hands a row to the writer, while there is one.
    #[inline(never)]
    fn write(&mut self, row: Row<'_>) {
        let Some(writer) = &mut self.writer else { return };
        let impulse = |column: usize, order: usize| {
            let weight = row.covers(column).then(|| row.impulses(column).nth(order))??;
            Some(weight).filter(|weight| weight.iter().any(|w| *w != 0.0))
        };
        let (covers, value) = (|column| row.covers(column), |column| row.value(column));
        if let Err(error) = writer.push_some(row.tag, covers, value, impulse) {
            (self.writer, self.write_error) = (None, Some(error));
        }
    }

    /// Keeps the impulses that a signal carries at a row.
    #[inline(never)]
    fn push_impulses(&mut self, row: &Row<'_>, column: usize) {
        for (order, weight) in row.impulses(column).enumerate() {
            if weight.iter().any(|w| *w != 0.0) {
                let weight = weight.to_vec();
                self.trace.push_impulse(Impulse { tag: row.tag, column, order, weight });
            }
        }
    }
}

impl Sink for Recorder {
    fn row(&mut self, row: Row<'_>) {
        self.rows += 1;
        if self.writer.is_some() || self.write_error.is_some() {
            return self.write(row);
        }
        self.trace.push(row.tag, |column| row.value(column));
        for column in (0..row.len()).filter(|column| row.may_carry_impulses(*column)) {
            self.push_impulses(&row, column);
        }
    }

    fn is_joined(&self) -> bool {
        self.writer.as_ref().is_none_or(Writer::is_joined)
    }

    fn listens(&self) -> bool {
        self.listener.is_some()
    }

    fn event(&mut self, event: Event) {
        if let Some(listener) = &mut self.listener {
            listener(&event);
        }
    }
}

impl Run {
    pub(crate) fn new(system: &System) -> Run {
        let (diagram, options) = (system.diagram.clone(), system.options.clone());
        let machine = match &system.code {
            Code::Exact(program) => {
                Machine::Exact(Box::new(Simulation::new(diagram, program.clone(), options)))
            }
            Code::Stepped(sweep) => {
                Machine::Stepped(Box::new(Stepping::new(diagram, sweep.clone(), options)))
            }
        };
        Run::with(system, machine)
    }

    pub(crate) fn with(system: &System, machine: Machine) -> Run {
        let trace = system.empty_trace();
        let recorder = Recorder { trace, rows: 0, writer: None, write_error: None, listener: None };
        let take_over = match &system.code {
            Code::Exact(program) => {
                let method = system.options.solver.method;
                Some(TakeOver::new(&system.native, program, method))
            }
            Code::Stepped(_) => None,
        };
        let (identity, ran) = (system.identity, Ran::Interpreter);
        let mut run = Run { machine, recorder, identity, take_over, ran, begun: false };
        run.look_for_native();
        run.begun = true;
        run
    }

    /// Says what evaluates the functions between events; [`Backend::Auto`] where nothing is said.
    /// Asking for native code compiles it before this returns, and is an error where this machine
    /// has none. A run by fixed steps is always interpreted.
    pub fn set_backend(&mut self, backend: Backend) -> Result<(), NativeError> {
        match (backend, &mut self.machine) {
            (Backend::Auto, _) => {}
            (Backend::Interpreter, Machine::Exact(simulation)) => {
                simulation.drop_routines();
                (self.take_over, self.ran) = (None, Ran::Interpreter);
            }
            (Backend::Native, Machine::Exact(simulation)) => {
                if let Some(take_over) = self.take_over.take() {
                    simulation.take_routines(take_over.now()?);
                    self.ran = Ran::Native;
                }
            }
            (_, Machine::Stepped(_)) => {}
        }
        Ok(())
    }

    /// What has evaluated the functions between events so far.
    pub fn ran(&self) -> Ran {
        self.ran
    }

    /// Takes native code where it is there, and has it compiled where that pays.
    fn look_for_native(&mut self) {
        let (Some(take_over), Machine::Exact(simulation)) =
            (&mut self.take_over, &mut self.machine)
        else {
            return;
        };
        let evaluations = simulation.counters().evaluations;
        if let Some(code) = take_over.look(evaluations) {
            simulation.take_routines(code);
            self.ran = if self.begun { Ran::Both } else { Ran::Native };
            self.take_over = None;
        }
    }

    /// Tells everything that happens at ticks to a listener.
    pub fn listen(&mut self, listener: Listener) {
        self.recorder.listener = Some(listener);
    }

    /// Writes rows to a file as they come instead of keeping them, so that a long run needs little
    /// memory. The file gets its name when the run has ended, also by an error.
    pub fn record_to(&mut self, writer: Writer) {
        self.recorder.writer = Some(writer);
    }

    /// Ends the file of [`Run::record_to`] with the rows so far, or says why it could not be
    /// written. A run that goes on afterwards keeps its rows in memory.
    pub fn close(&mut self) -> Option<WriteError> {
        let writer = self.recorder.writer.take();
        if let Some(writer) = &writer {
            let header = self.recorder.trace.header().clone();
            self.recorder.trace = writer.last_rows();
            self.recorder.trace.set_header(header);
        }
        let finished = writer.map_or(Ok(()), Writer::finish);
        self.recorder.write_error.take().or(finished.err())
    }

    /// Whether the file of [`Run::record_to`] could not be written, so that there is no use in
    /// going on; [`Run::close`] says why.
    pub fn is_unwritten(&self) -> bool {
        self.recorder.write_error.is_some()
    }

    /// How many rows were recorded, in memory or to a file.
    pub fn rows(&self) -> u64 {
        self.recorder.rows
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
        let progress = match &mut self.machine {
            Machine::Exact(simulation) => simulation.advance_by(most, recorder)?,
            Machine::Stepped(stepping) => stepping.advance(recorder)?,
        };
        match progress {
            Progress::Going => Ok(None),
            Progress::Done(reason) => Ok(Some(reason)),
        }
    }

    /// What the block that an error names has read; asked for right after the error.
    pub fn inputs_of(&self, error: &RunError) -> Vec<InputValue> {
        match &self.machine {
            Machine::Exact(simulation) => simulation.inputs_of(error),
            Machine::Stepped(_) => Vec::new(),
        }
    }

    /// Where the run stands.
    pub fn tag(&self) -> Tag {
        match &self.machine {
            Machine::Exact(simulation) => simulation.snapshot().tag(),
            Machine::Stepped(stepping) => stepping.snapshot().tag(),
        }
    }

    /// What has been recorded since the run was started or resumed. Where rows go to a file,
    /// nothing until [`Run::close`], and then the last value of each signal.
    pub fn trace(&self) -> &Trace {
        &self.recorder.trace
    }

    /// The work so far.
    pub fn counters(&self) -> Counters {
        match &self.machine {
            Machine::Exact(simulation) => simulation.counters(),
            Machine::Stepped(stepping) => stepping.counters(),
        }
    }

    /// The work so far of each part that steps apart and of each block.
    pub fn work(&self) -> Work {
        self.tally().work()
    }

    fn tally(&self) -> Tally {
        match &self.machine {
            Machine::Exact(simulation) => Tally::of(simulation),
            Machine::Stepped(_) => Tally::default(),
        }
    }

    /// What a reader of the result should know, from the start of the run on.
    pub fn warnings(&self) -> &[Warning] {
        match &self.machine {
            Machine::Exact(simulation) => simulation.warnings(),
            Machine::Stepped(_) => &[],
        }
    }

    /// How far numbers and steps have gone, in a run by fixed steps.
    pub fn extremes(&self) -> Option<Extremes> {
        match &self.machine {
            Machine::Exact(_) => None,
            Machine::Stepped(stepping) => Some(stepping.extremes()),
        }
    }

    /// How often the blocks whose path starts like this have fired at ticks; not counted in a run
    /// by fixed steps, where everything is computed at every point.
    pub fn firings(&self, system: &System, path: &str) -> u64 {
        let Machine::Exact(simulation) = &self.machine else { return 0 };
        let own =
            |own: &str| own == path || own.strip_prefix(path).is_some_and(|r| r.starts_with('.'));
        let blocks = system.diagram.blocks.iter().zip(simulation.firings());
        blocks.filter(|(block, _)| own(&block.path)).map(|(_, count)| count).sum()
    }

    /// Everything that changes, as bytes from which [`System::resume`] goes on with the same bits.
    pub fn save(&self) -> Vec<u8> {
        match &self.machine {
            Machine::Exact(simulation) => crate::saved::save(self.identity, simulation.snapshot()),
            Machine::Stepped(stepping) => crate::saved::save(self.identity, stepping.snapshot()),
        }
    }

    /// Runs to the end.
    pub fn finish(mut self) -> Result<Outcome, Failure> {
        loop {
            match self.advance_by(AT_ONCE) {
                Ok(None) if self.recorder.write_error.is_none() => {}
                Ok(stop) => {
                    self.look_for_native();
                    let (counters, tally) = (self.counters(), self.tally());
                    let write_error = self.close();
                    let warnings = self.warnings().to_vec();
                    let (stop, rows) = (stop.unwrap_or(StopReason::Stopped), self.recorder.rows);
                    let trace = self.recorder.trace;
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
                    let (trace, rows) = (self.recorder.trace, self.recorder.rows);
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
