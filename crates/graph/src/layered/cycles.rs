//! Determines which connections are feedback.
//!
//! A vertex that leads another forms a group with it, so an expression stays right before the block
//! that it feeds and a loop is cut where it enters the group. Inside each strongly connected
//! component a depth-first search decides; it starts at the group that leaves the fewest feedback
//! connections.

use std::collections::BTreeSet;

use super::{Graph, Pin};

/// Components with more groups than this are cut starting from their first group.
const TRIED_STARTS: usize = 80;

/// For each net and each pin that it feeds, whether the connection is feedback.
pub(super) fn feedback(graph: &Graph) -> Vec<Vec<bool>> {
    let groups = Groups::new(graph);
    let back = groups.cut();
    let runs_back = |from: &Pin, to: &Pin| {
        let (u, v) = (groups.of[from.vertex], groups.of[to.vertex]);
        let led = graph.vertices[from.vertex].leads == Some(to.vertex);
        if u == v { !led } else { back.contains(&(u, v)) }
    };
    graph
        .nets
        .iter()
        .map(|net| net.to.iter().map(|to| runs_back(&net.from, to)).collect())
        .collect()
}

struct Groups {
    /// The group of each vertex: the vertex at its end.
    of: Vec<usize>,
    /// For each group, those that it feeds, and whether these compute something from it.
    next: Vec<Vec<(usize, bool)>>,
    count: usize,
}

impl Groups {
    fn new(graph: &Graph) -> Groups {
        let count = graph.vertices.len();
        let of: Vec<usize> = (0..count).map(|vertex| end(graph, vertex)).collect();
        let mut next = vec![BTreeSet::new(); count];
        for net in &graph.nets {
            for to in &net.to {
                let (u, v) = (of[net.from.vertex], of[to.vertex]);
                if u != v {
                    next[u].insert((v, to.vertex != v || graph.vertices[v].gathers));
                }
            }
        }
        let next = next.into_iter().map(|set| set.into_iter().collect()).collect();
        Groups { of, next, count }
    }

    /// The pairs of groups whose connections are feedback.
    fn cut(&self) -> BTreeSet<(usize, usize)> {
        let part = self.parts();
        let mut members = vec![Vec::new(); self.count];
        let mut entered = vec![false; self.count];
        for group in (0..self.count).filter(|group| self.of[*group] == *group) {
            members[part[group]].push(group);
            for (other, _) in &self.next[group] {
                entered[*other] |= part[*other] != part[group];
            }
        }
        let mut back = BTreeSet::new();
        for inside in members.iter().filter(|inside| inside.len() > 1) {
            let starts = if inside.len() > TRIED_STARTS { &inside[..1] } else { &inside[..] };
            let tried = starts.iter().map(|start| {
                let found = self.search(*start, inside, &part);
                let plain = found.iter().filter(|(u, v)| self.next[*u].contains(&(*v, false)));
                // A loop that is driven from outside is best read from where it is driven, at the
                // cost of one more feedback connection.
                let entry = if entered[*start] { 0 } else { 3 };
                ((2 * found.len() + entry, plain.count(), *start), found)
            });
            let (_, found) = tried.min_by_key(|(rank, _)| *rank).expect("there is a start");
            back.extend(found);
        }
        back
    }

    /// The connections inside a component that lead back to a group on the path from the start.
    fn search(&self, start: usize, inside: &[usize], part: &[usize]) -> BTreeSet<(usize, usize)> {
        let mut state = vec![State::New; self.count];
        let mut back = BTreeSet::new();
        for root in std::iter::once(start).chain(inside.iter().copied()) {
            if state[root] != State::New {
                continue;
            }
            state[root] = State::Open;
            let mut calls = vec![(root, 0)];
            while let Some((group, at)) = calls.last_mut() {
                let group = *group;
                let Some((other, _)) = self.next[group].get(*at).copied() else {
                    state[group] = State::Done;
                    calls.pop();
                    continue;
                };
                *at += 1;
                match state[other] {
                    _ if part[other] != part[group] => {}
                    State::Open => {
                        back.insert((group, other));
                    }
                    State::New => {
                        state[other] = State::Open;
                        calls.push((other, 0));
                    }
                    State::Done => {}
                }
            }
        }
        back
    }

    /// The strongly connected component of each group (Kosaraju and Sharir).
    fn parts(&self) -> Vec<usize> {
        let mut before = vec![Vec::new(); self.count];
        for (group, next) in self.next.iter().enumerate() {
            next.iter().for_each(|(other, _)| before[*other].push(group));
        }
        let forward = |v: usize, i: usize| self.next[v].get(i).map(|(other, _)| *other);
        let mut seen = vec![false; self.count];
        let mut finished = Vec::new();
        for root in 0..self.count {
            visit(root, &forward, &mut seen, &mut finished);
        }
        let (mut seen, mut part) = (vec![false; self.count], vec![0; self.count]);
        let backward = |v: usize, i: usize| before[v].get(i).copied();
        for root in finished.into_iter().rev() {
            let mut members = Vec::new();
            visit(root, &backward, &mut seen, &mut members);
            members.into_iter().for_each(|member| part[member] = root);
        }
        part
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Depth-first search without recursion; each vertex is added to `finished` after all that it leads
/// to.
fn visit(
    root: usize,
    next: &dyn Fn(usize, usize) -> Option<usize>,
    seen: &mut [bool],
    finished: &mut Vec<usize>,
) {
    if std::mem::replace(&mut seen[root], true) {
        return;
    }
    let mut calls = vec![(root, 0)];
    while let Some((vertex, at)) = calls.last_mut() {
        match next(*vertex, *at) {
            Some(other) => {
                *at += 1;
                if !std::mem::replace(&mut seen[other], true) {
                    calls.push((other, 0));
                }
            }
            None => {
                finished.push(*vertex);
                calls.pop();
            }
        }
    }
}

fn end(graph: &Graph, vertex: usize) -> usize {
    match graph.vertices[vertex].leads {
        Some(next) if graph.vertices[next].leads.is_none() => next,
        _ => vertex,
    }
}
