//! What a block is to the stages that handle it specially.

/// What a block is to the stages that handle it specially.
///
/// A stage reads what a block does from its definition. For a few blocks that is not enough: a
/// warning is about one kind of block, an explanation of an instant has a word for a clock, and a
/// picture writes an expression into the block that names it. Such code asks for the role and not
/// for the name, because a name says nothing about a block that a user has written or replaced.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub enum Role {
    /// Nothing but its definition matters.
    #[default]
    Ordinary,
    /// An expression at an input of another block, which is a block of its own in the flat diagram.
    Formula,
    /// Gives a name to the expression at its only input.
    NamedExpression,
    /// Gives events at evenly spaced times.
    Clock,
    /// Integrates its first input, and its first state is its output.
    Integrator,
    /// Gives events where its input crosses its parameter `level`, in the direction that its
    /// parameter `direction` names.
    LevelCrossing,
    /// Gives the value of a signal at events.
    Sample,
    /// An output of a state machine, which joins what the diagrams of the states give.
    MachineOutput,
    /// The condition of a transition that a state has lasted a given time.
    After,
    /// Any other block that a state machine is made of.
    MachinePart,
}

impl Role {
    /// Whether the block belongs to a state machine, whose transitions write the states of its
    /// blocks.
    pub fn is_of_machine(self) -> bool {
        matches!(self, Role::MachineOutput | Role::After | Role::MachinePart)
    }
}
