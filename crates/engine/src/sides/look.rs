//! The side or floor of a crossing, from the values in the buffer.

use std::ops::Range;

use base::Tag;
use program::tape::{Slot, run};
use program::{
    Crossing, CrossingId, CrossingKind, CrossingValue, Profile, RegionId, RegionProgram,
    UnitEffects, UnitId, WatchId,
};

use solver::wide;

use super::{is_read_as, sign};
use crate::RunError;
use crate::engine::Engine;

/// How many functions are passed over at once.
const BLOCK: usize = 64;

impl Engine<'_> {
    /// Adds to `found` the new sides and floors of a region's crossings that differ from the frozen
    /// ones, given the values in the buffer. Nothing is written: all regions look before one of
    /// them changes. When a tick begins a function may have leapt over zero.
    pub(crate) fn look_at_sides(
        &mut self,
        region: RegionId,
        begins: bool,
        found: &mut Vec<(CrossingId, f64)>,
    ) -> Result<(), RunError> {
        let program = self.program;
        let code = &program.regions[region];
        let leaps = begins && self.state.regions[region].leaps();
        let noise = if leaps { f64::INFINITY } else { self.common_noise(region) };
        for span in code.slices.iter().filter(|span| span.watches > 0) {
            if !self.runs(span.fragment) || self.is_silenced(span.fragment) {
                continue;
            }
            let mut next = span.watch;
            while next < span.watch + span.watches {
                if noise.is_finite() && next.is_multiple_of(BLOCK) {
                    let last = (next + BLOCK).min(span.watch + span.watches);
                    if self.keep_their_sides(code, next..last, noise) {
                        next = last;
                        continue;
                    }
                }
                let watch = next;
                next += 1;
                if self.scratch.decided.contains(&watch) {
                    continue;
                }
                if !leaps && self.keeps_its_side(code, region, watch) {
                    continue;
                }
                let id = code.watches[watch].crossing;
                // A floor has two watches, and is examined once.
                if program.crossings[id].watch.is_some_and(|first| first.index == watch) {
                    let watch = WatchId { region, index: watch };
                    let leap = if leaps { self.leap(watch) } else { None };
                    let new = match leap {
                        Some(side) if program.crossings[id].kind == CrossingKind::Sign => side,
                        _ => self.new_frozen(id)?,
                    };
                    let frozen = program.tracked(program.crossings[id].frozen).slot.index();
                    if self.state.slots[frozen] != new {
                        found.push((id, new));
                    }
                }
            }
        }
        Ok(())
    }

    /// A bound of the rounding of all watched functions of a region; infinite if there is none.
    fn common_noise(&self, region: RegionId) -> f64 {
        let Some(terms) = &self.program.regions[region].common_terms else { return f64::INFINITY };
        let slots = &self.state.slots;
        let time = slots[self.program.time.index()];
        terms.noise(slots, time, self.state.regions[region].solver.largest_drift())
    }

    /// Whether functions one after the other are on their sides by more than a bound of the rounding
    /// of all: one pass without branches, which most of thousands are done with.
    fn keep_their_sides(&self, code: &RegionProgram, watches: Range<usize>, noise: f64) -> bool {
        let slots = &self.state.slots;
        let part = |from: Slot| {
            let from = from.index();
            &slots[from + watches.start..from + watches.end]
        };
        let (g, side, residual) = (part(code.g), part(code.side), part(code.residual));
        wide(
            g.len(),
            #[inline(always)]
            || {
                g.iter().zip(side).zip(residual).fold(true, |all, ((g, side), residual)| {
                    let value = g * side;
                    all & (value > *residual) & (value > noise)
                })
            },
        )
    }

    /// Whether a function is on its side by more than a quick bound of its rounding. Most are, and
    /// all of them are checked.
    #[inline]
    fn keeps_its_side(&self, code: &RegionProgram, region: RegionId, watch: usize) -> bool {
        let at = |from: Slot| self.state.slots[from.index() + watch];
        let value = at(code.g) * at(code.side);
        code.watches[watch].side
            && value > at(code.residual)
            && value > self.quick_noise(region, code.functions[watch].terms.as_ref())
    }

    /// Sets the sides of those crossings of some units whose changes are read but that do not move
    /// between events.
    pub(crate) fn set_unlocated(&mut self, units: &[UnitId]) -> bool {
        let program = self.program;
        let mut changed = false;
        for unit in units.iter().map(|unit| &program.units[*unit]) {
            let unlocated = |own: &&CrossingValue| program.crossings[own.crossing].watch.is_none();
            if !self.runs(unit.fragment) {
                continue;
            }
            if !unit.crossings.iter().any(|own| unlocated(&own)) {
                continue;
            }
            run(&unit.tape, &mut self.state.slots);
            for own in unit.crossings.iter().filter(unlocated) {
                let crossing = &program.crossings[own.crossing];
                let value = self.state.slots[own.from.index()];
                self.state.slots[crossing.value.index()] = value;
                let side = program.tracked(crossing.frozen).slot.index();
                let new = sign(value);
                changed |= std::mem::replace(&mut self.state.slots[side], new) != new;
            }
        }
        changed
    }

    /// The side or floor of a crossing, given the values in the buffer.
    pub(crate) fn new_frozen(&mut self, id: CrossingId) -> Result<f64, RunError> {
        let program = self.program;
        let crossing = &program.crossings[id];
        let (kind, block) = (crossing.kind, crossing.block);
        let value = self.state.slots[crossing.value.index()];
        let Some(watch) = crossing.watch else { return Ok(sign(value)) };
        if value.is_nan() {
            let tag = Tag { time: self.state.tag.time, microstep: self.state.tag.microstep };
            return Err(RunError::NotFinite { tag, block: self.name(block) });
        }
        if self.options.profile == Profile::Ptolemy {
            return Ok(match kind {
                CrossingKind::Sign => sign(value),
                CrossingKind::Floor => value.floor() + 0.0,
            });
        }
        match kind {
            CrossingKind::Sign => {
                let zero = self.is_on_level(watch, id, value);
                Ok(if zero { self.direction(watch) } else { sign(value) })
            }
            CrossingKind::Floor => {
                if self.is_blurred(watch) {
                    let tag =
                        Tag { time: self.state.tag.time, microstep: self.state.tag.microstep };
                    return Err(RunError::StepTooSmall { tag, block: self.name(block) });
                }
                // A value next to an edge counts as on it, and takes the floor that it moves to.
                // Floors have no negative zero, which the sum removes.
                let edge = value.round() + 0.0;
                Ok(match self.is_on_level(watch, id, value) {
                    true if self.direction(watch) < 0.0 => edge - 1.0,
                    true => edge,
                    false => value.floor() + 0.0,
                })
            }
        }
    }

    /// Checks the crossings that the units of a microstep have read by value, because the value
    /// disagrees with the frozen side. If the value is zero up to rounding it gets a residual, and
    /// the unit is marked again; returns whether any is.
    pub(crate) fn read_by_side(&mut self) -> bool {
        let program = self.program;
        let mut again = false;
        for place in 0..self.scratch.units.ran.len() {
            let unit = self.scratch.units.ran[place];
            if !program.effects[unit].have(UnitEffects::CROSSINGS) {
                continue;
            }
            for CrossingValue { from, crossing: id } in &program.units[unit].crossings {
                let crossing = &program.crossings[*id];
                let value = self.state.slots[from.index()];
                let frozen = self.state.slots[program.tracked(crossing.frozen).slot.index()];
                if !is_read_as(crossing.kind, value, frozen)
                    && self.is_misread((*id, crossing), value, frozen)
                {
                    self.scratch.units.marked.add_unit(unit);
                    again = true;
                }
            }
        }
        again
    }

    /// Whether a value that disagrees with the frozen side or floor is nevertheless on its level.
    #[cold]
    fn is_misread(
        &mut self,
        (id, crossing): (CrossingId, &Crossing),
        value: f64,
        frozen: f64,
    ) -> bool {
        let _program = self.program;
        let Some(watch) = crossing.watch else { return false };
        let (beyond, next_to_it) = match crossing.kind {
            CrossingKind::Sign => (value.abs(), true),
            CrossingKind::Floor => {
                let edge = value.round();
                ((value - edge).abs(), [frozen, frozen + 1.0].contains(&edge))
            }
        };
        next_to_it
            && beyond > self.state.slots[crossing.residual.index()]
            && self.is_on_level(watch, id, value)
    }
}
