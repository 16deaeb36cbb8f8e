//! `check`: checks a model for mistakes, and prints the results of the stages.

use anyhow::{Result, bail};
use superdense::Stage;

use crate::arguments::CheckArguments;
use crate::model::{Wanted, compile};
use crate::report::{show, warn};

/// The maximum number of blocks listed by name.
const MOST_NAMES: usize = 8;

pub fn check(arguments: &CheckArguments) -> Result<()> {
    let system = compile(&arguments.model, &arguments.method, Wanted::Result(None))?;
    match arguments.print.as_deref() {
        None => {
            let warnings = system.warnings();
            warn(&warnings, system.sources(), arguments.format);
            let blocks = count(system.block_count(), "block");
            let states = count(system.state_count(), "state");
            let model = arguments.model.model.display();
            let found = match warnings.0.len() {
                0 => "no errors".to_owned(),
                number => format!("no errors, {}", count(number, "warning")),
            };
            let mut text = format!("{model}: {blocks}, {states}, {found}\n");
            let looked = system.only_looked_at();
            if !looked.is_empty() {
                let shown = looked[..looked.len().min(MOST_NAMES)].join(", ");
                let rest = looked.len().saturating_sub(MOST_NAMES);
                let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
                text += &format!(
                    "crossings that are looked for, not guaranteed (opaque functions, solved loops, \
                     delayed signals): {shown}{rest}\n"
                );
            }
            show(&text)
        }
        Some("blocks") => show(&system.print(Stage::Blocks)),
        Some("diagram") => show(&system.print(Stage::Diagram)),
        Some("schedule") => show(&system.print(Stage::Schedule)),
        Some("program") => show(&system.print(Stage::Program)),
        Some(other) => bail!("there is no stage `{other}`: blocks, diagram, schedule or program"),
    }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
