//! Layers of cells: the vertices, and a cell for each layer that a wire passes through.
//!
//! Channel `k` is the gap before layer `k`; a diagram of `n` layers has `n + 1` channels. A net has
//! at most one segment in a channel, which joins pins of the layer before and of the layer after. A
//! feedback wire leaves its source to the right, turns, passes its source's layer and all layers up
//! to that of its target along cells of its own, and turns again.

use std::collections::BTreeMap;

use super::{Graph, Pin};

/// A graph whose segments join only neighbouring layers.
pub(super) struct Proper<'a> {
    pub graph: &'a Graph,
    /// The vertices in order, then the cells of wires.
    pub cells: Vec<Cell>,
    /// The cells of each layer, from top to bottom.
    pub layers: Vec<Vec<usize>>,
    /// The segments of each channel.
    pub channels: Vec<Vec<Segment>>,
    /// For each vertex, the position of each left pin among the pins of that edge.
    pub left: Vec<Vec<usize>>,
    /// For each vertex, the position of each right pin among the pins of that edge.
    pub right: Vec<Vec<usize>>,
    /// The cell of a net in a layer, for each direction.
    passing: BTreeMap<(usize, usize, Direction), usize>,
}

/// A vertex or the passage of a wire through a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub layer: usize,
    pub height: i64,
    /// The vertex; a passage has none.
    pub vertex: Option<usize>,
    /// Whether it is the passage of a feedback wire.
    pub back: bool,
}

/// The direction in which a wire passes through a layer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Direction {
    Forward,
    Back,
}

/// What a net joins in a channel.
#[derive(Clone, Default, Debug)]
pub(super) struct Segment {
    pub net: usize,
    /// Pins of the layer before the channel.
    pub left: Vec<End>,
    /// Pins of the layer after the channel.
    pub right: Vec<End>,
}

/// A pin of a cell; a passage has pin 0 on both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct End {
    pub cell: usize,
    pub pin: usize,
}

impl<'a> Proper<'a> {
    pub fn new(graph: &'a Graph, layer_of: &[usize], feedback: &[Vec<bool>]) -> Proper<'a> {
        let count = layer_of.iter().max().map_or(0, |last| last + 1);
        let vertices = graph.vertices.iter().zip(layer_of).enumerate();
        let cells = vertices.map(|(index, (vertex, layer))| Cell {
            layer: *layer,
            height: vertex.height,
            vertex: Some(index),
            back: false,
        });
        let mut proper = Proper {
            graph,
            cells: cells.collect(),
            layers: vec![Vec::new(); count],
            channels: vec![Vec::new(); count + 1],
            left: graph.vertices.iter().map(|v| (0..v.left.len()).collect()).collect(),
            right: graph.vertices.iter().map(|v| (0..v.right.len()).collect()).collect(),
            passing: BTreeMap::new(),
        };
        for (vertex, layer) in layer_of.iter().enumerate() {
            proper.layers[*layer].push(vertex);
        }
        for (net, back) in feedback.iter().enumerate() {
            proper.connect(net, back);
        }
        proper
    }

    /// The cell along which a net passes a layer.
    pub fn passage(&self, net: usize, layer: usize, direction: Direction) -> usize {
        self.passing[&(net, layer, direction)]
    }

    fn connect(&mut self, net: usize, back: &[bool]) {
        let Net { from, to } = Net::of(self.graph, net);
        let source = self.cells[from.vertex].layer;
        let targets = |wanted: bool| to.iter().zip(back).filter(move |(_, b)| **b == wanted);
        let layer = |(pin, _): (&Pin, &bool)| self.cells[pin.vertex].layer;
        let (last, first) = (targets(false).map(layer).max(), targets(true).map(layer).min());
        if to.is_empty() {
            return;
        }
        let mut segments: BTreeMap<usize, Segment> = BTreeMap::new();
        let segment = |segments: &mut BTreeMap<usize, Segment>, channel, left, end| {
            let fresh = || Segment { net, ..Segment::default() };
            let segment: &mut Segment = segments.entry(channel).or_insert_with(fresh);
            if left { segment.left.push(end) } else { segment.right.push(end) }
        };
        segment(&mut segments, source + 1, true, End { cell: from.vertex, pin: from.pin });
        for passed in source + 1..last.unwrap_or(0) {
            let end = End { cell: self.pass(net, passed, Direction::Forward), pin: 0 };
            segment(&mut segments, passed, false, end);
            segment(&mut segments, passed + 1, true, end);
        }
        for passed in first.map_or(0..0, |first| first..source + 1) {
            let end = End { cell: self.pass(net, passed, Direction::Back), pin: 0 };
            segment(&mut segments, passed, false, end);
            segment(&mut segments, passed + 1, true, end);
        }
        for pin in to {
            let end = End { cell: pin.vertex, pin: pin.pin };
            segment(&mut segments, self.cells[pin.vertex].layer, false, end);
        }
        for (channel, segment) in segments {
            self.channels[channel].push(segment);
        }
    }

    fn pass(&mut self, net: usize, layer: usize, direction: Direction) -> usize {
        let back = direction == Direction::Back;
        self.cells.push(Cell { layer, height: 0, vertex: None, back });
        let cell = self.cells.len() - 1;
        self.layers[layer].push(cell);
        self.passing.insert((net, layer, direction), cell);
        cell
    }

    /// The distance of a pin on the left edge of a cell from the cell's top.
    pub fn left_offset(&self, end: End) -> i64 {
        match self.cells[end.cell].vertex {
            Some(vertex) => self.graph.vertices[vertex].left[self.left[vertex][end.pin]],
            None => 0,
        }
    }

    /// The distance of a pin on the right edge of a cell from the cell's top.
    pub fn right_offset(&self, end: End) -> i64 {
        match self.cells[end.cell].vertex {
            Some(vertex) => self.graph.vertices[vertex].right[self.right[vertex][end.pin]],
            None => 0,
        }
    }
}

struct Net<'a> {
    from: Pin,
    to: &'a [Pin],
}

impl<'a> Net<'a> {
    fn of(graph: &'a Graph, net: usize) -> Self {
        Net { from: graph.nets[net].from, to: &graph.nets[net].to }
    }
}
