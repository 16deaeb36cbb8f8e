//! What to draw. All fields are public; whatever is left unset is filled in from the trace.

use base::Time;

use crate::{Color, Dash, Legend, Lettering, Mark, Part, TimeUnit};

/// A figure: a stack of panels. Panels over time share one time axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// A title above everything.
    pub title: Option<String>,
    /// The panels, from top to bottom.
    pub panels: Vec<Panel>,
    /// The axis that the panels over time share.
    pub time: TimeAxis,
    /// The total width \[px at 96 per inch\]. A figure that has only phase plots may be narrower.
    pub width: f64,
    /// The signal whose labels, such as the states of a machine, determine the shading of the
    /// panels over time.
    pub shade: Option<String>,
    /// Where the names of the signals are placed.
    pub legend: Legend,
    /// How text is written into SVG.
    pub lettering: Lettering,
    /// How many pixels of a PNG image correspond to one pixel of the figure.
    pub pixel_ratio: f64,
}

/// The time axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TimeAxis {
    /// The name of the axis; `time` by default.
    pub label: Option<String>,
    /// The unit of model time, if it is not the second. It is only written, not converted to; an
    /// empty one is not written at all.
    pub unit: Option<String>,
    /// The unit in which times are shown if that of model time is the second. By default it is the
    /// second with a prefix that suits the range.
    pub shown_in: Option<TimeUnit>,
    /// The start and the end; the whole trace by default.
    pub range: Option<(Time, Time)>,
    /// Instants that are opened, so that their microsteps are shown side by side. Each entry
    /// selects the nearest instant in view that has more than one microstep; its exact time is
    /// written above it.
    pub open: Vec<Time>,
}

/// One pair of axes and what is drawn between them.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// A title above the panel.
    pub title: Option<String>,
    /// What is drawn.
    pub content: Content,
    /// The vertical axis.
    pub y: Axis,
    /// The height of the area between the axes \[px\]; by default one that suits the figure.
    pub height: Option<f64>,
}

/// What a panel shows.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// Signals over time.
    Time {
        /// The signals.
        signals: Vec<Signal>,
        /// Whether a stem marks each step that the solver took.
        solver_steps: bool,
    },
    /// Signals plotted against other signals.
    Phase {
        /// The pairs of signals.
        pairs: Vec<Pair>,
        /// The horizontal axis.
        x: Axis,
        /// Whether one unit has the same length on both axes, so that a circle looks round.
        equal_scales: bool,
    },
}

/// A signal in a panel over time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Signal {
    /// The name in the trace: `x` for all elements of x, `x[2]` or `x[0,1]` for a single one.
    pub name: String,
    /// Its label in the legend; its name by default.
    pub label: Option<String>,
    /// The unit of its values.
    pub unit: Option<String>,
    /// How its values are drawn. By default, stems if it is present only at single tags, a line
    /// otherwise.
    pub mark: Option<Mark>,
    /// Which part of it is drawn.
    pub part: Part,
    /// Its colour; by default the next one of the palette.
    pub color: Option<Color>,
    /// Its dash pattern.
    pub dash: Option<Dash>,
    /// Whether its change since its first value is drawn, such as the drift of an energy.
    pub change: bool,
}

/// Two scalar signals in a phase plot.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pair {
    /// The name of the horizontal signal or element.
    pub x: String,
    /// The name of the vertical signal or element.
    pub y: String,
    /// The label of the curve in the legend; the names of both signals by default.
    pub label: Option<String>,
    /// Its colour; by default the next one of the palette.
    pub color: Option<Color>,
    /// Its dash pattern.
    pub dash: Option<Dash>,
}

/// An axis of values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Axis {
    /// Its name; by default that of the signal, if there is only one.
    pub label: Option<String>,
    /// The unit; by default that of the signals, if they agree.
    pub unit: Option<String>,
    /// The lower and the upper end; by default whatever the data need.
    pub range: Option<(f64, f64)>,
    /// Whether it is logarithmic: powers of ten are evenly spaced, and values that are not positive
    /// are left out, with a note.
    pub log: bool,
}

impl Figure {
    /// A figure with these panels.
    pub fn new(panels: impl IntoIterator<Item = Panel>) -> Figure {
        Figure { panels: panels.into_iter().collect(), ..Figure::default() }
    }

    /// Sets the title.
    pub fn title(self, title: impl Into<String>) -> Figure {
        Figure { title: Some(title.into()), ..self }
    }

    /// Shades the panels by the labels of a signal, or not at all.
    pub fn shade(self, signal: Option<String>) -> Figure {
        Figure { shade: signal, ..self }
    }

    /// Sets the time range.
    pub fn between(mut self, from: Time, to: Time) -> Figure {
        self.time.range = Some((from, to));
        self
    }

    /// Shows the microsteps of the instant nearest to `time` side by side.
    pub fn open(mut self, time: Time) -> Figure {
        self.time.open.push(time);
        self
    }
}

/// An empty figure, as wide as the text of a page.
impl Default for Figure {
    fn default() -> Figure {
        Figure {
            title: None,
            panels: Vec::new(),
            time: TimeAxis::default(),
            width: 672.0,
            shade: None,
            legend: Legend::Auto,
            lettering: Lettering::Text,
            pixel_ratio: 2.0,
        }
    }
}

impl Panel {
    /// A panel of signals over time.
    pub fn over_time<S: Into<Signal>>(signals: impl IntoIterator<Item = S>) -> Panel {
        let signals = signals.into_iter().map(Into::into).collect();
        Panel::of(Content::Time { signals, solver_steps: false })
    }

    /// A phase plot of `y` over `x`.
    pub fn phase(x: impl Into<String>, y: impl Into<String>) -> Panel {
        Panel::phases([Pair::new(x, y)])
    }

    /// A phase plot of several pairs.
    pub fn phases(pairs: impl IntoIterator<Item = Pair>) -> Panel {
        let pairs = pairs.into_iter().collect();
        Panel::of(Content::Phase { pairs, x: Axis::default(), equal_scales: false })
    }

    fn of(content: Content) -> Panel {
        Panel { title: None, content, y: Axis::default(), height: None }
    }

    /// Sets the title.
    pub fn title(self, title: impl Into<String>) -> Panel {
        Panel { title: Some(title.into()), ..self }
    }

    /// Sets the vertical axis.
    pub fn y(self, y: Axis) -> Panel {
        Panel { y, ..self }
    }

    /// Sets the horizontal axis if this is a phase plot.
    pub fn x(mut self, axis: Axis) -> Panel {
        if let Content::Phase { x, .. } = &mut self.content {
            *x = axis;
        }
        self
    }

    /// Gives both axes the same scale if this is a phase plot.
    pub fn equal_scales(mut self) -> Panel {
        if let Content::Phase { equal_scales, .. } = &mut self.content {
            *equal_scales = true;
        }
        self
    }

    /// Marks each step of the solver with a stem if this is a panel over time.
    pub fn solver_steps(mut self) -> Panel {
        if let Content::Time { solver_steps, .. } = &mut self.content {
            *solver_steps = true;
        }
        self
    }

    /// Sets the height \[px\].
    pub fn height(self, height: f64) -> Panel {
        Panel { height: Some(height), ..self }
    }
}

impl Panel {
    /// Makes the vertical axis logarithmic.
    pub fn log(mut self) -> Panel {
        self.y.log = true;
        self
    }
}

impl Signal {
    /// A signal with the default appearance.
    pub fn new(name: impl Into<String>) -> Signal {
        Signal { name: name.into(), ..Signal::default() }
    }

    /// Sets the label in the legend.
    pub fn label(self, label: impl Into<String>) -> Signal {
        Signal { label: Some(label.into()), ..self }
    }

    /// Sets the unit.
    pub fn unit(self, unit: impl Into<String>) -> Signal {
        Signal { unit: Some(unit.into()), ..self }
    }

    /// Sets how values are drawn.
    pub fn mark(self, mark: Mark) -> Signal {
        Signal { mark: Some(mark), ..self }
    }

    /// Selects the part that is drawn.
    pub fn part(self, part: Part) -> Signal {
        Signal { part, ..self }
    }

    /// Sets the colour.
    pub fn color(self, color: Color) -> Signal {
        Signal { color: Some(color), ..self }
    }

    /// Sets the dash pattern.
    pub fn dash(self, dash: Dash) -> Signal {
        Signal { dash: Some(dash), ..self }
    }
}

impl From<&str> for Signal {
    fn from(name: &str) -> Signal {
        Signal::new(name)
    }
}

impl From<String> for Signal {
    fn from(name: String) -> Signal {
        Signal::new(name)
    }
}

impl Pair {
    /// `y` against `x` with the default appearance.
    pub fn new(x: impl Into<String>, y: impl Into<String>) -> Pair {
        Pair { x: x.into(), y: y.into(), ..Pair::default() }
    }

    /// Sets the label in the legend.
    pub fn label(self, label: impl Into<String>) -> Pair {
        Pair { label: Some(label.into()), ..self }
    }
}

impl Axis {
    /// An axis with this name.
    pub fn new(label: impl Into<String>) -> Axis {
        Axis { label: Some(label.into()), ..Axis::default() }
    }

    /// Sets the unit.
    pub fn unit(self, unit: impl Into<String>) -> Axis {
        Axis { unit: Some(unit.into()), ..self }
    }

    /// Sets the range.
    pub fn between(self, from: f64, to: f64) -> Axis {
        Axis { range: Some((from, to)), ..self }
    }
}
