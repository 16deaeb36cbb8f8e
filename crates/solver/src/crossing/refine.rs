//! The location of a change inside its bracket.

use std::cmp::Ordering;

use super::{Level, Probe, ROUNDING, Search, Sides, Space, finest, resolution};
use crate::system::System;

// Bounds on the bracketing: I. F. D. Oliveira, R. H. C. Takahashi, "An enhancement of the
// bisection method average performance preserving minmax optimality", ACM TOMS 47 (2020), with
// the zero of the cubic in place of the chord's.

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
        for i in 0..space.suspects.len() {
            let k = space.suspects[i];
            space.wanted[k] = space.changed(sides, k, &space.levels[last]);
            if space.wanted[k] {
                space.falling.push(k);
            }
        }
        let left = self.bracket(probe, sides);
        let space = &mut self.space.0;
        let h = probe.segment.end - probe.segment.start;
        let reach = resolution(space.levels[last].t, h);
        if at_horizon && space.levels[last].t >= probe.segment.end - reach {
            space.fallen(sides, last);
            probe.look(probe.segment.end, &mut space.levels[last]);
        } else {
            self.join(probe, sides, left + reach);
        }
        let space = &mut self.space.0;
        let at = &space.levels[last];
        let there = |&k: &usize| space.wanted[k] || space.beyond(sides, k, at.g[k]);
        self.crossed.extend(space.suspects.iter().copied().filter(there));
        Search::leave_residuals(&self.crossed, at, sides);
        at.t
    }

    /// Shrinks the bracket to the resolution of time; returns where it begins then. Invariant:
    /// nothing has changed at its left end, at least one wanted function has at its right end.
    ///
    /// Each look is at the zero that the cubics foretell, and half the resolution past it: where
    /// they are right, the function has just fallen there and the bracket is closed by this one
    /// look. Straight lines, such as time itself, are met at their zero: what happens together in
    /// exact arithmetic then mostly has the same bits. A cubic is off by the square of how near its zero is to an end, so that looks to the
    /// left and to the right of the zero are as good for the next one.
    fn bracket<S: System>(&mut self, probe: &mut Probe<S>, sides: &Sides) -> f64 {
        let space = &mut self.space.0;
        let last = space.open - 1;
        let h = probe.segment.end - probe.segment.start;
        let (mut looks, mut radius) = (0, f64::INFINITY);
        loop {
            let (a, b) = (self.here.t, space.levels[last].t);
            let middle = a + 0.5 * (b - a);
            let finest = finest(b, h);
            if b - a <= finest || middle <= a || middle >= b {
                return a;
            }
            if space.is_closed(sides, last, finest, resolution(b, h)) {
                return b - finest;
            }
            if looks == FREE {
                let halvings = ((b - a) / finest).log2().ceil() as i32 + SLACK;
                radius = 0.5 * finest * f64::from(halvings).exp2();
            }
            let zero = space.foretold(sides, &self.here, last, h);
            let exact = looks == 0 && zero.straight;
            let t = zero.t + if exact { 0.0 } else { 0.5 * super::finest(zero.t, h) };
            let play = (radius - 0.5 * (b - a)).max(0.0);
            let t = middle + (t - middle).clamp(-play, play);
            let t = if t > a && t < b { t } else { middle };
            probe.look(t, &mut space.levels[last + 1]);
            if space.any_fallen(sides, last + 1) {
                space.levels.swap(last, last + 1);
            } else {
                self.here.swap_look(&mut space.levels[last + 1]);
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
        let near = |k: &usize| space.may_join(sides, *k, at, reach);
        if reach <= 0.0 || !space.suspects.iter().any(near) {
            return;
        }
        probe.look(until, &mut space.levels[last + 1]);
        let (at, later) = (&space.levels[last], &space.levels[last + 1]);
        let joins = |&k: &usize| {
            !space.wanted[k]
                && !space.beyond(sides, k, at.g[k])
                && space.beyond(sides, k, later.g[k])
        };
        if space.suspects.iter().any(joins) {
            space.levels.swap(last, last + 1);
        }
    }
}

/// A zero that is foretold, and whether the function goes there in a straight line.
struct Foretold {
    t: f64,
    straight: bool,
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

    /// Whether every function that has fallen at a level was on its side a `finest` before, or was
    /// zero but for rounding within the `resolution`: over so short a time its rate says where it
    /// comes from.
    fn is_closed(&self, sides: &Sides, level: usize, finest: f64, resolution: f64) -> bool {
        let look = &self.levels[level];
        let theta = (look.t - self.start) / self.width;
        self.falling.iter().all(|&k| {
            let fall = -sides.side[k] * look.rate[k];
            let rounding = ROUNDING * self.scale[k].max(theta * theta * self.at_end[k]);
            let near = look.g[k].abs() <= fall * finest + rounding.min(fall * resolution);
            fall > 0.0 && near && !self.fresh[k] || !self.has_fallen(sides, k, look)
        })
    }

    /// Narrows the wanted functions to those that have changed at a level.
    fn fallen(&mut self, sides: &Sides, level: usize) {
        for i in 0..self.suspects.len() {
            let k = self.suspects[i];
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

    /// The first zero that the cubics of the wanted functions foretell between `a` and the level
    /// `last` of a step of length `h`. It is reckoned from the end that is nearer to it, for
    /// nearness is known better than what is far.
    fn foretold(&self, sides: &Sides, a: &Level, last: usize, h: f64) -> Foretold {
        let b = &self.levels[last];
        let width = b.t - a.t;
        let fine = 0.25 * finest(a.t, h) / width;
        let zero = |&k: &usize| {
            if sides.side[k] == 0.0 || self.fresh[k] {
                return Foretold { t: a.t + 0.5 * width, straight: false };
            }
            let cubic = a.cubic(b, k, sides.side[k]);
            let t = if cubic.value[0].abs() <= cubic.value[1].abs() {
                a.t + width * cubic.falling_zero(fine)
            } else {
                b.t - width * cubic.mirrored().falling_zero(fine)
            };
            Foretold { t, straight: a.rate[k] == b.rate[k] }
        };
        let fallen = self.falling.iter().filter(|k| self.has_fallen(sides, **k, b));
        // Of equal zeros all must be straight, so that the order of the functions does not matter.
        let first = |one: Foretold, other: Foretold| match other.t.total_cmp(&one.t) {
            Ordering::Less => other,
            Ordering::Equal => Foretold { straight: one.straight && other.straight, ..one },
            Ordering::Greater => one,
        };
        fallen.map(zero).fold(Foretold { t: f64::INFINITY, straight: false }, first)
    }
}
