//! `examples`: the models of the repository, held in the binary.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use superdense::did_you_mean;

use crate::arguments::ExamplesCommand;
use crate::report::{show, tell};

/// A folder of `models/`.
struct Example {
    name: &'static str,
    /// Names and texts.
    files: &'static [(&'static str, &'static str)],
}

/// All of them, by name; the build script lists them.
const EXAMPLES: &[Example] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));

pub fn examples(command: Option<ExamplesCommand>) -> Result<()> {
    match command {
        None | Some(ExamplesCommand::List) => list(),
        Some(ExamplesCommand::Show { name }) => {
            let example = find(&name)?;
            show(&format!("{}\n{}", example.text("README.md"), example.text("model.yaml")))
        }
        Some(ExamplesCommand::Copy { name, folder }) => {
            copy(find(&name)?, folder.as_deref().unwrap_or(Path::new(&name)))
        }
    }
}

impl Example {
    fn text(&self, name: &str) -> &'static str {
        self.files.iter().find(|file| file.0 == name).map_or("", |file| file.1)
    }

    /// The first sentence of its text.
    fn summary(&self) -> String {
        let text = self.text("README.md");
        let line = text.lines().find(|line| !line.is_empty() && !line.starts_with(['#', '!']));
        let line = line.unwrap_or("");
        line.split_inclusive(". ").next().unwrap_or("").trim_end_matches([' ', '.', ':']).to_owned()
    }
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
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    invite(folder);
    Ok(())
}

/// Makes a folder that is not there yet, so that nothing of the user's is written over.
pub fn make_folder(folder: &Path) -> Result<()> {
    let fresh = fs::create_dir(folder);
    fresh.with_context(|| format!("cannot make the folder {}", folder.display()))
}

/// Says how to run the model of a new folder.
pub fn invite(folder: &Path) {
    let model = folder.join("model.yaml");
    let picture = folder.join("result.svg");
    tell(&format!(
        "made {}; run it with\n  superdense run {} --plot {}\n",
        folder.display(),
        model.display(),
        picture.display()
    ));
}
