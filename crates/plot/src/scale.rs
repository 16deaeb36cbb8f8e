//! Maps times and values to pixels.

use base::{Tag, Time};

/// A map from values to pixels: linear, or linear in the logarithm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
    log: bool,
}

/// Nothing farther out than this is drawn anyway, and the coordinates of rasterizers are limited
/// \[px\].
const FAR: f64 = 1e6;

impl Linear {
    /// The map from `from..to` to the pixels `start..end`.
    pub fn new((from, to): (f64, f64), start: f64, end: f64) -> Linear {
        Linear { from, to, start, end, log: false }
    }

    /// The same for logarithms; the range is positive. Values that are not positive lie below
    /// everything.
    pub fn logarithmic((from, to): (f64, f64), start: f64, end: f64) -> Linear {
        Linear { from: logarithm(from), to: logarithm(to), start, end, log: true }
    }

    /// The pixel of a value.
    pub fn at(&self, value: f64) -> f64 {
        let value = if self.log { logarithm(value) } else { value };
        // The difference of two large numbers may be infinite, and half of a tiny one zero.
        let part = if (self.to - self.from).is_finite() {
            (value - self.from) / (self.to - self.from)
        } else {
            (value / 2.0 - self.from / 2.0) / (self.to / 2.0 - self.from / 2.0)
        };
        (self.start + part * (self.end - self.start)).clamp(-FAR, FAR)
    }

    /// The value, clamped to the range.
    pub fn clamp(&self, value: f64) -> f64 {
        if self.log {
            return 10f64.powf(logarithm(value).clamp(self.from, self.to));
        }
        value.clamp(self.from, self.to)
    }
}

fn logarithm(value: f64) -> f64 {
    value.max(f64::MIN_POSITIVE).log10()
}

/// An instant that is opened on the time axis.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Band {
    /// The time.
    pub time: Time,
    /// Its microsteps in the trace, in order.
    pub microsteps: Vec<u32>,
}

/// The map from tags to pixels: linear in time, except that an opened instant occupies a band with
/// a cell for each microstep.
#[derive(Clone, Debug)]
pub(crate) struct TimeScale {
    range: (Time, Time),
    start: f64,
    per_attosecond: f64,
    bands: Vec<Band>,
    cell: f64,
}

/// The preferred width of the cell of a microstep \[px\].
const CELL: f64 = 30.0;
/// The maximum fraction of the axis that all bands together may occupy.
const SHARE: f64 = 0.6;

impl TimeScale {
    /// Maps a range to the pixels from `start` on. The bands are sorted by time and lie within the
    /// range.
    pub fn new(range: (Time, Time), bands: Vec<Band>, start: f64, width: f64) -> TimeScale {
        let cells: usize = bands.iter().map(|band| band.microsteps.len()).sum();
        let cell = if cells == 0 { 0.0 } else { CELL.min(SHARE * width / cells as f64) };
        let smooth = width - cell * cells as f64;
        let per_attosecond = smooth / between(range.0, range.1);
        TimeScale { range, start, per_attosecond, bands, cell }
    }

    /// The start and the end.
    pub fn range(&self) -> (Time, Time) {
        self.range
    }

    /// The opened instants.
    pub fn bands(&self) -> &[Band] {
        &self.bands
    }

    /// The pixel of the left limit at a time.
    pub fn at(&self, time: Time) -> f64 {
        let opened = |band: &&Band| band.time < time;
        let cells: usize =
            self.bands.iter().take_while(opened).map(|band| band.microsteps.len()).sum();
        self.start + between(self.range.0, time) * self.per_attosecond + cells as f64 * self.cell
    }

    /// The pixel of a tag: the middle of its cell if the instant is opened.
    pub fn place(&self, tag: Tag) -> f64 {
        match self.cell(tag) {
            Some((left, right)) => (left + right) / 2.0,
            None => self.at(tag.time),
        }
    }

    /// The left and the right end of the cell of a tag, if its instant is opened.
    pub fn cell(&self, tag: Tag) -> Option<(f64, f64)> {
        let band = self.bands.iter().find(|band| band.time == tag.time)?;
        let rank = band.microsteps.binary_search(&tag.microstep).ok()?;
        let left = self.at(tag.time) + rank as f64 * self.cell;
        Some((left, left + self.cell))
    }

    /// Whether the instant is opened.
    pub fn opens(&self, time: Time) -> bool {
        self.bands.iter().any(|band| band.time == time)
    }
}

/// The distance between two times \[as\]. Much faster than converting both to seconds, and exact
/// for times close to each other.
pub(crate) fn between(from: Time, to: Time) -> f64 {
    to.attoseconds().saturating_sub(from.attoseconds()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(seconds: f64) -> Time {
        Time::from_f64(seconds).unwrap()
    }

    #[test]
    fn a_closed_axis_is_linear() {
        let scale = TimeScale::new((time(1.0), time(3.0)), Vec::new(), 10.0, 100.0);
        assert_eq!(scale.at(time(1.0)), 10.0);
        assert_eq!(scale.at(time(2.0)), 60.0);
        assert_eq!(scale.place(Tag::new(time(3.0), 7)), 110.0);
    }

    #[test]
    fn an_opened_instant_has_a_cell_for_each_microstep() {
        let band = Band { time: time(1.0), microsteps: vec![0, 1, 3] };
        let scale = TimeScale::new((time(0.0), time(2.0)), vec![band], 0.0, 290.0);
        assert_eq!(scale.at(time(1.0)), 100.0);
        assert_eq!(scale.cell(Tag::new(time(1.0), 1)), Some((130.0, 160.0)));
        assert_eq!(scale.place(Tag::new(time(1.0), 3)), 175.0);
        assert_eq!(scale.cell(Tag::new(time(1.0), 2)), None);
        assert_eq!(scale.at(time(2.0)), 290.0);
    }

    #[test]
    fn the_greatest_floats_have_pixels() {
        let scale = Linear::new((-f64::MAX, f64::MAX), 100.0, 0.0);
        assert_eq!(scale.at(f64::MAX), 0.0);
        assert_eq!(scale.at(0.0), 50.0);
        assert_eq!(Linear::new((0.0, 1.0), 0.0, 1.0).at(1e300), FAR);
    }
}
