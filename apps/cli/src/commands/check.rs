//! `check`: checks a model for mistakes, and prints the results of the stages.

use anyhow::{Result, bail};
use superdense::{MainParameter, ParameterKind, Stage};

use crate::arguments::{CheckArguments, Format};
use crate::inputs::feed_inputs;
use crate::json;
use crate::model::compile;
use crate::report::{show, warn};

/// The maximum number of blocks listed by name.
const MOST_NAMES: usize = 8;

pub fn check(arguments: &CheckArguments) -> Result<()> {
    let system = compile(&arguments.model)?;
    feed_inputs(&arguments.model.inputs, &system, &mut system.begin())?;
    if arguments.list_parameters {
        return show(&parameters(&system.parameters(), arguments.format));
    }
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

/// The parameters of a model, one on each line.
fn parameters(parameters: &[MainParameter], format: Format) -> String {
    let cells = |own: &MainParameter| {
        let kind = match &own.kind {
            ParameterKind::Structural(why) => format!("structural: {why}"),
            ParameterKind::Fixed => "fixed".to_owned(),
            ParameterKind::Tunable => "tunable".to_owned(),
        };
        let unit = own.about.unit.clone().unwrap_or_default();
        let ty = match own.words.is_empty() {
            true => own.value.ty().to_string(),
            false => "word".to_owned(),
        };
        [own.name.clone(), own.shown(), ty, unit, kind]
    };
    if format == Format::Json {
        return parameters.iter().map(|own| format!("{}\n", json::parameter(own))).collect();
    }
    let head = ["parameter", "value", "type", "unit", "kind"].map(str::to_owned);
    let rows: Vec<[String; 5]> =
        std::iter::once(head).chain(parameters.iter().map(cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; 5] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let line = |row: &[String; 5]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
