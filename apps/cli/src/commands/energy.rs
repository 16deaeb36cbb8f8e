//! `energy`: how well solvers conserve an energy in the long run.

use anyhow::{Result, bail};
use superdense::plots::{Axis, Figure, Pair, Panel};
use superdense::{
    Column, Elem, Library, Model, RowsPer, Settings, Streaming, System, Tag, Time, Trace, Type,
    read, record_only,
};

use super::pictures::{picture_format, plot_to};
use crate::arguments::{EnergyArguments, Format};
use crate::inputs::refuse_files;
use crate::model::overrides;
use crate::report::{Problem, refused, show, tell, tell_long_run};

/// The name of the recorded energy.
const ENERGY: &str = "energy";

/// One run.
struct Curve {
    steps: u64,
    /// Times and energies.
    points: Vec<(f64, f64)>,
}

pub fn energy(arguments: &EnergyArguments) -> Result<()> {
    if let Some(path) = &arguments.output {
        picture_format(path)?;
    }
    let model = read(&arguments.model.model).map_err(refused)?;
    let model = record_only(&model, ENERGY, &arguments.energy).map_err(refused)?;
    // A jump of the energy is drawn as a vertical line.
    refuse_files(&arguments.model.inputs, "energy")?;
    let own = overrides(&arguments.model)?.rows(RowsPer::Microstep);
    let (mut curves, mut failed) = (Vec::new(), Vec::new());
    for solver in &arguments.solvers {
        match curve(&model, &own, solver) {
            Ok(curve) => curves.push((solver.as_str(), curve)),
            Err(error) => failed.push((solver.as_str(), error)),
        }
    }
    if curves.is_empty() {
        return failed.pop().map_or(Ok(()), |(_, error)| Err(error));
    }
    show(&table(&curves))?;
    if let Some(path) = &arguments.output {
        plot_to(&together(&curves), &figure(&curves, &model.name), path)?;
    }
    finish(failed)
}

/// Reports the solvers that failed, after the results of the others have been shown.
fn finish(failed: Vec<(&str, anyhow::Error)>) -> Result<()> {
    let names: Vec<&str> = failed.iter().map(|(solver, _)| *solver).collect();
    for (_, error) in &failed {
        tell(&format!("{error:#}\n"));
    }
    match names.as_slice() {
        [] => Ok(()),
        names => bail!("no energy with {}", names.join(", ")),
    }
}

/// The energy at each step of a solver.
fn curve(model: &Model, own: &Settings, solver: &str) -> Result<Curve> {
    let on_streams = solver == "stream";
    let overrides = match on_streams {
        true => own.clone(),
        false => own.clone().solver(solver),
    };
    let system = System::compile_with(model, &Library::standard(), &overrides).map_err(refused)?;
    tell_long_run(&system, Time::MAX, Format::Text);
    if system.settings().impulses.steps() {
        bail!("a fixed-step run has no solver to compare: leave `impulses` out in the model");
    }
    if on_streams { streamed(&system) } else { simulated(&system) }
}

fn simulated(system: &System) -> Result<Curve> {
    match system.simulate() {
        Ok(outcome) => {
            let rows = scalar(&outcome.trace)?.series(ENERGY).into_iter();
            let points = rows.map(|(tag, energy)| (tag.time.seconds(), energy)).collect();
            Ok(Curve { steps: outcome.counters.steps, points })
        }
        Err(failure) => Err(Problem::new(system.explain(&failure.error), system.sources()).into()),
    }
}

/// The energy at accepted steps on streams.
fn streamed(system: &System) -> Result<Curve> {
    let streamed = system.stream(&Streaming::default()).map_err(refused)?;
    if let Some(error) = &streamed.error {
        return Err(Problem::new(system.explain_stream(error), system.sources()).into());
    }
    let run = &streamed.evaluations;
    scalar(run.trace())?;
    let accepted = (0..run.len())
        .filter(|e| run.get(*e, "stage") == Some(2.0) && run.get(*e, "p") == Some(0.0));
    let steps = accepted.clone().count() as u64;
    let points = accepted.filter_map(|e| Some((run.get(e, "time")?, run.get(e, ENERGY)?)));
    Ok(Curve { steps, points: points.collect() })
}

fn scalar(trace: &Trace) -> Result<&Trace> {
    let column = trace.column(ENERGY).map(|column| trace.columns()[column].ty);
    match column {
        Some(ty) if ty.is_scalar() && ty.elem != Elem::Bool => Ok(trace),
        Some(ty) => bail!("an energy is one number, and this is {}", ty.with_article()),
        None => bail!("no energy was recorded"),
    }
}

fn table(curves: &[(&str, Curve)]) -> String {
    let [steps, start, end, change] = ["steps", "at the start", "at the end", "change"];
    let mut out = format!("{:<12}{steps:>10}{start:>20}{end:>20}{change:>14}\n", "solver");
    for (solver, curve) in curves {
        let (Some(first), Some(last)) = (curve.points.first(), curve.points.last()) else {
            continue;
        };
        let (start, end, change) = (first.1, last.1, last.1 - first.1);
        let steps = curve.steps;
        out += &format!("{solver:<12}{steps:>10}{start:>20.10}{end:>20.10}{change:>14.3e}\n");
    }
    out
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
