//! Computes rows: runs that are reset and given the values of a point, one at first, and as many as
//! there are lanes once it pays that their steps are taken side by side.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base::{Tag, Time, Value};
use diagram::Settings;
use engine::{LaneRefusal, LaneRuns, Lanes, RunError, Simulation, StopReason};
use model::Refused;
use sweep::{Gauge, Kind, Point, Row};
use trace::{Cell, WriteError};

use super::prepare::{Measured, ending_columns};
use super::{Key, Runs, Sweep};
use crate::given::ParameterHandle;
use crate::hold::SignalHandle;
use crate::run::Executor;
use crate::{BackendUsed, RecordedRow, Run, System};

/// Why a row was not finished.
#[derive(Debug)]
pub enum Unfinished {
    /// It was asked to stop.
    Stopped,
    /// The trace of the run could not be written.
    Unwritten(WriteError),
}

/// Computes rows of a sweep.
#[derive(Debug)]
pub struct SweepWorker<'s> {
    sweep: &'s Sweep,
    seats: Vec<Seat>,
    /// The lanes for runs of the system of a key, or that there are none.
    lanes: Option<(Key, Option<Lanes>)>,
}

/// The place of a run. If there are lanes, each seat has the lane of its number.
#[derive(Debug, Default)]
struct Seat {
    present: Option<Present>,
    /// The run whose row is in the making, and the cells of its row so far.
    busy: Option<(u64, Vec<Cell>)>,
    /// How many things the run does at once, as long as it is in no lane.
    at_once: u32,
    /// Whether it has just left its lane, for something that it has to do by itself.
    left: bool,
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
    /// Whether no other run is of this system.
    alone: bool,
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
        SweepWorker { sweep: self, seats: vec![Seat::default()], lanes: None }
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
    /// Computes the rows of all runs of a queue. `stop` ends it between steps.
    pub(super) fn work(&mut self, queue: &mut Runs<'_>, stop: &AtomicBool) {
        loop {
            for seat in 0..self.seats.len() {
                while self.seats[seat].busy.is_none()
                    && let Some(run) = queue.begin()
                {
                    if let Some(row) = self.begin(seat, run) {
                        queue.done(run, row);
                    }
                }
            }
            if self.seats.iter().all(|seat| seat.busy.is_none()) {
                return;
            }
            for seat in 0..self.seats.len() {
                let run = self.seats[seat].busy.as_ref().map(|(run, _)| *run);
                if let (Some(run), Some(row)) = (run, self.go_on(seat, stop)) {
                    queue.done(run, row);
                }
            }
            self.go_on_in_lanes();
        }
    }

    /// The row of a run. `stop` ends it between steps.
    pub fn row(&mut self, run: u64, stop: &AtomicBool) -> Result<Row, Unfinished> {
        if let Some(row) = self.begin(0, run) {
            return row;
        }
        loop {
            if let Some(row) = self.go_on(0, stop) {
                return row;
            }
            self.go_on_in_lanes();
        }
    }

    /// Puts a run at its start in a free seat; its row if it cannot start.
    fn begin(&mut self, seat: usize, run: u64) -> Option<Result<Row, Unfinished>> {
        let sweep = self.sweep;
        let point = sweep.plan.point(run);
        let values: Vec<Value> = fitted(sweep, &point);
        let mut cells = vec![Cell::Integer(run.cast_signed())];
        cells
            .extend(sweep.parameters.iter().zip(&values).flat_map(|(own, value)| own.cells(value)));
        cells.extend(point.seed.map(|seed| Cell::Integer(seed.cast_signed())));
        let prepared = self.prepare(seat, &values, point.seed);
        let own = &mut self.seats[seat];
        (own.busy, own.at_once, own.left) = (Some((run, cells)), 1, false);
        match prepared {
            Ok(()) => None,
            Err(error) => Some(self.end(seat, Err(sweep.failure().unwrap_or(error)))),
        }
    }

    /// Goes on with the run of a seat by itself until it enters its lane or ends; then its row.
    fn go_on(&mut self, seat: usize, stop: &AtomicBool) -> Option<Result<Row, Unfinished>> {
        loop {
            self.seats[seat].busy.as_ref()?;
            if stop.load(Ordering::Relaxed) {
                self.leave(seat);
                self.seats[seat].busy = None;
                return Some(Err(Unfinished::Stopped));
            }
            if !std::mem::take(&mut self.seats[seat].left) && self.enter(seat) {
                return None;
            }
            let most = match self.lanes {
                Some((_, Some(_))) => self.seats[seat].at_once,
                _ => AT_ONCE,
            };
            self.seats[seat].at_once = (2 * most).min(AT_ONCE);
            let present = self.seats[seat].present.as_mut().expect("a run was prepared");
            let advanced = present.run.advance_by(most);
            let ended = match (self.sweep.failure(), advanced) {
                (Some(failure), _) => Err(failure),
                (None, Ok(None)) => continue,
                (None, Ok(Some(reason))) => Ok(reason),
                (None, Err(error)) => Err(present.explained(&error)),
            };
            return Some(self.end(seat, ended));
        }
    }

    /// The row of a run that has ended; its seat is free then.
    fn end(
        &mut self,
        seat: usize,
        ended: Result<StopReason, (String, String)>,
    ) -> Result<Row, Unfinished> {
        let sweep = self.sweep;
        let (run, mut cells) = self.seats[seat].busy.take().expect("the seat has a run");
        let present = self.seats[seat].present.as_mut();
        let (reason, code, message) = match ended {
            Ok(reason) => {
                present.expect("a run was prepared").measure(sweep, &mut cells);
                (Cell::Text(ended_by(&reason)), Cell::Missing, Cell::Missing)
            }
            Err((code, message)) => {
                cells.resize(sweep.columns.len() - ending_columns(), Cell::Missing);
                (Cell::Text("failed".to_owned()), Cell::Text(code), Cell::Text(message))
            }
        };
        cells.extend([reason, code, message]);
        if let Some(folder) = &sweep.traces {
            self.write_trace(seat, folder, run).map_err(Unfinished::Unwritten)?;
        }
        Ok(Row { run, cells })
    }

    /// Lets the run of a seat enter its lane, or says that it is there; makes lanes if that pays.
    fn enter(&mut self, seat: usize) -> bool {
        let Some(present) = &self.seats[seat].present else { return false };
        if present.alone || present.run.ran() == BackendUsed::Interpreter {
            return false;
        }
        if self.lanes.as_ref().is_none_or(|(key, _)| *key != present.key) {
            let held = self.lanes.as_ref().and_then(|(_, lanes)| lanes.as_ref());
            let free = held.is_none_or(|lanes| (0..Lanes::COUNT).all(|own| !lanes.is_taken(own)));
            if !free {
                return false;
            }
            let lanes = self.sweep.lanes_of(&present.system);
            self.lanes = Some((present.key.clone(), lanes));
            if matches!(self.lanes, Some((_, Some(_)))) {
                self.seats.resize_with(Lanes::COUNT, Seat::default);
            }
        }
        let Some((_, Some(lanes))) = &mut self.lanes else { return false };
        if lanes.is_taken(seat) {
            return true;
        }
        let own = &mut self.seats[seat];
        let entered = own.simulation().is_some_and(|run| lanes.enter(seat, run));
        if entered {
            own.at_once = 1;
        }
        entered
    }

    /// Takes the run of a seat out of its lane, if it is in one.
    fn leave(&mut self, seat: usize) {
        if let (Some((_, Some(lanes))), Some(run)) =
            (&mut self.lanes, self.seats[seat].simulation())
        {
            lanes.leave(seat, run);
        }
    }

    /// Goes on with the runs that are in lanes until one leaves.
    fn go_on_in_lanes(&mut self) {
        let Some((_, Some(lanes))) = &mut self.lanes else { return };
        if (0..Lanes::COUNT).any(|lane| lanes.is_taken(lane)) {
            let left = lanes.advance(AT_ONCE, &mut Seats(&mut self.seats));
            let seats = self.seats.iter_mut().enumerate();
            seats.for_each(|(lane, seat)| seat.left |= left >> lane & 1 != 0);
        }
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
        if self.prepare(0, &fitted(self.sweep, &point), point.seed).is_err() {
            return curve;
        }
        let present = self.seats[0].present.as_mut().expect("a run was prepared");
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

    /// A run at its start with these values, in a seat.
    fn prepare(
        &mut self,
        seat: usize,
        values: &[Value],
        seed: Option<u64>,
    ) -> Result<(), (String, String)> {
        let own = self.sweep.parameters.iter().zip(values).filter(|(own, _)| own.structural);
        let structural = own.map(|(_, value)| value.clone()).collect();
        let key = Key { structural, seed };
        if self.seats[seat].present.as_ref().is_none_or(|present| present.key != key) {
            self.seats[seat].present = None;
            let cell = self.sweep.system_of(&key);
            let system = cell.get().expect("it was compiled").clone()?;
            self.seats[seat].present = Some(self.present(key, system));
        }
        let present = self.seats[seat].present.as_mut().expect("it was just made");
        present.run.reset();
        for (handle, value) in present.handles.iter().zip(values) {
            let Some(handle) = handle else { continue };
            if present.run.give(handle, value.clone()).is_err() {
                return self.prepare_anew(seat, values, seed);
            }
        }
        present.begin(self.sweep);
        Ok(())
    }

    /// The same for values that a run cannot be given: it belongs to a system of its own.
    fn prepare_anew(
        &mut self,
        seat: usize,
        values: &[Value],
        seed: Option<u64>,
    ) -> Result<(), (String, String)> {
        let names = self.sweep.parameters.iter().map(|own| own.name.clone());
        let parameters = names.zip(values.iter().cloned()).collect();
        let mut settings = Settings { parameters, ..Settings::default() };
        if let Some(seed) = seed {
            settings = settings.seed(seed.to_string());
        }
        self.seats[seat].present = None;
        let system = self.sweep.system.with(&settings).map_err(|refused| first(&refused))?;
        // No other point has this key, so that the next one makes its own run.
        let key = Key { structural: vec![Value::real(f64::NAN)], seed };
        let mut present = self.present(key, system);
        (present.alone, present.handles) = (true, Vec::new());
        present.begin(self.sweep);
        self.seats[seat].present = Some(present);
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
        Present { key, system, run, handles, gauges, signals, from_trace, alone: false }
    }

    fn write_trace(&self, seat: usize, folder: &Path, run: u64) -> Result<(), WriteError> {
        let Some(present) = &self.seats[seat].present else { return Ok(()) };
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

/// The runs of seats by the numbers of their lanes.
struct Seats<'w>(&'w mut [Seat]);

impl LaneRuns for Seats<'_> {
    fn run(&mut self, lane: usize) -> &mut Simulation {
        self.0[lane].simulation().expect("a run has entered this lane")
    }
}

impl Seat {
    fn simulation(&mut self) -> Option<&mut Simulation> {
        match &mut self.present.as_mut()?.run.executor {
            Executor::Exact(simulation) => Some(simulation),
            Executor::FixedStep(_) => None,
        }
    }
}

impl Sweep {
    /// Lanes for runs of a system, if its runs can go on side by side.
    fn lanes_of(&self, system: &System) -> Option<Lanes> {
        let few = self.plan.count() < 2 * Lanes::COUNT as u64;
        if few || self.has_step_rows() {
            return None;
        }
        let code = system.lane_code().ok()?;
        self.side_by_side.store(true, Ordering::Relaxed);
        Some(Lanes::new(code))
    }

    /// Whether a measure needs a row of every step.
    fn has_step_rows(&self) -> bool {
        self.measured.iter().any(|own| own.measure.kind.is_of_a_curve())
    }

    /// Why runs have gone on one by one so far, and not with their steps side by side; none if they
    /// have not. It changes no bit of a row.
    pub fn one_by_one(&self) -> Option<LaneRefusal> {
        if self.side_by_side.load(Ordering::Relaxed) {
            return None;
        }
        let refused = match self.has_step_rows() {
            true => Err(LaneRefusal::Rows),
            false => quiet(self.system.clone()).refuses_lanes(),
        };
        Some(refused.err().unwrap_or(LaneRefusal::Short))
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
