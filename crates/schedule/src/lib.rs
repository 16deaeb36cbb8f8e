//! The order of evaluation: diagram in, for each mode the parts in order and the loops out.
//!
//! The nodes are parts of wires (value, presence, impulse coefficients), and their dependencies are
//! those of the functions folded for the mode, so a delay that breaks a loop at ticks breaks none
//! between events, and an impulse makes no loop with the value that it causes. A loop that cannot
//! be known is refused here, with the loop shown; one that may be known by conditionals is left to
//! be iterated; one that the model asks to have solved is torn.

mod graph;
mod knowable;
mod listing;
mod loops;
mod order;

pub use graph::{PartId, PartRef, Parts};
pub use order::{Schedule, Step, refused_loops, schedule};

#[cfg(test)]
mod listings;
