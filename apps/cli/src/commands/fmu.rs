//! `fmu`: exports a model as an FMU, and shows what is in one.

mod check;
mod show;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use superdense::fmi::{PackageError, Version, export};

use crate::arguments::{FmuArguments, FmuCommand, FmuLook};
use crate::model::compile;
use crate::report::{notify, refused};

pub fn fmu(command: &FmuCommand) -> Result<()> {
    match command {
        FmuCommand::Export(arguments) => write(arguments),
        FmuCommand::Look(FmuLook::Show { fmu }) => show::show_fmu(fmu),
        FmuCommand::Look(FmuLook::Check { fmu, stop, tolerance }) => {
            check::check_fmu(fmu, *stop, *tolerance)
        }
        FmuCommand::Look(FmuLook::Host) => Ok(superdense::fmi::serve()?),
    }
}

fn write(arguments: &FmuArguments) -> Result<()> {
    let system = compile(&arguments.model)?;
    let library = library(arguments.library.as_deref())?;
    let bytes = fs::read(&library)
        .with_context(|| format!("cannot read the library `{}`", library.display()))?;
    let version = if arguments.fmi.starts_with('2') { Version::Two } else { Version::Three };
    let output = &arguments.output;
    let exported = export(&system, version, &bytes, output).map_err(|error| match error {
        PackageError::Refused(error) => refused(error),
        error => anyhow::Error::new(error).context("the model was not exported"),
    })?;
    for name in &exported.left_out {
        notify(&format!("note: left out: {name}\n"));
    }
    for (kind, why) in &exported.without {
        notify(&format!("note: without {kind}: {why}\n"));
    }
    Ok(())
}

/// The library that runs an exported model.
fn library(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    let prefix = std::env::consts::DLL_PREFIX;
    let name = format!("{prefix}superdense_fmu{}", std::env::consts::DLL_SUFFIX);
    let program = std::env::current_exe().context("the place of this program is not known")?;
    let program = program.canonicalize().unwrap_or(program);
    let folder = program.parent().unwrap_or(Path::new("."));
    let places = [folder.join(&name), folder.join("../lib").join(&name)];
    match places.iter().find(|place| place.is_file()) {
        Some(place) => Ok(place.clone()),
        None => bail!(
            "there is no `{name}` in {}\n  = help: build it with `cargo build --release -p \
             superdense-fmu` and name it with `--library`, or copy it beside this program",
            folder.display()
        ),
    }
}
