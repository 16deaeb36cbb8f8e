//! A tick: microstep after microstep, only what is affected.

use std::cmp::Reverse;

use base::{Tag, Time};
use diagram::{FragmentId, RegionId, WireId};
use ir::{Partial, Scalar, Slot, run};
use program::{Program, TrackedId, TrackedState, Unit, UnitEffects};

use crate::RunError;
use crate::chattering::NEAR_LIMIT;
use crate::flow::{numbered, scatter, watches};
use crate::log::Event;
use crate::rows::Sink;
use crate::simulation::Simulation;
use crate::snapshot::refill;
use crate::units::copy;

impl Simulation {
    /// The tag (time, 0): left limits, memories, sides; then what the agenda has for this time
    /// wakes for microstep 1.
    pub(crate) fn begin_tick(
        &mut self,
        program: &Program,
        time: Time,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        self.open_tick(time);
        let mut located = false;
        let mut at_crossing = std::mem::take(&mut self.at_crossing);
        at_crossing.clear();
        self.crossings_up_to(time, &mut at_crossing);
        for region in at_crossing.iter().copied() {
            if self.state.regions[region].reached == time {
                located = true;
                self.check_crowd(region, time)?;
                for other in &program.influence.crossings[region] {
                    self.touch(*other)?;
                }
                if sink.listens() {
                    self.tell_located(region, time, sink);
                }
            }
        }
        self.at_crossing = at_crossing;
        // Timers are due first, so that the regions that they reach are looked at too.
        self.take_due(time, sink);
        for timer in 0..self.woken.len() {
            for region in &program.influence.timers[self.woken[timer]] {
                self.touch(*region)?;
            }
        }
        if !program.remembering.is_empty() {
            self.look_at_memories()?;
        }
        if !program.lines.is_empty() {
            self.begin_delayed(time, located || !self.woken.is_empty(), sink)?;
        }
        self.cover_touched(sink);
        self.for_rows(Simulation::look_at)?;
        self.write_row(self.state.tag, sink);
        if !program.lines.is_empty() {
            self.bring_kinks();
        }
        self.settle_sides(program, 0, sink)?;
        self.wake(program);
        if !program.lines.is_empty() {
            self.bring(1);
        }
        self.decide(0, sink)?;
        self.end_if_quiet(program, sink)
    }

    /// Begins a tick, unless one has been begun in a state that was left. Where something has
    /// happened at this time already it goes on from there.
    pub(crate) fn open_tick(&mut self, time: Time) {
        if self.state.tick.is_some() {
            return;
        }
        self.state.counters.ticks += 1;
        self.state.pace.spend(1);
        let mut tick = self.spare_tick.take().unwrap_or_default();
        self.state.tag = self.state.tag.max(Tag::new(time, 0));
        if self.state.now.time() != time {
            self.state.now = time.into();
        }
        let first = Tag::new(time, self.state.tag.microstep + 1);
        tick.begin(first, &self.program);
        self.state.tick = Some(tick);
    }

    /// Takes the timers that are due at a time off the agenda and puts their next times on it;
    /// they are in `woken` until the next call.
    fn take_due(&mut self, time: Time, sink: &mut dyn Sink) {
        self.woken.clear();
        while self.next_event() <= time {
            let Some(Reverse((_, timer))) = self.state.agenda.pop() else { break };
            self.take_cause(timer as usize);
            self.state.wakings[timer as usize] += 1;
            let block = self.program.timers[timer as usize].block;
            if sink.listens() {
                sink.event(Event::Woken { time, block });
            }
            if let Some(next) = self.wakes(timer as usize) {
                self.state.agenda.push(Reverse((next, timer)));
                if sink.listens() {
                    sink.event(Event::Agenda { time, block, next });
                }
            }
            self.woken.push(timer as usize);
        }
    }

    /// A timer that is due says what the exact time of this tick is, where something adds to it.
    #[inline]
    fn take_cause(&mut self, timer: usize) {
        if self.program.lines.is_empty() && self.program.machines.is_empty() {
            return;
        }
        let cells = &self.program.timers[timer];
        let origin = self.state.fragments[cells.fragment.index()].origin;
        if let Some(instant) = cells.timer.exact(self.state.wakings[timer]) {
            self.state.now = self.state.now.meet(instant + origin);
        }
    }

    /// Makes the timers that were due wake at the coming microstep.
    fn wake(&mut self, program: &Program) {
        for index in 0..self.woken.len() {
            let timer = self.woken[index];
            let cells = &program.timers[timer];
            self.state.slots[program.tracked(cells.wakings).slot as usize] =
                self.state.wakings[timer] as f64;
            self.mark_next(program, cells.wakings);
            self.state.slots[program.tracked(cells.woken).slot as usize] = 1.0;
            self.pulse(program, cells.woken);
        }
    }

    /// Takes what was noted a delay ago, and touches what it reaches; `other` says whether something
    /// else happens too.
    fn begin_delayed(
        &mut self,
        time: Time,
        other: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let order = self.take_notes(time, sink).filter(|_| !other);
        if let (Some(order), Some(tick)) = (order, &mut self.state.tick) {
            tick.order = order;
        }
        let program = self.program.clone();
        for line in self.coming_lines() {
            for region in &program.influence.lines[line] {
                self.touch(*region)?;
            }
        }
        Ok(())
    }

    /// Crossings that come faster than time can tell apart would stand still for ever.
    fn check_crowd(&mut self, region: usize, time: Time) -> Result<(), RunError> {
        // A float of time has 53 bits, of which a location leaves the last few open.
        let room = 4 + (time.attoseconds().abs() >> 48);
        let (last, count) = &mut self.state.crowd;
        let interval = time - *last;
        let near = interval.attoseconds() <= room;
        (*last, *count) = (time, if near { *count + 1 } else { 0 });
        if *count <= self.options.microsteps {
            return Ok(());
        }
        let state = &self.state.regions[region];
        let watched = &self.program.regions[region].watches;
        let first = state.solver.crossed().first();
        let watch = first.map(|located| numbered(watches(&state.ranges), located.function));
        let id = watch.map(|watch| self.program.crossings[watched[watch].crossing].block);
        // States are finer than time: what they tell apart goes on.
        if watch.is_some_and(|watch| self.tells_apart((region, watch), interval.seconds())) {
            self.state.crowd.1 = 0;
            return Ok(());
        }
        let block = id.map_or_else(String::new, |id| self.path(id));
        Err(RunError::StepTooSmall { tag: Tag::new(time, 0), block, id })
    }

    fn tell_located(&self, region: usize, time: Time, sink: &mut dyn Sink) {
        let state = &self.state.regions[region];
        for located in state.solver.crossed() {
            let watch = numbered(watches(&state.ranges), located.function);
            let crossing = self.program.regions[region].watches[watch].crossing;
            sink.event(Event::Located { time, block: self.program.crossings[crossing].block });
        }
    }

    /// The residuals that count as zero at this time: those of the solver where it stands here, and
    /// none where it stands further on, for then nothing was located here.
    fn take_residuals(&mut self, region: usize, time: Time) {
        let from = self.program.regions[region].residual;
        let state = &self.state.regions[region];
        let all = self.program.regions[region].watches.len();
        self.state.slots[from as usize..from as usize + all].fill(0.0);
        if state.reached == time {
            scatter(&mut self.state.slots, from, watches(&state.ranges), &state.residuals);
        }
    }

    /// Puts the left limits of a region in the buffer, once a tick.
    fn look_at(&mut self, region: usize) -> Result<(), RunError> {
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
        self.left_limits(region, time)
    }

    /// Makes a region part of the tick: left limits and memories, once.
    #[inline(always)]
    pub(crate) fn touch(&mut self, region: usize) -> Result<(), RunError> {
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        let touched = tick.involve(region);
        if std::mem::replace(&mut touched.touched, true) {
            return Ok(());
        }
        self.touch_first(region)
    }

    fn is_touched(&self, region: usize) -> bool {
        self.state.tick.as_ref().is_some_and(|tick| tick.region(region).touched)
    }

    #[inline(never)]
    fn touch_first(&mut self, region: usize) -> Result<(), RunError> {
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        tick.unsettle(region);
        for (word, own) in &self.program.regions[region].units {
            tick.held[*word as usize] &= !own;
        }
        let time = tick.time;
        self.take_residuals(region, time);
        if !self.program.regions[region].lines.is_empty() {
            self.split_history(region, time);
        }
        let limits = self.look_at(region);
        if !self.before.is_empty() {
            self.remember_region(region);
        }
        if !self.program.regions[region].lines.is_empty() {
            self.look_at_lines(region);
        }
        self.commit_memories(region);
        self.follow_solutions();
        limits
    }

    /// What states become at microstep 0: memories of the left limit.
    pub(crate) fn commit_memories(&mut self, region: usize) {
        let (program, slots) = (&self.program, &mut self.state.slots);
        for memory in &program.regions[region].memories {
            let active = program.fragments[memory.fragment.index()].active;
            if memory.fragment == FragmentId::ROOT || slots[active as usize] != 0.0 {
                take_memory(program, (memory.from, memory.state), slots);
            }
        }
    }

    /// One microstep from 1 on.
    pub(crate) fn microstep(
        &mut self,
        program: &Program,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        let tag = Tag::new(tick.time, tick.microstep);
        if !tick.entered.is_empty() {
            tick.pending.append(&mut tick.entered);
        }
        self.speaking.append(&mut tick.speaking);
        if tick.microstep.saturating_add(NEAR_LIMIT) > self.options.microsteps {
            self.check_chattering()?;
        }
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        tick.microstep += 1;
        // What has run to its end has no bit left.
        if self.asked.len() != tick.dirty.len() {
            refill(&mut self.asked, tick.dirty.len(), 0);
        }
        debug_assert!(self.asked.iter().all(|word| *word == 0), "bits are used up");
        std::mem::swap(&mut self.asked, &mut tick.dirty);
        self.fading.clear();
        std::mem::swap(&mut self.fading, &mut tick.pulses);
        self.state.tag = tag;
        self.state.slots[program.time as usize] = tick.seconds;
        self.state.counters.microsteps += 1;
        if !program.machines.is_empty() {
            self.look_before(program);
        }
        self.run_units(program, tag, sink)?;
        if !program.machines.is_empty() {
            self.silence();
            self.check_failures()?;
        }
        if self.effects.have(UnitEffects::CHECKS) {
            self.check_defined(program, tag)?;
        }
        if self.effects.have(UnitEffects::HAZARDS) {
            self.check_meetings(program, tag);
        }
        if !program.lines.is_empty() {
            self.note_lines(tag.microstep);
        }
        self.cover_touched(sink);
        self.write_row(tag, sink);
        for index in 0..self.fading.len() {
            let cell = self.fading[index];
            self.state.slots[program.tracked(cell).slot as usize] = 0.0;
            self.mark_next(program, cell);
        }
        self.commit(program, tag, sink)?;
        self.settle_sides(program, tag.microstep, sink)?;
        if !program.machines.is_empty() {
            self.end_speeches();
            // What was switched on may have something due at once.
            self.take_due(tag.time, sink);
            self.wake(program);
        }
        if !program.lines.is_empty() {
            self.bring(tag.microstep + 1);
        }
        if !program.machines.is_empty() {
            self.decide(tag.microstep, sink)?;
        }
        self.end_if_quiet(program, sink)
    }

    /// Copies numbers to a cell; says whether they are others than before.
    #[inline]
    pub(crate) fn write(&mut self, from: usize, cell: TrackedId) -> bool {
        let cell = self.program.tracked(cell);
        copy(&mut self.state.slots, from, cell.slot as usize, cell.length)
    }

    pub(crate) fn values(&self, cell: TrackedId) -> Vec<f64> {
        let cell = self.program.tracked(cell);
        self.state.slots[cell.slot as usize..cell.slot as usize + cell.length].to_vec()
    }

    /// Marks a changed cell for the next microstep.
    #[inline]
    pub(crate) fn mark_next(&mut self, program: &Program, cell: TrackedId) {
        if let Some(tick) = &mut self.state.tick {
            tick.mark(program.tracked(cell));
        }
    }

    /// Refuses operations without meaning before anything is written or committed.
    fn check_defined(&self, program: &Program, tag: Tag) -> Result<(), RunError> {
        for index in &self.ran {
            let unit = &program.units[*index as usize];
            if unit.checks.is_empty() || self.is_silenced(unit.fragment) {
                continue;
            }
            for (from, reason) in &unit.checks {
                if self.state.slots[*from as usize] != 0.0 {
                    let (id, reason) = (Some(unit.block), reason.clone());
                    let block = self.path(unit.block);
                    return Err(RunError::Undefined { tag, block, id, reason });
                }
            }
        }
        Ok(())
    }

    /// Looks for conditions that hold at different microsteps of one instant.
    fn check_meetings(&mut self, program: &Program, tag: Tag) {
        let ran = std::mem::take(&mut self.ran);
        for index in &ran {
            self.look_at_meetings(&program.units[*index as usize], tag);
        }
        self.ran = ran;
    }

    /// The commit of a microstep: states and crossing functions.
    fn commit(&mut self, program: &Program, tag: Tag, sink: &mut dyn Sink) -> Result<(), RunError> {
        if self.effects.have(UnitEffects::NEXTS) {
            let listens = sink.listens();
            for at in 0..self.ran.len() {
                if let Some(unit) = self.committed(program, at, UnitEffects::NEXTS) {
                    self.commit_states(program, unit, tag, (listens, &mut *sink))?;
                }
            }
        }
        if self.effects.have(UnitEffects::CROSSINGS) {
            for at in 0..self.ran.len() {
                if let Some(unit) = self.committed(program, at, UnitEffects::CROSSINGS) {
                    self.commit_crossings(program, unit, tag, sink);
                }
            }
        }
        Ok(())
    }

    /// A unit that has run, where it has a duty and takes part in the commit.
    #[inline(always)]
    fn committed<'p>(
        &self,
        program: &'p Program,
        at: usize,
        duty: UnitEffects,
    ) -> Option<&'p Unit> {
        let index = self.ran[at] as usize;
        let unit = program.effects[index].have(duty).then(|| &program.units[index])?;
        (!self.is_silenced(unit.fragment)).then_some(unit)
    }

    fn commit_states(
        &mut self,
        program: &Program,
        unit: &Unit,
        tag: Tag,
        (listens, sink): (bool, &mut dyn Sink),
    ) -> Result<(), RunError> {
        for (from, state) in &unit.nexts {
            let id = program.states[*state].cell;
            let cell = program.tracked(id);
            let before = listens.then(|| self.values(id));
            if self.write(*from as usize, id) {
                for region in &cell.regions {
                    if !self.is_touched(region.index()) {
                        self.touch(region.index())?;
                        // That has put left limits in the buffer; the new state stands.
                        self.write(*from as usize, id);
                    }
                }
                self.mark_next(program, id);
                if let Some(from) = before {
                    self.tell_committed(&program.states[*state], from, tag, sink);
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn tell_committed(&self, state: &TrackedState, from: Vec<f64>, tag: Tag, sink: &mut dyn Sink) {
        let (block, to) = (state.block, self.values(state.cell));
        sink.event(Event::Committed { tag, block, state: state.name.clone(), from, to });
    }

    fn commit_crossings(&mut self, program: &Program, unit: &Unit, tag: Tag, sink: &mut dyn Sink) {
        for (from, index) in &unit.crossings {
            let crossing = &program.crossings[*index];
            let value = self.state.slots[*from as usize];
            let before = std::mem::replace(&mut self.state.slots[crossing.value as usize], value);
            match crossing.watch {
                Some((region, _)) if before.to_bits() != value.to_bits() => {
                    if let Some(tick) = &mut self.state.tick {
                        tick.unsettle(region.index());
                    }
                }
                Some(_) => {}
                None => {
                    let side = crate::crossings::sign(value);
                    self.freeze(program, *index, side, tag.microstep, sink);
                }
            }
        }
    }

    /// Ends the tick where nothing asks for another microstep: regions that something happened to
    /// start a new smooth phase.
    #[inline]
    fn end_if_quiet(&mut self, program: &Program, sink: &mut dyn Sink) -> Result<(), RunError> {
        let Some(tick) = &self.state.tick else { return Ok(()) };
        let more = tick.present > 0 || tick.dirty.iter().any(|word| *word != 0);
        match more || self.more_comes() {
            true => Ok(()),
            false => self.end_tick(program, sink),
        }
    }

    #[inline(never)]
    fn end_tick(&mut self, program: &Program, sink: &mut dyn Sink) -> Result<(), RunError> {
        let Some(tick) = &self.state.tick else { return Ok(()) };
        let (time, seconds) = (tick.time, tick.seconds);
        for place in 0..self.state.tick.as_mut().map_or(0, |tick| tick.order_involved()) {
            let Some(tick) = &mut self.state.tick else { break };
            let region = tick.involved(place);
            let touched = tick.region(region);
            let at_crossing =
                self.state.regions[region].crossing && self.state.regions[region].reached == time;
            if self.program.regions[region].moves && (touched.changed || at_crossing) {
                self.look_at(region)?;
                if at_crossing {
                    self.look_for_rest(program, region, time);
                }
                self.restart(region, time, seconds);
                if !self.program.regions[region].lines.is_empty() {
                    self.note_kink(region);
                }
                if sink.listens() {
                    sink.event(Event::Restarted { time, region: RegionId::new(region) });
                }
                if self.program.regions[region].may_be_unknown {
                    self.check_known(region, time)?;
                }
            }
        }
        self.spare_tick = self.state.tick.take();
        Ok(())
    }

    /// The same for the smooth functions of a region when a phase starts.
    pub(crate) fn check_known(&mut self, region: usize, time: Time) -> Result<(), RunError> {
        let program = self.program.clone();
        let code = &program.regions[region];
        if !code.may_be_unknown {
            return Ok(());
        }
        self.partial.clear();
        self.partial.extend(self.state.slots.iter().map(|x| Partial::constant(*x)));
        run(&code.prelude, &mut self.partial);
        run(&code.derivative, &mut self.partial);
        run(&code.crossings, &mut self.partial);
        run(&code.left, &mut self.partial);
        let range = |from: u32, n: usize| from as usize..from as usize + n;
        let rates = self.partial[range(code.rate, code.dimension)].iter();
        let functions = self.partial[range(code.g, code.watches.len())].iter();
        let known = |wire: &&WireId| {
            let cell = program.tracked(program.wires[wire.index()].value);
            self.partial[range(cell.slot, cell.length)].iter().all(|x| x.known)
        };
        let unknown = code.wires.iter().find(|wire| !known(wire));
        if unknown.is_none() && rates.chain(functions).all(|x| x.known) {
            return Ok(());
        }
        let id = unknown.map(|wire| self.diagram.wire(*wire).block);
        let blocks = self.diagram.regions[region].blocks.iter().take(8);
        let blocks = blocks.map(|block| self.path(*block)).collect();
        Err(RunError::NotConstructive { tag: Tag::new(time, 0), blocks, id })
    }
}

/// Gives a state what a tape has put at a place for it.
pub(crate) fn take_memory(program: &Program, (from, state): (Slot, usize), slots: &mut [f64]) {
    let cell = program.tracked(program.states[state].cell);
    copy(slots, from as usize, cell.slot as usize, cell.length);
}
