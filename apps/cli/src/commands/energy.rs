//! `energy`: how well solvers conserve an energy in the long run.

use anyhow::{Result, bail};
use superdense::{Elem, Library, Model, RowsPer, Settings, System, Time, Trace, read, record_only};

use super::pictures::{check_picture, draw_energies};
use super::stream::energy_on_streams;
use crate::arguments::{EnergyArguments, Format};
use crate::inputs::refuse_files;
use crate::model::overrides;
use crate::report::{Problem, notify, refused, show, warn_of_long_run};

/// The name of the recorded energy.
pub const ENERGY: &str = "energy";

/// One run.
pub struct Curve {
    pub steps: u64,
    /// Times and energies.
    pub points: Vec<(f64, f64)>,
}

pub fn energy(arguments: &EnergyArguments) -> Result<()> {
    if let Some(path) = &arguments.output {
        check_picture(path)?;
    }
    let model = read(&arguments.model.model).map_err(refused)?;
    let model = record_only(&model, &[(ENERGY, &arguments.energy)]).map_err(refused)?;
    // A jump of the energy is drawn as a vertical line.
    refuse_files(&arguments.model.inputs, "energy")?;
    let own = overrides(&arguments.model, &model)?.rows(RowsPer::Microstep);
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
        draw_energies(&curves, &model.name, path)?;
    }
    finish(failed)
}

/// Reports the solvers that failed, after the results of the others have been shown.
fn finish(failed: Vec<(&str, anyhow::Error)>) -> Result<()> {
    let names: Vec<&str> = failed.iter().map(|(solver, _)| *solver).collect();
    for (_, error) in &failed {
        notify(&format!("{error:#}\n"));
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
    warn_of_long_run(&system, Time::MAX, Format::Text);
    if system.settings().impulses.steps() {
        bail!("a fixed-step run has no solver to compare: leave `impulses` out in the model");
    }
    if on_streams { energy_on_streams(&system) } else { simulated(&system) }
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

/// Refuses an energy that is not one number.
pub fn scalar(trace: &Trace) -> Result<&Trace> {
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
