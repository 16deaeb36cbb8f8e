//! Cycles among parts: strongly connected components, a shortest cycle to show, and tearing.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use crate::graph::PartId;

/// The dependencies of each part: `edges[p]` are the parts that p depends on.
pub(crate) type Edges = Vec<Vec<PartId>>;

/// Strongly connected components, each after those that it depends on (Tarjan 1972, without
/// recursion).
pub(crate) fn components(edges: &Edges) -> Vec<Vec<PartId>> {
    let n = edges.len();
    let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
    let mut on_stack = vec![false; n];
    let (mut stack, mut found) = (Vec::new(), Vec::new());
    let mut counter = 0;
    for start in 0..n {
        if index[start] != usize::MAX {
            continue;
        }
        let mut calls = vec![(start, 0usize)];
        while let Some((v, next)) = calls.last_mut() {
            let v = *v;
            if *next == 0 && index[v] == usize::MAX {
                (index[v], low[v]) = (counter, counter);
                counter += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(w) = edges[v].get(*next).map(|w| w.index()) {
                *next += 1;
                if index[w] == usize::MAX {
                    calls.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[v]);
            }
            if low[v] == index[v] {
                let from = stack.iter().rposition(|w| *w == v).expect("v is on the stack");
                let members: Vec<PartId> = stack.drain(from..).map(PartId::new).collect();
                members.iter().for_each(|w| on_stack[w.index()] = false);
                found.push(members);
            }
        }
    }
    found
}

/// Whether a component is a loop: several parts, or one that depends on itself.
pub(crate) fn is_loop(edges: &Edges, members: &[PartId]) -> bool {
    members.len() > 1 || edges[members[0].index()].contains(&members[0])
}

/// How many parts are visited to find a shorter cycle than the first.
const MOST_LOOKS: usize = 100_000;

/// A short cycle inside a component, from a part back to itself, in the direction of data flow; the
/// shortest one unless the component is large.
pub(crate) fn shortest_cycle(edges: &Edges, members: &[PartId]) -> Vec<PartId> {
    let inside: HashSet<PartId> = members.iter().copied().collect();
    let mut best: Option<Vec<PartId>> = None;
    let mut looks = 0;
    for start in members {
        if looks > MOST_LOOKS {
            break;
        }
        let mut from: HashMap<PartId, PartId> = HashMap::new();
        let mut queue = VecDeque::from([*start]);
        'search: while let Some(part) = queue.pop_front() {
            looks += 1;
            for next in edges[part.index()].iter().filter(|next| inside.contains(next)) {
                if next == start {
                    let mut cycle = vec![part];
                    while let Some(earlier) = from.get(cycle.last().expect("not empty")) {
                        cycle.push(*earlier);
                    }
                    if best.as_ref().is_none_or(|best| cycle.len() < best.len()) {
                        best = Some(cycle);
                    }
                    break 'search;
                }
                if !from.contains_key(next) {
                    from.insert(*next, part);
                    queue.push_back(*next);
                }
            }
        }
    }
    best.unwrap_or_default()
}

/// Parts that leave no loop among the members if they are taken as given: preferred ones first,
/// then those with the most paths through them. Returns the torn parts, and the others in order.
pub(crate) fn tear(
    edges: &Edges,
    members: &[PartId],
    preferred: &[PartId],
) -> (Vec<PartId>, Vec<PartId>) {
    let mut torn: BTreeSet<PartId> = preferred.iter().copied().collect();
    loop {
        let rest: Vec<PartId> = members.iter().filter(|id| !torn.contains(id)).copied().collect();
        let place: BTreeMap<PartId, usize> =
            rest.iter().enumerate().map(|(i, id)| (*id, i)).collect();
        let inner: Edges = rest
            .iter()
            .map(|id| {
                let needs = edges[id.index()].iter().filter_map(|need| place.get(need));
                needs.map(|i| PartId::new(*i)).collect()
            })
            .collect();
        let components = components(&inner);
        let looping = components.iter().find(|members| is_loop(&inner, members));
        let Some(looping) = looping else {
            let order = components.into_iter().map(|members| rest[members[0].index()]).collect();
            return (torn.into_iter().collect(), order);
        };
        let ways = |id: &PartId| {
            let out = inner[id.index()].len();
            let into = looping.iter().filter(|other| inner[other.index()].contains(id)).count();
            (out * into, std::cmp::Reverse(*id))
        };
        let busiest = looping.iter().max_by_key(|id| ways(id)).expect("a loop has members");
        torn.insert(rest[busiest.index()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(of: &[&[u32]]) -> Edges {
        of.iter().map(|row| row.iter().map(|i| PartId(*i)).collect()).collect()
    }

    #[test]
    fn components_come_after_their_needs() {
        let edges = edges(&[&[1], &[2], &[1], &[0]]);
        let found = components(&edges);
        let order: Vec<usize> = found.iter().map(Vec::len).collect();
        assert_eq!(order, [2, 1, 1]);
        assert_eq!(found[2], [PartId(3)]);
    }

    #[test]
    fn the_shortest_cycle_is_shown() {
        let edges = edges(&[&[1, 2], &[2], &[0]]);
        let members: Vec<PartId> = (0..3).map(PartId).collect();
        assert_eq!(shortest_cycle(&edges, &members).len(), 2);
        let (torn, rest) = tear(&edges, &members, &[]);
        assert_eq!((torn.len(), rest.len()), (1, 2));
    }
}
