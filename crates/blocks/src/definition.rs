//! A block as functions: what `define` produces and every later stage reads.

use std::sync::Arc;

use base::{ExactTime, ParameterId, Span, Type, Value};
use ir::{Graph, NodeId, Op};

use crate::{Component, Text, Timer};

/// A part of a port: the unit of dependency.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// The value.
    Value,
    /// Whether the signal is present.
    Present,
    /// The coefficient of the impulse of this order.
    Impulse(u32),
    /// The time derivative of the value of this order, from 1 on: along the flow, not across jumps.
    /// A wire has these parts only if something asks for them.
    Derivative(u32),
}

/// What a leaf of a block's graph represents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaf {
    /// A part of the signal at the `port`-th input.
    Input {
        /// Which input, counting every signal of a list.
        port: usize,
        /// Which part.
        part: Part,
    },
    /// A part of the `index`-th history: the signal at an input, delayed.
    Delayed {
        /// Which history.
        index: usize,
        /// Which part.
        part: Part,
    },
    /// The time of a change of the `index`-th history, which is read with a delay that is a signal:
    /// of the last change before what is read, or of the next one. Time here is local time.
    Bound {
        /// Which history.
        index: usize,
        /// Whether it is the next change rather than the last one.
        upper: bool,
    },
    /// Whether the signal at an input is ever present between events. This is known before anything
    /// runs.
    Lasting {
        /// Which input.
        port: usize,
    },
    /// The `index`-th state, as the last commit left it.
    State(usize),
    /// Whether the `index`-th timer wakes at this microstep.
    Woken(usize),
    /// How many times the `index`-th timer has woken, including this microstep.
    Wakings(usize),
    /// The change of the `index`-th watched side at the commit just before this microstep: its new
    /// sign minus its old one.
    Crossed(usize),
    /// Model time \[s\]; in the diagram of a state, its local time.
    Time,
    /// The time \[s\] since the fragment that the block is in was entered.
    Elapsed,
    /// Whether this is a microstep from 1 on, rather than the smooth phase or its left limit.
    Ticking,
    /// The microstep; 0 between events and in a fixed-step run. A block reads it at an event.
    Microstep,
    /// The length of the step that leads to this point \[s\], in a fixed-step run.
    Step,
}

/// A signal as nodes of a block's graph.
#[derive(Clone, Debug)]
pub struct Signal {
    /// The value; meaningless if the signal is absent.
    pub value: NodeId,
    /// Whether it is present.
    pub present: NodeId,
    /// The coefficients of the impulses of order 0, 1, ...; missing ones are zero.
    pub impulses: Vec<NodeId>,
}

/// A state of a block.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name in messages.
    pub name: Text,
    /// Its type.
    pub ty: Type,
    /// Its value at the start.
    pub initial: Value,
    /// Its value after the commit of a tag. In the smooth phase and at microstep 0 this must be the
    /// state itself or, for memories of the left limit, an input.
    pub next: NodeId,
    /// Its time derivative between events, for continuous states.
    pub derivative: Option<NodeId>,
    /// What it remembers in a fixed-step run.
    pub memory: Memory,
    /// What it begins with, and when.
    pub begins: Begins,
}

/// What a state begins with, and when.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub enum Begins {
    /// With its initial value, whenever the diagram that it is in begins.
    #[default]
    Initial,
    /// With its initial value, when the run begins.
    Once,
    /// With the number that whoever holds the run gives it.
    Instance,
    /// With the seed of the run, in two halves of 32 bits, the higher one first.
    Seed,
}

/// What a state remembers in a fixed-step run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub enum Memory {
    /// The effect of events so far.
    #[default]
    Events,
    /// Something about the previous point, which changes at every point.
    Point,
    /// Something about this point before its events.
    Left,
}

/// The past of an input, read with a delay. None of its parts depends on the current instant, so
/// reading it breaks every loop.
#[derive(Clone, PartialEq, Debug)]
pub struct DelayedInput {
    /// The input, counting every signal of a list.
    pub port: usize,
    /// The delay; positive. If each event has its own, 0, and if it is a signal, its maximum.
    pub delay: ExactTime,
    /// Whether the delay is constant.
    pub timing: Timing,
    /// Its value before the start.
    pub initial: Value,
}

/// What the delay of an input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timing {
    /// A constant.
    Constant,
    /// Each event has its own.
    Events(VariableDelay),
    /// A signal that moves continuously.
    Signal(SignalDelay),
}

impl Timing {
    /// The delay as a signal, if it is one.
    pub fn signal(self) -> Option<SignalDelay> {
        match self {
            Timing::Signal(signal) => Some(signal),
            _ => None,
        }
    }

    /// The delays of events, if each has its own.
    pub fn events(self) -> Option<VariableDelay> {
        match self {
            Timing::Events(events) => Some(events),
            _ => None,
        }
    }
}

/// A delay that is a signal: the past of an input is read at a position that moves as the signal
/// does, forward or backward.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignalDelay {
    /// The input that has the delay \[s\], counting every signal of a list.
    pub port: usize,
    /// The sides of the position relative to the last change before it and to the next one.
    pub passing: [NodeId; 2],
}

/// Events with a delay of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariableDelay {
    /// The input that has the delay of an event \[s\] at its tag, counting every signal of a list.
    pub port: usize,
    /// The input whose events take back those that are still to come, if there is one.
    pub cancel: Option<usize>,
    /// What an event does to those that are still to come.
    pub pending: Pending,
}

/// What an event at a variable delay does to events that are still to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pending {
    /// Nothing: all of them come.
    Keep,
    /// It replaces them.
    Replace,
    /// It is ignored while there are some.
    Ignore,
}

/// A condition under which an operation has no meaning.
#[derive(Clone, Debug)]
pub struct Check {
    /// True if the operation is undefined.
    pub undefined: NodeId,
    /// The reason, as a sentence.
    pub reason: String,
    /// Whether the run ends well at the end of the instant, instead of failing.
    pub ends: bool,
}

/// A condition that is computed where a step of the solver ends and is not taken back. If it holds,
/// a tick begins there.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    /// The condition, a number that is not zero.
    pub asks: NodeId,
    /// The timer that wakes then.
    pub timer: usize,
}

/// Two conditions whose order matters: if they hold at different microsteps of one instant, the run
/// continues with a warning.
#[derive(Clone, Debug)]
pub struct OrderHazard {
    /// One condition.
    pub first: NodeId,
    /// The other condition.
    pub second: NodeId,
    /// What it means if both hold, as a sentence.
    pub reason: String,
}

/// An operator of an expression that needs several signals at the same tags.
#[derive(Clone, Debug)]
pub struct Join {
    /// How it is written, for example `-` or `max`.
    pub operator: &'static str,
    /// Whether each of its operands is present, and where the operand was written.
    pub operands: Vec<(NodeId, Span)>,
    /// Whether it is used: false if a conditional takes another branch.
    pub used: NodeId,
    /// Whether its operand must consist of events only.
    pub only_events: bool,
}

/// A block as functions, once its parameters and the types of its inputs are known.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The functions, over leaves that index `leaves`.
    pub graph: Graph,
    /// What the leaves are.
    pub leaves: Vec<Leaf>,
    /// The outputs, in the order of the block's `Info`.
    pub outputs: Vec<Signal>,
    /// The time derivatives of each output's value that something asks for, from order 1 on.
    pub derivatives: Vec<Vec<NodeId>>,
    /// How many orders of derivatives the functions require of each input, counting every signal of
    /// a list.
    pub demands: Vec<u32>,
    /// The states.
    pub states: Vec<State>,
    /// What is outside of the model, with the state that names its instance.
    pub component: Option<(usize, Arc<dyn Component>)>,
    /// The histories of inputs.
    pub histories: Vec<DelayedInput>,
    /// The timers.
    pub timers: Vec<Arc<dyn Timer>>,
    /// What is asked at the end of steps.
    pub completions: Vec<Completion>,
    /// Conditions that must not hold at a tick.
    pub checks: Vec<Check>,
    /// Conditions whose order at one instant matters.
    pub hazards: Vec<OrderHazard>,
    /// Sides that are located although no function between events reads them.
    pub located: Vec<NodeId>,
    /// Sides whose changes are read as leaves.
    pub watched: Vec<NodeId>,
    /// Whether an operator in it takes only events.
    pub takes_events: bool,
    /// Whether its states are committed at the end of every step of the solver.
    pub follows_steps: bool,
    /// The largest step \[s\] that resolves what the block does; infinite if it does not matter.
    pub maximum_step: f64,
    /// Parameters of the model whose values decide timers, delays and the largest step: each run
    /// defines the block anew to find them.
    pub at_start: Vec<ParameterId>,
}

impl Definition {
    /// The inputs whose presence is assumed if a loop leaves it undetermined: those with a history,
    /// and those read through [`Leaf::Lasting`].
    pub fn remembered_ports(&self) -> Vec<usize> {
        let lasting = self.leaves.iter().filter_map(|leaf| match leaf {
            Leaf::Lasting { port } => Some(*port),
            _ => None,
        });
        self.histories.iter().map(|history| history.port).chain(lasting).collect()
    }

    /// The sides whose changes are read, located or not.
    pub fn crossed_sides(&self) -> impl Iterator<Item = NodeId> {
        let nodes = self.graph.nodes().iter().filter(|node| node.op == Op::Crossed);
        nodes.map(|node| node.args[0]).chain(self.watched.iter().copied())
    }

    /// How many orders of derivatives of a history are read.
    pub fn delayed_derivatives(&self, history: usize) -> u32 {
        let order = |leaf: &Leaf| match leaf {
            Leaf::Delayed { index, part: Part::Derivative(order) } if *index == history => *order,
            _ => 0,
        };
        self.leaves.iter().map(order).max().unwrap_or(0)
    }

    /// Whether another definition of the block differs in nothing but times, the largest step and
    /// the values of open parameters.
    pub fn is_alike(&self, other: &Definition) -> bool {
        let shape = |state: &State| (state.ty, state.next, state.derivative, state.memory);
        let states = |own: &Definition| own.states.iter().map(shape).collect::<Vec<_>>();
        let ports = |own: &Definition| own.histories.iter().map(|h| h.port).collect::<Vec<_>>();
        let signal = |signal: &Signal| (signal.value, signal.present, signal.impulses.clone());
        let outputs = |own: &Definition| own.outputs.iter().map(signal).collect::<Vec<_>>();
        let checks = |own: &Definition| own.checks.iter().map(|c| c.undefined).collect::<Vec<_>>();
        self.graph.is_alike(&other.graph)
            && self.leaves == other.leaves
            && self.derivatives == other.derivatives
            && self.timers.len() == other.timers.len()
            && states(self) == states(other)
            && ports(self) == ports(other)
            && outputs(self) == outputs(other)
            && checks(self) == checks(other)
    }

    /// The type of an output's value.
    pub fn output_type(&self, port: usize) -> Type {
        self.graph.ty(self.outputs[port].value)
    }
}
