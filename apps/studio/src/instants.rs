//! What happened at one instant: the run is repeated from the last snapshot before it.
//!
//! Snapshots are taken while a run goes, few and evenly spaced in the time of the machine, within a
//! bound on memory. A run that is resumed has the same bits, so that what is shown is what was run.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant as Clock};

use serde_json::{Value as Json, json};
use superdense::{Event, Instant, RecordedRow, Run, Settings, System, Tag};

/// The largest number of snapshots and of their bytes in all.
const MOST: usize = 64;
const MOST_BYTES: usize = 64 << 20;
/// How long a repetition may take before it is given up.
const PATIENCE: Duration = Duration::from_secs(30);
/// The largest number of events of an instant that are sent.
const MOST_EVENTS: usize = 2000;

/// Snapshots of a run, in order.
pub(crate) struct Snapshots {
    all: Vec<(f64, Vec<u8>)>,
    every: Duration,
    next: Clock,
}

impl Default for Snapshots {
    fn default() -> Self {
        let every = Duration::from_millis(100);
        Snapshots { all: Vec::new(), every, next: Clock::now() + every }
    }
}

impl Snapshots {
    /// Takes a snapshot if one is due.
    pub fn look(&mut self, run: &Run) {
        if Clock::now() < self.next {
            return;
        }
        let begin = Clock::now();
        let bytes = run.save();
        self.all.push((run.tag().time.seconds(), bytes));
        let bytes: usize = self.all.iter().map(|own| own.1.len()).sum();
        if self.all.len() > MOST || bytes > MOST_BYTES {
            let mut index = 0;
            self.all.retain(|_| {
                index += 1;
                index % 2 == 0
            });
            self.every *= 2;
        }
        // Snapshots take at most a twentieth of the time.
        self.next = Clock::now() + self.every.max(begin.elapsed() * 20);
    }

    /// A run from the last snapshot before a time.
    fn before(&self, system: &System, time: f64) -> Run {
        let before = self.all.iter().rev().filter(|own| own.0 < time);
        let mut found = before.filter_map(|own| system.resume(&own.1).ok());
        found.next().unwrap_or_else(|| system.begin())
    }
}

/// The largest model whose wires all get values, in blocks, and how long that may take.
const MOST_BLOCKS: usize = 2000;
const WIRE_PATIENCE: Duration = Duration::from_millis(500);

/// The values of all wires at the last tags up to a time: those of the instant, or of the last step
/// before it. The model runs again with everything recorded, which changes no value; that is left
/// out for models that are too large or run too long for it.
pub(crate) struct Wires(Option<System>);

impl Wires {
    pub fn new(system: &System) -> Wires {
        let small = system.block_count() <= MOST_BLOCKS && !system.settings().impulses.steps();
        let everything = Settings { everything: true, ..Settings::default() };
        Wires(small.then(|| system.with(&everything).ok()).flatten())
    }

    /// For each microstep the values by the names of the wires.
    pub fn at(&self, time: f64) -> Json {
        let Some(system) = &self.0 else { return Json::Null };
        let schema = system.schema();
        let columns = schema.columns().iter().enumerate();
        let columns: Vec<(usize, Vec<String>)> =
            columns.map(|(index, own)| (index, names(&own.name))).collect();
        let rows: Arc<Mutex<Vec<(Tag, Json)>>> = Arc::default();
        let kept = rows.clone();
        let mut run = system.begin();
        run.hand_rows_to(Box::new(move |row| {
            let tag = row.tag();
            let Ok(mut kept) = kept.lock() else { return };
            if tag.time.seconds() > time {
                return;
            }
            if kept.last().is_some_and(|own| own.0.time != tag.time) {
                kept.clear();
            }
            let mut values = serde_json::Map::new();
            for (column, names) in &columns {
                for name in names {
                    values.entry(name).or_insert_with(|| json!(row.value(*column)));
                }
            }
            kept.push((tag, Json::Object(values)));
        }));
        let begin = Clock::now();
        while run.tag().time.seconds() <= time {
            if begin.elapsed() > WIRE_PATIENCE {
                return Json::Null;
            }
            match run.advance() {
                Ok(None) => {}
                Ok(Some(_)) | Err(_) => break,
            }
        }
        let Ok(rows) = rows.lock() else { return Json::Null };
        rows.iter().map(|own| json!({"microstep": own.0.microstep, "values": own.1})).collect()
    }
}

/// The names that a wire may have: that of its output, and that of a block with one output.
fn names(column: &str) -> Vec<String> {
    let Some(whole) = column.strip_prefix('~') else { return vec![column.to_owned()] };
    let block = whole.rsplit_once('.').map(|own| own.0.to_owned());
    std::iter::once(whole.to_owned()).chain(block).collect()
}

/// A row of the instant.
struct Limit {
    tag: Tag,
    values: Vec<Option<Vec<f64>>>,
    impulses: Vec<(usize, usize, Vec<f64>)>,
}

/// What happened at the instant nearest to a time.
pub(crate) fn instant(system: &System, snapshots: &Snapshots, time: f64) -> Json {
    if system.settings().impulses.steps() {
        return json!({"error": "a fixed-step run has no instants: choose `impulses: symbolic`"});
    }
    let mut run = snapshots.before(system, time);
    let gathered = Arc::new(Mutex::new(Instant::near(time)));
    let rows: Arc<Mutex<Vec<Limit>>> = Arc::default();
    let listener = gathered.clone();
    run.listen(Box::new(move |event| {
        if let Ok(mut own) = listener.lock() {
            own.take(event);
        }
    }));
    let columns = system.schema().columns().len();
    let orders = system.schema().orders().to_vec();
    let kept = rows.clone();
    run.hand_rows_to(Box::new(move |row| {
        if let Ok(mut kept) = kept.lock() {
            keep(&mut kept, row, time, columns, &orders);
        }
    }));
    let begin = Clock::now();
    let mut failure = None;
    loop {
        let found = gathered.lock().is_ok_and(|own| own.is_found(run.tag().time));
        if found {
            break;
        }
        if begin.elapsed() > PATIENCE {
            return json!({"error": "it takes too long to run to this instant again"});
        }
        match run.advance() {
            Ok(None) => {}
            Ok(Some(_)) => break,
            Err(error) => {
                failure = Some(system.explain(&error).message);
                break;
            }
        }
    }
    let events = gathered
        .lock()
        .map_or_else(|_| Vec::new(), |mut own| std::mem::take(&mut *own).events(None));
    let rows = rows.lock().map_or_else(|_| Vec::new(), |mut own| std::mem::take(&mut *own));
    shown(system, &events, rows, failure)
}

/// Keeps the rows of the instant that is nearest so far.
fn keep(kept: &mut Vec<Limit>, row: &RecordedRow<'_>, time: f64, columns: usize, orders: &[usize]) {
    let tag = row.tag();
    if let Some(first) = kept.first()
        && first.tag.time != tag.time
    {
        let far = |tag: Tag| (tag.time.seconds() - time).abs();
        if far(tag) > far(first.tag) {
            return;
        }
        kept.clear();
    }
    let values = (0..columns).map(|own| row.value(own).map(<[f64]>::to_vec)).collect();
    let mut impulses = Vec::new();
    for (column, orders) in orders.iter().enumerate() {
        for order in 0..*orders {
            if let Some(weight) = row.impulse(column, order) {
                impulses.push((column, order, weight.to_vec()));
            }
        }
    }
    kept.push(Limit { tag, values, impulses });
}

fn shown(system: &System, events: &[Event], rows: Vec<Limit>, failure: Option<String>) -> Json {
    let Some(first) = events.first() else {
        return json!({"error": failure.unwrap_or_else(|| "no event happens near here".to_owned())});
    };
    let time = first.time();
    let rows = rows.into_iter().filter(|own| own.tag.time == time).map(|own| {
        json!({
            "microstep": own.tag.microstep, "values": own.values,
            "impulses": own.impulses.into_iter()
                .map(|(column, order, weight)| json!([column, order, weight]))
                .collect::<Vec<_>>(),
        })
    });
    let columns: Vec<String> =
        system.schema().columns().iter().map(|own| own.name.clone()).collect();
    json!({
        "time": time.seconds(), "exact": time.to_string(), "failure": failure,
        "columns": columns, "rows": rows.collect::<Vec<_>>(),
        "events": events.iter().take(MOST_EVENTS)
            .map(|own| system.event_json(own)).collect::<Vec<_>>(),
        "left_out": events.len().saturating_sub(MOST_EVENTS),
        "text": system.tell(&events[..events.len().min(MOST_EVENTS)]),
    })
}
