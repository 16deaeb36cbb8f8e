//! Makes a figure from a bare trace.

use base::Elem;
use trace::Trace;

use crate::curve::{Presence, presence, resolve, resolve_one};
use crate::{Content, Error, Figure, Panel, Part, Signal};

/// Signals of the same nature may share a panel. Panels come in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Nature {
    Names,
    Smooth,
    Impulsive,
    Impulses,
    Whole,
    Events,
    Logic,
}

/// The maximum number of curves in a panel, unless a single signal has more.
const CROWD: usize = 6;
/// The minimum fraction of the height of its panel that the range of a signal takes up.
const SMALLEST: f64 = 1.0 / 12.0;
/// Impulses that are more than this many times as high as the values get a panel of their own.
const TALLER: f64 = 20.0;

impl Figure {
    /// All signals of a trace. Similar signals share a panel: smooth ones of similar size,
    /// integers, discrete events, and truth values, which are stacked. A signal with impulses has a
    /// panel of its own. Signals whose values index labels, such as the state of a machine, become
    /// coloured strips, and the first of them shades the other panels.
    pub fn of(trace: &Trace) -> Figure {
        let names: Vec<String> = trace.columns().iter().map(|column| column.name.clone()).collect();
        Figure::of_signals(trace, names).expect("a trace has its own signals")
    }

    /// The same for only some signals or elements.
    pub fn of_signals<S: Into<String>>(
        trace: &Trace,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Figure, Error> {
        let mut groups: Vec<Group> = Vec::new();
        for name in names {
            for candidate in candidates(trace, name.into())? {
                match groups.iter_mut().find(|group| group.takes(&candidate)) {
                    Some(group) => group.add(candidate),
                    None => groups.push(Group::new(candidate)),
                }
            }
        }
        groups.sort_by_key(|group| group.nature);
        // A panel without signals says that there are none.
        let empty = groups.is_empty().then(|| Panel::over_time(<[Signal; 0]>::default()));
        let panels = groups.into_iter().map(|group| Panel::over_time(group.signals));
        Ok(Figure::new(panels.chain(empty)).shade_by_states(trace))
    }

    /// Shades the panels by the first signal in them whose values index labels, if there is one.
    pub fn shade_by_states(self, trace: &Trace) -> Figure {
        let signals = self.panels.iter().flat_map(|panel| match &panel.content {
            Content::Time { signals, .. } => signals.as_slice(),
            Content::Phase { .. } => &[],
        });
        let has_labels = |signal: &&Signal| {
            let source = resolve_one(trace, &signal.name);
            source.is_ok_and(|source| !trace.schema().labels(source.column).is_empty())
        };
        let first = signals.into_iter().find(has_labels).map(|signal| signal.name.clone());
        self.shade(first)
    }
}

/// A signal to be assigned to a panel.
#[derive(Clone, Debug)]
struct Candidate {
    signal: Signal,
    nature: Nature,
    curves: usize,
    range: Option<(f64, f64)>,
}

fn candidates(trace: &Trace, name: String) -> Result<Vec<Candidate>, Error> {
    let sources = resolve(trace, &name)?;
    let Some(first) = sources.first() else { return Ok(Vec::new()) };
    let (column, elem) = (first.column, first.elem(trace));
    let presence = presence(trace, column);
    let weights = trace.impulses().iter().filter(|impulse| impulse.column == column);
    let weights = hull(
        sources
            .iter()
            .flat_map(|source| weights.clone().map(|impulse| impulse.weight[source.element])),
    );
    let values = hull(
        sources
            .iter()
            .flat_map(|source| (0..trace.len()).filter_map(|row| source.value(trace, row))),
    );
    let nature = match (presence, elem) {
        _ if !trace.schema().labels(column).is_empty() => Nature::Names,
        (_, Elem::Bool) => Nature::Logic,
        _ if weights.is_some() => Nature::Impulsive,
        (Presence::Events | Presence::Never, _) => Nature::Events,
        (Presence::Intervals, Elem::Int) => Nature::Whole,
        (Presence::Intervals, Elem::Real) => Nature::Smooth,
    };
    let part = |part, range| {
        let nature = if part == Part::Impulses { Nature::Impulses } else { nature };
        let signal = Signal::new(name.clone()).part(part);
        Candidate { signal, nature, curves: sources.len(), range }
    };
    Ok(match (values.filter(|range| size(*range) > 0.0), weights) {
        (Some(low), Some(high))
            if size(low).max(size(high)) > TALLER * size(low).min(size(high)) =>
        {
            vec![part(Part::Value, Some(low)), part(Part::Impulses, Some(high))]
        }
        (_, Some(weights)) => vec![part(Part::Whole, Some(join(values, weights)))],
        (_, None) => vec![part(Part::Whole, values)],
    })
}

/// Signals that share a panel.
#[derive(Clone, Debug)]
struct Group {
    nature: Nature,
    signals: Vec<Signal>,
    curves: usize,
    /// The range of all together, and the shortest one of those that are not constant.
    range: Option<(f64, f64)>,
    shortest: f64,
}

impl Group {
    fn new(candidate: Candidate) -> Group {
        let nature = candidate.nature;
        let mut group =
            Group { nature, signals: Vec::new(), curves: 0, range: None, shortest: f64::INFINITY };
        group.add(candidate);
        group
    }

    fn add(&mut self, candidate: Candidate) {
        self.shortest = self.shortest.min(length(candidate.range));
        self.range = candidate.range.map(|range| join(self.range, range)).or(self.range);
        self.curves += candidate.curves;
        self.signals.push(candidate.signal);
    }

    /// Whether every signal would still visibly change.
    fn takes(&self, candidate: &Candidate) -> bool {
        if self.nature != candidate.nature {
            return false;
        }
        match self.nature {
            Nature::Logic | Nature::Names => return true,
            // Arrows of several signals at one instant would hide each other.
            Nature::Impulsive | Nature::Impulses => return false,
            Nature::Smooth | Nature::Whole | Nature::Events => {}
        }
        let (Some(range), Some(own)) = (candidate.range, self.range) else {
            return self.curves + candidate.curves <= CROWD;
        };
        let all = join(Some(own), range);
        let shortest = self.shortest.min(length(candidate.range)).min(all.1 - all.0);
        self.curves + candidate.curves <= CROWD && shortest >= SMALLEST * (all.1 - all.0)
    }
}

/// The length of a range; a constant takes up no height and fits with anything.
fn length(range: Option<(f64, f64)>) -> f64 {
    range.map(|(from, to)| to - from).filter(|length| *length > 0.0).unwrap_or(f64::INFINITY)
}

/// How far a range reaches from zero.
fn size((from, to): (f64, f64)) -> f64 {
    from.abs().max(to.abs())
}

fn join(a: Option<(f64, f64)>, b: (f64, f64)) -> (f64, f64) {
    a.map_or(b, |a| (a.0.min(b.0), a.1.max(b.1)))
}

fn hull(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values
        .filter(|value| value.is_finite())
        .fold(None, |all, value| Some(join(all, (value, value))))
}

#[cfg(test)]
mod tests {
    use base::{Tag, Time, Type};
    use trace::{Column, Impulse};

    use super::*;

    fn grouped(trace: &Trace) -> Vec<Vec<String>> {
        let signals = |panel: Panel| match panel.content {
            Content::Time { signals, .. } => {
                signals.into_iter().map(|signal| signal.name).collect()
            }
            Content::Phase { .. } => panic!("no phase plot was asked for"),
        };
        Figure::of(trace).panels.into_iter().map(signals).collect()
    }

    #[test]
    fn alike_signals_share_a_panel() {
        let columns = [
            ("flag", Type::BOOL),
            ("y", Type::REAL),
            ("huge", Type::REAL),
            ("count", Type::INT),
            ("v", Type::REAL),
            ("hit", Type::REAL),
            ("force", Type::REAL),
            ("enough", Type::BOOL),
        ];
        let column = |(name, ty): (&str, Type)| Column { name: name.to_owned(), ty };
        let mut trace = Trace::new(columns.map(column).to_vec());
        for k in 0..10u32 {
            let t = f64::from(k);
            let row = [[1.0], [t], [1e6 * t], [t], [-2.0 * t], [0.0], [0.0], [0.0]];
            let tag = Tag::new(Time::from_f64(t).unwrap(), 0);
            trace.push(tag, |column| (column != 5).then_some(&row[column][..]));
        }
        let tag = Tag::new(Time::from_f64(9.0).unwrap(), 1);
        trace.push(tag, |_| Some(&[1.0][..]));
        trace.push_impulse(Impulse { tag, column: 6, order: 0, weight: vec![3.0] });
        let expected: [&[&str]; 6] =
            [&["y", "v"], &["huge"], &["force"], &["count"], &["hit"], &["flag", "enough"]];
        assert_eq!(grouped(&trace), expected);
    }

    #[test]
    fn tall_impulses_stand_apart_from_values() {
        let mut trace = Trace::new(vec![Column { name: "f".to_owned(), ty: Type::REAL }]);
        let tag = Tag::new(Time::ZERO, 0);
        trace.push(tag, |_| Some(&[1.0][..]));
        trace.push_impulse(Impulse { tag, column: 0, order: 0, weight: vec![1e4] });
        assert_eq!(grouped(&trace), [["f"], ["f"]]);
    }

    #[test]
    fn a_trace_without_signals_has_one_empty_panel() {
        assert_eq!(grouped(&Trace::default()), [Vec::<String>::new()]);
    }
}
