//! A unit: one small tape of a tick, and the destinations of its results.

use diagram::{BlockId, FragmentId, RegionId, WireId};
use ir::{Slot, Tape};

use crate::tracked::TrackedId;

base::typed_id! {
    /// One small tape of a tick.
    UnitId
}

/// One small tape of a tick.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The block.
    pub block: BlockId,
    /// The fragment that it is in.
    pub fragment: FragmentId,
    /// The region of the block.
    pub region: RegionId,
    /// The slots of the residuals of the block's crossings.
    pub residuals: Vec<Slot>,
    /// Whether it is inside a state and passes on values that a machine there emits.
    pub speaks: bool,
    /// What it runs.
    pub tape: Tape,
    /// Parts of wires, contiguous in the order in which the tape leaves them.
    pub outputs: Vec<Output>,
    /// New values of states: the slot in which the tape leaves each, and the state.
    pub nexts: Vec<(Slot, usize)>,
    /// Values of crossing functions: the slot in which the tape leaves each, and the crossing.
    pub crossings: Vec<(Slot, usize)>,
    /// Conditions that must not hold: the slot in which the tape leaves each, and the reason.
    pub checks: Vec<(Slot, String)>,
    /// Conditions whose order at one instant matters: the slots in which the tape leaves both, and
    /// the index of the order hazard.
    pub hazards: Vec<(Slot, Slot, usize)>,
    /// Whether the tape may find that a loop stays unknown.
    pub may_be_unknown: bool,
    /// The wires whose values it computes, for messages.
    pub wires: Vec<WireId>,
    /// The delay lines that do not move between events and read its outputs.
    pub lines: Vec<usize>,
}

impl Unit {
    /// The slots in which the tape leaves all outputs.
    pub fn made(&self) -> std::ops::Range<usize> {
        match (self.outputs.first(), self.outputs.last()) {
            (Some(first), Some(last)) => first.made().start..last.made().end,
            _ => 0..0,
        }
    }
}

/// The effects of a unit besides outputs, so that a microstep skips effects that none of its units
/// has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UnitEffects(u8);

impl UnitEffects {
    /// It changes states.
    pub const NEXTS: UnitEffects = UnitEffects(1);
    /// It computes crossing functions.
    pub const CROSSINGS: UnitEffects = UnitEffects(2);
    /// It has conditions that must not hold.
    pub const CHECKS: UnitEffects = UnitEffects(4);
    /// It has conditions whose order matters.
    pub const HAZARDS: UnitEffects = UnitEffects(8);
    /// Delay lines read its outputs.
    pub const LINES: UnitEffects = UnitEffects(16);

    pub(crate) fn of(unit: &Unit) -> UnitEffects {
        let mut effects = UnitEffects::default();
        let lists = [
            (UnitEffects::NEXTS, unit.nexts.is_empty()),
            (UnitEffects::CROSSINGS, unit.crossings.is_empty()),
            (UnitEffects::CHECKS, unit.checks.is_empty()),
            (UnitEffects::HAZARDS, unit.hazards.is_empty()),
            (UnitEffects::LINES, unit.lines.is_empty()),
        ];
        lists.iter().filter(|(_, none)| !none).for_each(|(duty, _)| effects.add(*duty));
        effects
    }

    /// Whether they include any of some others.
    #[inline]
    pub fn have(self, some: UnitEffects) -> bool {
        self.0 & some.0 != 0
    }

    /// Adds others.
    #[inline]
    pub fn add(&mut self, others: UnitEffects) {
        self.0 |= others.0;
    }
}

/// A part of a wire that a unit computes.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// The slot in which the tape leaves it.
    pub from: Slot,
    /// The first slot of its tracked signal.
    pub to: Slot,
    /// The number of slots.
    pub length: u32,
    /// Its tracked signal.
    pub tracked: TrackedId,
    /// The slot with the presence of a signal that consists of events only: the value is written
    /// only if the signal is present.
    pub guard: Option<Slot>,
}

impl Output {
    /// The slots in which the tape leaves it.
    pub fn made(&self) -> std::ops::Range<usize> {
        self.from as usize..(self.from + self.length) as usize
    }
}
