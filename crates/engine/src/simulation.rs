//! The run loop as an explicit state machine: each advance is one step of one region, or one
//! microstep.

use std::cmp::Reverse;
use std::sync::Arc;

use base::{ExactTime, Tag, Time};
use blocks::events_before;
use diagram::{BlockId, Diagram, FragmentId, RegionId, WireId};
use ir::{Jet, Partial, Rounded, run};
use program::{Program, TrackedId, UnitEffects, WireSlots};
use solver::{Advance, Sides, StepError, StepLimit};

use crate::flow::{ActiveTapes, Flow, Functions, all_finite, numbered, scatter, states, watches};
use crate::log::{Event, Switch};
use crate::machines::{Before, Chosen};
use crate::native::{Pass, Routines, code};
use crate::race::Race;
use crate::rows::{Cover, Sink};
use crate::snapshot::{Counters, RegionState, Snapshot, Tick};
use crate::{Options, RunError};

/// The time of a timer that a located time cannot be told from, or the located time itself: a
/// crossing within the resolution of an agenda time takes that time.
fn nearest_event(
    program: &Program,
    origin: &dyn Fn(usize) -> Option<ExactTime>,
    located: Time,
    resolution: Time,
) -> Time {
    program
        .timers
        .iter()
        .enumerate()
        .filter_map(|(index, timer)| {
            let origin = origin(index)?;
            let first = events_before(&*timer.timer, located - resolution - origin.time());
            let time = (timer.timer.exact(first)? + origin).time();
            (time <= located + resolution).then_some(time)
        })
        .min_by(|a, b| a.since(located).abs().total_cmp(&b.since(located).abs()))
        .unwrap_or(located)
}

/// What an advance has done.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Progress {
    /// There is more to do.
    Going,
    /// The run has ended.
    Done(StopReason),
}

/// Why a run has ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StopReason {
    /// The stop time was reached.
    Stopped,
    /// Events accumulate at this time \[s\], and the model asks to stop there.
    Zeno(f64),
}

/// How far a region reaches; one with a crossing goes before one that merely steps.
pub(crate) fn standing(state: &RegionState) -> (Time, bool) {
    (state.reached, !state.crossing)
}

/// A model that runs.
#[derive(Debug)]
pub struct Simulation {
    pub(crate) diagram: Arc<Diagram>,
    pub(crate) program: Arc<Program>,
    pub(crate) options: Options,
    pub(crate) state: Snapshot,
    /// Working space: units that have run in this microstep and have more than outputs, and jets
    /// and partial values of the buffer. None of it lives from one advance to the next.
    pub(crate) ran: Vec<u32>,
    /// What these have beside outputs, taken together.
    pub(crate) effects: UnitEffects,
    pub(crate) jets: Vec<Jet<Rounded>>,
    pub(crate) partial: Vec<Partial>,
    pub(crate) scratch: Vec<f64>,
    pub(crate) samples: Vec<f64>,
    /// Units that must run at this microstep, one bit for each; no bit is left after it.
    pub(crate) asked: Vec<u64>,
    pub(crate) spare_tick: Option<Box<Tick>>,
    /// Cells that go back to zero after this microstep.
    pub(crate) fading: Vec<TrackedId>,
    pub(crate) woken: Vec<usize>,
    pub(crate) found: Vec<(usize, f64)>,
    /// Regions with a crossing at the time of this tick.
    pub(crate) at_crossing: Vec<usize>,
    /// Regions whose sides were looked at in this microstep.
    pub(crate) looked: Vec<usize>,
    pub(crate) pass: Pass,
    /// For each region, whether the row that is being made tells about it.
    pub(crate) covered: Cover,
    /// The region that moves, where no other does.
    mover: Option<usize>,
    /// What of the tapes of each region runs.
    pub(crate) active: Vec<ActiveTapes>,
    /// The watched functions of each region that bounds or roundings have been asked of.
    pub(crate) functions: Vec<Functions>,
    /// Which region reaches least far.
    pub(crate) race: Race,
    /// Which delayed signal has something that is due first.
    pub(crate) dues: Race,
    /// Fragments that a preemptive transition silences at this microstep.
    pub(crate) silenced: Vec<FragmentId>,
    /// Wires of fragments that may be silenced at this microstep, as they were before it.
    pub(crate) before: Before,
    /// Fragments that have stopped and in which something is said at this microstep.
    pub(crate) speaking: Vec<FragmentId>,
    /// A transition that is taken because the diagram of its state has failed.
    pub(crate) forced: Option<Chosen>,
    /// Failures of fragments that may still be silenced at this microstep.
    pub(crate) failures: Vec<(FragmentId, RunError)>,
    /// The room of a copy that was made before an attempt.
    pub(crate) spare_snapshot: Option<Box<Snapshot>>,
    /// Compiled code, where there is some.
    pub(crate) native: Option<Arc<Routines>>,
    /// An accumulation of events that the last commit found.
    pub(crate) zeno: Option<(Time, f64, Vec<BlockId>)>,
}

impl Simulation {
    /// A run that stands before its start.
    pub fn new(diagram: Arc<Diagram>, program: Arc<Program>, options: Options) -> Simulation {
        let s = Snapshot::new(&program, &options);
        Simulation::resume(diagram, program, options, s)
    }

    /// A run that goes on from a snapshot of the same program and options.
    pub fn resume(
        diagram: Arc<Diagram>,
        program: Arc<Program>,
        options: Options,
        snapshot: Snapshot,
    ) -> Simulation {
        let regions = program.regions.len();
        let covered = Cover::new(&program);
        let mut movers = (0..regions).filter(|region| program.regions[*region].moves);
        let mover = movers.next().filter(|_| movers.next().is_none());
        Simulation {
            diagram,
            program,
            covered,
            mover,
            options,
            state: snapshot,
            ran: Vec::new(),
            effects: UnitEffects::default(),
            jets: Vec::new(),
            partial: Vec::new(),
            scratch: Vec::new(),
            samples: Vec::new(),
            asked: Vec::new(),
            spare_tick: None,
            fading: Vec::new(),
            woken: Vec::new(),
            found: Vec::new(),
            at_crossing: Vec::new(),
            looked: Vec::new(),
            pass: Pass::default(),
            active: vec![ActiveTapes::default(); regions],
            functions: vec![Functions::new(); regions],
            race: Race::default(),
            dues: Race::default(),
            silenced: Vec::new(),
            before: Before::default(),
            speaking: Vec::new(),
            forced: None,
            native: None,
            failures: Vec::new(),
            spare_snapshot: None,
            zeno: None,
        }
    }

    /// The region that moves, where no other does.
    pub(crate) fn mover(&self) -> Option<usize> {
        self.mover
    }

    /// Everything that changes.
    pub fn snapshot(&self) -> &Snapshot {
        &self.state
    }

    /// The work so far.
    pub fn counters(&self) -> Counters {
        let mut counters = self.state.counters;
        for region in 0..self.state.regions.len() {
            let own = self.region_counters(region);
            counters.steps += own.steps;
            counters.rejected += own.rejected;
            counters.evaluations += own.evaluations;
        }
        counters
    }

    /// The work of one region between events.
    pub fn region_counters(&self, region: usize) -> Counters {
        let solver = self.state.regions[region].solver.counters();
        Counters {
            steps: solver.accepted,
            rejected: solver.rejected,
            evaluations: solver.evaluations,
            ..Counters::default()
        }
    }

    /// Where parts went on with another method, in the order of that.
    pub fn switches(&self) -> &[Switch] {
        &self.state.switches
    }

    /// The diagram that runs.
    pub fn diagram(&self) -> &Arc<Diagram> {
        &self.diagram
    }

    /// How often the units of each block have run at ticks.
    pub fn firings(&self) -> Vec<u64> {
        let mut firings = vec![0; self.diagram.blocks.len()];
        if self.state.counters.firings == 0 {
            return firings;
        }
        for (unit, count) in self.program.units.iter().zip(&self.state.firings) {
            firings[unit.block.index()] += count;
        }
        firings
    }

    /// Runs to the end.
    pub fn run(&mut self, sink: &mut dyn Sink) -> Result<StopReason, RunError> {
        loop {
            if let Progress::Done(reason) = self.advance(sink)? {
                return Ok(reason);
            }
        }
    }

    /// Does one thing: the start, one step of one region, or one microstep.
    pub fn advance(&mut self, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        self.advance_by(1, sink)
    }

    /// Does one thing, or up to `most` steps of a region where nothing can happen between them and
    /// none of them makes a row, then the tick of the crossing that they lead to, or up to `most`
    /// microsteps.
    pub fn advance_by(&mut self, most: u32, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        if !self.state.started {
            self.state.started = true;
            self.start(sink)?;
            return Ok(Progress::Going);
        }
        let program = self.program.clone();
        self.advance_in(&program, most, sink)
    }

    fn advance_in(
        &mut self,
        program: &Program,
        most: u32,
        sink: &mut dyn Sink,
    ) -> Result<Progress, RunError> {
        if self.state.tick.is_some() {
            return self.go_on(program, most, sink);
        }
        if self.state.finished {
            return Ok(Progress::Done(StopReason::Stopped));
        }
        let next = self.next_event().min(self.next_delayed());
        let horizon = next.min(self.options.stop);
        let slowest = self.slowest();
        let reached = slowest.map_or(horizon, |region| self.state.regions[region].reached);
        if self.state.pace.left == 0 {
            let progress = self.look_at_pace(reached.min(horizon))?;
            if progress != Progress::Going {
                return Ok(progress);
            }
        }
        match self.release_rows(reached.min(horizon), sink) {
            Ok(true) => {}
            Ok(false) => return Ok(Progress::Going),
            Err(error) => {
                self.recover_between(error, sink)?;
                return self.after_tick();
            }
        }
        match slowest {
            Some(region) if self.state.regions[region].crossing && reached <= horizon => {
                let time = self.gather_cluster(region, horizon);
                self.tick_or_recover(program, time, sink)?;
            }
            Some(region) if reached < horizon => {
                let own = self.own_horizon(region);
                let most = if self.is_quiet(region) { most.max(1) } else { 1 };
                // A look at the pace comes after the same work, however that is parcelled out.
                let most = most.min(self.state.pace.left);
                let begun = self.state.regions[region].solver.counters().accepted;
                let switches = self.state.switches.len();
                let result = self.step_region(region, own, (horizon, most));
                let taken = self.state.regions[region].solver.counters().accepted - begun;
                self.state.pace.spend(taken as u32);
                for switch in &self.state.switches[switches..] {
                    if sink.listens() {
                        sink.event(Event::Switched(*switch));
                    }
                }
                match result {
                    Ok(()) => {
                        self.race.moved(region, standing(&self.state.regions[region]));
                        if most > 1 && self.state.regions[region].crossing {
                            return self.advance_in(program, most - 1, sink);
                        }
                    }
                    Err(error) => {
                        self.race.end();
                        self.dues.end();
                        let way = self.way_out(&error, &[]).ok_or(error)?;
                        self.forced = Some(way);
                        self.tick_or_recover(program, self.state.regions[region].reached, sink)?;
                    }
                }
            }
            _ if next <= self.options.stop => {
                // A clock that goes on may be a part of an attosecond late.
                let next = next.max(self.state.tag.time);
                self.tick_or_recover(program, next, sink)?;
            }
            _ => {
                if let Err(error) = self.finish(sink) {
                    self.recover_between(error, sink)?;
                    return self.after_tick();
                }
                return Ok(Progress::Done(StopReason::Stopped));
            }
        }
        let progress = self.after_tick()?;
        if most > 1 && progress == Progress::Going && self.state.tick.is_some() {
            return self.go_on(program, most - 1, sink);
        }
        Ok(progress)
    }

    /// Goes on with a tick, for up to `most` microsteps.
    fn go_on(
        &mut self,
        program: &Program,
        most: u32,
        sink: &mut dyn Sink,
    ) -> Result<Progress, RunError> {
        for _ in 0..most.max(1) {
            self.microstep_or_recover(program, sink)?;
            let progress = self.after_tick()?;
            if progress != Progress::Going || self.state.tick.is_none() {
                return Ok(progress);
            }
        }
        Ok(Progress::Going)
    }

    #[inline]
    fn after_tick(&mut self) -> Result<Progress, RunError> {
        match self.zeno.is_none() {
            true => Ok(Progress::Going),
            false => self.end_accumulation(),
        }
    }

    /// Ends the run where events accumulate.
    #[cold]
    pub(crate) fn end_accumulation(&mut self) -> Result<Progress, RunError> {
        let Some((time, accumulation, blocks)) = self.zeno.take() else {
            return Ok(Progress::Going);
        };
        match self.options.zeno {
            diagram::Zeno::Stop => {
                self.state.finished = true;
                self.state.tick = None;
                Ok(Progress::Done(StopReason::Zeno(accumulation)))
            }
            diagram::Zeno::Error => {
                let mut blocks: Vec<String> =
                    blocks.iter().map(|block| self.path(*block)).collect();
                blocks.dedup();
                blocks.truncate(8);
                Err(RunError::Zeno { time, accumulation, blocks })
            }
        }
    }

    /// The region whose solution reaches least far; a crossing goes before a mere step.
    fn slowest(&mut self) -> Option<usize> {
        // Where one moves alone there is no race.
        if self.mover.is_some() {
            return self.mover;
        }
        self.run_race().slowest()
    }

    /// The race between the regions that move, as they stand.
    fn run_race(&mut self) -> &Race {
        let regions = self.state.regions.iter().zip(&self.program.regions);
        let standings = regions.map(|(state, own)| own.moves.then(|| standing(state)));
        if self.race.is_over() {
            self.race.start(standings);
        } else {
            debug_assert!(self.race.is_at(standings), "every move is told");
        }
        &self.race
    }

    /// The regions with a crossing that was located up to a time, in their order, added to a list.
    pub(crate) fn crossings_up_to(&mut self, time: Time, found: &mut Vec<usize>) {
        let located = |state: &RegionState| state.crossing && state.reached <= time;
        match self.mover {
            Some(region) => found.extend(located(&self.state.regions[region]).then_some(region)),
            None => {
                self.run_race().up_to((time, false), found);
                found.retain(|region| located(&self.state.regions[*region]));
                found.sort_unstable();
            }
        }
    }

    /// How far a region may step: to the next timer that can reach it, or to the end.
    fn own_horizon(&self, region: usize) -> Time {
        let influence = &self.program.influence;
        let wakes = |timer: &u32| self.wakes(*timer as usize).unwrap_or(Time::MAX);
        // The first timer of all is most often the one; the agenda has it ready.
        let next = match self.state.agenda.peek() {
            None => Time::MAX,
            Some(Reverse((time, first)))
                if influence.timers[*first as usize].binary_search(&region).is_ok() =>
            {
                *time
            }
            _ => influence.timers_of[region].iter().map(wakes).min().unwrap_or(Time::MAX),
        };
        let delayed = influence.lines_of[region].iter().map(|line| self.due(*line as usize));
        let next = next.min(delayed.min().unwrap_or(Time::MAX)).min(self.options.stop);
        // What is a delay ago must be known when it is read; variable steps are bounded anyway.
        let fixed = self.options.solver.method.is_fixed();
        let known = self.shortest_delay(region).filter(|_| fixed);
        known.map_or(next, |delay| next.min(self.state.regions[region].reached + delay))
    }

    /// Whether nothing looks at the ends of the steps of a region: no row, no history, and no other
    /// region that moves.
    fn is_quiet(&self, region: usize) -> bool {
        let (program, rows) = (&self.program.regions[region], &self.options.rows);
        program.lines.is_empty()
            && !(program.recorded && rows.steps)
            && rows.every.is_none()
            && self.state.on_list >= rows.times.len()
            && self.mover.is_some()
    }

    /// One step of a region up to its horizon, or up to `most` before a time.
    fn step_region(
        &mut self,
        region: usize,
        horizon: Time,
        (before, most): (Time, u32),
    ) -> Result<(), RunError> {
        let state = &mut self.state.regions[region];
        let (ranges, slots) = (&state.ranges, &mut self.state.slots);
        let active = &mut self.active[region];
        if !active.known {
            active.find(&self.program.regions[region], ranges, slots);
        }
        let past = (&mut self.state.histories[region], &mut self.functions[region]);
        let origin = (state.origin, state.origin_seconds);
        let code = code(&self.native, region);
        let gain = std::mem::take(&mut active.gains);
        let mut flow =
            Flow::new(&self.program, region, ranges, active, slots, origin, past).with(code);
        let to = horizon.since(state.origin);
        let before = if before == horizon { to } else { before.since(state.origin) };
        let (from, begun) = (state.solver.time(), state.solver.counters().accepted);
        let result = loop {
            let sides = Sides { side: &state.sides, residual: &mut state.residuals, gain: &gain };
            let method = state.solver.method();
            let left = begun + u64::from(most) - state.solver.counters().accepted;
            let reach = StepLimit { horizon: to, before, most: left };
            let result = state.solver.steps(&mut flow, reach, sides);
            if state.solver.method() != method {
                let time = state.origin.offset(state.solver.step_start()).unwrap_or(state.reached);
                let (region, method) = (region as u32, state.solver.method());
                self.state.switches.push(Switch { time, region, method });
            }
            let done = state.solver.counters().accepted >= begun + u64::from(most);
            if result != Ok(Advance::Reached) || done || state.solver.time() >= before {
                break result;
            }
        };
        self.active[region].gains = gain;
        let t = state.solver.time();
        if result.is_ok() || t > from {
            // The horizon is exact; anything else is a float from the phase's start, and later than
            // that by an attosecond at least.
            state.reached = if t >= to {
                horizon
            } else {
                let reached = state.origin.offset(t).unwrap_or(horizon);
                let least = state.origin + Time::from_attoseconds(i128::from(t > 0.0));
                reached.max(least).min(horizon)
            };
        }
        match result {
            Ok(advance) => {
                state.crossing = advance == Advance::Crossing;
                if state.crossing {
                    let length = t - state.solver.step_start();
                    self.take_event_time(region, length);
                    self.pass_leaps(region, horizon);
                }
                if !self.program.regions[region].lines.is_empty() {
                    self.record_step(region)?;
                }
                let (program, reached) =
                    (&self.program.regions[region], self.state.regions[region].reached);
                if advance == Advance::Reached
                    && reached < horizon
                    && program.recorded
                    && self.options.rows.steps
                {
                    self.state.waiting.push(Reverse((reached, region as u32)));
                }
                Ok(())
            }
            Err(error) => Err(self.step_error(region, error)),
        }
    }

    /// A crossing so far into a step, within the resolution of another event's time, takes that
    /// time.
    fn take_event_time(&mut self, region: usize, length: f64) {
        if self.program.timers.is_empty() && self.program.lines.is_empty() {
            return;
        }
        let located = self.state.regions[region].reached;
        let size = located.seconds().abs();
        let least = 16.0 * f64::EPSILON * size.max(length);
        let uncertainty = self.state.regions[region].uncertainty().min(64.0 * f64::EPSILON * size);
        let Some(resolution) = Time::from_f64(least.max(uncertainty)) else { return };
        let origin = |timer: usize| {
            let fragment = self.program.timers[timer].fragment;
            self.runs(fragment).then(|| self.state.fragments[fragment.index()].origin)
        };
        let nearest = nearest_event(&self.program, &origin, located, resolution);
        let time = match nearest == located {
            true => self.nearest_delayed(located, resolution).unwrap_or(located),
            false => nearest,
        };
        // What has happened at that time is over: a step that ended there just before the crossing
        // leaves it to a later time.
        if time > self.state.tag.time {
            self.state.regions[region].reached = time;
        }
    }

    fn step_error(&mut self, region: usize, error: StepError) -> RunError {
        let program = &self.program.regions[region];
        let state = &self.state.regions[region];
        let at = |t: f64| Tag::new(state.origin.offset(t).unwrap_or(state.reached), 0);
        let owner = |component: usize| {
            program.owners.get(numbered(states(&state.ranges), component)).copied()
        };
        match error {
            StepError::NotFinite { t, component } => {
                let tag = at(t);
                let named = component.and_then(owner);
                let blamed =
                    self.program.blame(&self.diagram, RegionId::new(region), &self.state.slots);
                match blamed {
                    Some(block) => self.not_finite(tag, self.diagram.block(block).outputs[0]),
                    None => RunError::NotFinite { tag, block: self.name(named), id: named },
                }
            }
            StepError::CrossingNotANumber { t, crossing } => {
                let tag = at(t);
                let watch = numbered(watches(&state.ranges), crossing);
                let watch = program.watches[watch].crossing;
                let blamed =
                    self.program.blame(&self.diagram, RegionId::new(region), &self.state.slots);
                let id = blamed.or(Some(self.program.crossings[watch].block));
                RunError::NotFinite { tag, block: self.name(id), id }
            }
            StepError::StepTooSmall { t } => {
                let tag = at(t);
                // A value that is not finite just ahead is a wall, not mere speed.
                let ahead = t + 64.0 * f64::EPSILON * t.abs().max(1e-290);
                let x = state.solver.state().to_vec();
                let (ranges, slots) = (&state.ranges, &mut self.state.slots);
                let past = (&mut self.state.histories[region], &mut self.functions[region]);
                let active = &self.active[region];
                let origin = (state.origin, state.origin_seconds);
                Flow::new(&self.program, region, ranges, active, slots, origin, past)
                    .place(ahead, &x);
                let blamed =
                    self.program.blame(&self.diagram, RegionId::new(region), &self.state.slots);
                if let Some(block) = blamed {
                    return self.not_finite(tag, self.diagram.block(block).outputs[0]);
                }
                let id = self.fastest(region);
                RunError::StepTooSmall { tag, block: self.name(id), id }
            }
            StepError::Undecided { t, crossing } => {
                let watch = numbered(watches(&state.ranges), crossing);
                let id = self.program.crossings[program.watches[watch].crossing].block;
                RunError::Undecided { tag: at(t), block: self.path(id), id: Some(id) }
            }
            StepError::ToleranceTooSmall { t, component } => {
                let (tag, id, value) = (at(t), owner(component), state.solver.state()[component]);
                let allowed = state.solver.allowed(value);
                RunError::ToleranceTooSmall { tag, block: self.name(id), id, value, allowed }
            }
            StepError::NewtonFailed { t } => {
                let (tag, id) = (at(t), program.owners.first().copied());
                RunError::NoSolution { tag, block: self.name(id), id }
            }
        }
    }

    /// The block whose state of a region moves fastest where its solution stands.
    fn fastest(&self, region: usize) -> Option<BlockId> {
        let state = &self.state.regions[region];
        let rates = state.solver.derivative();
        let fastest =
            (0..rates.len()).max_by(|a, b| rates[*a].abs().total_cmp(&rates[*b].abs()))?;
        let owners = &self.program.regions[region].owners;
        owners.get(numbered(states(&state.ranges), fastest)).copied()
    }

    /// The error of steps that get ever shorter towards a time \[s\].
    pub(crate) fn creeping(&mut self, limit: f64) -> RunError {
        let region = self.slowest().unwrap_or_default();
        let (tag, id) = (Tag::new(self.state.regions[region].reached, 0), self.fastest(region));
        RunError::Creeping { tag, limit, block: self.name(id), id }
    }

    pub(crate) fn path(&self, block: BlockId) -> String {
        self.diagram.block(block).path.clone()
    }

    fn name(&self, block: Option<BlockId>) -> String {
        block.map_or_else(|| self.diagram.name.clone(), |block| self.path(block))
    }

    /// Puts the left limits of a region at a time in the buffer.
    pub(crate) fn evaluate(&mut self, region: usize, time: Time) -> Result<(), RunError> {
        self.place(region, time, time.seconds());
        self.left_limits(region, time)
    }

    /// Whether nothing is computed of a region between events.
    fn stands_still(&self, region: usize) -> bool {
        let program = &self.program.regions[region];
        program.left.is_empty() && program.dimension == 0 && program.watches.is_empty()
    }

    /// Puts the states of a region at a time, which is also told in seconds, in the buffer, and
    /// what it reads of the past.
    pub(crate) fn place(&mut self, region: usize, time: Time, seconds: f64) {
        if self.stands_still(region) {
            return;
        }
        let program = &self.program.regions[region];
        let state = &self.state.regions[region];
        if program.moves && time < state.reached {
            // Regions that reach times an attosecond apart may differ by a rounding.
            let t = time.since(state.origin).max(state.solver.step_start());
            self.scratch.resize(state.solver.state().len(), 0.0);
            state.solver.interpolate(t.min(state.solver.step_end()), &mut self.scratch);
            scatter(&mut self.state.slots, program.state, states(&state.ranges), &self.scratch);
        } else if program.moves {
            let x = state.solver.state();
            scatter(&mut self.state.slots, program.state, states(&state.ranges), x);
        }
        self.state.slots[self.program.time as usize] = seconds;
        if !program.lines.is_empty() {
            let (t, lines) = (time.since(state.origin), &self.program.lines);
            let history = &mut self.state.histories[region];
            history.place(program, lines, state.origin, t, &mut self.state.slots, true);
        }
    }

    /// Computes the left limits of a region from its states in the buffer.
    pub(crate) fn left_limits(&mut self, region: usize, time: Time) -> Result<(), RunError> {
        if self.stands_still(region) {
            return Ok(());
        }
        match code(&self.native, region) {
            Some(code) => code.left(&mut self.state.slots),
            None => run(&self.program.regions[region].left, &mut self.state.slots),
        }
        let tag = Tag::new(time, 0);
        let checked = self.check_finite(region, tag);
        if checked.is_ok() || self.program.regions[region].live.left.is_empty() {
            return checked;
        }
        // A side that is about to change may lead out of the domain of a function.
        run(&self.program.regions[region].live.left, &mut self.state.slots);
        self.check_finite(region, tag)
    }

    /// The error of a value that is not finite: where its wire is in a loop that is solved, the
    /// loop has no solution.
    pub(crate) fn not_finite(&self, tag: Tag, wire: WireId) -> RunError {
        let id = self.diagram.wire(wire).block;
        let (block, id) = (self.path(id), Some(id));
        match self.program.solved.contains(&wire) {
            true => RunError::of_loop(tag, block, id, self.program.is_left_open(&self.state.slots)),
            false => RunError::NotFinite { tag, block, id },
        }
    }

    /// Checks every wire that is present, at the start.
    pub(crate) fn check_all_finite(&self, tag: Tag) -> Result<(), RunError> {
        // There is hardly ever a number in the buffer that is not.
        if all_finite(&self.state.slots) {
            return Ok(());
        }
        for (index, cells) in self.program.wires.iter().enumerate() {
            let value = self.program.tracked(cells.value);
            let from = value.slot as usize;
            let finite = self.state.slots[from..from + value.length].iter().all(|x| x.is_finite());
            let present =
                self.state.slots[self.program.tracked(cells.present).slot as usize] != 0.0;
            let block = self.diagram.block(self.diagram.wire(WireId::new(index)).block);
            if present && !finite && !block.passive && self.runs(block.fragment) {
                return Err(self.not_finite(tag, WireId::new(index)));
            }
        }
        Ok(())
    }

    /// Checks the wires of a region that have just been evaluated. This is done at every row.
    fn check_finite(&self, region: usize, tag: Tag) -> Result<(), RunError> {
        let slots = &self.state.slots;
        let wrong = |(index, places): (usize, &WireSlots)| {
            let values = &slots[places.from..places.from + places.length];
            values.iter().any(|x| !x.is_finite())
                && slots[places.present] != 0.0
                && self.runs(self.fragment_of(self.program.regions[region].wires[index]))
        };
        let mut places = self.program.regions[region].places.iter().enumerate();
        let Some(wrong) = places.position(wrong) else { return Ok(()) };
        let blamed = self.program.blame(&self.diagram, RegionId::new(region), slots);
        let wire = self.program.regions[region].wires[wrong];
        let wire = blamed.map_or(wire, |block| self.diagram.block(block).outputs[0]);
        Err(self.not_finite(tag, wire))
    }

    fn fragment_of(&self, wire: WireId) -> FragmentId {
        self.diagram.block(self.diagram.wire(wire).block).fragment
    }

    /// Guesses of solved loops follow the solutions at accepted points.
    pub(crate) fn follow_solutions(&mut self) {
        for (solution, guess, length) in &self.program.guesses {
            let from = *solution as usize;
            if self.state.slots[from..from + length].iter().all(|x| x.is_finite()) {
                self.state.slots.copy_within(from..from + length, *guess as usize);
            }
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let stop = self.options.stop;
        self.cover_all();
        for region in 0..self.state.regions.len() {
            // A region that the last tick has reached has its rows already.
            let (own, moves) = (&self.state.regions[region], self.program.regions[region].moves);
            let reached = match self.covered.records(region) {
                true => own.last_row.is_some_and(|row| row.time >= stop),
                false => moves && own.origin >= stop,
            };
            match reached {
                true => self.covered.remove(region),
                false => self.evaluate(region, stop)?,
            }
        }
        self.state.finished = true;
        // Others may have microsteps at this time, and rows come in the order of tags.
        self.write_row(self.state.tag.max(Tag::new(stop, 0)), sink);
        Ok(())
    }
}
