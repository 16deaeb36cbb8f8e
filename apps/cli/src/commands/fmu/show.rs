//! `fmu show`: what an FMU says about itself.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use superdense::fmi::{
    Abilities, Causality, Contents, Description, Kind, Limits, Start, Variability, Variable,
    platform,
};

use crate::report::show;

pub fn show_fmu(path: &Path) -> Result<()> {
    let contents = Contents::read(path, &Limits::default())
        .with_context(|| format!("`{}` cannot be used as an FMU", path.display()))?;
    show(&page(&contents))
}

fn page(contents: &Contents) -> String {
    let own = &contents.description;
    let mut text = format!("{} (FMI {})\n", plain(&own.name), own.version);
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            let _ = writeln!(text, "  {name:<14} {}", plain(&value));
        }
    };
    line("description", own.description.clone());
    line("made by", own.tool.clone());
    line("made at", own.made.clone());
    line("token", Some(own.token.clone()));
    let number = |value: Option<f64>| value.map(|value| value.to_string());
    line("start", number(own.experiment.start));
    line("stop", number(own.experiment.stop));
    line("tolerance", number(own.experiment.tolerance));
    line("step", number(own.experiment.step));
    let platforms = contents.platforms();
    let here = platform(own.version);
    let runs = if platforms.contains(&here.as_str()) { "" } else { "; none for this machine" };
    let list = if platforms.is_empty() { "none".to_owned() } else { platforms.join(", ") };
    line("libraries", Some(format!("{list}{runs}")));
    for kind in [Kind::CoSimulation, Kind::ModelExchange] {
        if let Some(abilities) = own.abilities(kind) {
            line(&kind.to_string(), Some(able(abilities, kind)));
        }
    }
    if own.model_exchange.is_some() {
        let states: usize = lengths(own, own.structure.derivatives.iter().map(|one| one.reference));
        line("states", Some(states.to_string()));
        line("indicators", Some(own.indicators.to_string()));
    }
    variables(&mut text, own);
    if !contents.mistakes.is_empty() {
        text += "\nmistakes\n";
        for mistake in &contents.mistakes {
            let _ = writeln!(text, "  {}", plain(mistake));
        }
    }
    text
}

/// How many elements variables have together.
fn lengths(own: &Description, references: impl Iterator<Item = u32>) -> usize {
    let length = |reference: u32| {
        let variable = own.variables.iter().find(|own| own.reference == reference);
        variable.map_or(1, Variable::len)
    };
    references.map(length).sum()
}

/// What an FMU can do in a kind.
fn able(own: &Abilities, kind: Kind) -> String {
    let co_simulation = kind == Kind::CoSimulation;
    let all = [
        (own.keeps_state, "goes back to states"),
        (own.serialises_state, "states as bytes"),
        (own.directional, "directional derivatives"),
        (co_simulation && own.variable_steps, "steps of any length"),
        (co_simulation && own.event_mode, "event mode"),
        (co_simulation && own.early_return, "early return"),
        (co_simulation && own.input_derivatives, "derivatives of inputs"),
        (own.needs_tool, "NEEDS ITS TOOL"),
        (own.only_one, "one instance in a process"),
    ];
    let able: Vec<&str> = all.iter().filter(|(has, _)| *has).map(|(_, name)| *name).collect();
    if able.is_empty() { "yes".to_owned() } else { able.join(", ") }
}

fn variables(text: &mut String, own: &Description) {
    let groups = [
        ("inputs", Causality::Input),
        ("outputs", Causality::Output),
        ("parameters", Causality::Parameter),
        ("structural parameters", Causality::StructuralParameter),
        ("calculated parameters", Causality::CalculatedParameter),
        ("local variables", Causality::Local),
    ];
    for (title, causality) in groups {
        let all: Vec<&Variable> = own.of(causality).collect();
        if all.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{title}");
        let width = all.iter().map(|own| plain(&own.name).chars().count()).max().unwrap_or(0);
        for variable in all {
            let line = about(variable);
            let _ = writeln!(text, "  {:<width$}  {line}", plain(&variable.name));
        }
    }
}

fn about(own: &Variable) -> String {
    let mut text = own.ty.name().to_owned();
    for length in &own.dimensions {
        let _ = write!(text, "[{length}]");
    }
    if own.variability != Variability::Continuous {
        let names = Variability::ALL;
        let name = names.iter().find(|(other, _)| *other == own.variability);
        let _ = write!(text, " {}", name.map_or("", |(_, name)| name));
    }
    match &own.start {
        Some(Start::Numbers(numbers)) => {
            let shown: Vec<String> = numbers.iter().take(6).map(f64::to_string).collect();
            let more = if numbers.len() > 6 { " ..." } else { "" };
            let _ = write!(text, " = {}{more}", shown.join(" "));
        }
        Some(Start::Text(start)) => {
            let _ = write!(text, " = \"{}\"", plain(start));
        }
        None => {}
    }
    if let Some(unit) = &own.unit {
        let _ = write!(text, " [{}]", plain(unit));
    }
    if let Some(description) = own.description.as_ref().filter(|own| !own.is_empty()) {
        let _ = write!(text, "  {}", plain(description));
    }
    text
}

/// A text of somebody else without anything that could move the cursor of a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
