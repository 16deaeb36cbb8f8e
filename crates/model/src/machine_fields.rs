//! The fields of a `Modal`, of its states and of their transitions, with what each is for: the
//! parser knows no other names, and the schema and the page of `Modal` are made from these.

/// A field of a part of a state machine.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What stands there.
    pub kind: FieldKind,
    /// What it is for.
    pub about: &'static str,
}

/// What stands at a field.
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
    /// As `parameters`, `outputs`, `blocks` and `solve` of a diagram.
    AsInDiagrams,
    /// A mapping from names to states.
    States,
    /// A list of transitions.
    Transitions,
}

const fn field(name: &'static str, kind: FieldKind, about: &'static str) -> Field {
    Field { name, kind, about }
}

/// The fields of a `Modal`.
pub const MODAL_FIELDS: [Field; 6] = [
    field("type", FieldKind::Text, "`Modal`."),
    field("description", FieldKind::Text, "What it is, for the reader."),
    field(
        "parameters",
        FieldKind::AsInDiagrams,
        "Values that all its states see and that transitions may set.",
    ),
    field(
        "outputs",
        FieldKind::Names,
        "The names of its outputs; where this is left out, those of its states and transitions.",
    ),
    field(
        "initial",
        FieldKind::State,
        "The state in which it starts; it may be left out where there is one state only.",
    ),
    field("states", FieldKind::States, "The states, by their names."),
];

/// The fields of a state.
pub const STATE_FIELDS: [Field; 10] = [
    field("description", FieldKind::Text, "What it is, for the reader."),
    field(
        "parameters",
        FieldKind::AsInDiagrams,
        "Values that its blocks see and that transitions into it may set; they keep what was set.",
    ),
    field(
        "outputs",
        FieldKind::AsInDiagrams,
        "What the outputs of the machine are while it is here: a mapping from names to expressions, \
         or a list of blocks. An output that is not mentioned is absent.",
    ),
    field(
        "blocks",
        FieldKind::AsInDiagrams,
        "The blocks that run while the machine is here. They see the names around the machine.",
    ),
    field("solve", FieldKind::AsInDiagrams, "Algebraic loops to solve, as in a diagram."),
    field("tolerance", FieldKind::AsInDiagrams, "The tolerance of the states in it."),
    field(
        "domain",
        FieldKind::AsInDiagrams,
        "`discrete` where everything in it happens at events.",
    ),
    field(
        "like",
        FieldKind::State,
        "The state whose diagram it shares, in place of one of its own.",
    ),
    field("final", FieldKind::Flag, "Whether the machine is done here; there is no way out then."),
    field("transitions", FieldKind::Transitions, "The ways out, in any order."),
];

/// The fields of a transition.
pub const TRANSITION_FIELDS: [Field; 12] = [
    field("to", FieldKind::State, "The state that it leads to, which may be its own."),
    field(
        "when",
        FieldKind::Expression,
        "The guard: an expression that is true or false, over the names of the state and those \
         around the machine; `elapsed` is how long the state has lasted. Where it is left out it is \
         met.",
    ),
    field(
        "after",
        FieldKind::Expression,
        "How long the state must have lasted [s], as an exact constant; with `when`, both must hold.",
    ),
    field(
        "set",
        FieldKind::Actions,
        "What parameters of the machine or of the other state, and states of its blocks, become. \
         The values are computed in the state that is left; what is absent there is not set.",
    ),
    field("output", FieldKind::Actions, "What outputs say, once, at the next microstep."),
    field(
        "history",
        FieldKind::Flag,
        "Whether the other state's diagram goes on where it was left, with its time; otherwise it \
         starts anew.",
    ),
    field(
        "immediate",
        FieldKind::Flag,
        "Whether it is tried as soon as the state is entered, in the same microstep; not with \
         `after`.",
    ),
    field(
        "preemptive",
        FieldKind::Flag,
        "Whether it comes before what the state's diagram does: the outputs are silent and nothing \
         inside changes where it is taken.",
    ),
    field(
        "priority",
        FieldKind::Expression,
        "A whole number, 0 where it is left out: of transitions of one kind that are met at once the \
         one with the smallest number is taken.",
    ),
    field("default", FieldKind::Flag, "Whether it is taken only where no other one is."),
    field(
        "nondeterministic",
        FieldKind::Flag,
        "Whether it may be one of several that are met at once; the seed draws one.",
    ),
    field(
        "error",
        FieldKind::Flag,
        "Whether it is the way out where the state fails, in its diagram, in a guard or in what a \
         transition sets: a value that is not finite, an operation without meaning, a loop or step \
         without a solution.",
    ),
];
