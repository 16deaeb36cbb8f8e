//! Wraps a long drawing into several rows, like text: the layers are cut into rows, each row is
//! drawn on its own, and wires from one row to another run around the right end of their row, above
//! the target row, and in at its left end.
//!
//! Each such wire has its own track to the right of the rows, above the target row and to the left
//! of it, so that no wire covers another.

use super::pack::{connected, extract};
use super::{Drawing, Edge, Graph, Net, Pin, Route, Vertex};
use crate::Point;

/// Wider drawings are cut \[px\].
const WIDE: i64 = 1080;
/// The distance between rows, and between a row and the first track beside it \[px\].
const GAP: i64 = 34;
const FIRST: i64 = 14;
/// The distance between tracks \[px\].
const TRACK: i64 = 10;
/// The height of the end of a wire at the edge of a row \[px\].
const END: i64 = 10;
/// The cost of cutting a wire, and of separating an expression from its block \[px\].
const WIRE: i64 = 60;
const LEAD: i64 = 400;

/// The same drawing in several rows if it is too long for one; a level with ports at its edges is
/// left unchanged.
pub(super) fn wrapped(graph: &Graph, layers: &[usize], drawing: Drawing) -> Drawing {
    let pinned = graph.vertices.iter().any(|vertex| vertex.edge != Edge::None);
    // With this many rows it is about twice as wide as high.
    let shapely = (drawing.width as f64 / (2 * drawing.height).max(1) as f64).sqrt().round() as i64;
    let count = (drawing.width.div_euclid(WIDE) + 1).min(shapely);
    if pinned || count < 2 {
        return drawing;
    }
    let rows = rows(graph, layers, &drawing, count);
    let count = rows.iter().max().map_or(0, |last| last + 1);
    if count < 2 {
        return drawing;
    }
    let rows: Vec<Row> = (0..count).map(|row| Row::new(graph, &rows, row)).collect();
    let found = join(graph, &rows);
    let smaller = found.width < drawing.width && found.height < found.width;
    if smaller { found } else { drawing }
}

/// The row of each vertex. Rows consist of whole layers, and the cuts are near evenly spaced
/// positions, where few wires cross.
fn rows(graph: &Graph, layers: &[usize], drawing: &Drawing, count: i64) -> Vec<usize> {
    let last = layers.iter().copied().max().unwrap_or(0);
    let starts: Vec<i64> = (0..=last)
        .map(|layer| {
            let here = layers.iter().zip(&drawing.places).filter(|(own, _)| **own == layer);
            here.map(|(_, place)| place.x).min().unwrap_or(0)
        })
        .collect();
    let across = |cut: usize| {
        let crosses = |net: &&Net| {
            net.to.iter().any(|to| (layers[to.vertex] < cut) != (layers[net.from.vertex] < cut))
        };
        let nets = graph.nets.iter().filter(crosses).count() as i64;
        let leads = graph.vertices.iter().zip(layers).filter(|(vertex, layer)| {
            vertex.leads.is_some_and(|led| **layer < cut && layers[led] >= cut)
        });
        WIRE * nets + LEAD * leads.count() as i64
    };
    let mut cuts: Vec<usize> = (1..count)
        .filter_map(|row| {
            let target = drawing.width * row / count;
            (1..=last).min_by_key(|cut| (starts[*cut] - target).abs() + across(*cut))
        })
        .collect();
    cuts.dedup();
    layers.iter().map(|layer| cuts.iter().filter(|cut| layer >= cut).count()).collect()
}

/// A row that has been drawn.
struct Row {
    /// The vertices of the level that belong to it.
    part: Vec<usize>,
    drawing: Drawing,
    /// The nets that start here, in the order of its drawing, and those that come from other rows.
    own: Vec<usize>,
    entering: Vec<usize>,
    /// The nets that leave it.
    leaving: Vec<usize>,
}

impl Row {
    fn new(graph: &Graph, rows: &[usize], row: usize) -> Row {
        let is_here = |vertex: usize| rows[vertex] == row;
        let part: Vec<usize> = (0..rows.len()).filter(|vertex| is_here(*vertex)).collect();
        let mut own_graph = extract(graph, &part, 0..graph.nets.len());
        let nets = || graph.nets.iter().enumerate();
        let own: Vec<usize> =
            nets().filter(|(_, net)| is_here(net.from.vertex)).map(|(at, _)| at).collect();
        let mut leaving = Vec::new();
        for (place, at) in own.iter().enumerate() {
            if graph.nets[*at].to.iter().any(|to| !is_here(to.vertex)) {
                let vertex = own_graph.vertices.len();
                own_graph.vertices.push(end(vec![END / 2], Vec::new(), Edge::Last));
                own_graph.nets[place].to.push(Pin { vertex, pin: 0 });
                leaving.push(*at);
            }
        }
        let comes =
            |net: &Net| !is_here(net.from.vertex) && net.to.iter().any(|to| is_here(to.vertex));
        let entering: Vec<usize> = nets().filter(|(_, net)| comes(net)).map(|(at, _)| at).collect();
        for at in &entering {
            let vertex = own_graph.vertices.len();
            own_graph.vertices.push(end(Vec::new(), vec![END / 2], Edge::First));
            let local = |to: &Pin| {
                let vertex = part.binary_search(&to.vertex).ok()?;
                Some(Pin { vertex, pin: to.pin })
            };
            let to = graph.nets[*at].to.iter().filter_map(local).collect();
            own_graph.nets.push(Net { from: Pin { vertex, pin: 0 }, to });
        }
        let drawing = connected(&own_graph).0;
        Row { part, drawing, own, entering, leaving }
    }

    /// Adds its vertices and internal wires to the whole drawing.
    fn place(&self, graph: &Graph, corner: Point, whole: &mut Drawing) {
        for (local, vertex) in self.part.iter().enumerate() {
            whole.places[*vertex] = moved(self.drawing.places[local], corner);
            whole.left[*vertex] = self.drawing.left[local].clone();
            whole.right[*vertex] = self.drawing.right[local].clone();
        }
        for (place, net) in self.own.iter().enumerate() {
            let sinks = graph.nets[*net].to.iter().enumerate();
            let here = sinks.filter(|(_, to)| self.part.binary_search(&to.vertex).is_ok());
            for ((sink, _), route) in here.zip(&self.drawing.routes[place]) {
                let points = route.points.iter().map(|point| moved(*point, corner)).collect();
                whole.routes[*net][sink] = Route { points, feedback: route.feedback };
            }
        }
    }

    /// The route of a net that starts here to its end at the right.
    fn way_out(&self, net: usize) -> Option<&Route> {
        let place = self.own.iter().position(|own| *own == net)?;
        self.leaving.contains(&net).then(|| self.drawing.routes[place].last())?
    }

    /// The routes of a net that comes from another row, from its end at the left.
    fn ways_in(&self, net: usize) -> Option<&[Route]> {
        let place = self.entering.iter().position(|entering| *entering == net)?;
        Some(&self.drawing.routes[self.own.len() + place])
    }

    /// The nets that come from other rows, from top to bottom.
    fn entering_downwards(&self) -> Vec<usize> {
        let height = |net: &usize| self.ways_in(*net).and_then(|ways| ways[0].points.first());
        let mut nets = self.entering.clone();
        nets.sort_by_key(|net| height(net).map(|point| point.y));
        nets
    }
}

fn end(left: Vec<i64>, right: Vec<i64>, edge: Edge) -> Vertex {
    let (free, leads, gathers) = (false, None, false);
    Vertex { width: 2, height: END, left, right, free, edge, leads, gathers }
}

/// Stacks the rows and adds the wires between them.
fn join(graph: &Graph, rows: &[Row]) -> Drawing {
    let stack = Stack::new(rows);
    let mut whole = Drawing {
        width: stack.right + FIRST + TRACK * stack.leaving.len() as i64,
        height: stack.height,
        places: vec![Point::default(); graph.vertices.len()],
        left: vec![Vec::new(); graph.vertices.len()],
        right: vec![Vec::new(); graph.vertices.len()],
        routes: graph.nets.iter().map(|net| vec![Route::default(); net.to.len()]).collect(),
    };
    for (row, corner) in rows.iter().zip(&stack.corners) {
        row.place(graph, *corner, &mut whole);
    }
    for (to, row) in rows.iter().enumerate() {
        for (track, net) in row.entering_downwards().into_iter().enumerate() {
            stack.connect(graph, (net, to), track as i64, &mut whole);
        }
    }
    whole
}

/// Rows with their positions.
struct Stack<'a> {
    rows: &'a [Row],
    corners: Vec<Point>,
    /// The right end of the widest row, and the bottom of the last one.
    right: i64,
    height: i64,
    /// The nets that leave their rows; those with lower ends turn first.
    leaving: Vec<usize>,
}

impl<'a> Stack<'a> {
    fn new(rows: &'a [Row]) -> Stack<'a> {
        let most = rows.iter().map(|row| row.entering.len()).max().unwrap_or(0) as i64;
        let left = FIRST + TRACK * most;
        let wide = rows.iter().map(|row| row.drawing.width).max().unwrap_or(0);
        let (mut corners, mut leaving, mut y) = (Vec::new(), Vec::new(), 0);
        for row in rows {
            y += FIRST + TRACK * row.entering.len() as i64;
            corners.push(Point { x: left, y });
            for net in &row.leaving {
                let end = row.way_out(*net).and_then(|way| way.points.last());
                leaving.push((-y - end.map_or(0, |point| point.y), *net));
            }
            y += row.drawing.height + GAP;
        }
        leaving.sort_unstable();
        let leaving = leaving.into_iter().map(|(_, net)| net).collect();
        Stack { rows, corners, right: left + wide, height: y - GAP, leaving }
    }

    /// Routes a net around the end of its row to the pins that it feeds in another row.
    fn connect(&self, graph: &Graph, (net, to): (usize, usize), track: i64, whole: &mut Drawing) {
        let from = self.rows.iter().position(|row| row.own.contains(&net)).expect("it begins");
        let (row, corner) = (&self.rows[to], self.corners[to]);
        let way_out = self.rows[from].way_out(net).expect("it leaves its row");
        let mut start: Vec<Point> =
            way_out.points.iter().map(|point| moved(*point, self.corners[from])).collect();
        let turn = start.last().map_or(0, |point| point.y);
        let place = self.leaving.iter().position(|own| *own == net).unwrap_or(0) as i64;
        let outside = self.right + FIRST + TRACK * place;
        let along = FIRST + TRACK * track;
        let (above, before) = (corner.y - along, corner.x - along);
        let around = [(outside, turn), (outside, above), (before, above)];
        start.extend(around.map(|(x, y)| Point { x, y }));
        let ways = row.ways_in(net).expect("it enters the row");
        let sinks = graph.nets[net].to.iter().enumerate();
        let sinks = sinks.filter(|(_, to)| row.part.binary_search(&to.vertex).is_ok());
        for ((sink, _), way) in sinks.zip(ways) {
            let inside = way.points.iter().map(|point| moved(*point, corner));
            let enters = inside.clone().next().map_or(0, |point| point.y);
            let mut points = start.clone();
            points.push(Point { x: before, y: enters });
            points.extend(inside);
            let feedback = way.feedback || to < from;
            whole.routes[net][sink] = Route { points: straightened(points), feedback };
        }
    }
}

fn moved(point: Point, by: Point) -> Point {
    Point { x: point.x + by.x, y: point.y + by.y }
}

/// The same route without points inside straight pieces.
fn straightened(points: Vec<Point>) -> Vec<Point> {
    let mut found: Vec<Point> = Vec::new();
    for point in points {
        while let [.., before, last] = found[..] {
            let across = before.y == last.y && last.y == point.y;
            let along = before.x == last.x && last.x == point.x;
            if !across && !along {
                break;
            }
            found.pop();
        }
        if found.last() != Some(&point) {
            found.push(point);
        }
    }
    found
}
