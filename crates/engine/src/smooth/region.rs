//! The state of a region between events.

use base::{Tag, Time, clone_reusing};
use program::tape::Slot;
use program::{FragmentSlice, Profile, Program, RegionProgram};
use serde::{Deserialize, Serialize};
use solver::Solver;

use crate::Options;
use crate::delays::history::RegionHistory;
use crate::rest::{Jump, Rest};
use crate::sliding::Surface;
use crate::smooth::flow::{counted, gather, watches};

/// States and watched functions that are contiguous among those of a region and all run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct ActiveSlice {
    pub state: usize,
    pub states: usize,
    pub watch: usize,
    pub watches: usize,
}

/// The state of a region.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RegionState {
    pub solver: Solver,
    /// The slices that run, as the solver sees them.
    pub ranges: Vec<ActiveSlice>,
    /// The start of its smooth phase.
    pub origin: Time,
    /// The same \[s\].
    pub origin_seconds: f64,
    /// How far its solution reaches.
    pub reached: Time,
    /// Whether it is at a crossing that waits for its tick.
    pub crossing: bool,
    /// The tag of its last row.
    pub last_row: Option<Tag>,
    /// Sides and residuals of its watched functions, as the solver sees them.
    pub sides: Vec<f64>,
    pub residuals: Vec<f64>,
    /// The past inputs of its delay lines.
    pub history: RegionHistory,
    /// The surfaces along which it slides.
    pub surfaces: Vec<Surface>,
    /// The functions at rest on their levels.
    pub rests: Vec<Rest>,
    /// For each watched function, how the last events of it that moved the states clearly have done
    /// that; empty if none has.
    pub jumps: Vec<Jump>,
}

clone_reusing!(RegionState {
    solver,
    ranges,
    origin,
    origin_seconds,
    reached,
    crossing,
    last_row,
    sides,
    residuals,
    history,
    surfaces,
    rests,
    jumps,
});

impl RegionState {
    /// The time of an offset in this phase, at most the horizon. The horizon is exact; any other
    /// time is a float relative to the start of the phase, and at least an attosecond after it.
    #[inline]
    pub fn time_at(&self, t: f64, to: f64, horizon: Time) -> Time {
        if t >= to {
            return horizon;
        }
        let reached = self.origin.offset(t).unwrap_or(horizon);
        let least = self.origin + Time::from_attoseconds(i128::from(t > 0.0));
        reached.max(least).min(horizon)
    }

    /// A region before the start; all of it is assumed to run.
    pub fn new(program: &Program, region: &RegionProgram, options: &Options) -> RegionState {
        let start = options.start.time();
        let watches = region.watches.len();
        let all = ActiveSlice { state: 0, states: region.dimension, watch: 0, watches };
        // A diagram with a tolerance of its own tightens that of its region, and loosens it if
        // everything in that region specifies a larger one.
        let mut own = options.solver;
        let tolerances = region.slices.iter().filter_map(|slice| slice.tolerance);
        let native = options.profile == Profile::Native;
        if let Some(least) = tolerances.filter(|_| native).min_by(f64::total_cmp) {
            let common = region.slices.iter().any(|slice| slice.common);
            let within = |run: f64| if common { least.min(run) } else { least };
            own.relative_tolerance = within(own.relative_tolerance);
            own.absolute_tolerance = within(own.absolute_tolerance);
        }
        RegionState {
            solver: Solver::new(own, region.dimension, watches),
            ranges: vec![all],
            origin: start,
            origin_seconds: start.seconds(),
            reached: start,
            crossing: false,
            last_row: None,
            sides: vec![0.0; watches],
            residuals: vec![0.0; watches],
            history: RegionHistory::new(region, &program.lines, start),
            surfaces: Vec::new(),
            rests: Vec::new(),
            jumps: Vec::new(),
        }
    }

    /// Whether it slides or rests, so that the solver watches other functions than those of the
    /// program.
    #[inline]
    pub fn is_held(&self) -> bool {
        !self.surfaces.is_empty() || !self.rests.is_empty()
    }

    /// Takes sides and residuals from the buffer.
    #[inline(always)]
    pub fn take_sides(&mut self, program: &RegionProgram, slots: &[f64]) {
        if !self.sides.is_empty() {
            gather(slots, program.side, watches(&self.ranges), &mut self.sides);
            gather(slots, program.residual, watches(&self.ranges), &mut self.residuals);
        }
        if self.is_held() {
            let surfaces = self.surfaces.iter().flat_map(|surface| surface.watches());
            let functions = surfaces.chain(self.rests.iter().flat_map(|rest| rest.watches()));
            for number in functions.filter_map(|watch| counted(watches(&self.ranges), watch)) {
                // Its function is now one that is positive as long as the region slides or rests.
                (self.sides[number], self.residuals[number]) = (1.0, 0.0);
            }
        }
    }

    /// Updates the slices that run from the conditions in the buffer; returns whether they have
    /// changed.
    pub fn take_ranges(&mut self, program: &RegionProgram, slots: &[f64]) -> bool {
        let (mut found, mut changed) = (0, false);
        let mut put = |ranges: &mut Vec<ActiveSlice>, range: ActiveSlice| {
            changed |= ranges.get(found) != Some(&range);
            ranges.truncate(if changed { found } else { ranges.len() });
            if changed {
                ranges.push(range);
            }
            found += 1;
        };
        let mut last: Option<ActiveSlice> = None;
        let runs = |active: &Slot| slots[active.index()] != 0.0;
        let active = program.conditions.iter().enumerate().filter(|(_, active)| runs(active));
        for span in active.map(|(index, _)| &program.slices[index]) {
            match &mut last {
                Some(last)
                    if last.state + last.states == span.state
                        && last.watch + last.watches == span.watch =>
                {
                    last.states += span.states;
                    last.watches += span.watches;
                }
                last => {
                    let FragmentSlice { state, states, watch, watches, .. } = *span;
                    let next = ActiveSlice { state, states, watch, watches };
                    if let Some(whole) = last.replace(next) {
                        put(&mut self.ranges, whole);
                    }
                }
            }
        }
        if let Some(whole) = last {
            put(&mut self.ranges, whole);
        }
        let fewer = found < self.ranges.len();
        self.ranges.truncate(found);
        changed || fewer
    }
}
