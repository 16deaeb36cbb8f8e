//! The layered drawing of one level: from sizes, pins and nets to positions and routes.
//!
//! The steps are those of Sugiyama, Tagawa and Toda (1981), with nets instead of edges: a wire that
//! feeds several pins shares its route for as long as it can. Cycles are cut, vertices are assigned
//! to layers, layers are ordered, cells get heights, and the gaps between layers get vertical
//! tracks. A wire passes through a layer only along a cell of its own, so it never passes through a
//! vertex. Nothing here knows what a block is.

mod pack;
mod wrap;

mod cycles;
mod layers;
mod proper;

mod crossings;
mod sweep;

mod heights;
mod simplex;

mod channel;
mod route;

#[cfg(test)]
mod tests;

pub(crate) use pack::draw;

use crate::Point;

/// The minimum distance between two vertices in a layer \[px\].
const VERTEX_GAP: i64 = 26;
/// The minimum distance between two ports at an edge of the level \[px\].
const PORT_GAP: i64 = 2;
/// The minimum distance between a wire and a vertex that it passes \[px\].
const WIRE_TO_VERTEX: i64 = 14;
/// The minimum distance between parallel wires \[px\].
const WIRE_GAP: i64 = 10;

/// What is drawn: vertices and the nets between their pins.
#[derive(Clone, Default, Debug)]
pub(crate) struct Graph {
    pub vertices: Vec<Vertex>,
    pub nets: Vec<Net>,
}

/// A box with pins on its left and right edges.
#[derive(Clone, Debug)]
pub(crate) struct Vertex {
    pub width: i64,
    pub height: i64,
    /// Distances of the pins on the left edge from the top, in increasing order.
    pub left: Vec<i64>,
    /// Distances of the pins on the right edge from the top, in increasing order.
    pub right: Vec<i64>,
    /// Whether the pins of an edge may be reordered.
    pub free: bool,
    /// Whether it must be in the first or in the last layer.
    pub edge: Edge,
    /// The vertex whose input this one merely prepares; this one is placed right before it.
    pub leads: Option<usize>,
    /// Whether it computes something from its inputs, which makes the point before it a good place
    /// to cut a loop.
    pub gathers: bool,
}

/// Where a vertex must be placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Edge {
    /// Anywhere.
    None,
    /// In a first layer of its own.
    First,
    /// In a last layer of its own.
    Last,
}

/// A pin of a vertex; its side follows from its position in a net.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Pin {
    pub vertex: usize,
    pub pin: usize,
}

/// One pin on a right edge and the pins on left edges that it feeds.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    pub from: Pin,
    pub to: Vec<Pin>,
}

/// The resulting positions and routes.
#[derive(Clone, Default, Debug)]
pub(crate) struct Drawing {
    pub width: i64,
    pub height: i64,
    /// The top left corner of each vertex.
    pub places: Vec<Point>,
    /// For each vertex, the distance of each left pin from the top.
    pub left: Vec<Vec<i64>>,
    /// For each vertex, the distance of each right pin from the top.
    pub right: Vec<Vec<i64>>,
    /// For each net and each pin that it feeds, the route of the wire.
    pub routes: Vec<Vec<Route>>,
}

/// The route of a wire to one pin.
#[derive(Clone, Default, Debug)]
pub(crate) struct Route {
    pub points: Vec<Point>,
    /// Whether it runs back, around the vertices.
    pub feedback: bool,
}
