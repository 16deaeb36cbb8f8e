//! Positions in the buffer.

use std::ops::{Add, Range, Sub};

/// A position in the buffer. Lengths, distances and indices of anything else are plain integers, so
/// that neither can be taken for the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Slot(pub u32);

impl Slot {
    /// The index in the buffer.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The slot that comes `offset` slots after this one.
    #[inline(always)]
    pub const fn plus(self, offset: usize) -> Slot {
        Slot(self.0 + offset as u32)
    }

    /// The slot at a distance, which may be negative.
    #[inline(always)]
    pub const fn moved(self, distance: i64) -> Slot {
        Slot((self.0 as i64 + distance) as u32)
    }

    /// The indices of `length` consecutive slots, of which this is the first.
    #[inline(always)]
    pub const fn range(self, length: usize) -> Range<usize> {
        self.0 as usize..self.0 as usize + length
    }

    /// The same as slots.
    #[inline]
    pub const fn slots(self, length: usize) -> SlotRange {
        SlotRange { first: self, length: length as u32 }
    }
}

/// The slot of an element, counted as in instructions.
impl Add<u32> for Slot {
    type Output = Slot;

    #[inline(always)]
    fn add(self, offset: u32) -> Slot {
        Slot(self.0 + offset)
    }
}

/// How far a slot is after another one, which must not come after it.
impl Sub for Slot {
    type Output = u32;

    #[inline(always)]
    fn sub(self, other: Slot) -> u32 {
        self.0 - other.0
    }
}

/// Consecutive slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SlotRange {
    /// The first of them.
    pub first: Slot,
    /// How many there are.
    pub length: u32,
}

impl SlotRange {
    /// The slot after the last one.
    pub fn end(self) -> Slot {
        self.first + self.length
    }

    /// How many slots there are.
    pub fn len(self) -> usize {
        self.length as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    /// Whether a slot is one of them.
    pub fn contains(self, slot: Slot) -> bool {
        self.first <= slot && slot < self.end()
    }

    /// Their indices in the buffer.
    pub fn indices(self) -> Range<usize> {
        self.first.range(self.len())
    }

    /// The slots, first to last.
    pub fn iter(self) -> impl Iterator<Item = Slot> + Clone {
        (0..self.length).map(move |offset| self.first + offset)
    }
}
