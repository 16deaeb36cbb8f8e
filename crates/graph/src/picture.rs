//! The positions of everything that is drawn, without its appearance.

use diagram::{BlockId, WireId};

use crate::{Chart, Kind};

/// A point; x grows to the right and y downwards \[px\].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Point {
    /// From the left edge.
    pub x: i64,
    /// From the top edge.
    pub y: i64,
}

/// A rectangle \[px\].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rect {
    /// Its left edge.
    pub x: i64,
    /// Its top edge.
    pub y: i64,
    /// Its width.
    pub width: i64,
    /// Its height.
    pub height: i64,
}

impl Rect {
    /// Its right edge.
    pub fn right(&self) -> i64 {
        self.x + self.width
    }

    /// Its bottom edge.
    pub fn bottom(&self) -> i64 {
        self.y + self.height
    }
}

/// A diagram with everything placed: frames of open instances, nodes and lines.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Layout {
    /// The name of the model.
    pub title: String,
    /// The total width, including the legend \[px\].
    pub width: i64,
    /// The total height, including the legend \[px\].
    pub height: i64,
    /// Open instances; each comes before those inside it.
    pub frames: Vec<Frame>,
    /// Blocks, expressions and closed instances.
    pub nodes: Vec<Node>,
    /// Wires: one line for each connection at each level.
    pub lines: Vec<Line>,
    /// State machines.
    pub charts: Vec<Chart>,
    /// The kinds of wires that the legend explains; empty if there is no legend.
    pub legend: Vec<Kind>,
    /// Whether some line is part of a refused loop.
    pub looped: bool,
    /// What the numbers at the blocks mean; empty if there are none.
    pub order: String,
}

/// An open instance of a diagram.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Its path through the hierarchy.
    pub path: String,
    /// Its name in the enclosing diagram.
    pub name: String,
    /// Its position and size, including the edges drawn behind it.
    pub area: Rect,
    /// Whether it represents all elements of an array: the edges of the other elements are visible
    /// behind it.
    pub stacked: bool,
    /// Its ports; their names are written inside, above the wires.
    pub ports: Vec<Port>,
}

/// What a node represents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Figure {
    /// A block of the library, with the name of its kind.
    Block(BlockId, String),
    /// A block made for an expression. Ids past those of the flat diagram belong to expressions at
    /// inputs of arrays, which have no block in the flat diagram.
    Expression(BlockId),
    /// A closed instance of a diagram, with the number of blocks inside.
    Closed(usize),
}

/// A block, an expression or a closed instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What it represents.
    pub figure: Figure,
    /// Its path through the hierarchy.
    pub path: String,
    /// Its name; empty for an expression.
    pub name: String,
    /// Lines below the name: the text of an expression.
    pub text: Vec<String>,
    /// Small print below: the kind of block, or how much is inside.
    pub kind: String,
    /// Its icon, as the `d` of an SVG path; empty if it has none.
    pub icon: String,
    /// More about it, for a tooltip.
    pub about: String,
    /// Everything that belongs to it, including the expressions written on its inputs and the edges
    /// behind it.
    pub area: Rect,
    /// The shape itself.
    pub body: Rect,
    /// Whether it represents all elements of an array: the edges of the other elements are visible
    /// behind it.
    pub stacked: bool,
    /// The x coordinate on which the name and the text are centred; an icon is drawn to the left of
    /// `text_left`.
    pub text_middle: i64,
    /// The left end of the widest line of text.
    pub text_left: i64,
    /// Its ports.
    pub ports: Vec<Port>,
    /// Expressions folded into the wires of its inputs.
    pub labels: Vec<Label>,
    /// Its number in the order of evaluation; empty if it is not shown.
    pub order: String,
    /// Whether it is part of a refused loop.
    pub looped: bool,
}

/// A side of a node or box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Inputs.
    Left,
    /// Outputs.
    Right,
}

/// Where a wire meets a node or a box.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// The side.
    pub side: Side,
    /// Its position.
    pub at: Point,
    /// Its name.
    pub name: String,
    /// Whether the name is written beside it; an obvious one is not.
    pub shown: bool,
}

/// A text placed on a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The text.
    pub text: String,
    /// The left end of the line that it is placed on.
    pub at: Point,
}

/// A connection within one level of the hierarchy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The wire of the flat diagram.
    pub wire: WireId,
    /// Its name.
    pub name: String,
    /// What it carries.
    pub kind: Kind,
    /// Lines with the same number share the beginning of their route.
    pub net: usize,
    /// The route, parallel to the axes.
    pub points: Vec<Point>,
    /// Whether it ends at an input of a node rather than at the edge of a box.
    pub arrow: bool,
    /// Whether it closes a loop and runs back around the blocks.
    pub feedback: bool,
    /// Whether it is part of a refused loop.
    pub looped: bool,
}
