//! What the library offers, for the methods of the model builder, and the canonical form of a model
//! file.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use superdense::{Accepts, Count, Function, Info, Kind, Library, descriptions, standard_files};

use crate::errors::refused;

/// Every block and diagram of the library: its texts, inputs, outputs and parameters, and whether
/// it is a diagram.
pub fn blocks(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let library = Library::standard();
    let diagram = |name: &str| {
        library.get(name).is_none() && standard_files().iter().any(|file| file.name == name)
    };
    descriptions(&library).iter().map(|info| described(py, info, diagram(&info.name))).collect()
}

fn described<'py>(py: Python<'py>, info: &Info, diagram: bool) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", &*info.name)?;
    dict.set_item("category", &*info.category)?;
    dict.set_item("summary", &*info.summary)?;
    dict.set_item("equations", &*info.equations)?;
    dict.set_item("absence", &*info.absence)?;
    dict.set_item("impulses", &*info.impulses)?;
    dict.set_item("example", &*info.example)?;
    dict.set_item("diagram", diagram)?;
    let inputs: Vec<_> = info
        .inputs
        .iter()
        .map(|own| {
            let count = match own.count {
                Count::One => "one",
                Count::Optional => "optional",
                Count::Many => "many",
            };
            let events = own.presence == Accepts::Discrete;
            (&*own.name, &*own.about, count, events)
        })
        .collect();
    dict.set_item("inputs", inputs)?;
    let outputs: Vec<_> = info.outputs.iter().map(|own| (&*own.name, &*own.about)).collect();
    dict.set_item("outputs", outputs)?;
    let parameters: Vec<_> = info
        .parameters
        .iter()
        .map(|own| {
            let words: Vec<&str> = match &own.kind {
                Kind::Word(words) => words.iter().map(|word| &**word).collect(),
                _ => Vec::new(),
            };
            (&*own.name, &*own.about, own.default.as_deref(), words)
        })
        .collect();
    dict.set_item("parameters", parameters)?;
    Ok(dict)
}

/// The functions of expressions, each with what it does.
pub fn functions() -> Vec<(String, String)> {
    Function::table()
        .iter()
        .map(|(_, name, _, about)| ((*name).to_owned(), (*about).to_owned()))
        .collect()
}

/// The canonical form of the text of a model file.
pub fn canonical(py: Python<'_>, name: &str, text: &str) -> PyResult<String> {
    superdense::format(name, text).map_err(|error| refused(py, &error))
}
