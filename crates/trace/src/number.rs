//! Numbers as text, and exact time as text and as floats, without allocation.

use base::{ATTOSECONDS_PER_SECOND, Elem, Time, parse_decimal};

const UNIT: u128 = ATTOSECONDS_PER_SECOND.unsigned_abs();

/// Appends a value of an element type.
pub(crate) fn write_value(out: &mut Vec<u8>, elem: Elem, value: f64) {
    match elem {
        Elem::Bool => out.extend_from_slice(if value != 0.0 { b"true" } else { b"false" }),
        Elem::Int | Elem::Real => write_number(out, value),
    }
}

/// Appends the shortest text that reads back as the same float: `1`, `0.25`, `1e-9`, `NaN`, `inf`.
pub(crate) fn write_number(out: &mut Vec<u8>, value: f64) {
    let whole = value as i64;
    if whole as f64 == value && whole.unsigned_abs() < 1 << 53 && (whole != 0 || is_plus(value)) {
        out.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
    } else if value.is_finite() {
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(value);
        out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
    } else {
        out.extend_from_slice(value.to_string().as_bytes());
    }
}

fn is_plus(value: f64) -> bool {
    value.is_sign_positive()
}

/// Appends the exact decimal number of seconds, without trailing zeros.
pub(crate) fn write_time(out: &mut Vec<u8>, time: Time) {
    let magnitude = time.attoseconds().unsigned_abs();
    if time.attoseconds() < 0 {
        out.push(b'-');
    }
    let (whole, mut rest) = (magnitude / UNIT, (magnitude % UNIT) as u64);
    match u64::try_from(whole) {
        Ok(whole) => out.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes()),
        Err(_) => out.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes()),
    }
    if rest == 0 {
        return;
    }
    let mut digits = *b".000000000000000000";
    for digit in digits[1..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let used = digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
    out.extend_from_slice(&digits[..used]);
}

/// Reads a decimal number of seconds; `None` if it is not one or is out of range.
pub(crate) fn parse_time(text: &str) -> Option<Time> {
    parse_plain(text).or_else(|| {
        let (sign, magnitude) = match text.strip_prefix('-') {
            Some(magnitude) => (-1, magnitude),
            None => (1, text),
        };
        let signed = magnitude.bytes().next().is_some_and(|byte| byte == b'-' || byte == b'+');
        let exact = parse_decimal(magnitude).filter(|_| !signed)?;
        Time::from_rational(exact * sign)
    })
}

/// Digits, at most eighteen of them after a point: the form that [`write_time`] produces.
fn parse_plain(text: &str) -> Option<Time> {
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(magnitude) => (true, magnitude),
        None => (false, text),
    };
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || fraction.len() > 18 || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let rest: u64 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let rest = u128::from(rest) * 10u128.pow(18 - fraction.len() as u32);
    let magnitude = whole.parse::<u128>().ok()?.checked_mul(UNIT)?.checked_add(rest)?;
    let magnitude = i128::try_from(magnitude).ok()?;
    Some(Time::from_attoseconds(if negative { -magnitude } else { magnitude }))
}

/// The float nearest to a time \[s\].
///
/// The quotient of the leading part is corrected by its remainder, which leaves an error far below
/// rounding; if even that could affect the rounding, the slow conversion through text decides.
pub(crate) fn seconds(time: Time) -> f64 {
    const SCALE: f64 = ATTOSECONDS_PER_SECOND as f64;
    let count = time.attoseconds();
    let leading = count as f64;
    if leading.abs() > 1e38 {
        return slow_seconds(time);
    }
    let trailing = (count - leading as i128) as f64;
    let quotient = leading / SCALE;
    let correction = (quotient.mul_add(-SCALE, leading) + trailing) / SCALE;
    let margin = correction * 2f64.powi(-40);
    let (low, high) = (quotient + (correction - margin), quotient + (correction + margin));
    if low == high { low } else { slow_seconds(time) }
}

fn slow_seconds(time: Time) -> f64 {
    time.decimal().parse().expect("a decimal number is a float")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-12.5, "-12.5"),
            (0.1, "0.1"),
            (1e-9, "1e-9"),
            (1e300, "1e+300"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, expected) in cases {
            assert_eq!(text(|out| write_number(out, value)), expected);
        }
    }

    #[test]
    fn foreign_times_are_read() {
        assert_eq!(parse_time("1e-3"), Time::from_f64(0.001));
        assert_eq!(parse_time("-2.5E1"), Time::from_f64(-25.0));
        for wrong in ["", "-", "--1", "-+1", "x", "1e99", "NaN", "1.2.3", "."] {
            assert_eq!(parse_time(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn numbers_read_back(bits: u64) {
            let value = f64::from_bits(bits);
            let back: f64 = text(|out| write_number(out, value)).parse().unwrap();
            prop_assert!(back.to_bits() == bits || value.is_nan() && back.is_nan());
        }

        #[test]
        fn times_read_back(count: i128, shift in 0u32..127) {
            let time = Time::from_attoseconds(count >> shift);
            let written = text(|out| write_time(out, time));
            prop_assert_eq!(&written, &time.decimal());
            prop_assert_eq!(parse_time(&written), Some(time));
            prop_assert_eq!(seconds(time).to_bits(), slow_seconds(time).to_bits());
        }
    }
}
