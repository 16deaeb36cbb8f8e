//! From the arguments to a compiled model.

use anyhow::{Result, bail};
use superdense::{
    Library, Model, Rational, Refused, RowsPer, Settings, System, Time, parse_parameter,
    parse_value, ptolemy,
};

use crate::arguments::ModelArguments;
use crate::inputs::override_inputs;
use crate::report::refused;
use crate::settings::Takes;

/// Reads and compiles the model.
pub fn compile<T: Takes>(arguments: &ModelArguments<T>) -> Result<System> {
    compile_given(arguments, &arguments.inputs)
}

/// The same with only some of its inputs given.
pub fn compile_given<T: Takes>(arguments: &ModelArguments<T>, inputs: &[String]) -> Result<System> {
    let root = arguments.ptolemy.as_deref();
    let model = ptolemy::read_any(&arguments.model, root).map_err(refused)?;
    let overrides = overrides_given(arguments, inputs, &model)?;
    let system = System::compile_with(&model, &Library::standard(), &overrides).map_err(refused)?;
    // The process ends with the command, so there is no need to free a large model piece by piece.
    if !system.keeps_files() {
        std::mem::forget(system.clone());
    }
    Ok(system)
}

/// The same system with the rows of a figure: every microstep, so that jumps are vertical, and this
/// many rows between steps, so that curves look smooth.
pub fn pictured(system: &System, smooth: Option<u32>) -> Result<System> {
    let settings = Settings::default().rows(RowsPer::Microstep);
    // No rows between steps, also if the system has some so far.
    let smooth = Some(smooth.unwrap_or(0));
    system.with(&Settings { smooth, ..settings }).map_err(refused)
}

/// What the command line overrides in the model.
pub fn overrides<T: Takes>(arguments: &ModelArguments<T>, model: &Model) -> Result<Settings> {
    overrides_given(arguments, &arguments.inputs, model)
}

fn overrides_given<T: Takes>(
    arguments: &ModelArguments<T>,
    inputs: &[String],
    model: &Model,
) -> Result<Settings> {
    let settings = arguments.settings.given.clone();
    let mut overrides = Settings { settings, ..Settings::default() };
    for text in &arguments.parameters {
        let Some((name, value)) = text.split_once('=') else {
            bail!("`-p {text}` has no `=`: write `-p name=value`");
        };
        let name = name.trim();
        let value =
            parse_parameter(model, name, value).map_err(|error| no_value(name, value, error))?;
        overrides.parameters.push((name.to_owned(), value));
    }
    override_inputs(inputs, &mut overrides)?;
    Ok(overrides)
}

/// The error for an invalid value of a parameter, and which values are valid.
fn no_value(name: &str, value: &str, mut error: Refused) -> anyhow::Error {
    for diagnostic in &mut error.diagnostics.0 {
        diagnostic.notes.push(format!("in `-p {name}={value}`"));
        if diagnostic.help.is_none() {
            let help = "a value is an expression of numbers, pi, inf and functions, such as 0.5, \
                        2 * pi / 3, sqrt(2) or [1, 2]; names of the model are not known here";
            diagnostic.help = Some(help.to_owned());
        }
    }
    refused(error)
}

/// A positive duration from an option \[s\].
pub fn duration(text: Option<&str>, option: &str) -> Result<Option<Rational>> {
    let Some(text) = text else { return Ok(None) };
    let value = parse_value(text).map_err(refused)?;
    match value.as_rational().filter(|time| *time.numer() > 0 && value.as_bool().is_none()) {
        Some(time) => Ok(Some(time)),
        None => bail!("`{option} {text}` is not a positive time in seconds"),
    }
}

/// A time from an option \[s\], rounded to model time.
pub fn time(text: Option<&str>, option: &str) -> Result<Option<Time>> {
    let Some(text) = text else { return Ok(None) };
    let value = parse_value(text).map_err(refused)?;
    match value.as_rational().and_then(Time::from_rational) {
        Some(time) => Ok(Some(time)),
        None => bail!("`{option} {text}` is no time in seconds"),
    }
}
