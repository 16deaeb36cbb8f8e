//! The sections of a diagram and of a run, each from its node.

mod diagram;
mod run;

pub(crate) use diagram::{KEYS as DIAGRAM_KEYS, diagram, root};
pub use run::SIMULATE_KEYS;
pub(crate) use run::{record, simulate};
