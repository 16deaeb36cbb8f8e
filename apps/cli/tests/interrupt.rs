//! A run that is ended by Ctrl-C keeps what it has computed, in a file that is whole.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{files, messages, repository, scratch, superdense};

/// Interrupts a process, and waits for it to end.
fn interrupt(child: &mut Child, signal: &str) -> i32 {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
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

/// Starts a run without end, and waits until it has written something.
fn start(folder: &Path, result: &str, options: &[&str]) -> Child {
    let model = repository().join("models/van-der-pol/model.yaml");
    let child = Command::new(env!("CARGO_BIN_EXE_superdense"))
        .current_dir(folder)
        .arg("run")
        .arg(model)
        .args(["--stop", "1e12", "-o", result])
        .args(options)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary can be started");
    sleep(Duration::from_millis(1500));
    child
}

/// Runs without end, interrupts, and looks at the result; gives the files that were left.
fn interrupted(result: &str, signal: &str, options: &[&str]) -> Vec<String> {
    let folder = scratch(&format!("interrupt-{result}"));
    let mut child = start(&folder, result, options);
    assert!(!folder.join(result).exists(), "a file is complete or absent");
    let code = interrupt(&mut child, signal);
    let output = child.wait_with_output().expect("its messages");
    let said = messages(&output);
    assert_eq!(code, 130, "{said}");
    assert!(said.contains("interrupted at t = "), "{said}");
    assert!(said.contains("The result up to that point has been written."), "{said}");
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
    assert_eq!(interrupted("result.csv", "-INT", &[]), ["result.csv"]);
    assert_eq!(interrupted("result.parquet", "-INT", &[]), ["result.parquet"]);
}

/// What asks a process to end is taken as Ctrl-C is, in every format.
#[test]
fn terminated_runs_leave_whole_files() {
    assert_eq!(interrupted("terminated.csv", "-TERM", &[]), ["terminated.csv"]);
    assert_eq!(interrupted("terminated.json", "-TERM", &[]), ["terminated.json"]);
    assert_eq!(interrupted("terminated.parquet", "-HUP", &[]), ["terminated.parquet"]);
}

/// What a killed process leaves is removed by the next one with the same target, and what another
/// one is still writing is not.
#[test]
fn what_a_killed_run_leaves_is_removed() {
    let folder = scratch("killed");
    for result in ["killed.csv", "killed.json", "killed.parquet"] {
        fs::write(folder.join(result), "old").expect("a file can be written");
        let mut killed = start(&folder, result, &[]);
        killed.kill().expect("it can be killed");
        killed.wait().expect("it has ended");
        let left = files(&folder);
        assert!(left.iter().any(|name| name.ends_with(".partial")), "{left:?}");
        assert_eq!(fs::read_to_string(folder.join(result)).expect("a file"), "old");
        let mut other = start(&folder, result, &[]);
        let model = repository().join("models/van-der-pol/model.yaml");
        let model = model.to_str().expect("a path of text");
        let output = superdense(&folder, &["run", model, "-o", result]);
        assert!(output.status.success(), "{}", messages(&output));
        let hidden = files(&folder).into_iter().filter(|name| name.ends_with(".partial")).count();
        assert_eq!(hidden, 1, "that of the run that goes on");
        interrupt(&mut other, "-TERM");
        let left = files(&folder);
        assert!(left.iter().all(|name| !name.ends_with(".partial")), "{left:?}");
        let same = superdense(&folder, &["compare", result, result]);
        assert!(same.status.success(), "{}", messages(&same));
    }
    fs::remove_dir_all(&folder).expect("large files can be removed");
}

#[test]
fn what_was_computed_is_drawn() {
    let left = interrupted("drawn.csv", "-INT", &["--plot", "drawn.svg"]);
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

/// Nothing moves, nothing happens, and rows are asked for without end: it ends when it is asked to.
#[test]
fn rows_without_end_are_interrupted() {
    let folder = scratch("interrupt-rows");
    let text = "superdense: 1\nblocks:\n  x: {type: Constant, value: 1}\nsimulate: {stop: 1e15}\n";
    fs::write(folder.join("model.yaml"), text).expect("a model");
    let mut child = Command::new(env!("CARGO_BIN_EXE_superdense"))
        .current_dir(&folder)
        .args(["run", "model.yaml", "--quiet", "--every", "0.1", "-o", "rows.csv"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary can be started");
    sleep(Duration::from_millis(500));
    assert_eq!(interrupt(&mut child, "-TERM"), 130);
    assert_eq!(files(&folder), ["model.yaml", "rows.csv"]);
    fs::remove_dir_all(&folder).expect("large files can be removed");
}
