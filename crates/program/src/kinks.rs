//! Where the kinks of delayed signals propagate to.
//!
//! A step should end at a kink of a delayed signal, and if the signal is delayed once more the kink
//! recurs later. Both apply only where it is read: a hundred delays of one signal that does not
//! depend on them have a hundred kinks, not all sums of a hundred delays.

use base::Table;
use ir::{Graph, NodeId, Op, Slot, SlotRange};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::delay_line::{DelayLine, Kinks, LineId};
use crate::region::RegionProgram;
use crate::smooth::Root;

/// The most nodes that are visited for each node of a region. If the search exceeds this, as when
/// everything depends on everything, the answer is [`Kinks::Everywhere`].
const LOOKS: usize = 64;

/// For each delayed signal of a region, in order, where its kinks propagate to. `samples` are the
/// inputs of the delay lines, each with its index, and `read` is everything else that is computed
/// in the region between events.
pub(crate) fn find(
    graph: &Graph,
    (region, lines): (&RegionProgram, &Table<LineId, DelayLine>),
    rates: &[Root],
    samples: &[(NodeId, LineId)],
    read: &[NodeId],
) -> Vec<Kinks> {
    let mut search = Search::new(graph, region, rates, samples);
    let leaves = Leaves::new(graph, read);
    let own = region.lines.iter().map(|line| {
        let Some(track) = lines[*line].track else { return Kinks::Everywhere };
        let places = |from: Slot| from.slots(track.width);
        let numbers: Vec<NodeId> = leaves.at(places(track.place)).collect();
        if numbers.is_empty() && leaves.at(places(track.slope)).next().is_none() {
            return Kinks::Unread;
        }
        search.from(numbers)
    });
    own.collect()
}

/// The leaves that are read, by their slots.
struct Leaves(FxHashMap<Slot, NodeId>);

impl Leaves {
    fn new(graph: &Graph, read: &[NodeId]) -> Leaves {
        let leaf = |node: NodeId| match graph.node(node).op {
            Op::Leaf(slot) => Some((Slot(slot), node)),
            _ => None,
        };
        Leaves(graph.reachable(read).into_iter().filter_map(leaf).collect())
    }

    fn at(&self, places: SlotRange) -> impl Iterator<Item = NodeId> {
        places.iter().filter_map(|place| self.0.get(&place)).copied()
    }
}

/// Follows a node to everything computed from it, and the rate of a state to the state.
struct Search {
    users: FxHashMap<NodeId, Vec<NodeId>>,
    signals: FxHashMap<NodeId, Vec<LineId>>,
    looks: usize,
}

impl Search {
    fn new(
        graph: &Graph,
        region: &RegionProgram,
        rates: &[Root],
        samples: &[(NodeId, LineId)],
    ) -> Search {
        let mut users: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
        let mut signals: FxHashMap<NodeId, Vec<LineId>> = FxHashMap::default();
        let mut states: FxHashMap<Slot, NodeId> = FxHashMap::default();
        let roots = rates.iter().map(|root| root.0).chain(samples.iter().map(|sample| sample.0));
        let nodes = graph.reachable(&roots.collect::<Vec<_>>());
        for id in &nodes {
            let node = graph.node(*id);
            node.args.iter().for_each(|arg| users.entry(*arg).or_default().push(*id));
            if let Op::Leaf(slot) = node.op {
                let places = Slot(slot).slots(node.ty.len());
                states.extend(places.iter().map(|place| (place, *id)));
            }
        }
        for (rate, to, _) in rates {
            let first = region.state + (*to - region.rate);
            let places = first.slots(graph.ty(*rate).len());
            let mut moved: Vec<NodeId> =
                places.iter().filter_map(|place| states.get(&place)).copied().collect();
            moved.dedup();
            users.entry(*rate).or_default().extend(moved);
        }
        for (node, line) in samples {
            signals.entry(*node).or_default().push(*line);
        }
        Search { users, signals, looks: LOOKS * (nodes.len() + samples.len()) }
    }

    fn from(&mut self, leaves: Vec<NodeId>) -> Kinks {
        let mut seen: FxHashSet<NodeId> = leaves.iter().copied().collect();
        let (mut open, mut found) = (leaves, Vec::new());
        while let Some(node) = open.pop() {
            if self.looks == 0 {
                return Kinks::Everywhere;
            }
            self.looks -= 1;
            found.extend(self.signals.get(&node).into_iter().flatten());
            let users = self.users.get(&node).into_iter().flatten();
            open.extend(users.filter(|user| seen.insert(**user)));
        }
        found.sort_unstable();
        found.dedup();
        Kinks::To(found)
    }
}
