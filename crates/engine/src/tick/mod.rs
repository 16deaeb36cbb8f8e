//! A tick: microstep after microstep, evaluating only what is affected.

mod begin;
mod commit;
mod end;
pub(crate) mod marks;
mod microstep;
pub(crate) mod plain;
pub(crate) mod units;

pub(crate) use begin::take_memory;

use base::{Table, Tag, Time};
use program::{FragmentId, MachineId, Program, RegionId, Tracked, TrackedId, UnitId};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::tick::marks::{Marks, narrow_units};

/// A tick in progress.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Tick {
    pub time: Time,
    /// The time \[s\].
    pub seconds: f64,
    /// The next microstep.
    pub microstep: u32,
    /// Units that must run at the coming microstep.
    pub dirty: Marks,
    /// Tracked signals that are nonzero only at the coming microstep and then return to zero.
    pub pulses: Vec<TrackedId>,
    /// The number of present signals that consist of events only.
    pub present: u32,
    /// Machines to examine at the commit of this microstep.
    pub pending: Vec<MachineId>,
    /// Machines to examine at the commit of the next one.
    pub entered: Vec<MachineId>,
    /// Fragments that have stopped and in which values are still emitted at the coming microstep.
    pub speaking: Vec<FragmentId>,
    /// The lowest order of a derivative that may jump: 0, unless only kinks of delayed signals have
    /// come.
    pub order: u8,
    /// What has happened to each region at this time.
    regions: Table<RegionId, RegionInTick>,
    /// The regions to which something has happened, each once.
    involved: Vec<RegionId>,
    /// Whether one of these regions may have to take its sides again.
    pub unsettled: bool,
    /// Units of narrow regions that are not part of the tick yet, as bits.
    pub held: Vec<u64>,
    /// The state some microsteps before the limit, how often it was compared, and whether it has
    /// recurred.
    pub mark: Option<Mark>,
    pub looks: u32,
    pub repeats: bool,
    /// The units that have run, if signals are looked at for what changes them.
    pub fired: Vec<UnitId>,
    pub follows: bool,
    /// For the profile of Ptolemy II: how many coming microsteps a timer or a machine that has
    /// changed its state asks for. A microstep that nobody asks for and at which no event is present only settles
    /// what came before, and has no row.
    pub asked: u32,
    /// Whether a microstep has had a row.
    pub spoke: bool,
}

impl Tick {
    /// Starts a tick before its first microstep, reusing the allocations of an earlier one.
    pub fn begin(&mut self, first: Tag, program: &Program) {
        (self.time, self.microstep) = (first.time, first.microstep);
        (self.seconds, self.present, self.order) = (first.time.seconds(), 0, 0);
        self.follows = program.records.last().is_some_and(|record| record.hidden);
        (self.asked, self.spoke) = (0, false);
        self.fired.clear();
        self.pulses.clear();
        self.pending.clear();
        self.entered.clear();
        self.speaking.clear();
        let (words, regions) = (program.units.len().div_ceil(64), program.regions.len());
        // A tick ends when no unit is marked.
        self.dirty.prepare(words);
        if self.held.len() == words && self.regions.len() == regions {
            for region in self.involved.drain(..) {
                self.regions[region] = RegionInTick::default();
                for word in narrow_units(&program.regions[region]) {
                    self.held[word.index as usize] |= word.bits;
                }
            }
        } else {
            self.involved.clear();
            refill(&mut self.held, words, 0);
            for word in program.regions.iter().flat_map(narrow_units) {
                self.held[word.index as usize] |= word.bits;
            }
            self.regions = Table::filled(RegionInTick::default(), regions);
        }
        self.unsettled = false;
        (self.mark, self.looks, self.repeats) = (None, 0, false);
    }

    /// Makes a unit run at the next microstep.
    pub fn ask(&mut self, unit: UnitId) {
        self.dirty.add_unit(unit);
    }

    /// Marks the readers of a changed tracked signal for the next microstep, and the regions whose
    /// smooth functions read it.
    pub fn mark(&mut self, tracked: &Tracked) {
        for word in &tracked.reader_words {
            self.dirty.add(*word);
        }
        for region in &tracked.regions {
            self.disturb(*region);
        }
        if !tracked.machines.is_empty() {
            self.pending.extend(&tracked.machines);
        }
    }

    /// Records that something has changed that the smooth functions of a region read.
    pub fn disturb(&mut self, region: RegionId) {
        let touched = self.involve(region);
        (touched.changed, touched.stale, touched.unsettled) = (true, true, true);
        self.unsettled = true;
    }

    /// A region has to take its sides again, once it is part of the tick.
    pub fn unsettle(&mut self, region: RegionId) {
        self.involve(region).unsettled = true;
        self.unsettled = true;
    }

    /// What has happened to a region at this time.
    #[inline]
    pub fn region(&self, region: RegionId) -> RegionInTick {
        self.regions[region]
    }

    /// The same, for updates.
    #[inline]
    pub fn involve(&mut self, region: RegionId) -> &mut RegionInTick {
        let touched = &mut self.regions[region];
        if !std::mem::replace(&mut touched.listed, true) {
            self.involved.push(region);
        }
        touched
    }

    /// The number of regions to which something has happened at this time; sorts them.
    #[inline]
    pub fn order_involved(&mut self) -> usize {
        if self.involved.len() > 1 {
            self.involved.sort_unstable();
        }
        self.involved.len()
    }

    /// These regions.
    #[inline]
    pub fn all_involved(&self) -> &[RegionId] {
        &self.involved
    }

    /// One of these regions.
    #[inline]
    pub fn involved(&self, place: usize) -> RegionId {
        self.involved[place]
    }
}

impl Engine<'_> {
    /// The time of the tick that is going on.
    #[inline]
    pub(crate) fn tick_time(&self) -> Option<Time> {
        self.state.tick.as_ref().map(|tick| tick.time).or(self.scratch.plain_time)
    }
}

/// Everything that determines the microsteps to come.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub slots: Vec<u64>,
    pub dirty: Marks,
    pub pulses: Vec<TrackedId>,
}

/// Fills a list with copies of a value, reusing its allocation. Most lists are short, and for those
/// a loop is cheaper than a call.
#[inline]
pub(crate) fn refill<T: Copy>(list: &mut Vec<T>, length: usize, value: T) {
    if list.len() == length {
        list.iter_mut().for_each(|own| *own = value);
    } else {
        list.clear();
        list.resize(length, value);
    }
}

/// What has happened to a region in a tick.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(crate) struct RegionInTick {
    /// Its states at this time are in the buffer.
    pub placed: bool,
    /// Its left limits are in the buffer.
    pub evaluated: bool,
    /// Something in it was committed at this time.
    pub touched: bool,
    /// Something that its smooth functions read has changed.
    pub changed: bool,
    /// The same, since its rates were last computed.
    pub stale: bool,
    /// Something that its sides depend on has changed since they were taken.
    pub unsettled: bool,
    /// It is in the list of regions to which something has happened.
    listed: bool,
}
