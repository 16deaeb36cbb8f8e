//! Microsteps that never end.

use program::tape::Slot;
use program::{BlockId, MaySlide, Output, RegionId, StateId, TrackedId};

use crate::engine::Engine;
use crate::error::{RunError, Switching};
use crate::tick::Mark;

/// How many microsteps before the limit the check for repetition begins. It finds a period of up to
/// half of that, after R. P. Brent, "An improved Monte Carlo factorization algorithm" (1980).
pub(crate) const NEAR_LIMIT: u32 = 64;

impl Engine<'_> {
    /// Checks a microstep near the limit of microsteps at one time, or beyond it. Everything that
    /// determines the following ones is kept, and if it recurs they never end.
    #[cold]
    pub(crate) fn check_chattering(&mut self) -> Result<(), RunError> {
        let limit = self.options.microsteps;
        let heard = self.slots_of_listeners();
        let Some(tick) = &mut self.state.tick else { return Ok(()) };
        // Blocks that only listen, such as a counter of the events, do not affect the following
        // microsteps.
        let bits = || {
            let slots = self.state.slots.iter().zip(&heard);
            slots.map(|(x, heard)| if *heard { 0 } else { x.to_bits() })
        };
        tick.repeats |= tick.mark.as_ref().is_some_and(|mark| {
            mark.dirty == tick.dirty
                && mark.pulses == tick.pulses
                && bits().eq(mark.slots.iter().copied())
        });
        tick.looks += 1;
        if tick.looks.is_power_of_two() {
            let (dirty, pulses) = (tick.dirty.clone(), tick.pulses.clone());
            tick.mark = Some(Mark { slots: bits().collect(), dirty, pulses });
        }
        match tick.microstep > limit {
            true => Err(self.chattering()),
            false => Ok(()),
        }
    }

    fn chattering(&self) -> RunError {
        let Some(tick) = &self.state.tick else {
            unreachable!("only a tick has microsteps");
        };
        let origins = &self.program.origins;
        let mut blocks: Vec<String> = Vec::new();
        for (id, unit) in self.program.units.entries() {
            let present = |output: &Output| {
                let tracked = self.program.tracked(output.tracked);
                tracked.event && self.state.slots[tracked.slot.index()] != 0.0
            };
            let dirty = tick.dirty.has(id) || unit.outputs.iter().any(present);
            let path = self.path(unit.block);
            let dirty = dirty && !origins.block(unit.block).listens;
            if dirty && !blocks.contains(&path) && blocks.len() < 8 {
                blocks.push(path);
            }
        }
        let (time, limit, endless) = (tick.time, self.options.microsteps, tick.repeats);
        RunError::Chattering { time, limit, blocks, endless, switching: self.switching() }
    }

    /// A comparison that is on its level in a region of this tick, and whether it may slide.
    fn switching(&self) -> Switching {
        let Some(tick) = &self.state.tick else { return Switching::No };
        let here = |region: &RegionId| tick.region(*region).changed;
        for (region, code) in self.program.regions.entries().filter(|(id, _)| here(id)) {
            let _ = region;
            for (watch, own) in code.watches.iter().enumerate() {
                let crossing = &self.program.crossings[own.crossing];
                let at = |from: Slot| self.state.slots[from.index() + watch];
                let on_level = at(code.g).abs() <= at(code.residual) || at(code.g) == 0.0;
                if crossing.kink || crossing.crossed.is_some() || !on_level {
                    continue;
                }
                let block = self.path(crossing.block);
                return match &crossing.sliding {
                    MaySlide::Refused(why) => Switching::CannotSlide(block, why.clone()),
                    // A floor never slides.
                    _ if !own.side => continue,
                    MaySlide::Yes => Switching::HigherOrder(block),
                    MaySlide::No => Switching::MaySlide(block),
                };
            }
        }
        Switching::No
    }

    /// For each slot, whether it belongs to a block that only listens.
    fn slots_of_listeners(&self) -> Vec<bool> {
        let origins = &self.program.origins;
        let listens = |block: BlockId| origins.block(block).listens;
        let mut slots = vec![false; self.state.slots.len()];
        let mut mark = |from: Slot, length: usize| {
            slots[from.range(length)].fill(true);
        };
        let slots_of = |tracked: TrackedId| {
            let tracked = self.program.tracked(tracked);
            (tracked.slot, tracked.length)
        };
        for state in self.program.states.iter().filter(|state| listens(state.block)) {
            let (from, length) = slots_of(state.tracked);
            mark(from, length);
        }
        for (id, parts) in self.program.wires.entries() {
            if listens(origins.source(id)) {
                parts.all().map(slots_of).for_each(|(from, length)| mark(from, length));
            }
        }
        for unit in self.program.units.iter().filter(|unit| listens(unit.block)) {
            let length = |state: StateId| slots_of(self.program.states[state].tracked).1;
            unit.outputs.iter().for_each(|output| mark(output.from, output.length as usize));
            unit.nexts.iter().for_each(|next| mark(next.from, length(next.state)));
            unit.crossings.iter().for_each(|own| mark(own.from, 1));
            let temporaries = unit.tape.temporaries().iter();
            temporaries.for_each(|(from, length)| mark(*from, *length as usize));
        }
        slots
    }
}
