//! Small graphs with known difficulties.

use super::*;

fn vertex(left: &[i64], right: &[i64]) -> Vertex {
    Vertex {
        width: 60,
        height: 60,
        left: left.to_vec(),
        right: right.to_vec(),
        free: false,
        edge: Edge::None,
        leads: None,
        gathers: false,
    }
}

fn net(from: (usize, usize), to: &[(usize, usize)]) -> Net {
    let pin = |(vertex, pin): (usize, usize)| Pin { vertex, pin };
    Net { from: pin(from), to: to.iter().copied().map(pin).collect() }
}

/// Whether pieces of different nets overlap.
fn on_each_other(drawing: &Drawing) -> bool {
    let pieces = |net: usize| {
        let points = drawing.routes[net].iter().map(|route| &route.points);
        points.flat_map(|points| points.windows(2).map(|p| (p[0], p[1]))).collect::<Vec<_>>()
    };
    let shared = |a: (i64, i64), b: (i64, i64)| {
        a.0.max(a.1).min(b.0.max(b.1)) > a.0.min(a.1).max(b.0.min(b.1))
    };
    let lies = |(a, b): (Point, Point), (c, d): (Point, Point)| {
        (a.y == b.y && c.y == d.y && a.y == c.y && shared((a.x, b.x), (c.x, d.x)))
            || (a.x == b.x && c.x == d.x && a.x == c.x && shared((a.y, b.y), (c.y, d.y)))
    };
    let nets = 0..drawing.routes.len();
    let pairs = nets.clone().flat_map(|i| nets.clone().skip(i + 1).map(move |j| (i, j)));
    let mut pairs = pairs.map(|(i, j)| (pieces(i), pieces(j)));
    pairs.any(|(a, b)| a.iter().any(|p| b.iter().any(|q| lies(*p, *q))))
}

#[test]
fn wires_that_change_places_get_a_lane() {
    // Two straight wires keep the vertices level, and the two below them are crossed.
    let pins = [10, 20, 30, 40];
    let graph = Graph {
        vertices: vec![vertex(&[], &pins), vertex(&pins, &[])],
        nets: vec![
            net((0, 0), &[(1, 0)]),
            net((0, 1), &[(1, 1)]),
            net((0, 2), &[(1, 3)]),
            net((0, 3), &[(1, 2)]),
        ],
    };
    let drawing = draw(&graph);
    assert!(!on_each_other(&drawing));
    let bends: Vec<usize> = drawing.routes.iter().map(|routes| routes[0].points.len()).collect();
    assert!(bends.contains(&6), "one of them changes its track: {bends:?}");
}

#[test]
fn free_pins_change_places_instead() {
    let free = |vertex: Vertex| Vertex { free: true, ..vertex };
    let graph = Graph {
        vertices: vec![vertex(&[], &[20, 40]), free(vertex(&[20, 40], &[]))],
        nets: vec![net((0, 0), &[(1, 1)]), net((0, 1), &[(1, 0)])],
    };
    let drawing = draw(&graph);
    assert!(drawing.routes.iter().all(|routes| routes[0].points.len() == 2));
    assert_eq!(drawing.left[1], [40, 20]);
}

#[test]
fn a_net_shares_its_way() {
    let graph = Graph {
        vertices: vec![
            vertex(&[], &[30]),
            vertex(&[30], &[30]),
            vertex(&[20, 40], &[]),
            vertex(&[30], &[]),
        ],
        nets: vec![net((0, 0), &[(1, 0), (2, 1), (3, 0)]), net((1, 0), &[(2, 0)])],
    };
    let drawing = draw(&graph);
    assert!(!on_each_other(&drawing));
    let firsts: Vec<Point> = drawing.routes[0].iter().map(|route| route.points[0]).collect();
    assert!(firsts.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn an_empty_level_has_no_size() {
    let drawing = draw(&Graph::default());
    assert_eq!((drawing.width, drawing.height), (0, 0));
}

#[test]
fn layers_follow_the_wires() {
    let graph = Graph {
        vertices: vec![vertex(&[30], &[]), vertex(&[], &[30]), vertex(&[30], &[30])],
        nets: vec![net((1, 0), &[(2, 0)]), net((2, 0), &[(0, 0)])],
    };
    let drawing = draw(&graph);
    assert!(drawing.places[1].x < drawing.places[2].x);
    assert!(drawing.places[2].x < drawing.places[0].x);
}
