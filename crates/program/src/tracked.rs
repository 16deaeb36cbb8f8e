//! Signals, states and timers in the buffer, and who reads their changes.
use std::sync::Arc;

use base::{ParameterId, Type};
use blocks::{Begins, Part, Text, Timer};
use diagram::{BlockId, FragmentId, MachineId, RegionId, WireId};
use ir::Slot;

use crate::unit::{UnitId, UnitWord};

base::typed_id! {
    /// A signal whose changes are followed.
    TrackedId
}
base::typed_id! {
    /// A state of a block.
    StateId
}
base::typed_id! {
    /// A timer of a block.
    TimerId
}

/// Slots whose changes are followed.
#[derive(Clone, Debug, Default)]
pub struct Tracked {
    /// The first slot.
    pub slot: Slot,
    /// The number of slots.
    pub length: usize,
    /// The units that read it.
    pub readers: Vec<UnitId>,
    /// The same as bits.
    pub reader_words: Vec<UnitWord>,
    /// The regions whose smooth functions read it.
    pub regions: Vec<RegionId>,
    /// The state machines whose guards read it.
    pub machines: Vec<MachineId>,
    /// The part of a wire that it holds.
    pub part: Option<(WireId, Part)>,
    /// Whether it is the presence of a signal that consists of events only.
    pub event: bool,
}

impl Tracked {
    /// Its slots in the buffer.
    #[inline]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.slot.range(self.length)
    }

    /// Collects the readers as bits, once all are known.
    pub(crate) fn gather_readers(&mut self) {
        self.reader_words = UnitWord::gather(self.readers.iter().copied());
    }
}

/// The slots of a value that each run computes from parameters.
#[derive(Clone, Copy, Debug)]
pub struct ParameterSlots {
    /// The value.
    pub id: ParameterId,
    /// Its first slot.
    pub slot: Slot,
    /// The number of slots.
    pub length: usize,
}

/// A state of a block.
#[derive(Clone, Debug)]
pub struct TrackedState {
    /// The block.
    pub block: BlockId,
    /// Its name in messages.
    pub name: Text,
    /// Its slots.
    pub tracked: TrackedId,
    /// Its initial value.
    pub initial: Vec<f64>,
    /// What each run computes the initial value from; a scalar fills it.
    pub open: Option<ParameterId>,
    /// Whether it is continuous.
    pub continuous: bool,
    /// The timer that wakes at the time that it has.
    pub alarm: Option<TimerId>,
    /// The wire that shows it, if it is a parameter that transitions set.
    pub wire: Option<TrackedId>,
    /// What it begins with, and when.
    pub begins: Begins,
}

/// A timer of a block.
#[derive(Clone, Debug)]
pub struct TrackedTimer {
    /// The block.
    pub block: BlockId,
    /// The fragment whose clock it follows.
    pub fragment: FragmentId,
    /// Gives the times of its wakings.
    pub timer: Arc<dyn Timer>,
    /// The state that has the time of the next one, if only the run knows it.
    pub alarm: Option<StateId>,
    /// Whether it wakes now.
    pub woken: TrackedId,
    /// How often it has woken.
    pub wakings: TrackedId,
}

/// The parts of a wire.
#[derive(Clone, Debug)]
pub struct TrackedWire {
    /// The value.
    pub value: TrackedId,
    /// Whether it is present.
    pub present: TrackedId,
    /// The impulse coefficients.
    pub impulses: Vec<TrackedId>,
    /// The time derivatives that something reads.
    pub derivatives: Vec<TrackedId>,
}

impl TrackedWire {
    /// The tracked signals of all parts.
    pub fn all(&self) -> impl Iterator<Item = TrackedId> {
        let parts = self.impulses.iter().chain(&self.derivatives);
        [self.value, self.present].into_iter().chain(parts.copied())
    }
}

/// The slots of the value and the presence of a wire.
#[derive(Clone, Copy, Debug)]
pub struct WireSlots {
    /// The first slot of the value.
    pub from: Slot,
    /// The number of slots of the value.
    pub length: usize,
    /// The slot of the presence.
    pub present: Slot,
}

/// The recorded signals that are part of the result.
pub fn shown(records: &[RecordSlots]) -> &[RecordSlots] {
    &records[..records.partition_point(|record| !record.hidden)]
}

/// The slots of a recorded signal.
#[derive(Clone, Debug)]
pub struct RecordSlots {
    /// The name of its column.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The first slot of its value.
    pub value: Slot,
    /// The slot of its presence.
    pub present: Slot,
    /// The first slots of its impulse coefficients, order by order.
    pub impulses: Vec<Slot>,
    /// The region whose left tape computes it.
    pub region: RegionId,
    /// Whether it is only looked at, and not part of the result; such signals come last.
    pub hidden: bool,
}
