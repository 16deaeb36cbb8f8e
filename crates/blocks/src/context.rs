//! What a block's `define` works with: inputs, settings, states, timers and the graph.

mod memory;
mod outside;
mod past;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use base::{ParameterId, Rational, Shape, Span, Type, Value};
use ir::{Graph, NodeId};

use crate::{
    Check, Completion, Component, Definition, DelayedInput, Impulses, Info, Join, Leaf,
    OrderHazard, Part, Setting, Signal, State, Timer,
};

/// An input as connected in the diagram: its type and how many orders of impulses may reach it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Connection {
    pub ty: Type,
    pub orders: u32,
}

/// The environment in which a block is defined.
#[derive(Debug)]
pub struct Context<'a> {
    /// The graph; build anything in it.
    pub graph: Graph,
    info: &'a Info,
    settings: &'a BTreeMap<String, Setting>,
    /// For each input of the info, its signals.
    connections: Vec<Vec<Connection>>,
    leaves: Vec<Leaf>,
    many_leaves: HashMap<Leaf, usize>,
    outputs: Vec<Option<Signal>>,
    states: Vec<State>,
    component: Option<(usize, Arc<dyn Component>)>,
    histories: Vec<DelayedInput>,
    timers: Vec<Arc<dyn Timer>>,
    completions: Vec<Completion>,
    checks: Vec<Check>,
    hazards: Vec<OrderHazard>,
    /// Sides that are located although no function between events reads them.
    located: Vec<NodeId>,
    /// The sides of [`Context::crossing`], once they are known.
    watched: Vec<Option<NodeId>>,
    joins: Vec<Join>,
    takes_events: bool,
    /// Whether what is being built is used: the conjunction of the conditions of the enclosing
    /// conditionals.
    used: Option<NodeId>,
    maximum_step: f64,
    /// How many orders of derivatives are required of each output.
    asked: Vec<u32>,
    impulses: Impulses,
    by_steps: bool,
    follows_steps: bool,
    /// Parameters of the model whose values decide what is built, and why.
    structural: RefCell<BTreeMap<ParameterId, String>>,
    /// Parameters whose values decide times or the largest step, which each run finds anew.
    at_start: RefCell<BTreeSet<ParameterId>>,
}

impl<'a> Context<'a> {
    /// A context for a block. For each input of the info, `inputs` has the type and the number of
    /// impulse orders of each signal connected to it; `asked` has the number of orders of
    /// derivatives that something requires of each output.
    pub fn new(
        info: &'a Info,
        settings: &'a BTreeMap<String, Setting>,
        inputs: &[Vec<(Type, u32)>],
        asked: Vec<u32>,
    ) -> Self {
        let connection = |(ty, orders): &(Type, u32)| Connection { ty: *ty, orders: *orders };
        let connections =
            inputs.iter().map(|signals| signals.iter().map(connection).collect()).collect();
        Context {
            graph: Graph::new(),
            info,
            settings,
            connections,
            leaves: Vec::new(),
            many_leaves: HashMap::new(),
            outputs: vec![None; info.outputs.len()],
            states: Vec::new(),
            component: None,
            histories: Vec::new(),
            timers: Vec::new(),
            completions: Vec::new(),
            checks: Vec::new(),
            hazards: Vec::new(),
            located: Vec::new(),
            watched: Vec::new(),
            joins: Vec::new(),
            takes_events: false,
            used: None,
            maximum_step: f64::INFINITY,
            asked,
            impulses: Impulses::Symbolic,
            by_steps: false,
            follows_steps: false,
            structural: RefCell::default(),
            at_start: RefCell::default(),
        }
    }

    /// The same context for a run with another kind of impulses.
    pub fn with_impulses(mut self, impulses: Impulses) -> Self {
        self.impulses = impulses;
        self
    }

    /// The same context for a run in which blocks may follow the steps of the solver, or may not.
    pub fn with_steps(mut self, by_steps: bool) -> Self {
        self.by_steps = by_steps;
        self
    }

    /// Whether the states of the block must be committed at the end of every step of the solver, as
    /// those of Ptolemy II are; otherwise only ticks commit them. Only the profile of Ptolemy II
    /// allows that.
    pub fn follow_steps(&mut self) -> bool {
        self.follows_steps = self.by_steps;
        self.by_steps
    }

    /// How impulses are represented in the run that the block is defined for.
    pub fn impulses(&self) -> Impulses {
        self.impulses
    }

    /// The operators that need several signals at the same tags. They are not part of the
    /// definition: what is required of them is known only once the diagram is, and only for blocks
    /// that events reach.
    pub fn take_joins(&mut self) -> Vec<Join> {
        std::mem::take(&mut self.joins)
    }

    /// The parameters of the model whose values have decided what was built, and why.
    pub fn take_structural(&mut self) -> BTreeMap<ParameterId, String> {
        self.structural.take()
    }

    /// The finished definition.
    ///
    /// # Panics
    /// If the block has not set one of its outputs.
    pub fn finish(mut self) -> Definition {
        let outputs: Vec<Signal> = std::mem::take(&mut self.outputs)
            .into_iter()
            .map(|output| output.expect("every output is set"))
            .collect();
        let derivatives = outputs
            .iter()
            .zip(self.asked.clone())
            .map(|(output, orders)| self.derivatives(output.value, orders))
            .collect();
        let mut demands = vec![0; self.connections.iter().map(Vec::len).sum()];
        for leaf in &self.leaves {
            let (port, order) = match *leaf {
                Leaf::Input { port, part: Part::Derivative(order) } => (port, order),
                Leaf::Delayed { index, part: Part::Derivative(order) } => {
                    (self.histories[index].port, order)
                }
                _ => continue,
            };
            demands[port] = order.max(demands[port]);
        }
        Definition {
            graph: self.graph.finished(),
            leaves: self.leaves,
            outputs,
            derivatives,
            demands,
            states: self.states,
            component: self.component,
            histories: self.histories,
            timers: self.timers,
            completions: self.completions,
            checks: self.checks,
            hazards: self.hazards,
            located: self.located,
            watched: self.watched.into_iter().flatten().collect(),
            takes_events: self.takes_events,
            follows_steps: self.follows_steps,
            maximum_step: self.maximum_step,
            at_start: self.at_start.into_inner().into_iter().collect(),
        }
    }

    /// The node of a leaf.
    pub fn leaf(&mut self, leaf: Leaf, ty: Type) -> NodeId {
        // Most blocks have only a few leaves; one that reads a whole array has as many as the array
        // has elements.
        const FEW: usize = 16;
        let known = match self.leaves.len() < FEW {
            true => self.leaves.iter().position(|known| *known == leaf),
            false => self.many_leaves.get(&leaf).copied(),
        };
        let key = known.unwrap_or_else(|| {
            self.leaves.push(leaf);
            let keys = self.leaves.len();
            let fresh = if keys == FEW { 0 } else { keys - 1 };
            if keys >= FEW {
                self.many_leaves.extend((fresh..keys).map(|key| (self.leaves[key], key)));
            }
            keys - 1
        });
        self.graph.leaf(key as u32, ty)
    }

    fn position(&self, name: &str) -> usize {
        let found = self.info.inputs.iter().position(|input| input.name == name);
        found.unwrap_or_else(|| panic!("{} has no input `{name}`", self.info.name))
    }

    /// The signals of an input: one, none, or a list.
    pub fn inputs(&mut self, name: &str) -> Vec<Signal> {
        let position = self.position(name);
        let first: usize = self.connections[..position].iter().map(Vec::len).sum();
        (0..self.connections[position].len())
            .map(|i| self.signal(first + i, self.connections[position][i]))
            .collect()
    }

    /// The signal at a port given by its index: the `inputs` of all lists, one after the other.
    pub(crate) fn port(&mut self, port: usize) -> Signal {
        let mut rest = port;
        let connection = self.connections.iter().find_map(|connections| {
            let own = connections.get(rest).copied();
            rest = rest.saturating_sub(connections.len());
            own
        });
        self.signal(port, connection.expect("a port that is connected"))
    }

    fn signal(&mut self, port: usize, connection: Connection) -> Signal {
        let Connection { ty, orders } = connection;
        let value = self.leaf(Leaf::Input { port, part: Part::Value }, ty);
        let present = self.leaf(Leaf::Input { port, part: Part::Present }, Type::BOOL);
        let impulse = |order| Leaf::Input { port, part: Part::Impulse(order) };
        let impulses = (0..orders).map(|order| self.leaf(impulse(order), ty)).collect();
        Signal { value, present, impulses }
    }

    /// The only signal of an input that must be connected.
    pub fn input(&mut self, name: &str) -> Signal {
        self.inputs(name).remove(0)
    }

    /// The signal of an input that need not be connected.
    pub fn optional(&mut self, name: &str) -> Option<Signal> {
        self.inputs(name).pop()
    }

    /// Whether the only signal of an input is ever present between events, as a constant. Unlike
    /// its presence, this does not depend on the current instant.
    pub fn lasting(&mut self, name: &str) -> NodeId {
        let position = self.position(name);
        let port = self.connections[..position].iter().map(Vec::len).sum();
        self.leaf(Leaf::Lasting { port }, Type::BOOL)
    }

    fn setting(&self, name: &str) -> &'a Setting {
        let setting = self.settings.get(name);
        setting.unwrap_or_else(|| panic!("{} has no parameter `{name}`", self.info.name))
    }

    /// The value of a parameter, which decides what the block builds: parameters of the model that
    /// it is computed from become structural. If it is a number in the functions of the block, use
    /// [`Context::constant`], and if it is a state's, [`Context::initial`].
    pub fn value(&self, name: &str) -> Value {
        let value = self.open_value(name);
        if let Some(id) = value.open() {
            self.decides(id, format!("`{name}` of {} decides what the block is", self.info.name));
        }
        value.clone().closed()
    }

    /// The value of a parameter, of which nothing but the type may be looked at: its numbers may be
    /// others in the next run.
    pub fn open_value(&self, name: &str) -> &'a Value {
        match self.setting(name) {
            Setting::Value(value) => value,
            other => panic!("`{name}` is {other:?}, not a value"),
        }
    }

    /// Makes a parameter of the model structural: its value decides what is built.
    pub(crate) fn decides(&self, id: ParameterId, reason: String) {
        self.structural.borrow_mut().entry(id).or_insert(reason);
    }

    /// A parameter that is one real number and decides what the block builds, as
    /// [`Context::value`].
    pub fn real(&self, name: &str) -> f64 {
        self.value(name).as_f64().expect("a real parameter has been checked")
    }

    /// A parameter that is one real number, for [`Context::limit_step`] and for nothing else: each
    /// run finds the largest step anew.
    pub fn real_at_start(&self, name: &str) -> f64 {
        let value = self.open_value(name);
        self.finds_at_start(value);
        value.as_f64().expect("a real parameter has been checked")
    }

    /// A parameter that is an exact time. It may decide timers, delays and the largest step, which
    /// each run finds anew, but no functions.
    pub fn time(&self, name: &str) -> Rational {
        match self.setting(name) {
            Setting::Time(time) => self.exact_time(time),
            other => panic!("`{name}` is {other:?}, not a time"),
        }
    }

    /// A parameter that is a list of exact times, as [`Context::time`].
    pub fn times(&self, name: &str) -> Vec<Rational> {
        match self.setting(name) {
            Setting::Times(times) => times.iter().map(|time| self.exact_time(time)).collect(),
            other => panic!("`{name}` is {other:?}, not a list of times"),
        }
    }

    /// Notes that each run finds timers, delays or the largest step anew from a value.
    pub(crate) fn finds_at_start(&self, value: &Value) {
        self.at_start.borrow_mut().extend(value.open());
    }

    fn exact_time(&self, time: &Value) -> Rational {
        self.finds_at_start(time);
        time.as_rational().expect("a time has been checked")
    }

    /// A parameter that is a word.
    pub fn word(&self, name: &str) -> &'a str {
        match self.setting(name) {
            Setting::Word(word) => word,
            other => panic!("`{name}` is {other:?}, not a word"),
        }
    }

    /// The node of a parameter's value.
    pub fn constant(&mut self, name: &str) -> NodeId {
        self.graph.value(self.open_value(name))
    }

    /// Model time \[s\].
    pub fn now(&mut self) -> NodeId {
        self.leaf(Leaf::Time, Type::REAL)
    }

    /// Whether this is a microstep from 1 on. Use it to choose between an input and a memory of it;
    /// a change of an output made from it alone would not be noticed when a tick begins.
    pub fn ticking(&mut self) -> NodeId {
        self.leaf(Leaf::Ticking, Type::BOOL)
    }

    /// The microstep at an event; 0 between events. It does not make a block run by itself.
    pub fn microstep(&mut self) -> NodeId {
        self.leaf(Leaf::Microstep, Type::REAL)
    }

    /// Records that an operator needs these signals at the same tags.
    pub(crate) fn join(&mut self, operator: &'static str, operands: &[(&Signal, Span)]) {
        let varies = |(signal, _): &&(&Signal, Span)| self.graph.truth(signal.present).is_none();
        let operands: Vec<(NodeId, Span)> =
            operands.iter().filter(varies).map(|(signal, span)| (signal.present, *span)).collect();
        if operands.iter().all(|(present, _)| *present == operands[0].0) {
            return;
        }
        let used = self.used.unwrap_or_else(|| self.graph.bool(true));
        self.joins.push(Join { operator, operands, used, only_events: false });
    }

    /// Records that an operator takes only events.
    pub(crate) fn need_events(&mut self, operator: &'static str, signal: &Signal, span: Span) {
        let used = self.used.unwrap_or_else(|| self.graph.bool(true));
        self.takes_events = true;
        let operands = vec![(signal.present, span)];
        self.joins.push(Join { operator, operands, used, only_events: true });
    }

    /// Builds something that is used only if a condition has this value.
    pub(crate) fn under<T>(
        &mut self,
        condition: NodeId,
        value: bool,
        build: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let around = self.used;
        if self.graph.ty(condition) == Type::BOOL {
            let holds = if value { condition } else { self.graph.not(condition) };
            self.used = Some(around.map_or(holds, |around| self.graph.and(around, holds)));
        }
        let built = build(self);
        self.used = around;
        built
    }

    /// Makes it an error, reported with the tag and the block, if a condition holds at a tick.
    pub fn refuse_where(&mut self, undefined: NodeId, reason: impl Into<String>) {
        if self.graph.truth(undefined) != Some(false) {
            self.checks.push(Check { undefined, reason: reason.into(), ends: false });
        }
    }

    /// The same for what is built under conditions: only if it is used.
    pub(crate) fn refuse_where_used(&mut self, undefined: NodeId, reason: impl Into<String>) {
        let undefined = match self.used {
            Some(used) => self.graph.and(used, undefined),
            None => undefined,
        };
        self.refuse_where(undefined, reason);
    }

    /// Ends the run at the end of an instant at which a condition holds.
    pub fn end_where(&mut self, condition: NodeId) {
        let reason = String::new();
        self.checks.push(Check { undefined: condition, reason, ends: true });
    }

    /// Warns once if two conditions hold at different microsteps of one instant.
    pub fn warn_apart(&mut self, first: NodeId, second: NodeId, reason: impl Into<String>) {
        if [first, second].iter().all(|node| self.graph.truth(*node) != Some(false)) {
            self.hazards.push(OrderHazard { first, second, reason: reason.into() });
        }
    }

    /// Whether a node depends at ticks only on memories and constants, so that its author has said
    /// which microstep is meant.
    pub(crate) fn remembers(&mut self, node: NodeId) -> bool {
        let ticking = self.ticking();
        let mut stack = vec![node];
        while let Some(id) = stack.pop() {
            let node = self.graph.node(id);
            match node.op {
                ir::Op::Leaf(key) if !matches!(self.leaves[key as usize], Leaf::State(_)) => {
                    return false;
                }
                ir::Op::Select if node.args[0] == ticking => stack.push(node.args[1]),
                _ => stack.extend(node.args.iter().copied()),
            }
        }
        true
    }

    /// Makes it an error if a signal that must not carry impulses does.
    pub fn refuse_impulses(&mut self, signal: &Signal, reason: &str) {
        for impulse in signal.impulses.clone() {
            let any = self.nonzero(impulse);
            self.refuse_where(any, reason);
        }
    }

    /// Whether some element is not zero.
    pub fn nonzero(&mut self, node: NodeId) -> NodeId {
        let ty = self.graph.ty(node);
        let zero = self.graph.filled(ty, 0.0);
        let equal = self.graph.binary(ir::Binary::Equal, node, zero);
        let differs = self.graph.not(equal);
        let count = self.graph.sum(differs);
        let none = self.graph.real(0.0);
        let equal = self.graph.binary(ir::Binary::Equal, count, none);
        self.graph.not(equal)
    }

    /// Requires steps no longer than this \[s\].
    pub fn limit_step(&mut self, maximum: f64) {
        if maximum > 0.0 {
            self.maximum_step = self.maximum_step.min(maximum);
        }
    }

    /// Locates a condition between events although no function reads it then.
    pub fn locate(&mut self, condition: NodeId) {
        let sides = self.graph.reachable(&[condition]).into_iter();
        let is_side = |id: &NodeId| self.graph.node(*id).op == ir::Op::FrozenSign;
        let sides: Vec<NodeId> = sides.filter(is_side).collect();
        self.located.extend(sides);
    }

    /// A signal without impulses that is always present.
    pub fn always(&mut self, value: NodeId) -> Signal {
        let present = self.graph.bool(true);
        Signal { value, present, impulses: Vec::new() }
    }

    /// A signal without impulses that is present under a condition.
    pub fn event(&mut self, value: NodeId, present: NodeId) -> Signal {
        Signal { value, present, impulses: Vec::new() }
    }

    /// The entry at a position of values that are stored one after the other in a vector, each with
    /// the elements of a shape.
    pub(crate) fn entry(&mut self, values: NodeId, position: NodeId, shape: Shape) -> NodeId {
        let width = Type { shape, ..Type::REAL }.len();
        let scale = self.graph.real(width as f64);
        let start = self.graph.mul(position, scale);
        let element = |index: usize| {
            let index = self.graph.real(index as f64);
            let place = self.graph.add(start, index);
            self.graph.index(values, place)
        };
        let elements: Vec<NodeId> = (0..width).map(element).collect();
        self.graph.stack(&elements, shape)
    }

    /// Sets an output.
    pub fn output(&mut self, name: &str, signal: Signal) {
        let found = self.info.outputs.iter().position(|output| output.name == name);
        let index = found.unwrap_or_else(|| panic!("{} has no output `{name}`", self.info.name));
        self.outputs[index] = Some(signal);
    }
}
