//! The implementation of the commands, one file for each.

#[cfg(feature = "analysis")]
mod analysis;
#[cfg(not(feature = "analysis"))]
#[path = "commands/without_analysis.rs"]
mod analysis;
mod blocks;
mod check;
mod compare;
mod conformance;
mod dirac;
mod energy;
mod examples;
mod explain;
mod explore;
mod fmt;
#[cfg(feature = "fmi")]
mod fmu;
#[cfg(not(feature = "fmi"))]
#[path = "commands/without_fmi.rs"]
mod fmu;
mod import;
mod new;
mod pair;
#[cfg(feature = "pictures")]
mod pictures;
#[cfg(not(feature = "pictures"))]
#[path = "commands/without_pictures.rs"]
mod pictures;
mod run;
mod shell;
#[cfg(feature = "streams")]
mod stream;
#[cfg(not(feature = "streams"))]
#[path = "commands/without_streams.rs"]
mod stream;
#[cfg(feature = "studio")]
mod studio;
#[cfg(not(feature = "studio"))]
#[path = "commands/without_studio.rs"]
mod studio;
mod sweep;

use anyhow::Result;
use superdense::Tolerance;

use crate::arguments::Command;
pub use run::interrupt::EXIT_CODE as INTERRUPTED;

/// Executes a command.
pub fn run(command: Command) -> Result<()> {
    run::interrupt::watch()?;
    match command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Stream(arguments) => stream::stream(&arguments),
        Command::Energy(arguments) => energy::energy(&arguments),
        Command::Explain { model, instant } => explain::explain(&model, instant.as_deref()),
        Command::Trim(arguments) => analysis::trim(&arguments),
        Command::Linearize(arguments) => analysis::linearize(&arguments),
        Command::Explore(arguments) => explore::explore(&arguments),
        Command::Fmu(command) => fmu::fmu(&command),
        Command::Plot(arguments) => pictures::plot(&arguments),
        Command::Compare { first, second, absolute, relative, time } => {
            compare::compare(&first, &second, Tolerance { absolute, relative, time })
        }
        Command::Import { model, output, ptolemy } => {
            import::import(&model, &output, ptolemy.as_deref())
        }
        Command::Conformance(arguments) => conformance::conformance(&arguments),
        Command::Dirac(arguments) => dirac::dirac(&arguments),
        Command::Pair(arguments) => pair::pair(&arguments),
        Command::Graph(arguments) => pictures::graph(&arguments),
        Command::Fmt { files, check } => fmt::fmt(&files, check),
        Command::Blocks { search: Some(words), .. } => blocks::search(&words),
        Command::Blocks { name, write, of, .. } => {
            blocks::blocks(name.as_deref(), write.as_deref(), of.as_deref())
        }
        Command::Completions { shell } => shell::completions(shell),
        Command::Schema => shell::schema(),
        Command::Man { command } => shell::man(command.as_deref()),
        Command::Studio { path, port, no_browser } => {
            studio::studio(path.as_deref(), port, !no_browser)
        }
        Command::Report { model, output } => studio::report(&model, &output),
        Command::New { name } => new::new(&name),
        Command::Examples { command } => examples::examples(command),
    }
}
