//! Superdense time: an exact model time and a microstep.

use std::fmt;
use std::ops::{Add, Sub};

use num_integer::Integer;
use num_traits::{CheckedMul, Float};
use serde::{Deserialize, Serialize};

use crate::{ExactTime, Rational, rational_of_f64};

/// The number of attoseconds in a second.
pub const ATTOSECONDS_PER_SECOND: i128 = 1_000_000_000_000_000_000;

/// Model time as an integer number of attoseconds, so that sums of periods never drift. The range
/// is about 1.7e20 seconds to either side of zero.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Time(i128);

impl Time {
    /// Time zero.
    pub const ZERO: Time = Time(0);
    /// Later than every time that a model can name.
    pub const MAX: Time = Time(i128::MAX);

    /// The time with this number of attoseconds.
    pub const fn from_attoseconds(count: i128) -> Self {
        Time(count)
    }

    /// The number of attoseconds.
    pub const fn attoseconds(self) -> i128 {
        self.0
    }

    /// The time of a float \[s\], rounded to the nearest attosecond, ties to even; `None` if it is
    /// not finite or is out of range.
    pub fn from_f64(seconds: f64) -> Option<Self> {
        if !seconds.is_finite() || seconds.abs() > 1.0e20 {
            return None;
        }
        let (mantissa, exponent, sign) = seconds.integer_decode();
        // A mantissa below 2^53 times 10^18 < 2^60 stays below 2^113.
        let scaled = i128::from(mantissa) * ATTOSECONDS_PER_SECOND;
        let magnitude = if exponent >= 0 {
            // |seconds| <= 1e20 keeps the product below 2^127.
            scaled.checked_mul(1i128.checked_shl(exponent.unsigned_abs().into())?)?
        } else {
            let shift = u32::from(exponent.unsigned_abs());
            if shift > 120 { 0 } else { halve_to_even(scaled as u128, shift) as i128 }
        };
        Some(Time(magnitude * i128::from(sign)))
    }

    /// The time of a fraction of seconds, rounded once, ties to even; `None` if it is out of range.
    pub fn from_rational(seconds: Rational) -> Option<Self> {
        let factor = Rational::from_integer(ATTOSECONDS_PER_SECOND);
        let scaled = match seconds.checked_mul(&factor) {
            Some(scaled) => divide_to_even(*scaled.numer(), *scaled.denom()),
            None => {
                // The numerator is too long for one product, so whole seconds and the rest are
                // converted separately.
                let (whole, rest) = seconds.numer().div_mod_floor(seconds.denom());
                let rest = Rational::new(rest, *seconds.denom()).checked_mul(&factor)?;
                whole
                    .checked_mul(ATTOSECONDS_PER_SECOND)?
                    .checked_add(divide_to_even(*rest.numer(), *rest.denom()))?
            }
        };
        (scaled.unsigned_abs() <= RANGE).then_some(Time(scaled))
    }

    /// The `k`-th term of `offset + k * period`, rounded once, so that clocks whose exact ticks
    /// coincide share the tag.
    #[inline]
    pub fn tick(offset: Rational, period: Rational, k: i128) -> Option<Self> {
        ExactTime::tick(offset, period, k).map(ExactTime::time)
    }

    /// The fraction to use for a float in a time parameter whose expression gave no exact one.
    pub fn rational_of(seconds: f64) -> Option<Rational> {
        rational_of_f64(seconds).or_else(|| Time::from_f64(seconds).map(Time::to_rational))
    }

    /// The nearest float \[s\].
    pub fn seconds(self) -> f64 {
        // A count c is c / 5^18 / 2^18 seconds. It is shifted to 104 bits, so that its quotient by
        // 5^18 has 62 or 63 bits, and the last of them is a sticky bit for everything below. So
        // there is a single rounding, to the float.
        let count = self.0.unsigned_abs();
        let shift = count.leading_zeros() as i32 - 24;
        let shifted = match shift {
            0.. => count << shift.min(104),
            _ => count >> -shift | u128::from(count.trailing_zeros() < shift.unsigned_abs()),
        };
        let (quotient, rest) = divide_by_fives(shifted);
        let quotient = quotient as i64 | i64::from(rest != 0);
        let power = f64::from_bits(((1023 - 18 - shift) as u64) << 52);
        let seconds = quotient as f64 * power;
        if self.0 < 0 { -seconds } else { seconds }
    }

    /// What is left of this time beyond a float near it \[s\]: their difference, exact before it is
    /// rounded.
    pub fn beyond(self, seconds: f64) -> f64 {
        let (mantissa, exponent, sign) = seconds.integer_decode();
        let scaled = i128::from(mantissa) * ATTOSECONDS_PER_SECOND * i128::from(sign);
        let shift = u32::from(exponent.unsigned_abs());
        // Whole attoseconds of the float, and what is left of it.
        let (whole, rest) = match exponent {
            0.. => (scaled << shift.min(14), 0.0),
            _ if shift < 127 => {
                let whole = scaled >> shift;
                (whole, (scaled - (whole << shift)) as f64 * (-f64::from(shift)).exp2())
            }
            _ => (0, seconds * 1e18),
        };
        ((self.0 - whole) as f64 - rest) / 1e18
    }

    /// The time elapsed since `earlier`, as a float \[s\].
    #[inline]
    pub fn since(self, earlier: Time) -> f64 {
        Time(self.0 - earlier.0).seconds()
    }

    /// This time plus a float offset \[s\]; `None` if the result is out of range.
    pub fn offset(self, seconds: f64) -> Option<Self> {
        Time::from_f64(seconds).and_then(|d| self.0.checked_add(d.0)).map(Time)
    }

    /// The time as an exact fraction of seconds.
    pub fn to_rational(self) -> Rational {
        Rational::new(self.0, ATTOSECONDS_PER_SECOND)
    }

    /// The exact decimal number of seconds, without trailing zeros.
    pub fn decimal(self) -> String {
        let magnitude = self.0.unsigned_abs();
        let unit = ATTOSECONDS_PER_SECOND.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let text = format!("{sign}{}.{:018}", magnitude / unit, magnitude % unit);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// The largest number of attoseconds that a model can specify.
pub(crate) const RANGE: u128 = 100_000_000_000_000_000_000_000_000_000_000_000_000;

/// A fraction of seconds as an integer number of attoseconds, if it is one.
pub(crate) fn whole(seconds: Rational) -> Option<i128> {
    // A denominator that does not fit does not divide the unit, and division of short numbers is
    // fast.
    let unit = ATTOSECONDS_PER_SECOND as u64;
    let denominator = u64::try_from(*seconds.denom()).ok()?;
    if !unit.is_multiple_of(denominator) {
        return None;
    }
    let (numerator, factor) = (*seconds.numer(), unit / denominator);
    match i64::try_from(numerator) {
        Ok(numerator) => Some(i128::from(numerator) * i128::from(factor)),
        Err(_) => numerator.checked_mul(i128::from(factor)),
    }
}

/// Divides a number of at most 104 bits by 5^18; returns quotient and remainder. Times become
/// floats at every step, and a 128-bit division takes longer than this one by a reciprocal: Moller
/// and Granlund, "Improved division by invariant integers", algorithm 4.
fn divide_by_fives(number: u128) -> (u64, u64) {
    const FIVES: u64 = 5u64.pow(18);
    const SHIFT: u32 = FIVES.leading_zeros();
    const DIVISOR: u64 = FIVES << SHIFT;
    const RECIPROCAL: u64 = (u128::MAX / DIVISOR as u128 - (1 << 64)) as u64;
    let number = number << SHIFT;
    let (high, low) = ((number >> 64) as u64, number as u64);
    let estimate = u128::from(RECIPROCAL) * u128::from(high) + number;
    let mut quotient = ((estimate >> 64) as u64).wrapping_add(1);
    let mut rest = low.wrapping_sub(quotient.wrapping_mul(DIVISOR));
    if rest > estimate as u64 {
        quotient = quotient.wrapping_sub(1);
        rest = rest.wrapping_add(DIVISOR);
    }
    if rest >= DIVISOR {
        quotient = quotient.wrapping_add(1);
        rest -= DIVISOR;
    }
    (quotient, rest)
}

/// Divides by 2^`times`, `times` at least 1, rounding to the nearest integer, ties to even.
fn halve_to_even(number: u128, times: u32) -> u128 {
    let twice = number >> (times - 1);
    let more = number.trailing_zeros() < times - 1;
    let up = twice.is_odd() && (more || (twice >> 1).is_odd());
    (twice >> 1) + u128::from(up)
}

/// Divides by a positive number, rounding to the nearest integer, ties to even.
fn divide_to_even(numerator: i128, denominator: i128) -> i128 {
    let (quotient, rest) = numerator.div_mod_floor(&denominator);
    let up = match rest.cmp(&(denominator - rest)) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => quotient.is_odd(),
    };
    quotient + i128::from(up)
}

impl Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        Time(self.0.saturating_add(other.0))
    }
}

impl Sub for Time {
    type Output = Time;
    fn sub(self, other: Time) -> Time {
        Time(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.decimal())
    }
}

impl TryFrom<f64> for Time {
    type Error = ();
    fn try_from(seconds: f64) -> Result<Self, ()> {
        Time::from_f64(seconds).ok_or(())
    }
}

impl From<Time> for Rational {
    fn from(time: Time) -> Rational {
        time.to_rational()
    }
}

/// A point of superdense time, ordered by time and then by microstep. Microstep 0 is the left
/// limit; the last microstep at a time is the right limit.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Tag {
    /// The model time.
    pub time: Time,
    /// The index among the microsteps at that time.
    pub microstep: u32,
}

impl Tag {
    /// The tag with a time and a microstep.
    pub const fn new(time: Time, microstep: u32) -> Self {
        Tag { time, microstep }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.time, self.microstep)
    }
}

#[cfg(test)]
mod tests {
    use num_traits::CheckedSub;

    use super::*;

    #[test]
    fn clocks_of_a_tenth_and_one_meet() {
        let tenth = Rational::new(1, 10);
        let one = Rational::from_integer(1);
        let zero = Rational::from_integer(0);
        for k in 0..1000 {
            assert_eq!(Time::tick(zero, tenth, 10 * k), Time::tick(zero, one, k));
            assert_eq!(Time::tick(zero, Rational::new(1, 3), 3 * k), Time::tick(zero, one, k));
        }
    }

    #[test]
    fn floats_round_trip() {
        for seconds in [0.0, 1.5, -2.25, 0.1, 1e-17, 12345.678, 9.9e19, 1e-19, 4.999e-19] {
            let time = Time::from_f64(seconds).unwrap();
            assert!((time.seconds() - seconds).abs() <= 1e-18 + seconds.abs() * 1e-16, "{seconds}");
        }
        assert_eq!(Time::from_f64(f64::INFINITY), None);
        assert_eq!(Time::from_f64(1e21), None);
    }

    #[test]
    fn what_is_left_beyond_a_float_is_exact() {
        for count in [1i128, 7, 10_i128.pow(17) / 3, 10_i128.pow(24) / 7, 10_i128.pow(37) / 3] {
            for count in [count, -count] {
                let time = Time(count);
                for seconds in [time.seconds(), time.seconds() * (1.0 + 1e-15), 0.0] {
                    // The float as a fraction is exact unless it needs more bits than there are.
                    let Some(float) = rational_of_f64(seconds) else { continue };
                    let difference = time.to_rational().checked_sub(&float);
                    let Some(difference) = difference else { continue };
                    let exact = *difference.numer() as f64 / *difference.denom() as f64;
                    let beyond = time.beyond(seconds);
                    assert!((beyond - exact).abs() <= 4e-16 * exact.abs(), "{beyond} {exact}");
                }
            }
        }
        assert!(Time::from_f64(0.1).unwrap().beyond(0.1).abs() <= 5e-19);
        assert_eq!(Time::from_f64(3.0).unwrap().beyond(2.0), 1.0);
        assert!((Time::ZERO.beyond(1e-30) + 1e-30).abs() < 1e-45);
    }

    #[test]
    fn seconds_are_the_nearest_float() {
        let mut count = 1i128;
        for k in 0..200_000i128 {
            count =
                count.wrapping_mul(0x5851_f42d_4c95_7f2d_1405_7b7e_f767_814f).wrapping_add(k | 1);
            let time = Time(count >> (k % 127));
            let nearest: f64 = time.decimal().parse().unwrap();
            assert_eq!(time.seconds().to_bits() << 1, nearest.to_bits() << 1, "{time}");
        }
        assert_eq!(Time::ZERO.seconds().to_bits(), 0);
        assert_eq!(Time::MAX.seconds(), 170141183460469231731.687303715884105727);
    }

    #[test]
    fn floats_round_to_the_nearest_attosecond() {
        let mut bits = 1u64;
        for k in 0..200_000u64 {
            bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(k | 1);
            // Numbers from 2^-66 to 2^10, most of which are not whole numbers of attoseconds.
            let exponent = 957 + (bits >> 52) % 76;
            let seconds = f64::from_bits(exponent << 52 | bits & ((1 << 52) - 1));
            let (mantissa, exponent, _) = seconds.integer_decode();
            let scaled = i128::from(mantissa) * ATTOSECONDS_PER_SECOND;
            let shift = u32::from(exponent.unsigned_abs());
            let nearest = if shift > 120 { 0 } else { divide_to_even(scaled, 1 << shift) };
            assert_eq!(Time::from_f64(seconds), Some(Time(nearest)), "{seconds}");
            assert_eq!(Time::from_f64(-seconds), Some(Time(-nearest)), "{seconds}");
        }
        // Half an attosecond is rounded to the even one.
        assert_eq!(halve_to_even(1, 1), 0);
        assert_eq!(halve_to_even(3, 1), 2);
        assert_eq!(halve_to_even(13, 2), 3);
    }

    #[test]
    fn decimal_is_exact() {
        assert_eq!(Time::from_f64(1.5).unwrap().to_string(), "1.5");
        assert_eq!(Time::from_attoseconds(-1).to_string(), "-0.000000000000000001");
        assert_eq!(Time::ZERO.to_string(), "0");
    }

    #[test]
    fn the_range_is_checked() {
        assert_eq!(Time::from_rational(Rational::from_integer(i128::MAX)), None);
        assert!(Time::from_rational(Rational::new(1, i128::MAX)).is_some());
    }
}
