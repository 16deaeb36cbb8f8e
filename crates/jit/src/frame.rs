//! The structures that native code shares with its callers, beside the buffer.
//!
//! Each is defined once, with the layout of C: Rust fills it in and reads it by its fields, and
//! the code generator takes the offsets of the same fields by [`offset`].

use solver::{StepBatch, Trial};

/// The most slopes of a method whose steps are computed whole. Steps of methods with more are
/// computed stage by stage by the solver, with native code for the rates.
pub(crate) const SLOPES: usize = 16;

/// A trial step, for the code of a [`crate::StepRoutine`].
#[repr(C)]
pub(crate) struct StepFrame {
    /// What the times of the step count from.
    pub origin: f64,
    /// The start of the step; on return that of the step computed last.
    pub start: f64,
    /// Its end, likewise.
    pub end: f64,
    /// The relative tolerance.
    pub relative: f64,
    /// The absolute tolerance.
    pub absolute: f64,
    /// The states at the start.
    pub x0: *mut f64,
    /// The states at the end.
    pub x1: *mut f64,
    /// The slopes, of which the first is known.
    pub slopes: [*mut f64; SLOPES],
    /// How far steps may follow each other, and how far they have.
    pub batch: StepBatch,
    /// Where the next point between them goes; null if nobody asks for them.
    pub passed: *mut f64,
}

impl StepFrame {
    /// The frame of a trial whose arrays outlive it. Without a batch there is no room for any step
    /// but the trial.
    #[inline]
    pub fn new(origin: f64, trial: &mut Trial) -> StepFrame {
        let mut slopes = [std::ptr::null_mut(); SLOPES];
        for (pointer, slope) in slopes.iter_mut().zip(trial.slopes.iter_mut()) {
            *pointer = slope.as_mut_ptr();
        }
        StepFrame {
            origin,
            start: trial.start,
            end: trial.end,
            relative: trial.relative,
            absolute: trial.absolute,
            x0: trial.x0.as_mut_ptr(),
            x1: trial.x1.as_mut_ptr(),
            slopes,
            batch: trial.batch.as_deref().copied().unwrap_or_default(),
            passed: match trial.passed.is_empty() {
                true => std::ptr::null_mut(),
                false => trial.passed.as_mut_ptr(),
            },
        }
    }
}

/// The state of a run through a word of units, for the code of a [`crate::WordRoutine`].
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub struct UnitsFrame {
    /// The units that the caller runs itself, as bits.
    pub held: u64,
    /// How many events are present.
    pub present: u64,
    /// How many units have run; 0 at the beginning.
    pub count: u64,
    /// The units that have run, as bits; 0 at the beginning.
    pub ran: u64,
}

/// The offset of a field of a frame \[bytes\].
macro_rules! offset {
    ($frame:ty, $($field:tt)+) => {
        ::std::mem::offset_of!($frame, $($field)+) as i32
    };
}

pub(crate) use offset;
