//! A studio that serves a folder of its own, and a page that talks to it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use superdense_studio::{Example, Options, Studio};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// A model that bounces.
pub const BALL: &str = include_str!("../../../../models/bouncing-ball/model.yaml");

/// A model that reads a file.
const DATA: &str = "superdense: 1\ninputs: {u: {file: u.csv}}\nrecord: [u]\nsimulate: {stop: 1}\n";

/// How long an answer may take; machines of tests are busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A studio on a thread of its own, which ends with the process.
pub struct Served {
    pub folder: tempfile::TempDir,
    /// `127.0.0.1:port`.
    pub host: String,
    /// The path with the secret.
    pub path: String,
}

/// Serves a folder with the ball.
pub fn served() -> Served {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("ball.yaml"), BALL).expect("a file");
    serve(folder)
}

fn serve(folder: tempfile::TempDir) -> Served {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let files = vec![file("model.yaml", DATA), file("u.csv", "time,u\n0,1\n1,2\n")];
    let example = Example { name: "data".to_owned(), summary: "An input.".to_owned(), files };
    let path = Some(folder.path().to_owned());
    let studio = Studio::new(Options { path, port: None, examples: vec![example] });
    let studio = studio.expect("a studio");
    let link = studio.link();
    let (host, path) = link["http://".len()..].split_once('/').expect("a path");
    let (host, path) = (host.to_owned(), format!("/{path}"));
    std::thread::spawn(move || studio.serve());
    Served { folder, host, path }
}

impl Served {
    /// The answer to a request with these header lines.
    pub fn request(&self, path: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        let request = format!("GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// A tab.
    pub fn tab(&self) -> Tab {
        let stream = TcpStream::connect(&self.host).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let url = format!("ws://{}{}socket", self.host, self.path);
        let mut request = url.into_client_request().expect("a request");
        let origin = format!("http://{}", self.host).parse().expect("an origin");
        request.headers_mut().insert("origin", origin);
        let (socket, _) = tungstenite::client(request, stream).expect("a socket");
        Tab { socket }
    }
}

/// The socket of a tab.
pub struct Tab {
    pub socket: WebSocket<TcpStream>,
}

impl Tab {
    pub fn send(&mut self, message: &Json) {
        self.socket.send(Message::text(message.to_string())).expect("sent");
    }

    /// The next message, with the numbers that follow its head.
    pub fn next(&mut self) -> (Json, Vec<f64>) {
        loop {
            match self.socket.read().expect("an answer") {
                Message::Text(text) => {
                    return (serde_json::from_str(&text).expect("JSON"), Vec::new());
                }
                Message::Binary(bytes) => {
                    let length = u64::from_le_bytes(bytes[..8].try_into().expect("a length"));
                    let end = 8 + length as usize;
                    let head = serde_json::from_slice(&bytes[8..end]).expect("JSON");
                    let numbers = bytes[end..].chunks_exact(8);
                    let number = |own: &[u8]| f64::from_le_bytes(own.try_into().expect("eight"));
                    return (head, numbers.map(number).collect());
                }
                _ => {}
            }
        }
    }

    /// A text after an edit, or the reason for its refusal.
    pub fn edit(&mut self, text: &str, edit: &Json) -> Result<String, String> {
        self.send(&json!({"do": "edit", "id": 3, "text": text, "edit": edit}));
        let answer = self.wait("edited");
        if let Some(error) = answer["error"].as_str() {
            return Err(error.to_owned());
        }
        let mut out = text.to_owned();
        for own in answer["replacements"].as_array().expect("a list").iter().rev() {
            let at = |key: &str| own[key].as_u64().expect("a byte") as usize;
            out.replace_range(at("from")..at("to"), own["text"].as_str().expect("a text"));
        }
        Ok(out)
    }

    /// The next message of a kind; others are passed over.
    pub fn wait(&mut self, kind: &str) -> Json {
        self.wait_numbers(kind).0
    }

    pub fn wait_numbers(&mut self, kind: &str) -> (Json, Vec<f64>) {
        let begin = Instant::now();
        loop {
            assert!(begin.elapsed() < PATIENCE, "no {kind}");
            let (message, numbers) = self.next();
            if message["kind"] == kind {
                return (message, numbers);
            }
            assert_ne!(message["kind"], "failed", "{message}");
        }
    }

    /// Sends a text, and returns what was found in it.
    pub fn check(&mut self, text: &str) -> Json {
        self.send(&json!({
            "do": "text", "version": 1, "path": "ball.yaml", "text": text, "opened": [],
        }));
        self.wait("checked")
    }

    /// Runs the model that was checked last, and returns how it ended, with its last rows.
    pub fn run(&mut self, run: u64, parameters: &Json, stop: &Json) -> (Json, Json, Vec<f64>) {
        let settings = if stop.is_null() { json!([]) } else { json!([["stop", stop]]) };
        self.send(
            &json!({"do": "run", "run": run, "parameters": parameters, "settings": settings}),
        );
        let (mut rows, mut numbers) = (Json::Null, Vec::new());
        loop {
            let (message, own) = self.next();
            match message["kind"].as_str() {
                Some("rows") => (rows, numbers) = (message, own),
                Some("ended") if message["run"] == run => return (message, rows, numbers),
                _ => {}
            }
        }
    }
}
