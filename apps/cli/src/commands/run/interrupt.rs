//! Ctrl-C: the first asks a run to end with what it has, the second ends the process.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

/// The exit code of a process that an interrupt has ended, as shells count.
pub const EXIT_CODE: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Takes interrupts from now on.
pub fn watch() -> Result<()> {
    let taken = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            process::exit(EXIT_CODE.into());
        }
    });
    taken.context("interrupts cannot be taken")
}

/// Whether the run is to end.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
