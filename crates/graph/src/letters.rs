//! The width of a text, from the advance widths of Helvetica, which Arial, Arimo and Liberation
//! Sans share.

/// The fonts that a figure requests; all but the last have the widths below.
pub(crate) const FAMILY: &str = "Arimo, Liberation Sans, Helvetica, Arial, sans-serif";

/// Advance widths of the characters from space to tilde \[thousandths of the size\].
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// The width of a text at a font size, rounded up \[px\].
pub(crate) fn width(text: &str, size: i64) -> i64 {
    let thousandths: i64 = text.chars().map(|c| i64::from(advance(c))).sum();
    (thousandths * size + 999) / 1000
}

/// The width of a bold text; its letters are up to a tenth wider.
pub(crate) fn bold_width(text: &str, size: i64) -> i64 {
    width(text, size) * 11 / 10
}

fn advance(c: char) -> u16 {
    match (c as u32).checked_sub(32).and_then(|index| WIDTHS.get(index as usize)) {
        Some(width) => *width,
        None if (c as u32) < 0x1100 => 700,
        None => 1000,
    }
}

/// The text on one line, truncated with an ellipsis if it has more characters than fit.
pub(crate) fn shortened(text: &str, characters: usize) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match one_line.char_indices().nth(characters) {
        None => one_line,
        Some(_) => one_line.chars().take(characters - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_the_table() {
        assert_eq!(width("il", 1000), 444);
        assert_eq!(width("W", 10), 10);
        assert_eq!(width("", 12), 0);
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened("a\n  b", 10), "a b");
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("äöüß", 4), "äöüß");
    }
}
