//! A unit: one small tape of a tick, and the destinations of its results.

use diagram::{BlockId, FragmentId, RegionId, WireId};
use ir::{Slot, Tape};

use crate::delay_line::LineId;
use crate::region::CrossingId;
use crate::tracked::{StateId, TrackedId};

base::typed_id! {
    /// One small tape of a tick.
    UnitId
}
base::typed_id! {
    /// Two conditions whose order within one instant matters.
    HazardId
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
    /// New values of states.
    pub nexts: Vec<Next>,
    /// Values of crossing functions.
    pub crossings: Vec<CrossingValue>,
    /// Conditions that must not hold.
    pub checks: Vec<Check>,
    /// Conditions whose order at one instant matters.
    pub hazards: Vec<HazardConditions>,
    /// Whether the tape may find that a loop stays unknown.
    pub may_be_unknown: bool,
    /// The wires whose values it computes, for messages.
    pub wires: Vec<WireId>,
    /// The delay lines that do not move between events and read its outputs.
    pub lines: Vec<LineId>,
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
        lists.iter().filter(|(_, none)| !none).for_each(|(effect, _)| effects.add(*effect));
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
        self.from.index()..(self.from + self.length).index()
    }
}

/// The new value of a state.
#[derive(Clone, Copy, Debug)]
pub struct Next {
    /// The first slot in which a tape leaves it.
    pub from: Slot,
    /// The state.
    pub state: StateId,
}

/// The value of a crossing function.
#[derive(Clone, Copy, Debug)]
pub struct CrossingValue {
    /// The slot in which a tape leaves it.
    pub from: Slot,
    /// The crossing.
    pub crossing: CrossingId,
}

/// A condition that must not hold.
#[derive(Clone, Debug)]
pub struct Check {
    /// The slot in which a tape leaves it.
    pub from: Slot,
    /// The block, for messages.
    pub block: BlockId,
    /// Why it must not hold.
    pub reason: String,
    /// Whether the run ends well at the end of the instant, instead of failing.
    pub ends: bool,
}

/// The conditions of an order hazard.
#[derive(Clone, Copy, Debug)]
pub struct HazardConditions {
    /// The slot in which a tape leaves one of them.
    pub first: Slot,
    /// The slot of the other one.
    pub second: Slot,
    /// The order hazard.
    pub hazard: HazardId,
}

/// Units as bits of a 64-bit word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnitWord {
    /// The index of the word; unit `n` is a bit of word `n / 64`.
    pub index: u32,
    /// The bits; that of unit `n` is bit `n % 64`.
    pub bits: u64,
}

impl UnitWord {
    /// The words in which units have a bit, in order.
    pub(crate) fn gather(units: impl Iterator<Item = UnitId>) -> Vec<UnitWord> {
        let mut units: Vec<UnitId> = units.collect();
        units.sort_unstable();
        let mut words: Vec<UnitWord> = Vec::new();
        for UnitId(unit) in units {
            let (index, bit) = (unit / 64, 1 << (unit % 64));
            match words.last_mut() {
                Some(last) if last.index == index => last.bits |= bit,
                _ => words.push(UnitWord { index, bits: bit }),
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// There are never more words than units, however large their ids are.
    #[test]
    fn units_are_gathered_by_words() {
        let words = UnitWord::gather([130, 1, 64, 0, 100_000].map(UnitId).into_iter());
        let expected = [(0, 3), (1, 1), (2, 4), (1562, 1 << 32)];
        assert_eq!(words, expected.map(|(index, bits)| UnitWord { index, bits }));
    }
}
