//! Compares each impulse with the one of the same signal, order and microstep.

use std::collections::BTreeMap;

use base::Tag;

use super::{Comparer, Difference, Pair, align};
use crate::{Impulse, Trace};

/// The signal (by its index among the common ones), the order and the microstep.
type Key = (usize, usize, u32);

impl Comparer<'_> {
    pub(super) fn compare_impulses(&mut self) {
        let first = sorted(self.first, |column| self.places.iter().position(|p| p.0 == column));
        let mut second = sorted(self.second, |c| self.places.iter().position(|p| p.1 == c));
        for (key, own) in &first {
            self.impulses(*key, own, &second.remove(key).unwrap_or_default());
        }
        for (key, own) in &second {
            self.impulses(*key, &[], own);
        }
    }

    fn impulses(&mut self, (index, order, _): Key, first: &[&Impulse], second: &[&Impulse]) {
        let tolerance = self.tolerance;
        let same = |a: &&Impulse, b: &&Impulse| tolerance.admits_times(a.tag.time, b.tag.time);
        for pair in align(first, second, |impulse| impulse.tag.time, same) {
            match pair {
                Pair::Both(a, b) => {
                    for (element, (x, y)) in a.weight.iter().zip(&b.weight).enumerate() {
                        self.weight(index, a.tag, element, order, (*x, *y));
                    }
                }
                Pair::First(a) => {
                    for (element, x) in a.weight.iter().enumerate() {
                        self.weight(index, a.tag, element, order, (*x, 0.0));
                    }
                }
                Pair::Second(b) => {
                    for (element, y) in b.weight.iter().enumerate() {
                        self.weight(index, b.tag, element, order, (0.0, *y));
                    }
                }
            }
        }
    }

    fn weight(&mut self, index: usize, tag: Tag, element: usize, order: usize, pair: (f64, f64)) {
        let (first, second) = pair;
        self.note(index, Difference { tag, element, order: Some(order), first, second });
    }
}

fn sorted(trace: &Trace, place: impl Fn(usize) -> Option<usize>) -> BTreeMap<Key, Vec<&Impulse>> {
    let mut sorted: BTreeMap<Key, Vec<&Impulse>> = BTreeMap::new();
    for impulse in trace.impulses() {
        if let Some(index) = place(impulse.column) {
            let key = (index, impulse.order, impulse.tag.microstep);
            sorted.entry(key).or_default().push(impulse);
        }
    }
    sorted
}
