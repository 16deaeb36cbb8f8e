//! Ticks at multiples of 1, 2 or 5 times a power of ten, and their labels.
//!
//! Labels are made from integers, so that no tick ever reads 0.30000000000000004.

/// The ticks of an axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Ticks {
    /// Their positions.
    pub values: Vec<f64>,
    /// The text at each.
    pub labels: Vec<String>,
    /// What applies to all labels, such as `×10⁻³` or `+ 1000`.
    pub note: Option<String>,
}

/// Labels with more digits than this are written as differences from a common number.
const DIGITS: i32 = 6;

/// Beyond this many steps from zero, floats no longer separate ticks well.
const FARTHEST: f64 = 1e14;

/// Ticks between two finite numbers, about `count` of them, with steps of at least `least`.
pub(crate) fn ticks(from: f64, to: f64, count: f64, least: f64) -> Ticks {
    let raw = ((to - from) / count.max(1.0)).max(least);
    if !raw.is_normal() || raw > f64::MAX / 10.0 {
        return Ticks::default();
    }
    let (factor, exponent) = nice_step(raw);
    multiples(from, to, factor.into(), exponent)
}

/// The same with the first of these steps that is large enough, unless the ticks are closer than
/// one unit or farther apart than the last step.
pub(crate) fn unit_ticks(from: f64, to: f64, count: f64, steps: &[u16]) -> Ticks {
    let raw = (to - from) / count.max(1.0);
    // Steps of 0.5 are as good as those of 1.
    let found = steps.iter().find(|step| raw > 0.5 && f64::from(**step) >= raw * (1.0 - 1e-9));
    match found {
        Some(step) => multiples(from, to, *step, 0),
        None => ticks(from, to, count, 0.0),
    }
}

/// Ticks at the multiples of `factor` times a power of ten.
fn multiples(from: f64, to: f64, factor: u16, exponent: i32) -> Ticks {
    let step = f64::from(factor) * ten_to(exponent);
    // Slightly more than the range, so that a tick at its very end survives rounding.
    let hair = |steps: f64| 1e-9 + 4.0 * f64::EPSILON * steps.abs();
    let (first, last) = (from / step, to / step);
    let (first, last) = ((first - hair(first)).ceil(), (last + hair(last)).floor());
    if first.abs().max(last.abs()) > FARTHEST || last < first {
        return Ticks::default();
    }
    let multiples: Vec<i64> = (first as i64..=last as i64).map(|k| k * i64::from(factor)).collect();
    let values = multiples.iter().map(|k| scaled(*k, exponent)).collect();
    let (labels, note) = labels(&multiples, exponent);
    Ticks { values, labels, note }
}

/// Ticks of a logarithmic axis between two positive numbers, at most about `count` of them: powers
/// of ten, with 2 and 5 times these if there is room, or evenly spaced ones if the range is narrow.
pub(crate) fn log_ticks(from: f64, to: f64, count: f64) -> Ticks {
    let (first, last) = (from.log10().floor() as i32, to.log10().ceil() as i32);
    let hair = 1e-9;
    let seen = |factors: &[i64], every: i32| -> Vec<(i64, i32)> {
        let decades = (first..=last).filter(|exponent| exponent.rem_euclid(every) == 0);
        let all = decades.flat_map(|exponent| factors.iter().map(move |k| (*k, exponent)));
        let within = |(k, exponent): &(i64, i32)| {
            let value = scaled(*k, *exponent);
            from * (1.0 - hair) <= value && value <= to * (1.0 + hair) && value.is_finite()
        };
        all.filter(within).collect()
    };
    let finer = [(&[1, 2, 5][..], 1), (&[1, 3][..], 1), (&[1][..], 1)].into_iter();
    let coarser = [2, 3, 6, 12, 24, 48, 96, 192].into_iter().map(|every| (&[1][..], every));
    let mut choices = finer.chain(coarser).map(|(factors, every)| seen(factors, every));
    let most = count.max(2.0) as usize;
    let found = choices.find(|found| found.len() <= most).unwrap_or_default();
    if found.len() < 3 && to < 100.0 * from {
        return ticks(from, to, count, 0.0);
    }
    let label = |(k, exponent): &(i64, i32)| match exponent {
        -3..=4 => number(*k, *exponent),
        _ if *k == 1 => format!("10{}", superscript(*exponent)),
        _ => format!("{k}×10{}", superscript(*exponent)),
    };
    let labels = found.iter().map(label).collect();
    let values = found.iter().map(|(k, exponent)| scaled(*k, *exponent)).collect();
    Ticks { values, labels, note: None }
}

/// The smallest 1, 2 or 5 times a power of ten that is at least `raw`.
fn nice_step(raw: f64) -> (u8, i32) {
    let exponent = raw.log10().floor();
    let mantissa = raw / 10f64.powf(exponent);
    // The slack keeps a raw step of 2.0000000000000004 at 2.
    let (factor, shift) = match mantissa {
        m if m <= 1.0 + 1e-9 => (1, 0),
        m if m <= 2.0 + 1e-9 => (2, 0),
        m if m <= 5.0 + 1e-9 => (5, 0),
        _ => (1, 1),
    };
    (factor, exponent as i32 + shift)
}

fn ten_to(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a power of ten is a float")
}

/// The float nearest to `k` times a power of ten.
fn scaled(k: i64, exponent: i32) -> f64 {
    format!("{k}e{exponent}").parse().expect("a decimal number is a float")
}

/// The labels of multiples of a power of ten, and their common part.
fn labels(multiples: &[i64], exponent: i32) -> (Vec<String>, Option<String>) {
    let digits = |k: i64| k.unsigned_abs().max(1).ilog10() as i32 + 1;
    let longest = multiples.iter().copied().map(digits).max().unwrap_or(1);
    if longest > DIGITS {
        // All ticks are far from zero compared with their spacing.
        let common = multiples[0].div_euclid(1000) * 1000;
        let rest: Vec<i64> = multiples.iter().map(|k| k - common).collect();
        let (labels, note) = labels(&rest, exponent);
        let common = number(common, exponent);
        let sign = if common.starts_with(MINUS) { "" } else { "+ " };
        let note = note.map_or(String::new(), |note| format!("{note} "));
        return (labels, Some(format!("{note}{sign}{common}")));
    }
    // The position of the leading digit of the largest label.
    let leading = longest - 1 + exponent;
    let shift = if (-3..=4).contains(&leading) { 0 } else { leading.div_euclid(3) * 3 };
    let labels = multiples.iter().map(|k| decimal(*k, exponent - shift)).collect();
    (labels, (shift != 0).then(|| format!("×10{}", superscript(shift))))
}

const MINUS: char = '\u{2212}';

/// `k` times a power of ten, written out.
fn decimal(k: i64, exponent: i32) -> String {
    let sign = if k < 0 { MINUS.to_string() } else { String::new() };
    let magnitude = k.unsigned_abs();
    if exponent >= 0 {
        let zeros = if k == 0 { 0 } else { exponent.unsigned_abs() as usize };
        return format!("{sign}{magnitude}{}", "0".repeat(zeros));
    }
    let places = exponent.unsigned_abs() as usize;
    let padded = format!("{magnitude:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// `k` times a power of ten without trailing zeros, with an exponent if it is very long.
fn number(k: i64, exponent: i32) -> String {
    let (mut k, mut exponent) = (k, exponent);
    while k != 0 && k % 10 == 0 {
        (k, exponent) = (k / 10, exponent + 1);
    }
    let length = k.unsigned_abs().max(1).ilog10() as i32 + 1;
    if (-15..=0).contains(&exponent) || (0..10).contains(&(length + exponent)) {
        decimal(k, exponent)
    } else {
        format!("{}×10{}", decimal(k, 0), superscript(exponent))
    }
}

/// An integer in superscript digits.
pub(crate) fn superscript(n: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    n.to_string().chars().map(raised).collect()
}

/// A value with three significant digits; a mark in a figure needs no more.
pub(crate) fn brief(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{value:.2e}");
    let (mantissa, exponent) = text.split_once('e').expect("an exponent was asked for");
    let exponent: i32 = exponent.parse().expect("the exponent is a whole number");
    let digits: i64 = mantissa.replace('.', "").parse().expect("the mantissa is a decimal number");
    if (-3..=4).contains(&exponent) {
        number(digits, exponent - 2)
    } else {
        format!("{}×10{}", number(digits, -2), superscript(exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(from: f64, to: f64) -> (Vec<String>, Option<String>) {
        let ticks = ticks(from, to, 5.0, 0.0);
        assert_eq!(ticks.labels.len(), ticks.values.len());
        (ticks.labels, ticks.note)
    }

    #[test]
    fn steps_are_one_two_or_five() {
        let cases = [(0.9, (1, 0)), (1.0, (1, 0)), (1.1, (2, 0)), (2.0, (2, 0)), (2.3, (5, 0))];
        for (raw, expected) in cases {
            assert_eq!(nice_step(raw), expected, "{raw}");
        }
        assert_eq!(nice_step(0.07), (1, -1));
        assert_eq!(nice_step(5.1e7), (1, 8));
        assert_eq!(nice_step(0.2), (2, -1));
    }

    #[test]
    fn labels_are_exact_decimals() {
        assert_eq!(written(0.0, 0.5).0, ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(written(-10.0, 10.0).0, ["−10", "−5", "0", "5", "10"]);
        assert_eq!(ticks(0.0, 1.0, 5.0, 0.0).values, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    }

    #[test]
    fn great_and_small_numbers_have_a_common_factor() {
        let (labels, note) = written(0.0, 5e-6);
        assert_eq!((labels[1].as_str(), note.as_deref()), ("1", Some("×10⁻⁶")));
        let (labels, note) = written(0.0, 2.5e5);
        assert_eq!((labels[1].as_str(), note.as_deref()), ("50", Some("×10³")));
    }

    #[test]
    fn a_narrow_range_far_from_zero_is_written_as_a_difference() {
        let (labels, note) = written(1000.00001, 1000.00006);
        assert_eq!(note.as_deref(), Some("×10⁻⁶ + 1000"));
        assert_eq!(labels, ["10", "20", "30", "40", "50", "60"]);
        let (_, note) = written(-1000.00006, -1000.00001);
        assert!(note.is_some_and(|note| note.contains("−1000")));
    }

    #[test]
    fn no_ticks_where_floats_cannot_tell_them_apart() {
        assert_eq!(ticks(1e300, 1e300 * (1.0 + 1e-15), 5.0, 0.0), Ticks::default());
        assert_eq!(ticks(0.0, f64::INFINITY, 5.0, 0.0), Ticks::default());
        assert!(!ticks(-1e307, 1e306, 5.0, 0.0).values.is_empty());
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let labels = |from: f64, to: f64, count: f64| log_ticks(from, to, count).labels;
        assert_eq!(labels(1e-2, 1e2, 6.0), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(labels(0.9, 12.0, 7.0), ["1", "2", "5", "10"]);
        assert_eq!(labels(1e-9, 1e3, 7.0), ["10⁻⁸", "10⁻⁶", "10⁻⁴", "0.01", "1", "100"]);
        assert_eq!(labels(2.0, 2.4, 5.0), ["2.0", "2.1", "2.2", "2.3", "2.4"]);
        assert!(labels(f64::MIN_POSITIVE, f64::MAX, 6.0).len() > 2);
    }

    #[test]
    fn hours_are_divided_as_on_a_clock() {
        let hours = [1, 2, 3, 6, 12, 24, 48];
        assert_eq!(unit_ticks(0.0, 24.0, 7.7, &hours).labels, ["0", "6", "12", "18", "24"]);
        assert_eq!(unit_ticks(0.0, 48.0, 7.7, &hours).labels, ["0", "12", "24", "36", "48"]);
        assert_eq!(unit_ticks(0.0, 0.5, 7.7, &hours).labels.last().unwrap(), "0.5");
        assert_eq!(unit_ticks(0.0, 7000.0, 7.7, &hours).labels[1], "1000");
    }

    #[test]
    fn whole_steps_stay_whole() {
        assert_eq!(ticks(0.0, 2.0, 8.0, 1.0).labels, ["0", "1", "2"]);
    }

    #[test]
    fn brief_numbers_have_three_digits() {
        let cases = [(2.0, "2"), (-1.23456, "−1.23"), (1234.5, "1230"), (1e-9, "1×10⁻⁹")];
        for (value, expected) in cases {
            assert_eq!(brief(value), expected);
        }
        assert_eq!(brief(9.999e5), "1×10⁶");
        assert_eq!(brief(0.05), "0.05");
    }
}
