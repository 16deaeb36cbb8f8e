//! Fixed-step runs: what blocks need if time advances from point to point instead of continuously.
//!
//! The two formulas are those of the numerical approach to impulses: an integrator grows by `h *
//! input(t)`, the right Riemann sum, and a derivative is `(input(t) - input(t - h)) / h`, where h
//! is the length of the step that leads to the point. The diagram stage applies the first to every
//! continuous state; the second is implemented here.

use base::{Type, Value};
use ir::{Binary, NodeId};

use crate::{Context, Leaf, Memory, Signal};

/// How a run represents impulses, and with it how time advances.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub enum Impulses {
    /// Coefficients beside the value, between smooth phases integrated by a solver: exact.
    #[default]
    Symbolic,
    /// Coefficients beside the value, with the fixed-step formulas for everything else.
    Stepped,
    /// Large values: the change over a step divided by the length of the step.
    Numeric,
}

impl Impulses {
    /// All of them.
    pub const ALL: [Impulses; 3] = [Impulses::Symbolic, Impulses::Stepped, Impulses::Numeric];

    /// Its name in model files.
    pub fn name(self) -> &'static str {
        match self {
            Impulses::Symbolic => "symbolic",
            Impulses::Stepped => "stepped",
            Impulses::Numeric => "numeric",
        }
    }

    /// The one with this name.
    pub fn named(word: &str) -> Option<Impulses> {
        Impulses::ALL.into_iter().find(|impulses| impulses.name() == word)
    }

    /// Whether the run uses fixed steps.
    pub fn steps(self) -> bool {
        self != Impulses::Symbolic
    }
}

impl Context<'_> {
    /// The length of the step that leads to this point \[s\]; 0 at the start.
    pub fn step(&mut self) -> NodeId {
        self.leaf(Leaf::Step, Type::REAL)
    }

    /// The value of a node at the previous point.
    pub fn before(&mut self, node: NodeId) -> NodeId {
        let ty = self.graph.ty(node);
        let state = self.state("before", Value::new(ty, vec![0.0; ty.len()]));
        self.next(state, node);
        self.remember(state, Memory::Point);
        state
    }

    /// The value of a node at this point before its events.
    pub(crate) fn before_events(&mut self, node: NodeId) -> NodeId {
        let ty = self.graph.ty(node);
        let ticking = self.ticking();
        let state = self.state("left", Value::new(ty, vec![0.0; ty.len()]));
        let value = self.graph.select(ticking, state, node);
        self.next(state, value);
        self.remember(state, Memory::Left);
        value
    }

    /// The change of a node since the previous point, divided by the length of the step; 0 at the
    /// start, which has no previous point.
    pub fn difference(&mut self, node: NodeId) -> NodeId {
        let before = self.before(node);
        self.slope(before, node)
    }

    /// `(to - from) / h`, or 0 at the start.
    pub(crate) fn slope(&mut self, from: NodeId, to: NodeId) -> NodeId {
        let change = self.graph.sub(to, from);
        let (step, zero) = (self.step(), self.graph.real(0.0));
        let quotient = self.graph.div(change, step);
        let ty = self.graph.ty(quotient);
        let none = self.graph.filled(ty, 0.0);
        let moves = self.graph.binary(Binary::Less, zero, step);
        self.graph.select(moves, quotient, none)
    }

    /// An impulse of some order as values: a step that repeated differences turn into a pulse, just
    /// as the derivative of the Heaviside function is the impulse. `jump` is the height of the step
    /// at this point.
    pub(crate) fn pulse(&mut self, jump: NodeId, order: usize) -> Signal {
        let ty = self.graph.ty(jump);
        let level = self.state("level", Value::new(ty, vec![0.0; ty.len()]));
        let mut value = self.graph.add(level, jump);
        self.next(level, value);
        self.remember(level, Memory::Point);
        for _ in 0..=order {
            value = self.difference(value);
        }
        self.always(value)
    }
}
