//! The sections of a diagram and of a run, each from its node.

mod blocks;
mod diagram;
mod functions;
mod invariants;
mod modal;
mod plots;
mod run;
mod sweep;
mod system;

pub(crate) use diagram::{KEYS as DIAGRAM_KEYS, diagram, outside_inputs, root};
pub(crate) use functions::functions;
pub(crate) use invariants::invariants;
pub(crate) use plots::plots;
pub use plots::{
    FIGURE_KEYS, PHASE_PANEL_KEYS, PLOT_AXIS_KEYS, PLOT_MARKS, PLOT_SIGNAL_KEYS, PLOT_TIMES,
    TIME_PANEL_KEYS,
};
pub(crate) use run::{record, simulate};
pub(crate) use sweep::sweep;
pub use sweep::{SWEEP_KEYS, SweepSection};
