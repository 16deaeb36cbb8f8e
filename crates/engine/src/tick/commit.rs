//! The commit of a microstep: states and crossing functions take their new values at once.

use base::Tag;
use program::{CrossingValue, Next, Program, TrackedState, Unit, UnitEffects};

use crate::RunError;
use crate::engine::Engine;
use crate::log::Event;
use crate::rows::Sink;

impl Engine<'_> {
    /// Rejects undefined operations before anything is written or committed.
    pub(crate) fn check_defined(&mut self, tag: Tag) -> Result<(), RunError> {
        let program = self.program;
        for index in &self.scratch.units.ran {
            let unit = &program.units[*index];
            if unit.checks.is_empty() || self.is_silenced(unit.fragment) {
                continue;
            }
            for check in &unit.checks {
                if self.state.slots[check.from.index()] == 0.0 {
                    continue;
                }
                if check.ends {
                    self.state.ended = self.state.ended.or(Some(check.block));
                } else {
                    let (block, reason) = (self.name(unit.block), check.reason.clone());
                    return Err(RunError::Undefined { tag, block, reason });
                }
            }
        }
        Ok(())
    }

    /// Checks for order hazards: conditions that hold at different microsteps of one instant.
    pub(crate) fn check_hazards(&mut self, tag: Tag) {
        let program = self.program;
        let ran = std::mem::take(&mut self.scratch.units.ran);
        for index in &ran {
            self.look_at_hazards(&program.units[*index], tag);
        }
        self.scratch.units.ran = ran;
    }

    /// Commits a microstep: states and crossing functions.
    pub(crate) fn commit(&mut self, tag: Tag, sink: &mut dyn Sink) -> Result<(), RunError> {
        let program = self.program;
        if self.scratch.units.effects.have(UnitEffects::NEXTS) {
            let listens = sink.listens();
            for at in 0..self.scratch.units.ran.len() {
                if let Some(unit) = self.committed(program, at, UnitEffects::NEXTS) {
                    self.commit_states(unit, tag, (listens, &mut *sink))?;
                }
            }
        }
        if self.scratch.units.effects.have(UnitEffects::CROSSINGS) {
            for at in 0..self.scratch.units.ran.len() {
                if let Some(unit) = self.committed(program, at, UnitEffects::CROSSINGS) {
                    self.commit_crossings(unit, tag, sink);
                }
            }
        }
        Ok(())
    }

    /// A unit that has run, if it has a given effect and takes part in the commit.
    #[inline(always)]
    fn committed<'p>(
        &self,
        program: &'p Program,
        at: usize,
        effect: UnitEffects,
    ) -> Option<&'p Unit> {
        let id = self.scratch.units.ran[at];
        let unit = program.effects[id].have(effect).then(|| &program.units[id])?;
        (!self.is_silenced(unit.fragment)).then_some(unit)
    }

    fn commit_states(
        &mut self,
        unit: &Unit,
        tag: Tag,
        (listens, sink): (bool, &mut dyn Sink),
    ) -> Result<(), RunError> {
        let program = self.program;
        for Next { from, state } in &unit.nexts {
            let id = program.states[*state].tracked;
            let tracked = program.tracked(id);
            let before = listens.then(|| self.values(id));
            if self.write(*from, id) {
                for region in &tracked.regions {
                    if !self.is_touched(*region) {
                        self.touch(*region)?;
                        // This has written left limits to the buffer; the new state overrides them.
                        self.write(*from, id);
                    }
                }
                self.mark_next(id);
                if let Some(timer) = program.states[*state].alarm {
                    self.set_alarm(timer);
                }
                if let Some(from) = before {
                    self.log_committed(&program.states[*state], from, tag, sink);
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn log_committed(&self, state: &TrackedState, from: Vec<f64>, tag: Tag, sink: &mut dyn Sink) {
        let (block, to) = (self.name(state.block), self.values(state.tracked));
        sink.event(Event::Committed { tag, block, state: state.name.clone(), from, to });
    }

    fn commit_crossings(&mut self, unit: &Unit, tag: Tag, sink: &mut dyn Sink) {
        let program = self.program;
        for CrossingValue { from, crossing: id } in &unit.crossings {
            let crossing = &program.crossings[*id];
            let value = self.state.slots[from.index()];
            let before = std::mem::replace(&mut self.state.slots[crossing.value.index()], value);
            match crossing.watch {
                Some(watch) if before.to_bits() != value.to_bits() => {
                    if let Some(tick) = &mut self.state.tick {
                        tick.unsettle(watch.region);
                    }
                }
                Some(_) => {}
                None => {
                    let side = crate::sides::sign(value);
                    self.freeze(*id, side, tag.microstep, sink);
                }
            }
        }
    }
}
