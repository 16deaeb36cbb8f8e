//! Figures that a model asks for, as written.

use base::Spanned;
use expr::Expr;

/// A figure: panels stacked vertically.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Its name, by which the command line selects it.
    pub name: Spanned<String>,
    /// The title above all panels; if missing, the name of the model.
    pub title: Option<String>,
    /// The panels, from top to bottom.
    pub panels: Vec<PlotPanel>,
    /// Start of the time axis \[s\]; if missing, the start of the run.
    pub from: Option<Expr>,
    /// End of the time axis \[s\]; if missing, the end of the run.
    pub to: Option<Expr>,
    /// Instants whose microsteps are shown side by side: a time \[s\], or a list of times.
    pub open: Option<Expr>,
    /// The unit of the time axis; if missing, the second with a prefix that suits the range.
    pub time: Option<PlotTime>,
    /// What shades the panels over time.
    pub shade: PlotShade,
}

/// A unit of the time axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlotTime {
    /// ns
    Nanosecond,
    /// us
    Microsecond,
    /// ms
    Millisecond,
    /// s
    Second,
    /// min
    Minute,
    /// h
    Hour,
    /// d
    Day,
}

/// What shades the panels over time.
#[derive(Clone, Default, Debug)]
pub enum PlotShade {
    /// The first state machine that the figure shows.
    #[default]
    First,
    /// Nothing.
    Nothing,
    /// A recorded state.
    By(Spanned<String>),
}

/// One pair of axes.
#[derive(Clone, Debug)]
pub struct PlotPanel {
    /// The title of the panel.
    pub title: Option<String>,
    /// What is drawn.
    pub content: PlotContent,
    /// The horizontal axis of a phase plot.
    pub x: PlotAxis,
    /// The vertical axis.
    pub y: PlotAxis,
    /// The height between the axes \[pixels\].
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
        /// Whether both axes have the same scale.
        equal: bool,
    },
}

/// A signal over time.
#[derive(Clone, Debug)]
pub struct PlotSignal {
    /// A recorded column, or an element of one.
    pub name: Spanned<String>,
    /// Its name in the legend.
    pub label: Option<String>,
    /// The unit of its values.
    pub unit: Option<String>,
    /// How it is drawn.
    pub mark: Option<PlotMark>,
    /// Whether its change since its first value is drawn.
    pub change: bool,
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
    /// Its label.
    pub label: Option<String>,
    /// The unit of its values.
    pub unit: Option<String>,
    /// The lower and the upper end: a list of two numbers.
    pub range: Option<Expr>,
    /// Whether it is logarithmic.
    pub log: bool,
}
