//! The search for the first change of side in a step.

use super::{
    BUDGET, FLAT, LEVELS, Level, Located, Probe, ROUNDING, Search, Seen, Sides, Space, finest,
    greater, lesser, resolution,
};
use crate::error::StepError;
use crate::system::{Noise, System};

/// From how many suspects on the search is narrowed to the first change that is foretold, and by
/// how much further it goes.
const MANY: usize = 16;
const WITH_MARGIN: f64 = 1.02;

impl Search {
    /// The functions at the end of a step that is not searched.
    pub fn end_level(&mut self) -> &mut Level {
        &mut self.space.0.levels[0]
    }

    /// A function at the start and at the end of a step that is not searched.
    pub fn at_ends(&self, function: usize) -> (f64, f64) {
        (self.here.g()[function], self.space.0.levels[0].g()[function])
    }

    /// All functions at the start and at the end of a step that is not searched.
    pub fn ends(&self) -> (&[f64], &[f64]) {
        (self.here.g(), self.space.0.levels[0].g())
    }

    /// Goes on from the end of a step that was not searched.
    pub fn take_end(&mut self) {
        if !self.here.is_empty() {
            std::mem::swap(&mut self.here, &mut self.space.0.levels[0]);
        }
    }

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
        let found = self.suspect(probe.segment, sides, MANY);
        let kept = found.kept;
        if found.count == 0 {
            std::mem::swap(&mut self.here, &mut self.space.0.levels[0]);
            if kept {
                sides.residual.fill(0.0);
            }
            return Ok(None);
        }
        if let Some(crossing) = found.odd {
            return Err(StepError::CrossingNotANumber { t: probe.segment.end, crossing });
        }
        if found.count > MANY {
            if self.narrow(probe, sides, found.count) {
                self.seek_own_side(probe, sides);
                let change = self.sweep(probe, sides, false)?;
                if change.is_some() {
                    return Ok(change);
                }
                probe.look(probe.segment.start, &mut self.here);
                probe.look(probe.segment.end, &mut self.space.0.levels[0]);
            }
            self.suspect(probe.segment, sides, usize::MAX);
        }
        self.seek_own_side(probe, sides);
        let change = self.sweep(probe, sides, at_horizon)?;
        if change.is_none() && kept {
            self.forget_residuals(sides);
        }
        Ok(change)
    }

    /// If many functions change in a step, shortens what is searched to a little more than the
    /// way to the first of these changes, as their cubics foretell it: few others come near zero
    /// there. Says whether it is shorter now, and ends with a change; the suspects are then those up
    /// to there. `count` is the number of suspects, of which not all have been noted.
    #[cold]
    fn narrow<S: System>(&mut self, probe: &mut Probe<S>, sides: &Sides, count: usize) -> bool {
        let (mut narrowed, mut count) = (false, count);
        while count > MANY {
            let (start, end) = (self.here.t, self.space.0.levels[0].t);
            let Some(first) = self.space.0.first_foretold(&self.here, sides) else { break };
            let until = start + WITH_MARGIN * (first - start) + resolution(end, end - start);
            // A little less is not worth another look at all functions.
            if until > start + 0.5 * (end - start) {
                break;
            }
            let space = &mut self.space.0;
            space.make_room();
            probe.look(until, &mut space.levels[1]);
            if !space.any_beyond(&self.here, &space.levels[1], sides) {
                break;
            }
            space.levels.swap(0, 1);
            count = self.suspect(probe.segment, sides, MANY).count;
            narrowed = true;
        }
        if narrowed && count > MANY {
            self.suspect(probe.segment, sides, usize::MAX);
        }
        narrowed
    }

    /// Goes over the open intervals from left to right up to the first change.
    fn sweep<S: System>(
        &mut self,
        probe: &mut Probe<S>,
        sides: &mut Sides,
        at_horizon: bool,
    ) -> Result<Option<f64>, StepError> {
        let mut budget = BUDGET;
        while self.space.0.open > 0 {
            if self.split(probe, sides, budget)? {
                budget = budget.saturating_sub(1);
            } else if self.space.0.falls(probe) {
                return Ok(Some(self.locate(probe, sides, at_horizon)));
            } else {
                self.pass();
            }
        }
        Ok(self.settle(probe, sides, at_horizon))
    }

    /// How far the cubics of all functions over the step are off at one point inside, in units
    /// of a hundredth of the functions. The point is not the middle: a periodic function would
    /// look straight there.
    pub fn cubic_error<S: System>(&mut self, probe: &mut Probe<S>) -> f64 {
        const POINT: f64 = 0.381_966;
        const PART: f64 = 0.01;
        let (start, end) = (probe.segment.start, probe.segment.end);
        let [b, at, ..] = &mut self.space.0.levels[..] else { return 0.0 };
        probe.look(end, b);
        probe.look(start + POINT * (end - start), at);
        let error_of = |k: usize| {
            let (from, to, at) = (self.here.of(k), b.of(k), at.of(k));
            let error = (at.g - from.cubic(to, 1.0).at(POINT)).abs();
            let size = from.g.abs().max(to.g.abs()).max(at.g.abs());
            let mut is_noise =
                |at: Seen| probe.noise(k, at.t).is_some_and(|noise| error <= 4.0 * noise.value);
            if error <= ROUNDING * size || error > PART * size && (is_noise(at) || is_noise(to)) {
                return 0.0;
            }
            error / (PART * size)
        };
        (0..b.len()).map(error_of).fold(0.0, f64::max)
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
        for own in &mut space.suspects {
            own.wanted = own.fresh && own.beyond(space.levels[0].of(own.number).g);
            sought += usize::from(own.wanted);
        }
        let (start, mut width) = (space.step.start, space.step.width);
        let mut kept = 0;
        while sought > 0 && space.open < LEVELS - 4 {
            let open = space.open;
            width *= space.on_its_side(&self.here, &space.levels[open - 1]);
            if width <= finest(start, space.step.width) {
                return;
            }
            space.look_between(probe, sides, &self.here, start + width);
            let seen = space.strike_seen(open);
            sought -= seen;
            if seen > 0 || open - 1 == kept {
                space.open += 1;
            } else {
                space.swap_nearest();
            }
            if seen > 0 {
                kept = space.open - 1;
            }
        }
    }

    /// Takes one more look inside the nearest interval, if a function wishes it.
    fn split<S: System>(
        &mut self,
        probe: &mut Probe<S>,
        sides: &Sides,
        looks: usize,
    ) -> Result<bool, StepError> {
        let space = &mut self.space.0;
        if space.open >= LEVELS {
            return Ok(false);
        }
        let Some(fraction) = space.wish(probe, &self.here, looks)? else { return Ok(false) };
        let b = &space.levels[space.open - 1];
        let (width, t) = (b.t - self.here.t, b.t);
        let at = self.here.t + fraction * width;
        if width <= probe.finest(t, space.step.width) || at <= self.here.t || at >= t {
            return Ok(false);
        }
        space.look_between(probe, sides, &self.here, at);
        space.open += 1;
        Ok(true)
    }

    /// Makes the right end of the nearest interval the left end of the next one.
    #[inline(always)]
    fn pass(&mut self) {
        let space = &mut self.space.0;
        space.open -= 1;
        std::mem::swap(&mut self.here, &mut space.levels[space.open]);
        for own in &mut space.suspects {
            let g = self.here.g()[own.number];
            own.fresh &= own.side * g <= own.band;
            own.scale = own.scale.max(g.abs());
        }
    }

    /// Notes what the end of a step without change leaves behind. A function that passes zero
    /// so near to the horizon that time hardly separates them changes at the horizon; a flat
    /// one may only touch there, which the next step will show.
    fn settle<S: System>(
        &mut self,
        probe: &mut Probe<S>,
        sides: &mut Sides,
        at_horizon: bool,
    ) -> Option<f64> {
        let h = probe.segment.end - probe.segment.start;
        let reach = resolution(self.here.t, h);
        let most = greater(reach, probe.most_uncertain(self.here.t));
        for own in &self.space.0.suspects {
            let (k, here) = (own.number, self.here.of(own.number));
            let (u, fall) = (own.side * here.g, -own.side * here.rate);
            let steep = fall * h > FLAT * own.scale;
            // At a horizon something else happens, and what time hardly separates from it happens
            // too; elsewhere the next step finds what this one is not sure to have reached.
            let near = steep && !own.fresh && u.abs() <= fall * most;
            let noise =
                if near { probe.noise(k, here.t).unwrap_or_default() } else { Noise::default() };
            let uncertainty = lesser(noise.value, fall * most) / fall;
            let passing = near && (u.abs() <= noise.value || at_horizon && u.abs() <= fall * reach);
            if passing {
                let uncertainty = greater(uncertainty, resolution(here.t, 0.0));
                self.crossed.push(Located { function: k, uncertainty, leap: 0.0, due: 0.0 });
            } else if u > sides.residual[k] {
                sides.residual[k] = 0.0;
            } else if u < 0.0 && -u <= own.rounding(self.space.0.step, self.here.t) {
                sides.residual[k] = sides.residual[k].max(-u);
            }
        }
        if self.crossed.is_empty() {
            return None;
        }
        Search::leave_residuals(&self.crossed, &self.here, sides);
        Some(self.here.t)
    }

    /// Sets back the residuals of all functions that are clear of zero at the end of the step.
    fn forget_residuals(&self, sides: &mut Sides) {
        for ((residual, side), g) in sides.residual.iter_mut().zip(sides.side).zip(self.here.g()) {
            *residual = if side * g > *residual { 0.0 } else { *residual };
        }
    }

    /// Sets the residuals of located functions: the value with a margin of a few units in the
    /// last place of the value and of time.
    #[inline(always)]
    pub(super) fn leave_residuals(crossed: &[Located], at: &Level, sides: &mut Sides) {
        for located in crossed {
            let k = located.function;
            if located.leap != 0.0 {
                sides.residual[k] = 0.0;
                continue;
            }
            let at = at.of(k);
            let margin = ROUNDING * (at.g.abs() + at.rate.abs() * at.t.abs());
            sides.residual[k] = (at.g.abs() + margin).max(f64::MIN_POSITIVE);
        }
    }
}

impl Space {
    /// Looks at `t` between `a` and the nearest level, into the level after that.
    #[inline(always)]
    fn look_between<S: System>(&mut self, probe: &mut Probe<S>, sides: &Sides, a: &Level, t: f64) {
        self.make_room();
        probe.look(t, &mut self.levels[self.open]);
        self.admit(sides, a);
        self.measure(a);
    }

    /// Notes which functions fall in the nearest interval, and says whether there are any.
    #[inline(always)]
    fn falls<S: System>(&mut self, probe: &mut Probe<S>) -> bool {
        let b = &self.levels[self.open - 1];
        self.falling.clear();
        for (index, own) in self.suspects.iter_mut().enumerate() {
            own.wanted = own.changed(probe, self.step, b.of(own.number));
            if own.wanted {
                self.falling.push(index);
            }
        }
        !self.falling.is_empty()
    }

    /// Exchanges the nearest level and the free one after it.
    fn swap_nearest(&mut self) {
        let (level, m) = (self.open, self.levels[0].len());
        self.levels.swap(level - 1, level);
        let (known, free) = self.doubts.split_at_mut(level * m);
        known[(level - 1) * m..].swap_with_slice(&mut free[..m]);
    }

    /// The point between `a` and `b` at which the sought functions should be on their side, as a
    /// fraction: in the middle of the shortest arc that their cubics foretell.
    #[inline(always)]
    fn on_its_side(&self, a: &Level, b: &Level) -> f64 {
        let sought = self.suspects.iter().filter(|own| own.wanted);
        let arcs = sought.filter_map(|own| {
            let k = own.number;
            own.cubic(a.of(k), b.of(k)).end_of_arc()
        });
        arcs.fold(1.0, f64::min) * 0.5
    }

    /// Strikes the sought functions that this level shows on their side; returns how many.
    #[inline(always)]
    fn strike_seen(&mut self, level: usize) -> usize {
        let (mut seen, g) = (0, self.levels[level].g());
        for own in self.suspects.iter_mut().filter(|own| own.wanted) {
            if own.side * g[own.number] > own.band {
                own.wanted = false;
                seen += 1;
            }
        }
        seen
    }
}
