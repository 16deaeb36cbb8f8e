//! Signals from outside: the states that whoever holds a run writes.

use blocks::{InputKind, Outside};
use diagram::{BlockId, Diagram};

use crate::slots::Slots;
use crate::tracked::StateId;

base::typed_id! {
    /// A signal from outside: an input of the main diagram, or a tunable parameter.
    InputId
}

/// A signal from outside.
#[derive(Clone, Copy, Debug)]
pub struct InputProgram {
    /// Its block.
    pub block: BlockId,
    /// How it goes on between the times at which it is set.
    pub kind: InputKind,
    /// The number of its elements.
    pub length: usize,
    /// Whether a run must be given it.
    pub required: bool,
    /// The first of its states, which are those that [`Outside`] defines.
    first: StateId,
}

impl InputProgram {
    /// The state with its value; of a polynomial, the coefficient of an order.
    pub fn value(&self, order: usize) -> StateId {
        match self.kind {
            InputKind::Continuous => self.first.plus(Outside::ORIGIN + 1 + order),
            InputKind::Held | InputKind::Event => self.first,
        }
    }

    /// The state with the time at which its polynomial begins \[s\].
    pub fn origin(&self) -> Option<StateId> {
        (self.kind == InputKind::Continuous).then(|| self.first.plus(Outside::ORIGIN))
    }

    /// The state that says whether an event is present.
    pub fn present(&self) -> Option<StateId> {
        (self.kind == InputKind::Event).then(|| self.first.plus(Outside::PRESENT))
    }

    /// All of its states.
    pub fn states(&self) -> impl Iterator<Item = StateId> {
        let coefficients = match self.kind {
            InputKind::Continuous => Outside::COEFFICIENTS,
            InputKind::Held | InputKind::Event => 1,
        };
        let values = (0..coefficients).map(|order| self.value(order));
        let own = *self;
        values.chain(own.origin()).chain(own.present()).collect::<Vec<_>>().into_iter()
    }
}

/// The signals from outside of a diagram.
pub(crate) fn inputs(diagram: &Diagram, slots: &Slots) -> base::Table<InputId, InputProgram> {
    let input = |input: &diagram::DiagramInput| InputProgram {
        block: input.block,
        kind: input.kind,
        required: input.required,
        length: diagram.wire(diagram.block(input.block).outputs[0]).ty.len(),
        first: slots.first_state[input.block.index()],
    };
    diagram.inputs.iter().map(input).collect()
}
