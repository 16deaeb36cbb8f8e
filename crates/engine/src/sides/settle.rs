//! New sides and floors after a commit; a change causes the next microstep.

use program::{CrossingId, MaySlide, Profile, RegionId, TrackedId};

use crate::RunError;
use crate::engine::Engine;
use crate::log::Event;
use crate::rows::Sink;
use crate::smooth::flow::{numbered, watches};
use crate::tick::Tick;

impl Engine<'_> {
    /// Updates the sides and floors of the regions that a tick has touched, after the commit of a
    /// microstep; a change causes the next one.
    #[inline]
    pub(crate) fn settle_sides(
        &mut self,
        microstep: u32,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let _program = self.program;
        let unsettled = |tick: &mut Box<Tick>| std::mem::replace(&mut tick.unsettled, false);
        match self.state.tick.as_mut().is_some_and(unsettled) {
            true => self.settle(microstep, sink),
            false => Ok(()),
        }
    }

    /// Whether a region has to take its sides again.
    #[inline]
    fn is_unsettled(&self, region: RegionId) -> bool {
        let program = self.program;
        let touched = self.state.tick.as_ref().map(|tick| tick.region(region));
        touched.is_some_and(|touched| touched.touched && touched.unsettled)
            && !program.regions[region].watches.is_empty()
    }

    #[inline(never)]
    fn settle(&mut self, microstep: u32, sink: &mut dyn Sink) -> Result<(), RunError> {
        let _program = self.program;
        let mut found = std::mem::take(&mut self.scratch.found);
        found.clear();
        self.scratch.looked.clear();
        for place in 0..self.state.tick.as_mut().map_or(0, |tick| tick.order_involved()) {
            let Some(tick) = &mut self.state.tick else { return Ok(()) };
            let region = tick.involved(place);
            if !self.is_unsettled(region) {
                continue;
            }
            let Some(tick) = &mut self.state.tick else { return Ok(()) };
            let touched = tick.involve(region);
            touched.unsettled = false;
            let stale = std::mem::replace(&mut touched.stale, false);
            self.find_sides(region, stale, microstep, &mut found, sink)?;
        }
        self.look_behind_kinks(microstep, &mut found)?;
        if self.scratch.turns.is_some() {
            self.keep_waiting(microstep, &mut found);
        }
        for (index, new) in &found {
            self.freeze(*index, *new, microstep, sink);
        }
        self.scratch.found = found;
        if microstep == 0 && self.options.profile == Profile::Ptolemy {
            self.bring_due_events();
        }
        Ok(())
    }

    /// Finds the new sides and floors of a region. `stale` says that something has changed that its
    /// rates read.
    pub(crate) fn find_sides(
        &mut self,
        region: RegionId,
        stale: bool,
        microstep: u32,
        found: &mut Vec<(CrossingId, f64)>,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let begins = microstep == 0;
        if begins || stale {
            self.compute_rates(region, begins);
        }
        if begins && self.options.profile == Profile::Native {
            self.count_located_as_zero(region);
        }
        self.scratch.looked.push(region);
        self.scratch.decided.clear();
        self.decide_rests(region);
        self.decide_sliding(region, begins, found, sink)?;
        self.look_at_sides(region, begins, found)
    }

    /// Events for which a step has come close enough past their level, wherever it has ended.
    fn bring_due_events(&mut self) {
        let program = self.program;
        for place in 0..self.scratch.looked.len() {
            let region = self.scratch.looked[place];
            let here = self.state.tick.as_ref().map(|tick| tick.time);
            let state = &self.state.regions[region];
            if !state.crossing || here != Some(state.reached) {
                continue;
            }
            let due = |located: &solver::Located| {
                let watch = numbered(watches(&state.ranges), located.function);
                let crossing = program.regions[region].watches[watch].crossing;
                let crossed = program.crossings[crossing].crossed?;
                (located.due != 0.0).then_some((crossing, crossed, located.due))
            };
            let all: Vec<(CrossingId, TrackedId, f64)> =
                state.solver.crossed().iter().filter_map(due).collect();
            for (crossing, crossed, direction) in all {
                self.state.slots[program.tracked(crossed).slot.index()] = direction;
                self.pulse(crossed);
                self.ask_after_event(crossing, direction);
            }
        }
    }

    /// If a kink has changed its side, everything else that is zero moves as it does under the new
    /// side: `floor(max(0, x))` stays at 0 if x falls through zero. The value that a kink selects
    /// does not jump, so that this cannot cycle, unlike other comparisons.
    pub(crate) fn look_behind_kinks(
        &mut self,
        microstep: u32,
        found: &mut Vec<(CrossingId, f64)>,
    ) -> Result<(), RunError> {
        let program = self.program;
        let is_kink = |(index, _): &(CrossingId, f64)| program.crossings[*index].kink;
        if !found.iter().any(is_kink) {
            return Ok(());
        }
        found.retain(is_kink);
        let place =
            |index: CrossingId| program.tracked(program.crossings[index].frozen).slot.index();
        let kinks: Vec<(CrossingId, f64, f64)> = found
            .iter()
            .map(|(index, new)| (*index, self.state.slots[place(*index)], *new))
            .collect();
        kinks.iter().for_each(|(index, _, new)| self.state.slots[place(*index)] = *new);
        let mut again = Vec::new();
        for at in 0..self.scratch.looked.len() {
            self.compute_rates(self.scratch.looked[at], microstep == 0);
            self.look_at_sides(self.scratch.looked[at], microstep == 0, &mut again)?;
        }
        kinks.iter().for_each(|(index, old, _)| self.state.slots[place(*index)] = *old);
        again.retain(|crossing| !is_kink(crossing));
        found.append(&mut again);
        Ok(())
    }

    /// A function that was located at this time counts as zero. The solver has seen it at an offset
    /// from the start of the phase, but here it is a function of the time itself, whose resolution
    /// is coarser; the residual includes the difference.
    fn count_located_as_zero(&mut self, region: RegionId) {
        let (state, code) = (&self.state.regions[region], &self.program.regions[region]);
        let here = self.tick_time() == Some(state.reached);
        if !state.crossing || !here {
            return;
        }
        for located in state.solver.crossed().iter().filter(|located| located.leap == 0.0) {
            let watch = numbered(watches(&state.ranges), located.function);
            let g = self.state.slots[code.g.index() + watch].abs();
            let residual = &mut self.state.slots[code.residual.index() + watch];
            if *residual < g && g.is_finite() {
                *residual = g;
            }
        }
    }

    /// Gives a crossing its new side or floor, and an event if that differs.
    pub(crate) fn freeze(&mut self, id: CrossingId, new: f64, microstep: u32, sink: &mut dyn Sink) {
        let program = self.program;
        let crossing = &program.crossings[id];
        let slot = program.tracked(crossing.frozen).slot.index();
        let old = std::mem::replace(&mut self.state.slots[slot], new);
        if old == new {
            return;
        }
        self.mark_next(crossing.frozen);
        if sink.listens() {
            let (tag, block) = (self.state.tag, self.name(crossing.block));
            sink.event(Event::Side { tag, block, from: old, to: new, slides: false });
        }
        // Becoming zero is no crossing yet; leaving zero is one. In Ptolemy II it is the other way
        // round.
        let crosses = match self.options.profile {
            Profile::Native => new != 0.0,
            Profile::Ptolemy => old != 0.0,
        };
        if let Some(crossed) = crossing.crossed.filter(|_| crosses) {
            self.state.slots[program.tracked(crossed).slot.index()] = new - old;
            self.pulse(crossed);
            self.ask_after_event(id, new - old);
        }
        // Leaving a surface is no return to it.
        let left = old == 0.0 && crossing.sliding == MaySlide::Yes;
        if microstep == 0
            && self.options.profile == Profile::Native
            && !left
            && let Some(tick) = &self.state.tick
        {
            let time = tick.time;
            self.watch_accumulation(id, new, time);
        }
    }

    /// In Ptolemy II a level crossing asks for one microstep more after that of its event.
    fn ask_after_event(&mut self, id: CrossingId, change: f64) {
        let event = self.program.crossings[id].event;
        if let (Some(event), Some(tick)) = (event, &mut self.state.tick)
            && self.options.profile == Profile::Ptolemy
            && event.direction * change >= 0.0
        {
            tick.asked = tick.asked.max(2);
        }
    }

    /// Makes a tracked signal return to zero after the coming microstep.
    pub(crate) fn pulse(&mut self, tracked: TrackedId) {
        let _program = self.program;
        self.mark_next(tracked);
        if let Some(tick) = &mut self.state.tick {
            tick.pulses.push(tracked);
        }
    }
}
