//! What a block remembers: its states and timers, and signals as they were at earlier microsteps.

use std::sync::Arc;

use base::{Type, Value};
use ir::{Graph, NodeId};

use super::Context;
use crate::{Begins, Leaf, Memory, Signal, State, Text, Timer};

impl Context<'_> {
    /// A state with its initial value. It stays constant unless its `next` is set.
    pub fn state(&mut self, name: impl Into<Text>, initial: Value) -> NodeId {
        let (index, ty) = (self.states.len(), initial.ty());
        let node = self.leaf(Leaf::State(index), ty);
        let (name, memory) = (name.into(), Memory::default());
        let begins = Begins::Initial;
        self.states.push(State { name, ty, initial, next: node, derivative: None, memory, begins });
        node
    }

    /// The seed of the run, in two halves of 32 bits, the higher one first.
    pub fn seed(&mut self) -> NodeId {
        let state = self.state("seed", Value::new(Type::vector(2), vec![0.0; 2]));
        self.state_of(state).begins = Begins::Seed;
        state
    }

    /// A state that counts draws of random numbers from 0 on. A diagram that begins again goes on
    /// counting, so that its numbers are not those that it had before.
    pub fn draws(&mut self) -> NodeId {
        let state = self.state("draws", Value::real(0.0));
        self.state_of(state).begins = Begins::Once;
        state
    }

    pub(super) fn state_of(&mut self, node: NodeId) -> &mut State {
        let ir::Op::Leaf(key) = self.graph.node(node).op else { panic!("not a state") };
        let Leaf::State(index) = self.leaves[key as usize] else { panic!("not a state") };
        &mut self.states[index]
    }

    /// Sets what a state becomes when a tag is committed.
    pub fn next(&mut self, state: NodeId, next: NodeId) {
        self.state_of(state).next = next;
    }

    pub(crate) fn remember(&mut self, state: NodeId, memory: Memory) {
        self.state_of(state).memory = memory;
    }

    /// Sets the time derivative of a state between events.
    pub fn derivative(&mut self, state: NodeId, derivative: NodeId) {
        self.state_of(state).derivative = Some(derivative);
    }

    /// Adds a timer that wakes the block. Returns whether it wakes now, and how many times it has.
    pub fn timer(&mut self, timer: Arc<dyn Timer>) -> (NodeId, NodeId) {
        let index = self.timers.len();
        self.timers.push(timer);
        let woken = self.leaf(Leaf::Woken(index), Type::BOOL);
        (woken, self.leaf(Leaf::Wakings(index), Type::INT))
    }

    /// The value of a signal one microstep ago; in the smooth phase and at microstep 0, the signal
    /// itself. In a fixed-step run, the value at the previous point: there microsteps become steps.
    pub fn previous(&mut self, signal: &Signal) -> Signal {
        if self.impulses.steps() {
            let (value, present) = (self.before(signal.value), self.before(signal.present));
            return Signal { value, present, impulses: Vec::new() };
        }
        let ticking = self.ticking();
        self.remembered("previous", signal, |_, _, new| new, ticking)
    }

    /// The value of a signal at microstep 0 of this instant; in the smooth phase, the signal
    /// itself.
    pub fn left(&mut self, signal: &Signal) -> Signal {
        if self.impulses.steps() {
            let value = self.before_events(signal.value);
            let present = self.before_events(signal.present);
            return Signal { value, present, impulses: Vec::new() };
        }
        let ticking = self.ticking();
        self.remembered("left", signal, |g, old, new| g.select(ticking, old, new), ticking)
    }

    /// The signal just before the current change: one microstep ago, or at this point before its
    /// events.
    pub(crate) fn just_before(&mut self, signal: &Signal) -> Signal {
        if self.impulses.steps() { self.left(signal) } else { self.previous(signal) }
    }

    fn remembered(
        &mut self,
        name: &'static str,
        signal: &Signal,
        next: impl Fn(&mut Graph, NodeId, NodeId) -> NodeId,
        ticking: NodeId,
    ) -> Signal {
        let part = |cx: &mut Self, node: NodeId| {
            let ty = cx.graph.ty(node);
            let state = cx.state(name, Value::new(ty, vec![0.0; ty.len()]));
            let after = next(&mut cx.graph, state, node);
            cx.next(state, after);
            cx.graph.select(ticking, state, node)
        };
        let value = part(self, signal.value);
        let present = part(self, signal.present);
        Signal { value, present, impulses: Vec::new() }
    }
}
