//! Resolves the names in a figure to columns of a trace.

use base::{Elem, Shape, did_you_mean};
use trace::Trace;

use crate::shade::{self, Label};
use crate::{Color, Dash, Error, Mark, Part, Signal, style};

/// One element of a recorded signal.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Source {
    /// The column of the trace.
    pub column: usize,
    /// The element of its values.
    pub element: usize,
    /// Its name: that of the signal, with an index if it has several elements.
    pub name: String,
    /// Whether only positive values are drawn, because the axis is logarithmic.
    pub positive: bool,
    /// What is subtracted from its values.
    pub zero: f64,
}

impl Source {
    /// The value in a row, or `None` if the signal is absent or the value cannot be drawn.
    pub fn value(&self, trace: &Trace, row: usize) -> Option<f64> {
        let value = trace.get(row, self.column)?[self.element] - self.zero;
        (value.is_finite() && (!self.positive || value > 0.0)).then_some(value)
    }

    /// The source from its first value on: how far it has changed since then.
    fn since_its_first(mut self, trace: &Trace) -> Source {
        let first = (0..trace.len()).find_map(|row| self.value(trace, row));
        self.zero = first.unwrap_or(0.0);
        self
    }

    /// The type of the element.
    pub fn elem(&self, trace: &Trace) -> Elem {
        trace.columns()[self.column].ty.elem
    }

    /// In how many of these rows the signal is present but not finite.
    pub fn not_finite(&self, trace: &Trace, rows: std::ops::Range<usize>) -> usize {
        let bad = |row: &usize| {
            trace.get(*row, self.column).is_some_and(|value| !value[self.element].is_finite())
        };
        rows.filter(bad).count()
    }

    /// In how many of these rows a value is left out because it is not positive.
    pub fn left_out(&self, trace: &Trace, rows: std::ops::Range<usize>) -> usize {
        let left_out = |row: &usize| {
            trace.get(*row, self.column).is_some_and(|value| value[self.element] <= self.zero)
        };
        if self.positive { rows.filter(left_out).count() } else { 0 }
    }
}

/// The elements that a name refers to: all elements of a signal, or the indexed one.
pub(crate) fn resolve(trace: &Trace, name: &str) -> Result<Vec<Source>, Error> {
    if let Some(column) = trace.column(name) {
        return Ok(elements(trace, column));
    }
    if let Some((column, index)) = indexed(trace, name) {
        let all = elements(trace, column);
        let wanted = format!("{}[{index}]", trace.columns()[column].name);
        let found = all.into_iter().find(|source| source.name == wanted);
        let ty = trace.columns()[column].ty;
        let missing = || Error::UnknownElement { name: name.to_owned(), ty };
        return found.map(|source| vec![source]).ok_or_else(missing);
    }
    let names = trace.columns().iter().map(|column| column.name.as_str());
    Err(Error::UnknownSignal { name: name.to_owned(), help: did_you_mean(name, names) })
}

/// How many elements the name of a signal or an element refers to, or why it cannot be drawn.
pub fn count_curves(trace: &Trace, name: &str) -> Result<usize, Error> {
    resolve(trace, name).map(|sources| sources.len())
}

/// The only element that a name refers to.
pub(crate) fn resolve_one(trace: &Trace, name: &str) -> Result<Source, Error> {
    let mut all = resolve(trace, name)?;
    if let (Some(one), true) = (all.pop(), all.is_empty()) {
        return Ok(one);
    }
    let column = trace.column(name).expect("only the name of a column stands for several elements");
    Err(Error::NotScalar { name: name.to_owned(), ty: trace.columns()[column].ty })
}

/// The column and the index, without spaces, of a name such as `x[0, 1]`.
fn indexed(trace: &Trace, name: &str) -> Option<(usize, String)> {
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let index = index.chars().filter(|c| !c.is_whitespace()).collect();
    Some((trace.column(base.trim_end())?, index))
}

fn elements(trace: &Trace, column: usize) -> Vec<Source> {
    let name = &trace.columns()[column].name;
    let names: Vec<String> = match trace.columns()[column].ty.shape {
        Shape::Scalar => vec![name.clone()],
        Shape::Vector(n) => (0..n).map(|i| format!("{name}[{i}]")).collect(),
        Shape::Matrix(rows, columns) => (0..rows)
            .flat_map(|i| (0..columns).map(move |j| (i, j)))
            .map(|(i, j)| format!("{name}[{i},{j}]"))
            .collect(),
    };
    let sources = names.into_iter().enumerate();
    sources
        .map(|(element, name)| Source { column, element, name, positive: false, zero: 0.0 })
        .collect()
}

/// When a signal is present.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Presence {
    /// Over intervals.
    Intervals,
    /// At single tags.
    Events,
    /// In no row.
    Never,
}

/// When a column is present. A discrete signal is absent at every microstep 0; one that is present
/// at some of them still counts as discrete if it is absent in most rows and never lasts from one
/// instant to the next.
pub(crate) fn presence(trace: &Trace, column: usize) -> Presence {
    if trace.is_empty() {
        // Nothing is known, so nothing is claimed.
        return Presence::Intervals;
    }
    let (mut present, mut at_zero, mut lasts) = (0, 0, false);
    let mut before = false;
    for row in 0..trace.len() {
        let here = trace.get(row, column).is_some();
        let zero = trace.tags()[row].microstep == 0;
        present += usize::from(here);
        at_zero += usize::from(here && zero);
        lasts |= here && before && zero;
        before = here;
    }
    match present {
        0 => Presence::Never,
        _ if trace.is_discrete(column) => Presence::Events,
        _ if at_zero == 0 => Presence::Intervals,
        _ if 2 * present < trace.len() && !lasts => Presence::Events,
        _ => Presence::Intervals,
    }
}

/// A source with its appearance.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Curve {
    /// What is drawn.
    pub source: Source,
    /// Its label in the legend.
    pub label: String,
    /// The unit of its values.
    pub unit: Option<String>,
    /// How its values are drawn.
    pub mark: Mark,
    /// Which part is drawn.
    pub part: Part,
    /// Its colour.
    pub color: Color,
    /// Its dash pattern.
    pub dash: Dash,
    /// Its index in the panel, which determines the marker shape of its stems.
    pub place: usize,
    /// Whether it has no value in any row.
    pub never: bool,
    /// The bottom of its lane, if truth values are stacked.
    pub lane: Option<f64>,
    /// The labels that its values index.
    pub labels: Vec<Label>,
}

/// How far true lies above the bottom of its lane; lanes are one unit apart.
pub(crate) const LANE: f64 = 0.7;

impl Curve {
    /// The position of a value on the vertical axis.
    pub fn height(&self, value: f64) -> f64 {
        self.lane.map_or(value, |floor| floor + LANE * value)
    }

    /// Whether it is drawn as a strip of labels.
    pub fn is_strip(&self) -> bool {
        self.lane.is_some() && !self.labels.is_empty()
    }

    /// Whether values are drawn.
    pub fn shows_values(&self) -> bool {
        self.part != Part::Impulses
    }

    /// Whether impulses are drawn.
    pub fn shows_impulses(&self) -> bool {
        self.part != Part::Value
    }
}

/// The curves of the signals of a panel over time.
pub(crate) fn curves(trace: &Trace, signals: &[Signal]) -> Result<Vec<Curve>, Error> {
    let mut curves = Vec::new();
    for signal in signals {
        let sources = resolve(trace, &signal.name)?;
        let Some(column) = sources.first().map(|source| source.column) else { continue };
        let presence = presence(trace, column);
        let usual = if presence == Presence::Intervals { Mark::Line } else { Mark::Stems };
        let alone = sources.len() == 1;
        for source in sources {
            let place = curves.len();
            let (color, dash) = style::nth(place);
            let label = match &signal.label {
                Some(label) if alone => label.clone(),
                Some(label) => source.name.replacen(&trace.columns()[column].name, label, 1),
                None if signal.change => format!("change of {}", source.name),
                None => source.name.clone(),
            };
            let source = if signal.change { source.since_its_first(trace) } else { source };
            let labels = shade::labels(trace, column);
            curves.push(Curve {
                source,
                label,
                unit: signal.unit.clone(),
                mark: signal.mark.unwrap_or(usual),
                part: signal.part,
                color: signal.color.unwrap_or(color),
                dash: signal.dash.unwrap_or(if signal.color.is_some() {
                    Dash::Solid
                } else {
                    dash
                }),
                place,
                never: presence == Presence::Never,
                lane: None,
                labels,
            });
        }
    }
    Ok(curves)
}

#[cfg(test)]
mod tests {
    use base::{Tag, Time, Type};
    use trace::Column;

    use super::*;

    fn table(columns: &[(&str, Type)]) -> Trace {
        let column = |(name, ty): &(&str, Type)| Column { name: (*name).to_owned(), ty: *ty };
        Trace::new(columns.iter().map(column).collect())
    }

    fn names(trace: &Trace, name: &str) -> Vec<String> {
        resolve(trace, name).unwrap().into_iter().map(|source| source.name).collect()
    }

    #[test]
    fn names_stand_for_elements() {
        let matrix = Type { elem: Elem::Real, shape: Shape::Matrix(2, 2) };
        let trace = table(&[("x", Type::vector(2)), ("m", matrix), ("odd[0]", Type::REAL)]);
        assert_eq!(names(&trace, "x"), ["x[0]", "x[1]"]);
        assert_eq!(names(&trace, "x[1]"), ["x[1]"]);
        assert_eq!(names(&trace, "m[1, 0]"), ["m[1,0]"]);
        assert_eq!(names(&trace, "odd[0]"), ["odd[0]"]);
        assert_eq!(
            resolve(&trace, "x[2]"),
            Err(Error::UnknownElement { name: "x[2]".to_owned(), ty: Type::vector(2) })
        );
        assert!(matches!(resolve_one(&trace, "x"), Err(Error::NotScalar { .. })));
        assert_eq!(resolve_one(&trace, "x[1]").unwrap().element, 1);
    }

    #[test]
    fn an_unknown_name_has_its_nearest() {
        let trace = table(&[("height", Type::REAL), ("speed", Type::REAL)]);
        let error = resolve(&trace, "hieght").unwrap_err();
        let text = error.to_string();
        assert_eq!(text, "the trace has no signal `hieght`; did you mean `height`?");
    }

    #[test]
    fn presence_tells_events_from_intervals() {
        let real = Type::REAL;
        let columns = ["smooth", "mixed", "event", "sample", "never"].map(|name| (name, real));
        let mut trace = table(&columns);
        for k in 0..20u32 {
            for n in 0..2 {
                let tag = Tag::new(Time::from_f64(k.into()).unwrap(), n);
                trace.push(tag, |column| {
                    let here = match column {
                        0 => true,
                        1 => (5..8).contains(&k),
                        2 => n == 1,
                        3 => n == 0 && k % 3 == 0,
                        _ => false,
                    };
                    here.then_some(&[1.0][..])
                });
            }
        }
        let found: Vec<_> = (0..5).map(|column| presence(&trace, column)).collect();
        use Presence::*;
        assert_eq!(found, [Intervals, Intervals, Events, Events, Never]);
    }
}
