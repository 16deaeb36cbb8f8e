//! Ctrl-C and other signals that ask a process to terminate. The first one ends a run, which keeps
//! its results so far; the second one ends the process. If no run is active, the first one ends the
//! process. No file is left half written.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use superdense::traces;

/// The exit code of an interrupted process, by the convention of shells.
pub const EXIT_CODE: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);
static RUNS: AtomicBool = AtomicBool::new(false);

/// Handles interrupts from now on.
pub fn watch() -> Result<()> {
    let taken = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) || !RUNS.load(Ordering::Relaxed) {
            traces::discard();
            process::exit(EXIT_CODE.into());
        }
    });
    taken.context("interrupts cannot be taken")
}

/// Notes that a run, which checks [`asked`], starts or ends.
pub fn note_run(runs: bool) {
    RUNS.store(runs, Ordering::Relaxed);
}

/// Whether the run should end.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
