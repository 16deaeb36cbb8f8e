//! Reference pages of everything that can be a block: the blocks of the library, diagrams, and the
//! state machine.

mod forms;
mod held;

use blocks::{Info, Input, Library, Parameter, page};
use model::{Diagram, Documentation, FORMS, Form, Model, NOTATIONS, StandardFile, standard_files};

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

/// The pages of a library's blocks, of the standard diagrams and of the language.
pub fn pages(library: &Library) -> Vec<Page> {
    let held = |info: &Info| {
        let tests = held::section(&info.name, !info.inputs.is_empty());
        Page { tests, ..page_of(info) }
    };
    let mut pages: Vec<Page> = descriptions(library).iter().map(held).collect();
    pages.extend(forms::pages());
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

/// The blocks of the language as far as one can search for them: their fields are not ports and
/// parameters, so that their pages have more.
pub fn form_descriptions() -> Vec<Info> {
    FORMS.iter().map(form_info).collect()
}

/// What a model writes where other tools have blocks, so that one finds it among the blocks.
pub fn notation_descriptions() -> Vec<Info> {
    NOTATIONS.iter().map(form_info).collect()
}

fn form_info(form: &Form) -> Info {
    let aliases = form.aliases.iter().map(|alias| (*alias).to_owned());
    Info::new(form.name, form.category, form.summary).aliases(aliases)
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
