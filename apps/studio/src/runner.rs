//! Runs a model, and shows it while it goes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use superdense::{
    Diagnostics, Format, Library, Refused, RowsPer, Run, RunError, RunSetting, Settings,
    StopReason, Sweep, SweepRequest, System, Writer, parse_parameter,
};

use crate::check::{Checked, diagnostics};
use crate::instants::{Snapshots, Wires, instant};
use crate::session::Answers;
use crate::store::Store;

/// The time between two pictures of a run that goes on.
const FRAME: Duration = Duration::from_millis(50);
/// The largest number of runs of a sweep that are shown.
const MOST_POINTS: u64 = 400;
/// How many steps a run takes between looks at the clock, at most.
const MOST_STEPS: u32 = 512;

/// What the thread that runs is asked.
pub(crate) enum Order {
    /// Takes over a model.
    Load(Box<Checked>),
    Run(Given),
    Sweep {
        id: u64,
        most: u64,
    },
    Stop,
    View {
        from: f64,
        to: f64,
        pixels: usize,
    },
    Instant {
        id: u64,
        time: f64,
    },
    Row {
        id: u64,
        time: f64,
    },
    Neighbour {
        id: u64,
        time: f64,
        forward: bool,
        events: bool,
    },
    Export {
        format: String,
    },
    Report,
}

/// What a run is given by the page.
pub(crate) struct Given {
    /// The number by which the page knows the run.
    pub run: u64,
    /// Parameters of the model, as text.
    pub parameters: Vec<(String, String)>,
    /// Settings of the run by their names in model files, as text.
    pub settings: Vec<(String, String)>,
}

/// How many advances there are between looks at the clock, at most.
const MOST_CALLS: u32 = 64;

/// Rows for curves that look smooth: every microstep, and some between steps.
const SMOOTH: u32 = 600;

fn shown(settings: Settings) -> Settings {
    Settings { smooth: Some(SMOOTH), ..settings.rows(RowsPer::Microstep) }
}

/// The same system with the rows of a figure; none if it cannot have them.
pub(crate) fn smooth(system: &System) -> Option<System> {
    system.with(&shown(Settings::default())).ok()
}

/// What was run last.
struct Runner<'a> {
    answers: &'a Answers,
    loaded: Option<Box<Checked>>,
    /// The system with the parameters of the last run.
    system: Option<System>,
    store: Arc<Mutex<Store>>,
    snapshots: Snapshots,
    /// Of the system of the last run; made when they are first asked for.
    wires: Option<Wires>,
    run: u64,
    view: (f64, f64, usize),
}

/// Handles orders until the tab is closed.
pub(crate) fn runner(orders: &Receiver<Order>, answers: &Answers) {
    let mut own = Runner {
        answers,
        loaded: None,
        system: None,
        store: Arc::default(),
        snapshots: Snapshots::default(),
        wires: None,
        run: 0,
        view: (f64::NEG_INFINITY, f64::INFINITY, 1000),
    };
    let mut next = None;
    while let Some(order) = next.take().or_else(|| orders.recv().ok()) {
        let handled = catch_unwind(AssertUnwindSafe(|| own.handle(order, orders)));
        match handled {
            Ok(Some(order)) => next = Some(order),
            Ok(None) => {}
            Err(_) => {
                let why = "the run failed; this is a defect of the studio";
                own.answers.send(&json!({"kind": "failed", "message": why}));
            }
        }
    }
}

/// How a run went.
enum End {
    Reached(StopReason),
    Failed(RunError),
    Stopped,
    Full,
    /// Something else was asked meanwhile, which ends the run.
    Replaced(Order),
    Closed,
}

impl Runner<'_> {
    /// Handles an order; returns the one that replaced it.
    fn handle(&mut self, order: Order, orders: &Receiver<Order>) -> Option<Order> {
        match order {
            Order::Load(checked) => self.loaded = Some(checked),
            Order::Run(mut given) => {
                // Only the last of several runs that wait is shown.
                loop {
                    match orders.try_recv() {
                        Ok(Order::Run(later)) => given = later,
                        Ok(Order::Load(checked)) => self.loaded = Some(checked),
                        Ok(Order::View { from, to, pixels }) => self.view = (from, to, pixels),
                        Ok(other) => {
                            self.start(&given, orders);
                            return Some(other);
                        }
                        Err(_) => break,
                    }
                }
                return self.start(&given, orders);
            }
            Order::Stop => {}
            order => self.look(order),
        }
        None
    }

    /// Answers what can be answered while a run goes on.
    fn look(&mut self, order: Order) {
        match order {
            Order::View { from, to, pixels } => {
                self.view = (from, to, pixels);
                self.show(None);
            }
            Order::Neighbour { id, time, forward, events } => {
                let found = self.store.lock().ok();
                let found = found.and_then(|own| own.neighbour(time, forward, events));
                self.answers.send(&json!({"kind": "neighbour", "id": id, "time": found}));
            }
            Order::Instant { id, time } => {
                let near = self.store.lock().ok().and_then(|own| own.nearest_event(time));
                self.instant(id, near.unwrap_or(time));
            }
            Order::Row { id, time } => {
                match self.store.lock().is_ok_and(|own| own.has_event(time)) {
                    true => self.instant(id, time),
                    false => self.row(id, time),
                }
            }
            Order::Export { format } => self.export(&format),
            Order::Sweep { id, most } => self.sweep(id, most),
            Order::Report => self.report(),
            _ => {}
        }
    }

    /// Answers with what happened at an instant.
    fn instant(&mut self, id: u64, time: f64) {
        let Some(system) = self.system.clone() else { return };
        let mut answer = instant(&system, &self.snapshots, time);
        if let Some(time) = answer["time"].as_f64() {
            answer["wires"] = self.wires.get_or_insert_with(|| Wires::new(&system)).at(time);
        }
        answer["kind"] = json!("instant");
        answer["id"] = json!(id);
        self.answers.send(&answer);
    }

    /// Answers with the values between two events.
    fn row(&mut self, id: u64, time: f64) {
        let Some(system) = self.system.clone() else { return };
        let found = self.store.lock().ok().and_then(|own| own.at(time));
        let answer = match found {
            None => json!({"kind": "instant", "id": id, "error": "there is no row here"}),
            Some((time, values)) => {
                let wires = self.wires.get_or_insert_with(|| Wires::new(&system)).at(time);
                let columns: Vec<String> =
                    system.schema().columns().iter().map(|own| own.name.clone()).collect();
                json!({
                    "kind": "instant", "id": id, "time": time, "exact": time.to_string(),
                    "columns": columns, "events": [], "text": "", "left_out": 0, "wires": wires,
                    "rows": [{"microstep": 0, "values": values, "impulses": []}],
                })
            }
        };
        self.answers.send(&answer);
    }

    /// Answers with the points of the sweep of the model: evenly spaced ones if there are more.
    fn sweep(&self, id: u64, most: u64) {
        let Some(own) = &self.loaded else { return };
        let found = SweepRequest::of(&own.model).and_then(|request| {
            Sweep::new(&own.model, &Library::standard(), &Settings::default(), &request)
        });
        let answer = match found {
            Ok(sweep) => {
                let count = sweep.count();
                let runs = count.min(most.clamp(1, MOST_POINTS));
                let points = (0..runs).map(|place| {
                    sweep.given(if runs > 1 { place * (count - 1) / (runs - 1) } else { 0 })
                });
                let points: Vec<_> = points.collect();
                json!({"kind": "sweep", "id": id, "points": points, "runs": count})
            }
            Err(refused) => {
                let all: Vec<_> = refused.diagnostics.0.iter().map(ToString::to_string).collect();
                json!({"kind": "sweep", "id": id, "error": all.join("; ")})
            }
        };
        self.answers.send(&answer);
    }

    /// The system of a run: with the parameters and settings of the page.
    fn system(&self, given: &Given) -> Result<System, Json> {
        let own = self.loaded.as_ref().ok_or(Json::Null)?;
        let refusal = |what: &str, refused: &Refused| {
            let all: Vec<String> = refused.diagnostics.0.iter().map(ToString::to_string).collect();
            json!(format!("{what}: {}", all.join("; ")))
        };
        let mut settings = Settings::default();
        for (name, text) in &given.parameters {
            let value = parse_parameter(&own.model, name, text);
            let value = value.map_err(|refused| refusal(name, &refused))?;
            settings.parameters.push((name.clone(), value));
        }
        for (name, text) in &given.settings {
            let known = RunSetting::ALL.iter().find(|own| own.key() == name);
            let known = known.ok_or_else(|| json!(format!("there is no setting `{name}`")))?;
            settings = settings.set(*known, text.as_str());
        }
        let settings = shown(settings);
        own.system.with(&settings).map_err(|refused| refusal("this run", &refused))
    }

    fn start(&mut self, given: &Given, orders: &Receiver<Order>) -> Option<Order> {
        let run = given.run;
        let system = match self.system(given) {
            Ok(system) => system,
            Err(Json::Null) => return None,
            Err(why) => {
                let end = json!({"kind": "ended", "run": run, "how": "refused", "message": why});
                self.answers.send(&end);
                return None;
            }
        };
        self.run = run;
        self.snapshots = Snapshots::default();
        self.wires = None;
        self.store = Arc::new(Mutex::new(Store::new(&system.schema())));
        let mut going = system.begin();
        self.system = Some(system.clone());
        let store = self.store.clone();
        going.hand_rows_to(Box::new(move |row| {
            if let Ok(mut own) = store.lock() {
                own.push(row);
            }
        }));
        if let Some(error) = going.missing_input() {
            self.end(&going, &system, &End::Failed(error), Duration::ZERO);
            return None;
        }
        let begin = Instant::now();
        let end = self.advance(&mut going, &system, orders);
        if matches!(end, End::Closed) {
            return None;
        }
        going.close();
        self.end(&going, &system, &end, begin.elapsed());
        match end {
            End::Replaced(order) => Some(order),
            _ => None,
        }
    }

    fn advance(&mut self, run: &mut Run, system: &System, orders: &Receiver<Order>) -> End {
        let mut shown = Instant::now();
        let (mut steps, mut calls) = (16, 1);
        loop {
            let begin = Instant::now();
            // An advance may stop after each row, and small ones cost less than looking around.
            for _ in 0..calls {
                match run.advance_by(steps) {
                    Ok(Some(reason)) => return End::Reached(reason),
                    Ok(None) => {}
                    Err(error) => return End::Failed(error),
                }
            }
            // Steps of large models are slow: the user is never kept waiting for many of them.
            let slow = begin.elapsed() > Duration::from_millis(5);
            steps = if slow { (steps / 2).max(1) } else { (steps * 2).min(MOST_STEPS) };
            calls = if slow { (calls / 2).max(1) } else { (calls * 2).min(MOST_CALLS) };
            self.snapshots.look(run);
            if self.store.lock().is_ok_and(|own| own.is_full()) {
                return End::Full;
            }
            loop {
                match orders.try_recv() {
                    Ok(Order::Stop) => return End::Stopped,
                    Ok(Order::Load(checked)) => self.loaded = Some(checked),
                    Ok(order @ Order::Run(_)) => return End::Replaced(order),
                    Ok(order) => self.look(order),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return End::Closed,
                }
            }
            if shown.elapsed() > FRAME {
                let settings = system.settings();
                let (start, stop) = (settings.start.time().seconds(), settings.stop.seconds());
                let now = run.tag().time.seconds();
                self.show(Some((now - start) / (stop - start)));
                shown = Instant::now();
            }
        }
    }

    /// Sends the rows of the view.
    fn show(&self, progress: Option<f64>) {
        let Ok(store) = self.store.lock() else { return };
        let (from, to, pixels) = self.view;
        self.answers.send_bytes(rows(&store, self.run, from, to, pixels, progress));
    }

    fn end(&self, run: &Run, system: &System, end: &End, took: Duration) {
        self.show(Some(1.0));
        let (how, message, problems) = match end {
            End::Reached(reason) => match reason {
                StopReason::Stopped => ("finished", String::new(), Json::Null),
                StopReason::Zeno(at) => (
                    "finished",
                    format!("events accumulate at t = {at}; the run stopped there"),
                    Json::Null,
                ),
                StopReason::Ended(block) => {
                    ("finished", format!("`{block}` ended the run"), Json::Null)
                }
            },
            End::Failed(error) => {
                let own = system.explain_with(error, &run.inputs_of(error));
                let message = own.to_string();
                let all = Diagnostics(vec![own]);
                ("failed", message, self.problems(&all, system))
            }
            End::Stopped | End::Closed => ("stopped", String::new(), Json::Null),
            End::Replaced(_) => ("replaced", String::new(), Json::Null),
            End::Full => {
                let why = "the run was ended because its rows no longer fit in memory: \
                           record less, or write them to a file with `superdense run`";
                ("stopped", why.to_owned(), Json::Null)
            }
        };
        let warnings: Vec<_> =
            run.warnings().iter().map(|own| system.explain_warning(own)).collect();
        self.answers.send(&json!({
            "kind": "ended", "run": self.run, "how": how, "message": message,
            "pile": pile(end), "problems": problems, "warnings": self.problems(&Diagnostics(warnings), system),
            "time": run.tag().time.seconds(), "milliseconds": took.as_secs_f64() * 1e3,
            "rows": self.store.lock().map_or(0, |own| own.times.len()),
            "events": self.store.lock().map_or(0, |own| own.events.len()),
            "steps": run.counters().steps,
        }));
    }

    fn problems(&self, all: &Diagnostics, system: &System) -> Json {
        let text = system.sources().files().next().map_or("", |own| own.1);
        diagnostics(all, system.sources(), text)
    }

    /// Runs the model again into a file, and sends the file.
    fn export(&self, format: &str) {
        let Some(system) = &self.system else { return };
        match exported(system, format) {
            Ok(bytes) => {
                let head = json!({
                    "kind": "file", "name": format!("{}.{format}", system.name()),
                });
                self.answers.send_bytes(packed(&head, &[&bytes]));
            }
            Err(error) => {
                self.answers.send(&json!({"kind": "failed", "message": format!("{error:#}")}));
            }
        }
    }

    fn report(&self) {
        let Some(system) = &self.system else { return };
        let head = json!({"kind": "file", "name": format!("{}.html", system.name())});
        match crate::report::report(system, |_, _| Ok(())) {
            Ok(page) => self.answers.send_bytes(packed(&head, &[page.as_bytes()])),
            Err(error) => {
                self.answers.send(&json!({"kind": "failed", "message": format!("{error:#}")}))
            }
        };
    }
}

/// Where events pile up, and whose events they are as far as that is known.
fn pile(end: &End) -> Json {
    match end {
        End::Reached(StopReason::Zeno(at)) => json!({"time": at, "blocks": []}),
        End::Failed(RunError::Zeno { accumulation, blocks, .. }) => {
            json!({"time": accumulation, "blocks": blocks})
        }
        End::Failed(RunError::Chattering { time, blocks, .. }) => {
            json!({"time": time.seconds(), "blocks": blocks})
        }
        _ => Json::Null,
    }
}

fn exported(system: &System, format: &str) -> anyhow::Result<Vec<u8>> {
    if format == "svg" {
        return figure(system);
    }
    let known = ["csv", "parquet", "json"].contains(&format);
    anyhow::ensure!(known, "there is no format `{format}`");
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(format!("result.{format}"));
    anyhow::ensure!(Format::of(&path).is_some(), "this program was built without {format}");
    let mut run = system.begin();
    let header = run.trace().header().clone();
    let writer = Writer::create(&path, &system.schema(), &header);
    run.record_to(writer.map_err(|error| anyhow::anyhow!("{}", error.diagnostic()))?);
    match run.finish() {
        Ok(outcome) => {
            if let Some(error) = outcome.write_error {
                anyhow::bail!("{}", error.diagnostic());
            }
        }
        // What was recorded before the failure is in the file.
        Err(failure) => {
            if let Some(error) = failure.write_error {
                anyhow::bail!("{}", error.diagnostic());
            }
        }
    }
    Ok(std::fs::read(&path)?)
}

/// The first figure of the model as SVG.
fn figure(system: &System) -> anyhow::Result<Vec<u8>> {
    let trace = match system.simulate() {
        Ok(outcome) => outcome.trace,
        Err(failure) => failure.trace,
    };
    let figure = system.figures().first().map(|own| own.1.clone());
    let figure = figure.unwrap_or_else(|| superdense::plots::Figure::of(&trace));
    Ok(superdense::plots::svg(&figure, &trace)?.into_bytes())
}

/// Rows as bytes: what they are as JSON, then the times and the values of each signal.
pub(crate) fn rows(
    store: &Store,
    run: u64,
    from: f64,
    to: f64,
    pixels: usize,
    progress: Option<f64>,
) -> Vec<u8> {
    const MOST_MARKS: usize = 2000;
    let view = store.view(from, to, pixels);
    let inside = |time: f64| time >= from && time <= to;
    let mut weights: Vec<_> = store.impulses.iter().filter(|own| inside(own.time)).collect();
    let (count, most) = (weights.len(), MOST_MARKS);
    if count > most {
        let step = count.div_ceil(most);
        weights = weights.into_iter().step_by(step).collect();
    }
    let low = store.events.partition_point(|row| store.times[*row] < from);
    let high = store.events.partition_point(|row| store.times[*row] <= to).max(low);
    let events = &store.events[low..high];
    let step = events.len().div_ceil(MOST_MARKS).max(1);
    let events: Vec<f64> = events.iter().step_by(step).map(|row| store.times[*row]).collect();
    let head = json!({
        "kind": "rows", "run": run, "names": store.names, "rows": view.times.len(),
        "labels": store.labels, "total": store.times.len(), "thinned": view.thinned, "progress": progress,
        "from": from.is_finite().then_some(from), "to": to.is_finite().then_some(to),
        "events": events, "event_count": high - low, "impulse_count": count,
        "impulses": weights.iter()
            .map(|own| json!([own.time, own.microstep, own.lane, own.order, own.weight]))
            .collect::<Vec<_>>(),
    });
    let bytes =
        |values: &[f64]| values.iter().flat_map(|own| own.to_le_bytes()).collect::<Vec<u8>>();
    let microsteps: Vec<f64> = view.microsteps.iter().map(|own| f64::from(*own)).collect();
    let mut parts = vec![bytes(&view.times), bytes(&microsteps)];
    parts.extend(view.lanes.iter().map(|lane| bytes(lane)));
    packed(&head, &parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// The length of the JSON, the JSON with blanks up to a multiple of eight bytes, and the parts.
fn packed(head: &Json, parts: &[&[u8]]) -> Vec<u8> {
    let mut text = head.to_string().into_bytes();
    text.resize((text.len() + 8).next_multiple_of(8), b' ');
    let mut out =
        Vec::with_capacity(text.len() + 8 + parts.iter().map(|own| own.len()).sum::<usize>());
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text);
    parts.iter().for_each(|part| out.extend_from_slice(part));
    out
}
