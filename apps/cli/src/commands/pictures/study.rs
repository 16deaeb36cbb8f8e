//! The figure of a study: each recorded signal, symbolic with arrows, and numeric for each step
//! size.

use std::path::Path;

use anyhow::Result;
use superdense::plots::{Axis, Dash, Figure, Panel, Signal};
use superdense::{Column, Impulse, Study, Tag, Trace};

use super::plot_to;

/// The maximum number of signals in the figure.
const MOST: usize = 6;

/// A column of the figure: a column of one of the traces.
struct Source<'a> {
    trace: &'a Trace,
    column: usize,
    name: String,
    /// Whether its impulses are drawn.
    arrows: bool,
}

/// Plots the study to a file.
pub fn draw_study(model: &str, study: &Study, path: &Path) -> Result<()> {
    let exact = &study.exact;
    let drawn = |column: &usize| !exact.is_discrete(*column);
    let columns: Vec<usize> = (0..exact.columns().len()).filter(drawn).take(MOST).collect();
    let mut sources = Vec::new();
    let mut panels = Vec::new();
    for column in columns {
        let name = exact.columns()[column].name.clone();
        let impulsive = exact.impulses().iter().any(|impulse| impulse.column == column);
        sources.push(Source { trace: exact, column, name: name.clone(), arrows: true });
        let mut together = vec![Signal::new(name.clone()).label("symbolic")];
        let mut apart = Vec::new();
        for step in &study.steps {
            let trace = &step.runs.numeric;
            let Some(column) = trace.column(&name) else { continue };
            let (label, own) = (format!("h = {}", step.step), format!("{name}~{}", step.step));
            sources.push(Source { trace, column, name: own.clone(), arrows: false });
            match impulsive {
                true => apart.push(
                    Panel::over_time([Signal::new(own).label(name.clone())])
                        .y(Axis::new(format!("{name}, {label}"))),
                ),
                false => together.push(Signal::new(own).label(label).dash(Dash::Dashed)),
            }
        }
        panels.push(Panel::over_time(together).y(Axis::new(name)));
        panels.extend(apart);
    }
    let figure = Figure::new(panels).title(format!("{model}: impulses symbolic and numeric"));
    plot_to(&joined(&sources), &figure, path)
}

/// The rows of all traces in one trace, with linear interpolation between rows.
fn joined(sources: &[Source]) -> Trace {
    let columns = sources.iter().map(|source| Column {
        name: source.name.clone(),
        ty: source.trace.columns()[source.column].ty,
    });
    let mut trace = Trace::new(columns.collect());
    let mut tags: Vec<Tag> =
        sources.iter().flat_map(|source| source.trace.tags().iter().copied()).collect();
    tags.sort_unstable();
    tags.dedup();
    for tag in tags {
        let row: Vec<Option<Vec<f64>>> = sources.iter().map(|source| source.at(tag)).collect();
        trace.push(tag, |column| row[column].as_deref());
    }
    let mut impulses: Vec<Impulse> = Vec::new();
    for (column, source) in sources.iter().enumerate().filter(|(_, source)| source.arrows) {
        let own = source.trace.impulses().iter().filter(|i| i.column == source.column);
        impulses.extend(own.map(|impulse| Impulse { column, ..impulse.clone() }));
    }
    impulses.sort_by_key(|impulse| impulse.tag);
    impulses.into_iter().for_each(|impulse| trace.push_impulse(impulse));
    trace
}

impl Source<'_> {
    fn at(&self, tag: Tag) -> Option<Vec<f64>> {
        let tags = self.trace.tags();
        let after = tags.partition_point(|known| *known < tag);
        let row = |row: usize| self.trace.get(row, self.column);
        if tags.get(after) == Some(&tag) {
            return row(after).map(<[f64]>::to_vec);
        }
        let before = after.checked_sub(1)?;
        let (a, b) = (row(before)?, row(after.min(tags.len() - 1))?);
        let span = tags.get(after)?.time.since(tags[before].time);
        let part = if span > 0.0 { tag.time.since(tags[before].time) / span } else { 0.0 };
        Some(a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect())
    }
}
