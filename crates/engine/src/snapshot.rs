//! Everything that changes while a model runs, as plain data.

use base::{ExactTime, Table, Tag, Time, clone_reusing};
use program::{BlockId, HazardId, Program, RegionId, UnitId};
use serde::{Deserialize, Serialize};

use crate::agenda::Agenda;
use crate::delays::Delays;
use crate::inputs::Inputs;
use crate::log::Switch;
use crate::machines::MachineClocks;
use crate::rows::RowQueue;
use crate::smooth::region::RegionState;
use crate::tick::Tick;
use crate::warning::HazardSeen;
use crate::watch::Watch;
use crate::{Options, Warning};

/// The whole state of a run between two advances.
#[derive(Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// The buffer: time, states, sides, wires.
    pub(crate) slots: Vec<f64>,
    /// The regions, each with its solver and its history.
    pub(crate) regions: Table<RegionId, RegionState>,
    /// When each timer wakes next.
    pub(crate) agenda: Agenda,
    /// Coming changes of signals from outside.
    pub(crate) inputs: Inputs,
    /// Pending changes of delay lines.
    pub(crate) delays: Delays,
    /// The clocks of the fragments that state machines switch on and off.
    pub(crate) machines: MachineClocks,
    /// The tick in progress.
    pub(crate) tick: Option<Box<Tick>>,
    /// The rows to be written next.
    pub(crate) rows: RowQueue,
    /// Watches for accumulating events and steps.
    pub(crate) watch: Watch,
    /// For each order hazard, when its conditions last held.
    pub(crate) hazards: Table<HazardId, HazardSeen>,
    /// Warnings for readers of the result.
    pub(crate) warnings: Vec<Warning>,
    /// When regions switched to another method.
    pub(crate) switches: Vec<Switch>,
    /// How often each unit has run.
    pub(crate) firings: Table<UnitId, u64>,
    /// The work so far.
    pub(crate) counters: Counters,
    /// The tag that the run has reached.
    pub(crate) tag: Tag,
    /// The exact time of the last tick.
    pub(crate) now: ExactTime,
    /// Whether the run has started.
    pub(crate) started: bool,
    /// Whether the run has ended.
    pub(crate) finished: bool,
    /// The block that ends the run once its instant is over.
    pub(crate) ended: Option<BlockId>,
    /// The stop time of the run.
    pub(crate) stop: Time,
}

clone_reusing!(Snapshot {
    slots,
    regions,
    agenda,
    inputs,
    delays,
    machines,
    tick,
    rows,
    watch,
    hazards,
    warnings,
    switches,
    firings,
    counters,
    tag,
    now,
    started,
    finished,
    ended,
    stop,
});

/// The work of a run.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counters {
    /// Accepted steps of all regions.
    pub steps: u64,
    /// Rejected steps.
    pub rejected: u64,
    /// Evaluations of rates.
    pub evaluations: u64,
    /// Times at which events happened.
    pub ticks: u64,
    /// Microsteps from 1 on.
    pub microsteps: u64,
    /// Units that ran at ticks.
    pub firings: u64,
}

impl Snapshot {
    /// The state before the start.
    pub(crate) fn new(program: &Program, options: &Options) -> Snapshot {
        let start = options.start.time();
        let mut slots = program.image.clone();
        let regions = program.regions.iter();
        Snapshot {
            regions: regions.map(|region| RegionState::new(program, region, options)).collect(),
            agenda: Agenda::new(program, start, &mut slots),
            inputs: Inputs::new(program),
            delays: Delays::new(program, &mut slots),
            machines: MachineClocks::new(program, options),
            tick: None,
            rows: RowQueue::default(),
            watch: Watch::new(program, start),
            hazards: Table::filled(HazardSeen::default(), program.hazards.len()),
            warnings: Vec::new(),
            switches: Vec::new(),
            firings: Table::filled(0, program.units.len()),
            counters: Counters::default(),
            tag: Tag::new(start, 0),
            now: options.start,
            started: false,
            finished: false,
            ended: None,
            stop: options.stop,
            slots,
        }
    }

    /// The tag that the run has reached.
    pub fn tag(&self) -> Tag {
        self.tag
    }
}
