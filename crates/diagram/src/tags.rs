//! The tags at which signals are present, as symbols that can be compared.
//!
//! What comes in is a diagram whose facts are settled. Presence at ticks is a function of every
//! block, a node of its graph; here these functions are put together across wires in one graph,
//! whose leaves are atoms: a timer by its exact times, a crossing by its function, a memory by what
//! it remembers, a delayed event by what is delayed and for how long. Equal nodes of the graph are
//! one node, so two signals are provably present at the same tags if their nodes are the same.
//! The proof is sound and not complete: nodes that differ may still be present together.
//!
//! Each wire is examined once, when something first needs it. A loop of presence is cut at a
//! wire, which is then an atom of its own, or closed if it is solved (see `circles`).

mod circles;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use base::{ExactTime, ParameterId, Type, Value};
use blocks::{Definition, Leaf, Memory, ModeOutput, Part, Role, Setting, Times};
use ir::{Binary, Graph, Node, NodeId, Op};

use crate::facts::Phase;
use crate::flat::{BlockId, Diagram, FlatBlock, Presence, Wire, WireId};
use crate::machine::FragmentId;
use crate::specialise::known;

/// More operands of one conjunction or disjunction than this are not brought into order.
const MANY: usize = 64;

/// Something about which nothing is known but that it is itself. Values and memories are those of a
/// fragment, which do not change while it does not run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Atom {
    /// A part of a wire as blocks of a fragment see it.
    Wire(WireId, Part, Phase, FragmentId),
    /// An event, by the symbol of its presence, a constant time later.
    Later(NodeId, ExactTime, Opens, FragmentId),
    /// Another part of a wire a constant time ago.
    Past(WireId, Part, ExactTime, Opens, Phase, FragmentId),
    /// Whether a timer wakes.
    Timer(Times, Opens, FragmentId),
    /// Time and the step, which all blocks of a fragment share.
    Shared(Leaf, FragmentId),
    /// A state among those that are being described.
    Among(usize),
    /// A state of a described group.
    Memory(usize, usize),
    /// The values that transitions emit at an output: each by machine, state and number, with the presence of
    /// the value.
    Said(Vec<([usize; 3], NodeId)>),
    /// Any other leaf of a block.
    Own(BlockId, Leaf, Phase),
}

/// The open parameters that times are made of, by the settings that they are in: times that are
/// equal by chance in this run need not be in the next.
type Opens = Vec<(String, ParameterId)>;

/// A state by what it begins with and what it becomes, at ticks and otherwise.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Remembered {
    initial: Vec<u64>,
    open: Option<ParameterId>,
    next: [NodeId; 2],
    memory: Memory,
}

/// What a state of a block is in symbols.
#[derive(Clone)]
struct Symbol {
    atom: Atom,
    /// Its value at ticks, if that is always the same.
    constant: Option<Value>,
}

type Symbols = BTreeMap<usize, Symbol>;

/// The symbols of a diagram.
pub(crate) struct Tags<'a> {
    diagram: &'a Diagram,
    graph: Graph,
    atoms: HashMap<Atom, u32>,
    /// The presence of wires at ticks, as far as it has been needed.
    wires: HashMap<WireId, NodeId>,
    /// Groups of states that need each other.
    groups: HashMap<(FragmentId, Vec<Remembered>), usize>,
    /// The operands of conjunctions and disjunctions, in order.
    operands: HashMap<NodeId, (Binary, Vec<NodeId>)>,
    /// The values that transitions emit at the outputs of machines.
    said: HashMap<BlockId, Vec<([usize; 3], WireId)>>,
    /// Blocks whose first state something else than their own functions writes.
    written: HashSet<BlockId>,
    /// Wires of loops that are cut although they are solved.
    cut: HashSet<WireId>,
}

impl<'a> Tags<'a> {
    pub fn new(diagram: &'a Diagram) -> Self {
        let mut said: HashMap<BlockId, Vec<_>> = HashMap::new();
        let mut written: HashSet<BlockId> =
            diagram.modes.entries.iter().map(|entry| entry.block).collect();
        for (m, machine) in diagram.modes.machines.iter().enumerate() {
            written.insert(machine.current);
            for (s, state) in machine.states.iter().enumerate() {
                for (t, transition) in state.transitions.iter().enumerate() {
                    written.extend(transition.sets.iter().map(|set| set.target));
                    for (output, value) in &transition.says {
                        let wire = diagram.block(*value).outputs[0];
                        said.entry(machine.outputs[*output]).or_default().push(([m, s, t], wire));
                    }
                }
            }
        }
        Tags {
            diagram,
            graph: Graph::new(),
            atoms: HashMap::new(),
            wires: HashMap::new(),
            groups: HashMap::new(),
            operands: HashMap::new(),
            said,
            written,
            cut: HashSet::new(),
        }
    }

    /// The symbols of conditions of a block at ticks, as nodes of its definition.
    pub fn symbols(
        &mut self,
        id: BlockId,
        definition: &Definition,
        roots: &[NodeId],
    ) -> Vec<NodeId> {
        for wire in self.needs(id, definition, roots) {
            self.settle(wire);
        }
        self.describe(id, definition, roots)
    }

    /// What a symbol is known to be.
    pub fn truth(&self, symbol: NodeId) -> Option<bool> {
        self.graph.truth(symbol)
    }

    /// Finds the symbol of a wire, after those of the wires that it needs.
    fn settle(&mut self, wire: WireId) {
        let mut open = HashSet::new();
        let mut stack = vec![wire];
        while let Some(top) = stack.last().copied() {
            if self.wires.contains_key(&top) {
                stack.pop();
                continue;
            }
            let first = open.insert(top);
            let circle = if first { None } else { self.circle(top) };
            let needs = match &circle {
                Some(circle) => self.around(circle),
                None if first => self.around(&BTreeSet::from([top])),
                None => Vec::new(),
            };
            let fresh = |wire: &WireId| !open.contains(wire) && !self.wires.contains_key(wire);
            let waits = stack.len();
            stack.extend(needs.into_iter().filter(fresh));
            if first || stack.len() > waits {
                continue;
            }
            if let Some(circle) = circle {
                self.close(&circle);
            }
            if !self.wires.contains_key(&top) {
                let symbol = self.describe_wire(top);
                self.wires.insert(top, symbol);
            }
            stack.pop();
        }
    }

    /// The wires whose presence matters for nodes of a block, through its states too.
    fn needs(&self, id: BlockId, definition: &Definition, roots: &[NodeId]) -> BTreeSet<WireId> {
        let block = self.diagram.block(id);
        let mut found = BTreeSet::new();
        let states = self.states(id, definition, roots);
        let nexts = states.iter().map(|state| definition.states[*state].next);
        let roots: Vec<NodeId> = roots.iter().copied().chain(nexts).collect();
        for node in definition.graph.reachable(&roots) {
            let Op::Leaf(key) = definition.graph.node(node).op else { continue };
            let wire = match definition.leaves[key as usize] {
                Leaf::Input { port, part: Part::Present } => block.port(port),
                Leaf::Delayed { index, part: Part::Present } => {
                    block.port(definition.histories[index].port)
                }
                Leaf::State(state) if state == ModeOutput::SAID[0] => {
                    found.extend(self.said.get(&id).into_iter().flatten().map(|(_, wire)| *wire));
                    continue;
                }
                _ => continue,
            };
            if known(self.diagram.wire(wire), Part::Present, Phase::Tick).is_none() {
                found.insert(wire);
            }
        }
        found
    }

    /// The states that nodes of a block need and that the block alone writes, each followed by
    /// those that it needs itself.
    fn states(&self, id: BlockId, definition: &Definition, roots: &[NodeId]) -> Vec<usize> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut roots = roots.to_vec();
        let mut done = 0;
        loop {
            for node in definition.graph.reachable(&roots) {
                let Op::Leaf(key) = definition.graph.node(node).op else { continue };
                if let Leaf::State(state) = definition.leaves[key as usize]
                    && self.is_own(id, definition, state)
                    && seen.insert(state)
                {
                    found.push(state);
                }
            }
            if done == found.len() {
                return found;
            }
            roots = found[done..].iter().map(|state| definition.states[*state].next).collect();
            done = found.len();
        }
    }

    /// Whether the functions of a block give the next value of a state at every tag.
    fn is_own(&self, id: BlockId, definition: &Definition, state: usize) -> bool {
        let spoken = ModeOutput::SAID.contains(&state) && self.said.contains_key(&id);
        let set = state == 0 && self.written.contains(&id);
        let of_machine = self.diagram.block(id).kind.role().is_written();
        definition.states[state].derivative.is_none() && !spoken && !set && !of_machine
    }

    /// Conditions of a block in symbols; wires without one are atoms.
    fn describe(&mut self, id: BlockId, definition: &Definition, roots: &[NodeId]) -> Vec<NodeId> {
        let states = self.states(id, definition, roots);
        let symbols = self.memories(id, definition, &states);
        self.inline(id, definition, roots, Phase::Tick, &symbols)
    }

    /// What states of a block are, those first that others need.
    fn memories(&mut self, id: BlockId, definition: &Definition, states: &[usize]) -> Symbols {
        let mut symbols = Symbols::new();
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        for state in states {
            let mut needs = self.states(id, definition, &[definition.states[*state].next]);
            needs.retain(|other| other != state);
            open.push((*state, needs));
        }
        loop {
            let known = |state: &usize| symbols.contains_key(state);
            let (ready, rest): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|(_, needs)| needs.iter().all(known));
            open = rest;
            if ready.is_empty() {
                let circle: Vec<usize> = open.into_iter().map(|(state, _)| state).collect();
                self.remember(id, definition, &circle, &mut symbols);
                return symbols;
            }
            for (state, _) in ready {
                self.remember(id, definition, &[state], &mut symbols);
            }
        }
    }

    /// Describes states that need each other: those of two blocks are the same if they begin
    /// with the same values and become the same.
    fn remember(
        &mut self,
        id: BlockId,
        definition: &Definition,
        states: &[usize],
        symbols: &mut Symbols,
    ) {
        for (position, state) in states.iter().enumerate() {
            symbols.insert(*state, Symbol { atom: Atom::Among(position), constant: None });
        }
        let nexts: Vec<NodeId> =
            states.iter().map(|state| definition.states[*state].next).collect();
        let tick = self.inline(id, definition, &nexts, Phase::Tick, symbols);
        let smooth = self.inline(id, definition, &nexts, Phase::Smooth, symbols);
        let nexts: Vec<[NodeId; 2]> = tick.into_iter().zip(smooth).map(|(a, b)| [a, b]).collect();
        let remembered = |(state, next): (&usize, &[NodeId; 2])| {
            let state = &definition.states[*state];
            let initial = state.initial.data().iter().map(|x| x.to_bits()).collect();
            Remembered { initial, open: state.initial.open(), next: *next, memory: state.memory }
        };
        let group: Vec<Remembered> = states.iter().zip(&nexts).map(remembered).collect();
        let fresh = self.groups.len();
        let fragment = self.diagram.block(id).fragment;
        let group = *self.groups.entry((fragment, group)).or_insert(fresh);
        for (position, (state, next)) in states.iter().zip(&nexts).enumerate() {
            let itself = self.atom(Atom::Among(position), definition.states[*state].ty);
            let constant = self.constant(*next, itself);
            symbols.insert(*state, Symbol { atom: Atom::Memory(group, position), constant });
        }
    }

    /// The value of a state that microstep 0 makes the same at every instant, and that nothing
    /// changes later.
    fn constant(&self, [tick, smooth]: [NodeId; 2], itself: NodeId) -> Option<Value> {
        let value = self.graph.fixed_of(smooth)?;
        (tick == smooth || tick == itself).then_some(value)
    }

    fn atom(&mut self, atom: Atom, ty: Type) -> NodeId {
        let fresh = self.atoms.len() as u32;
        let key = *self.atoms.entry(atom).or_insert(fresh);
        self.graph.leaf(key, ty)
    }

    /// Nodes of a block's definition in symbols.
    fn inline(
        &mut self,
        id: BlockId,
        definition: &Definition,
        roots: &[NodeId],
        phase: Phase,
        states: &Symbols,
    ) -> Vec<NodeId> {
        let mut graph = std::mem::take(&mut self.graph);
        let inlined = graph.inline(&definition.graph, roots, &mut |g, _, node, args| {
            std::mem::swap(g, &mut self.graph);
            let new = self.replace(id, definition, node, args, phase, states);
            std::mem::swap(g, &mut self.graph);
            new
        });
        self.graph = graph;
        roots.iter().map(|root| inlined.get(*root)).collect()
    }

    fn replace(
        &mut self,
        id: BlockId,
        definition: &Definition,
        node: &Node,
        args: &[NodeId],
        phase: Phase,
        states: &Symbols,
    ) -> Option<NodeId> {
        match &node.op {
            Op::Crossed if phase == Phase::Smooth => Some(self.graph.filled(node.ty, 0.0)),
            Op::Binary(op @ (Binary::And | Binary::Or)) if node.ty == Type::BOOL => {
                Some(self.ordered(*op, args[0], args[1]))
            }
            Op::Leaf(key) => {
                let leaf = definition.leaves[*key as usize];
                Some(match self.leaf(id, definition, leaf, phase, states) {
                    Leafed::Node(node) => node,
                    Leafed::Constant(value) => self.graph.typed(node.ty, &value),
                    Leafed::Atom(atom) => self.atom(atom, node.ty),
                })
            }
            _ => None,
        }
    }

    // One arm for each leaf: a table, and so longer than a function should otherwise be.
    fn leaf(
        &mut self,
        id: BlockId,
        definition: &Definition,
        leaf: Leaf,
        phase: Phase,
        states: &Symbols,
    ) -> Leafed {
        let block = self.diagram.block(id);
        let fragment = block.fragment;
        let truth = |truth: bool| Leafed::Constant(Value::bool(truth));
        match leaf {
            Leaf::Ticking => truth(phase == Phase::Tick),
            Leaf::Woken(_) if phase == Phase::Smooth => truth(false),
            Leaf::Crossed(_) if phase == Phase::Smooth => Leafed::Constant(Value::real(0.0)),
            Leaf::Woken(index) => match definition.timers[index].times().zip(opens(block)) {
                Some((times, opens)) => Leafed::Atom(Atom::Timer(times, opens, fragment)),
                None => Leafed::Atom(Atom::Own(id, leaf, phase)),
            },
            Leaf::Lasting { port } => truth(block.remembered[&port][0] != Presence::Never),
            Leaf::Time | Leaf::Step | Leaf::Microstep => Leafed::Atom(Atom::Shared(leaf, fragment)),
            Leaf::Input { port, part } => {
                let wire = block.port(port);
                if let Some(value) = known(self.diagram.wire(wire), part, phase) {
                    return Leafed::Constant(value);
                }
                match self.wires.get(&wire) {
                    Some(symbol) if (part, phase) == (Part::Present, Phase::Tick) => {
                        Leafed::Node(*symbol)
                    }
                    _ => Leafed::Atom(Atom::Wire(wire, part, phase, fragment)),
                }
            }
            Leaf::Delayed { index, part } => {
                let history = &definition.histories[index];
                let wire = block.port(history.port);
                let [between, ticking] = block.remembered[&history.port];
                let past =
                    Wire { between, ticking, constant: None, ..self.diagram.wire(wire).clone() };
                if let Some(value) = known(&past, part, phase) {
                    return Leafed::Constant(value);
                }
                let opens = opens(block).filter(|_| history.timing == blocks::Timing::Constant);
                let Some(opens) = opens else {
                    return Leafed::Atom(Atom::Own(id, leaf, phase));
                };
                Leafed::Atom(match self.wires.get(&wire) {
                    Some(symbol) if (part, phase) == (Part::Present, Phase::Tick) => {
                        Atom::Later(*symbol, history.delay, opens, fragment)
                    }
                    _ => Atom::Past(wire, part, history.delay, opens, phase, fragment),
                })
            }
            Leaf::State(state) => match states.get(&state) {
                Some(Symbol { constant: Some(value), .. }) if phase == Phase::Tick => {
                    Leafed::Constant(value.clone())
                }
                Some(Symbol { atom, .. }) => Leafed::Atom(atom.clone()),
                _ if state == ModeOutput::SAID[0] && phase == Phase::Tick => self.spoken(id, leaf),
                _ => Leafed::Atom(Atom::Own(id, leaf, phase)),
            },
            Leaf::Wakings(_) | Leaf::Elapsed | Leaf::Crossed(_) | Leaf::Bound { .. } => {
                Leafed::Atom(Atom::Own(id, leaf, phase))
            }
        }
    }

    /// Whether a transition speaks at an output.
    fn spoken(&mut self, id: BlockId, leaf: Leaf) -> Leafed {
        let own = Leafed::Atom(Atom::Own(id, leaf, Phase::Tick));
        let Some(said) = self.said.get(&id) else { return own };
        let mut all = Vec::new();
        for (transition, wire) in said {
            let fact = known(self.diagram.wire(*wire), Part::Present, Phase::Tick);
            let symbol = match (fact, self.wires.get(wire)) {
                (Some(value), _) => self.graph.typed(Type::BOOL, &value),
                (None, Some(symbol)) => *symbol,
                (None, None) => return own,
            };
            all.push((*transition, symbol));
        }
        Leafed::Atom(Atom::Said(all))
    }

    /// A conjunction or disjunction with its operands in order, each once: `a and (a or b)` is a.
    fn ordered(&mut self, op: Binary, a: NodeId, b: NodeId) -> NodeId {
        let dual = if op == Binary::And { Binary::Or } else { Binary::And };
        let neutral = Some(op == Binary::And);
        if [a, b].iter().any(|side| self.graph.truth(*side).is_some()) {
            let known = if self.graph.truth(a).is_some() { [a, b] } else { [b, a] };
            return if self.graph.truth(known[0]) == neutral { known[1] } else { known[0] };
        }
        let mut all: BTreeSet<NodeId> = BTreeSet::new();
        for side in [a, b] {
            match self.operands.get(&side) {
                Some((own, operands)) if *own == op => all.extend(operands),
                _ => drop(all.insert(side)),
            }
        }
        let absorbed = |node: &NodeId| match self.operands.get(node) {
            Some((own, operands)) if *own == dual => operands.iter().any(|o| all.contains(o)),
            _ => self.adds_nothing(op, *node, &all),
        };
        let left: Vec<NodeId> = match all.len() <= MANY {
            true => all.iter().copied().filter(|node| !absorbed(node)).collect(),
            false => vec![a.min(b), a.max(b)],
        };
        let node = left[1..].iter().fold(left[0], |node, next| self.graph.binary(op, node, *next));
        if left.len() > 1 && all.len() <= MANY {
            self.operands.insert(node, (op, left));
        }
        node
    }

    /// Whether a choice changes nothing among the operands of a conjunction or disjunction, because
    /// both of its sides are among them or neutral: `a and (if c then a else true)` is a.
    fn adds_nothing(&self, op: Binary, choice: NodeId, operands: &BTreeSet<NodeId>) -> bool {
        let (mut open, mut seen) = (vec![choice], HashSet::new());
        while let Some(node) = open.pop() {
            let Node { op: kind, args, .. } = self.graph.node(node);
            let is_choice = matches!(kind, Op::Select);
            if node == choice && !is_choice {
                return false;
            }
            let is_there = node != choice && operands.contains(&node);
            let neutral = self.graph.truth(node) == Some(op == Binary::And);
            if !seen.insert(node) || is_there || neutral {
                continue;
            }
            match self.operands.get(&node) {
                Some((own, all)) if *own == op && all.iter().all(|o| operands.contains(o)) => {}
                _ if is_choice => open.extend(&args[1..]),
                _ => return false,
            }
        }
        true
    }
}

/// What a leaf becomes.
enum Leafed {
    Node(NodeId),
    Constant(Value),
    Atom(Atom),
}

/// The open parameters in the times of a block; `None` if its times are in an expression.
fn opens(block: &FlatBlock) -> Option<Opens> {
    if block.definition.at_start.is_empty() {
        return Some(Vec::new());
    }
    let open = |(name, setting): (&String, &Setting)| match setting {
        Setting::Time(time) => vec![(name.clone(), time.open())],
        Setting::Times(times) => times.iter().map(|time| (name.clone(), time.open())).collect(),
        Setting::Value(_) | Setting::Word(_) => Vec::new(),
    };
    let opens = block.settings.iter().flat_map(open);
    let opens = opens.filter_map(|(name, open)| Some((name, open?))).collect();
    (block.kind.role() != Role::Formula).then_some(opens)
}
