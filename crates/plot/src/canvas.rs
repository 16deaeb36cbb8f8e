//! Writes SVG, element by element.

use std::fmt::Write;

use crate::lettering::{FAMILY, Letters};
use crate::thin::{Path, coordinate};
use crate::{Dash, Lettering};

/// The colour of axes and text.
pub(crate) const INK: &str = "#262626";
/// The colour of secondary text.
pub(crate) const PALE: &str = "#6b6b6b";
/// The colour of grid lines.
pub(crate) const GRID: &str = "#e4e4e4";
/// The colour behind an opened instant.
pub(crate) const SHADE: &str = "#f2f4f7";

/// A rectangle \[px\].
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Frame {
    /// The left edge.
    pub left: f64,
    /// The upper edge.
    pub top: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

impl Frame {
    /// The right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// The lower edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Which point of a text its position refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// A line of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    /// The characters.
    pub text: &'a str,
    /// Its horizontal position.
    pub x: f64,
    /// Its baseline.
    pub y: f64,
    /// The font size \[px\].
    pub size: f64,
    /// What `x` refers to.
    pub anchor: Anchor,
    /// The colour.
    pub fill: &'a str,
    /// Whether it is rotated to read from bottom to top.
    pub upright: bool,
}

impl<'a> Text<'a> {
    /// A text in the default colour.
    pub fn new(text: &'a str, x: f64, y: f64, size: f64, anchor: Anchor) -> Text<'a> {
        Text { text, x, y, size, anchor, fill: INK, upright: false }
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke<'a> {
    /// Its colour.
    pub color: &'a str,
    /// Its width \[px\].
    pub width: f64,
    /// Its dash pattern.
    pub dash: Option<&'static str>,
}

impl<'a> Stroke<'a> {
    /// A solid stroke.
    pub fn new(color: &'a str, width: f64) -> Stroke<'a> {
        Stroke { color, width, dash: None }
    }

    /// The same, dashed.
    pub fn dashed(self, dash: Dash) -> Stroke<'a> {
        Stroke { dash: dash.css(), ..self }
    }
}

/// An SVG file under construction.
pub(crate) struct Canvas {
    out: String,
    letters: Letters,
    lettering: Lettering,
    clips: usize,
}

impl Canvas {
    /// An empty canvas.
    pub fn new(lettering: Lettering) -> Canvas {
        Canvas { out: String::new(), letters: Letters::new(), lettering, clips: 0 }
    }

    /// The font metrics of this canvas.
    pub fn letters(&self) -> &Letters {
        &self.letters
    }

    /// The file: what was drawn, on a white page.
    pub fn finish(self, width: f64, height: f64) -> String {
        let (width, height) = (width.ceil(), height.ceil());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILY}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.out
        )
    }

    /// A line between two points.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke<'_>) {
        let mut path = Path::default();
        path.move_to(from.0, from.1);
        path.line_to(to.0, to.1);
        self.path(&path.data, stroke);
    }

    /// A path that is not filled.
    pub fn path(&mut self, data: &str, stroke: Stroke<'_>) {
        if data.is_empty() {
            return;
        }
        let Stroke { color, width, dash } = stroke;
        let dash = dash.map_or(String::new(), |dash| format!(" stroke-dasharray=\"{dash}\""));
        writeln!(
            self.out,
            "<path d=\"{data}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" \
             stroke-linejoin=\"round\"{dash}/>"
        )
        .expect("a string takes all text");
    }

    /// A path that is filled.
    pub fn fill(&mut self, data: &str, color: &str) {
        if !data.is_empty() {
            writeln!(self.out, "<path d=\"{data}\" fill=\"{color}\"/>")
                .expect("a string takes all text");
        }
    }

    /// Round dots at the points of a path of moves.
    pub fn dots(&mut self, data: &str, color: &str, width: f64) {
        if !data.is_empty() {
            writeln!(
                self.out,
                "<path d=\"{data}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" \
                 stroke-linecap=\"round\" stroke-opacity=\"0.7\"/>"
            )
            .expect("a string takes all text");
        }
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, frame: Frame, color: &str) {
        let mut data = String::from("M");
        coordinate(&mut data, frame.left);
        data.push(' ');
        coordinate(&mut data, frame.top);
        for (letter, value) in [('H', frame.right()), ('V', frame.bottom()), ('H', frame.left)] {
            data.push(letter);
            coordinate(&mut data, value);
        }
        data.push('Z');
        self.fill(&data, color);
    }

    /// Draws what `inside` draws, clipped to a rectangle.
    pub fn clipped(&mut self, frame: Frame, inside: impl FnOnce(&mut Canvas)) {
        let id = self.clips;
        self.clips += 1;
        write!(self.out, "<clipPath id=\"clip{id}\">").expect("a string takes all text");
        self.rectangle(frame, "#000000");
        writeln!(self.out, "</clipPath>\n<g clip-path=\"url(#clip{id})\">")
            .expect("a string takes all text");
        inside(self);
        self.out.push_str("</g>\n");
    }

    /// A line of text.
    pub fn text(&mut self, text: Text<'_>) {
        match self.lettering {
            Lettering::Text => self.text_element(text),
            Lettering::Outlines => self.text_outline(text),
        }
    }

    fn text_element(&mut self, text: Text<'_>) {
        let anchor = match text.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (mut x, mut y) = (String::new(), String::new());
        coordinate(&mut x, text.x);
        coordinate(&mut y, text.y);
        let turn = if text.upright { turn(text) } else { String::new() };
        let (size, fill, words) = (text.size, text.fill, base::escape_xml(text.text));
        writeln!(
            self.out,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\"{anchor}{turn}>\
             {words}</text>"
        )
        .expect("a string takes all text");
    }

    fn text_outline(&mut self, text: Text<'_>) {
        let width = self.letters.width(text.text, text.size);
        let before = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let data = self.letters.outline(text.text, text.x - before, text.y, text.size);
        if !data.is_empty() {
            let turn = if text.upright { turn(text) } else { String::new() };
            writeln!(self.out, "<path d=\"{data}\" fill=\"{}\"{turn}/>", text.fill)
                .expect("a string takes all text");
        }
    }
}

/// The attribute that rotates a text to read from bottom to top.
fn turn(text: Text<'_>) -> String {
    let mut out = String::from(" transform=\"rotate(-90 ");
    coordinate(&mut out, text.x);
    out.push(' ');
    coordinate(&mut out, text.y);
    out.push_str(")\"");
    out
}
