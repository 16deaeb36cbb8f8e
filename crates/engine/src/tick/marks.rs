//! Marks of units that must run, and the words that may have some.

use program::{Program, RegionId, RegionProgram, UnitId, UnitWord};
use serde::{Deserialize, Serialize};

/// Units that must run, one bit for each. An event reaches a few blocks of a large diagram, whose
/// outputs and commits are far apart, so that a bit for each word, or for a few of them, says whether
/// they are worth a look.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub(crate) struct Marks {
    words: Vec<u64>,
    /// The words that may have marks, as bits, each for 2^`shift` of them.
    some: u64,
    shift: u32,
}

/// How many words a bit is for, as a power of two, if there are so many.
fn shift(words: usize) -> u32 {
    words.div_ceil(64).next_power_of_two().trailing_zeros()
}

impl Marks {
    /// Without a mark, for a number of words.
    pub fn prepare(&mut self, words: usize) {
        debug_assert!(self.words.iter().all(|word| *word == 0), "marks are used up");
        if self.words.len() != words {
            self.words.clear();
            self.words.resize(words, 0);
            self.shift = shift(words);
        }
        self.some = 0;
    }

    #[inline]
    pub fn add(&mut self, word: UnitWord) {
        let index = word.index as usize;
        self.words[index] |= word.bits;
        self.some |= 1 << (index >> self.shift);
    }

    #[inline]
    pub fn add_unit(&mut self, unit: UnitId) {
        let index = (unit.index() / 64) as u32;
        self.add(UnitWord { index, bits: 1 << (unit.index() % 64) });
    }

    /// Others may have marked units in these words, which are bits as in [`reaches`].
    #[inline]
    pub fn widen(&mut self, words: u64) {
        self.some |= words;
    }

    /// The first word with a mark from one on.
    #[inline]
    pub fn next(&self, from: usize) -> Option<usize> {
        if from >= self.words.len() {
            return None;
        }
        let mut some = self.some & u64::MAX << (from >> self.shift);
        while some != 0 {
            let first = (some.trailing_zeros() as usize) << self.shift;
            let end = self.words.len().min(first + (1 << self.shift));
            let first = first.max(from);
            if let Some(found) = self.words[first..end].iter().position(|word| *word != 0) {
                return Some(first + found);
            }
            some &= some - 1;
        }
        None
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.next(0).is_none()
    }

    #[inline]
    pub fn word(&self, index: usize) -> u64 {
        self.words[index]
    }

    pub fn has(&self, unit: UnitId) -> bool {
        self.words[unit.index() / 64] >> (unit.index() % 64) & 1 == 1
    }

    /// Takes the first mark of a word, which has one.
    #[inline]
    pub fn take(&mut self, index: usize) -> UnitId {
        let word = &mut self.words[index];
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        UnitId::new(index * 64 + bit)
    }

    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Adds the marks of others, of as many words.
    pub fn join(&mut self, others: &Marks) {
        self.words.resize(others.words.len(), 0);
        self.shift = others.shift;
        let all = others.words.iter().enumerate().filter(|(_, bits)| **bits != 0);
        all.for_each(|(index, bits)| self.add(UnitWord { index: index as u32, bits: *bits }));
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }
}

/// For each word of units, the words whose units read what its units write, as bits of [`Marks`].
pub(crate) fn reaches(program: &Program) -> Vec<u64> {
    let words = program.units.len().div_ceil(64);
    let mut reached = vec![0; words];
    for (id, unit) in program.units.entries() {
        let outputs = unit.outputs.iter();
        for word in outputs.flat_map(|output| &program.tracked(output.tracked).reader_words) {
            reached[id.index() / 64] |= 1 << (word.index >> shift(words));
        }
    }
    reached
}

/// The most words of units that a narrow region has.
const NARROW: usize = 4;

/// The units of a region, if they are in a few words, so that bits of them are cheap to change. A
/// tick must not touch every word of a wide region, such as that of all blocks without motion.
#[inline]
pub(crate) fn narrow_units(region: &RegionProgram) -> &[UnitWord] {
    match region.units.len() <= NARROW {
        true => &region.units,
        false => &[],
    }
}

/// For each word of units, the bits of each wide region.
pub(crate) fn wide_units(program: &Program) -> Vec<Vec<(RegionId, u64)>> {
    let mut words = vec![Vec::new(); program.units.len().div_ceil(64)];
    for (id, region) in program.regions.entries().filter(|(_, own)| own.units.len() > NARROW) {
        for word in &region.units {
            words[word.index as usize].push((id, word.bits));
        }
    }
    words
}

impl From<Vec<u64>> for Marks {
    fn from(words: Vec<u64>) -> Marks {
        let shift = shift(words.len());
        let marked = words.iter().enumerate().filter(|(_, bits)| **bits != 0);
        let some = marked.fold(0, |some, (index, _)| some | 1 << (index >> shift));
        Marks { words, some, shift }
    }
}

impl From<Marks> for Vec<u64> {
    fn from(marks: Marks) -> Vec<u64> {
        marks.words
    }
}

impl PartialEq for Marks {
    fn eq(&self, other: &Marks) -> bool {
        self.words == other.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_in_order_wherever_they_are() {
        let mut marks = Marks::default();
        marks.prepare(100);
        assert!(marks.is_empty());
        for unit in [6300, 64, 70, 3000] {
            marks.add_unit(UnitId::new(unit));
        }
        let mut found = Vec::new();
        while let Some(word) = marks.next(0) {
            found.push(marks.take(word).index());
        }
        assert_eq!(found, [64, 70, 3000, 6300]);
        marks.prepare(100);
        marks.add_unit(UnitId::new(130));
        marks.words_mut()[40] |= 1;
        assert_eq!(marks.next(3), None, "nobody has said that there is another");
        marks.widen(1 << 20 | 1 << 25);
        assert_eq!(marks.next(3), Some(40));
        assert_eq!(marks.next(41), None, "what may be marked need not be");
        marks.clear();
        assert!(marks.is_empty());
    }

    #[test]
    fn marks_that_were_saved_are_found() {
        let mut marks = Marks::default();
        marks.prepare(3);
        marks.add_unit(UnitId::new(150));
        let saved: Vec<u64> = marks.clone().into();
        let again = Marks::from(saved);
        assert_eq!(again, marks);
        assert_eq!(again.next(0), Some(2));
    }
}
