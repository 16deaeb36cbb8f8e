//! Which happenings make a number other than zero, or another than one microstep ago.
//!
//! A happening is something that a tick begins or goes on with: a timer that wakes, a side that
//! changes, a state that was committed. Of every part of every wire the set of those is found that
//! may give it an impulse or make it jump, by a least fixed point over the functions of the blocks
//! at ticks. Two parts that share one can meet at one microstep; two timers can if they have a
//! time in common. That two crossings fall together by chance is left out, but for impulses that
//! are multiplied with each other.

use std::collections::{BTreeMap, BTreeSet};

use base::Time;
use blocks::{Leaf, Part};
use ir::{Binary, NodeId, Op, Unary};

use crate::flat::{BlockId, Diagram, FlatBlock, WireId};
use crate::machine::FragmentId;

/// More happenings than this are followed as all of them.
const MANY: usize = 64;
/// How many wakings of two timers are compared.
const WAKINGS: u64 = 10_000;

/// Something that a tick begins or goes on with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Occasion {
    /// A timer of a block wakes.
    Timer(BlockId, usize),
    /// A side or cell of a block changes.
    Site(BlockId, NodeId),
    /// A state of a block was committed one microstep ago.
    Commit(BlockId, usize),
    /// An event or impulse of a wire is over.
    Ending(WireId),
    /// What happened to an input of a block a delay ago comes.
    Delayed(BlockId, usize),
}

/// The happenings at which a number may be other than zero, or a condition true.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Occasions {
    /// Any, or none at all: it may always be.
    All,
    /// These alone.
    Of(BTreeSet<Occasion>),
}

impl Occasions {
    fn never() -> Occasions {
        Occasions::Of(BTreeSet::new())
    }

    fn one(cause: Occasion) -> Occasions {
        Occasions::Of(BTreeSet::from([cause]))
    }

    /// Whether it may be at all.
    pub fn is_possible(&self) -> bool {
        !matches!(self, Occasions::Of(causes) if causes.is_empty())
    }

    fn or(self, other: Occasions) -> Occasions {
        match (self, other) {
            (Occasions::Of(mut a), Occasions::Of(b)) if a.len() + b.len() <= MANY => {
                a.extend(b);
                Occasions::Of(a)
            }
            (Occasions::Of(a), Occasions::Of(b)) => {
                let both: BTreeSet<Occasion> = a.union(&b).copied().collect();
                if both.len() > MANY { Occasions::All } else { Occasions::Of(both) }
            }
            _ => Occasions::All,
        }
    }
}

/// What is known of a wire at ticks.
#[derive(Clone, PartialEq, Debug)]
struct Facts {
    /// When its value jumps.
    jump: Occasions,
    /// When it is present.
    present: Occasions,
    /// When it has an impulse of each order.
    impulses: Vec<Occasions>,
    /// When its derivatives of order 1, 2, ... jump.
    derivatives: Vec<Occasions>,
}

/// What is known of every wire at ticks.
pub(crate) struct WireOccasions<'a> {
    diagram: &'a Diagram,
    facts: Vec<Facts>,
    /// Timers that have been compared.
    compared: BTreeMap<(Occasion, Occasion), bool>,
}

impl<'a> WireOccasions<'a> {
    /// Finds the least fixed point.
    pub fn find(diagram: &'a Diagram) -> WireOccasions<'a> {
        let start = |wire: &crate::Wire| Facts {
            jump: Occasions::never(),
            present: Occasions::never(),
            impulses: vec![Occasions::never(); wire.orders as usize],
            derivatives: vec![Occasions::never(); wire.derivatives as usize],
        };
        let facts = diagram.wires.iter().map(start).collect();
        let mut supports = WireOccasions { diagram, facts, compared: BTreeMap::new() };
        let consumers = crate::facts::consumers(diagram);
        let mut queue: BTreeSet<BlockId> = (0..diagram.blocks.len()).map(BlockId::new).collect();
        while let Some(id) = queue.pop_first() {
            for (port, wire) in diagram.block(id).outputs.iter().enumerate() {
                let new = supports.output(id, port);
                if supports.facts[wire.index()] != new {
                    supports.facts[wire.index()] = new;
                    queue.extend(&consumers[wire.index()]);
                }
            }
        }
        supports
    }

    fn output(&mut self, id: BlockId, port: usize) -> Facts {
        let tick = &self.diagram.block(id).tick;
        let signal = &tick.outputs[port];
        let mut reader = Reader::new(self, id);
        Facts {
            jump: reader.jump(signal.value),
            present: reader.support(signal.present),
            impulses: signal.impulses.iter().map(|node| reader.support(*node)).collect(),
            derivatives: tick.output_derivatives[port].iter().map(|n| reader.jump(*n)).collect(),
        }
    }

    /// The sides and cells whose changes make an impulse of a wire or, if it is an event, make it
    /// present: blocks and nodes of their definitions; none stands for any of them.
    pub fn sites(&self, wire: WireId, event: bool) -> Vec<Option<(BlockId, NodeId)>> {
        let Facts { present, impulses, .. } = &self.facts[wire.index()];
        let present = event.then_some(present);
        present.into_iter().chain(impulses).flat_map(|occasions| self.sites_in(occasions)).collect()
    }

    /// The same for those whose changes make the value of a wire jump.
    pub fn jumps_at(&self, wire: WireId) -> Vec<Option<(BlockId, NodeId)>> {
        self.sites_in(&self.facts[wire.index()].jump)
    }

    fn sites_in(&self, occasions: &Occasions) -> Vec<Option<(BlockId, NodeId)>> {
        let site = |occasion: &Occasion| match occasion {
            Occasion::Site(id, node) => {
                let original = self.diagram.block(*id).tick.sites.get(node)?;
                Some(Some((*id, *original)))
            }
            _ => None,
        };
        match occasions {
            Occasions::All => vec![None],
            Occasions::Of(of) => of.iter().filter_map(site).collect(),
        }
    }

    /// When a condition of a block's functions at ticks holds.
    pub fn condition(&mut self, id: BlockId, node: NodeId) -> Occasions {
        Reader::new(self, id).support(node)
    }

    /// Whether two happenings may come at one microstep.
    fn meet(&mut self, a: Occasion, b: Occasion, by_chance: bool) -> bool {
        match (a, b) {
            _ if a == b => true,
            (Occasion::Timer(..), Occasion::Timer(..)) if self.is_known(a) && self.is_known(b) => {
                let key = (a.min(b), a.max(b));
                if let Some(known) = self.compared.get(&key) {
                    return *known;
                }
                let found = self.times(a).iter().any(|time| self.times(b).contains(time));
                self.compared.insert(key, found);
                found
            }
            _ => by_chance,
        }
    }

    /// Whether the times of a timer are known before anything runs.
    fn is_known(&self, cause: Occasion) -> bool {
        let Occasion::Timer(block, index) = cause else { return false };
        self.diagram.block(block).definition.timers[index].alarm().is_none()
    }

    /// The times of a timer in the run, as far as they are examined.
    fn times(&self, cause: Occasion) -> BTreeSet<Time> {
        let Occasion::Timer(block, index) = cause else { return BTreeSet::new() };
        let timer = &*self.diagram.block(block).definition.timers[index];
        let run = &self.diagram.run;
        let first = blocks::events_before(timer, run.start.time());
        let times = (first..first + WAKINGS).map_while(|index| timer.time(index));
        times.take_while(|time| *time <= run.stop).collect()
    }

    fn and(&mut self, a: Occasions, b: Occasions, by_chance: bool) -> Occasions {
        match (a, b) {
            (Occasions::All, other) | (other, Occasions::All) => other,
            (Occasions::Of(a), Occasions::Of(b)) => {
                let mut both = BTreeSet::new();
                for x in &a {
                    for y in &b {
                        if self.meet(*x, *y, by_chance) {
                            both.extend([*x, *y]);
                        }
                    }
                }
                Occasions::Of(both)
            }
        }
    }
}

/// Reads the functions of one block at ticks.
struct Reader<'s, 'a> {
    supports: &'s mut WireOccasions<'a>,
    id: BlockId,
    block: &'a FlatBlock,
    known: BTreeMap<NodeId, Occasions>,
    jumps: BTreeMap<NodeId, Occasions>,
}

impl<'s, 'a> Reader<'s, 'a> {
    fn new(supports: &'s mut WireOccasions<'a>, id: BlockId) -> Self {
        let block = supports.diagram.block(id);
        Reader { supports, id, block, known: BTreeMap::new(), jumps: BTreeMap::new() }
    }

    fn leaf(&self, key: u32) -> Leaf {
        self.block.definition.leaves[key as usize]
    }

    fn facts(&self, port: usize) -> &Facts {
        &self.supports.facts[self.block.port(port).index()]
    }

    /// When a node may be other than zero, or true. Arguments come first, so that a deep graph
    /// needs no deep stack.
    fn support(&mut self, node: NodeId) -> Occasions {
        if !self.known.contains_key(&node) {
            for id in self.block.tick.graph.reachable(&[node]) {
                if !self.known.contains_key(&id) {
                    let found = self.compute(id);
                    self.known.insert(id, found);
                }
            }
        }
        self.known[&node].clone()
    }

    fn compute(&mut self, id: NodeId) -> Occasions {
        let graph = &self.block.tick.graph;
        let node = graph.node(id);
        let args = node.args.as_slice();
        match &node.op {
            Op::Const(bits) => match bits.iter().all(|bits| f64::from_bits(*bits) == 0.0) {
                true => Occasions::never(),
                false => Occasions::All,
            },
            Op::Leaf(key) => match self.leaf(*key) {
                Leaf::Woken(index) => Occasions::one(Occasion::Timer(self.id, index)),
                Leaf::Crossed(index) => self.crossed(index),
                Leaf::Input { port, part: Part::Impulse(order) } => {
                    let impulses = &self.facts(port).impulses;
                    impulses.get(order as usize).cloned().unwrap_or_else(Occasions::never)
                }
                Leaf::Input { port, part: Part::Present } => self.facts(port).present.clone(),
                Leaf::Delayed { index, part: part @ (Part::Impulse(_) | Part::Present) } => {
                    self.delayed(index, part)
                }
                // A delayed impulse: the memory of a coefficient is not zero after it was not.
                Leaf::State(index) if self.remembers_an_impulse(index) => {
                    Occasions::one(Occasion::Commit(self.id, index))
                }
                _ => Occasions::All,
            },
            Op::Crossed => Occasions::one(Occasion::Site(self.id, args[0])),
            Op::Unary(Unary::Neg | Unary::Sin | Unary::Tan | Unary::Sign | Unary::Sqrt) => {
                self.support(args[0])
            }
            Op::Unary(Unary::Not) => self.differs(args[0]),
            Op::Binary(Binary::Sub) if self.is_memory_of(args[1], args[0]) => self.jump(args[0]),
            Op::Binary(Binary::Add | Binary::Sub | Binary::Or) => self.any(args),
            Op::Binary(Binary::Mul | Binary::And) | Op::MatMul => self.both(args[0], args[1]),
            Op::Binary(Binary::Div) | Op::Index | Op::Observed(_) => self.support(args[0]),
            // 0 < x and x < 0 need an x that is not 0.
            Op::Binary(Binary::Less) if self.is_zero(args[0]) => self.support(args[1]),
            Op::Binary(Binary::Less) if self.is_zero(args[1]) => self.support(args[0]),
            Op::Select => {
                let (condition, either) = (self.support(args[0]), self.any(&args[1..]));
                match self.is_zero(args[2]) {
                    true => self.supports.and(condition, either, false),
                    false => either,
                }
            }
            Op::Splat | Op::Stack | Op::Extract(_) | Op::Sum | Op::Transpose => self.any(args),
            Op::Choose(_) => self.any(&args[1..]),
            _ => Occasions::All,
        }
    }

    /// When a delayed part is not zero: when that of the input comes.
    fn delayed(&self, index: usize, part: Part) -> Occasions {
        let facts = self.facts(self.block.definition.histories[index].port);
        let before = match part {
            Part::Impulse(order) => &facts.impulses[order as usize],
            _ => &facts.present,
        };
        match before {
            Occasions::Of(causes) if !causes.is_empty() => {
                Occasions::one(Occasion::Delayed(self.id, index))
            }
            other => other.clone(),
        }
    }

    fn any(&mut self, args: &[NodeId]) -> Occasions {
        args.iter().fold(Occasions::never(), |sum, arg| {
            let next = self.support(*arg);
            sum.or(next)
        })
    }

    /// If both are: impulses that coincide by chance are reported, since their product
    /// is what a model means to have; other things that fall together by chance are not.
    fn both(&mut self, a: NodeId, b: NodeId) -> Occasions {
        let by_chance = self.is_impulse(a) && self.is_impulse(b);
        let (a, b) = (self.support(a), self.support(b));
        self.supports.and(a, b, by_chance)
    }

    fn is_zero(&self, node: NodeId) -> bool {
        let constant = self.block.tick.graph.constant_of(node);
        constant.is_some_and(|data| data.iter().all(|x| *x == 0.0))
    }

    /// Whether a node is made of impulses and constants alone.
    fn is_impulse(&self, node: NodeId) -> bool {
        let graph = &self.block.tick.graph;
        graph.reachable(&[node]).into_iter().all(|id| match graph.node(id).op {
            Op::Leaf(key) => {
                use Leaf::{Delayed, Input};
                let leaf = self.leaf(key);
                matches!(leaf, Input { part: Part::Impulse(_), .. })
                    || matches!(leaf, Delayed { part: Part::Impulse(_), .. })
            }
            _ => true,
        })
    }

    /// When `not (a == b)` holds, given the node of `a == b`.
    fn differs(&mut self, equal: NodeId) -> Occasions {
        let node = self.block.tick.graph.node(equal);
        if node.op != Op::Binary(Binary::Equal) {
            return Occasions::All;
        }
        let (a, b) = (node.args[0], node.args[1]);
        if self.is_memory_of(b, a) {
            self.jump(a)
        } else if self.is_zero(b) {
            self.support(a)
        } else if self.is_zero(a) {
            self.support(b)
        } else {
            Occasions::All
        }
    }

    /// Whether a node is the state that remembers another one for a microstep.
    fn is_memory_of(&self, memory: NodeId, of: NodeId) -> bool {
        let tick = &self.block.tick;
        let Op::Leaf(key) = tick.graph.node(memory).op else { return false };
        matches!(self.leaf(key), Leaf::State(index) if tick.nexts[index] == of)
    }

    /// Whether a state is zero between events and an impulse one microstep ago at ticks.
    fn remembers_an_impulse(&self, index: usize) -> bool {
        let smooth = &self.block.smooth;
        let next = smooth.graph.constant_of(smooth.nexts[index]);
        next.is_some_and(|data| data.iter().all(|x| *x == 0.0))
            && self.is_impulse(self.block.tick.nexts[index])
    }

    /// When a node may be another than one microstep ago.
    fn jump(&mut self, node: NodeId) -> Occasions {
        if let Some(known) = self.jumps.get(&node) {
            return known.clone();
        }
        // A memory that feeds itself does not jump by itself.
        self.jumps.insert(node, Occasions::never());
        let graph = &self.block.tick.graph;
        let mut found = Occasions::never();
        for id in graph.reachable(&[node]) {
            let part = match &graph.node(id).op {
                Op::Leaf(key) => self.leaf_jump(id, self.leaf(*key)),
                Op::Crossed => Occasions::one(Occasion::Site(self.id, graph.node(id).args[0])),
                Op::FrozenSign | Op::FrozenFloor if self.is_located(id) => {
                    Occasions::one(Occasion::Site(self.id, id))
                }
                _ => continue,
            };
            found = found.or(part);
        }
        self.jumps.insert(node, found.clone());
        found
    }

    /// When a watched side changes.
    fn crossed(&self, index: usize) -> Occasions {
        let side = self.block.definition.watched[index];
        match self.block.tick.placed.get(&side) {
            Some(site) => Occasions::one(Occasion::Site(self.id, *site)),
            None => Occasions::never(),
        }
    }

    fn is_located(&self, site: NodeId) -> bool {
        let original = self.block.tick.sites.get(&site);
        original.is_some_and(|original| self.block.located.contains(original))
    }

    fn leaf_jump(&mut self, id: NodeId, leaf: Leaf) -> Occasions {
        match leaf {
            Leaf::Time | Leaf::Step | Leaf::Ticking | Leaf::Elapsed | Leaf::Lasting { .. } => {
                Occasions::never()
            }
            // It is read at events, and what happens then is known by them.
            Leaf::Microstep => Occasions::never(),
            Leaf::Woken(index) | Leaf::Wakings(index) => {
                Occasions::one(Occasion::Timer(self.id, index))
            }
            Leaf::Crossed(index) => self.crossed(index),
            Leaf::State(index) => self.state_jump(id, index),
            Leaf::Delayed { index, .. } | Leaf::Bound { index, .. } => {
                Occasions::one(Occasion::Delayed(self.id, index))
            }
            Leaf::Input { port, part } => {
                let facts = self.facts(port);
                let (found, ends) = match part {
                    Part::Value => (facts.jump.clone(), false),
                    Part::Present => (facts.present.clone(), true),
                    Part::Impulse(order) => (facts.impulses[order as usize].clone(), true),
                    Part::Derivative(order) => {
                        (facts.derivatives[order as usize - 1].clone(), false)
                    }
                };
                match ends && found.is_possible() {
                    true => found.or(Occasions::one(Occasion::Ending(self.block.port(port)))),
                    false => found,
                }
            }
        }
    }

    /// A state that stays as it is does not jump, and neither does the memory of what does not; any
    /// other jumps after a commit.
    fn state_jump(&mut self, id: NodeId, index: usize) -> Occasions {
        // Transitions give states of machines, and of what they switch on, other values.
        if self.block.fragment != FragmentId::ROOT || self.block.kind.role().is_written() {
            return Occasions::one(Occasion::Commit(self.id, index));
        }
        let next = self.block.tick.nexts[index];
        let changes = match self.added(next, id) {
            Some(added) => added.is_possible(),
            None if next == id => false,
            None if self.is_memory(index) => self.jump(next).is_possible(),
            None => true,
        };
        if changes { Occasions::one(Occasion::Commit(self.id, index)) } else { Occasions::never() }
    }

    /// What is added to a state at a commit, if its next value is itself plus something.
    fn added(&mut self, next: NodeId, state: NodeId) -> Option<Occasions> {
        let node = self.block.tick.graph.node(next);
        match (&node.op, node.args.as_slice()) {
            (Op::Binary(Binary::Add), [own, added]) if *own == state => Some(self.support(*added)),
            _ => None,
        }
    }

    /// Whether a state takes an input at microstep 0.
    fn is_memory(&self, index: usize) -> bool {
        let smooth = &self.block.smooth;
        let own = |key: u32| self.leaf(key) == Leaf::State(index);
        !matches!(smooth.graph.node(smooth.nexts[index]).op, Op::Leaf(key) if own(key))
    }
}
