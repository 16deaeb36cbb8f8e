//! What a block needs whose behaviour comes from outside of the model: an instance, times and events
//! that only a run knows, and a word at the end of each step.

use std::sync::Arc;

use base::{Elem, Type, Value};
use ir::NodeId;

use super::Context;
use crate::{Alarm, Begins, Completion, Component, Leaf, Text};

impl Context<'_> {
    /// The number of the instance of something outside of the model that belongs to the run; the only
    /// one of the block.
    pub fn instance(&mut self, component: Arc<dyn Component>) -> NodeId {
        self.component = Some((self.states.len(), component));
        let state = self.state("instance", Value::real(0.0));
        self.state_of(state).begins = Begins::Instance;
        // A state that nothing changes would be taken for the constant that it begins with.
        let (ticking, zero) = (self.ticking(), self.graph.real(0.0));
        let same = self.graph.add(state, zero);
        let next = self.graph.select(ticking, same, state);
        self.next(state, next);
        state
    }

    /// A state that has a time \[s\], from minus infinity on, and whether the block wakes because that
    /// time has come: at first when the diagram that it is in begins, then once for each time that
    /// the state takes, as [`Alarm`] has it.
    pub fn alarm(&mut self, name: impl Into<Text>) -> (NodeId, NodeId) {
        let state = self.state(name, Value::real(f64::NEG_INFINITY));
        let alarm = Alarm { state: self.states.len() - 1 };
        let (woken, _) = self.timer(Arc::new(alarm));
        (state, woken)
    }

    /// Has a number computed where a step of the solver ends and is not taken back; if it is not
    /// zero, a timer wakes there, whose leaf this is.
    pub fn ask_at_steps(&mut self, woken: NodeId, asks: NodeId) {
        let ir::Op::Leaf(key) = self.graph.node(woken).op else { panic!("not a timer") };
        let Leaf::Woken(timer) = self.leaves[key as usize] else { panic!("not a timer") };
        self.completions.push(Completion { asks, timer });
    }

    /// The changes of sides that are named later, by [`Context::watch`], because what they are sides
    /// of follows from these changes.
    pub fn crossing(&mut self, ty: Type) -> NodeId {
        self.watched.push(None);
        self.leaf(Leaf::Crossed(self.watched.len() - 1), ty.with_elem(Elem::Int))
    }

    /// Locates zeros of a function between events: those whose changes of side are a leaf of
    /// [`Context::crossing`].
    pub fn watch(&mut self, crossing: NodeId, function: NodeId) {
        let ir::Op::Leaf(key) = self.graph.node(crossing).op else { panic!("not a crossing") };
        let Leaf::Crossed(index) = self.leaves[key as usize] else { panic!("not a crossing") };
        let zero = self.graph.filled(self.graph.ty(function), 0.0);
        let side = self.graph.frozen_sign(function, zero);
        self.watched[index] = Some(side);
        self.located.push(side);
    }
}
