//! What it costs to record ten signals in a file: the same model with and without.
//!
//! The model is ten of Lorenz's systems, each driven by the one before, so that they are one region
//! and a step costs some microseconds. What stands under "by hand" is the run without recording.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use superdense::{System, Writer};

use super::{NOTHING, compile};
use crate::measure::{Effort, Figure, best_in_turn};

const SYSTEMS: usize = 10;

/// A sample is long, so that opening a file and waiting for the disk at its end do not count.
const SAMPLES: u32 = 7;

fn text(record: &str) -> String {
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
simulate: {{stop: 2000, solver: rk45, tolerance: 1e-6}}
"
    )
}

/// Runs a model with its rows going to a file; says how many steps it took.
fn record(system: &System, path: &Path) -> Result<u64> {
    let mut run = system.start();
    run.record_to(Writer::create(path, &system.schema(), &system.header())?);
    let outcome = run.finish()?;
    ensure!(outcome.write_error.is_none(), "the file could not be written");
    Ok(outcome.counters.steps)
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let names: Vec<String> = (0..SYSTEMS).map(|i| format!("x{i}")).collect();
    let (recorded, bare) = (compile(&text(&names.join(", ")))?, compile(&text(NOTHING))?);
    let effort = Effort { samples: effort.samples.min(SAMPLES), ..*effort };
    let folder = std::env::temp_dir();
    let mut figures = Vec::new();
    for (format, limit) in [("parquet", Some(1.3)), ("csv", None), ("json", None)] {
        let path = folder.join(format!("superdense-bench-{}.{format}", std::process::id()));
        let steps = record(&recorded, &path)?;
        let bytes = std::fs::metadata(&path).context("the file was written")?.len();
        let (ours, hand) = best_in_turn(&effort, || record(&recorded, &path), || bare.simulate());
        std::fs::remove_file(&path)?;
        let per_step = hand / steps as f64;
        figures.push(Figure {
            name: format!("10 signals to {format}"),
            ours,
            hand: Some(hand),
            limit,
            note: format!(
                "{steps} steps of {:.2} us without, {:.1} bytes a step",
                per_step * 1e6,
                bytes as f64 / steps as f64
            ),
        });
    }
    Ok(figures)
}
