//! Places of a tape that are arrays of their own while it runs.

use std::ops::Range;

use ir::Slot;

/// How many arrays there are beside the buffer.
pub(crate) const WINDOWS: usize = 4;

/// Where a place is: in the buffer, array 0, or in one of the windows, from 1 on; and how many
/// numbers from its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub array: usize,
    pub index: u32,
}

/// The places that are not read from or written to the buffer, but to arrays that the caller
/// brings: states and rates, say, which a solver keeps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Windows(pub [Range<Slot>; WINDOWS]);

impl Windows {
    /// Where a place is.
    pub fn place(&self, slot: Slot) -> Place {
        let inside = |window: &Range<Slot>| window.contains(&slot);
        match self.0.iter().position(inside) {
            Some(window) => Place { array: window + 1, index: slot - self.0[window].start },
            None => Place { array: 0, index: slot },
        }
    }

    /// Whether some numbers that lie together are all in one array.
    pub fn holds(&self, from: Slot, length: u32) -> bool {
        let last = self.place(from + length.max(1) - 1);
        last.array == self.place(from).array
    }
}
