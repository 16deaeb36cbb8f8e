//! Several steps at once of a region whose steps have rows.
//!
//! A step of a small region costs as much as going back to the run loop and to the row queue after
//! it. So the solver goes on by itself and keeps the points that it passes, and their rows are
//! written afterwards, in order. A row whose values are not finite is found late then: everything is
//! put back, and the step that leads to it is taken once more, so that the run fails there with
//! nothing computed beyond it.

use std::slice::ChunksExact;

use base::{Tag, Time};
use program::tape::run;
use program::{Profile, RegionId};
use solver::Policy;

use crate::RunError;
use crate::engine::Engine;
use crate::native::code;
use crate::rows::Sink;
use crate::smooth::flow::{scatter, states};
use crate::smooth::step::on_clock;

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
            && (self.options.profile == Profile::Native || self.sees_only_rows(region))
    }

    /// Whether nothing but rows sees the steps of a region with the profile of Ptolemy II, and no
    /// comparison is read from its value.
    fn sees_only_rows(&self, region: RegionId) -> bool {
        let live = &self.program.regions[region].live;
        self.scratch.rounds.is_none() && live.left.is_empty() && live.derivative.is_empty()
    }

    /// The time of a point that a region has passed.
    fn time_passed(&self, region: RegionId, offset: f64, horizon: Time) -> Time {
        let state = &self.state.regions[region];
        let time = state.time_at(offset, f64::INFINITY, horizon);
        match self.options.solver.policy {
            Policy::Ptolemy { resolution, .. } => {
                on_clock(time, resolution).clamp(state.origin, horizon)
            }
            _ => time,
        }
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
        self.cover_step(region, sink);
        let written = match self.covers_alone(region) {
            true => self.write_alone(region, horizon, &points, sink),
            false => {
                let mut each = self.points(region, &points).zip(0..);
                let wrong =
                    each.find(|(point, _)| self.write_point(region, horizon, point, sink).is_err());
                wrong.map_or(Ok(()), |(_, place)| Err(place))
            }
        };
        self.scratch.passed = points;
        written
    }

    /// The points that a region has passed: offset and states of each.
    fn points<'p>(&self, region: RegionId, points: &'p [f64]) -> ChunksExact<'p, f64> {
        points.chunks_exact(1 + self.state.regions[region].solver.state().len())
    }

    /// Whether nothing has to be computed for the coming row but the signals of a region, by its left
    /// tape alone, and all that it covers have had the same row last.
    fn covers_alone(&self, region: RegionId) -> bool {
        let state = &self.state.regions[region];
        state.surfaces.is_empty()
            && self.scratch.rounds.is_none()
            && self.covered().iter().all(|own| {
                let computed = self.program.regions[*own].recorded && !self.is_still(*own);
                (*own == region || !computed) && self.state.regions[*own].last_row == state.last_row
            })
    }

    /// The rows of points that cover a region alone. What is the same for all of them is done once,
    /// because a step of a small region costs little more than its row.
    fn write_alone(
        &mut self,
        region: RegionId,
        horizon: Time,
        points: &[f64],
        sink: &mut dyn Sink,
    ) -> Result<(), u32> {
        let (program, code) = (&self.program.regions[region], code(self.native, region));
        let mut last = self.state.regions[region].last_row;
        let mut written = Ok(());
        for (point, place) in self.points(region, points).zip(0..) {
            let time = self.time_passed(region, point[0], horizon);
            let state = &self.state.regions[region];
            let (tag, slots) = (Tag::new(time, 0), &mut self.state.slots);
            scatter(slots, program.state, states(&state.ranges), &point[1..]);
            self.program.set_time(slots, time, time.seconds());
            match code {
                Some(code) => code.left(slots),
                None => run(&program.left, slots),
            }
            if !self.is_finite(region) && self.left_limits(region, time).is_err() {
                written = Err(place);
                break;
            }
            // Steps that end at the same attosecond share a row.
            match last.is_some_and(|last| last >= tag) {
                true => sink.no_row(tag),
                false => self.pass_row(tag, sink),
            }
            last = last.max(Some(tag));
        }
        if let Some(last) = last {
            self.note_covered(last);
        }
        written
    }

    fn write_point(
        &mut self,
        region: RegionId,
        horizon: Time,
        point: &[f64],
        sink: &mut dyn Sink,
    ) -> Result<(), RunError> {
        let (offset, x) = (point[0], &point[1..]);
        let time = self.time_passed(region, offset, horizon);
        let seconds = time.seconds();
        self.cover_step(region, sink);
        self.for_rows(|engine, own| {
            if own != region {
                return engine.evaluate(own, time);
            }
            let (program, ranges) =
                (&engine.program.regions[region], &engine.state.regions[region].ranges);
            scatter(&mut engine.state.slots, program.state, states(ranges), x);
            engine.program.set_time(&mut engine.state.slots, time, seconds);
            engine.left_limits(region, time)
        })?;
        self.write_row(Tag::new(time, 0), sink);
        Ok(())
    }
}
