//! The fields of a `Modal`, of its states and of their transitions, with their purposes. The parser
//! accepts no other names, and the schema and the page of `Modal` are generated from these.

/// A field of a block of the language, such as a state machine, or of a part of it.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: FieldKind,
    /// Its purpose.
    pub about: &'static str,
}

/// The kind of value of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// A word or a sentence.
    Text,
    /// The name of a state.
    State,
    /// `true` or `false`.
    Flag,
    /// One expression.
    Expression,
    /// A mapping from names to expressions.
    Actions,
    /// A list of names.
    Names,
    /// `true`, a list of names, or a mapping from names to expressions.
    Held,
    /// The same as `parameters`, `outputs`, `blocks` and `solve` of a diagram.
    AsInDiagrams,
    /// A mapping from names to states.
    States,
    /// A list of transitions.
    Transitions,
    /// A mapping from names to states with rates.
    Rates,
}

impl Field {
    pub(crate) const fn new(name: &'static str, kind: FieldKind, about: &'static str) -> Field {
        Field { name, kind, about }
    }
}

/// The fields of a `Modal`.
pub const MODAL_FIELDS: [Field; 8] = [
    Field::new("type", FieldKind::Text, "`Modal`."),
    Field::new("description", FieldKind::Text, "A description for the reader."),
    Field::new(
        "parameters",
        FieldKind::AsInDiagrams,
        "Values that all its states can use and that transitions can set.",
    ),
    Field::new(
        "outputs",
        FieldKind::Names,
        "The names of its outputs; if omitted, those that its states and transitions give.",
    ),
    Field::new(
        "initial",
        FieldKind::State,
        "The initial state; optional if there is only one state.",
    ),
    Field::new(
        "hold",
        FieldKind::Held,
        "The outputs that keep their last value in states that do not give them: `true` for all, a \
         list, or a mapping to their values before any state gives them.",
    ),
    Field::new(
        "sliding",
        FieldKind::Text,
        "`filippov` or `error`, for the comparisons in its states: see the setting `sliding`.",
    ),
    Field::new("states", FieldKind::States, "The states by name."),
];

/// The fields of a state.
pub const STATE_FIELDS: [Field; 10] = [
    Field::new("description", FieldKind::Text, "A description for the reader."),
    Field::new(
        "parameters",
        FieldKind::AsInDiagrams,
        "Values that its blocks can use and that transitions into it can set; a parameter keeps the \
         last value that was set.",
    ),
    Field::new(
        "outputs",
        FieldKind::AsInDiagrams,
        "The outputs of the machine while it is in this state: a mapping from names to expressions, \
         or a list of blocks. An output that is not listed is absent.",
    ),
    Field::new(
        "blocks",
        FieldKind::AsInDiagrams,
        "The blocks that run while the machine is in this state. They can use the names that are \
         visible around the machine.",
    ),
    Field::new("solve", FieldKind::AsInDiagrams, "Algebraic loops to solve, as in a diagram."),
    Field::new(
        "tolerance",
        FieldKind::AsInDiagrams,
        "The tolerance of the continuous states in it.",
    ),
    Field::new(
        "domain",
        FieldKind::AsInDiagrams,
        "`discrete` if everything in it happens at events.",
    ),
    Field::new(
        "like",
        FieldKind::State,
        "The state whose diagram this state shares instead of having its own.",
    ),
    Field::new(
        "final",
        FieldKind::Flag,
        "Whether the machine is done here; a final state has no transitions.",
    ),
    Field::new(
        "transitions",
        FieldKind::Transitions,
        "The transitions out of this state, in any order.",
    ),
];

/// The fields of a transition.
pub const TRANSITION_FIELDS: [Field; 12] = [
    Field::new("to", FieldKind::State, "The target state, which may be the source state itself."),
    Field::new(
        "when",
        FieldKind::Expression,
        "The guard: a boolean expression over the names of the state and those around the machine; \
         `elapsed` is the time since the state was entered. If omitted, the guard is true.",
    ),
    Field::new(
        "after",
        FieldKind::Expression,
        "The time that must have passed since the state was entered [s], an exact constant; with \
         `when`, both must hold.",
    ),
    Field::new(
        "set",
        FieldKind::Actions,
        "New values for parameters of the machine or of the target state, and for states of the \
         target state's blocks. The values are computed in the source state; a value that is absent \
         there is not set.",
    ),
    Field::new(
        "output",
        FieldKind::Actions,
        "Values to emit at outputs, once, at the next microstep.",
    ),
    Field::new(
        "history",
        FieldKind::Flag,
        "Whether the target state's diagram resumes where it was left, including its local time; \
         otherwise it restarts from its initial values.",
    ),
    Field::new(
        "immediate",
        FieldKind::Flag,
        "Whether it is tried as soon as the source state is entered, in the same microstep; cannot be \
         combined with `after`.",
    ),
    Field::new(
        "preemptive",
        FieldKind::Flag,
        "Whether it takes precedence over the state's diagram: at the microstep at which it is taken, \
         the diagram's outputs are absent and nothing inside it changes.",
    ),
    Field::new(
        "priority",
        FieldKind::Expression,
        "An integer, 0 if omitted: of several enabled transitions of the same kind, the one with the \
         smallest number is taken.",
    ),
    Field::new("default", FieldKind::Flag, "Whether it is taken only if no other transition is."),
    Field::new(
        "nondeterministic",
        FieldKind::Flag,
        "Whether it may be one of several that are enabled at once; the seed of the run selects one.",
    ),
    Field::new(
        "error",
        FieldKind::Flag,
        "Whether it is taken when the state fails, in its diagram, in a guard or in a value that a \
         transition sets: a NaN or infinite value, an undefined operation, a loop or step without a \
         solution.",
    ),
];
