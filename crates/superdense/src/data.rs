//! Data that a model names: inputs that are columns of files.
//!
//! In come the inputs of a model with the paths of their files; out go samples, checked, which every
//! run of the system is fed. Files are read once, when the model is compiled.

use std::path::Path;
use std::sync::Arc;

use base::{Diagnostic, FileId, did_you_mean};
use model::{DataColumn, OutsideInput};
use trace::{Column, Interpolation, Samples};

use crate::hold::InputHandle;
use crate::{InputKind, System};

/// An input that is a column of a file.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub input: InputHandle,
    pub samples: Arc<Samples>,
    pub by: Interpolation,
}

/// Reads the files of all inputs that are not given as expressions.
pub(crate) fn read(system: &System) -> Result<Vec<Data>, Diagnostic> {
    let model = &system.origin.model;
    let given = |name: &str| system.overrides.inputs.iter().any(|(own, _)| own == name);
    let inputs = model.inputs.iter().filter(|input| !given(&input.name.value));
    let columns = inputs.filter_map(|input| Some((input, input.data.as_ref()?)));
    columns.map(|(input, data)| read_one(system, input, data)).collect()
}

fn read_one(system: &System, input: &OutsideInput, data: &DataColumn) -> Result<Data, Diagnostic> {
    let name = &input.name.value;
    let bad = |message: String| Diagnostic::error("bad-input", message).at(data.file.span, "");
    if system.settings().impulses.steps() {
        let message = "a fixed-step run takes no data from files".to_owned();
        let help = format!("give the input as an expression: `--input \"{name}=sin(time)\"`");
        return Err(bad(message).help(help));
    }
    let handle = system.input(name).map_err(|error| bad(error.to_string()))?;
    let by = match &data.interpolation {
        None => Interpolation::Linear,
        Some(word) => Interpolation::named(&word.value).ok_or_else(|| {
            let known = Interpolation::ALL.map(Interpolation::name);
            let help = did_you_mean(&word.value, known);
            Diagnostic::error("unknown-word", format!("there is no interpolation `{}`", word.value))
                .at(word.span, "")
                .help(help.unwrap_or_else(|| "write hold, linear or cubic".to_owned()))
        })?,
    };
    let model = system.sources().name(FileId::new(0));
    let path = Path::new(model).parent().unwrap_or(Path::new("")).join(&data.file.value);
    // A device, or a pipe that nobody writes to, would be read without end.
    if path.exists() && !path.is_file() {
        return Err(bad(format!("{} is not a file", path.display())));
    }
    let column = data.column.as_ref().map_or(name, |column| &column.value).clone();
    let columns = Column { name: column, ty: handle.ty() }.element_names();
    let samples = Samples::read(&path, &columns, handle.kind() == InputKind::Event);
    let samples = samples.map_err(|error| {
        let diagnostic = bad(error.to_string()).maybe_help(error.help);
        diagnostic.note("the path of a file is relative to that of the model")
    })?;
    let values = (0..samples.times().len()).map(|index| samples.value(index));
    for value in values {
        handle.check(value).map_err(|error| bad(error.to_string()))?;
    }
    Ok(Data { input: handle, samples: Arc::new(samples), by })
}
