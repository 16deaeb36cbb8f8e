//! The size of a node and the positions of its pins.

use crate::letters::{bold_width, width};
use crate::{Point, Rect};

/// The font size of names \[px\].
pub(crate) const NAME: i64 = 13;
/// The font size of expressions \[px\].
pub(crate) const TEXT: i64 = 12;
/// The font size of small print: kinds of blocks, names of ports \[px\].
pub(crate) const SMALL: i64 = 10;
/// The width of an icon, including the space after it \[px\].
pub(crate) const ICON: i64 = 30;

/// How far the edges of the other elements of an array extend behind the first \[px\].
pub(crate) const STACK: i64 = 6;

/// The height of a port \[px\].
const PORT: i64 = 18;
/// The distance between pins that lead to the same port \[px\].
const PIN: i64 = 10;
/// The distance between the edge of a node and its text \[px\].
const MARGIN: i64 = 10;

/// The text in and at a node.
#[derive(Clone, Default, Debug)]
pub(crate) struct Lettering {
    pub name: String,
    /// The text of an expression.
    pub text: Vec<String>,
    /// The kind of block, in small print.
    pub kind: String,
    pub icon: bool,
    /// Whether the edges of other elements are visible behind it.
    pub stacked: bool,
    pub inputs: Vec<Input>,
    /// The names of the outputs; empty ones are not written.
    pub outputs: Vec<String>,
}

/// An input of a node.
#[derive(Clone, Default, Debug)]
pub(crate) struct Input {
    /// Its name; an empty one is not written.
    pub name: String,
    /// The expression written on its wire.
    pub label: String,
    /// How many wires lead to it.
    pub pins: usize,
}

/// A node with its size; all positions are relative to its corner.
#[derive(Clone, Default, Debug)]
pub(crate) struct Sized {
    pub width: i64,
    pub height: i64,
    pub body: Rect,
    pub text_left: i64,
    pub text_middle: i64,
    /// The positions of the pins on the left edge, input by input.
    pub pins: Vec<Vec<i64>>,
    /// The heights at which the inputs meet the body.
    pub inputs: Vec<i64>,
    /// The heights of the outputs.
    pub outputs: Vec<i64>,
}

impl Lettering {
    /// The size of the node.
    pub fn size(&self) -> Sized {
        let label = |input: &Input| match input.label.is_empty() {
            true => 0,
            false => width(&input.label, SMALL) + 16,
        };
        let zone = self.inputs.iter().map(label).max().unwrap_or(0);
        let text = self.text_width();
        let left = self.inputs.iter().map(|input| width(&input.name, SMALL)).max().unwrap_or(0);
        let right = self.outputs.iter().map(|name| width(name, SMALL)).max().unwrap_or(0);
        let (left, right) =
            (if left > 0 { left + 4 } else { 0 }, if right > 0 { right + 4 } else { 0 });
        let icon = if self.icon { ICON } else { 0 };
        let body_width = MARGIN + left + icon + text + right + MARGIN;
        let needs: Vec<i64> =
            self.inputs.iter().map(|i| PORT.max(i.pins as i64 * PIN + 8)).collect();
        let needed = needs.iter().sum::<i64>().max(self.outputs.len() as i64 * PORT);
        // An even height keeps the middle of every node on a whole pixel.
        let height = (self.text_height().max(needed + 4) + 1) / 2 * 2;
        let stack = if self.stacked { STACK } else { 0 };
        let mut sized = Sized {
            width: zone + body_width + stack,
            height: height + stack,
            body: Rect { x: zone, y: 0, width: body_width, height },
            text_left: zone + MARGIN + left + icon,
            text_middle: zone + MARGIN + left + icon + text / 2,
            ..Sized::default()
        };
        let mut y = (height - needs.iter().sum::<i64>()) / 2;
        for (input, need) in self.inputs.iter().zip(&needs) {
            let middle = y + need / 2;
            let first = middle - (input.pins as i64 - 1) * PIN / 2;
            sized.inputs.push(middle);
            sized.pins.push((0..input.pins as i64).map(|pin| first + pin * PIN).collect());
            y += need;
        }
        let top = (height - self.outputs.len() as i64 * PORT) / 2;
        sized.outputs = (0..self.outputs.len() as i64).map(|i| top + i * PORT + PORT / 2).collect();
        sized
    }

    fn text_width(&self) -> i64 {
        let name = bold_width(&self.name, NAME);
        let text = self.text.iter().map(|line| width(line, TEXT)).max().unwrap_or(0);
        name.max(text).max(width(&self.kind, SMALL)).max(16)
    }

    fn text_height(&self) -> i64 {
        let name = if self.name.is_empty() { 0 } else { 16 };
        let kind = if self.kind.is_empty() { 0 } else { 13 };
        name + kind + self.text.len() as i64 * 15 + if self.name.is_empty() { 9 } else { 13 }
    }
}

impl Rect {
    /// The rectangle, moved.
    pub(crate) fn moved(self, by: Point) -> Rect {
        Rect { x: self.x + by.x, y: self.y + by.y, ..self }
    }
}
