//! A run that is ended by Ctrl-C keeps what it has computed, in a file that is whole.

#![cfg(unix)]

mod common;

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{files, messages, repository, scratch, superdense};

/// Interrupts a process, and waits for it to end.
fn interrupt(child: &mut Child) -> i32 {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("`kill` can be started").success());
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(60) {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status.code().expect("it ended by itself");
        }
        sleep(Duration::from_millis(10));
    }
    child.kill().expect("it can be killed");
    panic!("it did not end");
}

/// Runs without end, interrupts, and looks at the result; gives the files that were left.
fn interrupted(result: &str, options: &[&str]) -> Vec<String> {
    let folder = scratch(&format!("interrupt-{result}"));
    let model = repository().join("models/van-der-pol/model.yaml");
    let mut child = Command::new(env!("CARGO_BIN_EXE_superdense"))
        .current_dir(&folder)
        .arg("run")
        .arg(model)
        .args(["--stop", "1e12", "-o", result])
        .args(options)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary can be started");
    sleep(Duration::from_millis(1500));
    assert!(!folder.join(result).exists(), "a file is complete or absent");
    let code = interrupt(&mut child);
    let output = child.wait_with_output().expect("its messages");
    let said = messages(&output);
    assert_eq!(code, 130, "{said}");
    assert!(said.contains("interrupted at t = "), "{said}");
    assert!(said.contains("The result up to there has been written."), "{said}");
    let rows = said.lines().find_map(|line| line.strip_prefix("rows ")).expect("a count");
    let rows: usize = rows.split_whitespace().next().expect("a number").parse().expect("a number");
    assert!(rows > 100, "{said}");
    let same = superdense(&folder, &["compare", result, result]);
    assert!(same.status.success(), "{}", messages(&same));
    if result.ends_with(".csv") {
        let text = fs::read_to_string(folder.join(result)).expect("a result");
        assert_eq!(text.lines().count(), rows + 1);
    }
    let left = files(&folder);
    fs::remove_dir_all(&folder).expect("large files can be removed");
    left
}

#[test]
fn a_streamed_file_is_whole() {
    assert_eq!(interrupted("result.csv", &[]), ["result.csv"]);
    assert_eq!(interrupted("result.parquet", &[]), ["result.parquet"]);
}

#[test]
fn what_was_computed_is_drawn() {
    let left = interrupted("drawn.csv", &["--plot", "drawn.svg"]);
    assert_eq!(left, ["drawn.csv", "drawn.svg"]);
}

/// Rows that are written as they come are those of a run that keeps them all, impulses and events
/// included, however often the run makes room.
#[test]
fn making_room_changes_nothing() {
    let folder = scratch("room");
    let model = "superdense: 1\nblocks:
  c: {type: Clock, period: 0.001}
  n: {type: Counter, increment: c}
  held: {type: ZeroOrderHold, input: n, initial: 0}
  push: {type: Derivative, input: held}
  x: {type: Integrator, input: push - x}
record: [x, push, n]
simulate: {stop: 50}
";
    fs::write(folder.join("model.yaml"), model).expect("a model can be written");
    let log = ["--log", "streamed.jsonl"];
    let arguments = [&["run", "model.yaml", "-o", "streamed.csv"][..], &log].concat();
    let output = superdense(&folder, &arguments);
    assert!(output.status.success(), "{}", messages(&output));
    let whole = superdense(&folder, &["run", "model.yaml", "-o", "-", "--log", "whole.jsonl"]);
    assert!(whole.status.success(), "{}", messages(&whole));
    let read = |name: &str| fs::read(folder.join(name)).expect("a file");
    let streamed = read("streamed.csv");
    assert!(streamed.iter().filter(|byte| **byte == b'\n').count() > 1 << 17, "too short a run");
    assert!(streamed == whole.stdout && read("streamed.jsonl") == read("whole.jsonl"));
    fs::remove_dir_all(&folder).expect("large files can be removed");
}
