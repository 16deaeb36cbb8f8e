//! The cost of recording ten signals in a file: the same model with and without recording.
//!
//! The model consists of ten Lorenz systems, each driven by the one before, so that they are one
//! region and a step costs some microseconds. The column "by hand" has the run without recording.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use superdense::{System, Writer};

use super::{NOTHING, compile};
use crate::measure::{Bar, Effort, Figure, in_turn};

const SYSTEMS: usize = 10;

/// A sample is long, so that opening the file and waiting for the disk at the end are negligible.
const SAMPLES: u32 = 7;
const STOP: u32 = 2000;

fn text(record: &str, stop: u32) -> String {
    let mut blocks = String::new();
    for i in 0..SYSTEMS {
        let drive = if i == 0 { "0".to_owned() } else { format!("0.1 * x{}", i - 1) };
        blocks += &format!("  x{i}: {{type: Integrator, input: 10 * (y{i} - x{i}), initial: 1}}\n");
        blocks += &format!(
            "  y{i}: {{type: Integrator, input: x{i} * (28 - z{i}) - y{i} + {drive}, initial: 1}}\n"
        );
        blocks += &format!("  z{i}: {{type: Integrator, input: x{i} * y{i} - 8/3 * z{i}}}\n");
    }
    format!(
        "superdense: 1
name: recording
blocks:
{blocks}record: [{record}]
simulate: {{stop: {stop}, solver: rk45, tolerance: 1e-6}}
"
    )
}

/// Runs a model with its rows written to a file; returns the number of steps.
fn record(system: &System, path: &Path) -> Result<u64> {
    let mut run = system.begin();
    run.record_to(Writer::create(path, &system.schema(), &system.header())?);
    let outcome = run.finish()?;
    ensure!(outcome.write_error.is_none(), "the file could not be written");
    Ok(outcome.counters.steps)
}

fn file(format: &str) -> PathBuf {
    std::env::temp_dir().join(format!("superdense-bench-{}.{format}", std::process::id()))
}

fn recorded(stop: u32) -> Result<System> {
    let names: Vec<String> = (0..SYSTEMS).map(|i| format!("x{i}")).collect();
    compile(&text(&names.join(", "), stop))
}

/// Checks that the file contains what the run recorded.
pub(super) fn check() -> Result<()> {
    let (system, path) = (recorded(2)?, file("check.parquet"));
    let steps = record(&system, &path)?;
    let (written, kept) = (superdense::traces::read(&path)?, system.simulate()?);
    std::fs::remove_file(&path)?;
    ensure!(kept.counters.steps == steps, "not the same steps");
    ensure!(written.len() == kept.trace.len(), "not the same rows");
    ensure!(written.last("x9") == kept.trace.last("x9"), "not the same values");
    Ok(())
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let (recorded, bare) = (recorded(STOP)?, compile(&text(NOTHING, STOP))?);
    let effort = effort.at_most(SAMPLES);
    let mut figures = Vec::new();
    for (format, bar) in [("parquet", Some(Bar::Ratio(1.3))), ("csv", None), ("json", None)] {
        let path = file(format);
        let steps = record(&recorded, &path)?;
        let bytes = std::fs::metadata(&path).context("the file was written")?.len();
        let (ours, hand) = in_turn(&effort, || record(&recorded, &path), || effort.run(&bare));
        std::fs::remove_file(&path)?;
        let note = format!(
            "{steps} steps of {:.2} us without, {:.1} bytes per step",
            hand.best / steps as f64 * 1e6,
            bytes as f64 / steps as f64
        );
        let name = format!("10 signals to {format}, against none recorded");
        figures.push(Figure::new(name, ours).against(hand).bar(bar).note(note));
    }
    Ok(figures)
}
