//! The pages of the blocks that belong to the language: tables of what is written in them.

use model::{
    DIFFERENTIAL_SYSTEM, FMU, FMU_FIELDS, Field, FieldKind, Form, MODAL, MODAL_FIELDS, RATE_FIELDS,
    STATE_FIELDS, SYSTEM_FIELDS, TRANSITION_FIELDS,
};

use super::{Page, held};

/// The pages of all blocks of the language.
pub(super) fn pages() -> [Page; 3] {
    let machine = Parts {
        form: MODAL,
        introduction: "[Modes](../modes.md) explains these fields, with examples.",
        tables: &[
            ("A Modal", &MODAL_FIELDS),
            ("A state", &STATE_FIELDS),
            ("A transition", &TRANSITION_FIELDS),
        ],
        outputs: &MODAL_OUTPUTS,
        absence: MODAL_ABSENCE,
        impulses: MODAL_IMPULSES,
        example: MODAL_EXAMPLE,
    };
    let system = Parts {
        form: DIFFERENTIAL_SYSTEM,
        introduction: SYSTEM_INTRODUCTION,
        tables: &[("A DifferentialSystem", &SYSTEM_FIELDS), ("A state", &RATE_FIELDS)],
        outputs: &[("its outputs", "The expressions under `outputs`, or else the states.")],
        absence: SYSTEM_ABSENCE,
        impulses: SYSTEM_IMPULSES,
        example: SYSTEM_EXAMPLE,
    };
    let fmu = Parts {
        form: FMU,
        introduction: FMU_INTRODUCTION,
        tables: &[("An FMU", &FMU_FIELDS)],
        outputs: &[("its outputs", "The outputs of the file that are numbers.")],
        absence: FMU_ABSENCE,
        impulses: FMU_IMPULSES,
        example: "",
    };
    [machine.page(), system.page(), fmu.page()]
}

/// What a page is made of.
struct Parts {
    form: Form,
    introduction: &'static str,
    /// Tables of fields with their titles.
    tables: &'static [(&'static str, &'static [Field])],
    outputs: &'static [(&'static str, &'static str)],
    absence: &'static str,
    impulses: &'static str,
    example: &'static str,
}

impl Parts {
    fn page(&self) -> Page {
        let Form { name, category, summary, aliases } = self.form;
        let mut text = format!("# {name}\n\n{summary}\n\nCategory: {category}.\n");
        text += &format!("\nAlso known as: {}.\n\n{}\n", aliases.join(", "), self.introduction);
        for (title, fields) in self.tables {
            text += &format!("\n## {title}\n\n| Field | Value | Description |\n|---|---|---|\n");
            for Field { name, kind, about } in *fields {
                text += &format!("| `{name}` | {} | {about} |\n", words(*kind));
            }
        }
        text += "\n## Outputs\n\n| Name | Description |\n|---|---|\n";
        for (name, about) in self.outputs {
            text += &format!("| {name} | {about} |\n");
        }
        let example = self.example.trim();
        text += &format!("\n## Absence\n\n{}\n\n## Impulses\n\n{}\n", self.absence, self.impulses);
        if !example.is_empty() {
            text += &format!("\n## Example\n\n```yaml\n{example}\n```\n");
        }
        Page {
            name: name.to_owned(),
            category: category.to_owned(),
            summary: summary.to_owned(),
            text,
            example: example.to_owned(),
            tests: held::section(name, true),
        }
    }
}

fn words(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "text",
        FieldKind::State => "name of a state",
        FieldKind::Flag => "`true` or `false`",
        FieldKind::Expression => "expression",
        FieldKind::Actions => "mapping from names to expressions",
        FieldKind::Names => "list of names",
        FieldKind::Held => "`true`, list of names, or mapping from names to expressions",
        FieldKind::AsInDiagrams => "as in a diagram",
        FieldKind::States => "mapping from names to states",
        FieldKind::Transitions => "list of transitions",
        FieldKind::Rates => "mapping from names to rates, or to states",
    }
}

const MODAL_OUTPUTS: [(&str, &str); 4] = [
    ("its outputs", "The value that the current state gives, or that the last transition emits."),
    ("`state`", "The current state: an integer starting at 0; results show its name."),
    ("`done`", "Whether the current state is final."),
    ("the name of a state", "Whether the machine is in that state."),
];

const MODAL_ABSENCE: &str = "An output is absent in a state that does not give it. A guard whose \
     value is absent counts as false.";

const MODAL_IMPULSES: &str = "Outputs pass the impulses of what a state gives. Values that a \
     transition sets or emits carry none.";

const MODAL_EXAMPLE: &str = "
superdense: 1
name: thermostat
blocks:
  room: {type: Integrator, input: -0.1 * (room - 10) + heater.q, initial: 18}
  heater:
    type: Modal
    initial: warm
    states:
      warm: {outputs: {q: 2}, transitions: [{to: cool, when: room > 21}]}
      cool: {outputs: {q: 0}, transitions: [{to: warm, when: room < 19}]}
record: [room, heater.state]
simulate: {stop: 30}
";

const FMU_INTRODUCTION: &str = "Inputs, outputs and parameters are those of the file, which \
     `superdense fmu show` lists. In a name, whatever is not a letter, a digit or an underscore \
     becomes an underscore: `body.x[1]` is `body_x_1`. At each communication point the model in the \
     file is given its inputs and computes its outputs for the next one; in between, outputs are \
     held. See [FMI](../fmi.md#fmus-as-blocks).";

const FMU_ABSENCE: &str = "Outputs are always present. An input that is absent keeps its last \
     value, and one that is not connected has its start value.";

const FMU_IMPULSES: &str = "An impulse at an input at a communication point is an error.";

const SYSTEM_INTRODUCTION: &str = "Each state becomes an `Integrator` whose input is its rate. \
     Rates and outputs are expressions over the states, the inputs and parameters of the system, \
     `time`, and all names around it. A state hides a name around it that is the same. See [Systems \
     of equations](../model-format.md#systems-of-equations).";

const SYSTEM_ABSENCE: &str = "A rate that is absent counts as 0. An output is absent while \
     something that it uses is absent.";

const SYSTEM_IMPULSES: &str = "An impulse in a rate makes the state jump by its coefficient, as at \
     an `Integrator`. An output carries the impulses of its expression.";

const SYSTEM_EXAMPLE: &str = "
superdense: 1
name: predators
parameters: {growth: 1.1, hunt: 0.4}
blocks:
  season: {type: Sine, amplitude: 0.1, frequency: 0.2}
  wild:
    type: DifferentialSystem
    inputs: {food: 1 + season}
    parameters: {gain: 0.1, death: 0.4}
    states:
      prey: {rate: growth * food * prey - hunt * prey * predators, initial: 10}
      predators: {rate: gain * prey * predators - death * predators, initial: 5}
    outputs: {prey: prey, predators: predators, share: predators / (prey + predators)}
record: [wild.prey, wild.predators]
simulate: {stop: 40}
";
