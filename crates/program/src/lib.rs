//! The smooth phase and the plan of a tick: schedule in, tapes over one flat buffer out.
//!
//! All numbers of a run live in one buffer whose places are given out here: time, states, sides,
//! wires, and what tapes need on the way. Between events each region has a tape for the rates of
//! its states and one for its crossing functions; at a tick every block has a small tape of its
//! own, and tables say which tapes read what, so that only what is affected runs. Nothing here
//! runs anything.

mod program;

mod alike;
mod slots;

mod compose;
mod jacobian;
mod kinks;
mod lines;
mod live;
mod machines;
mod rates;
mod reach;
mod smooth;
mod solved;
mod sweep;
mod tick;
mod watched;

pub use jacobian::Jacobian;
pub use machines::{
    Asked, Assignment, EntryState, EntryWire, FragmentProgram, MachineOutput, MachineProgram,
    StateProgram, Tested, Transition,
};
pub use program::{
    Cell, CellId, Crossing, CrossingKind, Duties, Extras, Kinks, Line, LiveTapes, Memory, Output,
    Past, Program, RecordCells, RegionProgram, Span, StateCells, TimerCells, Track, Unit, UnitId,
    Watch, WireCells, WirePlaces, compile,
};
pub use rates::{Rates, rates};
pub use reach::Reach;
pub use sweep::{Pass, Sweep, sweep};
pub use watched::{Function, Room, Shape, Source, Terms};
