//! Ctrl-C, and what else asks a process to end: the first asks a run to end with what it has, the
//! second ends the process. Where nothing runs the first one does. No file is left half written.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use superdense::traces;

/// The exit code of a process that an interrupt has ended, as shells count.
pub const EXIT_CODE: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);
static RUNS: AtomicBool = AtomicBool::new(false);

/// Takes interrupts from now on.
pub fn watch() -> Result<()> {
    let taken = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) || !RUNS.load(Ordering::Relaxed) {
            traces::discard();
            process::exit(EXIT_CODE.into());
        }
    });
    taken.context("interrupts cannot be taken")
}

/// A run begins or ends, which looks at [`asked`].
pub fn note_run(runs: bool) {
    RUNS.store(runs, Ordering::Relaxed);
}

/// Whether the run is to end.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
