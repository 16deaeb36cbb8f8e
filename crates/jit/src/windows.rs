//! Slots of a tape that are arrays of their own while it runs.

use ir::{Slot, SlotRange};

use crate::slots::Slots;

/// How many arrays there are beside the buffer.
pub(crate) const WINDOWS: usize = 4;

/// The array that has the number of a slot, which is 0 for the buffer and counts the windows from 1
/// on, and its index there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Location {
    pub array: usize,
    pub index: u32,
}

/// The slots whose numbers are not in the buffer but in arrays that the caller brings: states and
/// rates, say, which a solver keeps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Windows(pub [SlotRange; WINDOWS]);

impl Windows {
    /// The location of the number of a slot.
    pub fn locate(&self, slot: Slot) -> Location {
        let inside = |window: &SlotRange| window.contains(slot);
        match self.0.iter().position(inside) {
            Some(window) => Location { array: window + 1, index: slot - self.0[window].first },
            None => Location { array: 0, index: slot.0 },
        }
    }

    /// Whether the numbers of some slots are all in one array, so that they can be reached from the
    /// first one.
    pub fn have_together(&self, slots: Slots) -> bool {
        let array = self.locate(slots.first).array;
        slots.iter().all(|slot| self.locate(slot).array == array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_two_arrays_are_not_together() {
        let none = SlotRange::default();
        let windows = Windows([Slot(10).slots(10), Slot(30).slots(10), none, none]);
        let together = |first, stride, count| {
            windows.have_together(Slots { first: Slot(first), stride, count })
        };
        assert!(together(0, 1, 10) && together(12, 1, 8) && together(20, 1, 10));
        assert!(!together(0, 1, 11) && !together(12, 1, 9) && !together(9, 1, 12));
        assert!(together(5, 20, 2) && !together(5, 10, 3) && !together(15, 20, 2));
        assert!(together(19, -3, 4) && !together(19, -3, 5));
    }
}
