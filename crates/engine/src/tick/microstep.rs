//! One microstep: the units whose inputs have changed run, then everything is committed.

use base::Tag;
use program::tape::Slot;
use program::{Profile, TrackedId, UnitEffects};

use crate::RunError;
use crate::engine::Engine;
use crate::rows::Sink;
use crate::tick::units::copy;
use crate::watch::chattering::NEAR_LIMIT;

impl Engine<'_> {
    /// Does one microstep from 1 on.
    pub(crate) fn microstep(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        let program = self.program;
        let asked = self.take_asked();
        let Some(tag) = self.open_microstep()? else { return Ok(()) };
        if !program.machines.is_empty() {
            self.look_before();
        }
        self.run_units(tag, sink)?;
        self.conclude(tag, asked, sink)
    }

    /// The same once all units have run; `asked` says whether a machine has asked for it.
    pub(crate) fn conclude(
        &mut self,
        tag: Tag,
        asked: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let program = self.program;
        if !program.machines.is_empty() {
            self.silence();
            self.check_failures()?;
        }
        if self.scratch.units.effects.have(UnitEffects::CHECKS) {
            self.check_defined(tag)?;
        }
        if self.scratch.units.effects.have(UnitEffects::HAZARDS) {
            self.check_hazards(tag);
        }
        if !program.lines.is_empty() {
            self.record_lines(tag.microstep);
        }
        let present = self.state.tick.as_ref().is_some_and(|tick| tick.present > 0);
        if asked || present || self.options.profile == Profile::Native {
            self.cover_touched(sink);
            self.write_row(tag, sink);
            if let Some(tick) = &mut self.state.tick {
                tick.spoke = true;
            }
        }
        self.end_pulses();
        self.commit(tag, sink)?;
        self.settle_sides(tag.microstep, sink)?;
        if !program.machines.is_empty() {
            self.end_speeches();
            // A fragment that was switched on may have something due at once.
            self.take_due(tag.time, sink);
            self.wake();
        }
        if !program.inputs.is_empty() {
            self.bring_inputs();
        }
        if !program.readers.is_empty() {
            self.pass_changes(tag.microstep + 1);
        }
        if !program.lines.is_empty() {
            self.bring(tag.microstep + 1);
        }
        if !program.machines.is_empty() {
            self.decide(tag.microstep, sink)?;
        }
        self.end_if_quiet(sink)
    }

    /// Whether a machine asks for the coming microstep; it is then served.
    fn take_asked(&mut self) -> bool {
        let Some(tick) = &mut self.state.tick else { return false };
        let asked = tick.asked > 0;
        tick.asked = tick.asked.saturating_sub(1);
        asked
    }

    /// Takes everything that the tick has for its next microstep; none if there is no tick.
    fn open_microstep(&mut self) -> Result<Option<Tag>, RunError> {
        let Some(tick) = &mut self.state.tick else { return Ok(None) };
        let tag = Tag::new(tick.time, tick.microstep);
        if !tick.entered.is_empty() {
            tick.pending.append(&mut tick.entered);
        }
        self.scratch.machines.speaking.append(&mut tick.speaking);
        if tick.microstep.saturating_add(NEAR_LIMIT) > self.options.microsteps {
            self.check_chattering()?;
        }
        let Some(tick) = &mut self.state.tick else { return Ok(None) };
        tick.microstep += 1;
        // A microstep that has completed leaves no mark.
        self.scratch.units.marked.prepare(tick.dirty.len());
        std::mem::swap(&mut self.scratch.units.marked, &mut tick.dirty);
        self.scratch.fading.clear();
        std::mem::swap(&mut self.scratch.fading, &mut tick.pulses);
        self.state.tag = tag;
        self.program.set_time(&mut self.state.slots, tick.time, tick.seconds);
        let microstep = self.program.tracked(self.program.microstep);
        // Without readers the buffer is the same at all microsteps that are, which shows whether
        // they repeat without end.
        if !microstep.reader_words.is_empty() {
            self.state.slots[microstep.slot.index()] = f64::from(tag.microstep);
        }
        for word in &microstep.reader_words {
            self.scratch.units.marked.add(*word);
        }
        self.state.counters.microsteps += 1;
        Ok(Some(tag))
    }

    /// Signals that last for one microstep return to zero.
    #[inline]
    fn end_pulses(&mut self) {
        for index in 0..self.scratch.fading.len() {
            let pulse = self.scratch.fading[index];
            self.state.slots[self.program.tracked(pulse).slot.index()] = 0.0;
            self.mark_next(pulse);
        }
    }

    /// Copies values to a tracked signal; returns whether they differ from the previous ones.
    #[inline]
    pub(crate) fn write(&mut self, from: Slot, tracked: TrackedId) -> bool {
        let tracked = self.program.tracked(tracked);
        copy(&mut self.state.slots, from, tracked.slot, tracked.length)
    }

    pub(crate) fn values(&self, tracked: TrackedId) -> Vec<f64> {
        let tracked = self.program.tracked(tracked);
        self.state.slots[tracked.slot.range(tracked.length)].to_vec()
    }

    /// Marks a changed tracked signal for the next microstep.
    #[inline]
    pub(crate) fn mark_next(&mut self, tracked: TrackedId) {
        let program = self.program;
        if let Some(tick) = &mut self.state.tick {
            tick.mark(program.tracked(tracked));
        }
    }
}
