//! The logarithm and the power by which errors become steps, to the base 2.
//!
//! Step control needs a few digits of them, at every step, of many solutions side by side, and the
//! same bits from every processor, which the functions of the system's library do not promise. So
//! they are made of plain arithmetic, which is written once and done by floats, by native code, or
//! by native code for pairs of floats.

use crate::bits::{
    BIAS, COUNTING, EXPONENT_AT_ZERO, LEAST_MANTISSA, MANTISSA, MANTISSA_BITS, ONE, WHOLE,
};

/// Arithmetic on numbers of one kind, each operation rounded as a float.
pub trait Arithmetic {
    /// A number, or several side by side.
    type Number: Copy;
    /// A truth value for each of them.
    type Truth: Copy;

    /// A constant.
    fn constant(&mut self, value: f64) -> Self::Number;
    /// The sum.
    fn add(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The difference.
    fn sub(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The product.
    fn mul(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The quotient.
    fn div(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The absolute value.
    fn abs(&mut self, a: Self::Number) -> Self::Number;
    /// Whether a < b.
    fn less(&mut self, a: Self::Number, b: Self::Number) -> Self::Truth;
    /// Whether a <= b.
    fn at_most(&mut self, a: Self::Number, b: Self::Number) -> Self::Truth;
    /// Whether both hold.
    fn and(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    /// Whether one of them holds.
    fn or(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    /// One number if something holds, otherwise another.
    fn select(&mut self, truth: Self::Truth, a: Self::Number, b: Self::Number) -> Self::Number;
    /// A positive number as a mantissa from [`crate::bits::LEAST_MANTISSA`] to less than twice that, and an
    /// exponent of 2.
    fn split(&mut self, a: Self::Number) -> [Self::Number; 2];
    /// 2 to the power n, from [`crate::bits::WHOLE`] + n, for an n from -1022 to 1023.
    fn whole_power(&mut self, a: Self::Number) -> Self::Number;

    /// The lesser of two numbers, the first if they are equal.
    fn lesser(&mut self, a: Self::Number, b: Self::Number) -> Self::Number {
        let less = self.less(b, a);
        self.select(less, b, a)
    }

    /// The greater of two numbers, the second if they are equal.
    fn greater(&mut self, a: Self::Number, b: Self::Number) -> Self::Number {
        let less = self.less(b, a);
        self.select(less, a, b)
    }
}

/// Floats by themselves.
pub(crate) struct Floats;

impl Arithmetic for Floats {
    type Number = f64;
    type Truth = bool;

    #[inline(always)]
    fn constant(&mut self, value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn add(&mut self, a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn sub(&mut self, a: f64, b: f64) -> f64 {
        a - b
    }

    #[inline(always)]
    fn mul(&mut self, a: f64, b: f64) -> f64 {
        a * b
    }

    #[inline(always)]
    fn div(&mut self, a: f64, b: f64) -> f64 {
        a / b
    }

    #[inline(always)]
    fn abs(&mut self, a: f64) -> f64 {
        a.abs()
    }

    #[inline(always)]
    fn less(&mut self, a: f64, b: f64) -> bool {
        a < b
    }

    #[inline(always)]
    fn at_most(&mut self, a: f64, b: f64) -> bool {
        a <= b
    }

    #[inline(always)]
    fn and(&mut self, a: bool, b: bool) -> bool {
        a & b
    }

    #[inline(always)]
    fn or(&mut self, a: bool, b: bool) -> bool {
        a | b
    }

    #[inline(always)]
    fn select(&mut self, truth: bool, a: f64, b: f64) -> f64 {
        if truth { a } else { b }
    }

    #[inline(always)]
    fn split(&mut self, a: f64) -> [f64; 2] {
        let bits = a.to_bits().wrapping_add(ONE - LEAST_MANTISSA);
        let mantissa = f64::from_bits((bits & MANTISSA) + LEAST_MANTISSA);
        let exponent = f64::from_bits((bits >> MANTISSA_BITS) | COUNTING) - EXPONENT_AT_ZERO;
        [mantissa, exponent]
    }

    #[inline(always)]
    fn whole_power(&mut self, a: f64) -> f64 {
        f64::from_bits(a.to_bits().wrapping_add(BIAS) << MANTISSA_BITS)
    }
}

/// A polynomial for log2(1 + u) / u from [`crate::bits::LEAST_MANTISSA`] on, through its values at
/// Chebyshev's points.
const LOGARITHM: [f64; 8] = [
    1.442694994893,
    -0.721352931363,
    0.4809167080004,
    -0.3602251824615,
    0.2872888823711,
    -0.2492718220667,
    0.2326525788362,
    -0.1427597344002,
];

/// The same for (2^f - 1) / f, up to halves on both sides.
const POWER: [f64; 6] = [
    0.6931471880262,
    0.2402265076057,
    0.05550357114221,
    0.009618082557306,
    0.001339086336403,
    0.0001545316293724,
];

/// The logarithm to the base 2 of a positive number, to about 1e-7; exact for whole powers. That of
/// 0 is far below all others.
#[inline(always)]
pub(crate) fn log2<A: Arithmetic>(a: &mut A, x: A::Number) -> A::Number {
    let one = a.constant(1.0);
    let [mantissa, exponent] = a.split(x);
    let u = a.sub(mantissa, one);
    let quotient = polynomial(a, u, &LOGARITHM);
    let part = a.mul(u, quotient);
    a.add(exponent, part)
}

/// A number times 2 to a power that is less than 1000 in size, to about 1e-8; exact for whole
/// powers.
#[inline(always)]
pub(crate) fn times_exp2<A: Arithmetic>(a: &mut A, factor: A::Number, x: A::Number) -> A::Number {
    let (one, whole) = (a.constant(1.0), a.constant(WHOLE));
    let shifted = a.add(x, whole);
    let rounded = a.sub(shifted, whole);
    let rest = a.sub(x, rounded);
    let quotient = polynomial(a, rest, &POWER);
    let part = a.mul(rest, quotient);
    let power = a.add(one, part);
    let whole = a.whole_power(shifted);
    let scale = a.mul(factor, whole);
    a.mul(scale, power)
}

/// A polynomial of up to eight terms. Neighbours are joined, then pairs, then fours: a step waits
/// for the result, and each operation waits for three others at most.
#[inline(always)]
fn polynomial<A: Arithmetic, const N: usize>(
    a: &mut A,
    x: A::Number,
    terms: &[f64; N],
) -> A::Number {
    let mut parts: [A::Number; N] = terms.map(|term| a.constant(term));
    let (mut power, mut left) = (x, N);
    while left > 1 {
        for at in 0..left / 2 {
            let high = a.mul(parts[2 * at + 1], power);
            parts[at] = a.add(parts[2 * at], high);
        }
        if left % 2 == 1 {
            parts[left / 2] = parts[left - 1];
        }
        left = left.div_ceil(2);
        power = a.mul(power, power);
    }
    parts[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_and_powers_are_those_of_the_library() {
        for k in 0..200_000 {
            // Multiples of an irrational number are spread evenly.
            let part = (f64::from(k) * std::f64::consts::SQRT_2).fract();
            let x = (1.0 + part) * 2f64.powi(k % 2000 - 1000);
            let logarithm = x.log2();
            assert!((log2(&mut Floats, x) - logarithm).abs() < 2e-7, "{x}");
            let x = 1998.0 * part - 999.0;
            assert!((times_exp2(&mut Floats, 1.0, x) / x.exp2() - 1.0).abs() < 1e-8, "{x}");
        }
    }

    #[test]
    fn whole_powers_are_exact_and_zero_is_far_below() {
        for n in -1000..1000 {
            let power = 2f64.powi(n);
            assert_eq!(log2(&mut Floats, power), f64::from(n));
            assert_eq!(times_exp2(&mut Floats, 1.0, f64::from(n)), power);
        }
        assert!(log2(&mut Floats, 0.0) < -1000.0);
    }
}
