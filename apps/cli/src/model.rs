//! From the arguments to a compiled model.

use anyhow::{Result, bail};
use superdense::{Library, Overrides, System, Time, parse_value, read};

use crate::arguments::ModelArguments;
use crate::report::refused;

/// Reads and compiles the model; `smooth` asks for rows that make its curves look smooth.
pub fn compile(arguments: &ModelArguments, smooth: Option<u32>) -> Result<System> {
    let model = read(&arguments.model).map_err(refused)?;
    let overrides = Overrides { smooth, ..overrides(arguments)? };
    System::compile(&model, &Library::standard(), &overrides).map_err(refused)
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
    if let Some(text) = &arguments.every {
        let every = parse_value(text).map_err(refused)?.as_rational();
        overrides.every = every.filter(|every| *every.numer() > 0);
        if overrides.every.is_none() {
            bail!("`--every {text}` is no positive time in seconds");
        }
    }
    overrides.stop = time(arguments.stop.as_deref(), "--stop")?;
    Ok(overrides)
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
