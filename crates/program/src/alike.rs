//! The order of continuous states.
//!
//! A large model is the same thing many times: the masses of a chain, the cells of a grid. Loops
//! over them are fast if the values that they read are contiguous. So the states of a family are
//! adjacent: those of blocks of one type whose names differ only in numbers, such as `x7` and `x8`
//! or the elements of an array. Names are compared rather than functions because the blocks at the
//! edge of a grid, which have other functions, belong between the others. Nothing else depends on
//! the order, except for the rounding of sums over all states.

use diagram::{BlockId, Diagram};
use rustc_hash::FxHashMap;

/// A continuous state: its block, and its index among the states of that block.
pub(crate) type Flowing = (BlockId, usize);

/// Smaller families keep the order in which they are written: they are not made into loops.
const LEAST: usize = 8;

/// The continuous states of some blocks, each family at the position of its first member.
pub(crate) fn in_families(diagram: &Diagram, blocks: &[BlockId]) -> Vec<Flowing> {
    let states: Vec<Flowing> = blocks.iter().flat_map(|block| flowing(diagram, *block)).collect();
    if states.len() < 2 * LEAST {
        return states;
    }
    let mut families: FxHashMap<(&str, String, usize), Vec<usize>> = FxHashMap::default();
    for (at, (block, number)) in states.iter().enumerate() {
        let flat = diagram.block(*block);
        let family = (&*flat.kind.info().name, without_numbers(&flat.path), *number);
        families.entry(family).or_default().push(at);
    }
    let mut rank: Vec<usize> = (0..states.len()).collect();
    for family in families.into_values().filter(|family| family.len() >= LEAST) {
        family.iter().for_each(|at| rank[*at] = family[0]);
    }
    let mut order: Vec<usize> = (0..states.len()).collect();
    order.sort_by_key(|at| (rank[*at], *at));
    order.into_iter().map(|at| states[at]).collect()
}

/// The continuous states of a block.
fn flowing(diagram: &Diagram, block: BlockId) -> impl Iterator<Item = Flowing> {
    let states = diagram.block(block).definition.states.iter().enumerate();
    states.filter(|(_, state)| state.derivative.is_some()).map(move |(number, _)| (block, number))
}

/// A name with one character in place of each of its numbers.
fn without_numbers(name: &str) -> String {
    let mut short = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter.is_ascii_digit() {
            false => short.push(letter),
            true if !short.ends_with('#') => short.push('#'),
            true => {}
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_numbers_are_one_family() {
        assert_eq!(without_numbers("row[12].x3"), "row[#].x#");
        assert_ne!(without_numbers("x"), without_numbers("x3"));
    }
}
