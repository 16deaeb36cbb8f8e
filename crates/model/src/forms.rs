//! The blocks that belong to the language and not to a library: their content is written where they
//! are used, so that no description of ports and parameters could say what they may have.

use crate::{Field, FieldKind};

/// A block of the language.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Its name, which no diagram may have, or what a model writes instead.
    pub name: &'static str,
    /// The category in which a user would look for it.
    pub category: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Names under which users of other tools know it.
    pub aliases: &'static [&'static str],
}

impl Form {
    /// Whether users of other tools know it by a name. Spaces and capitals do not count.
    pub fn is_known_as(&self, name: &str) -> bool {
        let plain = |name: &str| name.to_lowercase().replace(' ', "");
        self.aliases.iter().any(|alias| plain(alias) == plain(name))
    }
}

/// A state machine.
pub const MODAL: Form = Form {
    name: "Modal",
    category: "Modes",
    summary: "A state machine whose states have their own diagrams; only the current state's \
              diagram runs.",
    aliases: &[
        "ModalModel",
        "State Machine",
        "FSM",
        "Chart",
        "Stateflow",
        "Hybrid Automaton",
        "FSMActor",
        "RSFlipFlop",
        "Flip-Flop",
        "Switch Case",
        "If Action Subsystem",
    ],
};

/// A system of differential equations.
pub const DIFFERENTIAL_SYSTEM: Form = Form {
    name: "DifferentialSystem",
    category: "Continuous",
    summary: "A system of differential equations, written as the rates of its states.",
    aliases: &[
        "Differential Equation Editor",
        "DEE",
        "ODE",
        "ODEs",
        "Equations",
        "Model Equations",
    ],
};

/// A model of another tool.
pub const FMU: Form = Form {
    name: "FMU",
    category: "Foreign",
    summary: "A model of another tool, from a file of the Functional Mock-up Interface (FMI).",
    aliases: &["FMI", "Functional Mock-up Unit", "FMU Import", "Co-Simulation", "CoSimulation"],
};

/// All of them.
pub const FORMS: [Form; 3] = [MODAL, DIFFERENTIAL_SYSTEM, FMU];

/// The fields of an `FMU`.
pub const FMU_FIELDS: [Field; 8] = [
    Field::new("type", FieldKind::Text, "`FMU`."),
    Field::new("file", FieldKind::Text, "The path of the file, relative to the model file."),
    Field::new(
        "period",
        FieldKind::Expression,
        "The time between two communication points [s], exact as that of a `Clock`; by default the \
         step size of the file's default experiment.",
    ),
    Field::new("offset", FieldKind::Expression, "The first communication point [s], 0 if omitted."),
    Field::new(
        "process",
        FieldKind::Text,
        "`own`, which is the default, or `here`: where its library runs.",
    ),
    Field::new(
        "time_limit",
        FieldKind::Expression,
        "How long its process may take for one step [s], 60 if omitted.",
    ),
    Field::new("NAME of an input", FieldKind::Expression, "What the input is connected to."),
    Field::new(
        "NAME of a parameter or a start value",
        FieldKind::Expression,
        "Its value; by default that in the file.",
    ),
];

/// The fields of a `DifferentialSystem`.
pub const SYSTEM_FIELDS: [Field; 12] = [
    Field::new("type", FieldKind::Text, "`DifferentialSystem`."),
    Field::new("description", FieldKind::Text, "A description for the reader."),
    Field::new("for", FieldKind::Actions, "Indices and their counts, for an array of systems."),
    Field::new(
        "parameters",
        FieldKind::AsInDiagrams,
        "Constants that only this system uses. It also sees all names around it.",
    ),
    Field::new(
        "inputs",
        FieldKind::Actions,
        "Signals under names of its own: expressions over the names around it.",
    ),
    Field::new("states", FieldKind::Rates, "The states by name, each with its rate."),
    Field::new(
        "outputs",
        FieldKind::AsInDiagrams,
        "A mapping from names to expressions, or a list of names; if omitted, the states.",
    ),
    Field::new("tolerance", FieldKind::AsInDiagrams, "The tolerance of its states."),
    Field::new(
        "sliding",
        FieldKind::Text,
        "`filippov` or `error`, for the comparisons in it: see the setting `sliding`.",
    ),
    Field::new(
        "enabled",
        FieldKind::Expression,
        "A condition: while it does not hold, the states keep their values, as in an [enabled \
         diagram](../model-format.md#enabled-and-triggered-diagrams).",
    ),
    Field::new(
        "restart",
        FieldKind::Flag,
        "Whether it starts from its initial values each time it is enabled.",
    ),
    Field::new(
        "hold",
        FieldKind::Held,
        "The outputs that keep their last value while it is not enabled.",
    ),
];

/// The fields of a state of a `DifferentialSystem`.
pub const RATE_FIELDS: [Field; 4] = [
    Field::new("rate", FieldKind::Expression, "The derivative of the state with respect to time."),
    Field::new(
        "initial",
        FieldKind::Expression,
        "The initial value, 0 if omitted; a vector or a matrix makes the state one.",
    ),
    Field::new("impulse", FieldKind::Expression, "Events whose values are added to the state."),
    Field::new("reset", FieldKind::Expression, "Events whose values replace the state."),
];
