//! Delayed inputs, and derivatives along the flow.

use base::{Elem, ExactTime, Time, Type, Value};
use ir::NodeId;

use super::{Connection, Context};
use crate::{DelayedInput, Leaf, Part, Pending, Signal, SignalDelay, Timing, VariableDelay};

impl Context<'_> {
    /// The only signal of an input, delayed, with the value `initial` before the start. Events and
    /// impulses keep their microstep. None of its parts depends on the current instant.
    pub fn delayed(&mut self, name: &str, delay: impl Into<ExactTime>, initial: Value) -> Signal {
        let delay = delay.into();
        self.limit_step(delay.seconds());
        self.delayed_events(name, delay, initial)
    }

    /// Like [`Context::delayed`], for an input that takes only events: nothing is read between
    /// events, so the delay does not limit the steps of the solver.
    pub fn delayed_events(
        &mut self,
        name: &str,
        delay: impl Into<ExactTime>,
        initial: Value,
    ) -> Signal {
        let delay = delay.into();
        let position = self.position(name);
        let port: usize = self.connections[..position].iter().map(Vec::len).sum();
        let Connection { ty, orders } = self.connections[position][0];
        let index = self.histories.len();
        self.histories.push(DelayedInput { port, delay, timing: Timing::Constant, initial });
        let part = |part| Leaf::Delayed { index, part };
        let value = self.leaf(part(Part::Value), ty);
        let present = self.leaf(part(Part::Present), Type::BOOL);
        let impulses = (0..orders).map(|order| self.leaf(part(Part::Impulse(order)), ty)).collect();
        Signal { value, present, impulses }
    }

    /// The only signal of an input that takes events, each delayed by the value that the input
    /// `delay` has at its tag \[s\]; events at the optional input `cancel`, if it is connected, take back those
    /// that are still to come. An event comes at the microstep that it had, or at the next one
    /// that is free; with a delay of 0, at the next microstep.
    pub fn variably_delayed(
        &mut self,
        name: &str,
        [delay, cancel]: [&str; 2],
        pending: Pending,
    ) -> Signal {
        let first = |name: &str| -> usize {
            self.connections[..self.position(name)].iter().map(Vec::len).sum()
        };
        let cancel = self.connections[self.position(cancel)].first().map(|_| first(cancel));
        let timing = Timing::Events(VariableDelay { port: first(delay), cancel, pending });
        let ty = self.connections[self.position(name)][0].ty;
        let none = Value::new(ty, vec![0.0; ty.len()]);
        let signal = self.delayed_events(name, ExactTime::from(Time::ZERO), none);
        let history = self.histories.last_mut().expect("a history was just added");
        history.timing = timing;
        signal
    }

    /// The only signal of an input, delayed by the value of another input \[s\], which moves
    /// continuously and is at most `maximum`, with the value `initial` before the start. Jumps,
    /// events and impulses come when the position that is read, time minus the delay, passes them.
    pub fn delayed_by_signal(
        &mut self,
        name: &str,
        delay: &str,
        maximum: impl Into<ExactTime>,
        initial: Value,
    ) -> Signal {
        let port = self.connections[..self.position(delay)].iter().map(Vec::len).sum();
        let index = self.histories.len();
        let signal = self.delayed_events(name, maximum, initial);
        let now = self.now();
        let value = self.leaf(Leaf::Input { port, part: Part::Value }, Type::REAL);
        let position = self.graph.sub(now, value);
        let passing = [false, true].map(|upper| {
            let bound = self.leaf(Leaf::Bound { index, upper }, Type::REAL);
            self.graph.frozen_sign(position, bound)
        });
        self.located.extend(passing);
        let history = self.histories.last_mut().expect("a history was just added");
        history.timing = Timing::Signal(SignalDelay { port, passing });
        signal
    }

    /// The time derivatives of a node along the flow, from order 1 on. Whatever is constant between
    /// events has derivative 0.
    pub fn derivatives(&mut self, node: NodeId, orders: u32) -> Vec<NodeId> {
        let mut last = node;
        (0..orders)
            .map(|_| {
                last = self.differentiate(last);
                last
            })
            .collect()
    }

    /// The time derivative of a node along the flow: inputs change by their own derivatives,
    /// continuous states by their rates, and time at rate 1.
    fn differentiate(&mut self, node: NodeId) -> NodeId {
        let mut seeds = ir::Seeds::default();
        for id in self.graph.reachable(&[node]) {
            let ty = self.graph.ty(id);
            let ir::Op::Leaf(key) = self.graph.node(id).op else { continue };
            let tangent = match self.leaves[key as usize] {
                Leaf::Input { port, part: Part::Value } if ty.elem == Elem::Real => {
                    self.leaf(Leaf::Input { port, part: Part::Derivative(1) }, ty)
                }
                Leaf::Input { port, part: Part::Derivative(order) } => {
                    self.leaf(Leaf::Input { port, part: Part::Derivative(order + 1) }, ty)
                }
                Leaf::Delayed { index, part: Part::Value } if ty.elem == Elem::Real => {
                    self.delayed_derivative(index, 1, ty)
                }
                Leaf::Delayed { index, part: Part::Derivative(order) } => {
                    self.delayed_derivative(index, order + 1, ty)
                }
                Leaf::State(index) => match self.states[index].derivative {
                    Some(rate) => self.graph.splat(rate, ty.shape),
                    None => continue,
                },
                Leaf::Time | Leaf::Elapsed => self.graph.real(1.0),
                _ => continue,
            };
            seeds.insert(id, tangent);
        }
        let moved = ir::tangents(&mut self.graph, &seeds, &[node])[0];
        let ty = self.graph.ty(node).with_elem(Elem::Real);
        moved.unwrap_or_else(|| self.graph.filled(ty, 0.0))
    }

    /// The time derivative of a delayed part of the order below: the delayed derivative, times the
    /// rate at which the position moves that is read.
    fn delayed_derivative(&mut self, index: usize, order: u32, ty: Type) -> NodeId {
        let delayed = self.leaf(Leaf::Delayed { index, part: Part::Derivative(order) }, ty);
        let Some(SignalDelay { port, .. }) = self.histories[index].timing.signal() else {
            return delayed;
        };
        let pace = self.pace_at(port);
        let pace = self.graph.splat(pace, ty.shape);
        self.graph.mul(delayed, pace)
    }

    /// The rate at which time minus the value of an input moves.
    pub fn pace(&mut self, name: &str) -> NodeId {
        let port = self.connections[..self.position(name)].iter().map(Vec::len).sum();
        self.pace_at(port)
    }

    fn pace_at(&mut self, port: usize) -> NodeId {
        let slope = self.leaf(Leaf::Input { port, part: Part::Derivative(1) }, Type::REAL);
        let one = self.graph.real(1.0);
        self.graph.sub(one, slope)
    }
}
