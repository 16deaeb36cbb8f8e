//! From the arguments to a compiled model.

use anyhow::{Result, bail};
use superdense::{
    Impulses, Library, Overrides, Rational, System, Time, did_you_mean, parse_value, read,
};

use crate::arguments::ModelArguments;
use crate::report::refused;

/// Reads and compiles the model; `smooth` asks for rows that make its curves look smooth.
pub fn compile(arguments: &ModelArguments, smooth: Option<u32>) -> Result<System> {
    let model = read(&arguments.model).map_err(refused)?;
    let overrides = Overrides { smooth, ..overrides(arguments)? };
    let system = System::compile(&model, &Library::standard(), &overrides).map_err(refused)?;
    // The process ends with the command: a large model need not be given back piece by piece.
    std::mem::forget(system.clone());
    Ok(system)
}

/// What the arguments set over the model's own words.
pub fn overrides(arguments: &ModelArguments) -> Result<Overrides> {
    let mut overrides = Overrides {
        solver: arguments.solver.clone(),
        tolerance: arguments.tolerance,
        seed: arguments.seed,
        ..Overrides::default()
    };
    for text in &arguments.parameters {
        let Some((name, value)) = text.split_once('=') else {
            bail!("`-p {text}` has no `=`: write `-p name=value`");
        };
        let value = parse_value(value).map_err(refused)?;
        overrides.parameters.push((name.trim().to_owned(), value));
    }
    overrides.start = time(arguments.start.as_deref(), "--start")?;
    overrides.every = duration(arguments.every.as_deref(), "--every")?;
    overrides.step = duration(arguments.step.as_deref(), "--step")?;
    overrides.impulses = arguments.impulses.as_deref().map(impulses).transpose()?;
    overrides.stop = time(arguments.stop.as_deref(), "--stop")?;
    Ok(overrides)
}

fn impulses(word: &str) -> Result<Impulses> {
    let Some(impulses) = Impulses::named(word) else {
        let names = Impulses::ALL.map(Impulses::name);
        let help = did_you_mean(word, names).map_or(String::new(), |help| format!("; {help}"));
        bail!("`--impulses {word}` is none of {}{help}", names.join(", "));
    };
    Ok(impulses)
}

/// A positive time of an option.
pub fn duration(text: Option<&str>, option: &str) -> Result<Option<Rational>> {
    let Some(text) = text else { return Ok(None) };
    let value = parse_value(text).map_err(refused)?;
    match value.as_rational().filter(|time| *time.numer() > 0 && value.as_bool().is_none()) {
        Some(time) => Ok(Some(time)),
        None => bail!("`{option} {text}` is no positive time in seconds"),
    }
}

/// A time in seconds.
pub fn time(text: Option<&str>, option: &str) -> Result<Option<Time>> {
    let Some(text) = text else { return Ok(None) };
    let value = parse_value(text).map_err(refused)?;
    match value.as_rational().and_then(Time::from_rational) {
        Some(time) => Ok(Some(time)),
        None => bail!("`{option} {text}` is no time in seconds"),
    }
}
