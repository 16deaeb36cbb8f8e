//! The run loop.
//!
//! ```text
//! advance:  a tick in progress?      its next microstep
//!           otherwise
//!           agenda                   the next time at which a timer wakes or a delayed event comes
//!           rows                     those up to the time that all regions have reached
//!           a crossing was located?  the tick at its time
//!           before the agenda?       one step of the region that has advanced least
//!           agenda before the stop?  the tick at its time
//!           otherwise                the last row
//! ```

use base::{Tag, Time};
use program::{Profile, Program, RegionId, Zeno};

use crate::log::Event;
use crate::native::Routines;
use crate::rows::Sink;
use crate::scratch::Scratch;
use crate::simulation::{Progress, StopReason};
use crate::smooth::standing;
use crate::snapshot::Snapshot;
use crate::{Options, RunError};

/// A simulation at work: constants to read, state to write, and scratch space.
///
/// The program is behind a shared reference with a lifetime of its own, so that a method can hold a
/// part of it while it changes the state.
pub(crate) struct Engine<'a> {
    pub program: &'a Program,
    pub options: &'a Options,
    /// Compiled code, if there is any.
    pub native: Option<&'a Routines>,
    pub state: &'a mut Snapshot,
    pub scratch: &'a mut Scratch,
}

impl Engine<'_> {
    /// Does one thing, or several of one kind: see [`crate::Simulation::advance_by`].
    pub fn advance(&mut self, most: u32, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        if !self.state.started {
            self.state.started = true;
            self.start(sink)?;
            return Ok(Progress::Going);
        }
        self.proceed(Time::MAX, most, sink)
    }

    /// Does one thing, or several of one kind, unless everything up to a time has been done. Steps
    /// may go beyond it, but no row and no tick does.
    pub fn advance_to(
        &mut self,
        limit: Time,
        most: u32,
        sink: &mut dyn Sink,
    ) -> Result<Progress, RunError> {
        match self.state.started {
            true => self.proceed(limit, most, sink),
            false => self.advance(most, sink),
        }
    }

    fn proceed(
        &mut self,
        limit: Time,
        most: u32,
        sink: &mut dyn Sink,
    ) -> Result<Progress, RunError> {
        if self.state.tick.is_some() {
            return self.continue_tick(most, sink);
        }
        if let Some(reason) = self.is_done() {
            return Ok(Progress::Done(reason));
        }
        if self.tick_plainly(limit, most, sink)? {
            return self.after_tick();
        }
        let next = self.next_event().min(self.next_delayed()).min(self.state.inputs.next());
        let horizon = next.min(self.options.stop);
        let slowest = self.slowest();
        let reached = slowest.map_or(horizon, |region| self.state.regions[region].reached);
        if self.state.watch.pace.left == 0 {
            let progress = self.look_at_pace(reached.min(horizon))?;
            if progress != Progress::Going {
                return Ok(progress);
            }
        }
        match self.release_rows(reached.min(horizon).min(limit), sink) {
            Ok(true) => {}
            Ok(false) => return Ok(Progress::Going),
            Err(error) => return self.go_on_after(error, sink),
        }
        let crossing = slowest.is_some_and(|region| self.state.regions[region].crossing);
        let located = crossing && reached <= limit;
        let everything = next > limit && reached.min(horizon) >= limit;
        if limit < self.options.stop && everything && !located {
            return Ok(Progress::Reached);
        }
        match slowest {
            Some(region) if crossing && reached <= horizon => {
                let time = self.gather_cluster(region, horizon);
                self.begin_tick_or_recover(time, sink)?;
            }
            Some(region) if reached < horizon => {
                let left = self.step(region, (horizon, limit), most, sink)?;
                if left > 0 && self.state.regions[region].crossing {
                    return self.proceed(limit, left, sink);
                }
            }
            _ if next <= self.options.stop => {
                // A clock that resumes may be late by a fraction of an attosecond.
                self.begin_tick_or_recover(next.max(self.state.tag.time), sink)?;
            }
            _ => return self.stop(sink),
        }
        let progress = self.after_tick()?;
        if most > 1 && progress == Progress::Going && self.state.tick.is_some() {
            return self.continue_tick(most - 1, sink);
        }
        Ok(progress)
    }

    /// Ends the run at its stop time.
    fn stop(&mut self, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        match self.finish(sink) {
            Ok(()) => Ok(Progress::Done(StopReason::Stopped)),
            Err(error) => self.go_on_after(error, sink),
        }
    }

    /// Why the run has come to its end, if it has.
    fn is_done(&mut self) -> Option<StopReason> {
        if let Some(block) = self.state.ended {
            self.state.finished = true;
            return Some(StopReason::Ended(self.name(block)));
        }
        self.state.finished.then_some(StopReason::Stopped)
    }

    /// Goes on after an error between ticks, if a state of a machine has a way out of it.
    fn go_on_after(&mut self, error: RunError, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        self.recover_between(error, sink)?;
        self.after_tick()
    }

    /// One step of a region, or up to `most` if nothing but plain rows observes the ends of its
    /// steps. Returns how many more things this advance may do.
    pub fn step(
        &mut self,
        region: RegionId,
        (horizon, limit): (Time, Time),
        most: u32,
        sink: &mut dyn Sink,
    ) -> Result<u32, RunError> {
        if self.completes_step(region) {
            return Ok(0);
        }
        let own = match self.options.profile {
            Profile::Native => self.own_horizon(region),
            // Everything steps together.
            Profile::Ptolemy => self.own_horizon(region).min(horizon),
        };
        // The pace is checked after the same amount of work, however advances divide it.
        let most = most.min(self.state.watch.pace.left).max(1);
        let quiet = self.is_quiet(region);
        let alone = !self.program.regions[region].completions.is_empty();
        let most = match () {
            () if alone => 1,
            () if quiet => most,
            () => self.most_with_rows(region, own, most, sink),
        };
        let begun = self.state.regions[region].solver.counters().accepted;
        let switches = self.state.switches.len();
        let before = self.last_start(horizon.min(limit));
        let result = match quiet || most == 1 {
            true => self.step_region(region, own, (before, most, false)),
            false => self.step_with_rows(region, own, (before, most), sink),
        };
        let taken = self.state.regions[region].solver.counters().accepted - begun;
        self.state.watch.pace.spend(taken as u32);
        for switch in &self.state.switches[switches..] {
            if sink.listens() {
                sink.event(Event::Switched(*switch));
            }
        }
        if let Err(error) = result {
            self.scratch.race.end();
            self.scratch.dues.end();
            let way = self.way_out(&error, &[]).ok_or(error)?;
            self.scratch.machines.forced = Some(way);
            self.begin_tick_or_recover(self.state.regions[region].reached, sink)?;
            return Ok(0);
        }
        self.scratch.race.moved(region, standing(&self.state.regions[region]));
        Ok(most - 1)
    }

    /// Continues a tick, for up to `most` microsteps.
    fn continue_tick(&mut self, most: u32, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        for _ in 0..most.max(1) {
            self.microstep_or_recover(sink)?;
            let progress = self.after_tick()?;
            if progress != Progress::Going || self.state.tick.is_none() {
                return Ok(progress);
            }
        }
        Ok(Progress::Going)
    }

    #[inline]
    pub(crate) fn after_tick(&mut self) -> Result<Progress, RunError> {
        match self.scratch.zeno.is_none() {
            true => Ok(Progress::Going),
            false => self.end_accumulation(),
        }
    }

    /// Ends the run at an accumulation of events.
    #[cold]
    pub fn end_accumulation(&mut self) -> Result<Progress, RunError> {
        let Some((time, accumulation, blocks)) = self.scratch.zeno.take() else {
            return Ok(Progress::Going);
        };
        match self.options.zeno {
            Zeno::Stop => {
                self.state.finished = true;
                self.state.tick = None;
                Ok(Progress::Done(StopReason::Zeno(accumulation)))
            }
            // Whatever can rest does not come here.
            Zeno::Error | Zeno::Rest => {
                let mut blocks: Vec<String> =
                    blocks.iter().map(|block| self.path(*block)).collect();
                blocks.dedup();
                blocks.truncate(8);
                Err(RunError::Zeno { time, accumulation, blocks })
            }
        }
    }

    /// A tick at the stop time at which nothing else happens.
    fn tick_at_the_end(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        self.open_tick(self.options.stop);
        for region in self.program.regions.ids() {
            self.touch(region)?;
        }
        if let Some(tick) = &mut self.state.tick {
            tick.asked = 1;
        }
        while self.state.tick.is_some() {
            self.microstep(sink)?;
        }
        Ok(())
    }

    /// The last row, at the stop time.
    fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let stop = self.options.stop;
        self.cover_all();
        for region in self.program.regions.ids() {
            // A region that the last tick has reached has its rows already.
            let (own, moves) = (&self.state.regions[region], self.program.regions[region].moves);
            let reached = match self.scratch.covered.records(region) {
                true => own.last_row.is_some_and(|row| row.time >= stop),
                false => moves && own.origin >= stop,
            };
            match reached {
                true => self.scratch.covered.remove(region),
                false => self.evaluate(region, stop)?,
            }
        }
        self.state.finished = true;
        // Others may have microsteps at this time, and rows are written in the order of tags.
        self.write_row(self.state.tag.max(Tag::new(stop, 0)), sink);
        let last = self.state.regions.iter().filter_map(|own| own.last_row).max();
        if self.options.profile == Profile::Ptolemy && last == Some(Tag::new(stop, 0)) {
            // Its last step is followed by a tick without a length.
            self.tick_at_the_end(sink)?;
        }
        if let Some(region) = self.mover()
            && self.scratch.rounds.as_ref().is_some_and(|rounds| rounds.speculates)
        {
            self.step_region(region, Time::MAX, (Time::MAX, 1, false))?;
        }
        Ok(())
    }
}
