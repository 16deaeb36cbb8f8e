//! Figures that a model asks for, as written.

use base::Spanned;
use expr::Expr;

/// A figure: panels one above the other.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Its name, by which the command line asks for it.
    pub name: Spanned<String>,
    /// A line above everything; the name of the model where it is missing.
    pub title: Option<String>,
    /// The panels, from the top.
    pub panels: Vec<PlotPanel>,
    /// Where the time axis begins; at the start of the run where it is missing.
    pub from: Option<Expr>,
    /// Where the time axis ends; at the stop of the run where it is missing.
    pub to: Option<Expr>,
    /// Instants whose microsteps stand side by side: a time, or a list of them.
    pub open: Option<Expr>,
}

/// One pair of axes.
#[derive(Clone, Debug)]
pub struct PlotPanel {
    /// A line above the panel.
    pub title: Option<String>,
    /// What is drawn.
    pub content: PlotContent,
    /// The horizontal axis, of a phase plot.
    pub x: PlotAxis,
    /// The vertical axis.
    pub y: PlotAxis,
    /// The height between the axes, in pixels.
    pub height: Option<Expr>,
}

/// What a panel shows.
#[derive(Clone, Debug)]
pub enum PlotContent {
    /// Signals over time.
    Time {
        /// The signals.
        signals: Vec<PlotSignal>,
        /// Whether a stem marks each step of the solver.
        steps: bool,
    },
    /// Signals over other signals.
    Phase {
        /// Pairs of signals, the horizontal one first.
        pairs: Vec<[Spanned<String>; 2]>,
        /// Whether a unit is as long on both axes.
        equal: bool,
    },
}

/// A signal over time.
#[derive(Clone, Debug)]
pub struct PlotSignal {
    /// A recorded column, or an element of one.
    pub name: Spanned<String>,
    /// What the legend calls it.
    pub label: Option<String>,
    /// The unit of its values.
    pub unit: Option<String>,
    /// How it is drawn.
    pub mark: Option<PlotMark>,
}

/// How the values of a signal are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlotMark {
    /// As a line.
    Line,
    /// As stems from zero.
    Stems,
    /// As dots.
    Dots,
}

/// An axis of values.
#[derive(Clone, Default, Debug)]
pub struct PlotAxis {
    /// Its name.
    pub label: Option<String>,
    /// The unit.
    pub unit: Option<String>,
    /// The lower and the upper end, a list of two numbers.
    pub range: Option<Expr>,
    /// Whether it is logarithmic.
    pub log: bool,
}
