//! Checks that a program can be run. The engine and native code rely on these invariants:
//!
//! 1. every tape is well formed over the buffer ([`ir::TapeError`]);
//! 2. tracked signals, states, outputs of units and guesses lie in the buffer;
//! 3. ids name entries of their tables;
//! 4. the outputs of a unit are contiguous, and as long as their destinations;
//! 5. states, rates and watched functions of a region are each contiguous and do not overlap.

use std::fmt;
use std::ops::Range;

use ir::{Slot, Tape};

use crate::program::Program;
use crate::region::RegionProgram;
use crate::solved::Guess;
use crate::tracked::TrackedId;
use crate::unit::Unit;

/// A part of a program that breaks an invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramError {
    /// The part, such as `unit 3 of ball.kick`.
    pub part: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.reason)
    }
}

impl std::error::Error for ProgramError {}

impl Program {
    /// Checks every part.
    pub fn verify(&self) -> Result<(), ProgramError> {
        let error = |part: String| move |reason: String| ProgramError { part, reason };
        self.check_tables().map_err(error("tables".to_owned()))?;
        self.check_tape("still", &self.still).map_err(error("still signals".to_owned()))?;
        for (id, region) in self.regions.entries() {
            self.check_region(region).map_err(error(format!("region {}", id.index())))?;
        }
        for (index, unit) in self.units.iter().enumerate() {
            let path = &self.origins.block(unit.block).path;
            self.check_unit(unit).map_err(error(format!("unit {index} of {path}")))?;
        }
        for (id, machine) in self.machines.entries() {
            let path = &self.origins.machine(id).path;
            let transitions = machine.states.iter().flat_map(|state| &state.transitions);
            for transition in transitions {
                let values = transition.guards.iter().chain(transition.says.iter().map(|s| &s.1));
                for value in values.chain(transition.sets.iter().map(|set| &set.value)) {
                    self.check_tape("transition", &value.tape)
                        .map_err(error(format!("machine {path}")))?;
                }
            }
        }
        for (index, fragment) in self.fragments.iter().enumerate() {
            self.check_tape("entry", &fragment.entry)
                .map_err(error(format!("fragment {index}")))?;
        }
        Ok(())
    }

    fn check_tape(&self, name: &str, tape: &Tape) -> Result<(), String> {
        tape.verify(self.image.len()).map_err(|error| format!("tape of {name}: {error}"))
    }

    fn inside(&self, what: &str, range: Range<usize>) -> Result<(), String> {
        match range.end <= self.image.len() {
            true => Ok(()),
            false => Err(format!("{what} at {range:?} is outside the buffer")),
        }
    }

    fn check_id(&self, id: TrackedId) -> Result<(), String> {
        match id.index() < self.tracked.len() {
            true => Ok(()),
            false => Err(format!("there is no tracked signal {}", id.index())),
        }
    }

    fn check_tables(&self) -> Result<(), String> {
        for tracked in &self.tracked {
            self.inside("a tracked signal", tracked.range())?;
            if tracked.readers.iter().any(|unit| unit.index() >= self.units.len()) {
                return Err("a reader that is not there".to_owned());
            }
            if tracked.regions.iter().any(|region| region.index() >= self.regions.len()) {
                return Err("a region that is not there".to_owned());
            }
        }
        for state in &self.states {
            self.check_id(state.tracked)?;
            if self.tracked(state.tracked).length != state.initial.len() {
                return Err("a state whose initial value has another size".to_owned());
            }
        }
        for Guess { solution, guess, length } in &self.guesses {
            for slot in [*solution, *guess] {
                self.inside("a guess", slot.range(*length))?;
            }
        }
        for crossing in &self.crossings {
            self.check_id(crossing.frozen)?;
            crossing.crossed.map_or(Ok(()), |id| self.check_id(id))?;
            self.inside("a crossing", crossing.value.range(1))?;
        }
        Ok(())
    }

    fn check_region(&self, region: &RegionProgram) -> Result<(), String> {
        let tapes = [
            ("prelude", &region.prelude),
            ("rates", &region.derivative),
            ("crossings", &region.crossings),
            ("slopes", &region.slopes),
            ("left limits", &region.left),
            ("sample", &region.sample),
            ("complete", &region.complete),
            ("rates by values", &region.live.derivative),
            ("crossings by values", &region.live.crossings),
            ("left limits by values", &region.live.left),
            ("sample by values", &region.live.sample),
        ];
        for (name, tape) in tapes {
            self.check_tape(name, tape)?;
        }
        if let Some(jacobian) = &region.jacobian {
            self.check_tape("jacobian", &jacobian.tape)?;
        }
        let range = |from: Slot, length: usize| from.range(length);
        let (states, watches) = (region.dimension, region.watches.len());
        let mut rows = vec![range(region.state, states), range(region.rate, states)];
        let watched = [region.g, region.g_rate, region.side, region.residual];
        rows.extend(watched.map(|from| range(from, watches)));
        for row in &rows {
            self.inside("a row of the region", row.clone())?;
        }
        rows.retain(|row| !row.is_empty());
        rows.sort_by_key(|row| row.start);
        match rows.windows(2).all(|pair| pair[0].end <= pair[1].start) {
            true => Ok(()),
            false => Err("states, rates and watched functions overlap".to_owned()),
        }
    }

    fn check_unit(&self, unit: &Unit) -> Result<(), String> {
        self.check_tape("unit", &unit.tape)?;
        let mut end = unit.made().start;
        for output in &unit.outputs {
            self.check_id(output.tracked)?;
            let to = self.tracked(output.tracked);
            if output.made().start != end {
                return Err("outputs are not one after the other".to_owned());
            }
            end = output.made().end;
            if to.slot != output.to || to.length != output.length as usize {
                return Err("an output does not fit what it goes to".to_owned());
            }
            if let Some(guard) = output.guard {
                self.inside("a guard", guard.range(1))?;
            }
        }
        self.inside("outputs", unit.made())?;
        for next in &unit.nexts {
            let Some(state) = self.states.get(next.state) else {
                return Err("a state that is not there".to_owned());
            };
            let length = self.tracked(state.tracked).length;
            let from = next.from.index();
            self.inside("the next value of a state", from..from + length)?;
        }
        match unit.crossings.iter().all(|own| self.crossings.get(own.crossing).is_some()) {
            true => Ok(()),
            false => Err("a crossing that is not there".to_owned()),
        }
    }
}
