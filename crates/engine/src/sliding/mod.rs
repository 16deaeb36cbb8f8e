//! Sliding along surfaces: Filippov's meaning of a comparison that switches the motion back onto its
//! own surface.
//!
//! ```text
//! on surfaces g_1 = 0, ..., g_k = 0 of a region:
//!   rates    f = f_0 + sum of w_i (f_i - f_0)     f_0 below all of them, f_i above the i-th alone
//!   weights  g_j' = c_j + sum of M_ji w_i = 0     c_j = g_j' under f_0, c_j + M_ji = g_j' under f_i
//!   end      where w_i reaches 0, the motion leaves the i-th surface downwards, at 1 upwards
//! ```
//!
//! The side of a comparison is a number of the buffer, so that the rates on either side come from
//! the same tapes. While the motion slides the side is 0, except during an evaluation. A region keeps
//! the surfaces on which it is (`Surface`); the commit of a microstep decides about them
//! (`decide`), the solver follows the combined rates (`flow`), and recorded signals are combined like
//! the rates (`limits`). Everything rests on rates that are sums over the surfaces: if they are not,
//! the motion has no unique meaning, and the run ends with an error.
//!
//! A. F. Filippov, Differential Equations with Discontinuous Righthand Sides (1988), chapter 2.

mod decide;
mod flow;
mod jacobian;
mod limits;
pub(crate) mod same;
pub(crate) mod weights;

use program::tape::Slot;
use serde::{Deserialize, Serialize};

pub(crate) use flow::{Slide, SlideSpace, exit_gains};

/// A surface on which a region moves.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Surface {
    /// The comparisons that switch with it, of which the first gives the function.
    pub members: Vec<Member>,
    /// Other watched functions of the region that are zero on it, such as those of events. They keep
    /// their sides.
    pub held: Vec<usize>,
}

/// A comparison that switches with a surface.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Member {
    /// Its watched function, by the index in the region.
    pub watch: usize,
    /// The sign of its function where that of the first member is positive.
    pub sign: f64,
}

impl Surface {
    /// The watched function whose zeros it is.
    pub fn watch(&self) -> usize {
        self.members[0].watch
    }

    /// All watched functions that are zero on it.
    pub fn watches(&self) -> impl Iterator<Item = usize> {
        self.members.iter().map(|member| member.watch).chain(self.held.iter().copied())
    }

    /// Puts the comparisons on a side of the surface: -1, 0 or 1.
    #[inline]
    pub fn put(&self, slots: &mut [f64], sides: Slot, side: f64) {
        for member in &self.members {
            slots[sides.index() + member.watch] = member.sign * side;
        }
    }
}

/// Puts all comparisons on a side of their surfaces.
#[inline]
pub(crate) fn put_all(surfaces: &[Surface], slots: &mut [f64], sides: Slot, side: f64) {
    surfaces.iter().for_each(|surface| surface.put(slots, sides, side));
}
