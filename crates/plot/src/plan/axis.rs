//! The range and the ticks of an axis of values.

use crate::scale::Linear;
use crate::ticks::{Ticks, log_ticks, ticks};
use crate::{Axis, Error};

/// An axis of values.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AxisPlan {
    /// The lower and the upper end.
    pub range: (f64, f64),
    /// The ticks.
    pub ticks: Ticks,
    /// The name and the unit.
    pub label: Option<String>,
    /// Whether it is logarithmic.
    pub log: bool,
}

impl AxisPlan {
    /// The map from its values to pixels.
    pub fn scale(&self, start: f64, end: f64) -> Linear {
        match self.log {
            true => Linear::logarithmic(self.range, start, end),
            false => Linear::new(self.range, start, end),
        }
    }
}

/// Anything closer to zero than this counts as zero: floats soon run out of digits here.
const SMALLEST: f64 = 1e-290;

/// What an axis must show.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Need {
    /// The smallest and the largest value, if there are any.
    pub data: Option<(f64, f64)>,
    /// Whether zero, if it is an end of the data, is also the end of the axis, for example if only
    /// stems rise from it.
    pub grounded: bool,
    /// Additional space below and above, as a fraction of the data range.
    pub room: [f64; 2],
    /// Whether the values are integers.
    pub whole: bool,
}

impl Need {
    /// Includes a value.
    pub fn add(&mut self, value: f64) {
        let (from, to) = self.data.unwrap_or((value, value));
        self.data = Some((from.min(value), to.max(value)));
    }

    /// The range that shows everything, with a margin.
    pub fn range(&self) -> (f64, f64) {
        let Some((from, to)) = self.data else { return (0.0, 1.0) };
        let size = from.abs().max(to.abs());
        // Halves, because the difference of two large numbers may be infinite.
        let half = to / 2.0 - from / 2.0;
        let margin = match half {
            _ if size < SMALLEST => 1.0,
            // A constant; or rounding errors around one, which must not fill the figure.
            half if half <= 1e-13 * size => 0.1 * size,
            half => 0.1 * half,
        };
        let end = |value: f64, room: f64| {
            let margin =
                if self.grounded && value == 0.0 && size >= SMALLEST { 0.0 } else { margin };
            margin + half * room * 2.0
        };
        let finite = |value: f64| value.clamp(-f64::MAX, f64::MAX);
        (finite(from - end(from, self.room[0])), finite(to + end(to, self.room[1])))
    }

    /// The same for a logarithmic axis.
    fn log_range(&self) -> (f64, f64) {
        let (from, to) = self.data.filter(|(from, _)| *from > 0.0).unwrap_or((1.0, 10.0));
        // Half a decade around a constant; otherwise a twentieth of the range at either end.
        let margin = (to / from).powf(0.05).max(if to < 1.01 * from { 3.0 } else { 1.0 });
        let finite = |value: f64| value.clamp(f64::MIN_POSITIVE, f64::MAX);
        (finite(from / margin), finite(to * margin))
    }
}

/// Fewer ticks than this are too few if there is room for more; their spacing \[px\].
const FEWEST: usize = 4;
const CLOSEST: f64 = 17.0;

/// An axis of this length \[px\] with a tick about every `spacing` pixels. An axis with nothing to
/// show has no ticks.
pub(super) fn plan(
    axis: &Axis,
    label: Option<String>,
    need: &Need,
    length: f64,
    spacing: f64,
) -> AxisPlan {
    let log = axis.log;
    let range = axis.range.unwrap_or_else(|| if log { need.log_range() } else { need.range() });
    let least = if need.whole { 1.0 } else { 0.0 };
    let at = |spacing: f64| match log {
        true => log_ticks(range.0, range.1, length / spacing),
        false => ticks(range.0, range.1, length / spacing, least),
    };
    let mut found = if need.data.is_some() { at(spacing) } else { Ticks::default() };
    let mut closer = spacing;
    while found.values.len() < FEWEST && need.data.is_some() && closer > CLOSEST {
        closer = (closer * 0.8).max(CLOSEST);
        found = at(closer);
    }
    AxisPlan { range, ticks: found, label, log }
}

/// Refuses a range that is not increasing.
pub(super) fn check(which: &str, axis: &Axis) -> Result<(), Error> {
    match axis.range {
        Some((from, to))
            if !(from.is_finite() && to.is_finite() && from < to) || axis.log && from <= 0.0 =>
        {
            Err(Error::BadRange { axis: which.to_owned(), from, to })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: f64, to: f64) -> (f64, f64) {
        Need { data: Some((from, to)), ..Need::default() }.range()
    }

    #[test]
    fn a_constant_has_room_around_it() {
        assert_eq!(range(0.0, 0.0), (-1.0, 1.0));
        assert_eq!(range(10.0, 10.0), (9.0, 11.0));
        let (from, to) = range(1.0, 1.0 + 1e-15);
        assert!(to - from > 0.1);
    }

    #[test]
    fn data_have_a_margin() {
        assert_eq!(range(-10.0, 10.0), (-11.0, 11.0));
        let grounded = Need { data: Some((0.0, 20.0)), grounded: true, ..Need::default() };
        assert_eq!(grounded.range(), (0.0, 21.0));
    }

    #[test]
    fn the_range_is_always_finite() {
        let (from, to) = range(-f64::MAX, f64::MAX);
        assert!(from.is_finite() && to.is_finite());
    }
}
