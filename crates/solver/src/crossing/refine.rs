//! The location of a change inside its bracket.

use std::cmp::Ordering;

use super::{
    Extent, Level, Located, Probe, ROUNDING, Search, Seen, Sides, Space, Suspect, finest, greater,
    lesser, resolution,
};
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
    /// right end of the final bracket, and notes what changed there. Which functions fall is known.
    pub(super) fn locate<S: System>(
        &mut self,
        probe: &mut Probe<S>,
        sides: &mut Sides,
        at_horizon: bool,
    ) -> f64 {
        let space = &mut self.space.0;
        let last = space.open - 1;
        space.make_room();
        let left = self.bracket(probe);
        let space = &mut self.space.0;
        let h = probe.segment.end - probe.segment.start;
        let reach = greater(space.uncertainty(probe, last), resolution(space.levels[last].t, h));
        if at_horizon && space.levels[last].t >= probe.segment.end - reach {
            space.fallen(last);
            probe.look(probe.segment.end, &mut space.levels[last]);
        } else {
            self.join(probe, left + reach);
        }
        let space = &mut self.space.0;
        let at = &space.levels[last];
        for own in &space.suspects {
            let (from, to) = (self.here.of(own.number), at.of(own.number));
            if own.wanted || own.beyond(to.g) {
                self.crossed.push(Located::new(probe, own, space.step, from, to));
            }
        }
        Search::leave_residuals(&self.crossed, at, sides);
        at.t
    }

    /// Shrinks the bracket to the resolution of time; returns its left end. Invariant:
    /// nothing has changed at its left end, at least one wanted function has at its right end.
    ///
    /// Each look is at the zero that the cubics foretell, and half the resolution past it: if
    /// they are right, the function has just fallen there and the bracket is closed by this one
    /// look. Straight lines, such as time itself, are met at their zero: what happens together in
    /// exact arithmetic then mostly has the same bits. A cubic is off by the square of how near its
    /// zero is to an end, so that looks to the left and to the right of the zero are as good for
    /// the next one.
    fn bracket<S: System>(&mut self, probe: &mut Probe<S>) -> f64 {
        if let [only] = self.space.0.falling[..] {
            return self.bracket_one(probe, only);
        }
        let space = &mut self.space.0;
        let last = space.open - 1;
        let mut looks = Looks::new(probe.segment.end - probe.segment.start);
        loop {
            let (a, b) = (self.here.t, space.levels[last].t);
            let Some(finest) = looks.finest(a, b) else { return a };
            if space.is_closed(last, finest, resolution(b, looks.h)) {
                return b - finest;
            }
            let t = looks.next((a, b), finest, |h| space.foretold(&self.here, last, h));
            probe.look(t, &mut space.levels[last + 1]);
            if space.any_fallen(last + 1) {
                space.levels.swap(last, last + 1);
            } else {
                std::mem::swap(&mut self.here, &mut space.levels[last + 1]);
            }
        }
    }

    /// The same if only one function falls, as is the rule: what is known of it stays at hand.
    fn bracket_one<S: System>(&mut self, probe: &mut Probe<S>, only: usize) -> f64 {
        let space = &mut self.space.0;
        let (own, step, last) = (space.suspects[only], space.step, space.open - 1);
        let mut looks = Looks::new(probe.segment.end - probe.segment.start);
        let (known, free) = space.levels.split_at_mut(last + 1);
        let (right, next) = (&mut known[last], &mut free[0]);
        let (mut a, mut b) = (self.here.of(own.number), right.of(own.number));
        loop {
            let Some(finest) = looks.finest(a.t, b.t) else { return a.t };
            if own.is_closed(step, b, finest, resolution(b.t, looks.h)) {
                return b.t - finest;
            }
            let t = looks.next((a.t, b.t), finest, |h| match own.has_fallen(b.g) {
                true => Foretold::NONE.first(own.foretold(a, b, h)),
                false => Foretold::NONE,
            });
            probe.look(t, next);
            let seen = next.of(own.number);
            if own.has_fallen(seen.g) {
                std::mem::swap(right, next);
                b = seen;
            } else {
                std::mem::swap(&mut self.here, next);
                a = seen;
            }
        }
    }

    /// Moves the located point to `until` if further functions change up to there, so that
    /// symmetric crossings share one time.
    fn join<S: System>(&mut self, probe: &mut Probe<S>, until: f64) {
        let space = &mut self.space.0;
        let last = space.open - 1;
        space.fallen(last);
        let until = until.min(probe.segment.end);
        let at = &space.levels[last];
        let reach = until - at.t;
        let near = |own: &Suspect| own.may_join(space.step, at.of(own.number), reach);
        if reach <= 0.0 || !space.suspects.iter().any(near) {
            return;
        }
        probe.look(until, &mut space.levels[last + 1]);
        let (at, later) = (&space.levels[last], &space.levels[last + 1]);
        let joins = |own: &Suspect| {
            let [at, later] = [at, later].map(|look| own.beyond(look.of(own.number).g));
            !own.wanted && !at && later
        };
        if space.suspects.iter().any(joins) {
            space.levels.swap(last, last + 1);
        }
    }
}

/// The looks at a bracket in a step of length `h`.
struct Looks {
    h: f64,
    /// How many there have been.
    count: u32,
    /// How far from the middle the next one may be.
    radius: f64,
}

impl Looks {
    fn new(h: f64) -> Looks {
        Looks { h, count: 0, radius: f64::INFINITY }
    }

    /// The width of a final bracket here; none if this one cannot be divided.
    #[inline(always)]
    fn finest(&self, a: f64, b: f64) -> Option<f64> {
        let (middle, finest) = (a + 0.5 * (b - a), finest(b, self.h));
        (!(b - a <= finest || middle <= a || middle >= b)).then_some(finest)
    }

    /// The point of the next one, near the zero that is foretold.
    #[inline(always)]
    fn next(
        &mut self,
        (a, b): (f64, f64),
        finest: f64,
        foretold: impl FnOnce(f64) -> Foretold,
    ) -> f64 {
        let middle = a + 0.5 * (b - a);
        if self.count == FREE {
            let halvings = ((b - a) / finest).log2().ceil() as i32 + SLACK;
            self.radius = 0.5 * finest * f64::from(halvings).exp2();
        }
        let zero = foretold(self.h);
        let exact = self.count == 0 && zero.straight;
        let t = zero.t + if exact { 0.0 } else { 0.5 * super::finest(zero.t, self.h) };
        let play = (self.radius - 0.5 * (b - a)).max(0.0);
        // By its distance from the middle a zero near one end of a long bracket would be rounded.
        let t = lesser(greater(t, middle - play), middle + play);
        self.count += 1;
        self.radius *= 0.5;
        if t > a && t < b { t } else { middle }
    }
}

/// A zero that is foretold, and whether the function goes there in a straight line.
pub(super) struct Foretold {
    pub t: f64,
    straight: bool,
}

impl Foretold {
    /// None is.
    const NONE: Foretold = Foretold { t: f64::INFINITY, straight: false };

    /// The first of two. Of equal zeros both must be straight, so that the order of the functions
    /// does not matter.
    #[inline(always)]
    fn first(self, other: Foretold) -> Foretold {
        match other.t.total_cmp(&self.t) {
            Ordering::Less => other,
            Ordering::Equal => Foretold { straight: self.straight && other.straight, ..self },
            Ordering::Greater => self,
        }
    }
}

impl Suspect {
    /// Whether a wanted function is at zero or beyond; the zero counts, because the function
    /// is known to go on to the other side of the bracket.
    #[inline(always)]
    fn has_fallen(&self, g: f64) -> bool {
        let on_zero = self.side != 0.0 && !self.fresh && g == 0.0;
        self.wanted && (on_zero || self.beyond(g))
    }

    /// Whether a function has not fallen at a look, or was on its side a `finest` before, or was
    /// zero but for rounding within the `resolution`: over so short a time its rate says where it
    /// comes from.
    #[inline(always)]
    fn is_closed(&self, step: Extent, look: Seen, finest: f64, resolution: f64) -> bool {
        let fall = -self.side * look.rate;
        let (size, just, soon) = (look.g.abs(), fall * finest, fall * resolution);
        // Most looks are too far away for any rounding.
        let near = size <= just + soon && {
            let theta = (look.t - step.start) / step.width;
            // The part of the end of the step in the terms of Hermite's cubic.
            let part = 3.0 * theta * theta * self.at_end;
            size <= just + soon.min(ROUNDING * self.scale.max(part))
        };
        fall > 0.0 && near && !self.fresh || !self.has_fallen(look.g)
    }

    /// Whether a function that has not changed at a look may do so within a `reach` of it, the
    /// resolution of a location: over so short a time its rate says where it goes.
    #[inline(always)]
    fn may_join(&self, step: Extent, look: Seen, reach: f64) -> bool {
        let near = || {
            let room = 8.0 * reach * look.rate.abs() + self.rounding(step, look.t);
            self.side == 0.0 || look.g.abs() <= room.max(self.band)
        };
        !self.wanted && !self.beyond(look.g) && near()
    }

    /// The zero that the cubic between two looks in a step of length `h` foretells. It is reckoned
    /// from the end that is nearer to it, for nearness is known better than what is far.
    #[inline(always)]
    pub(super) fn foretold(&self, a: Seen, b: Seen, h: f64) -> Foretold {
        let width = b.t - a.t;
        if self.side == 0.0 || self.fresh {
            return Foretold { t: a.t + 0.5 * width, straight: false };
        }
        let fine = 0.25 * finest(a.t, h) / width;
        let cubic = self.cubic(a, b);
        let t = if cubic.value[0].abs() <= cubic.value[1].abs() {
            a.t + width * cubic.falling_zero(fine)
        } else {
            b.t - width * cubic.mirrored().falling_zero(fine)
        };
        Foretold { t, straight: a.rate == b.rate }
    }
}

impl Space {
    /// How far rounding may have moved the zeros of those that fall, at a level near them.
    fn uncertainty<S: System>(&mut self, probe: &mut Probe<S>, level: usize) -> f64 {
        let look = &self.levels[level];
        let most = probe.most_uncertain(look.t);
        let mut uncertainty = 0.0;
        for index in &self.falling {
            let own = &mut self.suspects[*index];
            let seen = look.of(own.number);
            // What a quick bound keeps within the resolution of time needs no better one.
            let quick = probe.most_noise(own.number, seen.t);
            own.noise = match quick <= resolution(seen.t, 0.0) * seen.rate.abs() {
                true => quick,
                false => probe.noise(own.number, seen.t).map_or(0.0, |noise| noise.value),
            };
            uncertainty = greater(uncertainty, lesser(own.noise / seen.rate.abs(), most));
        }
        uncertainty
    }

    #[inline(always)]
    fn any_fallen(&self, level: usize) -> bool {
        let look = &self.levels[level];
        self.falling().any(|own| own.has_fallen(look.of(own.number).g))
    }

    /// Those that fall in the bracket.
    #[inline(always)]
    fn falling(&self) -> impl Iterator<Item = &Suspect> {
        self.falling.iter().map(|index| &self.suspects[*index])
    }

    /// Whether nothing is left to be found out about those that have fallen at a level.
    #[inline(always)]
    fn is_closed(&self, level: usize, finest: f64, resolution: f64) -> bool {
        let look = &self.levels[level];
        self.falling().all(|own| own.is_closed(self.step, look.of(own.number), finest, resolution))
    }

    /// Narrows the wanted functions to those that have changed at a level.
    #[inline(always)]
    fn fallen(&mut self, level: usize) {
        let look = &self.levels[level];
        for index in &self.falling {
            let own = &mut self.suspects[*index];
            own.wanted = own.has_fallen(look.of(own.number).g);
        }
    }

    /// The first zero that the cubics of the wanted functions foretell between `a` and the level
    /// `last` of a step of length `h`.
    #[inline(always)]
    fn foretold(&self, a: &Level, last: usize, h: f64) -> Foretold {
        let b = &self.levels[last];
        let seen = |own: &&Suspect| own.has_fallen(b.of(own.number).g);
        let zero = |own: &Suspect| own.foretold(a.of(own.number), b.of(own.number), h);
        let zeros = self.falling().filter(seen).map(zero);
        zeros.fold(Foretold::NONE, Foretold::first)
    }
}
