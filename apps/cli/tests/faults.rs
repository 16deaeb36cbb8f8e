//! Faults while a file is written, in every format: a full disk, a reader that leaves, a folder
//! that takes nothing, a name that cannot be. The target is as it was, nothing is left beside it,
//! and the message names the file and the cause.

#![cfg(unix)]

use std::fs::{self, OpenOptions};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::{files, messages, superdense, with_model};

const FORMATS: [&str; 3] = ["csv", "json", "parquet"];

/// Some hundred kilobytes of rows, and figures.
const MODEL: &str = "superdense: 1
name: oscillator
blocks:
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: -x}
  c: {type: Clock, period: 1}
record: {energy: x^2 + v^2, x: x, c: c}
simulate: {stop: 100, every: 0.01}
";

fn folder(test: &str) -> PathBuf {
    with_model(test, MODEL)
}

/// Calls the binary where no file may grow beyond so many blocks of a shell: writing fails midway.
fn limited(folder: &Path, blocks: u32, arguments: &[&str]) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks} && exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-c", &script, env!("CARGO_BIN_EXE_superdense")]);
    shell.args(arguments).output().expect("a shell can be started")
}

/// The rows of a sweep on a full disk are kept, and with room again it goes on to the same table.
#[test]
fn a_sweep_on_a_full_disk_goes_on() {
    let folder = with_model(
        "faults-sweep",
        "superdense: 1
parameters: {a: 1}
blocks:
  x: {type: Integrator, input: -a * x, initial: 1}
record: [x]
simulate: {stop: 1}
",
    );
    let call = ["sweep", "model.yaml", "-p", "a=linspace(0, 1, 3000)", "-o"];
    let whole = superdense(&folder, &[&call[..], &["whole.csv"]].concat());
    assert!(whole.status.success(), "{}", messages(&whole));
    let output = limited(&folder, 40, &[&call[..], &["a.csv"]].concat());
    failed(&output, &["no room", ".a.csv.sweep", "--resume"]);
    assert!(!folder.join("a.csv").exists());
    let output = superdense(&folder, &[&call[..], &["a.csv", "--resume"]].concat());
    let said = messages(&output);
    assert!(output.status.success() && said.contains("of them before"), "{said}");
    assert!(read(&folder, "a.csv") == read(&folder, "whole.csv"));
}

/// Runs a script of a shell with mounts of its own; nothing where this machine allows none.
fn with_mounts(folder: &Path, script: &str) -> Option<Output> {
    [&["-m"][..], &["-r", "-m"]].into_iter().find_map(|options| {
        let mut trial = Command::new("unshare");
        trial.args(options).args(["mount", "-t", "tmpfs", "none", "."]);
        let trial = trial.current_dir(folder).stderr(Stdio::null()).status();
        if !trial.is_ok_and(|status| status.success()) {
            return None;
        }
        let mut shell = Command::new("unshare");
        shell.current_dir(folder).args(options).args(["sh", "-c", script]);
        shell.arg(env!("CARGO_BIN_EXE_superdense")).output().ok()
    })
}

/// Calls the binary with a standard output that nobody reads.
fn unread(folder: &Path, arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_superdense"))
        .current_dir(folder)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary can be started");
    drop(child.stdout.take());
    child.wait_with_output().expect("it ends")
}

#[track_caller]
fn failed(output: &Output, expected: &[&str]) {
    let said = messages(output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for words in expected {
        assert!(said.contains(words), "no `{words}` in\n{said}");
    }
}

fn read(folder: &Path, name: &str) -> String {
    String::from_utf8_lossy(&fs::read(folder.join(name)).expect("a file")).into_owned()
}

#[test]
fn a_full_disk_changes_nothing() {
    for ending in FORMATS {
        let folder = folder("full");
        let result = format!("result.{ending}");
        let told = ["error[trace-disk-full]", &format!("no room to write {result}: "), "help:"];
        for blocks in [0, 1, 64] {
            failed(&limited(&folder, blocks, &["run", "model.yaml", "-o", &result]), &told);
            assert_eq!(files(&folder), ["model.yaml"], "{blocks} blocks");
        }
        fs::write(folder.join(&result), "old").expect("a file");
        for blocks in [0, 1, 64] {
            failed(&limited(&folder, blocks, &["run", "model.yaml", "-o", &result]), &told);
            assert_eq!(files(&folder), ["model.yaml", &result], "{blocks} blocks");
            assert_eq!(read(&folder, &result), "old");
        }
        let json = ["run", "model.yaml", "-o", &result, "--format", "json"];
        failed(&limited(&folder, 1, &json), &["\"trace-disk-full\"", &result]);
    }
}

#[test]
fn a_full_disk_that_is_one_changes_nothing() {
    for ending in FORMATS {
        let folder = folder("full-disk");
        fs::create_dir(folder.join("disk")).expect("a folder");
        let script = format!(
            "mount -t tmpfs -o size=64k none disk && printf old > disk/result.{ending} &&
             \"$0\" run model.yaml -o disk/result.{ending} -q; echo code $?
             ls -A disk; cat disk/result.{ending}"
        );
        let Some(output) = with_mounts(&folder, &script) else {
            return eprintln!("skipped: this machine allows no mounts");
        };
        let (said, found) = (messages(&output), String::from_utf8_lossy(&output.stdout));
        assert_eq!(found, format!("code 1\nresult.{ending}\nold"), "{said}");
        assert!(said.contains(&format!("no room to write disk/result.{ending}: ")), "{said}");
    }
}

#[test]
fn a_device_without_room() {
    if !Path::new("/dev/full").exists() {
        return eprintln!("skipped: there is no /dev/full");
    }
    let folder = folder("device");
    for ending in FORMATS {
        let link = format!("full.{ending}");
        symlink("/dev/full", folder.join(&link)).expect("a link");
        let output = superdense(&folder, &["run", "model.yaml", "-o", &link]);
        failed(&output, &["error[trace-disk-full]", &format!("no room to write {link}: ")]);
        let target = fs::read_link(folder.join(&link)).expect("still a link");
        assert_eq!(target, Path::new("/dev/full"));
    }
    for arguments in printing() {
        let full = OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let mut command = Command::new(env!("CARGO_BIN_EXE_superdense"));
        command.current_dir(&folder).args(arguments).stdout(full);
        failed(&command.output().expect("it ends"), &["No space left on device"]);
    }
    assert_eq!(files(&folder), ["model.yaml"]);
}

/// Commands that print a result.
fn printing() -> Vec<&'static [&'static str]> {
    vec![
        &["run", "model.yaml", "-q", "-o", "-"],
        &["run", "model.yaml", "-q", "--log", "-"],
        &["check", "model.yaml", "--print", "program"],
        &["stream", "model.yaml", "--stop", "1", "-q", "-o", "-"],
        &["explain", "model.yaml", "1"],
        &["explain", "zeno"],
        &["blocks"],
        &["blocks", "Integrator"],
        &["examples", "show", "bouncing-ball"],
        &["schema"],
        &["man"],
        &["completions", "bash"],
    ]
}

/// A reader such as `head` may leave when it has enough.
#[test]
fn a_reader_that_leaves_is_no_mistake() {
    let folder = folder("unread");
    for arguments in printing() {
        let output = unread(&folder, arguments);
        let said = messages(&output);
        assert!(output.status.success(), "{arguments:?}: {said}");
        assert!(!said.contains("panicked") && !said.contains("error"), "{arguments:?}: {said}");
    }
    // Under a name it is a file that could not be written.
    for ending in FORMATS {
        let link = format!("out.{ending}");
        symlink("/dev/stdout", folder.join(&link)).expect("a link");
        let output = unread(&folder, &["run", "model.yaml", "-q", "-o", &link]);
        failed(&output, &[&format!("cannot write {link}: Broken pipe"), "before the run"]);
        assert!(folder.join(&link).is_symlink());
        fs::remove_file(folder.join(&link)).expect("a link");
    }
    assert_eq!(files(&folder), ["model.yaml"]);
}

#[test]
fn a_folder_that_is_read_only() {
    let folder = folder("read-only");
    fs::create_dir(folder.join("kept")).expect("a folder");
    for ending in FORMATS {
        let (old, new) = (format!("kept/old.{ending}"), format!("kept/new.{ending}"));
        fs::write(folder.join(&old), "old").expect("a file");
        for result in [&old, &new] {
            let script = format!(
                "mount --bind kept kept && mount -o remount,ro,bind kept &&
                 exec \"$0\" run model.yaml -o {result}"
            );
            let Some(output) = with_mounts(&folder, &script) else {
                return eprintln!("skipped: this machine allows no mounts");
            };
            let cause = format!("cannot write {result}: Read-only file system");
            failed(&output, &["error[trace-unwritable]", &cause, "help:"]);
        }
        assert_eq!(read(&folder, &old), "old");
    }
    assert_eq!(files(&folder.join("kept")), ["old.csv", "old.json", "old.parquet"]);
}

/// A file that may not be written to is kept, by those who may do everything, too.
#[test]
fn a_file_that_is_read_only() {
    let folder = folder("read-only-file");
    for ending in FORMATS {
        let result = format!("kept.{ending}");
        let path = folder.join(&result);
        fs::write(&path, "old").expect("a file");
        let mut permissions = fs::metadata(&path).expect("a file").permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).expect("permissions");
        let output = superdense(&folder, &["run", "model.yaml", "-o", &result]);
        failed(&output, &[&format!("cannot write {result}: the file is read-only"), "help:"]);
        assert_eq!(read(&folder, &result), "old");
    }
    assert_eq!(files(&folder), ["kept.csv", "kept.json", "kept.parquet", "model.yaml"]);
}

#[test]
fn a_name_that_cannot_be_that_of_a_file() {
    let folder = folder("names");
    for ending in FORMATS {
        let refused = |name: &str, cause: &str| {
            let output = superdense(&folder, &["run", "model.yaml", "-o", name]);
            failed(&output, &["error[trace-unwritable]", &format!("cannot write {name}: {cause}")]);
        };
        let directory = format!("folder.{ending}");
        fs::create_dir(folder.join(&directory)).expect("a folder");
        refused(&directory, "is a directory");
        assert!(files(&folder.join(&directory)).is_empty());
        refused(&format!("missing/result.{ending}"), "No such file or directory");
        refused(&format!("model.yaml/result.{ending}"), "Not a directory");
        refused(&format!("{}.{ending}", "x".repeat(300)), "File name too long");
        // The file beside has a longer name, for which there must be room.
        let longest = format!("{}.{ending}", "x".repeat(254 - ending.len()));
        let output = superdense(&folder, &["run", "model.yaml", "-o", &longest]);
        assert!(output.status.success(), "{}", messages(&output));
        fs::remove_file(folder.join(&longest)).expect("a file of that name");
    }
    assert_eq!(files(&folder), ["model.yaml"]);
}

#[test]
fn pictures_and_tables_are_whole_or_absent() {
    let folder = folder("pictures");
    let outputs: [(&str, &[&str]); 5] = [
        ("result.svg", &["run", "model.yaml", "--plot", "result.svg"]),
        ("result.png", &["run", "model.yaml", "--plot", "result.png"]),
        ("diagram.svg", &["graph", "model.yaml", "-o", "diagram.svg"]),
        ("energy.svg", &["energy", "model.yaml", "--step", "0.1", "-o", "energy.svg"]),
        ("streams.csv", &["stream", "model.yaml", "--stop", "1", "-o", "streams.csv"]),
    ];
    for (name, arguments) in outputs {
        let told = format!("cannot write {name}: File too large");
        failed(&limited(&folder, 1, arguments), &[&told]);
        assert_eq!(files(&folder), ["model.yaml"], "{name}");
        fs::write(folder.join(name), "old").expect("a file");
        failed(&limited(&folder, 1, arguments), &[&told]);
        assert_eq!(read(&folder, name), "old");
        fs::remove_file(folder.join(name)).expect("the old file");
        let output = superdense(&folder, arguments);
        assert!(output.status.success(), "{}", messages(&output));
        fs::remove_file(folder.join(name)).expect("a new file");
    }
}

/// A log that ends too early is told, and costs nothing of the result.
#[test]
fn a_log_without_room() {
    if !Path::new("/dev/full").exists() {
        return eprintln!("skipped: there is no /dev/full");
    }
    let folder = folder("log");
    symlink("/dev/full", folder.join("log.jsonl")).expect("a link");
    let whole = superdense(&folder, &["run", "model.yaml", "-q", "-o", "whole.csv"]);
    assert!(whole.status.success(), "{}", messages(&whole));
    let logged = ["run", "model.yaml", "-q", "-o", "result.csv", "--log", "log.jsonl"];
    let told = "the log log.jsonl is not complete: No space left on device";
    failed(&superdense(&folder, &logged), &[told]);
    assert!(read(&folder, "result.csv") == read(&folder, "whole.csv"));
}
