//! A phase plot with everything filled in.

use trace::Trace;

use super::axis::{self, Need};
use super::{Body, PanelPlan, TimePlan, height, named, warning};
use crate::phase::{Orbit, Step, orbits, walk};
use crate::{Axis, Error, Pair, Panel};

/// The default height of a phase plot \[px\], and its width as a multiple of its height.
const HEIGHT: f64 = 330.0;
const ASPECT: f64 = 1.15;

/// Fills in a phase plot.
pub(super) fn plan(
    panel: &Panel,
    pairs: &[Pair],
    x: &Axis,
    equal_scales: bool,
    time: &TimePlan,
    trace: &Trace,
) -> Result<PanelPlan, Error> {
    axis::check("the horizontal axis", x)?;
    axis::check("the vertical axis", &panel.y)?;
    let mut orbits = orbits(trace, pairs)?;
    for orbit in &mut orbits {
        (orbit.x.positive, orbit.y.positive) = (x.log, panel.y.log);
    }
    let height = height(panel, HEIGHT)?;
    let width = height * ASPECT;
    let (mut across, mut up) = (Need::default(), Need::default());
    for orbit in &orbits {
        walk(
            trace,
            orbit,
            time.range,
            |_, _| 1,
            |step| {
                let (Step::Start(to) | Step::Flow(to) | Step::Jump(_, to)) = step;
                across.add(to.0);
                up.add(to.1);
            },
        );
    }
    let message = up.data.is_none().then(|| match trace.is_empty() {
        true => "The trace has no rows.".to_owned(),
        false => "There is no value in this range of time.".to_owned(),
    });
    let labels = (
        label(x, orbits.iter().map(|orbit| orbit.x.name.as_str())),
        label(&panel.y, orbits.iter().map(|orbit| orbit.y.name.as_str())),
    );
    let (mut x, mut y) = (x.clone(), panel.y.clone());
    if equal_scales && !x.log && !y.log {
        let ranges = (x.range.unwrap_or(across.range()), y.range.unwrap_or(up.range()));
        let (wide, high) = equal(ranges.0, ranges.1);
        (x.range, y.range) = (Some(wide), Some(high));
    }
    let x = axis::plan(&x, labels.0, &across, width, 60.0);
    let y = axis::plan(&y, labels.1, &up, height, 38.0);
    let sources = orbits.iter().flat_map(|orbit: &Orbit| [&orbit.x, &orbit.y]);
    let warning = warning(trace, sources, time.range);
    let (title, width) = (panel.title.clone(), Some(width));
    let body = Body::Phase { orbits, x };
    Ok(PanelPlan { title, body, y, ground: false, height, width, message, warning })
}

/// The label of an axis: as given, or the common name of all signals along it.
fn label<'a>(axis: &Axis, mut names: impl Iterator<Item = &'a str>) -> Option<String> {
    let unit = axis.unit.as_deref();
    let first = names.next();
    let common = first.filter(|first| names.all(|name| name == *first));
    match axis.label.as_deref().or(common) {
        Some(label) => Some(named(label, unit)),
        None => unit.map(|unit| format!("[{unit}]")),
    }
}

/// Widens one of two ranges so that a unit has the same length on both axes.
fn equal(x: (f64, f64), y: (f64, f64)) -> ((f64, f64), (f64, f64)) {
    let (wide, high) = (x.1 - x.0, y.1 - y.0);
    let widened = |(from, to): (f64, f64), span: f64| {
        let middle = from / 2.0 + to / 2.0;
        (middle - span / 2.0, middle + span / 2.0)
    };
    if !(wide * 2.0).is_finite() || !(high * 2.0).is_finite() {
        // No range of floats is wide enough.
        (x, y)
    } else if wide < high * ASPECT {
        (widened(x, high * ASPECT), y)
    } else {
        (x, widened(y, wide / ASPECT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scales_widen_one_range() {
        assert_eq!(equal((0.0, 1.15), (0.0, 4.0)), ((0.575 - 2.3, 0.575 + 2.3), (0.0, 4.0)));
        assert_eq!(equal((0.0, 4.6), (0.0, 1.0)), ((0.0, 4.6), (-1.5, 2.5)));
    }
}
