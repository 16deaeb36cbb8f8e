//! A block as functions: what `define` produces and every later stage reads.

use std::sync::Arc;

use base::{ExactTime, Span, Type, Value};
use ir::{Graph, NodeId};

use crate::{Text, Timer};

/// A part of a port: the unit of dependency.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// The value.
    Value,
    /// Whether the signal is there at all.
    Present,
    /// The coefficient of an impulse of some order.
    Impulse(u32),
    /// The time derivative of the value of some order, from 1 on: along the flow, not across
    /// jumps. A wire has these parts only where something asks for them.
    Derivative(u32),
}

/// What a leaf of a block's graph stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaf {
    /// A part of the signal at the `port`-th input.
    Input {
        /// Which input, counting every signal of a list.
        port: usize,
        /// Which part.
        part: Part,
    },
    /// A part of the `index`-th history: the signal at an input as it was a delay ago.
    Delayed {
        /// Which history.
        index: usize,
        /// Which part.
        part: Part,
    },
    /// Whether the signal at an input is ever there between events; known before anything runs.
    Lasting {
        /// Which input.
        port: usize,
    },
    /// The `index`-th state, as the last commit left it.
    State(usize),
    /// Whether the `index`-th timer wakes at this microstep.
    Woken(usize),
    /// How often the `index`-th timer has woken, this microstep included.
    Wakings(usize),
    /// Model time \[s\]; in the diagram of a state, its local time.
    Time,
    /// The time \[s\] since the fragment that the block is in was entered.
    Elapsed,
    /// Whether this is a microstep from 1 on, not the smooth phase or its left limit.
    Ticking,
    /// The length of the step that leads to this point \[s\], in a run by fixed steps.
    Step,
}

/// A signal as nodes of a block's graph.
#[derive(Clone, Debug)]
pub struct Signal {
    /// The value; without meaning where absent.
    pub value: NodeId,
    /// Whether it is present.
    pub present: NodeId,
    /// The coefficients of the impulses of order 0, 1, ...; zero where there are fewer.
    pub impulses: Vec<NodeId>,
}

/// A state of a block.
#[derive(Clone, Debug)]
pub struct State {
    /// What it is called in messages.
    pub name: Text,
    /// Its type.
    pub ty: Type,
    /// Its value at the start.
    pub initial: Value,
    /// Its value after the commit of a tag. While smooth and at microstep 0 this must be the state
    /// itself or, for memories of the left limit, an input.
    pub next: NodeId,
    /// Its time derivative between events, for continuous states.
    pub derivative: Option<NodeId>,
    /// What it remembers in a run by fixed steps.
    pub memory: Memory,
}

/// What a state remembers in a run by fixed steps.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub enum Memory {
    /// What events have made of it.
    #[default]
    Events,
    /// Something of the point before, another one at every point.
    Point,
    /// Something of this point before its events.
    Left,
}

/// The past of an input, read a constant delay ago. Its parts need nothing of this instant, so
/// reading it breaks every loop.
#[derive(Clone, PartialEq, Debug)]
pub struct DelayedInput {
    /// The input, counting every signal of a list.
    pub port: usize,
    /// How long ago it is read; positive.
    pub delay: ExactTime,
    /// What it was before the start.
    pub initial: Value,
}

/// A condition under which an operation has no meaning.
#[derive(Clone, Debug)]
pub struct Check {
    /// True where it has none.
    pub undefined: NodeId,
    /// Why, as a sentence.
    pub reason: String,
}

/// Two conditions whose order matters: where they hold at different microsteps of one instant the
/// run goes on, with a warning.
#[derive(Clone, Debug)]
pub struct OrderHazard {
    /// The one.
    pub first: NodeId,
    /// The other.
    pub second: NodeId,
    /// What it means that both hold, as a sentence.
    pub reason: String,
}

/// An operator of an expression that needs several signals at the same tags.
#[derive(Clone, Debug)]
pub struct Join {
    /// How it is written, such as `-` or `max`.
    pub operator: &'static str,
    /// Whether each of its operands is present, and where that was written.
    pub operands: Vec<(NodeId, Span)>,
    /// Whether it is used: false where a conditional takes another branch.
    pub used: NodeId,
}

/// A block with its parameters and the types of its inputs settled, as functions.
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
    /// How many orders of derivatives the functions ask of each input, counting every signal of a
    /// list.
    pub demands: Vec<u32>,
    /// The states.
    pub states: Vec<State>,
    /// The pasts of inputs.
    pub histories: Vec<DelayedInput>,
    /// The timers.
    pub timers: Vec<Arc<dyn Timer>>,
    /// Conditions that must not hold at a tick.
    pub checks: Vec<Check>,
    /// Conditions whose order at one instant matters.
    pub hazards: Vec<OrderHazard>,
    /// The greatest step \[s\] that sees what the block does; infinite where it does not matter.
    pub maximum_step: f64,
}

impl Definition {
    /// The inputs whose presence is taken for granted where a loop says nothing of it: those with a
    /// history, and those that are asked whether they last.
    pub fn remembered_ports(&self) -> Vec<usize> {
        let lasting = self.leaves.iter().filter_map(|leaf| match leaf {
            Leaf::Lasting { port } => Some(*port),
            _ => None,
        });
        self.histories.iter().map(|history| history.port).chain(lasting).collect()
    }

    /// How many orders of derivatives are read of a history.
    pub fn delayed_derivatives(&self, history: usize) -> u32 {
        let order = |leaf: &Leaf| match leaf {
            Leaf::Delayed { index, part: Part::Derivative(order) } if *index == history => *order,
            _ => 0,
        };
        self.leaves.iter().map(order).max().unwrap_or(0)
    }

    /// The type of an output's value.
    pub fn output_type(&self, port: usize) -> Type {
        self.graph.ty(self.outputs[port].value)
    }
}
