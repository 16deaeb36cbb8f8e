//! Mistakes and failures as exceptions: the classes of `superdense/_errors.py`, with their
//! diagnostics as dictionaries and as text with and without colour.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use superdense::{Diagnostic, Diagnostics, Refused, SourceMap};

/// For a model that was made in Python: the lines of its text at which entries begin, in order, each
/// with the line of Python that made it, as text. Empty for a model that was read.
pub type Lines = Vec<(usize, String)>;

/// The exception for a model that was refused.
pub fn refused(py: Python<'_>, refused: &Refused) -> PyErr {
    refused_at(py, refused, &Lines::new())
}

/// The same for a model that was made in Python.
pub fn refused_at(py: Python<'_>, refused: &Refused, lines: &Lines) -> PyErr {
    raised(py, "ModelError", &refused.diagnostics, &refused.sources, lines)
        .map_or_else(|error| error, |exception| PyErr::from_value(exception))
}

/// The exception for something that is wrong without a place in a model.
pub fn wrong(py: Python<'_>, class: &str, code: &'static str, message: String) -> PyErr {
    let diagnostics = Diagnostic::error(code, message).into();
    raised(py, class, &diagnostics, &SourceMap::default(), &Lines::new())
        .map_or_else(|error| error, |exception| PyErr::from_value(exception))
}

/// An exception or a warning of a class of `superdense/_errors.py`.
pub fn raised<'py>(
    py: Python<'py>,
    class: &str,
    diagnostics: &Diagnostics,
    sources: &SourceMap,
    lines: &Lines,
) -> PyResult<Bound<'py, PyAny>> {
    let diagnostics = with_lines(diagnostics, sources, lines);
    let list = PyList::empty(py);
    for own in &diagnostics.0 {
        let places = PyList::empty(py);
        for label in &own.labels {
            let place = PyDict::new(py);
            let (line, column) = sources.position(label.span);
            place.set_item("file", sources.name(label.span.file))?;
            place.set_item("line", line)?;
            place.set_item("column", column)?;
            place.set_item("words", sources.snippet(label.span))?;
            place.set_item("text", &label.text)?;
            places.append(place)?;
        }
        let dict = PyDict::new(py);
        dict.set_item("code", own.code)?;
        dict.set_item("message", &own.message)?;
        dict.set_item("block", &own.path)?;
        dict.set_item("notes", &own.notes)?;
        dict.set_item("help", &own.help)?;
        dict.set_item("places", places)?;
        list.append(dict)?;
    }
    let (plain, colour) = (diagnostics.render(sources, false), diagnostics.render(sources, true));
    py.import("superdense._errors")?.getattr(class)?.call1((list, plain, colour))
}

/// The same with a note for each line of Python that made one of its places.
fn with_lines(diagnostics: &Diagnostics, sources: &SourceMap, lines: &Lines) -> Diagnostics {
    let mut noted = diagnostics.clone();
    if lines.is_empty() {
        return noted;
    }
    let main = sources.files().next().map(|(name, _)| name.to_owned());
    for own in &mut noted.0 {
        let mut made: Vec<&str> = Vec::new();
        for label in &own.labels {
            if Some(sources.name(label.span.file)) != main.as_deref() {
                continue;
            }
            let (line, _) = sources.position(label.span);
            let after = lines.partition_point(|(first, _)| *first <= line);
            let words = after.checked_sub(1).map_or("", |index| &*lines[index].1);
            if !words.is_empty() && !made.contains(&words) {
                made.push(words);
            }
        }
        own.notes.extend(made.into_iter().map(|words| format!("made in Python at {words}")));
    }
    noted
}
