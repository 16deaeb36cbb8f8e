//! Exact times: model time before it is rounded.
//!
//! A tag counts whole attoseconds, but a third of a second is not a whole number of them. An exact
//! time keeps what the rounding of its tag leaves out, so that three delays of a third make exactly
//! one second. Sums are exact and round once.

use std::cmp::Ordering;
use std::ops::{Add, Sub};

use num_integer::Integer;
use num_traits::CheckedMul;
use serde::{Deserialize, Serialize};

use crate::time::{ATTOSECONDS_PER_SECOND, RANGE, whole};
use crate::{Rational, Time, checked_sum, parse_decimal};

/// An exact time or duration: the time that it rounds to, and a fraction of an attosecond. If the
/// denominator of the fraction needs more than 63 bits, the fraction is dropped and the exact time
/// is its rounded value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct ExactTime {
    time: Time,
    fraction: Fraction,
}

/// A fraction of an attosecond from -1/2 to 1/2, in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct Fraction {
    numerator: i64,
    denominator: i64,
}

impl Fraction {
    const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };

    /// The fraction in lowest terms; zero if the denominator is too long.
    fn new(numerator: i128, denominator: i128) -> Fraction {
        let divisor = match (i64::try_from(numerator), i64::try_from(denominator)) {
            // A 128-bit division takes much longer.
            (Ok(numerator), Ok(denominator)) => numerator.gcd(&denominator).into(),
            _ => numerator.gcd(&denominator),
        };
        match i64::try_from(denominator / divisor) {
            Ok(denominator) => Fraction { numerator: (numerator / divisor) as i64, denominator },
            Err(_) => Fraction::ZERO,
        }
    }

    /// Numerator and denominator of the exact sum. Denominators of 63 bits and smaller numerators
    /// cannot overflow.
    fn sum(self, other: Fraction) -> (i128, i128) {
        let wide = |number: i64| i128::from(number);
        if self.denominator == other.denominator {
            return (wide(self.numerator) + wide(other.numerator), wide(self.denominator));
        }
        let divisor = self.denominator.gcd(&other.denominator);
        let (own, others) = (self.denominator / divisor, other.denominator / divisor);
        let numerator = wide(self.numerator) * wide(others) + wide(other.numerator) * wide(own);
        (numerator, wide(self.denominator) * wide(others))
    }
}

impl Default for Fraction {
    fn default() -> Self {
        Fraction::ZERO
    }
}

impl ExactTime {
    /// The exact time of a fraction of seconds; `None` if it is outside the range of model time.
    pub fn from_rational(seconds: Rational) -> Option<Self> {
        let time = Time::from_rational(seconds)?;
        let divisor = seconds.denom().gcd(&ATTOSECONDS_PER_SECOND);
        let denominator = seconds.denom() / divisor;
        if denominator == 1 || i64::try_from(denominator).is_err() {
            return Some(time.into());
        }
        // The remainder of numerator * unit / denominator, which is in lowest terms.
        let unit = ATTOSECONDS_PER_SECOND / divisor;
        let remainder = |modulus: i128| {
            (seconds.numer().mod_floor(&modulus) * unit.mod_floor(&modulus)).mod_floor(&modulus)
        };
        let above = remainder(denominator);
        let rounded_down = match denominator {
            // A half is rounded to the even attosecond.
            2 => remainder(4) == 1,
            _ => 2 * above < denominator,
        };
        let rest = if rounded_down { above } else { above - denominator };
        Some(ExactTime { time, fraction: Fraction::new(rest, denominator) })
    }

    /// The exact time of the shortest decimal that a float stands for: 0.1 is one tenth of a second.
    /// `None` if it is outside the range of model time or no number.
    pub fn from_decimal(seconds: f64) -> Option<Self> {
        let decimal = parse_decimal(&format!("{seconds:e}"));
        let decimal = decimal.and_then(ExactTime::from_rational);
        decimal.or_else(|| Time::from_f64(seconds).map(ExactTime::from))
    }

    /// The `k`-th term of `offset + k * period`.
    #[inline]
    pub fn tick(offset: Rational, period: Rational, k: i128) -> Option<Self> {
        let (Some(offset), Some(period)) = (whole(offset), whole(period)) else {
            return ExactTime::fractional_tick(offset, period, k);
        };
        let count = offset.checked_add(period.checked_mul(k)?)?;
        (count.unsigned_abs() <= RANGE).then(|| Time::from_attoseconds(count).into())
    }

    fn fractional_tick(offset: Rational, period: Rational, k: i128) -> Option<Self> {
        let elapsed = period.checked_mul(&Rational::from_integer(k));
        if let Some(exact) = elapsed.and_then(|elapsed| checked_sum(offset, elapsed)) {
            return ExactTime::from_rational(exact);
        }
        // The fractions are too long to stay exact, so the period is rounded to attoseconds first.
        let elapsed = Time::from_rational(period)?.attoseconds().checked_mul(k)?;
        let count = Time::from_rational(offset)?.attoseconds().checked_add(elapsed)?;
        Some(Time::from_attoseconds(count).into())
    }

    /// The time that it rounds to, which is the time of its tag.
    pub const fn time(self) -> Time {
        self.time
    }

    /// Whether it is a whole number of attoseconds.
    pub const fn is_whole(self) -> bool {
        self.fraction.numerator == 0
    }

    /// The float nearest to its time \[s\].
    pub fn seconds(self) -> f64 {
        self.time.seconds()
    }

    /// The exact fraction of seconds, or that of the rounded time if the exact one is too long.
    pub fn to_rational(self) -> Rational {
        let Fraction { numerator, denominator } = self.fraction;
        let exact = || {
            let (numerator, denominator) = (i128::from(numerator), i128::from(denominator));
            let scaled = self.time.attoseconds().checked_mul(denominator)?;
            let unit = denominator.checked_mul(ATTOSECONDS_PER_SECOND)?;
            Some(Rational::new(scaled.checked_add(numerator)?, unit))
        };
        exact().unwrap_or_else(|| self.time.to_rational())
    }

    /// The exact time of an instant that has both this one and another one among its causes. They
    /// have the same tag. If they differ by a fraction of an attosecond, the earlier one is used;
    /// but a whole number of attoseconds, as every located time is, yields to a time that is not
    /// whole.
    #[must_use]
    pub fn meet(self, other: ExactTime) -> ExactTime {
        let gives_way = self.is_whole() || other < self;
        match other.time == self.time && !other.is_whole() && gives_way {
            true => other,
            false => self,
        }
    }

    #[cold]
    fn rounded(count: i128, (numerator, denominator): (i128, i128)) -> ExactTime {
        let (below, rest) = numerator.div_mod_floor(&denominator);
        let floor = count.saturating_add(below);
        let up = match rest.cmp(&(denominator - rest)) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => floor.is_odd(),
        };
        let time = Time::from_attoseconds(floor.saturating_add(up.into()));
        let rest = if up { rest - denominator } else { rest };
        ExactTime { time, fraction: Fraction::new(rest, denominator) }
    }
}

impl From<Time> for ExactTime {
    fn from(time: Time) -> ExactTime {
        ExactTime { time, fraction: Fraction::ZERO }
    }
}

impl PartialOrd for ExactTime {
    fn partial_cmp(&self, other: &ExactTime) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ExactTime {
    fn cmp(&self, other: &ExactTime) -> Ordering {
        let part = |a: &ExactTime, b: &ExactTime| {
            i128::from(a.fraction.numerator) * i128::from(b.fraction.denominator)
        };
        self.time.cmp(&other.time).then_with(|| part(self, other).cmp(&part(other, self)))
    }
}

impl Add for ExactTime {
    type Output = ExactTime;
    #[inline]
    fn add(self, other: ExactTime) -> ExactTime {
        let time = self.time + other.time;
        if self.is_whole() && other.is_whole() {
            return time.into();
        }
        ExactTime::rounded(time.attoseconds(), self.fraction.sum(other.fraction))
    }
}

impl Sub for ExactTime {
    type Output = ExactTime;
    #[inline]
    fn sub(self, other: ExactTime) -> ExactTime {
        let Fraction { numerator, denominator } = other.fraction;
        let fraction = Fraction { numerator: -numerator, denominator };
        self + ExactTime { time: Time::ZERO - other.time, fraction }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(numerator: i128, denominator: i128) -> ExactTime {
        ExactTime::from_rational(Rational::new(numerator, denominator)).unwrap()
    }

    #[test]
    fn a_million_thirds_do_not_drift() {
        let third = at(1, 3);
        let mut sum = ExactTime::default();
        for k in 1..=1_000_000i128 {
            sum = sum + third;
            assert_eq!(Some(sum.time()), Time::from_rational(Rational::new(k, 3)));
        }
        assert_eq!(at(1, 3) + at(1, 7) - at(1, 7) + at(2, 3), at(1, 1));
    }

    #[test]
    fn sums_are_those_of_fractions() {
        let parts = [(1, 3), (-2, 7), (1, 10), (5, 2_000_000_000_000_000_000), (1, 1 << 40)];
        for (a, b) in parts.iter().flat_map(|a| parts.iter().map(move |b| (*a, *b))) {
            let (x, y) = (Rational::new(a.0, a.1), Rational::new(b.0, b.1));
            assert_eq!(at(a.0, a.1) + at(b.0, b.1), ExactTime::from_rational(x + y).unwrap());
            assert_eq!(at(a.0, a.1) - at(b.0, b.1), ExactTime::from_rational(x - y).unwrap());
            assert_eq!(at(a.0, a.1).cmp(&at(b.0, b.1)), x.cmp(&y));
            assert_eq!(at(a.0, a.1).to_rational(), x);
        }
    }

    #[test]
    fn halves_go_to_the_even_attosecond() {
        let halves = |n: i128| at(n, 2 * ATTOSECONDS_PER_SECOND);
        for n in [-5i128, -3, -1, 1, 3, 5] {
            let even = n.div_euclid(4) * 2 + if n.rem_euclid(4) == 3 { 2 } else { 0 };
            assert_eq!(halves(n).time(), Time::from_attoseconds(even), "{n}");
            assert_eq!(halves(n) + halves(1), halves(n + 1));
            assert_eq!(halves(n) + halves(2), halves(n + 2));
        }
    }

    #[test]
    fn what_is_too_long_is_rounded_once() {
        let (a, b) = (at(1, (1 << 61) - 1), at(1, 4_611_686_018_427_387_847));
        let sum = a + b;
        assert!(!a.is_whole() && !b.is_whole() && sum.is_whole());
        assert!((sum.seconds() - (a.seconds() + b.seconds())).abs() < 1e-17);
        assert!(at(1, (1 << 90) - 1).is_whole());
    }

    #[test]
    fn causes_of_one_tag_have_one_exact_time() {
        let (third, near) = (at(1, 3), at(1, 3) + at(1, 7_000_000_000_000_000_000));
        let whole = ExactTime::from(third.time());
        assert_eq!(third.time(), near.time());
        for (a, b) in [(third, near), (near, third), (third, whole), (whole, third)] {
            assert_eq!(a.meet(b), third);
        }
        assert_eq!(third.meet(at(2, 3)), third);
    }
}
