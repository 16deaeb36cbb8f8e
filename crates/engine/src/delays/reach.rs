//! How far a region may step that reads the past with delays that are signals.
//!
//! A step reads what is known: it is no longer than the delay, or by no more than what the last
//! piece of the past foretells within the tolerance. And a step should end near a change that is
//! passed, since what is read there is an extension of the signal before it.

use program::RegionId;
use solver::System;

use crate::engine::Engine;
use crate::native::code;
use crate::smooth::flow::{Flow, counted, watches};

/// By how much a step overshoots a change that is passed at a constant rate, relative to its length:
/// enough to be located in the step.
const OVERSHOOT: f64 = 1e-6;

impl Engine<'_> {
    /// The longest step of a region that its delays allow \[s\].
    pub(crate) fn longest_read(&mut self, region: RegionId) -> f64 {
        let program = self.program;
        let (g, rate) = self.watched_now(region);
        let state = &self.state.regions[region];
        let mut longest = f64::INFINITY;
        for (line, _) in program.regions[region].readings.iter().flat_map(|stage| &stage.lines) {
            let own = &program.lines[*line];
            let (Some(reading), Some(track)) = (own.reading, own.track) else { continue };
            if self.line_zero(*line).is_none() {
                continue;
            }
            let of = |k: usize| {
                let watch = program.crossings[reading.passing[k]].watch?;
                let place = counted(watches(&state.ranges), watch.index)?;
                Some((g[place], rate[place]))
            };
            let (Some((behind, pace)), Some((ahead, _))) = (of(0), of(1)) else { continue };
            let delay = self.state.slots[reading.read.index()].max(0.0);
            let reach = state.history.reach(track.past);
            longest = longest.min((delay + reach) / pace.max(1.0));
            let distance = if pace > 0.0 { -ahead } else { behind };
            let until = distance.max(0.0) / pace.abs();
            if until.is_finite() {
                longest = longest.min(until * (1.0 + OVERSHOOT) + OVERSHOOT * reach);
            }
        }
        longest
    }

    /// The watched functions of a region and their slopes where its solver is.
    fn watched_now(&mut self, region: RegionId) -> (Vec<f64>, Vec<f64>) {
        let state = &mut self.state.regions[region];
        let (ranges, slots) = (&state.ranges, &mut self.state.slots);
        let active = &mut self.scratch.active[region];
        if !active.known {
            active.find(&self.program.regions[region], ranges, slots, false);
        }
        let past = (&mut state.history, &mut self.scratch.functions[region]);
        let origin = (state.origin, state.origin_seconds);
        let code = code(self.native, region);
        let mut flow =
            Flow::new(self.program, region, ranges, active, slots, origin, past).with(code);
        let (t, x) = (state.solver.time(), state.solver.state());
        let mut rates = vec![0.0; x.len()];
        let mut g = vec![0.0; state.sides.len()];
        let mut slopes = g.clone();
        flow.derivative(t, x, &mut rates);
        flow.crossings(t, x, &rates, &mut g, &mut slopes);
        (g, slopes)
    }
}
