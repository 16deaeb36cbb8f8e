//! Signals, states and timers in the buffer, and who reads their changes.
use std::sync::Arc;

use base::Type;
use blocks::{Part, Text, Timer};
use diagram::{BlockId, FragmentId, RegionId, WireId};
use ir::Slot;

use crate::unit::UnitId;

base::typed_id! {
    /// A signal whose changes are followed.
    TrackedId
}

/// A place whose changes are followed.
#[derive(Clone, Debug, Default)]
pub struct Tracked {
    /// Where it is.
    pub slot: Slot,
    /// How many numbers it has.
    pub length: usize,
    /// The tapes of a tick that read it.
    pub readers: Vec<UnitId>,
    /// The same as bits of words of 64 tapes: which word, and its bits.
    pub asked: Vec<(u32, u64)>,
    /// The regions whose smooth functions read it.
    pub regions: Vec<RegionId>,
    /// The state machines whose guards read it.
    pub machines: Vec<u32>,
    /// The part of a wire that it is.
    pub part: Option<(WireId, Part)>,
    /// Whether it is the presence of a signal that is events only.
    pub event: bool,
}

impl Tracked {
    /// Where it is in the buffer.
    #[inline]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.slot as usize..self.slot as usize + self.length
    }

    /// Gathers the readers as bits, once all are there.
    pub(crate) fn gather_readers(&mut self) {
        self.asked = in_words(self.readers.iter().map(|reader| reader.0));
    }
}

/// Numbers as bits of words of 64: which word, in order, and its bits.
pub(crate) fn in_words(numbers: impl Iterator<Item = u32>) -> Vec<(u32, u64)> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    let mut words: Vec<(u32, u64)> = Vec::new();
    for number in numbers {
        let (word, bit) = (number / 64, 1 << (number % 64));
        match words.last_mut() {
            Some(last) if last.0 == word => last.1 |= bit,
            _ => words.push((word, bit)),
        }
    }
    words
}

/// A state of a block.
#[derive(Clone, Debug)]
pub struct TrackedState {
    /// The block.
    pub block: BlockId,
    /// What it is called in messages.
    pub name: Text,
    /// Where it is.
    pub tracked: TrackedId,
    /// Its value at the start.
    pub initial: Vec<f64>,
    /// Whether it flows between events.
    pub continuous: bool,
    /// The wire that shows it, where it is a parameter that transitions set.
    pub wire: Option<TrackedId>,
}

/// A timer of a block.
#[derive(Clone, Debug)]
pub struct TrackedTimer {
    /// The block.
    pub block: BlockId,
    /// The fragment whose clock it follows.
    pub fragment: FragmentId,
    /// Its times.
    pub timer: Arc<dyn Timer>,
    /// Whether it wakes now.
    pub woken: TrackedId,
    /// How often it has.
    pub wakings: TrackedId,
}

/// Where the parts of a wire are.
#[derive(Clone, Debug)]
pub struct TrackedWire {
    /// The value.
    pub value: TrackedId,
    /// Whether it is there.
    pub present: TrackedId,
    /// The coefficients of impulses.
    pub impulses: Vec<TrackedId>,
    /// The time derivatives that something asks for.
    pub derivatives: Vec<TrackedId>,
}

impl TrackedWire {
    /// The cells of all parts.
    pub fn all(&self) -> impl Iterator<Item = TrackedId> {
        let parts = self.impulses.iter().chain(&self.derivatives);
        [self.value, self.present].into_iter().chain(parts.copied())
    }
}

/// Where the value and the presence of a wire are in the buffer.
#[derive(Clone, Copy, Debug)]
pub struct WireSlots {
    /// Where the value begins.
    pub from: usize,
    /// How many numbers it has.
    pub length: usize,
    /// Where its presence is.
    pub present: usize,
}

/// Where a recorded signal is.
#[derive(Clone, Debug)]
pub struct RecordSlots {
    /// The name of its column.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where its value is.
    pub value: Slot,
    /// Where its presence is.
    pub present: Slot,
    /// Where its impulse coefficients are.
    pub impulses: Vec<Slot>,
    /// The region whose left tape makes it.
    pub region: RegionId,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// There are never more words than numbers, however large the numbers are.
    #[test]
    fn numbers_are_gathered_by_words() {
        let words = in_words([130, 1, 64, 0, 100_000].into_iter());
        assert_eq!(words, [(0, 3), (1, 1), (2, 4), (1562, 1 << 32)]);
    }
}
