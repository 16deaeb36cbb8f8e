//! Where two traces differ, in superdense time.
//!
//! Instants with microsteps above 0 are events. The events of the two traces are paired in order if
//! their times are within the time tolerance, and compared microstep by microstep, so that left and
//! right limits are never mixed. Between events the signals are smooth: each trace is interpolated
//! linearly at the times of the other's rows, never across an event. Rows that only one trace has
//! between events are therefore no difference, but the interpolation error is: record both on the
//! same grid if tolerances are tight. A signal that has no row of its own at a tag, because it
//! belongs to another region, is not compared there. A missing impulse has weight zero.

mod result;

mod align;
mod impulses;
mod smooth;
mod tick;
mod words;

use base::{Tag, Time};

use crate::Trace;
use crate::labels::number_of;
use align::{Instant, Pair, align, events};
pub use result::{
    ColumnDifference, Comparison, Difference, FirstDifference, Reason, RowDifference, Side,
};

/// How much may differ.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// A difference of values that is always allowed.
    pub absolute: f64,
    /// An allowed difference of values, as a fraction of the larger of them.
    pub relative: f64,
    /// How far apart the times of an event may be \[s\].
    pub time: f64,
}

impl Tolerance {
    /// Nothing may differ.
    pub const EXACT: Tolerance = Tolerance { absolute: 0.0, relative: 0.0, time: 0.0 };

    /// Whether two values are equal within the tolerance.
    pub fn admits(&self, first: f64, second: f64) -> bool {
        let most = self.absolute + self.relative * first.abs().max(second.abs());
        first == second
            || first.is_nan() && second.is_nan()
            || first.is_finite() && second.is_finite() && (first - second).abs() <= most
    }

    fn admits_times(&self, first: Time, second: Time) -> bool {
        first.since(second).abs() <= self.time
    }
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance { absolute: 1e-9, relative: 1e-6, time: 1e-9 }
    }
}

/// Compares two traces.
pub fn compare(first: &Trace, second: &Trace, tolerance: Tolerance) -> Comparison {
    let mut comparer = Comparer::new(first, second, tolerance);
    comparer.compare_ends();
    let (a, b) = (events(first), events(second));
    let same = |a: &Instant, b: &Instant| tolerance.admits_times(a.time, b.time);
    let pairs = align(&a, &b, |instant| instant.time, same);
    comparer.compare_events(&pairs);
    comparer.compare_smooth(&pairs);
    comparer.compare_impulses();
    comparer.result
}

/// The merged labels of both, and the indices of the second's labels among them. If one has only
/// plain values, the values are compared.
fn common_names(first: &[String], second: &[String]) -> (Vec<String>, Vec<f64>) {
    if first.is_empty() || second.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut all = first.to_vec();
    let mut numbers = Vec::new();
    for name in second {
        numbers.push(number_of(&all, name).unwrap_or_else(|| {
            all.push(name.clone());
            (all.len() - 1) as f64
        }));
    }
    (all, numbers)
}

/// A comparison in progress.
struct Comparer<'a> {
    first: &'a Trace,
    second: &'a Trace,
    tolerance: Tolerance,
    /// The indices of the common columns in both.
    places: Vec<(usize, usize)>,
    /// For each common column with labels, the indices of the second's values among the merged
    /// labels.
    renumbered: Vec<Vec<f64>>,
    result: Comparison,
}

impl<'a> Comparer<'a> {
    fn new(first: &'a Trace, second: &'a Trace, tolerance: Tolerance) -> Comparer<'a> {
        let mut result = Comparison {
            lengths: (first.len(), second.len()),
            columns: Vec::new(),
            missing: Vec::new(),
            reshaped: Vec::new(),
            rows: Vec::new(),
            first: None,
        };
        let (mut places, mut renumbered) = (Vec::new(), Vec::new());
        for (place, column) in first.columns().iter().enumerate() {
            let name = column.name.clone();
            match second.column(&name) {
                None => result.missing.push((name, Side::First)),
                Some(other) if second.columns()[other].ty.shape != column.ty.shape => {
                    result.reshaped.push(name);
                }
                Some(other) => {
                    places.push((place, other));
                    let (labels, numbers) =
                        common_names(first.schema().labels(place), second.schema().labels(other));
                    renumbered.push(numbers);
                    let (largest, beyond, lone) = (None, None, None);
                    result.columns.push(ColumnDifference { name, labels, largest, beyond, lone });
                }
            }
        }
        let lone = second.columns().iter().filter(|column| first.column(&column.name).is_none());
        result.missing.extend(lone.map(|column| (column.name.clone(), Side::Second)));
        Comparer { first, second, tolerance, places, renumbered, result }
    }

    fn compare_ends(&mut self) {
        let (a, b) = (self.first.tags(), self.second.tags());
        match (a.first().zip(a.last()), b.first().zip(b.last())) {
            (None, None) => {}
            (Some((begin, _)), None) => {
                self.rows(*begin, RowDifference::Lone { tag: *begin, side: Side::First })
            }
            (None, Some((begin, _))) => {
                self.rows(*begin, RowDifference::Lone { tag: *begin, side: Side::Second })
            }
            (Some((a, last_a)), Some((b, last_b))) => {
                if !self.tolerance.admits_times(a.time, b.time) {
                    let difference = RowDifference::Begin { first: a.time, second: b.time };
                    self.rows(*a.min(b), difference);
                }
                if !self.tolerance.admits_times(last_a.time, last_b.time) {
                    let difference = RowDifference::End { first: last_a.time, second: last_b.time };
                    self.rows(*last_a.min(last_b), difference);
                }
            }
        }
    }

    fn rows(&mut self, tag: Tag, difference: RowDifference) {
        self.result.rows.push(difference);
        self.part(tag, || Reason::Rows(difference));
    }

    /// Compares and records the values of a common column at a tag.
    fn values(&mut self, index: usize, tag: Tag, first: Option<&[f64]>, second: Option<&[f64]>) {
        let (a, b) = match (first, second) {
            (None, None) => return,
            (Some(a), Some(b)) => (a, b),
            (lone, _) => {
                let side = if lone.is_some() { Side::First } else { Side::Second };
                let column = &mut self.result.columns[index];
                column.lone = column.lone.filter(|(at, _)| *at <= tag).or(Some((tag, side)));
                let column = column.name.clone();
                self.part(tag, || Reason::Presence { column, side });
                return;
            }
        };
        for (element, (first, second)) in a.iter().zip(b).enumerate() {
            let (first, second) = (*first, self.renumbered(index, *second));
            self.note(index, Difference { tag, element, order: None, first, second });
        }
    }

    fn renumbered(&self, index: usize, value: f64) -> f64 {
        let numbers = &self.renumbered[index];
        numbers.get(value as usize).filter(|_| value >= 0.0).copied().unwrap_or(value)
    }

    fn note(&mut self, index: usize, difference: Difference) {
        let Difference { tag, first, second, order, .. } = difference;
        if first == second || first.is_nan() && second.is_nan() {
            return;
        }
        let column = &mut self.result.columns[index];
        if column.largest.is_none_or(|largest| largest.size() < difference.size()) {
            column.largest = Some(difference);
        }
        let is_name = order.is_none() && !column.labels.is_empty();
        if !is_name && self.tolerance.admits(first, second) {
            return;
        }
        if column.beyond.is_none_or(|beyond| tag < beyond.tag) {
            column.beyond = Some(difference);
        }
        let (name, (first, second)) = (column.name.clone(), difference.names(&column.labels));
        self.part(tag, || match is_name {
            true => Reason::Name { column: name, first, second },
            false => Reason::Value { column: name, difference },
        });
    }

    fn part(&mut self, tag: Tag, reason: impl FnOnce() -> Reason) {
        if self.result.first.as_ref().is_none_or(|first| tag < first.tag) {
            self.result.first = Some(FirstDifference { tag, reason: reason() });
        }
    }
}
