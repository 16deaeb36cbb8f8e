//! The command `superdense`.

use std::process::ExitCode;

fn main() -> ExitCode {
    superdense_cli::run(std::env::args_os()).into()
}
