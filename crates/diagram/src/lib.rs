//! From the hierarchy as written to a flat, typed diagram.
//!
//! [`flatten`] puts every instance in its place, resolves every name, evaluates every parameter,
//! finds types and sizes, and settles what is known before anything runs: which wires are events
//! only, which are always there, which move between events, how many orders of impulses reach
//! them, and which parts of the diagram share no continuous signal. Nothing is ordered here and no
//! loop is refused: that is the schedule's business.

mod flat;

mod at_start;
mod flatten;
mod machine;
mod modal;
mod open;
mod overrides;
mod parameters;
mod run;
mod scope;
mod settings;

mod discretise;
mod typing;

mod facts;
mod presence;
mod regions;
mod remembered;
mod repeated;
mod sliding;
mod specialise;
mod tags;

mod listing;
mod occasions;
mod possible;
mod unused;
mod warnings;

pub use at_start::AtStart;
pub use facts::{Phase, Sites};
pub use flat::{
    BlockArray, BlockId, Diagram, DiagramInput, FlatBlock, InstancePort, Invariant, Presence,
    Record, Region, RegionId, Solve, Wire, WireId,
};
pub use flatten::flatten;
pub use machine::{
    Assignment, Entry, Fragment, FragmentId, MachineId, MachineState, Modes, StateMachine,
    Transition,
};
pub use open::{MainParameter, NeedsCompiling, ParameterKind, Parameters};
pub use overrides::Settings;
pub use parameters::unknown_parameter;
pub use possible::possible;
pub use run::{Profile, Rows, RowsPer, RunSettings, Sliding, Zeno, run_settings};
pub use specialise::Specialised;
pub use warnings::{long_run, warnings};

#[cfg(test)]
mod listings;
