//! What two looks say about the functions between them.

use super::{Extent, Probe, ROUNDING, Seen, Space, greater, lesser};
use crate::error::StepError;
use crate::hermite::Cubic;
use crate::system::System;

/// The point inside an interval at which the search wants another look, as a fraction of its width.
pub(super) type Fraction = f64;

/// The points at which the doubt about a cubic is compared with its value.
const POINTS: [Fraction; 9] = [0.0625, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.9375];

/// The shape of a cubic's error, 1 in the middle.
pub(super) fn shape(theta: Fraction) -> f64 {
    let product = theta * (1.0 - theta);
    16.0 * product * product
}

/// A function that is searched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspect {
    /// Its number.
    pub number: usize,
    /// Its side: -1, 0 or 1.
    pub side: f64,
    /// The size up to which it counts as zero: its residual, and with side 0 not less than the
    /// rounding of the state.
    pub band: f64,
    /// Counted as zero at the start and not yet seen on its side.
    pub fresh: bool,
    /// Fresh, flat at the start, and on its side or at zero at the end of the step.
    pub flat: bool,
    /// Looked for on its side, or falling in the bracket.
    pub wanted: bool,
    /// The largest size seen from the start up to the left end.
    pub scale: f64,
    /// The size at the end of the step.
    pub at_end: f64,
    /// What is known of it, as in [`super::Sides::gain`].
    pub gain: f64,
    /// The time up to which enclosures have decided that it has no more than the change that looks
    /// show.
    pub decided: f64,
    /// How far rounding may have moved it near its located zero; NaN before that is known.
    pub noise: f64,
}

impl Suspect {
    /// The size below which a wrong sign at time `t` is rounding: a few units in the last place
    /// of the largest value on the way there, and of the part that the end of the step has in
    /// the dense output there.
    #[inline(always)]
    pub fn rounding(&self, step: Extent, t: f64) -> f64 {
        let part = (t - step.start) / step.width * self.at_end;
        ROUNDING * greater(self.scale, part)
    }

    /// Whether it is beyond zero by its value alone.
    #[inline(always)]
    pub fn beyond(&self, g: f64) -> bool {
        if self.side == 0.0 {
            g.abs() > self.band
        } else if self.fresh {
            !self.flat && self.side * g < -self.band
        } else {
            self.side * g < 0.0
        }
    }

    /// Whether it has changed its side at a look, beyond its rounding: by its value, or by a slope
    /// that leads there for sure.
    #[inline(always)]
    pub fn changed<S: System>(&self, probe: &mut Probe<S>, step: Extent, look: Seen) -> bool {
        self.beyond(look.g) && self.beyond_noise(probe, step, look)
    }

    #[inline(always)]
    fn beyond_noise<S: System>(&self, probe: &mut Probe<S>, step: Extent, look: Seen) -> bool {
        if look.g.abs() > probe.most_noise(self.number, look.t) {
            return true;
        }
        match probe.noise(self.number, look.t) {
            None => self.side == 0.0 || look.g.abs() > self.rounding(step, look.t),
            Some(noise) => {
                look.g.abs() > noise.value
                    || self.side != 0.0 && -self.side * look.rate > noise.rate
            }
        }
    }

    /// Its cubic between two looks, with the sign that lets it fall.
    #[inline(always)]
    pub fn cubic(&self, a: Seen, b: Seen) -> Cubic {
        a.cubic(b, self.side)
    }

    /// A look is wished if the cubic has a minimum beyond zero, or one that its doubt takes
    /// there, or at a point at which its sign is open because the doubt is larger than its value. A
    /// change has such a point near its zero anyway; more than one may hide two further zeros.
    #[inline(always)]
    pub(super) fn wish(&self, step: Extent, a: Seen, b: Seen, doubt: f64) -> Option<Fraction> {
        if self.side == 0.0 || self.fresh && self.flat {
            return doubt.is_infinite().then_some(0.5);
        }
        let mut cubic = self.cubic(a, b);
        if self.fresh {
            cubic.value[0] = cubic.value[0].max(0.0);
        }
        let [ua, ub] = cubic.value;
        if doubt.is_infinite() {
            // Even at twice the rates of the ends a function this far away does not reach zero.
            let steepest = cubic.slope[0].abs().max(cubic.slope[1].abs());
            return (ua.min(ub) <= steepest).then_some(0.5);
        }
        let rounding = self.rounding(step, b.t);
        if doubt > rounding && doubt > 0.25 * ua.abs().max(ub.abs()) {
            return Some(0.5);
        }
        if let Some(minimum) = cubic.minimum() {
            let possible = minimum.value <= doubt && doubt > rounding;
            if possible || minimum.value < -rounding {
                return Some(minimum.at.clamp(0.05, 0.95));
            }
        }
        if doubt <= rounding {
            return None;
        }
        let open = |at: &Fraction| cubic.at(*at).abs() <= doubt * shape(*at);
        let mut points = POINTS.into_iter().filter(open);
        let first = points.next();
        let changed = self.beyond(b.g) && b.g.abs() > self.rounding(step, b.t);
        if changed { points.next().and(first) } else { first }
    }
}

impl Space {
    /// The next look between `here` and the nearest level: the leftmost wish of all suspects. Those
    /// that can only be looked at wish as long as there are `looks` left.
    #[inline(always)]
    pub(super) fn wish<S: System>(
        &mut self,
        probe: &mut Probe<S>,
        here: &super::Level,
        looks: usize,
    ) -> Result<Option<Fraction>, StepError> {
        let last = self.open - 1;
        let (b, m) = (&self.levels[last], here.len());
        let doubts = &self.doubts[last * m..(last + 1) * m];
        let mut leftmost: Option<Fraction> = None;
        for own in &mut self.suspects {
            let (k, step) = (own.number, self.step);
            let (a, b) = (here.of(k), b.of(k));
            let wish = if own.gain.is_finite() {
                let quartic = if self.quartic == 0.0 { 0.0 } else { doubts[k] };
                own.wish_of_polynomial(probe, step, (a, b), quartic, &mut self.enclosures)?
            } else if own.gain.is_nan() {
                if looks > 0 { own.wish(step, a, b, doubts[k]) } else { None }
            } else {
                own.wish_of_enclosure(probe, step, (a, b), &mut self.enclosures)?
            };
            leftmost = match (leftmost, wish) {
                (Some(one), Some(other)) => Some(lesser(one, other)),
                (one, other) => one.or(other),
            };
        }
        Ok(leftmost)
    }

    /// Measures the cubics of all suspects from `here` to the nearest level by the look between
    /// them, in the level after that, and notes what that says about both halves: a cubic's error
    /// goes with the fourth power of its width.
    ///
    /// The value shows an error of fourth order, θ²(1-θ)² by its shape. One of fifth order is
    /// zero in the middle; there the slope shows it, 0.3 times its size by its shape.
    #[inline(always)]
    pub(super) fn measure(&mut self, here: &super::Level) {
        let (at, b, m) = (&self.levels[self.open], &self.levels[self.open - 1], here.len());
        let (width, part_of) = (b.t - here.t, |x: f64| (4.0 * (x * x) * (x * x)).min(1.0));
        let theta = (at.t - here.t) / width;
        let (shape, parts) = (shape(theta), [part_of(theta), part_of(1.0 - theta)]);
        let (known, free) = self.doubts.split_at_mut(self.open * m);
        let (of_b, of_at) = (&mut known[(self.open - 1) * m..], &mut free[..m]);
        for own in &self.suspects {
            let k = own.number;
            let (look, cubic) = (at.of(k), here.of(k).cubic(b.of(k), 1.0));
            if own.gain.is_finite() {
                // A polynomial of fourth order: what is off is known with its sign, once and for
                // all.
                let off = match of_b[k].is_finite() {
                    true => of_b[k],
                    false => (look.g - cubic.at(theta)) / shape,
                };
                let [left, right] = [theta, 1.0 - theta].map(|part| (part * part) * (part * part));
                (of_at[k], of_b[k]) = (off * left, off * right);
                continue;
            }
            let value = (look.g - cubic.at(theta)).abs() / shape;
            let slope = 0.3 * (width * look.rate - cubic.slope_at(theta)).abs();
            let error = value.max(slope);
            of_at[k] = error * parts[0];
            of_b[k] = error * parts[1];
        }
    }
}
