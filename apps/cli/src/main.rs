//! The command line: arguments in, results and messages out. All work is the library's.

mod arguments;
mod commands;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    match commands::run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let text = format!("{error:#}");
            let prefix = if text.contains("error[") { "" } else { "error: " };
            // Where nobody reads standard error there is nobody to tell.
            let _ = writeln!(io::stderr(), "{prefix}{text}");
            ExitCode::FAILURE
        }
    }
}
