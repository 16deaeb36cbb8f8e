//! Parts of a tape that run only under a condition: what an inactive fragment alone needs is
//! skipped.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::Slot;
use crate::{Graph, NodeId, Op};

/// The conditions under which parts of a graph matter, as a tree: if one holds, so do all above
/// it. Number 0 always holds; arms of [`Op::Choose`] and roots of tapes name the others.
#[derive(Clone, Debug)]
pub struct Guards {
    /// The slot of the truth of each, and the one above it.
    all: Vec<(Slot, u32)>,
}

impl Default for Guards {
    fn default() -> Self {
        Guards { all: vec![(Slot::default(), 0)] }
    }
}

impl Guards {
    /// Adds a condition below another; returns its number.
    pub fn add(&mut self, truth: Slot, parent: u32) -> u32 {
        self.all.push((truth, parent));
        self.all.len() as u32 - 1
    }

    /// Whether there is no condition at all.
    pub fn is_empty(&self) -> bool {
        self.all.len() == 1
    }

    /// The slot of the truth of a condition.
    pub(super) fn truth(&self, guard: u32) -> Slot {
        self.all[guard as usize].0
    }

    fn above(&self, mut guard: u32) -> Vec<u32> {
        let mut path = vec![guard];
        while guard != 0 {
            guard = self.all[guard as usize].1;
            path.push(guard);
        }
        path
    }

    /// The narrowest condition that holds if either does.
    fn either(&self, a: u32, b: u32) -> u32 {
        let above = self.above(a);
        self.above(b).into_iter().find(|guard| above.contains(guard)).unwrap_or(0)
    }

    /// The narrower of two conditions of which one lies above the other; the first of two that
    /// exclude each other, under which nothing is ever needed.
    fn both(&self, a: u32, b: u32) -> u32 {
        if self.above(b).contains(&a) { b } else { a }
    }

    /// For each node that roots need, the condition under which they do.
    pub fn needs(&self, graph: &Graph, roots: &[(NodeId, u32)]) -> FxHashMap<NodeId, u32> {
        let nodes: Vec<NodeId> = roots.iter().map(|root| root.0).collect();
        self.of_nodes(graph, &graph.reachable(&nodes), roots)
    }

    /// For each node, the condition under which something needs it.
    pub(super) fn of_nodes(
        &self,
        graph: &Graph,
        order: &[NodeId],
        roots: &[(NodeId, u32)],
    ) -> FxHashMap<NodeId, u32> {
        let mut needed: FxHashMap<NodeId, u32> = FxHashMap::default();
        let need = |id: NodeId, guard: u32, needed: &mut FxHashMap<NodeId, u32>| {
            let known = needed.entry(id).or_insert(guard);
            if *known != guard {
                *known = self.either(*known, guard);
            }
        };
        for (id, guard) in roots {
            need(*id, *guard, &mut needed);
        }
        for id in order.iter().rev() {
            let guard = needed.get(id).copied().unwrap_or(0);
            let node = graph.node(*id);
            for (i, arg) in node.args.iter().enumerate() {
                let narrower = match &node.op {
                    Op::Choose(arms) if i > 0 => self.both(guard, arms[i - 1]),
                    _ => guard,
                };
                need(*arg, narrower, &mut needed);
            }
        }
        needed
    }
}

/// Nodes in an order in which arguments come first and those of one condition are adjacent as far
/// as that allows. `reads` gives the nodes that one needs, of which those outside `order` are there.
pub(super) fn together(
    order: &[NodeId],
    guard: &dyn Fn(NodeId) -> u32,
    reads: &dyn Fn(NodeId) -> Vec<NodeId>,
) -> Vec<NodeId> {
    let mut waiting: FxHashMap<NodeId, usize> = order.iter().map(|id| (*id, 0)).collect();
    let mut users: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    for id in order {
        let mut args = reads(*id);
        args.sort_unstable();
        args.dedup();
        for arg in args {
            if waiting.contains_key(&arg) {
                users.entry(arg).or_default().push(*id);
                *waiting.get_mut(id).expect("one of the order") += 1;
            }
        }
    }
    let mut ready: FxHashMap<u32, BinaryHeap<Reverse<NodeId>>> = FxHashMap::default();
    let mut open: BinaryHeap<Reverse<(NodeId, u32)>> = BinaryHeap::new();
    for id in order.iter().filter(|id| waiting[*id] == 0) {
        ready.entry(guard(*id)).or_default().push(Reverse(*id));
        open.push(Reverse((*id, guard(*id))));
    }
    let mut sorted = Vec::with_capacity(order.len());
    let mut current = 0;
    loop {
        let next = ready.get_mut(&current).and_then(BinaryHeap::pop);
        let Some(Reverse(id)) = next else {
            // What waits longest is next; entries of what has been done are stale.
            let other = std::iter::from_fn(|| open.pop())
                .find(|Reverse((_, guard))| ready.get(guard).is_some_and(|heap| !heap.is_empty()));
            match other {
                Some(Reverse((_, guard))) => current = guard,
                None => return sorted,
            }
            continue;
        };
        sorted.push(id);
        for user in users.remove(&id).unwrap_or_default() {
            let left = waiting.get_mut(&user).expect("one of the order");
            *left -= 1;
            if *left == 0 {
                ready.entry(guard(user)).or_default().push(Reverse(user));
                open.push(Reverse((user, guard(user))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use base::Type;

    use crate::{Graph, Guards, Layout, Tape, Unary, run};

    /// What only an arm that is not chosen needs is not computed, and the result is that of the
    /// pure function.
    #[test]
    fn only_the_chosen_arm_runs() {
        let mut g = Graph::new();
        let (x, index) = (g.leaf(0, Type::REAL), g.leaf(1, Type::INT));
        let shared = g.unary(Unary::Exp, x);
        let sine = g.unary(Unary::Sin, shared);
        let square = g.mul(shared, shared);
        let root = g.unary(Unary::Sqrt, square);
        let mut layout = Layout::default();
        let (input, chosen) = (layout.reserve(1), layout.reserve(1));
        let (active, out) = (layout.reserve(2), layout.reserve(2));
        let mut guards = Guards::default();
        let arms = [guards.add(active, 0), guards.add(active + 1, 0)];
        let picked = g.choose(index, &[sine, root], &arms);
        let doubled = g.add(picked, picked);
        let leaf = |key: u32| if key == 0 { input } else { chosen };
        let roots = [(doubled, out, 0), (sine, out + 1, arms[0])];
        let tape =
            Tape::compile_guarded(&g, &roots, &Default::default(), &guards, &mut layout, &leaf);
        let mut slots = layout.image().to_vec();
        slots[input.index()] = 0.3;
        for (arm, value) in [(0, 0.3f64.exp().sin()), (1, 0.3f64.exp())] {
            slots[chosen.index()] = arm as f64;
            slots[active.index()] = f64::from(arm == 0);
            slots[active.index() + 1] = f64::from(arm == 1);
            slots[out.index() + 1] = -7.0;
            run(&tape, &mut slots);
            assert!((slots[out.index()] - 2.0 * value).abs() < 1e-15, "{tape:?}");
            let other = slots[out.index() + 1];
            assert_eq!(other, if arm == 0 { value } else { -7.0 }, "{tape:?}");
        }
    }
}
