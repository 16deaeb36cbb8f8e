//! Figures of a run on streams, which show what a step does to a model.

use std::path::Path;

use anyhow::{Result, bail};
use superdense::plots::{Axis, Color, Content, Dash, Figure, Mark, Pair, Panel, Signal, TimeAxis};
use superdense::{
    Column, Elem, Evaluations, Schema, Shape, Streamed, System, Tag, Time, Trace, Type,
};

use super::plot_to;
use crate::arguments::StreamArguments;
use crate::model::pictured;
use crate::report::notify;

/// How many rows of the native run make a smooth curve.
const ROWS: u32 = 2000;
/// If no more evaluations than this are in view, each is marked with a dot.
const FEW: usize = 80;
/// The column of the times to which time was set back.
const REVERSAL: &str = "reversal";
/// The column of the times of the native run.
const EVEN: &str = "time (native)";
/// The colour of marked points.
const MARKED: Color = Color::new(0xd5, 0x5e, 0x00);

/// Plots a run on streams to a file.
pub fn draw_streams(
    arguments: &StreamArguments,
    system: &System,
    streamed: &Streamed,
    path: &Path,
) -> Result<()> {
    let evaluations = &streamed.evaluations;
    let names = chosen(evaluations, &arguments.signals)?;
    let view = view(arguments, evaluations.len())?;
    let native = native(system)?;
    let trace = table(evaluations, &names, native.as_ref(), view);
    let mut figure = Figure::new(panels(&trace, &names, native.as_ref(), view.1 - view.0 <= FEW)?);
    figure.title = Some(system.name().to_owned());
    figure.time = TimeAxis {
        label: Some("evaluation".to_owned()),
        unit: Some(String::new()),
        range: Some((evaluation(view.0), evaluation(view.1))),
        ..TimeAxis::default()
    };
    plot_to(&trace, &figure, path)
}

/// The signals to draw: those that are named, or all.
fn chosen(evaluations: &Evaluations, named: &[String]) -> Result<Vec<String>> {
    let all: Vec<&str> = evaluations.signals().collect();
    if let Some(unknown) = named.iter().find(|name| !all.contains(&name.as_str())) {
        let help = superdense::did_you_mean(unknown, all.iter().copied());
        let help = help.unwrap_or_else(|| format!("there is: {}", all.join(", ")));
        bail!("no recorded signal `{unknown}`; {help}");
    }
    if named.is_empty() {
        return Ok(all.into_iter().map(str::to_owned).collect());
    }
    Ok(named.to_vec())
}

fn view(arguments: &StreamArguments, evaluations: usize) -> Result<(usize, usize)> {
    let last = evaluations.saturating_sub(1);
    let (from, to) = (arguments.from.unwrap_or(0), arguments.to.unwrap_or(last));
    if from > last {
        bail!("there is no evaluation {from}: the last is {last}");
    }
    if from >= to {
        bail!(
            "a close-up needs two evaluations at least: `--from {from}` must be below `--to {to}`"
        );
    }
    Ok((from, to.min(last)))
}

fn evaluation(e: usize) -> Time {
    Time::from_f64(e as f64).unwrap_or(Time::ZERO)
}

/// The same model run by the native engine; `None` if that fails.
fn native(system: &System) -> Result<Option<Trace>> {
    let smooth = pictured(system, Some(ROWS))?;
    match smooth.simulate() {
        Ok(outcome) => Ok(Some(outcome.trace)),
        Err(failure) => {
            let name = system.name();
            notify(&format!(
                "note: `superdense run` cannot run {name}, and is not drawn: {failure}\n"
            ));
            Ok(None)
        }
    }
}

/// The data of the figure: time, its reversals, the signals and, beside each scalar real signal,
/// its native value over a time that advances uniformly through the view.
fn table(
    evaluations: &Evaluations,
    names: &[String],
    native: Option<&Trace>,
    view: (usize, usize),
) -> Trace {
    let from = evaluations.trace();
    let real = |name: &str| Column { name: name.to_owned(), ty: Type::REAL };
    let own: Vec<usize> = names.iter().filter_map(|name| from.column(name)).collect();
    let beside = overlaid(from, names, native);
    let mut columns = vec![real("time"), real(REVERSAL), real(EVEN)];
    columns.extend(own.iter().map(|index| from.columns()[*index].clone()));
    columns.extend(beside.iter().map(|(_, name)| real(name)));
    // The states of state machines keep their names.
    let names_of = |index: &usize| from.schema().labels(*index);
    let named = own.iter().map(names_of).enumerate().filter(|(_, names)| !names.is_empty());
    let schema = named.fold(Schema::new(columns), |schema, (index, names)| {
        schema.with_labels(index + 3, names.to_vec())
    });
    let mut trace = Trace::with_schema(schema);
    let reversals = evaluations.reversals();
    let even = even_times(evaluations, view);
    for e in 0..evaluations.len() {
        let time = evaluations.get(e, "time").map(|time| [time]);
        let reversal = time.filter(|_| reversals.binary_search(&e).is_ok());
        let even = native.map(|_| [even(e)]);
        let natives: Vec<Option<[f64; 1]>> = beside
            .iter()
            .map(|(index, _)| Some([native_value(native?, *index, even?[0])?]))
            .collect();
        let row = |microstep: u32, column: usize| match column {
            0 => time.as_ref().map(<[f64; 1]>::as_slice),
            1 => reversal.as_ref().map(<[f64; 1]>::as_slice).filter(|_| microstep == 1),
            2 => even.as_ref().map(<[f64; 1]>::as_slice),
            _ if column < own.len() + 3 => stair(from, e, own[column - 3], microstep),
            _ => natives[column - own.len() - 3].as_ref().map(<[f64; 1]>::as_slice),
        };
        for microstep in 0..2 {
            trace.push(Tag::new(evaluation(e), microstep), |column| row(microstep, column));
        }
    }
    trace
}

/// The value of a signal before and at an evaluation. Integers and truth values hold their value up
/// to the evaluation; reals are interpolated linearly.
fn stair(from: &Trace, e: usize, column: usize, microstep: u32) -> Option<&[f64]> {
    let (here, before) = (from.get(e, column), from.get(e.saturating_sub(1), column));
    match from.columns()[column].ty.elem {
        _ if microstep == 1 => here,
        Elem::Real => here.filter(|_| before.is_some()),
        _ => before,
    }
}

/// Evenly spaced times from the smallest to the largest time in view, one for each evaluation.
fn even_times(evaluations: &Evaluations, view: (usize, usize)) -> impl Fn(usize) -> f64 {
    let times = (view.0..=view.1).filter_map(|e| evaluations.get(e, "time"));
    let (low, high) = times.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), time| {
        (low.min(time), high.max(time))
    });
    move |e| {
        let part = (e as f64 - view.0 as f64) / (view.1 - view.0) as f64;
        low + (high - low) * part.clamp(0.0, 1.0)
    }
}

/// The columns of the native run that are plotted beside scalar real signals, with their names.
fn overlaid(from: &Trace, names: &[String], native: Option<&Trace>) -> Vec<(usize, String)> {
    let Some(native) = native else { return Vec::new() };
    let real = names.iter().filter(|name| is_curve(from, name));
    real.filter_map(|name| Some((native.column(name)?, beside(name)))).collect()
}

fn beside(name: &str) -> String {
    format!("{name} (native)")
}

/// Whether a signal is a real scalar.
fn is_curve(trace: &Trace, name: &str) -> bool {
    let ty = trace.column(name).map(|column| trace.columns()[column].ty);
    ty.is_some_and(|ty| ty.shape == Shape::Scalar && ty.elem == Elem::Real)
}

/// The value of a column at a time, linearly interpolated between rows.
fn native_value(native: &Trace, column: usize, time: f64) -> Option<f64> {
    let seconds = |row: usize| native.tags()[row].time.seconds();
    let after = native.tags().partition_point(|tag| tag.time.seconds() <= time);
    let (left, right) = (after.checked_sub(1)?, after.min(native.len() - 1));
    let (x, y) = (native.get(left, column)?[0], native.get(right, column)?[0]);
    let length = seconds(right) - seconds(left);
    Some(if length > 0.0 { x + (y - x) * (time - seconds(left)) / length } else { x })
}

fn panels(
    trace: &Trace,
    names: &[String],
    native: Option<&Trace>,
    few: bool,
) -> Result<Vec<Panel>> {
    let curves: Vec<&String> = names.iter().filter(|name| is_curve(trace, name)).collect();
    let mut panels: Vec<Panel> = Vec::new();
    if let Some(first) = curves.first() {
        panels.push(over_time(trace, first, native));
    }
    let over_evaluations = Figure::of_signals(trace, names.iter().cloned())?;
    panels.extend(over_evaluations.panels.into_iter().map(|panel| dotted(trace, panel, few)));
    let time = Panel::over_time([Signal::new("time")]).y(Axis::new("time").unit("s"));
    let mut time = dotted(trace, time, few);
    if let Content::Time { signals, .. } = &mut time.content {
        let marks = Signal::new(REVERSAL).label("time recedes").mark(Mark::Dots);
        signals.push(marks.color(MARKED));
    }
    panels.push(time);
    Ok(panels)
}

/// A signal over time, which may go backwards, and its native value.
fn over_time(trace: &Trace, name: &str, native: Option<&Trace>) -> Panel {
    let mut pairs = vec![Pair::new("time", name).label("on streams")];
    let other = beside(name);
    if let Some(native) = native.filter(|_| trace.column(&other).is_some()) {
        let dash = Some(Dash::Dashed);
        let label = native.header().solver.clone();
        pairs.push(Pair { dash, color: Some(MARKED), ..Pair::new(EVEN, other).label(label) });
    }
    Panel::phases(pairs).x(Axis::new("time").unit("s")).y(Axis::new(name))
}

/// Adds a dot for each evaluation, if there are few evaluations and one curve.
fn dotted(trace: &Trace, mut panel: Panel, few: bool) -> Panel {
    if let Content::Time { signals, .. } = &mut panel.content
        && let (true, [only]) = (few, signals.as_slice())
        && is_curve(trace, &only.name)
    {
        let dots = only.clone().mark(Mark::Dots).color(Color::new(0x26, 0x26, 0x26));
        signals.push(dots.label("evaluations"));
    }
    panel
}
