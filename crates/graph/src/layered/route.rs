//! Places columns side by side and routes each wire through them.

use super::channel::{Track, Tracks, tracks};
use super::proper::{Direction, End, Proper};
use super::{Drawing, Edge, Route};
use crate::Point;

/// The minimum width of a channel \[px\].
const CHANNEL: i64 = 30;
/// The distance between the preceding layer and the first track \[px\].
const BEFORE_TRACKS: i64 = 12;
/// The distance between the last track and the following layer, with room for an arrow head \[px\].
const AFTER_TRACKS: i64 = 18;
/// The distance between tracks \[px\].
const TRACK: i64 = 9;

/// Places cells and routes wires, given the top of each cell.
pub(super) fn route(proper: &Proper, tops: &[i64], feedback: &[Vec<bool>]) -> Drawing {
    let columns = Columns::new(proper, tops);
    let graph = proper.graph;
    let place = |vertex: usize| Point { x: columns.x(proper, vertex), y: tops[vertex] };
    let pins = |edge: &Vec<i64>, slots: &Vec<usize>| slots.iter().map(|s| edge[*s]).collect();
    let edges = graph.vertices.iter().zip(&proper.left).zip(&proper.right);
    let router = Router { proper, tops, columns: &columns };
    let mut drawing = Drawing {
        width: columns.width,
        height: 0,
        places: (0..graph.vertices.len()).map(place).collect(),
        left: edges.clone().map(|((vertex, slots), _)| pins(&vertex.left, slots)).collect(),
        right: edges.map(|((vertex, _), slots)| pins(&vertex.right, slots)).collect(),
        routes: (0..graph.nets.len()).map(|net| router.net(net, &feedback[net])).collect(),
    };
    raise(proper, tops, &mut drawing);
    drawing
}

/// Moves the drawing so that its topmost point is at 0; lanes may lie above all cells.
fn raise(proper: &Proper, tops: &[i64], drawing: &mut Drawing) {
    let points = || drawing.routes.iter().flatten().flat_map(|route| &route.points);
    let wires = (points().map(|p| p.y).min(), points().map(|p| p.y).max());
    let bottom = proper.cells.iter().zip(tops).map(|(cell, top)| top + cell.height).max();
    let top = wires.0.into_iter().chain(tops.iter().copied()).min().unwrap_or(0);
    drawing.height = wires.1.into_iter().chain(bottom).max().unwrap_or(0) - top;
    drawing.places.iter_mut().for_each(|place| place.y -= top);
    let routes = drawing.routes.iter_mut().flatten();
    routes.flat_map(|route| &mut route.points).for_each(|point| point.y -= top);
}

struct Columns {
    /// The left edge and the width of each layer.
    layers: Vec<(i64, i64)>,
    /// The left edge of each channel.
    channels: Vec<i64>,
    tracks: Vec<Tracks>,
    width: i64,
}

impl Columns {
    fn new(proper: &Proper, tops: &[i64]) -> Columns {
        let tracks: Vec<Tracks> =
            (0..proper.channels.len()).map(|channel| tracks(proper, tops, channel)).collect();
        let (mut layers, mut channels) = (Vec::new(), Vec::new());
        let mut x = 0;
        for (channel, planned) in tracks.iter().enumerate() {
            channels.push(x);
            let outer = channel == 0 || channel == proper.layers.len();
            let least = if outer { 0 } else { CHANNEL };
            let needed = BEFORE_TRACKS + (planned.count as i64 - 1) * TRACK + AFTER_TRACKS;
            x += if planned.count == 0 { least } else { needed.max(least) };
            if let Some(layer) = proper.layers.get(channel) {
                let vertices = layer.iter().filter_map(|cell| proper.cells[*cell].vertex);
                let width = vertices.map(|v| proper.graph.vertices[v].width).max().unwrap_or(0);
                layers.push((x, width));
                x += width;
            }
        }
        Columns { layers, channels, tracks, width: x }
    }

    /// The left edge of a vertex: one that prepares an input is placed close to it, all others in
    /// the middle.
    fn x(&self, proper: &Proper, vertex: usize) -> i64 {
        let (left, width) = self.layers[proper.cells[vertex].layer];
        let vertex = &proper.graph.vertices[vertex];
        let spare = width - vertex.width;
        match vertex.edge {
            Edge::First => left,
            Edge::Last => left + spare,
            Edge::None if vertex.leads.is_some() => left + spare,
            Edge::None => left + spare / 2,
        }
    }

    fn track(&self, channel: usize, slot: usize) -> i64 {
        self.channels[channel] + BEFORE_TRACKS + slot as i64 * TRACK
    }
}

struct Router<'a> {
    proper: &'a Proper<'a>,
    tops: &'a [i64],
    columns: &'a Columns,
}

/// A side of a channel.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

impl Router<'_> {
    fn net(&self, net: usize, feedback: &[bool]) -> Vec<Route> {
        let ways = self.proper.graph.nets[net].to.iter().zip(feedback);
        ways.map(|(to, back)| {
            let end = End { cell: to.vertex, pin: to.pin };
            let points = if *back { self.back(net, end) } else { self.forward(net, end) };
            Route { points: simplified(points), feedback: *back }
        })
        .collect()
    }

    fn forward(&self, net: usize, target: End) -> Vec<Point> {
        let (mut points, mut y, source) = self.start(net);
        let last = self.proper.cells[target.cell].layer;
        for channel in source + 1..=last {
            let next = match channel == last {
                true => self.left_y(target),
                false => self.tops[self.proper.passage(net, channel, Direction::Forward)],
            };
            self.cross(net, channel, (y, Side::Left), (next, Side::Right), &mut points);
            y = next;
        }
        points.push(self.left_point(target));
        points
    }

    fn back(&self, net: usize, target: End) -> Vec<Point> {
        let (mut points, mut y, source) = self.start(net);
        let mut from = Side::Left;
        let last = self.proper.cells[target.cell].layer;
        for channel in (last + 1..=source + 1).rev() {
            let next = self.tops[self.proper.passage(net, channel - 1, Direction::Back)];
            self.cross(net, channel, (y, from), (next, Side::Left), &mut points);
            (y, from) = (next, Side::Right);
        }
        let end = self.left_y(target);
        self.cross(net, last, (y, Side::Right), (end, Side::Right), &mut points);
        points.push(self.left_point(target));
        points
    }

    /// The first point of a net, its height and its layer.
    fn start(&self, net: usize) -> (Vec<Point>, i64, usize) {
        let from = self.proper.graph.nets[net].from;
        let end = End { cell: from.vertex, pin: from.pin };
        let y = self.tops[end.cell] + self.proper.right_offset(end);
        let width = self.proper.graph.vertices[from.vertex].width;
        let x = self.columns.x(self.proper, from.vertex) + width;
        (vec![Point { x, y }], y, self.proper.cells[end.cell].layer)
    }

    fn left_y(&self, end: End) -> i64 {
        self.tops[end.cell] + self.proper.left_offset(end)
    }

    fn left_point(&self, end: End) -> Point {
        Point { x: self.columns.x(self.proper, end.cell), y: self.left_y(end) }
    }

    fn cross(
        &self,
        net: usize,
        channel: usize,
        (from, from_side): (i64, Side),
        (to, to_side): (i64, Side),
        points: &mut Vec<Point>,
    ) {
        let segments = &self.proper.channels[channel];
        let index = segments.binary_search_by_key(&net, |segment| segment.net);
        let index = index.expect("the net has a segment in this channel");
        let mut vertical = |slot: usize, from: i64, to: i64| {
            let x = self.columns.track(channel, slot);
            points.extend([Point { x, y: from }, Point { x, y: to }]);
        };
        match (self.columns.tracks[channel].of[index], from_side, to_side) {
            (Track::Straight, ..) => {}
            (Track::One(slot), ..) => vertical(slot, from, to),
            (Track::Two(slot, ..), Side::Left, Side::Left) => vertical(slot, from, to),
            (Track::Two(.., slot), Side::Right, Side::Right) => vertical(slot, from, to),
            (Track::Two(left, lane, right), Side::Left, Side::Right) => {
                vertical(left, from, lane);
                vertical(right, lane, to);
            }
            (Track::Two(left, lane, right), Side::Right, Side::Left) => {
                vertical(right, from, lane);
                vertical(left, lane, to);
            }
        }
    }
}

/// Removes points that lie on the line between their neighbours.
fn simplified(points: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for point in points {
        if kept.last() == Some(&point) {
            continue;
        }
        if let [.., a, b] = kept[..]
            && ((a.x == b.x && b.x == point.x) || (a.y == b.y && b.y == point.y))
        {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}
