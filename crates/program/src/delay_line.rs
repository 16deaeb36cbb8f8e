//! Delayed signals: what they are made from, and where they come.

use base::ExactTime;
use diagram::{BlockId, FragmentId, RegionId};
use ir::Slot;

use crate::tracked::TrackedId;

/// A delayed signal: the parts of a wire, and where they come a delay later.
#[derive(Clone, Debug)]
pub struct DelayLine {
    /// The block that reads it.
    pub block: BlockId,
    /// The fragment by whose clock it is delayed.
    pub fragment: FragmentId,
    /// How much later.
    pub delay: ExactTime,
    /// Presence, value, derivatives and impulses of the wire, in this order.
    pub from: Vec<TrackedId>,
    /// The same of the delayed signal.
    pub to: Vec<TrackedId>,
    /// The value and the derivatives before the delay is over.
    pub initial: Vec<f64>,
    /// Whether it is present then.
    pub early: bool,
    /// Where the signal is between events, where it moves then.
    pub track: Option<DelayTrack>,
    /// Where its kinks go on to.
    pub kinks: Kinks,
}

/// What hangs on the kinks of a delayed signal between events.
#[derive(Clone, PartialEq, Debug)]
pub enum Kinks {
    /// Nothing reads the signal there.
    Unread,
    /// These delayed signals are made from it, at once or through states.
    To(Vec<usize>),
    /// All delayed signals of the region may be.
    Everywhere,
}

/// A delayed signal between events.
#[derive(Clone, Copy, Debug)]
pub struct DelayTrack {
    /// The region that keeps the history.
    pub region: RegionId,
    /// Which of the region's pasts it is in.
    pub past: usize,
    /// Where the signal begins in a sample of that.
    pub offset: usize,
    /// How many numbers it has, derivatives included.
    pub width: usize,
    /// Where the delayed numbers are.
    pub place: Slot,
    /// Where their time derivatives are.
    pub slope: Slot,
}

/// Delayed signals of a region that move between events and are in one fragment, whose clock says
/// how long ago something was.
#[derive(Clone, Debug)]
pub struct Past {
    /// The fragment.
    pub fragment: FragmentId,
    /// The signals.
    pub lines: Vec<usize>,
    /// Where they begin in a sample of the region.
    pub offset: usize,
    /// How many numbers they have.
    pub width: usize,
}
