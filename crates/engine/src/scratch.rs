//! Scratch space of a run. None of it is part of a snapshot: whatever outlives an advance can be
//! computed again from the state.

use program::tape::{Jet, Partial, Rounded};
use program::{BlockId, CrossingId, InputId, LineId, Program, RegionId, TimerId, TrackedId};

use base::{Rational, Table, Time};
use solver::{Solver, StepError};

use crate::delays::SpareChanges;
use crate::machines::MachineScratch;
use crate::rows::{Beside, Cover};
use crate::sliding::SlideSpace;
use crate::smooth::active::ActiveTapes;
use crate::smooth::flow::Functions;
use crate::smooth::race::Race;
use crate::smooth::rounds::Rounds;
use crate::snapshot::Snapshot;
use crate::tick::Tick;
use crate::tick::plain::PlainTicks;
use crate::tick::units::UnitScratch;
use crate::turns::Turns;

/// Scratch space of a run.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// The units of a microstep.
    pub units: UnitScratch,
    /// Decisions of state machines during a microstep.
    pub machines: MachineScratch,
    /// The active parts of the tapes of each region.
    pub active: Table<RegionId, ActiveTapes>,
    /// The watched functions of each region whose bounds or roundings have been computed.
    pub functions: Table<RegionId, Functions>,
    /// The region that moves, if no other does.
    pub mover: Option<RegionId>,
    /// Finds the region that has advanced least.
    pub race: Race<RegionId>,
    /// Finds the delay line with the earliest pending change.
    pub dues: Race<LineId>,
    /// For each region, whether the coming row covers it.
    pub covered: Cover,
    /// The ticks of the program, if all of them are plain, once somebody has looked.
    pub plain: Option<Option<Box<PlainTicks>>>,
    /// The time of a plain tick that is going on.
    pub plain_time: Option<Time>,
    /// Timers that are due at this tick.
    pub woken: Vec<TimerId>,
    /// Signals that return to zero after this microstep.
    pub fading: Vec<TrackedId>,
    /// New sides and floors of crossings, found before any of them is written.
    pub found: Vec<(CrossingId, f64)>,
    /// Regions with a crossing at the time of this tick.
    pub at_crossing: Vec<RegionId>,
    /// Regions whose sides were checked in this microstep.
    pub looked: Vec<RegionId>,
    /// Watched functions of a region whose sides sliding decides in this microstep.
    pub decided: Vec<usize>,
    /// Working space of regions that slide.
    pub slides: Table<RegionId, SlideSpace>,
    /// An accumulation of events that the last commit found: when, its limit \[s\], and the blocks.
    pub zeno: Option<(Time, f64, Vec<BlockId>)>,
    /// Continuous signals whose motion is not known, since somebody else gives them as time goes on.
    pub outside: Vec<InputId>,
    /// Points that a region has passed in several steps at once, for their rows: for each the offset
    /// and the states. The solver as it was before them.
    pub passed: Vec<f64>,
    pub spare_solver: Option<Box<Solver>>,
    /// Why the last step in a lane has failed.
    pub failed_lane: Option<StepError>,
    /// Values on their way from or to the buffer.
    pub numbers: Vec<f64>,
    /// Rows beside those of the result, and the buffer before the last of them.
    pub besides: Vec<Beside>,
    pub unlooked: Vec<f64>,
    /// The next time of evenly spaced rows: between which rows, which one, and when. It is asked
    /// for at every step and takes exact divisions.
    pub grid: Option<(Rational, u64, Option<Time>)>,
    /// What is recorded at every evaluation, if that is asked for.
    pub rounds: Option<Rounds>,
    /// The buffer at a time that was looked at.
    pub looked_at: Vec<f64>,
    /// Samples of delayed signals, and slots that sampling must not change.
    pub samples: Vec<f64>,
    pub kept: Vec<f64>,
    /// Delay lines with a change that is due.
    pub due_lines: Vec<LineId>,
    /// For each delay line, the memory of changes that are over.
    pub spare_changes: Table<LineId, SpareChanges>,
    /// The buffer as jets and as partial values.
    pub jets: Vec<Jet<Rounded>>,
    pub partial: Vec<Partial>,
    /// Allocations of an earlier tick and of an earlier copy of the state.
    pub spare_tick: Option<Box<Tick>>,
    pub spare_snapshot: Option<Box<Snapshot>>,
    /// The turns of the causes of each instant, if somebody studies them.
    pub turns: Option<Box<Turns>>,
}

impl Scratch {
    pub fn new(program: &Program) -> Scratch {
        let regions = program.regions.len();
        let mut movers = program.regions.ids().filter(|region| program.regions[*region].moves);
        let mover = movers.next().filter(|_| movers.next().is_none());
        Scratch {
            units: UnitScratch::new(program),
            machines: MachineScratch::default(),
            active: Table::filled(ActiveTapes::default(), regions),
            functions: Table::filled(Functions::new(), regions),
            mover,
            race: Race::default(),
            dues: Race::default(),
            covered: Cover::new(program),
            plain: None,
            plain_time: None,
            woken: Vec::new(),
            fading: Vec::new(),
            found: Vec::new(),
            at_crossing: Vec::new(),
            looked: Vec::new(),
            decided: Vec::new(),
            slides: Table::filled(SlideSpace::default(), regions),
            zeno: None,
            outside: Vec::new(),
            passed: Vec::new(),
            spare_solver: None,
            failed_lane: None,
            numbers: Vec::new(),
            besides: Vec::new(),
            unlooked: Vec::new(),
            grid: None,
            rounds: None,
            looked_at: Vec::new(),
            samples: Vec::new(),
            kept: Vec::new(),
            due_lines: Vec::new(),
            spare_changes: program.lines.iter().map(|_| SpareChanges::default()).collect(),
            jets: Vec::new(),
            partial: Vec::new(),
            spare_tick: None,
            spare_snapshot: None,
            turns: None,
        }
    }
}
