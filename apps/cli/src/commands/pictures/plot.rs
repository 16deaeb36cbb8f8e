//! `plot`: a saved trace as a figure.

use anyhow::{Context, Result, bail};
use superdense::plots::{Figure, Panel};
use superdense::{Trace, traces};

use super::{check_picture, plot_to};
use crate::arguments::PlotArguments;
use crate::model::time;
use crate::report::unread;

/// Plots a saved trace.
pub fn plot(arguments: &PlotArguments) -> Result<()> {
    check_picture(&arguments.output)?;
    let trace = traces::read(&arguments.trace).map_err(unread)?;
    let mut figure = Figure::new(panels(arguments, &trace)?).shade_by_states(&trace);
    if arguments.steps {
        figure.panels = figure.panels.into_iter().map(Panel::solver_steps).collect();
    }
    if arguments.log {
        figure.panels = figure.panels.into_iter().map(Panel::log).collect();
    }
    figure.title = arguments.title.clone();
    if let Some(name) = &arguments.shade {
        figure = figure.shade(Some(name.clone()).filter(|name| name != "none"));
    }
    for text in &arguments.open {
        figure.time.open.extend(time(Some(text), "--open")?);
    }
    figure.time.range = range(arguments, &trace)?;
    plot_to(&trace, &figure, &arguments.output)
}

fn panels(arguments: &PlotArguments, trace: &Trace) -> Result<Vec<Panel>> {
    let mut panels = match arguments.signals.as_slice() {
        [] if arguments.panels.is_empty() && arguments.phases.is_empty() => {
            Figure::of(trace).panels
        }
        [] => Vec::new(),
        names => Figure::of_signals(trace, names.iter().cloned())?.panels,
    };
    for text in &arguments.panels {
        let names = names(text);
        if names.is_empty() {
            bail!("`--panel` names no signal: write `--panel x,y`");
        }
        panels.push(Panel::over_time(names));
    }
    for text in &arguments.phases {
        let pair = names(text);
        let [x, y] = pair.as_slice() else {
            bail!("`--phase {text}` does not name two signals: write `--phase x,y`");
        };
        panels.push(Panel::phase(*x, *y));
    }
    Ok(panels)
}

/// The names between commas; a comma in brackets, as in `x[0,1]` or `min(a, b)`, is part of a name.
fn names(text: &str) -> Vec<&str> {
    let (mut names, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                names.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    names.push(text[from..].trim());
    names.retain(|name| !name.is_empty());
    names
}

/// The ends of the time axis; a missing end is that of the trace.
fn range(
    arguments: &PlotArguments,
    trace: &Trace,
) -> Result<Option<(superdense::Time, superdense::Time)>> {
    let from = time(arguments.from.as_deref(), "--from")?;
    let to = time(arguments.to.as_deref(), "--to")?;
    if from.is_none() && to.is_none() {
        return Ok(None);
    }
    let end = |tag: Option<&superdense::Tag>| tag.map(|tag| tag.time);
    let from = from.or(end(trace.tags().first())).context("the trace has no rows")?;
    let to = to.or(end(trace.tags().last())).context("the trace has no rows")?;
    if from >= to {
        bail!("the time axis goes from {from} to {to}; it must go up: see `--from` and `--to`");
    }
    Ok(Some((from, to)))
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn names_are_split_at_commas_outside_of_brackets() {
        assert_eq!(names("a, b"), ["a", "b"]);
        assert_eq!(names("x[0,1],min(a, b),"), ["x[0,1]", "min(a, b)"]);
        assert_eq!(names("a]b,c"), ["a]b,c"]);
        assert_eq!(names(""), [""; 0]);
    }
}
