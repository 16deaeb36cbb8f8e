//! The beginning of a tick: left limits, memories, sides, and the agenda entries for its time.

use base::{Tag, Time};
use program::{FragmentId, Next, Profile, Program, RegionId};

use crate::RunError;
use crate::engine::Engine;
use crate::log::Event;
use crate::rows::Sink;
use crate::smooth::flow::{numbered, scatter, watches};
use crate::tick::marks::narrow_units;
use crate::tick::units::copy;

impl Engine<'_> {
    /// The tag (time, 0): left limits, memories, sides; then the agenda entries for this time wake
    /// for microstep 1.
    pub(crate) fn begin_tick(&mut self, time: Time, sink: &mut dyn Sink) -> Result<(), RunError> {
        let program = self.program;
        self.open_tick(time);
        let other = self.touch_reached(time, sink)?;
        if !program.lines.is_empty() {
            self.begin_delayed(time, other, sink)?;
        }
        if !program.readers.is_empty() {
            for region in self.readers_at_now() {
                self.touch(region)?;
            }
        }
        self.cover_touched(sink);
        self.for_rows(|engine, region| engine.look_at(region))?;
        self.write_row(self.state.tag, sink);
        if !program.lines.is_empty() {
            self.bring_kinks();
        }
        self.settle_sides(0, sink)?;
        if self.scratch.turns.is_some() {
            self.look_at_causes();
        }
        self.wake();
        if !program.inputs.is_empty() {
            self.bring_inputs();
        }
        if !program.readers.is_empty() {
            self.pass_first(other);
        }
        if !program.lines.is_empty() {
            self.bring(1);
        }
        self.decide(0, sink)?;
        self.end_if_quiet(sink)
    }

    /// Takes what happens at this time from the agenda, and touches the regions that it reaches:
    /// crossings, timers, inputs and memories. Returns whether a crossing or a timer is among it.
    #[inline(always)]
    fn touch_reached(&mut self, time: Time, sink: &mut dyn Sink) -> Result<bool, RunError> {
        let program = self.program;
        let mut located = false;
        let mut at_crossing = std::mem::take(&mut self.scratch.at_crossing);
        at_crossing.clear();
        self.crossings_up_to(time, &mut at_crossing);
        for region in at_crossing.iter().copied() {
            if self.state.regions[region].reached == time {
                located |= program.readers.is_empty() || self.locates_more(region);
                self.check_crowd(region, time)?;
                for other in &program.influence.crossings[region] {
                    self.touch(*other)?;
                }
                if sink.listens() {
                    self.log_located(region, time, sink);
                }
            }
        }
        self.scratch.at_crossing = at_crossing;
        // Timers are taken first, so that the regions that they reach are evaluated too.
        self.take_due(time, sink);
        for timer in 0..self.scratch.woken.len() {
            for region in &program.influence.timers[self.scratch.woken[timer]] {
                self.touch(*region)?;
            }
        }
        if !program.inputs.is_empty() {
            self.touch_inputs(time)?;
        }
        if !program.remembering.is_empty() {
            self.look_at_memories()?;
        }
        Ok(located || !self.scratch.woken.is_empty())
    }

    /// Begins a tick, unless one has been begun in a state that was left. If events have already
    /// happened at this time, it continues from there.
    pub(crate) fn open_tick(&mut self, time: Time) {
        if self.state.tick.is_some() {
            return;
        }
        self.state.counters.ticks += 1;
        self.state.watch.pace.spend(1);
        let mut tick = self.scratch.spare_tick.take().unwrap_or_default();
        self.state.tag = self.state.tag.max(Tag::new(time, 0));
        if self.state.now.time() != time {
            self.state.now = time.into();
        }
        let first = Tag::new(time, self.state.tag.microstep + 1);
        tick.begin(first, self.program);
        self.state.tick = Some(tick);
    }

    /// Takes the changes that were recorded a delay ago, and touches the regions that they reach;
    /// `other` says whether something else happens too.
    fn begin_delayed(
        &mut self,
        time: Time,
        other: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let order = self.take_delayed(time, sink).filter(|_| !other);
        if let (Some(order), Some(tick)) = (order, &mut self.state.tick) {
            tick.order = order;
        }
        let program = self.program;
        for place in 0..self.state.delays.coming.len() {
            let Some(line) = self.coming_line(place) else { continue };
            for region in &program.influence.lines[line] {
                self.touch(*region)?;
            }
        }
        Ok(())
    }

    /// Changes that delays that are signals pass as a tick begins; if nothing else happens, the tick
    /// has their order.
    fn pass_first(&mut self, other: bool) {
        let order = self.pass_changes(1).filter(|_| !other);
        let coming = (0..self.state.delays.coming.len()).filter_map(|at| self.coming_line(at));
        let more = coming.count();
        if let (Some(order), Some(tick)) = (order, &mut self.state.tick) {
            tick.order = if tick.order == 0 || more <= 1 { order } else { order.min(tick.order) };
        }
    }

    fn log_located(&self, region: RegionId, time: Time, sink: &mut dyn Sink) {
        let state = &self.state.regions[region];
        for located in state.solver.crossed() {
            let watch = numbered(watches(&state.ranges), located.function);
            let crossing = self.program.regions[region].watches[watch].crossing;
            let block = self.name(self.program.crossings[crossing].block);
            sink.event(Event::Located { time, block });
        }
    }

    /// Sets the residuals at this time: those of the solver if it is at this time, and none if it
    /// is further on, since then nothing was located here.
    pub(crate) fn take_residuals(&mut self, region: RegionId, time: Time) {
        let from = self.program.regions[region].residual;
        let state = &self.state.regions[region];
        let all = self.program.regions[region].watches.len();
        self.state.slots[from.range(all)].fill(0.0);
        if state.reached == time {
            scatter(&mut self.state.slots, from, watches(&state.ranges), &state.residuals);
            if state.is_held() {
                // The solver watches other functions of surfaces.
                let surfaces = state.surfaces.iter().flat_map(|surface| surface.watches());
                for watch in surfaces.chain(state.rests.iter().flat_map(|rest| rest.watches())) {
                    self.state.slots[from.index() + watch] = 0.0;
                }
            }
        }
    }

    /// Writes the left limits of a region to the buffer, once per tick.
    pub(crate) fn look_at(&mut self, region: RegionId) -> Result<(), RunError> {
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        let touched = tick.involve(region);
        if std::mem::replace(&mut touched.evaluated, true) {
            return Ok(());
        }
        let placed = std::mem::replace(&mut touched.placed, true);
        let (time, seconds) = (tick.time, tick.seconds);
        if !placed {
            self.place(region, time, seconds);
        }
        if self.options.profile == Profile::Ptolemy {
            return self.live_left_limits(region, time);
        }
        self.left_limits(region, time)
    }

    /// The same in the profile of Ptolemy II, where a comparison may make a signal present at
    /// microstep 0, so that it is absent again at microstep 1: whatever makes it has to run there.
    fn live_left_limits(&mut self, region: RegionId, time: Time) -> Result<(), RunError> {
        let program = self.program;
        self.left_limits(region, time)?;
        let compares = !program.regions[region].live.left.is_empty();
        if let Some(tick) = self.state.tick.as_mut().filter(|_| compares) {
            program.regions[region].units.iter().for_each(|word| tick.dirty.add(*word));
        }
        Ok(())
    }

    /// Makes a region part of the tick: left limits and memories, once.
    #[inline(always)]
    pub(crate) fn touch(&mut self, region: RegionId) -> Result<(), RunError> {
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        let touched = tick.involve(region);
        if std::mem::replace(&mut touched.touched, true) {
            return Ok(());
        }
        self.touch_first(region)
    }

    pub(crate) fn is_touched(&self, region: RegionId) -> bool {
        self.state.tick.as_ref().is_some_and(|tick| tick.region(region).touched)
    }

    #[inline(never)]
    fn touch_first(&mut self, region: RegionId) -> Result<(), RunError> {
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        tick.unsettle(region);
        for word in narrow_units(&self.program.regions[region]) {
            tick.held[word.index as usize] &= !word.bits;
        }
        let time = tick.time;
        self.take_residuals(region, time);
        if !self.program.regions[region].lines.is_empty() {
            self.split_history(region, time);
        }
        let limits = self.look_at(region);
        if !self.scratch.machines.before.is_empty() {
            self.remember_region(region);
        }
        if !self.program.regions[region].lines.is_empty() {
            self.look_at_lines(region);
        }
        self.commit_memories(region);
        self.follow_solutions();
        limits
    }

    /// Commits the new values of states at microstep 0: memories of left limits.
    pub(crate) fn commit_memories(&mut self, region: RegionId) {
        if self.options.profile == Profile::Ptolemy {
            return self.commit_live_memories(region);
        }
        let (program, slots) = (&self.program, &mut self.state.slots);
        for memory in &program.regions[region].memories {
            let active = program.fragments[memory.fragment].active;
            if memory.fragment == FragmentId::ROOT || slots[active.index()] != 0.0 {
                take_memory(program, Next { from: memory.from, state: memory.state }, slots);
            }
        }
    }
}

impl Engine<'_> {
    /// The same in the profile of Ptolemy II, where a comparison may have made a signal present at
    /// the end of a step: what remembers it is asked for at microstep 1.
    fn commit_live_memories(&mut self, region: RegionId) {
        let program = self.program;
        for memory in &program.regions[region].memories {
            let active = program.fragments[memory.fragment].active;
            if memory.fragment != FragmentId::ROOT && self.state.slots[active.index()] == 0.0 {
                continue;
            }
            let id = program.states[memory.state].tracked;
            if self.write(memory.from, id) {
                self.mark_next(id);
            }
        }
    }
}

/// Gives a state the value that a tape has left for it in a slot.
pub(crate) fn take_memory(program: &Program, next: Next, slots: &mut [f64]) {
    let tracked = program.tracked(program.states[next.state].tracked);
    copy(slots, next.from, tracked.slot, tracked.length);
}
