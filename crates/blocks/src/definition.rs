//! A block as functions: what `define` produces and every later stage reads.

use std::sync::Arc;

use base::{Type, Value};
use ir::{Graph, NodeId};

use crate::Timer;

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
    /// The `index`-th state, as the last commit left it.
    State(usize),
    /// Whether the `index`-th timer wakes at this microstep.
    Woken(usize),
    /// How often the `index`-th timer has woken, this microstep included.
    Wakings(usize),
    /// Model time \[s\].
    Time,
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
    pub name: &'static str,
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
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Memory {
    /// What events have made of it.
    #[default]
    Events,
    /// Something of the point before, another one at every point.
    Point,
    /// Something of this point before its events.
    Left,
}

/// A condition under which an operation has no meaning.
#[derive(Clone, Debug)]
pub struct Check {
    /// True where it has none.
    pub undefined: NodeId,
    /// Why, as a sentence.
    pub reason: String,
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
    /// The timers.
    pub timers: Vec<Arc<dyn Timer>>,
    /// Conditions that must not hold at a tick.
    pub checks: Vec<Check>,
    /// The greatest step \[s\] that sees what the block does; infinite where it does not matter.
    pub maximum_step: f64,
}

impl Definition {
    /// The type of an output's value.
    pub fn output_type(&self, port: usize) -> Type {
        self.graph.ty(self.outputs[port].value)
    }
}
