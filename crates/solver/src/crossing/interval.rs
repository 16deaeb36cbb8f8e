//! What two looks say about the functions between them.

use super::{Level, ROUNDING, Sides, Space};

/// Where inside an interval the search wants another look, as a fraction of its width.
pub(super) type Fraction = f64;

/// Where the doubt about a cubic is held against its value.
const PLACES: [Fraction; 9] = [0.0625, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.9375];

/// The shape of a cubic's error, 1 in the middle.
pub(super) fn shape(theta: Fraction) -> f64 {
    let product = theta * (1.0 - theta);
    16.0 * product * product
}

impl Space {
    /// The size below which a wrong sign at time `t` is rounding: a few units in the last place
    /// of the largest value on the way there, and of the part that the end of the step has in
    /// the dense output there.
    pub(super) fn rounding(&self, k: usize, t: f64) -> f64 {
        let part = (t - self.start) / self.width * self.at_end[k];
        ROUNDING * self.scale[k].max(part)
    }

    /// The size up to which a function with side 0 has not left zero.
    pub(super) fn zero_band(&self, sides: &Sides, k: usize) -> f64 {
        sides.residual[k].max(self.floor)
    }

    /// Whether function k is beyond zero by its value alone.
    pub(super) fn beyond(&self, sides: &Sides, k: usize, g: f64) -> bool {
        let side = sides.side[k];
        if side == 0.0 {
            g.abs() > self.zero_band(sides, k)
        } else if self.fresh[k] {
            !self.flat[k] && side * g < -sides.residual[k]
        } else {
            side * g < 0.0
        }
    }

    /// Whether function k has changed its side at a look, beyond its rounding.
    pub(super) fn changed(&self, sides: &Sides, k: usize, look: &Level) -> bool {
        self.beyond(sides, k, look.g[k])
            && (sides.side[k] == 0.0 || look.g[k].abs() > self.rounding(k, look.t))
    }

    /// Where to look between `a` and `b`, the leftmost wish of all suspects.
    pub(super) fn wish(&self, sides: &Sides, a: &Level, b: &Level) -> Option<Fraction> {
        let wishes = self.suspects.iter().filter_map(|&k| self.wish_of(sides, k, a, b));
        wishes.min_by(|one, other| one.total_cmp(other))
    }

    /// A look is wished where the cubic has a minimum beyond zero, or one that its doubt takes
    /// there, or where its sign is open because the doubt is larger than its value. A change
    /// has such a place near its zero anyway; more than one may hide two further zeros.
    fn wish_of(&self, sides: &Sides, k: usize, a: &Level, b: &Level) -> Option<Fraction> {
        let doubt = b.doubt[k];
        let side = sides.side[k];
        if side == 0.0 || self.fresh[k] && self.flat[k] {
            return doubt.is_infinite().then_some(0.5);
        }
        let mut cubic = a.cubic(b, k, side);
        if self.fresh[k] {
            cubic.value[0] = cubic.value[0].max(0.0);
        }
        let [ua, ub] = cubic.value;
        let steepest = cubic.slope[0].abs().max(cubic.slope[1].abs());
        if doubt.is_infinite() {
            // Even at twice the rates of the ends a function this far away does not reach zero.
            return (ua.min(ub) <= steepest).then_some(0.5);
        }
        let rounding = self.rounding(k, b.t);
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
        let open = |place: &Fraction| cubic.at(*place).abs() <= doubt * shape(*place);
        let mut places = PLACES.into_iter().filter(open);
        let first = places.next();
        if self.changed(sides, k, b) { places.next().and(first) } else { first }
    }

    /// Measures the cubics of some functions from `a` to `b` by the look `at` between them, and
    /// notes what that says about both halves: a cubic's error goes with the fourth power of its
    /// width.
    ///
    /// The value shows an error of fourth order, θ²(1-θ)² by its shape. One of fifth order is
    /// zero in the middle; there the slope shows it, 0.3 times its size by its shape.
    pub(super) fn measure(functions: &[usize], a: &Level, at: &mut Level, b: &mut Level) {
        let theta = (at.t - a.t) / (b.t - a.t);
        for k in functions {
            Space::measure_one(*k, theta, a, at, b);
        }
    }

    /// The same for one function, with the place of the look as a fraction.
    #[inline]
    fn measure_one(k: usize, theta: f64, a: &Level, at: &mut Level, b: &mut Level) {
        let (width, rest) = (b.t - a.t, 1.0 - theta);
        let cubic = a.cubic(b, k, 1.0);
        let value = (at.g[k] - cubic.at(theta)).abs() / shape(theta);
        let slope = 0.3 * (width * at.rate[k] - cubic.slope_at(theta)).abs();
        let error = value.max(slope);
        let part = |x: f64| (4.0 * (x * x) * (x * x)).min(1.0);
        at.doubt[k] = error * part(theta);
        b.doubt[k] = error * part(rest);
    }
}
