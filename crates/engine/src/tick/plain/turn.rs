//! One plain tick, from its left limits to the restart of what moves.

use base::{Tag, Time};
use program::{CrossingId, CrossingValue, RegionId, UnitEffects};

use super::tables::Commit;
use super::{PlainTicks, bit, bits, region_of, regions_of};
use crate::RunError;
use crate::engine::Engine;
use crate::rows::Sink;
use crate::tick::units::{copy, units_of};
use crate::watch::chattering::NEAR_LIMIT;

impl Engine<'_> {
    /// Does a tick; whether all of it was plain. If not, the usual path goes on with it.
    pub(super) fn plain_tick(
        &mut self,
        own: &mut PlainTicks,
        time: Time,
        sink: &mut dyn Sink,
    ) -> Result<bool, RunError> {
        self.open_plainly(own, time);
        if let Err(error) = self.begin_plainly(own, time, sink) {
            return Err(self.fail_plainly(own, Tag::new(time, 1), error));
        }
        if !own.is_quiet() && self.scratch.zeno.is_some() {
            self.make_tick(own, Tag::new(time, 1), true);
            return Ok(false);
        }
        while !own.is_quiet() {
            let tag = Tag::new(time, own.microstep + 1);
            if tag.microstep.saturating_add(NEAR_LIMIT) > self.options.microsteps {
                self.make_tick(own, tag, true);
                return Ok(false);
            }
            let after = Tag::new(time, tag.microstep + 1);
            match self.plain_microstep(own, tag, sink) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => return Err(self.fail_plainly(own, after, error)),
            }
            if self.scratch.zeno.is_some() && !own.is_quiet() {
                self.make_tick(own, after, true);
                return Ok(false);
            }
        }
        self.end_plainly(own, time)?;
        self.scratch.plain_time = None;
        Ok(true)
    }

    fn open_plainly(&mut self, own: &mut PlainTicks, time: Time) {
        self.state.counters.ticks += 1;
        self.state.watch.pace.spend(1);
        self.state.now = time.into();
        self.scratch.plain_time = Some(time);
        own.seconds = time.seconds();
        (own.touched, own.evaluated, own.disturbed, own.stale, own.unsettled) = (0, 0, 0, 0, 0);
        (own.present, own.microstep, own.to_settle) = (0, 0, false);
        own.held.copy_from_slice(&own.of_movers);
        let words = self.scratch.units.reaches.len();
        own.marks.prepare(words);
        own.next.prepare(words);
        own.pulses.clear();
        self.state.slots[self.program.time.index()] = own.seconds;
        let at_crossing = |region: &RegionId| {
            let state = &self.state.regions[*region];
            state.crossing && state.reached == time
        };
        own.located = bits(own.movers.iter().copied().filter(at_crossing));
    }

    /// Microstep 0: left limits, memories, sides, and timers.
    fn begin_plainly(
        &mut self,
        own: &mut PlainTicks,
        time: Time,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let program = self.program;
        for region in regions_of(own.located) {
            self.check_crowd(region, time)?;
            for other in &program.influence.crossings[region] {
                self.touch_plainly(own, *other, time)?;
            }
        }
        self.take_due_plainly(time);
        for place in 0..self.scratch.woken.len() {
            for region in &program.influence.timers[self.scratch.woken[place]] {
                self.touch_plainly(own, *region, time)?;
            }
        }
        self.write_plain_row(own, Tag::new(time, 0), sink)?;
        self.settle_plainly(own, 0, sink)?;
        for timer in &self.scratch.woken {
            let timer_slots = &program.timers[*timer];
            let wakings = own.follow_change(timer_slots.wakings);
            self.state.slots[wakings] = self.state.agenda.wakings[*timer] as f64;
            let woken = own.follow_change(timer_slots.woken);
            self.state.slots[woken] = 1.0;
            own.pulses.push(timer_slots.woken);
        }
        own.pass();
        Ok(())
    }

    /// Makes a region part of the tick: left limits and memories, once.
    #[inline]
    fn touch_plainly(
        &mut self,
        own: &mut PlainTicks,
        region: RegionId,
        time: Time,
    ) -> Result<(), RunError> {
        if own.touched & bit(region) != 0 {
            return Ok(());
        }
        own.touched |= bit(region);
        own.unsettle(bit(region));
        if own.moving & bit(region) == 0 {
            return Ok(());
        }
        if !own.held.is_empty() {
            for word in &self.program.regions[region].units {
                own.held[word.index as usize] &= !word.bits;
            }
        }
        if own.watching & bit(region) != 0 {
            self.take_residuals(region, time);
        }
        self.evaluate_plainly(own, region, time)?;
        self.commit_memories(region);
        Ok(())
    }

    /// Writes the left limits of a region to the buffer, once.
    #[inline]
    pub(super) fn evaluate_plainly(
        &mut self,
        own: &mut PlainTicks,
        region: RegionId,
        time: Time,
    ) -> Result<(), RunError> {
        if own.evaluated & bit(region) != 0 {
            return Ok(());
        }
        own.evaluated |= bit(region);
        self.place(region, time, own.seconds);
        self.left_limits(region, time)
    }

    /// A microstep from 1 on; whether it was plain. If not, the usual path has gone on with it.
    fn plain_microstep(
        &mut self,
        own: &mut PlainTicks,
        tag: Tag,
        sink: &mut dyn Sink,
    ) -> Result<bool, RunError> {
        own.microstep = tag.microstep;
        self.state.tag = tag;
        self.state.slots[self.program.time.index()] = own.seconds;
        self.state.counters.microsteps += 1;
        std::mem::swap(&mut own.fading, &mut own.pulses);
        own.pulses.clear();
        if !self.run_plain_units(own, tag.time)? {
            self.go_on(own, tag, sink)?;
            return Ok(false);
        }
        if self.scratch.units.effects.have(UnitEffects::CROSSINGS) {
            self.scratch.units.marked.prepare(own.marks.len());
            if self.read_by_side() {
                self.go_on(own, tag, sink)?;
                return Ok(false);
            }
        }
        if self.scratch.units.effects.have(UnitEffects::CHECKS) {
            self.check_defined(tag)?;
        }
        self.write_plain_row(own, tag, sink)?;
        self.commit_plainly(own, tag)?;
        self.settle_plainly(own, tag.microstep, sink)?;
        own.pass();
        Ok(true)
    }

    /// Runs the marked units; returns whether all have run.
    #[inline]
    fn run_plain_units(&mut self, own: &mut PlainTicks, time: Time) -> Result<bool, RunError> {
        let native = self.native.and_then(|native| native.units.as_deref());
        let Some(code) = native else { return Ok(false) };
        self.scratch.units.ran.clear();
        self.scratch.units.effects = UnitEffects::default();
        let mut next = 0;
        while let Some(word) = own.marks.next(next) {
            next = word + 1;
            let mut rest = own.marks.word(word);
            while rest != 0 {
                let lowest = rest & rest.wrapping_neg();
                if own.held_in(word) & lowest != 0 {
                    let region = own.regions[64 * word + lowest.trailing_zeros() as usize];
                    let region = RegionId::new(region.trailing_zeros() as usize);
                    self.touch_plainly(own, region, time)?;
                }
                let units = &mut self.scratch.units;
                let pass = &mut units.pass;
                (pass.held, pass.present) = (own.held_in(word), own.present.into());
                let runs = self.state.firings.iter_mut().into_slice();
                code.run(&mut self.state.slots, own.marks.words_mut(), runs, word, pass);
                own.marks.widen(units.reaches[word]);
                own.present = pass.present as u32;
                self.state.counters.firings += pass.count;
                if !own.joined {
                    for unit in units_of(word, pass.ran) {
                        own.touched |= region_of(own, unit);
                    }
                }
                for unit in units_of(word, pass.ran & own.effective[word]) {
                    units.effects.add(self.program.effects[unit]);
                    units.ran.push(unit);
                }
                rest = own.marks.word(word);
                if rest & own.held_in(word) & rest.wrapping_neg() == 0 && rest != 0 {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Ends a microstep: pulses, the new values of states, and those of crossing functions.
    fn commit_plainly(&mut self, own: &mut PlainTicks, tag: Tag) -> Result<(), RunError> {
        for place in 0..own.fading.len() {
            let pulse = own.follow_change(own.fading[place]);
            self.state.slots[pulse] = 0.0;
        }
        if self.scratch.units.effects.have(UnitEffects::NEXTS) {
            for place in 0..self.scratch.units.ran.len() {
                let unit = self.scratch.units.ran[place].index();
                for next in 0..own.tables.commits(unit).len() {
                    let Commit { from, length, state } = own.tables.commits(unit)[next];
                    let read = own.tables.read(state);
                    if !copy(&mut self.state.slots, from, read.slot, length) {
                        continue;
                    }
                    for region in regions_of(read.regions & !own.touched) {
                        self.touch_plainly(own, region, tag.time)?;
                        // This has written left limits to the buffer; the new state overrides
                        // them.
                        copy(&mut self.state.slots, from, read.slot, length);
                    }
                    own.follow(read);
                }
            }
        }
        if self.scratch.units.effects.have(UnitEffects::CROSSINGS) {
            self.commit_plain_crossings(own);
        }
        Ok(())
    }

    fn commit_plain_crossings(&mut self, own: &mut PlainTicks) {
        let program = self.program;
        for place in 0..self.scratch.units.ran.len() {
            let unit = &program.units[self.scratch.units.ran[place]];
            for CrossingValue { from, crossing: id } in &unit.crossings {
                let crossing = &program.crossings[*id];
                let value = self.state.slots[from.index()];
                let slot = &mut self.state.slots[crossing.value.index()];
                let before = std::mem::replace(slot, value);
                match crossing.watch {
                    Some(watch) if before.to_bits() != value.to_bits() => {
                        own.unsettle(bit(watch.region));
                    }
                    Some(_) => {}
                    None => self.freeze_plainly(own, *id, crate::sides::sign(value), false),
                }
            }
        }
    }

    /// Takes the sides of regions for which something that they depend on has changed.
    #[inline]
    fn settle_plainly(
        &mut self,
        own: &mut PlainTicks,
        microstep: u32,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        own.to_settle = false;
        let due = own.unsettled & own.touched & own.watching;
        if due == 0 {
            return Ok(());
        }
        own.unsettled &= !due;
        let mut found = std::mem::take(&mut self.scratch.found);
        found.clear();
        self.scratch.looked.clear();
        for region in regions_of(due) {
            let stale = own.stale & bit(region) != 0;
            own.stale &= !bit(region);
            self.find_sides(region, stale, microstep, &mut found, sink)?;
        }
        self.look_behind_kinks(microstep, &mut found)?;
        for (id, new) in &found {
            self.freeze_plainly(own, *id, *new, microstep == 0);
        }
        self.scratch.found = found;
        Ok(())
    }

    /// Gives a crossing its new side or floor, and an event if that differs.
    fn freeze_plainly(&mut self, own: &mut PlainTicks, id: CrossingId, new: f64, begins: bool) {
        let program = self.program;
        let crossing = &program.crossings[id];
        let frozen = own.tables.read(crossing.frozen);
        let old = std::mem::replace(&mut self.state.slots[frozen.slot.index()], new);
        if old == new {
            return;
        }
        own.follow(frozen);
        if let Some(crossed) = crossing.crossed.filter(|_| new != 0.0) {
            let signal = own.follow_change(crossed);
            self.state.slots[signal] = new - old;
            own.pulses.push(crossed);
        }
        if let Some(time) = self.scratch.plain_time.filter(|_| begins) {
            self.watch_accumulation(id, new, time);
        }
    }

    /// Ends a tick: regions that it has changed, or that were at a crossing, start a new smooth phase.
    fn end_plainly(&mut self, own: &mut PlainTicks, time: Time) -> Result<(), RunError> {
        for region in regions_of((own.disturbed | own.located) & own.moving) {
            if let Err(error) = self.evaluate_plainly(own, region, time) {
                return Err(self.fail_plainly(own, Tag::new(time, own.microstep + 1), error));
            }
            if own.located & bit(region) != 0 {
                self.look_for_rest(region, time);
            }
            self.restart(region, time, own.seconds);
        }
        Ok(())
    }
}

impl PlainTicks {
    /// Goes on to the next microstep.
    #[inline]
    fn pass(&mut self) {
        std::mem::swap(&mut self.marks, &mut self.next);
        self.next.prepare(self.marks.len());
    }

    /// The units of a word whose regions are not part of the tick yet, as bits.
    #[inline]
    fn held_in(&self, word: usize) -> u64 {
        self.held.get(word).copied().unwrap_or(0)
    }
}
