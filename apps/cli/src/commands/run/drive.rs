//! Drives a run to its end, to an error or to an interrupt.

use superdense::{InputValue, Listener, Run, RunError, StopReason, Tag, WriteError, Writer};

use super::interrupt;
use super::progress::Progress;

/// How often the progress is told, in things that the run does, and how many steps may be one of
/// them.
const STRIDE: u32 = 64;

/// Why a run is over.
#[derive(Debug)]
pub enum End {
    Reached(StopReason),
    Interrupted(Tag),
    /// With what the block that failed has read.
    Failed(RunError, Vec<InputValue>),
    /// The rest could not be written, so there was no use in going on.
    Unwritten(WriteError),
}

/// A run that is over.
pub struct Driven {
    pub end: End,
    /// The run, with its rows, or with the last one where they went to a file.
    pub run: Run,
}

/// Where a run tells its events and leaves its rows.
pub struct Outputs {
    pub listener: Option<Listener>,
    /// Where rows go as they come; where there is none they stay in memory.
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
    // The file is closed however the run has ended.
    match run.close() {
        Some(error) => Driven { end: End::Unwritten(error), run },
        None => Driven { end, run },
    }
}

/// Runs a model up to an end, or to where it has come far enough.
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
