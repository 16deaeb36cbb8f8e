//! Ticks of clocks in a model in which nothing else happens at a tick.
//!
//! A sampled controller and its plant have no crossings, machines or delays. Then a tick is known
//! before it begins: its left limits, one microstep after the other until nothing is marked, and the
//! restart of what moves. Such ticks are done here, one after the other with the step between them,
//! without the records that other ticks need. Whatever is rare, such as a unit with a result that is
//! not finite, makes a [`Tick`] of what has been done so far, with which the usual path goes on at
//! that point. Nothing differs in its bits, its rows or its counts.

use base::{Tag, Time};
use program::{FragmentId, Next, Profile, Program, RegionId, Tracked, TrackedId, UnitEffects};

use crate::RunError;
use crate::engine::Engine;
use crate::rows::Sink;
use crate::tick::marks::{Marks, narrow_units};
use crate::tick::units::{copy, units_of};
use crate::watch::chattering::NEAR_LIMIT;

/// The fewest things that an advance must be allowed to do, so that most ticks are complete in it.
const LEAST: u32 = 16;
/// The most units and regions of a program with plain ticks.
const UNITS: usize = 4096;
const REGIONS: usize = 64;

/// A plain tick in progress, and what is known of all of them.
#[derive(Debug)]
pub(crate) struct PlainTicks {
    /// The region that moves.
    mover: Option<RegionId>,
    /// For each unit, the bit of its region.
    regions: Vec<u64>,
    /// The units that must run at this microstep and at the next one, as bits.
    marks: Vec<u64>,
    next: Vec<u64>,
    /// Signals that return to zero after this microstep, and after the next one.
    fading: Vec<TrackedId>,
    pulses: Vec<TrackedId>,
    /// The regions that are part of the tick, and those whose smooth functions read a change.
    touched: u64,
    disturbed: u64,
    /// The number of present events.
    present: u32,
    /// The microstep that was done last.
    microstep: u32,
    /// For each word, the units with effects besides outputs.
    effective: Vec<u64>,
    /// Whether every row covers all recorded regions, and the last such row.
    joined: bool,
    last_row: Option<Tag>,
}

impl PlainTicks {
    /// What is known of the ticks of a program if all of them are plain.
    pub fn find(program: &Program) -> Option<Box<PlainTicks>> {
        let mut movers = program.regions.ids().filter(|region| program.regions[*region].moves);
        let mover = movers.next();
        if movers.next().is_some() || !is_plain(program, mover) {
            return None;
        }
        let words = program.units.len().div_ceil(64);
        let bit = |unit: &program::Unit| 1 << unit.region.index();
        Some(Box::new(PlainTicks {
            mover,
            regions: program.units.iter().map(bit).collect(),
            marks: vec![0; words],
            next: vec![0; words],
            fading: Vec::new(),
            pulses: Vec::new(),
            touched: 0,
            disturbed: 0,
            present: 0,
            microstep: 0,
            effective: effective(program),
            joined: false,
            last_row: None,
        }))
    }

    /// Marks the readers of a change for the next microstep, and the regions whose smooth functions
    /// read it.
    #[inline]
    fn follow(&mut self, tracked: &Tracked) {
        for word in &tracked.reader_words {
            self.next[word.index as usize] |= word.bits;
        }
        for region in &tracked.regions {
            self.disturbed |= 1 << region.index();
        }
    }

    /// Whether nothing asks for another microstep.
    #[inline]
    fn is_quiet(&self) -> bool {
        self.present == 0 && self.marks.iter().all(|word| *word == 0)
    }

    fn has(bits: u64, region: RegionId) -> bool {
        bits >> region.index() & 1 == 1
    }
}

/// For each word of units, those with effects besides outputs, as bits.
fn effective(program: &Program) -> Vec<u64> {
    let mut words = vec![0; program.units.len().div_ceil(64)];
    for (unit, effects) in program.effects.entries() {
        let some = *effects != UnitEffects::default();
        words[unit.index() / 64] |= u64::from(some) << (unit.index() % 64);
    }
    words
}

/// Whether nothing but timers makes ticks, and nothing but units and commits happens at them.
fn is_plain(program: &Program, mover: Option<RegionId>) -> bool {
    let sources = program.crossings.is_empty()
        && program.machines.is_empty()
        && program.lines.is_empty()
        && program.inputs.is_empty()
        && program.guesses.is_empty();
    let own = |unit: &program::Unit| unit.fragment == FragmentId::ROOT && !unit.may_be_unknown;
    let rare = [UnitEffects::CROSSINGS, UnitEffects::HAZARDS, UnitEffects::LINES];
    let units = program.units.len() <= UNITS
        && program.units.iter().all(own)
        && program.effects.iter().all(|effects| rare.iter().all(|rare| !effects.have(*rare)));
    let regions = program.regions.len() <= REGIONS
        && program.regions.entries().all(|(id, region)| match Some(id) == mover {
            true => region.is_whole() && !region.may_be_unknown,
            false => region.left.is_empty() && region.dimension == 0 && region.memories.is_empty(),
        });
    let reaches = |regions: &Vec<RegionId>| mover.is_none_or(|mover| regions.contains(&mover));
    sources
        && units
        && regions
        && program.timers.iter().all(|timer| timer.fragment == FragmentId::ROOT)
        && program.timers.ids().all(|timer| reaches(&program.influence.timers[timer]))
        && program.tracked(program.microstep).reader_words.is_empty()
        && program.records.last().is_none_or(|record| !record.hidden)
}

impl Engine<'_> {
    /// Does the ticks of clocks that come next, with the steps between them, as long as they are
    /// plain. Returns whether it has done anything.
    pub(crate) fn tick_plainly(
        &mut self,
        limit: Time,
        most: u32,
        sink: &mut dyn Sink,
    ) -> Result<bool, RunError> {
        let Some(mut own) = self.scratch.plain.take() else { return Ok(false) };
        let result = match most >= LEAST && self.has_plain_ticks(sink) {
            true => {
                self.begin_rows(&mut own, sink);
                let result = self.plain_ticks(&mut own, limit, most, sink);
                self.end_rows(&mut own);
                result
            }
            false => Ok(false),
        };
        self.scratch.plain = Some(own);
        result
    }

    /// Whether units are compiled, and rows are those of ticks and of steps.
    fn has_plain_ticks(&self, sink: &dyn Sink) -> bool {
        let (rows, state) = (&self.options.rows, &self.state);
        self.native.is_some_and(|native| native.units.is_some())
            && self.options.profile == Profile::Native
            && !sink.listens()
            && rows.every.is_none()
            && state.rows.on_list >= rows.times.len()
            && state.rows.waiting.is_empty()
            && self.scratch.besides.is_empty()
            && self.scratch.covered.has_begun(state)
    }

    fn plain_ticks(
        &mut self,
        own: &mut PlainTicks,
        limit: Time,
        most: u32,
        sink: &mut dyn Sink,
    ) -> Result<bool, RunError> {
        let last = limit.min(self.options.stop);
        let (begun, mut steps) = (self.state.counters.microsteps, 0);
        let mut any = false;
        while let Some((time, _)) = self.state.agenda.first() {
            let done = steps + (self.state.counters.microsteps - begun) as u32;
            if done + LEAST > most || !self.is_at_plain_tick(own, time, last) {
                break;
            }
            let seconds = time.seconds();
            if !self.find_left_limits(own, time, seconds) {
                break;
            }
            any = true;
            self.begin_plainly(own, time, sink);
            if !self.microsteps(own, time, sink)? {
                return Ok(true);
            }
            let Some(region) = own.mover else { continue };
            if PlainTicks::has(own.disturbed, region) {
                self.restart(region, time, seconds);
            }
            if !self.step_to_next(region, last)? {
                break;
            }
            steps += 1;
        }
        Ok(any)
    }

    /// Whether everything waits for a tick at a time up to `last`, and no watch for an endless run
    /// has to look first.
    #[inline]
    fn is_at_plain_tick(&self, own: &PlainTicks, time: Time, last: Time) -> bool {
        let waits = |region: RegionId| {
            let state = &self.state.regions[region];
            state.reached == time && !state.crossing
        };
        time <= last
            && time > self.state.tag.time
            && self.state.watch.pace.left > 0
            && self.state.ended.is_none()
            && own.mover.is_none_or(waits)
    }

    /// Writes the left limits at a time to the buffer; returns whether they are finite. Nothing else
    /// has changed then.
    #[inline]
    fn find_left_limits(&mut self, own: &PlainTicks, time: Time, seconds: f64) -> bool {
        self.state.slots[self.program.time.index()] = seconds;
        own.mover.is_none_or(|region| {
            self.place(region, time, seconds);
            self.left_limits(region, time).is_ok()
        })
    }

    /// Microstep 0, with the left limits in the buffer.
    fn begin_plainly(&mut self, own: &mut PlainTicks, time: Time, sink: &mut dyn Sink) {
        let program = self.program;
        self.state.counters.ticks += 1;
        self.state.watch.pace.spend(1);
        self.state.now = time.into();
        (own.touched, own.disturbed, own.present, own.microstep) = (0, 0, 0, 0);
        self.take_due_plainly(time);
        for timer in &self.scratch.woken {
            for region in &program.influence.timers[*timer] {
                own.touched |= 1 << region.index();
            }
        }
        if let Some(region) = own.mover {
            self.commit_memories(region);
        }
        self.write_plain_row(own, Tag::new(time, 0), sink);
        own.pulses.clear();
        for timer in &self.scratch.woken {
            let timer_slots = &program.timers[*timer];
            let wakings = program.tracked(timer_slots.wakings);
            self.state.slots[wakings.slot.index()] = self.state.agenda.wakings[*timer] as f64;
            own.follow(wakings);
            let woken = program.tracked(timer_slots.woken);
            self.state.slots[woken.slot.index()] = 1.0;
            own.follow(woken);
            own.pulses.push(timer_slots.woken);
        }
        std::mem::swap(&mut own.marks, &mut own.next);
    }

    /// If all rows cover all regions, no row needs a look at each of them.
    fn begin_rows(&mut self, own: &mut PlainTicks, sink: &dyn Sink) {
        own.joined = sink.is_joined();
        if own.joined {
            self.cover_all();
            own.joined = self.scratch.covered.is_any();
        }
    }

    fn write_plain_row(&mut self, own: &mut PlainTicks, tag: Tag, sink: &mut dyn Sink) {
        if own.joined {
            own.last_row = Some(tag);
            return self.pass_row(tag, sink);
        }
        self.scratch.covered.set_touched(sink.is_joined(), own.touched);
        self.write_row(tag, sink);
    }

    /// Lets all regions know of the last row.
    fn end_rows(&mut self, own: &mut PlainTicks) {
        if let Some(tag) = own.last_row.take() {
            self.scratch.covered.note_rows(self.state, tag);
        }
    }

    /// Microsteps until nothing asks for another one; whether they were all plain. If not, the usual
    /// path goes on with the tick.
    fn microsteps(
        &mut self,
        own: &mut PlainTicks,
        time: Time,
        sink: &mut dyn Sink,
    ) -> Result<bool, RunError> {
        while !own.is_quiet() {
            if (own.microstep + 1).saturating_add(NEAR_LIMIT) > self.options.microsteps {
                self.make_tick(own, Tag::new(time, own.microstep + 1), true);
                return Ok(false);
            }
            own.microstep += 1;
            let tag = Tag::new(time, own.microstep);
            self.state.tag = tag;
            self.state.counters.microsteps += 1;
            std::mem::swap(&mut own.fading, &mut own.pulses);
            own.pulses.clear();
            if !self.run_plain_units(own) {
                self.go_on(own, tag, sink)?;
                return Ok(false);
            }
            if self.scratch.units.effects.have(UnitEffects::CHECKS)
                && let Err(error) = self.check_defined(tag)
            {
                self.make_tick(own, Tag::new(time, own.microstep + 1), false);
                return Err(error);
            }
            self.write_plain_row(own, tag, sink);
            self.commit_plainly(own);
        }
        Ok(true)
    }

    /// Runs the marked units; returns whether all have run.
    #[inline]
    fn run_plain_units(&mut self, own: &mut PlainTicks) -> bool {
        let native = self.native.and_then(|native| native.units.as_deref());
        let Some(code) = native else { return false };
        let units = &mut self.scratch.units;
        units.ran.clear();
        units.effects = UnitEffects::default();
        for word in 0..own.marks.len() {
            if own.marks[word] == 0 {
                continue;
            }
            if code.known(word) == 0 {
                return false;
            }
            let pass = &mut units.pass;
            (pass.held, pass.present) = (0, own.present.into());
            let runs = self.state.firings.iter_mut().into_slice();
            code.run(&mut self.state.slots, &mut own.marks, runs, word, pass);
            own.present = pass.present as u32;
            self.state.counters.firings += pass.count;
            if !own.joined {
                for unit in units_of(word, pass.ran) {
                    own.touched |= own.regions[unit.index()];
                }
            }
            for unit in units_of(word, pass.ran & own.effective[word]) {
                units.effects.add(self.program.effects[unit]);
                units.ran.push(unit);
            }
            if own.marks[word] != 0 {
                return false;
            }
        }
        true
    }

    /// Ends a microstep: pulses, and the new values of states.
    fn commit_plainly(&mut self, own: &mut PlainTicks) {
        let program = self.program;
        let slots = &mut self.state.slots[..];
        for place in 0..own.fading.len() {
            let pulse = program.tracked(own.fading[place]);
            slots[pulse.slot.index()] = 0.0;
            own.follow(pulse);
        }
        if self.scratch.units.effects.have(UnitEffects::NEXTS) {
            for unit in &self.scratch.units.ran {
                for Next { from, state } in &program.units[*unit].nexts {
                    let tracked = program.tracked(program.states[*state].tracked);
                    if copy(slots, *from, tracked.slot, tracked.length) {
                        own.follow(tracked);
                        for region in &tracked.regions {
                            own.touched |= 1 << region.index();
                        }
                    }
                }
            }
        }
        std::mem::swap(&mut own.marks, &mut own.next);
    }

    /// One step to the next tick; whether it is the only one, and nothing else comes first.
    #[inline]
    fn step_to_next(&mut self, region: RegionId, last: Time) -> Result<bool, RunError> {
        let Some((next, _)) = self.state.agenda.first() else { return Ok(false) };
        if next > last || self.state.watch.pace.left == 0 || self.state.ended.is_some() {
            return Ok(false);
        }
        let begun = self.state.regions[region].solver.counters().accepted;
        self.step_region(region, next, (next, 1, false))?;
        let state = &mut self.state;
        let taken = state.regions[region].solver.counters().accepted - begun;
        state.watch.pace.spend(taken as u32);
        Ok(state.regions[region].reached == next && state.rows.waiting.is_empty())
    }

    /// Makes a tick of what has been done so far, before a microstep; `marked` says whether its marks
    /// are those of this microstep and not of the one that is going on.
    #[cold]
    fn make_tick(&mut self, own: &mut PlainTicks, first: Tag, marked: bool) {
        let mut tick = self.scratch.spare_tick.take().unwrap_or_default();
        tick.begin(first, self.program);
        let marks = if marked { &mut own.marks } else { &mut own.next };
        tick.dirty = Marks::from(marks.clone());
        marks.fill(0);
        tick.pulses.extend_from_slice(&own.pulses);
        tick.present = own.present;
        for region in self.program.regions.ids() {
            if PlainTicks::has(own.touched, region) {
                for word in narrow_units(&self.program.regions[region]) {
                    tick.held[word.index as usize] &= !word.bits;
                }
                let touched = tick.involve(region);
                (touched.placed, touched.evaluated, touched.touched) = (true, true, true);
            }
            if PlainTicks::has(own.disturbed, region) {
                tick.disturb(region);
            }
        }
        self.state.tick = Some(tick);
    }

    /// Goes on with a microstep at a unit that is not plain, as with any other.
    #[cold]
    fn go_on(
        &mut self,
        own: &mut PlainTicks,
        tag: Tag,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        self.end_rows(own);
        self.make_tick(own, Tag::new(tag.time, tag.microstep + 1), false);
        self.scratch.units.marked = Marks::from(own.marks.clone());
        own.marks.fill(0);
        self.scratch.fading.clone_from(&own.fading);
        self.run_marked(tag, sink)?;
        self.conclude(tag, false, sink)
    }
}
