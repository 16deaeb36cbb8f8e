//! Numbers formatted for people.

/// A number with the digits that distinguish it from all others, and with an exponent if it would
/// otherwise have many zeros.
pub fn shown(x: f64) -> String {
    let usual = x == 0.0 || !x.is_finite() || (1e-5..1e16).contains(&x.abs());
    if usual { x.to_string() } else { format!("{x:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_have_an_exponent() {
        let cases = [
            (6.938893903907228e-16, "6.938893903907228e-16"),
            (-1e-7, "-1e-7"),
            (1e20, "1e20"),
            (0.0001, "0.0001"),
            (123456.5, "123456.5"),
            (0.0, "0"),
        ];
        for (number, expected) in cases {
            assert_eq!(shown(number), expected);
            assert_eq!(expected.parse(), Ok(number));
        }
    }
}
