//! Start-up: from the text of a small model to a system that can run, and from the start of the
//! command to its end.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::compile;
use crate::measure::{Bar, Effort, Figure, time};

const TEXT: &str = "superdense: 1
name: bouncing-ball
parameters: {g: 9.81, e: 0.8, y0: 10}
blocks:
  v: {type: Integrator, input: -g, initial: 0, impulse: kick}
  y: {type: Integrator, input: v, initial: y0}
  hit: {type: LevelCrossing, input: y, level: 0, direction: falling}
  kick: {type: Sample, input: -(1 + e) * previous(v), trigger: hit}
record: [y, v, kick]
simulate: {stop: 12, solver: rk45, tolerance: 1e-8}
";

pub(super) fn check() -> Result<()> {
    let outcome = compile(TEXT)?.simulate()?;
    ensure!(outcome.counters.ticks > 0, "the ball does not bounce");
    Ok(())
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let blocks = compile(TEXT)?.block_count();
    let ready = Figure::new("small model, text to ready", time(effort, || compile(TEXT)));
    Ok(vec![ready.note(format!("{blocks} blocks")), process(effort)?])
}

/// The command `superdense run` with a file, from start to end.
fn process(effort: &Effort) -> Result<Figure> {
    let command = build()?;
    let file = std::env::temp_dir().join(format!("superdense-bench-{}.yaml", std::process::id()));
    std::fs::write(&file, TEXT)?;
    run(&command, &file)?;
    let ours = time(effort, || run(&command, &file));
    std::fs::remove_file(&file)?;
    let note = "superdense run, 12 s of a ball, nothing written";
    Ok(Figure::new("small model, the whole process", ours).bar(Bar::Seconds(0.01)).note(note))
}

fn run(command: &Path, file: &Path) -> Result<()> {
    let mut process = Command::new(command);
    process.args(["run", "--quiet"]).arg(file).stdout(Stdio::null());
    ensure!(process.status()?.success(), "`superdense run` failed");
    Ok(())
}

/// The command is next to this program; it is built first, so that it is up to date.
fn build() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--release", "--package", "superdense-cli"]);
    let done = build.status().context("cannot start cargo, to build the command")?;
    ensure!(done.success(), "the command could not be built");
    let own = std::env::current_exe()?;
    let command = own.with_file_name("superdense");
    ensure!(command.exists(), "`{}` is missing: run this with --release", command.display());
    Ok(command)
}
