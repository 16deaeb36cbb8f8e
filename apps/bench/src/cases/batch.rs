//! 10,000 Lorenz systems, each with its own parameter, one after the other: the cost of a run in a
//! sweep. The model is compiled once, and one run is reset and given the next parameter.

use anyhow::{Result, ensure};
use superdense::{Backend, Library, Model, Settings, System, Value};

use super::lorenz::{Lorenz, TIGHT, text};
use super::{Floor, NOTHING, ends, errors, parse};
use crate::measure::{Bar, Effort, Errors, Figure, in_turn};

const SYSTEMS: u32 = 10_000;

/// The parameter of one system: from 24 to 32, a range in which all are chaotic.
fn rho(i: u32) -> f64 {
    24.0 + 8.0 * f64::from(i) / f64::from(SYSTEMS)
}

/// The system of one value of the parameter.
fn system(compiled: &System, i: u32) -> Result<System> {
    let parameters = vec![("rho".to_owned(), Value::real(rho(i)))];
    Ok(compiled.with(&Settings { parameters, ..Settings::default() })?)
}

fn compile(model: &Model) -> Result<System> {
    Ok(System::compile(model, &Library::standard())?)
}

/// Compiles the model and runs the first `systems` of them.
pub(crate) fn run(model: &Model, systems: u32, backend: Backend) -> Result<u64> {
    let compiled = compile(model)?;
    let parameter = compiled.parameter("rho")?;
    let mut run = compiled.begin();
    run.set_backend(backend)?;
    let mut steps = |i| {
        run.reset();
        run.give(&parameter, Value::real(rho(i)))?;
        run.advance_to_end()?;
        Ok(run.counters().steps)
    };
    (0..systems).map(&mut steps).sum()
}

fn by_hand() -> u64 {
    (0..SYSTEMS).map(|i| Lorenz::with(rho(i)).solve(1e-6).steps).sum()
}

/// The errors of the median of eleven systems; some have lost all accuracy to chaos by t = 20.
pub(super) fn exactness() -> Result<Errors> {
    let model = compile(&parse(&text("x, y, z"))?)?;
    let mut all = Vec::new();
    for i in (0..=SYSTEMS).step_by(1000) {
        let outcome = system(&model, i)?.simulate()?;
        let ours = ends(&outcome, &["x", "y", "z"].map(String::from))?;
        let (hand, truth) = (Lorenz::with(rho(i)).solve(1e-6), Lorenz::with(rho(i)).solve(TIGHT));
        ensure!(outcome.counters.steps == hand.steps, "not the same steps");
        all.push(errors("batch", &ours, &hand.x, &truth.x, 60.0)?);
    }
    all.sort_by(|one, other| one.ours.total_cmp(&other.ours));
    Ok(all[all.len() / 2])
}

/// The systems end in different states, so their final values are not checked.
pub(super) fn floor() -> Floor {
    Floor::new("E", || vec![by_hand() as f64], Vec::new())
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let (errors, model) = (exactness()?, parse(&text(NOTHING))?);
    let all = || run(&model, SYSTEMS, effort.backend);
    let steps = all()?;
    let (ours, hand) = in_turn(&effort.at_most(3), all, by_hand);
    let figure = Figure::new("E 10,000 Lorenz systems, one after the other", ours)
        .against(hand)
        .bar(Bar::Ratio(1.15));
    Ok(vec![figure.errors(errors).note(format!("{steps} steps in all; compiled once"))])
}
