//! `energy`: what solvers do to an energy in the long run.

use anyhow::{Result, bail};
use superdense::plots::{Axis, Figure, Pair, Panel};
use superdense::{
    Column, Library, Model, Overrides, Streaming, System, Tag, Time, Trace, Type, read, record_only,
};

use super::pictures::{picture_format, plot_to};
use crate::arguments::EnergyArguments;
use crate::model::overrides;
use crate::report::{Problem, refused, show};

/// The name of the recorded energy.
const ENERGY: &str = "energy";

/// Times and energies of one run.
type Curve = Vec<(f64, f64)>;

pub fn energy(arguments: &EnergyArguments) -> Result<()> {
    if let Some(path) = &arguments.output {
        picture_format(path)?;
    }
    if arguments.model.solver.is_some() {
        bail!("`energy` compares solvers: name them with `--solvers rk45,trapezoidal`");
    }
    let model = read(&arguments.model.model).map_err(refused)?;
    let model = record_only(&model, ENERGY, &arguments.energy).map_err(refused)?;
    let own = overrides(&arguments.model)?;
    let mut curves: Vec<(&str, Curve)> = Vec::new();
    for solver in &arguments.solvers {
        curves.push((solver, curve(&model, &own, solver)?));
    }
    show(&table(&curves))?;
    match &arguments.output {
        Some(path) => {
            let trace = together(&curves);
            plot_to(&trace, &figure(&curves, &model.name), path)
        }
        None => Ok(()),
    }
}

/// The energy at each step of a solver.
fn curve(model: &Model, own: &Overrides, solver: &str) -> Result<Curve> {
    let on_streams = solver == "stream";
    let named = Some(solver.to_owned()).filter(|_| !on_streams);
    let overrides = Overrides { solver: named, ..own.clone() };
    let system = System::compile(model, &Library::standard(), &overrides).map_err(refused)?;
    if on_streams { streamed(&system) } else { simulated(&system) }
}

fn simulated(system: &System) -> Result<Curve> {
    match system.simulate() {
        Ok(outcome) => {
            let rows = scalar(&outcome.trace)?.series(ENERGY).into_iter();
            Ok(rows.map(|(tag, energy)| (tag.time.seconds(), energy)).collect())
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
    Ok(accepted.filter_map(|e| Some((run.get(e, "time")?, run.get(e, ENERGY)?))).collect())
}

fn scalar(trace: &Trace) -> Result<&Trace> {
    let column = trace.column(ENERGY).map(|column| trace.columns()[column].ty);
    match column {
        Some(ty) if ty.is_scalar() => Ok(trace),
        Some(ty) => bail!("an energy is one number, and this is {}", ty.with_article()),
        None => bail!("no energy was recorded"),
    }
}

fn table(curves: &[(&str, Curve)]) -> String {
    let [steps, start, end, change] = ["steps", "at the start", "at the end", "change"];
    let mut out = format!("{:<12}{steps:>10}{start:>20}{end:>20}{change:>14}\n", "solver");
    for (solver, curve) in curves {
        let (Some(first), Some(last)) = (curve.first(), curve.last()) else { continue };
        let (start, end, change) = (first.1, last.1, last.1 - first.1);
        let steps = curve.len() - 1;
        out += &format!("{solver:<12}{steps:>10}{start:>20.10}{end:>20.10}{change:>14.3e}\n");
    }
    out
}

/// All curves in one table, one after the other: each has columns of its own.
fn together(curves: &[(&str, Curve)]) -> Trace {
    let names = |index: usize| [format!("time {index}"), format!("{ENERGY} {index}")];
    let columns = (0..curves.len()).flat_map(names);
    let mut trace = Trace::new(columns.map(|name| Column { name, ty: Type::REAL }).collect());
    for (index, (_, curve)) in curves.iter().enumerate() {
        for (time, energy) in curve {
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
