//! Where the rows of a run go: a table in memory, or a file.
//!
//! The engine delivers one row per microstep. Rows are passed on unchanged, or merged into one row
//! per instant.

mod instant;

use std::fmt;

use base::Tag;
use diagram::{RegionId, RowsPer};
use engine::{Event, Row, Sink};
use trace::{Impulse, Trace, WriteError, Writer};

use crate::System;
use crate::invariants::{Invariant, Watch, WatchState};
pub(crate) use instant::InstantRow;

/// Receives the events of a run as they happen.
pub type Listener = Box<dyn FnMut(&Event) + Send>;

/// Receives the rows of a run as they are recorded.
pub type RowListener = Box<dyn FnMut(&RecordedRow) + Send>;

/// A row as it is recorded: the values of all recorded signals at a tag. The columns are those of
/// [`System::schema`].
pub struct RecordedRow<'r>(&'r dyn Said);

impl RecordedRow<'_> {
    /// The tag of the row.
    pub fn tag(&self) -> Tag {
        self.0.tag()
    }

    /// The elements of a column; `None` if its signal is absent.
    pub fn value(&self, column: usize) -> Option<&[f64]> {
        self.0.value(column)
    }

    /// How many orders of impulses the signal of a column may carry.
    pub fn orders(&self, column: usize) -> usize {
        self.0.orders(column)
    }

    /// The coefficient of the impulse of an order that a column carries, if it carries one.
    pub fn impulse(&self, column: usize, order: usize) -> Option<&[f64]> {
        let own = order < self.orders(column);
        own.then(|| self.0.impulse(column, order))?.filter(|weight| carries(weight))
    }
}

impl fmt::Debug for RecordedRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordedRow at {}", self.tag())
    }
}

/// What a run that is continued has begun: the row of the current instant, if each instant has one
/// row, and what is known about invariants.
pub(crate) type Started = (Option<InstantRow>, WatchState);

pub(crate) struct Recorder {
    system: System,
    watch: Watch,
    trace: Trace,
    rows: u64,
    /// The row being merged, if each instant has one row.
    instant: Option<InstantRow>,
    /// Receives the rows instead of the trace.
    writer: Option<Writer>,
    /// Why the writer stopped.
    write_error: Option<WriteError>,
    /// For each region, the first column of its table, once that has been needed; and scratch space
    /// for the first columns that a row concerns.
    first_columns: Vec<Option<usize>>,
    among: Vec<usize>,
    /// Whether rows are only counted.
    idle: bool,
    /// Whether rows go to the trace as they come.
    direct: bool,
    /// Receives the rows instead of the trace.
    row_listener: Option<RowListener>,
    listener: Option<Listener>,
    /// Tables of rows by other rules than those of the result.
    besides: Vec<Beside>,
}

/// A table of rows by other rules than those of the result.
struct Beside {
    trace: Trace,
    /// The row being merged, if each instant has one row.
    instant: Option<InstantRow>,
    /// The tag of the last row.
    last: Option<Tag>,
    /// Receives the rows instead of the table, if each microstep has one.
    listener: Option<RowListener>,
}

impl Beside {
    fn row(&mut self, row: &Row<'_>) {
        if self.last.is_some_and(|last| last >= row.tag) {
            // What is asked for at an instant that has its row is that row, as in a result.
            let instant = self.instant.as_mut().filter(|own| own.is_at(row.tag.time));
            return instant.into_iter().for_each(|own| own.reach(row.tag));
        }
        self.last = Some(row.tag);
        match &mut self.instant {
            None => match &mut self.listener {
                None => push(&mut self.trace, row),
                Some(listener) => listener(&RecordedRow(row)),
            },
            Some(instant) => {
                if instant.is_open() && !instant.is_at(row.tag.time) {
                    push(&mut self.trace, instant);
                    instant.close();
                }
                instant.merge(row);
            }
        }
    }

    /// Adds the row of the current instant.
    fn end_instant(&mut self) {
        if let Some(instant) = self.instant.as_mut().filter(|instant| instant.is_open()) {
            push(&mut self.trace, instant);
            instant.close();
        }
    }

    fn reset(&mut self) {
        self.trace.clear();
        self.last = None;
        self.instant.iter_mut().for_each(InstantRow::close);
    }
}

/// The same table with one row for each instant, made from the rows of its microsteps as a run with
/// `rows: instants` makes them.
pub fn instants(trace: &Trace) -> Trace {
    let mut merged = Trace::with_schema(trace.schema().clone());
    merged.set_header(trace.header().clone());
    let mut instant = InstantRow::new(trace.schema());
    let mut next = 0;
    for row in 0..trace.len() {
        let tag = trace.tags()[row];
        if instant.is_open() && !instant.is_at(tag.time) {
            push(&mut merged, &instant);
            instant.close();
        }
        let from = next;
        while trace.impulses().get(next).is_some_and(|impulse| impulse.tag <= tag) {
            next += 1;
        }
        instant.merge(&Kept { trace, row, impulses: &trace.impulses()[from..next] });
    }
    if instant.is_open() {
        push(&mut merged, &instant);
    }
    merged
}

/// A row of a table.
struct Kept<'t> {
    trace: &'t Trace,
    row: usize,
    impulses: &'t [Impulse],
}

impl Said for Kept<'_> {
    fn tag(&self) -> Tag {
        self.trace.tags()[self.row]
    }

    fn covers(&self, _column: usize) -> bool {
        true
    }

    fn value(&self, column: usize) -> Option<&[f64]> {
        self.trace.get(self.row, column)
    }

    fn orders(&self, column: usize) -> usize {
        self.trace.schema().orders()[column]
    }

    fn impulse(&self, column: usize, order: usize) -> Option<&[f64]> {
        let mut own = self.impulses.iter();
        let own = own.find(|impulse| (impulse.column, impulse.order) == (column, order));
        own.map(|impulse| impulse.weight.as_slice())
    }
}

/// From this many tables on, it pays to find those that a row concerns.
const MANY_TABLES: usize = 8;

/// The content of a row, of a microstep or of an instant.
trait Said {
    fn tag(&self) -> Tag;
    fn covers(&self, column: usize) -> bool;
    /// The regions that the row may cover, if they are known and few.
    fn regions(&self) -> Option<&[RegionId]> {
        None
    }
    /// The region of a column, if the row knows it.
    fn region_of(&self, _column: usize) -> RegionId {
        RegionId::STILL
    }
    /// The elements of a column that the row covers; `None` if the signal is absent.
    fn value(&self, column: usize) -> Option<&[f64]>;
    /// How many orders of impulses a column may carry.
    fn orders(&self, column: usize) -> usize;
    fn impulse(&self, column: usize, order: usize) -> Option<&[f64]>;
}

impl Said for Row<'_> {
    fn tag(&self) -> Tag {
        self.tag
    }

    #[inline]
    fn covers(&self, column: usize) -> bool {
        Row::covers(self, column)
    }

    fn regions(&self) -> Option<&[RegionId]> {
        Row::regions(self)
    }

    fn region_of(&self, column: usize) -> RegionId {
        Row::region_of(self, column)
    }

    #[inline]
    fn value(&self, column: usize) -> Option<&[f64]> {
        Row::value(self, column)
    }

    #[inline]
    fn orders(&self, column: usize) -> usize {
        if self.may_carry_impulses(column) { self.impulses(column).count() } else { 0 }
    }

    fn impulse(&self, column: usize, order: usize) -> Option<&[f64]> {
        self.impulses(column).nth(order)
    }
}

impl Recorder {
    /// A recorder without rows, except for one that may have been started.
    pub fn new(system: &System, started: Option<Started>) -> Recorder {
        let (open, watched) = started.map_or((None, None), |(row, state)| (row, Some(state)));
        let trace = system.empty_trace();
        let instant = match system.settings().rows.per {
            RowsPer::Microstep => None,
            RowsPer::Instant => Some(open.unwrap_or_else(|| InstantRow::new(trace.schema()))),
        };
        let mut recorder = Recorder {
            system: system.clone(),
            watch: Watch::new(system, watched),
            trace,
            rows: 0,
            instant,
            writer: None,
            write_error: None,
            first_columns: Vec::new(),
            among: Vec::new(),
            idle: false,
            direct: false,
            row_listener: None,
            listener: None,
            besides: Vec::new(),
        };
        recorder.find_way();
        recorder
    }

    /// Finds whether rows go to the trace as they come.
    fn find_way(&mut self) {
        self.direct = self.watch.is_empty()
            && self.instant.is_none()
            && self.writer.is_none()
            && self.write_error.is_none()
            && self.row_listener.is_none()
            && !self.idle;
    }

    pub fn listen(&mut self, listener: Listener) {
        self.listener = Some(listener);
    }

    pub fn record_to(&mut self, writer: Writer) {
        self.writer = Some(writer);
        self.find_way();
    }

    pub fn hand_rows_to(&mut self, listener: RowListener) {
        self.row_listener = Some(listener);
        self.find_way();
    }

    /// Adds a table of rows by other rules.
    pub fn record_beside(&mut self, trace: Trace, per: RowsPer) {
        let instant = (per == RowsPer::Instant).then(|| InstantRow::new(trace.schema()));
        self.besides.push(Beside { trace, instant, last: None, listener: None });
    }

    /// Hands the rows of one of these tables to a function, if each microstep has one.
    pub fn hand_beside_to(&mut self, index: usize, listener: RowListener) {
        self.besides[index].listener = Some(listener);
    }

    /// One of these tables.
    pub fn beside(&self, index: usize) -> &Trace {
        &self.besides[index].trace
    }

    pub fn record_nothing(&mut self) {
        self.idle = true;
        self.find_way();
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Forgets the rows so far, keeping their memory.
    pub fn reset(&mut self) {
        self.trace.clear();
        self.watch.reset();
        self.rows = 0;
        self.instant.iter_mut().for_each(InstantRow::close);
        self.besides.iter_mut().for_each(Beside::reset);
    }

    /// Takes the rows so far, and goes on with an empty table.
    pub fn take_trace(&mut self, empty: Trace) -> Trace {
        std::mem::replace(&mut self.trace, empty)
    }

    pub fn into_trace(self) -> Trace {
        self.trace
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    pub fn is_unwritten(&self) -> bool {
        self.write_error.is_some()
    }

    /// What a run that continues this one takes along.
    pub fn started(&self) -> Started {
        let open = self.instant.as_ref().filter(|row| row.is_open());
        (open.cloned(), self.watch.state().clone())
    }

    /// What has become of the invariants so far.
    pub fn invariants(&self) -> Vec<Invariant> {
        self.watch.invariants()
    }

    /// Records the row of the current instant, to which nothing more is added.
    pub fn end_instant(&mut self) {
        self.besides.iter_mut().for_each(Beside::end_instant);
        let Some(mut row) = self.instant.take() else { return };
        // If a saved run recorded into a file with several tables and is now recorded differently,
        // the row that it started is in that file.
        if row.is_open() && (row.is_whole() || !self.is_joined()) {
            self.keep(&row);
        }
        row.close();
        self.instant = Some(row);
    }

    /// Completes the file, if there is one, and keeps the last value of each signal.
    pub fn close(&mut self) -> Option<WriteError> {
        self.end_instant();
        let writer = self.writer.take();
        if let Some(writer) = &writer {
            let header = self.trace.header().clone();
            self.trace = writer.last_rows();
            self.trace.set_header(header);
        }
        let finished = writer.map_or(Ok(()), Writer::finish);
        let error = self.write_error.take().or(finished.err());
        self.find_way();
        error
    }

    #[inline]
    fn keep(&mut self, row: &impl Said) {
        self.rows += 1;
        if self.idle {
            return;
        }
        if self.writer.is_some() || self.write_error.is_some() || self.row_listener.is_some() {
            return self.pass_on(row);
        }
        push(&mut self.trace, row);
    }

    /// Passes a row to the listener, or else to the writer, if there is one.
    #[inline(never)]
    fn pass_on(&mut self, row: &impl Said) {
        if let Some(listener) = &mut self.row_listener {
            return listener(&RecordedRow(row));
        }
        let many = self.writer.as_ref().is_some_and(|writer| writer.tables() > MANY_TABLES);
        let among = many && self.find_tables(row);
        let Some(writer) = &mut self.writer else { return };
        let impulse = |column: usize, order: usize| {
            let weight = row.covers(column).then(|| row.impulse(column, order))??;
            Some(weight).filter(|weight| carries(weight))
        };
        let (covers, value) = (|column| row.covers(column), |column| row.value(column));
        let covered = (covers, among.then_some(self.among.as_slice()));
        if let Err(error) = writer.push_some(row.tag(), covered, value, impulse) {
            (self.writer, self.write_error) = (None, Some(error));
        }
    }

    /// Finds the first column of each table that a row may concern; returns whether they are known.
    fn find_tables(&mut self, row: &impl Said) -> bool {
        let Some(regions) = row.regions() else { return false };
        if self.first_columns.is_empty() {
            let schema = self.trace.schema();
            for column in (0..schema.columns().len()).rev() {
                let region = row.region_of(column).index();
                let length = self.first_columns.len().max(region + 1);
                self.first_columns.resize(length, None);
                if schema.table_of(column).is_some() {
                    self.first_columns[region] = Some(column);
                }
            }
        }
        let first = |region: &RegionId| self.first_columns.get(region.index()).copied().flatten();
        self.among.clear();
        self.among.extend(regions.iter().filter_map(first));
        self.among.sort_unstable();
        true
    }
}

/// Adds a row to a table.
#[inline]
fn push(trace: &mut Trace, row: &impl Said) {
    trace.push(row.tag(), |column| row.value(column));
    if trace.schema().orders().iter().any(|orders| *orders > 0) {
        push_impulses(trace, row);
    }
}

/// Adds the impulses of a row.
#[inline(never)]
fn push_impulses(trace: &mut Trace, row: &impl Said) {
    for column in 0..trace.columns().len() {
        for order in 0..row.orders(column) {
            if let Some(weight) = row.impulse(column, order).filter(|weight| carries(weight)) {
                let (tag, weight) = (row.tag(), weight.to_vec());
                trace.push_impulse(Impulse { tag, column, order, weight });
            }
        }
    }
}

/// Whether a coefficient is that of an actual impulse.
fn carries(weight: &[f64]) -> bool {
    weight.iter().any(|w| *w != 0.0)
}

impl Sink for Recorder {
    fn row(&mut self, row: Row<'_>) {
        if self.direct && row.is_kept() {
            self.rows += 1;
            return push(&mut self.trace, &row);
        }
        self.watch.look(&row, &self.system);
        if !row.is_kept() {
            return;
        }
        match &self.instant {
            None => self.keep(&row),
            Some(instant) => {
                if !instant.is_at(row.tag.time) {
                    self.end_instant();
                }
                if let Some(instant) = &mut self.instant {
                    instant.merge(&row);
                }
            }
        }
    }

    fn no_row(&mut self, tag: Tag) {
        if let Some(instant) = self.instant.as_mut().filter(|instant| instant.is_at(tag.time)) {
            instant.reach(tag);
        }
    }

    fn beside(&mut self, row: Row<'_>, wanted: u64) {
        for (bit, own) in self.besides.iter_mut().enumerate() {
            if wanted >> bit & 1 == 1 {
                own.row(&row);
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

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recorder of {} rows", self.rows)
    }
}
