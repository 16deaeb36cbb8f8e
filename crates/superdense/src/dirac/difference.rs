//! How far two fixed-step runs are apart, point by point.

use std::collections::{HashMap, HashSet};

use base::Time;
use trace::{Impulse, Trace};

/// How long a signal is examined after an impulse \[steps\].
const LONGEST: usize = 32;
/// A pulse is over when this fraction of its height is left.
const OVER: f64 = 1e-9;

/// The last rows at all points of a numeric and a stepped run of one model with one step size.
pub(super) struct Points<'a> {
    numeric: &'a Trace,
    stepped: &'a Trace,
    /// For each point, its row in both traces.
    rows: Vec<(usize, usize)>,
}

/// The largest difference found.
pub(super) struct Largest {
    pub absolute: f64,
    pub relative: f64,
    pub signal: String,
}

/// The last row of each time.
fn last_rows(trace: &Trace) -> Vec<usize> {
    let tags = trace.tags();
    let last = |row: &usize| tags.get(row + 1).is_none_or(|next| next.time != tags[*row].time);
    (0..tags.len()).filter(last).collect()
}

impl<'a> Points<'a> {
    /// Pairs the points of two runs by index, as far as both go.
    pub fn of(numeric: &'a Trace, stepped: &'a Trace) -> Option<Points<'a>> {
        let same = numeric.columns() == stepped.columns() && !stepped.is_empty();
        let rows = last_rows(numeric).into_iter().zip(last_rows(stepped)).collect();
        same.then_some(Points { numeric, stepped, rows })
    }

    /// The index of the point at each time.
    fn point_of(&self) -> HashMap<Time, usize> {
        let rows = self.rows.iter().enumerate();
        rows.map(|(point, (_, row))| (self.stepped.tags()[*row].time, point)).collect()
    }

    /// The columns and points at which a value represents an impulse: its order plus one points.
    fn pulses(&self) -> HashSet<(usize, usize)> {
        let point_of = self.point_of();
        let pulse = |impulse: &Impulse| {
            let from = point_of.get(&impulse.tag.time).copied();
            let (column, order) = (impulse.column, impulse.order);
            from.into_iter().flat_map(move |from| (from..=from + order).map(move |k| (column, k)))
        };
        self.stepped.impulses().iter().flat_map(pulse).collect()
    }

    /// The largest difference where no value represents an impulse, relative to the magnitude of
    /// its signal.
    pub fn largest_difference(&self) -> Largest {
        let mut largest = Largest { absolute: 0.0, relative: 0.0, signal: String::new() };
        let pulses = self.pulses();
        for column in 0..self.stepped.columns().len() {
            let (mut apart, mut size) = (0.0f64, 0.0f64);
            for (point, (a, b)) in self.rows.iter().enumerate() {
                if pulses.contains(&(column, point)) {
                    continue;
                }
                let (a, b) = (self.numeric.get(*a, column), self.stepped.get(*b, column));
                for (a, b) in a.unwrap_or_default().iter().zip(b.unwrap_or_default()) {
                    (apart, size) = (apart.max((a - b).abs()), size.max(b.abs()));
                }
                if a.is_some() != b.is_some() {
                    apart = f64::INFINITY;
                }
            }
            let relative = if apart > 0.0 { apart / size.max(f64::MIN_POSITIVE) } else { 0.0 };
            if relative > largest.relative {
                let signal = self.stepped.columns()[column].name.clone();
                let signal = signal.trim_start_matches('~').to_owned();
                largest = Largest { absolute: apart, relative, signal };
            }
        }
        largest
    }

    /// The largest number of steps after which a numeric signal has settled after an impulse.
    pub fn delay(&self) -> usize {
        let point_of = self.point_of();
        let mut longest = 0;
        for (index, impulse) in self.stepped.impulses().iter().enumerate() {
            let Some(from) = point_of.get(&impulse.tag.time) else { continue };
            let later = self.stepped.impulses()[index + 1..].iter();
            let next = later
                .filter(|other| other.column == impulse.column && other.tag != impulse.tag)
                .find_map(|other| point_of.get(&other.tag.time))
                .map_or(LONGEST, |to| (to - from).min(LONGEST));
            // As finite differences, an impulse of order i is spread over i + 1 points. A
            // difference after these points is the error of the formulas in moving signals, not a
            // delay.
            let spread = impulse.order + 1;
            longest = longest.max(self.rest(impulse.column, *from, next.min(spread)));
        }
        longest
    }

    /// The last of some points at which a numeric signal differs from the stepped one.
    fn rest(&self, column: usize, from: usize, count: usize) -> usize {
        let apart = |(a, b): &(usize, usize)| {
            let (a, b) = (self.numeric.get(*a, column), self.stepped.get(*b, column));
            let pairs = a.unwrap_or_default().iter().zip(b.unwrap_or_default());
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let apart: Vec<f64> = self.rows[from..].iter().take(count.max(1)).map(apart).collect();
        let height = apart.iter().copied().fold(0.0, f64::max);
        apart.iter().rposition(|d| *d > OVER * height).unwrap_or(0)
    }
}

/// The mean difference of two traces at the times that both have, for the column without impulses
/// in which it is largest.
pub(super) fn mean(numeric: &Trace, exact: &Trace) -> Option<(f64, String)> {
    let rows: HashMap<Time, usize> =
        last_rows(exact).into_iter().map(|row| (exact.tags()[row].time, row)).collect();
    let pairs: Vec<(usize, usize)> = last_rows(numeric)
        .into_iter()
        .filter_map(|row| Some((row, *rows.get(&numeric.tags()[row].time)?)))
        .collect();
    let carries = |column: usize| exact.impulses().iter().any(|i| i.column == column);
    let mut largest: Option<(f64, String)> = None;
    for (column, of) in exact.columns().iter().enumerate() {
        let Some(other) = numeric.column(&of.name).filter(|_| !carries(column)) else { continue };
        let mut sum = 0.0;
        let mut count = 0usize;
        for (a, b) in &pairs {
            let (Some(a), Some(b)) = (numeric.get(*a, other), exact.get(*b, column)) else {
                continue;
            };
            count += 1;
            sum += a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        }
        let mean = sum / count.max(1) as f64;
        if largest.as_ref().is_none_or(|(most, _)| mean > *most) && count > 0 {
            largest = Some((mean, of.name.clone()));
        }
    }
    largest
}
