//! Closed intervals of reals with outward rounding.
//!
//! The result of an operation contains the exact result for every pair of reals in its operands,
//! despite rounding. Bounds may be infinite. An operation that may leave the reals (a division by
//! an interval that contains zero) gives [`Interval::ALL`].

use std::ops::{Add, Div, Mul, Neg, Sub};

/// All reals from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The lower bound, not above `high`.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Interval {
    /// All reals: nothing is known.
    pub const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// A single number. For NaN nothing is known.
    pub fn point(x: f64) -> Interval {
        if x.is_nan() { Interval::ALL } else { Interval { low: x, high: x } }
    }

    /// Everything between two numbers, given in either order.
    pub fn between(a: f64, b: f64) -> Interval {
        if a <= b {
            Interval { low: a, high: b }
        } else if b < a {
            Interval { low: b, high: a }
        } else {
            Interval::ALL
        }
    }

    /// Bounds that were computed with an error below one unit in the last place.
    pub fn outward(low: f64, high: f64) -> Interval {
        if low <= high {
            Interval { low: low.next_down(), high: high.next_up() }
        } else {
            Interval::ALL
        }
    }

    /// Bounds that were computed with a relative error below `part` and an absolute error below the
    /// smallest normal number.
    pub fn widened(low: f64, high: f64, part: f64) -> Interval {
        let room = |x: f64| part * x.abs() + f64::MIN_POSITIVE;
        Interval::outward(low - room(low), high + room(high))
    }

    /// The results of an operation on a bound of this interval and one of another: the two of
    /// `low` first.
    pub fn corners(self, other: Interval, of: impl Fn(f64, f64) -> f64) -> [f64; 4] {
        [
            of(self.low, other.low),
            of(self.low, other.high),
            of(self.high, other.low),
            of(self.high, other.high),
        ]
    }

    /// The smallest and the largest of some numbers; NaN does not count.
    pub fn range(numbers: &[f64]) -> (f64, f64) {
        let low = numbers.iter().fold(f64::INFINITY, |least, x| least.min(*x));
        let high = numbers.iter().fold(f64::NEG_INFINITY, |most, x| most.max(*x));
        (low, high)
    }

    /// Whether both bounds are finite.
    pub fn is_bounded(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// Whether it contains a single number.
    pub fn is_point(self) -> bool {
        self.low == self.high
    }

    /// Whether a number is in it.
    pub fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// The largest absolute value in it.
    pub fn size(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// The intersection. If it is empty, which only rounding can cause, the first operand.
    pub fn and(self, other: Interval) -> Interval {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low <= high { Interval { low, high } } else { self }
    }

    /// The smallest interval that contains both.
    pub fn or(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

impl Neg for Interval {
    type Output = Interval;

    fn neg(self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }
}

impl Add for Interval {
    type Output = Interval;

    fn add(self, other: Interval) -> Interval {
        Interval::outward(self.low + other.low, self.high + other.high)
    }
}

impl Sub for Interval {
    type Output = Interval;

    fn sub(self, other: Interval) -> Interval {
        Interval::outward(self.low - other.high, self.high - other.low)
    }
}

impl Mul for Interval {
    type Output = Interval;

    fn mul(self, other: Interval) -> Interval {
        // Zero times an infinite bound is zero, because no real in the interval is infinite.
        let times = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let (low, high) = Interval::range(&self.corners(other, times));
        Interval::outward(low, high)
    }
}

impl Div for Interval {
    type Output = Interval;

    fn div(self, other: Interval) -> Interval {
        if other.contains(0.0) {
            return Interval::ALL;
        }
        let over = |a: f64, b: f64| if a == 0.0 || b.is_infinite() { 0.0 } else { a / b };
        let (low, high) = Interval::range(&self.corners(other, over));
        // The quotient of two infinite bounds could be anything.
        let open = !self.is_bounded() && !other.is_bounded();
        if open { Interval::ALL } else { Interval::outward(low, high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operands of all magnitudes and signs, from a counter.
    fn number(seed: u64) -> f64 {
        let part = crate::random(7, "interval", seed) as f64 / u64::MAX as f64;
        let scale = [1e-300, 1e-9, 1.0, 3.0, 1e8, 1e200][(seed / 6 % 6) as usize];
        (part - 0.5) * scale
    }

    /// The result of an operation on points of the operands is in the resulting interval.
    #[test]
    fn operations_contain_what_they_must() {
        for k in 0..20_000 {
            let a = Interval::between(number(6 * k), number(6 * k + 1));
            let b = Interval::between(number(6 * k + 2), number(6 * k + 3));
            for (p, q) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (0.3, 0.8)] {
                let within = |i: Interval, p: f64| (i.low + p * (i.high - i.low)).min(i.high);
                let (x, y) = (within(a, p), within(b, q));
                assert!((a + b).contains(x + y) && (a - b).contains(x - y), "{a:?} {b:?}");
                assert!((a * b).contains(x * y), "{a:?} {b:?}");
                assert!(y == 0.0 || (a / b).contains(x / y), "{a:?} {b:?}");
                assert!(a.or(b).contains(x) && a.or(b).contains(y));
            }
        }
    }

    #[test]
    fn what_may_leave_the_reals_is_everything() {
        let unit = Interval::between(-1.0, 1.0);
        assert_eq!(Interval::point(1.0) / unit, Interval::ALL);
        assert_eq!(Interval::point(f64::NAN), Interval::ALL);
        assert!((Interval::ALL * Interval::point(0.0)).contains(0.0));
        assert!((Interval::ALL - Interval::ALL).contains(5.0));
    }
}
