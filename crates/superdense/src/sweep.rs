//! Many runs of one model: which runs there are, and the row of each.
//!
//! The model is compiled once. A worker keeps one run, which is reset and given the values of the
//! next point; only where a value decides the structure of the program it is compiled again, once for
//! each value. Where it pays, it keeps several runs and takes their steps side by side. A row depends on nothing but the sweep and the index of its run.

mod output;
mod prepare;
mod request;
mod worker;

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use base::{Diagnostic, Time, Value};
use sweep::{Flow, Plan, Row};
use trace::{FlatColumn, WriteError};

pub use output::{SweepError, SweepProgress, SweepSummary, SweepTarget};
pub use prepare::ending_columns;
pub use request::SweepRequest;
pub use worker::{SweepWorker, Unfinished};

use crate::System;
use prepare::Measured;
use worker::finished;

/// A sweep over the parameters of a model.
#[derive(Debug)]
pub struct Sweep {
    plan: Plan,
    system: System,
    measured: Vec<Measured>,
    columns: Vec<FlatColumn>,
    /// Where the measures begin among the columns.
    first_measure: usize,
    parameters: Vec<Parameter>,
    compiled: Mutex<Vec<(Key, Arc<OnceLock<Compiled>>)>>,
    notes: Vec<Diagnostic>,
    failure: Failure,
    /// Whether steps of several runs have been taken side by side.
    side_by_side: AtomicBool,
    /// The folder for the traces of all runs, if they are wanted.
    traces: Option<PathBuf>,
}

/// What says why the run of the present thread has failed although the engine knows no error.
struct Failure(Option<Box<AskForFailure>>);

/// Returns the code and the message of what has failed on the present thread, once.
type AskForFailure = dyn Fn() -> Option<(String, String)> + Send + Sync;

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Failure")
    }
}

/// A parameter of the plan.
#[derive(Debug)]
struct Parameter {
    name: String,
    /// The words that it may be.
    words: Vec<String>,
    /// Whether it is a condition.
    is_truth: bool,
    /// How many elements it has.
    elements: usize,
    /// Whether its value decides the structure of the program.
    structural: bool,
}

/// What decides which system a run belongs to: the values of structural parameters, and the seed.
#[derive(Clone, PartialEq, Debug)]
struct Key {
    structural: Vec<Value>,
    seed: Option<u64>,
}

/// The system of a key, or why there is none: the code and the message.
type Compiled = Result<System, (String, String)>;

/// The runs of a worker, whose rows go back there.
type Runs<'q> = sweep::Queue<'q, Result<Row, Unfinished>>;

/// How many systems are kept for structural values and seeds beside each other.
const KEPT: usize = 64;

impl Sweep {
    /// The number of runs.
    pub fn count(&self) -> u64 {
        self.plan.count()
    }

    /// The points.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The parameters of a run, as a model file would give them.
    pub fn given(&self, run: u64) -> Vec<(String, String)> {
        let point = self.plan.point(run);
        let shown = |(own, value): (&Parameter, &Value)| {
            let word = value.as_f64().and_then(|index| own.words.get(index as usize));
            (own.name.clone(), word.cloned().unwrap_or_else(|| value.to_string()))
        };
        self.parameters.iter().zip(&point.values).map(shown).collect()
    }

    /// The columns of a row: the run, its parameters, the seed if it varies, the measures, and how
    /// the run ended.
    pub fn columns(&self) -> &[FlatColumn] {
        &self.columns
    }

    /// Those of the measures among the columns.
    pub fn measures(&self) -> &[FlatColumn] {
        &self.columns[self.first_measure..self.columns.len() - ending_columns()]
    }

    /// Those of the parameters among the columns.
    pub fn parameter_columns(&self) -> &[FlatColumn] {
        let seed = usize::from(self.plan.repeats().is_some());
        &self.columns[1..self.first_measure - seed]
    }

    /// What a reader should know before the sweep begins: which parameters are structural.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// The system whose runs these are, with the values that the model gives its parameters.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Asks a function now and then, on the thread of each run, whether something outside the engine
    /// has made the run fail, such as an exception in a function of another language. What it returns
    /// are the code and the message of the row; it must forget them then.
    pub fn ask_for_failures(
        mut self,
        failure: impl Fn() -> Option<(String, String)> + Send + Sync + 'static,
    ) -> Self {
        self.failure = Failure(Some(Box::new(failure)));
        self
    }

    /// Also writes the trace of each run to `run=K/trace.parquet` in a folder, which is made if there
    /// is none. One that holds something else than traces of this sweep is refused.
    pub fn write_traces_to(mut self, folder: impl Into<PathBuf>) -> Result<Self, SweepError> {
        let folder = folder.into();
        self.claim(&folder)?;
        self.traces = Some(folder);
        Ok(self)
    }

    /// The failure of the present run of this thread.
    fn failure(&self) -> Option<(String, String)> {
        self.failure.0.as_ref().and_then(|ask| ask())
    }

    /// Computes the rows of some runs on threads, and hands them on in order, chunk by chunk, with
    /// the index of the first, until `hand_on` or `stop` says so. Returns the first run without a
    /// row. An error of `hand_on` ends it, and so does a trace that cannot be written.
    pub fn rows<E: From<WriteError>>(
        &self,
        runs: std::ops::Range<u64>,
        threads: usize,
        stop: &AtomicBool,
        mut hand_on: impl FnMut(u64, Vec<Row>) -> Result<Flow, E>,
    ) -> Result<u64, E> {
        let work = |worker: &mut SweepWorker<'_>, queue: &mut Runs<'_>| worker.work(queue, stop);
        sweep::in_order(
            runs,
            threads,
            || self.worker(),
            work,
            |from, found| {
                let (rows, unfinished) = finished(found);
                let flow = hand_on(from, rows)?;
                match unfinished {
                    None => Ok(flow),
                    Some(Unfinished::Stopped) => Ok(Flow::Stop),
                    Some(Unfinished::Unwritten(error)) => Err(error.into()),
                }
            },
        )
    }

    /// The curves of a recorded signal over a time grid, for some runs, on threads, each in its
    /// place; none if no signal has this name.
    pub fn curves(
        &self,
        signal: &str,
        runs: &[u64],
        times: &[Time],
        threads: usize,
        stop: &AtomicBool,
    ) -> Option<Vec<Vec<f64>>> {
        let schema = self.system.schema();
        let signal = prepare::element(schema.columns(), signal)?;
        let work = |worker: &mut SweepWorker<'_>, queue: &mut sweep::Queue<'_, Vec<f64>>| {
            while let Some(place) = queue.begin() {
                let curve = worker.curve(runs[place as usize], signal, times, stop);
                queue.done(place, curve);
            }
        };
        let mut all = Vec::with_capacity(runs.len());
        let places = 0..runs.len() as u64;
        let done = sweep::in_order(
            places,
            threads,
            || self.worker(),
            work,
            |_, curves| {
                all.extend(curves);
                Ok::<Flow, std::convert::Infallible>(Flow::On)
            },
        );
        done.ok().map(|_| all)
    }

    /// The system of a key, compiled by the first that needs it.
    fn system_of(&self, key: &Key) -> Arc<OnceLock<Compiled>> {
        let mut all = self.compiled.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let place = all.iter().position(|(own, _)| own == key);
        let entry = match place {
            Some(place) => all.remove(place),
            None => (key.clone(), Arc::default()),
        };
        let cell = entry.1.clone();
        all.push(entry);
        if all.len() > KEPT {
            all.remove(0);
        }
        drop(all);
        cell.get_or_init(|| self.compile(key));
        cell
    }

    fn compile(&self, key: &Key) -> Compiled {
        let mut settings = diagram::Settings::default();
        let own = self.parameters.iter().filter(|own| own.structural);
        let values = own.zip(&key.structural).map(|(own, value)| (own.name.clone(), value.clone()));
        settings.parameters = values.collect();
        if let Some(seed) = key.seed {
            settings = settings.seed(seed.to_string());
        }
        match settings.parameters.is_empty() && key.seed.is_none() {
            true => Ok(self.system.clone()),
            false => self.system.with(&settings).map_err(|refused| worker::first(&refused)),
        }
    }
}
