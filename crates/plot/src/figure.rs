//! What is to be drawn. All fields are public; what is left out is filled in from the trace.

use base::Time;

use crate::{Color, Dash, Legend, Lettering, Mark, Part};

/// A picture: panels one above the other. Panels over time share one time axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// A line above everything.
    pub title: Option<String>,
    /// The panels, from the top.
    pub panels: Vec<Panel>,
    /// The axis that the panels over time share.
    pub time: TimeAxis,
    /// The width of the whole \[px at 96 to the inch\]. A figure with phase plots alone may be
    /// narrower.
    pub width: f64,
    /// The signal by whose names, such as the states of a machine, panels over time are shaded.
    pub shade: Option<String>,
    /// Where the names of signals stand.
    pub legend: Legend,
    /// How letters are written into SVG.
    pub lettering: Lettering,
    /// How many pixels of a PNG image make one of the figure.
    pub pixel_ratio: f64,
}

/// The time axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TimeAxis {
    /// The name of the axis; `time` where there is none.
    pub label: Option<String>,
    /// The unit of model time. Where there is none it is the second, with the prefix that suits
    /// the range; another unit is only written, not converted to, and an empty one not at all.
    pub unit: Option<String>,
    /// From when to when; all of the trace where there is none.
    pub range: Option<(Time, Time)>,
    /// Instants that are opened, so that their microsteps stand side by side. Each means the
    /// nearest instant in view that has more than one microstep, and its exact time is written
    /// above it.
    pub open: Vec<Time>,
}

/// One pair of axes with what is drawn between them.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// A line above the panel.
    pub title: Option<String>,
    /// What is drawn.
    pub content: Content,
    /// The vertical axis.
    pub y: Axis,
    /// The height of the area between the axes \[px\]; one that suits the figure where there is
    /// none.
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
    /// Signals over other signals.
    Phase {
        /// The pairs of signals.
        pairs: Vec<Pair>,
        /// The horizontal axis.
        x: Axis,
        /// Whether one unit is as long on both axes, so that a circle is round.
        equal_scales: bool,
    },
}

/// A signal in a panel over time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Signal {
    /// The name in the trace: `x` for all elements of x, `x[2]` or `x[0,1]` for one.
    pub name: String,
    /// What the legend calls it, where not its name.
    pub label: Option<String>,
    /// The unit of its values.
    pub unit: Option<String>,
    /// How its values are drawn; as stems where it is present at single tags alone, otherwise as
    /// a line, where there is none.
    pub mark: Option<Mark>,
    /// Which part of it is drawn.
    pub part: Part,
    /// Its colour; the next of the palette where there is none.
    pub color: Option<Color>,
    /// How its line is broken.
    pub dash: Option<Dash>,
}

/// Two scalar signals in a phase plot.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pair {
    /// The name of the horizontal signal or element.
    pub x: String,
    /// The name of the vertical signal or element.
    pub y: String,
    /// What the legend calls the curve; the names of both where there is none.
    pub label: Option<String>,
    /// Its colour; the next of the palette where there is none.
    pub color: Option<Color>,
    /// How its line is broken.
    pub dash: Option<Dash>,
}

/// An axis of values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Axis {
    /// Its name; that of the signal where there is one signal and no name.
    pub label: Option<String>,
    /// The unit; that of the signals where they agree.
    pub unit: Option<String>,
    /// The lower and the upper end; what the data need where there is none.
    pub range: Option<(f64, f64)>,
    /// Whether it is logarithmic: powers of ten are evenly spaced, and values that are not positive
    /// are left out, with a note.
    pub log: bool,
}

impl Figure {
    /// A figure of these panels.
    pub fn new(panels: impl IntoIterator<Item = Panel>) -> Figure {
        Figure { panels: panels.into_iter().collect(), ..Figure::default() }
    }

    /// The same with a title.
    pub fn title(self, title: impl Into<String>) -> Figure {
        Figure { title: Some(title.into()), ..self }
    }

    /// The same with panels shaded by the names of a signal, or by none.
    pub fn shade(self, signal: Option<String>) -> Figure {
        Figure { shade: signal, ..self }
    }

    /// The same from one time to another.
    pub fn between(mut self, from: Time, to: Time) -> Figure {
        self.time.range = Some((from, to));
        self
    }

    /// The same with the microsteps of the instant nearest to `time` side by side.
    pub fn open(mut self, time: Time) -> Figure {
        self.time.open.push(time);
        self
    }
}

/// An empty figure as wide as the text of a page.
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

    /// The same with a title.
    pub fn title(self, title: impl Into<String>) -> Panel {
        Panel { title: Some(title.into()), ..self }
    }

    /// The same with a vertical axis.
    pub fn y(self, y: Axis) -> Panel {
        Panel { y, ..self }
    }

    /// The same with a horizontal axis, where it is a phase plot.
    pub fn x(mut self, axis: Axis) -> Panel {
        if let Content::Phase { x, .. } = &mut self.content {
            *x = axis;
        }
        self
    }

    /// The same with equally long units on both axes, where it is a phase plot.
    pub fn equal_scales(mut self) -> Panel {
        if let Content::Phase { equal_scales, .. } = &mut self.content {
            *equal_scales = true;
        }
        self
    }

    /// The same with a stem for each step of the solver, where it is over time.
    pub fn solver_steps(mut self) -> Panel {
        if let Content::Time { solver_steps, .. } = &mut self.content {
            *solver_steps = true;
        }
        self
    }

    /// The same with a height \[px\].
    pub fn height(self, height: f64) -> Panel {
        Panel { height: Some(height), ..self }
    }
}

impl Panel {
    /// The same with a logarithmic vertical axis.
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

    /// The same with a name for the legend.
    pub fn label(self, label: impl Into<String>) -> Signal {
        Signal { label: Some(label.into()), ..self }
    }

    /// The same with a unit.
    pub fn unit(self, unit: impl Into<String>) -> Signal {
        Signal { unit: Some(unit.into()), ..self }
    }

    /// The same drawn in this way.
    pub fn mark(self, mark: Mark) -> Signal {
        Signal { mark: Some(mark), ..self }
    }

    /// This part of the same.
    pub fn part(self, part: Part) -> Signal {
        Signal { part, ..self }
    }

    /// The same in this colour.
    pub fn color(self, color: Color) -> Signal {
        Signal { color: Some(color), ..self }
    }

    /// The same with a line broken in this way.
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
    /// `y` over `x` with the default appearance.
    pub fn new(x: impl Into<String>, y: impl Into<String>) -> Pair {
        Pair { x: x.into(), y: y.into(), ..Pair::default() }
    }

    /// The same with a name for the legend.
    pub fn label(self, label: impl Into<String>) -> Pair {
        Pair { label: Some(label.into()), ..self }
    }
}

impl Axis {
    /// An axis with this name.
    pub fn new(label: impl Into<String>) -> Axis {
        Axis { label: Some(label.into()), ..Axis::default() }
    }

    /// The same with a unit.
    pub fn unit(self, unit: impl Into<String>) -> Axis {
        Axis { unit: Some(unit.into()), ..self }
    }

    /// The same from one value to another.
    pub fn between(self, from: f64, to: f64) -> Axis {
        Axis { range: Some((from, to)), ..self }
    }
}
