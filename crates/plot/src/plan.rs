//! A figure with everything filled in that depends on the trace: curves, ranges, ticks, labels.
//!
//! Nothing here knows where on the page a panel is placed.

mod axis;
mod curves;
mod orbits;

use base::Time;
use trace::Trace;

pub(crate) use self::axis::AxisPlan;
use crate::curve::{Curve, Source, resolve_one};
use crate::phase::Orbit;
use crate::scale::Band;
use crate::window::{instants, rows};
use crate::{Content, Error, Figure, Panel, TimeUnit};

/// The time axis.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TimePlan {
    /// The start and the end.
    pub range: (Time, Time),
    /// The instants that are opened.
    pub bands: Vec<Band>,
    /// How many of the displayed unit make one second.
    pub per_second: f64,
    /// Preferred distances between ticks, in that unit.
    pub steps: &'static [u16],
    /// The name and the unit.
    pub label: String,
}

/// What is drawn between the axes.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Body {
    /// Curves over time, with a stem for each step of the solver if requested.
    Time { curves: Vec<Curve>, solver_steps: bool },
    /// Phase plots.
    Phase { orbits: Vec<Orbit>, x: AxisPlan },
}

/// A panel.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PanelPlan {
    /// The title above the panel.
    pub title: Option<String>,
    /// What is drawn.
    pub body: Body,
    /// The vertical axis.
    pub y: AxisPlan,
    /// Whether zero has a line of its own, from which stems and arrows rise.
    pub ground: bool,
    /// The height between the axes \[px\].
    pub height: f64,
    /// The width between the axes if it differs from that of the figure \[px\].
    pub width: Option<f64>,
    /// Why nothing is drawn, if so.
    pub message: Option<String>,
    /// A warning about the data.
    pub warning: Option<String>,
}

impl PanelPlan {
    /// The curves, if they are strips of labels.
    pub fn strips(&self) -> &[Curve] {
        match &self.body {
            Body::Time { curves, .. } if curves.iter().any(Curve::is_strip) => curves,
            _ => &[],
        }
    }
}

/// A figure.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Plan {
    /// The axis of the panels over time.
    pub time: TimePlan,
    /// The panels.
    pub panels: Vec<PanelPlan>,
    /// The signal that shades the panels over time.
    pub shade: Option<Source>,
}

/// Fills in a figure from a trace.
pub(crate) fn plan(figure: &Figure, trace: &Trace) -> Result<Plan, Error> {
    check_size("width of the figure", figure.width)?;
    let time = plan_time(figure, trace)?;
    let over_time = figure.panels.iter().filter(|p| matches!(p.content, Content::Time { .. }));
    let usual = match over_time.count() {
        0 | 1 => 250.0,
        2 => 175.0,
        3 => 145.0,
        _ => 120.0,
    };
    let plan = |panel: &Panel| match &panel.content {
        Content::Time { signals, solver_steps } => {
            curves::plan(panel, signals, *solver_steps, &time, usual, trace)
        }
        Content::Phase { pairs, x, equal_scales } => {
            orbits::plan(panel, pairs, x, *equal_scales, &time, trace)
        }
    };
    let panels = figure.panels.iter().map(plan).collect::<Result<_, _>>()?;
    let shade = figure.shade.as_deref().map(|name| plan_shade(name, trace)).transpose()?;
    Ok(Plan { time, panels, shade })
}

fn plan_shade(name: &str, trace: &Trace) -> Result<Source, Error> {
    let source = resolve_one(trace, name)?;
    let has_names = !trace.schema().labels(source.column).is_empty();
    if has_names { Ok(source) } else { Err(Error::NoStates { name: name.to_owned() }) }
}

/// Refuses anything but a positive number.
pub(crate) fn check_size(what: &'static str, size: f64) -> Result<(), Error> {
    let good = size.is_finite() && size > 0.0;
    if good { Ok(()) } else { Err(Error::BadSize { what, size }) }
}

fn plan_time(figure: &Figure, trace: &Trace) -> Result<TimePlan, Error> {
    let half = Time::from_attoseconds(base::ATTOSECONDS_PER_SECOND / 2);
    let range = match (figure.time.range, trace.tags()) {
        (Some((from, to)), _) if from < to => (from, to),
        (Some((from, to)), _) => {
            let (from, to) = (from.seconds(), to.seconds());
            return Err(Error::BadRange { axis: "time".to_owned(), from, to });
        }
        (None, [first, .., last]) if first.time < last.time => (first.time, last.time),
        (None, [only, ..]) => (only.time - half, only.time + half),
        (None, []) => (Time::ZERO, half + half),
    };
    let bands = plan_bands(&figure.time.open, range, trace)?;
    let shown_in = figure.time.shown_in;
    let (per_second, unit) = match (&figure.time.unit, shown_in) {
        (Some(unit), _) => (1.0, unit.as_str()),
        (None, Some(unit)) => (unit.per_second(), unit.symbol()),
        (None, None) => prefix(range.0.seconds().abs().max(range.1.seconds().abs())),
    };
    let steps = shown_in.filter(|_| figure.time.unit.is_none()).map_or(&[][..], TimeUnit::steps);
    let label = named(figure.time.label.as_deref().unwrap_or("time"), Some(unit));
    Ok(TimePlan { range, bands, per_second, steps, label })
}

/// The unit that suits times up to `greatest` seconds.
fn prefix(greatest: f64) -> (f64, &'static str) {
    let units = [(1.0, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns"), (1e12, "ps"), (1e15, "fs")];
    let suits = |(per_second, _): &&(f64, _)| greatest * per_second >= 0.2;
    *units.iter().find(suits).unwrap_or(&(1e18, "as"))
}

/// The instants that are opened: for each time, the nearest one with more than one microstep.
fn plan_bands(open: &[Time], range: (Time, Time), trace: &Trace) -> Result<Vec<Band>, Error> {
    let mut bands: Vec<Band> = Vec::new();
    for &time in open {
        let distance =
            |row: usize| trace.tags()[row].time.attoseconds().abs_diff(time.attoseconds());
        let nearest = instants(trace, rows(trace, range))
            .filter(|instant| instant.len() > 1)
            .min_by_key(|instant| distance(instant.start))
            .ok_or(Error::NoMicrosteps { time })?;
        let mut microsteps: Vec<u32> =
            trace.tags()[nearest.clone()].iter().map(|tag| tag.microstep).collect();
        microsteps.dedup();
        bands.push(Band { time: trace.tags()[nearest.start].time, microsteps });
    }
    bands.sort_by_key(|band| band.time);
    bands.dedup();
    Ok(bands)
}

/// The height of the area between the axes \[px\].
fn height(panel: &Panel, usual: f64) -> Result<f64, Error> {
    let height = panel.height.unwrap_or(usual);
    check_size("height of a panel", height).map(|()| height)
}

/// A name with its unit, unless the unit is empty.
fn named(name: &str, unit: Option<&str>) -> String {
    let unit = unit.filter(|unit| !unit.is_empty());
    unit.map_or_else(|| name.to_owned(), |unit| format!("{name} [{unit}]"))
}

/// A line about values that cannot be drawn.
fn warning<'a>(
    trace: &Trace,
    sources: impl Iterator<Item = &'a Source>,
    range: (Time, Time),
) -> Option<String> {
    let rows = rows(trace, range);
    let counted = |source: &Source, count: usize| format!("{} ({count})", source.name);
    let (mut bad, mut left_out) = (Vec::new(), Vec::new());
    for source in sources {
        match source.not_finite(trace, rows.clone()) {
            0 => {}
            count => bad.push(counted(source, count)),
        }
        match source.left_out(trace, rows.clone()) {
            0 => {}
            count => left_out.push(counted(source, count)),
        }
    }
    let notes = [("values that are not finite", bad), ("not positive, left out", left_out)];
    let notes = notes.into_iter().filter(|(_, named)| !named.is_empty());
    let notes: Vec<String> =
        notes.map(|(what, named)| format!("{what}: {}", named.join(", "))).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_prefixes() {
        assert_eq!(prefix(12.0).1, "s");
        assert_eq!(prefix(0.05).1, "ms");
        assert_eq!(prefix(3e-6).1, "µs");
        assert_eq!(prefix(1e-18).1, "as");
    }
}
