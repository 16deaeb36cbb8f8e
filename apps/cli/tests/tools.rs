//! What other programs read: mistakes as JSON, completions, manual pages.

use std::fs;

use crate::common::{messages, repository, scratch, superdense};
use serde_json::{Value, json};

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("an object to a line")).collect()
}

#[test]
fn mistakes_as_json() {
    let folder = scratch("json");
    let model = "superdense: 1\nblocks:\n  a: {type: Integratr, input: 1}\n".to_owned()
        + "  b: {type: Integrator, input: missing}\n";
    fs::write(folder.join("model.yaml"), model).expect("a model can be written");
    for command in ["run", "check"] {
        let output = superdense(&folder, &[command, "model.yaml", "--format", "json"]);
        assert_eq!(output.status.code(), Some(1));
        let found = objects(&messages(&output));
        assert_eq!(found.len(), 2, "{found:?}");
        let expected = json!({
            "severity": "error", "code": "unknown-block",
            "message": "there is no block or diagram `Integratr`", "file": "model.yaml",
            "line": 3, "column": 13, "block": "a", "notes": [],
            "help": "did you mean `Integrator`?",
        });
        assert_eq!(found[0], expected);
        assert_eq!((&found[1]["code"], &found[1]["line"]), (&json!("unknown-name"), &json!(4)));
    }
}

#[test]
fn run_time_errors_and_other_errors_as_json() {
    let folder = scratch("json-run");
    let ball = repository().join("models/bouncing-ball/model.yaml");
    let ball = ball.to_str().expect("paths are UTF-8");
    let json = ["--format", "json"];
    let run = |options: &[&str]| {
        let output = superdense(&folder, &[&["run", ball][..], &json, options].concat());
        (output.status.code(), objects(&messages(&output)))
    };
    let (code, found) = run(&["--stop", "30", "-p", "e=0.5"]);
    assert_eq!((code, found.len()), (Some(1), 1));
    assert_eq!((&found[0]["code"], &found[0]["line"]), (&json!("zeno"), &json!(8)));
    let (code, found) = run(&["-p", "e"]);
    assert_eq!((code, &found[0]["code"]), (Some(1), &Value::Null));
    let (code, found) = run(&["-o", "no/such.csv"]);
    assert_eq!((code, &found[0]["code"]), (Some(1), &json!("trace-unwritable")));
    assert_eq!(run(&[]), (Some(0), vec![]), "no summary");
    let zeno = repository().join("models/zeno-ball/model.yaml");
    let zeno = zeno.to_str().expect("paths are UTF-8");
    let output = superdense(&folder, &["run", zeno, "--format", "json"]);
    assert_eq!(objects(&messages(&output))[0]["severity"], json!("note"));
}

#[test]
fn the_work_of_regions() {
    let folder = scratch("regions");
    let model = "superdense: 1\nblocks:\n  x: {type: Integrator, input: -x, initial: 1}\n"
        .to_owned()
        + "  c: {type: Clock, period: 0.1}\n  y: {type: Integrator, input: 1 - y, impulse: c}\n";
    fs::write(folder.join("model.yaml"), model).expect("a model can be written");
    let said = |options: &[&str]| {
        let output = superdense(&folder, &[&["run", "model.yaml"][..], options].concat());
        assert!(output.status.success());
        messages(&output)
    };
    let found = objects(&said(&["--format", "json"]));
    assert_eq!(found.len(), 1, "{found:?}");
    let names = |list: &Value| -> Vec<Value> {
        list.as_array().expect("a list").iter().map(|entry| entry["name"].clone()).collect()
    };
    assert_eq!(names(&found[0]["parts"]), ["x", "y"]);
    assert_eq!(names(&found[0]["blocks"]), ["x", "c", "y"]);
    let steps = |part: usize| found[0]["parts"][part]["steps"].as_u64().expect("a number");
    assert!(steps(1) >= 10 && steps(0) < steps(1), "{found:?}");
    assert_eq!(found[0]["blocks"][0]["firings"], 0);
    let text = said(&[]);
    let lines = [
        format!("regions    x with {} steps", steps(0)),
        format!("           y with {} steps", steps(1)),
        format!("steps      {} accepted", steps(0) + steps(1)),
        "evaluated  ".to_owned(),
    ];
    for line in lines {
        assert!(text.contains(&line), "no `{line}` in\n{text}");
    }
    assert_eq!(said(&["--quiet"]), "");
    assert_eq!(said(&["--quiet", "--format", "json"]), "");
}

/// Both backends write the same bytes, and the summary and the notes for tools name them.
#[test]
fn backends() {
    let folder = scratch("backends");
    let ball = repository().join("models/bouncing-ball/model.yaml");
    let ball = ball.to_str().expect("paths are UTF-8");
    let run = |backend: &str, options: &[&str]| {
        let file = format!("{backend}.csv");
        let arguments = ["run", ball, "--backend", backend, "-o", &file];
        let output = superdense(&folder, &[&arguments[..], options].concat());
        (output.status.code(), messages(&output))
    };
    let (code, text) = run("native", &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("to run on native code"), "{text}");
    let (_, text) = run("interpreter", &[]);
    assert!(text.contains("to run on the interpreter,"), "{text}");
    let bytes = |name: &str| fs::read(folder.join(name)).expect("a result");
    assert_eq!(bytes("native.csv"), bytes("interpreter.csv"));
    let (_, text) = run("native", &["--format", "json"]);
    assert_eq!(objects(&text)[0]["backends"], json!(["native"]));
    let (code, text) = run("fast", &[]);
    assert_eq!(code, Some(2));
    assert!(text.contains("[possible values: auto, interpreter, native]"), "{text}");
}

#[test]
fn completions_and_manual() {
    let folder = scratch("shell");
    let shown = |arguments: &[&str]| {
        let output = superdense(&folder, arguments);
        assert!(output.status.success(), "{}", messages(&output));
        String::from_utf8(output.stdout).expect("text")
    };
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = shown(&["completions", shell]);
        assert!(script.contains("examples") && script.contains("tolerance"), "{shell}");
    }
    assert!(shown(&["man"]).contains(".TH superdense 1"));
    assert!(shown(&["man", "run"]).contains("\\-\\-tolerance"));
    let output = superdense(&folder, &["man", "chek"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(messages(&output).contains("did you mean `check`?"), "{}", messages(&output));
}

#[test]
fn blocks_are_found_by_words() {
    let folder = scratch("search");
    let search = |words: &str| {
        let output = superdense(&folder, &["blocks", "--search", words]);
        (output.status.code(), String::from_utf8(output.stdout.clone()).expect("text"), output)
    };
    let names = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with(' '));
        lines.map(|line| line.split(' ').next().expect("a name").to_owned()).collect()
    };
    let (code, text, _) = search("level");
    assert_eq!((code, names(&text)[0].as_str()), (Some(0), "LevelCrossing"));
    // A parameter, an input, a word of another case, and two words of which each is somewhere.
    let (_, text, _) = search("direction");
    assert!(names(&text).contains(&"LevelCrossing".to_owned()), "{text}");
    assert!(text.contains("parameter direction: "), "{text}");
    assert!(names(&search("RESET").1).contains(&"Integrator".to_owned()));
    assert!(names(&search("integrator impulse").1).contains(&"Integrator".to_owned()));
    assert!(!names(&search("integrator clock").1).contains(&"Gain".to_owned()));
    // What is no block here is shown as a model writes it.
    let first = |words: &str| search(words).1.lines().next().unwrap_or_default().to_owned();
    assert!(first("mux").starts_with("[a, b] "), "{}", first("mux"));
    assert!(first("determinant").starts_with("solve(A, b) "), "{}", first("determinant"));
    assert!(first("enabled subsystem").starts_with("diagrams: "));
    assert!(first("from file").starts_with("inputs: "));
    assert!(first("zero-order hold").starts_with("ZeroOrderHold "));
    let (code, text, output) = search("Integratr");
    assert_eq!((code, text.as_str()), (Some(1), ""));
    assert!(messages(&output).contains("did you mean `Integrator`?"), "{}", messages(&output));
    assert_eq!(search(" ").0, Some(1));
}
