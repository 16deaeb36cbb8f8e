//! The texts of a figure, for callers that draw the letters themselves.

use crate::size::{NAME, SMALL, TEXT};

/// A line of text in a figure.
#[derive(Clone, PartialEq, Debug)]
pub struct Words {
    /// What is written.
    pub text: String,
    /// The position that `anchor` refers to, on the baseline \[px\].
    pub at: (f64, f64),
    /// Which point of the text is at this position.
    pub anchor: Anchor,
    /// The font size \[px\].
    pub size: f64,
    /// Whether it is bold.
    pub bold: bool,
    /// Its colour.
    pub fill: &'static str,
}

/// Which point of a text its position refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// The same figure with each text replaced, for example by outlines of its letters.
pub fn relettered(svg: &str, mut letters: impl FnMut(&Words) -> String) -> String {
    const OPENING: &str = "<text class=\"";
    let mut pieces = svg.split(OPENING);
    let mut out = pieces.next().unwrap_or("").to_owned();
    for piece in pieces {
        let element = piece.split_once("</text>");
        match element.and_then(|(element, rest)| Some((words(element)?, rest))) {
            Some((words, rest)) => {
                out += &letters(&words);
                out += rest;
            }
            None => {
                out += OPENING;
                out += piece;
            }
        }
    }
    out
}

/// Parses `CLASS" x="X" y="Y">TEXT`.
fn words(element: &str) -> Option<Words> {
    let (attributes, text) = element.split_once('>')?;
    let mut values = attributes.split('"');
    let class = values.next()?;
    let (x, y) = (values.nth(1)?.parse().ok()?, values.nth(1)?.parse().ok()?);
    let (size, bold, anchor, fill) = style(class)?;
    Some(Words { text: plain(text), at: (x, y), anchor, size: size as f64, bold, fill })
}

/// The style of texts of a class, as in the style sheet.
fn style(class: &str) -> Option<(i64, bool, Anchor, &'static str)> {
    const INK: &str = "#1f2933";
    Some(match class {
        "title" => (NAME + 3, true, Anchor::Start, INK),
        "head" => (NAME, true, Anchor::Start, "#3e4c59"),
        "name" => (NAME, true, Anchor::Middle, INK),
        "text" => (TEXT, false, Anchor::Middle, INK),
        "kind" => (SMALL, false, Anchor::Middle, "#627d98"),
        "port" => (SMALL, false, Anchor::Start, "#52667a"),
        "port right" => (SMALL, false, Anchor::End, "#52667a"),
        "label" => (SMALL, false, Anchor::Start, "#7a5c12"),
        "key" => (SMALL + 1, false, Anchor::Start, INK),
        "number" => (9, true, Anchor::Middle, "#ffffff"),
        _ => return None,
    })
}

/// A text with its XML escapes resolved.
fn plain(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::sheet;

    #[test]
    fn texts_are_found() {
        let svg =
            "<svg><text class=\"port right\" x=\"7\" y=\"-8\">a &lt; b &amp;lt;</text><g/></svg>";
        let mut found = Vec::new();
        let out = relettered(svg, |words| {
            found.push(words.clone());
            "<path/>".to_owned()
        });
        assert_eq!(out, "<svg><path/><g/></svg>");
        assert_eq!((found[0].text.as_str(), found[0].at), ("a < b &lt;", (7.0, -8.0)));
        assert_eq!((found[0].anchor, found[0].size, found[0].bold), (Anchor::End, 10.0, false));
    }

    #[test]
    fn styles_are_those_of_the_sheet() {
        let sheet = sheet::style();
        for class in ["title", "head", "name", "text", "kind", "port", "label", "key", "number"] {
            let (size, bold, anchor, fill) = style(class).expect("a class");
            let rule = sheet.lines().find(|line| line.starts_with(&format!(".{class}{{")));
            let rule = rule.unwrap_or_else(|| panic!("no {class}"));
            assert!(rule.contains(&format!("font-size:{size}px")), "{rule}");
            assert_eq!(rule.contains("bold"), bold, "{rule}");
            assert_eq!(rule.contains("text-anchor:middle"), anchor == Anchor::Middle, "{rule}");
            assert!(rule.contains(fill) || fill == "#1f2933" && !rule.contains("fill:"), "{rule}");
        }
    }
}
