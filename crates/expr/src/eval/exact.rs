//! Arithmetic on fractions that gives `None` if the result needs more than 128 bits.
//!
//! `i128::MIN` never occurs as a numerator or denominator here, so no negation can overflow.

use std::cmp::Ordering;

use base::{Elem, Rational, Value};
use num_integer::Integer;
use num_traits::{CheckedAdd, CheckedMul, Zero};

/// Floats up to this magnitude represent integers exactly.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// The exact fraction of a scalar, if it is known. An integer taken from a vector has one, too.
pub(super) fn of(value: &Value) -> Option<Rational> {
    let scalar = value.as_f64()?;
    let known = match value.ty().elem {
        Elem::Bool => None,
        Elem::Int if scalar.abs() <= WHOLE => {
            Some(value.exact().unwrap_or(Rational::from_integer(scalar as i128)))
        }
        _ => value.exact(),
    };
    known.and_then(in_range)
}

/// The integer that a float represents, if it is small enough to be exact.
pub(super) fn whole(value: f64) -> Option<Rational> {
    let exact = value.fract() == 0.0 && value.abs() <= WHOLE;
    exact.then(|| Rational::from_integer(value as i128))
}

fn in_range(value: Rational) -> Option<Rational> {
    (*value.numer() != i128::MIN && *value.denom() > 0).then_some(value)
}

pub(super) fn add(a: Rational, b: Rational) -> Option<Rational> {
    a.checked_add(&b).and_then(in_range)
}

pub(super) fn subtract(a: Rational, b: Rational) -> Option<Rational> {
    add(a, negate(b))
}

pub(super) fn negate(a: Rational) -> Rational {
    Rational::new_raw(-*a.numer(), *a.denom())
}

pub(super) fn multiply(a: Rational, b: Rational) -> Option<Rational> {
    a.checked_mul(&b).and_then(in_range)
}

/// The quotient; `None` also if the divisor is 0.
pub(super) fn divide(a: Rational, b: Rational) -> Option<Rational> {
    multiply(a, inverse(b)?)
}

fn inverse(a: Rational) -> Option<Rational> {
    let (numerator, denominator) = (*a.numer(), *a.denom());
    match numerator.cmp(&0) {
        Ordering::Equal => None,
        Ordering::Greater => Some(Rational::new_raw(denominator, numerator)),
        Ordering::Less => Some(Rational::new_raw(-denominator, -numerator)),
    }
}

/// A power with an integer exponent.
pub(super) fn power(base: Rational, exponent: Rational) -> Option<Rational> {
    let exponent = exponent.is_integer().then(|| i32::try_from(*exponent.numer()).ok())??;
    let base = if exponent < 0 { inverse(base)? } else { base };
    num_traits::checked_pow(base, usize::try_from(exponent.unsigned_abs()).ok()?).and_then(in_range)
}

pub(super) fn floor(a: Rational) -> Rational {
    Rational::from_integer(a.numer().div_floor(a.denom()))
}

pub(super) fn ceil(a: Rational) -> Rational {
    Rational::from_integer(a.numer().div_ceil(a.denom()))
}

/// The nearest integer, halves up.
pub(super) fn round(a: Rational) -> Option<Rational> {
    add(a, Rational::new_raw(1, 2)).map(floor)
}

pub(super) fn sign(a: Rational) -> Rational {
    Rational::from_integer(a.numer().signum())
}

pub(super) fn abs(a: Rational) -> Rational {
    if *a.numer() < 0 { negate(a) } else { a }
}

/// `a - b * floor(a / b)`.
pub(super) fn modulo(a: Rational, b: Rational) -> Option<Rational> {
    if b.is_zero() {
        return None;
    }
    subtract(a, multiply(b, floor(divide(a, b)?))?)
}
