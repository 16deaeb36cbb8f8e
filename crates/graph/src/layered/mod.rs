//! The layered drawing of one level: sizes, pins and nets in, places and routes out.
//!
//! The steps are those of Sugiyama, Tagawa and Toda (1981), with nets instead of edges: a wire that
//! feeds several pins shares its way as long as it can. Cycles are cut, vertices get layers, layers
//! get an order, cells get heights, and the gaps between layers get vertical tracks. A wire runs
//! through a layer only along a cell of its own, so it never passes through a vertex. Nothing here
//! knows what a block is.

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

/// The least distance between two vertices in a layer \[px\].
const VERTEX_GAP: i64 = 26;
/// The least distance between two ports at an edge of the level \[px\].
const PORT_GAP: i64 = 2;
/// The least distance of a wire that passes a vertex \[px\].
const WIRE_TO_VERTEX: i64 = 14;
/// The least distance of wires that run side by side \[px\].
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
    /// Distances of the pins on the left edge from the top, downwards.
    pub left: Vec<i64>,
    /// Distances of the pins on the right edge from the top, downwards.
    pub right: Vec<i64>,
    /// Whether pins of an edge may change places.
    pub free: bool,
    /// Whether it must be in the first or in the last layer.
    pub edge: Edge,
    /// The vertex that this one only prepares an input of; it stands right before it.
    pub leads: Option<usize>,
    /// Whether it computes something from its inputs, so that a loop is well cut before it.
    pub gathers: bool,
}

/// Where a vertex must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Edge {
    /// Anywhere.
    None,
    /// In a first layer of its own.
    First,
    /// In a last layer of its own.
    Last,
}

/// A pin of a vertex; the side follows from its place in a net.
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

/// Where everything is.
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
    /// For each net and each pin that it feeds, the way of the wire.
    pub routes: Vec<Vec<Route>>,
}

/// The way of a wire to one pin.
#[derive(Clone, Default, Debug)]
pub(crate) struct Route {
    pub points: Vec<Point>,
    /// Whether it runs back, around the vertices.
    pub feedback: bool,
}
