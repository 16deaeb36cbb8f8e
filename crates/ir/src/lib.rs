//! The intermediate representation: what a diagram computes, as a graph of pure operations.
//!
//! A [`Graph`] is built node by node; equal nodes are one node, and constants are folded while
//! building, only if the result is bit-identical. It can be differentiated ([`tangents`]),
//! checked ([`verify`]) and written out as a [`Tape`] over a flat buffer of numbers, which the
//! reference interpreter runs on floats, on Taylor [`Jet`]s, on intervals ([`base::Interval`]), on
//! numbers with their rounding ([`Rounded`]), on values with derivatives ([`Gradient`]) and on
//! [`Partial`] values. Nothing here knows blocks, wires or time: leaves are numbers that the maker of the graph gives meaning
//! to.

mod graph;
mod op;
mod opaque;

mod differentiate;
mod sparsity;
mod verify;

mod scalar;
mod slot;

mod enclosure;
mod gradient;
mod jet;
mod partial;
mod rounded;

mod interpret;
mod linear;
mod listing;
mod newton;
mod rank;
mod tape;

pub use differentiate::{Directions, Seeds, jacobian, tangents};
pub use enclosure::LIBRARY;
pub use gradient::Gradient;
pub use graph::{Body, BodyId, CallId, Graph, Inlined, Node, NodeId, Replace};
pub use interpret::{Active, run, run_active, run_one};
pub use jet::{Dual, Jet, ORDER as JET_ORDER};
pub use newton::is_undetermined;
pub use op::{Binary, Op, Unary};
pub use opaque::Opaque;
pub use partial::Partial;
pub use rounded::{Rounded, is_short};
pub use scalar::Scalar;
pub use slot::{Slot, SlotRange};
pub use sparsity::{Moves, Names, movements, readings};
pub use tape::{
    Code, Extra, Guards, Instr, Layout, Pair, Repeat, RepeatOp, SlotNames, SolveCode, Tape,
    TapeError,
};
pub use verify::{VerifyError, verify};
