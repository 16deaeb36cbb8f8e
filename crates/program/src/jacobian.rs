//! The derivatives of the rates of a region by its states and by time.
//!
//! The graph shows which rate depends on which states. States on which no rate depends jointly
//! share a colour, and the graph is differentiated once per colour with the direction folded in, so
//! that one tape gives every value. Values that are constant, that do not change between events or
//! that are in the buffer already are read from there.

use base::Type;
use ir::{Directions, Graph, Layout, NodeId, Op, Slot, Tape, movements};
use rustc_hash::FxHashMap;

use crate::smooth::Root;

/// The derivatives of the rates of a region.
#[derive(Clone, Debug, Default)]
pub struct Jacobian {
    /// Computes the values that move.
    pub tape: Tape,
    /// For each state, the states whose rates depend on it and the slots of the derivatives.
    pub columns: Vec<Vec<(u32, Slot)>>,
    /// The states whose rates depend on time directly, and the slots of the derivatives.
    pub rates: Vec<(u32, Slot)>,
}

/// A derivative among the nodes: an element of a node, needed under a condition.
type Place = (NodeId, usize, u32);

/// The derivatives as nodes.
pub(crate) struct Partials {
    columns: Vec<Vec<(u32, Place)>>,
    rates: Vec<(u32, Place)>,
}

/// The most entries that the search for dependencies may record, which is roughly the most nodes
/// that the derivatives may have.
const NAMES: usize = 8_000_000;

impl Partials {
    /// Differentiates the rates of `dimension` states. Returns none if too much depends on too
    /// much.
    pub fn new(
        graph: &mut Graph,
        leaves: &[(NodeId, usize, Type)],
        time: &FxHashMap<NodeId, NodeId>,
        roots: &[Root],
        (rate, dimension): (Slot, usize),
    ) -> Option<Partials> {
        let outputs: Vec<NodeId> = roots.iter().map(|root| root.0).collect();
        let named = leaves.iter().map(|(node, offset, ty)| {
            let offset = *offset as u32;
            (*node, (offset..offset + ty.len() as u32).collect::<Vec<u32>>())
        });
        let moves = movements(graph, &named.collect(), &outputs, NAMES)?;
        // The rate of each state: an element of a node.
        let mut rows: Vec<Option<Place>> = vec![None; dimension];
        for (node, slot, guard) in roots {
            for element in 0..graph.ty(*node).len() {
                rows[(*slot - rate) as usize + element] = Some((*node, element, *guard));
            }
        }
        let names = |row: &Option<Place>| {
            let moves = row.and_then(|(node, element, _)| Some(moves.get(&node)?.of(element)));
            moves.map_or(&[][..], |names| &names[..])
        };
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); dimension];
        for (row, place) in rows.iter().enumerate() {
            names(place).iter().for_each(|state| columns[*state as usize].push(row as u32));
        }
        let colours = colour(&columns, &|row| names(&rows[row as usize]));
        let directions = Directions::new(graph, &outputs);
        let mut found: Vec<Vec<(u32, Place)>> = vec![Vec::new(); dimension];
        let leaves_of = leaves_of(leaves, dimension);
        for states in by_colour(&colours) {
            let seeds = seeds(graph, leaves, &leaves_of, &states);
            let moved = directions.tangents(graph, &seeds);
            for state in states {
                let entry = |row: &u32| {
                    let (node, element, guard) = rows[*row as usize]?;
                    Some((*row, (*moved.get(&node)?, element, guard)))
                };
                found[state as usize] = columns[state as usize].iter().filter_map(entry).collect();
            }
        }
        let moved = directions.tangents(graph, time);
        let rates = rows.iter().enumerate().filter_map(|(row, place)| {
            let (node, element, guard) = (*place)?;
            Some((row as u32, (*moved.get(&node)?, element, guard)))
        });
        Some(Partials { columns: found, rates: rates.collect() })
    }

    fn places(&self) -> impl Iterator<Item = &Place> {
        let entries = self.columns.iter().flatten().chain(&self.rates);
        entries.map(|(_, place)| place)
    }

    /// The nodes and the conditions under which they are needed, without slots.
    pub fn wanted(&self) -> Vec<Root> {
        self.places().map(|(node, _, guard)| (*node, Slot::default(), *guard)).collect()
    }

    /// Gives every value a slot, and returns what a tape has to compute besides. `given` are the
    /// nodes that do not change between events.
    pub fn place(
        self,
        graph: &Graph,
        layout: &mut Layout,
        given: &FxHashMap<NodeId, Slot>,
    ) -> (Jacobian, Vec<Root>) {
        let mut roots: Vec<Root> = Vec::new();
        let mut known: FxHashMap<(NodeId, u32), Slot> = FxHashMap::default();
        let mut slot = |(node, element, guard): &Place| {
            let first =
                *known.entry((*node, *guard)).or_insert_with(|| match &graph.node(*node).op {
                    Op::Const(bits) => {
                        let data: Vec<f64> =
                            bits.iter().map(|bits| f64::from_bits(*bits)).collect();
                        layout.constant(&data)
                    }
                    Op::Leaf(slot) => Slot(*slot),
                    _ => given.get(node).copied().unwrap_or_else(|| {
                        let slot = layout.reserve(graph.ty(*node).len());
                        roots.push((*node, slot, *guard));
                        slot
                    }),
                });
            first.plus(if graph.ty(*node).len() == 1 { 0 } else { *element })
        };
        let mut entries = |entries: &[(u32, Place)]| -> Vec<(u32, Slot)> {
            entries.iter().map(|(row, place)| (*row, slot(place))).collect()
        };
        let columns = self.columns.iter().map(|column| entries(column)).collect();
        let rates = entries(&self.rates);
        (Jacobian { tape: Tape::default(), columns, rates }, roots)
    }
}

/// A colour for each column, such that no two columns of one colour share a row: greedily, in
/// order.
fn colour<'a>(columns: &[Vec<u32>], row: &dyn Fn(u32) -> &'a [u32]) -> Vec<u32> {
    let mut colours: Vec<u32> = vec![u32::MAX; columns.len()];
    // For each colour, the last column that could not use it.
    let mut taken: Vec<usize> = Vec::new();
    for (column, rows) in columns.iter().enumerate() {
        for neighbour in rows.iter().flat_map(|r| row(*r)) {
            if let Some(colour) = taken.get_mut(colours[*neighbour as usize] as usize) {
                *colour = column;
            }
        }
        let free = taken.iter().position(|last| *last != column).unwrap_or(taken.len());
        if free == taken.len() {
            taken.push(usize::MAX);
        }
        colours[column] = free as u32;
    }
    colours
}

/// The columns of each colour.
fn by_colour(colours: &[u32]) -> Vec<Vec<u32>> {
    let count = colours.iter().max().map_or(0, |most| *most as usize + 1);
    let mut columns = vec![Vec::new(); count];
    for (column, colour) in colours.iter().enumerate() {
        columns[*colour as usize].push(column as u32);
    }
    columns
}

/// For each state, the leaves that contain it.
fn leaves_of(leaves: &[(NodeId, usize, Type)], dimension: usize) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new(); dimension];
    for (index, (_, offset, ty)) in leaves.iter().enumerate() {
        let own = *offset..*offset + ty.len();
        found[own].iter_mut().for_each(|leaves| leaves.push(index as u32));
    }
    found
}

/// The leaves that move if some states do, each with its direction.
fn seeds(
    graph: &mut Graph,
    leaves: &[(NodeId, usize, Type)],
    leaves_of: &[Vec<u32>],
    states: &[u32],
) -> FxHashMap<NodeId, NodeId> {
    let mut directions: FxHashMap<u32, Vec<f64>> = FxHashMap::default();
    for state in states {
        for index in &leaves_of[*state as usize] {
            let (_, offset, ty) = &leaves[*index as usize];
            let direction = directions.entry(*index).or_insert_with(|| vec![0.0; ty.len()]);
            direction[*state as usize - offset] = 1.0;
        }
    }
    let seed = |(index, direction): (u32, Vec<f64>)| {
        let (node, _, ty) = &leaves[index as usize];
        (*node, graph.constant(ty.with_elem(base::Elem::Real), &direction))
    };
    // Sorted, so that the nodes of the graph get the same indices every time.
    let mut directions: Vec<(u32, Vec<f64>)> = directions.into_iter().collect();
    directions.sort_unstable_by_key(|(index, _)| *index);
    directions.into_iter().map(seed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_one_colour_share_no_row() {
        // A band of width three needs three colours, whatever the size.
        let columns: Vec<Vec<u32>> =
            (0..50u32).map(|j| (j.saturating_sub(1)..=(j + 1).min(49)).collect()).collect();
        let found = colour(&columns, &|row| &columns[row as usize]);
        assert_eq!(found[..6], [0, 1, 2, 0, 1, 2]);
        for (row, members) in columns.iter().enumerate() {
            let mut colours: Vec<u32> = members.iter().map(|j| found[*j as usize]).collect();
            colours.sort_unstable();
            colours.dedup();
            assert_eq!(colours.len(), members.len(), "row {row}");
        }
    }
}
