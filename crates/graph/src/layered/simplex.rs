//! The network simplex method of Gansner, Koutsofios, North and Vo (1993): positions on a line that
//! respect minimum distances and minimise the weighted sum of distances.
//!
//! Cut values come from subtree sums of each vertex's net weight, so a step costs one pass over the
//! tree instead of the incremental bookkeeping of the paper.

/// `head - tail` is at least `length`, and each unit of it costs `weight`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance {
    pub tail: usize,
    pub head: usize,
    pub length: i64,
    pub weight: i64,
}

/// How many visits of vertices and edges a solution may cost; beyond that it is merely feasible.
const BUDGET: usize = 60_000_000;

/// The positions of `count` connected vertices; the smallest is 0.
pub(crate) fn solve(count: usize, distances: &[Distance]) -> Vec<i64> {
    let mut simplex = Simplex::new(count, distances);
    if count > 1 {
        simplex.grow_tree();
        for _ in 0..BUDGET / (count + distances.len()) {
            if !simplex.pivot() {
                break;
            }
        }
    }
    let least = simplex.at.iter().min().copied().unwrap_or(0);
    simplex.at.iter().map(|at| at - least).collect()
}

struct Simplex<'a> {
    distances: &'a [Distance],
    at: Vec<i64>,
    /// For each vertex, the spanning-tree edges at it.
    tree: Vec<Vec<usize>>,
    /// For each vertex, the weights of its outgoing edges minus those of its incoming ones.
    net: Vec<i64>,
}

/// The tree rooted at vertex 0.
struct Hung {
    /// The vertices, each before its descendants.
    order: Vec<usize>,
    /// The index in `order`.
    place: Vec<usize>,
    /// The number of vertices in the subtree of each.
    size: Vec<usize>,
    /// The tree edge above each vertex; `None` at the root.
    above: Vec<Option<usize>>,
}

impl<'a> Simplex<'a> {
    fn new(count: usize, distances: &'a [Distance]) -> Self {
        let mut net = vec![0; count];
        for edge in distances {
            net[edge.tail] += edge.weight;
            net[edge.head] -= edge.weight;
        }
        let at = longest_paths(count, distances);
        Simplex { distances, at, tree: vec![Vec::new(); count], net }
    }

    fn slack(&self, edge: &Distance) -> i64 {
        self.at[edge.head] - self.at[edge.tail] - edge.length
    }

    /// Builds a spanning tree of edges without slack, moving the vertices reached so far if needed.
    fn grow_tree(&mut self) {
        let count = self.at.len();
        let mut touching = vec![Vec::new(); count];
        for (index, edge) in self.distances.iter().enumerate() {
            touching[edge.tail].push(index);
            touching[edge.head].push(index);
        }
        let mut reached = vec![false; count];
        let (mut members, mut next) = (vec![0], 0);
        reached[0] = true;
        loop {
            while next < members.len() {
                for index in &touching[members[next]] {
                    let edge = &self.distances[*index];
                    let other = edge.tail + edge.head - members[next];
                    if !reached[other] && self.slack(edge) == 0 {
                        reached[other] = true;
                        members.push(other);
                        self.tree[edge.tail].push(*index);
                        self.tree[edge.head].push(*index);
                    }
                }
                next += 1;
            }
            if members.len() == count {
                return;
            }
            let leaving = |edge: &&Distance| reached[edge.tail] != reached[edge.head];
            let edge = self.distances.iter().filter(leaving).min_by_key(|edge| self.slack(edge));
            let edge = *edge.expect("the vertices are connected");
            let slack = self.slack(&edge);
            let shift = if reached[edge.tail] { slack } else { -slack };
            members.iter().for_each(|vertex| self.at[*vertex] += shift);
            // Only this edge is certain to be tight now; search again from its end in the tree.
            let end = if reached[edge.tail] { edge.tail } else { edge.head };
            let place = members.iter().position(|vertex| *vertex == end).expect("it is reached");
            members.swap(place, next - 1);
            next -= 1;
        }
    }

    fn hang(&self) -> Hung {
        let count = self.at.len();
        let (mut order, mut above) = (Vec::with_capacity(count), vec![None; count]);
        let (mut place, mut size) = (vec![0; count], vec![1; count]);
        let mut stack = vec![0];
        while let Some(vertex) = stack.pop() {
            place[vertex] = order.len();
            order.push(vertex);
            for index in &self.tree[vertex] {
                if above[vertex] != Some(*index) {
                    let other = self.other(*index, vertex);
                    above[other] = Some(*index);
                    stack.push(other);
                }
            }
        }
        for vertex in order.iter().rev() {
            if let Some(index) = above[*vertex] {
                size[self.other(index, *vertex)] += size[*vertex];
            }
        }
        Hung { order, place, size, above }
    }

    fn other(&self, index: usize, vertex: usize) -> usize {
        self.distances[index].tail + self.distances[index].head - vertex
    }

    /// Exchanges the tree edge with the most negative cut value; returns whether there was one.
    fn pivot(&mut self) -> bool {
        let hung = self.hang();
        let mut sums = self.net.clone();
        let mut worst: Option<(i64, usize)> = None;
        for vertex in hung.order.iter().rev() {
            let Some(index) = hung.above[*vertex] else { continue };
            let upper = self.other(index, *vertex);
            sums[upper] += sums[*vertex];
            let tail_below = self.distances[index].tail == *vertex;
            let cut = if tail_below { sums[*vertex] } else { -sums[*vertex] };
            if cut < worst.map_or(0, |(least, _)| least) {
                worst = Some((cut, *vertex));
            }
        }
        let Some((_, vertex)) = worst else { return false };
        let leaving = hung.above[vertex].expect("it has an edge above");
        let below = |v: usize| {
            (hung.place[vertex]..hung.place[vertex] + hung.size[vertex]).contains(&hung.place[v])
        };
        let tail_below = self.distances[leaving].tail == vertex;
        let against = |edge: &Distance| {
            below(edge.tail) != below(edge.head) && below(edge.head) == tail_below
        };
        let candidates = (0..self.distances.len()).filter(|i| against(&self.distances[*i]));
        let entering = candidates.min_by_key(|i| self.slack(&self.distances[*i]));
        let Some(entering) = entering else { return false };
        let slack = self.slack(&self.distances[entering]);
        let shift = if tail_below { -slack } else { slack };
        for v in &hung.order[hung.place[vertex]..hung.place[vertex] + hung.size[vertex]] {
            self.at[*v] += shift;
        }
        let Distance { tail, head, .. } = self.distances[leaving];
        self.tree[tail].retain(|i| *i != leaving);
        self.tree[head].retain(|i| *i != leaving);
        let Distance { tail, head, .. } = self.distances[entering];
        self.tree[tail].push(entering);
        self.tree[head].push(entering);
        true
    }
}

/// The smallest positions that respect all distances.
fn longest_paths(count: usize, distances: &[Distance]) -> Vec<i64> {
    let (mut out, mut waiting) = (vec![Vec::new(); count], vec![0; count]);
    for edge in distances {
        out[edge.tail].push((edge.head, edge.length));
        waiting[edge.head] += 1;
    }
    let mut at = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|v| waiting[*v] == 0).collect();
    let mut done = 0;
    while let Some(vertex) = ready.pop() {
        done += 1;
        for (head, length) in &out[vertex] {
            at[*head] = at[*head].max(at[vertex] + length);
            waiting[*head] -= 1;
            if waiting[*head] == 0 {
                ready.push(*head);
            }
        }
    }
    assert_eq!(done, count, "distances never go in a circle");
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_stands_beside_its_heavy_neighbour() {
        // 0 and 1 are 10 apart; 2 is after 0 and attracted twice as strongly to 1.
        let edge = |tail, head, length, weight| Distance { tail, head, length, weight };
        let found =
            solve(4, &[edge(0, 1, 10, 1), edge(0, 2, 1, 1), edge(2, 3, 1, 2), edge(1, 3, 1, 0)]);
        assert_eq!(found[1] - found[0], 10);
        assert_eq!(found[3], 11);
        assert_eq!(found[2], 10);
    }

    #[test]
    fn negative_lengths_and_ties_are_kept() {
        let edge = |tail, head, length, weight| Distance { tail, head, length, weight };
        let distances = [edge(0, 1, -5, 3), edge(0, 2, 7, 3), edge(1, 2, 2, 0)];
        let found = solve(3, &distances);
        for d in &distances {
            assert!(found[d.head] - found[d.tail] >= d.length);
        }
        assert_eq!(found[2] - found[0], 7);
        assert_eq!(found[1] - found[0], -5);
    }
}
