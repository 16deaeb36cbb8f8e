//! Writes texts as YAML, without quotes if possible.

/// A text on one line. Inside brackets more characters need quotes. A quoted text keeps its quotes
/// if YAML would read it as a number or a truth value without them.
pub(super) fn on_a_line(words: &str, quoted: bool, in_brackets: bool) -> String {
    let mistaken = quoted && is_no_text(words);
    if is_plain(words, in_brackets) && !mistaken { words.to_owned() } else { quote(words) }
}

/// A key. Inside brackets more characters need quotes.
pub(super) fn key(words: &str, in_brackets: bool) -> String {
    on_a_line(words, true, in_brackets)
}

/// Whether a text can be written without quotes.
pub(super) fn is_plain(words: &str, in_brackets: bool) -> bool {
    let mut chars = words.chars();
    let good_start = match chars.next() {
        None => false,
        Some('-') => chars.next().is_some_and(|c| c != ' '),
        Some(first) => !",[]{}#&*!|>'\"%@`?: ".contains(first),
    };
    let ends_early = words.contains(": ") || words.contains(" #") || words.ends_with([':', ' ']);
    let bracket = |c: char| in_brackets && ",[]{}".contains(c);
    good_start && !ends_early && !words.chars().any(|c| is_unusual(c) || bracket(c))
}

/// Characters that must be escaped: control characters, and those that YAML or an editor takes for
/// a line end or a byte order mark.
pub(super) fn is_unusual(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Whether YAML reads an unquoted text as a number, a truth value or null.
fn is_no_text(words: &str) -> bool {
    let unsigned = words.trim_start_matches(['+', '-']);
    let lower = unsigned.to_ascii_lowercase();
    matches!(lower.as_str(), "" | "~" | "null" | "true" | "false" | ".inf" | ".nan")
        || lower.starts_with("0x")
        || lower.starts_with("0o")
        || (lower.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && lower.parse::<f64>().is_ok())
}

/// A text in quotes.
pub(super) fn quote(words: &str) -> String {
    if words.contains(['"', '\\']) && !words.chars().any(is_unusual) {
        return format!("'{}'", words.replace('\'', "''"));
    }
    let mut out = String::from("\"");
    for c in words.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            c if is_unusual(c) => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_where_they_are_needed() {
        for (words, outside, inside) in [
            ("x + 1", "x + 1", "x + 1"),
            ("-x", "-x", "-x"),
            ("- x", "\"- x\"", "\"- x\""),
            ("min(a, b)", "min(a, b)", "\"min(a, b)\""),
            ("x[0]", "x[0]", "\"x[0]\""),
            ("[1, 2]", "\"[1, 2]\"", "\"[1, 2]\""),
            ("c ? a : b", "\"c ? a : b\"", "\"c ? a : b\""),
            ("!a", "\"!a\"", "\"!a\""),
            ("say \"a: b\"", "'say \"a: b\"'", "'say \"a: b\"'"),
            ("a\tb", "\"a\\tb\"", "\"a\\tb\""),
            ("", "\"\"", "\"\""),
            ("1.5", "\"1.5\"", "\"1.5\""),
            ("-0x1F", "\"-0x1F\"", "\"-0x1F\""),
            ("1.5 * x", "1.5 * x", "1.5 * x"),
        ] {
            assert_eq!(on_a_line(words, true, false), outside);
            assert_eq!(on_a_line(words, true, true), inside);
        }
        assert_eq!(on_a_line("1.5", false, true), "1.5");
    }
}
