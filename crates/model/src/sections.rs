//! The sections of a diagram and of a run, each from its node.

mod diagram;
mod modal;
mod run;

pub(crate) use diagram::{diagram, root};
pub use run::SIMULATE_KEYS;
pub(crate) use run::{record, simulate};
