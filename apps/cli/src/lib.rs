//! The command line: arguments in, results and messages out. All work is the library's.
//!
//! It is a library so that the Python package has the same command without a second binary.

// Options of a part that is left out are taken and refused, and nothing reads them.
#![cfg_attr(
    not(all(feature = "analysis", feature = "pictures", feature = "streams", feature = "studio")),
    allow(dead_code)
)]

mod arguments;
mod codes;
mod commands;
mod inputs;
mod json;
mod memory;
mod model;
mod report;
mod settings;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use superdense::nearest;

use arguments::{Arguments, Format};

/// Executes a command line, the name of the program first, and returns the exit code of the
/// process. Interrupts are handled from then on as a command handles them, so that it is called at
/// most once in a process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    let format = arguments.command.format();
    let Err(error) = commands::run(arguments.command) else { return 0 };
    report::notify(&match format {
        Format::Text => words(&error),
        Format::Json => json::lines(&error),
    });
    error.downcast_ref::<report::Interrupted>().map_or(1, |_| commands::INTERRUPTED)
}

/// Reports an error in the arguments and returns the exit code. For an unknown command it names
/// similar ones.
fn refuse(error: &clap::Error) -> u8 {
    // The codes of clap are 0, for help that was asked for, and 2.
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    let name = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) if error.kind() == ErrorKind::InvalidSubcommand => name,
        _ => {
            // Nobody could be informed of a failure to print.
            let _ = error.print();
            return code;
        }
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
    report::notify(&format!("error: there is no command `{name}`\n  = help: {help}\n"));
    code
}

/// An error in words; a diagnostic already says that it is an error.
fn words(error: &anyhow::Error) -> String {
    let prefix = if error.is::<report::Problem>() { "" } else { "error: " };
    format!("{prefix}{error:#}\n")
}
