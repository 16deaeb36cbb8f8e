//! Reference pages of everything that can be a block: the blocks of the library, diagrams, and the
//! state machine.

mod held;

use blocks::{Info, Input, Library, Parameter, page};
use model::{
    Diagram, Documentation, Field, FieldKind, MODAL_FIELDS, Model, STATE_FIELDS, StandardFile,
    TRANSITION_FIELDS, standard_files,
};

/// The description of a block, as text.
#[derive(Clone, Debug)]
pub struct Page {
    /// The type of block.
    pub name: String,
    /// The category in which a user would look for it.
    pub category: String,
    /// What it is, in one line.
    pub summary: String,
    /// The page in Markdown, up to its example.
    pub text: String,
    /// The model on the page that shows the block at work; empty if there is none.
    pub example: String,
    /// The section on the tests that hold the block; empty for the diagrams of a model.
    pub tests: String,
}

impl Page {
    /// The page in Markdown, with a figure of its example if there is one: the path of a picture.
    pub fn markdown(&self, figure: Option<&str>) -> String {
        let figure = figure.map(|path| format!("\n![The signals of the example.]({path})\n"));
        format!("{}{}{}", self.text, figure.unwrap_or_default(), self.tests)
    }
}

/// The one block that belongs to the language and not to a library.
pub(crate) const MODAL_SUMMARY: &str =
    "A state machine whose states have their own diagrams; only the current state's diagram runs.";

/// The pages of a library's blocks, of the standard diagrams and of `Modal`.
pub fn pages(library: &Library) -> Vec<Page> {
    let held = |info: &Info| {
        let tests = held::section(&info.name, !info.inputs.is_empty());
        Page { tests, ..page_of(info) }
    };
    let mut pages: Vec<Page> = descriptions(library).iter().map(held).collect();
    pages.push(modal());
    pages
}

/// The pages of the diagrams that a model file defines.
pub fn pages_of(model: &Model) -> Vec<Page> {
    let own = model.scopes.first().into_iter().flat_map(|scope| scope.values());
    own.map(|id| page_of(&describe(model.diagram(*id)))).collect()
}

fn page_of(info: &Info) -> Page {
    Page {
        name: info.name.to_string(),
        category: info.category.to_string(),
        summary: info.summary.to_string(),
        text: page(info),
        example: info.example.trim().to_owned(),
        tests: String::new(),
    }
}

/// The descriptions of a library's blocks and of the standard diagrams, in order of their names. A
/// block of the library hides a diagram of the same name.
pub fn descriptions(library: &Library) -> Vec<Info> {
    let mut all: Vec<Info> = library.iter().map(|kind| kind.info().clone()).collect();
    let hidden = |file: &&StandardFile| library.get(file.name).is_none();
    all.extend(standard_files().iter().filter(hidden).filter_map(standard));
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// The description of a standard diagram.
fn standard(file: &StandardFile) -> Option<Info> {
    Some(describe(&file.diagram()?).example(example(file.text)))
}

/// A file of the standard library without the sections `functions` and `diagrams`.
fn example(text: &str) -> String {
    let (mut inside, mut lines) = (false, Vec::new());
    for line in text.lines() {
        if line.starts_with(|c: char| !c.is_whitespace()) {
            inside = line.starts_with("functions:") || line.starts_with("diagrams:");
        }
        if !inside {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// The description of a diagram, in the form of that of a block.
fn describe(diagram: &Diagram) -> Info {
    let Documentation { description, category, aliases, equations, absence, impulses } =
        &diagram.documentation;
    let category = if category.is_empty() { "Diagrams" } else { category };
    let mut info = Info::new(diagram.name.value.clone(), category.to_owned(), description.clone())
        .equations(equations.clone())
        .absence(absence.clone())
        .impulses(impulses.clone())
        .aliases(aliases.iter().cloned());
    for input in &diagram.inputs {
        let (name, about) = (input.name.value.clone(), said(&input.about));
        info = info.input(match &input.default {
            Some(default) => {
                let about = format!("{about} By default `{default}`.");
                Input::optional(name, about.trim_start().to_owned())
            }
            None => Input::one(name, about),
        });
    }
    for output in &diagram.outputs {
        info = info.output(output.name.value.clone(), said(&output.about));
    }
    for parameter in &diagram.parameters {
        let (name, about) = (parameter.name.value.clone(), said(&parameter.about));
        let words = parameter.words.iter().map(|word| word.value.clone());
        let own = match parameter.words.is_empty() {
            true => Parameter::value(name, about),
            false => Parameter::word(name, about, words),
        };
        info = info.parameter(match &parameter.value {
            Some(value) => own.default(value.to_string()),
            None => own,
        });
    }
    info
}

/// A description with its unit.
fn said(about: &model::About) -> String {
    let unit = about.unit.as_ref().map_or(String::new(), |unit| format!(" [{unit}]"));
    format!("{}{unit}", about.description.as_deref().unwrap_or_default())
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
    let (name, category, example) =
        (name.to_owned(), category.to_owned(), EXAMPLE.trim().to_owned());
    let tests = held::section("Modal", true);
    Page { name, category, summary: MODAL_SUMMARY.to_owned(), text, example, tests }
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
