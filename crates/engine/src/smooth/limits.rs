//! Left limits: the signals of a region at a time that its solution covers.

use base::{Tag, Time};
use program::tape::run;
use program::{Guess, RegionId};

use crate::RunError;
use crate::engine::Engine;
use crate::smooth::flow::{scatter, states};

impl Engine<'_> {
    /// Writes the left limits of a region at a time to the buffer.
    pub(crate) fn evaluate(&mut self, region: RegionId, time: Time) -> Result<(), RunError> {
        self.place(region, time, time.seconds());
        self.left_limits(region, time)
    }

    /// Whether nothing in a region is computed between events.
    pub(crate) fn is_still(&self, region: RegionId) -> bool {
        let program = &self.program.regions[region];
        program.left.is_empty() && program.dimension == 0 && program.watches.is_empty()
    }

    /// Writes the states of a region at a time, also given in seconds, to the buffer, with the past
    /// values that it reads.
    pub(crate) fn place(&mut self, region: RegionId, time: Time, seconds: f64) {
        if self.is_still(region) {
            return;
        }
        let program = &self.program.regions[region];
        let state = &mut self.state.regions[region];
        if program.moves && time < state.reached {
            // Regions whose times differ by an attosecond may differ by a rounding.
            let t = time.since(state.origin).max(state.solver.step_start());
            self.scratch.numbers.resize(state.solver.state().len(), 0.0);
            state.solver.interpolate(t.min(state.solver.step_end()), &mut self.scratch.numbers);
            scatter(
                &mut self.state.slots,
                program.state,
                states(&state.ranges),
                &self.scratch.numbers,
            );
        } else if program.moves {
            let x = state.solver.state();
            scatter(&mut self.state.slots, program.state, states(&state.ranges), x);
        }
        self.program.set_time(&mut self.state.slots, time, seconds);
        if !program.lines.is_empty() {
            let (t, lines) = (time.since(state.origin), &self.program.lines);
            state.history.place(program, lines, state.origin, t, &mut self.state.slots, true);
        }
    }

    /// Computes the left limits of a region from its states in the buffer.
    pub(crate) fn left_limits(&mut self, region: RegionId, time: Time) -> Result<(), RunError> {
        if self.is_still(region) {
            return Ok(());
        }
        self.run_left(region);
        let tag = Tag::new(time, 0);
        let checked = self.check_finite(region, tag);
        if checked.is_ok() || self.program.regions[region].live.left.is_empty() {
            return checked;
        }
        // A side that is about to change may lead out of the domain of a function.
        run(&self.program.regions[region].live.left, &mut self.state.slots);
        self.check_finite(region, tag)
    }

    /// Guesses of solved loops follow the solutions at accepted points.
    pub(crate) fn follow_solutions(&mut self) {
        for Guess { solution, guess, length } in &self.program.guesses {
            let from = solution.index();
            if self.state.slots[from..from + length].iter().all(|x| x.is_finite()) {
                self.state.slots.copy_within(from..from + length, guess.index());
            }
        }
    }
}
