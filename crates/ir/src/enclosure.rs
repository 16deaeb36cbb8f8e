//! Enclosures: a tape run on intervals gives bounds of what it computes for all operands in them.
//!
//! Sums, differences, products, quotients and square roots are correctly rounded, so that one unit
//! in the last place outwards is enough. Elementary functions come from the platform's library;
//! [`LIBRARY`] is more than its error on any platform that is supported (glibc states at most 2
//! units for all functions used here). Where a function has a pole or a jump inside its argument,
//! the enclosure has both sides of it. Arguments outside the domain of a function have no value and
//! are left out.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use base::Interval;

use crate::scalar::unary as plain;
use crate::{Binary, Opaque, Scalar, Unary};

/// The relative error of elementary functions that enclosures allow for: 4 units in the last place.
pub const LIBRARY: f64 = 4.0 * f64::EPSILON;

const UNIT: Interval = Interval { low: -1.0, high: 1.0 };
const BIT: Interval = Interval { low: 0.0, high: 1.0 };

/// Whether some `first + k * period` with a whole k is in an interval, or so near that the rounding
/// of this test does not tell.
fn meets(x: Interval, first: f64, period: f64) -> bool {
    let count = |x: f64| (x - first) / period;
    let slack = 8.0 * f64::EPSILON * (1.0 + x.size() / period);
    (count(x.low) - slack).ceil() <= count(x.high) + slack
}

fn sine(x: Interval, shift: f64) -> Interval {
    // The sine of x + shift: its maximum is at pi/2 - shift, its minimum half a turn later.
    let of = |x: f64| if shift == 0.0 { x.sin() } else { x.cos() };
    if !x.is_bounded() {
        return UNIT;
    }
    let ends = Interval::between(of(x.low), of(x.high));
    let mut found = Interval::widened(ends.low, ends.high, LIBRARY);
    if meets(x, FRAC_PI_2 - shift, TAU) {
        found.high = 1.0;
    }
    if meets(x, -FRAC_PI_2 - shift, TAU) {
        found.low = -1.0;
    }
    found.and(UNIT)
}

/// A function that rises everywhere between `least` and `most`, the ends of its domain.
fn rising(op: Unary, x: Interval, least: f64, most: f64) -> Interval {
    let inside = Interval { low: x.low.max(least), high: x.high.min(most) };
    if inside.low > inside.high {
        return Interval::ALL;
    }
    let found = Interval::widened(plain(op, inside.low), plain(op, inside.high), LIBRARY);
    // An infinite value at an end of the domain, as that of log(0), is a bound all the same.
    match (plain(op, inside.low), plain(op, inside.high)) {
        (low, high) if low.is_nan() || high.is_nan() => Interval::ALL,
        _ => found,
    }
}

fn power(x: Interval, y: Interval) -> Interval {
    if !y.is_point() || y.low.fract() != 0.0 {
        // Only what is not negative has a real power then.
        let base = Interval { low: x.low.max(0.0), high: x.high };
        if base.low > base.high {
            return Interval::ALL;
        }
        let all = base.corners(y, f64::powf);
        let (low, high) = Interval::range(&all);
        let odd = all.iter().any(|v| v.is_nan());
        // Where the base passes 1 or the exponent 0, the power is 1 inside.
        let one = base.contains(1.0) || y.contains(0.0);
        let found = if odd { Interval::ALL } else { Interval::widened(low, high, LIBRARY) };
        return if one { found.or(Interval::point(1.0)) } else { found };
    }
    let n = y.low;
    if n < 0.0 && x.contains(0.0) {
        return Interval::ALL;
    }
    let (low, high) = (x.low.powf(n), x.high.powf(n));
    let found = Interval::between(low, high);
    let found = Interval::widened(found.low, found.high, LIBRARY);
    let even = n % 2.0 == 0.0;
    match even && x.contains(0.0) {
        true if n == 0.0 => Interval::point(1.0),
        true => Interval { low: 0.0, high: found.high },
        false if even => Interval { low: found.low.max(0.0), ..found },
        false => found,
    }
}

fn atan2(y: Interval, x: Interval) -> Interval {
    let cut = y.low < 0.0 && y.high >= 0.0 && x.low < 0.0;
    let origin = y.contains(0.0) && x.contains(0.0);
    if cut || origin || !y.is_bounded() || !x.is_bounded() {
        return Interval { low: (-PI).next_down(), high: PI.next_up() };
    }
    let (low, high) = Interval::range(&y.corners(x, f64::atan2));
    Interval::widened(low, high, LIBRARY)
}

fn magnitude(x: Interval) -> Interval {
    let high = x.size();
    let low = if x.contains(0.0) { 0.0 } else { x.low.abs().min(x.high.abs()) };
    Interval { low, high }
}

/// 0, 1, or either.
fn truth(surely: bool, possibly: bool) -> Interval {
    match (surely, possibly) {
        (true, _) => Interval::point(1.0),
        (false, true) => BIT,
        (false, false) => Interval::point(0.0),
    }
}

fn is_true(x: Interval) -> Interval {
    truth(!x.contains(0.0), x != Interval::point(0.0))
}

impl Scalar for Interval {
    const EXTRA_NEWTON_STEPS: usize = 0;

    fn constant(value: f64) -> Self {
        Interval::point(value)
    }

    fn unknown() -> Self {
        Interval::ALL
    }

    fn primal(self) -> f64 {
        if self.is_point() { self.low } else { 0.5 * self.low + 0.5 * self.high }
    }

    fn unary(op: Unary, a: Self) -> Self {
        let (all, least) = (f64::INFINITY, f64::NEG_INFINITY);
        match op {
            Unary::Neg => -a,
            Unary::Not => {
                let bit = is_true(a);
                Interval { low: 1.0 - bit.high, high: 1.0 - bit.low }
            }
            Unary::Sin => sine(a, 0.0),
            Unary::Cos => sine(a, FRAC_PI_2),
            Unary::Tan if !a.is_bounded() || meets(a, FRAC_PI_2, PI) => Interval::ALL,
            Unary::Tan | Unary::Sinh | Unary::Asinh | Unary::Exp | Unary::Atan => {
                rising(op, a, least, all)
            }
            Unary::Tanh => rising(op, a, least, all).and(UNIT),
            Unary::Cosh => rising(op, magnitude(a), 0.0, all),
            Unary::Asin => rising(op, a, -1.0, 1.0),
            Unary::Acos => {
                let inside = a.and(UNIT);
                let (low, high) = (inside.high.acos(), inside.low.acos());
                Interval::widened(low, high, LIBRARY)
            }
            Unary::Acosh => rising(op, a, 1.0, all),
            Unary::Atanh => rising(op, a, -1.0, 1.0),
            Unary::Log | Unary::Log10 | Unary::Log2 => rising(op, a, 0.0, all),
            Unary::Sqrt => {
                let found = rising(op, a, 0.0, all);
                Interval { low: found.low.max(0.0), ..found }
            }
            Unary::Sign => Interval { low: plain(op, a.low), high: plain(op, a.high) },
            Unary::Floor => Interval { low: a.low.floor(), high: a.high.floor() },
        }
    }

    fn binary(op: Binary, a: Self, b: Self) -> Self {
        match op {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            Binary::Pow => power(a, b),
            Binary::Atan2 => atan2(a, b),
            Binary::Hypot => {
                let (a, b) = (magnitude(a), magnitude(b));
                Interval::widened(a.low.hypot(b.low), a.high.hypot(b.high), LIBRARY)
            }
            Binary::And => {
                let (a, b) = (is_true(a), is_true(b));
                Interval { low: a.low.min(b.low), high: a.high.min(b.high) }
            }
            Binary::Or => {
                let (a, b) = (is_true(a), is_true(b));
                Interval { low: a.low.max(b.low), high: a.high.max(b.high) }
            }
            Binary::Equal => {
                let same = a.is_point() && a == b;
                truth(same, a.low <= b.high && b.low <= a.high)
            }
            Binary::Less => truth(a.high < b.low, a.low < b.high),
            Binary::LessEqual => truth(a.high <= b.low, a.low <= b.high),
        }
    }

    fn select(condition: Self, a: Self, b: Self) -> Self {
        match is_true(condition) {
            one if one == Interval::point(1.0) => a,
            zero if zero == Interval::point(0.0) => b,
            _ => a.or(b),
        }
    }

    fn sign_outside(d: Self, side: Self, residual: Self) -> Self {
        let held = d.contains(0.0) || d.low.abs().min(d.high.abs()) <= residual.high;
        let sign = Interval { low: plain(Unary::Sign, d.low), high: plain(Unary::Sign, d.high) };
        if held { sign.or(side) } else { sign }
    }

    fn floor_outside(x: Self, cell: Self, _residual: Self) -> Self {
        Interval { low: x.low.floor(), high: x.high.floor() }.or(cell)
    }

    fn index(row: &[Self], position: Self) -> Self {
        if !position.is_bounded() {
            return Interval::ALL;
        }
        let last = row.len().saturating_sub(1);
        let from = position.low.ceil().max(0.0) as usize;
        let to = (position.high.floor().max(0.0) as usize).min(last);
        let found = row.get(from..=to).unwrap_or(&[]).iter().copied().reduce(Interval::or);
        found.unwrap_or(Interval::ALL)
    }

    fn call(_function: &dyn Opaque, _args: &[&[Self]], result: &mut [Self]) {
        result.fill(Interval::ALL);
    }
}
