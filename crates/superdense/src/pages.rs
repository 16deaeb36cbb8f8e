//! Reference pages of everything that can be a block: the blocks of the library, and the state
//! machine.

use blocks::{Library, page};
use model::{Field, FieldKind, MODAL_FIELDS, STATE_FIELDS, TRANSITION_FIELDS};

/// The description of a block, as text.
#[derive(Clone, Debug)]
pub struct Page {
    /// The type of block.
    pub name: String,
    /// The category in which a user would look for it.
    pub category: String,
    /// What it is, in one line.
    pub summary: String,
    /// The page, in Markdown.
    pub text: String,
}

/// The one block that belongs to the language and not to a library.
pub(crate) const MODAL_SUMMARY: &str =
    "A state machine whose states have their own diagrams; only the current state's diagram runs.";

/// The pages of a library's blocks and of `Modal`.
pub fn pages(library: &Library) -> Vec<Page> {
    let of = |info: &blocks::Info| Page {
        name: info.name.to_string(),
        category: info.category.to_string(),
        summary: info.summary.to_string(),
        text: page(info),
    };
    let mut pages: Vec<Page> = library.iter().map(|kind| of(kind.info())).collect();
    pages.push(modal());
    pages
}

fn modal() -> Page {
    let (name, category) = ("Modal", "Modes");
    let mut text = format!("# {name}\n\n{MODAL_SUMMARY}\n\nCategory: {category}.\n");
    text += "\n[Modes](../modes.md) explains these fields, with examples.\n";
    let parts = [
        ("A Modal", &MODAL_FIELDS[..]),
        ("A state", &STATE_FIELDS[..]),
        ("A transition", &TRANSITION_FIELDS[..]),
    ];
    for (title, fields) in parts {
        text += &format!("\n## {title}\n\n| Field | Value | Description |\n");
        text += "|---|---|---|\n";
        for Field { name, kind, about } in fields {
            text += &format!("| `{name}` | {} | {about} |\n", words(*kind));
        }
    }
    text += "\n## Outputs\n\n| Name | Description |\n|---|---|\n";
    for (name, about) in OUTPUTS {
        text += &format!("| {name} | {about} |\n");
    }
    text += &format!("\n## Absence\n\n{ABSENCE}\n\n## Impulses\n\n{IMPULSES}\n");
    text += &format!("\n## Example\n\n```yaml\n{}\n```\n", EXAMPLE.trim());
    let (name, category) = (name.to_owned(), category.to_owned());
    Page { name, category, summary: MODAL_SUMMARY.to_owned(), text }
}

fn words(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "text",
        FieldKind::State => "name of a state",
        FieldKind::Flag => "`true` or `false`",
        FieldKind::Expression => "expression",
        FieldKind::Actions => "mapping from names to expressions",
        FieldKind::Names => "list of names",
        FieldKind::AsInDiagrams => "as in a diagram",
        FieldKind::States => "mapping from names to states",
        FieldKind::Transitions => "list of transitions",
    }
}

const OUTPUTS: [(&str, &str); 4] = [
    ("its outputs", "The value that the current state gives, or that the last transition emits."),
    ("`state`", "The current state: an integer starting at 0; results show its name."),
    ("`done`", "Whether the current state is final."),
    ("the name of a state", "Whether the machine is in that state."),
];

const ABSENCE: &str = "An output is absent in a state that does not give it. A guard whose value \
     is absent counts as false.";

const IMPULSES: &str = "Outputs pass the impulses of what a state gives. Values that a transition \
     sets or emits carry none.";

const EXAMPLE: &str = "
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
