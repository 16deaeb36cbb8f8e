//! The command line: arguments in, results and messages out. All work is the library's.

// Options of a part that is left out are taken and refused, and nothing reads them.
#![cfg_attr(not(all(feature = "pictures", feature = "streams")), allow(dead_code))]

mod arguments;
mod codes;
mod commands;
mod inputs;
mod json;
mod memory;
mod model;
mod report;
mod settings;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use superdense::nearest;

use arguments::{Arguments, Format};

fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| refuse(&error));
    let format = arguments.command.format();
    match commands::run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::tell(&match format {
                Format::Text => words(&error),
                Format::Json => json::lines(&error),
            });
            match error.downcast_ref::<report::Interrupted>() {
                Some(_) => commands::INTERRUPTED.into(),
                None => ExitCode::FAILURE,
            }
        }
    }
}

/// Reports an error in the arguments and exits. For an unknown command it names similar ones.
fn refuse(error: &clap::Error) -> ! {
    let name = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) if error.kind() == ErrorKind::InvalidSubcommand => name,
        _ => error.exit(),
    };
    let command = Arguments::command();
    let commands: Vec<&str> = command
        .get_subcommands()
        .filter(|own| !own.is_hide_set())
        .map(|own| own.get_name())
        .collect();
    let is_model = [".yaml", ".yml"].iter().any(|end| name.ends_with(end));
    let help = match nearest(name, commands.iter().copied()) {
        _ if is_model => format!("to run a model: `superdense run {name}`"),
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there is: {}", commands.join(", ")),
    };
    report::tell(&format!("error: there is no command `{name}`\n  = help: {help}\n"));
    std::process::exit(error.exit_code());
}

/// An error in words; a diagnostic already says that it is an error.
fn words(error: &anyhow::Error) -> String {
    let prefix = if error.is::<report::Problem>() { "" } else { "error: " };
    format!("{prefix}{error:#}\n")
}
