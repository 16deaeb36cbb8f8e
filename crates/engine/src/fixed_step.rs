//! Runs by fixed steps: time advances from point to point, and everything is computed at each.
//!
//! ```text
//! begin:    x at the start, by a step of length 0; sides set without an event
//! repeat:   the next point t of the grid, or sooner if a timer would wake twice
//!           quiet pass     everything at t without events, from the memories of the point before
//!           locate         if a side has changed: the step is cut in two, before the change
//!                          and a bracket of the resolution of time, which becomes a step itself
//!           event pass     if a timer is due, a side has changed or events wait: the same step
//!                          once more, with them
//!           commit         memories and states; sides from values
//! ```
//!
//! Whatever would come one microstep later comes one step later: a side that a jump has changed has
//! its event at the next point, and `previous` is the value at the point before.

mod locate;
mod point;

use std::sync::Arc;

use base::{Rational, Table, Tag, Time};
use program::{BlockId, CrossingId, FixedStepProgram, RegionId, TimerId, TrackedId, events_before};
use serde::{Deserialize, Serialize};

use crate::rows::{Row, Sink};
use crate::simulation::{Progress, StopReason};
use crate::snapshot::Counters;
use crate::watch::zeno::Accumulation;
use crate::{Options, RunError};

/// How often sides and memories are set again at the start because they depend on each other.
const ROUNDS: usize = 64;

/// Everything that changes in a run by fixed steps, as plain data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FixedStepSnapshot {
    pub(crate) slots: Vec<f64>,
    /// The point that the run has reached.
    pub(crate) time: Time,
    /// The index of the next point of the grid; that point may have been passed already.
    pub(crate) grid: u64,
    /// How often each timer has woken.
    pub(crate) wakings: Table<TimerId, u64>,
    /// Changes of sides whose events wait for the next point: the crossing and its change.
    pub(crate) waiting: Vec<(CrossingId, f64)>,
    /// Whether events have changed states, so that something may follow at the next point.
    pub(crate) stirred: bool,
    /// For each crossing, whether its events accumulate.
    pub(crate) accumulations: Table<CrossingId, Accumulation>,
    /// For each crossing, the time and the amount of its last located change.
    pub(crate) last: Table<CrossingId, Option<(Time, f64)>>,
    /// The number of rows of the row grid and of the list of times that have been written or
    /// passed.
    pub(crate) on_grid: u64,
    pub(crate) on_list: usize,
    pub(crate) counters: Counters,
    pub(crate) extremes: Extremes,
    pub(crate) tag: Tag,
    pub(crate) started: bool,
    pub(crate) finished: bool,
    /// The block that ends the run at this point.
    pub(crate) ended: Option<BlockId>,
}

impl FixedStepSnapshot {
    /// The tag that the run has reached.
    pub fn tag(&self) -> Tag {
        self.tag
    }
}

/// The extreme values and steps of a run by fixed steps.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Extremes {
    /// The greatest magnitude of any value of any signal.
    pub magnitude: f64,
    /// The shortest step \[s\].
    pub shortest_step: f64,
}

/// How events accumulate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pile {
    /// At this time \[s\].
    At(f64),
    /// Twice within one step.
    TooFast,
}

/// A model that runs by fixed steps.
#[derive(Debug)]
pub struct FixedStepSimulation {
    pub(crate) program: Arc<FixedStepProgram>,
    pub(crate) options: Options,
    pub(crate) state: FixedStepSnapshot,
    /// The spacing of the grid \[s\].
    grid: Rational,
    /// Scratch: recorded values before the events of a point.
    before: Vec<f64>,
    /// Every row covers every region.
    covered: Table<RegionId, bool>,
}

impl FixedStepSimulation {
    /// A run before its start.
    pub fn new(program: Arc<FixedStepProgram>, options: Options) -> FixedStepSimulation {
        let start = options.start.time();
        let mut slots = program.image.clone();
        for state in &program.states {
            let from = program.tracked(state.tracked).slot.index();
            slots[from..from + state.initial.len()].copy_from_slice(&state.initial);
        }
        let mut wakings = Table::new();
        for timer in &program.timers {
            let past = events_before(&*timer.timer, start);
            slots[program.tracked(timer.wakings).slot.index()] = past as f64;
            wakings.push(past);
        }
        let snapshot = FixedStepSnapshot {
            slots,
            time: start,
            grid: 1,
            wakings,
            waiting: Vec::new(),
            stirred: false,
            accumulations: Table::filled(Accumulation::default(), program.crossings.len()),
            last: Table::filled(None, program.crossings.len()),
            on_grid: 0,
            on_list: 0,
            counters: Counters::default(),
            extremes: Extremes { magnitude: 0.0, shortest_step: f64::INFINITY },
            tag: Tag::new(start, 0),
            started: false,
            finished: false,
            ended: None,
        };
        FixedStepSimulation::resume(program, options, snapshot)
    }

    /// A run that continues from a snapshot of the same program and options.
    pub fn resume(
        program: Arc<FixedStepProgram>,
        options: Options,
        snapshot: FixedStepSnapshot,
    ) -> FixedStepSimulation {
        let grid = options.grid;
        let covered = Table::filled(true, program.origins.region_count());
        FixedStepSimulation { program, options, state: snapshot, grid, before: Vec::new(), covered }
    }

    /// Everything that changes.
    pub fn snapshot(&self) -> &FixedStepSnapshot {
        &self.state
    }

    /// Goes back to before the start.
    pub fn reset(&mut self) {
        let (program, options) = (self.program.clone(), self.options.clone());
        *self = FixedStepSimulation::new(program, options);
    }

    /// A second run that continues from the state of this one.
    pub fn fork(&self) -> FixedStepSimulation {
        let state = self.state.clone();
        FixedStepSimulation::resume(self.program.clone(), self.options.clone(), state)
    }

    /// Whether the run has started.
    pub fn has_started(&self) -> bool {
        self.state.started
    }

    /// The work so far.
    pub fn counters(&self) -> Counters {
        self.state.counters
    }

    /// The extreme values and steps so far.
    pub fn extremes(&self) -> Extremes {
        self.state.extremes
    }

    /// Does one thing: the start, or one point.
    pub fn advance(&mut self, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        if !self.state.started {
            self.state.started = true;
            self.start(sink)?;
            return Ok(Progress::Going);
        }
        if let Some(block) = self.state.ended {
            self.state.finished = true;
            return Ok(Progress::Done(StopReason::Ended(self.program.origins.name(block))));
        }
        if self.state.finished || self.state.time >= self.options.stop {
            self.state.finished = true;
            return Ok(Progress::Done(StopReason::Stopped));
        }
        let to = self.next_point();
        let Some((crossing, pile)) = self.step_to(to, sink)? else { return Ok(Progress::Going) };
        let time = self.state.time;
        if self.options.zeno == program::Zeno::Stop {
            self.state.finished = true;
            let end = if let Pile::At(end) = pile { end } else { time.seconds() };
            return Ok(Progress::Done(StopReason::Zeno(end)));
        }
        let block = self.program.origins.path(self.program.crossings[crossing].block);
        Err(match pile {
            Pile::At(accumulation) => RunError::Zeno { time, accumulation, blocks: vec![block] },
            Pile::TooFast => RunError::EventsTooFast { time, step: self.step_length(), block },
        })
    }

    /// The next point: on the grid, at the stop time, or between two wakings of one timer, each of
    /// which needs a point of its own.
    fn next_point(&mut self) -> Time {
        let start = self.options.start.to_rational();
        let at = |k: u64| Time::tick(start, self.grid, k.into()).unwrap_or(Time::MAX);
        while at(self.state.grid) <= self.state.time {
            self.state.grid += 1;
        }
        let mut to = at(self.state.grid).min(self.options.stop);
        for (timer, woken) in self.program.timers.iter().zip(&self.state.wakings) {
            let second = timer.timer.time(woken + 1).filter(|second| *second <= to);
            let Some((first, second)) = timer.timer.time(*woken).zip(second) else { continue };
            to = to.min(match first > self.state.time {
                true => first,
                false => Time::from_attoseconds(
                    (self.state.time.attoseconds() + second.attoseconds() + 1) / 2,
                ),
            });
        }
        to
    }

    /// The start: steps of length 0, until sides and memories agree with each other.
    fn start(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let program = self.program.clone();
        for _ in 0..ROUNDS {
            self.quiet(self.options.start.time(), 0.0);
            let changed = self.set_sides();
            let moved = self.commit(&program.quiet, |_| true);
            if !changed && !moved {
                break;
            }
        }
        let tag = Tag::new(self.options.start.time(), 0);
        self.check_finite(tag)?;
        self.follow_solutions();
        self.state.on_grid = u64::from(self.options.rows.every.is_some());
        self.write_row(tag, sink);
        Ok(())
    }

    fn write_row(&mut self, tag: Tag, sink: &mut dyn Sink) {
        self.state.tag = tag;
        let (slots, records) = (&self.state.slots, &self.program.records);
        sink.row(Row::new(tag, slots, records, &self.covered));
    }

    pub(crate) fn number(&self, tracked: TrackedId) -> f64 {
        self.state.slots[self.program.tracked(tracked).slot.index()]
    }
}
