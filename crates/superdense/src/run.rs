//! A run and what comes out of it.

use std::fmt;

use base::Tag;
use engine::{
    Counters, Event, Extremes, InputValue, Progress, Row, RunError, Simulation, Sink, Stepping,
    StopReason, Warning,
};
use trace::{Impulse, Trace, WriteError, Writer};

use crate::pipeline::Code;
use crate::work::Tally;
use crate::{System, Work};

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

/// A run between its start and its end.
#[derive(Debug)]
pub struct Run {
    pub(crate) machine: Machine,
    recorder: Recorder,
    identity: u64,
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

impl Sink for Recorder {
    fn row(&mut self, row: Row<'_>) {
        self.rows += 1;
        if let Some(writer) = &mut self.writer {
            let impulse = |column: usize, order: usize| {
                let weight = row.covers(column).then(|| row.impulses(column).nth(order))??;
                Some(weight).filter(|weight| weight.iter().any(|w| *w != 0.0))
            };
            let (covers, value) = (|column| row.covers(column), |column| row.value(column));
            if let Err(error) = writer.push_some(row.tag, covers, value, impulse) {
                (self.writer, self.write_error) = (None, Some(error));
            }
            return;
        }
        if self.write_error.is_some() {
            return;
        }
        self.trace.push(row.tag, |column| row.value(column));
        for column in 0..row.len() {
            for (order, weight) in row.impulses(column).enumerate() {
                if weight.iter().any(|w| *w != 0.0) {
                    let weight = weight.to_vec();
                    self.trace.push_impulse(Impulse { tag: row.tag, column, order, weight });
                }
            }
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
        let mut trace = Trace::with_schema(system.schema());
        trace.set_header(system.header());
        let recorder = Recorder { trace, rows: 0, writer: None, write_error: None, listener: None };
        Run { machine, recorder, identity: system.identity }
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

    /// Does one thing: the start, one step between events, one microstep, or one fixed step. Says why the run has
    /// ended once it has.
    pub fn advance(&mut self) -> Result<Option<StopReason>, RunError> {
        let recorder = &mut self.recorder;
        let progress = match &mut self.machine {
            Machine::Exact(simulation) => simulation.advance(recorder)?,
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

    /// What has been recorded since the run was started or resumed. Where rows go to a file, nothing
    /// until [`Run::close`], and then the last row of each table.
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
        let blocks = system.diagram.blocks.iter().enumerate();
        let own =
            |own: &str| own == path || own.strip_prefix(path).is_some_and(|r| r.starts_with('.'));
        blocks
            .filter(|(_, block)| own(&block.path))
            .map(|(index, _)| simulation.firings(diagram::BlockId::new(index)))
            .sum()
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
            match self.advance() {
                Ok(None) if self.recorder.write_error.is_none() => {}
                Ok(stop) => {
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
