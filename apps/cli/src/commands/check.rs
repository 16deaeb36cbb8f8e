//! `check`: looks for mistakes, and prints what the stages make of a model.

use anyhow::{Result, bail};
use superdense::Stage;

use crate::arguments::{CheckArguments, Format};
use crate::json;
use crate::model::compile;
use crate::report::{colour, show, tell};

pub fn check(arguments: &CheckArguments) -> Result<()> {
    let system = compile(&arguments.model, None)?;
    match arguments.print.as_deref() {
        None => {
            let blocks = count(system.block_count(), "block");
            let states = count(system.state_count(), "state");
            let model = arguments.model.model.display();
            let warnings = system.warnings();
            tell(&match arguments.format {
                Format::Text => warned(&warnings.render(system.sources(), colour())),
                Format::Json => json::objects(&warnings, system.sources()),
            });
            let rest = match warnings.0.len() {
                0 => String::new(),
                number => format!(", {}", count(number, "warning")),
            };
            show(&format!("{model}: {blocks}, {states}, no errors{rest}\n"))
        }
        Some("diagram") => show(&system.print(Stage::Diagram)),
        Some("schedule") => show(&system.print(Stage::Schedule)),
        Some("program") => show(&system.print(Stage::Program)),
        Some(other) => bail!("there is no stage `{other}`: diagram, schedule or program"),
    }
}

/// Warnings with a line after them; nothing where there are none.
fn warned(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
