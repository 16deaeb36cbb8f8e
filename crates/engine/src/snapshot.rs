//! Everything that changes while a model runs, as plain data.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::{ExactTime, Tag, Time};
use diagram::{FragmentId, RegionId};
use program::{Program, Tracked, TrackedId, UnitId};
use serde::{Deserialize, Serialize};
use solver::Solver;

use crate::Warning;
use crate::delay::DelayLineState;
use crate::history::RegionHistory;
use crate::log::Switch;
use crate::pace::Pace;
use crate::warning::HazardSeen;
use crate::zeno::Accumulation;

/// The whole state of a run between two advances.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// All numbers: time, states, sides, wires.
    pub(crate) slots: Vec<f64>,
    /// The parts that step apart.
    pub(crate) regions: Vec<RegionState>,
    /// The past of each region.
    pub(crate) histories: Vec<RegionHistory>,
    /// Where each delayed signal stands.
    pub(crate) lines: Vec<DelayLineState>,
    /// Delayed signals of which something comes at this tick, or waits for a clock to go on.
    pub(crate) coming: Vec<u32>,
    /// When each timer wakes next.
    pub(crate) agenda: BinaryHeap<Reverse<(Time, u32)>>,
    /// How often each timer has woken.
    pub(crate) wakings: Vec<u64>,
    /// The clocks of what state machines switch on and off.
    pub(crate) fragments: Vec<Clock>,
    /// How often each machine has drawn a transition.
    pub(crate) draws: Vec<u64>,
    /// The tick that is going on.
    pub(crate) tick: Option<Box<Tick>>,
    /// Steps whose rows wait for slower regions: their times and the regions, the first on top.
    pub(crate) waiting: BinaryHeap<Reverse<(Time, u32)>>,
    /// How many rows of the grid and of the list have been written or passed.
    pub(crate) on_grid: u64,
    pub(crate) on_list: usize,
    /// For each crossing, whether its events accumulate.
    pub(crate) accumulations: Vec<Accumulation>,
    /// For each meeting, when its conditions last held.
    pub(crate) met: Vec<HazardSeen>,
    /// What a reader of the result should know.
    pub(crate) warnings: Vec<Warning>,
    /// Where parts went on with another method.
    pub(crate) switches: Vec<Switch>,
    /// How often each unit has run.
    pub(crate) firings: Vec<u64>,
    /// The work so far.
    pub(crate) counters: Counters,
    /// Where the run stands.
    pub(crate) tag: Tag,
    /// The exact time of the last tick.
    pub(crate) now: ExactTime,
    /// When a state machine last left a state that failed, and how often it did so then.
    pub(crate) recoveries: (Time, u32),
    /// When something was last located, and how many locations before it were closer together than
    /// floats of time are.
    pub(crate) crowd: (Time, u32),
    /// How far time goes for the work that is done.
    pub(crate) pace: Pace,
    /// Whether the start has been made.
    pub(crate) started: bool,
    /// Whether the end has been reached.
    pub(crate) finished: bool,
}

/// The clock of a fragment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Clock {
    /// When it showed 0.
    pub origin: ExactTime,
    /// When it last stopped.
    pub stopped: ExactTime,
    /// Whether the fragment has run since the one around it started anew.
    pub ran: bool,
    /// What was due when it stopped and comes when it goes on: cells that are something for one
    /// microstep, and what they are.
    pub due: Vec<(TrackedId, f64)>,
    /// Crossings that were located when it stopped: the region, the watch, and what counts as zero.
    pub located: Vec<(RegionId, u32, f64)>,
}

/// States and watched functions that lie together among those of a region, and all run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct ActiveSlice {
    pub state: usize,
    pub states: usize,
    pub watch: usize,
    pub watches: usize,
}

/// Where a region stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RegionState {
    pub solver: Solver,
    /// What of it runs, as the solver sees it.
    pub ranges: Vec<ActiveSlice>,
    /// The start of its smooth phase.
    pub origin: Time,
    /// The same \[s\].
    pub origin_seconds: f64,
    /// How far its solution reaches.
    pub reached: Time,
    /// Whether it stands at a crossing that waits for its tick.
    pub crossing: bool,
    /// The tag of its last row.
    pub last_row: Option<Tag>,
    /// Sides and residuals of its watched functions, as the solver sees them.
    pub sides: Vec<f64>,
    pub residuals: Vec<f64>,
}

/// A tick that is going on.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Tick {
    pub time: Time,
    /// The same \[s\].
    pub seconds: f64,
    /// The microstep that comes next.
    pub microstep: u32,
    /// Units that must run, one bit for each.
    pub dirty: Vec<u64>,
    /// Cells that are something at the coming microstep only, and go back to zero after it.
    pub pulses: Vec<TrackedId>,
    /// How many signals that are events only are present.
    pub present: u32,
    /// Machines to look at when this microstep is committed.
    pub pending: Vec<u32>,
    /// Machines to look at when the next one is.
    pub entered: Vec<u32>,
    /// Fragments that have stopped and in which something is still said at the coming microstep.
    pub speaking: Vec<FragmentId>,
    /// The lowest order of a derivative that may jump: 0, unless only kinks of delayed signals have
    /// come.
    pub order: u8,
    /// What has happened to each region at this time.
    regions: Vec<RegionInTick>,
    /// The regions to which something has, each once.
    involved: Vec<u32>,
    /// Whether that leaves a region that may have to take its sides anew.
    pub unsettled: bool,
    /// Units of regions that are not part of the tick yet, as bits.
    pub held: Vec<u64>,
    /// What there was some microsteps before the limit, how often it was looked at, and whether it
    /// has come again.
    pub mark: Option<Mark>,
    pub looks: u32,
    pub repeats: bool,
}

impl Tick {
    /// Starts anew before a microstep, keeping the room of an earlier tick.
    pub fn begin(&mut self, first: Tag, program: &Program) {
        (self.time, self.microstep) = (first.time, first.microstep);
        (self.seconds, self.present, self.order) = (first.time.seconds(), 0, 0);
        self.pulses.clear();
        self.pending.clear();
        self.entered.clear();
        self.speaking.clear();
        let (words, regions) = (program.units.len().div_ceil(64), program.regions.len());
        // A tick ends when no bit is left.
        debug_assert!(self.dirty.iter().all(|word| *word == 0), "bits are used up");
        if self.dirty.len() != words {
            refill(&mut self.dirty, words, 0);
        }
        if self.held.len() == words && self.regions.len() == regions {
            for region in self.involved.drain(..) {
                self.regions[region as usize] = RegionInTick::default();
                let own = &program.regions[region as usize].units;
                own.iter().for_each(|(word, bits)| self.held[*word as usize] |= bits);
            }
        } else {
            self.involved.clear();
            refill(&mut self.held, words, u64::MAX);
            refill(&mut self.regions, regions, RegionInTick::default());
        }
        self.unsettled = false;
        (self.mark, self.looks, self.repeats) = (None, 0, false);
    }

    /// Makes a unit run at the next microstep.
    pub fn ask(&mut self, unit: UnitId) {
        self.dirty[unit.index() / 64] |= 1 << (unit.index() % 64);
    }

    /// Marks the readers of a changed cell for the next microstep, and the regions whose smooth
    /// functions read it.
    pub fn mark(&mut self, cell: &Tracked) {
        for (word, bits) in &cell.asked {
            self.dirty[*word as usize] |= bits;
        }
        for region in &cell.regions {
            self.disturb(*region);
        }
        if !cell.machines.is_empty() {
            self.pending.extend(&cell.machines);
        }
    }

    /// Notes that something has changed which the smooth functions of a region read.
    pub fn disturb(&mut self, region: RegionId) {
        let touched = self.involve(region.index());
        (touched.changed, touched.stale, touched.unsettled) = (true, true, true);
        self.unsettled = true;
    }

    /// A region has to take its sides anew, once it is part of the tick.
    pub fn unsettle(&mut self, region: usize) {
        self.involve(region).unsettled = true;
        self.unsettled = true;
    }

    /// What has happened to a region at this time.
    #[inline]
    pub fn region(&self, region: usize) -> RegionInTick {
        self.regions[region]
    }

    /// The same, to note more.
    #[inline]
    pub fn involve(&mut self, region: usize) -> &mut RegionInTick {
        let touched = &mut self.regions[region];
        if !std::mem::replace(&mut touched.listed, true) {
            self.involved.push(region as u32);
        }
        touched
    }

    /// How many regions something has happened to at this time; they are in order afterwards.
    #[inline]
    pub fn order_involved(&mut self) -> usize {
        if self.involved.len() > 1 {
            self.involved.sort_unstable();
        }
        self.involved.len()
    }

    /// One of them.
    #[inline]
    pub fn involved(&self, place: usize) -> usize {
        self.involved[place] as usize
    }
}

/// What decides about the microsteps to come.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub slots: Vec<u64>,
    pub dirty: Vec<u64>,
    pub pulses: Vec<TrackedId>,
}

/// Gives a list some length with the same everywhere, in the room that it has. Most lists are short,
/// and a loop costs less than a call for them.
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
    /// Something that its sides are taken from has changed since they were.
    pub unsettled: bool,
    /// It is among those to which something has happened.
    listed: bool,
}

/// The work of a run.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counters {
    /// Accepted steps of all regions.
    pub steps: u64,
    /// Rejected steps.
    pub rejected: u64,
    /// Evaluations of rates.
    pub evaluations: u64,
    /// Times at which something happened.
    pub ticks: u64,
    /// Microsteps from 1 on.
    pub microsteps: u64,
    /// Units that ran at ticks.
    pub firings: u64,
}

impl Snapshot {
    /// Where the run stands.
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// Becomes the same as another one, in the room that it has.
    pub(crate) fn copy(&mut self, other: &Snapshot) {
        let Snapshot {
            slots,
            regions,
            histories,
            lines,
            coming,
            agenda,
            wakings,
            fragments,
            draws,
            tick,
            waiting,
            on_grid,
            on_list,
            accumulations,
            met,
            warnings,
            switches,
            firings,
            counters,
            tag,
            now,
            recoveries,
            crowd,
            pace,
            started,
            finished,
        } = other;
        self.slots.clone_from(slots);
        self.regions.clone_from(regions);
        self.histories.clone_from(histories);
        self.lines.clone_from(lines);
        self.coming.clone_from(coming);
        self.agenda.clone_from(agenda);
        self.wakings.clone_from(wakings);
        self.fragments.clone_from(fragments);
        self.draws.clone_from(draws);
        self.tick.clone_from(tick);
        self.waiting.clone_from(waiting);
        self.on_grid.clone_from(on_grid);
        self.on_list.clone_from(on_list);
        self.accumulations.clone_from(accumulations);
        self.met.clone_from(met);
        self.warnings.clone_from(warnings);
        self.switches.clone_from(switches);
        self.firings.clone_from(firings);
        self.counters.clone_from(counters);
        self.tag.clone_from(tag);
        self.now.clone_from(now);
        self.recoveries.clone_from(recoveries);
        self.crowd.clone_from(crowd);
        self.pace.clone_from(pace);
        self.started.clone_from(started);
        self.finished.clone_from(finished);
    }
}
