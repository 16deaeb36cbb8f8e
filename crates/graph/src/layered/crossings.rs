//! How many wires cross in a channel, given the order of the cells.

use super::proper::{End, Proper};

/// The order of the cells in a form for counting: the position of each cell in its layer.
pub(super) struct Positions(pub Vec<usize>);

impl Positions {
    pub fn new(proper: &Proper) -> Positions {
        let mut positions = vec![0; proper.cells.len()];
        for layer in &proper.layers {
            for (position, cell) in layer.iter().enumerate() {
                positions[*cell] = position;
            }
        }
        Positions(positions)
    }

    /// The position of a pin on a right edge among all such pins of its layer.
    pub fn right_of(&self, proper: &Proper, end: End) -> u64 {
        let slot = proper.cells[end.cell].vertex.map_or(0, |v| proper.right[v][end.pin]);
        key(self.0[end.cell], slot)
    }

    /// The position of a pin on a left edge among all such pins of its layer.
    pub fn left_of(&self, proper: &Proper, end: End) -> u64 {
        let slot = proper.cells[end.cell].vertex.map_or(0, |v| proper.left[v][end.pin]);
        key(self.0[end.cell], slot)
    }

    /// The crossings in a channel.
    pub fn crossings(&self, proper: &Proper, channel: usize) -> u64 {
        let (mut pairs, mut turns) = (Vec::new(), Vec::new());
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for segment in &proper.channels[channel] {
            let left: Vec<u64> = segment.left.iter().map(|e| self.right_of(proper, *e)).collect();
            let right: Vec<u64> = segment.right.iter().map(|e| self.left_of(proper, *e)).collect();
            pairs.extend(left.iter().flat_map(|l| right.iter().map(|r| (*l, *r))));
            // A wire that turns back crosses whatever leaves its layer between its two ends.
            if right.is_empty() {
                turns.push((true, span(&left)));
            } else if left.is_empty() {
                turns.push((false, span(&right)));
            }
            lefts.extend(left);
            rights.extend(right);
        }
        lefts.sort_unstable();
        rights.sort_unstable();
        let turned = turns.iter().map(|(at_left, (low, high))| {
            let pins = if *at_left { &lefts } else { &rights };
            let inside = pins.partition_point(|p| p < high) - pins.partition_point(|p| p <= low);
            inside as u64
        });
        turned.sum::<u64>() + inversions(pairs, &rights)
    }
}

fn key(position: usize, slot: usize) -> u64 {
    (position as u64) << 24 | slot as u64
}

fn span(keys: &[u64]) -> (u64, u64) {
    let low = keys.iter().min().copied().unwrap_or(0);
    (low, keys.iter().max().copied().unwrap_or(0).max(low + 1))
}

/// Pairs of pairs in opposite orders, counted with a Fenwick tree (Barth, Jünger and Mutzel 2002).
fn inversions(mut pairs: Vec<(u64, u64)>, rights: &[u64]) -> u64 {
    pairs.sort_unstable();
    let mut tree = vec![0u64; rights.len() + 1];
    let mut crossings = 0;
    let mut pending: Vec<usize> = Vec::new();
    for (index, (left, right)) in pairs.iter().enumerate() {
        if index > 0 && pairs[index - 1].0 != *left {
            for place in pending.drain(..) {
                add(&mut tree, place);
            }
        }
        let place = rights.partition_point(|r| r < right);
        crossings +=
            total(&tree, rights.len()) - total(&tree, rights.partition_point(|r| r <= right));
        pending.push(place);
    }
    crossings
}

fn add(tree: &mut [u64], place: usize) {
    let mut at = place + 1;
    while at < tree.len() {
        tree[at] += 1;
        at += at & at.wrapping_neg();
    }
}

/// How many were added at the first `count` positions.
fn total(tree: &[u64], count: usize) -> u64 {
    let (mut at, mut sum) = (count, 0);
    while at > 0 {
        sum += tree[at];
        at -= at & at.wrapping_neg();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_pairs_in_opposite_orders() {
        assert_eq!(inversions(vec![(0, 1), (1, 0)], &[0, 1]), 1);
        assert_eq!(inversions(vec![(0, 0), (1, 1)], &[0, 1]), 0);
        assert_eq!(inversions(vec![(0, 0), (0, 1), (1, 0)], &[0, 0, 1]), 1);
        assert_eq!(inversions(vec![(0, 2), (1, 1), (2, 0)], &[0, 1, 2]), 3);
    }
}
