//! `check`: looks for mistakes, and prints what the stages make of a model.

use anyhow::{Result, bail};
use superdense::Stage;

use crate::arguments::CheckArguments;
use crate::model::compile;
use crate::report::show;

pub fn check(arguments: &CheckArguments) -> Result<()> {
    let system = compile(&arguments.model, None)?;
    match arguments.print.as_deref() {
        None => {
            let blocks = count(system.block_count(), "block");
            let states = count(system.state_count(), "state");
            let model = arguments.model.model.display();
            show(&format!("{model}: {blocks}, {states}, no errors\n"))
        }
        Some("diagram") => show(&system.print(Stage::Diagram)),
        Some("schedule") => show(&system.print(Stage::Schedule)),
        Some("program") => show(&system.print(Stage::Program)),
        Some(other) => bail!("there is no stage `{other}`: diagram, schedule or program"),
    }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
