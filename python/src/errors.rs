//! Mistakes and failures as exceptions: the classes of `superdense/_errors.py`, with their
//! diagnostics as dictionaries and as text with and without colour.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use superdense::{Diagnostic, Diagnostics, Refused, SourceMap};

/// The exception for a model that was refused.
pub fn refused(py: Python<'_>, refused: &Refused) -> PyErr {
    raised(py, "ModelError", &refused.diagnostics, &refused.sources)
        .map_or_else(|error| error, |exception| PyErr::from_value(exception))
}

/// The exception for something that is wrong without a place in a model.
pub fn wrong(py: Python<'_>, class: &str, code: &'static str, message: String) -> PyErr {
    let diagnostics = Diagnostic::error(code, message).into();
    raised(py, class, &diagnostics, &SourceMap::default())
        .map_or_else(|error| error, |exception| PyErr::from_value(exception))
}

/// An exception or a warning of a class of `superdense/_errors.py`.
pub fn raised<'py>(
    py: Python<'py>,
    class: &str,
    diagnostics: &Diagnostics,
    sources: &SourceMap,
) -> PyResult<Bound<'py, PyAny>> {
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
