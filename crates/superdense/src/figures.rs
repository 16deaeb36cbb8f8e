//! The figures that a model asks for, checked against what it records.

use std::sync::OnceLock;

use base::{Diagnostic, Diagnostics, Span, Spanned, Time, Value, did_you_mean};
use expr::{Expr, ExprKind};
use model::{
    Model, Plot, PlotAxis, PlotContent, PlotMark, PlotPanel, PlotShade, PlotSignal, PlotTime,
};
use plot::{Axis, Error, Figure, Mark, Pair, Panel, Signal, TimeUnit};
use trace::Trace;

use crate::System;

/// The figures of a system; made when they are first needed.
#[derive(Debug, Default)]
pub(crate) struct Figures(OnceLock<Vec<(String, Figure)>>);

impl Figures {
    /// Makes the figures of a new system, or returns what is wrong with them.
    pub fn check(&self, system: &System) -> Result<(), Diagnostics> {
        let figures = figures(system)?;
        self.0.get_or_init(|| figures);
        Ok(())
    }
}

impl System {
    /// The figures that the model asks for, each with its name.
    pub fn figures(&self) -> &[(String, Figure)] {
        // The model's figures were made once without a mistake; ranges that the parameters of this
        // run make impossible are left out.
        self.figures.0.get_or_init(|| figures(self).unwrap_or_default())
    }
}

/// The figures of a model by name, in the order in which they are written.
fn figures(system: &System) -> Result<Vec<(String, Figure)>, Diagnostics> {
    let trace = Trace::with_schema(system.schema());
    let model = &system.origin.model;
    let mut drawing = Drawing { model, system, trace, errors: Diagnostics::default() };
    let figures = model.plots.iter().map(|plot| drawing.figure(plot)).collect();
    drawing.errors.or(figures)
}

struct Drawing<'m> {
    model: &'m Model,
    system: &'m System,
    /// A trace without rows, which knows the names.
    trace: Trace,
    errors: Diagnostics,
}

impl Drawing<'_> {
    fn figure(&mut self, plot: &Plot) -> (String, Figure) {
        let panels: Vec<Panel> = plot.panels.iter().map(|panel| self.panel(panel)).collect();
        let title = plot.title.as_ref().unwrap_or(&self.model.name);
        let mut figure = Figure::new(panels).title(title);
        figure = match &plot.shade {
            PlotShade::First => figure.shade_by_states(&self.trace),
            PlotShade::Nothing => figure,
            PlotShade::By(name) => figure.shade(Some(self.state(name))),
        };
        figure.time.shown_in = plot.time.map(time_unit);
        figure.time.range = self.time_range(plot);
        for expr in plot.open.iter().flat_map(parts) {
            figure.time.open.extend(self.time(expr, "open"));
        }
        (plot.name.value.clone(), figure)
    }

    /// The ends of the time axis. A missing end is that of the run. If the range is then empty,
    /// because an option shortened the run, the whole run is drawn.
    fn time_range(&mut self, plot: &Plot) -> Option<(Time, Time)> {
        let from = plot.from.as_ref().map(|expr| self.time(expr, "from"));
        let to = plot.to.as_ref().map(|expr| self.time(expr, "to"));
        match (from, to) {
            (None, None) => None,
            (Some(from), Some(to)) => {
                let (from, to) = (from?, to?);
                if from >= to {
                    let message = format!("the time axis goes from {from} to {to}; it must go up");
                    let span = plot.to.as_ref()?.span;
                    self.errors.push(Diagnostic::error("bad-setting", message).at(span, ""));
                }
                Some((from, to))
            }
            (from, to) => {
                let from = from.unwrap_or(Some(self.system.run.start.time()))?;
                let to = to.unwrap_or(Some(self.system.run.stop))?;
                (from < to).then_some((from, to))
            }
        }
    }

    fn panel(&mut self, panel: &PlotPanel) -> Panel {
        let drawn = match &panel.content {
            PlotContent::Time { signals, steps } => {
                let signals = signals.iter().map(|signal| self.signal(signal));
                let drawn = Panel::over_time(signals.collect::<Vec<_>>());
                if *steps { drawn.solver_steps() } else { drawn }
            }
            PlotContent::Phase { pairs, equal } => {
                let pairs = pairs.iter().map(|[x, y]| Pair::new(self.one(x), self.one(y)));
                let drawn = Panel::phases(pairs.collect::<Vec<_>>()).x(self.axis(&panel.x));
                if *equal { drawn.equal_scales() } else { drawn }
            }
        };
        let height = panel.height.as_ref().and_then(|expr| self.height(expr));
        Panel { title: panel.title.clone(), height, ..drawn.y(self.axis(&panel.y)) }
    }

    fn signal(&mut self, signal: &PlotSignal) -> Signal {
        let mark = signal.mark.map(|mark| match mark {
            PlotMark::Line => Mark::Line,
            PlotMark::Stems => Mark::Stems,
            PlotMark::Dots => Mark::Dots,
        });
        let (label, unit) = (signal.label.clone(), signal.unit.clone());
        let (name, change) = (self.name(&signal.name).0, signal.change);
        Signal { name, label, unit, mark, change, ..Signal::default() }
    }

    /// The column or element that a name denotes, and how many numbers it has. A recorded
    /// expression may be spaced differently from the name of its column.
    fn name(&mut self, name: &Spanned<String>) -> (String, usize) {
        let canonical = expr::parse(&name.value, expr::Place::Whole(name.span));
        let canonical = canonical.map_or(name.value.clone(), |expr| expr.to_string());
        let found = plot::count_curves(&self.trace, &name.value)
            .map(|count| (name.value.clone(), count))
            .or_else(|error| match plot::count_curves(&self.trace, &canonical) {
                Ok(count) => Ok((canonical, count)),
                Err(_) => Err(error),
            });
        found.unwrap_or_else(|error| {
            let error = self.missing(name, error);
            self.errors.push(error);
            (name.value.clone(), 1)
        })
    }

    /// The name of a scalar.
    fn one(&mut self, name: &Spanned<String>) -> String {
        let (found, count) = self.name(name);
        if count != 1 {
            let message = format!("`{}` has {count} elements, and an axis shows one", name.value);
            let help = format!("name an element, such as `{}[0]`", name.value);
            self.errors
                .push(Diagnostic::error("size-mismatch", message).at(name.span, "").help(help));
        }
        found
    }

    /// The name of a signal whose values have names.
    fn state(&mut self, name: &Spanned<String>) -> String {
        let errors = self.errors.0.len();
        let found = self.one(name);
        let known = self.errors.0.len() == errors;
        let column = self.trace.column(&found);
        if known && column.is_none_or(|column| self.trace.schema().labels(column).is_empty()) {
            let message = Error::NoStates { name: name.value.clone() }.to_string();
            self.errors.push(Diagnostic::error("bad-setting", message).at(name.span, ""));
        }
        found
    }

    fn missing(&self, name: &Spanned<String>, error: Error) -> Diagnostic {
        let help = match error {
            Error::UnknownSignal { help, .. } => help,
            other => {
                return Diagnostic::error("unknown-signal", other.to_string()).at(name.span, "");
            }
        };
        let word = name.value.as_str();
        let base = word.split(['.', '[']).next().unwrap_or(word).trim_end();
        let blocks = &self.model.diagram(self.model.root).blocks;
        if blocks.iter().any(|block| block.name.value == base) {
            let message = format!("`{word}` is drawn, but not recorded");
            return Diagnostic::error("unknown-signal", message)
                .at(name.span, "not under `record`")
                .help(format!("add `{base}` to `record`"));
        }
        let names = blocks.iter().map(|block| block.name.value.as_str());
        let nearest = did_you_mean(word, names).filter(|help| help.starts_with("did"));
        let near = help.clone().filter(|help| help.starts_with("did")).or(nearest).or(help);
        Diagnostic::error("unknown-signal", format!("no recorded signal is called `{word}`"))
            .at(name.span, "not found")
            .maybe_help(near)
    }

    fn axis(&mut self, axis: &PlotAxis) -> Axis {
        let range = axis.range.as_ref().and_then(|expr| self.range(expr));
        if let (true, Some((from, _)), Some(expr)) = (axis.log, range, &axis.range)
            && from <= 0.0
        {
            return self
                .wrong(expr.span, "`range` of a logarithmic axis must be positive")
                .unwrap_or_default();
        }
        Axis { label: axis.label.clone(), unit: axis.unit.clone(), range, log: axis.log }
    }

    fn range(&mut self, expr: &Expr) -> Option<(f64, f64)> {
        let value = self.value(expr)?;
        match value.data() {
            [from, to] if from < to && from.is_finite() && to.is_finite() => Some((*from, *to)),
            _ => self.wrong(expr.span, "`range` must be two numbers, the smaller one first"),
        }
    }

    fn height(&mut self, expr: &Expr) -> Option<f64> {
        const TALLEST: f64 = 10_000.0;
        match self.value(expr)?.as_f64() {
            Some(height) if (10.0..=TALLEST).contains(&height) => Some(height),
            _ => self.wrong(expr.span, "`height` must be from 10 to 10000 pixels"),
        }
    }

    fn time(&mut self, expr: &Expr, key: &str) -> Option<Time> {
        let value = self.value(expr)?;
        let time = value.as_rational().and_then(Time::from_rational);
        match time.filter(|_| value.as_bool().is_none()) {
            Some(time) => Some(time),
            None => self.wrong(expr.span, &format!("`{key}` must be a time in seconds")),
        }
    }

    fn value(&mut self, expr: &Expr) -> Option<Value> {
        let value = self.system.evaluated(expr);
        self.errors.keep(value)
    }

    fn wrong<T>(&mut self, span: Span, must: &str) -> Option<T> {
        self.errors.push(Diagnostic::error("bad-setting", must).at(span, "is not"));
        None
    }
}

fn time_unit(unit: PlotTime) -> TimeUnit {
    match unit {
        PlotTime::Nanosecond => TimeUnit::Nanosecond,
        PlotTime::Microsecond => TimeUnit::Microsecond,
        PlotTime::Millisecond => TimeUnit::Millisecond,
        PlotTime::Second => TimeUnit::Second,
        PlotTime::Minute => TimeUnit::Minute,
        PlotTime::Hour => TimeUnit::Hour,
        PlotTime::Day => TimeUnit::Day,
    }
}

/// The items of a list; any other value counts as a single item.
fn parts(expr: &Expr) -> &[Expr] {
    match &expr.kind {
        ExprKind::Vector(parts) => parts,
        _ => std::slice::from_ref(expr),
    }
}
