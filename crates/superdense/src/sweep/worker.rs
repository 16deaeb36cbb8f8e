//! Computes rows: one run, reset and given the values of each point.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base::{Tag, Time, Value};
use diagram::Settings;
use engine::{RunError, StopReason};
use model::Refused;
use sweep::{Gauge, Kind, Point, Row};
use trace::{Cell, WriteError};

use super::prepare::{Measured, ending_columns};
use super::{Key, Sweep};
use crate::given::ParameterHandle;
use crate::hold::SignalHandle;
use crate::{RecordedRow, Run, System};

/// Why a row was not finished.
#[derive(Debug)]
pub enum Unfinished {
    /// It was asked to stop.
    Stopped,
    /// The trace of the run could not be written.
    Unwritten(WriteError),
}

/// Computes rows of a sweep one after the other.
#[derive(Debug)]
pub struct SweepWorker<'s> {
    sweep: &'s Sweep,
    present: Option<Present>,
}

/// A run of a system, which goes from point to point.
#[derive(Debug)]
struct Present {
    key: Key,
    system: System,
    run: Run,
    /// For each parameter of the plan its handle, if the run can be given it.
    handles: Vec<Option<ParameterHandle>>,
    gauges: Arc<Mutex<Vec<Gauge>>>,
    /// The signal of each measure that is read at the end.
    signals: Vec<Option<SignalHandle>>,
    /// Whether the rows for the measures are those of the result.
    from_trace: bool,
}

/// How many steps there are between two looks at whether to stop.
const AT_ONCE: u32 = 256;

/// The code and the message of a refusal.
pub(super) fn first(refused: &Refused) -> (String, String) {
    let error = refused.diagnostics.0.iter().find(|own| own.severity == base::Severity::Error);
    let error = error.or(refused.diagnostics.0.first());
    error.map_or_else(Default::default, |own| (own.code.to_owned(), own.message.clone()))
}

impl Sweep {
    /// A worker for one thread.
    pub fn worker(&self) -> SweepWorker<'_> {
        SweepWorker { sweep: self, present: None }
    }
}

/// The rows before the first one that was not finished, and why it was not: what comes after it
/// belongs to no table.
pub(super) fn finished(found: Vec<Result<Row, Unfinished>>) -> (Vec<Row>, Option<Unfinished>) {
    let mut rows = Vec::with_capacity(found.len());
    for row in found {
        match row {
            Ok(row) => rows.push(row),
            Err(why) => return (rows, Some(why)),
        }
    }
    (rows, None)
}

impl SweepWorker<'_> {
    /// The row of a run. `stop` ends it between steps.
    pub fn row(&mut self, run: u64, stop: &AtomicBool) -> Result<Row, Unfinished> {
        let sweep = self.sweep;
        let point = sweep.plan.point(run);
        let values: Vec<Value> = fitted(sweep, &point);
        let mut cells = vec![Cell::Integer(run.cast_signed())];
        cells
            .extend(sweep.parameters.iter().zip(&values).flat_map(|(own, value)| own.cells(value)));
        cells.extend(point.seed.map(|seed| Cell::Integer(seed.cast_signed())));
        let ended = match self.prepare(&values, point.seed) {
            Ok(()) => self.run(stop, &mut cells)?,
            Err(error) => Err(sweep.failure().unwrap_or(error)),
        };
        let (reason, code, message) = match ended {
            Ok(reason) => (Cell::Text(ended_by(&reason)), Cell::Missing, Cell::Missing),
            Err((code, message)) => {
                cells.resize(sweep.columns.len() - ending_columns(), Cell::Missing);
                (Cell::Text("failed".to_owned()), Cell::Text(code), Cell::Text(message))
            }
        };
        cells.extend([reason, code, message]);
        if let Some(folder) = &self.sweep.traces {
            self.write_trace(folder, run).map_err(Unfinished::Unwritten)?;
        }
        Ok(Row { run, cells })
    }

    /// A recorded signal of a run at some times, in increasing order; NaN where it has no number,
    /// and after a failure.
    pub fn curve(
        &mut self,
        run: u64,
        signal: (usize, usize),
        times: &[Time],
        stop: &AtomicBool,
    ) -> Vec<f64> {
        let point = self.sweep.plan.point(run);
        let mut curve = vec![f64::NAN; times.len()];
        if self.prepare(&fitted(self.sweep, &point), point.seed).is_err() {
            return curve;
        }
        let present = self.present.as_mut().expect("a run was prepared");
        let (column, element) = signal;
        let schema = present.system.schema();
        let handle = schema.columns().get(column).map(|own| present.system.signal(&own.name));
        let Some(Ok(handle)) = handle else { return curve };
        for (place, time) in times.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let ended = present.run.advance_to(*time);
            let failed = self.sweep.failure().is_some();
            if failed || ended.is_err() || present.run.time() < *time {
                break;
            }
            let found = present.run.get(&handle).ok().flatten();
            curve[place] = found.and_then(|all| all.get(element).copied()).unwrap_or(f64::NAN);
        }
        curve
    }

    /// A run at its start with these values.
    fn prepare(&mut self, values: &[Value], seed: Option<u64>) -> Result<(), (String, String)> {
        let own = self.sweep.parameters.iter().zip(values).filter(|(own, _)| own.structural);
        let structural = own.map(|(_, value)| value.clone()).collect();
        let key = Key { structural, seed };
        if self.present.as_ref().is_none_or(|present| present.key != key) {
            self.present = None;
            let cell = self.sweep.system_of(&key);
            let system = cell.get().expect("it was compiled").clone()?;
            self.present = Some(self.present(key, system));
        }
        let present = self.present.as_mut().expect("it was just made");
        present.run.reset();
        for (handle, value) in present.handles.iter().zip(values) {
            let Some(handle) = handle else { continue };
            if present.run.give(handle, value.clone()).is_err() {
                return self.prepare_anew(values, seed);
            }
        }
        present.begin(self.sweep);
        Ok(())
    }

    /// The same for values that a run cannot be given: it belongs to a system of its own.
    fn prepare_anew(
        &mut self,
        values: &[Value],
        seed: Option<u64>,
    ) -> Result<(), (String, String)> {
        let names = self.sweep.parameters.iter().map(|own| own.name.clone());
        let parameters = names.zip(values.iter().cloned()).collect();
        let mut settings = Settings { parameters, ..Settings::default() };
        if let Some(seed) = seed {
            settings = settings.seed(seed.to_string());
        }
        self.present = None;
        let system = self.sweep.system.with(&settings).map_err(|refused| first(&refused))?;
        // No other point has this key, so that the next one makes its own run.
        let key = Key { structural: vec![Value::real(f64::NAN)], seed };
        let mut present = self.present(key, system);
        present.handles.clear();
        present.begin(self.sweep);
        self.present = Some(present);
        Ok(())
    }

    fn present(&self, key: Key, system: System) -> Present {
        let sweep = self.sweep;
        let system = if self.sweep.traces.is_none() { quiet(system) } else { system };
        let handle = |own: &super::Parameter| {
            (!own.structural).then(|| system.parameter(&own.name).ok()).flatten()
        };
        let handles = sweep.parameters.iter().map(handle).collect();
        let signal = |own: &Measured| {
            let wanted = own.always && own.measure.kind == Kind::End;
            let columns = system.schema();
            wanted.then(|| system.signal(&columns.columns()[own.column].name).ok()).flatten()
        };
        let signals = sweep.measured.iter().map(signal).collect();
        let mut run = system.begin();
        let gauges: Arc<Mutex<Vec<Gauge>>> = Arc::default();
        let beside = run.record_beside(&sweep.measured_rows(&system));
        let from_trace = beside.is_none();
        if let Some(index) = beside {
            let (gauges, measured) = (gauges.clone(), Places::of(&sweep.measured));
            run.hand_beside_to(index, Box::new(move |row| measured.take(&gauges, row)));
        }
        if self.sweep.traces.is_none() && !from_trace {
            run.record_nothing();
        }
        Present { key, system, run, handles, gauges, signals, from_trace }
    }

    /// Runs to the end, and adds the measures to a row.
    fn run(
        &mut self,
        stop: &AtomicBool,
        cells: &mut Vec<Cell>,
    ) -> Result<Result<StopReason, (String, String)>, Unfinished> {
        let present = self.present.as_mut().expect("a run was prepared");
        let ended = loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Unfinished::Stopped);
            }
            let advanced = present.run.advance_by(AT_ONCE);
            if let Some(failure) = self.sweep.failure() {
                break Err(failure);
            }
            match advanced {
                Ok(None) => {}
                Ok(Some(reason)) => break Ok(reason),
                Err(error) => break Err(present.explained(&error)),
            }
        };
        if ended.is_ok() {
            present.measure(self.sweep, cells);
        }
        Ok(ended)
    }

    fn write_trace(&self, folder: &Path, run: u64) -> Result<(), WriteError> {
        let Some(present) = &self.present else { return Ok(()) };
        let path = trace_file(folder, run, self.sweep.count());
        let own = path.parent().expect("it has a folder");
        let unwritten =
            |error: std::io::Error| WriteError { path: path.clone(), problem: error.into() };
        std::fs::create_dir_all(own).map_err(unwritten)?;
        let mut trace = present.run.trace().clone();
        trace.share_header(present.run.own_system().shared_header());
        trace::write(&trace, &path)
    }
}

/// The same system without rows of the result at each step, which nobody reads.
fn quiet(system: System) -> System {
    if system.settings().impulses.steps() {
        return system;
    }
    system.with(&Settings::default().every("1e15")).unwrap_or(system)
}

/// The file of the trace of a run: as many digits for each, so that they sort.
fn trace_file(folder: &Path, run: u64, count: u64) -> PathBuf {
    let digits = (count - 1).max(1).ilog10() as usize + 1;
    folder.join(format!("run={run:0digits$}")).join("trace.parquet")
}

/// The columns and elements that the measures are made of.
struct Places(Vec<(usize, usize, bool)>);

impl Places {
    fn of(measured: &[Measured]) -> Places {
        Places(measured.iter().map(|own| (own.column, own.element, own.is_truth)).collect())
    }

    fn take(&self, gauges: &Mutex<Vec<Gauge>>, row: &RecordedRow<'_>) {
        self.take_of(gauges, row.tag(), |column| row.value(column));
        if self.0.iter().all(|(column, ..)| row.orders(*column) == 0) {
            return;
        }
        let mut gauges = gauges.lock().unwrap_or_else(PoisonError::into_inner);
        for (gauge, (column, element, _)) in gauges.iter_mut().zip(&self.0) {
            for order in 0..row.orders(*column) {
                if let Some(all) = row.impulse(*column, order) {
                    gauge.impulse(order, all[*element]);
                }
            }
        }
    }

    fn take_of<'v>(
        &self,
        gauges: &Mutex<Vec<Gauge>>,
        tag: Tag,
        value: impl Fn(usize) -> Option<&'v [f64]>,
    ) {
        let mut gauges = gauges.lock().unwrap_or_else(PoisonError::into_inner);
        for (gauge, (column, element, is_truth)) in gauges.iter_mut().zip(&self.0) {
            gauge.row(tag, value(*column).and_then(|own| own.get(*element).copied()), *is_truth);
        }
    }
}

impl Present {
    /// Begins to measure.
    fn begin(&mut self, sweep: &Sweep) {
        let start = self.system.settings().start.time();
        let gauge = |own: &Measured| Gauge::new(&own.measure, own.events, start);
        let mut gauges = self.gauges.lock().unwrap_or_else(PoisonError::into_inner);
        gauges.clear();
        gauges.extend(sweep.measured.iter().map(gauge));
    }

    /// Adds the measures of the run, which has ended, to a row.
    fn measure(&mut self, sweep: &Sweep, cells: &mut Vec<Cell>) {
        if self.from_trace {
            let (trace, places) = (self.run.trace(), Places::of(&sweep.measured));
            for row in 0..trace.len() {
                places.take_of(&self.gauges, trace.tags()[row], |column| trace.get(row, column));
            }
        }
        for (index, own) in sweep.measured.iter().enumerate() {
            let last = match &self.signals[index] {
                Some(signal) => self
                    .run
                    .get(signal)
                    .ok()
                    .flatten()
                    .and_then(|all| all.get(own.element).copied()),
                None => None,
            };
            let mut gauges = self.gauges.lock().unwrap_or_else(PoisonError::into_inner);
            let found = last.or_else(|| gauges[index].result());
            cells.push(own.cell(found));
        }
    }

    fn explained(&self, error: &RunError) -> (String, String) {
        let own = self.system.explain_with(error, &self.run.inputs_of(error));
        (own.code.to_owned(), own.message)
    }
}

impl Measured {
    fn cell(&self, found: Option<f64>) -> Cell {
        let Some(found) = found else { return Cell::Missing };
        match self.measure.kind {
            Kind::Count => Cell::Integer(found as i64),
            Kind::End if !self.labels.is_empty() => {
                let label = self.labels.get(found as usize);
                label.map_or(Cell::Missing, |label| Cell::Text(label.clone()))
            }
            Kind::End if self.is_truth => Cell::Truth(found != 0.0),
            _ => Cell::Number(found),
        }
    }
}

impl super::Parameter {
    fn cells(&self, value: &Value) -> Vec<Cell> {
        let cell = |x: &f64| match (self.words.get(*x as usize), self.is_truth) {
            (Some(word), _) => Cell::Text(word.clone()),
            (None, true) => Cell::Truth(*x != 0.0),
            (None, false) => Cell::Number(*x),
        };
        value.data().iter().map(cell).collect()
    }
}

/// The values of a point as the parameters take them: draws of 0 and 1 for a condition are truth
/// values.
fn fitted(sweep: &Sweep, point: &Point) -> Vec<Value> {
    let fit = |(own, value): (&super::Parameter, &Value)| match value
        .as_int()
        .filter(|_| own.is_truth && value.as_bool().is_none())
    {
        Some(number) => Value::bool(number != 0),
        None => value.clone(),
    };
    sweep.parameters.iter().zip(&point.values).map(fit).collect()
}

/// Why a run has ended, in words.
fn ended_by(reason: &StopReason) -> String {
    match reason {
        StopReason::Stopped => "stop time".to_owned(),
        StopReason::Zeno(time) => format!("events accumulate at {time}"),
        StopReason::Ended(block) => format!("ended by {block}"),
    }
}
