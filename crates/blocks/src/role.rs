//! The role of a block in the stages that handle it specially.

/// The role of a block in the stages that handle it specially.
///
/// A stage reads what a block does from its definition. For a few blocks that is not enough: a
/// warning concerns one kind of block, the explanation of an instant mentions clocks, and a figure
/// writes an expression into the block that names it. Such code asks for the role, not for the
/// name, because a name says nothing about a block that a user has written or replaced.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub enum Role {
    /// Only its definition matters.
    #[default]
    Ordinary,
    /// An expression at an input of another block, which is a separate block in the flat diagram.
    Formula,
    /// Names the expression at its only input.
    NamedExpression,
    /// Produces evenly spaced events.
    Clock,
    /// Integrates its first input; its first state is its output.
    Integrator,
    /// Produces an event when its input crosses its parameter `level`, in the direction given by
    /// its parameter `direction`.
    LevelCrossing,
    /// Samples a signal at events.
    Sample,
    /// An output of a state machine, which joins the outputs of the diagrams of the states.
    MachineOutput,
    /// The condition of a transition that a state has lasted for a given time.
    After,
    /// Any other block that is part of a state machine.
    MachinePart,
    /// Looks values up and compares moving signals for equality; where that changes something, it
    /// locates the change itself.
    Located,
    /// Ends the run, so that it has a use even if nothing reads it.
    Ends,
    /// Draws random numbers, which its path distinguishes from those of others.
    Random,
    /// A signal from outside the model, whose states are written by whoever holds the run.
    Outside,
}

impl Role {
    /// Whether the engine writes the states of the block: it belongs to a state machine, whose
    /// transitions do, or its values come from outside.
    pub fn is_written(self) -> bool {
        matches!(self, Role::MachineOutput | Role::After | Role::MachinePart | Role::Outside)
    }
}
