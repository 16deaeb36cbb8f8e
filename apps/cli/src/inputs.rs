//! `--input`: what the inputs of a model are in a run.

use std::path::{Path, PathBuf};

use anyhow::Result;
use superdense::{
    Column, Diagnostic, InputKind, Interpolation, Run, Samples, Settings, SourceMap, System,
    did_you_mean,
};

use crate::report::Problem;

/// The input of a run: an expression, or a column of a file.
enum Source {
    Expression(String),
    Column { path: PathBuf, column: String, by: Interpolation },
}

/// Adds the inputs that are expressions to the overrides.
pub fn override_inputs(texts: &[String], overrides: &mut Settings) -> Result<()> {
    let mut seen: Vec<String> = Vec::new();
    for text in texts {
        let (name, source) = parse(text)?;
        if seen.contains(&name) {
            let message = format!("the input `{name}` is given twice");
            return Err(unusable(message, text));
        }
        seen.push(name.clone());
        if let Source::Expression(expression) = source {
            overrides.inputs.push((name, expression));
        }
    }
    Ok(())
}

/// Feeds the inputs that are columns of files to a run.
pub fn feed_inputs(texts: &[String], system: &System, run: &mut Run) -> Result<()> {
    for text in texts {
        let (name, source) = parse(text)?;
        let Source::Column { path, column, by } = source else { continue };
        let wrong = |message: String| unusable(message, text);
        let input = system.input(&name).map_err(|error| wrong(error.to_string()))?;
        let columns = Column { name: column, ty: input.ty() }.element_names();
        let events = input.kind() == InputKind::Event;
        let samples = Samples::read(&path, &columns, events).map_err(|error| {
            let diagnostic = Diagnostic::error("bad-input", error.to_string());
            let diagnostic = diagnostic.note(format!("in `--input {text}`"));
            Problem::new(diagnostic.maybe_help(error.help), &SourceMap::default())
        })?;
        run.feed_samples(&input, &samples, by).map_err(|error| wrong(error.to_string()))?;
    }
    Ok(())
}

/// Refuses columns of files for a command that has no run to feed them to.
pub fn refuse_files(texts: &[String], command: &str) -> Result<()> {
    for text in texts {
        if let (_, Source::Column { .. }) = parse(text)? {
            let message = format!("`{command}` takes no tables for inputs");
            let help = "give the input as an expression, such as `--input \"u=sin(time)\"`";
            let diagnostic = Diagnostic::error("bad-input", message)
                .note(format!("in `--input {text}`"))
                .help(help);
            return Err(Problem::new(diagnostic, &SourceMap::default()).into());
        }
    }
    Ok(())
}

/// `u=drive.csv:speed`, `u=drive.csv:speed:linear` or `u=2 * sin(time)`.
fn parse(text: &str) -> Result<(String, Source)> {
    let Some((name, source)) = text.split_once('=') else {
        let message = format!("`--input {text}` has no `=`");
        let help = "write `--input u=drive.csv:speed`, or an expression such as `--input u=2`";
        let diagnostic = Diagnostic::error("bad-input", message).help(help);
        return Err(Problem::new(diagnostic, &SourceMap::default()).into());
    };
    let (name, source) = (name.trim().to_owned(), source.trim());
    let is_file = |path: &str| {
        let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("csv" | "parquet" | "json"))
    };
    let parts: Vec<&str> = source.split(':').collect();
    let file = (1..=parts.len()).find(|end| is_file(&parts[..*end].join(":")));
    let Some(end) = file else { return Ok((name, Source::Expression(source.to_owned()))) };
    let path = PathBuf::from(parts[..end].join(":"));
    let (column, by) = match parts[end..] {
        [column] => (column, Interpolation::Linear),
        [column, word] => {
            let by = Interpolation::named(word).ok_or_else(|| {
                let help = did_you_mean(word, Interpolation::ALL.map(Interpolation::name));
                let message = format!("there is no interpolation `{word}`");
                let diagnostic = Diagnostic::error("bad-input", message)
                    .note(format!("in `--input {text}`"))
                    .help(help.unwrap_or_else(|| "write hold, linear or cubic".to_owned()));
                Problem::new(diagnostic, &SourceMap::default())
            })?;
            (column, by)
        }
        _ => return Err(no_column(text)),
    };
    Ok((name, Source::Column { path, column: column.to_owned(), by }))
}

fn unusable(message: String, text: &str) -> anyhow::Error {
    let diagnostic = Diagnostic::error("bad-input", message);
    Problem::new(diagnostic.note(format!("in `--input {text}`")), &SourceMap::default()).into()
}

fn no_column(text: &str) -> anyhow::Error {
    let help = "write `--input NAME=FILE:COLUMN`, with `:hold`, `:linear` or `:cubic` after it";
    let diagnostic = Diagnostic::error("bad-input", "which column?");
    let diagnostic = diagnostic.note(format!("in `--input {text}`")).help(help);
    Problem::new(diagnostic, &SourceMap::default()).into()
}
