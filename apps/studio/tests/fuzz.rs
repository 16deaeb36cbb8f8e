//! The server survives any message.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value as Json, json};
use tungstenite::Message;

use crate::common::{BALL, served};

// One strategy for each kind of message: a table, and so longer than a function should otherwise
// be.
fn garbage() -> impl Strategy<Value = Message> {
    let number = prop_oneof![
        any::<i64>().prop_map(|own| json!(own)),
        any::<f64>().prop_map(|own| json!(own)),
        Just(json!(1e308)),
        Just(json!(null)),
        Just(json!("x")),
    ];
    let kinds = prop::sample::select(vec![
        "hello",
        "open",
        "example",
        "save",
        "keep",
        "forget",
        "watch",
        "text",
        "edit",
        "try",
        "sweep",
        "entry",
        "run",
        "stop",
        "view",
        "instant",
        "neighbour",
        "export",
        "report",
        "nothing",
    ]);
    let texts = prop_oneof![
        Just(BALL.to_owned()),
        (0..BALL.len(), 0..BALL.len())
            .prop_map(|(a, b)| { format!("{}{}", &BALL[..a.min(b)], &BALL[a.max(b)..]) }),
        "\\PC{0,40}",
        Just("../../etc/passwd.yaml".to_owned()),
    ];
    let edits = (
        prop::sample::select(vec![
            "set",
            "remove",
            "add",
            "rename",
            "group",
            "ungroup",
            "add_state",
            "remove_state",
            "add_transition",
        ]),
        texts.clone(),
        any::<u32>(),
    );
    let edit = edits.prop_map(|(kind, text, byte)| {
        let at = match byte % 3 {
            0 => json!({"byte": byte % 900}),
            1 => json!({"path": ["blocks", "v"]}),
            _ => json!({"node": text}),
        };
        match kind {
            "set" => json!({"edit": kind, "at": at, "field": "input", "value": text}),
            "remove" => json!({"edit": kind, "all": [at, at]}),
            "add" => json!({"edit": kind, "within": null, "name": text, "value": text}),
            "rename" => json!({"edit": kind, "at": at, "to": text}),
            "group" => json!({"edit": kind, "all": [at], "diagram": "D", "instance": text}),
            "ungroup" => json!({"edit": kind, "at": at}),
            "add_transition" => json!({"edit": kind, "machine": at, "from": text, "to": text}),
            "add_state" => json!({"edit": kind, "machine": at, "name": text, "from": text}),
            _ => json!({"edit": kind, "machine": at, "name": text}),
        }
    });
    let object = (kinds, texts, number, edit).prop_map(|(kind, text, number, edit)| {
        let id = 1;
        Message::text(match kind {
            "open" | "keep" | "forget" | "watch" => {
                json!({"do": kind, "path": text, "text": text})
            }
            "save" => json!({"do": kind, "path": text, "text": text, "known": null}),
            "text" => json!({
                "do": kind, "version": 1, "path": "ball.yaml", "text": text, "opened": ["v", text],
            }),
            "edit" => json!({"do": kind, "id": id, "text": text, "edit": edit}),
            "try" => json!({
                "do": kind, "id": id, "path": "ball.yaml", "text": text, "edit": edit, "node": "v",
            }),
            "entry" => json!({"do": kind, "id": id, "text": text, "at": {"byte": number}}),
            "sweep" => json!({"do": kind, "id": id, "most": number}),
            "run" => json!({
                "do": kind, "run": 1, "parameters": [["g", text]],
                "settings": [["stop", "0.1"], [text, text]],
            }),
            "view" => json!({"do": kind, "from": number, "to": number, "pixels": number}),
            "instant" => json!({"do": kind, "id": id, "time": number}),
            "neighbour" => {
                json!({"do": kind, "id": id, "time": number, "forward": true, "events": false})
            }
            "export" => json!({"do": kind, "format": text}),
            kind => json!({"do": kind}),
        }.to_string())
    });
    prop_oneof![
        6 => object,
        1 => "\\PC{0,200}".prop_map(Message::text),
        1 => prop::collection::vec(any::<u8>(), 0..200).prop_map(Message::binary),
        1 => (0usize..20_000).prop_map(|deep| Message::text("[".repeat(deep))),
    ]
}

#[test]
fn any_message_leaves_the_server_at_work() {
    let own = served();
    let mut runner = TestRunner::new(Config {
        cases: 12,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..Config::default()
    });
    let messages = prop::collection::vec(garbage(), 1..25);
    runner
        .run(&messages, |messages| {
            let mut tab = own.tab();
            for message in messages {
                prop_assert!(tab.socket.send(message).is_ok());
            }
            // Whatever it was sent, the tab still answers.
            tab.send(&json!({
                "do": "text", "version": 77, "path": "ball.yaml", "text": BALL, "opened": [],
            }));
            loop {
                let (message, _) = tab.next();
                let defect = message["message"].as_str().is_some_and(|own| own.contains("defect"));
                prop_assert!(!defect, "{}", message);
                if message["kind"] == "checked" && message["version"] == 77 {
                    prop_assert_eq!(&message["ok"], &Json::Bool(true));
                    return Ok(());
                }
            }
        })
        .expect("every message is survived");
    let outside = own.folder.path().parent().expect("a folder").join("passwd.yaml");
    assert!(!outside.exists());
}
