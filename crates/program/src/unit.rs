//! A unit: one small tape of a tick, and what becomes of what it computes.

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
    /// Where the residuals of the block's crossings are.
    pub residuals: Vec<Slot>,
    /// Whether it is inside a state and passes on what a machine there says.
    pub speaks: bool,
    /// What it runs.
    pub tape: Tape,
    /// Parts of wires. The tape puts them one after the other.
    pub outputs: Vec<Output>,
    /// What states become: where the tape puts it, and the state.
    pub nexts: Vec<(Slot, usize)>,
    /// Values of crossing functions: where the tape puts them, and the crossing.
    pub crossings: Vec<(Slot, usize)>,
    /// Conditions that must not hold: where the tape puts them, and the reason.
    pub checks: Vec<(Slot, String)>,
    /// Conditions whose order at one instant matters: where the tape puts both, and the meeting.
    pub hazards: Vec<(Slot, Slot, usize)>,
    /// Whether the tape may find that a loop is not known.
    pub may_be_unknown: bool,
    /// The wires whose values it makes, for messages.
    pub wires: Vec<WireId>,
    /// The delayed signals that do not move between events and are made from its outputs.
    pub lines: Vec<usize>,
}

impl Unit {
    /// Where the tape puts all outputs.
    pub fn made(&self) -> std::ops::Range<usize> {
        match (self.outputs.first(), self.outputs.last()) {
            (Some(first), Some(last)) => first.made().start..last.made().end,
            _ => 0..0,
        }
    }
}

/// What a unit has beside outputs, so that a microstep passes over what none of its units has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UnitEffects(u8);

impl UnitEffects {
    /// States that it changes.
    pub const NEXTS: UnitEffects = UnitEffects(1);
    /// Crossing functions that it computes.
    pub const CROSSINGS: UnitEffects = UnitEffects(2);
    /// Conditions that must not hold.
    pub const CHECKS: UnitEffects = UnitEffects(4);
    /// Conditions whose order matters.
    pub const HAZARDS: UnitEffects = UnitEffects(8);
    /// Outputs that are delayed.
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

    /// Whether some of these are among them.
    #[inline]
    pub fn have(self, some: UnitEffects) -> bool {
        self.0 & some.0 != 0
    }

    /// Takes others in.
    #[inline]
    pub fn add(&mut self, others: UnitEffects) {
        self.0 |= others.0;
    }
}

/// A part of a wire that a unit makes.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Where the tape puts it.
    pub from: Slot,
    /// Where its cell is.
    pub to: Slot,
    /// How many numbers it has.
    pub length: u32,
    /// Its cell.
    pub tracked: TrackedId,
    /// Where the presence of a signal is that is events only: its value goes to the cell only where
    /// it is there.
    pub guard: Option<Slot>,
}

impl Output {
    /// Where the tape puts it, as a range.
    pub fn made(&self) -> std::ops::Range<usize> {
        self.from as usize..(self.from + self.length) as usize
    }
}
