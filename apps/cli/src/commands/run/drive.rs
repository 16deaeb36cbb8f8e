//! Drives a run until it ends, fails or is interrupted.

use superdense::{InputValue, Listener, Run, RunError, StopReason, Tag, WriteError, Writer};

use super::interrupt;
use super::progress::Progress;

/// How many advances there are between updates of the progress, and the maximum number of steps in
/// one advance.
const STRIDE: u32 = 64;

/// Why a run has ended.
#[derive(Debug)]
pub enum End {
    Reached(StopReason),
    Interrupted(Tag),
    /// The error, with the input values of the block that failed.
    Failed(RunError, Vec<InputValue>),
    /// The remaining rows could not be written, so continuing was pointless.
    Unwritten(WriteError),
}

/// A run that has ended.
pub struct Driven {
    pub end: End,
    /// The run, with all its rows, or with only the last values if rows went to a file.
    pub run: Run,
}

/// Where a run reports its events and writes its rows.
pub struct Outputs {
    pub listener: Option<Listener>,
    /// Receives the rows as they are produced; if there is none, they stay in memory.
    pub writer: Option<Writer>,
}

/// Runs a model.
pub fn drive(mut run: Run, outputs: Outputs, progress: &mut Progress) -> Driven {
    if let Some(listener) = outputs.listener {
        run.listen(listener);
    }
    if let Some(writer) = outputs.writer {
        run.record_to(writer);
    }
    let end = advance(&mut run, progress, |_| false);
    // The file is closed however the run ended.
    match run.close() {
        Some(error) => Driven { end: End::Unwritten(error), run },
        None => Driven { end, run },
    }
}

/// Advances a run until it ends, or until `enough` holds.
pub fn advance(run: &mut Run, progress: &mut Progress, enough: impl Fn(Tag) -> bool) -> End {
    let mut count = 0u64;
    loop {
        match run.advance_by(STRIDE) {
            Ok(None) if run.is_unwritten() => return End::Reached(StopReason::Stopped),
            Ok(None) => {}
            Ok(Some(reason)) => return End::Reached(reason),
            Err(error) => {
                let inputs = run.inputs_of(&error);
                return End::Failed(error, inputs);
            }
        }
        if interrupt::asked() {
            return End::Interrupted(run.tag());
        }
        if enough(run.tag()) {
            return End::Reached(StopReason::Stopped);
        }
        count += 1;
        if count.is_multiple_of(u64::from(STRIDE)) {
            progress.at(run.tag().time);
        }
    }
}
