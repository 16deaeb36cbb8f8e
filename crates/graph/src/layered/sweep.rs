//! The order of the cells in each layer: barycentre sweeps in both directions, then exchanges of
//! neighbours.

use super::crossings::Positions;
use super::proper::{End, Proper};

/// How many visits of pins the sweeps may cost.
const SWEEP_BUDGET: usize = 4_000_000;
/// How many visits of pins the exchanges may cost.
const EXCHANGE_BUDGET: usize = 12_000_000;

/// Orders the cells of all layers, and the pins that may be reordered.
pub(super) fn order(proper: &mut Proper) {
    let pins: usize = proper.channels.iter().flatten().map(|s| s.left.len() + s.right.len()).sum();
    let lookup = Lookup::new(proper);
    let mut best = (crossings(proper), snapshot(proper));
    let sweeps = (SWEEP_BUDGET / (pins + 1)).clamp(2, 24);
    for round in 0..sweeps {
        if best.0 == 0 {
            break;
        }
        let count = proper.layers.len();
        let to_right = round % 2 == 0;
        for step in 0..count {
            let layer = if to_right { step } else { count - 1 - step };
            sort_layer(proper, &lookup, layer, to_right);
            sort_pins(proper, &lookup, layer, to_right);
        }
        let now = crossings(proper);
        if now < best.0 {
            best = (now, snapshot(proper));
        }
    }
    restore(proper, best.1);
    for layer in 0..proper.layers.len() {
        sort_pins(proper, &lookup, layer, true);
        sort_pins(proper, &lookup, layer, false);
    }
    exchange(proper);
}

/// The segment at each pin of each cell.
struct Lookup {
    left: Vec<Vec<(usize, End)>>,
    right: Vec<Vec<(usize, End)>>,
}

impl Lookup {
    fn new(proper: &Proper) -> Lookup {
        let empty = vec![Vec::new(); proper.cells.len()];
        let mut lookup = Lookup { left: empty.clone(), right: empty };
        for segments in &proper.channels {
            for (index, segment) in segments.iter().enumerate() {
                segment.left.iter().for_each(|end| lookup.right[end.cell].push((index, *end)));
                segment.right.iter().for_each(|end| lookup.left[end.cell].push((index, *end)));
            }
        }
        lookup
    }
}

type Snapshot = (Vec<Vec<usize>>, Vec<Vec<usize>>, Vec<Vec<usize>>);

fn snapshot(proper: &Proper) -> Snapshot {
    (proper.layers.clone(), proper.left.clone(), proper.right.clone())
}

fn restore(proper: &mut Proper, (layers, left, right): Snapshot) {
    (proper.layers, proper.left, proper.right) = (layers, left, right);
}

fn crossings(proper: &Proper) -> u64 {
    let positions = Positions::new(proper);
    (0..proper.channels.len()).map(|channel| positions.crossings(proper, channel)).sum()
}

/// The height of a pin in its layer, from 0 at the top to 1.
fn level(proper: &Proper, positions: &Positions, end: End, right_edge: bool) -> f64 {
    let cell = &proper.cells[end.cell];
    let slots = if right_edge { &proper.right } else { &proper.left };
    let within = cell
        .vertex
        .map_or(0.5, |vertex| (slots[vertex][end.pin] as f64 + 0.5) / slots[vertex].len() as f64);
    (positions.0[end.cell] as f64 + within) / proper.layers[cell.layer].len() as f64
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Sorts a layer by where its wires from the layer before (or after) come from. A cell without such
/// a wire follows the cell that it is joined to in its own layer, and is placed below it; otherwise
/// it stays.
fn sort_layer(proper: &mut Proper, lookup: &Lookup, layer: usize, to_right: bool) {
    let positions = Positions::new(proper);
    let channel = if to_right { layer } else { layer + 1 };
    let segments = &proper.channels[channel];
    let touching = |cell: usize| if to_right { &lookup.left[cell] } else { &lookup.right[cell] };
    let far = |cell: usize| {
        let ends = touching(cell).iter().flat_map(|(index, _)| {
            if to_right { &segments[*index].left } else { &segments[*index].right }
        });
        mean(ends.map(|end| level(proper, &positions, *end, to_right)))
    };
    let found: Vec<Option<f64>> = proper.layers[layer].iter().map(|cell| far(*cell)).collect();
    let size = found.len() as f64;
    let near = |cell: usize| {
        let both = lookup.left[cell].iter().flat_map(|(i, _)| &proper.channels[layer][*i].right);
        let both = both.chain(
            lookup.right[cell].iter().flat_map(|(i, _)| &proper.channels[layer + 1][*i].left),
        );
        let others = both.filter(|end| end.cell != cell);
        mean(others.filter_map(|end| found[positions.0[end.cell]]))
    };
    let mut keyed: Vec<(f64, usize)> = proper.layers[layer]
        .iter()
        .enumerate()
        .map(|(place, cell)| {
            let stay = (place as f64 + 0.5) / size;
            let beside = || near(*cell).map(|value| value + 0.01 / size);
            (found[place].or_else(beside).unwrap_or(stay), *cell)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    proper.layers[layer] = keyed.into_iter().map(|(_, cell)| cell).collect();
}

/// Sorts the pins that may be reordered, on the edges that face the layer before (or after).
fn sort_pins(proper: &mut Proper, lookup: &Lookup, layer: usize, to_right: bool) {
    let positions = Positions::new(proper);
    let channel = if to_right { layer } else { layer + 1 };
    for cell in proper.layers[layer].clone() {
        let Some(vertex) = proper.cells[cell].vertex else { continue };
        let touching = if to_right { &lookup.left[cell] } else { &lookup.right[cell] };
        if !proper.graph.vertices[vertex].free || touching.len() < 2 {
            continue;
        }
        let wish = |(index, _): &(usize, End)| {
            let segment = &proper.channels[channel][*index];
            let (far, near) = match to_right {
                true => (&segment.left, &segment.right),
                false => (&segment.right, &segment.left),
            };
            let turned = || {
                let beside = near.iter().filter(|end| end.cell != cell);
                let own = positions.0[cell];
                mean(beside.map(|e| if positions.0[e.cell] < own { -1.0 } else { 2.0 }))
            };
            let far = mean(far.iter().map(|end| level(proper, &positions, *end, to_right)));
            far.or_else(turned).unwrap_or(0.5)
        };
        let mut wishes: Vec<(f64, usize)> = touching.iter().map(|t| (wish(t), t.1.pin)).collect();
        wishes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let slots = if to_right { &mut proper.left[vertex] } else { &mut proper.right[vertex] };
        let mut taken: Vec<usize> = wishes.iter().map(|(_, pin)| slots[*pin]).collect();
        taken.sort_unstable();
        for ((_, pin), slot) in wishes.into_iter().zip(taken) {
            slots[pin] = slot;
        }
    }
}

/// Exchanges neighbours as long as that reduces crossings.
fn exchange(proper: &mut Proper) {
    let mut positions = Positions::new(proper);
    let mut budget = EXCHANGE_BUDGET;
    let mut improved = true;
    while improved {
        improved = false;
        for layer in 0..proper.layers.len() {
            let pins: usize = proper.channels[layer..layer + 2]
                .iter()
                .flatten()
                .map(|segment| segment.left.len() + segment.right.len())
                .sum();
            let around = |proper: &Proper, positions: &Positions| {
                positions.crossings(proper, layer) + positions.crossings(proper, layer + 1)
            };
            let mut now = around(proper, &positions);
            for place in 1..proper.layers[layer].len() {
                let Some(rest) = budget.checked_sub(pins + 1) else { return };
                budget = rest;
                if now == 0 {
                    break;
                }
                swap(proper, &mut positions, layer, place);
                let then = around(proper, &positions);
                if then < now {
                    (now, improved) = (then, true);
                } else {
                    swap(proper, &mut positions, layer, place);
                }
            }
        }
    }
}

fn swap(proper: &mut Proper, positions: &mut Positions, layer: usize, place: usize) {
    proper.layers[layer].swap(place - 1, place);
    positions.0[proper.layers[layer][place - 1]] = place - 1;
    positions.0[proper.layers[layer][place]] = place;
}
