//! The inputs of a block at a failure, for the message about it.

use base::Tag;
use program::{BlockId, Program, TrackedId, WireId};

use crate::{RunError, Simulation};

/// A signal that the block of an error reads.
#[derive(Clone, PartialEq, Debug)]
pub struct InputValue {
    /// The name of the signal.
    pub name: String,
    /// Its value; none if it is absent.
    pub value: Option<Vec<f64>>,
    /// Its impulses, each with its order.
    pub impulses: Vec<(usize, Vec<f64>)>,
}

/// The buffer at the time of a failure, and its program.
struct Failed<'a> {
    program: &'a Program,
    slots: &'a [f64],
}

impl Simulation {
    /// The inputs of the block that an error names, at the point that the run has reached. An input
    /// that is not finite itself is replaced by those that it was computed from. The result is
    /// meaningful only right after that error.
    pub fn inputs_of(&self, error: &RunError) -> Vec<InputValue> {
        Failed { program: self.program(), slots: &self.snapshot().slots }.inputs_of(error)
    }
}

impl Failed<'_> {
    fn inputs_of(&self, error: &RunError) -> Vec<InputValue> {
        // Events that accumulate and loops that stay unknown have no values that caused them.
        let Some(tag) = error.tag() else { return Vec::new() };
        let Some(block) = error.failed() else { return Vec::new() };
        if matches!(error, RunError::NotFinite { .. }) && !self.shows_fault(block, tag) {
            return Vec::new();
        }
        let (mut seen, mut inputs) = (Vec::new(), Vec::new());
        let mut waiting = self.read_by(block);
        while let Some(wire) = waiting.pop() {
            if seen.contains(&wire) {
                continue;
            }
            seen.push(wire);
            let input = self.input(wire, tag.microstep == 0);
            let broken = input.value.iter().flatten().any(|x| !x.is_finite());
            let sources = self.read_by(self.program.origins.source(wire));
            match broken && !sources.is_empty() {
                true => waiting.extend(sources),
                false => inputs.push(input),
            }
        }
        inputs
    }

    /// Whether the buffer is at the point where the value of a block is not finite. The solver may
    /// have encountered it elsewhere in its step, and other values would not explain it.
    fn shows_fault(&self, block: BlockId, tag: Tag) -> bool {
        let outputs = self.program.origins.block(block).outputs.iter();
        let tried = |wire: &WireId| self.program.value_of(*wire, self.slots);
        tag.microstep > 0 || outputs.filter_map(tried).flatten().any(|x| !x.is_finite())
    }

    /// The inputs of a block, the last one first.
    fn read_by(&self, block: BlockId) -> Vec<WireId> {
        self.program.origins.block(block).inputs.iter().rev().copied().collect()
    }

    fn input(&self, wire: WireId, between: bool) -> InputValue {
        // Between events the solver has tried values. Signals that do not move are as the last tick
        // left them, and so is everything at a tick.
        let tried = self.program.value_of(wire, self.slots).filter(|_| between);
        let value = tried.or_else(|| self.value_at_tick(wire));
        let orders = self.program.wires[wire].impulses.iter().enumerate();
        let impulses = orders
            .map(|(order, tracked)| (order, self.values(*tracked)))
            .filter(|(_, weight)| !between && weight.iter().any(|w| *w != 0.0))
            .collect();
        InputValue { name: self.program.origins.wire_name(wire), value, impulses }
    }

    fn values(&self, tracked: TrackedId) -> Vec<f64> {
        self.slots[self.program.tracked(tracked).range()].to_vec()
    }

    fn value_at_tick(&self, wire: WireId) -> Option<Vec<f64>> {
        let parts = &self.program.wires[wire];
        let present = self.program.tracked(parts.present).slot.index();
        (self.slots[present] != 0.0).then(|| self.values(parts.value))
    }
}
