//! What is shown.

use diagram::Phase;
use schedule::{PartRef, Schedule};

/// What a figure shows.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// How deep the hierarchy is opened: 0 shows the main diagram with its instances closed; `None`
    /// opens everything.
    pub depth: Option<usize>,
    /// Paths of instances that are opened although they are deeper than that.
    pub opened: &'a [String],
    /// Whether every element of an array of blocks is drawn, instead of one box for all of them.
    pub open_arrays: bool,
    /// Whether an expression is written on the wire that it feeds instead of being a node.
    pub fold_expressions: bool,
    /// Whether expressions that are only recorded are shown.
    pub records: bool,
    /// The order of evaluation to number the blocks by.
    pub order: Option<Order<'a>>,
    /// Causality loops to draw in red, as returned by [`schedule::refused_loops`].
    pub loops: &'a [Vec<PartRef>],
    /// Whether the kinds of wires are explained below the figure.
    pub legend: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            depth: None,
            opened: &[],
            open_arrays: false,
            fold_expressions: false,
            records: false,
            order: None,
            loops: &[],
            legend: true,
        }
    }
}

/// An order of evaluation. The number of a block is that of the first step that computes a value of
/// one of its outputs; the blocks of a loop share a number.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The schedule.
    pub schedule: &'a Schedule,
    /// Between events, or at a tick.
    pub phase: Phase,
}
