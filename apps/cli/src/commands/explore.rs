//! `explore`: every possible outcome of a model with nondeterministic transitions.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::{Value, json};
use superdense::{Choice, Exploration, PossibleOutcome};

use super::pictures::{check_picture, draw_tree};
use super::run::interrupt;
use crate::arguments::{ExploreArguments, Format};
use crate::inputs::refuse_files;
use crate::model::compile;
use crate::report::{notify, show};

/// How often progress is shown.
const SHOWN_EVERY: Duration = Duration::from_millis(200);

pub fn explore(arguments: &ExploreArguments) -> Result<()> {
    refuse_files(&arguments.model.inputs, "explore")?;
    arguments.output.as_deref().map_or(Ok(()), check_picture)?;
    let system = compile(&arguments.model)?;
    interrupt::note_run(true);
    let (begun, bar) = (Instant::now(), stderr().is_terminal());
    let mut shown = begun;
    let mut watch = |known: usize, waiting: usize| {
        if bar && shown.elapsed() > SHOWN_EVERY {
            shown = Instant::now();
            notify(&format!("\r{known} situations, {waiting} to follow"));
        }
        !interrupt::asked()
    };
    let found = system.explore(arguments.most, &mut watch)?;
    interrupt::note_run(false);
    if shown > begun {
        notify("\r\x1b[2K");
    }
    show(&match arguments.format {
        Format::Text => text(&found),
        Format::Json => format!("{}\n", object(&found)),
    })?;
    if let Some(output) = &arguments.output {
        draw_tree(&found, system.name(), output)?;
    }
    match found.complete {
        true => Ok(()),
        false if interrupt::asked() => bail!("interrupted; more outcomes may be possible"),
        false => bail!(
            "more than {} situations; more outcomes may be possible: raise `--most`",
            arguments.most
        ),
    }
}

fn text(found: &Exploration) -> String {
    let number = found.outcomes.len();
    let ways: f64 = found.outcomes.iter().map(|outcome| outcome.ways).sum();
    let verdict = match (number, ways) {
        (0, _) => "no outcome was reached".to_owned(),
        (1, 1.0) => "one outcome: nothing is left to choice".to_owned(),
        (1, ways) => format!("one outcome, whichever of {ways} ways the choices go"),
        (number, ways) => format!("{number} outcomes, by {ways} ways of choosing"),
    };
    let mut out = format!("{verdict}\n");
    for (index, outcome) in found.outcomes.iter().enumerate() {
        out += &listed(index + 1, found, outcome);
    }
    if !found.complete {
        out += &format!("\nnot followed: probability {}\n", rounded(found.unexplored()));
    }
    out
}

fn listed(number: usize, found: &Exploration, outcome: &PossibleOutcome) -> String {
    let PossibleOutcome { probability, ways, choices, values, end } = outcome;
    let ways = if *ways == 1.0 { "1 way".to_owned() } else { format!("{ways} ways") };
    let mut out =
        format!("\n{number}  probability {}, {ways}, ends: {end}\n", rounded(*probability));
    for choice in choices {
        let Choice { tag, machine, from, to, taken } = choice;
        let (number, of) = (taken + 1, to.join(", "));
        out += &format!("   {tag} {machine}: {from} -> {} (number {number} of {of})\n", to[*taken]);
    }
    for (index, (name, _)) in values.iter().enumerate() {
        out += &format!("   {name} = {}\n", found.shown_value(outcome, index, DIGITS));
    }
    out
}

/// The digits that a reader needs.
const DIGITS: usize = 12;

/// A number with as many digits as a reader needs.
fn rounded(value: f64) -> String {
    let short: f64 = format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value);
    format!("{short}")
}

fn object(found: &Exploration) -> Value {
    let outcomes: Vec<Value> = found.outcomes.iter().map(|own| outcome(found, own)).collect();
    json!({
        "outcomes": outcomes,
        "depth": found.depth,
        "situations": found.situations,
        "complete": found.complete,
        "differs": found.differs(),
        "unexplored": found.unexplored(),
    })
}

fn outcome(found: &Exploration, outcome: &PossibleOutcome) -> Value {
    let choice = |own: &Choice| {
        json!({
            "time": own.tag.time.decimal(), "microstep": own.tag.microstep,
            "machine": own.machine, "from": own.from, "to": own.to, "taken": own.taken,
        })
    };
    let values: serde_json::Map<String, Value> =
        outcome.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let named = (0..outcome.values.len()).filter(|index| !found.labels[*index].is_empty());
    let name = |index: usize| {
        let shown = found.shown_value(outcome, index, DIGITS);
        (outcome.values[index].0.clone(), json!(shown))
    };
    let names: serde_json::Map<String, Value> = named.map(name).collect();
    json!({
        "probability": outcome.probability,
        "ways": outcome.ways,
        "end": outcome.end.to_string(),
        "choices": outcome.choices.iter().map(choice).collect::<Vec<_>>(),
        "values": values,
        "names": names,
    })
}
