//! The layer of each vertex: as close to what it is connected to as the direction allows.

use super::simplex::{Distance, solve};
use super::{Edge, Graph};

/// Layers from 0 on, each with at least one vertex or the passage of a wire.
pub(super) fn layers(graph: &Graph, feedback: &[Vec<bool>]) -> Vec<usize> {
    let count = graph.vertices.len();
    let has = |edge| graph.vertices.iter().any(|vertex| vertex.edge == edge);
    let start = count;
    let mut distances = Vec::new();
    for (index, vertex) in graph.vertices.iter().enumerate() {
        let length = i64::from(has(Edge::First) && vertex.edge != Edge::First);
        distances.push(Distance { tail: start, head: index, length, weight: 0 });
    }
    for (net, back) in graph.nets.iter().zip(feedback) {
        for (to, back) in net.to.iter().zip(back) {
            let (tail, head) = (net.from.vertex, to.vertex);
            let led = graph.vertices[tail].leads == Some(head);
            let weight = if led { 6 } else { 1 };
            match back {
                false => distances.push(Distance { tail, head, length: 1, weight }),
                true if tail == head => {}
                true => distances.push(Distance { tail: head, head: tail, length: 0, weight }),
            }
        }
    }
    let mut found = solve(count + 1, &distances);
    found.truncate(count);
    for (vertex, layer) in graph.vertices.iter().zip(&mut found) {
        if vertex.edge == Edge::First {
            *layer = 0;
        }
    }
    let inner = graph.vertices.iter().zip(&found).filter(|(vertex, _)| vertex.edge != Edge::Last);
    let last = inner.map(|(_, layer)| layer + 1).max().unwrap_or(0);
    for (vertex, layer) in graph.vertices.iter().zip(&mut found) {
        if vertex.edge == Edge::Last {
            *layer = last;
        }
    }
    compact(&found)
}

/// Renumbers the layers that are used.
fn compact(layers: &[i64]) -> Vec<usize> {
    let mut used = layers.to_vec();
    used.sort_unstable();
    used.dedup();
    layers.iter().map(|layer| used.binary_search(layer).expect("it is used")).collect()
}
