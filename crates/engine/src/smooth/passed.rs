//! Several steps at once of a region whose steps have rows.
//!
//! A step of a small region costs as much as going back to the run loop and to the row queue after
//! it. So the solver goes on by itself and keeps the points that it passes, and their rows are
//! written afterwards, in order. A row whose values are not finite is found late then: everything is
//! put back, and the step that leads to it is taken once more, so that the run fails there with
//! nothing computed beyond it.

use base::{Tag, Time};
use program::{Profile, RegionId};

use crate::RunError;
use crate::engine::Engine;
use crate::rows::Sink;
use crate::smooth::flow::{scatter, states};

/// The most numbers of the points that are kept at once, and by how many steps the horizon must be
/// away for that to pay.
const ROOM: usize = 1 << 14;
const AHEAD: f64 = 4.0;

impl Engine<'_> {
    /// How many of so many steps of a region may be taken before their rows are written: one, unless
    /// its steps have rows for which nothing but time and states is needed.
    pub(crate) fn most_with_rows(
        &self,
        region: RegionId,
        horizon: Time,
        most: u32,
        sink: &dyn Sink,
    ) -> u32 {
        if most <= 1 || !self.has_plain_rows(region) || sink.listens() {
            return 1;
        }
        let state = &self.state.regions[region];
        let rest = horizon.since(state.reached);
        let near = state.solver.next_step().is_none_or(|step| AHEAD * step > rest);
        let room = (ROOM / (1 + state.solver.state().len())).max(1) as u32;
        if near { 1 } else { most.min(room) }
    }

    /// Whether each step of a region has a row, other rows come at ticks only, and no row changes
    /// what the next step computes.
    fn has_plain_rows(&self, region: RegionId) -> bool {
        let (program, rows) = (&self.program.regions[region], &self.options.rows);
        program.recorded
            && !program.watched
            && program.watches.is_empty()
            && program.lines.is_empty()
            && rows.steps
            && rows.every.is_none()
            && self.state.rows.on_list >= rows.times.len()
            && self.state.rows.waiting.is_empty()
            && self.scratch.covered.shows(region)
            && self.scratch.besides.is_empty()
            && self.scratch.mover.is_some()
            && self.program.guesses.is_empty()
            && self.program.recovering.is_empty()
            && self.options.profile == Profile::Native
    }

    /// Up to `most` steps of a region before a time, with the rows of all but the last of them,
    /// which waits as it does after a single step.
    pub(crate) fn step_with_rows(
        &mut self,
        region: RegionId,
        horizon: Time,
        (before, most): (Time, u32),
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let solver = &self.state.regions[region].solver;
        match &mut self.scratch.spare_solver {
            Some(spare) => spare.as_mut().clone_from(solver),
            spare => *spare = Some(Box::new(solver.clone())),
        }
        let (reached, switches) = (self.state.regions[region].reached, self.state.switches.len());
        let result = self.step_region(region, horizon, (before, most, true));
        let written = self.write_passed(region, horizon, sink);
        let (Err(place), Some(spare)) = (written, &self.scratch.spare_solver) else {
            return result;
        };
        let state = &mut self.state.regions[region];
        state.solver.clone_from(spare);
        state.reached = reached;
        self.state.rows.waiting.clear();
        self.state.switches.truncate(switches);
        self.step_region(region, horizon, (before, place + 1, false))
    }

    /// Writes the rows of the points that a region has passed; otherwise the number of the point
    /// without one.
    fn write_passed(
        &mut self,
        region: RegionId,
        horizon: Time,
        sink: &mut dyn Sink,
    ) -> Result<(), u32> {
        let points = std::mem::take(&mut self.scratch.passed);
        let width = 1 + self.state.regions[region].solver.state().len();
        let mut each = points.chunks_exact(width).zip(0..);
        let wrong = each.find(|(point, _)| self.write_point(region, horizon, point, sink).is_err());
        let wrong = wrong.map(|(_, place)| place);
        self.scratch.passed = points;
        wrong.map_or(Ok(()), Err)
    }

    fn write_point(
        &mut self,
        region: RegionId,
        horizon: Time,
        point: &[f64],
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let (offset, x) = (point[0], &point[1..]);
        let time = self.state.regions[region].time_at(offset, f64::INFINITY, horizon);
        let seconds = time.seconds();
        self.cover_step(region, sink);
        self.for_rows(|engine, own| {
            if own != region {
                return engine.evaluate(own, time);
            }
            let (program, ranges) =
                (&engine.program.regions[region], &engine.state.regions[region].ranges);
            scatter(&mut engine.state.slots, program.state, states(ranges), x);
            engine.state.slots[engine.program.time.index()] = seconds;
            engine.left_limits(region, time)
        })?;
        self.write_row(Tag::new(time, 0), sink);
        Ok(())
    }
}
