//! Mutated and generated input through the commands of the program: whatever is in a file, the
//! program ends with a result or with a message, within its limits of time and memory.
//!
//! The tests try some hundred inputs and all files in `fuzz/findings`, which have ended the program
//! once. A long search is
//!
//! ```sh
//! SUPERDENSE_FUZZ=1000000 cargo test --release --workspace --test cli_tests fuzz:: -- --nocapture
//! ```
//!
//! It writes what it finds to `target/tmp/fuzz-findings`, prints its seed, and goes on from another
//! one with `SUPERDENSE_FUZZ_SEED`.

#![cfg(unix)]

mod generate;
mod mutate;

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::draws::Draws;
use crate::common::{repository, scratch};
use crate::fmu_exchange::pack_ball;
use crate::fmu_import::pack_able_lag;
use generate::Vocabulary;
use mutate::Corpus;

/// The address space that a command may take \[kB\], for it maps more than it uses.
const MEMORY: u64 = 8 << 20;
/// How long a command may take, before it is asked to end, and after that.
const PATIENCE: Duration = Duration::from_secs(1);
const GRACE: Duration = Duration::from_secs(60);
/// The number of the signal that asks it.
const SIGTERM: i32 = 15;

/// After how many inputs a long search says how far it has come.
const TOLD_EVERY: u64 = 10_000;

/// What is done with a model: the arguments before and after its name.
const COMMANDS: [(&[&str], &[&str]); 15] = [
    (&["run"], &["--quiet", "-o", "out.csv"]),
    BACKENDS,
    (&["run"], &["--quiet", "--backend", "native", "-o", "out.parquet"]),
    (&["run"], &["--quiet", "--every", "0.1", "--plot", "out.svg", "-o", "out.json"]),
    (&["check"], &[]),
    (&["graph"], &["-o", "graph.svg"]),
    (&["fmt", "--check"], &[]),
    (&["explain"], &["0.5"]),
    (&["stream"], &["--quiet", "--limit", "2000", "-o", "stream.csv"]),
    (&["dirac"], &[]),
    (&["check", "--parameters"], &[]),
    (&["trim"], &[]),
    (&["linearize", "--at", "0.3", "--delays", "2"], &[]),
    (&["linearize", "--trim"], &["--format", "json"]),
    (&["sweep"], &["--quiet", "-o", "table.csv"]),
];

/// A run whose result must be the same with native code.
const BACKENDS: (&[&str], &[&str]) =
    (&["run"], &["--quiet", "--backend", "interpreter", "-o", "out.csv"]);
const OTHER_BACKEND: [&str; 7] =
    ["run", "model.yaml", "--quiet", "--backend", "native", "-o", "other.csv"];

/// How a command has ended, if nothing is wrong with that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// By itself, with this code.
    Code(i32),
    /// It was asked to.
    Asked,
}

/// Runs a command in a folder, and says what is wrong with how it ends, if anything is.
fn misbehaves(folder: &Path, arguments: &[&str]) -> Option<String> {
    end(folder, arguments).err()
}

/// Runs a command in a folder; the error is what is wrong with how it ends.
fn end(folder: &Path, arguments: &[&str]) -> Result<End, String> {
    let binary = env!("CARGO_BIN_EXE_superdense");
    let limited = format!("ulimit -v {MEMORY}; ulimit -c 0; exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &limited, binary])
        .args(arguments)
        .current_dir(folder)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell can be started");
    let mut messages = child.stderr.take().expect("its messages");
    let reader = thread::spawn(move || {
        let mut said = Vec::new();
        // More than this nobody reads; the rest must go somewhere all the same.
        let _ = messages.by_ref().take(1 << 20).read_to_end(&mut said);
        let _ = std::io::copy(&mut messages, &mut std::io::sink());
        String::from_utf8_lossy(&said).into_owned()
    });
    let asked = !ends_within(&mut child, PATIENCE);
    if asked {
        let id = child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        if !ends_within(&mut child, GRACE) {
            let _ = child.kill();
            let _ = child.wait();
            return Err("does not end when it is asked to".to_owned());
        }
    }
    let status = child.wait().expect("it has ended");
    let said = reader.join().unwrap_or_default();
    match status.code() {
        _ if said.contains("panicked at") => Err(first_lines(&said, "panicked at")),
        _ if said.contains("memory allocation of") => Err(first_lines(&said, "memory allocation")),
        // On a loaded machine the request may come before the handler that would give code 130.
        None if asked && status.signal() == Some(SIGTERM) => Ok(End::Asked),
        None => Err(format!("ended by a signal: {}", first_lines(&said, ""))),
        Some(1) if said.trim().is_empty() => Err("fails without a word".to_owned()),
        Some(130) if asked => Ok(End::Asked),
        Some(code @ 0..=2) => Ok(End::Code(code)),
        Some(code) => Err(format!("exit code {code}: {}", first_lines(&said, ""))),
    }
}

fn first_lines(said: &str, from: &str) -> String {
    let begin = said.find(from).unwrap_or(0);
    said[begin..].lines().take(3).collect::<Vec<&str>>().join(" / ")
}

fn ends_within(child: &mut Child, time: Duration) -> bool {
    let begin = Instant::now();
    let mut pause = Duration::from_micros(500);
    while begin.elapsed() < time {
        if child.try_wait().expect("a child can be waited for").is_some() {
            return true;
        }
        thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(20));
    }
    false
}

/// Tries an input with a command; gives what is wrong.
fn attempt(folder: &Path, text: &str, command: usize) -> Option<String> {
    fs::write(folder.join("model.yaml"), text).expect("a model can be written");
    for earlier in ["out.csv", "other.csv", ".table.csv.sweep"] {
        let _ = fs::remove_file(folder.join(earlier));
    }
    let (before, after) = COMMANDS[command];
    let arguments: Vec<&str> = before.iter().chain(&["model.yaml"]).chain(after).copied().collect();
    let outcome = end(folder, &arguments).and_then(|first| match COMMANDS[command] == BACKENDS {
        true => same_with_native_code(folder, first),
        false => Ok(()),
    });
    outcome.err().map(|wrong| format!("{}: {wrong}", arguments.join(" ")))
}

/// Repeats a run with native code: it must end in the same way and write the same bits.
fn same_with_native_code(folder: &Path, first: End) -> Result<(), String> {
    let written = |name: &str| fs::read(folder.join(name)).ok();
    let expected = written("out.csv");
    let second = end(folder, &OTHER_BACKEND)?;
    let same = (first, expected) == (second, written("other.csv"));
    match same || first == End::Asked || second == End::Asked {
        true => Ok(()),
        false => Err("native code gives another result".to_owned()),
    }
}

/// Writes the tables and the FMUs that models name.
fn write_data(folder: &Path) {
    for (name, text) in generate::DATA {
        fs::write(folder.join(name), text).expect("a table can be written");
    }
    pack_able_lag(folder);
    pack_ball(folder, 3, 0);
}

/// A trace with some of its bytes changed must be read or refused; gives its name and what is wrong.
fn attempt_trace(folder: &Path, corpus: &Corpus, draws: &mut Draws) -> Option<(String, String)> {
    let (name, bytes) = draws.pick(&corpus.traces);
    let changed = format!("changed.{}", name.rsplit('.').next().unwrap_or_default());
    fs::write(folder.join(name), bytes).expect("a trace can be written");
    fs::write(folder.join(&changed), mutate::bytes(bytes, draws)).expect("a trace can be written");
    let wrong = match draws.below(2) {
        0 => misbehaves(folder, &["compare", name, &changed]),
        _ => misbehaves(folder, &["plot", &changed, "-o", "p.svg"]),
    };
    wrong.map(|wrong| (changed, wrong))
}

/// Tries so many inputs on a thread, and keeps those that misbehave in a folder.
fn search(
    seed: u64,
    inputs: u64,
    (corpus, vocabulary): (&Corpus, &Vocabulary),
    done: &AtomicU64,
    kept: &Path,
) -> Vec<String> {
    let mut draws = Draws::new(seed);
    let folder = scratch("fuzz");
    write_data(&folder);
    let mut found: Vec<String> = Vec::new();
    loop {
        let number = done.fetch_add(1, Ordering::Relaxed);
        if number >= inputs {
            break;
        }
        if number > 0 && number.is_multiple_of(TOLD_EVERY) {
            println!("{number} inputs");
        }
        if draws.below(20) == 0 {
            if let Some((changed, wrong)) = attempt_trace(&folder, corpus, &mut draws) {
                let name = format!("{seed}-{}-{changed}", found.len());
                eprintln!("{name}: {wrong}");
                let _ = fs::create_dir_all(kept);
                let _ = fs::copy(folder.join(&changed), kept.join(&name));
                found.push(format!("{name}: {wrong}"));
            }
            continue;
        }
        let text = match draws.below(2) {
            0 => generate::model(vocabulary, &mut draws),
            _ => corpus.mutated(&mut draws),
        };
        let command = draws.below(COMMANDS.len() as u64) as usize;
        if let Some(wrong) = attempt(&folder, &text, command) {
            eprintln!("{wrong}");
            let _ = fs::create_dir_all(kept);
            let name = format!("{seed}-{}.yaml", found.len());
            let _ = fs::write(kept.join(&name), format!("# {}\n{text}", wrong.replace('\n', " ")));
            found.push(format!("{name}: {wrong}"));
        }
    }
    let _ = fs::remove_dir_all(&folder);
    found
}

#[test]
fn no_input_ends_the_program() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let inputs: u64 = number("SUPERDENSE_FUZZ").unwrap_or(300);
    let seed: u64 = number("SUPERDENSE_FUZZ_SEED").unwrap_or(1);
    let (corpus, vocabulary) = (Corpus::new(&repository()), Vocabulary::new());
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-findings");
    let done = AtomicU64::new(0);
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    println!("{inputs} inputs from seed {seed}");
    let found: Vec<String> = thread::scope(|scope| {
        let (made_of, done, kept) = ((&corpus, &vocabulary), &done, &kept);
        let workers: Vec<_> = (0..threads)
            .map(|k| scope.spawn(move || search(seed + 1000 * k, inputs, made_of, done, kept)))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
    });
    assert!(found.is_empty(), "in {}:\n{}", kept.display(), found.join("\n"));
}

/// Enough of the generated models run for the search to reach what comes after the front end.
#[test]
fn many_generated_models_run() {
    let (vocabulary, folder) = (Vocabulary::new(), scratch("generated"));
    write_data(&folder);
    let mut draws = Draws::new(3);
    let mut run = 0;
    for _ in 0..100 {
        let text = generate::model(&vocabulary, &mut draws);
        fs::write(folder.join("model.yaml"), text).expect("a model can be written");
        let outcome = end(&folder, &["run", "model.yaml", "--quiet", "-o", "out.csv"]);
        run += i32::from(outcome == Ok(End::Code(0)));
    }
    assert!(run >= 15, "{run} of 100 run to their end");
}

/// What has ended the program once, with every command.
#[test]
fn earlier_findings_stay_mended() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/findings");
    let folder = scratch("findings");
    write_data(&folder);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(own).expect("findings").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let text = fs::read_to_string(&path).expect("a model");
        for command in 0..COMMANDS.len() {
            let wrong = attempt(&folder, &text, command);
            assert_eq!(wrong, None, "{}", path.display());
        }
    }
}
