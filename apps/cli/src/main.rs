//! The command line: arguments in, results and messages out. All work is the library's.

mod arguments;
mod codes;
mod commands;
mod json;
mod memory;
mod model;
mod report;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Format};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
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

/// An error in words; a diagnostic says itself that it is one.
fn words(error: &anyhow::Error) -> String {
    let prefix = if error.is::<report::Problem>() { "" } else { "error: " };
    format!("{prefix}{error:#}\n")
}
