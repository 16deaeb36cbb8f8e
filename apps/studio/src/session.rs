//! One tab: its socket, and the two threads that answer what it sends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message as Frame, WebSocket};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;

use crate::check::{Checker, library};
use crate::edits;
use crate::folder::{Example, Unsaved, fingerprint};
use crate::messages::Message;
use crate::runner::{Given, Order, runner};
use crate::server::Shared;

/// How many answers may wait for a slow page.
const WAITING: usize = 64;
/// The time between two looks at the file.
const LOOK: Duration = Duration::from_millis(500);

/// Where answers go.
#[derive(Clone)]
pub(crate) struct Answers(mpsc::Sender<Frame>);

impl Answers {
    /// Sends an answer; waits while the page is slow. Returns whether the page is still there.
    pub fn send(&self, answer: &Json) -> bool {
        self.0.blocking_send(Frame::Text(answer.to_string().into())).is_ok()
    }

    pub fn send_bytes(&self, bytes: Vec<u8>) -> bool {
        self.0.blocking_send(Frame::Binary(Bytes::from(bytes))).is_ok()
    }
}

/// What the thread that reads texts is asked.
enum Request {
    Message(Message),
    /// The file may have changed.
    Look,
}

/// Serves a tab until it is closed.
pub(crate) async fn session(shared: Arc<Shared>, mut socket: WebSocket) {
    let (answers, mut waiting) = mpsc::channel(WAITING);
    let (requests, texts) = channel();
    let (orders, runs) = channel();
    let sender = Answers(answers);
    let running = sender.clone();
    let runner =
        thread::Builder::new().name("run".to_owned()).spawn(move || runner(&runs, &running));
    let checked = orders.clone();
    let reader = thread::Builder::new()
        .name("text".to_owned())
        .spawn(move || read(&shared, &texts, &checked, &sender));
    if runner.is_err() || reader.is_err() {
        return;
    }
    let mut clock = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            frame = socket.recv() => {
                let text = match frame {
                    Some(Ok(Frame::Text(text))) => text,
                    Some(Ok(Frame::Close(_)) | Err(_)) | None => return,
                    Some(Ok(_)) => continue,
                };
                if !dispatch(&text, &requests, &orders) {
                    let why = "this message is not understood: reload the page";
                    let answer = json!({"kind": "failed", "message": why}).to_string();
                    if socket.send(Frame::Text(answer.into())).await.is_err() {
                        return;
                    }
                }
            }
            answer = waiting.recv() => {
                let Some(answer) = answer else { return };
                if socket.send(answer).await.is_err() {
                    return;
                }
            }
            _ = clock.tick() => {
                if requests.send(Request::Look).is_err() {
                    return;
                }
            }
        }
    }
}

/// Passes a message on to the thread that it is for; returns whether it was understood.
fn dispatch(text: &str, requests: &Sender<Request>, orders: &Sender<Order>) -> bool {
    let Ok(message) = serde_json::from_str::<Message>(text) else { return false };
    let order = match message {
        Message::Run { run, parameters, settings } => {
            Order::Run(Given { run, parameters, settings })
        }
        Message::Sweep { id, most } => Order::Sweep { id, most },
        Message::Stop => Order::Stop,
        Message::View { from, to, pixels } => Order::View { from, to, pixels },
        Message::Instant { id, time } => Order::Instant { id, time },
        Message::Row { id, time } => Order::Row { id, time },
        Message::Neighbour { id, time, forward, events } => {
            Order::Neighbour { id, time, forward, events }
        }
        Message::Export { format } => Order::Export { format },
        Message::Report => Order::Report,
        message => return requests.send(Request::Message(message)).is_ok(),
    };
    orders.send(order).is_ok()
}

/// Answers questions about texts and files. Of several texts that wait, only the last is read.
fn read(shared: &Shared, requests: &Receiver<Request>, orders: &Sender<Order>, answers: &Answers) {
    let mut reader =
        Reader { shared, checker: Checker::default(), watched: None, example: None, answers };
    let mut next = None;
    while let Some(request) = next.take().or_else(|| requests.recv().ok()) {
        let mut request = request;
        while matches!(request, Request::Message(Message::Text { .. }) | Request::Look) {
            match requests.try_recv() {
                Ok(later @ Request::Message(Message::Text { .. })) => request = later,
                Ok(Request::Look) => {}
                Ok(other) => {
                    next = Some(other);
                    break;
                }
                Err(_) => break,
            }
        }
        // A panic is a defect, but not one that may cost a user the text of the tab.
        let answered = catch_unwind(AssertUnwindSafe(|| reader.answer(request, orders)));
        let sent = answered.unwrap_or_else(|_| {
            reader.checker = Checker::default();
            let why = "the studio failed on this text; this is a defect of the studio";
            Some(json!({"kind": "failed", "message": why}))
        });
        if sent.is_some_and(|answer| !answers.send(&answer)) {
            return;
        }
    }
}

struct Reader<'s> {
    shared: &'s Shared,
    checker: Checker,
    /// The file of the tab, and what was known of it at the last look.
    watched: Option<Watched>,
    /// The example that was opened last, with its files, until it is saved.
    example: Option<(Example, tempfile::TempDir)>,
    answers: &'s Answers,
}

struct Watched {
    path: String,
    stamp: Option<(std::time::SystemTime, u64)>,
    state: Option<String>,
}

impl Reader<'_> {
    fn answer(&mut self, request: Request, orders: &Sender<Order>) -> Option<Json> {
        let message = match request {
            Request::Message(message) => message,
            Request::Look => return self.look(),
        };
        match message {
            Message::Hello => Some(self.hello()),
            Message::Text { version, path, text, opened } => {
                let name = self.name_of(path);
                let (answer, system) = self.checker.check(version, &name, &text, &opened);
                if let Some(own) = system {
                    let _ = orders.send(Order::Load(Box::new(own)));
                }
                Some(answer)
            }
            Message::Edit { id, text, edit } => Some(edits::edit(id, &text, edit)),
            Message::Try { id, path, text, edit, node } => {
                let name = self.name_of(path);
                Some(self.checker.attempt(id, &name, &text, edit, node.as_deref()))
            }
            Message::Entry { id, text, at } => Some(edits::entry(id, &text, &at)),
            message => self.files(message),
        }
    }

    fn hello(&self) -> Json {
        self.answers.send(&library());
        let folder = &self.shared.folder;
        let examples = folder.examples.iter();
        let examples = examples.map(|own| json!({"name": own.name, "summary": own.summary}));
        json!({
            "kind": "hello", "folder": folder.name(), "files": folder.files(),
            "first": folder.first, "unsaved": folder.unsaved(), "examples": examples.collect::<Vec<_>>(),
        })
    }

    /// The path that a text is read under: that of its file, or of the example that it is.
    fn name_of(&self, path: String) -> String {
        let of_example = |own: &&(Example, _)| path == format!("{}.yaml", own.0.name);
        let name = match (self.example.as_ref().filter(of_example), self.shared.folder.path(&path))
        {
            (Some((_, place)), _) => place.path().join(&path),
            (None, Ok(whole)) => whole,
            (None, Err(_)) => PathBuf::from(path),
        };
        name.to_string_lossy().into_owned()
    }

    /// Answers what is asked about files.
    fn files(&mut self, message: Message) -> Option<Json> {
        let shared = self.shared;
        let folder = &shared.folder;
        match message {
            Message::Open { path } => {
                self.example = None;
                Some(match folder.read(&path) {
                    Ok(text) => json!({
                        "kind": "opened", "path": path, "text": text, "known": fingerprint(&text),
                        "kept": folder.kept(&path, &text),
                    }),
                    // A text that was never saved has a copy alone.
                    Err(error) => match folder.kept(&path, "") {
                        Some(text) => json!({
                            "kind": "opened", "path": null, "text": text, "known": null,
                            "kept": null, "name": path, "began": "",
                        }),
                        None => failed(&error),
                    },
                })
            }
            Message::Example { name } => self.example(&name),
            Message::Save { path, text, known } => Some(self.save(&path, &text, known.as_deref())),
            Message::Keep { path, text } => folder.keep(&path, &text).err().map(|own| failed(&own)),
            Message::Forget { path } => {
                folder.forget(&path);
                None
            }
            Message::Watch { path } => {
                self.watch(path);
                None
            }
            _ => None,
        }
    }

    /// Opens an example. Data that the model reads are beside it until it is saved.
    fn example(&mut self, name: &str) -> Option<Json> {
        let own = self.shared.folder.examples.iter().find(|own| own.name == name)?;
        let (_, text) = own.files.first()?;
        let place = tempfile::tempdir().ok()?;
        for (file, text) in &own.files {
            std::fs::write(place.path().join(file), text).ok()?;
        }
        self.example = Some((own.clone(), place));
        Some(json!({
            "kind": "opened", "path": null, "text": text, "known": null, "kept": null,
            "name": format!("{name}.yaml"),
        }))
    }

    fn save(&mut self, path: &str, text: &str, known: Option<&str>) -> Json {
        let folder = &self.shared.folder;
        match folder.save(path, text, known) {
            Ok(()) => {
                self.save_data(path);
                self.watch(Some(path.to_owned()));
                let known = fingerprint(text);
                json!({"kind": "saved", "path": path, "known": known, "files": folder.files()})
            }
            Err(Unsaved::Conflict(now)) => json!({
                "kind": "conflict", "path": path, "text": now, "known": fingerprint(&now),
            }),
            Err(Unsaved::Failed(error)) => failed(&error),
        }
    }

    /// Saves the data of an example beside its model; a file that is there stays as it is.
    fn save_data(&mut self, path: &str) {
        let Some((own, _)) = self.example.take() else { return };
        let Ok(model) = self.shared.folder.path(path) else { return };
        for (file, text) in &own.files {
            let place = model.with_file_name(file);
            if file.ends_with(".csv") && !place.exists() {
                // A model whose data are missing says so itself.
                let _ = std::fs::write(place, text);
            }
        }
    }

    fn watch(&mut self, path: Option<String>) {
        let folder = &self.shared.folder;
        self.watched = path.map(|path| {
            let (stamp, state) = (folder.stamp(&path), folder.state(&path));
            Watched { path, stamp, state }
        });
    }

    /// Tells the page if its file has changed.
    fn look(&mut self) -> Option<Json> {
        let folder = &self.shared.folder;
        let own = self.watched.as_mut()?;
        let stamp = folder.stamp(&own.path);
        if stamp == own.stamp {
            return None;
        }
        own.stamp = stamp;
        let text = folder.read(&own.path).ok();
        let state = text.as_deref().map(fingerprint);
        if state == own.state {
            return None;
        }
        own.state.clone_from(&state);
        Some(json!({"kind": "changed", "path": own.path, "text": text, "known": state}))
    }
}

fn failed(error: &anyhow::Error) -> Json {
    json!({"kind": "failed", "message": format!("{error:#}")})
}
