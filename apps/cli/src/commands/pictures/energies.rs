//! The figure of energies over time, one curve for each solver.

use std::path::Path;

use anyhow::Result;
use superdense::plots::{Axis, Figure, Pair, Panel};
use superdense::{Column, Tag, Time, Trace, Type};

use super::plot_to;
use crate::commands::energy::{Curve, ENERGY};

/// Plots energies to a file, each with the name of its solver.
pub fn draw_energies(curves: &[(&str, Curve)], name: &str, path: &Path) -> Result<()> {
    plot_to(&together(curves), &figure(curves, name), path)
}

/// All curves in one table, one after the other, each in its own columns.
fn together(curves: &[(&str, Curve)]) -> Trace {
    let names = |index: usize| [format!("time {index}"), format!("{ENERGY} {index}")];
    let columns = (0..curves.len()).flat_map(names);
    let mut trace = Trace::new(columns.map(|name| Column { name, ty: Type::REAL }).collect());
    for (index, (_, curve)) in curves.iter().enumerate() {
        for (time, energy) in &curve.points {
            let row = Time::from_f64(trace.len() as f64).unwrap_or(Time::ZERO);
            let point = [[*time], [*energy]];
            trace.push(Tag::new(row, 0), |column| {
                (column / 2 == index).then(|| point[column % 2].as_slice())
            });
        }
    }
    trace
}

fn figure(curves: &[(&str, Curve)], name: &str) -> Figure {
    let pair = |(index, (solver, _)): (usize, &(&str, Curve))| {
        Pair::new(format!("time {index}"), format!("{ENERGY} {index}")).label(*solver)
    };
    let panel = Panel::phases(curves.iter().enumerate().map(pair));
    let panel = panel.x(Axis::new("time").unit("s")).y(Axis::new(ENERGY)).height(260.0);
    Figure::new([panel]).title(name)
}
