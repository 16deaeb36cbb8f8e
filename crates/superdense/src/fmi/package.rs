//! A model as an archive, and back: its texts, its data and the settings that it was exported with.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use ::fmi::{
    Abilities, ArchiveError, Description, Experiment, Kind, Version, platform, write, write_archive,
};
use base::{FileId, Rational, Type, Value};
use model::{Given, Model, Refused, RunSetting, standard_files};
use serde::{Deserialize, Serialize};

use super::interface::Interface;
use super::structure::structure;
use crate::{Library, Settings, System};

/// The files in the folder `resources` of an archive.
const INDEX: &str = "superdense.bin";
const MODEL: &str = "model";
const DATA: &str = "data";

/// What an export has made.
#[derive(Debug)]
pub struct Exported {
    /// The description in the archive.
    pub description: Description,
    /// Recorded signals that are no variables of it, each with the reason.
    pub left_out: Vec<String>,
    /// The kinds that it does not have, each with the reason.
    pub without: Vec<(Kind, String)>,
}

/// Why an export has failed, or why a model cannot be taken out of an archive again.
#[derive(Debug)]
pub enum PackageError {
    /// The model cannot be exported, or is wrong.
    Refused(Refused),
    /// The archive cannot be written.
    Archive(ArchiveError),
    /// A file cannot be read.
    Io(PathBuf, std::io::Error),
    /// The files are not those of an export by this version.
    Damaged(PathBuf),
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackageError::Refused(refused) => f.write_str(&refused.render(false)),
            PackageError::Archive(error) => error.fmt(f),
            PackageError::Io(path, error) => write!(f, "cannot read `{}`: {error}", path.display()),
            PackageError::Damaged(path) => {
                write!(f, "`{}` is not from an export of this version", path.display())
            }
        }
    }
}

impl std::error::Error for PackageError {}

/// A model that was taken out of an archive.
#[derive(Debug)]
pub struct Loaded {
    /// Its variables.
    pub interface: Interface,
    /// The text by which the archive names it.
    pub token: String,
}

/// What an export stores beside the texts of the model.
#[derive(Serialize, Deserialize)]
struct Index {
    /// The version of this program.
    program: String,
    /// The version of the standard.
    version: Version,
    /// The names of the texts in messages.
    names: Vec<String>,
    /// For each input of the model, the file with its data.
    data: Vec<Option<String>>,
    parameters: Vec<(String, Stored)>,
    inputs: Vec<(String, String)>,
    settings: Vec<(String, StoredSetting)>,
}

/// A value as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored(Type, Vec<f64>, Option<Rational>);

#[derive(Serialize, Deserialize)]
enum StoredSetting {
    Text(String),
    Value(Stored),
}

impl Stored {
    fn of(value: &Value) -> Stored {
        Stored(value.ty(), value.data().to_vec(), value.exact())
    }

    fn value(self) -> Option<Value> {
        let Stored(ty, data, exact) = self;
        match exact {
            Some(exact) => Some(Value::rational(exact)),
            None => (data.len() == ty.len()).then(|| Value::new(ty, data)),
        }
    }
}

/// A name as an identifier of C.
pub fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let own: String = name.chars().map(plain).collect();
    match own.chars().next() {
        Some(first) if !first.is_ascii_digit() => own,
        _ => format!("model_{own}"),
    }
}

/// Writes a compiled model as an archive with a library, the bytes of `apps/fmu` for this machine.
pub fn export(
    system: &System,
    version: Version,
    library: &[u8],
    path: &Path,
) -> Result<Exported, PackageError> {
    let interface = Interface::new(system).map_err(PackageError::Refused)?;
    let (description, without) = describe(&interface, version);
    let mut files = vec![("modelDescription.xml".to_owned(), write(&description).into_bytes())];
    let name = identifier(system.name());
    let suffix = std::env::consts::DLL_SUFFIX;
    files.push((format!("binaries/{}/{name}{suffix}", platform(version)), library.to_vec()));
    resources(system, version, &mut files)?;
    write_archive(path, &files).map_err(PackageError::Archive)?;
    Ok(Exported { description, left_out: interface.left_out, without })
}

/// The texts that a model was read from, without those of the standard library.
fn own_texts(model: &Model) -> Vec<(&str, &str)> {
    let standard = |name: &str, text: &str| {
        standard_files().iter().any(|own| own.path == name && own.text == text)
    };
    model.sources.files().filter(|(name, text)| !standard(name, text)).collect()
}

fn resources(
    system: &System,
    version: Version,
    files: &mut Vec<(String, Vec<u8>)>,
) -> Result<(), PackageError> {
    let model = &system.origin.model;
    let texts = own_texts(model);
    for (index, (_, text)) in texts.iter().enumerate() {
        files.push((format!("resources/{MODEL}/{index}.yaml"), text.as_bytes().to_vec()));
    }
    let folder = Path::new(model.sources.name(FileId::new(0))).parent().unwrap_or(Path::new(""));
    let mut data = Vec::new();
    for (index, input) in model.inputs.iter().enumerate() {
        let Some(own) = &input.data else {
            data.push(None);
            continue;
        };
        let path = folder.join(&own.file.value);
        let bytes = fs::read(&path).map_err(|error| PackageError::Io(path.clone(), error))?;
        let end = path.extension().map_or(String::new(), |end| end.to_string_lossy().into_owned());
        let name = format!("{index}.{end}");
        files.push((format!("resources/{DATA}/{name}"), bytes));
        data.push(Some(name));
    }
    let overrides = &system.overrides;
    let setting = |given: &Given| match given {
        Given::Text(text) | Given::Option(text) => StoredSetting::Text(text.clone()),
        Given::Value(value) => StoredSetting::Value(Stored::of(value)),
    };
    let parameters = overrides.parameters.iter();
    let index = Index {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        version,
        names: names(&texts),
        data,
        parameters: parameters.map(|(name, own)| (name.clone(), Stored::of(own))).collect(),
        inputs: overrides.inputs.clone(),
        settings: overrides
            .settings
            .iter()
            .map(|(own, given)| (own.key().to_owned(), setting(given)))
            .collect(),
    };
    let bytes = postcard::to_allocvec(&index).expect("an index is plain data");
    files.push((format!("resources/{INDEX}"), bytes));
    Ok(())
}

/// The names of texts for messages, relative to the folder of the first if all are in it.
fn names(texts: &[(&str, &str)]) -> Vec<String> {
    let folder = texts.first().and_then(|(name, _)| Path::new(name).parent());
    let within = |name: &str| {
        let relative = Path::new(name).strip_prefix(folder?).ok()?;
        Some(relative.to_string_lossy().into_owned())
    };
    let relative: Option<Vec<String>> = texts.iter().map(|(name, _)| within(name)).collect();
    relative.unwrap_or_else(|| texts.iter().map(|(name, _)| (*name).to_owned()).collect())
}

/// Takes a model out of the folder `resources` of an unpacked archive.
pub fn load(resources: &Path) -> Result<Loaded, PackageError> {
    let path = resources.join(INDEX);
    let bytes = fs::read(&path).map_err(|error| PackageError::Io(path.clone(), error))?;
    let damaged = || PackageError::Damaged(path.clone());
    let index: Index = postcard::from_bytes(&bytes).map_err(|_| damaged())?;
    if index.program != env!("CARGO_PKG_VERSION") {
        return Err(damaged());
    }
    let text = |number: usize| {
        let path = resources.join(MODEL).join(format!("{number}.yaml"));
        fs::read_to_string(&path).map_err(|error| PackageError::Io(path, error))
    };
    let main = index.names.first().ok_or_else(damaged)?;
    // A model is read in the same order each time, so the texts are asked for in their order.
    let mut next = 0;
    let mut loader = |_: &str| {
        next += 1;
        let name = index.names.get(next).ok_or("it is missing")?.clone();
        Ok((name, text(next).map_err(|error| error.to_string())?))
    };
    let parsed = model::parse(main, &text(0)?, &mut loader);
    let mut parsed = parsed.map_err(PackageError::Refused)?;
    for (input, name) in parsed.inputs.iter_mut().zip(&index.data) {
        if let (Some(own), Some(name)) = (&mut input.data, name) {
            let path = resources.join(DATA).join(name);
            own.file.value = path.to_string_lossy().into_owned();
        }
    }
    let version = index.version;
    let settings = settings(index).ok_or_else(damaged)?;
    let system = System::compile_with(&parsed, &Library::standard(), &settings);
    let system = system.map_err(PackageError::Refused)?;
    let interface = Interface::new(&system).map_err(PackageError::Refused)?;
    Ok(Loaded { token: token(&interface, version), interface })
}

fn settings(index: Index) -> Option<Settings> {
    let mut settings = Settings { inputs: index.inputs, ..Settings::default() };
    for (name, own) in index.parameters {
        settings.parameters.push((name, own.value()?));
    }
    for (key, own) in index.settings {
        let given = match own {
            StoredSetting::Text(text) => Given::Text(text),
            StoredSetting::Value(own) => Given::Value(own.value()?),
        };
        settings = settings.set(RunSetting::named(&key)?, given);
    }
    Some(settings)
}

/// The text by which a library recognises the description of its model.
fn token(interface: &Interface, version: Version) -> String {
    let identity = interface.system.identity();
    format!("superdense-{}-{version}-{identity:016x}", env!("CARGO_PKG_VERSION"))
}

/// The categories of messages: steps that are discarded, mistakes and failures, and errors of the
/// library itself.
pub const CATEGORIES: [&str; 3] = ["logStatusDiscard", "logStatusError", "logStatusFatal"];

/// The description of a model, and the kinds that it does not have.
fn describe(interface: &Interface, version: Version) -> (Description, Vec<(Kind, String)>) {
    let system = &interface.system;
    let run = system.settings();
    let why = interface.without_exchange.clone();
    let without = why.map(|why| (Kind::ModelExchange, why)).into_iter().collect();
    let exchanges = interface.without_exchange.is_none();
    let variables = interface.variables(version);
    let structure = structure(interface, version, &variables);
    let abilities = Abilities {
        identifier: identifier(system.name()),
        keeps_state: true,
        serialises_state: true,
        variable_steps: true,
        event_mode: true,
        early_return: true,
        intermediate_update: true,
        input_derivatives: true,
        directional: false,
        ..Abilities::default()
    };
    let exchange = Abilities { directional: true, ..abilities.clone() };
    let description = Description {
        version,
        name: system.name().to_owned(),
        token: token(interface, version),
        description: Some(system.origin.model.description.clone()).filter(|own| !own.is_empty()),
        tool: Some(format!("Superdense {}", env!("CARGO_PKG_VERSION"))),
        made: None,
        categories: CATEGORIES.map(str::to_owned).into(),
        co_simulation: Some(abilities),
        model_exchange: exchanges.then_some(exchange),
        indicators: interface.indicator_count(),
        experiment: Experiment {
            start: Some(run.start.time().seconds()),
            stop: Some(run.stop.seconds()),
            tolerance: Some(run.relative_tolerance),
            step: None,
        },
        variables,
        structure,
    };
    (description, without)
}
