//! The height of each cell: wires are as straight as the order and the sizes of the cells allow.

use super::proper::{End, Proper};
use super::simplex::{Distance, solve};
use super::{Edge, PORT_GAP, VERTEX_GAP, WIRE_GAP, WIRE_TO_VERTEX};

/// The exact method is used up to this many cells and connections.
const EXACT: usize = 4000;
/// How many times the other method visits each layer.
const PASSES: usize = 12;

/// Two pins that should be level, and with what weight.
struct Pull {
    from: (usize, i64),
    to: (usize, i64),
    weight: i64,
}

/// The top of each cell.
pub(super) fn heights(proper: &Proper) -> Vec<i64> {
    let pulls = pulls(proper);
    if proper.cells.len() + pulls.len() <= EXACT {
        exact(proper, &pulls)
    } else {
        relaxed(proper, &pulls)
    }
}

/// The minimum distance between the tops of two neighbours in a layer.
fn apart(proper: &Proper, upper: usize, lower: usize) -> i64 {
    let edge = |cell: usize| proper.cells[cell].vertex.map(|v| proper.graph.vertices[v].edge);
    let gap = match (edge(upper), edge(lower)) {
        (None, None) => WIRE_GAP,
        (Some(Edge::None), Some(Edge::None)) => VERTEX_GAP,
        (Some(_), Some(_)) => PORT_GAP,
        _ => WIRE_TO_VERTEX,
    };
    proper.cells[upper].height + gap
}

fn pulls(proper: &Proper) -> Vec<Pull> {
    let mut pulls = Vec::new();
    let wire = |end: &End| i64::from(proper.cells[end.cell].vertex.is_none());
    for segment in proper.channels.iter().flatten() {
        let left = |end: &End| (end.cell, proper.right_offset(*end));
        let right = |end: &End| (end.cell, proper.left_offset(*end));
        // A wire that turns back need not be level with the pin that it turns away from.
        let back = |end: &End| proper.cells[end.cell].back;
        for a in &segment.left {
            for b in segment.right.iter().filter(|b| back(a) == back(b)) {
                let weight = [6, 8, 24][(wire(a) + wire(b)) as usize];
                let led = |from: usize| proper.graph.vertices[from].leads == Some(b.cell);
                let led = proper.cells[a.cell].vertex.is_some_and(led);
                let weight = if led { 2 * weight } else { weight };
                // One straight wire of several is better than a small bend in each.
                let weight = weight + i64::from(b.pin == 0 && wire(b) == 0);
                pulls.push(Pull { from: left(a), to: right(b), weight });
            }
        }
        for pair in segment.left.windows(2) {
            pulls.push(Pull { from: left(&pair[0]), to: left(&pair[1]), weight: 2 });
        }
        for pair in segment.right.windows(2) {
            pulls.push(Pull { from: right(&pair[0]), to: right(&pair[1]), weight: 2 });
        }
    }
    pulls.retain(|pull| pull.from.0 != pull.to.0);
    pulls
}

/// The minimum weighted sum of all differences in height, by the network simplex method.
fn exact(proper: &Proper, pulls: &[Pull]) -> Vec<i64> {
    let cells = proper.cells.len();
    let start = cells;
    let mut distances = Vec::new();
    for layer in &proper.layers {
        distances.push(Distance { tail: start, head: layer[0], length: 0, weight: 0 });
        for pair in layer.windows(2) {
            let length = apart(proper, pair[0], pair[1]);
            distances.push(Distance { tail: pair[0], head: pair[1], length, weight: 0 });
        }
    }
    for (index, pull) in pulls.iter().enumerate() {
        let tail = cells + 1 + index;
        for (head, offset) in [pull.from, pull.to] {
            distances.push(Distance { tail, head, length: -offset, weight: pull.weight });
        }
    }
    let mut found = solve(cells + 1 + pulls.len(), &distances);
    found.truncate(cells);
    raise(found)
}

fn raise(mut found: Vec<i64>) -> Vec<i64> {
    let least = found.iter().min().copied().unwrap_or(0);
    found.iter_mut().for_each(|y| *y -= least);
    found
}

/// Layer by layer, each cell is placed near the median of its preferred heights.
fn relaxed(proper: &Proper, pulls: &[Pull]) -> Vec<i64> {
    let mut at = vec![0; proper.cells.len()];
    let mut wishes = vec![Vec::new(); proper.cells.len()];
    for Pull { from, to, weight } in pulls {
        wishes[from.0].push((to.0, to.1 - from.1, *weight));
        wishes[to.0].push((from.0, from.1 - to.1, *weight));
    }
    for layer in &proper.layers {
        for pair in layer.windows(2) {
            at[pair[1]] = at[pair[0]] + apart(proper, pair[0], pair[1]);
        }
    }
    for pass in 0..PASSES {
        for step in 0..proper.layers.len() {
            let layer = if pass % 2 == 0 { step } else { proper.layers.len() - 1 - step };
            settle(proper, &proper.layers[layer], &wishes, &mut at);
        }
    }
    raise(at)
}

/// Neighbours that touch, and their preferred heights as a group.
struct Pool {
    wishes: Vec<(i64, i64)>,
    members: usize,
    at: i64,
}

/// Pools neighbours that would come too close to each other; each pool takes the median of the
/// preferred heights of its members (isotonic regression in the sum of absolute differences).
fn settle(proper: &Proper, layer: &[usize], wishes: &[Vec<(usize, i64, i64)>], at: &mut [i64]) {
    let mut base = 0;
    let mut bases = Vec::new();
    let mut pools: Vec<Pool> = Vec::new();
    for (place, cell) in layer.iter().enumerate() {
        if place > 0 {
            base += apart(proper, layer[place - 1], *cell);
        }
        bases.push(base);
        let wish =
            |(other, offset, weight): &(usize, i64, i64)| (at[*other] + offset - base, *weight);
        let mut wanted: Vec<(i64, i64)> = wishes[*cell].iter().map(wish).collect();
        if wanted.is_empty() {
            wanted.push((at[*cell] - base, 1));
        }
        let middle_of_own = middle(&mut wanted);
        let mut pool = Pool { wishes: wanted, members: 1, at: middle_of_own };
        while let Some(upper) = pools.pop_if(|upper| upper.at > pool.at) {
            pool.wishes.extend(upper.wishes);
            pool.members += upper.members;
            pool.at = middle(&mut pool.wishes);
        }
        pools.push(pool);
    }
    let mut cells = layer.iter().zip(bases);
    for pool in pools {
        for (cell, base) in cells.by_ref().take(pool.members) {
            at[*cell] = pool.at + base;
        }
    }
}

fn middle(wishes: &mut [(i64, i64)]) -> i64 {
    wishes.sort_unstable();
    let half = wishes.iter().map(|(_, weight)| weight).sum::<i64>() / 2;
    let mut sum = 0;
    for (value, weight) in wishes.iter() {
        sum += weight;
        if sum > half {
            return *value;
        }
    }
    wishes.last().map_or(0, |(value, _)| *value)
}
