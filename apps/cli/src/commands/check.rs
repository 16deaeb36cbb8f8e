//! `check`: checks a model for mistakes, and prints the results of the stages.

use anyhow::{Result, bail};
use superdense::{
    Diagnostics, MainParameter, OrderError, OrderSearch, ParameterKind, Run, Stage, System,
};

use super::run::interrupt;
use crate::arguments::{CheckArguments, Format};
use crate::inputs::feed_inputs;
use crate::json;
use crate::model::compile;
use crate::report::{Problem, show, warn};

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
            show(&text)?;
            if arguments.order { order(arguments, &system) } else { Ok(()) }
        }
        Some("blocks") => show(&system.print(Stage::Blocks)),
        Some("diagram") => show(&system.print(Stage::Diagram)),
        Some("schedule") => show(&system.print(Stage::Schedule)),
        Some("program") => show(&system.print(Stage::Program)),
        Some(other) => bail!("there is no stage `{other}`: blocks, diagram, schedule or program"),
    }
}

/// Reports simultaneous events whose order matters.
fn order(arguments: &CheckArguments, system: &System) -> Result<()> {
    let begin = |system: &System| -> Result<Run> {
        let mut run = system.begin();
        feed_inputs(&arguments.model.inputs, system, &mut run)?;
        match run.missing_input() {
            None => Ok(run),
            Some(error) => Err(Problem::new(system.explain(&error), system.sources()).into()),
        }
    };
    interrupt::note_run(true);
    let searched = system.search_order(begin, &mut |_| !interrupt::asked())?;
    interrupt::note_run(false);
    let OrderSearch { instants, pairs, untried, findings } = match searched {
        Ok(search) => search,
        Err(OrderError::FixedStep) => bail!("a fixed-step run has no simultaneous events to order"),
        Err(OrderError::Cut) => bail!("interrupted"),
        Err(OrderError::Refused(refused)) => return Err(refused.into()),
        Err(OrderError::Failed(error)) => {
            return Err(Problem::new(system.explain(&error), system.sources()).into());
        }
    };
    let found = findings.iter().map(|own| system.explain_order(own)).collect();
    warn(&Diagnostics(found), system.sources(), arguments.format);
    let verdict = match findings.len() {
        0 => "no order matters".to_owned(),
        1 => "the order of 1 matters".to_owned(),
        some => format!("the order of {some} matters"),
    };
    let (instants, pairs) = (count(instants as usize, "instant"), count(pairs, "pair"));
    let untried = match untried {
        0 => String::new(),
        more => format!(" ({} not tried)", count(more as usize, "more meeting")),
    };
    show(&format!("{instants} with several events, {pairs} tried{untried}: {verdict}\n"))
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
