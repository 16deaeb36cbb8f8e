//! The rows of a run, kept so that a part of them is found and thinned quickly.
//!
//! A plot has some thousand pixels, and a run may have ten million rows. Of the rows that fall on
//! one pixel the first, the last, and those with the least and the greatest value of each signal
//! are kept, which draws the same picture. Extremes of whole blocks of rows are kept as rows come,
//! so that a view of everything costs a visit to each block.

use std::collections::BTreeMap;

use superdense::{RecordedRow, Schema};

/// Rows of one block.
const BLOCK: usize = 64;
/// The largest number of numbers that are kept; 1.6 GB.
const MOST_NUMBERS: usize = 200_000_000;
/// The largest number of impulses that are kept.
const MOST_IMPULSES: usize = 1_000_000;

/// The rows of a run.
#[derive(Default)]
pub(crate) struct Store {
    /// The names of the lanes: columns, and the elements of columns with several.
    pub names: Vec<String>,
    /// The names that the values of a column index, for columns with such values.
    pub labels: BTreeMap<String, Vec<String>>,
    /// The lane at which each column starts, and at the end how many lanes there are.
    starts: Vec<usize>,
    /// The number of orders of impulses of each column.
    orders: Vec<usize>,
    pub times: Vec<f64>,
    pub microsteps: Vec<u32>,
    lanes: Vec<Lane>,
    pub impulses: Vec<Weight>,
    /// The rows of microstep 1 or later, the first of each instant.
    pub events: Vec<usize>,
    full: bool,
}

/// The values of one number; NaN if absent.
#[derive(Default)]
struct Lane {
    values: Vec<f64>,
    /// The places of the least and the greatest value of each block that is complete.
    extremes: Vec<(u32, u32)>,
}

/// An impulse.
pub(crate) struct Weight {
    pub time: f64,
    pub microstep: u32,
    pub lane: usize,
    pub order: usize,
    pub weight: f64,
}

/// Rows chosen for a plot.
pub(crate) struct View {
    pub times: Vec<f64>,
    pub microsteps: Vec<u32>,
    /// The values of each lane.
    pub lanes: Vec<Vec<f64>>,
    /// Whether rows were left out.
    pub thinned: bool,
}

impl Store {
    pub fn new(schema: &Schema) -> Store {
        let mut own = Store::default();
        for (index, column) in schema.columns().iter().enumerate() {
            own.starts.push(own.names.len());
            if !schema.labels(index).is_empty() {
                own.labels.insert(column.name.clone(), schema.labels(index).to_vec());
            }
            own.names.extend(column.element_names());
        }
        own.starts.push(own.names.len());
        own.orders = schema.orders().to_vec();
        own.lanes.resize_with(own.names.len(), Lane::default);
        own
    }

    /// Whether the run should end because nothing more fits.
    pub fn is_full(&self) -> bool {
        self.full
    }

    pub fn push(&mut self, row: &RecordedRow<'_>) {
        if (self.times.len() + 1) * (self.lanes.len() + 2) > MOST_NUMBERS {
            self.full = true;
            return;
        }
        let tag = row.tag();
        let time = tag.time.seconds();
        if tag.microstep > 0 && self.events.last().is_none_or(|own| self.times[*own] < time) {
            self.events.push(self.times.len());
        }
        for column in 0..self.starts.len() - 1 {
            let value = row.value(column);
            for (place, lane) in (self.starts[column]..self.starts[column + 1]).enumerate() {
                let value = value.and_then(|own| own.get(place)).copied();
                self.lanes[lane].push(value.unwrap_or(f64::NAN));
            }
            for order in 0..self.orders[column] {
                let Some(weights) = row.impulse(column, order) else { continue };
                for (place, weight) in weights.iter().enumerate().filter(|own| *own.1 != 0.0) {
                    if self.impulses.len() < MOST_IMPULSES {
                        let lane = self.starts[column] + place;
                        let (microstep, weight) = (tag.microstep, *weight);
                        self.impulses.push(Weight { time, microstep, lane, order, weight });
                    }
                }
            }
        }
        self.times.push(time);
        self.microsteps.push(tag.microstep);
    }

    /// The rows that draw the times between two at some number of pixels, with the next row on both
    /// sides.
    pub fn view(&self, from: f64, to: f64, pixels: usize) -> View {
        let low = self.times.partition_point(|time| *time < from).saturating_sub(1);
        let high = (self.times.partition_point(|time| *time <= to) + 1).min(self.times.len());
        let rows = high.saturating_sub(low);
        let pixels = pixels.clamp(50, 8000);
        let mut chosen: Vec<usize> = Vec::new();
        let thinned = rows > 4 * pixels;
        if thinned {
            let parts = (4 * pixels / (2 + 2 * self.lanes.len().max(1))).max(200);
            let length = rows.div_ceil(parts).max(1);
            for first in (low..high).step_by(length) {
                let last = (first + length).min(high);
                let begin = chosen.len();
                chosen.extend([first, last - 1]);
                for lane in &self.lanes {
                    chosen.extend(lane.extremes(first, last));
                }
                chosen[begin..].sort_unstable();
            }
            chosen.dedup();
        } else {
            chosen.extend(low..high);
        }
        View {
            times: chosen.iter().map(|row| self.times[*row]).collect(),
            microsteps: chosen.iter().map(|row| self.microsteps[*row]).collect(),
            lanes: self
                .lanes
                .iter()
                .map(|lane| chosen.iter().map(|row| lane.values[*row]).collect())
                .collect(),
            thinned,
        }
    }

    /// The time of the next or the previous row, or of the next instant with an event.
    pub fn neighbour(&self, time: f64, forward: bool, events: bool) -> Option<f64> {
        let at = |row: &usize| self.times[*row];
        match (forward, events) {
            (true, true) => {
                let next = self.events.partition_point(|row| at(row) <= time);
                self.events.get(next).map(at)
            }
            (false, true) => {
                let next = self.events.partition_point(|row| at(row) < time);
                next.checked_sub(1).map(|own| at(&self.events[own]))
            }
            (true, false) => {
                self.times.get(self.times.partition_point(|own| *own <= time)).copied()
            }
            (false, false) => {
                let next = self.times.partition_point(|own| *own < time);
                next.checked_sub(1).map(|own| self.times[own])
            }
        }
    }

    /// The values of each column at the last row up to a time, none for those that are absent, and
    /// the time of that row.
    pub fn at(&self, time: f64) -> Option<(f64, Vec<Option<Vec<f64>>>)> {
        let row = self.times.partition_point(|own| *own <= time).checked_sub(1)?;
        let column = |lanes: &[usize]| {
            let values = (lanes[0]..lanes[1]).map(|lane| self.lanes[lane].values[row]);
            let values: Vec<f64> = values.collect();
            (!values.iter().all(|own| own.is_nan())).then_some(values)
        };
        Some((self.times[row], self.starts.windows(2).map(column).collect()))
    }

    /// Whether an event happens at a time.
    pub fn has_event(&self, time: f64) -> bool {
        let next = self.events.partition_point(|row| self.times[*row] < time);
        self.events.get(next).is_some_and(|row| self.times[*row] == time)
    }

    /// The time of the instant with an event that is nearest to a time.
    pub fn nearest_event(&self, time: f64) -> Option<f64> {
        let near = [self.neighbour(time, true, true), self.neighbour(time, false, true)];
        let here = self.has_event(time).then_some(time);
        let near = near.into_iter().flatten();
        here.or_else(|| near.min_by(|a, b| (a - time).abs().total_cmp(&(b - time).abs())))
    }
}

impl Lane {
    fn push(&mut self, value: f64) {
        self.values.push(value);
        if self.values.len().is_multiple_of(BLOCK) {
            let first = self.values.len() - BLOCK;
            let (low, high) = self.searched(first, self.values.len()).unwrap_or((first, first));
            self.extremes.push((low as u32, high as u32));
        }
    }

    /// The places of the least and the greatest value of some rows; none if all are absent.
    fn searched(&self, first: usize, last: usize) -> Option<(usize, usize)> {
        self.among(first..last)
    }

    fn among(&self, places: impl Iterator<Item = usize>) -> Option<(usize, usize)> {
        let mut found: Option<(usize, usize)> = None;
        for place in places.filter(|place| !self.values[*place].is_nan()) {
            let (low, high) = found.unwrap_or((place, place));
            let value = self.values[place];
            let low = if value < self.values[low] { place } else { low };
            let high = if value > self.values[high] { place } else { high };
            found = Some((low, high));
        }
        found
    }

    fn extremes(&self, first: usize, last: usize) -> impl Iterator<Item = usize> + use<> {
        let (from, to) = (first.div_ceil(BLOCK), last / BLOCK);
        let found = if to <= from {
            self.searched(first, last)
        } else {
            let blocks = self.extremes[from..to.min(self.extremes.len())].iter();
            let blocks = blocks.flat_map(|own| [own.0 as usize, own.1 as usize]);
            let ends = (first..from * BLOCK).chain(to * BLOCK..last);
            self.among(ends.chain(blocks))
        };
        found.into_iter().flat_map(|(low, high)| [low, high])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(values: &[f64]) -> Store {
        let mut lane = Lane::default();
        values.iter().for_each(|value| lane.push(*value));
        Store {
            names: vec!["x".to_owned()],
            starts: vec![0, 1],
            orders: vec![0],
            times: (0..values.len()).map(|row| row as f64).collect(),
            microsteps: vec![0; values.len()],
            lanes: vec![lane],
            ..Store::default()
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config {
            failure_persistence: None, ..Default::default()
        })]

        /// A thinned view has the extremes of every stretch of time, its ends, and only rows that
        /// exist, in order.
        #[test]
        fn thinning_keeps_the_picture(
            seed in 0u64..1000, rows in 2usize..20_000, from in 0.0f64..1.0, part in 0.01f64..1.0,
        ) {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                if state.is_multiple_of(11) { f64::NAN } else { (state % 100_003) as f64 }
            };
            let values: Vec<f64> = (0..rows).map(|_| next()).collect();
            let own = store(&values);
            let (from, to) = (from * rows as f64, (from + part).min(1.0) * rows as f64);
            let view = own.view(from, to, 100);
            proptest::prop_assert!(view.times.windows(2).all(|two| two[0] < two[1]));
            proptest::prop_assert!(view.times.len() <= 2000);
            let inside = |time: f64| time >= from && time <= to;
            let of = |rows: &mut dyn Iterator<Item = (f64, f64)>| {
                rows.filter(|own| inside(own.0) && !own.1.is_nan()).fold(
                    (f64::INFINITY, f64::NEG_INFINITY), |(l, h), (_, v)| (l.min(v), h.max(v)),
                )
            };
            let whole = of(&mut own.times.iter().copied().zip(values.iter().copied()));
            let shown = of(&mut view.times.iter().copied().zip(view.lanes[0].iter().copied()));
            // The rows just outside belong to the view, too, and may hold an extreme of an end.
            proptest::prop_assert!(shown.0 >= whole.0 && shown.1 <= whole.1);
            if !view.thinned {
                proptest::prop_assert_eq!(shown, whole);
            }
            for (time, value) in view.times.iter().zip(&view.lanes[0]) {
                proptest::prop_assert_eq!(values[*time as usize].to_bits(), value.to_bits());
            }
        }
    }

    #[test]
    fn one_spike_among_a_million_rows_is_seen() {
        let mut values = vec![0.0; 1_000_000];
        values[654_321] = 1.0;
        let view = store(&values).view(0.0, 1e6, 1000);
        assert!(view.thinned && view.times.len() < 8000);
        let spike = view.times.iter().position(|time| *time == 654_321.0).expect("the spike");
        assert_eq!(view.lanes[0][spike], 1.0);
    }
}
