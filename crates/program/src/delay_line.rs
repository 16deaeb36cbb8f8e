//! Delay lines: their inputs and outputs.

use base::{ExactTime, ParameterId};
use blocks::Pending;
use diagram::{BlockId, FragmentId, RegionId};
use ir::{Slot, Tape};

use crate::region::CrossingId;
use crate::tracked::TrackedId;

base::typed_id! {
    /// A delay line.
    LineId
}

/// A delay line: the parts of a wire, and the parts that they become a delay later.
#[derive(Clone, Debug)]
pub struct DelayLine {
    /// The block that reads it.
    pub block: BlockId,
    /// The fragment whose clock times the delay.
    pub fragment: FragmentId,
    /// The delay; 0 if each event has its own, and the maximum if it is a signal.
    pub delay: ExactTime,
    /// What gives each event its delay, if that is not constant.
    pub variable: Option<VariableTiming>,
    /// How the past is read, if the delay is a signal.
    pub reading: Option<Reading>,
    /// Presence, value, derivatives and impulses of the wire, in this order.
    pub from: Vec<TrackedId>,
    /// The same parts of the delayed signal.
    pub to: Vec<TrackedId>,
    /// The value and the derivatives until the delay has passed.
    pub initial: Vec<f64>,
    /// What each run computes the initial value from; a scalar fills it.
    pub open: Option<ParameterId>,
    /// Whether it is present until then.
    pub early: bool,
    /// The signal between events, if it moves then.
    pub track: Option<DelayTrack>,
    /// Where its kinks propagate to.
    pub kinks: Kinks,
}

/// Where events find delays of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariableTiming {
    /// The delay of an event at its tag \[s\].
    pub delay: TrackedId,
    /// Whether an event takes back those that are still to come.
    pub cancel: Option<TrackedId>,
    /// What an event does to those that are still to come.
    pub pending: Pending,
}

/// How the past is read if the delay is a signal: between two changes of the wire, at a position
/// that moves as time minus the delay does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The delay \[s\].
    pub delay: TrackedId,
    /// The slot of the delay at which the past was read last \[s\].
    pub read: Slot,
    /// The times of the last change before the position and of the next one \[s\], by the clock of
    /// the diagram.
    pub bounds: [TrackedId; 2],
    /// The crossings of the position with these.
    pub passing: [CrossingId; 2],
}

/// Delayed signals of a region whose delays are signals: once their delays are known, they can be
/// read.
#[derive(Clone, Debug, Default)]
pub struct ReadingStage {
    /// Computes the delays.
    pub tape: Tape,
    /// The delay lines, each with its index in its past.
    pub lines: Vec<(LineId, usize)>,
}

/// What depends on the kinks of a delayed signal between events.
#[derive(Clone, PartialEq, Debug)]
pub enum Kinks {
    /// Nothing reads the signal there.
    Unread,
    /// These delay lines depend on it, directly or through states.
    To(Vec<LineId>),
    /// All delay lines of the region may depend on it.
    Everywhere,
}

/// A delayed signal between events.
#[derive(Clone, Copy, Debug)]
pub struct DelayTrack {
    /// The region that keeps the history.
    pub region: RegionId,
    /// The index of its past in the region.
    pub past: usize,
    /// The offset of the signal in a sample of that past.
    pub offset: usize,
    /// The number of its values, derivatives included.
    pub width: usize,
    /// The first slot of the delayed values.
    pub place: Slot,
    /// The first slot of their time derivatives.
    pub slope: Slot,
}

/// The past of some delay lines of a region: the region, and the index among its pasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PastId {
    /// The region.
    pub region: RegionId,
    /// The index among the pasts of the region.
    pub index: usize,
}

/// Delay lines of a region that move between events and are in one fragment, whose clock times
/// them.
#[derive(Clone, Debug)]
pub struct Past {
    /// The fragment.
    pub fragment: FragmentId,
    /// The delay lines.
    pub lines: Vec<LineId>,
    /// Their offset in a sample of the region.
    pub offset: usize,
    /// The number of their values.
    pub width: usize,
}
