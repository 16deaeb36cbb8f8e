//! The bundled font: how wide a text is, and its outlines.

use ttf_parser::{Face, OutlineBuilder};

use crate::thin::coordinate;

/// The fonts that the viewer of an SVG file may have. All but the last have the widths of the
/// bundled one.
pub(crate) const FAMILY: &str = "Arimo, Liberation Sans, Helvetica, Arial, sans-serif";

static FONT: &[u8] = include_bytes!("../font/Arimo-subset.ttf");

/// The glyphs of the bundled font.
pub(crate) struct Letters {
    face: Face<'static>,
}

impl Letters {
    /// Reads the bundled font.
    pub fn new() -> Letters {
        Letters { face: Face::parse(FONT, 0).expect("the bundled font is sound") }
    }

    /// The width of a text \[px\].
    pub fn width(&self, text: &str, size: f64) -> f64 {
        text.chars().map(|c| self.advance(c)).sum::<f64>() * self.scale(size)
    }

    /// The beginning of a text, with an ellipsis, if it is wider than `room` \[px\]. A unit in
    /// brackets at its end remains if there is room for it.
    pub fn shortened(&self, text: &str, size: f64, room: f64) -> String {
        if self.width(text, size) <= room {
            return text.to_owned();
        }
        let unit = text.ends_with(']').then(|| text.rfind(" [")).flatten();
        let ends = [unit.unwrap_or(text.len()), text.len()];
        let cut = |end: usize| {
            let starts = text[..end].char_indices().map(|(at, _)| at).rev();
            let candidates = starts.map(|at| format!("{}…{}", text[..at].trim_end(), &text[end..]));
            candidates.into_iter().find(|text| self.width(text, size) <= room)
        };
        ends.into_iter().find_map(cut).unwrap_or_else(|| "…".to_owned())
    }

    /// The path of a text that starts at a point of its baseline.
    pub fn outline(&self, text: &str, x: f64, y: f64, size: f64) -> String {
        let scale = self.scale(size);
        let mut outline = Outline { x, y, scale, path: String::new() };
        for c in text.chars() {
            self.face.outline_glyph(self.glyph(c), &mut outline);
            outline.x += self.advance(c) * scale;
        }
        outline.path
    }

    /// The glyph of a character; an empty box if the font lacks it.
    fn glyph(&self, c: char) -> ttf_parser::GlyphId {
        self.face.glyph_index(c).unwrap_or_default()
    }

    fn advance(&self, c: char) -> f64 {
        self.face.glyph_hor_advance(self.glyph(c)).unwrap_or(0).into()
    }

    fn scale(&self, size: f64) -> f64 {
        size / f64::from(self.face.units_per_em())
    }
}

struct Outline {
    x: f64,
    y: f64,
    scale: f64,
    path: String,
}

impl Outline {
    fn command(&mut self, letter: char, points: &[(f32, f32)]) {
        self.path.push(letter);
        for (index, (x, y)) in points.iter().enumerate() {
            if index > 0 {
                self.path.push(' ');
            }
            coordinate(&mut self.path, self.x + f64::from(*x) * self.scale);
            self.path.push(' ');
            coordinate(&mut self.path, self.y - f64::from(*y) * self.scale);
        }
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.command('M', &[(x, y)]);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.command('L', &[(x, y)]);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.command('Q', &[(x1, y1), (x, y)]);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.command('C', &[(x1, y1), (x2, y2), (x, y)]);
    }
    fn close(&mut self) {
        self.path.push('Z');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_arial() {
        // Arial's digits are 1139 of 2048 units wide.
        let width = Letters::new().width("00", 2048.0);
        assert_eq!(width, 2.0 * 1139.0);
    }

    #[test]
    fn the_font_has_what_labels_use() {
        let letters = Letters::new();
        for c in "0123456789.−+×⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁽⁾δ′″‴µ[]…".chars() {
            assert_ne!(letters.glyph(c).0, 0, "{c}");
        }
        assert!(letters.outline("δ", 0.0, 0.0, 12.0).ends_with('Z'));
        assert!(letters.width("日本", 12.0) > 0.0);
    }
}
