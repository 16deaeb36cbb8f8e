//! Exact rationals for time parameters: 0.1 is one tenth, and 1/3 is one third.

use num_rational::Ratio;

/// An exact fraction. Operations that may overflow use the `checked_` methods of `num_traits`; on
/// overflow the value is no longer exact.
pub type Rational = Ratio<i128>;

/// Parses a decimal literal such as `12`, `0.1` or `2.5e-3` as an exact fraction; `None` if the
/// numerator or denominator needs more than 128 bits.
pub fn parse_decimal(text: &str) -> Option<Rational> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = whole.chars().chain(fraction.chars()).filter(|c| *c != '_').collect();
    let fraction_digits = fraction.chars().filter(|c| *c != '_').count();
    let number: i128 = if digits.is_empty() { return None } else { digits.parse().ok()? };
    let scale = exponent.checked_sub(i32::try_from(fraction_digits).ok()?)?;
    let power = 10i128.checked_pow(scale.unsigned_abs())?;
    if scale >= 0 {
        Some(Rational::from_integer(number.checked_mul(power)?))
    } else {
        Some(Rational::new(number, power))
    }
}

/// The sum; `None` on overflow.
pub fn checked_sum(a: Rational, b: Rational) -> Option<Rational> {
    num_traits::CheckedAdd::checked_add(&a, &b)
}

/// The difference; `None` on overflow.
pub fn checked_difference(a: Rational, b: Rational) -> Option<Rational> {
    num_traits::CheckedSub::checked_sub(&a, &b)
}

/// The quotient; `None` on overflow or if the divisor is zero.
pub fn checked_quotient(a: Rational, b: Rational) -> Option<Rational> {
    num_traits::CheckedDiv::checked_div(&a, &b)
}

/// The exact value of a float as a fraction; `None` on overflow.
pub fn rational_of_f64(value: f64) -> Option<Rational> {
    use num_traits::Float;
    if !value.is_finite() {
        return None;
    }
    let (mantissa, exponent, sign) = value.integer_decode();
    let mantissa = i128::from(mantissa) * i128::from(sign);
    if mantissa == 0 {
        return Some(Rational::from_integer(0));
    }
    let shift = u32::from(exponent.unsigned_abs());
    let power = 2i128.checked_pow(shift.min(127));
    if exponent >= 0 {
        mantissa.checked_mul(power?).map(Rational::from_integer)
    } else {
        let trailing = mantissa.trailing_zeros().min(shift);
        let rest = shift - trailing;
        (rest < 127).then(|| Rational::new(mantissa >> trailing, 1i128 << rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(parse_decimal("0.1"), Some(Rational::new(1, 10)));
        assert_eq!(parse_decimal("2.5e-3"), Some(Rational::new(1, 400)));
        assert_eq!(parse_decimal("1e3"), Some(Rational::from_integer(1000)));
        assert_eq!(parse_decimal("1e99"), None);
        assert_eq!(parse_decimal("."), None);
    }

    #[test]
    fn floats_are_dyadic() {
        assert_eq!(rational_of_f64(0.75), Some(Rational::new(3, 4)));
        assert_eq!(rational_of_f64(-6.0), Some(Rational::from_integer(-6)));
        assert_eq!(rational_of_f64(f64::NAN), None);
        assert_eq!(rational_of_f64(1e-300), None);
    }
}
