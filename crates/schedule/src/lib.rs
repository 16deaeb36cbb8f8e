//! The order of evaluation: from a diagram, the parts in order and the loops of each phase.
//!
//! The nodes are parts of wires (value, presence, impulse coefficients). Their dependencies are
//! those of the functions specialised for the phase, so a delay that breaks a loop at ticks does
//! not break one between events, and an impulse makes no loop with the value that it causes. A loop
//! that cannot become known is refused here and shown. A loop that conditionals may break is left
//! to be iterated. A loop that the model asks to solve is torn.

mod graph;
mod knowable;
mod listing;
mod loops;
mod order;

pub use graph::{PartId, PartRef, Parts};
pub use order::{Schedule, Step, refused_loops, schedule};

#[cfg(test)]
mod listings;
