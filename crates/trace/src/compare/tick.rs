//! Compares events, microstep by microstep.

use super::{Comparer, Instant, Pair, RowDifference, Side};
use crate::Trace;

impl Comparer<'_> {
    pub(super) fn compare_events(&mut self, pairs: &[Pair<'_, Instant>]) {
        let mut lone: Vec<&Pair<'_, Instant>> = Vec::new();
        for pair in pairs {
            match pair {
                Pair::Both(a, b) => {
                    self.unpaired(&lone);
                    lone.clear();
                    self.event(a, b);
                }
                other => lone.push(other),
            }
        }
        self.unpaired(&lone);
    }

    /// Events between two that correspond: if both traces have the same number of them, they have
    /// moved.
    fn unpaired(&mut self, lone: &[&Pair<'_, Instant>]) {
        let first: Vec<_> = lone.iter().filter_map(|pair| pair.first()).collect();
        let second: Vec<_> = lone.iter().filter_map(|pair| pair.second()).collect();
        if first.len() == second.len() {
            for (a, b) in first.iter().zip(&second) {
                let (early, trace) =
                    if a.time < b.time { (a, self.first) } else { (b, self.second) };
                let difference = RowDifference::Moved { first: a.time, second: b.time };
                self.rows(trace.tags()[event_row(trace, early)], difference);
            }
            return;
        }
        for (events, side) in [(first, Side::First), (second, Side::Second)] {
            let trace = if side == Side::First { self.first } else { self.second };
            for event in events {
                let tag = trace.tags()[event_row(trace, event)];
                self.rows(tag, RowDifference::Lone { tag, side });
            }
        }
    }

    fn event(&mut self, a: &Instant, b: &Instant) {
        let (mut rows_a, mut rows_b) = (a.rows.clone().peekable(), b.rows.clone().peekable());
        let (first, second) = (self.first, self.second);
        loop {
            let of_a = rows_a.peek().map(|row| first.tags()[*row]);
            let of_b = rows_b.peek().map(|row| second.tags()[*row]);
            let step = |tag: Option<base::Tag>| tag.map_or(u64::MAX, |tag| tag.microstep.into());
            match (of_a, of_b) {
                (None, None) => return,
                (Some(tag), _) if step(of_a) < step(of_b) => {
                    rows_a.next();
                    self.rows(tag, RowDifference::Lone { tag, side: Side::First });
                }
                (_, Some(tag)) if step(of_b) < step(of_a) => {
                    rows_b.next();
                    self.rows(tag, RowDifference::Lone { tag, side: Side::Second });
                }
                _ => {
                    let (row_a, row_b) =
                        rows_a.next().zip(rows_b.next()).expect("both have this microstep");
                    for index in 0..self.places.len() {
                        let (place_a, place_b) = self.places[index];
                        if first.is_filled(row_a, place_a) || second.is_filled(row_b, place_b) {
                            continue;
                        }
                        let (a, b) = (first.get(row_a, place_a), second.get(row_b, place_b));
                        self.values(index, first.tags()[row_a], a, b);
                    }
                }
            }
        }
    }
}

/// The first row of an event above microstep 0.
fn event_row(trace: &Trace, event: &Instant) -> usize {
    event.rows.clone().find(|row| trace.tags()[*row].microstep > 0).expect("an event")
}
