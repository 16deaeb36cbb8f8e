//! Composing the functions of blocks: leaves become slots of the buffer or the nodes of the parts
//! that feed them.

use base::Type;
use blocks::{Leaf, Part};
use diagram::{BlockId, Diagram, FlatBlock, FragmentId, Phase, Specialised};
use ir::{Graph, NodeId, Op, Slot, Unary};
use rustc_hash::FxHashMap;
use schedule::{PartId, Parts, Schedule, Step};

use crate::slots::Slots;
use crate::solved;

/// A graph whose leaves are slots of the buffer, made from the functions of many blocks.
pub(crate) struct Composer<'a> {
    pub diagram: &'a Diagram,
    pub parts: &'a Parts,
    pub phase: Phase,
    /// Whether located sides are read as frozen at ticks too: when a transition is decided, after
    /// the commit.
    pub frozen: bool,
    /// The result of a choice that depends on something unknown.
    pub undecided: Undecided,
    pub graph: Graph,
    /// The nodes of parts that have been composed; the others are read from their slots.
    pub nodes: FxHashMap<PartId, NodeId>,
    /// Loops solved between events: one of the unknowns, the vector of all, and its slot.
    pub solutions: Vec<(PartId, NodeId, Slot)>,
    /// Parts that are given from outside while the diagram is studied.
    pub given: FxHashMap<PartId, GivenPart>,
}

/// A part that is given from outside, whatever its block computes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GivenPart {
    /// As what is in a slot.
    Replaced(Slot),
    /// As what its block computes and what is in a slot, added.
    Added(Slot),
    /// As zero.
    Zero,
}

/// The result of a choice between truth values that depends on something unknown.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Undecided {
    /// Unknown.
    Unknown,
    /// True if both branches are.
    Both,
    /// The value of both branches if they agree, and unknown otherwise.
    Agreed,
}

impl<'a> Composer<'a> {
    pub fn new(diagram: &'a Diagram, parts: &'a Parts, phase: Phase) -> Self {
        let (graph, nodes) = (Graph::new(), FxHashMap::default());
        let (frozen, undecided, solutions) = (false, Undecided::Unknown, Vec::new());
        let given = FxHashMap::default();
        Composer { diagram, parts, phase, frozen, undecided, graph, nodes, solutions, given }
    }

    pub fn functions(&self, block: BlockId) -> &'a Specialised {
        match self.phase {
            Phase::Smooth => &self.diagram.block(block).smooth,
            Phase::Tick => &self.diagram.block(block).tick,
        }
    }

    /// The node of a part, composed from the functions of its block.
    pub fn part(&mut self, slots: &Slots, id: PartId) -> NodeId {
        let part = self.parts.get(id);
        let wire = self.diagram.wire(part.wire);
        let absent = self.phase == Phase::Smooth && wire.between == diagram::Presence::Never;
        match self.parts.root(self.diagram, self.phase, id) {
            Some(root) if !(absent && part.part == Part::Value) => {
                self.inline(slots, wire.block, root)
            }
            _ => self.graph.filled(wire.ty, 0.0),
        }
    }

    /// What readers of a part see, given what its block computes.
    fn seen(&mut self, id: PartId, node: NodeId) -> NodeId {
        let Some(given) = self.given.get(&id) else { return node };
        let ty = self.graph.ty(node);
        match given {
            GivenPart::Replaced(slot) => self.graph.leaf(slot.0, ty),
            GivenPart::Added(slot) => {
                let more = self.graph.leaf(slot.0, ty);
                self.graph.add(node, more)
            }
            GivenPart::Zero => self.graph.filled(ty, 0.0),
        }
    }

    /// A node of a block's functions, in the graph of the diagram.
    // One arm for each operation that is replaced: a table, and so longer than a function should
    // otherwise be.
    pub fn inline(&mut self, slots: &Slots, block: BlockId, root: NodeId) -> NodeId {
        let functions = self.functions(block);
        let flat = self.diagram.block(block);
        let (diagram, parts, phase, nodes) = (self.diagram, self.parts, self.phase, &self.nodes);
        let smooth = flat.freezes(phase) || self.frozen;
        let (undecided, clock) = (self.undecided, diagram.modes.clock(flat.fragment));
        // Located sides are frozen between events: nothing below them is needed then. The change of
        // a side is that of the last commit.
        let site = |node: NodeId| {
            let original = functions.sites.get(&node)?;
            slots.sites.get(&(block, *original)).map(|site| (site, flat.located.contains(original)))
        };
        let closed = |node: NodeId| match functions.graph.node(node).op {
            Op::Crossed => true,
            Op::FrozenSign | Op::FrozenFloor => {
                smooth && site(node).is_some_and(|(_, located)| located)
            }
            _ => false,
        };
        let inlining = Inlining { diagram, parts, phase, nodes, slots, block, clock };
        let mut replace = |g: &mut Graph, id: NodeId, node: &ir::Node, args: &[NodeId]| {
            Some(match &node.op {
                Op::Leaf(key) => {
                    let leaf = flat.definition.leaves[*key as usize];
                    inlining.leaf(g, leaf, node.ty)
                }
                Op::Parameter(id, _) => g.leaf(slots.parameters[id].slot.0, node.ty),
                Op::Observed(_) if phase == Phase::Tick => args[1],
                Op::Crossed => {
                    let (site, _) = site(node.args[0])?;
                    let crossed = site.crossed.expect("a side whose changes are read");
                    g.leaf(crossed.0, node.ty)
                }
                Op::FrozenSign | Op::FrozenFloor => match site(id) {
                    Some((site, true)) if smooth => g.leaf(site.frozen.0, node.ty),
                    Some((site, _)) if phase == Phase::Tick && !smooth => {
                        let frozen = g.leaf(site.frozen.0, node.ty);
                        let residual = g.leaf(site.residual.0, node.ty.with_elem(base::Elem::Real));
                        match node.op {
                            Op::FrozenSign => g.sign_outside(args[0], frozen, residual),
                            _ => g.floor_outside(args[0], frozen, residual),
                        }
                    }
                    _ if node.op == Op::FrozenSign => g.unary(Unary::Sign, args[0]),
                    _ => g.unary(Unary::Floor, args[0]),
                },
                Op::Select
                    if undecided != Undecided::Unknown
                        && node.ty == Type::BOOL
                        && is_unknown(g, args[0]) =>
                {
                    match undecided {
                        Undecided::Both => g.and(args[1], args[2]),
                        _ => agreed(g, args[1], args[2]),
                    }
                }
                _ => return None,
            })
        };
        let inlined = self.graph.inline_above(&functions.graph, &[root], &closed, &mut replace);
        inlined.get(root)
    }
}

/// Whether a node depends on something unknown.
fn is_unknown(g: &Graph, node: NodeId) -> bool {
    g.reachable(&[node]).iter().any(|id| g.node(*id).op == Op::Unknown)
}

/// The value of two truth values if they agree; unknown otherwise.
fn agreed(g: &mut Graph, a: NodeId, b: NodeId) -> NodeId {
    let (both, either) = (g.and(a, b), g.or(a, b));
    let unknown = g.unknown(Type::BOOL);
    let neither = g.not(either);
    let same = g.or(both, neither);
    g.select(same, both, unknown)
}

/// Model time since the clock of a fragment showed 0.
fn since(g: &mut Graph, slots: &Slots, fragment: FragmentId) -> NodeId {
    let now = g.leaf(slots.time.0, Type::REAL);
    let origin = g.leaf(slots.fragments[fragment].origin.0, Type::REAL);
    g.sub(now, origin)
}

/// Composes every part of every wire in a phase, without intermediate slots.
pub(crate) fn compose<'a>(
    diagram: &'a Diagram,
    schedule: &'a Schedule,
    phase: Phase,
    slots: &mut Slots,
) -> Composer<'a> {
    let composer = Composer::new(diagram, &schedule.parts, phase);
    compose_into(composer, schedule, slots)
}

/// The same with some parts given from outside.
pub(crate) fn compose_into<'a>(
    mut composer: Composer<'a>,
    schedule: &'a Schedule,
    slots: &mut Slots,
) -> Composer<'a> {
    let phase = composer.phase;
    let steps = match phase {
        Phase::Smooth => &schedule.smooth,
        Phase::Tick => &schedule.tick,
    };
    for step in steps {
        match step {
            Step::Single(id) => {
                let node = composer.part(slots, *id);
                let node = composer.seen(*id, node);
                composer.nodes.insert(*id, node);
            }
            Step::Iterate(members) => solved::iterate(&mut composer, slots, members),
            Step::Presences { members, present, open } => {
                solved::presences(&mut composer, slots, (members, *present), open);
            }
            Step::Solve { unknowns, rest } => {
                solved::solve(&mut composer, slots, unknowns, rest);
            }
        }
    }
    composer
}

/// A block whose functions become part of the graph of the diagram.
struct Inlining<'a> {
    diagram: &'a Diagram,
    parts: &'a Parts,
    phase: Phase,
    nodes: &'a FxHashMap<PartId, NodeId>,
    slots: &'a Slots,
    block: BlockId,
    /// The fragment whose clock the block reads.
    clock: FragmentId,
}

impl Inlining<'_> {
    fn flat(&self) -> &FlatBlock {
        self.diagram.block(self.block)
    }

    /// A delayed signal as a function of the delay, if that is a signal: what was read, and its
    /// slope times the difference between the delay at which it was read and the delay. That
    /// difference is zero whenever this is evaluated, so that the value is what was read, and the
    /// derivatives by time and by states are those of the delayed signal.
    fn read_with(
        &self,
        g: &mut Graph,
        (index, part): (usize, Part),
        (past, slot): (NodeId, Slot),
    ) -> Option<NodeId> {
        let line = self.slots.line(self.block, index);
        let (reading, track) = line.reading.zip(line.track)?;
        if self.phase == Phase::Tick || !matches!(part, Part::Value | Part::Derivative(_)) {
            return None;
        }
        let delay = self.flat().definition.histories[index].timing.signal()?;
        let delay = Leaf::Input { port: delay.port, part: Part::Value };
        let delay = self.leaf(g, delay, Type::REAL);
        let read = g.leaf(reading.read.0, Type::REAL);
        let slope = track.slope.plus((slot - track.place) as usize);
        let slope = g.leaf(slope.0, g.ty(past));
        let off = g.sub(read, delay);
        let correction = g.mul(slope, off);
        Some(g.add(past, correction))
    }

    /// The node of a leaf of the block in the graph of the diagram.
    // One arm for each leaf: a table, and so longer than a function should otherwise be.
    fn leaf(&self, g: &mut Graph, leaf: Leaf, ty: Type) -> NodeId {
        match leaf {
            Leaf::Input { port, part } => {
                let wire = self.flat().port(port);
                match self.nodes.get(&self.parts.id(wire, part)) {
                    Some(node) => *node,
                    None => {
                        let tracked = self.slots.part(wire, part);
                        let ty = if part == Part::Present {
                            Type::BOOL
                        } else {
                            self.diagram.wire(wire).ty
                        };
                        g.leaf(self.slots.slot(tracked).0, ty)
                    }
                }
            }
            Leaf::Delayed { index, part } => {
                let slot = self.slots.slot(self.slots.delayed(self.block, index, part));
                let past = g.leaf(slot.0, ty);
                self.read_with(g, (index, part), (past, slot)).unwrap_or(past)
            }
            Leaf::Bound { index, upper } => {
                let reading = self.slots.line(self.block, index).reading;
                let reading = reading.expect("a history whose delay is a signal");
                g.leaf(self.slots.slot(reading.bounds[usize::from(upper)]).0, ty)
            }
            Leaf::State(index) => {
                let state =
                    &self.slots.states[self.slots.first_state[self.block.index()].plus(index)];
                g.leaf(self.slots.slot(state.tracked).0, ty)
            }
            Leaf::Woken(index) => {
                let timer =
                    &self.slots.timers[self.slots.first_timer[self.block.index()].plus(index)];
                g.leaf(self.slots.slot(timer.woken).0, ty)
            }
            Leaf::Wakings(index) => {
                let timer =
                    &self.slots.timers[self.slots.first_timer[self.block.index()].plus(index)];
                g.leaf(self.slots.slot(timer.wakings).0, ty)
            }
            Leaf::Crossed(index) => {
                let side = self.flat().definition.watched[index];
                match self.slots.sites.get(&(self.block, side)).and_then(|site| site.crossed) {
                    Some(crossed) => g.leaf(crossed.0, ty),
                    None => g.filled(ty, 0.0),
                }
            }
            Leaf::Time if self.clock == FragmentId::ROOT => g.leaf(self.slots.time.0, ty),
            Leaf::Time => since(g, self.slots, self.clock),
            Leaf::Elapsed => since(g, self.slots, self.flat().fragment),
            Leaf::Step => g.leaf(self.slots.step.0, ty),
            Leaf::Microstep => g.leaf(self.slots.slot(self.slots.microstep).0, ty),
            Leaf::Ticking => g.bool(self.phase == Phase::Tick),
            Leaf::Lasting { port } => {
                let taken = self.flat().remembered.get(&port);
                g.bool(taken.is_some_and(|taken| taken[0] != diagram::Presence::Never))
            }
        }
    }
}
