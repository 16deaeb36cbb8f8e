//! Determines which events of two traces correspond.

use std::ops::Range;

use base::Time;

use crate::Trace;

/// The rows of one event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Instant {
    pub time: Time,
    pub rows: Range<usize>,
}

/// The instants of a trace that have a microstep above 0.
pub(super) fn events(trace: &Trace) -> Vec<Instant> {
    let mut end = 0;
    let groups = trace.tags().chunk_by(|a, b| a.time == b.time).map(|tags| {
        end += tags.len();
        (tags, Instant { time: tags[0].time, rows: end - tags.len()..end })
    });
    let is_event = |tags: &[base::Tag]| tags.iter().any(|tag| tag.microstep > 0);
    groups.filter(|(tags, _)| is_event(tags)).map(|(_, instant)| instant).collect()
}

/// Two items that correspond, or one without a counterpart.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Pair<'a, T> {
    Both(&'a T, &'a T),
    First(&'a T),
    Second(&'a T),
}

impl<'a, T> Pair<'a, T> {
    /// The item of the first list.
    pub fn first(&self) -> Option<&'a T> {
        match *self {
            Pair::Both(a, _) | Pair::First(a) => Some(a),
            Pair::Second(_) => None,
        }
    }

    /// The item of the second list.
    pub fn second(&self) -> Option<&'a T> {
        match *self {
            Pair::Both(_, b) | Pair::Second(b) => Some(b),
            Pair::First(_) => None,
        }
    }
}

/// Pairs two lists in the order of time: items that correspond, and of the rest the earlier one
/// first.
pub(super) fn align<'a, T>(
    first: &'a [T],
    second: &'a [T],
    time: impl Fn(&T) -> Time,
    same: impl Fn(&T, &T) -> bool,
) -> Vec<Pair<'a, T>> {
    let (mut a, mut b) = (first.iter().peekable(), second.iter().peekable());
    std::iter::from_fn(|| match (a.peek(), b.peek()) {
        (Some(x), Some(y)) if same(x, y) => {
            Some(Pair::Both(a.next().expect("peeked"), b.next().expect("peeked")))
        }
        (Some(x), Some(y)) if time(x) < time(y) => a.next().map(Pair::First),
        (_, Some(_)) => b.next().map(Pair::Second),
        (Some(_), None) => a.next().map(Pair::First),
        (None, None) => None,
    })
    .collect()
}
