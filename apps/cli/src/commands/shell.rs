//! `completions`, `man` and `schema`: information about this program for shells, manuals and
//! editors.

use anyhow::{Result, bail};
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use superdense::{Library, did_you_mean};

use crate::arguments::Arguments;
use crate::report::show;

/// The completion script for a shell.
pub fn completions(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "superdense", &mut script);
    show(&String::from_utf8_lossy(&script))
}

/// The JSON Schema of model files.
pub fn schema() -> Result<()> {
    show(&format!("{:#}\n", superdense::schema(&Library::standard())))
}

/// The manual page of the program, or of one command.
pub fn man(name: Option<&str>) -> Result<()> {
    let mut program = Arguments::command();
    program.build();
    let command = match name {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                let help = did_you_mean(name, program.get_subcommands().map(|c| c.get_name()));
                let help = help.map_or(String::new(), |help| format!("; {help}"));
                bail!("there is no command `{name}`{help}");
            }
        },
    };
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    show(&String::from_utf8_lossy(&page))
}
