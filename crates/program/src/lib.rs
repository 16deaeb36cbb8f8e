//! The smooth phase and the plan of a tick: schedule in, tapes over one flat buffer out.
//!
//! All numbers of a run are in one buffer, whose slots are allocated here: time, states, sides,
//! wires, and intermediate values of tapes. Between events each region has a tape for the rates of
//! its states and one for its crossing functions. At a tick every block has a small tape of its
//! own, and tables say which tapes read what, so that only affected tapes run. Nothing here runs
//! anything.

/// The interpreter of tapes, and the kinds of numbers besides floats that it runs them on.
pub mod tape {
    pub use ir::{
        Active, Binary, Dual, Gradient, JET_ORDER, Jet, Partial, Rounded, Scalar, Slot, Tape,
        Unary, run, run_active,
    };
}

mod program;

mod delay_line;
mod region;
mod tracked;
mod unit;

mod alike;
mod slots;

mod assemble;
mod blame;

mod compose;
mod dependencies;
mod equations;
mod fixed_step;
mod influence;
mod inputs;
mod jacobian;
mod kinks;
mod lines;
mod listing;
mod live;
mod machines;
mod origins;
mod rates;
mod smooth;
mod solved;
mod tick;
mod values;
mod verify;
mod watched;

pub use blocks::{
    Begins, Impulses, InputKind, Memory as StateMemory, Part, Pending, Text, Timer, events_before,
    events_before_near,
};
pub use delay_line::{
    DelayLine, DelayTrack, Kinks, LineId, Past, PastId, Reading, ReadingStage, VariableTiming,
};
pub use dependencies::{Dependencies, Instant, Known, dependencies};
pub use diagram::{
    BlockId, FragmentId, MachineId, Profile, RegionId, Rows, RunSettings, WireId, Zeno,
};
pub use equations::{
    EquationComparison, EquationDelay, EquationInput, EquationState, Equations, Place, Unmovable,
    equations,
};
pub use fixed_step::{FixedStepProgram, Pass, PassOutput, fixed_step};
pub use influence::Influence;
pub use inputs::{InputId, InputProgram};
pub use jacobian::Jacobian;
pub use machines::{
    Asked, Assignment, EntryState, EntryWire, FragmentProgram, MachineOutput, MachineProgram,
    StateProgram, Transition, TransitionValue,
};
pub use origins::{BlockName, BlockOrigin, MachineOrigin, Origins};
pub use program::{Code, Extras, Program, StepLimits, compile};
pub use rates::{Rates, rates};
pub use region::{
    Crossing, CrossingId, CrossingKind, EventCrossing, FragmentSlice, LiveTapes, MaySlide, Memory,
    RegionProgram, Watch, WatchId,
};
pub use solved::Guess;
pub use tracked::{
    ParameterSlots, RecordSlots, StateId, TimerId, Tracked, TrackedId, TrackedState, TrackedTimer,
    TrackedWire, WireSlots, shown,
};
pub use unit::{
    Check, CrossingValue, HazardConditions, HazardId, Next, Output, Unit, UnitEffects, UnitId,
    UnitWord,
};
pub use values::{InitialPart, fill};
pub use verify::ProgramError;
pub use watched::{CommonTerms, Function, Number, Room, Shape, Source, Terms};

#[cfg(test)]
mod listings;
