//! The location of a change inside its bracket.

use super::interval::shape;
use super::{Level, Probe, ROUNDING, Search, Sides, Space, finest, resolution};
use crate::system::System;

/// Bounds on the bracketing: I. F. D. Oliveira, R. H. C. Takahashi, "An enhancement of the
/// bisection method average performance preserving minmax optimality", ACM TOMS 47 (2020),
/// with the zero of the cubic in place of the chord's, and looks just so far past it as the
/// cubic may be off, so that the bracket closes from both sides.
const TRUNCATION: f64 = 0.2;
/// Looks beyond those of plain bisection.
const SLACK: i32 = 2;
/// Looks before the bound is minded; most brackets are closed by then.
const FREE: u32 = 6;

impl Search {
    /// Locates the first change between `here` and the nearest level; returns its time, the
    /// right end of the final bracket, and notes what changed there.
    pub(super) fn locate<S: System>(
        &mut self,
        probe: &mut Probe<S>,
        sides: &mut Sides,
        at_horizon: bool,
    ) -> f64 {
        let space = &mut self.space.0;
        let last = space.open - 1;
        space.make_room();
        space.falling.clear();
        for k in 0..space.wanted.len() {
            space.wanted[k] = space.changed(sides, k, &space.levels[last]);
            if space.wanted[k] {
                space.falling.push(k);
            }
        }
        self.bracket(probe, sides);
        let space = &mut self.space.0;
        let h = probe.segment.end - probe.segment.start;
        let reach = resolution(space.levels[last].t, h);
        if at_horizon && space.levels[last].t >= probe.segment.end - reach {
            space.fallen(sides, last);
            probe.look(probe.segment.end, &mut space.levels[last]);
        } else {
            self.join(probe, sides, self.here.t + reach);
        }
        let space = &mut self.space.0;
        let at = &space.levels[last];
        let there = |&k: &usize| space.wanted[k] || space.beyond(sides, k, at.g[k]);
        self.crossed.extend((0..at.g.len()).filter(there));
        Search::leave_residuals(&self.crossed, at, sides);
        at.t
    }

    /// Shrinks the bracket to the resolution of time. Invariant: nothing has changed at its
    /// left end, at least one wanted function has at its right end.
    fn bracket<S: System>(&mut self, probe: &mut Probe<S>, sides: &Sides) {
        let space = &mut self.space.0;
        let last = space.open - 1;
        let h = probe.segment.end - probe.segment.start;
        let (mut looks, mut radius) = (0, f64::INFINITY);
        loop {
            let (a, b) = (self.here.t, space.levels[last].t);
            let middle = a + 0.5 * (b - a);
            let finest = finest(b, h);
            if b - a <= finest || middle <= a || middle >= b {
                return;
            }
            if looks == FREE {
                let halvings = ((b - a) / finest).log2().ceil() as i32 + SLACK;
                radius = 0.5 * finest * f64::from(halvings).exp2();
            }
            let t = space.aim(sides, &self.here, last, h);
            let play = (radius - 0.5 * (b - a)).max(0.0);
            let t = middle + (t - middle).clamp(-play, play);
            let t = if t > a && t < b { t } else { middle };
            let [.., b, at] = &mut space.levels[..last + 2] else { return };
            probe.look(t, at);
            let theta = (t - a) / (b.t - a);
            for k in &space.falling {
                Space::measure_one(*k, theta, &self.here, at, b);
            }
            if space.any_fallen(sides, last + 1) {
                space.levels.swap(last, last + 1);
            } else {
                std::mem::swap(&mut self.here, &mut space.levels[last + 1]);
            }
            looks += 1;
            radius *= 0.5;
        }
    }

    /// Moves the located point to `until` if further functions change up to there, so that
    /// symmetric crossings share one time.
    fn join<S: System>(&mut self, probe: &mut Probe<S>, sides: &Sides, until: f64) {
        let space = &mut self.space.0;
        let last = space.open - 1;
        space.fallen(sides, last);
        let until = until.min(probe.segment.end);
        let at = &space.levels[last];
        let reach = until - at.t;
        if reach <= 0.0 || !(0..at.g.len()).any(|k| space.may_join(sides, k, at, reach)) {
            return;
        }
        probe.look(until, &mut space.levels[last + 1]);
        let (at, later) = (&space.levels[last], &space.levels[last + 1]);
        let joins = |k: usize| {
            !space.wanted[k]
                && !space.beyond(sides, k, at.g[k])
                && space.beyond(sides, k, later.g[k])
        };
        if (0..at.g.len()).any(joins) {
            space.levels.swap(last, last + 1);
        }
    }
}

/// A zero that is foretold, as a fraction of the bracket, and how far off it may be.
struct Foretold {
    at: f64,
    error: f64,
}

impl Space {
    /// Whether a wanted function is at zero or beyond; the zero counts, because the function
    /// is known to go on to the other side of the bracket.
    fn has_fallen(&self, sides: &Sides, k: usize, look: &Level) -> bool {
        let on_zero = sides.side[k] != 0.0 && !self.fresh[k] && look.g[k] == 0.0;
        self.wanted[k] && (on_zero || self.beyond(sides, k, look.g[k]))
    }

    fn any_fallen(&self, sides: &Sides, level: usize) -> bool {
        self.falling.iter().any(|k| self.has_fallen(sides, *k, &self.levels[level]))
    }

    /// Where to look next between `a` and the level `last`: at the zero that is foretold, moved
    /// toward the middle by as much as that may be off.
    fn aim(&self, sides: &Sides, a: &Level, last: usize, h: f64) -> f64 {
        let b = &self.levels[last];
        let (width, middle) = (b.t - a.t, a.t + 0.5 * (b.t - a.t));
        let zero = self.estimate(sides, a, b, 0.25 * finest(a.t, h) / width);
        let aim = a.t + width * zero.at;
        let nudge = (zero.error.min(TRUNCATION) * width).max(0.5 * finest(aim, h));
        aim + (middle - aim).clamp(-nudge, nudge)
    }

    /// Narrows the wanted functions to those that have changed at a level.
    fn fallen(&mut self, sides: &Sides, level: usize) {
        for k in 0..self.wanted.len() {
            self.wanted[k] = self.has_fallen(sides, k, &self.levels[level]);
        }
    }

    /// Whether a function that has not changed at a look may do so within a `reach` of it, the
    /// resolution of a location: over so short a time its rate says where it goes.
    fn may_join(&self, sides: &Sides, k: usize, look: &Level, reach: f64) -> bool {
        let room = 8.0 * reach * look.rate[k].abs() + self.rounding(k, look.t);
        let near = sides.side[k] == 0.0 || look.g[k].abs() <= room.max(sides.residual[k]);
        near && !self.wanted[k] && !self.beyond(sides, k, look.g[k])
    }

    /// The first zero that the cubics of the wanted functions foretell, to about `fine`.
    fn estimate(&self, sides: &Sides, a: &Level, b: &Level, fine: f64) -> Foretold {
        let zero = |k: usize| {
            if sides.side[k] == 0.0 || self.fresh[k] {
                return Foretold { at: 0.5, error: 0.5 };
            }
            let cubic = a.cubic(b, k, sides.side[k]);
            let at = cubic.falling_zero(fine);
            let off = b.doubt[k] * shape(at) + ROUNDING * self.scale[k];
            Foretold { at, error: (off / cubic.slope_at(at)).abs() }
        };
        // Of equal zeros the most doubtful, so that the order of the functions does not matter.
        let first = |one: Foretold, other: Foretold| {
            let later = other.at > one.at || other.at == one.at && other.error <= one.error;
            if later { one } else { other }
        };
        let none = Foretold { at: 1.0, error: 0.0 };
        (0..self.wanted.len()).filter(|&k| self.has_fallen(sides, k, b)).map(zero).fold(none, first)
    }
}
