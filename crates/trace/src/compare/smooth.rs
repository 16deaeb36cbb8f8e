//! Compares the smooth parts between events.

use std::ops::Range;

use base::{Elem, Tag, Time};

use super::{Comparer, Instant, Pair, Side};
use crate::Trace;
use crate::number::seconds;

/// The rows of a smooth part of a trace: from the right limit at the preceding event to the left
/// limit at the following one.
#[derive(Clone)]
struct Phase<'a> {
    trace: &'a Trace,
    rows: Range<usize>,
}

/// The position of a time among the rows of a smooth part.
#[derive(Clone, Copy)]
enum Place {
    /// At a row.
    Row(usize),
    /// Between two rows, at this fraction of the interval.
    Between { right: usize, part: f64 },
    /// Before the first or after the last.
    Outside,
}

/// What a trace contains about a signal at a time.
enum Sample<'a> {
    /// The elements of a row.
    Row(Option<&'a [f64]>),
    /// The elements between two rows.
    Between(Vec<f64>),
    /// Unknown: the presence of the signal changes between two rows, or it has no row here.
    Unknown,
}

impl Comparer<'_> {
    /// Walks along both traces at once, from event to event of either.
    pub(super) fn compare_smooth(&mut self, pairs: &[Pair<'_, Instant>]) {
        let (first, second) = (self.first, self.second);
        let (next_a, next_b) = (following(pairs, Pair::first), following(pairs, Pair::second));
        let (mut start_a, mut start_b) = (0, 0);
        let mut from = None;
        for (index, pair) in pairs.iter().enumerate() {
            let phase_a = Phase::new(first, start_a, next_a[index]);
            let phase_b = Phase::new(second, start_b, next_b[index]);
            let (a, b) = (pair.first(), pair.second());
            let times = [a, b].into_iter().flatten().map(|instant| instant.time);
            self.interval(&phase_a, &phase_b, from, times.clone().min());
            match *pair {
                Pair::Both(..) => {}
                Pair::First(a) => self.lone_event(a, Side::First, &phase_b),
                Pair::Second(b) => self.lone_event(b, Side::Second, &phase_a),
            }
            from = times.max();
            start_a = a.map_or(start_a, |instant| instant.rows.end - 1);
            start_b = b.map_or(start_b, |instant| instant.rows.end - 1);
        }
        let phase_a = Phase::new(first, start_a, None);
        let phase_b = Phase::new(second, start_b, None);
        self.interval(&phase_a, &phase_b, from, None);
    }

    /// Compares at the times of the rows of both between two times, each of which is an event of at
    /// least one of them.
    fn interval(&mut self, a: &Phase<'_>, b: &Phase<'_>, from: Option<Time>, to: Option<Time>) {
        let mut times = a.times(from, to).chain(b.times(from, to)).collect::<Vec<_>>();
        times.sort_unstable();
        times.dedup();
        for time in times {
            let (at_a, at_b) = (a.locate(time), b.locate(time));
            for index in 0..self.places.len() {
                let (place_a, place_b) = self.places[index];
                let (x, y) = (a.sample(at_a, place_a), b.sample(at_b, place_b));
                self.sampled(index, Tag::new(time, 0), &x, &y);
            }
        }
    }

    /// Compares both limits at an event that one trace lacks with its smooth part.
    fn lone_event(&mut self, event: &Instant, side: Side, other: &Phase<'_>) {
        let own = if side == Side::First { self.first } else { self.second };
        let place = other.locate(event.time);
        for row in [event.rows.start, event.rows.end - 1] {
            for index in 0..self.places.len() {
                let (a, b) = self.places[index];
                let tag = own.tags()[row];
                if side == Side::First {
                    let own = Sample::at(own, row, a);
                    self.sampled(index, tag, &own, &other.sample(place, b));
                } else {
                    let own = Sample::at(own, row, b);
                    self.sampled(index, tag, &other.sample(place, a), &own);
                }
            }
        }
    }

    fn sampled(&mut self, index: usize, tag: Tag, first: &Sample<'_>, second: &Sample<'_>) {
        if let (Some(first), Some(second)) = (first.value(), second.value()) {
            self.values(index, tag, first, second);
        }
    }
}

/// For each position in a list of pairs, the next event of one trace from there on.
fn following<'a>(
    pairs: &[Pair<'a, Instant>],
    own: impl Fn(&Pair<'a, Instant>) -> Option<&'a Instant>,
) -> Vec<Option<&'a Instant>> {
    let mut next = None;
    let mut following: Vec<_> = pairs
        .iter()
        .rev()
        .map(|pair| {
            next = own(pair).or(next);
            next
        })
        .collect();
    following.reverse();
    following
}

impl<'a> Phase<'a> {
    /// The smooth part that starts with a row and ends with the left limit at an event.
    fn new(trace: &'a Trace, from: usize, event: Option<&Instant>) -> Phase<'a> {
        let to = event.map_or(trace.len(), |event| {
            let has_left_limit = trace.tags()[event.rows.start].microstep == 0;
            event.rows.start + usize::from(has_left_limit)
        });
        Phase { trace, rows: from..to.max(from) }
    }

    fn tags(&self) -> &'a [Tag] {
        &self.trace.tags()[self.rows.clone()]
    }

    /// The times of rows strictly between two events.
    fn times(&self, from: Option<Time>, to: Option<Time>) -> impl Iterator<Item = Time> + use<'a> {
        let tags = self.tags();
        let begin = from.map_or(0, |from| tags.partition_point(|tag| tag.time <= from));
        let end = to.map_or(tags.len(), |to| tags.partition_point(|tag| tag.time < to));
        tags[begin..end.max(begin)].iter().map(|tag| tag.time)
    }

    /// The position of a time among the rows.
    fn locate(&self, time: Time) -> Place {
        let tags = self.tags();
        let after = tags.partition_point(|tag| tag.time < time);
        let row = self.rows.start + after;
        if tags.get(after).is_some_and(|tag| tag.time == time) {
            return Place::Row(row);
        }
        if after == 0 || after == tags.len() {
            return Place::Outside;
        }
        let (from, to) = (tags[after - 1].time, tags[after].time);
        Place::Between { right: row, part: seconds(time - from) / seconds(to - from) }
    }

    /// The value of a signal at a position.
    fn sample(&self, place: Place, column: usize) -> Sample<'a> {
        let (right, part) = match place {
            Place::Outside => return Sample::Unknown,
            Place::Row(row) => return Sample::at(self.trace, row, column),
            Place::Between { right, part } => (right, part),
        };
        match (self.trace.get(right - 1, column), self.trace.get(right, column)) {
            (None, None) => Sample::Row(None),
            (Some(left), Some(_)) if self.trace.columns()[column].ty.elem != Elem::Real => {
                Sample::Row(Some(left))
            }
            (Some(left), Some(right)) => {
                let between = |(a, b): (&f64, &f64)| a + part * (b - a);
                Sample::Between(left.iter().zip(right).map(between).collect())
            }
            _ => Sample::Unknown,
        }
    }
}

impl<'a> Sample<'a> {
    /// The sample of a row; unknown if the signal has no row of its own there.
    fn at(trace: &'a Trace, row: usize, column: usize) -> Sample<'a> {
        match trace.is_filled(row, column) {
            true => Sample::Unknown,
            false => Sample::Row(trace.get(row, column)),
        }
    }

    /// What is known: the elements, or that the signal is absent.
    fn value(&self) -> Option<Option<&[f64]>> {
        match self {
            Sample::Row(value) => Some(*value),
            Sample::Between(values) => Some(Some(values)),
            Sample::Unknown => None,
        }
    }
}
