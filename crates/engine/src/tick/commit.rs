//! The commit of a microstep: states and crossing functions take their new values at once.

use base::Tag;
use program::{Program, TrackedState, Unit, UnitEffects};

use crate::RunError;
use crate::engine::Engine;
use crate::log::Event;
use crate::rows::Sink;

impl Engine<'_> {
    /// Rejects undefined operations before anything is written or committed.
    pub(crate) fn check_defined(&self, tag: Tag) -> Result<(), RunError> {
        let program = self.program;
        for index in &self.scratch.units.ran {
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

    /// Checks for order hazards: conditions that hold at different microsteps of one instant.
    pub(crate) fn check_meetings(&mut self, tag: Tag) {
        let program = self.program;
        let ran = std::mem::take(&mut self.scratch.units.ran);
        for index in &ran {
            self.look_at_meetings(&program.units[*index as usize], tag);
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
        duty: UnitEffects,
    ) -> Option<&'p Unit> {
        let index = self.scratch.units.ran[at] as usize;
        let unit = program.effects[index].have(duty).then(|| &program.units[index])?;
        (!self.is_silenced(unit.fragment)).then_some(unit)
    }

    fn commit_states(
        &mut self,
        unit: &Unit,
        tag: Tag,
        (listens, sink): (bool, &mut dyn Sink),
    ) -> Result<(), RunError> {
        let program = self.program;
        for (from, state) in &unit.nexts {
            let id = program.states[*state].tracked;
            let cell = program.tracked(id);
            let before = listens.then(|| self.values(id));
            if self.write(*from as usize, id) {
                for region in &cell.regions {
                    if !self.is_touched(region.index()) {
                        self.touch(region.index())?;
                        // This has written left limits to the buffer; the new state overrides them.
                        self.write(*from as usize, id);
                    }
                }
                self.mark_next(id);
                if let Some(from) = before {
                    self.tell_committed(&program.states[*state], from, tag, sink);
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn tell_committed(&self, state: &TrackedState, from: Vec<f64>, tag: Tag, sink: &mut dyn Sink) {
        let (block, to) = (state.block, self.values(state.tracked));
        sink.event(Event::Committed { tag, block, state: state.name.clone(), from, to });
    }

    fn commit_crossings(&mut self, unit: &Unit, tag: Tag, sink: &mut dyn Sink) {
        let program = self.program;
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
                    let side = crate::sides::sign(value);
                    self.freeze(*index, side, tag.microstep, sink);
                }
            }
        }
    }
}
