//! Models of Ptolemy II: reading them, and comparing their runs with the values that they expect.

mod conform;

use std::path::Path;

use base::{Diagnostic, SourceMap, Span};
use model::{Model, Refused};
use moml::Classes;

pub use conform::{Conformity, conform};
pub use moml::{Expectation, Imported, Problem, Reference};

/// Whether a path is that of a MoML file rather than of a model file of ours.
pub fn is_moml(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "xml" || end == "moml")
}

/// Translates a MoML file. Classes in other files are found under `root`, the root of a Ptolemy II
/// tree; without one, under the tree that the file itself lies in.
pub fn import(path: &Path, root: Option<&Path>) -> Result<Imported, Refused> {
    let text = model::read_text(path)?;
    moml::import(path, &text, &Classes::of(path, root))
        .map_err(|problem| refused(path, &text, problem))
}

/// The model of a translated MoML file.
pub fn model_of(path: &Path, imported: &Imported) -> Result<Model, Refused> {
    let name = path.with_extension("yaml");
    model::parse(&name.to_string_lossy(), &imported.text, &mut |file| {
        Err(format!("an imported model has no file `{file}`"))
    })
}

/// Reads a model of either kind, by its extension.
pub fn read_any(path: &Path, root: Option<&Path>) -> Result<Model, Refused> {
    match is_moml(path) {
        true => model_of(path, &import(path, root)?),
        false => model::read(path),
    }
}

/// A problem as a message with the line of its element.
fn refused(path: &Path, text: &str, problem: Problem) -> Refused {
    let message = match problem.element.is_empty() {
        true => problem.reason.clone(),
        false => format!("{}: {}", problem.element, problem.reason),
    };
    let mut sources = SourceMap::default();
    let shown = path.display().to_string();
    let text = match problem.file == shown {
        true => text.to_owned(),
        false => std::fs::read_to_string(&problem.file).unwrap_or_default(),
    };
    let start: usize = text
        .split_inclusive('\n')
        .take(problem.line.saturating_sub(1) as usize)
        .map(str::len)
        .sum();
    let line = text[start..].lines().next().unwrap_or_default();
    let indent = line.len() - line.trim_start().len();
    let end = start + line.trim_end().len().max(indent);
    let file = sources.add(problem.file.as_str(), text.as_str());
    let span = Span::new(file, start + indent, end);
    let diagnostic = match problem.unsupported {
        true => Diagnostic::error("moml-unsupported", message),
        false => Diagnostic::error("moml-syntax", message),
    };
    Refused { diagnostics: diagnostic.at(span, "").into(), sources }
}
