//! Texts in XML, which is what SVG figures are.

use std::fmt::Write;

/// A text as the content of an XML element or of an attribute in double quotes. Characters that XML
/// 1.0 does not allow become the replacement character, and white space becomes a blank.
pub fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => write!(out, "&#{};", u32::from(c)).expect("strings take text"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let escaped = "a &lt; b &amp; &quot;c&quot;\u{fffd}\u{fffd} &gt;&#127;";
        assert_eq!(escape_xml("a < b & \"c\"\0\u{1}\n>\u{7f}"), escaped);
    }
}
