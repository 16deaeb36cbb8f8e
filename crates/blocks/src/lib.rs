//! What a block is, and the library: one block, one file.
//!
//! A block is defined once, as functions over its inputs and its state ([`Block::define`]); its
//! behaviour between events and at a tick both follow from them. Its page in the documentation is
//! generated from its [`Info`]. Nothing here knows which blocks are connected.

mod block;
mod checks;
mod component;
mod context;
mod definition;
mod info;
mod listing;
mod role;
mod timer;

mod expression;
mod machine;
mod operators;
mod outside;
mod stepping;

mod library;
mod page;

pub use block::{Block, BlockKind, Library, Setting};
pub use component::Component;
pub use context::Context;
pub use definition::{
    Begins, Check, Completion, Definition, DelayedInput, Join, Leaf, Memory, OrderHazard, Part,
    Pending, Signal, SignalDelay, State, Timing, VariableDelay,
};
pub use expression::{Formula, Operand};
pub use info::{Accepts, Count, Info, Input, Kind, Output, Parameter, Text};
pub use library::Random;
pub use machine::{After, CurrentState, Elapsed, ModeOutput, Otherwise, Variable};
pub use outside::{InputKind, Outside, named_type};
pub use page::page;
pub use role::Role;
pub use stepping::Impulses;
pub use timer::{
    Alarm, Every, Instants, MOST_WAKINGS, Pattern, Timer, Times, events_before, events_before_near,
};

#[cfg(test)]
mod listings;
