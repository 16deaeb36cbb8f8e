//! A panel over time with everything filled in.

use base::Elem;
use trace::Trace;

use super::axis::{self, AxisPlan, Need};
use super::{Body, PanelPlan, TimePlan, height, named, warning};
use crate::curve::{Curve, LANE, curves};
use crate::impulses::arrows;
use crate::scale::TimeScale;
use crate::shade;
use crate::ticks::Ticks;
use crate::window::{self, Step, rows};
use crate::{Axis, Error, Mark, Panel, Signal};

/// The space that the label of an arrow takes beyond its tip \[px\].
const LABEL: f64 = 18.0;

/// Fills in a panel over time; `usual` is its default height \[px\].
pub(super) fn plan(
    panel: &Panel,
    signals: &[Signal],
    solver_steps: bool,
    time: &TimePlan,
    usual: f64,
    trace: &Trace,
) -> Result<PanelPlan, Error> {
    axis::check("the vertical axis", &panel.y)?;
    let mut curves = curves(trace, signals)?;
    curves.iter_mut().for_each(|curve| curve.source.positive = panel.y.log);
    let logic = panel.y.range.is_none() && !panel.y.log && stack(&mut curves, trace);
    let usual = if logic { 24.0 * curves.len() as f64 + 10.0 } else { usual };
    let height = height(panel, usual)?;
    // Only values matter here, so the pixels of this scale do not.
    let scale = TimeScale::new(time.range, time.bands.clone(), 0.0, 1.0);
    let mut content = Content { stems: solver_steps, ..Content::default() };
    curves.iter().for_each(|curve| content.add(trace, curve, &scale));
    curves.iter_mut().for_each(|curve| shade::measure(curve, trace, &scale));
    let ground = !logic && !panel.y.log && content.rises();
    let message = content.need.data.is_none().then(|| nothing(trace, &curves));
    let need = content.need(
        height,
        panel.y.log,
        curves.iter().all(|c| c.source.elem(trace) != Elem::Real),
    );
    let y = if logic {
        lanes(&curves)
    } else {
        axis::plan(&panel.y, axis_label(&panel.y, &curves), &need, height, 32.0)
    };
    let warning = warning(trace, curves.iter().map(|curve| &curve.source), time.range);
    if !logic && curves.len() > 1 && common_unit(&curves).is_none() {
        for curve in &mut curves {
            curve.label = named(&curve.label, curve.unit.as_deref());
        }
    }
    let body = Body::Time { curves, solver_steps };
    let title = panel.title.clone();
    Ok(PanelPlan { title, body, y, ground, height, width: None, message, warning })
}

/// Stacks truth values, or strips of labels, if there is nothing else; the first is on top.
fn stack(curves: &mut [Curve], trace: &Trace) -> bool {
    let count = curves.len();
    let truths = curves.iter().all(|curve| curve.source.elem(trace) == Elem::Bool);
    let names = curves.iter().all(|curve| !curve.labels.is_empty());
    if count == 0 || !(truths || names) {
        return false;
    }
    for (place, curve) in curves.iter_mut().enumerate() {
        curve.lane = Some((count - 1 - place) as f64);
    }
    true
}

/// The axis of truth values: names instead of numbers.
fn lanes(curves: &[Curve]) -> AxisPlan {
    let range = (LANE - 1.0, (curves.len() as f64).max(1.0));
    let values = curves.iter().map(|curve| curve.height(0.5)).collect();
    let labels = curves.iter().map(|curve| curve.label.clone()).collect();
    AxisPlan { range, ticks: Ticks { values, labels, note: None }, label: None, log: false }
}

fn nothing(trace: &Trace, curves: &[Curve]) -> String {
    match curves {
        _ if trace.is_empty() => "The trace has no rows.".to_owned(),
        [] => "There is no signal to draw.".to_owned(),
        [one] if one.never => format!("{} is never present.", one.label),
        all if all.iter().all(|curve| curve.never) => "No signal is ever present.".to_owned(),
        _ => "There is no value in this range of time.".to_owned(),
    }
}

/// What a panel shows: its values, and which of them rise from zero.
#[derive(Clone, Copy, Debug, Default)]
struct Content {
    need: Need,
    lines: bool,
    stems: bool,
    arrows_up: bool,
    arrows_down: bool,
}

impl Content {
    fn add(&mut self, trace: &Trace, curve: &Curve, scale: &TimeScale) {
        let need = &mut self.need;
        if curve.shows_values() && curve.mark == Mark::Line {
            self.lines = true;
            window::walk(trace, &curve.source, scale, |step| {
                let (Step::Start(_, to) | Step::Flow(_, to) | Step::Jump(_, _, to)) = step;
                need.add(to);
            });
        } else if curve.shows_values() {
            self.stems |= curve.mark == Mark::Stems;
            let values =
                rows(trace, scale.range()).filter_map(|row| curve.source.value(trace, row));
            values.for_each(|value| need.add(value));
        }
        if curve.shows_impulses() {
            for arrow in arrows(trace, &curve.source, scale) {
                need.add(arrow.weight);
                self.arrows_up |= arrow.weight > 0.0;
                self.arrows_down |= arrow.weight < 0.0;
            }
        }
    }

    fn rises(&self) -> bool {
        self.stems || self.arrows_up || self.arrows_down
    }

    /// What the vertical axis of a panel of this height \[px\] must show.
    fn need(mut self, height: f64, log: bool, whole: bool) -> Need {
        if self.rises() && self.need.data.is_some() && !log {
            self.need.add(0.0);
        }
        let room = |arrows| if arrows { LABEL / height } else { 0.0 };
        let room = [room(self.arrows_down), room(self.arrows_up)];
        Need { grounded: self.rises() && !self.lines, room, whole, ..self.need }
    }
}

/// The unit that all curves share, if there is one.
fn common_unit(curves: &[Curve]) -> Option<&str> {
    let first = curves.first()?.unit.as_deref()?;
    curves.iter().all(|curve| curve.unit.as_deref() == Some(first)).then_some(first)
}

/// The label of the vertical axis: as given, or that of the only curve.
fn axis_label(axis: &Axis, curves: &[Curve]) -> Option<String> {
    let unit = axis.unit.as_deref().or(common_unit(curves));
    match (&axis.label, curves) {
        (Some(label), _) => Some(named(label, unit)),
        (None, [one]) => Some(named(&one.label, unit)),
        (None, _) => unit.map(|unit| format!("[{unit}]")),
    }
}
