//! Draws connected components one by one and arranges them in rows.

use super::proper::Proper;
use super::wrap::wrapped;
use super::{Drawing, Edge, Graph, Net, Pin, Vertex, cycles, heights, layers, route, sweep};
use crate::Point;

/// The distance between components \[px\].
const GAP: i64 = 30;

/// Draws a level.
pub(crate) fn draw(graph: &Graph) -> Drawing {
    let parts = parts(graph);
    let owned = nets_of(graph, &parts);
    let drawings: Vec<(Vec<usize>, Drawing)> = parts
        .into_iter()
        .zip(&owned)
        .map(|(part, nets)| {
            let drawing = in_rows(&extract(graph, &part, nets.iter().copied()));
            (part, drawing)
        })
        .collect();
    let limit = row_width(&drawings);
    let mut whole = empty(graph);
    let (mut corner, mut row) = (Point { x: 0, y: 0 }, 0);
    for ((part, drawing), nets) in drawings.iter().zip(&owned) {
        let pinned = part.iter().any(|vertex| graph.vertices[*vertex].edge != Edge::None);
        if corner.x > 0 && (corner.x + drawing.width > limit || row == 0) {
            corner = Point { x: 0, y: corner.y + row + GAP };
            row = 0;
        }
        place(part, nets, drawing, corner, &mut whole);
        whole.width = whole.width.max(corner.x + drawing.width);
        whole.height = whole.height.max(corner.y + drawing.height);
        row = row.max(drawing.height);
        // A component that reaches the edges of the level has a row to itself.
        corner.x = if pinned { limit + 1 } else { corner.x + drawing.width + GAP };
    }
    whole
}

/// Draws a connected component, in several rows if it is long.
fn in_rows(graph: &Graph) -> Drawing {
    let (drawing, layers) = connected(graph);
    wrapped(graph, &layers, drawing)
}

/// Draws a connected component in one row, and returns the layer of each vertex.
pub(super) fn connected(graph: &Graph) -> (Drawing, Vec<usize>) {
    let feedback = cycles::feedback(graph);
    let layers = layers::layers(graph, &feedback);
    let mut proper = Proper::new(graph, &layers, &feedback);
    sweep::order(&mut proper);
    let tops = heights::heights(&proper);
    (route::route(&proper, &tops, &feedback), layers)
}

/// Connected vertices; those at the edges of the level form one component, which comes first.
fn parts(graph: &Graph) -> Vec<Vec<usize>> {
    let mut root: Vec<usize> = (0..graph.vertices.len()).collect();
    fn find(root: &mut [usize], mut vertex: usize) -> usize {
        while root[vertex] != vertex {
            root[vertex] = root[root[vertex]];
            vertex = root[vertex];
        }
        vertex
    }
    let mut join = |a: usize, b: usize| {
        let (a, b) = (find(&mut root, a), find(&mut root, b));
        root[a.max(b)] = a.min(b);
    };
    let pinned = |vertex: &usize| graph.vertices[*vertex].edge != Edge::None;
    let first = (0..graph.vertices.len()).find(|vertex| pinned(vertex));
    for vertex in (0..graph.vertices.len()).filter(pinned) {
        join(first.unwrap_or(vertex), vertex);
    }
    for net in &graph.nets {
        net.to.iter().for_each(|to| join(net.from.vertex, to.vertex));
    }
    let mut members = vec![Vec::new(); graph.vertices.len()];
    for vertex in 0..graph.vertices.len() {
        members[find(&mut root, vertex)].push(vertex);
    }
    members.retain(|part| !part.is_empty());
    // Large components first, so that single blocks collect at the end.
    members.sort_by_key(|part| (!part.iter().any(&pinned), part.len() == 1));
    members
}

/// The nets of each component, in order; there may be as many components as nets.
fn nets_of(graph: &Graph, parts: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut of = vec![0; graph.vertices.len()];
    for (place, part) in parts.iter().enumerate() {
        part.iter().for_each(|vertex| of[*vertex] = place);
    }
    let mut found = vec![Vec::new(); parts.len()];
    for (index, net) in graph.nets.iter().enumerate() {
        found[of[net.from.vertex]].push(index);
    }
    found
}

/// The graph of some vertices, and of what is among them of some nets.
pub(super) fn extract(graph: &Graph, part: &[usize], nets: impl Iterator<Item = usize>) -> Graph {
    let local = |vertex: usize| part.binary_search(&vertex).ok();
    let vertex = |index: &usize| {
        let vertex = graph.vertices[*index].clone();
        Vertex { leads: vertex.leads.and_then(local), ..vertex }
    };
    let pin = |pin: &Pin| Some(Pin { vertex: local(pin.vertex)?, pin: pin.pin });
    let net = |net: &Net| {
        let to = net.to.iter().filter_map(pin).collect();
        Some(Net { from: pin(&net.from)?, to })
    };
    Graph {
        vertices: part.iter().map(vertex).collect(),
        nets: nets.filter_map(|index| net(&graph.nets[index])).collect(),
    }
}

/// A width that makes the whole about half as high as it is wide.
fn row_width(drawings: &[(Vec<usize>, Drawing)]) -> i64 {
    let area: i64 = drawings.iter().map(|(_, d)| (d.width + GAP) * (d.height + GAP)).sum();
    let widest = drawings.iter().map(|(_, d)| d.width).max().unwrap_or(0);
    widest.max((2.0 * area as f64).sqrt() as i64)
}

fn empty(graph: &Graph) -> Drawing {
    Drawing {
        places: vec![Point::default(); graph.vertices.len()],
        left: vec![Vec::new(); graph.vertices.len()],
        right: vec![Vec::new(); graph.vertices.len()],
        routes: vec![Vec::new(); graph.nets.len()],
        ..Drawing::default()
    }
}

fn place(part: &[usize], nets: &[usize], drawing: &Drawing, corner: Point, whole: &mut Drawing) {
    let moved = |point: Point| Point { x: point.x + corner.x, y: point.y + corner.y };
    for (local, vertex) in part.iter().enumerate() {
        whole.places[*vertex] = moved(drawing.places[local]);
        whole.left[*vertex] = drawing.left[local].clone();
        whole.right[*vertex] = drawing.right[local].clone();
    }
    for (net, routes) in nets.iter().zip(&drawing.routes) {
        let mut routes = routes.clone();
        let points = routes.iter_mut().flat_map(|route| &mut route.points);
        points.for_each(|point| *point = moved(*point));
        whole.routes[*net] = routes;
    }
}
