//! Ticks of a model in which nothing but clocks and crossings makes them.
//!
//! A sampled controller and its plant, or a ball and a floor, have no machines, delays or inputs.
//! Then a tick is known before it begins: left limits, sides, one microstep after the other until
//! nothing is marked, and the restart of what moves. Such ticks are done here, one after the other
//! with the steps between them, without the records that other ticks need. Whatever is rare, such as
//! a unit with a result that is not finite, makes a [`Tick`](super::Tick) of what has been done so
//! far, with which the usual path goes on at that point. Nothing differs in its bits, its rows or
//! its counts.

mod leave;
mod tables;
mod turn;

use std::cmp::Reverse;

use base::{Tag, Time};
use program::{
    FragmentId, MaySlide, Profile, Program, RegionId, TrackedId, UnitEffects, UnitId, Zeno,
};

use crate::RunError;
use crate::engine::Engine;
use crate::rows::Sink;
use crate::smooth::standing;
use crate::tick::marks::Marks;
use tables::{Read, Tables};

/// The fewest things that an advance must be allowed to do, so that most ticks are complete in it.
const LEAST: u32 = 16;
/// The most units and regions of a program with plain ticks, and the most regions that move; and the
/// most units of one in which a tick may not reach what moves.
const UNITS: usize = 1 << 16;
const UNITS_APART: usize = 4096;
const REGIONS: usize = 64;
const MOVERS: usize = 8;
/// The units for which it takes as long to find out as a plain tick saves.
const UNITS_A_TICK: u64 = 64;

/// A plain tick in progress, and what is known of all of them. Regions are bits.
#[derive(Debug)]
pub(crate) struct PlainTicks {
    /// The regions that move, and those with watched functions.
    movers: Vec<RegionId>,
    moving: u64,
    watching: u64,
    /// Those whose steps have no rows.
    silent: u64,
    /// For each unit, the bit of its region.
    regions: Vec<u64>,
    /// The units that must run at this microstep and at the next one.
    marks: Marks,
    next: Marks,
    /// The units of regions that move, as bits, and of those that are not part of the tick yet; empty
    /// if each tick reaches all that moves.
    of_movers: Vec<u64>,
    held: Vec<u64>,
    /// Signals that return to zero after this microstep, and after the next one.
    fading: Vec<TrackedId>,
    pulses: Vec<TrackedId>,
    /// The regions that are at a crossing, that are part of the tick, and that have their left limits
    /// in the buffer.
    located: u64,
    touched: u64,
    evaluated: u64,
    /// Those whose smooth functions read a change, that have not computed their rates since, and
    /// that have to take their sides.
    disturbed: u64,
    stale: u64,
    unsettled: u64,
    /// Whether a region has come to have to since sides were taken last.
    to_settle: bool,
    /// The time \[s\].
    seconds: f64,
    /// The number of present events.
    present: u32,
    /// The microstep that was done last.
    microstep: u32,
    /// For each word, the units with effects besides outputs.
    effective: Vec<u64>,
    /// What follows a change.
    tables: Tables,
    /// Whether every row covers all recorded regions, and the last such row.
    joined: bool,
    last_row: Option<Tag>,
}

impl PlainTicks {
    /// What is known of the ticks of a program if all of them are plain.
    pub fn find(program: &Program) -> Option<Box<PlainTicks>> {
        let watched = program.regions.iter().any(|region| !region.watches.is_empty());
        if !is_plain(program) || program.timers.is_empty() && !watched {
            return None;
        }
        let movers: Vec<RegionId> =
            program.regions.ids().filter(|region| program.regions[*region].moves).collect();
        let watches = |region: &RegionId| !program.regions[*region].watches.is_empty();
        let mut of_movers = Vec::new();
        if !is_reached(program, &movers) {
            of_movers.resize(program.units.len().div_ceil(64), 0);
            for word in movers.iter().flat_map(|region| &program.regions[*region].units) {
                of_movers[word.index as usize] |= word.bits;
            }
            if program.units.len() > UNITS_APART {
                return None;
            }
        }
        Some(Box::new(PlainTicks {
            moving: bits(movers.iter().copied()),
            watching: bits(movers.iter().copied().filter(watches)),
            movers,
            silent: 0,
            regions: program.units.iter().map(|unit| bit(unit.region)).collect(),
            marks: Marks::default(),
            next: Marks::default(),
            held: of_movers.clone(),
            of_movers,
            fading: Vec::new(),
            pulses: Vec::new(),
            located: 0,
            touched: 0,
            evaluated: 0,
            disturbed: 0,
            stale: 0,
            unsettled: 0,
            to_settle: false,
            seconds: 0.0,
            present: 0,
            microstep: 0,
            effective: effective(program),
            tables: Tables::new(program),
            joined: false,
            last_row: None,
        }))
    }

    /// Regions have to take their sides again.
    #[inline]
    fn unsettle(&mut self, regions: u64) {
        self.unsettled |= regions;
        self.to_settle = true;
    }

    /// Marks the readers of a change for the next microstep, and the regions whose smooth functions
    /// read it.
    #[inline]
    fn follow(&mut self, read: Read) {
        for word in self.tables.words(read) {
            self.next.add(*word);
        }
        self.disturbed |= read.regions;
        self.stale |= read.regions;
        self.unsettled |= read.regions;
        self.to_settle |= read.regions != 0;
    }

    /// The same for one whose place is not at hand yet, which is returned.
    #[inline]
    fn follow_change(&mut self, tracked: TrackedId) -> usize {
        let read = self.tables.read(tracked);
        self.follow(read);
        read.slot.index()
    }

    /// Whether nothing asks for another microstep.
    #[inline]
    fn is_quiet(&self) -> bool {
        self.present == 0 && self.marks.is_empty()
    }
}

/// A region as a bit.
#[inline]
fn bit(region: RegionId) -> u64 {
    1 << region.index()
}

/// Regions as bits.
#[inline]
fn bits(regions: impl Iterator<Item = RegionId>) -> u64 {
    regions.fold(0, |all, region| all | bit(region))
}

/// The regions of some bits, in order.
#[inline]
fn regions_of(mut bits: u64) -> impl Iterator<Item = RegionId> {
    std::iter::from_fn(move || {
        let region = (bits != 0).then(|| RegionId::new(bits.trailing_zeros() as usize))?;
        bits &= bits - 1;
        Some(region)
    })
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

/// Whether each tick reaches all that moves.
fn is_reached(program: &Program, movers: &[RegionId]) -> bool {
    let [mover] = movers else { return movers.is_empty() };
    let influence = &program.influence;
    program.timers.ids().all(|timer| influence.timers[timer].contains(mover))
        && influence.crossings[*mover].contains(mover)
}

/// Whether nothing but timers and crossings makes ticks, and nothing but units, commits and new
/// sides happens at them.
fn is_plain(program: &Program) -> bool {
    let sources = program.machines.is_empty()
        && program.lines.is_empty()
        && program.inputs.is_empty()
        && program.guesses.is_empty()
        && !program.follows_steps;
    let own = |unit: &program::Unit| unit.fragment == FragmentId::ROOT && !unit.may_be_unknown;
    let rare = [UnitEffects::HAZARDS, UnitEffects::LINES];
    let units = program.units.len() <= UNITS
        && program.units.iter().all(own)
        && program.effects.iter().all(|effects| rare.iter().all(|rare| !effects.have(*rare)));
    let regions = program.regions.len() <= REGIONS
        && program.regions.iter().filter(|region| region.moves).count() <= MOVERS
        && program.regions.iter().all(|region| match region.moves {
            true => region.is_whole() && !region.may_be_unknown && region.sliding.is_empty(),
            false => {
                region.left.is_empty()
                    && region.dimension == 0
                    && region.memories.is_empty()
                    && region.watches.is_empty()
            }
        });
    let slides = |crossing: &program::Crossing| crossing.sliding == MaySlide::Yes;
    sources
        && units
        && regions
        && !program.crossings.iter().any(slides)
        && program
            .timers
            .iter()
            .all(|timer| timer.fragment == FragmentId::ROOT && timer.alarm.is_none())
        && program.tracked(program.microstep).reader_words.is_empty()
        && program.records.last().is_none_or(|record| !record.hidden)
}

impl Engine<'_> {
    /// Does the ticks that come next, with the steps between them, as long as they are plain.
    /// Returns whether it has done anything.
    #[inline]
    pub(crate) fn tick_plainly(
        &mut self,
        limit: Time,
        most: u32,
        sink: &mut dyn Sink,
    ) -> Result<bool, RunError> {
        if most < LEAST || !self.has_plain_ticks(sink) {
            return Ok(false);
        }
        let Some(mut own) = self.take_plain() else { return Ok(false) };
        self.begin_rows(&mut own, sink);
        let result = self.plain_ticks(&mut own, limit, most, sink);
        self.end_rows(&mut own);
        self.scratch.plain_time = None;
        self.scratch.plain = Some(Some(own));
        result
    }

    /// What is known of the ticks of the program, once a run has had so many that it is worth while to
    /// find that out.
    #[inline]
    fn take_plain(&mut self) -> Option<Box<PlainTicks>> {
        match &mut self.scratch.plain {
            Some(known) => known.take(),
            None if UNITS_A_TICK * self.state.counters.ticks < self.program.units.len() as u64 => {
                None
            }
            unknown => unknown.insert(PlainTicks::find(self.program)).take(),
        }
    }

    /// Whether units are compiled, and rows are those of ticks and of steps.
    fn has_plain_ticks(&self, sink: &dyn Sink) -> bool {
        let (rows, state) = (&self.options.rows, &self.state);
        self.native.is_some_and(|native| native.units.is_some())
            && self.options.profile == Profile::Native
            && self.options.zeno != Zeno::Rest
            && !sink.listens()
            && rows.every.is_none()
            && state.rows.on_list >= rows.times.len()
            && self.scratch.turns.is_none()
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
        loop {
            let done = steps + (self.state.counters.microsteps - begun) as u32;
            if done + LEAST > most || self.state.watch.pace.left == 0 || self.state.ended.is_some()
            {
                return Ok(any);
            }
            let next = self.state.agenda.first().map_or(Time::MAX, |(time, _)| time);
            let horizon = next.min(self.options.stop);
            let slowest = self.slowest_plainly(own);
            let reached = slowest.map_or(horizon, |region| self.state.regions[region].reached);
            if !self.release_plainly(own, reached.min(horizon).min(limit), sink)? {
                return Ok(true);
            }
            let time = match slowest.map(|region| (region, &self.state.regions[region])) {
                Some((region, state)) if state.crossing && state.reached <= horizon => {
                    self.gather_cluster(region, horizon)
                }
                Some((region, state)) if state.reached < horizon => {
                    if state.reached >= last {
                        return Ok(any);
                    }
                    any = true;
                    let left = most - done;
                    steps += self.step_plainly(own, region, (horizon, limit), left, sink)?;
                    continue;
                }
                _ => next,
            };
            if time > last || time <= self.state.tag.time {
                return Ok(any);
            }
            any = true;
            if !self.plain_tick(own, time, sink)? || self.scratch.zeno.is_some() {
                return Ok(true);
            }
        }
    }

    /// The region that has advanced least.
    #[inline]
    fn slowest_plainly(&self, own: &PlainTicks) -> Option<RegionId> {
        match own.movers[..] {
            [] => None,
            [region] => Some(region),
            _ => {
                let movers = own.movers.iter().copied();
                movers.min_by_key(|region| (standing(&self.state.regions[*region]), *region))
            }
        }
    }

    /// Steps of a region: as many as it takes by itself if it moves alone and its steps have no rows,
    /// otherwise as the usual path does. Returns how many there were.
    #[inline]
    fn step_plainly(
        &mut self,
        own: &mut PlainTicks,
        region: RegionId,
        (horizon, limit): (Time, Time),
        most: u32,
        sink: &mut dyn Sink,
    ) -> Result<u32, RunError> {
        let accepted = |run: &Self| run.state.regions[region].solver.accepted();
        let begun = accepted(self);
        let taken = |run: &Self| (accepted(run) - begun) as u32;
        if own.silent & bit(region) == 0 {
            self.end_rows(own);
            self.step(region, (horizon, limit), most, sink)?;
            self.begin_rows(own, sink);
            return Ok(taken(self));
        }
        let alone = own.movers.len() == 1;
        let most = if alone { most.min(self.state.watch.pace.left) } else { 1 };
        let to = match self.state.agenda.first() {
            Some((time, first)) if own.tables.timers[first.index()] & bit(region) != 0 => {
                time.min(self.options.stop)
            }
            _ => self.own_horizon(region),
        };
        let result = self.step_region(region, to, (horizon.min(limit), most, false));
        let taken = taken(self);
        self.state.watch.pace.spend(taken);
        result?;
        if !alone {
            self.scratch.race.moved(region, standing(&self.state.regions[region]));
        }
        Ok(taken)
    }

    /// Writes the rows of steps up to a time that all regions have reached; whether these are all.
    #[inline]
    fn release_plainly(
        &mut self,
        own: &mut PlainTicks,
        reached: Time,
        sink: &mut dyn Sink,
    ) -> Result<bool, RunError> {
        let first = self.state.rows.waiting.peek();
        if first.is_none_or(|Reverse((time, _))| *time > reached) {
            return Ok(true);
        }
        self.end_rows(own);
        let all = self.release_rows(reached, sink)?;
        self.begin_rows(own, sink);
        Ok(all)
    }

    /// If all rows cover all regions, no row needs a look at each of them.
    fn begin_rows(&mut self, own: &mut PlainTicks, sink: &dyn Sink) {
        let steps = self.has_step_rows();
        let silent = |region: &RegionId| !(steps && self.program.regions[*region].recorded);
        own.silent = bits(own.movers.iter().copied().filter(silent));
        own.joined = sink.is_joined();
        if own.joined {
            self.cover_all();
            own.joined = self.scratch.covered.is_any();
        }
    }

    /// Writes a row. Regions that it covers and that are not part of the tick are evaluated for it.
    #[inline]
    fn write_plain_row(
        &mut self,
        own: &mut PlainTicks,
        tag: Tag,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        if own.joined {
            let missing = own.moving & !own.evaluated;
            if missing != 0 && tag.microstep == 0 {
                for region in regions_of(missing) {
                    if self.program.regions[region].recorded {
                        self.evaluate_plainly(own, region, tag.time)?;
                    }
                }
            }
            own.last_row = Some(tag);
            self.pass_row(tag, sink);
            return Ok(());
        }
        self.scratch.covered.set_touched(sink.is_joined(), own.touched);
        self.write_row(tag, sink);
        Ok(())
    }

    /// Lets all regions know of the last row.
    fn end_rows(&mut self, own: &mut PlainTicks) {
        if let Some(tag) = own.last_row.take() {
            self.scratch.covered.note_rows(self.state, tag);
        }
    }
}

/// The region of a unit, as a bit.
#[inline]
fn region_of(own: &PlainTicks, unit: UnitId) -> u64 {
    own.regions[unit.index()]
}
