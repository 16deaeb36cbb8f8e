//! The layout of the buffer that the tapes of a program share.
//!
//! Requests for room come in, slots go out. Numbers that outlive a run and constants have slots of
//! their own, equal constants one; temporaries are given back and taken again by later requests of
//! the same length. Slots are never moved, so that tapes may be compiled one after the other.

use rustc_hash::FxHashMap;

use crate::Slot;

/// The arrangement of the buffer.
#[derive(Clone, Default, Debug)]
pub struct Layout {
    image: Vec<f64>,
    constants: FxHashMap<Vec<u64>, Slot>,
    free: FxHashMap<usize, Vec<Slot>>,
}

impl Layout {
    /// Room for `length` numbers that outlive a run.
    pub fn reserve(&mut self, length: usize) -> Slot {
        let slot = Slot(self.image.len() as u32);
        self.image.resize(self.image.len() + length, 0.0);
        slot
    }

    /// Room for numbers that outlive a run and start with these values.
    pub fn reserve_with(&mut self, data: &[f64]) -> Slot {
        let slot = self.reserve(data.len());
        self.image[slot.range(data.len())].copy_from_slice(data);
        slot
    }

    /// The slot of a constant.
    pub fn constant(&mut self, data: &[f64]) -> Slot {
        let bits: Vec<u64> = data.iter().map(|x| x.to_bits()).collect();
        if let Some(slot) = self.constants.get(&bits) {
            return *slot;
        }
        let slot = self.reserve_with(data);
        self.constants.insert(bits, slot);
        slot
    }

    /// The buffer as it is before anything has run: constants in place, the rest zero.
    pub fn image(&self) -> &[f64] {
        &self.image
    }

    /// The slots of the constants, and their values.
    pub fn constants(&self) -> impl Iterator<Item = (Slot, &[f64])> {
        let value = |slot: Slot, length: usize| &self.image[slot.range(length)];
        self.constants.iter().map(move |(bits, slot)| (*slot, value(*slot, bits.len())))
    }

    /// Room for a temporary.
    pub(super) fn take(&mut self, length: usize) -> Slot {
        match self.free.get_mut(&length).and_then(Vec::pop) {
            Some(slot) => slot,
            None => self.reserve(length),
        }
    }

    /// Gives back the room of a temporary.
    pub(super) fn give(&mut self, slot: Slot, length: usize) {
        self.free.entry(length).or_default().push(slot);
    }
}
