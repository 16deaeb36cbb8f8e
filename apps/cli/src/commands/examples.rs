//! `examples`: the models of the repository, bundled in the binary.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use superdense::{Library, did_you_mean};

use crate::arguments::ExamplesCommand;
use crate::report::{notify, show, write_file};

/// A folder of `models/`.
struct Example {
    name: &'static str,
    /// The name and text of each file.
    files: &'static [(&'static str, &'static str)],
}

/// All examples by name; the build script generates the list.
const EXAMPLES: &[Example] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// The line by which an editor finds the schema, from a folder of `models/` and from a user's
/// folder.
const SCHEMA_OF_MODELS: &str = "# yaml-language-server: $schema=../../docs/model.schema.json\n";
const SCHEMA_BESIDE: &str = "# yaml-language-server: $schema=model.schema.json\n";

pub fn examples(command: Option<ExamplesCommand>) -> Result<()> {
    match command {
        None | Some(ExamplesCommand::List) => list(),
        Some(ExamplesCommand::Show { name }) => {
            let example = find(&name)?;
            let model = example.text("model.yaml");
            let model = model.strip_prefix(SCHEMA_OF_MODELS).unwrap_or(model);
            show(&format!("{}\n{model}", example.text("README.md")))
        }
        Some(ExamplesCommand::Copy { name, folder }) => {
            copy(find(&name)?, folder.as_deref().unwrap_or(Path::new(&name)))
        }
    }
}

/// All examples, for the studio; the model comes first among the files of each.
#[cfg(feature = "studio")]
pub fn bundled() -> Vec<superdense_studio::Example> {
    let bundled = |own: &Example| {
        let model = own.text("model.yaml");
        let model = model.strip_prefix(SCHEMA_OF_MODELS).unwrap_or(model).to_owned();
        let others = own.files.iter().filter(|file| file.0 != "model.yaml");
        let others = others.map(|file| (file.0.to_owned(), file.1.to_owned()));
        superdense_studio::Example {
            name: own.name.to_owned(),
            summary: own.summary(),
            files: std::iter::once(("model.yaml".to_owned(), model)).chain(others).collect(),
        }
    };
    EXAMPLES.iter().map(bundled).collect()
}

impl Example {
    fn text(&self, name: &str) -> &'static str {
        self.files.iter().find(|file| file.0 == name).map_or("", |file| file.1)
    }

    /// The first sentence of its README.
    fn summary(&self) -> String {
        let text = self.text("README.md");
        let line = text.lines().find(|line| !line.is_empty() && !line.starts_with(['#', '!']));
        first_sentence(line.unwrap_or("")).to_owned()
    }
}

/// The first sentence of a text, without its full stop. A full stop after an initial, as in
/// `E. N. Lorenz`, does not end a sentence.
fn first_sentence(text: &str) -> &str {
    let ends = |(at, _): &(usize, &str)| {
        let word = text[..*at].rsplit(' ').next().unwrap_or("");
        let initial = word.len() == 1 && word.chars().all(char::is_uppercase);
        !initial
    };
    let end = text.match_indices(". ").find(ends).map_or(text.len(), |(at, _)| at);
    text[..end].trim_end_matches([' ', '.', ':'])
}

fn list() -> Result<()> {
    let mut out = String::new();
    for example in EXAMPLES {
        out += &format!("{:<24} {}\n", example.name, example.summary());
    }
    show(&out)
}

fn find(name: &str) -> Result<&'static Example> {
    let Some(example) = EXAMPLES.iter().find(|example| example.name == name) else {
        let help = did_you_mean(name, EXAMPLES.iter().map(|example| example.name));
        let help = help.unwrap_or_else(|| "`superdense examples` lists them".to_owned());
        bail!("there is no example `{name}`; {help}");
    };
    Ok(example)
}

fn copy(example: &Example, folder: &Path) -> Result<()> {
    make_folder(folder)?;
    for (name, text) in example.files {
        let path = folder.join(name);
        let text = text.replace(SCHEMA_OF_MODELS, SCHEMA_BESIDE);
        write_file(&path, text.as_bytes())?;
    }
    write_schema(folder)?;
    invite(folder);
    Ok(())
}

/// Creates a folder, which must not exist yet, so that no file of the user is overwritten.
pub fn make_folder(folder: &Path) -> Result<()> {
    let fresh = fs::create_dir(folder);
    fresh.with_context(|| format!("cannot make the folder {}", folder.display()))
}

/// Writes the schema of this program version next to a model, so that an editor needs no network.
pub fn write_schema(folder: &Path) -> Result<()> {
    let path = folder.join("model.schema.json");
    let text = format!("{:#}\n", superdense::schema(&Library::standard()));
    write_file(&path, text.as_bytes())
}

/// Shows how to run the model in a new folder.
pub fn invite(folder: &Path) {
    let [model, picture] = ["model.yaml", "result.svg"].map(|name| quoted(&folder.join(name)));
    notify(&format!(
        "made {}; run it with\n  superdense run {model} --plot {picture}\n",
        folder.display()
    ));
}

/// A path quoted as a single word for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=\\".contains(c);
    match text.chars().all(plain) && !text.starts_with('-') {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}
