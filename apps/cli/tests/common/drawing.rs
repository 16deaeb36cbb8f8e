//! Pictures of saved traces that show more than the command draws on its own: microsteps side by
//! side, a span of time, the rows as dots, the steps of the solver.
//!
//! `open.svg of ball.csv, panels y v; kick, from 1 to 2, open 1.4, dots y, steps`

use std::fs;
use std::path::Path;

use superdense::plots::{Content, Figure, Mark, Panel, Signal, svg};
use superdense::{Time, traces};

use super::figures::number;

/// Draws what a page asks for into a file of a folder.
pub fn draw(wanted: &str, folder: &Path) -> Result<(), String> {
    let mut words = wanted.split(", ");
    let files = words.next().unwrap_or_default();
    let (picture, trace) = files.split_once(" of ").ok_or("`FILE of TRACE` is missing")?;
    let trace = traces::read(&folder.join(trace)).map_err(|error| error.to_string())?;
    let mut figure = Figure::default();
    for word in words {
        figure = apply(word, figure)?;
    }
    let drawn = svg(&figure, &trace).map_err(|error| error.to_string())?;
    fs::write(folder.join(picture), drawn).map_err(|error| error.to_string())
}

fn apply(word: &str, mut figure: Figure) -> Result<Figure, String> {
    match word.split_once(' ') {
        Some(("panels", names)) => {
            let panel = |names: &str| Panel::over_time(names.split_whitespace());
            figure.panels = names.split("; ").map(panel).collect();
        }
        Some(("from", span)) => {
            let (from, to) = span.split_once(" to ").ok_or("`from A to B`")?;
            figure = figure.between(time(from)?, time(to)?);
        }
        Some(("dots", name)) => figure.panels.iter_mut().for_each(|panel| dots(panel, name)),
        Some(("open", at)) => figure = figure.open(time(at)?),
        None if word == "steps" => {
            figure.panels = figure.panels.into_iter().map(Panel::solver_steps).collect();
        }
        _ => return Err(format!("`{word}` is nothing that can be asked for")),
    }
    Ok(figure)
}

/// A signal of a panel also as a dot for each of its rows.
fn dots(panel: &mut Panel, name: &str) {
    if let Content::Time { signals, .. } = &mut panel.content
        && signals.iter().any(|signal| signal.name == name)
    {
        signals.push(Signal::new(name).label(format!("rows of {name}")).mark(Mark::Dots));
    }
}

fn time(text: &str) -> Result<Time, String> {
    Time::from_f64(number(text)).ok_or_else(|| format!("`{text}` is no time"))
}
