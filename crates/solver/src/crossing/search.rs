//! The search for the first change of side in a step.

use super::{
    BUDGET, FLAT, LEVELS, Level, Probe, ROUNDING, Search, Sides, Space, finest, resolution,
};
use crate::error::StepError;
use crate::system::System;

impl Search {
    /// Finds the first change of side in the segment and returns its time.
    ///
    /// `here` must hold the functions at the segment's start; without a change it holds those
    /// at the end when this returns.
    pub fn first_change<S: System>(
        &mut self,
        probe: &mut Probe<S>,
        sides: &mut Sides,
        at_horizon: bool,
    ) -> Result<Option<f64>, StepError> {
        self.crossed.clear();
        probe.look(probe.segment.end, &mut self.space.0.levels[0]);
        let kept = self.suspect(probe.segment, sides);
        if self.space.0.suspects.is_empty() {
            self.here.swap_look(&mut self.space.0.levels[0]);
            if kept {
                sides.residual.fill(0.0);
            }
            return Ok(None);
        }
        self.open(probe, sides);
        let Space { suspects, levels, .. } = &self.space.0;
        if let Some(&crossing) = suspects.iter().find(|k| levels[0].g[**k].is_nan()) {
            return Err(StepError::CrossingNotANumber { t: probe.segment.end, crossing });
        }
        self.seek_own_side(probe, sides);
        let change = self.sweep(probe, sides, at_horizon);
        if change.is_none() && kept {
            self.forget_residuals(sides);
        }
        Ok(change)
    }

    /// Goes over the open intervals from left to right up to the first change.
    fn sweep<S: System>(
        &mut self,
        probe: &mut Probe<S>,
        sides: &mut Sides,
        at_horizon: bool,
    ) -> Option<f64> {
        let mut budget = BUDGET;
        while self.space.0.open > 0 {
            if budget > 0 && self.split(probe, sides) {
                budget -= 1;
            } else if self.falls(sides) {
                return Some(self.locate(probe, sides, at_horizon));
            } else {
                self.pass(sides);
            }
        }
        self.settle(probe, sides, at_horizon)
    }

    /// How far the cubics of all functions over the step are off at one place inside, in units
    /// of a hundredth of the functions. The place is not the middle: a periodic function would
    /// look straight there.
    pub fn cubic_error<S: System>(&mut self, probe: &mut Probe<S>) -> f64 {
        const PLACE: f64 = 0.381_966;
        const PART: f64 = 0.01;
        let (start, end) = (probe.segment.start, probe.segment.end);
        let [b, at, ..] = &mut self.space.0.levels[..] else { return 0.0 };
        probe.look(end, b);
        probe.look(start + PLACE * (end - start), at);
        let error_of = |k: usize| {
            let error = (at.g[k] - self.here.cubic(b, k, 1.0).at(PLACE)).abs();
            let size = self.here.g[k].abs().max(b.g[k].abs()).max(at.g[k].abs());
            if error <= ROUNDING * size { 0.0 } else { error / (PART * size) }
        };
        (0..b.g.len()).map(error_of).fold(0.0, f64::max)
    }

    /// Opens the interval up to the end of the step, the first level, and marks the fresh functions.
    fn open<S: System>(&mut self, probe: &mut Probe<S>, sides: &Sides) {
        let (space, here) = (&mut self.space.0, &self.here);
        space.open = 1;
        (space.start, space.width) = (probe.segment.start, probe.segment.end - probe.segment.start);
        let mut resting = false;
        for &k in &space.suspects {
            let (g, side, end) = (here.g[k].abs(), sides.side[k], space.levels[0].g[k]);
            let rise = here.rate[k] * space.width;
            let on_its_side = side * end >= 0.0;
            resting |= side == 0.0;
            space.levels[0].doubt[k] = f64::INFINITY;
            space.fresh[k] = side != 0.0 && g <= sides.residual[k];
            space.flat[k] = space.fresh[k] && on_its_side && rise.abs() <= FLAT * end.abs();
            space.scale[k] = g;
            space.at_end[k] = end.abs();
        }
        space.floor = 0.0;
        if resting {
            let (x0, x1) = (&probe.segment.x0, &probe.segment.x1);
            space.floor =
                ROUNDING * x0.iter().chain(x1).fold(0.0, |most: f64, x| most.max(x.abs()));
        }
    }

    /// For fresh functions that end beyond zero: looks ever nearer to the start until each has
    /// been seen on its side, and opens the intervals found so. A function that never was on
    /// its side is left to fall from the start.
    ///
    /// The level nearest to the start is overwritten while nothing new is seen, so a few
    /// levels are enough for halving down to the resolution of time.
    fn seek_own_side<S: System>(&mut self, probe: &mut Probe<S>, sides: &Sides) {
        let space = &mut self.space.0;
        let mut sought = 0;
        for i in 0..space.suspects.len() {
            let k = space.suspects[i];
            space.wanted[k] = space.fresh[k] && space.beyond(sides, k, space.levels[0].g[k]);
            sought += usize::from(space.wanted[k]);
        }
        let (start, mut width) = (probe.segment.start, probe.segment.end - probe.segment.start);
        let mut kept = 0;
        while sought > 0 && space.open < LEVELS - 4 {
            let open = space.open;
            width *= space.on_its_side(sides, &self.here, &space.levels[open - 1]);
            if width <= finest(start, probe.segment.end - start) {
                return;
            }
            space.look_between(probe, sides, &self.here, start + width);
            let seen = space.strike_seen(sides, open);
            sought -= seen;
            if seen > 0 || open - 1 == kept {
                space.open += 1;
            } else {
                space.levels.swap(open - 1, open);
            }
            if seen > 0 {
                kept = space.open - 1;
            }
        }
    }

    /// Takes one more look inside the nearest interval, if a function wishes it.
    fn split<S: System>(&mut self, probe: &mut Probe<S>, sides: &Sides) -> bool {
        let space = &mut self.space.0;
        if space.open >= LEVELS {
            return false;
        }
        let b = &space.levels[space.open - 1];
        let Some(fraction) = space.wish(sides, &self.here, b) else { return false };
        let width = b.t - self.here.t;
        if width <= resolution(b.t, 0.0) {
            return false;
        }
        let t = self.here.t + fraction * width;
        space.look_between(probe, sides, &self.here, t);
        space.open += 1;
        true
    }

    fn falls(&self, sides: &Sides) -> bool {
        let space = &self.space.0;
        let b = &space.levels[space.open - 1];
        space.suspects.iter().any(|&k| space.changed(sides, k, b))
    }

    /// Makes the right end of the nearest interval the left end of the next one.
    fn pass(&mut self, sides: &Sides) {
        let space = &mut self.space.0;
        space.open -= 1;
        self.here.swap_look(&mut space.levels[space.open]);
        for &k in &space.suspects {
            let g = self.here.g[k];
            space.fresh[k] &= sides.side[k] * g <= sides.residual[k];
            space.scale[k] = space.scale[k].max(g.abs());
        }
    }

    /// Notes what the end of a step without change leaves behind. A function that passes zero
    /// so near to the horizon that time hardly tells them apart changes at the horizon; a flat
    /// one may only touch there, which the next step will show.
    fn settle<S: System>(
        &mut self,
        probe: &mut Probe<S>,
        sides: &mut Sides,
        at_horizon: bool,
    ) -> Option<f64> {
        let h = probe.segment.end - probe.segment.start;
        let reach = resolution(self.here.t, h);
        for &k in &self.space.0.suspects {
            let u = sides.side[k] * self.here.g[k];
            let fall = -sides.side[k] * self.here.rate[k];
            let steep = fall * h > FLAT * self.space.0.scale[k];
            let passing = steep && u.abs() <= fall * reach;
            if at_horizon && passing && !self.space.0.fresh[k] {
                self.crossed.push(k);
            } else if u > sides.residual[k] {
                sides.residual[k] = 0.0;
            } else if u < 0.0 {
                sides.residual[k] = sides.residual[k].max(-u);
            }
        }
        if self.crossed.is_empty() {
            return None;
        }
        Search::leave_residuals(&self.crossed, &self.here, sides);
        Some(self.here.t)
    }

    /// Sets back the residuals of all functions that are clear of zero where the step ends.
    fn forget_residuals(&self, sides: &mut Sides) {
        for ((residual, side), g) in sides.residual.iter_mut().zip(sides.side).zip(&self.here.g) {
            *residual = if side * g > *residual { 0.0 } else { *residual };
        }
    }

    /// Sets the residuals of located functions: the value with a margin of a few units in the
    /// last place of the value and of time.
    pub(super) fn leave_residuals(crossed: &[usize], at: &Level, sides: &mut Sides) {
        for &k in crossed {
            let margin = ROUNDING * (at.g[k].abs() + at.rate[k].abs() * at.t.abs());
            sides.residual[k] = (at.g[k].abs() + margin).max(f64::MIN_POSITIVE);
        }
    }
}

impl Space {
    /// Looks at `t` between `a` and the nearest level, into the level after that.
    fn look_between<S: System>(&mut self, probe: &mut Probe<S>, sides: &Sides, a: &Level, t: f64) {
        self.make_room();
        probe.look(t, &mut self.levels[self.open]);
        self.admit(sides, a);
        let (known, free) = self.levels.split_at_mut(self.open);
        Space::measure(&self.suspects, a, &mut free[0], &mut known[self.open - 1]);
    }

    /// Where between `a` and `b` the sought functions should be on their side, as a fraction:
    /// in the middle of the shortest arc that their cubics foretell.
    fn on_its_side(&self, sides: &Sides, a: &Level, b: &Level) -> f64 {
        let sought = self.suspects.iter().copied().filter(|&k| self.wanted[k]);
        sought.filter_map(|k| a.cubic(b, k, sides.side[k]).end_of_arc()).fold(1.0, f64::min) * 0.5
    }

    /// Strikes the sought functions that this level shows on their side; returns how many.
    fn strike_seen(&mut self, sides: &Sides, level: usize) -> usize {
        let mut seen = 0;
        for &k in &self.suspects {
            let own = sides.side[k] * self.levels[level].g[k] > sides.residual[k];
            if self.wanted[k] && own {
                self.wanted[k] = false;
                seen += 1;
            }
        }
        seen
    }
}
